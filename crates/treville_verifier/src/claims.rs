//! Programs with claims about their runs (`.rar`, `.inv`), checked under an operational model.

use crate::engines::{AUTO, MACHINE};
use crate::{Options, Session};
use std::sync::Arc;
use treville_base::{Cancel, Diagnostic, Name};
use treville_ir::{Claims, Failure as Failing, Prop};
use treville_machine::{Machine, Operational, check_symmetries};
use treville_strategy::{Agreement, Attempt, Job, State, Strategy, state_of_stop};
use treville_task::{
    About, Annotated, Bounds, CheckError, ClaimsQuery, Command, Engine, Finding, Goal, Limits, Moment, Monitor, Needs,
    Outcome, Query, Semantics, Subject, Task, Unsupported,
};

/// A program with claims on a machine.
pub(crate) struct ClaimsJob {
    query: ClaimsQuery,
    pub(crate) machine: Operational,
    task: Task,
}

impl Session<'_> {
    /// A program with claims, on the machine that the call names or that is usual for it.
    pub(crate) fn prepare_claims(
        &self,
        annotated: Annotated,
        options: &Options,
        cancel: Cancel,
    ) -> Result<(ClaimsJob, Strategy), CheckError> {
        // An engine that there is not is a wrong call; another one has no answer.
        self.engines.named(&options.run)?;
        let machine = machine_for(&annotated, options)?;
        check_declared(&annotated)?;
        let run = &options.run;
        if run.inductive && annotated.claims.invariants.is_empty() {
            return Err(CheckError::usage("option `inductive`: there is no invariant"));
        }
        let unseen = |failure: &Failing| !matches!(failure, Failing::Assertion | Failing::Deadlock);
        if let Some(failure) = run.properties.named().find(unseen) {
            return Err(CheckError::usage(format!(
                "option `property` {}: a machine looks for assertion and deadlock beside what is claimed",
                failure.name()
            )));
        }
        let task = task(&annotated, machine, options, cancel);
        let asks_deadlock = !run.properties.is_empty() && run.properties.failures().contains(&Failing::Deadlock);
        let (inductive, accepts_bounded) = (run.inductive, run.accept_bounded);
        let query = ClaimsQuery { annotated, asks_deadlock, inductive, accepts_bounded };
        Ok((ClaimsJob { query, machine, task }, Strategy::Single(self.engines.get(MACHINE, run)?)))
    }

    /// Lets somebody go through a run of a program step by step; `tell` makes of what there is to see what is chosen.
    ///
    /// # Errors
    /// If the file or the call is wrong, or the machine does not run it.
    pub fn step_through(
        &self,
        path: &str,
        options: &Options,
        tell: &mut dyn FnMut(&Moment, &Annotated) -> Command,
    ) -> Result<(), CheckError> {
        let cancel = self.cancel_for(&options.run);
        let Subject::Claims(annotated) = self.read(path, options, &cancel)? else {
            return Err(CheckError::usage("option `interactive` is about programs with claims (.rar, .inv)"));
        };
        let (job, _) = self.prepare_claims(annotated, options, cancel)?;
        let annotated = &job.query.annotated;
        let walked = Machine::default().step_through(&job.task, &mut |moment| tell(moment, annotated));
        walked.map_err(|why| CheckError::unsupported(MACHINE, &[why], &annotated.sources))
    }
}

impl ClaimsJob {
    pub(crate) fn finding(self, outcome: Outcome, options: &Options) -> Finding {
        Finding::new(About::Claims(self.query), outcome, options.run.accept_bounded, Needs::Answer)
    }
}

impl Job for ClaimsJob {
    fn run(&self, engine: &dyn Engine, _: &Attempt, monitor: &dyn Monitor) -> Result<Outcome, CheckError> {
        let sources = &self.query.annotated.sources;
        let ready = engine.prepare(&self.task);
        let ready = ready.map_err(|why| CheckError::unsupported(engine.info().name, &why, sources))?;
        Ok(ready(monitor))
    }

