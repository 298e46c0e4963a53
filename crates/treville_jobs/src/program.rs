//! Whole programs as jobs: they ask nothing of their own, and the question is whether they can fail.

use crate::{ProgramUnderModel, warnings, with_cancel};
use std::sync::Arc;
use treville_audit::Audited;
use treville_base::{Cancel, SourceMap};
use treville_bounded::{Bounded, Source};
use treville_strategy::{Agreement, Attempt, EFFORT, Job, State, state_of_stop};
use treville_task::{
    About, CheckError, Code, Engine, Finding, Monitor, Needs, Outcome, Reduction, StopReason, Verdict,
};

/// A program under a model.
pub struct ProgramJob<'s> {
    pub program: ProgramUnderModel,
    pub sources: Arc<SourceMap>,
    /// How bounded engines run on it.
    pub bounded: Bounded<'s>,
    /// The engine that takes a program as it is; all others are bounded.
    pub explorer: &'static str,
    pub audited: Option<Audited>,
    pub accept_bounded: bool,
}

impl ProgramJob<'_> {
    /// The finding about an outcome that this engine has found first.
    ///
    /// # Errors
    /// If the outcome is to be audited, and was not or is wrong.
    pub fn finding(self, engine: &dyn Engine, mut outcome: Outcome) -> Result<Finding, CheckError> {
        let ProgramJob { program, sources, audited, bounded, accept_bounded, .. } = self;
        let ProgramUnderModel { task, in_c, .. } = program;
        let audit = audited.map(|audited| audited.check(engine, &task, &outcome, &sources)).transpose()?;
        let warnings = warnings::of_program(&in_c, &outcome, &sources);
        outcome.bound = bounded.bound;
        let code = Code { program: task.program, sources };
        let finding = Finding::new(About::Program(code), outcome, accept_bounded, Needs::Answer);
        Ok(Finding { warnings, audit, ..finding })
    }

    /// The program without what it never looks at, if it is open whether it can fail, and a loop that writes such things may be why.
    pub fn without_unread(&self, verdict: &Verdict) -> Option<Code> {
        let Verdict::Unknown(StopReason::Refused(_) | StopReason::RefusedAt(..)) = verdict else { return None };
        let ProgramUnderModel { model, in_c, task } = &self.program;
        let facts = self.bounded.library.catalogue.facts(self.bounded.model, model);
        let may_drop = facts.is_some_and(|facts| facts.monotone) && task.reductions.has(Reduction::UnreadObjects);
        let program = treville_passes::drop_write_only(in_c).filter(|_| may_drop)?;
        Some(Code { program: Arc::new(program), sources: Arc::clone(&self.sources) })
    }
}

impl Job for ProgramJob<'_> {
    fn run(&self, engine: &dyn Engine, attempt: &Attempt, monitor: &dyn Monitor) -> Result<Outcome, CheckError> {
        let cancel = &self.program.task.limits.cancel;
        let task = match attempt {
            Attempt::Brief => with_cancel(&self.program.task, cancel.with_effort(EFFORT)),
            Attempt::Parallel(cancel) => with_cancel(&self.program.task, cancel.clone()),
            Attempt::Moment(end) => with_cancel(&self.program.task, cancel.with_deadline(*end)),
            Attempt::Full | Attempt::AfterRefusal | Attempt::BeyondBound | Attempt::Check => self.program.task.clone(),
        };
        if engine.info().name != self.explorer {
            let ProgramUnderModel { in_c, model, .. } = &self.program;
            let algebraic = self.program.is_built_in();
            let source = Source { program: in_c, sources: &self.sources, model, algebraic };
            return self.bounded.run(engine, &task, &source, monitor);
        }
        let ready = engine.prepare(&task);
        let ready = ready.map_err(|why| CheckError::unsupported(engine.info().name, &why, &self.sources))?;
        Ok(ready(monitor))
    }

    fn cancel(&self) -> &Cancel {
        &self.program.task.limits.cancel
    }

    fn state(&self, outcome: &Outcome) -> State {
        match &outcome.stopped {
            _ if outcome.violation.is_some() => State::Decided,
            Some(why) => state_of_stop(why),
            None if outcome.cut => State::Bounded,
            None => State::Decided,
        }
    }

    fn disagreement(&self, first: &Outcome, second: &Outcome, how: Agreement) -> Option<String> {
        match how {
            Agreement::Required => treville_bounded::disagreement(first, second),
            Agreement::Opinion if is_answer(second) => whether_it_fails(first, second),
            Agreement::Opinion => None,
        }
    }
}

/// Whether an outcome is a complete answer: a violation, or that nothing fails in some execution that completes.
fn is_answer(outcome: &Outcome) -> bool {
    let ended = outcome.stopped.is_none() && !outcome.cut;
    outcome.violation.is_some() || ended && outcome.completes == Some(true)
}

/// Whether an outcome says, completely, that nothing fails. A failure needs no second opinion: the reference evaluator has judged its
/// execution, and it may be one that only the addresses make that one engine has chosen.
pub fn finds_nothing(outcome: &Outcome) -> bool {
    is_answer(outcome) && outcome.violation.is_none()
}

/// What two complete answers about a program differ in: whether it fails. How it does may differ.
fn whether_it_fails(first: &Outcome, second: &Outcome) -> Option<String> {
    match (&first.violation, &second.violation) {
        (Some(violation), None) => Some(format!("only the first finds: {}", violation.message)),
        (None, Some(violation)) => Some(format!("only the second finds: {}", violation.message)),
        _ => None,
    }
}
