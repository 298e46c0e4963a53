//! Programs with claims about their runs (`.rar`, `.inv`), checked under an operational model.

use crate::engines::{AUTO, MACHINE};
use crate::{Options, Session};
use treville_base::Cancel;
use treville_ir::Failure as Failing;
use treville_jobs::ClaimsJob;
use treville_machine::Operational;
use treville_strategy::{Check, Prepared, Strategy};
use treville_task::{Annotated, Bounds, CheckError, ClaimsQuery, Command, Limits, Moment, Subject, Task};

impl Session<'_> {
    /// A program with claims, on the machine that the call names or that is usual for it.
    pub(crate) fn prepare_claims(
        &self,
        annotated: Annotated,
        options: &Options,
        cancel: Cancel,
    ) -> Result<Prepared<ClaimsJob>, CheckError> {
        let run = &options.run;
        // An engine that there is not is a wrong call; another one has no answer.
        self.engines.named(run)?;
        let machine = machine_for(&annotated, options)?;
        let without_invariants = annotated.claims.invariants.is_empty();
        let asks_deadlock = !run.properties.is_empty() && run.properties.failures().contains(&Failing::Deadlock);
        let (inductive, accepts_bounded) = (run.inductive, run.accept_bounded);
        let mut job = ClaimsJob::new(ClaimsQuery { annotated, asks_deadlock, inductive, accepts_bounded }, machine)?;
        if run.inductive && without_invariants {
            return Err(CheckError::usage("option `inductive`: there is no invariant"));
        }
        let unseen = |failure: &Failing| !matches!(failure, Failing::Assertion | Failing::Deadlock);
        if let Some(failure) = run.properties.named().find(unseen) {
            return Err(CheckError::usage(format!(
                "option `property` {}: a machine looks for assertion and deadlock beside what is claimed",
                failure.name()
            )));
        }
        job.task = Task {
            bounds: Bounds { messages: run.max_messages, actions: run.max_actions, ..Bounds::default() },
            limits: Limits { cancel, memory_mb: run.memory_mb, threads: run.threads, states: run.max_states },
            reductions: run.reductions,
            ..job.task
        };
        Ok(Prepared { job, strategy: Strategy::Single(self.engines.get(MACHINE, run)?), check: Check::Nobody })
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
        self.prepare_claims(annotated, options, cancel)?.job.step_through(tell)
    }
}

/// The machine that the call names, or the usual one for programs of this dialect.
pub(crate) fn machine_for(annotated: &Annotated, options: &Options) -> Result<Operational, CheckError> {
    match options.run.engine.as_deref() {
        None | Some(AUTO | MACHINE) => treville_jobs::machine_for(annotated, options.model.name.as_deref()),
        Some(other) => {
            let why = format!("what a program claims of its runs is checked by {MACHINE}, not {other}");
            Err(CheckError::unknown(why))
        }
    }
}
