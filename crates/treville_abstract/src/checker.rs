//! The model checker of boolean programs: every state of places, counters and predicates that are 1, 0 or unknown.

use crate::boolean::{Assignment, BoolOp, BoolProgram, Guard, Update};
use crate::cubes::{Bits, Cube, bit, members};
use crate::refine::solution;
use crate::z3::Solver;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;
use std::collections::{BTreeSet, VecDeque};
use treville_base::{BitSet, Cancel, Idx};
use treville_rma::{Atom, Failure, NodeId, Op, ProcId, Process, Program, PropKind, RemoteId, Trace, VarId};
use treville_rma_machine::{About, Dead, Event, Reduction, Replay, Values, closure};

mod sets;

use sets::{Part, Parts, PartsId};

/// The most processes.
const MAX_PROCS: usize = 8;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct State {
    places: [u16; MAX_PROCS],
    /// Two bits each: none, one, or more.
    counters: u128,
    one: Bits,
    zero: Bits,
    /// What is known of the elements of sets.
    parts: PartsId,
}

/// What was found wrong, and the way to it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Counterexample {
    pub events: Vec<Event>,
    /// The property that may not hold; else an assertion, at the last event.
    pub property: Option<usize>,
    /// Remote statements are done where they are issued.
    pub at_once: bool,
}

impl Counterexample {
    /// The run with values, if remote memory has it: with those of a solution of what the path needs, or with guessed ones.
    pub fn replayed(
        &self,
        program: &Program,
        placement: &BitSet,
        solver: &Solver,
        cancel: &Cancel,
    ) -> Option<(Failure, Trace)> {
        let Counterexample { events, property, at_once } = self;
        let with = |values: &Values| {
            Replay { program, placement, events, property: *property, at_once: *at_once, values }.run()
        };
        let solved = solution(program, self, *at_once, solver, cancel);
        solved.and_then(|values| with(&values)).or_else(|| with(&Values::default()))
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Checked {
    Holds,
    /// It may fail: nothing says that the run is real.
    MayFail(Counterexample),
    Open(String),
}

/// How much is known of the elements of sets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Elements {
    /// What is true of all of them, as in the paper.
    Together,
    /// The value that the variable has now is one of them, and earlier ones are told apart as long as there are no more than
    /// so many kinds of them.
    Apart(usize),
}

/// How a boolean program is run.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// Remote statements at once, or by this reduction.
    pub(crate) reduction: Option<Reduction>,
    pub(crate) placement: BitSet,
    /// What becomes unknown is tried both ways.
    pub(crate) split: bool,
    pub(crate) elements: Elements,
    pub(crate) max_states: usize,
    pub(crate) cancel: Cancel,
}

pub(crate) struct Checker<'a, 'p> {
    b: &'a BoolProgram<'p>,
    settings: &'a Settings,
    places: BTreeSet<(ProcId, NodeId)>,
    watched: BTreeSet<VarId>,
    reduce: bool,
    closures: FxHashMap<About, Vec<bool>>,
    recording: bool,
    /// Unless they are followed again, states with where they came from.
    ids: FxHashMap<State, u32>,
    states: Vec<(State, u32)>,
    between: usize,
    /// Something was left out.
    cut: bool,
    parts: RefCell<Parts>,
    /// At each place of a process, the predicates about variables that are written before they are read again.
    forgets: Vec<Vec<Bits>>,
    /// Of each process, the places from which it may run on for ever.
    runs_on: Vec<BTreeSet<NodeId>>,
}

enum Next {
    State(State),
    Assertion,
}

type Way = (Vec<Event>, Next);

const NO_PARENT: u32 = u32::MAX;

/// So many states of the network count as one.
const BETWEEN: usize = 8;

/// More states than this are not made of one by trying values of what is unknown.
const MOST_SPLIT: usize = 1 << 12;

