//! Operands of AArch64: registers as `X` or `W`, shifted and extended operands, and addresses.

use super::{Flags, number};
use crate::code::{Code, RegName};
use crate::lexer::{Cursor, Tok};
use crate::operand::{bin, immediate, immediate_of, not, reg};
use treville_base::{Diagnostic, Span};
use treville_ir::{Expr, Reg};
use treville_term::{BinOp, Cast};

/// A register as an instruction names it; `None` is the zero register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct View {
    pub(super) reg: Option<Reg>,
    /// 32 or 64.
    pub(super) bits: u8,
}

impl View {
    pub(super) fn value(self) -> Expr {
        match self.reg {
            None => Expr::int(0, self.bits),
            Some(r) if self.bits == 64 => reg(r),
            Some(r) => reg(r).zext(self.bits),
        }
    }

    /// The low `bits` bits, or all extended with zeros.
    pub(super) fn value_as(self, bits: u8) -> Expr {
        match self.reg {
            None => Expr::int(0, bits),
            Some(r) if bits == 64 && self.bits == 64 => reg(r),
            Some(r) if bits <= self.bits => reg(r).zext(bits),
            Some(_) => self.value().zext(bits),
        }
    }

    /// Writes a value of this width; 32 bits clear the upper half.
    pub(super) fn assign(self, code: &mut Code<'_, '_>, value: Expr) {
        let Some(r) = self.reg else { return };
        code.assign(r, if self.bits == 64 { value } else { value.zext(64) });
    }
}

/// Any register. `SP` is allowed where the zero register is.
pub(super) fn view<'a>(c: &mut Cursor<'_, 'a>, code: &mut Code<'_, 'a>) -> Result<View, Diagnostic> {
    if c.eat("%") {
        let name = c.name("the name of a register")?;
        return Ok(View { reg: Some(code.symbolic(name, 64)), bits: 64 });
    }
    let Tok::Name(word) = c.peek() else { return Err(c.expected("a register of AArch64")) };
    let bits = match word.as_bytes()[0] {
        b'W' | b'w' => 32,
        _ => 64,
    };
    if word.len() == 1 && matches!(word, "X" | "x" | "W" | "w") && c.peek_at(1) == Tok::Punct("%") {
        c.next();
        c.next();
        let name = c.name("the name of a register")?;
        return Ok(View { reg: Some(code.symbolic(name, 64)), bits });
    }
    let reg = if number(word).is_some() && matches!(word.as_bytes()[0], b'X' | b'x' | b'W' | b'w') {
        number(word).map(|n| code.register(&super::general(n)))
    } else if word.eq_ignore_ascii_case("sp") || word.eq_ignore_ascii_case("wsp") {
        Some(code.register(&RegName::new(32, "SP", 64)))
    } else if word.eq_ignore_ascii_case("xzr") || word.eq_ignore_ascii_case("wzr") {
        None
    } else {
        return Err(c.expected("a register of AArch64"));
    };
    c.next();
    Ok(View { reg, bits })
}

/// A register as wide as `bits`.
pub(super) fn view_of<'a>(c: &mut Cursor<'_, 'a>, code: &mut Code<'_, 'a>, bits: u8) -> Result<View, Diagnostic> {
    let span = c.span();
    let found = view(c, code)?;
    if found.bits == bits { Ok(found) } else { Err(wrong_width(span, bits)) }
}

fn wrong_width(span: Span, bits: u8) -> Diagnostic {
    let letter = if bits == 64 { 'X' } else { 'W' };
    Diagnostic::error(span, format!("expected a register of {bits} bits, `{letter}…`"))
}

pub(super) fn is_number(c: &Cursor<'_, '_>) -> bool {
    matches!(c.peek(), Tok::Num(_) | Tok::Punct("#"))
}

