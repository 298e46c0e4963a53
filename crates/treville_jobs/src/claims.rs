//! Programs with claims about their runs (`.rar`, `.inv`) as jobs, under an operational model.

use std::sync::Arc;
use treville_base::{Cancel, Diagnostic, Name};
use treville_ir::{Claims, Failure as Failing, Prop};
use treville_machine::{INFO, Machine, Operational, check_symmetries};
use treville_strategy::{Agreement, Attempt, Job, State, state_of_stop};
use treville_task::{
    About, Annotated, CheckError, ClaimsQuery, Command, Engine, Finding, Goal, Moment, Monitor, Needs, Outcome, Query,
    Semantics, Task, Unsupported,
};

/// A program with claims on a machine.
pub struct ClaimsJob {
    pub query: ClaimsQuery,
    pub machine: Operational,
    pub task: Task,
}

impl ClaimsJob {
    /// # Errors
    /// If a symmetry that is declared is none.
    pub fn new(query: ClaimsQuery, machine: Operational) -> Result<ClaimsJob, CheckError> {
        let Annotated { program, claims, .. } = &query.annotated;
        check_declared(&query.annotated)?;
        let task = Task {
            queries: if query.inductive { steps(claims) } else { queries(claims) },
            symmetries: claims.symmetries.clone(),
            ..Task::new(Arc::clone(program), Semantics::Machine(Name::new(machine.name())))
        };
        Ok(ClaimsJob { query, machine, task })
    }

    pub fn finding(self, outcome: Outcome) -> Finding {
        let accept_bounded = self.query.accepts_bounded;
        Finding::new(About::Claims(self.query), outcome, accept_bounded, Needs::Answer)
    }

    /// Lets somebody go through a run step by step; `tell` makes of what there is to see what is chosen.
    ///
    /// # Errors
    /// If the machine does not run the program.
    pub fn step_through(&self, tell: &mut dyn FnMut(&Moment, &Annotated) -> Command) -> Result<(), CheckError> {
        let annotated = &self.query.annotated;
        let walked = Machine::default().step_through(&self.task, &mut |moment| tell(moment, annotated));
        walked.map_err(|why| CheckError::unsupported(INFO.name, &[why], &annotated.sources))
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

/// Whether the symmetries that are declared are some.
fn check_declared(annotated: &Annotated) -> Result<(), CheckError> {
    match check_symmetries(&annotated.program, &annotated.claims.symmetries) {
        Err(Unsupported { what, span: Some(span) }) => {
            Err(CheckError::input(vec![Diagnostic::error(span, what)], Arc::clone(&annotated.sources)))
        }
        _ => Ok(()),
    }
}

/// The machine of this name, or the usual one for programs of this dialect.
///
/// # Errors
/// If there is none.
pub fn machine_for(annotated: &Annotated, name: Option<&str>) -> Result<Operational, CheckError> {
    let Some(name) = name else { return usual_machine(annotated) };
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
