//! Programs on remote memory: whether they hold with some flushes, and the run that shows where not.

use crate::json::{Object, array, location, quoted};
use crate::view::RemoteView;
use crate::{Details, Paint, Palette, render_diagnostics};
use std::fmt::Write;
use treville_base::{Diagnostic, SourceMap, Span};
use treville_rma::{Action, FailingRun, Failure, Program, PropKind};
use treville_task::{Report, Verdict};

/// `always !(at(1, cs) && at(2, cs)) fails after 11 steps`
pub(crate) fn says(run: &FailingRun, program: &Program) -> String {
    let after = match run.trace.steps.len() {
        0 => "at the start".to_owned(),
        n => format!("after {}", plural(n, "step")),
    };
    format!("{} {after}", failing(program, run.failure))
}

/// What is false at the end of a run.
fn failing(program: &Program, failure: Failure) -> String {
    match failure {
        Failure::Property(i) => format!("`{}` fails", program.properties[i].name),
        Failure::Assertion(proc, node) if program.procs[proc].out_of_bounds.contains(&node) => {
            format!("an index of process {} is out of bounds", program.procs[proc].name)
        }
        Failure::Assertion(proc, _) => format!("an assertion of process {} fails", program.procs[proc].name),
    }
}

fn place_of(program: &Program, failure: Failure) -> Span {
    match failure {
        Failure::Property(i) => program.properties[i].span,
        Failure::Assertion(proc, node) => program.procs[proc].nodes[node].span,
    }
}

/// `1 step`, `2 steps`
pub fn plural(n: usize, word: &str) -> String {
    if n == 1 { format!("1 {word}") } else { format!("{n} {word}s") }
}

/// `fig2.rma under rma: no, `final r != 3` fails after 8 steps`, and the run.
pub(crate) fn text(report: &Report, checked: &RemoteView<'_>, details: Details, palette: Palette) -> String {
    let (role, meaning) = match (&checked.verdict, checked.run) {
        (Verdict::Unknown(reason), _) => (Paint::Doubt, reason.to_string()),
        (Verdict::Yes, _) => (Paint::Good, "no run fails".to_owned()),
        (_, Some(run)) => (Paint::Bad, says(run, checked.program)),
        (_, None) => (Paint::Bad, "a run fails".to_owned()),
    };
    let bounded = !checked.scope.complete && !matches!(checked.verdict, Verdict::Unknown(_));
    let scope = if bounded { " (up to the bound)" } else { "" };
    let file = palette.paint(Paint::Strong, &report.file);
    let word = palette.paint(role, report.verdict().as_str());
    let mut out = format!("{file} under {}: {word}, {meaning}{scope}\n", report.model);
    let _ = writeln!(out, "  {} {}", palette.paint(Paint::Faint, "flushes"), flushes(checked));
    if let Some(how) = how(checked) {
        let _ = writeln!(out, "  {} {}: {how}", palette.paint(Paint::Faint, "engine"), report.engine);
    }
    for assumption in &checked.scope.relative_to {
        let _ = writeln!(out, "  {} {assumption}", palette.paint(Paint::Doubt, "bounded"));
    }
    if let Some(run) = checked.run {
        let place = line(checked.sources, place_of(checked.program, run.failure));
        let _ = writeln!(out, "  {} {place}", palette.paint(Paint::Faint, "place"));
        out.push('\n');
        table(checked.program, checked.sources, run, palette, &mut out);
    }
    if details.stats {
        out.push('\n');
        for (name, value) in &checked.outcome.stats {
            let _ = writeln!(out, "  {name:<24} {value}");
        }
        let _ = writeln!(out, "  {:<24} {:.3}", "time_ms", report.time.as_secs_f64() * 1e3);
    }
    if !checked.warnings.is_empty() {
        let _ = write!(out, "\n{}", render_diagnostics(checked.warnings, checked.sources, palette));
    }
    out
}

/// How the answer is known, if there is one.
fn how<'a>(checked: &'a RemoteView<'_>) -> Option<&'a str> {
    let answered = !matches!(checked.verdict, Verdict::Unknown(_));
    Some(checked.outcome.how.as_str()).filter(|how| answered && !how.is_empty())
}

fn flushes(checked: &RemoteView<'_>) -> String {
    let all = checked.program.slots.len();
    match checked.flushes.len() {
        0 => format!("in none of {}", plural(all, "slot")),
        n if n == all => format!("in all {}", plural(all, "slot")),
        n => format!("in {} of {}: {}", n, plural(all, "slot"), numbers(checked.flushes)),
    }
}

