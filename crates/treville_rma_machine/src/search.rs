//! The search through all states, and the run that leads to a failure.

use crate::dead::Dead;
use crate::depend::{About, Dependencies};
use crate::locals::{Locals, Move, Stop, Target};
use crate::network::{
    Entry, Exact, MAX_COUNT, Memory, Network, Pending, Semantics, Sequential, Sets, State, entries, few_ways,
};
use crate::replay::likely_values;
use crate::store::{StateId, Store};
use std::collections::VecDeque;
use treville_base::{BitSet, Cancel, Idx};
use treville_rma::{
    Action, Failure, NodeId, Number, Op, ProcId, Program, PropKind, RemoteId, SlotId, Trace, VarId, VarKind,
};

/// With more processes than this, the limits are looked at for every state.
const FEW_PROCESSES: usize = 64;

/// After so many steps, too.
const FEW_STEPS: usize = 4096;

/// What to search, and how.
#[derive(Clone, Debug)]
pub struct Config {
    pub semantics: Semantics,
    /// The slots where there is a flush.
    pub placement: BitSet,
    /// Whether steps of the network that nothing depends on are put off.
    pub reduce: bool,
    pub order: Order,
    /// Stay within the domain of the program.
    pub domain: bool,
    /// Look for a run that completes, and for nothing else: one value of each kind is enough for what may be any number.
    pub until_complete: bool,
    /// States that differ only in variables that are written before they are read again are one.
    pub forget: bool,
    /// A flush does not wait for what a get writes here, which is how the paper's text can be read.
    pub literal_flush: bool,
    pub max_states: usize,
    pub cancel: Cancel,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// Shortest runs first.
    Breadth,
    Depth,
}

impl Config {
    pub fn new(semantics: Semantics, placement: BitSet) -> Self {
        Config {
            semantics,
            placement,
            reduce: true,
            order: Order::Breadth,
            domain: true,
            until_complete: false,
            forget: true,
            literal_flush: false,
            max_states: 5_000_000,
            cancel: Cancel::new(),
        }
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    Safe,
    Fails(Failure, Trace),
    /// Why it was given up.
    Open(String),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outcome {
    pub verdict: Verdict,
    pub states: usize,
    pub transitions: usize,
    /// A run left the domain and was not followed.
    pub pruned: bool,
    /// A run had a number that does not fit, and was not followed.
    pub overflowed: bool,
    /// Some run completes: every process is at its end, has none in its text, or waits at an assumption.
    pub completes: bool,
    /// An operation was not issued since too many of its statement were pending.
    pub capped: bool,
    /// Of each final state, the values of all variables, in order; where they were asked for.
    pub finals: Vec<Vec<Number>>,
}

/// Searches all states of a program.
pub fn check(program: &Program, config: &Config) -> Outcome {
    Search::new(program, config).run(false)
}

/// The values of variables in all states where every process is at its end.
pub fn final_states(program: &Program, config: &Config) -> Outcome {
    Search::new(program, config).run(true)
}

struct Search<'p> {
    program: &'p Program,
    config: &'p Config,
    network: Box<dyn Network>,
    memory: Memory<'p>,
    locals: Locals<'p>,
    depend: Dependencies<'p>,
    dead: Dead,
    reduce: bool,
    store: Store,
    parent: Vec<StateId>,
    scratch: Store,
    transitions: usize,
    /// States of the network between those that are kept.
    between: usize,
    /// Whether successors are told with the steps that lead to them.
    recording: bool,
    completes: bool,
}

/// Where a step leads.
enum Next {
    State(State),
    Fails(ProcId, NodeId),
}

/// So many states of the network count as one.
const BETWEEN: usize = 20;

const NO_PARENT: StateId = StateId::MAX;

impl<'p> Search<'p> {
    fn new(program: &'p Program, config: &'p Config) -> Self {
        let network: Box<dyn Network> = match config.semantics {
            Semantics::Sequential => Box::new(Sequential),
            Semantics::Remote(pending) => Box::new(Exact(pending)),
            Semantics::Reduced(reduction) => Box::new(Sets(reduction)),
        };
        let dead = match config.forget {
            true => Dead::new(program, &config.placement, config.semantics == Semantics::Sequential),
            false => Dead::none(program),
        };
        let domain = program.domain.filter(|_| config.domain && !config.until_complete);
        let mut memory = Memory::new(program, domain, config.cancel.clone());
        if config.until_complete {
            memory.guess(likely_values(program));
        }
        Search {
            program,
            config,
            network,
            memory,
            locals: Locals::new(program, &config.placement, config.semantics, dead.clone()),
            depend: Dependencies::new(program, config.semantics),
            dead,
            reduce: config.reduce && !program.properties_see_memory(),
            store: Store::new(),
            parent: Vec::new(),
            scratch: Store::new(),
            transitions: 0,
            between: 0,
            recording: false,
            completes: false,
        }
    }

