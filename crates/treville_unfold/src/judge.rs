//! A whole execution, judged by the reference evaluator.

use crate::{Collector, Finals};
use std::sync::Arc;
use treville_base::{Cancel, Name};
use treville_eval::{Extent, Judgement, Stop, accepts};
use treville_event::{Graph, Relation};
use treville_model::syntax::CheckMode;
use treville_model::{Model, Pick};
use treville_task::StopReason;

impl Collector<'_> {
    /// Adds a graph as often as the model accepts it: once for each way to make the model's own choices.
    ///
    /// # Errors
    /// Why nothing more can be judged: an assertion of the model fails, the model cannot be evaluated, or the run is cancelled.
    pub fn judge(
        &mut self,
        model: &Model,
        graph: &Graph,
        finals: &Finals<'_>,
        cancel: &Cancel,
    ) -> Result<(), StopReason> {
        let mut failed = None;
        let judged = accepts(model, graph, cancel, &mut |judgement| {
            if let Some((check, _)) = judgement.failed_assertions(model).next() {
                failed = Some(format!("the model's assertion {} fails", check.name));
            }
            judgement.flags(model).for_each(|(check, _)| self.flag(&check.name));
            if judgement.undefined {
                self.undefined();
            }
            self.add(finals, &mut || (graph.clone(), picks(model, judgement)));
            for name in raised(model, judgement) {
                self.raise(name, finals, &mut || (graph.clone(), picks(model, judgement)));
            }
        });
        match judged {
            Ok(()) => failed.map_or(Ok(()), |why| Err(StopReason::Refused(why))),
            Err(Stop::Cancelled) => Err(StopReason::of(cancel).unwrap_or(StopReason::Cancelled)),
            Err(Stop::Fault(fault)) => Err(StopReason::Refused(fault.message)),
            Err(Stop::TooDeep) => Err(StopReason::Refused("the model recurses too deeply".into())),
        }
    }
}

/// What a model says of an execution beside accepting it: its flags, and why its behaviour is undefined.
fn raised<'m>(model: &'m Model, judgement: &'m Judgement) -> impl Iterator<Item = &'m Name> {
    judgement.checks.iter().map(|result| (&model.checks[result.check], result.holds)).filter_map(|(check, holds)| {
        let raised = match check.mode {
            CheckMode::Flag => holds,
            CheckMode::UndefinedUnless => !holds,
            CheckMode::Require | CheckMode::Assert => false,
        };
        raised.then_some(&check.name)
    })
}

/// What the model picked, by name.
fn picks(model: &Model, judgement: &Judgement) -> Vec<(Name, Relation)> {
    let named = model.picks.iter().zip(&judgement.picks);
    let relation = |(pick, value): (&Pick, &Arc<Extent>)| match &**value {
        Extent::Rel(r) => Some((pick.name.clone(), r.clone())),
        Extent::Set(_) => None,
    };
    named.filter_map(relation).collect()
}
