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
    /// The one cast from `from` to `to` bits that does what `first`, to `middle` bits, and then `second` do, if there is one.
    pub fn fuse(from: u8, first: Cast, middle: u8, second: Cast, to: u8) -> Option<Cast> {
        if to <= middle.min(from) {
            Some(Cast::Zero)
        } else if middle < from {
            // Narrowed, then widened.
            None
        } else if to <= middle {
            Some(first)
        } else if first == Cast::Zero && middle > from {
            Some(Cast::Zero)
        } else {
            (first == second).then_some(first)
        }
    }

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

    /// As [`BinOp::eval`], on values of at most 64 bits, zero-extended.
    #[inline]
    pub fn eval_word(self, width: u8, x: u64, y: u64) -> u64 {
        let spare = 64 - u32::from(width);
        let signed = |v: u64| ((v << spare) as i64) >> spare;
        let low = |v: u64| (v << spare) >> spare;
        let in_range = y < u64::from(width);
        match self {
            BinOp::Add => low(x.wrapping_add(y)),
            BinOp::Sub => low(x.wrapping_sub(y)),
            BinOp::Mul => low(x.wrapping_mul(y)),
            BinOp::UDiv => x.checked_div(y).unwrap_or(0),
            BinOp::SDiv if y == 0 => 0,
            BinOp::SDiv => low(signed(x).wrapping_div(signed(y)) as u64),
            BinOp::URem => x.checked_rem(y).unwrap_or(x),
            BinOp::SRem if y == 0 => x,
            BinOp::SRem => low(signed(x).wrapping_rem(signed(y)) as u64),
            BinOp::And => x & y,
            BinOp::Or => x | y,
            BinOp::Xor => x ^ y,
            BinOp::Shl if in_range => low(x << y),
            BinOp::LShr if in_range => x >> y,
            BinOp::Shl | BinOp::LShr => 0,
            BinOp::AShr => low((signed(x) >> if in_range { y } else { u64::from(width) - 1 }) as u64),
            BinOp::Eq => u64::from(x == y),
            BinOp::Ne => u64::from(x != y),
            BinOp::ULt => u64::from(x < y),
            BinOp::ULe => u64::from(x <= y),
            BinOp::SLt => u64::from(signed(x) < signed(y)),
            BinOp::SLe => u64::from(signed(x) <= signed(y)),
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_casts_are_what_they_are_fused_to() {
        let widths = [1, 8, 16, 33, 64];
        let kinds = [Cast::Zero, Cast::Sign];
        for (from, middle, to) in widths
            .iter()
            .flat_map(|f| widths.iter().map(move |m| (*f, *m)))
            .flat_map(|(f, m)| widths.iter().map(move |t| (f, m, *t)))
        {
            for (first, second) in kinds.iter().flat_map(|f| kinds.iter().map(move |s| (*f, *s))) {
                let Some(one) = Cast::fuse(from, first, middle, second, to) else { continue };
                for bits in [0, 1, 0x7f, 0x80, 0x1234, 0x8000, 0x1_8000_0000, u128::MAX, u128::MAX - 0x7f] {
                    let value = Bv::new(bits, from);
                    let two = second.eval(first.eval(value, middle), to);
                    assert_eq!(one.eval(value, to), two, "{from} {first:?} {middle} {second:?} {to} {value:?}");
                }
            }
        }
    }

    /// The definition and its fast form agree on the corners of every width.
    #[test]
    fn words_are_evaluated_as_bits() {
        use BinOp::*;
        let ops = [Add, Sub, Mul, UDiv, SDiv, URem, SRem, And, Or, Xor, Shl, LShr, AShr, Eq, Ne, ULt, ULe, SLt, SLe];
        for width in [1, 3, 8, 16, 24, 32, 63, 64] {
            let all = u64::MAX >> (64 - width);
            let top = 1 << (width - 1);
            let corners =
                [0, 1, 2, 3, u64::from(width), u64::from(width) - 1, top, top - 1, top + 1, all, all - 1, 0x5a5a];
            for (op, (x, y)) in ops.iter().flat_map(|op| {
                corners.iter().flat_map(|x| corners.iter().map(move |y| (x & all, y & all))).map(move |xy| (op, xy))
            }) {
                let exact = op.eval(Bv::new(x.into(), width), Bv::new(y.into(), width));
                assert_eq!(u128::from(op.eval_word(width, x, y)), exact.unsigned(), "{op:?} {width} {x:#x} {y:#x}");
            }
        }
    }
}
