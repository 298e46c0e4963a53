//! Every candidate execution of a file with what the model says of it: what `explain` and `show` walk through.

use crate::session::Prepared;
use crate::unreadable;
use std::ops::ControlFlow;
use std::sync::Arc;
use treville_base::{Name, SourceMap};
use treville_eval::{Extent, Judgement, Stop, judge};
use treville_event::{Graph, Relation};
use treville_model::Model;
use treville_report::{Failure, VerdictWord};
use treville_task::{Answer, Candidate, Silent};

/// Calls `visit` with each candidate that `wanted` chooses and its judgements, one for each way to make the model's picks.
///
/// # Errors
/// If the engine cannot list candidates, or not all of them.
pub(crate) fn each_judged(
    prepared: &Prepared,
    wanted: &dyn Fn(&Candidate<'_>) -> bool,
    visit: &mut dyn FnMut(&Candidate<'_>, &[Judgement]) -> ControlFlow<()>,
) -> Result<u64, Failure> {
    let engine = &prepared.engine;
    let unknown = |reason: String| Failure { word: VerdictWord::Unknown, ..unreadable(reason) };
    // A task that the engine cannot run has no candidates to show either; it says why.
    let outcome = engine.run(&prepared.task, &Silent);
    if let Some(Answer::Open(reason)) = outcome.answers.iter().find(|a| matches!(a, Answer::Open(_))) {
        return Err(unknown(reason.to_string()));
    }
    let Some(candidates) = engine.candidates() else {
        return Err(unknown(format!("the engine {} does not list executions", engine.info().name)));
    };
    let cancel = &prepared.task.limits.cancel;
    let (mut seen, mut stopped) = (0, None);
    candidates.visit(&prepared.task, &mut |candidate| {
        seen += 1;
        if !wanted(&candidate) {
            return ControlFlow::Continue(());
        }
        match judge(&prepared.model.model, candidate.graph, cancel) {
            Ok(judgements) => visit(&candidate, &judgements),
            Err(stop) => {
                stopped = Some(stop);
                ControlFlow::Break(())
            }
        }
    });
    match stopped {
        None if cancel.is_due() => Err(unknown("the time limit was reached".into())),
        None => Ok(seen),
        Some(Stop::Cancelled) => Err(unknown("the time limit was reached, or interrupted".into())),
        Some(Stop::TooDeep) => Err(unknown("the model recurses too deeply".into())),
        Some(Stop::Fault(fault)) => Err(Failure {
            word: VerdictWord::Error,
            ..crate::failure(vec![*fault], Arc::clone(&prepared.model.sources))
        }),
    }
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