impl<'a, 'p> Checker<'a, 'p> {
    pub(crate) fn new(b: &'a BoolProgram<'p>, settings: &'a Settings) -> Self {
        let always = b.program.properties.iter().filter(|p| p.kind == PropKind::Always);
        let atoms = always.flat_map(|p| p.cond.atoms());
        Checker {
            b,
            settings,
            places: b.program.watched_places(),
            watched: atoms.flat_map(|a| a.linear().vars().collect::<Vec<_>>()).collect(),
            reduce: !b.program.properties_see_memory(),
            closures: FxHashMap::default(),
            recording: false,
            ids: FxHashMap::default(),
            states: Vec::new(),
            between: 0,
            cut: false,
            parts: RefCell::new(Parts::new()),
            forgets: forgets(b, settings),
            runs_on: b.program.procs.iter().map(Process::runs_on).collect(),
        }
    }

    /// How many states were found.
    pub(crate) fn n_states(&self) -> usize {
        self.states.len()
    }

    pub(crate) fn run(&mut self) -> Checked {
        let fits = self.b.program.procs.len() <= MAX_PROCS
            && self.b.program.procs.iter().all(|p| p.nodes.len() <= usize::from(u16::MAX));
        if !fits {
            return Checked::Open(format!("more than {MAX_PROCS} processes, or too many statements"));
        }
        let mut work = VecDeque::new();
        for (_, next) in self.initial() {
            let wrong = match next {
                Next::Assertion => Some(None),
                Next::State(state) => self.add(state, NO_PARENT, &mut work).map(Some),
            };
            if let Some(property) = wrong {
                return self.told(NO_PARENT, 0, property);
            }
        }
        let mut ways = Vec::new();
        while let Some(id) = work.pop_front() {
            if id % 64 == 0 && self.settings.cancel.is_due() {
                return self.too_many();
            }
            if self.cut || self.states.len().max(self.between / BETWEEN) > self.settings.max_states {
                return self.too_many();
            }
            let state = self.states[id as usize].0;
            self.successors(&state, &mut ways);
            for (i, (_, next)) in ways.drain(..).enumerate() {
                let wrong = match next {
                    Next::Assertion => Some(None),
                    Next::State(state) => self.add(state, id, &mut work).map(Some),
                };
                if let Some(property) = wrong {
                    return self.told(id, i, property);
                }
            }
        }
        if self.cut { self.too_many() } else { Checked::Holds }
    }

    fn too_many(&self) -> Checked {
        if self.settings.cancel.is_due() {
            return Checked::Open("the time is over".to_owned());
        }
        Checked::Open(format!("more than {} states", self.settings.max_states))
    }

    fn is_sequential(&self) -> bool {
        self.settings.reduction.is_none()
    }

    fn initial(&mut self) -> Vec<Way> {
        let mut ways: Vec<Way> = Vec::new();
        for &(one, zero) in &self.b.start {
            let mut places = [0; MAX_PROCS];
            for (p, proc) in self.b.program.procs.iter_enumerated() {
                places[p.index()] = proc.entry.0 as u16;
            }
            if let Some(state) = self.saturated(State { places, counters: 0, one, zero, parts: 0 }, one, zero) {
                ways.push((Vec::new(), Next::State(state)));
            }
        }
        for proc in self.b.program.procs.ids() {
            let mut settled = Vec::new();
            for (events, next) in ways {
                match next {
                    Next::Assertion => return vec![(events, next)],
                    Next::State(state) => self.settle(state, proc, events, &mut settled),
                }
            }
            ways = settled;
        }
        // Assertions first: they end the search.
        ways.sort_by_key(|(_, next)| matches!(next, Next::State(_)));
        ways
    }

