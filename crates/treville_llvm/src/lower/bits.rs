//! Arithmetic that LLVM has functions for, from the operators that programs have.

use super::emitter::Emitter;
use super::fold::{add, bin, ite, not, number, zero, zext};
use treville_ir::Expr;
use treville_term::BinOp;

pub(super) enum Result {
    Value(Expr),
    /// With whether it overflows.
    Checked(Expr, Expr),
}

/// A function of up to three operands, which are `bits` wide. `None` if there is no such function.
pub(super) fn evaluate(
    out: &mut Emitter<'_, '_>,
    name: &str,
    bits: u8,
    (a, b, c): (Option<Expr>, Option<Expr>, Option<Expr>),
) -> Option<Result> {
    // Operands occur more than once below.
    let mut keep = |e: Option<Expr>| e.map(|e| out.keep(e, bits));
    let (a, b) = (keep(a)?, keep(b));
    let value = match (name, b.clone(), c) {
        ("abs", ..) => ite(negative(&a, bits), bin(BinOp::Sub, zero(bits), a.clone()), a),
        ("ctpop", ..) => count(out, a, bits),
        ("cttz", ..) => {
            let below = bin(BinOp::And, not(a.clone()), bin(BinOp::Sub, a, number(1, bits)));
            count(out, below, bits)
        }
        ("ctlz", ..) => {
            let filled = fill(out, a, bits);
            let used = count(out, filled, bits);
            bin(BinOp::Sub, number(bits.into(), bits), used)
        }
        ("bswap", ..) => pieces_reversed(out, &a, bits, 8),
        ("bitreverse", ..) => pieces_reversed(out, &a, bits, 1),
        ("umin", Some(b), _) => ite(bin(BinOp::ULt, a.clone(), b.clone()), a, b),
        ("umax", Some(b), _) => ite(bin(BinOp::ULt, b.clone(), a.clone()), a, b),
        ("smin", Some(b), _) => ite(bin(BinOp::SLt, a.clone(), b.clone()), a, b),
        ("smax", Some(b), _) => ite(bin(BinOp::SLt, b.clone(), a.clone()), a, b),
        ("ucmp", Some(b), _) => three_ways(BinOp::ULt, a, b, bits),
        ("scmp", Some(b), _) => three_ways(BinOp::SLt, a, b, bits),
        ("fshl", Some(b), Some(c)) => funnel(out, a, b, c, bits, true),
        ("fshr", Some(b), Some(c)) => funnel(out, a, b, c, bits, false),
        (_, Some(b), _) if name.ends_with(".with.overflow") => {
            let (value, overflow) = checked(out, name, &a, &b, bits)?;
            return Some(Result::Checked(value, overflow));
        }
        (_, Some(b), _) if name.ends_with(".sat") => saturated(out, name, &a, &b, bits)?,
        _ => return None,
    };
    Some(Result::Value(value))
}

fn negative(a: &Expr, bits: u8) -> Expr {
    bin(BinOp::SLt, a.clone(), zero(bits))
}

/// -1, 0 or 1.
fn three_ways(less: BinOp, a: Expr, b: Expr, bits: u8) -> Expr {
    let below = bin(less, a.clone(), b.clone());
    let above = bin(less, b, a);
    ite(below, Expr::int(-1, bits), ite(above, number(1, bits), zero(bits)))
}

/// The number of bits that are set.
fn count(out: &mut Emitter<'_, '_>, a: Expr, bits: u8) -> Expr {
    if bits > 64 {
        let low = count(out, zext(a.clone(), bits, 64), 64);
        let high = bin(BinOp::LShr, a, number(64, bits));
        let high = count(out, zext(high, bits, 64), 64);
        return zext(add(low, high), 64, bits);
    }
    // Sums of neighbours: of bits, of pairs, of nibbles; then all bytes at once.
    let word = |n: u64| number(n, 64);
    let shifted = |a: &Expr, by: u64| bin(BinOp::LShr, a.clone(), word(by));
    let masked = |a: Expr, mask: u64| bin(BinOp::And, a, word(mask));
    let a = out.keep(zext(a, bits, 64), 64);
    let pairs = bin(BinOp::Sub, a.clone(), masked(shifted(&a, 1), 0x5555_5555_5555_5555));
    let pairs = out.keep(pairs, 64);
    let nibbles = add(masked(pairs.clone(), 0x3333_3333_3333_3333), masked(shifted(&pairs, 2), 0x3333_3333_3333_3333));
    let nibbles = out.keep(nibbles, 64);
    let bytes = masked(add(nibbles.clone(), shifted(&nibbles, 4)), 0x0f0f_0f0f_0f0f_0f0f);
    let sum = bin(BinOp::LShr, bin(BinOp::Mul, bytes, word(0x0101_0101_0101_0101)), word(56));
    // In a narrow type the width itself need not fit, and wraps as it must.
    zext(sum, 64, bits)
}

