//! Which engines run on a subject, one after the other or at the same time, and who checks their answer. The same for all kinds of
//! subjects: what is special about one is in its [`Job`].
//!
//! Where the call names no engine, the first one runs with a limit in steps, so that a subject that takes little has the same engine on
//! every machine.

use std::sync::Arc;
use std::sync::mpsc;
use std::time::{Duration, Instant};
use treville_base::{Cancel, now};
use treville_task::{CheckError, Chosen, Engine, Monitor, Outcome, Silent, StopReason, VerdictKind};

/// How often an engine may look whether it is to stop before another one is thought of: a second or two of work.
pub const EFFORT: u64 = 1_000;

/// How long a second opinion may take.
const MOMENT: Duration = Duration::from_millis(50);

/// An answer that took longer is not checked by itself: a moment would not do.
const SOON: Duration = Duration::from_millis(200);

/// A subject under a model, for engines to work on.
pub trait Job: Sync {
    /// # Errors
    /// That the engine does not support it, or why there is no outcome.
    fn run(&self, engine: &dyn Engine, attempt: &Attempt, monitor: &dyn Monitor) -> Result<Outcome, CheckError>;

    fn supports(&self, _: &dyn Engine) -> bool {
        true
    }

    /// What ends every attempt.
    fn cancel(&self) -> &Cancel;

    /// What another engine could add to an outcome.
    fn state(&self, outcome: &Outcome) -> State;

    /// What two outcomes differ in, as far as both are complete.
    fn disagreement(&self, first: &Outcome, second: &Outcome, how: Agreement) -> Option<String>;

    /// Makes one of the outcome that went no further than a bound, and of one that did.
    fn merge(&self, _bounded: &Outcome, further: Outcome) -> Outcome {
        further
    }
}

/// How an engine runs on a job.
#[derive(Clone, Debug)]
pub enum Attempt {
    /// As long as the limits of the call allow.
    Full,
    /// With a limit in steps, before another engine runs.
    Brief,
    /// Another engine does not support the job.
    AfterRefusal,
    /// Another engine went no further than a bound.
    BeyondBound,
    /// Another engine runs at the same time; this is raised when it has an answer.
    Parallel(Cancel),
    /// To check the answer of another one.
    Check,
    /// The same, for a moment.
    Moment(Instant),
}

/// How far an outcome goes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum State {
    /// It is the last word.
    Decided,
    /// There was more to do than the attempt allowed, or the engine cannot say.
    Spent,
    /// It holds up to a bound that the call did not give.
    Bounded,
    /// The engine does not support something that it met.
    Refused(String),
    /// A limit of the call is reached: no other engine would have the time.
    Over,
}

/// How strictly two outcomes are compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Agreement {
    /// The call asks for it: both must be complete.
    Required,
    /// Whatever both have found is compared.
    Opinion,
}

/// Which engines run.
pub enum Strategy {
    /// The engine that the call names.
    Single(Arc<dyn Engine>),
    /// The tool chooses: the first one, and where it has no answer the others.
    Fallback { first: Arc<dyn Engine>, others: Vec<Arc<dyn Engine>>, texts: &'static Texts },
}

/// Why an engine was chosen, for one kind of subject.
pub struct Texts {
    /// The first one has the answer.
    pub first: &'static str,
    /// No other has one.
    pub no_other: &'static str,
    /// Another one has it beyond the bound of the first; `None`: no other goes further.
    pub beyond_bound: Option<&'static str>,
    /// The first one takes long; `None`: others run after it and not at the same time, and each has a reason of its own.
    pub parallel: Result<&'static str, &'static [&'static str]>,
}

/// A job with the engines that run on it.
pub struct Prepared<J> {
    pub job: J,
    pub strategy: Strategy,
    pub check: Check,
}

/// Who checks an answer.
pub enum Check {
    Nobody,
    /// The engine that the call names, by that name.
    Named(String, Arc<dyn Engine>),
    /// If the answer came soon: this one, for a moment, if some is worth it.
    Opinion(OpinionOf),
}

/// The engine for a second opinion on an outcome of an engine, with its name.
pub type OpinionOf = Box<dyn Fn(&str, &Outcome) -> Option<Arc<dyn Engine>>>;

/// An engine, and why it was chosen, if it was not for the call to say.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Choice {
    pub engine: &'static str,
    pub chosen: Option<Chosen>,
}

impl Choice {
    pub fn named(engine: &dyn Engine) -> Self {
        Choice { engine: engine.info().name, chosen: None }
    }

    fn first(engine: &dyn Engine, why: &str) -> Self {
        let chosen = Some(Chosen { why: why.to_owned(), first: true });
        Choice { engine: engine.info().name, chosen }
    }

