//! Arithmetic, moves, comparisons and conditional selection.

use super::Flags;
use super::operands::{
    CONDITIONS, View, condition, extend, flexible, is_number, optional_shift, shifted, view, view_of,
};
use crate::code::Code;
use crate::lexer::Cursor;
use crate::operand::{bin, comma, immediate, immediate_of, is_zero, not, reg};
use treville_base::Diagnostic;
use treville_ir::Expr;
use treville_term::{BinOp, UnOp};

/// Translates the instruction if it is one of this family.
pub(super) fn translate<'a>(m: &str, c: &mut Cursor<'_, 'a>, code: &mut Code<'_, 'a>) -> Result<bool, Diagnostic> {
    match m {
        "mov" => {
            let rd = view(c, code)?;
            comma(c)?;
            let value = if is_number(c) {
                Expr::int(immediate_of(c, rd.bits)?, rd.bits)
            } else {
                view_of(c, code, rd.bits)?.value()
            };
            rd.assign(code, value);
        }
        "movz" | "movn" | "movk" => move_wide(m, c, code)?,
        "add" | "adds" | "sub" | "subs" | "and" | "ands" | "orr" | "eor" | "bic" | "bics" | "orn" | "eon" => {
            let rd = view(c, code)?;
            comma(c)?;
            let rn = view_of(c, code, rd.bits)?;
            comma(c)?;
            let by = flexible(c, code, rd.bits)?;
            arithmetic(m, rd, rn.value(), by, code);
        }
        "cmp" | "cmn" | "tst" => {
            let rn = view(c, code)?;
            comma(c)?;
            let by = flexible(c, code, rn.bits)?;
            let operation = match m {
                "cmp" => "subs",
                "cmn" => "adds",
                _ => "ands",
            };
            arithmetic(operation, View { reg: None, bits: rn.bits }, rn.value(), by, code);
        }
        "neg" | "negs" | "mvn" => {
            let rd = view(c, code)?;
            comma(c)?;
            let by = flexible(c, code, rd.bits)?;
            match m {
                "mvn" => rd.assign(code, not(by)),
                "neg" => rd.assign(code, Expr::un(UnOp::Neg, by)),
                _ => arithmetic("subs", rd, Expr::int(0, rd.bits), by, code),
            }
        }
        "mul" | "mneg" | "sdiv" | "udiv" => {
            let (rd, a, b) = three(c, code)?;
            let value = match m {
                "mul" => bin(BinOp::Mul, a.value(), b.value()),
                "mneg" => Expr::un(UnOp::Neg, bin(BinOp::Mul, a.value(), b.value())),
                "sdiv" => bin(BinOp::SDiv, a.value(), b.value()),
                _ => bin(BinOp::UDiv, a.value(), b.value()),
            };
            rd.assign(code, value);
        }
        "smull" | "umull" | "smaddl" | "umaddl" | "smsubl" | "umsubl" => multiply_long(m, c, code)?,
        "abs" => {
            let rd = view(c, code)?;
            comma(c)?;
            let a = view_of(c, code, rd.bits)?.value();
            rd.assign(code, Expr::ite(negative(a.clone(), rd.bits), Expr::un(UnOp::Neg, a.clone()), a));
        }
        "madd" | "msub" => {
            let (rd, a, b) = three(c, code)?;
            comma(c)?;
            let sum = view_of(c, code, rd.bits)?;
            let op = if m == "madd" { BinOp::Add } else { BinOp::Sub };
            rd.assign(code, bin(op, sum.value(), bin(BinOp::Mul, a.value(), b.value())));
        }
        "lsl" | "lsr" | "asr" | "ror" | "lslv" | "lsrv" | "asrv" | "rorv" => {
            let rd = view(c, code)?;
            comma(c)?;
            let rn = view_of(c, code, rd.bits)?;
            comma(c)?;
            let by = if is_number(c) { Expr::int(immediate(c)?, rd.bits) } else { view_of(c, code, rd.bits)?.value() };
            rd.assign(code, shifted(rn.value(), &m[..3], by, rd.bits));
        }
        "sxtb" | "sxth" | "sxtw" | "uxtb" | "uxth" | "uxtw" => {
            let rd = view(c, code)?;
            comma(c)?;
            let rn = view(c, code)?;
            let value = extend(rn, m, rd.bits).unwrap_or(rn.value());
            rd.assign(code, value);
        }
        "ubfm" | "sbfm" | "ubfx" | "sbfx" => bit_field(m, c, code)?,
        "rbit" | "rev" | "rev16" | "rev32" | "rev64" => reverse(m, c, code)?,
        "csel" | "csinc" | "csinv" | "csneg" | "cset" | "csetm" | "cinc" | "cinv" | "cneg" => select(m, c, code)?,
        _ => return Ok(false),
    }
    Ok(true)
}

