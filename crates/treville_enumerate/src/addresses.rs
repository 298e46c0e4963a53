//! Fixing the addresses that depend on reads: which combinations can arise at all?
//!
//! Only the reads that some address depends on are given sources here, in every way that fits; each combination of cells that
//! results is searched on its own, with all addresses fixed.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use treville_base::Cancel;
use treville_event::{Cell, Kind};
use treville_term::VarId;
use treville_unfold::{PreExecution, Prepared, Stuck, Values};

/// More combinations than this are left to the general search.
const MAX_COMBINATIONS: usize = 100_000;

/// Frames with every address fixed, with conditions that make sure that they turn out as fixed; together they have the
/// executions of [`Prepared::each_pre_execution`]. `None` stands for a pre-execution with too many possible addresses.
pub(crate) fn each_fixed_frame(
    prepared: &Prepared<'_>,
    cancel: &Cancel,
    mut visit: impl FnMut(Option<&PreExecution<'_>>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    prepared.each_choice(&prepared.possible_paths(), |choice| {
        let pre = prepared.pre(choice);
        if pre.fixed {
            return visit(Some(&pre));
        }
        let Some((moving, combinations)) = Addresses::of(prepared, &pre, cancel) else { return visit(None) };
        for cells in combinations {
            let mut fixed = pre.clone();
            moving.iter().zip(cells).for_each(|(&e, cell)| fixed.fix(e, cell));
            visit(Some(&fixed))?;
        }
        ControlFlow::Continue(())
    })
}

struct Addresses<'a> {
    prepared: &'a Prepared<'a>,
    pre: &'a PreExecution<'a>,
    /// Events whose address depends on reads.
    moving: Vec<usize>,
    found: BTreeSet<Vec<Cell>>,
    steps: usize,
    cancel: &'a Cancel,
}

impl<'a> Addresses<'a> {
    /// The combinations of cells for the events that move; `None` if they are too many.
    fn of(
        prepared: &'a Prepared<'a>,
        pre: &'a PreExecution<'a>,
        cancel: &'a Cancel,
    ) -> Option<(Vec<usize>, BTreeSet<Vec<Cell>>)> {
        let moving: Vec<usize> = (0..pre.events.len()).filter(|&e| pre.moves(e)).collect();
        let mut search = Addresses { prepared, pre, moving, found: BTreeSet::new(), steps: 0, cancel };
        let mut values = Values::new(&prepared.traces.domain.store, prepared.traces.n_vars);
        pre.joined.iter().for_each(|&(var, term)| values.bind(var, term));
        let reads = search.relevant_reads();
        search.choose(&reads, &mut values).then_some((search.moving, search.found))
    }

    /// The reads whose values flow into addresses.
    fn relevant_reads(&self) -> Vec<usize> {
        let store = &self.prepared.traces.domain.store;
        let mut vars: BTreeSet<VarId> = BTreeSet::new();
        let mut todo = Vec::new();
        for &e in &self.moving {
            self.pre.events[e].address.iter().for_each(|a| store.visit_vars(*a, &mut |v| todo.push(v)));
        }
        while let Some(var) = todo.pop() {
            if !vars.insert(var) {
                continue;
            }
            self.pre
                .joined
                .iter()
                .filter(|(v, _)| *v == var)
                .for_each(|(_, t)| store.visit_vars(*t, &mut |v| todo.push(v)));
            let Some(read) = self.pre.events.iter().find(|e| e.read == Some(var)) else { continue };
            for write in
                self.pre.events.iter().filter(|w| w.cell.is_none() || read.cell.is_none() || w.cell == read.cell)
            {
                write.written.iter().for_each(|t| store.visit_vars(*t, &mut |v| todo.push(v)));
            }
        }
        (0..self.pre.events.len()).filter(|&e| self.pre.events[e].read.is_some_and(|v| vars.contains(&v))).collect()
    }

    /// False if there is too much to do.
    fn choose(&mut self, open: &[usize], values: &mut Values<'_>) -> bool {
        self.steps += 1;
        if self.steps > MAX_COMBINATIONS || self.cancel.is_stopped() {
            return false;
        }
        if self.pre.contradicts(values) {
            return true;
        }
        if open.is_empty() {
            // Sources were chosen without regard to cells: what no execution touches has no initial write.
            let mut cell = |e: &usize| self.cell_of(*e, values).ok().flatten().filter(|cell| self.is_written(*cell));
            let cells = self.moving.iter().map(&mut cell).collect::<Option<Vec<_>>>();
            self.found.extend(cells);
            return true;
        }
        // Take a read whose cell is known, if there is one: it has the fewest sources.
        let known = open.iter().position(|&r| self.cell_of(r, values).is_ok_and(|c| c.is_some()));
        let mut rest = open.to_vec();
        let read = rest.remove(known.unwrap_or(0));
        let Ok(cell) = self.cell_of(read, values) else { return true };
        for source in 0..self.pre.events.len() {
            let (Some(var), Some(value)) = (self.pre.events[read].read, self.pre.events[source].written) else {
                continue;
            };
            let Ok(other) = self.cell_of(source, values) else { continue };
            let same = cell.is_none() || other.is_none() || cell == other;
            if !same || !self.prepared.may_read(self.pre, read, source) {
                continue;
            }
            values.bind(var, value);
            let go_on = self.choose(&rest, values);
            values.unbind(var);
            if !go_on {
                return false;
            }
        }
        true
    }

    /// Whether a cell has an initial write.
    fn is_written(&self, cell: Cell) -> bool {
        let mut initial = self.pre.events.iter().take_while(|event| event.kind == Kind::Init);
        initial.any(|event| event.cell == Some(cell))
    }

    /// The cell of an event, if it can be told already; an error if it has none.
    fn cell_of(&self, event: usize, values: &mut Values<'_>) -> Result<Option<Cell>, ()> {
        let e = &self.pre.events[event];
        match (e.cell, e.address) {
            (Some(cell), _) => Ok(Some(cell)),
            (None, None) => Ok(None),
            (None, Some(address)) => match values.eval(address) {
                Ok(a) if a.is_thin_air() => Err(()),
                Ok(a) if e.kind == Kind::Opaque => self.prepared.cells.at(a.unsigned() as u64).map(Some).ok_or(()),
                Ok(a) => self.prepared.exact_cell(address, a.unsigned() as u64, e.size).map(Some).ok_or(()),
                Err(Stuck::Unbound) => Ok(None),
                Err(Stuck::Circular) => Err(()),
            },
        }
    }
}
