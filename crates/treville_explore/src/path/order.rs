//! Comparisons of variables and constants, without a solver: most path conditions are nothing else.
//!
//! All comparisons of one query are unsigned, or all are signed; what is equal is one. Each variable gets the least value that
//! the order leaves to it, which is found by going along the comparisons until nothing changes: if that ends nowhere or passes a
//! constant, there are no values. Variables that must differ and do not are moved apart one after the other; where that fails,
//! this procedure does not know.

use super::Values;
use rustc_hash::FxHashMap;
use treville_term::{BinOp, Bv, TermId, TermNode, UnOp, VarId};
use treville_vm::bytecode::Shared;

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
        if self.apart.iter().any(|(x, y)| x == y) || !self.raise(&mut places) {
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

    /// The last place.
    fn last(&self) -> u128 {
        u128::MAX >> (128 - u32::from(self.width))
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
