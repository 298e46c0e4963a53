//! Numbers of 128 bits: two words, the lower one first. They are copied, compared, cast, added and shifted by what is known.
//! Only what an atomic access reads or writes is one number, put together from words and taken apart again.

use super::arith::compare;
use super::{Lowered, fold, unsupported};
use crate::inst::{BinaryOp, CastOp, IntPredicate};
use crate::module::Module;
use crate::types::{Type, TypeId};
use treville_ir::Expr;
use treville_term::{BinOp, Cast};

const WORD: u8 = 64;

/// Whether a value of the type is two words.
pub(super) fn is_wide(module: &Module, ty: TypeId) -> bool {
    matches!(module.types.get(ty), Type::Int(128))
}

/// The two words of a number.
fn words(value: Vec<Expr>) -> Lowered<[Expr; 2]> {
    value.try_into().or_else(|_| unsupported("a number of 128 bits here"))
}

/// The number with these words, or the one word.
pub(super) fn whole(words: &[Expr]) -> Expr {
    match words {
        [low, high] => {
            let [low, high] = [low, high].map(|word| fold::zext(word.clone(), WORD, 2 * WORD));
            let high = fold::bin(BinOp::Shl, high, fold::number(u64::from(WORD), 2 * WORD));
            fold::bin(BinOp::Or, low, high)
        }
        _ => words.first().cloned().unwrap_or_else(|| fold::zero(WORD)),
    }
}

/// The words of a number with so many bits: itself, or two.
pub(super) fn parts(whole: Expr, bits: u8) -> Vec<Expr> {
    if bits <= WORD {
        return vec![whole];
    }
    let high = fold::bin(BinOp::LShr, whole.clone(), fold::number(u64::from(WORD), bits));
    [whole, high].map(|part| fold::zext(part, bits, WORD)).to_vec()
}

/// Whether two values, of one word or two, are equal.
pub(super) fn equal(a: &[Expr], b: &[Expr]) -> Expr {
    let equal = a.iter().zip(b).map(|(a, b)| Expr::bin(BinOp::Eq, a.clone(), b.clone()));
    equal.reduce(|a, b| fold::bin(BinOp::And, a, b)).unwrap_or_else(|| fold::number(1, 1))
}

fn bin(op: BinOp, a: &Expr, b: &Expr) -> Expr {
    fold::bin(op, a.clone(), b.clone())
}

pub(super) fn binary(op: BinaryOp, a: Vec<Expr>, b: Vec<Expr>) -> Lowered<Vec<Expr>> {
    let ([a0, a1], [b0, b1]) = (words(a)?, words(b)?);
    let both = |op: BinOp| vec![bin(op, &a0, &b0), bin(op, &a1, &b1)];
    let carried = |op: BinOp, carry: Expr| {
        let [low, high]: [Expr; 2] = [bin(op, &a0, &b0), bin(op, &a1, &b1)];
        vec![low, fold::bin(op, high, fold::zext(carry, 1, WORD))]
    };
    Ok(match op {
        BinaryOp::And => both(BinOp::And),
        BinaryOp::Or => both(BinOp::Or),
        BinaryOp::Xor => both(BinOp::Xor),
        BinaryOp::Add => carried(BinOp::Add, fold::bin(BinOp::ULt, bin(BinOp::Add, &a0, &b0), a0.clone())),
        BinaryOp::Sub => carried(BinOp::Sub, bin(BinOp::ULt, &a0, &b0)),
        BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr => match (&b0, &b1) {
            (Expr::Const(by), Expr::Const(high)) if high.is_zero() && by.unsigned() < 128 => {
                shifted(op, &a0, &a1, by.unsigned() as u64)
            }
            _ => return unsupported("a shift of 128 bits by what is not known"),
        },
        _ => return unsupported("multiplication or division of 128 bits"),
    })
}

/// A number that is shifted by less than its width.
fn shifted(op: BinaryOp, low: &Expr, high: &Expr, by: u64) -> Vec<Expr> {
    let word = u64::from(WORD);
    let shift = |op: BinOp, e: &Expr, by: u64| fold::bin(op, e.clone(), fold::number(by, WORD));
    let fills = match op {
        BinaryOp::AShr => shift(BinOp::AShr, high, word - 1),
        _ => fold::zero(WORD),
    };
    let right = if op == BinaryOp::AShr { BinOp::AShr } else { BinOp::LShr };
    match (op, by) {
        (_, 0) => vec![low.clone(), high.clone()],
        (BinaryOp::Shl, by) if by >= word => vec![fills, shift(BinOp::Shl, low, by - word)],
        (BinaryOp::Shl, by) => {
            let over = shift(BinOp::LShr, low, word - by);
            vec![shift(BinOp::Shl, low, by), fold::bin(BinOp::Or, shift(BinOp::Shl, high, by), over)]
        }
        (_, by) if by >= word => vec![shift(right, high, by - word), fills],
        (_, by) => {
            let over = shift(BinOp::Shl, high, word - by);
            vec![fold::bin(BinOp::Or, shift(BinOp::LShr, low, by), over), shift(right, high, by)]
        }
    }
}

/// The upper words decide, or if they are equal the lower ones.
pub(super) fn compared(predicate: IntPredicate, a: Vec<Expr>, b: Vec<Expr>) -> Lowered<Expr> {
    let ([a0, a1], [b0, b1]) = (words(a)?, words(b)?);
    let of_words = match predicate {
        IntPredicate::Sgt => IntPredicate::Ugt,
        IntPredicate::Sge => IntPredicate::Uge,
        IntPredicate::Slt => IntPredicate::Ult,
        IntPredicate::Sle => IntPredicate::Ule,
        other => other,
    };
    let (low, high) = (compare(of_words, a0, b0), compare(predicate, a1.clone(), b1.clone()));
    Ok(fold::ite(bin(BinOp::Eq, &a1, &b1), low, high))
}

/// A number of at most 64 bits made wide.
pub(super) fn widened(op: CastOp, value: Expr, bits: u8) -> Vec<Expr> {
    let kind = if op == CastOp::SExt { Cast::Sign } else { Cast::Zero };
    let low = fold::cast(kind, value, bits, WORD);
    let sign = fold::bin(BinOp::AShr, low.clone(), fold::number(u64::from(WORD) - 1, WORD));
    let high = if op == CastOp::SExt { sign } else { fold::zero(WORD) };
    vec![low, high]
}

/// The lowest bits of a wide number.
pub(super) fn narrowed(value: Vec<Expr>, bits: u8) -> Lowered<Vec<Expr>> {
    let [low, _] = words(value)?;
    Ok(vec![fold::zext(low, WORD, bits)])
}
