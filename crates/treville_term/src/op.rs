//! Operators and their meaning on values: the only place where an operator is evaluated.

use crate::Bv;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum UnOp {
    /// Bitwise complement.
    Not,
    /// Two's complement.
    Neg,
}

/// Binary operators. Operands have one width; comparisons give width 1, the others the operands' width.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum BinOp {
    Add,
    Sub,
    Mul,
    UDiv,
    SDiv,
    URem,
    SRem,
    And,
    Or,
    Xor,
    Shl,
    LShr,
    AShr,
    Eq,
    Ne,
    ULt,
    ULe,
    SLt,
    SLe,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Cast {
    /// To a larger width with zeros, or to a smaller one by dropping high bits.
    Zero,
    /// To a larger width with copies of the sign, or to a smaller one by dropping high bits.
    Sign,
}

impl UnOp {
    pub fn eval(self, a: Bv) -> Bv {
        match self {
            UnOp::Not => Bv::new(!a.unsigned(), a.width()),
            UnOp::Neg => Bv::new(a.unsigned().wrapping_neg(), a.width()),
        }
    }
}

impl Cast {
    pub fn eval(self, a: Bv, width: u8) -> Bv {
        match self {
            Cast::Zero => Bv::new(a.unsigned(), width),
            Cast::Sign => Bv::new(a.signed() as u128, width),
        }
    }
}

impl BinOp {
    pub fn is_comparison(self) -> bool {
        matches!(self, BinOp::Eq | BinOp::Ne | BinOp::ULt | BinOp::ULe | BinOp::SLt | BinOp::SLe)
    }

    pub fn is_commutative(self) -> bool {
        matches!(self, BinOp::Add | BinOp::Mul | BinOp::And | BinOp::Or | BinOp::Xor | BinOp::Eq | BinOp::Ne)
    }

    pub fn result_width(self, operands: u8) -> u8 {
        if self.is_comparison() { 1 } else { operands }
    }

    /// Division by zero gives zero (as on AArch64); shifts by the width or more give zero, or the sign for `AShr`.
    pub fn eval(self, a: Bv, b: Bv) -> Bv {
        debug_assert_eq!(a.width(), b.width(), "{self:?}");
        let width = a.width();
        let (x, y) = (a.unsigned(), b.unsigned());
        let (sx, sy) = (a.signed(), b.signed());
        let in_range = y < u128::from(width);
        let bits = match self {
            BinOp::Add => x.wrapping_add(y),
            BinOp::Sub => x.wrapping_sub(y),
            BinOp::Mul => x.wrapping_mul(y),
            BinOp::UDiv => x.checked_div(y).unwrap_or(0),
            BinOp::SDiv if sy == 0 => 0,
            BinOp::SDiv => sx.wrapping_div(sy) as u128,
            BinOp::URem => x.checked_rem(y).unwrap_or(x),
            BinOp::SRem if sy == 0 => x,
            BinOp::SRem => sx.wrapping_rem(sy) as u128,
            BinOp::And => x & y,
            BinOp::Or => x | y,
            BinOp::Xor => x ^ y,
            BinOp::Shl if in_range => x << y,
            BinOp::LShr if in_range => x >> y,
            BinOp::Shl | BinOp::LShr => 0,
            BinOp::AShr => (sx >> if in_range { y } else { u128::from(width) - 1 }) as u128,
            BinOp::Eq => return Bv::bool(x == y),
            BinOp::Ne => return Bv::bool(x != y),
            BinOp::ULt => return Bv::bool(x < y),
            BinOp::ULe => return Bv::bool(x <= y),
            BinOp::SLt => return Bv::bool(sx < sy),
            BinOp::SLe => return Bv::bool(sx <= sy),
        };
        Bv::new(bits, width)
    }
}
