//! Breadth first through all states that can be reached: what is found first is found by a shortest run.

use crate::code::signed;
use crate::memory::Memory;
use crate::props::Check;
use crate::store::{Store, hash};
use crate::symmetry::Symmetries;
use crate::system::{Room, State, System};
use std::collections::BTreeMap;
use treville_base::{Cancel, Idx};
use treville_ir::{Formula, Place};
use treville_task::{FinalValue, Monitor, Progress, StopReason};
use treville_term::Bv;

/// What is looked for.
pub(crate) enum Target {
    State(Check),
    End(Check),
    /// A final state, with what must hold of it to count.
    Final(Formula, Option<Formula>),
    /// An assertion is false.
    Failed,
    /// Some threads are not done, and nothing will change any more.
    Deadlock,
    /// Machines do not do this.
    Never,
}

/// What to look at beside the targets.
pub(crate) struct Wanted<'a> {
    pub(crate) targets: &'a [Target],
    /// Final states are listed by these places.
    pub(crate) observed: Option<&'a [Place]>,
    pub(crate) most_states: u64,
    pub(crate) cancel: &'a Cancel,
}

pub(crate) struct Searched<S> {
    pub(crate) store: Store,
    pub(crate) room: Room<S>,
    /// For each target the first state, if there is one.
    pub(crate) reached: Vec<Option<usize>>,
    pub(crate) finals: BTreeMap<Vec<FinalValue>, u64>,
    pub(crate) transitions: u64,
    pub(crate) stopped: Option<StopReason>,
    /// Of the state that was found last.
    pub(crate) depth: u64,
}

pub(crate) fn search<M: Memory>(
    system: &System<'_, M>,
    symmetries: &Symmetries,
    wanted: &Wanted<'_>,
    monitor: &dyn Monitor,
) -> Searched<M::State> {
    let mut room = system.room();
    let mut found = Searched {
        store: Store::new(),
        room: system.room(),
        reached: vec![None; wanted.targets.len()],
        finals: BTreeMap::new(),
        transitions: 0,
        stopped: None,
        depth: 0,
    };
    let mut bytes = Vec::new();
    let mut state = system.initial(&mut room);
    symmetries.encode(system, &state, &mut bytes);
    found.store.insert(&bytes, hash(&bytes), 0);
    found.visit(system, symmetries, wanted, 0, &state);
    let mut front = Front { number: 0, place: 0, level_end: 1 };
    let mut batch = Batch::default();
    let mut new = state.clone();
    while front.number < found.store.len() {
        if found.must_stop(wanted) {
            break;
        }
        batch.clear();
        while batch.parents.len() < BATCH && front.number < found.store.len() && !front.ends_level(&mut found, &batch) {
            let (encoded, next_place) = found.store.at(front.place);
            system.decode(encoded, &mut state);
            room.cut = false;
            system.steps(&state, 0, &mut room, &mut |_, next| {
                symmetries.encode(system, next, &mut bytes);
                batch.push(&bytes);
            });
            batch.end_parent(&front, room.cut);
            front.number += 1;
            front.place = next_place;
        }
        batch.insert(&mut found, &mut |found, number, encoded| {
            system.decode(encoded, &mut new);
            found.visit(system, symmetries, wanted, number, &new);
        });
        for place in std::mem::take(&mut batch.ends) {
            system.decode(found.store.at(place.1).0, &mut new);
            found.end_of_ways(system, wanted, place.0, &new);
        }
        let seen = front.number as u64;
        monitor.progress(&Progress { executions: seen, candidates: found.transitions, expected: None });
    }
    found.room = room;
    found
}

/// The state to go on from.
struct Front {
    number: usize,
    place: usize,
    /// The first state that more steps lead to than to this one.
    level_end: usize,
}

impl Front {
    /// Counts levels; what a level leads to must be there before the next begins.
    fn ends_level<S>(&mut self, found: &mut Searched<S>, batch: &Batch) -> bool {
        if self.number < self.level_end {
            return false;
        }
        if batch.parents.is_empty() {
            self.level_end = found.store.len();
            found.depth += 1;
            return false;
        }
        true
    }
}

/// States to go on from at a time.
const BATCH: usize = 128;

/// What steps from some states lead to.
#[derive(Default)]
struct Batch {
    bytes: Vec<u8>,
    /// Where each state ends, and its hash.
    states: Vec<(usize, u64)>,
    parents: Vec<Parent>,
    /// Parents, by number and place, from which nothing but themselves is reached.
    ends: Vec<(usize, usize)>,
}

struct Parent {
    number: usize,
    place: usize,
    /// Where its states end.
    end: usize,
    /// Not all steps were taken.
    cut: bool,
}

impl Batch {
    fn clear(&mut self) {
        self.bytes.clear();
        self.states.clear();
        self.parents.clear();
    }

