//! The fast search: sources and orders are chosen cell by cell, and a choice that breaks coherence, a path's condition or an
//! axiom of the model is given up as soon as it does.

use crate::candidates::{Finals, Solution, register_values};
use crate::collect::Collector;
use crate::frame::Frame;
use crate::order::{CellAccesses, Forced};
use crate::prepare::Prepared;
use crate::skeleton::skeleton;
use crate::values::{Stuck, Values};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;
use treville_base::{Cancel, Idx};
use treville_eval::{Coherence, Staged};
use treville_event::{BaseRel, Cell, EventSet, Graph, Kind, Relation, Skeleton};
use treville_ir::ThreadId;
use treville_model::syntax::CheckMode;
use treville_term::Bv;
use treville_vm::Link;

/// A cell has more writes than fit a machine word; the definition can still answer.
pub(crate) struct TooManyWrites;

pub(crate) struct Search<'a, 'm, 't> {
    pub(crate) prepared: &'a Prepared<'a>,
    pub(crate) staged: Staged<'m>,
    pub(crate) notes: &'m [treville_model::CheckId],
    pub(crate) collector: &'a mut Collector<'t>,
    pub(crate) cancel: &'a Cancel,
    pub(crate) steps: u32,
}

/// The choices made so far in one frame.
struct State<'f> {
    frame: &'f Frame<'f>,
    skeleton: Arc<Skeleton>,
    po: Relation,
    coherence: Coherence,
    cells: Vec<(Cell, CellAccesses)>,
    /// For each cell, the sources chosen for its reads, as positions.
    sources: Vec<Vec<usize>>,
    forced: Vec<Forced>,
    orders: Vec<Vec<usize>>,
    rf: Relation,
    co: Relation,
}

