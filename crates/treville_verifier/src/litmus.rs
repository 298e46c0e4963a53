//! Litmus tests and `.pts` programs: a question about final states, under a model in CAT or on a machine.

use crate::engines::{BMC, ENUMERATE, EXPLORE, MACHINE, PLAIN, is_auto};
use crate::{Options, RunOptions, Session, States, proofs, warnings};
use std::sync::Arc;
use treville_base::{Cancel, Name};
use treville_models::Linked;
use treville_report::show_state;
use treville_strategy::{Agreement, Attempt, Check, Choice, EFFORT, Job, State, Strategy, Texts, state_of_stop};
use treville_task::{
    About, Bounds, CheckError, Engine, FinalState, Finding, Limits, Monitor, Needs, Outcome, Semantics, Task, Test,
    Verdict,
};

/// The engine where the call names none, and those that run where it has no answer.
const FIRST: &str = ENUMERATE;
const OTHERS: &[&str] = &[BMC, EXPLORE];

const TEXTS: Texts = Texts {
    first: "its executions can be listed",
    no_other: "no other engine has an answer",
    beyond_bound: Some("loops go on beyond the first bound"),
    parallel: Ok("there are too many executions to list"),
};

/// A test under a model, with the engines that run on it.
pub(crate) struct Prepared {
    pub(crate) job: TestJob,
    pub(crate) strategy: Strategy,
    pub(crate) check: Check,
}

pub(crate) struct TestJob {
    pub(crate) test: Test,
    pub(crate) model: Arc<Linked>,
    pub(crate) task: Task,
    pub(crate) states: States,
}

impl Prepared {
    pub(crate) fn engine(&self) -> &dyn Engine {
        &**self.strategy.first()
    }

    /// The outcome, with the engine that it is from.
    pub(crate) fn run(&self, monitor: &dyn Monitor) -> Result<(Outcome, Choice), CheckError> {
        self.strategy.run(&self.job, monitor)
    }
}