/// The last operand of arithmetic, `bits` wide: a number (perhaps shifted), or a register, perhaps shifted or extended.
pub(super) fn flexible<'a>(c: &mut Cursor<'_, 'a>, code: &mut Code<'_, 'a>, bits: u8) -> Result<Expr, Diagnostic> {
    if is_number(c) {
        let n = immediate_of(c, bits)?;
        let shift = if c.eat(",") { shift_by(c, "lsl")? } else { 0 };
        return Ok(Expr::int(n.checked_shl(shift).unwrap_or(0), bits));
    }
    let span = c.span();
    let source = view(c, code)?;
    if !c.eat(",") {
        return if source.bits == bits { Ok(source.value()) } else { Err(wrong_width(span, bits)) };
    }
    let at = c.span();
    let word = c.name("a shift or an extension")?.to_ascii_lowercase();
    if matches!(&word[..], "lsl" | "lsr" | "asr" | "ror") {
        if source.bits != bits {
            return Err(wrong_width(span, bits));
        }
        let by = immediate(c)?;
        return Ok(shifted(source.value(), &word, Expr::int(by, bits), bits));
    }
    let Some(extended) = extend(source, &word, bits) else {
        return Err(Diagnostic::error(at, format!("`{word}` is neither a shift nor an extension")));
    };
    let by = if is_number(c) { immediate(c)? } else { 0 };
    Ok(if by == 0 { extended } else { bin(BinOp::Shl, extended, Expr::int(by, bits)) })
}

/// `LSL #n`.
fn shift_by(c: &mut Cursor<'_, '_>, name: &str) -> Result<u32, Diagnostic> {
    let at = c.span();
    let word = c.name("`LSL`")?;
    if !word.eq_ignore_ascii_case(name) {
        return Err(Diagnostic::error(at, format!("expected `{}` here", name.to_ascii_uppercase())));
    }
    let at = c.span();
    let by = immediate(c)?;
    u32::try_from(by).ok().filter(|n| *n < 64).ok_or_else(|| Diagnostic::error(at, "a shift is between 0 and 63"))
}

/// `LSL #n` after a comma, if there is one.
pub(super) fn optional_shift(c: &mut Cursor<'_, '_>) -> Result<u32, Diagnostic> {
    if c.eat(",") { shift_by(c, "lsl") } else { Ok(0) }
}

/// A shift by `by` modulo the width.
pub(super) fn shifted(value: Expr, how: &str, by: Expr, bits: u8) -> Expr {
    let by = bin(BinOp::And, by, Expr::int(i64::from(bits) - 1, bits));
    match how {
        "lsl" => bin(BinOp::Shl, value, by),
        "lsr" => bin(BinOp::LShr, value, by),
        "asr" => bin(BinOp::AShr, value, by),
        _ => {
            let back = bin(BinOp::Sub, Expr::int(i64::from(bits), bits), by.clone());
            bin(BinOp::Or, bin(BinOp::LShr, value.clone(), by), bin(BinOp::Shl, value, back))
        }
    }
}

/// `UXTB` … `SXTX` of a register, `bits` wide.
pub(super) fn extend(source: View, how: &str, bits: u8) -> Option<Expr> {
    let (kind, rest) = match how.split_at_checked(3)? {
        ("uxt", rest) => (Cast::Zero, rest),
        ("sxt", rest) => (Cast::Sign, rest),
        _ => return None,
    };
    let from = match rest {
        "b" => 8,
        "h" => 16,
        "w" => 32,
        "x" => 64,
        _ => return None,
    };
    let from = from.min(source.bits);
    let part = source.value_as(from);
    Some(if from == bits { part } else { Expr::Cast(kind, bits, Box::new(part)) })
}

/// An address, and what its base becomes.
#[derive(Clone, Debug)]
pub(super) struct Address {
    pub(super) at: Expr,
    pub(super) write_back: Option<(Reg, Expr)>,
}

impl Address {
    /// After the access.
    pub(super) fn finish(self, code: &mut Code<'_, '_>) {
        if let Some((base, value)) = self.write_back {
            code.assign(base, value);
        }
    }
}

