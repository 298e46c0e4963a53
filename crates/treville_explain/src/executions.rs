//! Every candidate execution of a test with what the model says of it: what explanations and drawings are made of.

use crate::LinkedTest;
use std::ops::ControlFlow;
use std::sync::Arc;
use treville_base::{Cancel, Name, SourceMap};
use treville_eval::{Extent, Judgement, Stop, judge};
use treville_event::{Graph, Relation};
use treville_model::Model;
use treville_task::{Candidate, CheckError, Engine, Reached, StopReason};

/// Candidates to walk through.
#[derive(Clone, Copy)]
pub(crate) enum Walk<'a> {
    /// All that a test chooses.
    All(&'a dyn Fn(&Candidate<'_>) -> bool),
    /// Those that reach the outcome in question, as far as so many choices lead.
    Reaching(Reached, u64),
}

/// How far a walk came.
pub(crate) struct Walked {
    /// All that were to be seen were seen.
    pub(crate) complete: bool,
    /// The limit that ended it early.
    pub(crate) stopped: Option<String>,
}

/// Calls `visit` with each candidate of a walk and its judgements, one for each way to make the model's picks.
///
/// # Errors
/// If the engine cannot list candidates, or the model cannot judge one.
pub(crate) fn each_judged(
    test: LinkedTest<'_>,
    engine: &dyn Engine,
    walk: Walk<'_>,
    visit: &mut dyn FnMut(&Candidate<'_>, &[Judgement]) -> ControlFlow<()>,
) -> Result<Walked, CheckError> {
    let LinkedTest { model, task, .. } = test;
    let Some(list) = engine.candidates() else {
        return Err(CheckError::unknown(format!("the engine {} does not list executions", engine.info().name)));
    };
    let cancel = &task.limits.cancel;
    let (mut fault, mut broken) = (None, false);
    let mut see = |candidate: Candidate<'_>| {
        let flow = match judge(&model.model, candidate.graph, cancel) {
            Ok(judgements) => visit(&candidate, &judgements),
            Err(stop) => {
                fault = Some(stop);
                ControlFlow::Break(())
            }
        };
        broken |= flow.is_break();
        flow
    };
    let complete = match walk {
        Walk::All(wanted) => {
            list.visit(task, &mut |c| if wanted(&c) { see(c) } else { ControlFlow::Continue(()) });
            !broken
        }
        Walk::Reaching(which, steps) => list.reaching(task, which, steps, &mut see),
    };
    match fault {
        Some(Stop::TooDeep) => Err(CheckError::unknown("the model recurses too deeply")),
        Some(Stop::Fault(fault)) => Err(CheckError::input(vec![*fault], Arc::clone(&model.sources))),
        Some(Stop::Cancelled) | None => Ok(Walked { complete, stopped: why_due(cancel) }),
    }
}

fn why_due(cancel: &Cancel) -> Option<String> {
    StopReason::of(cancel).map(|reason| reason.to_string())
}

/// The relations that a judgement picked, by name.
pub(crate) fn picked(model: &Model, judgement: &Judgement) -> Vec<(Name, Relation)> {
    let named = model.picks.iter().zip(&judgement.picks);
    let relation = |(pick, extent): (&treville_model::Pick, &Arc<Extent>)| match &**extent {
        Extent::Rel(relation) => Some((pick.name.clone(), relation.clone())),
        Extent::Set(_) => None,
    };
    named.filter_map(relation).collect()
}

/// `tso.cat:12`.
pub(crate) fn place(sources: &SourceMap, span: treville_base::Span) -> String {
    format!("{}:{}", sources.file(span.file).name, sources.start(span).line)
}

/// The text of a span, on one line.
pub(crate) fn one_line(sources: &SourceMap, span: treville_base::Span) -> String {
    sources.snippet(span).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// An event by what stays the same in executions that differ elsewhere.
pub(crate) fn event_key(graph: &Graph, event: treville_event::EventId) -> (Option<u32>, u32, Option<u64>) {
    let event = &graph.skeleton.events[event];
    (event.thread, event.index, event.cell.filter(|_| event.thread.is_none()).map(|c| c.address))
}
