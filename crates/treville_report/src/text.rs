//! One file's answer in a terminal: the verdict first, then the states with those marked that satisfy the condition.

use crate::diagnostics::render_place;
use crate::view::{ProgramView, TestView, View};
use crate::{
    Details, Drawing, Paint, Palette, claims, execution, json::observation_word, render_diagnostics, rma,
    show_condition, state, state_items, trace,
};
use std::fmt::Write;
use treville_ir::Quantifier;
use treville_task::{Audit, CheckError, FinalState, Observation, Report, StopReason, Verdict, VerdictKind};

/// A longer table is cut unless all states were asked for.
const FEW_STATES: usize = 16;
/// A wider table is written as lines of `name=value;`.
const WIDEST_TABLE: usize = 110;

pub fn text(report: &Report, details: Details, palette: Palette) -> String {
    let finding = match &report.result {
        Err(failure) => return failed(report, failure, palette),
        Ok(finding) => finding,
    };
    match View::of(finding) {
        View::Test(checked) => answer(report, &checked, details, palette),
        View::Program(checked) => program(report, &checked, details, palette),
        View::Claims(checked) => claims::text(report, &checked, details, palette),
        View::Remote(checked) => rma::text(report, &checked, details, palette),
    }
}

fn failed(report: &Report, failure: &CheckError, palette: Palette) -> String {
    if !failure.diagnostics.is_empty() {
        return render_diagnostics(&failure.diagnostics, &failure.sources, palette);
    }
    let role = if failure.verdict == VerdictKind::Error { Paint::Bad } else { Paint::Doubt };
    format!("{}: {}: {}\n", report.file, palette.paint(role, failure.verdict.as_str()), failure.reason)
}

/// `queue.c under rc11: no, two accesses race`, with the places in the source.
fn program(report: &Report, checked: &ProgramView<'_>, details: Details, palette: Palette) -> String {
    let violation = checked.outcome.violation.as_ref();
    let meaning = match (&checked.verdict, violation) {
        (Verdict::No, Some(violation)) => format!("{}: {}", violation.failure.name(), violation.message),
        (Verdict::Unknown(reason), _) => reason.to_string(),
        _ => "no execution fails".to_owned(),
    };
    let role = match checked.verdict {
        Verdict::Yes => Paint::Good,
        Verdict::No | Verdict::Undefined => Paint::Bad,
        Verdict::Unknown(_) => Paint::Doubt,
    };
    let bounded = !checked.scope.complete && !matches!(checked.verdict, Verdict::Unknown(_));
    let scope = if bounded { " (up to the bound)" } else { "" };
    let file = palette.paint(Paint::Strong, &report.file);
    let word = palette.paint(role, report.verdict().as_str());
    let mut out = format!("{file} under {}: {word}, {meaning}{scope}\n", report.model);
    if let Verdict::Unknown(StopReason::RefusedAt(_, span)) = &checked.verdict {
        let cut = checked.outcome.stopped.is_none();
        let note = if cut { "a loop around this was cut" } else { "at this step" };
        render_place(&mut out, checked.sources, *span, None, note, palette);
    }
    if let Some(violation) = violation {
        out += &trace(violation, checked.program, checked.sources, palette);
        let drawing = Drawing::of_violation(checked.program, checked.sources, violation);
        if let (Some(drawing), true) = (drawing, details.witness) {
            let _ = write!(out, "\n{}", execution(&drawing, palette));
        }
    }
    if let Some(counts) = &checked.outcome.counts {
        let executions = if counts.executions == 1 { "execution" } else { "executions" };
        let _ = writeln!(out, "  {} complete {executions}, {} blocked", counts.executions, counts.blocked);
    }
    warn(&checked.warnings, palette, &mut out);
    if let Some(audit) = &checked.audit {
        out += &audited(audit);
    }
    engine(report, details, palette, &mut out);
    if details.stats {
        for (name, value) in &checked.outcome.stats {
            let _ = writeln!(out, "  {name:<24} {value}");
        }
        let _ = writeln!(out, "  {:<24} {:.3}", "time_ms", report.time.as_secs_f64() * 1e3);
    }
    out
}

