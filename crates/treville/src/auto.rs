//! Which engine is asked where the call does not name one, and why it was that one.
//!
//! Tests are listed by `enumerate` as long as that takes little; what is too much to list is solved by `bmc`, and what an engine
//! refuses is given to the next one. Programs are explored; where that takes long, `bmc` is asked at the same time, and the
//! first answer counts. How much is little is counted in steps, so that a test has the same engine on every machine.

use crate::States;
use crate::session::Prepared;
use std::sync::mpsc;
use treville_base::Cancel;
use treville_report::Chosen;
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
        let mut spares: Vec<_> = spares.iter().filter(|spare| spare.supports(&self.task).is_ok()).collect();
        let why = match &outcome.stopped {
            Some(StopReason::Effort) => "there are too many executions to list".to_owned(),
            Some(StopReason::Refused(why) | StopReason::RefusedAt(why, _)) => {
                // Rather one that lists them as well.
                spares.reverse();
                format!("{} does not take it: {why}", self.engine.info().name)
            }
            _ => return (outcome, Choice::first(&*self.engine, "its executions can be listed")),
        };
        for spare in spares {
            let task = Task { states: listed, ..self.task.clone() };
            let other = spare.run(&task, monitor);
            if other.stopped.is_none() {
                return (other, Choice::other(&**spare, why));
            }
        }
        match outcome.stopped {
            Some(StopReason::Effort) => {
                let outcome = self.engine.run(&self.task, monitor);
                (outcome, Choice::first(&*self.engine, "no other engine has an answer"))
            }
            _ => (outcome, Choice::named(&*self.engine)),
        }
    }
}

/// Whether an outcome of a program is the last word.
fn decides(outcome: &Outcome) -> bool {
    outcome.violation.is_some() || outcome.stopped.is_none() && !outcome.cut
}

/// Runs the first engine on a program and, if it refuses or takes long, the second one as well: the first that decides counts.
pub(crate) fn race<E: Send, R>(
    engines: [&dyn Engine; 2],
    task: &Task,
    run: &R,
    monitor: &dyn Monitor,
) -> Result<(Outcome, Choice), E>
where
    R: Fn(&dyn Engine, &Task, &dyn Monitor) -> Result<Outcome, E> + Sync,
{
    let [first, second] = engines;
    let name = first.info().name;
    let outcome = run(first, &limited(task, EFFORT), monitor)?;
    let why = match &outcome.stopped {
        Some(StopReason::Effort) => format!("{name} has not ended soon, and this one was first"),
        Some(StopReason::Refused(why) | StopReason::RefusedAt(why, _)) if outcome.violation.is_none() => {
            let other = run(second, task, monitor);
            return Ok(match other {
                Ok(other) if decides(&other) => {
                    (other, Choice::other(second, format!("{name} does not take it: {why}")))
                }
                _ => (outcome, Choice::named(first)),
            });
        }
        _ => return Ok((outcome, Choice::first(first, "a program is explored"))),
    };
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
                let result: Result<Outcome, E> = result;
                if result.as_ref().is_ok_and(decides) {
                    flags.iter().for_each(Cancel::cancel);
                }
                let decided =
                    |r: &Option<Result<Outcome, E>>| r.as_ref().is_some_and(|r| r.as_ref().is_ok_and(decides));
                if !results.iter().any(decided) {
                    results[i] = Some(result);
                }
            }
            results
        });
        drop(report.send((0, run(first, own, monitor))));
        drop(report);
        let [of_first, of_second] = watch.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        match (of_first, of_second) {
            (_, Some(Ok(other))) if decides(&other) => Ok((other, Choice::other(second, why))),
            (Some(outcome), _) => outcome.map(|outcome| (outcome, Choice::first(first, "a program is explored"))),
            (None, _) => Ok((outcome, Choice::named(first))),
        }
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
                return Ok::<Outcome, ()>(other.clone());
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