fn base<'a>(c: &mut Cursor<'_, 'a>, code: &mut Code<'_, 'a>) -> Result<Reg, Diagnostic> {
    c.expect("[")?;
    let span = c.span();
    let found = view_of(c, code, 64)?;
    found.reg.ok_or_else(|| Diagnostic::error(span, "the zero register cannot be an address"))
}

/// `[Xn]`, perhaps with `, #0`.
pub(super) fn simple_address<'a>(c: &mut Cursor<'_, 'a>, code: &mut Code<'_, 'a>) -> Result<Expr, Diagnostic> {
    let base = base(c, code)?;
    if c.eat(",") {
        let at = c.span();
        if immediate(c)? != 0 {
            return Err(Diagnostic::error(at, "this instruction takes no offset"));
        }
    }
    c.expect("]")?;
    Ok(reg(base))
}

/// Every form of address: `[Xn]`, `[Xn,#k]`, `[Xn,#k]!`, `[Xn],#k`, `[Xn,Xm]`, `[Xn,Wm,SXTW #2]`.
pub(super) fn address<'a>(c: &mut Cursor<'_, 'a>, code: &mut Code<'_, 'a>) -> Result<Address, Diagnostic> {
    let base = base(c, code)?;
    if c.eat("]") {
        let at = reg(base);
        if !c.eat(",") {
            return Ok(Address { at, write_back: None });
        }
        let step = immediate(c)?;
        return Ok(Address { at, write_back: Some((base, bin(BinOp::Add, reg(base), Expr::int(step, 64)))) });
    }
    if !c.eat(",") {
        return Err(c.expected("`]` or `,`"));
    }
    if is_number(c) {
        let k = immediate(c)?;
        c.expect("]")?;
        let at = crate::operand::offset(reg(base), k);
        let write_back = c.eat("!").then(|| (base, at.clone()));
        return Ok(Address { at, write_back });
    }
    let index = view(c, code)?;
    let mut value = extend(index, if index.bits == 32 { "sxtw" } else { "uxtx" }, 64).unwrap_or(index.value());
    if c.eat(",") {
        let at = c.span();
        let word = c.name("`LSL` or an extension")?.to_ascii_lowercase();
        if word != "lsl" {
            let known = matches!(&word[..], "uxtw" | "sxtw" | "sxtx" | "uxtx");
            let extended = if known { extend(index, &word, 64) } else { None };
            value = extended.ok_or_else(|| Diagnostic::error(at, format!("`{word}` cannot extend an index")))?;
        }
        if is_number(c) {
            let by = immediate(c)?;
            if by != 0 {
                value = bin(BinOp::Shl, value, Expr::int(by, 64));
            }
        }
    }
    c.expect("]")?;
    Ok(Address { at: bin(BinOp::Add, reg(base), value), write_back: None })
}

pub(super) const CONDITIONS: &[&str] =
    &["eq", "ne", "cs", "hs", "cc", "lo", "mi", "pl", "vs", "vc", "hi", "ls", "ge", "lt", "gt", "le", "al"];

/// What a condition code means, as an expression of width 1.
pub(super) fn condition(name: &str, code: &mut Code<'_, '_>) -> Expr {
    let f = Flags::new(code);
    let (n, z, carry, v) = (reg(f.negative), reg(f.zero), reg(f.carry), reg(f.overflow));
    let ge = bin(BinOp::Eq, n.clone(), v.clone());
    match name {
        "eq" => z,
        "ne" => not(z),
        "cs" | "hs" => carry,
        "cc" | "lo" => not(carry),
        "mi" => n,
        "pl" => not(n),
        "vs" => v,
        "vc" => not(v),
        "hi" => bin(BinOp::And, carry, not(z)),
        "ls" => bin(BinOp::Or, not(carry), z),
        "ge" => ge,
        "lt" => not(ge),
        "gt" => bin(BinOp::And, not(z), ge),
        "le" => bin(BinOp::Or, z, not(ge)),
        _ => Expr::int(1, 1),
    }
}
