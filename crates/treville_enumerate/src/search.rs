//! The fast search: sources and orders are chosen cell by cell, and a choice that breaks coherence, a path's condition or an
//! axiom of the model is given up as soon as it does.

use crate::addresses::each_fixed_frame;
use crate::order::{CellAccesses, Forced};
use crate::reaching::{register_so_far, so_far};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;
use treville_base::{Cancel, Idx};
use treville_eval::{Coherence, Staged};
use treville_event::{BaseRel, Cell, EventSet, Graph, Kind, Relation};
use treville_ir::{Place, ThreadId};
use treville_model::syntax::CheckMode;
use treville_task::Goal;
use treville_term::Bv;
use treville_unfold::{Collector, Finals, PreExecution, Prepared, Solution, Solved, Values, register_values, skeleton};
use treville_vm::Link;

/// What is not for this search.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum TooLarge {
    /// More writes to a cell than fit a machine word; nothing that tries all their orders will end.
    Writes,
    /// Too many addresses for one access; only the definition can answer.
    Addresses,
}

pub(crate) struct Search<'a, 'm, 't> {
    pub(crate) prepared: &'a Prepared<'a>,
    pub(crate) staged: Staged<'m>,
    pub(crate) notes: &'m [treville_model::CheckId],
    pub(crate) collector: &'a mut Collector<'t>,
    pub(crate) cancel: &'a Cancel,
    pub(crate) steps: u32,
    pub(crate) worth: Worth,
    pub(crate) learning: Learning,
    /// Nobody lists states or counts executions: one for each query is enough.
    pub(crate) answers_only: bool,
}

/// Whether trying out orders pays: where it has taught nothing for long, it is done only now and then.
#[derive(Debug, Default)]
pub(crate) struct Learning {
    /// Tries since the last one that taught something.
    idle: u32,
}

/// Fewer writes of a location than this, the initial one included, are as well ordered at the end.
const MANY_WRITES: usize = 4;

/// Whether looking at partial executions pays, by depth: where it has not pruned for long, it is done only now and then.
#[derive(Debug, Default)]
pub(crate) struct Worth {
    /// Looks since the last one that pruned.
    idle: Vec<u32>,
}

impl Worth {
    fn skips(&mut self, depth: usize) -> bool {
        if self.idle.len() <= depth {
            self.idle.resize(depth + 1, 0);
        }
        let idle = &mut self.idle[depth];
        *idle += 1;
        *idle > 16 && !idle.is_multiple_of(16)
    }

    fn learn(&mut self, depth: usize, plausible: bool) {
        if !plausible {
            self.idle[depth] = 0;
        }
    }
}