    fn cancel(&self) -> &Cancel {
        &self.task.limits.cancel
    }

    fn state(&self, outcome: &Outcome) -> State {
        outcome.stopped.as_ref().map_or(State::Decided, state_of_stop)
    }

    fn disagreement(&self, _: &Outcome, _: &Outcome, _: Agreement) -> Option<String> {
        None
    }
}

fn task(annotated: &Annotated, machine: Operational, options: &Options, cancel: Cancel) -> Task {
    let (run, claims) = (&options.run, &annotated.claims);
    Task {
        queries: if run.inductive { steps(claims) } else { queries(claims) },
        bounds: Bounds { messages: run.max_messages, actions: run.max_actions, ..Bounds::default() },
        limits: Limits { cancel, memory_mb: run.memory_mb, threads: run.threads, states: run.max_states },
        reductions: run.reductions,
        symmetries: claims.symmetries.clone(),
        ..Task::new(Arc::clone(&annotated.program), Semantics::Machine(Name::new(machine.name())))
    }
}

/// Whether the symmetries that are declared are some.
fn check_declared(annotated: &Annotated) -> Result<(), CheckError> {
    match check_symmetries(&annotated.program, &annotated.claims.symmetries) {
        Err(Unsupported { what, span: Some(span) }) => {
            Err(CheckError::input(vec![Diagnostic::error(span, what)], Arc::clone(&annotated.sources)))
        }
        _ => Ok(()),
    }
}

/// The machine that the call names, or the usual one for programs of this dialect.
pub(crate) fn machine_for(annotated: &Annotated, options: &Options) -> Result<Operational, CheckError> {
    match options.run.engine.as_deref() {
        None | Some(AUTO | MACHINE) => {}
        Some(other) => {
            return Err(CheckError::unknown(format!(
                "what a program claims of its runs is checked by {MACHINE}, not {other}"
            )));
        }
    }
    let Some(name) = &options.model.name else { return usual_machine(annotated) };
    let unknown = || CheckError::usage(format!("there is no machine `{name}` (there are: {})", Operational::names()));
    Operational::named(name).ok_or_else(unknown)
}

fn usual_machine(annotated: &Annotated) -> Result<Operational, CheckError> {
    let dialect = &annotated.program.dialect;
    Operational::usual_for(dialect).ok_or_else(|| {
        let (of, sc) = (&dialect.name, Operational::Sc.name());
        CheckError::usage(format!("option `model`: a machine has to be named for a program in {of} (there is {sc})"))
    })
}

/// In the order that [`treville_task::ClaimsQuery`] says; then when each invariant that is an implication says something.
fn queries(claims: &Claims) -> Vec<Query> {
    let violated = |prop: &Prop| Goal::State(Prop::Not(Box::new(prop.clone())));
    let invariants = claims.invariants.iter().map(|claim| violated(&claim.prop));
    let outcomes = claims.outcomes.iter().map(|claim| Goal::End(claim.prop.clone()));
    let failures = [Goal::Failure(Failing::Assertion), Goal::Failure(Failing::Deadlock)];
    let occasions = claims.invariants.iter().filter_map(|claim| claim.prop.occasion()).map(Goal::State);
    invariants.chain(outcomes).chain(failures).chain(occasions).map(|goal| Query { goal }).collect()
}

/// Whether a step breaks an invariant if all hold before it, and if it alone does.
fn steps(claims: &Claims) -> Vec<Query> {
    let all: Vec<Prop> = claims.invariants.iter().map(|claim| claim.prop.clone()).collect();
    let together = all.iter().map(|prop| Goal::Step { given: all.clone(), prop: prop.clone() });
    let alone = all.iter().map(|prop| Goal::Step { given: vec![prop.clone()], prop: prop.clone() });
    together.chain(alone).map(|goal| Query { goal }).collect()
}
