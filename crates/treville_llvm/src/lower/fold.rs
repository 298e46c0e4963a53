//! Expressions, with constants folded: initial values of globals must be numbers or addresses.

use treville_ir::Expr;
use treville_term::{BinOp, Bv, Cast, UnOp};

pub(super) fn zero(bits: u8) -> Expr {
    Expr::Const(Bv::zero(bits))
}

pub(super) fn number(value: u64, bits: u8) -> Expr {
    Expr::Const(Bv::new(value.into(), bits))
}

pub(super) fn bin(op: BinOp, a: Expr, b: Expr) -> Expr {
    match (op, &a, &b) {
        (_, Expr::Const(x), Expr::Const(y)) if x.width() == y.width() => Expr::Const(op.eval(*x, *y)),
        (BinOp::Add, Expr::Addr(object, offset), Expr::Const(by))
        | (BinOp::Add, Expr::Const(by), Expr::Addr(object, offset)) => {
            Expr::Addr(*object, offset.wrapping_add(by.unsigned() as i64))
        }
        (BinOp::Sub, Expr::Addr(object, offset), Expr::Const(by)) => {
            Expr::Addr(*object, offset.wrapping_sub(by.unsigned() as i64))
        }
        (BinOp::Sub, Expr::Addr(x, i), Expr::Addr(y, j)) if x == y => Expr::int(i.wrapping_sub(*j), 64),
        (BinOp::Add | BinOp::Sub | BinOp::Or | BinOp::Xor | BinOp::Shl | BinOp::LShr, _, Expr::Const(n))
            if n.is_zero() =>
        {
            a
        }
        (BinOp::Add | BinOp::Or | BinOp::Xor, Expr::Const(n), _) if n.is_zero() => b,
        (BinOp::Mul, _, Expr::Const(n)) if n.unsigned() == 1 => a,
        _ => Expr::bin(op, a, b),
    }
}

pub(super) fn add(a: Expr, b: Expr) -> Expr {
    bin(BinOp::Add, a, b)
}

pub(super) fn not(a: Expr) -> Expr {
    match a {
        Expr::Const(x) => Expr::Const(UnOp::Not.eval(x)),
        _ => Expr::un(UnOp::Not, a),
    }
}

/// From a value of `from` bits to one of `to`.
pub(super) fn cast(cast: Cast, e: Expr, from: u8, to: u8) -> Expr {
    match e {
        _ if from == to => e,
        Expr::Const(x) => Expr::Const(cast.eval(x, to)),
        _ => Expr::Cast(cast, to, Box::new(e)),
    }
}

pub(super) fn zext(e: Expr, from: u8, to: u8) -> Expr {
    cast(Cast::Zero, e, from, to)
}

pub(super) fn ite(cond: Expr, then: Expr, els: Expr) -> Expr {
    match cond {
        Expr::Const(c) if c.is_zero() => els,
        Expr::Const(_) => then,
        _ => Expr::ite(cond, then, els),
    }
}
