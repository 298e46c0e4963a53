//! Every path of every thread at once: events that happen under a condition, and paths joined where they meet.
//!
//! Where [`Traces`] has one list of events for each path, this has one for each thread. An event has the conjunction of
//! decisions under which it happens; where paths meet again, values become choices between values, and dependencies that
//! only some of the paths have become conditional ones. An update that only writes on some paths is two events, one for
//! those where it does, one for the others, and at most one of them happens.

use crate::traces::{Trace, TraceEvent, Traces};
use std::collections::BTreeMap;
use treville_base::{BitSet, Cancel, Idx, IndexVec};
use treville_event::Kind;
use treville_ir::{BlockId, Program, ThreadId};
use treville_passes::cfg::Cfg;
use treville_passes::nest::Nest;
use treville_term::{BinOp, Bv, TermId, TermStore, UnOp, VarId};
use treville_vm::{Action, Deps, Domain, Joiner, Shape, Symbolic, ThreadVm};

/// A program with all its paths.
#[derive(Debug)]
pub struct Guarded {
    /// One trace for each thread, with all events of all its paths; an event comes after those that lead to it.
    pub traces: Traces,
    pub threads: IndexVec<ThreadId, GuardedThread>,
    /// Conditions (width 1) without which an execution does not count.
    pub required: Vec<TermId>,
}

#[derive(Debug, Default)]
pub struct GuardedThread {
    /// When each event of the thread's trace happens.
    pub happens: Vec<Happens>,
    /// What the indices stand for by which events name each other.
    sources: Vec<Source>,
    /// Free choices, each with the condition under which it is made and its width, in an order that every path follows.
    pub choices: Vec<(TermId, VarId, u8)>,
    /// How the thread ends: the condition and the final values of its registers.
    pub ends: Vec<(TermId, Vec<TermId>)>,
    /// Conditions under which it is cut at the bound.
    pub cuts: Vec<TermId>,
    /// For each stretch of a path, those that may come before it, itself included.
    before: Vec<BitSet>,
}

/// When an event happens.
#[derive(Clone, Debug)]
pub struct Happens {
    /// The conjunction of what follows (width 1).
    pub guard: TermId,
    pub(crate) decisions: Vec<TermId>,
    stretch: usize,
    /// What other events call it.
    index: u32,
}

/// What an index stands for that the interpreter gave to an event.
#[derive(Clone, Debug)]
enum Source {
    /// Events of the trace, of which at most one happens.
    Events(Vec<u32>),
    /// Those of others, if a condition holds.
    If(TermId, Deps),
}

/// Relations between more events than this do not fit into memory.
const MAX_EVENTS: usize = 1 << 14;

/// The run of a thread up to some place.
struct State {
    vm: ThreadVm<TermId>,
    decisions: Vec<TermId>,
    stretch: usize,
    block: BlockId,
    /// How often each loop around the block was run since it was entered.
    iterations: BTreeMap<BlockId, u32>,
    /// How it goes on, if it waits for an answer: given only then, since events that follow at once get their index there.
    answer: Option<bool>,
}

impl Guarded {
    /// Runs every thread; `None` if that was cancelled or grew too large. If they are `floating`, objects have no fixed addresses.
    pub fn of(program: &Program, shape: Shape, floating: bool, cancel: &Cancel) -> Option<Guarded> {
        let shape = Shape { arrivals: true, ..shape };
        let mut traces = Traces { joined: true, ..Traces::default() };
        if floating {
            traces.float(program)?;
        }
        let mut guarded = Guarded { traces, threads: IndexVec::new(), required: Vec::new() };
        for thread in program.roots.ids() {
            let func = &program.funcs[program.roots[thread].func];
            let cfg = Cfg::new(func);
            let nest = Nest::new(&cfg);
            let mut run = Run {
                program,
                thread,
                cfg: &cfg,
                nest: &nest,
                traces: &mut guarded.traces,
                required: &mut guarded.required,
                out: GuardedThread::default(),
                trace: Trace::default(),
                waiting: BTreeMap::new(),
                ended: Vec::new(),
            };
            run.all(shape, cancel)?;
            let Run { out, trace, .. } = run;
            guarded.threads.push(out);
            guarded.traces.threads.push(vec![trace]);
        }
        Some(guarded)
    }

