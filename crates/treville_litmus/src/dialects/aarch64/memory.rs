//! Loads and stores: plain, acquire and release, exclusive, and pairs.

use super::operands::{Address, View, address, simple_address, view, view_of};
use crate::code::Code;
use crate::lexer::Cursor;
use crate::operand::{bin, comma, offset, reg};
use treville_base::Diagnostic;
use treville_ir::{Expr, Op};
use treville_term::{BinOp, Cast};

/// A single access: its size in bytes (that of the register if none), extension, tags, and whether only `[Xn]` is allowed.
#[derive(Clone, Copy, Debug)]
struct Access {
    size: Option<u8>,
    extend: Cast,
    tags: &'static [&'static str],
    simple: bool,
}

/// Translates the instruction if it is one of this family.
pub(super) fn translate<'a>(m: &str, c: &mut Cursor<'_, 'a>, code: &mut Code<'_, 'a>) -> Result<bool, Diagnostic> {
    if let Some(access) = load_form(m) {
        load(access, c, code)?;
    } else if let Some(access) = store_form(m) {
        store(access, c, code)?;
    } else if let Some(access) = conditional_form(m) {
        store_conditional(access, c, code)?;
    } else {
        match m {
            "ldp" => pair_load(c, code, &[], true)?,
            "ldnp" => pair_load(c, code, &["NT"], true)?,
            "ldap" => pair_load(c, code, &["A"], true)?,
            "ldiapp" => pair_load(c, code, &["Q"], false)?,
            "ldpsw" => pair_load_signed(c, code)?,
            "stp" => pair_store(c, code, &[], true)?,
            "stnp" => pair_store(c, code, &["NT"], true)?,
            "stlp" => pair_store(c, code, &["L"], true)?,
            "stilp" => pair_store(c, code, &["L"], false)?,
            "ldxp" => exclusive_pair_load(c, code, &["EX"])?,
            "ldaxp" => exclusive_pair_load(c, code, &["EX", "A"])?,
            "stxp" => exclusive_pair_store(c, code, &["EX"])?,
            "stlxp" => exclusive_pair_store(c, code, &["EX", "L"])?,
            _ => return Ok(false),
        }
    }
    Ok(true)
}

/// Splits `…b`, `…h` from a mnemonic.
fn suffix(rest: &str) -> Option<Option<u8>> {
    match rest {
        "" => Some(None),
        "b" => Some(Some(1)),
        "h" => Some(Some(2)),
        _ => None,
    }
}

fn load_form(m: &str) -> Option<Access> {
    let rest = m.strip_prefix("ld")?;
    let form = |tags, simple, rest: &str| {
        let (extend, rest) = match rest.strip_prefix('s') {
            Some("w") => return Some(Access { size: Some(4), extend: Cast::Sign, tags, simple }),
            Some(rest @ ("b" | "h")) => (Cast::Sign, rest),
            _ => (Cast::Zero, rest),
        };
        suffix(rest).map(|size| Access { size, extend, tags, simple })
    };
    // Longer prefixes first.
    if let Some(rest) = rest.strip_prefix("axr") {
        return suffix(rest).and_then(|_| form(&["A", "EX"], true, rest));
    }
    if let Some(rest) = rest.strip_prefix("apur") {
        return form(&["Q"], false, rest);
    }
    if let Some(rest) = rest.strip_prefix("apr") {
        return suffix(rest).and_then(|_| form(&["Q"], true, rest));
    }
    if let Some(rest) = rest.strip_prefix("ar") {
        return suffix(rest).and_then(|_| form(&["A"], true, rest));
    }
    if let Some(rest) = rest.strip_prefix("xr") {
        return suffix(rest).and_then(|_| form(&["EX"], true, rest));
    }
    let rest = rest.strip_prefix("ur").or_else(|| rest.strip_prefix('r'))?;
    form(&[], false, rest)
}