    fn push(&mut self, state: &[u8]) {
        self.bytes.extend_from_slice(state);
        self.states.push((self.bytes.len(), hash(state)));
    }

    fn end_parent(&mut self, front: &Front, cut: bool) {
        self.parents.push(Parent { number: front.number, place: front.place, end: self.states.len(), cut });
    }

    /// Puts all states into the store, in order; `visit` is told those that are new.
    fn insert<S>(&mut self, found: &mut Searched<S>, visit: &mut impl FnMut(&mut Searched<S>, usize, &[u8])) {
        std::hint::black_box(found.store.warm(self.states.iter().map(|(_, hash)| *hash)));
        let (mut start, mut next) = (0, 0);
        for parent in &self.parents {
            let mut goes_on = parent.cut;
            for (end, hash) in &self.states[next..parent.end] {
                let state = &self.bytes[start..*end];
                let (place, is_new) = found.store.insert(state, *hash, parent.number);
                goes_on |= place != parent.place;
                if is_new {
                    visit(found, found.store.len() - 1, state);
                }
                start = *end;
            }
            found.transitions += (parent.end - next) as u64;
            next = parent.end;
            if !goes_on {
                self.ends.push((parent.number, parent.place));
            }
        }
    }
}

impl<S> Searched<S> {
    fn must_stop(&mut self, wanted: &Wanted<'_>) -> bool {
        self.stopped = if self.store.len() as u64 > wanted.most_states {
            let states = wanted.most_states;
            Some(StopReason::Refused(format!("the limit of {states} states was reached (--max-states N raises it)")))
        } else {
            StopReason::of(wanted.cancel)
        };
        self.stopped.is_some()
    }

    /// A state that is new, or one of those that it stands for.
    fn visit<M: Memory<State = S>>(
        &mut self,
        system: &System<'_, M>,
        symmetries: &Symmetries,
        wanted: &Wanted<'_>,
        id: usize,
        state: &State<S>,
    ) where
        S: Clone,
    {
        symmetries.each_image(system, state, &mut |image| self.look(system, wanted, id, image));
    }

    fn look<M: Memory<State = S>>(&mut self, system: &System<'_, M>, wanted: &Wanted<'_>, id: usize, state: &State<S>) {
        let is_done = system.is_done(state);
        for (target, reached) in wanted.targets.iter().zip(&mut self.reached) {
            if reached.is_none() && holds(target, system, state, is_done) {
                *reached = Some(id);
            }
        }
        if let (true, Some(places)) = (is_done, wanted.observed) {
            let values = places.iter().map(|place| vec![value(system, state, place)]).collect();
            *self.finals.entry(values).or_default() += 1;
        }
    }

    /// Nothing comes after this state but itself.
    fn end_of_ways<M: Memory<State = S>>(
        &mut self,
        system: &System<'_, M>,
        wanted: &Wanted<'_>,
        id: usize,
        state: &State<S>,
    ) {
        let waits = !system.is_done(state) && !system.is_given_up(state) && !system.has_failed(state);
        for (target, reached) in wanted.targets.iter().zip(&mut self.reached) {
            if waits && reached.is_none() && matches!(target, Target::Deadlock) {
                *reached = Some(id);
            }
        }
    }
}

/// Whether a state is what is looked for; a deadlock does not show in a state alone.
pub(crate) fn holds<M: Memory>(
    target: &Target,
    system: &System<'_, M>,
    state: &State<M::State>,
    is_done: bool,
) -> bool {
    match target {
        Target::State(check) => check.holds(system, state),
        Target::End(check) => is_done && check.holds(system, state),
        Target::Final(condition, filter) => {
            let value = |place: &Place| Some(value(system, state, place));
            is_done && filter.as_ref().is_none_or(|f| f.holds(&value)) && condition.holds(&value)
        }
        Target::Failed => system.has_failed(state),
        Target::Deadlock | Target::Never => false,
    }
}

/// The final value of a place.
fn value<M: Memory>(system: &System<'_, M>, state: &State<M::State>, place: &Place) -> Bv {
    match place {
        Place::Reg(thread, reg) => {
            let code = &system.code.threads[thread.index()];
            Bv::new(u128::from(state.regs[code.first_reg + reg.index()]), code.widths[reg.index()])
        }
        Place::Mem { object, .. } | Place::Array { object, .. } => match system.code.var_of(*object) {
            Some(var) => Bv::new(u128::from(system.memory.last(&state.memory, var)), system.code.vars[var].width),
            None => Bv::zero(1),
        },
    }
}

/// The value of a variable with its sign.
pub(crate) fn signed_value<M: Memory>(system: &System<'_, M>, var: usize, value: u64) -> i64 {
    signed(value, system.code.vars[var].width)
}
