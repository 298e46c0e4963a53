//! The search: what is certain is added, what is not is chosen, one choice after the other.

mod judge;

use super::graph::{Has, Key, Open, Paths, State, View};
use super::growing::{Growth, growing_checks};
use std::collections::BTreeMap;
use std::ops::{ControlFlow, Range};
use std::rc::Rc;
use treville_base::{Cancel, Idx};
use treville_eval::{Coherence, Plan, Staged};
use treville_event::{Cell, Kind};
use treville_model::{CheckId, Model};
use treville_task::StopReason;
use treville_term::{TermId, VarId};
use treville_unfold::{Collector, Prepared, Solved, Stuck, TraceEvent, Turn, Values, skeleton};

type Flow = ControlFlow<()>;

/// More events than this in one execution are not for this search.
const MAX_EVENTS: usize = 1_000;

/// What stops a thread from being followed further.
enum Halt {
    /// The graph can never become an execution.
    Dead,
    /// The thread goes one of these ways, and nothing will tell which.
    Fork(usize, Vec<Range<usize>>),
}

/// What a thread waits for: reads that have no source.
enum Wait {
    /// The ways that it may go, each under a condition.
    Turn(Vec<Range<usize>>),
    Address(TermId),
}

pub(crate) struct Exploration<'a, 'p, 't> {
    paths: Paths<'p>,
    model: &'p Model,
    plan: Option<&'p Plan>,
    staged: Option<Staged<'p>>,
    growing: Vec<CheckId>,
    /// The view that the evaluator has seen last.
    entered: Option<Rc<View<'p>>>,
    /// What the model forbids of executions with these events.
    coherence: Coherence,
    values: Values<'p>,
    /// The addresses that a computed one may be, as far as they can be listed.
    addresses: BTreeMap<TermId, Option<Vec<u64>>>,
    collector: &'a mut Collector<'t>,
    /// The queries whose witnesses are all that is asked for, if so.
    wanted: Option<Vec<usize>>,
    cancel: &'a Cancel,
    refused: Option<String>,
    pub(crate) graphs: u64,
    pub(crate) dead_ends: u64,
}

impl<'a, 'p, 't> Exploration<'a, 'p, 't> {
    pub(crate) fn new(
        prepared: &'p Prepared<'p>,
        model: &'p Model,
        plan: Option<&'p Plan>,
        collector: &'a mut Collector<'t>,
        cancel: &'a Cancel,
        wanted: Option<Vec<usize>>,
    ) -> Self {
        Exploration {
            paths: Paths::new(prepared),
            model,
            plan,
            staged: plan.map(|plan| Staged::new(model, plan)),
            growing: growing_checks(model, Growth::Anyhow),
            entered: None,
            coherence: Coherence::default(),
            values: Values::new(&prepared.traces.domain.store, prepared.traces.n_vars),
            addresses: computed_addresses(prepared),
            collector,
            wanted,
            cancel,
            refused: None,
            graphs: 0,
            dead_ends: 0,
        }
    }

    fn prepared(&self) -> &'p Prepared<'p> {
        self.paths.prepared
    }

    /// All executions. An error says why they are not all.
    pub(crate) fn all(&mut self) -> Result<(), StopReason> {
        let longest = |paths: &Vec<treville_unfold::Trace>| paths.iter().map(|p| p.events.len()).max().unwrap_or(0);
        if self.prepared().traces.threads.iter().map(longest).sum::<usize>() > MAX_EVENTS {
            return Err(StopReason::Refused(format!("an execution has more than {MAX_EVENTS} events")));
        }
        if let Some(start) = State::new(&self.paths) {
            let _ = self.visit(start);
        }
        self.refused.take().map_or(Ok(()), |why| Err(StopReason::Refused(why)))
    }

    /// All executions that the graph can become.
    fn visit(&mut self, mut state: State<'p>) -> Flow {
        self.graphs += 1;
        self.check_limits()?;
        match self.advance(&mut state) {
            Err(Halt::Dead) => self.dead_end(),
            Err(Halt::Fork(thread, ways)) => self.fork(&state, thread, &ways),
            Ok(()) if state.view.is_of(&self.paths, &state.threads) => self.go_on(&state),
            Ok(()) => {
                state.view = Rc::new(self.paths.view(&state.threads));
                let bound = self.bind_view(&state);
                let flow = if self.is_plausible(&mut state) { self.go_on(&state) } else { self.dead_end() };
                bound.into_iter().for_each(|var| self.values.unbind(var));
                flow
            }
        }
    }

