//! A second meaning of programs, straight from the data: threads take turns, one access after the other, and every state
//! is visited once. It shares nothing with the engines, neither clang nor the lowering nor the runtime, so that it sees what
//! all of them would agree on. What fails by taking turns fails under every model; under sc nothing else does.

mod code;
mod memory;
mod state;

use super::ast::{Place, Program};
use crate::Rng;
use code::Code;
use state::{Moved, State};
use std::collections::{BTreeSet, HashSet};

/// How a program fails by taking turns.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Fault {
    Assertion,
    Memory,
    Misuse,
    Deadlock,
}

/// What taking turns shows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Turns {
    pub faults: BTreeSet<Fault>,
    /// Whether every state was visited.
    pub complete: bool,
    /// Whether some run comes to its end: that of `main` is the end of all.
    pub ends: bool,
}

/// Every state, up to a number of them; none if the program does what has no meaning here.
pub fn explore(program: &Program, most: usize) -> Option<Turns> {
    let code = Code::of(program)?;
    let mut seen = HashSet::new();
    let mut open = vec![State::new(&code)];
    let mut turns = Turns { faults: BTreeSet::new(), complete: true, ends: false };
    while let Some(state) = open.pop() {
        if seen.len() >= most {
            turns.complete = false;
            break;
        }
        if !seen.insert(state.clone()) {
            continue;
        }
        if state.is_deadlock(&code) {
            turns.faults.insert(Fault::Deadlock);
        }
        turns.ends |= state.is_over();
        for thread in 0..state.n_threads() {
            for choice in 0..state.n_choices(&code, thread) {
                let mut next = state.clone();
                match next.step(&code, thread, choice) {
                    Moved::On => open.push(next),
                    Moved::Waits | Moved::Discarded => {}
                    Moved::Fails(fault) => {
                        turns.faults.insert(fault);
                    }
                    Moved::Meaningless => return None,
                }
            }
        }
    }
    Some(turns)
}

/// The values of some places at the end of a random run; none if it does not come to its end.
pub fn sample(program: &Program, places: &[Place], rng: &mut Rng) -> Option<Vec<i32>> {
    const MOST_STEPS: usize = 400;
    let code = Code::of(program)?;
    let mut state = State::new(&code);
    // A thread goes on for a while: otherwise all runs look alike.
    let (mut last, stays) = (0, rng.below(90) as u64);
    for _ in 0..MOST_STEPS {
        if state.is_done() {
            return state.values(places);
        }
        if !rng.percent(stays) {
            last = rng.below(state.n_threads());
        }
        let choice = rng.below(state.n_choices(&code, last));
        let mut next = state.clone();
        match next.step(&code, last, choice) {
            Moved::On => state = next,
            Moved::Waits => last = rng.below(state.n_threads()),
            Moved::Discarded | Moved::Fails(_) | Moved::Meaningless => return None,
        }
    }
    None
}
