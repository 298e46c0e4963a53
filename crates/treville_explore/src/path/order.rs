//! Comparisons of variables and constants, without a solver: most path conditions are nothing else.
//!
//! All comparisons of one query are unsigned, or all are signed; what is equal is one. Each variable gets the least value that
//! the order leaves to it, which is found by going along the comparisons until nothing changes: if that ends nowhere or passes a
//! constant, there are no values. Nor are there if what must differ is equal. Variables that must differ and do not are moved apart
//! one after the other; where that fails, this procedure does not know.

use super::Values;
use rustc_hash::FxHashMap;
use treville_bytecode::Shared;
use treville_term::{BinOp, Bv, TermId, TermNode, UnOp, VarId};

/// How often variables are moved apart.
const TRIES: usize = 32;

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Operand {
    Var(VarId),
    Const(Bv),
}

#[derive(Default)]
struct Problem {
    /// Whether comparisons are signed, if there are some.
    signed: Option<bool>,
    width: u8,
    nodes: FxHashMap<Operand, usize>,
    operands: Vec<Operand>,
    /// The second is at least so much larger than the first.
    edges: Vec<(usize, u128, usize)>,
    apart: Vec<(usize, usize)>,
}

/// Values for which all conditions hold, or none if there are no such values; nothing if they are not all comparisons.
pub(super) fn solve(shared: &Shared, conditions: &[TermId]) -> Option<Option<Values>> {
    let mut problem = Problem::default();
    for condition in conditions {
        problem.add(shared, *condition, true)?;
    }
    problem.solve()
}

impl Problem {
    /// Adds a condition or its negation. None if it is no comparison.
    fn add(&mut self, shared: &Shared, condition: TermId, holds: bool) -> Option<()> {
        let (mut condition, mut holds) = (condition, holds);
        while let TermNode::Un(UnOp::Not, inner) = shared.store.node(condition) {
            (condition, holds) = (inner, !holds);
        }
        let (op, a, b) = match shared.store.node(condition) {
            TermNode::Bin(op, a, b) => (op, a, b),
            TermNode::Var(_, 1) => {
                let (x, one) = (self.operand(shared, condition)?, Bv::bool(holds));
                let value = self.node(Operand::Const(one));
                self.equal(x, value);
                return Some(());
            }
            _ => return None,
        };
        match (op, holds) {
            // One level: terms that nest deeper are left to others.
            (BinOp::And, true) | (BinOp::Or, false) if shared.store.width(condition) == 1 => {
                for part in [a, b] {
                    let nested = matches!(shared.store.node(part), TermNode::Bin(BinOp::And | BinOp::Or, ..));
                    if nested {
                        return None;
                    }
                    self.add(shared, part, holds)?;
                }
                return Some(());
            }
            _ if !op.is_comparison() => return None,
            _ => {}
        }
        let (x, y) = (self.operand(shared, a)?, self.operand(shared, b)?);
        let signed = matches!(op, BinOp::SLt | BinOp::SLe);
        match op {
            BinOp::Eq | BinOp::Ne if (op == BinOp::Eq) == holds => self.equal(x, y),
            BinOp::Eq | BinOp::Ne => self.apart.push((x, y)),
            _ if *self.signed.get_or_insert(signed) != signed => return None,
            BinOp::ULt | BinOp::SLt if holds => self.edges.push((x, 1, y)),
            BinOp::ULe | BinOp::SLe if holds => self.edges.push((x, 0, y)),
            // Not less is at most, the other way round.
            BinOp::ULt | BinOp::SLt => self.edges.push((y, 0, x)),
            _ => self.edges.push((y, 1, x)),
        }
        Some(())
    }

    fn equal(&mut self, x: usize, y: usize) {
        self.edges.push((x, 0, y));
        self.edges.push((y, 0, x));
    }

    fn operand(&mut self, shared: &Shared, term: TermId) -> Option<usize> {
        let width = shared.store.width(term);
        if self.width == 0 {
            self.width = width;
        }
        let operand = match shared.store.node(term) {
            _ if self.width != width => return None,
            TermNode::Var(var, _) => Operand::Var(var),
            TermNode::Const(value) => Operand::Const(value),
            _ => return None,
        };
        Some(self.node(operand))
    }

    fn node(&mut self, operand: Operand) -> usize {
        let next = self.operands.len();
        let node = *self.nodes.entry(operand).or_insert(next);
        if node == next {
            self.operands.push(operand);
        }
        node
    }

    /// Where a value is in the order, and what is there: signed numbers begin with the smallest.
    fn turned(&self, bits: u128) -> u128 {
        if self.signed == Some(true) { bits ^ (1 << (self.width - 1)) } else { bits }
    }

