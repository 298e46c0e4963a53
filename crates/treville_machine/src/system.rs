//! A program on a memory: states, the steps from each, and states as bytes.

use crate::code::{Code, Fence, STUCK, Step, Thread, UpdateOrder};
use crate::memory::{Bytes, Choice, Flush, Memory, Written, put, put_positions};

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
    /// Of all threads; 0 where they are not kept.
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

impl Move {
    #[inline]
    fn of(thread: usize, pick: usize, effect: Effect) -> Self {
        Move { actor: Actor::Thread(thread), pick: pick as u32, effect }
    }
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
    /// Equal to the state that steps are made from, between steps.
    next: State<S>,
    choices: Vec<Choice>,
    flushes: Vec<Flush>,
    /// Whether a step was not taken since it would have been beyond the bounds; for callers to reset.
    pub(crate) cut: bool,
    pub(crate) noticed: Noticed,
}

/// What is remembered of all steps together.
#[derive(Default)]
pub(crate) struct Noticed {
    /// Variables of which more writes would have been kept than the bounds allow.
    pub(crate) full: Vec<bool>,
    /// More accesses would have been made than the bounds allow.
    pub(crate) out_of_actions: bool,
    /// Places that threads passed through on their way, by thread and node.
    pub(crate) passed: Vec<Vec<bool>>,
}

impl Noticed {
    /// Whether some step was beyond the bounds.
    pub(crate) fn is_cut(&self) -> bool {
        self.out_of_actions || self.full.contains(&true)
    }

    /// Adds what somebody else has noticed.
    pub(crate) fn add(&mut self, other: Noticed) {
        if self.passed.is_empty() {
            *self = other;
            return;
        }
        let or = |all: &mut [bool], more: &[bool]| all.iter_mut().zip(more).for_each(|(a, b)| *a |= b);
        or(&mut self.full, &other.full);
        self.out_of_actions |= other.out_of_actions;
        self.passed.iter_mut().zip(&other.passed).for_each(|(all, more)| or(all, more));
    }
}

