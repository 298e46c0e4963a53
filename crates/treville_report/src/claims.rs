//! What a program claims of its runs, and the run that shows where a claim is wrong: a table of steps, each with what it
//! observes, and what the threads can observe after it.

use crate::json::{Object, array, quoted};
use crate::view::ClaimsView;
use crate::{Details, Paint, Palette};
use std::fmt::Write;
use treville_base::Idx;
use treville_ir::{Claim, MemoryOrder, ObjectId};
use treville_task::{
    Actor, Annotated, Answer, Begin, Observed, ObservedWrite, Report, Run, RunAction, RunStep, Verdict,
};

/// Source lines are cut to this.
const WIDEST_SOURCE: usize = 40;

/// `peterson.rar on rar: no, inv4 is violated`, the claims one by one, and the runs.
pub(crate) fn text(report: &Report, checked: &ClaimsView<'_>, details: Details, palette: Palette) -> String {
    let role = match checked.verdict {
        Verdict::Yes => Paint::Good,
        Verdict::No | Verdict::Undefined => Paint::Bad,
        Verdict::Unknown(_) => Paint::Doubt,
    };
    let bounded = !checked.scope.complete && !matches!(checked.verdict, Verdict::Unknown(_));
    let scope = if bounded { " (up to the bound)" } else { "" };
    let file = palette.paint(Paint::Strong, &report.file);
    let word = palette.paint(role, report.verdict().as_str());
    let mut out = format!("{file} on {}: {word}, {}{scope}\n", report.model, meaning(checked));
    rows(checked, palette, &mut out);
    for (what, name, run) in checked.violations() {
        told(checked, what, name, run, palette, &mut out);
    }
    if details.witness {
        let reached = checked.outcomes().filter_map(|(claim, answer)| Some((claim, answer.run()?)));
        for (claim, run) in reached {
            told(checked, "reaches", &claim.name, run, palette, &mut out);
        }
    }
    if let (Some(run), false) = (checked.deadlock(), checked.asks_deadlock()) {
        told(checked, "note", "deadlock", run, palette, &mut out);
    }
    if details.stats {
        out.push('\n');
        for (name, value) in &checked.outcome.stats {
            let _ = writeln!(out, "  {name:<24} {value}");
        }
        let _ = writeln!(out, "  {:<24} {:.3}", "time_ms", report.time.as_secs_f64() * 1e3);
    }
    out
}

fn meaning(checked: &ClaimsView<'_>) -> String {
    match &checked.verdict {
        Verdict::Unknown(reason) => reason.to_string(),
        Verdict::No | Verdict::Undefined => {
            let names: Vec<&str> = checked.violations().map(|(_, name, _)| name).collect();
            let verb = if names.len() == 1 { "is" } else { "are" };
            match names.as_slice() {
                ["deadlock"] => "the threads can wait for ever".to_owned(),
                ["assertion"] => "an assertion can be false".to_owned(),
                names if checked.is_inductive() => format!("{} {verb} not inductive", names.join(", ")),
                names => format!("{} {verb} violated", names.join(", ")),
            }
        }
        Verdict::Yes if checked.is_inductive() => "no step breaks an invariant if all hold before it".to_owned(),
        Verdict::Yes if checked.claims().invariants.is_empty() => match checked.claims().outcomes.len() {
            0 => "no run fails".to_owned(),
            _ => "every outcome is decided".to_owned(),
        },
        Verdict::Yes => "every invariant holds in every state".to_owned(),
    }
}