fn store_form(m: &str) -> Option<Access> {
    let rest = m.strip_prefix("st")?;
    let form = |tags, simple, rest: &str| suffix(rest).map(|size| Access { size, extend: Cast::Zero, tags, simple });
    if let Some(rest) = rest.strip_prefix("lur") {
        return form(&["L"], false, rest);
    }
    if let Some(rest) = rest.strip_prefix("lr") {
        return form(&["L"], true, rest);
    }
    let rest = rest.strip_prefix("ur").or_else(|| rest.strip_prefix('r'))?;
    form(&[], false, rest)
}

fn conditional_form(m: &str) -> Option<Access> {
    let rest = m.strip_prefix("st")?;
    let (tags, rest): (&[&str], &str) = match rest.strip_prefix("lxr") {
        Some(rest) => (&["EX", "L"], rest),
        None => (&["EX"], rest.strip_prefix("xr")?),
    };
    suffix(rest).map(|size| Access { size, extend: Cast::Zero, tags, simple: true })
}

fn location<'a>(access: Access, c: &mut Cursor<'_, 'a>, code: &mut Code<'_, 'a>) -> Result<Address, Diagnostic> {
    comma(c)?;
    if access.simple { Ok(Address { at: simple_address(c, code)?, write_back: None }) } else { address(c, code) }
}

fn load<'a>(access: Access, c: &mut Cursor<'_, 'a>, code: &mut Code<'_, 'a>) -> Result<(), Diagnostic> {
    let rt = view(c, code)?;
    let from = location(access, c, code)?;
    let size = access.size.unwrap_or(rt.bits / 8);
    load_into(code, rt, from.at.clone(), size, access.extend, access.tags, true);
    from.finish(code);
    Ok(())
}

/// Loads `size` bytes, extended to the register's view and from there with zeros.
fn load_into(code: &mut Code<'_, '_>, rt: View, at: Expr, size: u8, extend: Cast, tags: &[&str], sequenced: bool) {
    let tags = code.tags(tags);
    // A signed load into a W register extends to 32 bits, the rest is zero.
    if extend == Cast::Sign && rt.bits == 32 && rt.reg.is_some() {
        let loaded = code.temp(8 * size);
        code.load_tagged(Some(loaded), at, size, extend, tags, sequenced);
        rt.assign(code, reg(loaded).sext(32));
    } else {
        code.load_tagged(rt.reg, at, size, extend, tags, sequenced);
    }
}

fn store<'a>(access: Access, c: &mut Cursor<'_, 'a>, code: &mut Code<'_, 'a>) -> Result<(), Diagnostic> {
    let rt = view(c, code)?;
    let to = location(access, c, code)?;
    let size = access.size.unwrap_or(rt.bits / 8);
    code.store(to.at.clone(), rt.value_as(8 * size), size, access.tags);
    to.finish(code);
    Ok(())
}

fn store_conditional<'a>(access: Access, c: &mut Cursor<'_, 'a>, code: &mut Code<'_, 'a>) -> Result<(), Diagnostic> {
    let status = view_of(c, code, 32)?;
    comma(c)?;
    let rt = view(c, code)?;
    let to = location(access, c, code)?;
    let size = access.size.unwrap_or(rt.bits / 8);
    let done = code.store_conditional(to.at, rt.value_as(8 * size), size, access.tags);
    status.assign(code, crate::operand::not(done).zext(32));
    Ok(())
}

fn pair<'a>(c: &mut Cursor<'_, 'a>, code: &mut Code<'_, 'a>) -> Result<(View, View), Diagnostic> {
    let first = view(c, code)?;
    comma(c)?;
    let second = view_of(c, code, first.bits)?;
    comma(c)?;
    Ok((first, second))
}

/// Two loads of one instruction that nothing orders; or, if the instruction orders them, of two.
fn pair_load<'a>(
    c: &mut Cursor<'_, 'a>,
    code: &mut Code<'_, 'a>,
    tags: &[&str],
    unordered: bool,
) -> Result<(), Diagnostic> {
    let (first, second) = pair(c, code)?;
    let from = address(c, code)?;
    let size = first.bits / 8;
    pair_load_into(code, first, second, from, size, Cast::Zero, tags, unordered);
    Ok(())
}

