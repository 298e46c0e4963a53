//! What one model allows and the other does not: outcomes, as far as they can all be listed, or an execution.

use crate::engines::{AUTO, BMC};
use crate::litmus::linked;
use crate::{Options, Session, States};
use std::sync::Arc;
use treville_base::now;
use treville_bounded::Ended;
use treville_explain::{AllOutcomes, LinkedTest};
use treville_report::{Comparison, Difference, show_state};
use treville_strategy::EFFORT;
use treville_task::{Bounds, CheckError, Code, FinalValue, Limits, Silent, StopReason, Subject, SubjectKind, Test};

/// The engine that looks for executions.
const BY_EXECUTION: &str = BMC;

impl Session<'_> {
    /// Compares a file under two models: the final states, or, with the engine bmc and where there are too many to list, the
    /// executions.
    ///
    /// # Errors
    /// If one of the two has no complete answer.
    pub fn compare(&self, path: &str, models: &[String; 2], options: &Options) -> Result<Comparison, CheckError> {
        let compared = self.compare_up_to_bound(path, models, options)?;
        // An execution that one model forbids is one whatever else there is. An outcome may have longer executions.
        let settled = !compared.bounded || compared.by_execution && compared.differs();
        if settled || options.run.accept_bounded {
            return Ok(compared);
        }
        let [a, b] = models;
        Err(CheckError::unknown(format!(
            "whether {a} and {b} differ is only seen up to the loop bound (option `bound` raises it, option `accept-bounded` accepts it)"
        )))
    }

    fn compare_up_to_bound(
        &self,
        path: &str,
        models: &[String; 2],
        options: &Options,
    ) -> Result<Comparison, CheckError> {
        let engine = options.run.engine.as_deref().filter(|engine| *engine != AUTO);
        if self.registry.front_end(path)?.info().kind == SubjectKind::Program {
            if let Some(engine) = engine.filter(|engine| *engine != BY_EXECUTION) {
                return Err(CheckError::usage(format!(
                    "programs are compared by the engine {BY_EXECUTION}, not by {engine}"
                )));
            }
            return self.compare_programs(path, models, options);
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
        let bounded = a.bounded || b.bounded;
        if bounded && engine.is_none() && !options.run.accept_bounded {
            return self.compare_executions(path, models, options);
        }
        Ok(Comparison {
            file: path.to_owned(),
            test: a.test.clone(),
            models: models.clone(),
            differences: [a.outcomes.without(&b.outcomes), b.outcomes.without(&a.outcomes)],
            by_execution: false,
            bounded,
        })
    }

    /// All final states; none if there are too many.
    fn all_states(&self, path: &str, model: &str, options: &Options) -> Result<Option<Listed>, CheckError> {
        let mut options = under(model, options);
        options.run.states = States::Listed;
        options.run.accept_bounded = true;
        let prepared = self.prepare(path, &options)?;
        let begun = now();
        let (outcome, choice) = prepared.run(&Silent)?;
        prepared.check(&outcome, choice.engine, begun, &Silent)?;
        let Test { program, question, .. } = &prepared.job.test;
        match outcome.stopped.as_ref() {
            None => Ok(Some(Listed {
                test: program.name.to_string(),
                outcomes: AllOutcomes::of(&outcome, program, question),
                bounded: outcome.cut,
            })),
            Some(StopReason::Effort) => Ok(None),
            Some(why) => Err(CheckError::unknown(format!("under {model}, {why}"))),
        }
    }

    /// An execution that one allows and the other forbids, for each of the two.
    fn compare_executions(
        &self,
        path: &str,
        models: &[String; 2],
        options: &Options,
    ) -> Result<Comparison, CheckError> {
        let [a, b] = [&models[0], &models[1]].map(|model| self.prepare(path, &under(model, options)));
        let (a, b) = (a?, b?);
        let Test { program, question, .. } = &a.job.test;
        let tell = |state: &[FinalValue]| show_state(program, question, state);
        let (differences, bounded) = only_executions([linked(&a.job), linked(&b.job)], options, &tell)?;
        let test = program.name.to_string();
        Ok(Comparison { file: path.to_owned(), test, models: models.clone(), differences, by_execution: true, bounded })
    }

    /// The same of a program, at growing bounds.
    fn compare_programs(&self, path: &str, models: &[String; 2], options: &Options) -> Result<Comparison, CheckError> {
        let (run, cancel) = (&options.run, self.cancel_for(&options.run));
        let Subject::Program(Code { program, sources }) = self.read(path, options, &cancel)? else {
            return Err(CheckError::usage(format!("{path} is no program")));
        };
        // Models may look at dependencies.
        let passes = treville_passes::Options { renumber: true, ..treville_passes::Options::default() };
        let code = Code { program: Arc::new(treville_passes::run(&program, &passes)), sources };
        let limits = Limits { cancel, memory_mb: run.memory_mb, threads: run.threads, states: None };
        let mut bound = options.run.bound.unwrap_or(Bounds::FIRST);
        loop {
            let ended = |model: &str| self.bounded(options).ended(&code, model, bound, &limits, run.reductions);
            let (a, b) = (ended(&models[0])?, ended(&models[1])?);
            let (differences, _) = only_executions([of_program(&a), of_program(&b)], options, &|state| a.tell(state))?;
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
    tests: [LinkedTest<'_>; 2],
    options: &Options,
    tell: &dyn Fn(&[FinalValue]) -> String,
) -> Result<([Difference; 2], bool), CheckError> {
    if options.run.named_check().is_some() {
        return Err(CheckError::unknown(
            "executions are compared by one engine; option `cross-check` is for outcomes".to_owned(),
        ));
    }
    treville_explain::only_executions(tests, &options.run.bmc, tell)
}

/// A program up to a bound, as a test.
fn of_program(ended: &Ended) -> LinkedTest<'_> {
    let Ended { test, model, task, .. } = ended;
    LinkedTest { test, model, task }
}

fn under(model: &str, options: &Options) -> Options {
    let mut options = options.clone();
    options.model.name = Some(model.to_owned());
    options
}

/// The complete answer about a test under one model.
struct Listed {
    test: String,
    outcomes: AllOutcomes,
    bounded: bool,
}
