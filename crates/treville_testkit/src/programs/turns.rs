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
use std::collections::{BTreeSet, HashMap, HashSet};

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
    /// Whether some run comes to its end.
    pub ends: bool,
}

/// Every state, up to a number of them; none if the program does what has no meaning here.
pub fn explore(program: &Program, most: usize) -> Option<Turns> {
    let code = Code::of(program)?;
    let mut turns = Turns { faults: BTreeSet::new(), complete: true, ends: false };
    let mut numbers = HashMap::from([(State::new(&code), 0)]);
    let mut open = vec![(State::new(&code), 0)];
    let mut steps = Steps::default();
    while let Some((state, number)) = open.pop() {
        if numbers.len() > most {
            turns.complete = false;
            break;
        }
        steps.note(&state, number, &code);
        turns.ends |= state.is_done();
        for thread in 0..state.n_threads() {
            for choice in 0..state.n_choices(&code, thread) {
                let mut next = state.clone();
                match next.step(&code, thread, choice) {
                    Moved::On => {
                        let new = numbers.len();
                        let to = *numbers.entry(next.clone()).or_insert(new);
                        steps.before.entry(to).or_default().push(number);
                        if to == new {
                            open.push((next, to));
                        }
                    }
                    Moved::Waits | Moved::Discarded => {}
                    Moved::Fails(fault) => {
                        turns.faults.insert(fault);
                    }
                    Moved::Meaningless => return None,
                }
            }
        }
    }
    if steps.has_deadlock(turns.complete) {
        turns.faults.insert(Fault::Deadlock);
    }
    Some(turns)
}

/// Which states lead where, as far as it matters to deadlocks.
#[derive(Default)]
struct Steps {
    before: HashMap<usize, Vec<usize>>,
    /// Where the process has ended.
    over: Vec<usize>,
    /// Where threads wait for each other, and `main` does not wait with them.
    stuck: Vec<usize>,
    /// The same, and `main` waits with them.
    stuck_with_main: bool,
}

impl Steps {
    fn note(&mut self, state: &State, number: usize, code: &Code) {
        if state.is_over() {
            return self.over.push(number);
        }
        let stuck = state.stuck(code);
        self.stuck_with_main |= stuck[0];
        if stuck.contains(&true) {
            self.stuck.push(number);
        }
    }

    /// Whether threads wait for each other where the process does not end any more. If states are missing, it might.
    fn has_deadlock(mut self, complete: bool) -> bool {
        let mut ends: HashSet<usize> = HashSet::new();
        while let Some(state) = self.over.pop() {
            if ends.insert(state) {
                self.over.extend(self.before.get(&state).into_iter().flatten());
            }
        }
        self.stuck_with_main || complete && self.stuck.iter().any(|state| !ends.contains(state))
    }
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
