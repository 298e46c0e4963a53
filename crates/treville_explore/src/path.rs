//! Whether the decisions of an execution can all be so: a solver for path conditions.
//!
//! A query is a list of conditions, known to hold together for some values, and one more. Only conditions that share variables
//! with the one in question matter, directly or through others; the rest keeps its values. Of these, a query is answered by the
//! first that can: values that an earlier query has found, the answer to the same query, a procedure for comparisons of
//! variables and constants ([`order`]), and a solver on bits, which keeps what it has learnt from one query to the next: each
//! condition is an assumption, so that going back in the search costs it nothing.

mod order;

use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;
use treville_base::Cancel;
use treville_bytecode::{Linear, Shared, Symbols};
use treville_sat::{Backend, Bits, Gates, Lit, Solver, Verdict};
use treville_term::{BinOp, Bv, TermId, UnOp, VarId};

/// Values of variables; others are 0.
pub(crate) type Values = FxHashMap<VarId, Bv>;

/// The search was cancelled.
#[derive(Debug)]
pub(crate) struct Cancelled;

/// How many answers are remembered: what was explored long ago is not asked for again.
const MOST_ANSWERS: usize = 1 << 16;

/// How many values that were found last are tried first.
const RECENT: usize = 8;

pub(crate) struct Paths {
    symbols: Arc<Symbols>,
    cancel: Cancel,
    /// The last values that were found, the latest at the end.
    recent: Vec<Values>,
    /// What was asked, with values if there are some.
    answers: FxHashMap<Box<[TermId]>, Option<Values>>,
    variables: FxHashMap<TermId, Arc<[VarId]>>,
    bits: Option<(Gates<Solver>, Bits)>,
    pub(crate) stats: PathStats,
}

/// How often who has answered.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct PathStats {
    pub(crate) queries: u64,
    pub(crate) by_order: u64,
    pub(crate) by_bits: u64,
}

impl std::ops::AddAssign for PathStats {
    fn add_assign(&mut self, other: PathStats) {
        self.queries += other.queries;
        self.by_order += other.by_order;
        self.by_bits += other.by_bits;
    }
}

impl Paths {
    pub(crate) fn new(symbols: Arc<Symbols>, cancel: Cancel) -> Self {
        let (recent, answers, variables) = (Vec::new(), FxHashMap::default(), FxHashMap::default());
        Paths { symbols, cancel, recent, answers, variables, bits: None, stats: PathStats::default() }
    }

    /// Values for which all conditions hold, given that those of the path can all hold: of the variables that matter to `new`.
    pub(crate) fn solve(&mut self, path: &[TermId], new: TermId) -> Result<Option<Values>, Cancelled> {
        self.stats.queries += 1;
        let symbols = Arc::clone(&self.symbols);
        let shared = symbols.lock();
        let mut slice = self.slice(&shared, path, new);
        slice.push(new);
        slice.sort_unstable();
        slice.dedup();
        self.answer(&shared, slice)
    }

    /// Values for which all conditions hold, given that they can.
    pub(crate) fn values(&mut self, path: &[TermId]) -> Result<Values, Cancelled> {
        let symbols = Arc::clone(&self.symbols);
        let shared = symbols.lock();
        let mut all = Values::default();
        let mut left: Vec<TermId> = path.to_vec();
        while let Some(first) = left.pop() {
            let mut slice = self.slice(&shared, &left, first);
            left.retain(|c| !slice.contains(c));
            slice.push(first);
            slice.sort_unstable();
            slice.dedup();
            all.extend(self.answer(&shared, slice)?.unwrap_or_default());
        }
        Ok(all)
    }

    /// The values that a term can have, in order; if there are more than so many, some of them.
    pub(crate) fn range(&mut self, path: &[TermId], term: TermId, most: usize) -> Result<Vec<u64>, Cancelled> {
        let mut found = Vec::new();
        if self.symbols.lock().store.width(term) == 1 {
            for value in [0, 1] {
                let is = self.symbols.lock().equals(term, value);
                if self.solve(path, is)?.is_some() {
                    found.push(value);
                }
            }
            return Ok(found);
        }
        if let Some(linear) = self.linear(path, term)? {
            // Conditions on signed numbers are signed: so are those that they are solved with.
            let less = if linear.signed { BinOp::SLe } else { BinOp::ULe };
            self.values_between(path, linear.inner, most, less, &mut found)?;
            return Ok(found.into_iter().map(|value| linear.offset + linear.factor * value).collect());
        }
        self.values_between(path, term, most, BinOp::ULe, &mut found)?;
        Ok(found)
    }

    /// Finds values of a term by comparing it; if `less` is signed, those that are not negative.
    fn values_between(
        &mut self,
        path: &[TermId],
        term: TermId,
        most: usize,
        less: BinOp,
        found: &mut Vec<u64>,
    ) -> Result<(), Cancelled> {
        let width = u32::from(self.symbols.lock().store.width(term)).min(64) - u32::from(less == BinOp::SLe);
        // Where values may still be, the lowest at the end: below and above one that was found.
        let mut open = vec![(0, u64::MAX >> (64 - width))];
        while let Some((low, high)) = open.pop().filter(|_| found.len() <= most) {
            if self.cancel.is_due() {
                return Err(Cancelled);
            }
            let between = self.between(term, low, high, less);
            let Some(values) = self.solve(path, between)? else { continue };
            let value = self.value(term, &values);
            found.push(value);
            open.extend(value.checked_add(1).filter(|above| *above <= high).map(|above| (above, high)));
            open.extend(value.checked_sub(1).filter(|below| *below >= low).map(|below| (low, below)));
        }
        found.sort_unstable();
        Ok(())
    }