/// One line for each claim, and what was seen on the way.
fn rows(checked: &ClaimsView<'_>, palette: Palette, out: &mut String) {
    let claims = checked.claims().invariants.iter().chain(&checked.claims().outcomes);
    let width = claims.map(|claim| claim.name.chars().count()).max().unwrap_or(0);
    let steps = |run: &Run| match run.steps.len() {
        0 => "at the start".to_owned(),
        n => format!("after {}", plural(n, "step")),
    };
    let (vacuous, each_alone) = (checked.vacuous(), checked.alone());
    for (i, (claim, answer)) in checked.invariants().enumerate() {
        let alone = each_alone.as_ref().map(|alone| alone.get(i).copied().unwrap_or(false));
        let says = match answer {
            Answer::Reached(run) if alone.is_some() => {
                let why = if run.steps.is_empty() { "does not hold at the start" } else { "not inductive" };
                palette.paint(Paint::Bad, why)
            }
            Answer::Absent(_) if alone == Some(true) => palette.paint(Paint::Good, "inductive"),
            Answer::Absent(_) if alone == Some(false) => palette.paint(Paint::Good, "inductive with the others"),
            Answer::Reached(run) => palette.paint(Paint::Bad, &format!("violated {}", steps(run))),
            Answer::Absent(scope) if scope.complete && vacuous[i] => {
                palette.paint(Paint::Doubt, "holds, but says nothing of any state that is reached")
            }
            Answer::Absent(scope) if scope.complete => palette.paint(Paint::Good, "holds"),
            Answer::Absent(_) => palette.paint(Paint::Doubt, "holds up to the bound"),
            Answer::Found(_) | Answer::Fails(_) | Answer::Open(_) => palette.paint(Paint::Doubt, "not decided"),
        };
        let _ = writeln!(out, "  {:width$}  {says}", claim.name);
    }
    for (claim, answer) in checked.outcomes() {
        let says = match answer {
            Answer::Reached(run) => format!("can be reached {}", steps(run)),
            Answer::Absent(scope) if scope.complete => "cannot be reached".to_owned(),
            Answer::Absent(_) => "is not reached up to the bound".to_owned(),
            Answer::Found(_) | Answer::Fails(_) | Answer::Open(_) => "not decided".to_owned(),
        };
        let _ = writeln!(out, "  {:width$}  {says}", claim.name);
    }
    let stat = |name: &str| checked.outcome.stats.get(name).copied().unwrap_or(0) as usize;
    if !checked.is_inductive() {
        let early = if stat("answered_early") == 1 { " until every answer was known" } else { "" };
        let counts = format!("{}, {}", plural(stat("states"), "state"), plural(stat("transitions"), "transition"));
        let counts = format!("{counts}{early}");
        let _ = writeln!(out, "  {}", palette.paint(Paint::Faint, &counts));
    }
    for assumption in &checked.scope.relative_to {
        let _ = writeln!(out, "  {} {assumption}", palette.paint(Paint::Doubt, "bounded"));
    }
    for assumption in &checked.annotated().assumes {
        let _ = writeln!(out, "  {} {assumption}", palette.paint(Paint::Doubt, "assuming"));
    }
    for (thread, label) in &checked.outcome.unreached {
        let name = &checked.program().roots[*thread].name;
        let what = if label == treville_ir::Prop::END {
            format!("no run comes to the end of {name}")
        } else {
            format!("no run comes to label {label} of {name}")
        };
        let _ = writeln!(out, "  {} {what}", palette.paint(Paint::Doubt, "note"));
    }
}

fn plural(n: usize, word: &str) -> String {
    if n == 1 { format!("1 {word}") } else { format!("{n} {word}s") }
}

