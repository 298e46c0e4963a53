//! A state of a run that somebody goes through, with what each thread knows, and what may come next.

use crate::claims::{action, place, who};
use crate::{Paint, Palette};
use std::fmt::Write;
use treville_task::{Annotated, Known, Moment, Observed, Placed, RunStep};

/// Everything that there is to see, and the steps to choose from.
pub fn moment(moment: &Moment, subject: &Annotated, palette: Palette) -> String {
    let mut out = String::new();
    match moment.taken.last() {
        Some(last) => {
            let title = format!("step {}: {}", moment.taken.len(), said(subject, last));
            let _ = writeln!(out, "{}", palette.paint(Paint::Strong, &title));
        }
        None => {
            let _ = writeln!(out, "{}", palette.paint(Paint::Strong, "start"));
        }
    }
    for Placed { thread, label, registers } in &moment.threads {
        let root = &subject.program.roots[*thread];
        let names = &subject.program.funcs[root.func].regs;
        let at = label.as_ref().map_or(String::new(), |label| format!(" at {label}"));
        let values: Vec<String> =
            registers.iter().map(|(reg, value)| format!("{} = {value}", names[*reg].name)).collect();
        let values = if values.is_empty() { String::new() } else { format!(", {}", values.join(", ")) };
        let _ = writeln!(out, "  {}{at}{values}", root.name);
        for known in moment.known.iter().filter(|known| known.thread == *thread) {
            let _ = writeln!(out, "    {}", self::known(subject, known));
        }
    }
    for broken in moment.broken.iter().filter_map(|broken| subject.claims.invariants.get(*broken)) {
        let _ = writeln!(out, "  {}", palette.paint(Paint::Bad, &format!("{} does not hold", broken.name)));
    }
    if moment.cut {
        let _ = writeln!(
            out,
            "  {}",
            palette.paint(Paint::Doubt, "a variable has as many writes as are kept: steps are left out")
        );
    } else if moment.steps.is_empty() {
        let _ = writeln!(out, "  nothing comes next");
    }
    for (i, step) in moment.steps.iter().enumerate() {
        let _ = writeln!(out, "  [{}] {}", i + 1, said(subject, step));
    }
    out
}

/// `t1, line 5: writes d = 5, after 0 initial`
fn said(subject: &Annotated, step: &RunStep) -> String {
    let (line, _) = place(subject, step);
    let line = if line.is_empty() { String::new() } else { format!(", line {line}") };
    format!("{}{line}: {}", who(subject, step), action(subject, step, true))
}

/// `d: encountered {0}, observable {0, 5}, covered {}`
fn known(subject: &Annotated, known: &Known) -> String {
    let set = |writes: &mut dyn Iterator<Item = &Observed>| {
        let values: Vec<String> = writes.map(|write| write.value.to_string()).collect();
        format!("{{{}}}", values.join(", "))
    };
    let mut parts = Vec::new();
    if let Some(encountered) = &known.encountered {
        parts.push(format!("encountered {}", set(&mut encountered.iter())));
    }
    parts.push(format!("observable {}", set(&mut known.observable.iter())));
    if known.observable.iter().any(|write| write.covered) {
        parts.push(format!("covered {}", set(&mut known.observable.iter().filter(|write| write.covered))));
    }
    format!("{}: {}", subject.program.objects[known.object].name, parts.join(", "))
}
