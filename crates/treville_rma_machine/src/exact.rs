//! Answers of the exact machine: failures with few pending operations are real, and what holds with any number of them in an
//! over-approximation holds.

use crate::{Config, Order, Outcome, Pending, Reduction, Semantics, Verdict, check};
use std::collections::BTreeMap;
use treville_base::{BitSet, Cancel};
use treville_rma::{FailingRun, Failure, NO_RUN_COMPLETES, Program, Trace};

/// Figures, by name.
pub type Stats = BTreeMap<&'static str, u64>;

/// Unless the call says otherwise.
pub const MOST_STATES: usize = 5_000_000;
/// For a short look.
const FEW_STATES: usize = 250_000;
/// For the shortest run, among all interleavings.
const SHORTEST_STATES: usize = 400_000;

/// So many operations of a statement can be pending while failures are looked for.
const PENDING: [u8; 2] = [1, 2];

/// So many are tried, one number after the other, where neither these few nor any number of them give an answer; unless the
/// call says how many.
const MOST_PENDING: u8 = 5;

#[derive(Clone, Debug)]
pub struct Limits {
    pub states: usize,
    pub cancel: Cancel,
    /// How many operations of a statement can be pending at most.
    pub pending: Option<u8>,
}

impl Limits {
    /// For a short look.
    pub fn few(&self) -> Limits {
        self.at_most(FEW_STATES)
    }

    pub fn at_most(&self, states: usize) -> Limits {
        Limits { states: self.states.min(states), ..self.clone() }
    }
}

/// What was found.
#[derive(Clone, PartialEq, Debug)]
pub enum Exact {
    Holds { how: &'static str },
    Fails(FailingRun),
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
pub fn refute(program: &Program, placement: &BitSet, limits: &Limits, stats: &mut Stats) -> Option<(Failure, Trace)> {
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
pub fn short_failure(program: &Program, placement: &BitSet, limits: &Limits) -> Option<FailingRun> {
    for pending in PENDING {
        let semantics = Semantics::Remote(Pending::Bounded(pending));
        if let Verdict::Fails(failure, trace) = check(program, &config(semantics, placement, limits)).verdict {
            return Some(FailingRun { failure, trace, shortest: false });
        }
    }
    None
}

/// All states with few pending operations.
pub fn quick(program: &Program, placement: &BitSet, limits: &Limits, stats: &mut Stats) -> Exact {
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
                return held(program, &outcome, outcome.completes, "every state was explored");
            }
            Verdict::Safe => {}
        }
    }
    let [.., most] = PENDING;
    bounded(most)
}

fn bounded(most: u8) -> Exact {
    Exact::Bounded {
        relative_to: vec![format!(
            "at most {most} operations of a statement are on their way (option `max-pending` N)"
        )],
    }
}

/// All states with more and more pending operations: if the program issues no more of them, that is all there is.
fn growing(program: &Program, placement: &BitSet, limits: &Limits, stats: &mut Stats) -> Exact {
    let [.., mut complete] = PENDING;
    let most = limits.pending.unwrap_or(MOST_PENDING);
    let each = if limits.pending.is_some() { limits.clone() } else { limits.few() };
    for pending in complete + 1..=most {
        let semantics = Semantics::Remote(Pending::Bounded(pending));
        let outcome = run(program, &Config { order: Order::Depth, ..config(semantics, placement, &each) }, stats);
        match outcome.verdict {
            Verdict::Fails(failure, trace) => {
                return Exact::Fails(FailingRun { failure, trace, shortest: false });
            }
            Verdict::Open(why) if limits.pending.is_some() => return Exact::Open(why),
            Verdict::Open(_) => break,
            Verdict::Safe if !outcome.capped => {
                return held(program, &outcome, outcome.completes, "every state was explored");
            }
            Verdict::Safe => complete = pending,
        }
    }
    bounded(complete)
}