/// A run as a table.
fn told(checked: &ClaimsView<'_>, what: &str, name: &str, run: &Run, palette: Palette, out: &mut String) {
    let claim = checked.annotated().claim(name);
    let says =
        claim.map(|claim| checked.sources().snippet(claim.span).split_whitespace().collect::<Vec<_>>().join(" "));
    let title = match (what, says) {
        ("note", _) => {
            let waits: Vec<&str> = run.waiting.iter().map(|t| checked.program().roots[*t].name.as_str()).collect();
            let after = match run.steps.len() {
                0 => "from the start".to_owned(),
                n => format!("after {}", plural(n, "step")),
            };
            format!("{after} nothing changes any more, and {} not done", are(&waits))
        }
        (_, Some(says)) if run.begin.is_some() => format!("breaks {name}: {says}"),
        (what, Some(says)) => format!("{what} {name}: {says}"),
        (what, None) => format!("{what} {name}"),
    };
    let _ = writeln!(out, "\n{}", palette.paint(Paint::Strong, &title));
    if let Some(begin) = &run.begin {
        let _ = writeln!(out, "  {}", begins(checked, begin));
    }
    if run.steps.is_empty() && run.watched.is_empty() {
        return;
    }
    let seen = |seen: &[Vec<Observed>]| seen.iter().map(|set| show_set(set)).collect::<Vec<_>>();
    let mut head = vec!["step".to_owned(), "thread".into(), "line".into(), String::new(), "action".into()];
    head.extend(run.watched.iter().map(|(thread, object)| {
        format!("{} sees {}", checked.program().roots[*thread].name, checked.program().objects[*object].name)
    }));
    let mut table = vec![head];
    if !run.watched.is_empty() {
        let mut start = vec!["0".to_owned(), String::new(), String::new(), String::new(), "start".into()];
        start.extend(seen(&run.start));
        table.push(start);
    }
    for (i, step) in run.steps.iter().enumerate() {
        let (line, source) = place(checked.annotated(), step);
        let mut row = vec![
            (i + 1).to_string(),
            who(checked.annotated(), step),
            line,
            source,
            action(checked.annotated(), step, run.begin.is_none()),
        ];
        row.extend(seen(&step.seen));
        table.push(row);
    }
    let columns = table[0].len();
    let width = |c: usize| table.iter().map(|row| row[c].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    for (i, row) in table.iter().enumerate() {
        let cells = row.iter().zip(&widths).enumerate().map(|(c, (cell, width))| match c {
            0 | 2 => format!("{cell:>width$}"),
            _ => format!("{cell:width$}"),
        });
        let line = cells.collect::<Vec<_>>().join("  ");
        let line = if i == 0 { palette.paint(Paint::Faint, line.trim_end()) } else { line.trim_end().to_owned() };
        let _ = writeln!(out, "  {line}");
    }
}

fn are(names: &[&str]) -> String {
    let verb = if names.len() == 1 { "is" } else { "are" };
    format!("{} {verb}", names.join(", "))
}

pub(crate) fn who(subject: &Annotated, step: &RunStep) -> String {
    match step.actor {
        Actor::Thread(thread) => subject.program.roots[thread].name.to_string(),
        Actor::Memory(thread) => format!("memory of {}", subject.program.roots[thread].name),
    }
}

/// The line of a step and its text.
pub(crate) fn place(subject: &Annotated, step: &RunStep) -> (String, String) {
    let Some(span) = step.span else { return (String::new(), String::new()) };
    let text = subject.sources.snippet(span).split_whitespace().collect::<Vec<_>>().join(" ");
    let cut = if text.chars().count() > WIDEST_SOURCE {
        format!("{}…", text.chars().take(WIDEST_SOURCE - 1).collect::<String>())
    } else {
        text
    };
    (subject.sources.start(span).line.to_string(), cut)
}

/// `from t1 at 3, t2 at 6, r@t2 = 0`
fn begins(checked: &ClaimsView<'_>, begin: &Begin) -> String {
    let mut parts: Vec<String> = Vec::new();
    for (thread, label) in &begin.places {
        let label = label.as_ref().map_or("a step without a label", |label| label.as_str());
        parts.push(format!("{} at {label}", checked.program().roots[*thread].name));
    }
    for (thread, reg, value) in &begin.registers {
        let root = &checked.program().roots[*thread];
        let info = &checked.program().funcs[root.func].regs[*reg];
        if !info.is_temporary() {
            parts.push(format!("{}@{} = {value}", info.name, root.name));
        }
    }
    format!("from {}", parts.join(", "))
}

/// `reads f = 1 of step 2 (acquire)`; writes that no step made are initial if the run begins at the start.
pub(crate) fn action(subject: &Annotated, step: &RunStep, from_start: bool) -> String {
    let name = |object: &ObjectId| subject.program.objects[*object].name.clone();
    let of = |source: &ObservedWrite| match source.step {
        Some(step) => format!("of step {}", step + 1),
        None if from_start => "initial".to_owned(),
        None => "that was there".to_owned(),
    };
    let text = match &step.action {
        RunAction::Read { object, from } => format!("reads {} = {} {}", name(object), from.value, of(from)),
        RunAction::Write { object, value, after } => {
            format!("writes {} = {value}, after {} {}", name(object), after.value, of(after))
        }
        RunAction::Update { object, from, value } => {
            format!("updates {} = {} {} to {value}", name(object), from.value, of(from))
        }
        RunAction::Flush { object, from } => format!("{} = {} {} arrives", name(object), from.value, of(from)),
        RunAction::Fence => "fence".to_owned(),
        RunAction::Skip => "goes on".to_owned(),
        RunAction::Fail => "fails".to_owned(),
    };
    match step.order {
        MemoryOrder::Relaxed => text,
        order => format!("{text} ({})", order.name()),
    }
}

fn show_set(set: &[Observed]) -> String {
    let values: Vec<String> = set.iter().map(|seen| seen.value.to_string()).collect();
    format!("{{{}}}", values.join(", "))
}

pub(crate) fn json(object: &mut Object, checked: &ClaimsView<'_>, details: Details) {
    let stat = |name: &str| checked.outcome.stats.get(name).copied().unwrap_or(0);
    let decided = |claim: &Claim, answer: &Answer| {
        let mut row = Object::new();
        row.string("name", &claim.name);
        let word = match answer {
            Answer::Reached(_) => "no",
            Answer::Absent(scope) if scope.complete || checked.accepts_bounded() => "yes",
            _ => "unknown",
        };
        row.string("verdict", word);
        if let Some(run) = answer.run() {
            row.number("steps", run.steps.len() as u64);
        }
        row
    };
    let invariants: Vec<String> = checked
        .invariants()
        .zip(checked.vacuous())
        .map(|((claim, answer), vacuous)| {
            let mut row = decided(claim, answer);
            if vacuous {
                row.raw("vacuous", "true");
            }
            row.end()
        })
        .collect();
    let outcomes: Vec<String> = checked
        .outcomes()
        .map(|(claim, answer)| {
            let mut row = Object::new();
            row.string("name", &claim.name);
            match answer {
                Answer::Reached(run) => {
                    row.raw("reachable", "true");
                    row.number("steps", run.steps.len() as u64);
                }
                Answer::Absent(scope) if scope.complete || checked.accepts_bounded() => row.raw("reachable", "false"),
                _ => row.string("verdict", "unknown"),
            }
            row.end()
        })
        .collect();
    for (key, rows) in [("invariants", invariants), ("outcomes", outcomes)] {
        if !rows.is_empty() {
            object.raw(key, &array(&rows));
        }
    }
    if checked.is_inductive() {
        object.raw("inductive", "true");
    } else {
        object.number("visited", stat("states"));
        object.number("transitions", stat("transitions"));
    }
    if let Some(run) = checked.deadlock() {
        let mut row = Object::new();
        row.number("steps", run.steps.len() as u64);
        let waiting = run.waiting.iter().map(|thread| quoted(&checked.program().roots[*thread].name));
        row.raw("threads", &array(&waiting.collect::<Vec<_>>()));
        object.raw("deadlock", &row.end());
    }
    if !checked.outcome.unreached.is_empty() {
        let label = |(thread, label): &(treville_ir::ThreadId, treville_base::Name)| {
            quoted(&format!("{}:{label}", checked.program().roots[*thread].name))
        };
        object.raw("unreached", &array(&checked.outcome.unreached.iter().map(label).collect::<Vec<_>>()));
    }
    if let Some((_, name, run)) = checked.violations().next() {
        object.raw("violation", &violation(checked, name, run));
        if details.witness {
            object.raw("witness", &witness(checked, run));
        }
    } else if let (Some(run), true) = (checked.outcomes().find_map(|(_, answer)| answer.run()), details.witness) {
        object.raw("witness", &witness(checked, run));
    }
}

fn violation(checked: &ClaimsView<'_>, name: &str, run: &Run) -> String {
    let claim = checked.annotated().claim(name);
    let mut row = Object::new();
    row.string("kind", if claim.is_some() { "invariant" } else { name });
    if claim.is_some() {
        row.string("name", name);
    }
    let message = match name {
        "assertion" if claim.is_none() => "an assertion is false".to_owned(),
        "deadlock" if claim.is_none() => "the threads wait for ever".to_owned(),
        name if run.begin.is_some() => format!("{name} is not inductive"),
        name => format!("{name} is violated after {}", plural(run.steps.len(), "step")),
    };
    row.string("message", &message);
    let last = run.steps.iter().rev().find_map(|step| Some((step.span?, step)));
    if let Some(span) = claim.map(|claim| claim.span).or(last.map(|(span, _)| span)) {
        row.raw("location", &crate::json::location(checked.sources(), span));
    }
    if let Some((_, RunStep { actor: Actor::Thread(thread), .. })) = last {
        row.number("thread", thread.index() as u64);
    }
    row.end()
}

/// `{"steps":[…]}`
fn witness(checked: &ClaimsView<'_>, run: &Run) -> String {
    let step = |step: &RunStep| {
        let mut row = Object::new();
        row.string("thread", &who(checked.annotated(), step));
        if let Some(span) = step.span {
            row.number("line", checked.sources().start(span).line as u64);
        }
        if let Some(label) = &step.label {
            row.string("label", label);
        }
        row.string("action", &action(checked.annotated(), step, run.begin.is_none()));
        let seen = |((thread, object), set): (&(treville_ir::ThreadId, ObjectId), &Vec<Observed>)| {
            let mut row = Object::new();
            row.string("thread", &checked.program().roots[*thread].name);
            row.string("variable", &checked.program().objects[*object].name);
            row.raw("values", &array(&set.iter().map(|seen| seen.value.to_string()).collect::<Vec<_>>()));
            row.end()
        };
        if !run.watched.is_empty() {
            row.raw("observable", &array(&run.watched.iter().zip(&step.seen).map(seen).collect::<Vec<_>>()));
        }
        row.end()
    };
    let mut object = Object::new();
    object.raw("steps", &array(&run.steps.iter().map(step).collect::<Vec<_>>()));
    object.end()
}
