//! Before a violation is told: the graph is given to the reference evaluator, which must say that it is an execution of the
//! model and, where the model knows races, that a race is one. What it rejects is our own mistake, and said as such.

use super::{Search, Stop};
use crate::execution::Builder;
use treville_eval::{Judgement, judge};
use treville_ir::Failure;
use treville_model::Model;
use treville_model::syntax::CheckMode;
use treville_task::Reference;

/// The evaluator is written to be read, not to be fast: larger graphs are not judged again.
const MOST_EVENTS: usize = 1500;

impl Search<'_, '_> {
    /// # Errors
    /// If the evaluator does not agree that the graph shows the failure.
    pub(super) fn replay(&mut self, failure: Failure) -> Result<(), Stop> {
        let Some(Reference { model, vocabulary, fence }) = &self.options.reference else { return Ok(()) };
        let mut builder = Builder::new(self.program, self.image, vocabulary, self.options.run, fence.as_deref());
        let graph = builder.execution(&self.graph, &self.locations).graph;
        if graph.skeleton.n_events() > MOST_EVENTS {
            return Ok(());
        }
        self.explored.replayed += 1;
        let disagrees = |why: String| {
            let what = "internal disagreement, please report it: the evaluator";
            Err(Stop::Refused(format!("{what} {why} ({})", failure.name())))
        };
        let judgements = match judge(model, &graph, &self.options.cancel) {
            Ok(judgements) => judgements,
            Err(treville_eval::Stop::Cancelled) => return Err(Stop::Cancelled),
            Err(_) => return disagrees("cannot judge the execution that shows a violation".into()),
        };
        let accepted = || judgements.iter().filter(|j| j.accepted);
        if accepted().next().is_none() {
            let failed = judgements.iter().find_map(|j| j.first_failure(model)).map(|r| &model.checks[r.check].name);
            let by = failed.map(|name| format!(" by {name}")).unwrap_or_default();
            return disagrees(format!("rejects{by} the execution that shows a violation"));
        }
        if failure == Failure::Race && knows_races(model) && !accepted().any(|j| has_race(model, j)) {
            return disagrees("sees no race in the execution that shows one".into());
        }
        Ok(())
    }
}

const RACE: &str = "data-race";

fn knows_races(model: &Model) -> bool {
    model.checks.iter().any(|check| check.name == RACE)
}

fn has_race(model: &Model, judgement: &Judgement) -> bool {
    judgement.checks.iter().any(|result| {
        let check = &model.checks[result.check];
        // A flag is raised by a test that holds; behaviour is undefined unless a test does.
        check.name == RACE && result.holds == (check.mode == CheckMode::Flag)
    })
}