/// All states, and then over-approximations of the number of pending operations.
pub fn remote(program: &Program, placement: &BitSet, limits: &Limits, stats: &mut Stats) -> Exact {
    let found = quick(program, placement, limits, stats);
    let Exact::Bounded { .. } = &found else { return found };
    let over = [
        (Semantics::Reduced(Reduction::Counted), "every state of the reduction `counted` was explored"),
        (Semantics::Remote(Pending::Sticky(2)), "every state was explored, with any number of pending operations"),
        (Semantics::Reduced(Reduction::Table2), "every state of the reduction `table2` was explored"),
    ];
    for (semantics, how) in over {
        let outcome = run(program, &Config { order: Order::Depth, ..config(semantics, placement, limits) }, stats);
        if outcome.verdict == Verdict::Safe && !outcome.capped && !outcome.overflowed {
            return held(program, &outcome, completes(program, limits) == Completes::Yes, how);
        }
    }
    growing(program, placement, limits, stats)
}

/// All states of a reduction to SC. What fails there need not be real.
pub fn reduced(
    program: &Program,
    placement: &BitSet,
    reduction: Reduction,
    limits: &Limits,
    stats: &mut Stats,
) -> Exact {
    let outcome = run(program, &config(Semantics::Reduced(reduction), placement, limits), stats);
    match outcome.verdict {
        Verdict::Safe if !outcome.capped => {
            let completes = completes(program, limits) == Completes::Yes;
            held(program, &outcome, completes, "every state of the reduction was explored")
        }
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

pub fn sequential(program: &Program, limits: &Limits, stats: &mut Stats) -> Exact {
    let none = BitSet::new(program.slots.len());
    let outcome = run(program, &config(Semantics::Sequential, &none, limits), stats);
    match outcome.verdict {
        Verdict::Safe => held(program, &outcome, outcome.completes, "every state was explored"),
        Verdict::Fails(failure, trace) => Exact::Fails(FailingRun { failure, trace, shortest: true }),
        Verdict::Open(why) => Exact::Open(why),
    }
}

/// What it means that no state fails, if some run completes.
fn held(program: &Program, outcome: &Outcome, completes: bool, how: &'static str) -> Exact {
    match program.domain.filter(|_| outcome.pruned) {
        _ if outcome.overflowed => Exact::Open("a number gets larger than what the machine computes with".to_owned()),
        _ if !completes => Exact::Open(NO_RUN_COMPLETES.to_owned()),
        Some((first, last)) => {
            Exact::Bounded { relative_to: vec![format!("numbers stay within the domain {first}..{last}")] }
        }
        None => Exact::Holds { how },
    }
}

/// Whether some run completes: every process is at its end, has none in its text, or waits at an assumption.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Completes {
    Yes,
    /// All runs were explored.
    Never,
    Unknown,
}

impl Completes {
    /// Yes or no, if it is known.
    pub fn known(self) -> Option<bool> {
        match self {
            Completes::Yes => Some(true),
            Completes::Never => Some(false),
            Completes::Unknown => None,
        }
    }
}

/// Looks for a run that completes: with remote statements done at once, which is a run whatever flushes there are, and if there
/// is none, among all runs without flushes.
pub fn completes(program: &Program, limits: &Limits) -> Completes {
    let none = BitSet::new(program.slots.len());
    let mut found = Completes::Unknown;
    for semantics in [Semantics::Sequential, Semantics::Remote(Pending::Bounded(2))] {
        let config = config(semantics, &none, &limits.few());
        let outcome = check(program, &Config { order: Order::Depth, until_complete: true, ..config });
        if outcome.completes && semantics == Semantics::Sequential {
            return Completes::Yes;
        }
        let saw_all = outcome.verdict == Verdict::Safe && !outcome.pruned && !outcome.overflowed && !outcome.capped;
        found = if saw_all && !outcome.completes { Completes::Never } else { Completes::Unknown };
    }
    found
}

/// The shortest run that fails with few operations pending, if it is found soon; else one that is known.
pub fn shortened(
    program: &Program,
    placement: &BitSet,
    (failure, trace): (Failure, Trace),
    limits: &Limits,
) -> FailingRun {
    let mut best = FailingRun { failure, trace, shortest: false };
    for pending in PENDING.into_iter().rev() {
        let semantics = Semantics::Remote(Pending::Bounded(pending));
        let max_states = SHORTEST_STATES.min(limits.states);
        let all = Config { reduce: false, max_states, ..config(semantics, placement, limits) };
        if let Verdict::Fails(failure, trace) = check(program, &all).verdict {
            let shortest = pending == PENDING[PENDING.len() - 1];
            if shortest || trace.steps.len() < best.trace.steps.len() {
                best = FailingRun { failure, trace, shortest };
            }
            break;
        }
    }
    best
}
