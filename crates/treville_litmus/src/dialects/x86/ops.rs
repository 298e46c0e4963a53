//! What X86 instructions do, for both dialects: operands are registers (or parts of them), memory or numbers.
//!
//! An instruction without `lock` that changes memory is a plain load and a plain store; with it, or as an exchange, it is
//! one atomic update whose events carry `X`.

use crate::code::{Code, RegName};
use crate::operand::{bin, not, reg, resize};
use treville_base::{Diagnostic, Span};
use treville_ir::{Expr, Op, Reg};
use treville_term::{BinOp, Cast};

/// Bits of a register: `bits` of them from bit `low`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct View {
    pub(crate) reg: Reg,
    pub(crate) low: u8,
    pub(crate) bits: u8,
}

impl View {
    pub(crate) fn full(reg: Reg, bits: u8) -> View {
        View { reg, low: 0, bits }
    }
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Place {
    Reg(View),
    /// An address, 64 bits wide.
    Mem(Expr),
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Operand {
    Place(Place),
    Imm(i64),
}

/// The flags that conditions look at, as the last operation left them: zero (`ZF`), sign (`SF`), carry (`CF`), and less, which
/// is whether sign and overflow differ.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Flags {
    zero: Reg,
    sign: Reg,
    carry: Reg,
    less: Reg,
    keeps_carry: bool,
}

/// A result, and the two values that it was computed from.
struct Computed {
    op: BinOp,
    a: Expr,
    b: Expr,
    result: Expr,
    bits: u8,
}

impl Computed {
    fn new(op: BinOp, a: Expr, b: Expr, bits: u8) -> Computed {
        Computed { op, result: bin(op, a.clone(), b.clone()), a, b, bits }
    }

    fn negative(&self, value: &Expr) -> Expr {
        bin(BinOp::SLt, value.clone(), Expr::int(0, self.bits))
    }

    fn zero(&self) -> Expr {
        match self.op {
            BinOp::Sub => bin(BinOp::Eq, self.a.clone(), self.b.clone()),
            _ => bin(BinOp::Eq, self.result.clone(), Expr::int(0, self.bits)),
        }
    }

    /// The carry of an addition, the borrow of a difference, the last bit that was shifted out.
    fn carry(&self) -> Expr {
        match self.op {
            BinOp::Add => bin(BinOp::ULt, self.result.clone(), self.a.clone()),
            BinOp::Sub => bin(BinOp::ULt, self.a.clone(), self.b.clone()),
            BinOp::Shl => {
                let by = bin(BinOp::Sub, Expr::int(i64::from(self.bits), self.bits), self.b.clone());
                bin(BinOp::LShr, self.a.clone(), by).zext(1)
            }
            _ => Expr::int(0, 1),
        }
    }

    /// The sign of the result as it would be without overflow.
    fn less(&self) -> Expr {
        match self.op {
            BinOp::Add => {
                let (a, b) = (self.negative(&self.a), self.negative(&self.b));
                Expr::ite(bin(BinOp::Eq, a.clone(), b), a, self.negative(&self.result))
            }
            BinOp::Sub => bin(BinOp::SLt, self.a.clone(), self.b.clone()),
            _ => self.negative(&self.result),
        }
    }
}

impl Flags {
    pub(crate) fn new(code: &mut Code<'_, '_>, names: &[RegName; 4]) -> Flags {
        let [zero, sign, carry, less] = names.each_ref().map(|name| code.register(name));
        Flags { zero, sign, carry, less, keeps_carry: false }
    }

    /// `inc` and `dec` leave the carry alone.
    pub(crate) fn without_carry(self) -> Flags {
        Flags { keeps_carry: true, ..self }
    }

    /// Sets the flags; before registers change that the operands are in.
    fn follow(&self, code: &mut Code<'_, '_>, computed: &Computed) {
        let sign = computed.negative(&computed.result);
        let mut flags = vec![(self.zero, computed.zero()), (self.sign, sign), (self.less, computed.less())];
        if !self.keeps_carry {
            flags.push((self.carry, computed.carry()));
        }
        for (flag, value) in flags {
            // A shift by nothing leaves all flags alone.
            let moves = bin(BinOp::Ne, computed.b.clone(), Expr::int(0, computed.bits));
            let value = if computed.op == BinOp::Shl { Expr::ite(moves, value, reg(flag)) } else { value };
            code.assign(flag, value);
        }
    }

    pub(crate) fn knows(condition: &str) -> bool {
        let known = [
            "e", "z", "ne", "nz", "le", "ng", "l", "lt", "nge", "ge", "nl", "g", "gt", "nle", "s", "ns", "b", "c",
            "nae", "ae", "nc", "nb", "be", "na", "a", "nbe",
        ];
        known.contains(&condition)
    }

