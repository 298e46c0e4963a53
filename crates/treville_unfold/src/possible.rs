//! Which values each read may return, whoever it reads from: an over-approximation over all paths of all threads.
//!
//! It turns addresses that depend on reads into a few fixed ones, and shows paths that cannot be taken.

use crate::cells::Cells;
use crate::flow::Flow;
use crate::traces::{Trace, Traces};
use std::collections::{BTreeMap, BTreeSet};
use treville_base::Cancel;
use treville_ir::Program;
use treville_term::{Bv, TermId, TermNode, TermStore, VarId};

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
    /// Choices between values may be those between paths: then a value does not depend on what was read to decide.
    joined: bool,
}

impl Possible {
    /// Nothing is known.
    pub(crate) fn anything() -> Possible {
        Possible { vars: BTreeMap::new(), anything: BTreeSet::new(), joined: true }
    }

    /// `None` if the work was cancelled. Paths that were cut count too: what they wrote can be read.
    pub fn of(program: &Program, traces: &Traces, cells: &Cells, cancel: &Cancel) -> Option<Possible> {
        let store = &traces.domain.store;
        let mut flow = Flow::of(traces);
        loop {
            let possible = Possible::along(&flow, store, traces.joined, cancel)?;
            if !flow.extend(program, store, cells, &possible) {
                return Some(possible);
            }
        }
    }

    /// The values that come along these ways. A value is not computed from itself: on its way through a circle of reads it comes to
    /// each of them once, so that there are no more rounds than reads. What counts up has an end.
    pub(crate) fn along(flow: &Flow, store: &TermStore, joined: bool, cancel: &Cancel) -> Option<Possible> {
        let vars = flow.reads.iter().map(|read| (read.var, BTreeSet::new())).collect();
        let mut possible = Possible { vars, anything: BTreeSet::new(), joined };
        let mut written: Vec<Option<Set>> = vec![None; flow.writes.len()];
        for circle in flow.circles() {
            for _ in &circle {
                if cancel.is_due() {
                    return None;
                }
                let found: Vec<Set> = circle.iter().map(|&r| possible.seen(flow, store, r, &mut written)).collect();
                let mut changed = false;
                for (&r, set) in circle.iter().zip(found) {
                    changed |= possible.learn(flow.reads[r].var, set);
                    flow.reads[r].users.iter().for_each(|&w| written[w] = None);
                }
                if !changed {
                    break;
                }
            }
        }
        Some(possible)
    }

    /// What a read may return, going by what is known so far. Values that are written are computed when they are needed first.
    fn seen(&self, flow: &Flow, store: &TermStore, read: usize, written: &mut [Option<Set>]) -> Set {
        let read = &flow.reads[read];
        if read.is_open {
            return None;
        }
        let mut found = read.initial.clone();
        for &w in &read.sources {
            let values = written[w].get_or_insert_with(|| self.values(store, flow.writes[w].value));
            found.extend(values.as_ref()?);
        }
        Some(found).filter(|found| found.len() <= MAX_VALUES)
    }

    /// Adds values of a variable. Whether there are new ones.
    fn learn(&mut self, var: VarId, set: Set) -> bool {
        let Some(set) = set else { return self.anything.insert(var) };
        let known = self.vars.entry(var).or_default();
        let before = known.len();
        known.extend(set);
        known.len() != before
    }

    /// The values of a term.
    pub fn values(&self, store: &TermStore, term: TermId) -> Set {
        if let Some(v) = store.as_const(term) {
            return Some(BTreeSet::from([v]));
        }
        let (vars, chooses) = survey(store, term);
        if chooses && self.joined || !self.are_few(&vars) {
            return self.structural(store, term, &mut BTreeMap::new());
        }
        let mut found = BTreeSet::new();
        let mut assignment = BTreeMap::new();
        self.assign(store, term, &vars, &mut assignment, &mut found).then_some(found)
    }

    /// The values of a variable.
    pub fn of_var(&self, var: VarId) -> Option<&BTreeSet<Bv>> {
        self.vars.get(&var).filter(|_| !self.anything.contains(&var))
    }

    /// Whether all combinations of the variables' values can be tried out.
    fn are_few(&self, vars: &[VarId]) -> bool {
        let mut sizes = vars.iter().map(|var| self.of_var(*var).map(BTreeSet::len));
        let product = sizes.try_fold(1_usize, |n, size| n.checked_mul(size?).filter(|n| *n <= MAX_ASSIGNMENTS));
        product.is_some()
    }

    /// The values of a term if those of its operands have nothing to do with each other.
    fn structural(&self, store: &TermStore, term: TermId, known: &mut BTreeMap<TermId, Set>) -> Set {
        if let Some(set) = known.get(&term) {
            return set.clone();
        }
        let mut of = |t| self.structural(store, t, known);
        let set: Set = match store.node(term) {
            TermNode::Const(v) => Some(BTreeSet::from([v])),
            TermNode::Var(_, 1) => Some(BTreeSet::from([Bv::bool(false), Bv::bool(true)])),
            TermNode::Var(v, _) => self.of_var(v).cloned(),
            TermNode::Un(op, a) => of(a).map(|a| a.into_iter().map(|v| op.eval(v)).collect()),
            TermNode::Cast(kind, width, a) => of(a).map(|a| a.into_iter().map(|v| kind.eval(v, width)).collect()),
            TermNode::Bin(op, a, b) => match (of(a), of(b)) {
                (Some(a), Some(b)) => {
                    Some(a.iter().flat_map(|x| b.iter().map(move |y| op.eval(*x, *y))).collect::<BTreeSet<Bv>>())
                }
                _ => None,
            },
            TermNode::Ite(_, a, b) => match (of(a), of(b)) {
                (Some(a), Some(b)) => Some(a.union(&b).copied().collect()),
                _ => None,
            },
        };
        let set = set.filter(|set| set.len() <= MAX_VALUES && !set.iter().any(|v| v.is_thin_air()));
        known.insert(term, set.clone());
        set
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

/// The variables of a term, and whether it chooses between values somewhere.
fn survey(store: &TermStore, term: TermId) -> (Vec<VarId>, bool) {
    let mut seen = BTreeSet::from([term]);
    let mut todo = vec![term];
    let (mut vars, mut chooses) = (Vec::new(), false);
    while let Some(t) = todo.pop() {
        let operands = match store.node(t) {
            TermNode::Const(_) => [None; 3],
            TermNode::Var(v, _) => {
                vars.push(v);
                [None; 3]
            }
            TermNode::Un(_, a) | TermNode::Cast(_, _, a) => [Some(a), None, None],
            TermNode::Bin(_, a, b) => [Some(a), Some(b), None],
            TermNode::Ite(c, a, b) => {
                chooses = true;
                [Some(c), Some(a), Some(b)]
            }
        };
        todo.extend(operands.into_iter().flatten().filter(|t| seen.insert(*t)));
    }
    vars.sort();
    (vars, chooses)
}