/// What came of an audit, in one line.
fn audited(audit: &Audit) -> String {
    if let Some(why) = &audit.skipped {
        return format!("  not audited: {why}\n");
    }
    let Audit { samples, tried, classes, visited, compared, .. } = audit;
    let percent = |n: u64| 100.0 * n as f64 / (*samples).max(1) as f64;
    let (beyond_sc, cyclic) = (percent(audit.beyond_sc), percent(audit.cyclic));
    format!(
        "  audited: {samples} random executions ({tried} tried), none missing; {classes} of {visited} {compared} seen; \
         {beyond_sc:.1} % beyond SC, {cyclic:.1} % with a cycle of program order and reads-from\n"
    )
}

fn answer(report: &Report, checked: &TestView<'_>, details: Details, palette: Palette) -> String {
    let mut out = verdict_line(report, checked, palette);
    let condition = show_condition(checked.program, checked.question);
    let _ = writeln!(out, "  {}", palette.paint(Paint::Faint, &condition));
    if let Some(states) = &checked.outcome.states {
        out.push('\n');
        table(checked, states, details.states, palette, &mut out);
        counts(checked, palette, &mut out);
    }
    for flag in checked.outcome.flags.keys() {
        let _ = writeln!(out, "  {} {flag}", palette.paint(Paint::Doubt, "flag"));
    }
    if checked.outcome.cut {
        let note = "some executions were cut at the loop bound (option `bound` raises it)";
        let _ = writeln!(out, "  {} {note}", palette.paint(Paint::Doubt, "bounded"));
    }
    if let (Some(witness), true) = (checked.witness(), details.witness) {
        let drawing = Drawing::new(checked.program, checked.sources, &witness.graph, &witness.picks, &[]);
        let _ = write!(out, "\n{}", execution(&drawing, palette));
    }
    warn(&checked.warnings, palette, &mut out);
    engine(report, details, palette, &mut out);
    if details.stats {
        out.push('\n');
        for (name, value) in &checked.outcome.stats {
            let _ = writeln!(out, "  {name:<24} {value}");
        }
        let _ = writeln!(out, "  {:<24} {:.3}", "time_ms", report.time.as_secs_f64() * 1e3);
    }
    out
}

fn warn(warnings: &[String], palette: Palette, out: &mut String) {
    for warning in warnings {
        let _ = writeln!(out, "  {} {warning}", palette.paint(Paint::Doubt, "warning"));
    }
}

/// The engine that was chosen and why.
fn engine(report: &Report, details: Details, palette: Palette, out: &mut String) {
    if let Some(chosen) = report.choice_to_report(details.stats) {
        let _ = writeln!(out, "  {} {}: {}", palette.paint(Paint::Faint, "engine"), report.engine, chosen.why);
    }
}

/// `SB under tso: yes, some execution satisfies the condition`.
fn verdict_line(report: &Report, checked: &TestView<'_>, palette: Palette) -> String {
    let meaning = match (&checked.verdict, checked.question.quantifier) {
        (Verdict::Yes, Quantifier::Exists) => "some execution satisfies the condition".into(),
        (Verdict::No, Quantifier::Exists) => "no execution satisfies the condition".into(),
        (Verdict::Yes, Quantifier::NotExists) => "no execution satisfies the condition, as wanted".into(),
        (Verdict::No, Quantifier::NotExists) => "some execution satisfies the condition, which should not be".into(),
        (Verdict::Yes, Quantifier::Forall) => "every execution satisfies the condition".into(),
        (Verdict::No, Quantifier::Forall) => "some execution does not satisfy the condition".into(),
        (Verdict::Undefined, _) => "the model leaves this program undefined".into(),
        (Verdict::Unknown(reason), _) => reason.to_string(),
    };
    let role = match checked.verdict {
        Verdict::Yes => Paint::Good,
        Verdict::No | Verdict::Undefined => Paint::Bad,
        Verdict::Unknown(_) => Paint::Doubt,
    };
    let scope = if checked.scope.complete { "" } else { " (up to the bound)" };
    let test = palette.paint(Paint::Strong, &checked.program.name);
    let word = palette.paint(role, report.verdict().as_str());
    format!("{test} under {}: {word}, {meaning}{scope}\n", report.model)
}

