//! Names and labels of events: `a`, `b`, … in thread order, and `W[x]=1` for what an event does.

use crate::{Drawing, NodeKind};
use treville_base::SourceMap;
use treville_event::{Cell, Event, EventId, Graph, Kind, Skeleton};
use treville_ir::{Program, Type};
use treville_term::Bv;

/// Tags that say no more than the kind of an event, or that every event of its kind has.
const SILENT_TAGS: &[&str] = &["M", "R", "W", "F", "B", "IW", "RMW", "A", "Exp", "NExp", "annot", "BCC", "PRED"];

/// Register events and branches explain dependencies; people look at memory, fences and the like.
pub(crate) fn is_visible(kind: Kind) -> bool {
    match kind {
        Kind::Init | Kind::Read | Kind::Write | Kind::Update | Kind::Fence | Kind::Opaque => true,
        Kind::Branch | Kind::RegRead | Kind::RegWrite => false,
    }
}

/// Events of threads in the order of threads and positions; initial writes are not among them.
pub(crate) fn thread_order(skeleton: &Skeleton) -> Vec<EventId> {
    let placed = |id: &EventId| skeleton.events[*id].thread.is_some();
    let mut ids: Vec<EventId> = skeleton.events.ids().filter(placed).collect();
    ids.sort_by_key(|&id| (skeleton.events[id].thread, skeleton.events[id].index, id));
    ids
}

/// `a` … `z`, `aa`, `ab`, …
pub(crate) fn letters(mut n: usize) -> String {
    let mut reversed = Vec::new();
    loop {
        reversed.push(b'a' + (n % 26) as u8);
        if n < 26 {
            break;
        }
        n = n / 26 - 1;
    }
    reversed.iter().rev().map(|&b| char::from(b)).collect()
}

/// What an event does: `R[x]=0`, `W[y]=1 REL`, `U[x]=0→1 ACQ_REL`, `F MFENCE`.
pub(crate) fn label(program: &Program, event: &Event) -> String {
    let tags: Vec<&str> = event.tags.iter().map(|t| t.as_str()).filter(|t| !SILENT_TAGS.contains(t)).collect();
    let place = event.cell.map(|cell| format!("[{}]", show_cell(program, cell))).unwrap_or_default();
    let value = |value: Option<Bv>| value.map_or("?".into(), |v| show_value(program, event.cell, v));
    let core = match event.kind {
        Kind::Init => format!("init {place}={}", value(event.written)),
        Kind::Read => format!("R{place}={}", value(event.read)),
        Kind::Write => format!("W{place}={}", value(event.written)),
        Kind::Update => format!("U{place}={}→{}", value(event.read), value(event.written)),
        Kind::Fence => "F".into(),
        Kind::Branch => "branch".into(),
        Kind::RegRead | Kind::RegWrite => {
            let letter = if event.kind == Kind::RegRead { "R" } else { "W" };
            let shown = value(event.read.or(event.written));
            format!("{letter} {}={shown}", event.register.as_deref().unwrap_or("?"))
        }
        Kind::Opaque => return [tags.join(" "), place].concat(),
    };
    if tags.is_empty() || event.kind == Kind::Init { core } else { format!("{core} {}", tags.join(" ")) }
}

/// `x`, `x[1]`, and `x+4:2` for a part that is smaller than the element it lies in.
pub(crate) fn show_cell(program: &Program, cell: Cell) -> String {
    let Some(name) = program.show_address(cell.address) else { return format!("{:#x}", cell.address) };
    let whole = program.object_at(cell.address).is_none_or(|(id, _)| {
        let object = &program.objects[id];
        if !object.members.is_empty() {
            return true;
        }
        let element = match object.ty {
            Type::Int { bytes, .. } => u64::from(bytes),
            Type::Pointer | Type::Untyped => 8,
        };
        u64::from(cell.size) == element || (!object.array && u64::from(cell.size) == object.size)
    });
    if whole { name } else { format!("{name}:{}", cell.size) }
}

fn show_value(program: &Program, cell: Option<Cell>, value: Bv) -> String {
    let ty = cell.map_or(Type::Untyped, |cell| program.type_at(cell.address));
    program.show_value(value, ty)
}

/// An event in a sentence: `a: W[x]=1` with the name that the drawing gives it.
pub fn describe_event(program: &Program, graph: &Graph, drawing: &Drawing, event: EventId) -> String {
    let label = label(program, &graph.skeleton.events[event]);
    match drawing.position(event).map(|i| &drawing.nodes[i]) {
        Some(node) if node.kind != NodeKind::Initial => format!("{}: {label}", node.name),
        _ => label,
    }
}

/// The line and the text that an event comes from: `4: MOV [x],$1`.
pub fn event_source(sources: &SourceMap, graph: &Graph, event: EventId) -> Option<String> {
    let event = &graph.skeleton.events[event];
    let span = event.span.filter(|_| event.kind != Kind::Init)?;
    let text = sources.snippet(span).split_whitespace().collect::<Vec<_>>().join(" ");
    Some(format!("line {}: {text}", sources.start(span).line))
}

#[cfg(test)]
mod tests {
    use super::letters;

    #[test]
    fn letters_go_on_after_z() {
        let names: Vec<String> = [0, 25, 26, 27, 51, 52, 701, 702].into_iter().map(letters).collect();
        assert_eq!(names, ["a", "z", "aa", "ab", "az", "ba", "zz", "aaa"]);
    }
}