    fn run(mut self, finals: bool) -> Outcome {
        let verdict = self.search().unwrap_or_else(Verdict::Open);
        let mut outcome = Outcome {
            verdict,
            states: self.store.len(),
            transitions: self.transitions,
            pruned: self.memory.pruned,
            overflowed: self.memory.overflowed,
            completes: self.completes,
            capped: self.memory.capped,
            finals: Vec::new(),
        };
        if finals {
            outcome.finals = self.finals();
        }
        outcome
    }

    fn search(&mut self) -> Result<Verdict, Stop> {
        self.refuse()?;
        let mut work = VecDeque::new();
        let initial = match self.initial()? {
            Ok(initial) => initial,
            Err((proc, node)) => return Ok(Verdict::Fails(Failure::Assertion(proc, node), Trace::default())),
        };
        for mut state in initial {
            self.forget(&mut state);
            if let Some(failure) = self.add(&state, NO_PARENT, &mut work) {
                return Ok(Verdict::Fails(failure, Trace::default()));
            }
        }
        let mut next = Vec::new();
        loop {
            let id = match self.config.order {
                Order::Breadth => work.pop_front(),
                Order::Depth => work.pop_back(),
            };
            let Some(id) = id.filter(|_| !(self.config.until_complete && self.completes)) else {
                return Ok(Verdict::Safe);
            };
            // With many processes, a state has many successors that are each long.
            if id % 64 == 0 || self.program.procs.len() > FEW_PROCESSES {
                self.go_on(self.store.len())?;
            }
            let state = self.store.get(id).to_vec();
            self.successors(&state, &mut next)?;
            for (i, (_, after)) in next.drain(..).enumerate() {
                self.transitions += 1;
                // A state may also have many successors for other reasons.
                if self.transitions.is_multiple_of(FEW_STEPS) {
                    self.go_on(self.store.len())?;
                }
                let failure = match &after {
                    Next::Fails(proc, node) => Some(Failure::Assertion(*proc, *node)),
                    Next::State(after) => self.add(after, id, &mut work),
                };
                if let Some(failure) = failure {
                    let trace = self.trace(id, i)?;
                    return Ok(Verdict::Fails(failure, trace));
                }
            }
        }
    }

    fn refuse(&self) -> Result<(), Stop> {
        if self.program.remotes.len() > Entry::MAX_REMOTE {
            return Err(format!("more than {} remote statements", Entry::MAX_REMOTE));
        }
        match self.config.semantics {
            Semantics::Remote(Pending::Bounded(n) | Pending::Sticky(n)) if n == 0 || n > MAX_COUNT => {
                Err(format!("from 1 to {MAX_COUNT} operations of a statement can be pending, not {n}"))
            }
            _ => Ok(()),
        }
    }

    /// The states to begin with; or the assertion that is false already.
    fn initial(&mut self) -> Result<Result<Vec<State>, (ProcId, NodeId)>, Stop> {
        let mut all: Vec<State> = vec![Vec::new()];
        for proc in self.program.procs.ids() {
            let targets = self.locals.initial(proc, &mut self.memory)?;
            few_ways(all.len(), targets.len())?;
            let mut with = Vec::new();
            for target in targets {
                match target {
                    Target::Fails(node) => return Ok(Err((proc, node))),
                    Target::At(id) => with.extend(all.iter().map(|s| s.iter().copied().chain([id]).collect::<State>())),
                }
            }
            all = with;
        }
        let memories = self.memory.initial()?;
        few_ways(all.len(), memories.len())?;
        let both = |s: &State| memories.iter().map(|m| s.iter().chain(m).copied().collect()).collect::<Vec<State>>();
        Ok(Ok(all.iter().flat_map(both).collect()))
    }