impl<M: Memory> System<'_, M> {
    pub(crate) fn room(&self) -> Room<M::State> {
        Room {
            next: self.blank(),
            choices: Vec::new(),
            flushes: Vec::new(),
            cut: false,
            noticed: Noticed {
                full: vec![false; self.code.vars.len()],
                out_of_actions: false,
                passed: self.code.threads.iter().map(|thread| vec![false; thread.nodes.len()]).collect(),
            },
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
            self.settle(&mut state, thread, entry, &mut room.noticed.passed[thread]);
            let code = &self.code.threads[thread];
            let dropped = &code.nodes[usize::from(state.nodes[thread])].dropped;
            dropped.iter().for_each(|reg| state.regs[code.first_reg + usize::from(*reg)] = 0);
        }
        state
    }

    /// Runs a thread from a node to where it rests.
    fn settle(&self, state: &mut State<M::State>, thread: usize, mut at: usize, passed: &mut [bool]) {
        let code = &self.code.threads[thread];
        let regs = &mut state.regs[code.own_regs()];
        loop {
            let node = &code.nodes[at];
            passed[at] = true;
            if node.visible {
                break;
            }
            at = run_silent(&node.step, regs);
        }
        code.nodes[at].cleared.iter().for_each(|reg| regs[usize::from(*reg)] = 0);
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
        room.next.copy(state);
        for thread in 0..self.code.threads.len() {
            self.steps_of(state, thread, origin, room, visit);
        }
        room.flushes.clear();
        self.memory.flushes(&state.memory, &mut room.flushes);
        for pick in 0..room.flushes.len() {
            let flush = room.flushes[pick];
            self.memory.flush(&mut room.next.memory, &flush);
            let effect = Effect::Flush { var: flush.var, written: flush.written };
            visit(Move { actor: Actor::Memory(flush.thread), pick: pick as u32, effect }, &room.next);
            room.next.memory.clone_from(&state.memory);
        }
    }

    /// The same for the steps of one thread.
    pub(crate) fn thread_steps(
        &self,
        state: &State<M::State>,
        thread: usize,
        origin: u32,
        room: &mut Room<M::State>,
        visit: &mut impl FnMut(Move, &State<M::State>),
    ) {
        room.next.copy(state);
        self.steps_of(state, thread, origin, room, visit);
    }

    fn steps_of(
        &self,
        state: &State<M::State>,
        thread: usize,
        origin: u32,
        room: &mut Room<M::State>,
        visit: &mut impl FnMut(Move, &State<M::State>),
    ) {
        let code = &self.code.threads[thread];
        let node = &code.nodes[usize::from(state.nodes[thread])];
        room.choices.clear();
        match &node.step {
            Step::Read { var, acquire, dst, next } => {
                self.memory.reads(&state.memory, thread, *var, &mut room.choices);
                for pick in 0..room.choices.len() {
                    let from = room.choices[pick];
                    if self.begin(state, room) {
                        self.memory.read(&mut room.next.memory, thread, *var, from.at, *acquire);
                        room.next.regs[code.first_reg + dst] = from.value;
                        let effect = Effect::Read { var: *var, from };
                        self.end(state, Move::of(thread, pick, effect), *next, room, visit);
                    }
                }
            }
            Step::Write { var, release, value, next } => {
                let value = value.eval(&state.regs[code.own_regs()]);
                self.memory.writes(&state.memory, thread, *var, &mut room.choices);
                for pick in 0..room.choices.len() {
                    let after = room.choices[pick];
                    if self.begin(state, room) {
                        let written = Written { value, origin };
                        self.memory.write(&mut room.next.memory, thread, *var, after.at, written, *release);
                        if self.fits(*var, room) {
                            let effect = Effect::Write { var: *var, after, value };
                            self.end(state, Move::of(thread, pick, effect), *next, room, visit);
                        } else {
                            room.next.memory.clone_from(&state.memory);
                        }
                    }
                }
            }
            Step::Update { .. } => self.update_steps(state, thread, origin, room, visit),
            Step::Pause { .. } | Step::Set { .. } | Step::Branch { .. } | Step::Goto { .. } | Step::Assume { .. } => {
                let next = run_silent(&node.step, &mut room.next.regs[code.own_regs()]);
                self.end(state, Move::of(thread, 0, Effect::Skip), next, room, visit);
            }
            Step::Fence { kind, next } => {
                if *kind == Fence::Writes {
                    self.memory.order_writes(&mut room.next.memory, thread);
                }
                if *kind != Fence::All || self.memory.is_drained(&state.memory, thread) {
                    self.end(state, Move::of(thread, 0, Effect::Skip), *next, room, visit);
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
        let UpdateOrder { order, fail_acquire } = *order;
        let old = code.first_reg + old;
        self.memory.updates(&state.memory, thread, *var, &mut room.choices);
        let n_updates = room.choices.len();
        if guard.is_some() {
            self.memory.reads(&state.memory, thread, *var, &mut room.choices);
        }
        for pick in 0..room.choices.len() {
            let from = room.choices[pick];
            room.next.regs[old] = from.value;
            let regs = &room.next.regs[code.own_regs()];
            let writes = guard.as_ref().is_none_or(|guard| guard.eval(regs) == 1);
            if writes != (pick < n_updates) {
                continue;
            }
            let value = new.eval(regs);
            if !self.begin(state, room) {
                continue;
            }
            let effect = if writes {
                let written = Written { value, origin };
                self.memory.update(&mut room.next.memory, thread, *var, from.at, written, order);
                if !self.fits(*var, room) {
                    room.next.memory.clone_from(&state.memory);
                    continue;
                }
                Effect::Update { var: *var, from, value }
            } else {
                self.memory.fail(&mut room.next.memory, thread, *var, from.at, fail_acquire);
                Effect::Read { var: *var, from }
            };
            self.end(state, Move::of(thread, pick, effect), *next, room, visit);
        }
        room.next.regs[old] = state.regs[old];
    }

    /// Begins an access, unless there may not be more of them.
    #[inline]
    fn begin(&self, state: &State<M::State>, room: &mut Room<M::State>) -> bool {
        if let Some(most) = self.bounds.actions {
            if state.actions >= most {
                room.noticed.out_of_actions = true;
                room.cut = true;
                return false;
            }
            room.next.actions = state.actions + 1;
        }
        true
    }

    /// Ends a step of a thread, which goes on from a node, and takes back what it has changed.
    #[inline]
    fn end(
        &self,
        state: &State<M::State>,
        step: Move,
        next: usize,
        room: &mut Room<M::State>,
        visit: &mut impl FnMut(Move, &State<M::State>),
    ) {
        let Actor::Thread(thread) = step.actor else { return };
        self.settle(&mut room.next, thread, next, &mut room.noticed.passed[thread]);
        visit(step, &room.next);
        let own = self.code.threads[thread].own_regs();
        room.next.nodes[thread] = state.nodes[thread];
        room.next.regs[own.clone()].copy_from_slice(&state.regs[own]);
        if self.changes_memory(state, thread) {
            room.next.memory.clone_from(&state.memory);
        }
        room.next.actions = state.actions;
    }

    /// Whether the memory may be another after a step of a thread.
    #[inline]
    fn changes_memory(&self, before: &State<M::State>, thread: usize) -> bool {
        match self.code.threads[thread].nodes[usize::from(before.nodes[thread])].step {
            Step::Read { .. } => !M::READS_LEAVE_NO_TRACE,
            Step::Write { .. } | Step::Update { .. } | Step::Fence { .. } => true,
            _ => false,
        }
    }

    /// Whether no more writes of a variable are kept than may be.
    fn fits(&self, var: usize, room: &mut Room<M::State>) -> bool {
        let fits = self.memory.n_kept(&room.next.memory, var) <= self.bounds.messages[var];
        room.noticed.full[var] |= !fits;
        room.cut |= !fits;
        fits
    }

    /// Whether a thread is about to write, or a write to arrive, so that nobody only waits. An update may be an attempt.
    pub(crate) fn about_to_write(&self, state: &State<M::State>) -> bool {
        let mut places = self.code.threads.iter().zip(&state.nodes);
        places.any(|(thread, node)| matches!(thread.nodes[usize::from(*node)].step, Step::Write { .. }))
            || !self.memory.is_quiet(&state.memory)
    }

    /// Whether a thread has come to an end, in one state and not in another.
    pub(crate) fn ends_more(&self, before: &State<M::State>, after: &State<M::State>) -> bool {
        let is_end = |thread: &Thread, node: u16| {
            matches!(thread.nodes[usize::from(node)].step, Step::Done | Step::Stuck | Step::Fail)
        };
        let mut threads = self.code.threads.iter().zip(before.nodes.iter().zip(&after.nodes));
        threads.any(|(thread, (a, b))| is_end(thread, *a) != is_end(thread, *b))
    }

    /// Whether it is over: all threads are done, or the process has ended. What others could still do then, they could as well have
    /// done before that, since an end changes nothing; so it adds no state.
    pub(crate) fn is_done(&self, state: &State<M::State>) -> bool {
        let done = |(thread, node): (&Thread, &u16)| matches!(thread.nodes[usize::from(*node)].step, Step::Done);
        let all = self.code.threads.iter().zip(&state.nodes).all(done);
        (all || self.has_ended_process(state)) && self.memory.is_quiet(&state.memory)
    }

    /// Whether a thread is done whose end is the end of all.
    fn has_ended_process(&self, state: &State<M::State>) -> bool {
        let mut threads = self.code.threads.iter().zip(&state.nodes);
        threads.any(|(thread, node)| thread.ends_process && matches!(thread.nodes[usize::from(*node)].step, Step::Done))
    }

    /// Whether a run that comes here has done what its threads are for: each is at its end, or has none in its text, as a loop
    /// that is meant to go on for ever; or an assumption was wrong. An answer "it holds" says nothing if no state is complete.
    pub(crate) fn is_complete(&self, state: &State<M::State>) -> bool {
        let over = |(thread, node): (&Thread, &u16)| {
            !thread.can_end || matches!(thread.nodes[usize::from(*node)].step, Step::Done)
        };
        self.is_given_up(state) || self.has_ended_process(state) || self.code.threads.iter().zip(&state.nodes).all(over)
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
        put_positions(&state.nodes, out);
        for (thread, node) in self.code.threads.iter().zip(&state.nodes) {
            let kept = &thread.nodes[usize::from(*node)].kept;
            kept.iter().for_each(|reg| put(state.regs[thread.first_reg + usize::from(*reg)], out));
        }
        if self.bounds.actions.is_some() {
            put(u64::from(state.actions), out);
        }
        self.memory.encode(&state.memory, out);
    }

    /// The bytes of what a step leads to, from those of the state before it: most of them are the same.
    pub(crate) fn encode_after(
        &self,
        (before, bytes, layout): (&State<M::State>, &[u8], &Layout),
        step: &Move,
        after: &State<M::State>,
        out: &mut Vec<u8>,
    ) {
        out.clear();
        let thread = match step.actor {
            Actor::Thread(thread) if self.bounds.actions.is_none() && self.code.has_small_nodes => thread,
            Actor::Thread(_) => return self.encode(after, out),
            Actor::Memory(_) => {
                out.extend_from_slice(&bytes[..layout.memory]);
                return self.memory.encode(&after.memory, out);
            }
        };
        let regs_start = if thread == 0 { after.nodes.len() } else { layout.regs[thread - 1] };
        out.extend_from_slice(&bytes[..regs_start]);
        out[thread] = after.nodes[thread] as u8;
        let code = &self.code.threads[thread];
        let kept = &code.nodes[usize::from(after.nodes[thread])].kept;
        kept.iter().for_each(|reg| put(after.regs[code.first_reg + usize::from(*reg)], out));
        if self.changes_memory(before, thread) {
            out.extend_from_slice(&bytes[layout.regs[thread]..layout.memory]);
            match step.effect {
                Effect::Read { .. } => {
                    let before = (&before.memory, &bytes[layout.memory..]);
                    self.memory.encode_after_read(before, &after.memory, thread, out);
                }
                _ => self.memory.encode(&after.memory, out),
            }
        } else {
            out.extend_from_slice(&bytes[layout.regs[thread]..]);
        }
    }

    pub(crate) fn decode(&self, encoded: &[u8], state: &mut State<M::State>, layout: &mut Layout) {
        let mut bytes = Bytes(encoded);
        // What is kept at other places only is 0.
        for (thread, node) in self.code.threads.iter().zip(&state.nodes) {
            let kept = &thread.nodes[usize::from(*node)].kept;
            kept.iter().for_each(|reg| state.regs[thread.first_reg + usize::from(*reg)] = 0);
        }
        bytes.get_positions(&mut state.nodes);
        layout.regs.clear();
        for (thread, node) in self.code.threads.iter().zip(&state.nodes) {
            let kept = &thread.nodes[usize::from(*node)].kept;
            kept.iter().for_each(|reg| state.regs[thread.first_reg + usize::from(*reg)] = bytes.get());
            layout.regs.push(encoded.len() - bytes.0.len());
        }
        if self.bounds.actions.is_some() {
            state.actions = bytes.get() as u32;
        }
        layout.memory = encoded.len() - bytes.0.len();
        self.memory.decode(&mut bytes, &mut state.memory);
    }
}

/// Where the parts of a state's bytes end.
#[derive(Default)]
pub(crate) struct Layout {
    /// The registers of each thread.
    regs: Vec<usize>,
    /// What comes before the memory.
    memory: usize,
}

impl<S: Clone> State<S> {
    /// A copy that uses the room that is there.
    #[inline]
    fn copy(&mut self, other: &State<S>) {
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
