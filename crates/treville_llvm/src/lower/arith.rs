//! Arithmetic, comparisons, casts and choices: lane by lane, in one expression each.

use super::code::Code;
use super::{Lowered, fold, shape, unsupported, wide};
use crate::inst::{BinaryOp, CastOp, IntPredicate, Operand};
use crate::types::{Type, TypeId};
use treville_ir::Expr;
use treville_term::{BinOp, Cast};

const FLOATS: &str = "arithmetic on floating-point numbers";

pub(super) fn binary(op: BinaryOp, a: Expr, b: Expr) -> Lowered<Expr> {
    let op = match op {
        BinaryOp::Add => BinOp::Add,
        BinaryOp::Sub => BinOp::Sub,
        BinaryOp::Mul => BinOp::Mul,
        BinaryOp::UDiv => BinOp::UDiv,
        BinaryOp::SDiv => BinOp::SDiv,
        BinaryOp::URem => BinOp::URem,
        BinaryOp::SRem => BinOp::SRem,
        BinaryOp::Shl => BinOp::Shl,
        BinaryOp::LShr => BinOp::LShr,
        BinaryOp::AShr => BinOp::AShr,
        BinaryOp::And => BinOp::And,
        BinaryOp::Or => BinOp::Or,
        BinaryOp::Xor => BinOp::Xor,
        BinaryOp::FAdd | BinaryOp::FSub | BinaryOp::FMul | BinaryOp::FDiv | BinaryOp::FRem => {
            return unsupported(FLOATS);
        }
    };
    Ok(fold::bin(op, a, b))
}

pub(super) fn compare(predicate: IntPredicate, a: Expr, b: Expr) -> Expr {
    match predicate {
        IntPredicate::Eq => fold::bin(BinOp::Eq, a, b),
        IntPredicate::Ne => fold::bin(BinOp::Ne, a, b),
        IntPredicate::Ugt => fold::bin(BinOp::ULt, b, a),
        IntPredicate::Uge => fold::bin(BinOp::ULe, b, a),
        IntPredicate::Ult => fold::bin(BinOp::ULt, a, b),
        IntPredicate::Ule => fold::bin(BinOp::ULe, a, b),
        IntPredicate::Sgt => fold::bin(BinOp::SLt, b, a),
        IntPredicate::Sge => fold::bin(BinOp::SLe, b, a),
        IntPredicate::Slt => fold::bin(BinOp::SLt, a, b),
        IntPredicate::Sle => fold::bin(BinOp::SLe, a, b),
    }
}

impl Code<'_, '_> {
    pub(super) fn binary(&mut self, op: BinaryOp, lhs: Operand, rhs: Operand) -> Lowered<Vec<Expr>> {
        let is_wide = wide::is_wide(self.module(), self.type_of(lhs));
        let (lhs, rhs) = (self.operand(lhs)?, self.operand(rhs)?);
        if is_wide {
            return wide::binary(op, lhs, rhs);
        }
        lhs.into_iter().zip(rhs).map(|(a, b)| binary(op, a, b)).collect()
    }

    pub(super) fn compare(&mut self, predicate: IntPredicate, lhs: Operand, rhs: Operand) -> Lowered<Vec<Expr>> {
        let is_wide = wide::is_wide(self.module(), self.type_of(lhs));
        let (lhs, rhs) = (self.operand(lhs)?, self.operand(rhs)?);
        if is_wide {
            return Ok(vec![wide::compared(predicate, lhs, rhs)?]);
        }
        Ok(lhs.into_iter().zip(rhs).map(|(a, b)| compare(predicate, a, b)).collect())
    }

    pub(super) fn select(&mut self, condition: Operand, then: Operand, otherwise: Operand) -> Lowered<Vec<Expr>> {
        let condition = self.operand(condition)?;
        let (then, otherwise) = (self.operand(then)?, self.operand(otherwise)?);
        let conditions = condition.iter().cycle();
        let lanes = then.into_iter().zip(otherwise).zip(conditions);
        Ok(lanes.map(|((a, b), c)| fold::ite(c.clone(), a, b)).collect())
    }

    pub(super) fn cast(&mut self, op: CastOp, value: Operand, to: TypeId) -> Lowered<Vec<Expr>> {
        let from = shape::shape(self.module(), self.type_of(value))?;
        let to_leaves = shape::shape(self.module(), to)?;
        let values = self.operand(value)?;
        let kind = match op {
            CastOp::SExt => Cast::Sign,
            CastOp::FpTrunc | CastOp::FpExt | CastOp::FpToUi | CastOp::FpToSi | CastOp::UiToFp | CastOp::SiToFp => {
                return unsupported(FLOATS);
            }
            CastOp::BitCast if from.iter().map(|l| l.bits).ne(to_leaves.iter().map(|l| l.bits)) => {
                let widths: Vec<u8> = to_leaves.iter().map(|l| l.bits).collect();
                return self.repack(values.into_iter().zip(from.iter().map(|l| l.bits)).collect(), &widths);
            }
            CastOp::Trunc
            | CastOp::ZExt
            | CastOp::BitCast
            | CastOp::PtrToInt
            | CastOp::IntToPtr
            | CastOp::PtrToAddr
            | CastOp::AddrSpaceCast => Cast::Zero,
        };
        match [self.type_of(value), to].map(|ty| wide::is_wide(self.module(), ty)) {
            [true, false] if op != CastOp::BitCast => return wide::narrowed(values, self.narrow(&to_leaves)?),
            [false, true] if op != CastOp::BitCast => {
                let bits = self.narrow(&from)?;
                return Ok(values.into_iter().flat_map(|value| wide::widened(op, value, bits)).collect());
            }
            _ => {}
        }
        let leaves = values.into_iter().zip(from.iter().zip(&to_leaves));
        Ok(leaves.map(|(value, (from, to))| fold::cast(kind, value, from.bits, to.bits)).collect())
    }

    /// The width of what is one scalar of at most 64 bits.
    fn narrow(&self, leaves: &[shape::Leaf]) -> Lowered<u8> {
        match leaves {
            [leaf] if leaf.bits <= 64 => Ok(leaf.bits),
            _ => unsupported("a cast between numbers of more than 64 bits"),
        }
    }

    /// The same bits, cut otherwise; the first has the lowest.
    fn repack(&mut self, parts: Vec<(Expr, u8)>, widths: &[u8]) -> Lowered<Vec<Expr>> {
        let total: u32 = parts.iter().map(|(_, bits)| u32::from(*bits)).sum();
        let Ok(total @ 1..=128) = u8::try_from(total) else {
            return unsupported(format!("a cast of {total} bits"));
        };
        let mut whole = fold::zero(total);
        let mut at = 0;
        for (part, bits) in parts {
            let part = fold::bin(BinOp::Shl, fold::zext(part, bits, total), fold::number(at, total));
            whole = fold::bin(BinOp::Or, whole, part);
            at += u64::from(bits);
        }
        let whole = self.out.keep(whole, total);
        let mut at = 0;
        let cut = widths.iter().map(|bits| {
            let low = fold::bin(BinOp::LShr, whole.clone(), fold::number(at, total));
            at += u64::from(*bits);
            fold::zext(low, total, *bits)
        });
        Ok(cut.collect())
    }

    /// A floating-point number may be moved, but not computed with.
    pub(super) fn is_float(&self, ty: TypeId) -> bool {
        let types = &self.module().types;
        matches!(types.get(types.scalar(ty)), Type::Float(_))
    }

    pub(super) fn floats<T>(&self) -> Lowered<T> {
        unsupported(FLOATS)
    }
}