    /// A state without what is known of dead variables.
    fn forget(&self, mut state: State) -> State {
        let of = |p: ProcId| self.forgets[p.index()][at(&state, p).index()];
        let dead = self.b.program.procs.ids().map(of).fold(0, |a, b| a | b);
        state.one &= !dead;
        state.zero &= !dead;
        let list = self.list(&state);
        if !list.iter().any(|part| (part.one | part.zero) & dead != 0) {
            return state;
        }
        let known = |part: &Part| Part { one: part.one & !dead, zero: part.zero & !dead, ..*part };
        self.with_list(state, list.iter().map(known).collect())
    }

    fn add(&mut self, state: State, parent: u32, work: &mut VecDeque<u32>) -> Option<usize> {
        let next = self.states.len() as u32;
        if *self.ids.entry(state).or_insert(next) != next {
            return None;
        }
        self.states.push((state, parent));
        work.push_back(next);
        self.wrong(&state)
    }

    /// The property that may not hold in a state.
    fn wrong(&self, state: &State) -> Option<usize> {
        let ended = || {
            let procs = self.b.program.procs.iter_enumerated();
            procs.into_iter().all(|(p, proc)| matches!(proc.nodes[at(state, p)].op, Op::End))
        };
        self.b.properties.iter().position(|property| {
            let applies = match property.kind {
                PropKind::Always => true,
                PropKind::Final => ended(),
                PropKind::Quiescent => ended() && state.counters == 0,
            };
            let places = property.places.iter().enumerate();
            let here = places.filter(|(_, (p, n))| at(state, *p) == *n).fold(0, |here, (i, _)| here | 1usize << i);
            applies && !property.holds[here].iter().any(|cube| cube.holds(state.one, state.zero))
        })
    }

    /// The way to a state, and on by one of its successors.
    fn told(&mut self, to: u32, successor: usize, property: Option<usize>) -> Checked {
        let mut path = Vec::new();
        let mut at = to;
        while at != NO_PARENT {
            path.push(at);
            at = self.states[at as usize].1;
        }
        path.reverse();
        self.recording = true;
        let first = path.first().copied();
        let begin = self.initial().into_iter().find(|(_, next)| match (next, first) {
            (Next::State(state), Some(first)) => *state == self.states[first as usize].0,
            (Next::State(state), None) => property.is_some() && self.wrong(state).is_some(),
            (Next::Assertion, first) => property.is_none() && first.is_none(),
        });
        let mut events = begin.map(|(events, _)| events).unwrap_or_default();
        let mut ways = Vec::new();
        for (i, id) in path.iter().enumerate() {
            ways.clear();
            let state = self.states[*id as usize].0;
            self.successors(&state, &mut ways);
            let found = match path.get(i + 1) {
                None => Some(successor),
                Some(next) => {
                    let next = self.states[*next as usize].0;
                    ways.iter().position(|(_, way)| matches!(way, Next::State(s) if *s == next))
                }
            };
            if let Some(found) = found.filter(|found| *found < ways.len()) {
                events.extend(ways.swap_remove(found).0);
            }
        }
        self.recording = false;
        Checked::MayFail(Counterexample { events, property, at_once: self.is_sequential() })
    }

    /// Every step of a process, each after what of the network it depends on.
    fn successors(&mut self, state: &State, out: &mut Vec<Way>) {
        let program = self.b.program;
        let inside = program.procs.iter_enumerated().find(|(p, proc)| proc.nodes[at(state, *p)].atomic).map(|(p, _)| p);
        for proc in program.procs.ids().filter(|p| inside.is_none_or(|inside| inside == *p)) {
            let about = match &self.b.procs[proc.index()][at(state, proc).index()] {
                BoolOp::Load { shared, .. } => Some(About::Load(*shared)),
                BoolOp::Store { shared, .. } => Some(About::Store(*shared)),
                BoolOp::Flush { target, .. } => Some(About::Flush(proc, *target)),
                _ => None,
            };
            match about.filter(|_| self.reduce && state.counters != 0) {
                None => self.process(state, proc, Vec::new(), out),
                Some(about) => self.with_network(state, proc, about, out),
            }
        }
        if !self.reduce && state.counters != 0 {
            let all = vec![true; program.remotes.len()];
            let mut fired = Vec::new();
            self.fires(state, &all, &mut fired);
            out.extend(fired.into_iter().map(|(event, state)| (vec![event], Next::State(state))));
        }
    }

