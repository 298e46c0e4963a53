//! Operands that look alike in all machine dialects, and short ways to write expressions.

use crate::code::Code;
use crate::lexer::{Cursor, Tok};
use crate::machine::Isa;
use treville_base::{Diagnostic, Span};
use treville_ir::{BlockId, Expr, Reg};
use treville_term::{BinOp, Bv};

/// A register of the machine or a symbolic one, `%a`.
pub(crate) fn register<'a>(isa: &dyn Isa, c: &mut Cursor<'_, 'a>, code: &mut Code<'_, 'a>) -> Result<Reg, Diagnostic> {
    if c.eat("%") {
        let name = c.name("the name of a register")?;
        return Ok(code.symbolic(name, isa.word()));
    }
    if let Tok::Name(word) = c.peek()
        && let Some(found) = isa.register(word)
    {
        c.next();
        return Ok(code.register(&found));
    }
    Err(c.expected(&format!("a register of {}", isa.dialect().name)))
}

pub(crate) fn comma(c: &mut Cursor<'_, '_>) -> Result<(), Diagnostic> {
    c.expect(",").map(|_| ())
}

/// A label of this thread.
pub(crate) fn label<'a>(c: &mut Cursor<'_, 'a>, code: &mut Code<'_, 'a>) -> Result<BlockId, Diagnostic> {
    let span = c.span();
    let name = c.name("a label")?;
    Ok(code.target(name, span))
}

/// A number, with or without the mark of an immediate.
pub(crate) fn immediate(c: &mut Cursor<'_, '_>) -> Result<i64, Diagnostic> {
    if !c.eat("#") {
        c.eat("$");
    }
    // 64-bit constants may be written signed or unsigned.
    c.number("a number").map(|n| n as i64)
}

/// A number that fits so many bits, signed or unsigned.
pub(crate) fn immediate_of(c: &mut Cursor<'_, '_>, bits: u8) -> Result<i64, Diagnostic> {
    if !c.eat("#") {
        c.eat("$");
    }
    let span = c.span();
    let n = c.number("a number")?;
    let fits = n >= -(1_i128 << (bits - 1)) && n < 1_i128 << bits;
    if fits { Ok(n as i64) } else { Err(Diagnostic::error(span, format!("`{n}` does not fit {bits} bits"))) }
}

/// A number of places to shift by, from 0 to `most`.
pub(crate) fn places(c: &mut Cursor<'_, '_>, most: i64) -> Result<i64, Diagnostic> {
    let at = c.span();
    let n = immediate(c)?;
    let wrong = || Diagnostic::error(at.to(c.last_span()), format!("a shift is by 0 to {most} places"));
    (0..=most).contains(&n).then_some(n).ok_or_else(wrong)
}

/// An error that names an instruction which the dialect does not know.
pub(crate) fn unknown(isa: &dyn Isa, word: &str, span: Span) -> Diagnostic {
    Diagnostic::error(span, format!("unknown instruction `{word}` of {}", isa.dialect().name))
}

pub(crate) fn reg(r: Reg) -> Expr {
    Expr::Reg(r)
}

pub(crate) fn bin(op: BinOp, a: Expr, b: Expr) -> Expr {
    Expr::bin(op, a, b)
}

/// `a + offset`, or `a` if the offset is 0.
pub(crate) fn offset(a: Expr, offset: i64) -> Expr {
    if offset == 0 { a } else { bin(BinOp::Add, a, Expr::int(offset, 64)) }
}

pub(crate) fn is_zero(a: Expr, width: u8) -> Expr {
    bin(BinOp::Eq, a, Expr::Const(Bv::zero(width)))
}

pub(crate) fn not(a: Expr) -> Expr {
    Expr::un(treville_term::UnOp::Not, a)
}

/// The low bits of an expression that is `from` wide, or its extension with zeros.
pub(crate) fn resize(a: Expr, from: u8, to: u8) -> Expr {
    if from == to { a } else { a.zext(to) }
}