    /// The term that is 1 if every thread comes to its end.
    pub fn complete(&mut self) -> TermId {
        let store = &mut self.traces.domain.store;
        let mut all = store.constant(Bv::bool(true));
        for thread in &self.threads {
            let mut some = store.constant(Bv::bool(false));
            for (guard, _) in &thread.ends {
                some = store.bin(BinOp::Or, some, *guard);
            }
            all = store.bin(BinOp::And, all, some);
        }
        all
    }

    /// The final value of each register of a thread, provided that it comes to its end.
    pub fn registers(&mut self, thread: ThreadId) -> Vec<TermId> {
        let store = &mut self.traces.domain.store;
        let mut ends = self.threads[thread].ends.iter();
        let Some((_, mut registers)) = ends.next().cloned() else { return Vec::new() };
        for (guard, values) in ends {
            for (register, value) in registers.iter_mut().zip(values) {
                *register = store.ite(*guard, *value, *register);
            }
        }
        registers
    }
}

impl GuardedThread {
    /// Whether no path goes through both events.
    pub(crate) fn are_apart(&self, a: usize, b: usize) -> bool {
        let (a, b) = (self.happens[a].stretch, self.happens[b].stretch);
        !self.leads_to(a, b) && !self.leads_to(b, a)
    }

    /// Whether a path may go through one stretch and then, or at once, the other.
    fn leads_to(&self, from: usize, to: usize) -> bool {
        from <= to && self.before[to].contains(from)
    }

    /// Whether `a` comes before `b` if both happen.
    pub fn is_before(&self, a: usize, b: usize) -> bool {
        self.happens[a].index < self.happens[b].index
    }

    /// What the events of a thread call this one.
    pub fn index(&self, event: usize) -> u32 {
        self.happens[event].index
    }

    /// The events of a set, each with the conditions under which it is in it.
    pub fn members(&self, deps: &Deps) -> Vec<(usize, Vec<TermId>)> {
        let mut found = Vec::new();
        let mut todo: Vec<(u32, Vec<TermId>)> = deps.iter().map(|i| (i, Vec::new())).collect();
        while let Some((index, conditions)) = todo.pop() {
            match &self.sources[index as usize] {
                Source::Events(events) => found.extend(events.iter().map(|e| (*e as usize, conditions.clone()))),
                Source::If(condition, deps) => {
                    let with: Vec<TermId> = conditions.iter().copied().chain([*condition]).collect();
                    todo.extend(deps.iter().map(|i| (i, with.clone())));
                }
            }
        }
        found
    }
}

/// The unfolding of one thread.
struct Run<'a> {
    program: &'a Program,
    thread: ThreadId,
    cfg: &'a Cfg,
    nest: &'a Nest,
    traces: &'a mut Traces,
    required: &'a mut Vec<TermId>,
    out: GuardedThread,
    trace: Trace,
    /// Runs that have come to a block where others may come too, in the order in which they go on.
    waiting: BTreeMap<Vec<u32>, Vec<State>>,
    ended: Vec<State>,
}

