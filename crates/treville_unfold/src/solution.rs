//! A choice of sources, solved: the cells and values of all events, and the final state.

use crate::pre_execution::{PreEvent, PreExecution, initial_value};
use crate::prepare::Prepared;
use crate::skeleton::Solved;
use crate::values::{Stuck, Values};
use std::collections::BTreeMap;
use treville_base::Idx;
use treville_event::{Cell, EventSet, Kind, Relation};
use treville_ir::{Place, Program, ThreadId};
use treville_task::FinalValue;
use treville_term::{Bv, TermId};

/// The values and cells that follow from a choice of sources.
pub struct Solution {
    pub solved: Vec<Solved>,
}

/// Why sources do not make an execution.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Misfit {
    /// A value that matters depends on itself.
    Circular,
    /// A read has no source.
    Unread,
    /// A condition of a path does not hold.
    Path,
    /// An access is not where it was said to be, or at no cell.
    Cell,
    /// A read has its source in another cell.
    Source,
}

impl From<Stuck> for Misfit {
    fn from(stuck: Stuck) -> Self {
        match stuck {
            Stuck::Unbound => Misfit::Unread,
            Stuck::Circular => Misfit::Circular,
        }
    }
}

/// The cell of an event: the one that it was made for, or where its address leads.
fn hit_cell(prepared: &Prepared<'_>, event: &PreEvent, values: &mut Values<'_>) -> Result<Option<Cell>, Misfit> {
    let (None, Some(term)) = (event.cell, event.address) else { return Ok(event.cell) };
    let address = values.solid(term)?.unsigned() as u64;
    let hit = match event.kind {
        Kind::Opaque => prepared.cells.at(address),
        _ => prepared.exact_cell(term, address, event.size),
    };
    hit.map(Some).ok_or(Misfit::Cell)
}

impl Solution {
    /// Relates events with values that differ, as the reference evaluator compares them.
    pub fn different_values(&self) -> Relation {
        let value = |e: usize| self.solved[e].written.or(self.solved[e].read);
        let n = self.solved.len();
        let pairs = (0..n).flat_map(|a| (0..n).map(move |b| (a, b)));
        Relation::from_pairs(n, pairs.filter(|&(a, b)| value(a) != value(b)))
    }

    /// The values that follow from the sources, if paths, addresses and sources fit them.
    pub fn of(
        prepared: &Prepared<'_>,
        pre: &PreExecution<'_>,
        rf: &[(usize, usize)],
        values: &mut Values<'_>,
    ) -> Result<Solution, Misfit> {
        for constraint in pre.traces.iter().flat_map(|t| &t.constraints) {
            if values.solid(*constraint)?.is_zero() {
                return Err(Misfit::Path);
            }
        }
        for (address, fixed) in &pre.assumed {
            if values.solid(*address)?.unsigned() != u128::from(*fixed) {
                return Err(Misfit::Cell);
            }
        }
        let mut solved = Vec::with_capacity(pre.events.len());
        for event in &pre.events {
            let cell = hit_cell(prepared, event, values)?;
            let read = event.read.map(|v| values.var(v)).transpose()?;
            let written = event.written.map(|t| values.eval(t)).transpose()?;
            let named = |v: Bv| pre.named(values.store(), v);
            solved.push(Solved { cell, read: read.map(named), written: written.map(named) });
        }
        if rf.iter().any(|&(w, r)| solved[w].cell != solved[r].cell) {
            return Err(Misfit::Source);
        }
        Ok(Solution { solved })
    }

    /// The writes of each cell, the initial one first.
    pub fn writes(&self, pre: &PreExecution<'_>) -> BTreeMap<Cell, Vec<usize>> {
        let mut writes: BTreeMap<Cell, Vec<usize>> = BTreeMap::new();
        for (i, event) in pre.events.iter().enumerate().filter(|(_, e)| e.kind.writes()) {
            if let Some(cell) = self.solved[i].cell {
                debug_assert!(event.kind == Kind::Init || writes.contains_key(&cell), "no initial write");
                writes.entry(cell).or_default().push(i);
            }
        }
        writes
    }
}

