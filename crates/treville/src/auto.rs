//! Which engine is asked where the call does not name one, and why it was that one.
//!
//! Tests are listed by `enumerate` as long as that takes little; what is too much to list soon is solved by `bmc` beside it, what
//! a bound leaves open is given to `bmc`, which deepens, and what an engine refuses to the next one. Programs are explored; where
//! that takes long, `bmc` is asked at the same time. Of two engines that run at the same time, the first answer counts. How much is
//! little is counted in steps, so that a test that takes little has the same engine on every machine.

use crate::States;
use crate::session::Prepared;
use crate::verify::deciding_scope;
use std::sync::mpsc;
use treville_base::Cancel;
use treville_report::{Chosen, Failure, VerdictWord};
use treville_task::{Engine, Limits, Monitor, Outcome, Silent, StopReason, Task};

/// How often an engine may look whether it is to stop before another one is thought of: a second or two of work.
pub(crate) const EFFORT: u64 = 1_000;

/// An engine, and why it was asked, if it was not for the call to say.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Choice {
    pub(crate) engine: &'static str,
    pub(crate) chosen: Option<Chosen>,
}

impl Choice {
    pub(crate) fn named(engine: &dyn Engine) -> Self {
        Choice { engine: engine.info().name, chosen: None }
    }

    fn first(engine: &dyn Engine, why: &str) -> Self {
        let chosen = Some(Chosen { why: why.to_owned(), first: true });
        Choice { engine: engine.info().name, chosen }
    }

    fn other(engine: &dyn Engine, why: String) -> Self {
        Choice { engine: engine.info().name, chosen: Some(Chosen { why, first: false }) }
    }
}

/// The task with a limit on what it may cost.
fn limited(task: &Task, effort: u64) -> Task {
    let limits = Limits { cancel: task.limits.cancel.with_effort(effort), ..task.limits.clone() };
    Task { limits, ..task.clone() }
}

impl Prepared {
    /// The outcome, with the engine that it is from.
    pub(crate) fn run(&self, monitor: &dyn Monitor) -> (Outcome, Choice) {
        let Some(spares) = &self.spares else {
            return (self.engine.run(&self.task, monitor), Choice::named(&*self.engine));
        };
        // Who wants all states gets them from the one that lists them, however long that takes.
        let listed = self.states == States::Listed;
        let task = if listed { self.task.clone() } else { limited(&self.task, EFFORT) };
        let outcome = self.engine.run(&task, monitor);
        let name = self.engine.info().name;
        let spares: Vec<&dyn Engine> =
            spares.iter().map(|spare| &**spare).filter(|spare| spare.supports(&self.task).is_ok()).collect();
        match &outcome.stopped {
            None if self.is_bounded(&outcome) => self.beyond_the_bound(outcome, &spares, monitor),
            None => (outcome, Choice::first(&*self.engine, "its executions can be listed")),
            Some(StopReason::Effort) => self.beside_each_other(&spares, monitor),
            Some(StopReason::Refused(why) | StopReason::RefusedAt(why, _)) => {
                let why = format!("{name} does not take it: {why}");
                // Rather one that lists them as well.
                let spares = spares.into_iter().rev();
                let task = Task { states: listed, ..self.task.clone() };
                let answer = self.first_answer(spares, &task, monitor);
                answer.map_or((outcome, Choice::named(&*self.engine)), |(other, spare)| {
                    (other, Choice::other(spare, why))
                })
            }
            _ => (outcome, Choice::first(&*self.engine, "its executions can be listed")),
        }
    }

    /// Whether the answer only holds up to a bound that the user did not give.
    fn is_bounded(&self, outcome: &Outcome) -> bool {
        self.task.bounds.given.is_none() && !deciding_scope(&self.loaded.question, outcome).complete
    }