fn three<'a>(c: &mut Cursor<'_, 'a>, code: &mut Code<'_, 'a>) -> Result<(View, View, View), Diagnostic> {
    let rd = view(c, code)?;
    comma(c)?;
    let a = view_of(c, code, rd.bits)?;
    comma(c)?;
    let b = view_of(c, code, rd.bits)?;
    Ok((rd, a, b))
}

/// Two words give a double word, which may be added to another or taken from it.
fn multiply_long<'a>(m: &str, c: &mut Cursor<'_, 'a>, code: &mut Code<'_, 'a>) -> Result<(), Diagnostic> {
    let rd = view_of(c, code, 64)?;
    comma(c)?;
    let a = view_of(c, code, 32)?.value();
    comma(c)?;
    let b = view_of(c, code, 32)?.value();
    let wide = |e: Expr| if m.starts_with('s') { e.sext(64) } else { e.zext(64) };
    let mut value = bin(BinOp::Mul, wide(a), wide(b));
    if let Some(op) = [("addl", BinOp::Add), ("subl", BinOp::Sub)].iter().find(|(end, _)| m.ends_with(end)) {
        comma(c)?;
        value = bin(op.1, view_of(c, code, 64)?.value(), value);
    }
    rd.assign(code, value);
    Ok(())
}

fn move_wide<'a>(m: &str, c: &mut Cursor<'_, 'a>, code: &mut Code<'_, 'a>) -> Result<(), Diagnostic> {
    let rd = view(c, code)?;
    comma(c)?;
    let n = immediate_of(c, rd.bits)?;
    let shift = optional_shift(c)?;
    let moved = Expr::int(n.checked_shl(shift).unwrap_or(0), rd.bits);
    let value = match m {
        "movz" => moved,
        "movn" => not(moved),
        _ => {
            let hole = Expr::int(!(0xffff_i64.checked_shl(shift).unwrap_or(0)), rd.bits);
            bin(BinOp::Or, bin(BinOp::And, rd.value(), hole), moved)
        }
    };
    rd.assign(code, value);
    Ok(())
}

/// `rd := rn op by`; a final `s` sets the flags.
fn arithmetic(m: &str, rd: View, rn: Expr, by: Expr, code: &mut Code<'_, '_>) {
    let op = match m {
        "add" | "adds" => BinOp::Add,
        "sub" | "subs" => BinOp::Sub,
        "and" | "ands" | "bic" | "bics" => BinOp::And,
        "orr" | "orn" => BinOp::Or,
        _ => BinOp::Xor,
    };
    let by = if matches!(m, "bic" | "bics" | "orn" | "eon") { not(by) } else { by };
    let result = bin(op, rn.clone(), by.clone());
    if !m.ends_with('s') {
        rd.assign(code, result);
        return;
    }
    let flags = Flags::new(code);
    let bits = rd.bits;
    let sum = code.temp(bits);
    code.assign(sum, result);
    // The operands may be overwritten by the result.
    let (carry, overflow) = match op {
        BinOp::Add => (bin(BinOp::ULt, reg(sum), rn.clone()), overflow(not(by), rn, reg(sum), bits)),
        BinOp::Sub => (bin(BinOp::ULe, by.clone(), rn.clone()), overflow(by, rn, reg(sum), bits)),
        _ => (Expr::int(0, 1), Expr::int(0, 1)),
    };
    code.assign(flags.negative, negative(reg(sum), bits));
    code.assign(flags.zero, is_zero(reg(sum), bits));
    code.assign(flags.carry, carry);
    code.assign(flags.overflow, overflow);
    rd.assign(code, reg(sum));
}

fn negative(value: Expr, bits: u8) -> Expr {
    bin(BinOp::SLt, value, Expr::int(0, bits))
}

/// Whether `a - b = result` overflows: the signs of `a` and `b` differ, and that of the result is not `a`'s.
fn overflow(b: Expr, a: Expr, result: Expr, bits: u8) -> Expr {
    let operands = bin(BinOp::Xor, a.clone(), b);
    negative(bin(BinOp::And, operands, bin(BinOp::Xor, a, result)), bits)
}

