//! Answers of the exact machine: failures with few pending operations are real, and what holds with any number of them in an
//! over-approximation holds.

use treville_base::{BitSet, Cancel};
use treville_report::RmaRun;
use treville_rma::{Failure, Program, Trace};
use treville_rma_machine::{Config, Order, Outcome, Pending, Reduction, Semantics, Verdict, check};
use treville_task::Stats;

/// Unless the call says otherwise.
pub(crate) const MOST_STATES: usize = 5_000_000;
/// For a short look.
const FEW_STATES: usize = 250_000;
/// For the shortest run, among all interleavings.
const SHORTEST_STATES: usize = 400_000;

/// So many operations of a statement can be pending while failures are looked for.
const PENDING: [u8; 2] = [1, 2];

#[derive(Clone, Debug)]
pub(crate) struct Limits {
    pub(crate) states: usize,
    pub(crate) cancel: Cancel,
}

impl Limits {
    /// For a short look.
    pub(crate) fn few(&self) -> Limits {
        self.at_most(FEW_STATES)
    }

    pub(crate) fn at_most(&self, states: usize) -> Limits {
        Limits { states: self.states.min(states), cancel: self.cancel.clone() }
    }
}

/// What was found.
pub(crate) enum Exact {
    Holds { how: &'static str },
    Fails(RmaRun),
    Bounded { relative_to: Vec<String> },
    Open(String),
}

fn config(semantics: Semantics, placement: &BitSet, limits: &Limits) -> Config {
    Config { max_states: limits.states, cancel: limits.cancel.clone(), ..Config::new(semantics, placement.clone()) }
}

fn run(program: &Program, config: &Config, stats: &mut Stats) -> Outcome {
    let outcome = check(program, config);
    *stats.entry("states").or_default() += outcome.states as u64;
    *stats.entry("transitions").or_default() += outcome.transitions as u64;
    outcome
}

/// Looks for a failure with few pending operations.
pub(crate) fn refute(
    program: &Program,
    placement: &BitSet,
    limits: &Limits,
    stats: &mut Stats,
) -> Option<(Failure, Trace)> {
    for pending in PENDING {
        let semantics = Semantics::Remote(Pending::Bounded(pending));
        let config = Config { order: Order::Depth, ..config(semantics, placement, limits) };
        let outcome = run(program, &config, stats);
        match outcome.verdict {
            Verdict::Fails(failure, trace) => return Some((failure, trace)),
            Verdict::Safe if outcome.capped => {}
            Verdict::Safe | Verdict::Open(_) => return None,
        }
    }
    None
}

/// A failure on a short run, if it is found soon.
pub(crate) fn short_failure(program: &Program, placement: &BitSet, limits: &Limits) -> Option<RmaRun> {
    for pending in PENDING {
        let semantics = Semantics::Remote(Pending::Bounded(pending));
        if let Verdict::Fails(failure, trace) = check(program, &config(semantics, placement, limits)).verdict {
            return Some(RmaRun { failure, trace, shortest: false });
        }
    }
    None
}

/// All states with few pending operations.
pub(crate) fn quick(program: &Program, placement: &BitSet, limits: &Limits, stats: &mut Stats) -> Exact {
    for pending in PENDING {
        let semantics = Semantics::Remote(Pending::Bounded(pending));
        let order = if pending == 1 { Order::Breadth } else { Order::Depth };
        let outcome = run(program, &Config { order, ..config(semantics, placement, limits) }, stats);
        match outcome.verdict {
            Verdict::Fails(failure, trace) => {
                return Exact::Fails(shortened(program, placement, (failure, trace), limits));
            }
            Verdict::Open(why) => return Exact::Open(why),
            Verdict::Safe if !outcome.capped => {
                return held(program, outcome.pruned, "every state was looked at");
            }
            Verdict::Safe => {}
        }
    }
    let [.., most] = PENDING;
    Exact::Bounded { relative_to: vec![format!("at most {most} operations of a statement are on their way")] }
}

/// All states, and then over-approximations of the number of pending operations.
pub(crate) fn remote(program: &Program, placement: &BitSet, limits: &Limits, stats: &mut Stats) -> Exact {
    let found = quick(program, placement, limits, stats);
    let Exact::Bounded { .. } = &found else { return found };
    let over = [
        (Semantics::Reduced(Reduction::Counted), "every state of the reduction `counted` was looked at"),
        (Semantics::Remote(Pending::Sticky(2)), "every state was looked at, with any number of pending operations"),
        (Semantics::Reduced(Reduction::Table2), "every state of the reduction `table2` was looked at"),
    ];
    for (semantics, how) in over {
        let outcome = run(program, &Config { order: Order::Depth, ..config(semantics, placement, limits) }, stats);
        if outcome.verdict == Verdict::Safe && !outcome.capped {
            return held(program, outcome.pruned, how);
        }
    }
    found
}

/// All states of a reduction to SC. What fails there need not be real.
pub(crate) fn reduced(
    program: &Program,
    placement: &BitSet,
    reduction: Reduction,
    limits: &Limits,
    stats: &mut Stats,
) -> Exact {
    let outcome = run(program, &config(Semantics::Reduced(reduction), placement, limits), stats);
    match outcome.verdict {
        Verdict::Safe if !outcome.capped => held(program, outcome.pruned, "every state of the reduction was looked at"),
        Verdict::Safe => Exact::Open("more atomic operations are pending than the reduction counts".to_owned()),
        Verdict::Open(why) => Exact::Open(why),
        Verdict::Fails(..) => match refute(program, placement, limits, stats) {
            Some(found) => Exact::Fails(shortened(program, placement, found, limits)),
            None => {
                Exact::Open("the reduction to SC fails, but no run of remote memory was found that does".to_owned())
            }
        },
    }
}

pub(crate) fn sequential(program: &Program, limits: &Limits, stats: &mut Stats) -> Exact {
    let none = BitSet::new(program.slots.len());
    let outcome = run(program, &config(Semantics::Sequential, &none, limits), stats);
    match outcome.verdict {
        Verdict::Safe => held(program, outcome.pruned, "every state was looked at"),
        Verdict::Fails(failure, trace) => Exact::Fails(RmaRun { failure, trace, shortest: true }),
        Verdict::Open(why) => Exact::Open(why),
    }
}

fn held(program: &Program, pruned: bool, how: &'static str) -> Exact {
    match program.domain.filter(|_| pruned) {
        Some((first, last)) => {
            Exact::Bounded { relative_to: vec![format!("numbers stay within the domain {first}..{last}")] }
        }
        None => Exact::Holds { how },
    }
}

/// The shortest run that fails with few operations pending, if it is found soon; else one that is known.
pub(crate) fn shortened(
    program: &Program,
    placement: &BitSet,
    (failure, trace): (Failure, Trace),
    limits: &Limits,
) -> RmaRun {
    let mut best = RmaRun { failure, trace, shortest: false };
    for pending in PENDING.into_iter().rev() {
        let semantics = Semantics::Remote(Pending::Bounded(pending));
        let max_states = SHORTEST_STATES.min(limits.states);
        let all = Config { reduce: false, max_states, ..config(semantics, placement, limits) };
        if let Verdict::Fails(failure, trace) = check(program, &all).verdict {
            let shortest = pending == PENDING[PENDING.len() - 1];
            if shortest || trace.steps.len() < best.trace.steps.len() {
                best = RmaRun { failure, trace, shortest };
            }
            break;
        }
    }
    best
}
