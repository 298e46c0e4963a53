//! Which ways values may take: the writes that each read may see, and the reads that each write computes its value from.

use crate::cells::Cells;
use crate::symbolic_layout::Value;
use crate::traces::Traces;
use crate::value_sets::ValueSets;
use std::collections::{BTreeMap, BTreeSet};
use treville_base::{Cancel, components};
use treville_ir::Program;
use treville_term::{TermId, TermNode, TermStore, VarId};

/// All reads and writes, and the ways between them that are known so far.
pub(crate) struct Flow {
    pub(crate) reads: Vec<Read>,
    pub(crate) writes: Vec<Write>,
}

pub(crate) struct Read {
    pub(crate) var: VarId,
    address: TermId,
    size: u8,
    /// The initial values that it may see.
    pub(crate) initial: BTreeSet<Value>,
    /// The writes that it may see.
    pub(crate) sources: BTreeSet<usize>,
    /// The writes whose values are computed from it.
    pub(crate) users: Vec<usize>,
    /// What it may see cannot be listed.
    pub(crate) is_open: bool,
}

pub(crate) struct Write {
    address: TermId,
    size: u8,
    pub(crate) value: TermId,
}

impl Flow {
    /// All accesses, and no way between them.
    pub(crate) fn of(traces: &Traces) -> Flow {
        let mut reads: BTreeMap<VarId, (TermId, u8)> = BTreeMap::new();
        let mut writes: BTreeSet<(TermId, u8, TermId)> = BTreeSet::new();
        for event in traces.threads.iter().flatten().chain(&traces.cut).flat_map(|t| &t.events) {
            let Some((address, size)) = event.action.place else { continue };
            if let Some(var) = event.read {
                reads.insert(var, (address, size));
            }
            if let (true, Some(value)) = (event.action.kind.writes(), event.action.value) {
                writes.insert((address, size, value));
            }
        }
        let mut users: BTreeMap<VarId, Vec<usize>> = BTreeMap::new();
        for (w, (.., value)) in writes.iter().enumerate() {
            for var in operands(&traces.domain.store, *value, traces.joined) {
                users.entry(var).or_default().push(w);
            }
        }
        let read = |(var, (address, size)): (VarId, (TermId, u8))| Read {
            var,
            address,
            size,
            initial: BTreeSet::new(),
            sources: BTreeSet::new(),
            users: users.remove(&var).unwrap_or_default(),
            is_open: false,
        };
        let write = |(address, size, value)| Write { address, size, value };
        Flow { reads: reads.into_iter().map(read).collect(), writes: writes.into_iter().map(write).collect() }
    }

    /// Adds the ways that addresses allow if reads may return these values. Whether there are new ones; not all, if cancelled.
    pub(crate) fn extend(
        &mut self,
        program: &Program,
        store: &TermStore,
        cells: &Cells,
        possible: &ValueSets,
        cancel: &Cancel,
    ) -> bool {
        let writes = self.writes.iter().take_while(|_| !cancel.is_stopped());
        let targets: Option<Vec<BTreeSet<u64>>> =
            writes.map(|write| possible.addresses(store, write.address, write.size)).collect();
        let mut changed = false;
        for read in self.reads.iter_mut().filter(|read| !read.is_open).take_while(|_| !cancel.is_stopped()) {
            let before = (read.initial.len(), read.sources.len());
            let seen = possible.addresses(store, read.address, read.size).zip(targets.as_ref());
            let seen = seen
                .and_then(|(addresses, targets)| read.see(program, cells, possible, &addresses, &self.writes, targets));
            read.is_open = seen.is_none();
            changed |= read.is_open || before != (read.initial.len(), read.sources.len());
        }
        changed
    }

    /// Reads whose values go through each other in a circle, and those that are alone; sources first.
    pub(crate) fn cycles(&self) -> Vec<Vec<usize>> {
        let mut from = vec![Vec::new(); self.writes.len()];
        for (r, read) in self.reads.iter().enumerate() {
            read.users.iter().for_each(|&w| from[w].push(r));
        }
        let ways = self.reads.iter().enumerate().flat_map(|(r, read)| {
            let from = &from;
            read.sources.iter().flat_map(move |&w| from[w].iter().map(move |&source| (r, source)))
        });
        let mut cycles: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (r, cycle) in components(self.reads.len(), ways).into_iter().enumerate() {
            cycles.entry(cycle).or_default().push(r);
        }
        cycles.into_values().collect()
    }
}

