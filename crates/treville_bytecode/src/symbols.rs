//! Values that stand for all values: words that name terms.
//!
//! A word of a [`super::Runner`] is a number, or it names a term of a store that all runners of a program share. Which one it
//! is can be read off the word: one whose upper bits are the *mark* names a term, and a number that happens to have these bits is
//! named by the term of that constant. So slots, private memory, events and saved states hold both alike, equal words are
//! equal values, and code that only moves values does not know about it. Programs in which nothing is unknown have no store,
//! and their runners never look for the mark.
//!
//! A term may be narrower than the place it is in: like numbers, terms are zero-extended.

use super::handles::Handle;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};
use treville_term::{BinOp, Bv, Cast, TermId, TermNode, TermStore, UnOp, VarId};

/// The upper half of a word that names a term. Seen as an address, it is in no object.
const MARK: u64 = 0xe5b1_0000;

/// Whether a word names a term, in a program that has some.
#[inline]
pub fn is_term(word: u64) -> bool {
    word >> 32 == MARK
}

/// The term that a word names.
pub fn term_of(word: u64) -> TermId {
    TermId(word as u32)
}

fn name(term: TermId) -> u64 {
    MARK << 32 | u64::from(term.0)
}

/// The unknown values of a program and what is computed from them.
#[derive(Default, Debug)]
pub struct Symbols {
    shared: Mutex<Shared>,
}

/// A multiple of a term, and a number added to it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Linear {
    pub inner: TermId,
    pub factor: u64,
    pub offset: u64,
    /// It is so only if the term is not negative.
    pub signed: bool,
}

#[derive(Default, Debug)]
pub struct Shared {
    pub store: TermStore,
    variables: FxHashMap<(u16, u16, u8), VarId>,
    pub(super) handles: Vec<Handle>,
    pub(super) handle_ids: FxHashMap<Handle, u32>,
    /// Of each variable: the thread that made it, at which of its events, and its width.
    origins: Vec<(u16, u16, u8)>,
}

impl Shared {
    /// The value that the event of a thread at a position made.
    pub fn variable(&mut self, thread: u16, pos: u16, width: u8) -> u64 {
        let key = (thread, pos, width);
        let next = VarId(self.origins.len() as u32);
        let var = *self.variables.entry(key).or_insert(next);
        if var == next {
            self.origins.push(key);
        }
        name(self.store.var(var, width))
    }

    pub fn n_variables(&self) -> usize {
        self.origins.len()
    }

    pub fn width(&self, var: VarId) -> u8 {
        self.origins[var.0 as usize].2
    }

    /// The thread that made a variable, and at which of its events.
    pub fn origin(&self, var: VarId) -> (u16, u16) {
        let (thread, pos, _) = self.origins[var.0 as usize];
        (thread, pos)
    }

    /// A word as a term of this width.
    fn operand(&mut self, word: u64, width: u8) -> TermId {
        match is_term(word) {
            true => self.store.cast(Cast::Zero, width, term_of(word)),
            false => self.store.constant(Bv::new(u128::from(word), width)),
        }
    }

    /// A word as a term of 64 bits.
    pub fn wide(&mut self, word: u64) -> TermId {
        self.operand(word, 64)
    }

    /// A number of 64 bits.
    pub fn number(&mut self, value: u64) -> TermId {
        self.store.constant(Bv::new(u128::from(value), 64))
    }

    /// A term as a word: the number, if it is one.
    fn word(&self, term: TermId) -> u64 {
        match self.store.as_const(term) {
            Some(value) if !is_term(value.unsigned() as u64) => value.unsigned() as u64,
            _ => name(term),
        }
    }

    /// A term of the same value without the zeros above it.
    pub fn narrowed(&self, mut term: TermId) -> TermId {
        while let TermNode::Cast(Cast::Zero, width, inner) = self.store.node(term)
            && self.store.width(inner) < width
        {
            term = inner;
        }
        term
    }

    /// A term of 64 bits as a multiple of a narrower one and a number added to that, if that is so for all values and
    /// never too large.
    pub fn linear(&self, term: TermId) -> Option<Linear> {
        let constant = |t: TermId| self.store.as_const(t).map(Bv::unsigned);
        let (mut inner, mut factor, mut offset) = (term, 1, 0);
        if let TermNode::Bin(BinOp::Add, x, c) = self.store.node(inner) {
            (inner, offset) = (x, constant(c)?);
        }
        match self.store.node(inner) {
            TermNode::Bin(BinOp::Mul, x, c) => (inner, factor) = (x, constant(c)?),
            TermNode::Bin(BinOp::Shl, x, c) => (inner, factor) = (x, 1 << constant(c)?.min(63)),
            _ => {}
        }
        let TermNode::Cast(kind @ (Cast::Zero | Cast::Sign), 64, inner) = self.store.node(inner) else { return None };
        let largest = (1u128 << self.store.width(inner)) - 1;
        let fits = factor > 0 && factor.checked_mul(largest)?.checked_add(offset)? <= u128::from(u64::MAX);
        let (factor, offset) = (factor as u64, offset as u64);
        fits.then_some(Linear { inner, factor, offset, signed: kind == Cast::Sign })
    }

    /// That a term has a value, as a term of one bit.
    pub fn equals(&mut self, term: TermId, value: u64) -> TermId {
        match (self.store.width(term), value) {
            (1, 0) => self.store.un(UnOp::Not, term),
            (1, _) => term,
            (width, _) => {
                let value = self.store.constant(Bv::new(u128::from(value), width));
                self.store.bin(BinOp::Eq, term, value)
            }
        }
    }

