//! Atomic instructions that read and write memory: `SWP`, `LD<op>`, `ST<op>`, `CAS`, `CASP`, each with its orderings and
//! sizes in the name.
//!
//! The read carries `X` and, if it acquires and its value goes somewhere, `A`; without destination it carries `NoRet`. The
//! write carries `X` and, if it releases, `L`. A failing compare-and-swap is a read, without `X`, or
//! writes back what it read.

use super::memory::{join, split};
use super::operands::{View, simple_address, view, view_of};
use crate::code::Code;
use crate::lexer::Cursor;
use crate::operand::{bin, comma, not, reg};
use treville_base::Diagnostic;
use treville_ir::{Expr, Op, UpdateTags};
use treville_term::BinOp;

/// What follows the operation in a mnemonic: `A`, `L`, `AL`, then `B` or `H`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Form {
    acquire: bool,
    release: bool,
    size: Option<u8>,
}

fn form(rest: &str) -> Option<Form> {
    let (acquire, rest) = match rest.strip_prefix('a') {
        Some(rest) => (true, rest),
        None => (false, rest),
    };
    let (release, rest) = match rest.strip_prefix('l') {
        Some(rest) => (true, rest),
        None => (false, rest),
    };
    let size = match rest {
        "" => None,
        "b" => Some(1),
        "h" => Some(2),
        _ => return None,
    };
    Some(Form { acquire, release, size })
}

const OPERATIONS: &[&str] = &["add", "clr", "eor", "set", "smax", "smin", "umax", "umin"];

/// Translates the instruction if it is one of this family.
pub(super) fn translate<'a>(m: &str, c: &mut Cursor<'_, 'a>, code: &mut Code<'_, 'a>) -> Result<bool, Diagnostic> {
    if let Some(form) = m.strip_prefix("swp").and_then(form) {
        let (source, target, at) = operands(c, code)?;
        let size = form.size.unwrap_or(source.bits / 8);
        update(code, form, Some(target), at, size, |_| source.value_as(8 * size));
        return Ok(true);
    }
    if let Some(form) = m.strip_prefix("casp").and_then(form).filter(|form| form.size.is_none()) {
        compare_and_swap_pair(form, c, code)?;
        return Ok(true);
    }
    if let Some(form) = m.strip_prefix("cas").and_then(form) {
        compare_and_swap(form, c, code)?;
        return Ok(true);
    }
    for (prefix, returns) in [("ld", true), ("st", false)] {
        let Some(rest) = m.strip_prefix(prefix) else { continue };
        for operation in OPERATIONS {
            // What returns nothing has nothing to acquire.
            let form = rest.strip_prefix(operation).and_then(form).filter(|form| returns || !form.acquire);
            let Some(form) = form else { continue };
            fetch(operation, form, returns, c, code)?;
            return Ok(true);
        }
    }
    Ok(false)
}

/// `source, target, [base]`.
fn operands<'a>(c: &mut Cursor<'_, 'a>, code: &mut Code<'_, 'a>) -> Result<(View, View, Expr), Diagnostic> {
    let source = view(c, code)?;
    comma(c)?;
    let target = view_of(c, code, source.bits)?;
    comma(c)?;
    Ok((source, target, simple_address(c, code)?))
}

fn tags(code: &mut Code<'_, '_>, form: Form, returns: bool) -> UpdateTags {
    let mut read = vec!["X"];
    match (returns, form.acquire) {
        (false, _) => read.push("NoRet"),
        (true, true) => read.push("A"),
        (true, false) => {}
    }
    let write: &[&str] = if form.release { &["X", "L"] } else { &["X"] };
    let fused: Vec<&str> = read.iter().chain(write).copied().collect();
    code.update_tags(&read, write, &fused, &read[1..])
}

/// One update; the target receives the old value.
fn update(
    code: &mut Code<'_, '_>,
    form: Form,
    target: Option<View>,
    addr: Expr,
    size: u8,
    new: impl FnOnce(Expr) -> Expr,
) {
    let target = target.filter(|t| t.reg.is_some());
    let tags = tags(code, form, target.is_some());
    let old = code.temp(8 * size);
    code.op(Op::Update { old, addr, size, guard: None, new: new(reg(old)), tags });
    if let Some(target) = target {
        assign_part(code, target, reg(old), 8 * size);
    }
}

/// A value of `bits` bits, extended with zeros.
fn assign_part(code: &mut Code<'_, '_>, target: View, value: Expr, bits: u8) {
    let value = if bits == target.bits { value } else { value.zext(target.bits) };
    target.assign(code, value);
}

fn fetch<'a>(
    operation: &str,
    form: Form,
    returns: bool,
    c: &mut Cursor<'_, 'a>,
    code: &mut Code<'_, 'a>,
) -> Result<(), Diagnostic> {
    let source = view(c, code)?;
    comma(c)?;
    let target = if returns {
        let target = view_of(c, code, source.bits)?;
        comma(c)?;
        Some(target)
    } else {
        None
    };
    let at = simple_address(c, code)?;
    let size = form.size.unwrap_or(source.bits / 8);
    let by = source.value_as(8 * size);
    update(code, form, target, at, size, |old| match operation {
        "add" => bin(BinOp::Add, old, by),
        "clr" => bin(BinOp::And, old, not(by)),
        "eor" => bin(BinOp::Xor, old, by),
        "set" => bin(BinOp::Or, old, by),
        "smax" => Expr::ite(bin(BinOp::SLt, old.clone(), by.clone()), by, old),
        "smin" => Expr::ite(bin(BinOp::SLt, old.clone(), by.clone()), old, by),
        "umax" => Expr::ite(bin(BinOp::ULt, old.clone(), by.clone()), by, old),
        _ => Expr::ite(bin(BinOp::ULt, old.clone(), by.clone()), old, by),
    });
    Ok(())
}

/// `CAS Rs,Rt,[Rn]`: if memory holds Rs it becomes Rt; Rs becomes what memory held.
fn compare_and_swap<'a>(form: Form, c: &mut Cursor<'_, 'a>, code: &mut Code<'_, 'a>) -> Result<(), Diagnostic> {
    let (expected, new, addr) = operands(c, code)?;
    let size = form.size.unwrap_or(expected.bits / 8);
    let tags = tags(code, form, expected.reg.is_some());
    let old = code.temp(8 * size);
    let guard = Some(bin(BinOp::Eq, reg(old), expected.value_as(8 * size)));
    code.op(Op::Update { old, addr, size, guard, new: new.value_as(8 * size), tags });
    assign_part(code, expected, reg(old), 8 * size);
    Ok(())
}

/// The same with two registers each for the expected and the new value, as one access of double size.
fn compare_and_swap_pair<'a>(form: Form, c: &mut Cursor<'_, 'a>, code: &mut Code<'_, 'a>) -> Result<(), Diagnostic> {
    let first = view(c, code)?;
    comma(c)?;
    let second = view_of(c, code, first.bits)?;
    comma(c)?;
    let new_first = view_of(c, code, first.bits)?;
    comma(c)?;
    let new_second = view_of(c, code, first.bits)?;
    comma(c)?;
    let addr = simple_address(c, code)?;
    let size = first.bits / 4;
    let tags = tags(code, form, first.reg.is_some() || second.reg.is_some());
    let old = code.temp(8 * size);
    let guard = Some(bin(BinOp::Eq, reg(old), join(first, second)));
    code.op(Op::Update { old, addr, size, guard, new: join(new_first, new_second), tags });
    split(code, old, first, second);
    Ok(())
}
