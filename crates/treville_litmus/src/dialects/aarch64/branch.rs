//! Jumps. A conditional one is an event on which everything later depends.

use super::operands::{CONDITIONS, condition, view};
use crate::code::Code;
use crate::lexer::Cursor;
use crate::operand::{bin, comma, immediate, is_zero, label, not};
use treville_base::Diagnostic;
use treville_ir::Expr;
use treville_term::BinOp;

/// Translates the instruction if it is one of this family.
pub(super) fn translate<'a>(m: &str, c: &mut Cursor<'_, 'a>, code: &mut Code<'_, 'a>) -> Result<bool, Diagnostic> {
    match m {
        "b" | "bal" | "b.al" => {
            let target = label(c, code)?;
            code.goto(target);
        }
        "ret" if c.done() => code.end(),
        "cbz" | "cbnz" => {
            let r = view(c, code)?;
            comma(c)?;
            let target = label(c, code)?;
            let zero = is_zero(r.value(), r.bits);
            code.branch(if m == "cbz" { zero } else { not(zero) }, target);
        }
        "tbz" | "tbnz" => {
            let r = view(c, code)?;
            comma(c)?;
            let at = c.span();
            let bit = immediate(c)?;
            if !(0..i64::from(r.bits)).contains(&bit) {
                return Err(Diagnostic::error(at, format!("the register has no bit {bit}")));
            }
            comma(c)?;
            let target = label(c, code)?;
            let set = bin(BinOp::LShr, r.value(), Expr::int(bit, r.bits)).zext(1);
            code.branch(if m == "tbz" { not(set) } else { set }, target);
        }
        _ => {
            let name = m.strip_prefix("b.").or_else(|| m.strip_prefix('b'));
            let Some(name) = name.filter(|n| CONDITIONS.contains(n)) else { return Ok(false) };
            let target = label(c, code)?;
            let cond = condition(name, code);
            code.branch(cond, target);
        }
    }
    Ok(true)
}
