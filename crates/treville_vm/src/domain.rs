//! Value domains: what the interpreter computes with.

use treville_base::IndexVec;
use treville_ir::{ObjectId, Program};
use treville_term::{BinOp, Bv, Cast, TermId, TermStore, UnOp, VarId};

pub trait Domain {
    type V: Clone;
    fn constant(&mut self, value: Bv) -> Self::V;
    /// The address of a place in an object (width 64).
    fn address(&mut self, program: &Program, object: ObjectId, offset: i64) -> Self::V {
        let address = program.objects[object].address.wrapping_add_signed(offset);
        self.constant(Bv::new(u128::from(address), 64))
    }
    fn un(&mut self, op: UnOp, a: &Self::V) -> Self::V;
    fn bin(&mut self, op: BinOp, a: &Self::V, b: &Self::V) -> Self::V;
    fn cast(&mut self, kind: Cast, width: u8, a: &Self::V) -> Self::V;
    fn ite(&mut self, c: &Self::V, a: &Self::V, b: &Self::V) -> Self::V;
    /// The truth of a condition (width 1), if it is known.
    fn decide(&self, c: &Self::V) -> Option<bool>;
}

/// Plain values.
#[derive(Clone, Copy, Debug, Default)]
pub struct Concrete;

impl Domain for Concrete {
    type V = Bv;
    fn constant(&mut self, value: Bv) -> Bv {
        value
    }
    fn un(&mut self, op: UnOp, a: &Bv) -> Bv {
        op.eval(*a)
    }
    fn bin(&mut self, op: BinOp, a: &Bv, b: &Bv) -> Bv {
        op.eval(*a, *b)
    }
    fn cast(&mut self, kind: Cast, width: u8, a: &Bv) -> Bv {
        kind.eval(*a, width)
    }
    fn ite(&mut self, c: &Bv, a: &Bv, b: &Bv) -> Bv {
        if c.is_zero() { *b } else { *a }
    }
    fn decide(&self, c: &Bv) -> Option<bool> {
        Some(!c.is_zero())
    }
}

/// Terms over the values that reads return.
#[derive(Debug, Default)]
pub struct Symbolic {
    pub store: TermStore,
    /// The variables that stand for the addresses of objects; none if these are where the program says.
    pub bases: IndexVec<ObjectId, VarId>,
}

impl Domain for Symbolic {
    type V = TermId;
    fn constant(&mut self, value: Bv) -> TermId {
        self.store.constant(value)
    }
    fn address(&mut self, program: &Program, object: ObjectId, offset: i64) -> TermId {
        let of = |address: u64| Bv::new(u128::from(address), 64);
        let Some(base) = self.bases.get(object).copied() else {
            return self.store.constant(of(program.objects[object].address.wrapping_add_signed(offset)));
        };
        let (base, offset) = (self.store.var(base, 64), self.store.constant(of(offset as u64)));
        self.store.bin(BinOp::Add, base, offset)
    }
    fn un(&mut self, op: UnOp, a: &TermId) -> TermId {
        self.store.un(op, *a)
    }
    fn bin(&mut self, op: BinOp, a: &TermId, b: &TermId) -> TermId {
        self.store.bin(op, *a, *b)
    }
    fn cast(&mut self, kind: Cast, width: u8, a: &TermId) -> TermId {
        self.store.cast(kind, width, *a)
    }
    fn ite(&mut self, c: &TermId, a: &TermId, b: &TermId) -> TermId {
        self.store.ite(*c, *a, *b)
    }
    fn decide(&self, c: &TermId) -> Option<bool> {
        self.store.as_const(*c).map(|v| !v.is_zero())
    }
}
