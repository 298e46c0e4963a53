//! Value-set analysis: the values that each read may return, whatever it reads from, over all paths of all threads.
//!
//! It resolves addresses that depend on reads to a few fixed ones, and finds infeasible paths.

use crate::cells::Cells;
use crate::flow::Flow;
use crate::pre_execution::initial_value;
use crate::symbolic_layout::{Initial, SymbolicLayout, Value};
use crate::traces::{Trace, Traces};
use std::collections::{BTreeMap, BTreeSet};
use treville_base::Cancel;
use treville_ir::Program;
use treville_term::{BinOp, Bv, Cast, TermId, TermNode, TermStore, UnOp, VarId};

/// The values that a term may have; `None` if they are too many to list.
type Set = Option<BTreeSet<Value>>;

/// More values than this are "anything".
const MAX_VALUES: usize = 64;

/// More combinations of values than this are not tried out.
const MAX_ASSIGNMENTS: usize = 1 << 14;

pub struct ValueSets {
    /// By variable. A variable that no read of a whole cell defines may be anything.
    vars: BTreeMap<VarId, BTreeSet<Value>>,
    anything: BTreeSet<VarId>,
    /// Choices between values may be those between paths: then a value does not depend on what was read to decide.
    joined: bool,
    floating: Option<SymbolicLayout>,
}

impl ValueSets {
    /// Nothing is known.
    pub(crate) fn anything() -> ValueSets {
        ValueSets { vars: BTreeMap::new(), anything: BTreeSet::new(), joined: true, floating: None }
    }

    /// `None` if the work was cancelled. Paths that were cut count too: what they wrote can be read.
    pub fn of(program: &Program, traces: &Traces, cells: &Cells, cancel: &Cancel) -> Option<ValueSets> {
        let store = &traces.domain.store;
        let mut flow = Flow::of(traces);
        loop {
            let possible = ValueSets::along(&flow, traces, cancel)?;
            let changed = flow.extend(program, store, cells, &possible, cancel);
            if cancel.is_stopped() {
                return None;
            }
            if !changed {
                return Some(possible);
            }
        }
    }

