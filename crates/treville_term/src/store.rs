//! Hash-consed terms: equal terms have equal ids, and building a term simplifies it.

use crate::{BinOp, Bv, Cast, UnOp};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use treville_base::IndexVec;

treville_base::ids! {
    /// A term of a [`TermStore`].
    TermId "t";
    /// A variable: the value that some read returns, or another unknown.
    VarId "v";
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TermNode {
    Const(Bv),
    Var(VarId, u8),
    Un(UnOp, TermId),
    Bin(BinOp, TermId, TermId),
    Cast(Cast, u8, TermId),
    Ite(TermId, TermId, TermId),
}

#[derive(Clone, Default, Debug)]
pub struct TermStore {
    nodes: IndexVec<TermId, TermNode>,
    widths: IndexVec<TermId, u8>,
    ids: FxHashMap<TermNode, TermId>,
}

impl TermStore {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn node(&self, t: TermId) -> TermNode {
        self.nodes[t]
    }

    pub fn width(&self, t: TermId) -> u8 {
        self.widths[t]
    }

    pub fn as_const(&self, t: TermId) -> Option<Bv> {
        match self.nodes[t] {
            TermNode::Const(v) => Some(v),
            _ => None,
        }
    }

    pub fn constant(&mut self, value: Bv) -> TermId {
        self.intern(TermNode::Const(value), value.width())
    }

    pub fn var(&mut self, var: VarId, width: u8) -> TermId {
        self.intern(TermNode::Var(var, width), width)
    }

    pub fn un(&mut self, op: UnOp, a: TermId) -> TermId {
        if let Some(v) = self.as_const(a) {
            return self.constant(op.eval(v));
        }
        match self.nodes[a] {
            TermNode::Un(inner, b) if inner == op => b,
            _ => self.intern(TermNode::Un(op, a), self.widths[a]),
        }
    }

    pub fn bin(&mut self, op: BinOp, mut a: TermId, mut b: TermId) -> TermId {
        if let (Some(x), Some(y)) = (self.as_const(a), self.as_const(b)) {
            return self.constant(op.eval(x, y));
        }
        // Constants to the right, then by id: fewer forms of one term.
        if op.is_commutative() && (self.as_const(a).is_some() || (self.as_const(b).is_none() && a > b)) {
            std::mem::swap(&mut a, &mut b);
        }
        if let Some(t) = self.simplify(op, a, b) {
            return t;
        }
        self.intern(TermNode::Bin(op, a, b), op.result_width(self.widths[a]))
    }

    fn simplify(&mut self, op: BinOp, a: TermId, b: TermId) -> Option<TermId> {
        let width = self.widths[a];
        let right = self.as_const(b);
        let zero = right.is_some_and(Bv::is_zero);
        let constant = |store: &mut Self, bits| Some(store.constant(Bv::new(bits, op.result_width(width))));
        match op {
            BinOp::Xor | BinOp::Sub if a == b => constant(self, 0),
            BinOp::And | BinOp::Or if a == b => Some(a),
            BinOp::Eq | BinOp::ULe | BinOp::SLe if a == b => constant(self, 1),
            BinOp::Ne | BinOp::ULt | BinOp::SLt if a == b => constant(self, 0),
            BinOp::And | BinOp::Mul if zero => constant(self, 0),
            BinOp::Add | BinOp::Sub | BinOp::Or | BinOp::Xor | BinOp::Shl | BinOp::LShr | BinOp::AShr if zero => {
                Some(a)
            }
            BinOp::And if right.is_some_and(|v| v.unsigned() == crate::bv::mask(width)) => Some(a),
            BinOp::Or if right.is_some_and(|v| v.unsigned() == crate::bv::mask(width)) => Some(b),
            BinOp::And if self.are_complements(a, b) => constant(self, 0),
            BinOp::Or if self.are_complements(a, b) => constant(self, crate::bv::mask(width)),
            BinOp::Mul if right.is_some_and(|v| v.unsigned() == 1) => Some(a),
            BinOp::Add => match (self.nodes[a], right) {
                // (x + c) + d = x + (c + d)
                (TermNode::Bin(BinOp::Add, x, c), Some(d)) => {
                    let c = self.as_const(c)?;
                    let sum = self.constant(BinOp::Add.eval(c, d));
                    Some(self.bin(BinOp::Add, x, sum))
                }
                _ => None,
            },
            BinOp::Sub => match (self.nodes[a], right) {
                // (x + c) - d = x + (c - d)
                (TermNode::Bin(BinOp::Add, x, c), Some(d)) => {
                    let c = self.as_const(c)?;
                    let sum = self.constant(BinOp::Sub.eval(c, d));
                    Some(self.bin(BinOp::Add, x, sum))
                }
                _ => None,
            },
            BinOp::Ne if zero && width == 1 => Some(a),
            // A widened condition against zero is the condition, or its negation.
            BinOp::Ne | BinOp::Eq if zero => match self.nodes[a] {
                TermNode::Cast(Cast::Zero, _, c) if self.widths[c] == 1 => {
                    Some(if op == BinOp::Ne { c } else { self.un(UnOp::Not, c) })
                }
                _ => None,
            },
            _ => None,
        }
    }

    fn are_complements(&self, a: TermId, b: TermId) -> bool {
        self.nodes[a] == TermNode::Un(UnOp::Not, b) || self.nodes[b] == TermNode::Un(UnOp::Not, a)
    }

    pub fn cast(&mut self, kind: Cast, width: u8, a: TermId) -> TermId {
        if self.widths[a] == width {
            return a;
        }
        if let Some(v) = self.as_const(a) {
            return self.constant(kind.eval(v, width));
        }
        if let TermNode::Cast(first, middle, b) = self.nodes[a]
            && let Some(one) = Cast::fuse(self.widths[b], first, middle, kind, width)
        {
            return self.cast(one, width, b);
        }
        self.intern(TermNode::Cast(kind, width, a), width)
    }

    pub fn ite(&mut self, c: TermId, a: TermId, b: TermId) -> TermId {
        if a == b {
            return a;
        }
        match self.as_const(c) {
            Some(v) if v.is_zero() => b,
            Some(_) => a,
            None => self.intern(TermNode::Ite(c, a, b), self.widths[a]),
        }
    }

    /// The value of `t` when `lookup` knows every variable that matters, else `None`.
    pub fn eval(&self, t: TermId, lookup: &impl Fn(VarId) -> Option<Bv>) -> Option<Bv> {
        Some(match self.nodes[t] {
            TermNode::Const(v) => v,
            TermNode::Var(v, _) => lookup(v)?,
            TermNode::Un(op, a) => op.eval(self.eval(a, lookup)?),
            TermNode::Bin(op, a, b) => op.eval(self.eval(a, lookup)?, self.eval(b, lookup)?),
            TermNode::Cast(kind, width, a) => kind.eval(self.eval(a, lookup)?, width),
            TermNode::Ite(c, a, b) => {
                let chosen = if self.eval(c, lookup)?.is_zero() { b } else { a };
                self.eval(chosen, lookup)?
            }
        })
    }

    /// Calls `visit` for every variable in `t`, once.
    pub fn visit_vars(&self, t: TermId, visit: &mut impl FnMut(VarId)) {
        for part in self.parts(t) {
            if let TermNode::Var(v, _) = self.nodes[part] {
                visit(v);
            }
        }
    }

    /// A term and everything that it is made of, each once.
    pub fn parts(&self, t: TermId) -> Vec<TermId> {
        let mut seen = BTreeSet::from([t]);
        let mut todo = vec![t];
        let mut parts = Vec::new();
        while let Some(t) = todo.pop() {
            parts.push(t);
            let operands = match self.nodes[t] {
                TermNode::Const(_) | TermNode::Var(..) => [None; 3],
                TermNode::Un(_, a) | TermNode::Cast(_, _, a) => [Some(a), None, None],
                TermNode::Bin(_, a, b) => [Some(a), Some(b), None],
                TermNode::Ite(c, a, b) => [Some(c), Some(a), Some(b)],
            };
            todo.extend(operands.into_iter().rev().flatten().filter(|t| seen.insert(*t)));
        }
        parts
    }

    fn intern(&mut self, node: TermNode, width: u8) -> TermId {
        if let Some(&id) = self.ids.get(&node) {
            return id;
        }
        self.widths.push(width);
        let id = self.nodes.push(node);
        self.ids.insert(node, id);
        id
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dependencies_without_values_fold_away() {
        let mut s = TermStore::new();
        let x = s.var(VarId(0), 64);
        let zero = s.bin(BinOp::Xor, x, x);
        assert_eq!(s.as_const(zero), Some(Bv::zero(64)));
        let one = s.constant(Bv::new(1, 64));
        let y = s.bin(BinOp::Add, zero, one);
        assert_eq!(s.as_const(y), Some(Bv::new(1, 64)));
    }

    #[test]
    fn simplified_terms_keep_their_value() {
        let mut s = TermStore::new();
        let x = s.var(VarId(0), 8);
        for bits in [0u128, 1, 0x7f, 0x80, 0xff] {
            let v = Bv::new(bits, 8);
            let wide = s.cast(Cast::Sign, 32, x);
            let back = s.cast(Cast::Zero, 16, wide);
            let lookup = |_| Some(v);
            assert_eq!(s.eval(back, &lookup), Some(Cast::Sign.eval(v, 16)), "{bits}");
            let c = s.bin(BinOp::SLt, x, x);
            assert_eq!(s.eval(c, &lookup), Some(Bv::bool(false)));
            let [large, small] = [200, 7].map(|n| s.constant(Bv::new(n, 8)));
            let more = s.bin(BinOp::Add, x, large);
            let less = s.bin(BinOp::Sub, more, small);
            assert_eq!(s.eval(less, &lookup), Some(Bv::new(bits + 193, 8)), "{bits}");
            assert_eq!(s.bin(BinOp::Sub, more, large), x);
        }
    }
}
