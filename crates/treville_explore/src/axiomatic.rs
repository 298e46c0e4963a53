//! The second engine of this crate: exploration of litmus tests under any model that is given by axioms, in any dialect, load buffering
//! included. It finds every consistent execution of a finite program, once.
//!
//! It is not the search of [`crate::search`]: threads are unfolded before ([`treville_unfold`]), values are terms, and there are no revisits.
//! The engine takes it for questions about final states where the model has no form that is built in, and for the witnesses of the
//! others ([`crate::engine`]).
//!
//! The graph grows by what is certain. A thread's events are added up to the first point where its way depends on a read that
//! has no source yet; no event waits for a read that it does not depend on, so that a read may see a write that its own thread
//! let go first. Choices are made one by one, and each divides the executions that are left: a read sees one of the writes
//! in the graph, or one that is still to come ([`Exploration`] offers it to each new write of its cell); a write takes one place
//! among those of its cell; a thread that nothing else can free goes one of its ways, and the values that turn up must agree.
//! So no execution is met twice and none is lost, whatever the model says, and nothing is remembered of those that are done.
//! What the model forbids of the graph so far, it must forbid of every larger one to be given up early ([`growing`]).

mod graph;
mod growing;
mod search;

pub(crate) use growing::{Growth, growing_checks};
use search::Exploration;
use treville_base::Cancel;
use treville_eval::Plan;
use treville_task::{Answer, Outcome, Semantics, Stats, StopReason, Task};
use treville_unfold::{Collector, Failed, Prepared};

/// Answers the task's queries and lists its final states.
pub(crate) fn explore(task: &Task) -> Outcome {
    search(task, None)
}

/// The answers to these of the task's queries that are known to have one, at the first execution that shows it; what is said
/// of the others means nothing.
pub(crate) fn witnesses(task: &Task, wanted: Vec<usize>) -> Vec<Answer> {
    search(task, Some(wanted)).answers
}

/// All executions, or only so many that these queries have a witness.
fn search(task: &Task, wanted: Option<Vec<usize>>) -> Outcome {
    let cancel = &task.limits.cancel;
    let mut collector = Collector::new(task);
    let Semantics::Axioms(model, _) = &task.semantics else {
        return collector.outcome(Some(reason(Failed::NoAxioms, cancel)), false, Stats::new());
    };
    let prepared = match Prepared::of(task, cancel) {
        Ok(prepared) => prepared,
        Err(failed) => return collector.outcome(Some(reason(failed, cancel)), false, Stats::new()),
    };
    let plan = Plan::new(model);
    let mut search = Exploration::new(&prepared, model, plan.as_ref(), &mut collector, cancel, wanted);
    let refused = search.all().err();
    let mut stats = Stats::new();
    stats.insert("graphs", search.graphs);
    stats.insert("dead ends", search.dead_ends);
    let missed = || {
        let why = "an access with a computed address touches a part of a location, which is not supported";
        prepared.missed.get().then(|| StopReason::Refused(why.into()))
    };
    let stopped = refused.or_else(|| StopReason::of(cancel)).or_else(missed);
    collector.outcome(stopped, prepared.cut, stats)
}

fn reason(failed: Failed, cancel: &Cancel) -> StopReason {
    match failed {
        Failed::NoAxioms => StopReason::Refused("the model is not linked for this program".into()),
        Failed::TooManyPaths => {
            StopReason::of(cancel).unwrap_or(StopReason::Refused("the threads have too many paths".into()))
        }
        Failed::Refused(refusal) => StopReason::Refused(refusal),
    }
}
