//! Where flushes are needed: the cheapest placements, what is known of cheaper ones, and why each flush is there.

use crate::json::{Object, array, quoted};
use crate::rma::{line, numbers, plural, says, site, sites, table};
use crate::{Paint, Palette};
use std::fmt::Write;
use std::sync::Arc;
use std::time::Duration;
use treville_base::SourceMap;
use treville_rma::{FailingRun, Program};
use treville_task::{CheckError, VerdictKind};

/// One file whose flushes were looked for.
#[derive(Clone, Debug)]
pub struct SynthReport {
    pub file: String,
    pub model: String,
    pub engine: String,
    pub time: Duration,
    pub content: Result<Box<Synthesised>, CheckError>,
}

/// What was found. Slots are numbers as people count them.
#[derive(Clone, Debug)]
pub struct Synthesised {
    pub program: Arc<Program>,
    pub sources: Arc<SourceMap>,
    /// The slots that were considered, if these are not all: what is said then is true of placements within them.
    pub within: Option<Vec<usize>>,
    /// All that are known of the smallest cost that is proved to be enough.
    pub placements: Vec<Placed>,
    /// Real failures: what holds costs this much or more.
    pub lower: u64,
    /// The bounds meet.
    pub proved: bool,
    /// Slots that every placement needs.
    pub needed: Vec<usize>,
    /// Cheaper placements that neither fail nor are proved, and why.
    pub open: Vec<(Vec<usize>, String)>,
    /// The run that fails with a flush in every slot of the initial placement.
    pub hopeless: Option<FailingRun>,
    /// Why the search ended before its end.
    pub stopped: Option<String>,
    /// Placements that were judged.
    pub checks: usize,
    /// Why the first placement has each of its flushes: a run without it, if one was found.
    pub why: Vec<(usize, Option<FailingRun>)>,
    /// The program with the first placement.
    pub annotated: Option<String>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Placed {
    pub slots: Vec<usize>,
    pub cost: u64,
}

impl SynthReport {
    /// Yes: a placement was found. No: none makes the property hold.
    pub fn verdict(&self) -> VerdictKind {
        match &self.content {
            Err(failure) => failure.verdict,
            Ok(found) if !found.placements.is_empty() => VerdictKind::Yes,
            Ok(found) if found.hopeless.is_some() => VerdictKind::No,
            Ok(_) => VerdictKind::Unknown,
        }
    }
}

/// `fig2.rma under rma: 1 flush of 2, proved minimal`; with `runs`, why it needs each.
pub fn placement(report: &SynthReport, runs: bool, palette: Palette) -> String {
    let found = match &report.content {
        Ok(found) => found,
        Err(failure) => {
            let word = palette.paint(Paint::Doubt, failure.verdict.as_str());
            return format!("{}: {word}: {}\n", report.file, failure.reason);
        }
    };
    let file = palette.paint(Paint::Strong, &report.file);
    let mut out = format!("{file} under {}: {}\n", report.model, headline(found, palette));
    for placed in &found.placements {
        let _ = writeln!(out, "  {}", placed_line(found, placed));
    }
    if !found.needed.is_empty() {
        let always = format!("always needed{}:", within(found));
        let _ = writeln!(out, "  {} {}", palette.paint(Paint::Faint, &always), numbers(&found.needed));
    }
    open(found, palette, &mut out);
    if let Some(run) = &found.hopeless {
        let _ = writeln!(out, "\nwith every flush{}, {}", within(found), says(run, &found.program));
        table(&found.program, &found.sources, run, palette, &mut out);
    }
    for (slot, run) in &found.why {
        why(found, *slot, run.as_ref(), runs, palette, &mut out);
    }
    out
}

fn headline(found: &Synthesised, palette: Palette) -> String {
    let (slots, within) = (found.program.slots.len(), within(found));
    let Some(first) = found.placements.first() else {
        return match (&found.hopeless, &found.stopped) {
            (Some(_), _) => {
                format!("{}, no placement{within} makes it hold", palette.paint(Paint::Bad, "no"))
            }
            (None, Some(why)) => format!("{}, {why} before a placement{within} was proved", doubt(palette)),
            (None, None) => format!("{}, no placement{within} was proved", doubt(palette)),
        };
    };
    let number = first.slots.len();
    let cost = if first.cost == number as u64 { String::new() } else { format!(" (cost {})", first.cost) };
    let flushes = if number == 1 { "1 flush".to_owned() } else { format!("{number} flushes") };
    let minimal = match (found.proved, &found.stopped) {
        (true, _) => palette.paint(Paint::Good, &format!("proved minimal{within}")),
        (false, Some(why)) => format!("the best so far{within}: {why}; at least {} needed", found.lower),
        (false, None) => format!("not proved minimal{within}: at least {} needed", found.lower),
    };
    format!("{flushes} in {}{cost}, {minimal}", plural(slots, "slot"))
}

/// Of which slots something is said, if not of all.
fn within(found: &Synthesised) -> String {
    match found.within.as_deref() {
        None => String::new(),
        Some([]) => " within no slots".to_owned(),
        Some([slot]) => format!(" within slot {slot}"),
        Some(slots) => format!(" within slots {}", numbers(slots)),
    }
}

fn doubt(palette: Palette) -> String {
    palette.paint(Paint::Doubt, "unknown")
}

/// `1, 3: line 8 flush(1), line 12 flush(2)`
fn placed_line(found: &Synthesised, placed: &Placed) -> String {
    if placed.slots.is_empty() {
        return "no flush at all".to_owned();
    }
    let place = |number: &usize| {
        let slot = &found.program.slots.iter().nth(number - 1)?;
        let line = found.sources.start(slot.span).line;
        Some(format!("line {line} flush({})", found.program.procs[slot.target].name))
    };
    let places: Vec<String> = placed.slots.iter().filter_map(place).collect();
    format!("{}: {}", numbers(&placed.slots), places.join(", "))
}

/// Those that are told.
const MOST_OPEN: usize = 4;

fn open(found: &Synthesised, palette: Palette, out: &mut String) {
    for (slots, why) in found.open.iter().take(MOST_OPEN) {
        let slots = if slots.is_empty() { "no flush".to_owned() } else { numbers(slots) };
        let _ = writeln!(out, "  {} {slots}: {why}", palette.paint(Paint::Doubt, "open"));
    }
    if found.open.len() > MOST_OPEN {
        let _ = writeln!(out, "  {} {} more", palette.paint(Paint::Doubt, "open"), found.open.len() - MOST_OPEN);
    }
}

fn why(found: &Synthesised, slot: usize, run: Option<&FailingRun>, runs: bool, palette: Palette, out: &mut String) {
    let place = placed_line(found, &Placed { slots: vec![slot], cost: 0 });
    match run {
        Some(run) => {
            let gap = if runs { "\n" } else { "" };
            let _ = writeln!(out, "{gap}  without {place}: {}", says(run, &found.program));
            if runs {
                table(&found.program, &found.sources, run, palette, out);
            }
        }
        None => {
            let _ = writeln!(out, "  without {place}: no run that fails was found, and no proof");
        }
    }
}

/// One object.
pub fn placement_json(report: &SynthReport) -> String {
    let mut object = Object::new();
    object.string("file", &report.file);
    if !report.model.is_empty() {
        object.string("model", &report.model);
    }
    if !report.engine.is_empty() {
        object.string("engine", &report.engine);
    }
    match &report.content {
        Err(failure) => {
            object.string("verdict", failure.verdict.as_str());
            object.string("reason", &failure.reason);
            if let Some((_, at)) = &failure.position {
                object.number("line", at.line as u64);
                object.number("column", at.column as u64);
            }
        }
        Ok(found) => found_json(&mut object, found),
    }
    object.raw("time_ms", &format!("{:.3}", report.time.as_secs_f64() * 1e3));
    object.end()
}

fn found_json(object: &mut Object, found: &Synthesised) {
    object.number("sites", found.program.slots.len() as u64);
    if let Some(first) = found.placements.first() {
        object.number("minimum", first.cost);
    }
    if let Some(within) = &found.within {
        object.raw("within", &array(&within.iter().map(ToString::to_string).collect::<Vec<_>>()));
    }
    object.raw("proved", if found.proved { "true" } else { "false" });
    object.number("lower", found.lower);
    let placed = |placed: &Placed| {
        let mut row = Object::new();
        row.number("cost", placed.cost);
        row.raw("slots", &array(&placed.slots.iter().map(ToString::to_string).collect::<Vec<_>>()));
        row.raw("at", &sites(&found.program, &found.sources, &placed.slots));
        row.end()
    };
    object.raw("placements", &array(&found.placements.iter().map(placed).collect::<Vec<_>>()));
    let place = |number: &usize| {
        let slot = found.program.slots.iter().nth(number - 1)?;
        Some(quoted(&line(&found.sources, slot.span)))
    };
    object.raw("needed", &array(&found.needed.iter().filter_map(place).collect::<Vec<_>>()));
    let open = |(slots, why): &(Vec<usize>, String)| {
        let mut row = Object::new();
        row.raw("slots", &array(&slots.iter().map(ToString::to_string).collect::<Vec<_>>()));
        row.string("reason", why);
        row.end()
    };
    if !found.open.is_empty() {
        object.raw("open", &array(&found.open.iter().map(open).collect::<Vec<_>>()));
    }
    if let Some(stopped) = &found.stopped {
        object.string("reason", stopped);
    }
    let why = |(slot, run): &(usize, Option<FailingRun>)| {
        let mut row = Object::new();
        row.string("at", &site(&found.program, &found.sources, *slot));
        if let Some(run) = run {
            row.string("without", &says(run, &found.program));
        }
        row.end()
    };
    if !found.why.is_empty() {
        object.raw("why", &array(&found.why.iter().map(why).collect::<Vec<_>>()));
    }
    object.number("checks", found.checks as u64);
}