    /// Gives the same value to all that is dead: the one with the first number.
    fn forget(&self, state: &mut State) {
        for proc in self.program.procs.ids() {
            for &var in self.dead.at(proc, self.locals.node_of(proc, state[proc.index()])) {
                if self.program.vars[var].kind == VarKind::Shared {
                    state[self.memory.word(var)] = 0;
                }
            }
        }
    }

    /// Adds a state if it is new, and says what is wrong with it.
    fn add(&mut self, state: &[u32], parent: StateId, work: &mut VecDeque<StateId>) -> Option<Failure> {
        let (id, new) = self.store.insert(state);
        if !new {
            return None;
        }
        self.parent.push(parent);
        work.push_back(id);
        self.completes |= self.program.procs.ids().all(|p| self.locals.is_over(p, state[p.index()]));
        self.wrong(state)
    }

    fn wrong(&mut self, state: &[u32]) -> Option<Failure> {
        let value = |var: VarId| self.value(state, var);
        let at = |proc: ProcId| self.locals.node_of(proc, state[proc.index()]);
        let (mut ended, mut too_large) = (None, false);
        for (i, property) in self.program.properties.iter().enumerate() {
            let is_over = || self.program.procs.ids().all(|p| self.locals.is_end(p, state[p.index()]));
            let applies = match property.kind {
                PropKind::Always => true,
                PropKind::Final => *ended.get_or_insert_with(is_over),
                PropKind::Quiescent => *ended.get_or_insert_with(is_over) && state.len() == self.memory.fixed(),
            };
            match property.cond.eval(&value, &at) {
                Some(false) if applies => return Some(Failure::Property(i)),
                None if applies => too_large = true,
                _ => {}
            }
        }
        if too_large {
            self.memory.overflow();
        }
        None
    }

    fn value(&self, state: &[u32], var: VarId) -> Number {
        let of = &self.program.vars[var];
        match of.kind {
            VarKind::Shared => self.memory.value(state[self.memory.word(var)]),
            VarKind::Local => self.locals.value(state[of.proc.index()], var),
        }
    }

    /// Every step from a state; with `reduce`, the steps of the network that a step of a process depends on belong to it.
    fn successors(&mut self, state: &[u32], out: &mut Vec<(Vec<Action>, Next)>) -> Result<(), Stop> {
        let inside = self.program.procs.ids().find(|p| self.locals.is_atomic(*p, state[p.index()]));
        let mut about_all = Vec::new();
        for proc in self.program.procs.ids().filter(|p| inside.is_none_or(|inside| inside == *p)) {
            let about = match &*self.locals.next(proc, state[proc.index()], &mut self.memory)? {
                Move::Rest => continue,
                Move::Silent(_) | Move::Issue { .. } => None,
                Move::Load { shared } => Some(About::Load(*shared)),
                Move::Store { shared, .. } => Some(About::Store(*shared)),
                Move::Flush { target, .. } => Some(About::Flush(proc, *target)),
            };
            about_all.push((proc, about.filter(|_| self.reduce)));
        }
        for (proc, about) in about_all {
            let of = about.map(|about| self.depend.of(about));
            let pending = |of: &[bool]| entries(state, self.memory.fixed()).any(|e| of[e.remote() as usize]);
            match of.filter(|of| pending(of)) {
                None => self.process(state, proc, &[], out)?,
                Some(of) => self.with_network(state, proc, &of, out)?,
            }
        }
        if !self.reduce {
            let all = vec![true; self.program.remotes.len()];
            let mut steps = Vec::new();
            self.network.steps(state, &all, &mut self.memory, &mut steps)?;
            out.extend(steps.into_iter().map(|(action, next)| (vec![action], Next::State(next))));
        }
        for (_, next) in out.iter_mut() {
            if let Next::State(next) = next {
                self.forget(next);
            }
        }
        Ok(())
    }

