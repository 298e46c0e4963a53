//! Terms of `treville_term` as words of literals. Each term is translated once, operands first, without recursion.

use crate::words::{self, Word};
use crate::{ClauseSink, Gates, Lit};
use rustc_hash::FxHashMap;
use treville_term::{BinOp, Bv, Cast, TermId, TermNode, TermStore, UnOp, VarId};

/// The words of the terms and variables of one [`TermStore`], in one solver.
#[derive(Default)]
pub struct Bits {
    terms: FxHashMap<TermId, Word>,
    vars: FxHashMap<VarId, Word>,
}

impl Bits {
    pub fn new() -> Self {
        Self::default()
    }

    /// The bits of a variable: new ones the first time.
    pub fn var<S: ClauseSink>(&mut self, gates: &mut Gates<S>, var: VarId, width: u8) -> &[Lit] {
        self.vars.entry(var).or_insert_with(|| gates.fresh_word(width))
    }

    /// Lets `var` have these bits; to be said before it occurs in a term.
    pub fn bind(&mut self, var: VarId, word: Word) {
        self.vars.insert(var, word);
    }

    /// The bits of a variable that has some.
    pub fn lits(&self, var: VarId) -> &[Lit] {
        self.vars.get(&var).map_or(&[], Vec::as_slice)
    }

    /// The bits of a term.
    pub fn term<S: ClauseSink>(&mut self, gates: &mut Gates<S>, store: &TermStore, term: TermId) -> &[Lit] {
        let mut open = vec![term];
        while let Some(&next) = open.last() {
            let n_open = open.len();
            if !self.terms.contains_key(&next) {
                open.extend(operands(store.node(next)).into_iter().flatten().filter(|t| !self.terms.contains_key(t)));
            }
            if open.len() == n_open {
                open.pop();
                if !self.terms.contains_key(&next) {
                    let word = self.node(gates, store.node(next));
                    self.terms.insert(next, word);
                }
            }
        }
        &self.terms[&term]
    }

    /// A term of one bit, such as a comparison; of a wider one, whether it is not zero.
    pub fn condition<S: ClauseSink>(&mut self, gates: &mut Gates<S>, store: &TermStore, term: TermId) -> Lit {
        let word = self.term(gates, store, term);
        gates.or_all(word.iter().copied())
    }

    /// The value of a term that was translated, where literals have `value`s.
    pub fn value(&self, term: TermId, value: impl Fn(Lit) -> bool) -> Option<Bv> {
        self.terms.get(&term).filter(|word| !word.is_empty()).map(|word| words::value(word, value))
    }

    /// The value of a variable that has bits, where literals have `value`s.
    pub fn var_value(&self, var: VarId, value: impl Fn(Lit) -> bool) -> Option<Bv> {
        self.vars.get(&var).map(|word| words::value(word, value))
    }

    /// The operands have their words.
    fn node<S: ClauseSink>(&mut self, gates: &mut Gates<S>, node: TermNode) -> Word {
        match node {
            TermNode::Const(value) => words::constant(value),
            TermNode::Var(var, width) => self.var(gates, var, width).to_vec(),
            TermNode::Un(UnOp::Not, a) => words::not(&self.terms[&a]),
            TermNode::Un(UnOp::Neg, a) => gates.neg(&self.terms[&a]),
            TermNode::Bin(op, a, b) => binary(gates, op, &self.terms[&a], &self.terms[&b]),
            TermNode::Cast(kind, width, a) => {
                let word = &self.terms[&a];
                let fill = match kind {
                    Cast::Zero => Lit::FALSE,
                    Cast::Sign => word.last().copied().unwrap_or(Lit::FALSE),
                };
                words::resize(word, width.into(), fill)
            }
            TermNode::Ite(c, a, b) => {
                let c = gates.or_all(self.terms[&c].iter().copied());
                gates.ite_words(c, &self.terms[&a], &self.terms[&b])
            }
        }
    }
}

fn operands(node: TermNode) -> [Option<TermId>; 3] {
    match node {
        TermNode::Const(_) | TermNode::Var(..) => [None; 3],
        TermNode::Un(_, a) | TermNode::Cast(_, _, a) => [Some(a), None, None],
        TermNode::Bin(_, a, b) => [Some(a), Some(b), None],
        TermNode::Ite(c, a, b) => [Some(c), Some(a), Some(b)],
    }
}

fn binary<S: ClauseSink>(gates: &mut Gates<S>, op: BinOp, a: &[Lit], b: &[Lit]) -> Word {
    match op {
        BinOp::Add => gates.add(a, b),
        BinOp::Sub => gates.sub(a, b),
        BinOp::Mul => gates.mul(a, b),
        BinOp::UDiv => gates.unsigned_div_rem(a, b).0,
        BinOp::URem => gates.unsigned_div_rem(a, b).1,
        BinOp::SDiv => gates.signed_div_rem(a, b).0,
        BinOp::SRem => gates.signed_div_rem(a, b).1,
        BinOp::And => gates.and_words(a, b),
        BinOp::Or => gates.or_words(a, b),
        BinOp::Xor => gates.xor_words(a, b),
        BinOp::Shl => gates.shift_left(a, b),
        BinOp::LShr => gates.shift_right(a, b, Lit::FALSE),
        BinOp::AShr => gates.arithmetic_shift_right(a, b),
        BinOp::Eq => vec![gates.equal(a, b)],
        BinOp::Ne => vec![!gates.equal(a, b)],
        BinOp::ULt => vec![gates.unsigned_less(a, b, false)],
        BinOp::ULe => vec![gates.unsigned_less(a, b, true)],
        BinOp::SLt => vec![gates.signed_less(a, b, false)],
        BinOp::SLe => vec![gates.signed_less(a, b, true)],
    }
}