fn table(checked: &TestView<'_>, states: &[FinalState], all: bool, palette: Palette, out: &mut String) {
    let sorted = state::sorted(checked.program, states);
    let shown = if all { sorted.len() } else { sorted.len().min(FEW_STATES) };
    let rows: Vec<(bool, Vec<(String, String)>)> =
        sorted[..shown].iter().map(|s| (s.holds, state_items(checked.program, checked.question, &s.values))).collect();
    let names: Vec<&String> = checked.question.observed.iter().map(|o| &o.name).collect();
    let width = |i: usize| {
        let cells = rows.iter().filter_map(|(_, items)| items.get(i)).map(|(_, value)| value.chars().count());
        cells.chain([names[i].chars().count()]).max().unwrap_or(0) + 2
    };
    let widths: Vec<usize> = (0..names.len()).map(width).collect();
    if widths.iter().sum::<usize>() > WIDEST_TABLE {
        for (holds, items) in &rows {
            let line: Vec<String> = items.iter().map(|(name, value)| format!("{name}={value};")).collect();
            let _ = writeln!(out, "  {} {}", mark(*holds, palette), line.join(" "));
        }
    } else if !names.is_empty() {
        let head: String = names.iter().zip(&widths).map(|(name, w)| palette.pad(Paint::Strong, name, *w)).collect();
        let _ = writeln!(out, "    {}", head.trim_end());
        for (holds, items) in &rows {
            let line: String = items.iter().zip(&widths).map(|((_, value), w)| format!("{value:w$}")).collect();
            let _ = writeln!(out, "  {} {}", mark(*holds, palette), line.trim_end());
        }
    }
    if shown < sorted.len() {
        let _ = writeln!(out, "    … and {} more states (option `states` lists all)", sorted.len() - shown);
    }
}

/// What stands before a state that satisfies the condition.
fn mark(holds: bool, palette: Palette) -> String {
    if holds { palette.paint(Paint::Good, "*") } else { " ".into() }
}

fn counts(checked: &TestView<'_>, palette: Palette, out: &mut String) {
    let states = checked.outcome.states.as_deref().unwrap_or_default();
    let plural = |n: u64, word: &str| if n == 1 { format!("1 {word}") } else { format!("{n} {word}s") };
    let (holds, of) = match checked.counts() {
        Some((holds, fails)) => (holds, plural(holds + fails, "execution")),
        None => (states.iter().filter(|s| s.holds).count() as u64, "them".to_owned()),
    };
    let mut line = format!("{}; the condition holds in {holds} of {of} (*)", plural(states.len() as u64, "state"));
    if let Some(observation) = Observation::of(&checked.outcome) {
        let _ = write!(line, ": {}", observation_word(observation));
    }
    if let Some(stopped) = checked.stopped() {
        let _ = write!(line, "; not all were seen: {stopped}");
    }
    let _ = writeln!(out, "  {}", palette.paint(Paint::Faint, &line));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    #[test]
    fn store_buffering() {
        let report = fixture::report(Quantifier::Exists, Verdict::Yes);
        let expected = "SB under tso: yes, some execution satisfies the condition\n  exists (0:EAX=0 /\\ 1:EAX=0)\n\n    \
                        0:EAX  1:EAX\n  * 0      0\n    0      1\n    1      0\n    1      1\n  \
                        4 states; the condition holds in 1 of 4 executions (*): Sometimes\n  flag data-race\n";
        assert_eq!(text(&report, Details::default(), Palette::PLAIN), expected);
    }
}