    /// A step of a process after every sequence of steps of the network that it depends on.
    fn with_network(
        &mut self,
        state: &[u32],
        proc: ProcId,
        of: &[bool],
        out: &mut Vec<(Vec<Action>, Next)>,
    ) -> Result<(), Stop> {
        let mut seen = std::mem::replace(&mut self.scratch, Store::new());
        seen.clear();
        seen.insert(state);
        // For each state but the first, where it was reached from, and how.
        let mut from: Vec<(usize, Action)> = Vec::new();
        let mut steps = Vec::new();
        let mut at = 0;
        while at < seen.len() {
            if at % 256 == 255 {
                self.go_on(seen.len())?;
            }
            let here = seen.get(at as StateId).to_vec();
            let before = if self.recording { path(&from, at) } else { Vec::new() };
            self.process(&here, proc, &before, out)?;
            self.network.steps(&here, of, &mut self.memory, &mut steps)?;
            for (action, mut next) in steps.drain(..) {
                self.forget(&mut next);
                if seen.insert(&next).1 {
                    from.push((at, action));
                }
            }
            at += 1;
        }
        self.between += seen.len();
        self.scratch = seen;
        Ok(())
    }

    /// Unless a limit is reached.
    fn go_on(&self, states: usize) -> Result<(), Stop> {
        if states > self.config.max_states || self.between / BETWEEN > self.config.max_states {
            return Err(format!("more than {} states", self.config.max_states));
        }
        self.memory.in_time()
    }

    /// The step of a process, after the steps in `before`.
    fn process(
        &mut self,
        state: &[u32],
        proc: ProcId,
        before: &[Action],
        out: &mut Vec<(Vec<Action>, Next)>,
    ) -> Result<(), Stop> {
        let local = state[proc.index()];
        let node = self.locals.node_of(proc, local);
        let recording = self.recording;
        let mut push = |after: &State, targets: &[Target], value: Option<Number>| {
            for target in targets {
                let step = recording.then_some(Action::Process { proc, node, value });
                let actions = before.iter().copied().chain(step).collect();
                out.push(match target {
                    Target::Fails(node) => (actions, Next::Fails(proc, *node)),
                    Target::At(id) => {
                        let mut after = after.clone();
                        after[proc.index()] = *id;
                        (actions, Next::State(after))
                    }
                });
            }
        };
        let state = state.to_vec();
        match &*self.locals.next(proc, local, &mut self.memory)? {
            Move::Rest => {}
            Move::Silent(then) => push(&state, then, None),
            Move::Load { shared } => {
                let found = state[self.memory.word(*shared)];
                let then = self.locals.loaded(proc, local, found, &mut self.memory)?;
                push(&state, &then, Some(self.memory.value(found)));
            }
            Move::Store { shared, value, then } => {
                let mut after = state;
                after[self.memory.word(*shared)] = *value;
                self.network.stored(&mut after, *shared, &self.memory);
                push(&after, then, Some(self.memory.value(*value)));
            }
            Move::Issue { remote, operands, then } => {
                if let Some(after) = self.network.issue(&state, *remote, *operands, &mut self.memory)? {
                    let sequential = self.config.semantics == Semantics::Sequential;
                    let dst = self.program.remotes[RemoteId(*remote)].dst;
                    let value = sequential.then(|| self.memory.value(after[self.memory.word(dst)]));
                    push(&after, then, value);
                }
            }
            Move::Flush { target, then } => {
                if !self.waits(&state, proc, *target) {
                    push(&state, then, None);
                }
            }
        }
        Ok(())
    }

    /// Whether an operation of the process to the target is on its way.
    fn waits(&self, state: &[u32], proc: ProcId, target: ProcId) -> bool {
        entries(state, self.memory.fixed()).any(|entry| {
            let remote = &self.program.remotes[RemoteId(entry.remote())];
            let lands_there = || self.program.vars[remote.dst].proc == target;
            let counts = !self.config.literal_flush || entry.phase() == 0 || lands_there();
            remote.proc == proc && remote.target == target && counts
        })
    }

    /// The run to a state, and on by its step with this number.
    fn trace(&mut self, to: StateId, last: usize) -> Result<Trace, Stop> {
        self.recording = true;
        let mut path = vec![];
        let mut at = to;
        while at != NO_PARENT {
            path.push(at);
            at = self.parent[at as usize];
        }
        path.reverse();
        let mut steps = Vec::new();
        let mut states: Vec<State> = Vec::new();
        let mut next = Vec::new();
        for pair in path.windows(2) {
            let [from, to] = [pair[0], pair[1]].map(|id| self.store.get(id).to_vec());
            next.clear();
            self.successors(&from, &mut next)?;
            let leads = |n: &(Vec<Action>, Next)| matches!(&n.1, Next::State(s) if *s == to);
            let Some(at) = next.iter().position(leads) else {
                return Err("a run could not be followed again".to_owned());
            };
            let (actions, _) = next.swap_remove(at);
            self.replay(&from, &actions, &mut states)?;
            steps.extend(actions);
        }
        if let Some(id) = path.last() {
            let from = self.store.get(*id).to_vec();
            next.clear();
            self.successors(&from, &mut next)?;
            let (actions, _) = next.swap_remove(last);
            self.replay(&from, &actions, &mut states)?;
            steps.extend(actions);
        }
        let blocking = self.blocking(&steps, &states);
        Ok(Trace { steps, blocking: Some(blocking) })
    }