fn pair_load_signed<'a>(c: &mut Cursor<'_, 'a>, code: &mut Code<'_, 'a>) -> Result<(), Diagnostic> {
    let (first, second) = pair(c, code)?;
    let from = address(c, code)?;
    pair_load_into(code, first, second, from, 4, Cast::Sign, &[], true);
    Ok(())
}

#[expect(clippy::too_many_arguments, reason = "one call in two flavours")]
fn pair_load_into(
    code: &mut Code<'_, '_>,
    first: View,
    second: View,
    from: Address,
    size: u8,
    extend: Cast,
    tags: &[&str],
    unordered: bool,
) {
    // The first load may overwrite the base that the second one needs.
    let loaded = code.temp(8 * size);
    let early = View { reg: Some(loaded), bits: first.bits };
    load_into(code, early, from.at.clone(), size, extend, tags, true);
    if !unordered {
        code.split_instruction();
    }
    load_into(code, second, offset(from.at.clone(), i64::from(size)), size, extend, tags, !unordered);
    if first.reg.is_some() {
        let bits = first.bits;
        let value = if 8 * size == bits { reg(loaded) } else { Expr::Cast(extend, bits, Box::new(reg(loaded))) };
        first.assign(code, value);
    }
    from.finish(code);
}

fn pair_store<'a>(
    c: &mut Cursor<'_, 'a>,
    code: &mut Code<'_, 'a>,
    tags: &[&str],
    unordered: bool,
) -> Result<(), Diagnostic> {
    let (first, second) = pair(c, code)?;
    let to = address(c, code)?;
    let size = first.bits / 8;
    let tags = code.tags(tags);
    let high = offset(to.at.clone(), i64::from(size));
    let low = Op::Store { addr: to.at.clone(), value: first.value(), size, tags: tags.clone() };
    let high = Op::Store { addr: high, value: second.value(), size, tags };
    if unordered {
        code.op(low);
        code.op_unordered(high);
    } else {
        // Onto a stack that grows downwards, the higher half goes first.
        let (early, late) = if to.write_back.is_some() { (high, low) } else { (low, high) };
        code.op(early);
        code.split_instruction();
        code.op(late);
    }
    to.finish(code);
    Ok(())
}

/// An exclusive pair is one access of double size.
fn exclusive_pair_load<'a>(c: &mut Cursor<'_, 'a>, code: &mut Code<'_, 'a>, tags: &[&str]) -> Result<(), Diagnostic> {
    let (first, second) = pair(c, code)?;
    let at = simple_address(c, code)?;
    let both = code.temp(2 * first.bits);
    code.load(Some(both), at, first.bits / 4, Cast::Zero, tags);
    split(code, both, first, second);
    Ok(())
}

/// The low half of a double value to the first register, the high half to the second.
pub(super) fn split(code: &mut Code<'_, '_>, both: treville_ir::Reg, first: View, second: View) {
    let bits = first.bits;
    let high = bin(BinOp::LShr, reg(both), Expr::int(i64::from(bits), 2 * bits));
    first.assign(code, reg(both).zext(bits));
    second.assign(code, high.zext(bits));
}

pub(super) fn join(first: View, second: View) -> Expr {
    let (bits, wide) = (first.bits, 2 * first.bits);
    let high = bin(BinOp::Shl, second.value().zext(wide), Expr::int(i64::from(bits), wide));
    bin(BinOp::Or, high, first.value().zext(wide))
}

fn exclusive_pair_store<'a>(c: &mut Cursor<'_, 'a>, code: &mut Code<'_, 'a>, tags: &[&str]) -> Result<(), Diagnostic> {
    let status = view_of(c, code, 32)?;
    comma(c)?;
    let (first, second) = pair(c, code)?;
    let at = simple_address(c, code)?;
    let done = code.store_conditional(at, join(first, second), first.bits / 4, tags);
    status.assign(code, crate::operand::not(done).zext(32));
    Ok(())
}