    fn other(engine: &dyn Engine, why: impl Into<String>) -> Self {
        Choice { engine: engine.info().name, chosen: Some(Chosen { why: why.into(), first: false }) }
    }
}

impl<J: Job> Prepared<J> {
    /// The engine that runs first.
    pub fn engine(&self) -> &dyn Engine {
        &**self.strategy.first()
    }

    /// The outcome, with the engine that it is from.
    ///
    /// # Errors
    /// That of the first engine, if no other has an answer.
    pub fn run(&self, monitor: &dyn Monitor) -> Result<(Outcome, Choice), CheckError> {
        self.strategy.run(&self.job, monitor)
    }

    /// Asks who is to check the answer of an engine.
    ///
    /// # Errors
    /// If another engine answers otherwise, or has no answer where the call wants one.
    pub fn check(
        &self,
        outcome: &Outcome,
        engine: &str,
        begun: Instant,
        monitor: &dyn Monitor,
    ) -> Result<(), CheckError> {
        self.check.run(&self.job, outcome, engine, begun, monitor)
    }
}

impl Strategy {
    /// The engine that runs first.
    pub fn first(&self) -> &Arc<dyn Engine> {
        match self {
            Strategy::Single(engine) | Strategy::Fallback { first: engine, .. } => engine,
        }
    }

    /// The outcome, with the engine that it is from.
    ///
    /// # Errors
    /// That of the first engine, if no other has an answer.
    pub fn run(&self, job: &dyn Job, monitor: &dyn Monitor) -> Result<(Outcome, Choice), CheckError> {
        match self {
            Strategy::Single(engine) => Ok((job.run(&**engine, &Attempt::Full, monitor)?, Choice::named(&**engine))),
            Strategy::Fallback { first, others, texts } => {
                let others = others.iter().map(|other| &**other).filter(|other| job.supports(*other)).collect();
                Fallback { job, first: &**first, others, texts, monitor }.run()
            }
        }
    }
}

struct Fallback<'a> {
    job: &'a dyn Job,
    first: &'a dyn Engine,
    others: Vec<&'a dyn Engine>,
    texts: &'static Texts,
    monitor: &'a dyn Monitor,
}

impl<'a> Fallback<'a> {
    fn run(&self) -> Result<(Outcome, Choice), CheckError> {
        let (first, texts) = (self.first, self.texts);
        let outcome = self.job.run(first, &Attempt::Brief, self.monitor);
        let state = match &outcome {
            Ok(outcome) => self.job.state(outcome),
            Err(failure) if failure.verdict == VerdictKind::Unknown => State::Refused(failure.reason.clone()),
            Err(_) => State::Over,
        };
        match (state, outcome) {
            (State::Decided | State::Over, outcome) => Ok((outcome?, Choice::first(first, texts.first))),
            (State::Refused(why), outcome) => match self.first_answer(&Attempt::AfterRefusal) {
                Some((other, engine)) => {
                    let name = first.info().name;
                    let why = if outcome.is_ok() { format!("{name} does not take it: {why}") } else { why };
                    Ok((other, Choice::other(engine, why)))
                }
                None => Ok((outcome?, Choice::named(first))),
            },
            (State::Bounded, outcome) => {
                let bounded = outcome?;
                let further = texts.beyond_bound.and_then(|why| Some((self.first_answer(&Attempt::BeyondBound)?, why)));
                match further {
                    Some(((further, engine), why)) => {
                        Ok((self.job.merge(&bounded, further), Choice::other(engine, why)))
                    }
                    None => Ok((bounded, Choice::first(first, texts.no_other))),
                }
            }
            (State::Spent, outcome) => match texts.parallel {
                Ok(why) => self.in_parallel(outcome, why),
                Err(whys) => self.one_by_one(outcome, whys),
            },
        }
    }

