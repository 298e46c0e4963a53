//! What one worker does in a round: it looks at states, and works out what steps from them lead to.

use super::circle::Circle;
use super::{Front, Search, Target, holds, value};
use crate::memory::Memory;
use crate::store::{Store, hash};
use crate::system::{Layout, Room, State};
use std::collections::BTreeMap;
use treville_task::FinalValue;

/// Some states that follow one another in the store, and those states that steps from them lead to and that the store lacked.
#[derive(Default)]
pub(super) struct Chunk {
    first: usize,
    place: usize,
    n: usize,
    bytes: Vec<u8>,
    states: Vec<Next>,
}

/// A state that a step leads to, by its bytes in the chunk.
#[derive(Clone, Copy)]
struct Next {
    hash: u64,
    start: u32,
    len: u32,
    parent: u32,
}

impl Chunk {
    pub(super) fn begin(&mut self, first: usize, place: usize, n: usize) {
        (self.first, self.place, self.n) = (first, place, n);
        self.bytes.clear();
        self.states.clear();
    }

    fn push(&mut self, state: &[u8], parent: usize) {
        let (start, len) = (self.bytes.len() as u32, state.len() as u32);
        self.bytes.extend_from_slice(state);
        self.states.push(Next { hash: hash(state), start, len, parent: parent as u32 });
    }

    fn leave_out_known(&mut self, store: &Store) {
        // The store answers faster if it has looked for all first.
        std::hint::black_box(store.warm(self.states.iter().map(|next| next.hash)));
        let bytes = &self.bytes;
        self.states.retain(|next| !store.has(next.bytes(bytes), next.hash));
    }

    /// Stores what was found, in order.
    pub(super) fn insert(&self, store: &mut Store) {
        for next in &self.states {
            store.insert(next.bytes(&self.bytes), next.hash, next.parent);
        }
    }
}

impl Next {
    fn bytes<'b>(&self, chunk: &'b [u8]) -> &'b [u8] {
        &chunk[self.start as usize..][..self.len as usize]
    }
}

/// Room for the work, and what has been found on the way.
pub(super) struct Worker<S> {
    pub(super) room: Room<S>,
    state: State<S>,
    layout: Layout,
    bytes: Vec<u8>,
    /// For each target the first state, of those that this worker has looked at: numbers only grow.
    pub(super) reached: Vec<Option<usize>>,
    pub(super) finals: BTreeMap<Vec<FinalValue>, u64>,
    pub(super) transitions: u64,
    /// Some state is complete.
    pub(super) completes: bool,
    /// Some state may be one where threads wait for ever: what comes after it was too much to look at.
    pub(super) may_wait: bool,
}

/// States between looks at the clock.
const BETWEEN_LOOKS: usize = 16;

impl<M: Memory> Search<'_, '_, M> {
    pub(super) fn worker(&self) -> Worker<M::State> {
        let mut room = self.system.room();
        Worker {
            state: self.system.initial(&mut room),
            room,
            layout: Layout::default(),
            bytes: Vec::new(),
            reached: vec![None; self.wanted.targets.len()],
            finals: BTreeMap::new(),
            transitions: 0,
            completes: false,
            may_wait: false,
        }
    }

    /// Gives up halfway if time is over.
    pub(super) fn expand_chunk(&self, chunk: &mut Chunk, store: &Store, worker: &mut Worker<M::State>) {
        let mut place = chunk.place;
        for number in chunk.first..chunk.first + chunk.n {
            if number % BETWEEN_LOOKS == 0 && self.wanted.cancel.is_due() {
                return;
            }
            let (encoded, next_place) = store.at(place);
            self.system.decode(encoded, &mut worker.state, &mut worker.layout);
            self.visit(number, worker);
            let Worker { room, state, layout, bytes, transitions, .. } = worker;
            room.cut = false;
            let mut goes_on = false;
            self.system.steps(state, 0, room, &mut |step, next| {
                self.system.encode_after((state, encoded, layout), &step, next, bytes);
                *transitions += 1;
                // A step to an image of the state is a step all the same.
                goes_on |= bytes != encoded;
                self.symmetries.replace_by_least(self.system, next, bytes);
                if bytes != encoded {
                    chunk.push(bytes, number);
                }
            });
            if !goes_on && !room.cut {
                self.end_of_ways(number, worker);
            }
            place = next_place;
        }
        chunk.leave_out_known(store);
    }

    /// Looks at the states that there was no room to go on from.
    pub(super) fn look_at_rest(&self, front: &Front, store: &Store, worker: &mut Worker<M::State>) {
        let mut place = front.place;
        for number in front.number..store.len() {
            if number % BETWEEN_LOOKS == 0 && self.wanted.cancel.is_due() {
                return;
            }
            let (encoded, next_place) = store.at(place);
            self.system.decode(encoded, &mut worker.state, &mut worker.layout);
            self.visit(number, worker);
            place = next_place;
        }
    }

    /// Looks at a state, and at those that it stands for.
    fn visit(&self, number: usize, worker: &mut Worker<M::State>) {
        worker.completes |= self.system.is_complete(&worker.state);
        let Worker { state, reached, finals, .. } = worker;
        self.symmetries.each_image(self.system, state, &mut |image| {
            let is_done = self.system.is_done(image);
            for (target, reached) in self.wanted.targets.iter().zip(&mut *reached) {
                if reached.is_none() && holds(target, self.system, image, is_done) {
                    *reached = Some(number);
                }
            }
            if let (true, Some(places)) = (is_done, self.wanted.observed) {
                let values = places.iter().map(|place| vec![value(self.system, image, place)]).collect();
                *finals.entry(values).or_default() += 1;
            }
        });
    }

    /// Looks for the first state whose threads only wait, in loops of several steps. One worker does that, when all states are
    /// there, and gives up at the first that it cannot decide: so it costs little, and does not depend on how many workers there are.
    pub(super) fn look_for_circles(&self, store: &Store, worker: &mut Worker<M::State>) {
        let mut place = 0;
        for number in 0..store.len() {
            if number % BETWEEN_LOOKS == 0 && self.wanted.cancel.is_due() {
                worker.may_wait = true;
                return;
            }
            let (encoded, next_place) = store.at(place);
            self.system.decode(encoded, &mut worker.state, &mut worker.layout);
            place = next_place;
            if self.system.about_to_write(&worker.state) {
                continue;
            }
            match self.circle(&worker.state, &mut worker.room) {
                Circle::Left => continue,
                Circle::Closed => self.end_of_ways(number, worker),
                Circle::Large => worker.may_wait = true,
            }
            if worker.may_wait || self.has_deadlock(worker) {
                return;
            }
        }
    }

    /// Whether nobody asks for a deadlock any more.
    pub(super) fn has_deadlock(&self, worker: &Worker<M::State>) -> bool {
        let mut targets = self.wanted.targets.iter().zip(&worker.reached);
        targets.all(|(target, reached)| reached.is_some() || !matches!(target, Target::Deadlock))
    }

    /// Nothing comes after this state but itself, or states that lead back to it.
    fn end_of_ways(&self, number: usize, worker: &mut Worker<M::State>) {
        let (system, state) = (self.system, &worker.state);
        let waits = !system.is_done(state) && !system.is_given_up(state) && !system.has_failed(state);
        for (target, reached) in self.wanted.targets.iter().zip(&mut worker.reached) {
            if waits && reached.is_none() && matches!(target, Target::Deadlock) {
                *reached = Some(number);
            }
        }
    }
}