    /// The values that come along these ways. A value is not computed from itself: on its way through a circle of reads it comes to
    /// each of them once, so that there are no more rounds than reads. What counts up has an end.
    pub(crate) fn along(flow: &Flow, traces: &Traces, cancel: &Cancel) -> Option<ValueSets> {
        let store = &traces.domain.store;
        let vars = flow.reads.iter().map(|read| (read.var, BTreeSet::new())).collect();
        let (joined, floating) = (traces.joined, traces.floating.clone());
        let mut possible = ValueSets { vars, anything: BTreeSet::new(), joined, floating };
        let mut written: Vec<Option<Set>> = vec![None; flow.writes.len()];
        for cycle in flow.cycles() {
            for _ in &cycle {
                if cancel.is_due() {
                    return None;
                }
                // One round of a large circle takes long.
                let mut seen = |&r: &usize| (!cancel.is_stopped()).then(|| possible.seen(flow, store, r, &mut written));
                let found: Vec<Set> = cycle.iter().map(&mut seen).collect::<Option<_>>()?;
                let mut changed = false;
                for (&r, set) in cycle.iter().zip(found) {
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

    /// The initial value of some bytes; `None` if it is not the same in all layouts.
    pub(crate) fn initial(&self, program: &Program, address: u64, size: u8) -> Option<Value> {
        match self.floating.as_ref().map(|floating| floating.initial(program, address, size)) {
            None | Some(Initial::Numbers) => Some(Value::Number(initial_value(program, address, size))),
            Some(Initial::Spot(object, offset)) => Some(Value::Spot(object, offset)),
            Some(Initial::Unclear) => None,
        }
    }

    /// Where accesses of so many bytes lie, with addresses as in the layout that engines share; `None` if they cannot be listed.
    pub fn addresses(&self, store: &TermStore, address: TermId, size: u8) -> Option<BTreeSet<u64>> {
        let place = |value: &Value| match (&self.floating, value) {
            (Some(floating), _) => floating.place(*value, size),
            (None, Value::Number(v)) => Some(v.unsigned() as u64),
            (None, Value::Spot(..)) => None,
        };
        self.values(store, address)?.iter().map(place).collect()
    }

    /// The values of a term.
    fn values(&self, store: &TermStore, term: TermId) -> Set {
        if let Some(v) = store.as_const(term) {
            return Some(BTreeSet::from([Value::Number(v)]));
        }
        let (vars, chooses) = survey(store, term);
        if chooses && self.joined || self.floating.is_some() || !self.are_few(&vars) {
            return self.structural(store, term, &mut BTreeMap::new());
        }
        let mut found = BTreeSet::new();
        let mut assignment = BTreeMap::new();
        self.assign(store, term, &vars, &mut assignment, &mut found).then_some(found)
    }

    /// The values of a variable, if they are the same wherever objects lie.
    pub fn numbers(&self, var: VarId) -> Option<BTreeSet<Bv>> {
        self.of_var(var)?.iter().map(|value| value.number()).collect()
    }

    /// The values of a variable where some are addresses that are not fixed: these as in the layout that engines share. `None` if
    /// there are none, or they cannot be told from numbers.
    pub fn with_spots(&self, var: VarId, width: u8) -> Option<BTreeSet<Bv>> {
        let floating = self.floating.as_ref()?;
        let values = self.of_var(var)?;
        let shared = |value: &Value| match value {
            Value::Number(v) => (floating.place(*value, 1).is_some() || v.width() < 32).then_some(*v),
            Value::Spot(..) => floating.place(*value, 1).map(|address| Bv::new(u128::from(address), width)),
        };
        if values.iter().all(|value| value.number().is_some()) {
            return None;
        }
        values.iter().map(shared).collect()
    }

    pub(crate) fn of_var(&self, var: VarId) -> Option<&BTreeSet<Value>> {
        self.vars.get(&var).filter(|_| !self.anything.contains(&var))
    }

    fn un(&self, op: UnOp, a: Value) -> Option<Value> {
        match &self.floating {
            Some(floating) => floating.un(op, a),
            None => a.number().map(|a| Value::Number(op.eval(a))),
        }
    }

    fn cast(&self, kind: Cast, width: u8, a: Value) -> Option<Value> {
        match &self.floating {
            Some(floating) => floating.cast(kind, width, a),
            None => a.number().map(|a| Value::Number(kind.eval(a, width))),
        }
    }

    fn bin(&self, op: BinOp, a: Value, b: Value) -> Option<Value> {
        match &self.floating {
            Some(floating) => floating.bin(op, a, b),
            None => Some(Value::Number(op.eval(a.number()?, b.number()?))),
        }
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
            TermNode::Const(v) => Some(BTreeSet::from([Value::Number(v)])),
            TermNode::Var(_, 1) => Some(either()),
            TermNode::Var(v, _) => match self.floating.as_ref().and_then(|floating| floating.of_var(v)) {
                Some(base) => Some(BTreeSet::from([base])),
                None => self.of_var(v).cloned(),
            },
            TermNode::Un(op, a) => of(a).and_then(|a| a.into_iter().map(|v| self.un(op, v)).collect()),
            TermNode::Cast(kind, width, a) => {
                of(a).and_then(|a| a.into_iter().map(|v| self.cast(kind, width, v)).collect())
            }
            TermNode::Bin(op, a, b) => match (of(a), of(b)) {
                (Some(a), Some(b)) => a.iter().flat_map(|x| b.iter().map(move |y| self.bin(op, *x, *y))).collect(),
                (None, Some(b)) => within(op, &b),
                (Some(a), None) if op.is_commutative() => within(op, &a),
                _ => None,
            },
            TermNode::Ite(_, a, b) => match (of(a), of(b)) {
                (Some(a), Some(b)) => Some(a.union(&b).copied().collect()),
                _ => None,
            },
        };
        // Whatever the layout decides, a condition holds or does not.
        let set = set.or_else(|| (self.floating.is_some() && store.width(term) == 1).then(either));
        let thin = |v: &Value| v.number().is_some_and(Bv::is_thin_air);
        let set = set.filter(|set| set.len() <= MAX_VALUES && !set.iter().any(thin));
        known.insert(term, set.clone());
        set
    }

    fn assign(
        &self,
        store: &TermStore,
        term: TermId,
        vars: &[VarId],
        assignment: &mut BTreeMap<VarId, Bv>,
        found: &mut BTreeSet<Value>,
    ) -> bool {
        let Some((var, rest)) = vars.split_first() else {
            found.extend(store.eval(term, &|v| assignment.get(&v).copied()).map(Value::Number));
            return found.len() <= MAX_VALUES;
        };
        for value in self.vars[var].iter().filter_map(|value| value.number()) {
            assignment.insert(*var, value);
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
        let holds = |v: &Value| v.number().is_none_or(|v| !v.is_zero());
        self.values(store, condition).is_none_or(|values| values.iter().any(holds))
    }
}

/// The values of an operation on anything and one of these numbers, if they are few whatever the other operand is.
fn within(op: BinOp, by: &BTreeSet<Value>) -> Set {
    let mut found = BTreeSet::new();
    for by in by {
        let by = by.number().filter(|by| !by.is_thin_air())?;
        let (bits, width) = (by.unsigned(), by.width());
        let most = 1 << MAX_VALUES.ilog2();
        let number = |v: u128| Value::Number(Bv::new(v, width));
        match op {
            // All parts of the mask, from the largest.
            BinOp::And if bits.count_ones() <= MAX_VALUES.ilog2() => {
                let next = |part: &u128| part.checked_sub(1).map(|less| less & bits);
                found.extend(std::iter::successors(Some(bits), next).map(number));
            }
            BinOp::URem if (1..=most).contains(&bits) => found.extend((0..bits).map(number)),
            _ => return None,
        }
    }
    Some(found)
}

/// Both truth values.
fn either() -> BTreeSet<Value> {
    BTreeSet::from([false, true].map(|b| Value::Number(Bv::bool(b))))
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
