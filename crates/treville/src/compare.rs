//! What one model allows and the other does not: outcomes, as far as they can all be listed, or an execution.

use crate::auto::EFFORT;
use crate::executions::unknown;
use crate::explain::why_rejected;
use crate::programs::{self, Language};
use crate::session::Prepared;
use crate::{Options, Session, States, unreadable, verify};
use std::collections::BTreeSet;
use std::sync::Arc;
use treville_report::{Checked, Comparison, Difference, Failure, OnlyExecution, show_state};
use treville_task::{Bounds, FinalValue, Silent, StopReason};

/// The engine that looks for executions.
const BY_EXECUTION: &str = "bmc";

impl Session<'_> {
    /// Compares a file under two models: the final states, or, with the engine bmc and where there are too many to list, the
    /// executions.
    ///
    /// # Errors
    /// If one of the two has no complete answer.
    pub fn compare(&self, path: &str, models: &[String; 2], options: &Options) -> Result<Comparison, Failure> {
        crate::rma::refuse_verb(path, "compare")?;
        let engine = options.run.engine.as_deref().filter(|engine| *engine != "auto");
        if let Some(language) = programs::language(path) {
            if let Some(engine) = engine.filter(|engine| *engine != BY_EXECUTION) {
                return Err(unreadable(format!("programs are compared by the engine {BY_EXECUTION}, not by {engine}")));
            }
            return self.compare_programs(path, language, models, options);
        }
        if engine == Some(BY_EXECUTION) {
            return self.compare_executions(path, models, options);
        }
        let mut listing = options.clone();
        listing.run.effort = engine.is_none().then_some(EFFORT);
        let [a, b] = [&models[0], &models[1]].map(|model| self.all_states(path, model, &listing));
        let (a, b) = match (a?, b?) {
            (Some(a), Some(b)) => (a, b),
            _ => return self.compare_executions(path, models, options),
        };
        let only = |these: &Checked, those: &Checked| Difference {
            states: difference(&states(these), &states(those)),
            flags: difference(&flags(these), &flags(those)),
            execution: None,
        };
        Ok(Comparison {
            file: path.to_owned(),
            test: a.program.name.to_string(),
            models: models.clone(),
            differences: [only(&a, &b), only(&b, &a)],
            by_execution: false,
            bounded: !a.scope.complete || !b.scope.complete,
        })
    }

    /// All final states; none if there are too many.
    fn all_states(&self, path: &str, model: &str, options: &Options) -> Result<Option<Checked>, Failure> {
        let mut options = under(model, options);
        options.run.states = States::Listed;
        options.run.accept_bounded = true;
        let (checked, _) = verify::check(&self.prepare(path, &options)?, &options, &Silent)?;
        match checked.outcome.stopped.as_ref() {
            None => Ok(Some(checked)),
            Some(StopReason::Effort) => Ok(None),
            Some(why) => Err(unknown(format!("under {model}, {why}"))),
        }
    }

    /// An execution that one allows and the other forbids, for each of the two.
    fn compare_executions(&self, path: &str, models: &[String; 2], options: &Options) -> Result<Comparison, Failure> {
        let [a, b] = [&models[0], &models[1]].map(|model| self.prepare(path, &under(model, options)));
        let (a, b) = (a?, b?);
        let tell = |state: &[FinalValue]| show_state(&a.loaded.program, &a.loaded.question, state);
        let (differences, bounded) = only_executions([&a, &b], options, &tell)?;
        let test = a.loaded.program.name.to_string();
        Ok(Comparison { file: path.to_owned(), test, models: models.clone(), differences, by_execution: true, bounded })
    }

    /// The same of a program, at growing bounds.
    fn compare_programs(
        &self,
        path: &str,
        language: &Language,
        models: &[String; 2],
        options: &Options,
    ) -> Result<Comparison, Failure> {
        let (program, sources) = self.read_program(path, language, options)?;
        let sources = Arc::new(sources);
        // Models may look at dependencies.
        let passes = treville_passes::Options { renumber: true, ..treville_passes::Options::default() };
        let program = treville_passes::run(&program, &passes);
        let mut bound = options.run.bound.unwrap_or(Bounds::FIRST);
        loop {
            let ended = |model: &str| self.ended(&program, &sources, model, bound, options);
            let (a, b) = (ended(&models[0])?, ended(&models[1])?);
            let (differences, _) = only_executions([&a.prepared, &b.prepared], options, &|state| a.tell(state))?;
            let bounded = a.is_cut() || b.is_cut();
            let (file, test) = (path.to_owned(), path.to_owned());
            let found = Comparison { file, test, models: models.clone(), differences, by_execution: true, bounded };
            match Bounds::after(options.run.bound, bound) {
                Some(larger) if bounded && !found.differs() => bound = larger,
                _ => return Ok(found),
            }
        }
    }
}

/// An execution that one allows and the other forbids, for each of the two, and whether there are longer ones.
fn only_executions(
    [a, b]: [&Prepared; 2],
    options: &Options,
    tell: &dyn Fn(&[FinalValue]) -> String,
) -> Result<([Difference; 2], bool), Failure> {
    if options.run.named_check().is_some() {
        return Err(unknown("executions are compared by one engine; --cross-check is for outcomes".to_owned()));
    }
    let mut bounded = false;
    let mut only = |allowing: &Prepared, forbidding: &Prepared| -> Result<Difference, Failure> {
        let compared = treville_bmc::difference(&allowing.task, &forbidding.task, &options.run.bmc);
        let compared = compared.map_err(|why| {
            unknown(format!("whether {} allows more than {}: {why}", allowing.model.name, forbidding.model.name))
        })?;
        bounded |= compared.cut;
        let execution = compared.found.map(|found| OnlyExecution {
            state: tell(&found.state),
            own_state: found.own_state,
            reason: why_rejected(forbidding, &found.forbidden, &found.state),
        });
        Ok(Difference { execution, ..Difference::default() })
    };
    let differences = [only(a, b)?, only(b, a)?];
    Ok((differences, bounded))
}

fn under(model: &str, options: &Options) -> Options {
    let mut options = options.clone();
    options.model.name = Some(model.to_owned());
    options
}

fn states(checked: &Checked) -> BTreeSet<String> {
    let states = checked.outcome.states.iter().flatten();
    states.map(|s| show_state(&checked.program, &checked.question, &s.values)).collect()
}

fn flags(checked: &Checked) -> BTreeSet<String> {
    let undefined = checked.outcome.undefined.then(|| "undefined".to_owned());
    checked.outcome.flags.keys().map(ToString::to_string).chain(undefined).collect()
}

fn difference(a: &BTreeSet<String>, b: &BTreeSet<String>) -> Vec<String> {
    a.difference(b).cloned().collect()
}
