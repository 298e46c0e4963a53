//! A second meaning of programs, straight from the data: threads take turns, one access after the other, and every state
//! is visited once. It shares nothing with the engines, neither clang nor the lowering nor the runtime, so that it sees what
//! all of them would agree on. What fails by taking turns fails under every model; under sc nothing else does.

mod code;
mod memory;
mod state;

use super::ast::{Place, Program};
use crate::Rng;
use code::Code;
use rustc_hash::FxHashSet;
use state::{Moved, State, Write};
use std::collections::BTreeSet;

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
    let mut seen = FxHashSet::default();
    let mut open = vec![State::new(&code)];
    let mut turns = Turns { faults: BTreeSet::new(), complete: true, ends: false };
    let mut unless_it_ends = Vec::new();
    while let Some(state) = open.pop() {
        if seen.len() >= most {
            turns.complete = false;
            break;
        }
        if !seen.insert(state.clone()) {
            continue;
        }
        if state.is_deadlock(&code, true) {
            turns.faults.insert(Fault::Deadlock);
        } else if state.is_deadlock(&code, false) {
            unless_it_ends.push(state.clone());
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
    let mut endless = FxHashSet::default();
    if turns.complete && unless_it_ends.into_iter().any(|state| !may_end(&code, state, &mut endless)) {
        turns.faults.insert(Fault::Deadlock);
    }
    Some(turns)
}

/// Whether the process may end after a state; `endless` are states after which it does not.
fn may_end(code: &Code, state: State, endless: &mut FxHashSet<State>) -> bool {
    let mut seen = FxHashSet::default();
    let mut open = vec![state];
    while let Some(state) = open.pop() {
        if state.is_over() {
            return true;
        }
        if endless.contains(&state) || !seen.insert(state.clone()) {
            continue;
        }
        for thread in 0..state.n_threads() {
            for choice in 0..state.n_choices(code, thread) {
                let mut next = state.clone();
                match next.step(code, thread, choice) {
                    Moved::On => open.push(next),
                    // A failure is an end as well.
                    Moved::Fails(_) => return true,
                    Moved::Waits | Moved::Discarded | Moved::Meaningless => {}
                }
            }
        }
    }
    endless.extend(seen);
    false
}

/// The values of some places at the end of a random run; none if it does not come to its end.
pub fn sample(program: &Program, places: &[Place], rng: &mut Rng) -> Option<Vec<i32>> {
    run(program, places, rng, |state, code, thread, rng| {
        let choice = rng.below(state.n_choices(code, thread));
        state.step(code, thread, choice)
    })
}

/// The same of a run in which atomic stores are delayed, whatever their order is: loads of the thread overtake them, and so do its
/// later stores to other places.
pub fn sample_delayed(program: &Program, places: &[Place], rng: &mut Rng) -> Option<Vec<i32>> {
    let mut delayed: Vec<Vec<Write>> = Vec::new();
    run(program, places, rng, |state, code, thread, rng| {
        delayed.resize(state.n_threads(), Vec::new());
        if let Some(write) = state.delayable(code, thread) {
            delayed[thread].push(write);
            return state.pass(code, thread);
        }
        let overtakes = |address| delayed[thread].iter().all(|write| write.address != address);
        let goes_on = state.load_address(code, thread).is_some_and(overtakes) || state.is_private(code, thread);
        // A join is the end of what the threads that have ended delay.
        let joins = state.next_joins(code, thread);
        let late: Vec<usize> = (0..delayed.len())
            .filter(|t| *t == thread || joins && state.has_ended(*t))
            .filter(|t| !delayed[*t].is_empty())
            .collect();
        if !late.is_empty() && (!goes_on || rng.percent(20)) {
            let thread = late[rng.below(late.len())];
            make_one(state, thread, &mut delayed[thread], rng);
            return Moved::On;
        }
        let choice = rng.below(state.n_choices(code, thread));
        state.step(code, thread, choice)
    })
}

/// Makes one of the delayed stores of a thread, of which there are some: the oldest of those to its place.
fn make_one(state: &mut State, thread: usize, delayed: &mut Vec<Write>, rng: &mut Rng) {
    let address = delayed[rng.below(delayed.len())].address;
    let oldest = delayed.iter().position(|write| write.address == address).unwrap_or_default();
    state.make(thread, &delayed.remove(oldest));
}

/// A random run, in which `step` says what a turn of a thread does.
fn run(
    program: &Program,
    places: &[Place],
    rng: &mut Rng,
    mut step: impl FnMut(&mut State, &Code, usize, &mut Rng) -> Moved,
) -> Option<Vec<i32>> {
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
        let mut next = state.clone();
        match step(&mut next, &code, last, rng) {
            Moved::On => state = next,
            Moved::Waits => last = rng.below(state.n_threads()),
            Moved::Discarded | Moved::Fails(_) | Moved::Meaningless => return None,
        }
    }
    None
}