    /// The smallest value that a term can have.
    pub(crate) fn smallest(&mut self, path: &[TermId], term: TermId) -> Result<Option<u64>, Cancelled> {
        let zero = self.symbols.lock().equals(term, 0);
        if self.solve(path, zero)?.is_some() {
            return Ok(Some(0));
        }
        // Some value is at most `high`, none is below `low`.
        let anything = self.at_most(term, u64::MAX);
        let Some(values) = self.solve(path, anything)? else { return Ok(None) };
        let (mut low, mut high) = (1, self.value(term, &values));
        while low < high {
            let middle = low + (high - low) / 2;
            let condition = self.at_most(term, middle);
            match self.solve(path, condition)? {
                Some(values) => high = self.value(term, &values).min(middle),
                None => low = middle + 1,
            }
        }
        Ok(Some(high))
    }

    fn at_most(&self, term: TermId, value: u64) -> TermId {
        self.compared(BinOp::ULe, term, value)
    }

    fn compared(&self, op: BinOp, term: TermId, value: u64) -> TermId {
        let mut shared = self.symbols.lock();
        let width = shared.store.width(term);
        let value = shared.store.constant(Bv::new(u128::from(value), width));
        shared.store.bin(op, term, value)
    }

    /// A term as a multiple of another one and a number, which leaves the order of values as it is.
    fn linear(&mut self, path: &[TermId], term: TermId) -> Result<Option<Linear>, Cancelled> {
        let Some(linear) = self.symbols.lock().linear(term) else { return Ok(None) };
        if !linear.signed {
            return Ok(Some(linear));
        }
        let negative = {
            let mut shared = self.symbols.lock();
            let zero = Bv::zero(shared.store.width(linear.inner));
            let zero = shared.store.constant(zero);
            shared.store.bin(BinOp::SLt, linear.inner, zero)
        };
        Ok(self.solve(path, negative)?.is_none().then_some(linear))
    }

    fn between(&self, term: TermId, low: u64, high: u64, less: BinOp) -> TermId {
        let above = (low > 0).then(|| {
            let low = self.compared(less, term, low - 1);
            self.symbols.lock().store.un(UnOp::Not, low)
        });
        let below = self.compared(less, term, high);
        above.map_or(below, |above| self.symbols.lock().store.bin(BinOp::And, above, below))
    }

    pub(crate) fn value(&self, term: TermId, values: &Values) -> u64 {
        self.symbols.lock().eval(term, values, &mut FxHashMap::default()).unsigned() as u64
    }

    /// The conditions that share variables with `new`, directly or through others.
    fn slice(&mut self, shared: &Shared, path: &[TermId], new: TermId) -> Vec<TermId> {
        let mut reached: FxHashSet<VarId> = self.variables(shared, new).iter().copied().collect();
        let mut left: Vec<(TermId, Arc<[VarId]>)> = path.iter().map(|c| (*c, self.variables(shared, *c))).collect();
        let mut slice = Vec::new();
        loop {
            let before = slice.len();
            left.retain(|(condition, variables)| {
                let far = !variables.iter().any(|v| reached.contains(v));
                if !far {
                    slice.push(*condition);
                    reached.extend(variables.iter());
                }
                far
            });
            if slice.len() == before {
                return slice;
            }
        }
    }

    fn variables(&mut self, shared: &Shared, term: TermId) -> Arc<[VarId]> {
        let found = self.variables.entry(term).or_insert_with(|| shared.variables_of(term).into());
        Arc::clone(found)
    }

    fn answer(&mut self, shared: &Shared, conditions: Vec<TermId>) -> Result<Option<Values>, Cancelled> {
        for values in self.recent.iter().rev() {
            let mut known = FxHashMap::default();
            if conditions.iter().all(|c| !shared.eval(*c, values, &mut known).is_zero()) {
                let variables = conditions.iter().flat_map(|c| self.variables[c].iter());
                let of = |var: &VarId| values.get(var).copied().unwrap_or(Bv::zero(shared.width(*var)));
                return Ok(Some(variables.map(|var| (*var, of(var))).collect()));
            }
        }
        if let Some(answer) = self.answers.get(conditions.as_slice()) {
            return Ok(answer.clone());
        }
        let answer = match order::solve(shared, &conditions) {
            Some(answer) => {
                self.stats.by_order += 1;
                answer
            }
            None => {
                self.stats.by_bits += 1;
                self.solve_bits(shared, &conditions)?
            }
        };
        if let Some(values) = &answer {
            if self.recent.len() == RECENT {
                self.recent.remove(0);
            }
            self.recent.push(values.clone());
        }
        if self.answers.len() == MOST_ANSWERS {
            self.answers.clear();
        }
        self.answers.insert(conditions.into(), answer.clone());
        Ok(answer)
    }

    fn solve_bits(&mut self, shared: &Shared, conditions: &[TermId]) -> Result<Option<Values>, Cancelled> {
        let fresh = || (Gates::new(Solver::new(Backend::default())), Bits::new());
        let (gates, bits) = self.bits.get_or_insert_with(fresh);
        let assumed: Vec<Lit> = conditions.iter().map(|c| bits.condition(gates, &shared.store, *c)).collect();
        match gates.sink.solve(&assumed, &self.cancel) {
            Verdict::Unknown => Err(Cancelled),
            Verdict::Unsat => Ok(None),
            Verdict::Sat => {
                let variables = conditions.iter().flat_map(|c| self.variables[c].iter());
                let of = |var: &VarId| bits.var_value(*var, |lit| gates.sink.value(lit));
                Ok(Some(variables.filter_map(|var| Some((*var, of(var)?))).collect()))
            }
        }
    }
}
