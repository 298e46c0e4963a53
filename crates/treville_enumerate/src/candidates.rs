//! The candidates of a program, as the definition has them: every path of every thread, every source for every read, values
//! that fit, every order of writes. Nothing is pruned; this is written to be read.

use crate::frame::Frame;
use crate::prepare::Prepared;
use crate::skeleton::{Solved, skeleton};
use crate::values::Values;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;
use treville_base::{Cancel, Idx};
use treville_event::{Cell, EventSet, Graph, Kind, Relation};
use treville_ir::{Place, Program, ThreadId};
use treville_task::FinalValue;
use treville_term::{Bv, TermId};

/// Calls `visit` with each candidate and its final values.
pub(crate) fn each_candidate(
    prepared: &Prepared<'_>,
    cancel: &Cancel,
    visit: &mut dyn FnMut(&Graph, &Finals<'_>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    prepared.each_frame(|frame| {
        let reads: Vec<usize> = (0..frame.events.len()).filter(|&e| frame.events[e].read.is_some()).collect();
        let mut values = Values::new(&prepared.traces.domain.store, prepared.traces.n_vars);
        frame.joined.iter().for_each(|&(var, term)| values.bind(var, term));
        let mut rf = Vec::new();
        each_rf(prepared, frame, &reads, &mut rf, &mut values, cancel, visit)
    })
}

/// Extends `rf`, one source for each of the first reads, in every way.
fn each_rf(
    prepared: &Prepared<'_>,
    frame: &Frame<'_>,
    reads: &[usize],
    rf: &mut Vec<(usize, usize)>,
    values: &mut Values<'_>,
    cancel: &Cancel,
    visit: &mut dyn FnMut(&Graph, &Finals<'_>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    if cancel.is_due() {
        return ControlFlow::Break(());
    }
    let Some((&read, rest)) = reads.split_first() else {
        return match Solution::of(prepared, frame, rf, values) {
            Some(solution) => each_order(prepared, frame, rf, values, &solution, cancel, visit),
            None => ControlFlow::Continue(()),
        };
    };
    let event = &frame.events[read];
    for (source, write) in frame.events.iter().enumerate() {
        let (Some(var), Some(value)) = (event.read, write.written) else { continue };
        let may_be_same = event.cell.is_none() || write.cell.is_none() || event.cell == write.cell;
        if !may_be_same || !prepared.may_read(frame, read, source) {
            continue;
        }
        rf.push((source, read));
        values.bind(var, value);
        let flow = each_rf(prepared, frame, rest, rf, values, cancel, visit);
        values.unbind(var);
        rf.pop();
        flow?;
    }
    ControlFlow::Continue(())
}

/// The values and cells that follow from a choice of sources.
pub(crate) struct Solution {
    pub(crate) solved: Vec<Solved>,
}

impl Solution {
    /// Relates events with values that differ, as the reference evaluator compares them.
    pub(crate) fn different_values(&self) -> Relation {
        let value = |e: usize| self.solved[e].written.or(self.solved[e].read);
        let n = self.solved.len();
        let pairs = (0..n).flat_map(|a| (0..n).map(move |b| (a, b)));
        Relation::from_pairs(n, pairs.filter(|&(a, b)| value(a) != value(b)))
    }

    /// `None` if the values do not fit: a path would not be taken, addresses differ, or there is no solution at all.
    pub(crate) fn of(
        prepared: &Prepared<'_>,
        frame: &Frame<'_>,
        rf: &[(usize, usize)],
        values: &mut Values<'_>,
    ) -> Option<Solution> {
        for constraint in frame.traces.iter().flat_map(|t| &t.constraints) {
            let holds = values.eval(*constraint).ok()?;
            if holds.is_zero() {
                return None;
            }
        }
        for (address, fixed) in &frame.assumed {
            if values.eval(*address).ok()?.unsigned() != u128::from(*fixed) {
                return None;
            }
        }
        let mut solved = Vec::with_capacity(frame.events.len());
        for event in &frame.events {
            let mut cell = event.cell;
            if let (None, Some(address)) = (cell, event.address) {
                let address = values.eval(address).ok().filter(|a| !a.is_thin_air())?.unsigned() as u64;
                let hit = if event.kind == Kind::Opaque {
                    prepared.cells.at(address)
                } else {
                    prepared.exact_cell(address, event.size)
                };
                cell = Some(hit?);
            }
            let read = event.read.map(|v| values.var(v)).transpose().ok()?;
            let written = event.written.map(|t| values.eval(t)).transpose().ok()?;
            let named = |v: Bv| frame.named(values.store(), v);
            solved.push(Solved { cell, read: read.map(named), written: written.map(named) });
        }
        let same_cells = rf.iter().all(|&(w, r)| solved[w].cell == solved[r].cell);
        same_cells.then_some(Solution { solved })
    }

    /// The writes of each cell, the initial one first.
    pub(crate) fn writes(&self, frame: &Frame<'_>) -> BTreeMap<Cell, Vec<usize>> {
        let mut writes: BTreeMap<Cell, Vec<usize>> = BTreeMap::new();
        for (i, event) in frame.events.iter().enumerate().filter(|(_, e)| e.kind.writes()) {
            if let Some(cell) = self.solved[i].cell {
                debug_assert!(event.kind == Kind::Init || writes.contains_key(&cell), "no initial write");
                writes.entry(cell).or_default().push(i);
            }
        }
        writes
    }
}

