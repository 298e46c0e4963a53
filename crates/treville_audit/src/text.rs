//! An execution as text: what is missing, and can be sent.

use crate::rows::{Id, Row, Source};
use crate::setup::Setup;
use crate::trial::Trial;
use std::fmt::Write;
use treville_base::SourceMap;
use treville_event::{Cell, Kind};

/// The events of each thread in program order, with their sources, and the coherence order of each cell.
pub(crate) fn text(setup: &Setup<'_>, trial: &Trial<'_, '_>, sources: &SourceMap) -> String {
    let mut out = String::new();
    for (number, thread) in trial.threads.iter().enumerate() {
        let _ = writeln!(out, "thread {number}:");
        for (i, row) in thread.rows.iter().enumerate() {
            let id = Id { thread: number as u16, row: i as u32 };
            let _ = writeln!(out, "  {} {}", name(id), event(setup, row, sources));
        }
        if let Some(result) = thread.result {
            let _ = writeln!(out, "  returns {result}");
        }
    }
    let _ = writeln!(out, "coherence:");
    for (address, memory) in &trial.cells {
        let order: Vec<String> = memory.writes.iter().map(|w| name(*w)).collect();
        if !order.is_empty() {
            let cell = Cell { address: *address, size: memory.size };
            let _ = writeln!(out, "  {}: initially {}, {}", place(setup, cell), memory.initial, order.join(", "));
        }
    }
    out
}

fn name(id: Id) -> String {
    format!("{}.{}", id.thread, id.row)
}

fn event(setup: &Setup<'_>, row: &Row, sources: &SourceMap) -> String {
    let event = &row.event;
    let kind = match event.kind {
        Kind::Read => "R",
        Kind::Write => "W",
        Kind::Update => "RMW",
        Kind::Fence => "F",
        Kind::Init | Kind::Branch | Kind::RegRead | Kind::RegWrite | Kind::Opaque => "",
    };
    let mut out = kind.to_owned();
    if let Some(cell) = event.cell {
        let _ = write!(out, " {}", place(setup, cell));
    }
    if let Some(read) = event.read {
        let _ = write!(out, " reads {:#x}", read.unsigned());
    }
    if let Some(written) = event.written {
        let _ = write!(out, " = {:#x}", written.unsigned());
    }
    match row.source {
        Source::None => {}
        Source::Init => out.push_str(" from the initial write"),
        Source::Write(write) => {
            let _ = write!(out, " from {}", name(write));
        }
        Source::Guessed(_) => out.push_str(" from nowhere"),
    }
    if !event.tags.is_empty() {
        let tags: Vec<&str> = event.tags.iter().map(|tag| tag.as_str()).collect();
        let _ = write!(out, " [{}]", tags.join(" "));
    }
    if let Some(span) = event.span {
        let _ = write!(out, " at {}:{}", sources.file(span.file).name, sources.start(span).line);
    }
    out
}

fn place(setup: &Setup<'_>, cell: Cell) -> String {
    let at = match setup.program.object_at(cell.address) {
        Some((object, 0)) => setup.program.objects[object].name.to_string(),
        Some((object, offset)) => format!("{}+{offset}", setup.program.objects[object].name),
        None => format!("{:#x}", cell.address),
    };
    format!("{at}/{}", cell.size)
}