pub(crate) fn numbers(slots: &[usize]) -> String {
    slots.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// A run as a table of steps.
pub(crate) fn table(program: &Program, sources: &SourceMap, run: &FailingRun, palette: Palette, out: &mut String) {
    let mut rows = vec![["step", "who", "line", "statement", "what happens"].map(str::to_owned)];
    for (i, step) in run.trace.steps.iter().enumerate() {
        let line = sources.start(step.span(program)).line;
        rows.push([
            (i + 1).to_string(),
            step.who(program),
            line.to_string(),
            step.statement(program),
            step.effect(program),
        ]);
    }
    let width = |c: usize| rows.iter().map(|row| row[c].chars().count()).max().unwrap_or(0);
    let widths: [usize; 5] = std::array::from_fn(width);
    for (i, row) in rows.iter().enumerate() {
        let cell = |(c, text): (usize, &String)| match c {
            0 | 2 => format!("{text:>width$}", width = widths[c]),
            _ => format!("{text:width$}", width = widths[c]),
        };
        let line = row.iter().enumerate().map(cell).collect::<Vec<_>>().join("  ");
        let line = line.trim_end();
        let _ = writeln!(out, "  {}", if i == 0 { palette.paint(Paint::Faint, line) } else { line.to_owned() });
    }
    let end = format!("{} here", failing(program, run.failure));
    let note = if run.shortest { "" } else { " (a shorter run may exist)" };
    let _ = writeln!(out, "  {}{note}", palette.paint(Paint::Bad, &end));
}

pub(crate) fn json(object: &mut Object, checked: &RemoteView<'_>, details: Details) {
    let program = checked.program;
    object.raw("flushes", &array(&checked.flushes.iter().map(ToString::to_string).collect::<Vec<_>>()));
    if let Some(how) = how(checked) {
        object.string("how", how);
    }
    let rows: Vec<String> = (0..program.properties.len()).map(|i| property(checked, i)).collect();
    if !rows.is_empty() {
        object.raw("invariants", &array(&rows));
    }
    if let Some(run) = checked.run {
        object.raw("violation", &violation(program, checked.sources, run));
        if details.witness {
            object.raw("witness", &witness(program, checked.sources, run));
        }
    }
    if !checked.warnings.is_empty() {
        let row = |warning: &Diagnostic| {
            let mut row = Object::new();
            row.string("message", &warning.message);
            if let Some(span) = warning.span {
                row.raw("location", &location(checked.sources, span));
            }
            row.end()
        };
        object.raw("warnings", &array(&checked.warnings.iter().map(row).collect::<Vec<_>>()));
    }
}

/// What is known of one property: a search ends at the first that fails.
fn property(checked: &RemoteView<'_>, i: usize) -> String {
    let mut row = Object::new();
    row.string("name", &checked.program.properties[i].name);
    match (&checked.verdict, checked.run) {
        (Verdict::Yes, _) => row.string("verdict", "yes"),
        (_, Some(run)) if run.failure == Failure::Property(i) => {
            row.string("verdict", "no");
            row.number("steps", run.trace.steps.len() as u64);
        }
        _ => row.string("verdict", "unknown"),
    }
    row.end()
}

fn violation(program: &Program, sources: &SourceMap, run: &FailingRun) -> String {
    let mut row = Object::new();
    let kind = match run.failure {
        Failure::Property(i) if program.properties[i].kind == PropKind::Always => "invariant",
        Failure::Assertion(proc, node) if program.procs[proc].out_of_bounds.contains(&node) => "invalid-access",
        Failure::Property(_) | Failure::Assertion(..) => "assertion",
    };
    row.string("kind", kind);
    if let Failure::Property(i) = run.failure {
        row.string("name", &program.properties[i].name);
    }
    row.string("message", &says(run, program));
    row.raw("location", &location(sources, place_of(program, run.failure)));
    row.end()
}

/// `{"steps":[…]}`
fn witness(program: &Program, sources: &SourceMap, run: &FailingRun) -> String {
    let step = |step: &Action| {
        let mut row = Object::new();
        row.string("thread", &step.who(program));
        row.number("line", sources.start(step.span(program)).line as u64);
        row.string("statement", &step.statement(program));
        row.string("action", &step.effect(program));
        row.end()
    };
    let mut object = Object::new();
    object.raw("steps", &array(&run.trace.steps.iter().map(step).collect::<Vec<_>>()));
    object.end()
}

/// `["file:line: flush(1)", …]`
pub(crate) fn sites(program: &Program, sources: &SourceMap, slots: &[usize]) -> String {
    array(&slots.iter().map(|slot| quoted(&site(program, sources, *slot))).collect::<Vec<_>>())
}

/// `file:line: flush(1)`
pub(crate) fn site(program: &Program, sources: &SourceMap, number: usize) -> String {
    match program.slots.iter().nth(number.wrapping_sub(1)) {
        Some(slot) => format!("{}: flush({})", line(sources, slot.span), program.procs[slot.target].name),
        None => String::new(),
    }
}

/// `file:line`
pub(crate) fn line(sources: &SourceMap, span: Span) -> String {
    format!("{}:{}", sources.file(span.file).name, sources.start(span).line)
}