/// What follows from an order of the writes of each cell.
pub struct Ordered {
    /// Empty if the model makes its own.
    pub co: Relation,
    /// The last writes of observed cells.
    pub finals: EventSet,
    /// The last value of each cell.
    pub memory: BTreeMap<Cell, Bv>,
}

impl Solution {
    /// The writes of each cell, in these orders.
    pub fn ordered(&self, prepared: &Prepared<'_>, orders: &[Vec<usize>]) -> Ordered {
        let n = self.solved.len();
        let mut co = Relation::new(n);
        if prepared.free_co {
            for order in orders {
                for (i, &a) in order.iter().enumerate() {
                    order[i + 1..].iter().for_each(|&b| co.insert(a, b));
                }
            }
        }
        let last = || orders.iter().filter_map(|order| order.last().copied());
        let finals = EventSet::from_members(n, last().filter(|&w| prepared.is_observed(self.solved[w].cell)));
        let memory = last().filter_map(|w| Some((self.solved[w].cell?, self.solved[w].written?))).collect();
        Ordered { co, finals, memory }
    }
}

/// The final values of every thread's registers.
pub fn register_values(pre: &PreExecution<'_>, values: &mut Values<'_>) -> Vec<Vec<Option<Bv>>> {
    let mut eval = |t: &TermId| values.eval(*t).ok().map(|v| pre.named(values.store(), v));
    pre.traces.iter().map(|trace| trace.registers.iter().map(&mut eval).collect()).collect()
}

/// The final state of a candidate.
pub struct Finals<'a> {
    pub program: &'a Program,
    pub registers: &'a [Vec<Option<Bv>>],
    pub memory: BTreeMap<Cell, Bv>,
}

impl Finals<'_> {
    /// The value of a register or of one memory place; an array has none.
    pub fn value(&self, place: &Place) -> Option<Bv> {
        match place {
            Place::Reg(thread, reg) => self.register(*thread, reg.index()),
            Place::Mem { object, offset, size } => {
                Some(self.bytes(self.program.objects[*object].address + offset, *size))
            }
            Place::Array { .. } => None,
        }
    }

    /// The value of any place: one, or the elements of an array.
    pub fn values(&self, place: &Place) -> FinalValue {
        match place {
            Place::Array { object, size, count } => {
                let base = self.program.objects[*object].address;
                (0..u64::from(*count)).map(|i| self.bytes(base + i * u64::from(*size), *size)).collect()
            }
            _ => self.value(place).into_iter().collect(),
        }
    }

    /// Whether some value is out of thin air.
    pub fn has_thin_air(&self) -> bool {
        let registers = self.registers.iter().flatten().flatten();
        registers.chain(self.memory.values()).any(|v| v.is_thin_air())
    }

    fn register(&self, thread: ThreadId, reg: usize) -> Option<Bv> {
        self.registers.get(thread.index())?.get(reg).copied().flatten()
    }

    fn bytes(&self, address: u64, size: u8) -> Bv {
        let whole = Cell { address, size };
        if let Some(value) = self.memory.get(&whole) {
            return *value;
        }
        let mut bits = initial_value(self.program, address, size).unsigned();
        for (cell, value) in self.memory.range(Cell { address: address.saturating_sub(16), size: 0 }..) {
            if cell.address >= whole.end() {
                break;
            }
            for byte in 0..u64::from(cell.size) {
                let at = cell.address.wrapping_add(byte);
                if (address..whole.end()).contains(&at) {
                    let shift = 8 * (at - address);
                    bits = bits & !(0xff << shift) | (value.unsigned() >> (8 * byte) & 0xff) << shift;
                }
            }
        }
        Bv::new(bits, 8 * size)
    }
}
