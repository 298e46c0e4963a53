//! Which values each read may return, whoever it reads from: an over-approximation over all paths of all threads.
//!
//! It turns addresses that depend on reads into a few fixed ones, and shows paths that cannot be taken.

use crate::cells::Cells;
use crate::frame::initial_value;
use crate::traces::{Trace, Traces};
use std::collections::{BTreeMap, BTreeSet};
use treville_base::Cancel;
use treville_ir::Program;
use treville_term::{Bv, TermId, TermStore, VarId};

/// The values that a term may have; `None` if they are too many to list.
type Set = Option<BTreeSet<Bv>>;

/// More values than this are "anything".
const MAX_VALUES: usize = 64;

/// More combinations of values than this are not tried out.
const MAX_ASSIGNMENTS: usize = 1 << 14;

pub struct Possible {
    /// By variable. A variable that no read of a whole cell defines may be anything.
    vars: BTreeMap<VarId, BTreeSet<Bv>>,
    anything: BTreeSet<VarId>,
}

impl Possible {
    /// `None` if the work was cancelled. Paths that were cut count too: what they wrote can be read.
    pub fn of(program: &Program, traces: &Traces, cells: &Cells, cancel: &Cancel) -> Option<Possible> {
        let store = &traces.domain.store;
        let events = || traces.threads.iter().flatten().chain(&traces.cut).flat_map(|t| &t.events);
        let mut reads: BTreeMap<VarId, (TermId, u8)> = BTreeMap::new();
        let mut writes: BTreeSet<(TermId, u8, TermId)> = BTreeSet::new();
        for event in events() {
            let Some((address, size)) = event.action.place else { continue };
            if let Some(var) = event.read {
                reads.insert(var, (address, size));
            }
            if let (true, Some(value)) = (event.action.kind.writes(), event.action.value) {
                writes.insert((address, size, value));
            }
        }
        let mut possible =
            Possible { vars: reads.keys().map(|v| (*v, BTreeSet::new())).collect(), anything: BTreeSet::new() };
        loop {
            let mut changed = false;
            for (&var, &(address, size)) in &reads {
                if possible.anything.contains(&var) {
                    continue;
                }
                if cancel.is_due() {
                    return None;
                }
                let found = possible.read(program, store, cells, &writes, address, size);
                match found {
                    Some(set) if set.len() <= MAX_VALUES => {
                        let known = possible.vars.entry(var).or_default();
                        let before = known.len();
                        known.extend(set);
                        changed |= known.len() != before;
                    }
                    _ => changed |= possible.anything.insert(var),
                }
            }
            if !changed {
                return Some(possible);
            }
        }
    }

    fn read(
        &self,
        program: &Program,
        store: &TermStore,
        cells: &Cells,
        writes: &BTreeSet<(TermId, u8, TermId)>,
        address: TermId,
        size: u8,
    ) -> Set {
        let addresses = self.values(store, address)?;
        let mut found = BTreeSet::new();
        for a in &addresses {
            let a = a.unsigned() as u64;
            // A read of several cells, or of a part of one, may see parts of different writes.
            if cells.covering(a, size).is_some_and(|c| c.len() > 1) {
                return None;
            }
            found.insert(initial_value(program, a, size));
        }
        for (to, width, value) in writes {
            let targets = self.values(store, *to)?;
            if *width == size && targets.iter().any(|t| addresses.contains(t)) {
                found.extend(self.values(store, *value)?);
            }
            // A part of a larger write, or what several smaller ones give together.
            let start = |v: &Bv| v.unsigned();
            let overlaps =
                |t: &Bv, a: &Bv| start(t) < start(a) + u128::from(size) && start(a) < start(t) + u128::from(*width);
            if targets.iter().any(|t| addresses.iter().any(|a| (*width != size || t != a) && overlaps(t, a))) {
                return None;
            }
        }
        Some(found)
    }

    /// The values of a term.
    pub fn values(&self, store: &TermStore, term: TermId) -> Set {
        if let Some(v) = store.as_const(term) {
            return Some(BTreeSet::from([v]));
        }
        let mut vars = Vec::new();
        store.visit_vars(term, &mut |v| vars.push(v));
        vars.sort();
        vars.dedup();
        let mut combinations = 1_usize;
        for var in &vars {
            let values = self.vars.get(var).filter(|_| !self.anything.contains(var))?;
            combinations = combinations.checked_mul(values.len()).filter(|n| *n <= MAX_ASSIGNMENTS)?;
        }
        let mut found = BTreeSet::new();
        let mut assignment = BTreeMap::new();
        self.assign(store, term, &vars, &mut assignment, &mut found).then_some(found)
    }

    fn assign(
        &self,
        store: &TermStore,
        term: TermId,
        vars: &[VarId],
        assignment: &mut BTreeMap<VarId, Bv>,
        found: &mut BTreeSet<Bv>,
    ) -> bool {
        let Some((var, rest)) = vars.split_first() else {
            found.extend(store.eval(term, &|v| assignment.get(&v).copied()));
            return found.len() <= MAX_VALUES;
        };
        for value in &self.vars[var] {
            assignment.insert(*var, *value);
            if !self.assign(store, term, rest, assignment, found) {
                return false;
            }
        }
        true
    }

    /// Whether each condition of a path can hold.
    pub fn can_take(&self, store: &TermStore, path: &Trace) -> bool {
        path.constraints.iter().all(|c| self.can_hold(store, *c))
    }

    /// Whether a condition can hold.
    fn can_hold(&self, store: &TermStore, condition: TermId) -> bool {
        self.values(store, condition).is_none_or(|values| values.iter().any(|v| !v.is_zero()))
    }
}