    /// That a term is less than a number.
    pub fn less(&mut self, term: TermId, value: u64) -> TermId {
        let width = self.store.width(term);
        let value = self.store.constant(Bv::new(u128::from(value), width));
        self.store.bin(BinOp::ULt, term, value)
    }

    /// The value of a term if variables have these; those that have none are 0. Each node is evaluated once.
    pub fn eval(&self, term: TermId, values: &FxHashMap<VarId, Bv>, known: &mut FxHashMap<TermId, Bv>) -> Bv {
        let mut open = vec![term];
        while let Some(&next) = open.last() {
            if known.contains_key(&next) {
                open.pop();
                continue;
            }
            let node = self.store.node(next);
            let missing: Vec<TermId> =
                operands(node).into_iter().flatten().filter(|t| !known.contains_key(t)).collect();
            if !missing.is_empty() {
                open.extend(missing);
                continue;
            }
            let value = match node {
                TermNode::Const(value) => value,
                TermNode::Var(var, width) => values.get(&var).copied().unwrap_or(Bv::zero(width)),
                TermNode::Un(op, a) => op.eval(known[&a]),
                TermNode::Bin(op, a, b) => op.eval(known[&a], known[&b]),
                TermNode::Cast(kind, width, a) => kind.eval(known[&a], width),
                TermNode::Ite(c, a, b) => known[if known[&c].is_zero() { &b } else { &a }],
            };
            known.insert(next, value);
            open.pop();
        }
        known[&term]
    }

    /// The variables of a term, in the order of their numbers.
    pub fn variables_of(&self, term: TermId) -> Vec<VarId> {
        let mut found = Vec::new();
        self.visit(term, |node| {
            if let TermNode::Var(var, _) = node {
                found.push(var);
            }
        });
        found.sort_unstable();
        found
    }

    /// The numbers in a term.
    pub fn constants_of(&self, term: TermId) -> Vec<u64> {
        let mut found = Vec::new();
        if let TermNode::Var(..) = self.store.node(term) {
            return found;
        }
        self.visit(term, |node| {
            if let TermNode::Const(value) = node {
                found.push(value.unsigned() as u64);
            }
        });
        found
    }

    /// Visits each node of a term once.
    fn visit(&self, term: TermId, mut visit: impl FnMut(TermNode)) {
        let (mut open, mut seen) = (vec![term], FxHashSet::default());
        while let Some(next) = open.pop() {
            if seen.insert(next) {
                let node = self.store.node(next);
                visit(node);
                open.extend(operands(node).into_iter().flatten());
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

impl Symbols {
    pub fn lock(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The word of a number that looks like the name of a term.
    #[cold]
    pub fn number(&self, value: u64) -> u64 {
        name(self.lock().store.constant(Bv::new(u128::from(value), 64)))
    }

    /// The number that a word stands for, if it is known.
    pub fn known(&self, word: u64) -> Option<u64> {
        match is_term(word) {
            true => self.lock().store.as_const(term_of(word)).map(|value| value.unsigned() as u64),
            false => Some(word),
        }
    }

    pub(super) fn bin(&self, op: BinOp, width: u8, a: u64, b: u64) -> u64 {
        let mut shared = self.lock();
        let (a, b) = (shared.operand(a, width), shared.operand(b, width));
        let term = shared.store.bin(op, a, b);
        shared.word(term)
    }

    pub(super) fn un(&self, op: UnOp, width: u8, a: u64) -> u64 {
        let mut shared = self.lock();
        let a = shared.operand(a, width);
        let term = shared.store.un(op, a);
        shared.word(term)
    }

    /// The low bits of a word.
    pub fn low(&self, width: u8, a: u64) -> u64 {
        let mut shared = self.lock();
        let term = match shared.store.width(term_of(a)) <= width {
            true => return a,
            false => shared.operand(a, width),
        };
        shared.word(term)
    }

    pub(super) fn sign(&self, from: u8, to: u8, a: u64) -> u64 {
        let mut shared = self.lock();
        let a = shared.operand(a, from);
        let term = shared.store.cast(Cast::Sign, to, a);
        shared.word(term)
    }

    /// One of two words, if the first is not 0 the second.
    pub(super) fn select(&self, cond: u64, yes: u64, no: u64) -> u64 {
        let mut shared = self.lock();
        let (yes, no) = (shared.operand(yes, 64), shared.operand(no, 64));
        let term = shared.store.ite(term_of(cond), yes, no);
        shared.word(term)
    }

    /// One of two words, if the address is this one the first.
    pub(super) fn if_equal(&self, addr: u64, at: u64, yes: u64, no: u64) -> u64 {
        match self.bin(BinOp::Eq, 64, addr, at) {
            0 => no,
            1 => yes,
            equal => self.select(equal, yes, no),
        }
    }

    /// So many bytes of a word, from this one on.
    pub fn bytes(&self, word: u64, at: u8, size: u8) -> u64 {
        let shifted = match at {
            0 if size == 8 => return word,
            0 => word,
            _ => self.bin(BinOp::LShr, 64, word, 8 * u64::from(at)),
        };
        match is_term(shifted) {
            true => self.low(8 * size, shifted),
            false => shifted << (64 - 8 * u32::from(size)) >> (64 - 8 * u32::from(size)),
        }
    }

    /// A word with these bytes, put there where it has zeros.
    pub fn with_bytes(&self, word: u64, at: u8, bytes: u64) -> u64 {
        let shifted = self.bin(BinOp::Shl, 64, bytes, 8 * u64::from(at));
        self.bin(BinOp::Or, 64, word, shifted)
    }
}
