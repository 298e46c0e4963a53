//! The text output of the field's reference tool, line for line, for scripts that were written against it.
//!
//! Two lines differ by design: `Time` is this tool's own wall time, and `Hash=` is left out where the test has none in its
//! header (the reference computes one from its own printing of the program).

use crate::view::{TestView, View};
use crate::{json::observation_word, show_condition, show_state, state};
use std::fmt::Write;
use treville_ir::{Quantifier, Question, Type};
use treville_task::{FinalState, Observation, Report, Verdict};

/// One test's block, with the blank line after it. `None` if the file got no answer: the reference then prints nothing.
pub fn herd(report: &Report) -> Option<String> {
    let Some(View::Test(checked)) = report.result.as_deref().ok().map(View::of) else { return None };
    // What is known only up to the bound is an answer there, with a word of warning; not so if nothing came to its end.
    let ended = checked.outcome.counts.is_none_or(|counts| counts.executions > 0);
    let bounded = checked.outcome.cut && checked.outcome.stopped.is_none() && ended;
    let verdict =
        if bounded { Verdict::of(checked.question.quantifier, &checked.outcome) } else { checked.verdict.clone() };
    let word = match verdict {
        Verdict::Yes => "Ok",
        Verdict::No => "No",
        Verdict::Undefined => "Undef",
        Verdict::Unknown(_) => return None,
    };
    let mut out = String::new();
    head(&checked, &mut out);
    let cut = if checked.outcome.cut { "Loop " } else { "" };
    let _ = writeln!(out, "{cut}{word}");
    tail(report, &checked, &mut out);
    Some(out)
}

fn head(checked: &TestView<'_>, out: &mut String) {
    let kind = match checked.question.quantifier {
        Quantifier::Exists => "Allowed",
        Quantifier::NotExists => "Forbidden",
        Quantifier::Forall => "Required",
    };
    let _ = writeln!(out, "Test {} {kind}", checked.program.name);
    let states = checked.outcome.states.as_deref().unwrap_or_default();
    let question = signed(checked.question);
    let show = |s: &FinalState| show_state(checked.program, &question, &s.values);
    let _ = writeln!(out, "States {}", states.len());
    for shown in state::sorted(checked.program, states).into_iter().map(show) {
        let _ = writeln!(out, "{shown}");
    }
}

/// The reference prints numbers of 64 bits as signed, whatever their type.
fn signed(question: &Question) -> Question {
    let mut question = question.clone();
    for observed in &mut question.observed {
        if let Type::Int { bytes: 8, signed } = &mut observed.ty {
            *signed = true;
        }
    }
    question
}

fn tail(report: &Report, checked: &TestView<'_>, out: &mut String) {
    let name = &checked.program.name;
    if let Some((positive, negative)) = checked.witnesses() {
        let _ = writeln!(out, "Witnesses\nPositive: {positive} Negative: {negative}");
    }
    if checked.outcome.undefined {
        let _ = writeln!(out, "Flag *undef*");
    }
    for flag in checked.outcome.flags.keys() {
        let _ = writeln!(out, "Flag {flag}");
    }
    let _ = writeln!(out, "Condition {}", show_condition(checked.program, checked.question));
    let counts = checked.counts();
    let observation = Observation::of(&checked.outcome).unwrap_or(match counts {
        None | Some((0, _)) => Observation::Never,
        Some((_, 0)) => Observation::Always,
        Some(_) => Observation::Sometimes,
    });
    let counted = counts.map_or_else(String::new, |(holds, fails)| format!(" {holds} {fails}"));
    let _ = writeln!(out, "Observation {name} {}{counted}", observation_word(observation));
    let _ = writeln!(out, "Time {name} {:.2}", report.time.as_secs_f64());
    if let Some(hash) = checked.hash {
        let _ = writeln!(out, "Hash={hash}");
    }
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    /// The reference prints this for the same test (it takes no time to print a time of its own).
    #[test]
    fn store_buffering() {
        let expected = "Test SB Allowed\nStates 4\n0:EAX=0; 1:EAX=0;\n0:EAX=0; 1:EAX=1;\n0:EAX=1; 1:EAX=0;\n\
                        0:EAX=1; 1:EAX=1;\nOk\nWitnesses\nPositive: 1 Negative: 3\nFlag data-race\n\
                        Condition exists (0:EAX=0 /\\ 1:EAX=0)\nObservation SB Sometimes 1 3\nTime SB 0.00\n\
                        Hash=7dbd6b8e6dd4abc2ef3d48b0376fb2e3\n\n";
        assert_eq!(herd(&fixture::report(Quantifier::Exists, Verdict::Yes)).as_deref(), Some(expected));
    }

    /// `~exists` swaps the witnesses but not the observation.
    #[test]
    fn forbidden_swaps_the_witnesses() {
        let text = herd(&fixture::report(Quantifier::NotExists, Verdict::No)).unwrap_or_default();
        assert!(text.starts_with("Test SB Forbidden\n"), "{text}");
        assert!(text.contains("\nNo\nWitnesses\nPositive: 3 Negative: 1\n"), "{text}");
        assert!(text.contains("Condition ~exists (0:EAX=0 /\\ 1:EAX=0)\nObservation SB Sometimes 1 3\n"), "{text}");
    }
}