    /// The answer of the first other engine that has one; after a refusal the last is tried first, which lists states as the first does.
    fn first_answer(&self, attempt: &Attempt) -> Option<(Outcome, &'a dyn Engine)> {
        let answer = |engine: &'a dyn Engine| {
            let outcome = self.job.run(engine, attempt, self.monitor).ok()?;
            (self.job.state(&outcome) == State::Decided).then_some((outcome, engine))
        };
        match attempt {
            Attempt::AfterRefusal => self.others.iter().rev().copied().find_map(answer),
            _ => self.others.iter().copied().find_map(answer),
        }
    }

    /// The first engine goes on, and the first of the others runs at the same time.
    fn in_parallel(&self, brief: Result<Outcome, CheckError>, why: &str) -> Result<(Outcome, Choice), CheckError> {
        let (first, texts) = (self.first, self.texts);
        let Some(second) = self.others.first() else {
            let outcome = self.job.run(first, &Attempt::Full, self.monitor)?;
            return Ok((outcome, Choice::first(first, texts.no_other)));
        };
        match self.race([first, *second]) {
            [_, Some(Ok(other))] if self.job.state(&other) == State::Decided => {
                Ok((other, Choice::other(*second, why)))
            }
            [Some(own), _] => Ok((own?, Choice::first(first, texts.no_other))),
            [None, _] => Ok((brief?, Choice::named(first))),
        }
    }

    /// The others run after each other, the last one's outcome counts in any case.
    fn one_by_one(&self, brief: Result<Outcome, CheckError>, whys: &[&str]) -> Result<(Outcome, Choice), CheckError> {
        let mut last = (brief, Choice::first(self.first, self.texts.first));
        for (engine, why) in self.others.iter().zip(whys) {
            let outcome = self.job.run(*engine, &Attempt::Full, self.monitor);
            let ends =
                outcome.as_ref().is_ok_and(|outcome| matches!(self.job.state(outcome), State::Decided | State::Over));
            last = (outcome, Choice::first(*engine, why));
            if ends {
                break;
            }
        }
        Ok((last.0?, last.1))
    }

    /// The results of two engines that run at the same time, until one of them decides.
    fn race(&self, engines: [&dyn Engine; 2]) -> [Option<Result<Outcome, CheckError>>; 2] {
        let [first, second] = engines;
        let job = self.job;
        let flags = [job.cancel().child(), job.cancel().child()];
        let decides = |result: &Result<Outcome, CheckError>| {
            result.as_ref().is_ok_and(|outcome| job.state(outcome) == State::Decided)
        };
        std::thread::scope(|scope| {
            let (report, reports) = mpsc::channel();
            let (report_second, cancel_second) = (report.clone(), flags[1].clone());
            scope.spawn(move || {
                drop(report_second.send((1, job.run(second, &Attempt::Parallel(cancel_second), &Silent))));
            });
            let own = Attempt::Parallel(flags[0].clone());
            // The one whose progress is shown runs here; what it reports is read with the rest.
            let watch = scope.spawn(move || {
                let mut results = [None, None];
                for (i, result) in reports {
                    if decides(&result) {
                        flags.iter().for_each(Cancel::cancel);
                    }
                    if !results.iter().any(|r: &Option<_>| r.as_ref().is_some_and(decides)) {
                        results[i] = Some(result);
                    }
                }
                results
            });
            drop(report.send((0, job.run(first, &own, self.monitor))));
            drop(report);
            watch.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    }
}

impl Check {
    /// # Errors
    /// If another engine answers otherwise, or has no answer where the call wants one.
    pub fn run(
        &self,
        job: &dyn Job,
        outcome: &Outcome,
        engine: &str,
        begun: Instant,
        monitor: &dyn Monitor,
    ) -> Result<(), CheckError> {
        match self {
            Check::Nobody => Ok(()),
            Check::Named(name, second) => {
                let other = job.run(&**second, &Attempt::Check, monitor)?;
                if let Some(why) = &other.stopped {
                    let reason = format!("the answer could not be checked by {name}: {why}");
                    return Err(CheckError::unknown(reason));
                }
                agree(job, [engine, name], [outcome, &other], Agreement::Required)
            }
            Check::Opinion(_) if begun.elapsed() >= SOON => Ok(()),
            Check::Opinion(choose) => {
                let Some(second) = choose(engine, outcome) else { return Ok(()) };
                // Who has no answer in a moment has none.
                match job.run(&*second, &Attempt::Moment(now() + MOMENT), &Silent) {
                    Ok(other) => agree(job, [engine, second.info().name], [outcome, &other], Agreement::Opinion),
                    Err(_) => Ok(()),
                }
            }
        }
    }
}

fn agree(job: &dyn Job, names: [&str; 2], outcomes: [&Outcome; 2], how: Agreement) -> Result<(), CheckError> {
    let [first, second] = outcomes;
    match job.disagreement(first, second, how) {
        None => Ok(()),
        Some(what) => Err(disagree(names, &what, outcomes)),
    }
}

/// Two engines differ: an internal error.
fn disagree([first, second]: [&str; 2], what: &str, outcomes: [&Outcome; 2]) -> CheckError {
    use std::fmt::Write;
    let mut evidence = format!("{first} and {second} disagree: {what}\n");
    for (name, outcome) in [first, second].into_iter().zip(outcomes) {
        let _ = writeln!(evidence, "\n== the answer of {name}\n{outcome:#?}");
    }
    let reason = format!("the engines {first} and {second} disagree, which is a bug: {what}");
    CheckError::internal(reason, evidence)
}

/// How far an outcome goes that was stopped for this reason.
pub fn state_of_stop(why: &StopReason) -> State {
    match why {
        StopReason::Effort => State::Spent,
        StopReason::Refused(why) | StopReason::RefusedAt(why, _) => State::Refused(why.clone()),
        StopReason::Timeout | StopReason::Cancelled | StopReason::Memory | StopReason::NothingCompletes(_) => {
            State::Over
        }
    }
}