    fn with_network(&mut self, state: &State, proc: ProcId, about: About, out: &mut Vec<Way>) {
        let program = self.b.program;
        let of = self.closures.entry(about).or_insert_with(|| closure(program, about)).clone();
        let mut seen: FxHashSet<State> = FxHashSet::default();
        seen.insert(*state);
        let mut all: Vec<(State, Vec<Event>)> = vec![(*state, Vec::new())];
        let mut fired = Vec::new();
        let mut i = 0;
        while i < all.len() {
            let (here, events) = (all[i].0, all[i].1.clone());
            self.fires(&here, &of, &mut fired);
            for (event, next) in fired.drain(..) {
                let next = self.forget(next);
                if seen.insert(next) {
                    let mut events = events.clone();
                    if self.recording {
                        events.push(event);
                    }
                    all.push((next, events));
                }
            }
            self.process(&here, proc, events, out);
            i += 1;
            let late = i % 64 == 0 && self.settings.cancel.is_due();
            if late || all.len() > self.settings.max_states {
                self.cut = true;
                break;
            }
        }
        self.between += all.len();
    }

    fn count(&self, state: &State, counter: usize) -> u32 {
        (state.counters >> (2 * counter) & 3) as u32
    }

    /// The steps of the network for these statements.
    fn fires(&self, state: &State, of: &[bool], out: &mut Vec<(Event, State)>) {
        for (id, remote) in self.b.remotes.iter().enumerate().filter(|(id, _)| of[*id]) {
            let (src, dst) = {
                let remote = &self.b.program.remotes[RemoteId::from_usize(id)];
                (remote.src, remote.dst)
            };
            let pending = self.count(state, id);
            let mut after = Vec::new();
            if pending > 0 && remote.landing.is_none() {
                if self.settings.elements != Elements::Together {
                    self.apply(state, &remote.at_once, None, &mut after);
                }
                for part in self.of_set(state, remote.set) {
                    self.apply(state, &remote.fire, Some(&part), &mut after);
                }
                for (left, next) in pairs(self.less(pending), &after) {
                    let next = with_count(&next, id, left);
                    let next = if left == 0 { self.emptied(next, remote.set) } else { next };
                    out.push((Event::Fire(RemoteId::from_usize(id)), self.written(state, next, dst)));
                }
            }
            let Some(landing) = remote.landing else { continue };
            let landings = self.count(state, landing);
            if pending > 0 {
                self.apply(state, &remote.fire, None, &mut after);
                let found = self.found(state, &remote.found, remote.set);
                for (left, next) in pairs(self.less(pending), &after) {
                    let next = with_count(&with_count(&next, id, left), landing, self.more(landings));
                    let next = self.added(next, found);
                    out.push((Event::Fire(RemoteId::from_usize(id)), self.written(state, next, src)));
                }
            }
            if landings > 0 {
                after.clear();
                for part in self.of_set(state, remote.set) {
                    self.apply(state, &remote.land, Some(&part), &mut after);
                }
                for (left, next) in pairs(self.less(landings), &after) {
                    let next = with_count(&next, landing, left);
                    let next = if left == 0 { self.forgotten(next, remote.set) } else { next };
                    out.push((Event::Land(RemoteId::from_usize(id)), self.written(state, next, dst)));
                }
            }
        }
    }

