//! Litmus tests and `.pts` programs as jobs: a question about final states, under a model in CAT or on a machine.

use crate::{warnings, with_cancel};
use std::sync::Arc;
use treville_base::Cancel;
use treville_models::Linked;
use treville_report::{show_formula, show_state};
use treville_strategy::{Agreement, Attempt, EFFORT, Job, State, state_of_stop};
use treville_task::{
    About, CheckError, Engine, FinalState, Finding, Goal, Monitor, Needs, Outcome, Proof, Query, Task, Test, Verdict,
};

/// Whether the final states are listed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum States {
    #[default]
    Unlisted,
    /// If it does not take long, where the tool chooses the engine.
    IfFew,
    Listed,
}

/// A test under a model.
pub struct TestJob {
    pub test: Test,
    pub model: Arc<Linked>,
    pub task: Task,
    pub states: States,
    /// The call names the model.
    pub names_model: bool,
    pub accept_bounded: bool,
}

impl TestJob {
    /// The finding of an outcome.
    pub fn finding(self, mut outcome: Outcome) -> Finding {
        let TestJob { test, task, .. } = self;
        annotate(&mut outcome.proofs, &test, &task.queries);
        let warnings = if self.names_model { Vec::new() } else { warnings::of_test(&test) };
        let needs = if self.states == States::Listed { Needs::AllStates } else { Needs::Answer };
        let finding = Finding::new(About::Test(test), outcome, self.accept_bounded, needs);
        Finding { warnings, ..finding }
    }

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
pub fn is_whole(outcome: &Outcome) -> bool {
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

/// Adds to the proofs of queries what these ask, in the words of the test.
fn annotate(proofs: &mut [Proof], test: &Test, queries: &[Query]) {
    for proof in proofs {
        let query = proof.query.and_then(|query| queries.get(query));
        if let Some(Goal::Final { condition, .. }) = query.map(|query| &query.goal) {
            proof.note(show_formula(&test.program, &test.question, condition));
        }
    }
}