impl Run<'_> {
    fn all(&mut self, shape: Shape, cancel: &Cancel) -> Option<()> {
        let vm = ThreadVm::new(self.program, self.thread, shape, &mut self.traces.domain);
        let stretch = self.stretch(&[]);
        let start =
            State { vm, decisions: Vec::new(), stretch, block: BlockId(0), iterations: BTreeMap::new(), answer: None };
        self.follow(start, cancel)?;
        while let Some((_, states)) = self.waiting.pop_first() {
            for state in self.joined(states, cancel)? {
                self.follow(state, cancel)?;
            }
        }
        let ended = std::mem::take(&mut self.ended);
        let registers = self.program.funcs[self.program.roots[self.thread].func].regs.len();
        for state in self.joined(ended, cancel)? {
            let guard = self.conjunction(&state.decisions);
            let values = (0..registers).map(|r| *state.vm.register(Idx::from_usize(r))).collect();
            self.trace.n_reads = self.trace.n_reads.max(state.vm.n_reads());
            self.out.ends.push((guard, values));
        }
        Some(())
    }

    /// A new stretch of a path, after these.
    fn stretch(&mut self, after: &[usize]) -> usize {
        let new = self.out.before.len();
        let mut before = BitSet::new(new + 1);
        for stretch in after.iter().flat_map(|earlier| self.out.before[*earlier].iter()) {
            before.insert(stretch);
        }
        before.insert(new);
        self.out.before.push(before);
        new
    }

    fn store(&mut self) -> &mut TermStore {
        &mut self.traces.domain.store
    }

    fn conjunction(&mut self, conditions: &[TermId]) -> TermId {
        let store = self.store();
        let mut all = store.constant(Bv::bool(true));
        for condition in conditions {
            all = store.bin(BinOp::And, all, *condition);
        }
        all
    }

    /// Lets a run go on until it ends or comes to a block where others may come too. Other ways it may go are followed too.
    fn follow(&mut self, state: State, cancel: &Cancel) -> Option<()> {
        let mut open = vec![state];
        while let Some(mut state) = open.pop() {
            state.vm.number_from(self.out.sources.len() as u32);
            if let Some(yes) = state.answer.take() {
                state.vm.take(self.program, &mut self.traces.domain, yes);
            }
            loop {
                if cancel.is_due() || self.trace.events.len() > MAX_EVENTS {
                    return None;
                }
                match state.vm.run(self.program, &mut self.traces.domain) {
                    Action::Event(event) => {
                        let mut event = TraceEvent { action: *event, read: None };
                        if let (Kind::Read, Some((_, size))) = (event.action.kind, &event.action.place) {
                            let var = self.traces.fresh_var();
                            event.read = Some(var);
                            let value = self.traces.domain.store.var(var, 8 * size);
                            state.vm.give(self.program, &mut self.traces.domain, value);
                        }
                        self.add(event, &state);
                    }
                    Action::Amend { index, tags, written } => {
                        let event = self.variant(index, &state);
                        self.trace.events[event].amend(tags, written);
                    }
                    Action::Branch(condition) => open.push(self.fork(&mut state, condition)),
                    Action::Choose => {
                        let condition = self.choice(&state, 1);
                        open.push(self.fork(&mut state, condition));
                    }
                    Action::Any(width) => {
                        let value = self.choice(&state, width);
                        state.vm.give(self.program, &mut self.traces.domain, value);
                    }
                    Action::Await(condition) => match self.store().as_const(condition) {
                        Some(held) if held.is_zero() => break,
                        Some(_) => {}
                        // What came before has happened even if it waits.
                        None => state.decisions.push(condition),
                    },
                    Action::Constrain(condition) => {
                        let guard = self.conjunction(&state.decisions);
                        let store = self.store();
                        let otherwise = store.un(UnOp::Not, guard);
                        let held = store.bin(BinOp::Or, otherwise, condition);
                        self.required.push(held);
                    }
                    Action::Fresh(width) => {
                        let value = self.traces.unlike_others(width);
                        state.vm.give(self.program, &mut self.traces.domain, value);
                    }
                    Action::Arrive(block) => {
                        self.arrive(&mut state, block);
                        if self.cfg.preds[block].len() > 1 {
                            let key = self.nest.key(block, |h| state.iterations.get(&h).copied().unwrap_or(0));
                            self.waiting.entry(key).or_default().push(state);
                            break;
                        }
                    }
                    Action::Cut => {
                        let guard = self.conjunction(&state.decisions);
                        self.out.cuts.push(guard);
                        break;
                    }
                    Action::End => {
                        self.ended.push(state);
                        break;
                    }
                }
            }
        }
        Some(())
    }

    /// A value that nothing determines.
    fn choice(&mut self, state: &State, width: u8) -> TermId {
        let var = self.traces.fresh_var();
        let guard = self.conjunction(&state.decisions);
        self.out.choices.push((guard, var, width));
        self.store().var(var, width)
    }

    fn arrive(&self, state: &mut State, block: BlockId) {
        let around = self.nest.around(block);
        let was_inside = self.nest.around(state.block).contains(&block);
        state.iterations.retain(|header, _| around.contains(header));
        if around.last() == Some(&block) {
            let iteration = state.iterations.entry(block).or_default();
            *iteration = if was_inside { *iteration + 1 } else { 0 };
        }
        state.vm.forget_loops(|header| around.contains(&header));
        state.block = block;
    }

    fn add(&mut self, event: TraceEvent, state: &State) {
        let index = event.action.index;
        debug_assert_eq!(index as usize, self.out.sources.len(), "indices are given in order");
        self.out.sources.push(Source::Events(vec![self.trace.events.len() as u32]));
        self.push(event, state.decisions.clone(), state.stretch, index);
    }

    fn push(&mut self, event: TraceEvent, decisions: Vec<TermId>, stretch: usize, index: u32) {
        let guard = self.conjunction(&decisions);
        self.out.happens.push(Happens { guard, decisions, stretch, index });
        self.trace.events.push(event);
    }

    /// The event with this index as it is on the path of `state`, apart from what it is on other paths.
    fn variant(&mut self, index: u32, state: &State) -> usize {
        let Source::Events(events) = &self.out.sources[index as usize] else { return 0 };
        let original = events[0] as usize;
        let shared = self.out.happens[original].decisions.len();
        if state.decisions.len() == shared && state.decisions == self.out.happens[original].decisions {
            return original;
        }
        let new = self.trace.events.len();
        let event = self.trace.events[original].clone();
        let (here, common) = (&state.decisions, common(&state.decisions, &self.out.happens[original].decisions));
        let here = self.conjunction(&here[common..]);
        let otherwise = self.store().un(UnOp::Not, here);
        let mut decisions = self.out.happens[original].decisions.clone();
        decisions.push(otherwise);
        self.out.happens[original].guard = self.conjunction(&decisions);
        self.out.happens[original].decisions = decisions;
        if let Source::Events(events) = &mut self.out.sources[index as usize] {
            events.push(new as u32);
        }
        self.push(event, state.decisions.clone(), state.stretch, index);
        new
    }

    /// Goes on where the condition holds, and returns the run where it does not.
    fn fork(&mut self, state: &mut State, condition: TermId) -> State {
        let negation = self.store().un(UnOp::Not, condition);
        let mut decisions = state.decisions.clone();
        decisions.push(negation);
        let before = state.stretch;
        let other = State {
            vm: state.vm.clone(),
            decisions,
            stretch: self.stretch(&[before]),
            block: state.block,
            iterations: state.iterations.clone(),
            answer: Some(false),
        };
        state.vm.take(self.program, &mut self.traces.domain, true);
        state.decisions.push(condition);
        state.stretch = self.stretch(&[before]);
        other
    }

    /// Runs that have come to the same place, joined as far as they can be: those first that parted last; `None` if cancelled.
    fn joined(&mut self, states: Vec<State>, cancel: &Cancel) -> Option<Vec<State>> {
        let mut groups: Vec<Vec<State>> = Vec::new();
        for state in states {
            match groups.iter_mut().find(|group| group[0].vm.can_join(&state.vm, self.program)) {
                Some(group) => group.push(state),
                None => groups.push(vec![state]),
            }
        }
        groups.into_iter().map(|group| self.join_all(group, cancel)).collect()
    }

    /// Joins runs that can all be joined. In the order of their decisions, those that share most are neighbours.
    fn join_all(&mut self, mut states: Vec<State>, cancel: &Cancel) -> Option<State> {
        states.sort_by(|a, b| a.decisions.cmp(&b.decisions));
        let mut open: Vec<State> = Vec::new();
        for next in states {
            while let [.., a, b] = open.as_slice()
                && common(&a.decisions, &b.decisions) >= common(&b.decisions, &next.decisions)
            {
                self.join_last(&mut open, cancel)?;
            }
            open.push(next);
        }
        while open.len() > 1 {
            self.join_last(&mut open, cancel)?;
        }
        open.pop()
    }

    fn join_last(&mut self, open: &mut Vec<State>, cancel: &Cancel) -> Option<()> {
        let second = open.pop()?;
        self.join(open.last_mut()?, &second);
        (!cancel.is_stopped()).then_some(())
    }

    fn join(&mut self, first: &mut State, second: &State) {
        let shared = common(&first.decisions, &second.decisions);
        let here = self.conjunction(&first.decisions[shared..]);
        let there = self.conjunction(&second.decisions[shared..]);
        let either = self.store().bin(BinOp::Or, here, there);
        let mut joining = Joining {
            domain: &mut self.traces.domain,
            thread: &mut self.out,
            first: (first.stretch, here),
            second: (second.stretch, there),
            known: BTreeMap::new(),
        };
        first.vm.join(&second.vm, &mut joining);
        first.decisions.truncate(shared);
        // The join of two infeasible paths is infeasible.
        if self.store().as_const(either).is_none_or(Bv::is_zero) {
            first.decisions.push(either);
        }
        first.stretch = self.stretch(&[first.stretch, second.stretch]);
    }
}