impl Read {
    /// Adds what it may see at these addresses, if the writes go to these targets. `None` if that cannot be listed.
    fn see(
        &mut self,
        program: &Program,
        cells: &Cells,
        possible: &ValueSets,
        addresses: &BTreeSet<u64>,
        writes: &[Write],
        targets: &[BTreeSet<u64>],
    ) -> Option<()> {
        for &a in addresses {
            // A read of several cells, or of a part of one, may see parts of different writes.
            if cells.covering(a, self.size).is_some_and(|c| c.len() > 1) {
                return None;
            }
            self.initial.insert(possible.initial(program, a, self.size)?);
        }
        for (w, (write, targets)) in writes.iter().zip(targets).enumerate() {
            if write.size == self.size && !targets.is_disjoint(addresses) {
                self.sources.insert(w);
            }
            // A part of a larger write, or what several smaller ones give together. Outside of objects there are no parts: a location
            // is what is accessed as one.
            let end = |start: u64, size: u8| u128::from(start) + u128::from(size);
            let overlaps = |t: u64, a: u64| u128::from(t) < end(a, self.size) && u128::from(a) < end(t, write.size);
            let is_partial = |t: u64, a: u64| (write.size != self.size || t != a) && overlaps(t, a);
            let is_split = |a: &&u64| targets.iter().any(|t| is_partial(*t, **a));
            if addresses.iter().filter(is_split).any(|a| touches_object(program, *a, self.size)) {
                return None;
            }
        }
        Some(())
    }
}

/// Whether some of these bytes are in an object.
fn touches_object(program: &Program, address: u64, size: u8) -> bool {
    let last = address.saturating_add(u64::from(size.max(1) - 1));
    program.objects.iter().any(|object| object.address <= last && address < object.address + object.size.max(1))
}

/// The variables that a value is computed from; where choices are between paths (`joined`), not those that decide.
fn operands(store: &TermStore, value: TermId, joined: bool) -> BTreeSet<VarId> {
    let mut seen = BTreeSet::from([value]);
    let mut todo = vec![value];
    let mut vars = BTreeSet::new();
    while let Some(term) = todo.pop() {
        let operands = match store.node(term) {
            TermNode::Const(_) => [None; 3],
            TermNode::Var(var, _) => {
                vars.insert(var);
                [None; 3]
            }
            TermNode::Un(_, a) | TermNode::Cast(_, _, a) => [Some(a), None, None],
            TermNode::Bin(_, a, b) => [Some(a), Some(b), None],
            TermNode::Ite(c, a, b) => [Some(c).filter(|_| !joined), Some(a), Some(b)],
        };
        todo.extend(operands.into_iter().flatten().filter(|t| seen.insert(*t)));
    }
    vars
}

#[cfg(test)]
mod tests {
    use super::*;
    use treville_term::{BinOp, Bv};

    fn read(var: u32, sources: &[usize], users: &[usize]) -> Read {
        let (sources, users) = (sources.iter().copied().collect(), users.to_vec());
        let initial = BTreeSet::from([Value::Number(Bv::new(0, 32))]);
        Read {
            var: VarId(var),
            address: TermStore::new().constant(Bv::zero(64)),
            size: 4,
            initial,
            sources,
            users,
            is_open: false,
        }
    }

    /// Three threads count up: none of them sees more than two others before it.
    #[test]
    fn what_counts_up_has_an_end() {
        let mut traces = Traces { joined: true, ..Traces::default() };
        let store = &mut traces.domain.store;
        let (address, one) = (store.constant(Bv::zero(64)), store.constant(Bv::new(1, 32)));
        let mut write = |var: u32| {
            let old = store.var(VarId(var), 32);
            Write { address, size: 4, value: store.bin(BinOp::Add, old, one) }
        };
        let writes = vec![write(0), write(1), write(2)];
        let all = [0, 1, 2];
        // The last read only looks.
        let reads = vec![read(0, &all, &[0]), read(1, &all, &[1]), read(2, &all, &[2]), read(3, &all, &[])];
        let flow = Flow { reads, writes };
        assert_eq!(flow.cycles(), [vec![0, 1, 2], vec![3]]);
        let possible = ValueSets::along(&flow, &traces, &treville_base::Cancel::new()).expect("nobody cancels");
        let values = |var: u32| {
            possible
                .of_var(VarId(var))
                .map(|set| set.iter().filter_map(|v| v.number()).map(Bv::unsigned).collect::<Vec<_>>())
        };
        assert_eq!(values(0), Some(vec![0, 1, 2]));
        assert_eq!(values(3), Some(vec![0, 1, 2, 3]));
    }
}