    /// The states before each of these actions, which begin at `from`: steps of the network, then one of a process.
    fn replay(&mut self, from: &[u32], actions: &[Action], states: &mut Vec<State>) -> Result<(), Stop> {
        let all = vec![true; self.program.remotes.len()];
        let mut fronts: Vec<Vec<State>> = vec![vec![from.to_vec()]];
        for action in &actions[..actions.len().saturating_sub(1)] {
            let mut front: Vec<State> = Vec::new();
            for state in fronts.last().into_iter().flatten() {
                let mut steps = Vec::new();
                self.network.steps(state, &all, &mut self.memory, &mut steps)?;
                front.extend(steps.into_iter().filter(|(a, _)| a == action).map(|(_, s)| s));
            }
            front.dedup();
            fronts.push(front);
        }
        // Where several states are possible, any of them has as much pending or more: the first has the least.
        states.extend(fronts.into_iter().filter_map(|front| front.into_iter().next()));
        Ok(())
    }

    /// The slots where a flush would have stopped the run: something was still on its way when the process went on.
    fn blocking(&self, steps: &[Action], states: &[State]) -> BitSet {
        let mut blocking = BitSet::new(self.program.slots.len());
        let mut behind: Vec<Option<SlotId>> = vec![None; self.program.procs.len()];
        let test = |slot: SlotId, state: &State, blocking: &mut BitSet| {
            let of = &self.program.slots[slot];
            if self.waits(state, of.proc, of.target) {
                blocking.insert(slot.index());
            }
        };
        for (action, state) in steps.iter().zip(states) {
            let Action::Process { proc, node, .. } = action else { continue };
            for (of, behind) in behind.iter_mut().enumerate() {
                // Where a flush waits inside a block that is not interrupted, no process goes on.
                let stops = |slot: &mut SlotId| of == proc.index() || self.waits_alone(*slot);
                if let Some(slot) = behind.take_if(stops) {
                    test(slot, state, &mut blocking);
                }
            }
            if let Op::Issue { remote, .. } = &self.program.procs[*proc].nodes[*node].op {
                let slot = self.program.remotes[*remote].slot;
                if !self.config.placement.contains(slot.index()) {
                    behind[proc.index()] = Some(slot);
                }
            }
        }
        // What was issued last: the process has gone beyond the slot, and what is pending may have to stay so.
        for slot in behind.into_iter().flatten() {
            blocking.insert(slot.index());
        }
        blocking
    }

    /// Whether a flush in this slot is inside a block that is not interrupted.
    fn waits_alone(&self, slot: SlotId) -> bool {
        let is_it = |op: &Op| matches!(op, Op::Flush { slot: Some(at), .. } if *at == slot);
        self.program.procs[self.program.slots[slot].proc].nodes.iter().any(|node| node.atomic && is_it(&node.op))
    }

    /// The values of all variables where every process is at its end.
    fn finals(&self) -> Vec<Vec<Number>> {
        let states = (0..self.store.len()).map(|id| self.store.get(id as StateId));
        let ended = states.filter(|s| self.program.procs.ids().all(|p| self.locals.is_end(p, s[p.index()])));
        let mut finals: Vec<Vec<Number>> =
            ended.map(|s| self.program.vars.ids().map(|v| self.value(s, v)).collect()).collect();
        finals.sort_unstable();
        finals.dedup();
        finals
    }
}

/// The steps to a state, from where each state was reached.
fn path(from: &[(usize, Action)], mut at: usize) -> Vec<Action> {
    let mut path = Vec::new();
    while at > 0 {
        let (before, action) = from[at - 1];
        path.push(action);
        at = before;
    }
    path.reverse();
    path
}