impl Session<'_> {
    pub(crate) fn prepare(&self, path: &str, options: &Options) -> Result<Prepared, CheckError> {
        // A time limit includes the time to read.
        let cancel = self.cancel_for(&options.run);
        let test = self.read_test(path, options, &cancel)?;
        self.prepare_test(test, options, cancel)
    }

    /// A test under the model that the options name, or the usual one of its dialect.
    pub(crate) fn prepare_test(&self, test: Test, options: &Options, cancel: Cancel) -> Result<Prepared, CheckError> {
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
        let job = TestJob { test, model, task, states: run.states };
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

/// The finding of a test.
pub(crate) fn finding(job: TestJob, mut outcome: Outcome, options: &Options) -> Finding {
    let TestJob { test, task, .. } = job;
    proofs::annotate_queries(&mut outcome.proofs, &test.program, &test.question, &task.queries);
    let warnings = warnings::of_test(&test, options);
    let needs = if options.run.states == States::Listed { Needs::AllStates } else { Needs::Answer };
    let finding = Finding::new(About::Test(test), outcome, options.run.accept_bounded, needs);
    Finding { warnings, ..finding }
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

/// The task with other limits.
pub(crate) fn with_cancel(task: &Task, cancel: Cancel) -> Task {
    Task { limits: Limits { cancel, ..task.limits.clone() }, ..task.clone() }
}

impl TestJob {
    fn limited(&self) -> Task {
        with_cancel(&self.task, self.task.limits.cancel.with_effort(EFFORT))
    }

    fn run_task(&self, engine: &dyn Engine, task: &Task, monitor: &dyn Monitor) -> Result<Outcome, CheckError> {
        let ready = engine.prepare(task);
        let ready = ready.map_err(|why| CheckError::unsupported(engine.info().name, &why, &self.test.sources))?;
        let outcome = ready(monitor);
        Ok(Outcome { may_be_undefined: outcome.cut && task.may_be_undefined(), ..outcome })
    }

    /// Engines that deepen by themselves: with the final states if these are few, else without.
    fn beyond_bound(&self, engine: &dyn Engine, monitor: &dyn Monitor) -> Result<Outcome, CheckError> {
        let listing = if self.states == States::IfFew { self.limited() } else { self.task.clone() };
        let outcome = self.run_task(engine, &listing, monitor)?;
        if self.state(&outcome) == State::Decided || !self.task.states || self.states != States::IfFew {
            return Ok(outcome);
        }
        self.run_task(engine, &Task { states: false, ..self.task.clone() }, monitor)
    }
}

impl Job for TestJob {
    fn run(&self, engine: &dyn Engine, attempt: &Attempt, monitor: &dyn Monitor) -> Result<Outcome, CheckError> {
        let task = match attempt {
            // Who wants all states gets them from the one that lists them, however long that takes.
            Attempt::Brief if self.states != States::Listed => self.limited(),
            Attempt::Brief | Attempt::Full | Attempt::Check => self.task.clone(),
            Attempt::AfterRefusal => Task { states: self.states == States::Listed, ..self.task.clone() },
            Attempt::BeyondBound => return self.beyond_bound(engine, monitor),
            Attempt::Parallel(cancel) => Task { states: false, ..with_cancel(&self.task, cancel.clone()) },
            Attempt::Moment(end) => with_cancel(&self.task, self.task.limits.cancel.with_deadline(*end)),
        };
        self.run_task(engine, &task, monitor)
    }

    fn supports(&self, engine: &dyn Engine) -> bool {
        engine.supports(&self.task).is_ok()
    }

    fn cancel(&self) -> &Cancel {
        &self.task.limits.cancel
    }

    fn state(&self, outcome: &Outcome) -> State {
        let bounded = || !outcome.deciding_scope(self.test.question.quantifier).complete;
        match &outcome.stopped {
            Some(why) => state_of_stop(why),
            None if self.task.bounds.given.is_none() && bounded() => State::Bounded,
            None => State::Decided,
        }
    }

    fn disagreement(&self, first: &Outcome, second: &Outcome, how: Agreement) -> Option<String> {
        if how == Agreement::Opinion && !(is_whole(first) && is_whole(second)) {
            return None;
        }
        disagreement(&self.test, first, second)
    }

    fn merge(&self, bounded: &Outcome, mut further: Outcome) -> Outcome {
        // What was seen up to the bound was seen, in rounds that the other may leave out.
        further.undefined |= bounded.undefined;
        for (flag, n) in &bounded.flags {
            further.flags.entry(flag.clone()).or_insert(*n);
        }
        further
    }
}

/// Whether an outcome covers every execution.
fn is_whole(outcome: &Outcome) -> bool {
    outcome.stopped.is_none() && !outcome.cut
}

/// What two outcomes of one test differ in, as far as both are complete.
fn disagreement(test: &Test, first: &Outcome, second: &Outcome) -> Option<String> {
    let question = &test.question;
    let decided = |outcome: &Outcome| match Verdict::of(question.quantifier, outcome) {
        Verdict::Unknown(_) => None,
        verdict => Some(verdict),
    };
    if let (Some(a), Some(b)) = (decided(first), decided(second))
        && a != b
    {
        return Some(format!("{a:?} and {b:?}"));
    }
    let listed = |outcome: &Outcome| match (&outcome.states, &outcome.stopped) {
        (Some(states), None) => {
            let show = |values| show_state(&test.program, question, values);
            let counted = first.counts.is_some() && second.counts.is_some();
            let count = |s: &FinalState| if counted { s.executions } else { 0 };
            let mut shown: Vec<(String, u64)> = states.iter().map(|s| (show(&s.values), count(s))).collect();
            shown.sort();
            Some(shown)
        }
        _ => None,
    };
    match (listed(first), listed(second)) {
        (Some(a), Some(b)) if a != b => {
            let only = a.iter().find(|s| !b.contains(s)).or_else(|| b.iter().find(|s| !a.contains(s)));
            Some(format!("the state {:?} with its number of executions", only.map_or("", |(state, _)| state.as_str())))
        }
        (Some(_), Some(_)) if first.flags.keys().ne(second.flags.keys()) => {
            Some(format!("the flags {:?} and {:?}", first.flags.keys(), second.flags.keys()))
        }
        _ => None,
    }
}