    fn less(&self, count: u32) -> &'static [u32] {
        match (self.settings.reduction, count) {
            (Some(Reduction::Table2), _) => &[0, 1],
            (_, 2..) => &[1, 2],
            _ => &[0],
        }
    }

    fn more(&self, count: u32) -> u32 {
        if self.settings.reduction == Some(Reduction::Table2) { 1 } else { (count + 1).min(2) }
    }

    /// The states after an assignment; with `element`, literals about its set's variable are about that.
    fn apply(&self, state: &State, does: &Assignment, element: Option<&Part>, out: &mut Vec<State>) {
        let (one, zero) = element.map_or((state.one, state.zero), |part| self.mixed(state, part));
        let mut next = *state;
        let (mut fresh_one, mut fresh_zero, mut unknown) = (0, 0, 0);
        for update in &does.base {
            let target = bit(update.target);
            next.one &= !target;
            next.zero &= !target;
            match chosen(update, one, zero) {
                (true, _) => fresh_one |= target,
                (false, true) => fresh_zero |= target,
                (false, false) => unknown |= target,
            }
        }
        next.one |= fresh_one;
        next.zero |= fresh_zero;
        let Some(next) = self.saturated(next, fresh_one, fresh_zero) else { return };
        let Some(mut next) = self.derived(next, unknown) else { return };
        if !does.over_sets.is_empty() && state.parts != 0 {
            next = self.applied_to_sets(state, next, &does.over_sets);
        }
        if self.settings.split {
            self.split(next, unknown, out);
        } else {
            out.push(next);
        }
    }

    /// With what pairs of literals say of what is unknown.
    fn derived(&self, mut state: State, unknown: Bits) -> Option<State> {
        for p in members(unknown) {
            let target = bit(p);
            if (state.one | state.zero) & target != 0 {
                continue;
            }
            let (one, zero) = match chosen(&self.b.derived[p], state.one, state.zero) {
                (true, _) => (target, 0),
                (false, true) => (0, target),
                (false, false) => continue,
            };
            state.one |= one;
            state.zero |= zero;
            state = self.saturated(state, one, zero)?;
        }
        Some(state)
    }

    /// Tries both values of what is unknown, as long as that makes few states: what stays unknown covers both.
    fn split(&self, state: State, unknown: Bits, out: &mut Vec<State>) {
        let open = unknown & !(state.one | state.zero);
        if open == 0 || out.len() >= MOST_SPLIT {
            out.push(state);
            return;
        }
        let target = open & open.wrapping_neg();
        for (one, zero) in [(target, 0), (0, target)] {
            let tried = State { one: state.one | one, zero: state.zero | zero, ..state };
            if let Some(tried) = self.saturated(tried, one, zero) {
                self.split(tried, open & !target, out);
            }
        }
    }

    /// With what new literals imply. Nothing if they contradict what is known.
    fn saturated(&self, mut state: State, one: Bits, zero: Bits) -> Option<State> {
        for p in members(one) {
            let implied = self.b.implied[p][1];
            state.one |= implied.pos;
            state.zero |= implied.neg;
        }
        for p in members(zero) {
            let implied = self.b.implied[p][0];
            state.one |= implied.pos;
            state.zero |= implied.neg;
        }
        (state.one & state.zero == 0).then_some(state)
    }

    /// The step of a process, and then on to where it rests.
    fn process(&mut self, state: &State, proc: ProcId, events: Vec<Event>, out: &mut Vec<Way>) {
        let node = at(state, proc);
        if let BoolOp::Flush { target, slot, .. } = &self.b.procs[proc.index()][node.index()]
            && self.flushes(*slot)
            && self.waits(state, proc, *target)
        {
            return;
        }
        let mut after = Vec::new();
        self.execute(state, proc, &mut after);
        for (next, to) in after {
            let mut events = events.clone();
            if self.recording {
                events.push(Event::Step { proc, node, next: to.unwrap_or(node) });
            }
            match to {
                None => out.push((events, Next::Assertion)),
                Some(to) => self.settle(moved(next, proc, to), proc, events, out),
            }
        }
    }

    fn flushes(&self, slot: Option<usize>) -> bool {
        self.settings.reduction.is_some() && slot.is_none_or(|slot| self.settings.placement.contains(slot))
    }

    fn waits(&self, state: &State, proc: ProcId, target: ProcId) -> bool {
        self.b.program.remote(proc, target).any(|id| {
            let landing = self.b.remotes[id.index()].landing;
            self.count(state, id.index()) > 0 || landing.is_some_and(|landing| self.count(state, landing) > 0)
        })
    }

    /// Runs on to where the process may rest.
    fn settle(&mut self, state: State, proc: ProcId, events: Vec<Event>, out: &mut Vec<Way>) {
        let mut seen: FxHashSet<State> = FxHashSet::default();
        let mut work = vec![(state, events)];
        let mut after = Vec::new();
        while let Some((state, events)) = work.pop() {
            if self.rests(&state, proc) {
                out.push((events, Next::State(self.forget(state))));
                continue;
            }
            let node = at(&state, proc);
            if out.len() > self.settings.max_states || (out.len() % 256 == 255 && self.settings.cancel.is_due()) {
                self.cut = true;
                return;
            }
            let straight = matches!(
                self.b.procs[proc.index()][node.index()],
                BoolOp::Flush { .. } | BoolOp::Assume { .. } | BoolOp::Assert { .. }
            );
            if !straight && !seen.insert(state) {
                // Where it runs in a circle, the others go on all the same.
                if self.runs_on[proc.index()].contains(&node) {
                    out.push((events, Next::State(self.forget(state))));
                }
                continue;
            }
            self.execute(&state, proc, &mut after);
            for (next, to) in after.drain(..) {
                let mut events = events.clone();
                if self.recording {
                    events.push(Event::Step { proc, node, next: to.unwrap_or(node) });
                }
                match to {
                    None => out.push((events, Next::Assertion)),
                    Some(to) => work.push((moved(next, proc, to), events)),
                }
            }
        }
    }

    fn rests(&self, state: &State, proc: ProcId) -> bool {
        let node = at(state, proc);
        let of = &self.b.program.procs[proc].nodes[node];
        self.places.contains(&(proc, node))
            || match &self.b.procs[proc.index()][node.index()] {
                BoolOp::Load { .. } | BoolOp::Store { .. } | BoolOp::Issue { .. } | BoolOp::End => true,
                BoolOp::Flush { slot, .. } => self.flushes(*slot),
                BoolOp::Skip(next) => !of.atomic && self.b.program.procs[proc].nodes[*next].atomic,
                // It may wait here for ever, and the others go on.
                BoolOp::Assume { guard, .. } => !certain(guard, state),
                BoolOp::Assign { .. } => match &of.op {
                    Op::Assign { var, .. } | Op::Havoc { var, .. } => self.watched.contains(var),
                    _ => false,
                },
                BoolOp::Assert { .. } | BoolOp::Branch { .. } | BoolOp::Choose(_) => false,
            }
    }

    /// One statement of a process, without what of the network may come before it. Nowhere: an assertion may be false.
    fn execute(&self, state: &State, proc: ProcId, out: &mut Vec<(State, Option<NodeId>)>) {
        let mut after = Vec::new();
        let next = match &self.b.procs[proc.index()][at(state, proc).index()] {
            BoolOp::End => return,
            BoolOp::Skip(next) | BoolOp::Flush { next, .. } => {
                after.push(*state);
                *next
            }
            BoolOp::Assign { does, next } | BoolOp::Load { does, next, .. } => {
                self.apply(state, does, None, &mut after);
                *next
            }
            BoolOp::Store { shared, does, next } => {
                self.apply(state, does, None, &mut after);
                after.iter_mut().for_each(|s| *s = self.written(state, *s, *shared));
                *next
            }
            BoolOp::Issue { remote, next } => {
                self.issue(state, *remote, &mut after);
                *next
            }
            BoolOp::Assume { guard, next } => {
                after.extend(self.assumed(state, guard));
                *next
            }
            BoolOp::Assert { guard, next } => {
                if !certain(guard, state) {
                    out.push((*state, None));
                    return;
                }
                after.push(*state);
                *next
            }
            BoolOp::Branch { then, els } => {
                for (guard, next) in [then, els] {
                    out.extend(self.assumed(state, guard).map(|s| (s, Some(*next))));
                }
                return;
            }
            BoolOp::Choose(many) => {
                out.extend(many.iter().map(|next| (*state, Some(*next))));
                return;
            }
        };
        out.extend(after.into_iter().map(|s| (s, Some(next))));
    }

    /// What is left of a state once a condition holds.
    fn assumed(&self, state: &State, guard: &Guard) -> Option<State> {
        if guard.refuted.iter().any(|cube| cube.holds(state.one, state.zero)) {
            return None;
        }
        let mut state = *state;
        for _ in 0..2 {
            for update in &guard.learn {
                let target = bit(update.target);
                if (state.one | state.zero) & target != 0 {
                    continue;
                }
                let (one, zero) = match chosen(update, state.one, state.zero) {
                    (true, _) => (target, 0),
                    (false, true) => (0, target),
                    (false, false) => continue,
                };
                state.one |= one;
                state.zero |= zero;
                state = self.saturated(state, one, zero)?;
            }
        }
        if guard.refuted.iter().any(|cube| cube.holds(state.one, state.zero)) { None } else { Some(state) }
    }

    fn issue(&self, state: &State, id: RemoteId, out: &mut Vec<State>) {
        let remote = &self.b.remotes[id.index()];
        if self.settings.reduction.is_none() {
            return self.apply(state, &remote.at_once, None, out);
        }
        let before = self.count(state, id.index());
        let mut next = with_count(state, id.index(), self.more(before));
        if remote.landing.is_none() {
            let used = self.b.sets[remote.set].members.iter().any(|id| self.count(state, id.index()) > 0);
            if !used {
                next = self.forgotten(next, remote.set);
            }
            if self.settings.elements == Elements::Together {
                next = self.added(next, self.element(state, remote.set));
            }
        }
        out.push(next);
    }
}

