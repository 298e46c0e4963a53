//! Programs on remote memory, state by state: exactly, under SC, or in a reduction to SC (`treville_rma_machine`).

use treville_base::Cancel;
use treville_rma_machine::Reduction;
use treville_rma_machine::exact::{self, Exact, Limits, MOST_STATES, Stats};
use treville_task::{Answer, Effort, Outcome, RemoteMemory, RemoteTask, Scope, StopReason};

/// How programs on remote memory are run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct RemoteOptions {
    /// Only by this reduction to SC.
    pub reduction: Option<Reduction>,
    /// How many operations of a statement can be pending at most.
    pub max_pending: Option<u8>,
}

pub(crate) fn run(task: &RemoteTask, options: RemoteOptions) -> Outcome {
    let states = task.limits.states.and_then(|n| usize::try_from(n).ok()).unwrap_or(MOST_STATES);
    let limits = Limits { states, cancel: task.cancel().clone(), pending: options.max_pending };
    let (program, placement) = (&*task.program, &task.placement);
    let mut stats = Stats::new();
    let found = match (task.memory, options.reduction, task.effort) {
        (RemoteMemory::Sequential, ..) => exact::sequential(program, &limits, &mut stats),
        (RemoteMemory::Remote, Some(reduction), _) => {
            exact::reduced(program, placement, reduction, &limits, &mut stats)
        }
        (RemoteMemory::Remote, None, Effort::Brief) => exact::quick(program, placement, &limits.few(), &mut stats),
        (RemoteMemory::Remote, None, Effort::Full) => exact::remote(program, placement, &limits, &mut stats),
    };
    let mut outcome = Outcome { stats, ..Outcome::default() };
    let answer = match found {
        Exact::Fails(run) => Answer::Fails(Box::new(run)),
        Exact::Holds { how } => {
            outcome.completes = Some(true);
            how.clone_into(&mut outcome.how);
            Answer::Absent(Scope::complete())
        }
        Exact::Bounded { relative_to } => {
            outcome.cut = true;
            if task.effort == Effort::Full {
                (outcome.completes, outcome.stopped) = completes(task, &limits);
            }
            Answer::Absent(Scope { complete: false, relative_to })
        }
        Exact::Open(why) => open(why, task.cancel()),
    };
    Outcome { answers: vec![answer], ..outcome }
}

/// What was not decided, with the limit that is the reason if there is one.
fn open(why: String, cancel: &Cancel) -> Answer {
    Answer::Open(StopReason::of(cancel).unwrap_or(StopReason::Refused(why)))
}

/// Whether some run completes, and why that is not known.
fn completes(task: &RemoteTask, limits: &Limits) -> (Option<bool>, Option<StopReason>) {
    let completes = exact::completes(&task.program, limits).known();
    let stopped = if completes == Some(true) { None } else { StopReason::of(task.cancel()) };
    (completes, stopped)
}
