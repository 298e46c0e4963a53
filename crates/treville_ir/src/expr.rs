//! Expressions: trees over registers, evaluated without touching memory.

use crate::{ObjectId, Reg};
use treville_term::{BinOp, Bv, Cast, UnOp};

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Expr {
    Const(Bv),
    Reg(Reg),
    /// The address of a byte of an object (64 bits).
    Addr(ObjectId, i64),
    Un(UnOp, Box<Expr>),
    Bin(BinOp, Box<Expr>, Box<Expr>),
    Cast(Cast, u8, Box<Expr>),
    /// `Ite(c, a, b)`: `a` if `c` (width 1) is 1, else `b`.
    Ite(Box<Expr>, Box<Expr>, Box<Expr>),
}

impl Expr {
    pub fn int(value: i64, width: u8) -> Expr {
        Expr::Const(Bv::from_i64(value, width))
    }

    pub fn un(op: UnOp, a: Expr) -> Expr {
        Expr::Un(op, Box::new(a))
    }

    pub fn bin(op: BinOp, a: Expr, b: Expr) -> Expr {
        Expr::Bin(op, Box::new(a), Box::new(b))
    }

    pub fn zext(self, width: u8) -> Expr {
        Expr::Cast(Cast::Zero, width, Box::new(self))
    }

    pub fn sext(self, width: u8) -> Expr {
        Expr::Cast(Cast::Sign, width, Box::new(self))
    }

    pub fn ite(c: Expr, a: Expr, b: Expr) -> Expr {
        Expr::Ite(Box::new(c), Box::new(a), Box::new(b))
    }

    /// How often the expression names a location.
    pub fn n_addresses(&self) -> u32 {
        match self {
            Expr::Const(_) | Expr::Reg(_) => 0,
            Expr::Addr(..) => 1,
            Expr::Un(_, a) | Expr::Cast(_, _, a) => a.n_addresses(),
            Expr::Bin(_, a, b) => a.n_addresses() + b.n_addresses(),
            Expr::Ite(c, a, b) => c.n_addresses() + a.n_addresses() + b.n_addresses(),
        }
    }

    /// Calls `visit` for every register occurrence, left to right.
    pub fn visit_regs(&self, visit: &mut impl FnMut(Reg)) {
        match self {
            Expr::Const(_) | Expr::Addr(..) => {}
            Expr::Reg(r) => visit(*r),
            Expr::Un(_, a) | Expr::Cast(_, _, a) => a.visit_regs(visit),
            Expr::Bin(_, a, b) => {
                a.visit_regs(visit);
                b.visit_regs(visit);
            }
            Expr::Ite(c, a, b) => {
                c.visit_regs(visit);
                a.visit_regs(visit);
                b.visit_regs(visit);
            }
        }
    }

    /// Calls `visit` for every object whose address occurs, left to right.
    pub fn visit_objects(&self, visit: &mut impl FnMut(ObjectId)) {
        match self {
            Expr::Const(_) | Expr::Reg(_) => {}
            Expr::Addr(object, _) => visit(*object),
            Expr::Un(_, a) | Expr::Cast(_, _, a) => a.visit_objects(visit),
            Expr::Bin(_, a, b) => {
                a.visit_objects(visit);
                b.visit_objects(visit);
            }
            Expr::Ite(c, a, b) => {
                c.visit_objects(visit);
                a.visit_objects(visit);
                b.visit_objects(visit);
            }
        }
    }
}