impl Search<'_, '_, '_> {
    /// All executions of the program.
    pub(crate) fn all(&mut self) -> Result<(), TooManyWrites> {
        let mut failed = None;
        let _ = self.prepared.each_fixed_frame(|frame| {
            self.frame(frame).unwrap_or_else(|e| {
                failed = Some(e);
                ControlFlow::Break(())
            })
        });
        failed.map_or(Ok(()), Err)
    }

    /// All executions of a frame.
    fn frame(&mut self, frame: &Frame<'_>) -> Result<ControlFlow<()>, TooManyWrites> {
        let mut values = Values::new(&self.prepared.traces.domain.store, self.prepared.traces.n_vars);
        frame.joined.iter().for_each(|&(var, term)| values.bind(var, term));
        if frame.fixed {
            let cells: Vec<Option<Cell>> = frame.events.iter().map(|e| e.cell).collect();
            let mut state = self.enter(frame, &cells)?;
            return Ok(self.choose_source(&mut state, &mut values, 0));
        }
        let reads: Vec<usize> = (0..frame.events.len()).filter(|&e| frame.events[e].read.is_some()).collect();
        self.moving(frame, &reads, &mut Vec::new(), &mut values)
    }

    /// Sources for the reads of a frame whose addresses depend on values: read by read, then cells are known.
    fn moving(
        &mut self,
        frame: &Frame<'_>,
        open: &[usize],
        rf: &mut Vec<(usize, usize)>,
        values: &mut Values<'_>,
    ) -> Result<ControlFlow<()>, TooManyWrites> {
        if self.is_due() {
            return Ok(ControlFlow::Break(()));
        }
        if self.contradicts(frame, values) {
            return Ok(ControlFlow::Continue(()));
        }
        if open.is_empty() {
            let Some(solution) = Solution::of(self.prepared, frame, rf, values) else {
                return Ok(ControlFlow::Continue(()));
            };
            return self.moved(frame, rf, values, &solution);
        }
        // Take a read whose cell is known, if there is one: it has the fewest sources.
        let known = open.iter().position(|&r| self.cell_of(frame, r, values).is_ok_and(|c| c.is_some()));
        let mut rest = open.to_vec();
        let read = rest.remove(known.unwrap_or(0));
        let Ok(cell) = self.cell_of(frame, read, values) else { return Ok(ControlFlow::Continue(())) };
        for source in 0..frame.events.len() {
            let (Some(var), Some(value)) = (frame.events[read].read, frame.events[source].written) else { continue };
            let Ok(other) = self.cell_of(frame, source, values) else { continue };
            let same = cell.is_none() || other.is_none() || cell == other;
            let own = source == read || self.prepared.same_instance(frame, read, source) && source > read;
            if !same || own || frame.events[read].size != frame.events[source].size {
                continue;
            }
            rf.push((source, read));
            values.bind(var, value);
            let flow = self.moving(frame, &rest, rf, values);
            values.unbind(var);
            rf.pop();
            if flow?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// The cell of an event, if it can be told already; an error if it has none.
    fn cell_of(&self, frame: &Frame<'_>, event: usize, values: &mut Values<'_>) -> Result<Option<Cell>, ()> {
        let e = &frame.events[event];
        match (e.cell, e.address) {
            (Some(cell), _) => Ok(Some(cell)),
            (None, None) => Ok(None),
            (None, Some(address)) => match values.eval(address) {
                Ok(a) if a.is_thin_air() => Err(()),
                Ok(a) => self.prepared.exact_cell(a.unsigned() as u64, e.size).map(Some).ok_or(()),
                Err(Stuck::Unbound) => Ok(None),
                Err(Stuck::Circular) => Err(()),
            },
        }
    }

    /// All orders, once the sources of a frame with moving addresses are chosen.
    fn moved(
        &mut self,
        frame: &Frame<'_>,
        rf: &[(usize, usize)],
        values: &mut Values<'_>,
        solution: &Solution,
    ) -> Result<ControlFlow<()>, TooManyWrites> {
        let cells: Vec<Option<Cell>> = solution.solved.iter().map(|s| s.cell).collect();
        let mut state = self.enter(frame, &cells)?;
        for &(source, read) in rf {
            state.rf.insert(source, read);
        }
        for c in 0..state.cells.len() {
            let accesses = &state.cells[c].1;
            let position = |r: &usize| {
                let source = rf.iter().find(|(_, read)| read == r).map(|(w, _)| *w);
                accesses.writes.iter().position(|w| Some(*w) == source).unwrap_or(0)
            };
            let sources: Vec<usize> = accesses.reads.iter().map(position).collect();
            match accesses.forced(state.coherence, &state.po, &sources) {
                Some(forced) => state.forced[c] = forced,
                None => return Ok(ControlFlow::Continue(())),
            }
            state.sources[c] = sources;
        }
        Ok(self.sources_chosen(&mut state, values))
    }

    fn enter<'f>(&mut self, frame: &'f Frame<'f>, cells: &[Option<Cell>]) -> Result<State<'f>, TooManyWrites> {
        let n = frame.events.len();
        let unsolved: Vec<_> =
            cells.iter().map(|c| crate::skeleton::Solved { cell: *c, ..Default::default() }).collect();
        let skeleton = Arc::new(skeleton(self.prepared.program, self.prepared.vocabulary, frame, &unsolved));
        self.staged.enter(&skeleton);
        let coherence = Coherence::of(&mut self.staged, &skeleton);
        let cells = accesses(frame, cells)?;
        let po = skeleton.rels.get(&BaseRel::Po).cloned().unwrap_or_else(|| Relation::new(n));
        let mut state = State {
            frame,
            skeleton,
            po,
            coherence,
            sources: vec![Vec::new(); cells.len()],
            forced: vec![Forced::default(); cells.len()],
            orders: vec![Vec::new(); cells.len()],
            cells,
            rf: Relation::new(n),
            co: Relation::new(n),
        };
        for c in 0..state.cells.len() {
            state.forced[c] = state.cells[c].1.forced(coherence, &state.po, &[]).unwrap_or_default();
        }
        Ok(state)
    }

    fn is_due(&mut self) -> bool {
        self.steps = self.steps.wrapping_add(1);
        self.cancel.is_raised() || self.steps.is_multiple_of(256) && self.cancel.is_due()
    }

    /// Whether some path's condition is already known to fail.
    fn contradicts(&self, frame: &Frame<'_>, values: &mut Values<'_>) -> bool {
        let mut fails = |term, holds: &dyn Fn(Bv) -> bool| match values.eval(term) {
            Ok(v) => v.is_thin_air() || !holds(v),
            Err(Stuck::Unbound) => false,
            Err(Stuck::Circular) => true,
        };
        frame.traces.iter().flat_map(|t| &t.constraints).any(|c| fails(*c, &|v| !v.is_zero()))
            || frame.assumed.iter().any(|(a, at)| fails(*a, &|v| v.unsigned() == u128::from(*at)))
    }

    /// Chooses sources for the reads of cell `c` and those after it.
    fn choose_source(&mut self, state: &mut State<'_>, values: &mut Values<'_>, c: usize) -> ControlFlow<()> {
        if self.is_due() {
            return ControlFlow::Break(());
        }
        let Some((_, accesses)) = state.cells.get(c) else { return self.sources_chosen(state, values) };
        let chosen = state.sources[c].len();
        let Some(&read) = accesses.reads.get(chosen) else {
            let plausible = chosen == 0 || self.plausible(state);
            return if plausible { self.choose_source(state, values, c + 1) } else { ControlFlow::Continue(()) };
        };
        let before = state.forced[c].clone();
        for position in 0..accesses_len(state, c) {
            let source = state.cells[c].1.writes[position];
            let own = source == read || self.prepared.same_instance(state.frame, read, source) && source > read;
            let (Some(var), Some(value)) = (state.frame.events[read].read, state.frame.events[source].written) else {
                continue;
            };
            if own {
                continue;
            }
            state.sources[c].push(position);
            if let Some(forced) = state.cells[c].1.forced(state.coherence, &state.po, &state.sources[c]) {
                values.bind(var, value);
                state.forced[c] = forced;
                state.rf.insert(source, read);
                let flow = if self.contradicts(state.frame, values) {
                    ControlFlow::Continue(())
                } else {
                    self.choose_source(state, values, c)
                };
                state.rf.remove(source, read);
                values.unbind(var);
                flow?;
            }
            state.sources[c].pop();
        }
        state.forced[c] = before;
        ControlFlow::Continue(())
    }

    /// Whether the choices so far may still become an execution.
    fn plausible(&mut self, state: &mut State<'_>) -> bool {
        state.co.clear();
        for (c, (_, accesses)) in state.cells.iter().enumerate() {
            for (i, j) in state.forced[c].pairs() {
                state.co.insert(accesses.writes[i], accesses.writes[j]);
            }
        }
        self.staged.set_rf(&state.rf);
        self.staged.set_co(&state.co);
        self.staged.holds(true)
    }

    /// Every read has a source: solve for values, then choose orders.
    fn sources_chosen(&mut self, state: &mut State<'_>, values: &mut Values<'_>) -> ControlFlow<()> {
        let rf: Vec<(usize, usize)> = state.rf.iter().collect();
        let Some(solution) = Solution::of(self.prepared, state.frame, &rf, values) else {
            return ControlFlow::Continue(());
        };
        let registers = register_values(state.frame, values);
        self.staged.set_rf(&state.rf);
        state.co.clear();
        self.choose_order(state, &solution, &registers, 0)
    }

    /// Chooses coherence orders for cell `c` and those after it.
    fn choose_order(
        &mut self,
        state: &mut State<'_>,
        solution: &Solution,
        registers: &[Vec<Option<Bv>>],
        c: usize,
    ) -> ControlFlow<()> {
        if c == state.cells.len() {
            return self.complete(state, solution, registers);
        }
        let accesses = state.cells[c].1.clone();
        let forced = state.forced[c].clone();
        let sources = state.sources[c].clone();
        accesses.each_order(state.coherence, &forced, &sources, &mut |order| {
            for (i, &a) in order.iter().enumerate() {
                order[i + 1..].iter().for_each(|&b| state.co.insert(accesses.writes[a], accesses.writes[b]));
            }
            state.orders[c].clear();
            state.orders[c].extend_from_slice(order);
            let free = accesses.writes.len() > 2 && c + 1 < state.cells.len();
            let mut go_on = true;
            if free {
                self.staged.set_co(&state.co);
                go_on = self.staged.holds(true);
            }
            let flow =
                if go_on { self.choose_order(state, solution, registers, c + 1) } else { ControlFlow::Continue(()) };
            for &a in &accesses.writes {
                state.co.row_mut(a).fill(0);
            }
            flow
        })
    }

    /// Everything is chosen: judge.
    fn complete(
        &mut self,
        state: &mut State<'_>,
        solution: &Solution,
        registers: &[Vec<Option<Bv>>],
    ) -> ControlFlow<()> {
        if self.is_due() {
            return ControlFlow::Break(());
        }
        let n = state.frame.events.len();
        let last = |c: usize| state.orders[c].last().map(|&p| state.cells[c].1.writes[p]);
        let lasts: Vec<usize> = (0..state.cells.len()).filter_map(last).collect();
        let memory = lasts.iter().filter_map(|&w| Some((solution.solved[w].cell?, solution.solved[w].written?)));
        let finals = Finals { program: self.prepared.program, registers, memory: memory.collect() };
        if !self.collector.keeps(&finals) {
            return ControlFlow::Continue(());
        }
        let observed = lasts.iter().copied().filter(|&w| self.prepared.is_observed(solution.solved[w].cell));
        let final_writes = EventSet::from_members(n, observed);
        self.staged.set_finals(&final_writes);
        self.staged.set_co(&state.co);
        self.collector.counts.candidates += 1;
        if !self.staged.holds(false) {
            return ControlFlow::Continue(());
        }
        for id in self.notes {
            let check = &self.prepared.model.checks[*id];
            let passes = self.staged.passes(*id);
            match check.mode {
                CheckMode::Flag if passes => self.collector.flag(&check.name),
                CheckMode::UndefinedUnless if !passes => self.collector.undefined(),
                _ => {}
            }
        }
        let prepared = self.prepared;
        self.collector.add(&finals, &mut || {
            let skeleton = skeleton(prepared.program, prepared.vocabulary, state.frame, &solution.solved);
            let graph = Graph {
                skeleton: Arc::new(skeleton),
                rf: state.rf.clone(),
                co: state.co.clone(),
                finals: final_writes.clone(),
            };
            (graph, Vec::new())
        });
        ControlFlow::Continue(())
    }
}

fn accesses_len(state: &State<'_>, c: usize) -> usize {
    state.cells[c].1.writes.len()
}

/// The reads and writes of each cell that has any.
fn accesses(frame: &Frame<'_>, cells: &[Option<Cell>]) -> Result<Vec<(Cell, CellAccesses)>, TooManyWrites> {
    let mut by_cell: BTreeMap<Cell, CellAccesses> = BTreeMap::new();
    for (i, event) in frame.events.iter().enumerate() {
        let Some(cell) = cells[i].filter(|_| event.kind.reads() || event.kind.writes()) else { continue };
        let accesses = by_cell.entry(cell).or_default();
        if event.kind.writes() {
            accesses.writes.push(i);
            accesses.threads.push(event.at.map(|(t, _)| t.0));
        }
        if event.kind.reads() {
            accesses.reads.push(i);
        }
    }
    for accesses in by_cell.values_mut() {
        if accesses.writes.len() > 64 {
            return Err(TooManyWrites);
        }
        accesses.updates = accesses.reads.iter().map(|&r| update_write(frame, accesses, r)).collect();
    }
    Ok(by_cell.into_iter().collect())
}

/// The write that belongs to a read, as a position, and whether it is the same event.
fn update_write(frame: &Frame<'_>, accesses: &CellAccesses, read: usize) -> Option<(usize, bool)> {
    if frame.events[read].kind == Kind::Update {
        return accesses.writes.iter().position(|&w| w == read).map(|p| (p, true));
    }
    let (thread, index): (ThreadId, u32) = frame.events[read].at?;
    let trace = frame.traces[thread.index()];
    accesses
        .writes
        .iter()
        .position(|&w| match frame.events[w].at {
            Some((t, i)) if t == thread => {
                matches!(trace.events[i as usize].action.link, Link::Amo(r) | Link::Lxsx(r) if r == index)
            }
            _ => false,
        })
        .map(|p| (p, false))
}