/// All bits at and below the highest one that is set.
fn fill(out: &mut Emitter<'_, '_>, a: Expr, bits: u8) -> Expr {
    let mut filled = a;
    let mut by = 1;
    while by < bits {
        let more = bin(BinOp::Or, filled.clone(), bin(BinOp::LShr, filled, number(by.into(), bits)));
        filled = out.keep(more, bits);
        by = by.saturating_mul(2);
    }
    filled
}

/// Pieces of so many bits in the other order.
fn pieces_reversed(out: &mut Emitter<'_, '_>, a: &Expr, bits: u8, piece: u8) -> Expr {
    let mask = number((1 << piece) - 1, bits);
    let mut all = zero(bits);
    let mut at = 0;
    while at + piece <= bits {
        let low = bin(BinOp::And, bin(BinOp::LShr, a.clone(), number(at.into(), bits)), mask.clone());
        let to = bits - piece - at;
        all = out.keep(bin(BinOp::Or, all, bin(BinOp::Shl, low, number(to.into(), bits))), bits);
        at += piece;
    }
    all
}

/// The two operands as one number, shifted; its high or its low half.
fn funnel(out: &mut Emitter<'_, '_>, a: Expr, b: Expr, by: Expr, bits: u8, left: bool) -> Expr {
    let width = number(bits.into(), bits);
    let by = out.keep(bin(BinOp::URem, by, width.clone()), bits);
    let rest = bin(BinOp::Sub, width, by.clone());
    // A shift by the width gives 0, which is what a shift by 0 leaves of the other.
    let (high, low) = if left { (by, rest) } else { (rest, by) };
    bin(BinOp::Or, bin(BinOp::Shl, a, high), bin(BinOp::LShr, b, low))
}

fn checked(out: &mut Emitter<'_, '_>, name: &str, a: &Expr, b: &Expr, bits: u8) -> Option<(Expr, Expr)> {
    let op = match &name[1..name.find('.')?] {
        "add" => BinOp::Add,
        "sub" => BinOp::Sub,
        "mul" => BinOp::Mul,
        _ => return None,
    };
    let signed = name.starts_with('s');
    let value = out.keep(bin(op, a.clone(), b.clone()), bits);
    let xor = |x: &Expr, y: &Expr| bin(BinOp::Xor, x.clone(), y.clone());
    let both = |x: Expr, y: Expr| negative(&bin(BinOp::And, x, y), bits);
    let overflow = match (op, signed) {
        (BinOp::Add, false) => bin(BinOp::ULt, value.clone(), a.clone()),
        (BinOp::Add, true) => both(xor(a, &value), xor(b, &value)),
        (BinOp::Sub, false) => bin(BinOp::ULt, a.clone(), b.clone()),
        (BinOp::Sub, true) => both(xor(a, b), xor(a, &value)),
        (_, false) => undone(BinOp::UDiv, &value, a, b, bits),
        (_, true) => {
            let least = Expr::Const(treville_term::Bv::new(1 << (bits - 1), bits));
            let negated =
                bin(BinOp::And, bin(BinOp::Eq, a.clone(), Expr::int(-1, bits)), bin(BinOp::Eq, b.clone(), least));
            bin(BinOp::Or, negated, undone(BinOp::SDiv, &value, a, b, bits))
        }
    };
    Some((value, overflow))
}

/// Whether dividing a product by one factor does not give the other.
fn undone(division: BinOp, product: &Expr, a: &Expr, b: &Expr, bits: u8) -> Expr {
    let nonzero = bin(BinOp::Ne, a.clone(), zero(bits));
    let other = bin(division, product.clone(), a.clone());
    bin(BinOp::And, nonzero, bin(BinOp::Ne, other, b.clone()))
}

fn saturated(out: &mut Emitter<'_, '_>, name: &str, a: &Expr, b: &Expr, bits: u8) -> Option<Expr> {
    let (value, overflow) = checked(out, name, a, b, bits)?;
    let limit = match name {
        "uadd.sat" => Expr::int(-1, bits),
        "usub.sat" => zero(bits),
        "sadd.sat" | "ssub.sat" => {
            let least = 1u128 << (bits - 1);
            let constant = |n: u128| Expr::Const(treville_term::Bv::new(n, bits));
            ite(negative(a, bits), constant(least), constant(least - 1))
        }
        _ => return None,
    };
    Some(ite(overflow, limit, value))
}
