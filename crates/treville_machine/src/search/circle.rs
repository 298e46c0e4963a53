//! Threads that wait in a loop of several steps: a state is then not its own successor, but whatever happens leads back to it.

use super::Search;
use crate::memory::Memory;
use crate::system::{Room, State};
use std::collections::BTreeMap;

/// Larger circles are not looked for.
const LARGEST: usize = 1 << 14;

/// Whether every way from a state leads back to it, and nothing but what threads know changes on the way.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Circle {
    Closed,
    Left,
    /// There are more states on the way than are looked at.
    Large,
}

/// The states on the way, the first of them that of the question.
struct Around<S> {
    states: Vec<State<S>>,
    numbers: BTreeMap<Vec<u8>, usize>,
    /// For each state those with a step to it.
    before: Vec<Vec<usize>>,
    open: Vec<usize>,
}

impl<S: Clone> Around<S> {
    fn add(&mut self, state: &State<S>, bytes: &[u8], from: usize) {
        if let Some(known) = self.numbers.get(bytes) {
            self.before[*known].push(from);
            return;
        }
        self.numbers.insert(bytes.to_vec(), self.states.len());
        self.open.push(self.states.len());
        self.states.push(state.clone());
        self.before.push(vec![from]);
    }

    /// Whether the first state comes after each.
    fn all_come_back(&self) -> bool {
        let mut comes_back = vec![false; self.states.len()];
        let mut open = vec![0];
        while let Some(at) = open.pop() {
            if !std::mem::replace(&mut comes_back[at], true) {
                open.extend(&self.before[at]);
            }
        }
        !comes_back.contains(&false)
    }
}

impl<M: Memory> Search<'_, '_, M> {
    /// Looks at everything that can come after a state, until something else than registers and places of threads changes.
    pub(super) fn circle(&self, start: &State<M::State>, room: &mut Room<M::State>) -> Circle {
        let system = self.system;
        let (mut memory, mut bytes) = (Vec::new(), Vec::new());
        system.memory.encode(&start.memory, &mut memory);
        let mut around = Around { states: Vec::new(), numbers: BTreeMap::new(), before: Vec::new(), open: Vec::new() };
        system.encode(start, &mut bytes);
        around.add(start, &bytes, 0);
        room.cut = false;
        while let Some(at) = around.open.pop() {
            if around.states.len() > LARGEST || self.wanted.cancel.is_due() {
                return Circle::Large;
            }
            let state = around.states[at].clone();
            let mut leaves = system.about_to_write(&state);
            system.steps(&state, 0, room, &mut |_, next| {
                leaves = leaves || system.ends_more(start, next);
                if !leaves {
                    bytes.clear();
                    system.memory.encode(&next.memory, &mut bytes);
                    leaves = bytes != memory;
                }
                if !leaves {
                    system.encode(next, &mut bytes);
                    around.add(next, &bytes, at);
                }
            });
            if leaves || room.cut {
                return Circle::Left;
            }
        }
        if around.all_come_back() { Circle::Closed } else { Circle::Left }
    }
}