    /// The answer of the first of these that has one.
    fn first_answer<'e>(
        &self,
        engines: impl Iterator<Item = &'e dyn Engine>,
        task: &Task,
        monitor: &dyn Monitor,
    ) -> Option<(Outcome, &'e dyn Engine)> {
        let answer = |engine: &'e dyn Engine| {
            let outcome = engine.run(task, monitor);
            (outcome.stopped.is_none() && !self.is_bounded(&outcome)).then_some((outcome, engine))
        };
        engines.into_iter().find_map(answer)
    }

    /// Loops go on beyond the bound: engines that deepen by themselves are asked, with the final states if these are few.
    fn beyond_the_bound(&self, bounded: Outcome, spares: &[&dyn Engine], monitor: &dyn Monitor) -> (Outcome, Choice) {
        let listing = if self.states == States::IfFew { limited(&self.task, EFFORT) } else { self.task.clone() };
        let unlisted = Task { states: false, ..self.task.clone() };
        let again = self.task.states && self.states == States::IfFew;
        let answer = self
            .first_answer(spares.iter().copied(), &listing, monitor)
            .or_else(|| self.first_answer(spares.iter().copied().filter(|_| again), &unlisted, monitor));
        match answer {
            Some((mut outcome, engine)) => {
                // What was seen up to the bound was seen, in rounds that the other may leave out.
                outcome.undefined |= bounded.undefined;
                for (flag, n) in bounded.flags {
                    outcome.flags.entry(flag).or_insert(n);
                }
                (outcome, Choice::other(engine, "loops go on beyond the first bound".into()))
            }
            None => (bounded, Choice::first(&*self.engine, "no other engine has an answer")),
        }
    }

    /// There is too much to list soon: the listing goes on beside the first other engine that takes the test.
    fn beside_each_other(&self, spares: &[&dyn Engine], monitor: &dyn Monitor) -> (Outcome, Choice) {
        let first = &*self.engine;
        let unlisted = Task { states: false, ..self.task.clone() };
        let Some(second) = spares.first() else {
            return (first.run(&self.task, monitor), Choice::first(first, "no other engine takes it"));
        };
        let run = |engine: &dyn Engine, task: &Task, monitor: &dyn Monitor| Ok(engine.run(task, monitor));
        let decides = |outcome: &Outcome| outcome.stopped.is_none() && !self.is_bounded(outcome);
        let [of_first, of_second] = both([first, *second], &unlisted, &run, &decides, monitor);
        match (of_first, of_second) {
            (_, Some(Ok(outcome))) if decides(&outcome) => {
                (outcome, Choice::other(*second, "there are too many executions to list".to_owned()))
            }
            (Some(Ok(outcome)), _) => (outcome, Choice::first(first, "no other engine has an answer")),
            _ => (first.run(&self.task, monitor), Choice::first(first, "no other engine has an answer")),
        }
    }
}

/// Whether an outcome of a program is the last word.
pub(crate) fn decides(outcome: &Outcome) -> bool {
    outcome.violation.is_some() || outcome.stopped.is_none() && !outcome.cut
}

/// Runs the first engine on a program and, if it refuses or takes long, the second one as well: the first that decides counts.
///
/// # Errors
/// That of the first engine, if the second has no answer.
pub(crate) fn race<R>(
    engines: [&dyn Engine; 2],
    task: &Task,
    run: &R,
    monitor: &dyn Monitor,
) -> Result<(Outcome, Choice), Failure>
where
    R: Fn(&dyn Engine, &Task, &dyn Monitor) -> Result<Outcome, Failure> + Sync,
{
    let [first, second] = engines;
    let name = first.info().name;
    let outcome = run(first, &limited(task, EFFORT), monitor);
    let refused = match &outcome {
        Err(failure) if failure.word == VerdictWord::Unknown => failure.reason.clone(),
        Ok(Outcome { stopped: Some(StopReason::Effort), violation: None, .. }) => String::new(),
        Ok(Outcome {
            stopped: Some(StopReason::Refused(why) | StopReason::RefusedAt(why, _)),
            violation: None,
            ..
        }) => {
            format!("{name} does not take it: {why}")
        }
        _ => return Ok((outcome?, Choice::first(first, "a program is explored"))),
    };
    if !refused.is_empty() {
        return match run(second, task, monitor) {
            Ok(other) if decides(&other) => Ok((other, Choice::other(second, refused))),
            _ => Ok((outcome?, Choice::named(first))),
        };
    }
    match both(engines, task, run, &decides, monitor) {
        [_, Some(Ok(other))] if decides(&other) => {
            Ok((other, Choice::other(second, format!("{name} has not ended soon, and this one was first"))))
        }
        [Some(own), _] => Ok((own?, Choice::first(first, "a program is explored"))),
        [None, _] => Ok((outcome?, Choice::named(first))),
    }
}