/// `UBFM`, `SBFM` with rotation and top bit, `UBFX`, `SBFX` with lowest bit and length.
fn bit_field<'a>(m: &str, c: &mut Cursor<'_, 'a>, code: &mut Code<'_, 'a>) -> Result<(), Diagnostic> {
    let rd = view(c, code)?;
    comma(c)?;
    let rn = view_of(c, code, rd.bits)?;
    comma(c)?;
    let at = c.span();
    let low = immediate(c)?;
    comma(c)?;
    let last = immediate(c)?;
    let bits = i64::from(rd.bits);
    let top = if m.ends_with('x') { low.saturating_add(last).saturating_sub(1) } else { last };
    let inside = (0..bits).contains(&low) && (0..bits).contains(&top);
    if !inside || (m.ends_with('x') && last < 1) {
        let message = format!("these bits are not among the {bits} of the register");
        return Err(Diagnostic::error(at.to(c.last_span()), message));
    }
    // Bits low..=top to the bottom, or bits 0..=top up to `bits - low`.
    let (up, down) = if low <= top { (bits - 1 - top, bits - 1 - top + low) } else { (bits - 1 - top, low - top - 1) };
    let right = if m.starts_with('u') { BinOp::LShr } else { BinOp::AShr };
    let lifted = bin(BinOp::Shl, rn.value(), Expr::int(up, rd.bits));
    rd.assign(code, bin(right, lifted, Expr::int(down, rd.bits)));
    Ok(())
}

/// Reverses bits, or bytes within units of 2, 4 or all bytes.
fn reverse<'a>(m: &str, c: &mut Cursor<'_, 'a>, code: &mut Code<'_, 'a>) -> Result<(), Diagnostic> {
    let rd = view(c, code)?;
    comma(c)?;
    let rn = view_of(c, code, rd.bits)?;
    let bits = rd.bits;
    let widths: &[i64] = match m {
        "rbit" if bits == 64 => &[1, 2, 4, 8, 16, 32],
        "rbit" => &[1, 2, 4, 8, 16],
        "rev16" => &[8],
        "rev32" => &[8, 16],
        _ if bits == 64 => &[8, 16, 32],
        _ => &[8, 16],
    };
    let mut value = rn.value();
    for &w in widths {
        // Swaps neighbours of `w` bits: the mask selects the lower ones.
        let unit = ((1u128 << w) - 1) as u64;
        let mask = (0..64 / (2 * w)).fold(0u64, |all, i| all | unit << (2 * w * i)) as i64;
        let low = bin(BinOp::And, bin(BinOp::LShr, value.clone(), Expr::int(w, bits)), Expr::int(mask, bits));
        let high = bin(BinOp::Shl, bin(BinOp::And, value, Expr::int(mask, bits)), Expr::int(w, bits));
        let swapped = code.temp(bits);
        code.assign(swapped, bin(BinOp::Or, high, low));
        value = reg(swapped);
    }
    rd.assign(code, value);
    Ok(())
}

/// Only the chosen source is read, under the condition: the result does not depend on the flags as data.
fn select<'a>(m: &str, c: &mut Cursor<'_, 'a>, code: &mut Code<'_, 'a>) -> Result<(), Diagnostic> {
    let rd = view(c, code)?;
    let zero = View { reg: None, bits: rd.bits };
    let (yes, no) = match m {
        "cset" | "csetm" => (zero, zero),
        "cinc" | "cinv" | "cneg" => {
            comma(c)?;
            let rn = view_of(c, code, rd.bits)?;
            (rn, rn)
        }
        _ => {
            comma(c)?;
            let rn = view_of(c, code, rd.bits)?;
            comma(c)?;
            (rn, view_of(c, code, rd.bits)?)
        }
    };
    comma(c)?;
    let at = c.span();
    let name = c.name("a condition")?.to_ascii_lowercase();
    if !CONDITIONS.contains(&&name[..]) {
        return Err(Diagnostic::error(at, format!("`{name}` is not a condition")));
    }
    let changed = match m {
        "csinc" | "cset" | "cinc" => bin(BinOp::Add, no.value(), Expr::int(1, rd.bits)),
        "csinv" | "csetm" | "cinv" => not(no.value()),
        "csneg" | "cneg" => Expr::un(UnOp::Neg, no.value()),
        _ => no.value(),
    };
    // The short forms change the source if the condition holds, the long ones if it does not.
    let short = matches!(m, "cset" | "csetm" | "cinc" | "cinv" | "cneg");
    let (then, els) = if short { (changed, yes.value()) } else { (yes.value(), changed) };
    let cond = condition(&name, code);
    code.choose(cond, |code| rd.assign(code, then), |code| rd.assign(code, els));
    Ok(())
}
