//! A program on a memory: states, the steps from each, and states as bytes.

use crate::code::{Code, STUCK, Step, UpdateOrder};
use crate::memory::{Bytes, Choice, Flush, Memory, Written, put};

pub(crate) struct System<'c, M: Memory> {
    pub(crate) code: &'c Code,
    pub(crate) memory: M,
    pub(crate) bounds: Bounds,
}

/// Steps beyond these are not taken.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bounds {
    /// How many writes of each variable are kept.
    pub(crate) messages: Vec<usize>,
    /// How many accesses there are, the initial writes included. They are then part of the state.
    pub(crate) actions: Option<u32>,
}

#[derive(Clone)]
pub(crate) struct State<S> {
    /// Where each thread is.
    pub(crate) nodes: Vec<u16>,
    /// Of all threads.
    pub(crate) regs: Vec<u64>,
    pub(crate) memory: S,
    /// If somebody counts.
    pub(crate) actions: u32,
}

/// What one step does, for people.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Move {
    pub(crate) actor: Actor,
    /// Which of the choices of the actor.
    pub(crate) pick: u32,
    pub(crate) effect: Effect,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Actor {
    Thread(usize),
    /// The memory, for a thread.
    Memory(usize),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Effect {
    Read { var: usize, from: Choice },
    Write { var: usize, after: Choice, value: u64 },
    Update { var: usize, from: Choice, value: u64 },
    Flush { var: usize, written: Written },
    Skip,
}

/// Room for the work of one searcher, and what it has noticed.
pub(crate) struct Room<S> {
    next: State<S>,
    choices: Vec<Choice>,
    flushes: Vec<Flush>,
    /// Whether a step was not taken since it would have been beyond the bounds; for callers to reset.
    pub(crate) cut: bool,
    /// Variables of which more writes would have been kept than the bounds allow.
    pub(crate) full: Vec<bool>,
    /// More accesses would have been made than the bounds allow.
    pub(crate) out_of_actions: bool,
    /// Places that threads passed through on their way, by thread and node.
    pub(crate) passed: Vec<Vec<bool>>,
}

impl<M: Memory> System<'_, M> {
    pub(crate) fn room(&self) -> Room<M::State> {
        Room {
            next: self.blank(),
            choices: Vec::new(),
            flushes: Vec::new(),
            cut: false,
            full: vec![false; self.code.vars.len()],
            out_of_actions: false,
            passed: self.code.threads.iter().map(|thread| vec![false; thread.nodes.len()]).collect(),
        }
    }

    fn blank(&self) -> State<M::State> {
        State {
            nodes: self.code.threads.iter().map(|thread| thread.entry as u16).collect(),
            regs: self.code.threads.iter().flat_map(|thread| thread.regs.iter().copied()).collect(),
            memory: self.memory.initial(),
            actions: self.code.vars.len() as u32,
        }
    }

    pub(crate) fn initial(&self, room: &mut Room<M::State>) -> State<M::State> {
        let mut state = self.blank();
        for thread in 0..self.code.threads.len() {
            let entry = self.code.threads[thread].entry;
            self.settle(&mut state, thread, entry, &mut room.passed[thread]);
        }
        state
    }

    /// Runs a thread from a node to where it rests.
    fn settle(&self, state: &mut State<M::State>, thread: usize, mut at: usize, passed: &mut [bool]) {
        let code = &self.code.threads[thread];
        let regs = &mut state.regs[code.first_reg..code.first_reg + code.regs.len()];
        loop {
            let node = &code.nodes[at];
            passed[at] = true;
            if node.visible {
                break;
            }
            at = run_silent(&node.step, regs);
        }
        code.nodes[at].dropped.iter().for_each(|reg| regs[usize::from(*reg)] = 0);
        state.nodes[thread] = at as u16;
    }

    /// Calls `visit` for every step from a state, in a fixed order, with the state after it. Writes are marked with `origin`.
    pub(crate) fn steps(
        &self,
        state: &State<M::State>,
        origin: u32,
        room: &mut Room<M::State>,
        visit: &mut impl FnMut(Move, &State<M::State>),
    ) {
        for thread in 0..self.code.threads.len() {
            self.thread_steps(state, thread, origin, room, visit);
        }
        room.flushes.clear();
        self.memory.flushes(&state.memory, &mut room.flushes);
        for pick in 0..room.flushes.len() {
            let flush = room.flushes[pick];
            room.next.clone_from_state(state);
            self.memory.flush(&mut room.next.memory, &flush);
            let effect = Effect::Flush { var: flush.var, written: flush.written };
            visit(Move { actor: Actor::Memory(flush.thread), pick: pick as u32, effect }, &room.next);
        }
    }

    pub(crate) fn thread_steps(
        &self,
        state: &State<M::State>,
        thread: usize,
        origin: u32,
        room: &mut Room<M::State>,
        visit: &mut impl FnMut(Move, &State<M::State>),
    ) {
        let code = &self.code.threads[thread];
        let node = &code.nodes[usize::from(state.nodes[thread])];
        let regs = &state.regs[code.first_reg..code.first_reg + code.regs.len()];
        room.choices.clear();
        let actor = Actor::Thread(thread);
        match &node.step {
            Step::Read { var, acquire, dst, next } => {
                self.memory.reads(&state.memory, thread, *var, &mut room.choices);
                for pick in 0..room.choices.len() {
                    let from = room.choices[pick];
                    let effect = Effect::Read { var: *var, from };
                    if self.begin(state, room) {
                        self.memory.read(&mut room.next.memory, thread, *var, from.at, *acquire);
                        room.next.regs[code.first_reg + dst] = from.value;
                        self.settle(&mut room.next, thread, *next, &mut room.passed[thread]);
                        visit(Move { actor, pick: pick as u32, effect }, &room.next);
                    }
                }
            }
            Step::Write { var, release, value, next } => {
                let value = value.eval(regs);
                self.memory.writes(&state.memory, thread, *var, &mut room.choices);
                for pick in 0..room.choices.len() {
                    let after = room.choices[pick];
                    let effect = Effect::Write { var: *var, after, value };
                    if self.begin(state, room) {
                        let written = Written { value, origin };
                        self.memory.write(&mut room.next.memory, thread, *var, after.at, written, *release);
                        if self.fits(*var, room) {
                            self.settle(&mut room.next, thread, *next, &mut room.passed[thread]);
                            visit(Move { actor, pick: pick as u32, effect }, &room.next);
                        }
                    }
                }
            }
            Step::Update { .. } => self.update_steps(state, thread, origin, room, visit),
            Step::Pause { .. } | Step::Set { .. } | Step::Branch { .. } | Step::Goto { .. } | Step::Assume { .. } => {
                room.next.clone_from_state(state);
                let own = &mut room.next.regs[code.first_reg..code.first_reg + code.regs.len()];
                let next = run_silent(&node.step, own);
                self.settle(&mut room.next, thread, next, &mut room.passed[thread]);
                visit(Move { actor, pick: 0, effect: Effect::Skip }, &room.next);
            }
            Step::Fence { next } => {
                if self.memory.is_drained(&state.memory, thread) {
                    room.next.clone_from_state(state);
                    self.settle(&mut room.next, thread, *next, &mut room.passed[thread]);
                    visit(Move { actor, pick: 0, effect: Effect::Skip }, &room.next);
                }
            }
            Step::Done | Step::Stuck | Step::Fail => {}
        }
    }

    /// Updates that write, then those that only read since their guards are false.
    fn update_steps(
        &self,
        state: &State<M::State>,
        thread: usize,
        origin: u32,
        room: &mut Room<M::State>,
        visit: &mut impl FnMut(Move, &State<M::State>),
    ) {
        let code = &self.code.threads[thread];
        let node = &code.nodes[usize::from(state.nodes[thread])];
        let Step::Update { var, order, old, guard, new, next } = &node.step else { return };
        let UpdateOrder { acquire, release, fail_acquire } = *order;
        let old = code.first_reg + old;
        let own = code.first_reg..code.first_reg + code.regs.len();
        self.memory.updates(&state.memory, thread, *var, &mut room.choices);
        let n_updates = room.choices.len();
        if guard.is_some() {
            self.memory.reads(&state.memory, thread, *var, &mut room.choices);
        }
        for pick in 0..room.choices.len() {
            let from = room.choices[pick];
            let actor = Actor::Thread(thread);
            room.next.clone_from_state(state);
            room.next.regs[old] = from.value;
            let regs = &room.next.regs[own.clone()];
            let writes = guard.as_ref().is_none_or(|guard| guard.eval(regs) == 1);
            if writes != (pick < n_updates) {
                continue;
            }
            let value = new.eval(regs);
            let effect =
                if writes { Effect::Update { var: *var, from, value } } else { Effect::Read { var: *var, from } };
            if !self.begin(state, room) {
                continue;
            }
            room.next.regs[old] = from.value;
            if writes {
                let written = Written { value, origin };
                let orders = (acquire, release);
                self.memory.update(&mut room.next.memory, thread, *var, from.at, written, orders);
                if !self.fits(*var, room) {
                    continue;
                }
            } else {
                self.memory.fail(&mut room.next.memory, thread, *var, from.at, fail_acquire);
            }
            self.settle(&mut room.next, thread, *next, &mut room.passed[thread]);
            visit(Move { actor, pick: pick as u32, effect }, &room.next);
        }
    }

    /// Begins an access in a copy of the state, unless there may not be more of them.
    #[inline]
    fn begin(&self, state: &State<M::State>, room: &mut Room<M::State>) -> bool {
        room.next.clone_from_state(state);
        if let Some(most) = self.bounds.actions {
            if state.actions >= most {
                room.out_of_actions = true;
                room.cut = true;
                return false;
            }
            room.next.actions += 1;
        }
        true
    }

    /// Whether no more writes of a variable are kept than may be.
    fn fits(&self, var: usize, room: &mut Room<M::State>) -> bool {
        let fits = self.memory.n_kept(&room.next.memory, var) <= self.bounds.messages[var];
        room.full[var] |= !fits;
        room.cut |= !fits;
        fits
    }

    pub(crate) fn is_done(&self, state: &State<M::State>) -> bool {
        let done = |(thread, node): (usize, &u16)| {
            matches!(self.code.threads[thread].nodes[usize::from(*node)].step, Step::Done)
        };
        state.nodes.iter().enumerate().all(done) && self.memory.is_quiet(&state.memory)
    }

    /// Whether an assumption was wrong, and so the run is of no interest.
    pub(crate) fn is_given_up(&self, state: &State<M::State>) -> bool {
        state.nodes.iter().any(|node| usize::from(*node) == STUCK)
    }

    pub(crate) fn has_failed(&self, state: &State<M::State>) -> bool {
        let failed = |(thread, node): (usize, &u16)| {
            matches!(self.code.threads[thread].nodes[usize::from(*node)].step, Step::Fail)
        };
        state.nodes.iter().enumerate().any(failed)
    }

    pub(crate) fn encode(&self, state: &State<M::State>, out: &mut Vec<u8>) {
        out.clear();
        for (thread, node) in self.code.threads.iter().zip(&state.nodes) {
            put(u64::from(*node), out);
            let kept = &thread.nodes[usize::from(*node)].kept;
            kept.iter().for_each(|reg| put(state.regs[thread.first_reg + usize::from(*reg)], out));
        }
        if self.bounds.actions.is_some() {
            put(u64::from(state.actions), out);
        }
        self.memory.encode(&state.memory, out);
    }

    pub(crate) fn decode(&self, bytes: &[u8], state: &mut State<M::State>) {
        let mut bytes = Bytes(bytes);
        for (thread, node) in self.code.threads.iter().zip(&mut state.nodes) {
            *node = bytes.get() as u16;
            let Some(facts) = thread.nodes.get(usize::from(*node)) else { continue };
            facts.dropped.iter().for_each(|reg| state.regs[thread.first_reg + usize::from(*reg)] = 0);
            facts.kept.iter().for_each(|reg| state.regs[thread.first_reg + usize::from(*reg)] = bytes.get());
        }
        if self.bounds.actions.is_some() {
            state.actions = bytes.get() as u32;
        }
        self.memory.decode(&mut bytes, &mut state.memory);
    }
}

impl<S: Clone> State<S> {
    /// A copy that uses the room that is there.
    #[inline]
    fn clone_from_state(&mut self, other: &State<S>) {
        self.nodes.clone_from(&other.nodes);
        self.regs.clone_from(&other.regs);
        self.memory.clone_from(&other.memory);
        self.actions = other.actions;
    }
}

/// Runs a step that only the thread notices.
fn run_silent(step: &Step, regs: &mut [u64]) -> usize {
    match step {
        Step::Pause { next } | Step::Goto { next } => *next,
        Step::Set { dst, value, next } => {
            regs[*dst] = value.eval(regs);
            *next
        }
        Step::Branch { cond, then, els } => {
            if cond.eval(regs) == 1 {
                *then
            } else {
                *els
            }
        }
        Step::Assume { cond, next } => {
            if cond.eval(regs) == 1 {
                *next
            } else {
                STUCK
            }
        }
        // The others are visible, and never run here.
        Step::Read { .. }
        | Step::Write { .. }
        | Step::Update { .. }
        | Step::Fence { .. }
        | Step::Done
        | Step::Stuck
        | Step::Fail => STUCK,
    }
}