/// The results of two engines that run at the same time, until one of them decides.
fn both<R>(
    engines: [&dyn Engine; 2],
    task: &Task,
    run: &R,
    decides: &(dyn Fn(&Outcome) -> bool + Sync),
    monitor: &dyn Monitor,
) -> [Option<Result<Outcome, Failure>>; 2]
where
    R: Fn(&dyn Engine, &Task, &dyn Monitor) -> Result<Outcome, Failure> + Sync,
{
    let [first, second] = engines;
    let flags = [(); 2].map(|()| task.limits.cancel.child());
    let tasks = flags.each_ref().map(|cancel: &Cancel| {
        let limits = Limits { cancel: cancel.clone(), ..task.limits.clone() };
        Task { limits, ..task.clone() }
    });
    std::thread::scope(|scope| {
        let (report, reports) = mpsc::channel();
        let ask_second = report.clone();
        let other = &tasks[1];
        scope.spawn(move || drop(ask_second.send((1, run(second, other, &Silent)))));
        let own = &tasks[0];
        // The one whose progress is shown runs here; what it reports is read with the rest.
        let watch = scope.spawn(move || {
            let mut results = [None, None];
            for (i, result) in reports {
                let result: Result<Outcome, Failure> = result;
                if result.as_ref().is_ok_and(decides) {
                    flags.iter().for_each(Cancel::cancel);
                }
                let decided =
                    |r: &Option<Result<Outcome, Failure>>| r.as_ref().is_some_and(|r| r.as_ref().is_ok_and(decides));
                if !results.iter().any(decided) {
                    results[i] = Some(result);
                }
            }
            results
        });
        drop(report.send((0, run(first, own, monitor))));
        drop(report);
        watch.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::time::Duration;
    use treville_task::Semantics;

    struct Named(treville_task::EngineInfo);

    impl Engine for Named {
        fn info(&self) -> &treville_task::EngineInfo {
            &self.0
        }

        fn supports(&self, _: &Task) -> Result<(), Vec<treville_task::Unsupported>> {
            Ok(())
        }

        fn run(&self, _: &Task, _: &dyn Monitor) -> Outcome {
            Outcome::default()
        }
    }

    fn task() -> Task {
        let text = "program \"p\"\ndialect C rc11\nfunc main () regs [] {\nb0:\n  return _\n}\nthread main main []\n";
        let program = treville_ir::text::parse(treville_base::FileId(0), text).unwrap_or_else(|e| panic!("{e:?}"));
        Task { ..Task::new(Arc::new(program), Semantics::Bundled("sc".into())) }
    }

    fn stopped(why: StopReason) -> Outcome {
        Outcome { stopped: Some(why), ..Outcome::default() }
    }

    /// The engine that answers, if `slow` works until it is told to stop.
    fn winner(slow: &str, other: &Outcome) -> &'static str {
        let [first, second] = ["first", "second"].map(|name| Named(treville_task::EngineInfo { name, about: "" }));
        let run = |engine: &dyn Engine, task: &Task, _: &dyn Monitor| {
            let cancel = &task.limits.cancel;
            if engine.info().name != slow {
                return Ok(other.clone());
            }
            while !cancel.is_due() {
                std::thread::sleep(Duration::from_micros(10));
            }
            Ok(stopped(StopReason::of(cancel).unwrap_or(StopReason::Cancelled)))
        };
        race([&first, &second], &task(), &run, &Silent).map(|(_, choice)| choice.engine).unwrap_or("")
    }

    #[test]
    fn the_first_that_decides_counts() {
        assert_eq!(winner("first", &Outcome::default()), "second");
        assert_eq!(winner("second", &Outcome::default()), "first");
        // What the first one refuses, the second is asked.
        assert_eq!(winner("none", &stopped(StopReason::Refused("x".into()))), "first");
    }
}