    /// What `e`, `ne`, `l`, … mean, as an expression of width 1.
    pub(crate) fn condition(&self, condition: &str) -> Expr {
        let (zero, less, carry) = (|| reg(self.zero), || reg(self.less), || reg(self.carry));
        let sign = || reg(self.sign);
        match condition {
            "e" | "z" => zero(),
            "ne" | "nz" => not(zero()),
            "le" | "ng" => bin(BinOp::Or, zero(), less()),
            "ge" | "nl" => not(less()),
            "s" => sign(),
            "ns" => not(sign()),
            "g" | "gt" | "nle" => not(bin(BinOp::Or, zero(), less())),
            "b" | "c" | "nae" => carry(),
            "ae" | "nc" | "nb" => not(carry()),
            "be" | "na" => bin(BinOp::Or, zero(), carry()),
            "a" | "nbe" => not(bin(BinOp::Or, zero(), carry())),
            _ => less(),
        }
    }
}

pub(crate) fn suffix_size(suffix: &str) -> Option<u8> {
    match suffix {
        "b" => Some(1),
        "w" => Some(2),
        "l" => Some(4),
        "q" => Some(8),
        _ => None,
    }
}

pub(crate) fn operator(mnemonic: &str) -> BinOp {
    match mnemonic {
        "sub" => BinOp::Sub,
        "and" => BinOp::And,
        "or" => BinOp::Or,
        "xor" => BinOp::Xor,
        "shl" => BinOp::Shl,
        _ => BinOp::Add,
    }
}

/// The value of an operand, `8 * size` bits wide; loads it if it is in memory.
fn value(code: &mut Code<'_, '_>, operand: &Operand, size: u8) -> Expr {
    match operand {
        Operand::Imm(n) => Expr::int(*n, 8 * size),
        Operand::Place(Place::Reg(view)) => view_value(code, *view, size),
        Operand::Place(Place::Mem(addr)) => {
            let loaded = code.temp(8 * size);
            code.load(Some(loaded), addr.clone(), size, Cast::Zero, &[]);
            reg(loaded)
        }
    }
}

fn view_value(code: &Code<'_, '_>, view: View, size: u8) -> Expr {
    let width = code.width(view.reg);
    let shifted = match view.low {
        0 => reg(view.reg),
        low => bin(BinOp::LShr, reg(view.reg), Expr::int(i64::from(low), width)),
    };
    let part = resize(shifted, width, view.bits.min(width));
    resize(part, view.bits, 8 * size)
}

/// Writes a part of a register: 32 bits clear the rest, 8 and 16 leave it.
fn set_view(code: &mut Code<'_, '_>, view: View, value: Expr, size: u8) {
    let width = code.width(view.reg);
    let part = resize(value, 8 * size, view.bits);
    if view.bits >= 32 {
        code.assign(view.reg, resize(part, view.bits, width));
        return;
    }
    let hole = !(((1i64 << view.bits) - 1) << view.low);
    let kept = bin(BinOp::And, reg(view.reg), Expr::int(hole, width));
    let moved = bin(BinOp::Shl, part.zext(width), Expr::int(i64::from(view.low), width));
    code.assign(view.reg, bin(BinOp::Or, kept, moved));
}

pub(crate) fn mov(code: &mut Code<'_, '_>, to: &Place, from: &Operand, size: u8, tags: &[&str]) {
    let v = value(code, from, size);
    match to {
        Place::Reg(view) => set_view(code, *view, v, size),
        Place::Mem(addr) => code.store(addr.clone(), v, size, tags),
    }
}

/// `to := to op by`, with the flags of that.
pub(crate) fn modify(
    code: &mut Code<'_, '_>,
    to: &Place,
    by: &Operand,
    op: BinOp,
    size: u8,
    locked: bool,
    flags: &Flags,
) {
    let by = value(code, by, size);
    let by = if op == BinOp::Shl { shift(by, size) } else { by };
    match to {
        Place::Reg(view) => {
            let result = code.temp(8 * size);
            let old = view_value(code, *view, size);
            let computed = Computed::new(op, old, by, 8 * size);
            code.assign(result, computed.result.clone());
            flags.follow(code, &Computed { result: reg(result), ..computed });
            set_view(code, *view, reg(result), size);
        }
        Place::Mem(addr) => {
            let old = code.temp(8 * size);
            let computed = Computed::new(op, reg(old), by, 8 * size);
            change(code, old, addr, computed.result.clone(), size, locked);
            flags.follow(code, &computed);
        }
    }
}

/// Only the low bits of a number of places count: six of them for 8 bytes, else five.
fn shift(by: Expr, size: u8) -> Expr {
    bin(BinOp::And, by, Expr::int(if size == 8 { 63 } else { 31 }, 8 * size))
}

/// Reads memory into `old` and writes `new`, which may mention it.
fn change(code: &mut Code<'_, '_>, old: Reg, addr: &Expr, new: Expr, size: u8, locked: bool) {
    if locked {
        let tags = code.update_tags(&["X"], &["X"], &["X"], &["X"]);
        code.op(Op::Update { old, addr: addr.clone(), size, guard: None, new, tags });
    } else {
        code.load(Some(old), addr.clone(), size, Cast::Zero, &[]);
        // Without a lock these are two accesses like any others: the write comes after the read.
        code.split_instruction();
        code.store(addr.clone(), new, size, &[]);
    }
}

pub(crate) fn compare(code: &mut Code<'_, '_>, a: &Operand, b: &Operand, size: u8, flags: &Flags) {
    let a = value(code, a, size);
    let b = value(code, b, size);
    flags.follow(code, &Computed::new(BinOp::Sub, a, b, 8 * size));
}

/// Always atomic, if one of the two is in memory.
pub(crate) fn exchange(code: &mut Code<'_, '_>, a: Place, b: Place, size: u8, span: Span) -> Result<(), Diagnostic> {
    let (addr, view) = match (a, b) {
        (Place::Mem(addr), Place::Reg(view)) | (Place::Reg(view), Place::Mem(addr)) => (addr, view),
        (Place::Reg(a), Place::Reg(b)) => {
            let old = code.temp(8 * size);
            let value = view_value(code, a, size);
            code.assign(old, value);
            let value = view_value(code, b, size);
            set_view(code, a, value, size);
            set_view(code, b, reg(old), size);
            return Ok(());
        }
        (Place::Mem(_), Place::Mem(_)) => {
            return Err(Diagnostic::error(span, "an exchange needs a register: both operands are in memory"));
        }
    };
    let old = code.temp(8 * size);
    let new = view_value(code, view, size);
    change(code, old, &addr, new, size, true);
    set_view(code, view, reg(old), size);
    Ok(())
}

/// `xadd`: adds, and leaves the old value in the register.
pub(crate) fn exchange_add(code: &mut Code<'_, '_>, to: &Place, by: View, size: u8, locked: bool, flags: &Flags) {
    let (old, sum, added) = (code.temp(8 * size), code.temp(8 * size), code.temp(8 * size));
    let value = view_value(code, by, size);
    code.assign(added, value);
    let computed = Computed::new(BinOp::Add, reg(old), reg(added), 8 * size);
    match to {
        Place::Reg(view) => {
            let before = view_value(code, *view, size);
            code.assign(old, before);
            code.assign(sum, computed.result.clone());
            set_view(code, *view, reg(sum), size);
        }
        Place::Mem(addr) => {
            change(code, old, addr, computed.result.clone(), size, locked);
            code.assign(sum, computed.result.clone());
        }
    }
    set_view(code, by, reg(old), size);
    flags.follow(code, &Computed { result: reg(sum), ..computed });
}

/// `cmpxchg`: if the place holds what `accumulator` holds, it becomes `new`; else the accumulator becomes what it holds.
pub(crate) fn compare_exchange(
    code: &mut Code<'_, '_>,
    to: &Place,
    accumulator: View,
    new: View,
    size: u8,
    locked: bool,
    flags: &Flags,
) -> Result<(), Diagnostic> {
    let old = code.temp(8 * size);
    let expected = view_value(code, accumulator, size);
    let equal = bin(BinOp::Eq, reg(old), expected.clone());
    let compared = Computed::new(BinOp::Sub, expected, reg(old), 8 * size);
    let new = view_value(code, new, size);
    match to {
        Place::Mem(addr) if locked => {
            let tags = code.update_tags(&["X"], &["X"], &["X"], &["X"]);
            let guard = Some(equal);
            code.op(Op::Update { old, addr: addr.clone(), size, guard, new, tags });
            flags.follow(code, &compared);
        }
        Place::Mem(addr) => {
            code.load(Some(old), addr.clone(), size, Cast::Zero, &[]);
            flags.follow(code, &compared);
            let addr = addr.clone();
            code.split_instruction();
            code.guarded(reg(flags.zero), |code| {
                code.store(addr, new, size, &[]);
                Ok(())
            })?;
        }
        Place::Reg(view) => {
            let before = view_value(code, *view, size);
            code.assign(old, before);
            flags.follow(code, &compared);
            set_view(code, *view, Expr::ite(reg(flags.zero), new, reg(old)), size);
        }
    }
    code.guarded(not(reg(flags.zero)), |code| {
        set_view(code, accumulator, reg(old), size);
        Ok(())
    })
}

/// Writes a condition as 0 or 1.
pub(crate) fn set(code: &mut Code<'_, '_>, to: &Place, condition: Expr, size: u8) {
    let v = condition.zext(8 * size);
    match to {
        Place::Reg(view) => set_view(code, *view, v, size),
        Place::Mem(addr) => code.store(addr.clone(), v, size, &[]),
    }
}

/// Moves only if the condition holds; a load that is not wanted does not happen.
pub(crate) fn conditional_move(
    code: &mut Code<'_, '_>,
    condition: Expr,
    to: View,
    from: &Operand,
    size: u8,
) -> Result<(), Diagnostic> {
    code.guarded(condition, |code| {
        let v = value(code, from, size);
        set_view(code, to, v, size);
        Ok(())
    })
}