/// The choices made so far in one pre-execution.
struct State<'f> {
    pre: &'f PreExecution<'f>,
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
    pub(crate) fn all(&mut self) -> Result<(), TooLarge> {
        let mut failed = None;
        let cancel = self.cancel;
        let _ = each_fixed_frame(self.prepared, cancel, |pre| {
            let searched = pre.ok_or(TooLarge::Addresses).and_then(|pre| self.pre(pre));
            searched.unwrap_or_else(|e| {
                failed = Some(e);
                ControlFlow::Break(())
            })
        });
        failed.map_or(Ok(()), Err)
    }

    /// All executions of a pre-execution.
    fn pre(&mut self, pre: &PreExecution<'_>) -> Result<ControlFlow<()>, TooLarge> {
        let mut values = Values::new(&self.prepared.traces.domain.store, self.prepared.traces.n_vars);
        pre.joined.iter().for_each(|&(var, term)| values.bind(var, term));
        let cells: Vec<Option<Cell>> = pre.events.iter().map(|e| e.cell).collect();
        let mut state = self.enter(pre, &cells)?;
        Ok(self.choose_source(&mut state, &mut values, 0))
    }

    fn enter<'f>(&mut self, pre: &'f PreExecution<'f>, cells: &[Option<Cell>]) -> Result<State<'f>, TooLarge> {
        let n = pre.events.len();
        let unsolved: Vec<_> = cells.iter().map(|c| Solved { cell: *c, ..Default::default() }).collect();
        // Relations between many events take long, so that what is refused is refused before.
        let cells = accesses(pre, cells)?;
        let skeleton = skeleton(self.prepared.program, self.prepared.vocabulary, pre, &unsolved);
        self.staged.enter(&skeleton);
        let coherence = Coherence::of(&mut self.staged, &skeleton);
        let po = skeleton.rels.get(&BaseRel::Po).cloned().unwrap_or_else(|| Relation::new(n));
        let mut state = State {
            pre,
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
            state.forced[c] = state.cells[c].1.forced(coherence, &state.po).unwrap_or_default();
        }
        Ok(state)
    }

    fn is_due(&mut self) -> bool {
        self.steps = self.steps.wrapping_add(1);
        self.cancel.is_raised() || self.staged.has_stopped() || self.steps.is_multiple_of(256) && self.cancel.is_due()
    }

    /// Chooses sources for the reads of cell `c` and those after it.
    fn choose_source(&mut self, state: &mut State<'_>, values: &mut Values<'_>, c: usize) -> ControlFlow<()> {
        if self.is_due() {
            return ControlFlow::Break(());
        }
        let Some((_, accesses)) = state.cells.get(c) else { return self.sources_chosen(state, values) };
        let Some(&read) = accesses.reads.get(state.sources[c].len()) else {
            return self.next_cell(state, values, c + 1);
        };
        let before = state.forced[c].clone();
        for position in 0..accesses_len(state, c) {
            let source = state.cells[c].1.writes[position];
            let (Some(var), Some(value)) = (state.pre.events[read].read, state.pre.events[source].written) else {
                continue;
            };
            if !self.prepared.may_read(state.pre, read, source) {
                continue;
            }
            state.sources[c].push(position);
            if let Some(forced) =
                state.cells[c].1.forced_by_last(state.coherence, &state.po, &before, &state.sources[c])
            {
                values.bind(var, value);
                state.forced[c] = forced;
                state.rf.insert(source, read);
                let settled = self.answers_only && self.is_settled(state.pre, values);
                let flow = if settled || state.pre.contradicts(values) || !self.plausible(state, c) {
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

    /// Goes on with cell `c`. Sources of the cells before may order its writes, which then rules out sources of its own.
    fn next_cell(&mut self, state: &mut State<'_>, values: &mut Values<'_>, c: usize) -> ControlFlow<()> {
        let many = state.cells.get(c).is_some_and(|(_, a)| a.writes.len() >= MANY_WRITES && a.reads.len() > 1);
        self.learning.idle += u32::from(many);
        if !many || self.learning.idle > 16 && !self.learning.idle.is_multiple_of(64) {
            return self.choose_source(state, values, c);
        }
        let before = state.forced[c].clone();
        let flow =
            if self.learn_orders(state, c) { self.choose_source(state, values, c) } else { ControlFlow::Continue(()) };
        state.forced[c] = before;
        flow
    }

    /// Finds what is forced on the writes of a cell by trying the opposite. False if there is no order at all.
    fn learn_orders(&mut self, state: &mut State<'_>, c: usize) -> bool {
        for j in 1..state.cells[c].1.writes.len() {
            for i in 1..j {
                if state.forced[c].has(i, j) || state.forced[c].has(j, i) {
                    continue;
                }
                let (forward, backward) = (state.forced[c].with(i, j), state.forced[c].with(j, i));
                let taught = if !self.allows(state, c, &backward) {
                    forward
                } else if !self.allows(state, c, &forward) {
                    backward
                } else {
                    continue;
                };
                self.learning.idle = 0;
                state.forced[c] = taught;
            }
        }
        self.forced_orders(state);
        self.staged.plausible()
    }

    /// Whether the writes of a cell may come in this order, as far as it goes.
    fn allows(&mut self, state: &mut State<'_>, c: usize, order: &Forced) -> bool {
        let before = std::mem::replace(&mut state.forced[c], order.clone());
        self.forced_orders(state);
        state.forced[c] = before;
        self.staged.plausible()
    }

    /// Whether each query has its witness, or cannot have one with the values so far.
    fn is_settled(&self, pre: &PreExecution<'_>, values: &mut Values<'_>) -> bool {
        let queries = self.collector.queries().iter().enumerate();
        let mut value = |place: &Place| register_so_far(pre, values, place);
        queries.into_iter().all(|(i, query)| match &query.goal {
            _ if self.collector.has_witness(i) => true,
            Goal::Final { condition, .. } => so_far(condition, &mut value) == Some(false),
            Goal::Flag(_) | Goal::Failure(_) | Goal::State(_) | Goal::End(_) | Goal::Step { .. } => true,
        })
    }

    /// Whether the choices so far, the last of them for a read of cell `c`, may still become an execution.
    fn plausible(&mut self, state: &mut State<'_>, c: usize) -> bool {
        let open = |(i, (_, a)): (usize, &(Cell, CellAccesses))| a.reads.len() - state.sources[i].len();
        let depth = state.cells.iter().enumerate().skip(c).map(open).sum();
        // The last choice is judged with the orders.
        if depth == 0 || self.worth.skips(depth) {
            return true;
        }
        self.forced_orders(state);
        let plausible = self.staged.plausible();
        self.worth.learn(depth, plausible);
        plausible
    }

    /// Gives the evaluator the sources so far and what they force on coherence.
    fn forced_orders(&mut self, state: &mut State<'_>) {
        state.co.clear();
        for (c, (_, accesses)) in state.cells.iter().enumerate() {
            for (i, j) in state.forced[c].pairs() {
                state.co.insert(accesses.writes[i], accesses.writes[j]);
            }
        }
        self.staged.set_rf(&state.rf);
        self.staged.set_co(&state.co);
    }

    /// Every read has a source: solve for values, then choose orders.
    fn sources_chosen(&mut self, state: &mut State<'_>, values: &mut Values<'_>) -> ControlFlow<()> {
        let rf: Vec<(usize, usize)> = state.rf.iter().collect();
        let Ok(solution) = Solution::of(self.prepared, state.pre, &rf, values) else {
            return ControlFlow::Continue(());
        };
        let registers = register_values(state.pre, values);
        if self.staged.uses_values() {
            self.staged.set_different_values(&solution.different_values());
        }
        self.forced_orders(state);
        if !self.staged.plausible() {
            return ControlFlow::Continue(());
        }
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
        let forced = state.forced[c].clone();
        if let Some(order) = forced.total() {
            state.orders[c] = order;
            return self.choose_order(state, solution, registers, c + 1);
        }
        let accesses = state.cells[c].1.clone();
        let sources = state.sources[c].clone();
        let (coherence, free_co) = (state.coherence, self.prepared.free_co);
        let mut extend = |order: &[usize]| {
            for (i, &a) in order.iter().enumerate() {
                state.co.row_mut(accesses.writes[a]).fill(0);
                order[i + 1..].iter().for_each(|&b| state.co.insert(accesses.writes[a], accesses.writes[b]));
            }
            state.orders[c].clear();
            state.orders[c].extend_from_slice(order);
            self.staged.set_co(&state.co);
            if self.staged.plausible() {
                self.choose_order(state, solution, registers, c + 1)
            } else {
                ControlFlow::Continue(())
            }
        };
        let flow = match free_co {
            true => accesses.each_order(coherence, &forced, &sources, &mut extend),
            false => accesses.each_last(&mut extend),
        };
        // Back to what is forced.
        accesses.writes.iter().for_each(|&w| state.co.row_mut(w).fill(0));
        forced.pairs().for_each(|(i, j)| state.co.insert(accesses.writes[i], accesses.writes[j]));
        flow
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
        let n = state.pre.events.len();
        let last = |c: usize| state.orders[c].last().map(|&p| state.cells[c].1.writes[p]);
        let lasts: Vec<usize> = (0..state.cells.len()).filter_map(last).collect();
        let memory = lasts.iter().filter_map(|&w| Some((solution.solved[w].cell?, solution.solved[w].written?)));
        let finals = Finals { program: self.prepared.program, registers, memory: memory.collect() };
        if !self.collector.keeps(&finals) {
            return ControlFlow::Continue(());
        }
        let observed = lasts.iter().copied().filter(|&w| self.prepared.is_observed(solution.solved[w].cell));
        let final_writes = EventSet::from_members(n, observed);
        self.collector.counts.candidates += 1;
        if self.staged.uses_finals() {
            self.staged.set_finals(&final_writes);
            self.staged.set_co(&state.co);
        }
        if !self.staged.rest_holds() {
            return ControlFlow::Continue(());
        }
        let passed: Vec<bool> = self.notes.iter().map(|id| self.staged.passes(*id)).collect();
        if self.staged.has_stopped() {
            return ControlFlow::Break(());
        }
        for (id, passes) in self.notes.iter().zip(passed) {
            let check = &self.prepared.model.checks[*id];
            match check.mode {
                CheckMode::Flag if passes => self.collector.flag(&check.name),
                CheckMode::UndefinedUnless if !passes => self.collector.undefined(),
                _ => {}
            }
        }
        let prepared = self.prepared;
        self.collector.add(&finals, &mut || {
            let skeleton = skeleton(prepared.program, prepared.vocabulary, state.pre, &solution.solved);
            let graph = Graph {
                skeleton: Arc::new(skeleton),
                rf: state.rf.clone(),
                co: state.co.clone(),
                finals: final_writes.clone(),
            };
            (graph, Vec::new())
        });
        let all = self.answers_only && (0..self.collector.queries().len()).all(|i| self.collector.has_witness(i));
        if all { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

fn accesses_len(state: &State<'_>, c: usize) -> usize {
    state.cells[c].1.writes.len()
}

/// The reads and writes of each cell that has any.
pub(crate) fn accesses(pre: &PreExecution<'_>, cells: &[Option<Cell>]) -> Result<Vec<(Cell, CellAccesses)>, TooLarge> {
    let mut by_cell: BTreeMap<Cell, CellAccesses> = BTreeMap::new();
    for (i, event) in pre.events.iter().enumerate() {
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
            return Err(TooLarge::Writes);
        }
        accesses.updates = accesses.reads.iter().map(|&r| update_write(pre, accesses, r)).collect();
    }
    // Updates leave the fewest choices and rule out the most: first.
    let mut cells: Vec<_> = by_cell.into_iter().collect();
    cells.sort_by_key(|(_, a)| a.updates.iter().all(Option::is_none));
    Ok(cells)
}

/// The write that belongs to a read, as a position, and whether it is the same event.
fn update_write(pre: &PreExecution<'_>, accesses: &CellAccesses, read: usize) -> Option<(usize, bool)> {
    if pre.events[read].kind == Kind::Update {
        return accesses.writes.iter().position(|&w| w == read).map(|p| (p, true));
    }
    let (thread, index): (ThreadId, u32) = pre.events[read].at?;
    let trace = pre.traces[thread.index()];
    accesses
        .writes
        .iter()
        .position(|&w| match pre.events[w].at {
            Some((t, i)) if t == thread => {
                matches!(trace.events[i as usize].action.link, Link::Amo(r) | Link::Lxsx(r) if r == index)
            }
            _ => false,
        })
        .map(|p| (p, false))
}
