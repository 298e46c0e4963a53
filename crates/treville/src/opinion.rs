//! A second opinion: where the tool chooses the engine and the answer came soon, another engine is asked for a moment. If it
//! has a complete answer too, and another one, that is an internal error, with what is needed to look into it.

use crate::auto::{self, Choice};
use crate::engines::Engines;
use crate::{Options, RunOptions, Session, internal};
use std::fmt::Write;
use std::time::{Duration, Instant};
use treville_ir::Program;
use treville_report::Failure;
use treville_task::{Limits, Outcome, Task};

/// How long another engine is asked.
const MOMENT: Duration = Duration::from_millis(50);

/// An answer that took longer is not checked: a moment would not do.
const SOON: Duration = Duration::from_millis(200);

/// Larger programs are not prepared for another engine in a moment.
const FEW_INSTRUCTIONS: usize = 2_000;

/// The word that switches it off.
pub(crate) const NONE: &str = "none";

/// Whether another engine is to be asked about an answer that was begun at this time.
pub(crate) fn is_wanted(run: &RunOptions, begun: Instant) -> bool {
    let chooses = run.engine.as_deref().is_none_or(|name| name == "auto") && !run.plain;
    chooses && run.cross_check.is_none() && !run.bmc.proofs && begun.elapsed() < SOON
}

/// The task, to be done in a moment.
pub(crate) fn in_a_moment(task: &Task) -> Task {
    let cancel = task.limits.cancel.with_deadline(Instant::now() + MOMENT);
    Task { limits: Limits { cancel, ..task.limits.clone() }, ..task.clone() }
}

/// The engine that is asked about a program beside the one that has answered.
pub(crate) fn engine_beside(choice: &Choice, program: &Program, kernel: bool) -> Option<&'static str> {
    let blocks = program.funcs.iter().flat_map(|func| func.blocks.iter());
    if blocks.map(|block| block.insts.len()).sum::<usize>() > FEW_INSTRUCTIONS {
        return None;
    }
    match (choice.engine, kernel) {
        ("bmc", true) => Some("enumerate"),
        ("bmc", false) => Some(Engines::FOR_PROGRAMS),
        _ => Some("bmc"),
    }
}

/// Whether an outcome is a complete answer: a violation, or that nothing fails in some execution that completes.
pub(crate) fn is_answer(outcome: &Outcome) -> bool {
    auto::decides(outcome) && (outcome.violation.is_some() || outcome.completes == Some(true))
}

/// Whether an outcome says, completely, that nothing fails. A failure needs no second opinion: the reference evaluator has judged its
/// execution, and it may be one that only the addresses make that one engine has chosen.
pub(crate) fn finds_nothing(outcome: &Outcome) -> bool {
    is_answer(outcome) && outcome.violation.is_none()
}

/// What two complete answers about a program differ in: whether it fails. How it does may differ.
pub(crate) fn disagreement(first: &Outcome, second: &Outcome) -> Option<String> {
    match (&first.violation, &second.violation) {
        (Some(violation), None) => Some(format!("only the first finds: {}", violation.message)),
        (None, Some(violation)) => Some(format!("only the second finds: {}", violation.message)),
        _ => None,
    }
}

/// Two engines differ: an internal error.
pub(crate) fn disagree(first: &str, second: &str, what: &str, outcomes: [&Outcome; 2]) -> Failure {
    let mut evidence = format!("{first} and {second} disagree: {what}\n");
    for (name, outcome) in [first, second].into_iter().zip(outcomes) {
        let _ = writeln!(evidence, "\n== the answer of {name}\n{outcome:#?}");
    }
    let reason = format!("the engines {first} and {second} disagree, which is a bug: {what}");
    internal(reason, evidence)
}

impl Session<'_> {
    /// An internal error with all that it needs to be repeated: the call, the program and the model.
    pub(crate) fn with_input(&self, mut failure: Failure, path: &str, options: &Options) -> Failure {
        let Some(evidence) = failure.evidence else { return failure };
        let mut evidence = String::from(evidence);
        let _ = writeln!(evidence, "\n== options\n{options:#?}");
        let model = options.model.name.iter().filter(|name| self.files.is_file(name));
        for file in [path].into_iter().chain(model.map(String::as_str)) {
            let _ = writeln!(evidence, "\n== {file}\n{}", self.files.read(file).unwrap_or_default());
        }
        failure.evidence = Some(evidence.into());
        failure
    }
}