/// For each process and place, the predicates that mention a dead variable.
fn forgets(b: &BoolProgram<'_>, settings: &Settings) -> Vec<Vec<Bits>> {
    let dead = Dead::new(b.program, &settings.placement, settings.reduction.is_none());
    let about = |vars: &[VarId]| {
        let mentions = |(_, atom): &(usize, &Atom)| vars.iter().any(|v| atom.mentions(*v));
        b.base.iter().enumerate().filter(mentions).fold(0, |bits, (p, _)| bits | bit(p))
    };
    let procs = b.program.procs.iter_enumerated();
    procs.map(|(p, proc)| proc.nodes.ids().map(|n| about(dead.at(p, n))).collect()).collect()
}

fn at(state: &State, proc: ProcId) -> NodeId {
    NodeId(u32::from(state.places[proc.index()]))
}

fn moved(mut state: State, proc: ProcId, to: NodeId) -> State {
    state.places[proc.index()] = to.0 as u16;
    state
}

fn with_count(state: &State, counter: usize, count: u32) -> State {
    let counters = state.counters & !(3 << (2 * counter)) | u128::from(count) << (2 * counter);
    State { counters, ..*state }
}

/// Whether the update makes it 1, or 0.
fn chosen(update: &Update, one: Bits, zero: Bits) -> (bool, bool) {
    let any = |cubes: &[Cube]| cubes.iter().any(|cube| cube.holds(one, zero));
    (any(&update.one), any(&update.zero))
}

fn pairs<'a>(left: &'a [u32], states: &'a [State]) -> impl Iterator<Item = (u32, State)> + 'a {
    states.iter().flat_map(move |state| left.iter().map(move |left| (*left, *state)))
}

fn certain(guard: &Guard, state: &State) -> bool {
    guard.certain.iter().any(|cube| cube.holds(state.one, state.zero))
}

#[cfg(test)]
mod tests;