    fn check_limits(&self) -> Flow {
        if self.cancel.is_due() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn dead_end(&mut self) -> Flow {
        self.dead_ends += 1;
        ControlFlow::Continue(())
    }

    /// The same graph, with the thread on each of the ways.
    fn fork(&mut self, state: &State<'p>, thread: usize, ways: &[Range<usize>]) -> Flow {
        ways.iter().try_for_each(|way| {
            let mut next = state.clone();
            next.threads[thread].paths = way.clone();
            self.visit(next)
        })
    }

    /// Binds the variables of a new view that have no value yet: wholes of split accesses, and parts under other names.
    fn bind_view(&mut self, state: &State<'p>) -> Vec<VarId> {
        let pre = &state.view.pre;
        let parts = state.sources().filter_map(|(w, r)| Some((pre.events[r].read?, pre.events[w].written?)));
        let mut bound = Vec::new();
        for (var, term) in pre.joined.iter().copied().chain(parts) {
            if !self.values.is_bound(var) {
                self.values.bind(var, term);
                bound.push(var);
            }
        }
        bound
    }

    /// Follows every thread as far as its way is certain.
    fn advance(&mut self, state: &mut State<'p>) -> Result<(), Halt> {
        for thread in 0..state.threads.len() {
            while self.step(state, thread)?.is_none() {
                if self.paths.is_whole(thread, &state.threads[thread]) {
                    break;
                }
            }
        }
        Ok(())
    }

    /// One turn or event of a thread, if it is certain; otherwise what it waits for. The thread's path is not whole.
    fn step(&mut self, state: &mut State<'p>, thread: usize) -> Result<Option<Wait>, Halt> {
        let progress = &state.threads[thread];
        if self.paths.is_whole(thread, progress) {
            return Ok(None);
        }
        let path = self.paths.path(thread, progress.paths.start);
        match path.turns.get(progress.turns) {
            Some((at, _)) if *at == progress.len => self.turn(state, thread),
            _ => self.event(state, thread),
        }
    }

    fn turn(&mut self, state: &mut State<'p>, thread: usize) -> Result<Option<Wait>, Halt> {
        let Range { start, end } = state.threads[thread].paths;
        let number = state.threads[thread].turns;
        let ways = self.paths.runs(thread, &(start..end), |a, b| a.turns[number] == b.turns[number]);
        let turn = |way: &Range<usize>| self.paths.path(thread, way.start).turns[number].1;
        match (turn(&ways[0]), ways.len()) {
            (Turn::Choice(_), 1) => {}
            (Turn::Choice(_), _) => return Err(Halt::Fork(thread, ways)),
            (Turn::If(condition), 1) => match holds(&mut self.values, condition) {
                Some(false) => return Err(Halt::Dead),
                Some(true) => {}
                None => state.conditions.push(condition),
            },
            (Turn::If(_), _) => {
                let mut kept = Vec::new();
                for way in &ways {
                    let Turn::If(condition) = turn(way) else { return Err(Halt::Dead) };
                    match holds(&mut self.values, condition) {
                        Some(false) => {}
                        Some(true) => kept.push(way.clone()),
                        None => return Ok(Some(Wait::Turn(ways))),
                    }
                }
                let Some(way) = kept.pop() else { return Err(Halt::Dead) };
                state.threads[thread].paths = way;
            }
        }
        state.threads[thread].turns += 1;
        Ok(None)
    }

    fn event(&mut self, state: &mut State<'p>, thread: usize) -> Result<Option<Wait>, Halt> {
        let progress = &state.threads[thread];
        let index = progress.len as usize;
        // What an update turns out to be decides what its read was.
        let ways =
            self.paths.runs(thread, &progress.paths, |a, b| same_version(a.events.get(index), b.events.get(index)));
        if ways.len() > 1 {
            return Err(Halt::Fork(thread, ways));
        }
        let Some(event) = self.paths.path(thread, progress.paths.start).events.get(index) else {
            return Err(Halt::Dead);
        };
        if let Some((address, size)) = event.action.place
            && self.values.store().as_const(address).is_none()
        {
            match self.values.eval(address) {
                Err(Stuck::Unbound) => return Ok(Some(Wait::Address(address))),
                Err(Stuck::Circular) => return Err(Halt::Dead),
                Ok(a) if a.is_thin_air() => return Err(Halt::Dead),
                Ok(a) => {
                    let cell = self.cell(address, a.unsigned() as u64, size, event.action.kind);
                    state.threads[thread].cells.push((index as u32, cell.ok_or(Halt::Dead)?));
                }
            }
        }
        state.threads[thread].len += 1;
        Ok(None)
    }

    fn cell(&self, term: TermId, address: u64, size: u8, kind: Kind) -> Option<Cell> {
        match kind {
            Kind::Opaque => self.prepared().cells.at(address),
            _ => self.prepared().exact_cell(term, address, size),
        }
    }

    /// Makes the next choice.
    fn go_on(&mut self, state: &State<'p>) -> Flow {
        if !state.open.iter().all(|open| self.may_be_served(state, open)) {
            return self.dead_end();
        }
        match self.next_choice(state) {
            None => self.free_a_thread(state),
            Some((thread, part)) => {
                self.enter_view(state);
                let (view, id) = (&state.view, state.view.pre.first[thread][0] + part);
                let event = &view.pre.events[id];
                if event.read.is_some() && state.threads[thread].has(part) == Has::Nothing {
                    self.choose_source(state.clone(), thread, part)
                } else {
                    self.choose_place(state.clone(), thread, part)
                }
            }
        }
    }

    /// The part of a thread's event to choose for next. Threads that wait come first: the more is certain, the fewer reads are
    /// left open. Then cells with updates, which leave the fewest choices.
    fn next_choice(&self, state: &State<'p>) -> Option<(usize, usize)> {
        let view = &state.view;
        let mut best = None;
        for (t, progress) in state.threads.iter().enumerate() {
            let waits = !self.paths.is_whole(t, progress);
            for part in 0..view.n_parts(t) {
                let event = &view.pre.events[view.pre.first[t][0] + part];
                if progress.has(part) == Has::All || event.read.is_none() && !event.kind.writes() {
                    continue;
                }
                let updated = event.cell.filter(|cell| view.is_updated(*cell));
                // There, sources come first, and no write before the one that its update saw.
                let turn = updated.map_or(0, |cell| {
                    let reads = event.read.is_some() && progress.has(part) == Has::Nothing;
                    let key = view.key(view.pre.first[t][0] + part);
                    u8::from(!reads) + u8::from(!reads && state.follows_later(cell, key))
                });
                let rank = (!waits, updated.is_none(), updated, turn, t, part);
                if best.is_none_or(|best| rank < best) {
                    best = Some(rank);
                }
            }
        }
        best.map(|(.., t, part)| (t, part))
    }

    /// Whether some write may still come that an open read sees.
    fn may_be_served(&self, state: &State<'p>, open: &Open) -> bool {
        let view = &state.view;
        let read = view.id(open.read);
        let Some(cell) = view.pre.events[read].cell else { return false };
        let certain = state.threads.iter().enumerate().any(|(t, progress)| {
            (0..view.n_parts(t)).filter(|&part| progress.has(part) != Has::All).any(|part| {
                let id = view.pre.first[t][0] + part;
                view.pre.events[id].cell == Some(cell) && self.may_serve(state, open, id)
            })
        });
        certain || self.may_come(state, cell)
    }

    /// Whether the write was not there when the read was left open.
    fn may_serve(&self, state: &State<'p>, open: &Open, write: usize) -> bool {
        let pre = &state.view.pre;
        let Some((thread, index)) = pre.events[write].at else { return false };
        pre.events[write].written.is_some()
            && index >= open.refused[thread.index()]
            && self.prepared().may_read(pre, state.view.id(open.read), write)
    }

    /// Whether a thread may still write to the cell, beyond what is certain.
    fn may_come(&self, state: &State<'p>, cell: Cell) -> bool {
        state.threads.iter().enumerate().any(|(t, progress)| {
            progress.paths.clone().any(|path| {
                let rest = self.paths.path(t, path).events.iter().skip(progress.len as usize);
                rest.filter(|e| e.action.kind.writes()).any(|e| self.may_touch(e, cell))
            })
        })
    }

    fn may_touch(&self, event: &TraceEvent, cell: Cell) -> bool {
        let Some((address, size)) = event.action.place else { return false };
        let covers = |a: u64| a <= cell.address && cell.end() <= a.saturating_add(u64::from(size));
        match (self.values.store().as_const(address), self.addresses.get(&address)) {
            (Some(a), _) => covers(a.unsigned() as u64),
            (None, Some(Some(all))) => all.iter().any(|a| covers(*a)),
            (None, _) => size == cell.size,
        }
    }

    /// The read sees one of the certain writes of its cell, or one that is still to come.
    fn choose_source(&mut self, state: State<'p>, thread: usize, part: usize) -> Flow {
        let view = Rc::clone(&state.view);
        let read = view.pre.first[thread][0] + part;
        let event = &view.pre.events[read];
        let (Some(cell), key) = (event.cell, view.key(read)) else { return self.dead_end() };
        let mut next = state;
        next.threads[thread].give(part, if event.kind.writes() { Has::Source } else { Has::All });
        let coherence = self.coherence(&view);
        for (write, source) in view.pre.events.iter().enumerate() {
            if source.cell == Some(cell)
                && source.kind.writes()
                && self.prepared().may_read(&view.pre, read, write)
                && !next.is_taken(coherence, key, view.key(write))
            {
                self.see(next.clone(), view.key(write), key, &mut |search, state| search.visit(state))?;
            }
        }
        if self.may_come(&next, cell) {
            next.open.push(Open { read: key, refused: view.limits.clone() });
            return self.visit(next);
        }
        ControlFlow::Continue(())
    }

    /// The read sees the write; goes on with `then`.
    fn see(
        &mut self,
        mut state: State<'p>,
        write: Key,
        read: Key,
        then: &mut dyn FnMut(&mut Self, State<'p>) -> Flow,
    ) -> Flow {
        self.check_limits()?;
        let events = &state.view.pre.events;
        let (Some(var), Some(value)) = (events[state.view.id(read)].read, events[state.view.id(write)].written) else {
            return self.dead_end();
        };
        state.rf.push((write, read));
        self.values.bind(var, value);
        let flow = if self.is_plausible(&mut state) { then(self, state) } else { self.dead_end() };
        self.values.unbind(var);
        flow
    }

    /// The write takes a place among those of its cell.
    fn choose_place(&mut self, mut state: State<'p>, thread: usize, part: usize) -> Flow {
        let view = Rc::clone(&state.view);
        let write = view.pre.first[thread][0] + part;
        let (Some(cell), key) = (view.pre.events[write].cell, view.key(write)) else { return self.dead_end() };
        state.threads[thread].give(part, Has::All);
        let coherence = self.coherence(&view);
        let n_places = state.co.get(&cell).map_or(0, Vec::len);
        let first = if self.prepared().free_co { 1 } else { n_places };
        for place in (first..=n_places).rev() {
            self.check_limits()?;
            let mut next = state.clone();
            let order = next.co.entry(cell).or_default();
            order.insert(place, key);
            let order = order.clone();
            if next.keeps_program_order(coherence, &order, place)
                && next.keeps_updates(coherence, cell, &order)
                && self.is_plausible(&mut next)
            {
                self.offer(next, write, 0)?;
            } else {
                self.dead_ends += 1;
            }
        }
        ControlFlow::Continue(())
    }

    /// Each open read from number `from` on sees the write, or does not.
    fn offer(&mut self, mut state: State<'p>, write: usize, from: usize) -> Flow {
        let view = Rc::clone(&state.view);
        let cell = view.pre.events[write].cell;
        let wants =
            |open: &Open| view.pre.events[view.id(open.read)].cell == cell && self.may_serve(&state, open, write);
        let Some(i) = (from..state.open.len()).find(|&i| wants(&state.open[i])) else { return self.visit(state) };
        self.offer(state.clone(), write, i + 1)?;
        let open = state.open.remove(i);
        self.see(state, view.key(write), open.read, &mut |search, state| search.offer(state, write, i))
    }

    /// Every certain event has its source and place: a thread that waits goes each of its ways.
    fn free_a_thread(&mut self, state: &State<'p>) -> Flow {
        let mut scratch = state.clone();
        for thread in 0..state.threads.len() {
            match self.step(&mut scratch, thread) {
                Ok(None) => {}
                Ok(Some(Wait::Turn(ways))) => {
                    return ways.iter().try_for_each(|way| {
                        let mut next = state.clone();
                        next.threads[thread].paths = way.clone();
                        self.visit(next)
                    });
                }
                Ok(Some(Wait::Address(address))) => return self.choose_address(state, thread, address),
                Err(Halt::Dead) => return self.dead_end(),
                Err(Halt::Fork(..)) => {}
            }
        }
        if state.open.is_empty() { self.complete(state) } else { self.dead_end() }
    }

    /// The next event of a thread touches each cell that it may.
    fn choose_address(&mut self, state: &State<'p>, thread: usize, address: TermId) -> Flow {
        let progress = &state.threads[thread];
        let event = &self.paths.path(thread, progress.paths.start).events[progress.len as usize];
        let (kind, size) = (event.action.kind, event.action.place.map_or(0, |p| p.1));
        let addresses: Vec<u64> = match self.addresses.get(&address).cloned().flatten() {
            Some(addresses) => addresses,
            None if kind == Kind::Opaque => {
                self.refused = Some("the address of a lock may be anything".into());
                return ControlFlow::Break(());
            }
            None => {
                let cells = self.prepared().cells.all.iter().chain(&self.prepared().cells.outside);
                cells.filter(|c| c.size == size).map(|c| c.address).collect()
            }
        };
        for a in addresses {
            let Some(cell) = self.cell(address, a, size, kind) else { continue };
            let mut next = state.clone();
            let progress = &mut next.threads[thread];
            progress.cells.push((progress.len, cell));
            progress.len += 1;
            self.visit(next)?;
        }
        ControlFlow::Continue(())
    }

    /// Whether values and model allow the graph so far. Conditions that are known to hold are dropped.
    fn is_plausible(&mut self, state: &mut State<'p>) -> bool {
        let values = &mut self.values;
        let mut contradicted = false;
        state.conditions.retain(|condition| {
            let known = holds(values, *condition);
            contradicted |= known == Some(false);
            known.is_none()
        });
        let pre = &state.view.pre;
        let is_at = |values: &mut Values<'_>, address, at: u64| match values.eval(address) {
            Ok(a) => !a.is_thin_air() && a.unsigned() == u128::from(at),
            Err(stuck) => stuck == Stuck::Unbound,
        };
        !contradicted
            && pre.assumed.iter().all(|(address, at)| is_at(values, *address, *at))
            && self.model_allows(state)
    }

    fn model_allows(&mut self, state: &State<'p>) -> bool {
        let Some(mut staged) = self.staged.take() else { return true };
        self.enter(&mut staged, state);
        staged.set_rf(&state.rf());
        staged.set_co(&state.co());
        let allowed =
            if state.view.whole { staged.plausible() } else { self.growing.iter().all(|check| staged.passes(*check)) };
        self.staged = Some(staged);
        allowed
    }

    /// What the model forbids around updates, if all events are there; nothing is known of those that are still to come.
    fn coherence(&self, view: &View<'p>) -> Coherence {
        if view.whole { self.coherence } else { Coherence::default() }
    }

    fn enter_view(&mut self, state: &State<'p>) {
        if let Some(mut staged) = self.staged.take() {
            self.enter(&mut staged, state);
            self.staged = Some(staged);
        }
    }

    /// Gives the evaluator the events of the graph, if it does not have them.
    fn enter(&mut self, staged: &mut Staged<'p>, state: &State<'p>) {
        if self.entered.as_ref().is_some_and(|entered| Rc::ptr_eq(entered, &state.view)) {
            return;
        }
        let pre = &state.view.pre;
        let cells: Vec<Solved> = pre.events.iter().map(|e| Solved { cell: e.cell, ..Solved::default() }).collect();
        let skeleton = skeleton(self.prepared().program, self.prepared().vocabulary, pre, &cells);
        staged.enter(&skeleton);
        if state.view.whole {
            self.coherence = Coherence::of(staged, &skeleton);
        }
        self.entered = Some(Rc::clone(&state.view));
    }
}

/// The values of all addresses that depend on what is read.
fn computed_addresses(prepared: &Prepared<'_>) -> BTreeMap<TermId, Option<Vec<u64>>> {
    let mut all = BTreeMap::new();
    for event in prepared.traces.threads.iter().flatten().flat_map(|path| &path.events) {
        let Some((address, size)) = event.action.place else { continue };
        if prepared.traces.domain.store.as_const(address).is_none() {
            let list = || prepared.possible_addresses(address, size).map(|all| all.into_iter().collect());
            all.entry(address).or_insert_with(list);
        }
    }
    all
}

/// Whether a condition holds, if the values tell. One that needs a value out of thin air does not.
fn holds(values: &mut Values<'_>, condition: TermId) -> Option<bool> {
    match values.eval(condition) {
        Ok(v) => Some(!v.is_thin_air() && !v.is_zero()),
        Err(Stuck::Unbound) => None,
        Err(Stuck::Circular) => Some(false),
    }
}

/// Whether two paths with the same beginning go on with the same event.
fn same_version(a: Option<&TraceEvent>, b: Option<&TraceEvent>) -> bool {
    match (a.map(|e| &e.action), b.map(|e| &e.action)) {
        (Some(a), Some(b)) => a.kind == b.kind && a.tags == b.tags && a.value == b.value && a.data == b.data,
        (a, b) => a.is_none() && b.is_none(),
    }
}
