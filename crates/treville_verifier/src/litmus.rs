//! Litmus tests and `.pts` programs: a question about final states, under a model in CAT or on a machine.

use crate::engines::{BMC, ENUMERATE, EXPLORE, MACHINE, PLAIN, is_auto};
use crate::{Options, RunOptions, Session, States};
use std::sync::Arc;
use treville_base::{Cancel, Name};
use treville_explain::LinkedTest;
use treville_jobs::{TestJob, is_whole};
use treville_models::Linked;
use treville_strategy::{Check, Prepared, Strategy, Texts};
use treville_task::{Bounds, CheckError, Limits, Semantics, Task, Test};

/// The engine where the call names none, and those that run where it has no answer.
const FIRST: &str = ENUMERATE;
const OTHERS: &[&str] = &[BMC, EXPLORE];

const TEXTS: Texts = Texts {
    first: "its executions can be listed",
    no_other: "no other engine has an answer",
    beyond_bound: Some("loops go on beyond the first bound"),
    parallel: Ok("there are too many executions to list"),
};

/// What explanations, drawings and comparisons are about.
pub(crate) fn linked(job: &TestJob) -> LinkedTest<'_> {
    LinkedTest { test: &job.test, model: &job.model, task: &job.task }
}

impl Session<'_> {
    pub(crate) fn prepare(&self, path: &str, options: &Options) -> Result<Prepared<TestJob>, CheckError> {
        // A time limit includes the time to read.
        let cancel = self.cancel_for(&options.run);
        let test = self.read_test(path, options, &cancel)?;
        self.prepare_test(test, options, cancel)
    }

    /// A test under the model that the options name, or the usual one of its dialect.
    pub(crate) fn prepare_test(
        &self,
        test: Test,
        options: &Options,
        cancel: Cancel,
    ) -> Result<Prepared<TestJob>, CheckError> {
        let model = self.library.linked(&options.model, &test.program)?;
        let run = &options.run;
        let mut task = task(&test, &model, run, cancel)?;
        let (strategy, check) = self.engines_for_test(&model, run)?;
        if strategy.first().info().name == MACHINE {
            task.program = Arc::new(treville_passes::with_known_addresses(&task.program, &task.limits.cancel));
            task.semantics = Semantics::Machine(Name::new(&model.name));
            task.limits.states = run.max_states;
            task.bounds = Bounds { messages: run.max_messages, actions: run.max_actions, ..task.bounds };
        }
        let (names_model, accept_bounded) = (options.model.name.is_some(), run.accept_bounded);
        let job = TestJob { test, model, task, states: run.states, names_model, accept_bounded };
        if let Strategy::Single(engine) = &strategy {
            let unsupported = |why: Vec<_>| CheckError::unsupported(engine.info().name, &why, &job.test.sources);
            engine.supports(&job.task).map_err(unsupported)?;
        }
        Ok(Prepared { job, strategy, check })
    }

    fn engines_for_test(&self, model: &Linked, run: &RunOptions) -> Result<(Strategy, Check), CheckError> {
        let strategy = match self.engines.named(run)? {
            Some(engine) => Strategy::Single(engine),
            None => Strategy::Fallback {
                first: self.engines.get(FIRST, run)?,
                others: self.engines.all(OTHERS, run)?,
                texts: &TEXTS,
            },
        };
        let check = match run.named_check() {
            Some(_) if strategy.first().info().name == MACHINE => {
                return Err(CheckError::usage(
                    "option `cross-check`: no other engine runs machines; compare with the model of that name",
                ));
            }
            Some(name) => Check::Named(name.clone(), self.engines.get(name, run)?),
            // Under a model that no test of ours knows, the plain definition runs as well, for a moment.
            None if model.bundled.is_none() && wants_opinion(run) => {
                let plain = self.engines.get(PLAIN, run)?;
                Check::Opinion(Box::new(move |_, first| is_whole(first).then(|| Arc::clone(&plain))))
            }
            None => Check::Nobody,
        };
        Ok((strategy, check))
    }
}

/// Whether another engine may be asked about an answer.
pub(crate) fn wants_opinion(run: &RunOptions) -> bool {
    is_auto(run) && run.cross_check.is_none() && !run.bmc.proofs
}

fn task(test: &Test, model: &Linked, run: &RunOptions, cancel: Cancel) -> Result<Task, CheckError> {
    if !run.properties.is_empty() {
        return Err(CheckError::usage("option `property` is about programs; a litmus test asks its own question"));
    }
    let unroll = match (run.bound, test.header("Unroll")) {
        (Some(bound), _) => bound,
        (None, Some(text)) => {
            text.trim().parse().map_err(|_| CheckError::usage(format!("Unroll={text} is not a number")))?
        }
        (None, None) => Bounds::default().unroll,
    };
    Ok(Task {
        bundled: model.bundled,
        question: Some(Arc::clone(&test.question)),
        queries: Task::litmus_queries(&test.question),
        bounds: Bounds { unroll, given: run.bound, events: run.max_events, ..Bounds::default() },
        limits: Limits { cancel, memory_mb: run.memory_mb, threads: run.threads, states: None },
        // Engines that check each other compare everything.
        states: run.states != States::Unlisted || run.named_check().is_some(),
        reductions: run.reductions,
        ..Task::new(
            Arc::clone(&test.program),
            Semantics::Axioms(Arc::clone(&model.model), Arc::clone(&model.vocabulary)),
        )
    })
}