/// How many decisions two paths share from the start.
fn common(a: &[TermId], b: &[TermId]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}

/// Joins values by a choice, and dependencies by conditional ones.
struct Joining<'a> {
    domain: &'a mut Symbolic,
    thread: &'a mut GuardedThread,
    /// The last stretch of each path, and what distinguishes it from the other.
    first: (usize, TermId),
    second: (usize, TermId),
    known: BTreeMap<(bool, Vec<u32>), u32>,
}

impl Joining<'_> {
    /// The dependencies that only one of the paths has.
    fn only(&mut self, deps: &Deps, other: &Deps, is_first: bool, joined: &mut Deps) {
        let ((_, condition), (away, _)) = if is_first { (self.first, self.second) } else { (self.second, self.first) };
        let mut conditional = Vec::new();
        for index in deps.iter().filter(|i| !other.contains(*i)) {
            // What happens on this path only needs no condition.
            let happens_there = match &self.thread.sources[index as usize] {
                Source::Events(events) => {
                    events.iter().any(|e| self.thread.leads_to(self.thread.happens[*e as usize].stretch, away))
                }
                Source::If(..) => true,
            };
            if happens_there { conditional.push(index) } else { joined.insert(index) }
        }
        if conditional.is_empty() {
            return;
        }
        let next = self.thread.sources.len() as u32;
        let index = *self.known.entry((is_first, conditional.clone())).or_insert(next);
        if index == next {
            let deps = conditional.into_iter().fold(Deps::new(), |mut deps, i| {
                deps.insert(i);
                deps
            });
            self.thread.sources.push(Source::If(condition, deps));
        }
        joined.insert(index);
    }
}

impl Joiner<TermId> for Joining<'_> {
    fn value(&mut self, first: &TermId, second: &TermId) -> TermId {
        self.domain.ite(&self.first.1, first, second)
    }

    fn deps(&mut self, first: &Deps, second: &Deps) -> Deps {
        let mut joined = Deps::new();
        first.iter().filter(|i| second.contains(*i)).for_each(|i| joined.insert(i));
        self.only(first, second, true, &mut joined);
        self.only(second, first, false, &mut joined);
        joined
    }
}