    fn solve(&self) -> Option<Option<Values>> {
        let mut places: Vec<u128> = self
            .operands
            .iter()
            .map(|operand| match operand {
                Operand::Var(_) => 0,
                Operand::Const(value) => self.turned(value.unsigned()),
            })
            .collect();
        let equal = |(x, y): &(usize, usize)| self.is_at_most(*x, *y) && self.is_at_most(*y, *x);
        if !self.raise(&mut places) || self.apart.iter().any(equal) {
            return Some(None);
        }
        for _ in 0..TRIES {
            let equal = self.apart.iter().find(|(x, y)| places[*x] == places[*y]);
            let Some((x, y)) = equal else { return Some(Some(self.values(&places))) };
            let moved = [*y, *x].into_iter().any(|node| {
                let mut next = places.clone();
                next[node] += 1;
                let is_free = matches!(self.operands[node], Operand::Var(_)) && next[node] <= self.last();
                let fits = is_free && self.raise(&mut next);
                if fits {
                    places = next;
                }
                fits
            });
            if !moved {
                break;
            }
        }
        None
    }

    /// Whether comparisons lead from one to the other.
    fn is_at_most(&self, x: usize, y: usize) -> bool {
        let (mut open, mut seen) = (vec![x], vec![false; self.operands.len()]);
        while let Some(next) = open.pop() {
            if !std::mem::replace(&mut seen[next], true) {
                open.extend(self.edges.iter().filter(|(from, ..)| *from == next).map(|(.., to)| *to));
            }
        }
        seen[y]
    }

    /// The last place.
    fn last(&self) -> u128 {
        u128::MAX.checked_shr(128 - u32::from(self.width)).unwrap_or(0)
    }

    /// Raises places until all are as far above others as they must be. False if they cannot be.
    fn raise(&self, places: &mut [u128]) -> bool {
        let last = self.last();
        for _ in 0..=places.len() {
            let mut changed = false;
            for (x, distance, y) in &self.edges {
                let least = places[*x].saturating_add(*distance);
                if places[*y] < least {
                    if matches!(self.operands[*y], Operand::Const(_)) || least > last {
                        return false;
                    }
                    (places[*y], changed) = (least, true);
                }
            }
            if !changed {
                return true;
            }
        }
        false
    }

    fn values(&self, places: &[u128]) -> Values {
        let named = self.operands.iter().zip(places);
        named
            .filter_map(|(operand, place)| match operand {
                Operand::Var(var) => Some((*var, Bv::new(self.turned(*place), self.width))),
                Operand::Const(_) => None,
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use treville_bytecode::{Symbols, term_of};
    use treville_term::BinOp::{Eq, Ne, SLe, SLt, ULe, ULt};

    /// Whether there are values of three variables of 3 bits for which all of these hold; the numbers 0 to 7 stand for themselves, 8
    /// to 10 for variables.
    fn decided(comparisons: &[(BinOp, u64, u64)]) -> Option<bool> {
        let symbols = Symbols::default();
        let mut shared = symbols.lock();
        let operand = |shared: &mut Shared, n: u64| match n {
            0..8 => shared.store.constant(Bv::new(u128::from(n), 3)),
            _ => term_of(shared.variable(0, n as u16, 3)),
        };
        let mut conditions = Vec::new();
        for (op, a, b) in comparisons {
            let (a, b) = (operand(&mut shared, *a), operand(&mut shared, *b));
            conditions.push(shared.store.bin(*op, a, b));
        }
        let values = solve(&shared, &conditions)?;
        if let Some(values) = &values {
            let holds = |c: &TermId| !shared.eval(*c, values, &mut FxHashMap::default()).is_zero();
            assert!(conditions.iter().all(holds), "{comparisons:?}");
        }
        Some(values.is_some())
    }

    fn exists(comparisons: &[(BinOp, u64, u64)]) -> bool {
        let holds = |values: [u64; 3], (op, a, b): &(BinOp, u64, u64)| {
            let of = |n: u64| if n < 8 { n } else { values[n as usize - 8] };
            op.eval_word(3, of(*a), of(*b)) != 0
        };
        (0..512).any(|n| comparisons.iter().all(|c| holds([n & 7, n >> 3 & 7, n >> 6], c)))
    }

    #[test]
    fn what_is_decided_is_right() {
        let mut state = 1u64;
        let mut below = |n: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % n
        };
        let mut open = 0;
        for _ in 0..20_000 {
            let ops = if below(2) == 0 { [Eq, Ne, ULt, ULe] } else { [Eq, Ne, SLt, SLe] };
            let n = 1 + below(6);
            // One side is a variable: what is between numbers is a number.
            let mut comparison =
                || (ops[below(4) as usize], 8 + below(3), if below(3) == 0 { below(8) } else { 8 + below(3) });
            let comparisons: Vec<_> = (0..n).map(|_| comparison()).filter(|(_, a, b)| a != b).collect();
            match decided(&comparisons) {
                Some(answer) => assert_eq!(answer, exists(&comparisons), "{comparisons:?}"),
                None => open += 1,
            }
        }
        assert!(open < 1000, "{open} are not decided");
    }
}
