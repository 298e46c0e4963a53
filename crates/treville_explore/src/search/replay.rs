//! Before a violation is told: the graph is given to the reference evaluator, which must say that it is an execution of the
//! model and, where the model knows races, that a race is one. What it rejects is our own mistake, and said as such.

use super::{Search, Stop};
use crate::execution::Builder;
use treville_base::Name;
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
        let Some(Reference { model, .. }) = &self.options.reference else { return Ok(()) };
        let disagrees = |why: String| {
            let what = "internal disagreement, please report it: the evaluator";
            Err(Stop::Refused(format!("{what} {why} ({})", failure.name()), None))
        };
        let judgements = match self.judgements() {
            None => return Ok(()),
            Some(Ok(judgements)) => judgements,
            Some(Err(treville_eval::Stop::Cancelled)) => return Err(Stop::Cancelled),
            Some(Err(_)) => return disagrees("cannot judge the execution that shows a violation".into()),
        };
        self.explored.replayed += 1;
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
    fn judgements(&self) -> Option<Result<Vec<Judgement>, treville_eval::Stop>> {
        let Reference { model, vocabulary, fence } = self.options.reference.as_ref()?;
        if self.graph.labels.len() > MOST_EVENTS {
            return None;
        }
        let mut builder = Builder::new(self.program, self.image, vocabulary, self.options.run, fence.as_deref());
        let graph = builder.execution(&self.graph, &self.locations);
        Some(judge(model, &graph, &self.options.cancel))
    }

    /// The flags that a model raises of a complete execution, races aside, which are found on the way.
    ///
    /// # Errors
    /// If there is one, and flags are looked for.
    pub(super) fn check_flags(&mut self) -> Result<(), Stop> {
        let Some(Reference { model, .. }) = &self.options.reference else { return Ok(()) };
        let flags = model.made_checks().any(|(_, check)| notes(check.mode) && check.name != RACE);
        if !flags || !self.options.properties.contains(&Failure::Flag) {
            return Ok(());
        }
        let Some(Ok(judgements)) = self.with_values(|search| search.judgements())? else { return Ok(()) };
        let found = judgements.iter().filter(|j| j.accepted).flat_map(|j| raised(model, j)).find(|name| **name != RACE);
        let Some(name) = found.cloned() else { return Ok(()) };
        let reported = self.report(Failure::Flag, &format!("the model flags {name}"), &[], &[]);
        if let Some(violation) = &mut self.explored.violation {
            violation.name = Some(name);
        }
        reported
    }
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