/// Every coherence order, or, for models that make their own, every choice of final writes.
fn each_order(
    prepared: &Prepared<'_>,
    frame: &Frame<'_>,
    rf: &[(usize, usize)],
    values: &mut Values<'_>,
    solution: &Solution,
    cancel: &Cancel,
    visit: &mut dyn FnMut(&Graph, &Finals<'_>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let n = frame.events.len();
    let skeleton = Arc::new(skeleton(prepared.program, prepared.vocabulary, frame, &solution.solved));
    let writes: Vec<Vec<usize>> = solution.writes(frame).into_values().collect();
    let rf = Relation::from_pairs(n, rf.iter().copied());
    let registers = register_values(frame, values);
    let mut orders: Vec<Vec<usize>> = writes;
    each_permutation(&mut orders, 0, 1, !prepared.free_co, &mut |orders| {
        if cancel.is_due() {
            return ControlFlow::Break(());
        }
        let mut co = Relation::new(n);
        if prepared.free_co {
            for order in orders {
                for (i, &a) in order.iter().enumerate() {
                    order[i + 1..].iter().for_each(|&b| co.insert(a, b));
                }
            }
        }
        let last =
            orders.iter().filter_map(|o| o.last().copied()).filter(|&w| prepared.is_observed(solution.solved[w].cell));
        let finals = EventSet::from_members(n, last);
        let memory = orders
            .iter()
            .filter_map(|o| o.last())
            .filter_map(|&w| Some((solution.solved[w].cell?, solution.solved[w].written?)));
        let state = Finals { program: prepared.program, registers: &registers, memory: memory.collect() };
        let graph = Graph { skeleton: Arc::clone(&skeleton), rf: rf.clone(), co, finals };
        visit(&graph, &state)
    })
}

/// Permutes the elements after the first of each list (only the choice of the last one, if `last_only`).
fn each_permutation(
    orders: &mut Vec<Vec<usize>>,
    list: usize,
    at: usize,
    last_only: bool,
    visit: &mut dyn FnMut(&[Vec<usize>]) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let Some(len) = orders.get(list).map(Vec::len) else { return visit(orders) };
    if at + 1 >= len {
        return each_permutation(orders, list + 1, 1, last_only, visit);
    }
    if last_only {
        for i in 1..len {
            orders[list].swap(i, len - 1);
            let flow = each_permutation(orders, list + 1, 1, last_only, visit);
            orders[list].swap(i, len - 1);
            flow?;
        }
        return ControlFlow::Continue(());
    }
    for i in at..len {
        orders[list].swap(at, i);
        let flow = each_permutation(orders, list, at + 1, last_only, visit);
        orders[list].swap(at, i);
        flow?;
    }
    ControlFlow::Continue(())
}

/// The final values of every thread's registers.
pub(crate) fn register_values(frame: &Frame<'_>, values: &mut Values<'_>) -> Vec<Vec<Option<Bv>>> {
    let mut eval = |t: &TermId| values.eval(*t).ok().map(|v| frame.named(values.store(), v));
    frame.traces.iter().map(|trace| trace.registers.iter().map(&mut eval).collect()).collect()
}

/// The final state of a candidate.
pub(crate) struct Finals<'a> {
    pub(crate) program: &'a Program,
    pub(crate) registers: &'a [Vec<Option<Bv>>],
    pub(crate) memory: BTreeMap<Cell, Bv>,
}

impl Finals<'_> {
    /// The value of a register or of one memory place; an array has none.
    pub(crate) fn value(&self, place: &Place) -> Option<Bv> {
        match place {
            Place::Reg(thread, reg) => self.register(*thread, reg.index()),
            Place::Mem { object, offset, size } => {
                Some(self.bytes(self.program.objects[*object].address + offset, *size))
            }
            Place::Array { .. } => None,
        }
    }

    /// The value of any place: one, or the elements of an array.
    pub(crate) fn values(&self, place: &Place) -> FinalValue {
        match place {
            Place::Array { object, size, count } => {
                let base = self.program.objects[*object].address;
                (0..u64::from(*count)).map(|i| self.bytes(base + i * u64::from(*size), *size)).collect()
            }
            _ => self.value(place).into_iter().collect(),
        }
    }

    fn register(&self, thread: ThreadId, reg: usize) -> Option<Bv> {
        self.registers.get(thread.index())?.get(reg).copied().flatten()
    }

    fn bytes(&self, address: u64, size: u8) -> Bv {
        let whole = Cell { address, size };
        if let Some(value) = self.memory.get(&whole) {
            return *value;
        }
        let mut bits = crate::frame::initial_value(self.program, address, size).unsigned();
        for (cell, value) in self.memory.range(Cell { address: address.saturating_sub(16), size: 0 }..) {
            if cell.address >= whole.end() {
                break;
            }
            for byte in 0..u64::from(cell.size) {
                let at = cell.address + byte;
                if (address..whole.end()).contains(&at) {
                    let shift = 8 * (at - address);
                    bits = bits & !(0xff << shift) | (value.unsigned() >> (8 * byte) & 0xff) << shift;
                }
            }
        }
        Bv::new(bits, 8 * size)
    }
}
