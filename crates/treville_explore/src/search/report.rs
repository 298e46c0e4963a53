//! How what is wrong with an execution is told: as a violation, with a trace. Before, the graph is given to the reference evaluator, which
//! must say that it is an execution of the model and, where the model knows races, that a race is one. What it rejects is our own
//! mistake, and said as such.

use super::Search;
use super::execution::Execution;
use super::stop::{Fault, Stop};
use super::symbolic::Symbolic;
use super::trace::Tracer;
use crate::execution::Builder;
use treville_base::Name;
use treville_eval::{Judgement, judge};
use treville_ir::{Failure, ThreadId};
use treville_model::Model;
use treville_model::syntax::CheckMode;
use treville_task::{Reference, Violation};

/// The evaluator is written to be read, not to be fast: larger graphs are not judged again.
const MOST_EVENTS: usize = 1500;

impl Search<'_, '_> {
    /// Why the search stops: if something is wrong with the execution at hand, that is the violation that was found.
    pub(super) fn report(&mut self, stop: Stop) -> Stop {
        match stop {
            // It is seen again once all promises are kept.
            Stop::Fault(_) if self.promises.are_open() => Stop::Violation,
            Stop::Fault(fault) => {
                match violation(&mut self.execution, &mut self.symbolic, *fault, &mut self.explored.replayed) {
                    Ok(violation) => {
                        self.explored.violation = Some(violation);
                        Stop::Violation
                    }
                    Err(stop) => stop,
                }
            }
            stop => stop,
        }
    }
}

/// A fault with the trace that shows it, judged once more.
fn violation(
    execution: &mut Execution<'_>,
    symbolic: &mut Symbolic,
    fault: Fault,
    replayed: &mut u64,
) -> Result<Violation, Stop> {
    let Fault { failure, message, mut events, stuck, name, other } = fault;
    if let Some((graph, number)) = symbolic.an_execution(execution)? {
        execution.graph = graph;
        events.iter_mut().for_each(|e| *e = number[*e as usize]);
    }
    replay(execution, failure, replayed)?;
    let trace = Tracer::of(execution).trace(&events, &stuck);
    let step = |i: usize| trace.about.get(i).and_then(|at| trace.steps.get(*at));
    Ok(Violation {
        failure,
        name: name.or_else(|| (failure == Failure::Assertion).then(|| Name::new(&message))),
        thread: step(0).map_or(ThreadId(0), |s| s.thread),
        span: step(0).and_then(|s| s.span),
        other: other.or_else(|| step(1).and_then(|s| s.span)),
        message,
        trace: Some(Box::new(trace)),
    })
}

/// The flags that a model raises of a complete execution, races aside, which are found on the way.
///
/// # Errors
/// If there is one, and flags are looked for.
pub(super) fn check_flags(execution: &mut Execution<'_>, symbolic: &mut Symbolic) -> Result<(), Stop> {
    let Some(Reference { model, .. }) = &execution.code.options.reference else { return Ok(()) };
    let flags = model.made_checks().any(|(_, check)| notes(check.mode) && check.name != RACE);
    if !flags || !execution.code.looks_for(Failure::Flag) {
        return Ok(());
    }
    let Some(Ok(judgements)) = symbolic.with_values(execution, judgements)? else { return Ok(()) };
    let found = judgements.iter().filter(|j| j.accepted).flat_map(|j| raised(model, j)).find(|name| **name != RACE);
    let Some(name) = found.cloned() else { return Ok(()) };
    let message = format!("the model flags {name}");
    execution.code.fault(Fault { name: Some(name), ..Fault::new(Failure::Flag, message) })
}

/// Lets the evaluator judge the graph, unless that is too large for it.
///
/// # Errors
/// If the evaluator does not agree that the graph shows the failure.
fn replay(execution: &Execution<'_>, failure: Failure, replayed: &mut u64) -> Result<(), Stop> {
    let Some(Reference { model, .. }) = &execution.code.options.reference else { return Ok(()) };
    let disagrees = |why: String| {
        let what = "internal disagreement, please report it: the evaluator";
        Err(Stop::Refused(format!("{what} {why} ({})", failure.name()), None))
    };
    let judgements = match judgements(execution) {
        None => return Ok(()),
        Some(Ok(judgements)) => judgements,
        Some(Err(treville_eval::Stop::Cancelled)) => return Err(Stop::Cancelled),
        Some(Err(_)) => return disagrees("cannot judge the execution that shows a violation".into()),
    };
    *replayed += 1;
    let accepted = || judgements.iter().filter(|j| j.accepted);
    if accepted().next().is_none() {
        let failed = judgements.iter().find_map(|j| j.first_failure(model)).map(|r| &model.checks[r.check].name);
        let by = failed.map(|name| format!(" by {name}")).unwrap_or_default();
        return disagrees(format!("rejects{by} the execution that shows a violation"));
    }
    let sees_race = |j: &Judgement| raised(model, j).any(|name| *name == RACE);
    if failure == Failure::Race && knows_races(model) && !accepted().any(sees_race) {
        return disagrees("sees no race in the execution that shows one".into());
    }
    Ok(())
}

/// What the evaluator says of the graph, unless there is none or the graph is too large for it.
fn judgements(execution: &Execution<'_>) -> Option<Result<Vec<Judgement>, treville_eval::Stop>> {
    let Reference { model, vocabulary, fence } = execution.code.options.reference.as_ref()?;
    if execution.graph.labels.len() > MOST_EVENTS {
        return None;
    }
    let mut builder = Builder::new(
        execution.code.program,
        execution.code.image,
        vocabulary,
        execution.code.options.run,
        fence.as_deref(),
    );
    let graph = builder.execution(&execution.graph, &execution.locations);
    Some(judge(model, &graph, &execution.code.options.cancel))
}

/// Whether the model itself can find fault with an execution, other than by a race of `rules` that are built in.
pub(crate) fn finds_fault(model: &Model, built_in: bool) -> bool {
    model.made_checks().any(|(_, check)| notes(check.mode) && !(built_in && check.name == RACE))
}

const RACE: &str = "data-race";

fn knows_races(model: &Model) -> bool {
    model.made_checks().any(|(_, check)| check.name == RACE)
}

/// Whether a check says something of executions without forbidding any.
fn notes(mode: CheckMode) -> bool {
    matches!(mode, CheckMode::Flag | CheckMode::UndefinedUnless)
}

/// The names of what a model notes of an execution.
fn raised<'a>(model: &'a Model, judgement: &'a Judgement) -> impl Iterator<Item = &'a Name> {
    judgement.checks.iter().filter_map(|result| {
        let check = &model.checks[result.check];
        // A flag is raised by a test that holds; behaviour is undefined unless a test does.
        (notes(check.mode) && result.holds == (check.mode == CheckMode::Flag)).then_some(&check.name)
    })
}
