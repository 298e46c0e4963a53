//! RISC-V, 64 bits. Accesses may carry `.aq` and `.rl`, ordinary loads and stores included.
//!
//! Tags: `Acq`, `Rel`, or for both `AcqRel` (alone); `X` atomic instructions, `EX` load-reserved and store-conditional; a
//! fence carries its kind, `Fence.rw.w`. An atomic instruction is one event that reads and writes; where a model wants two,
//! acquiring and releasing together is `Sc` on both.

use crate::code::{Code, RegName};
use crate::dialects::Test;
use crate::lexer::{Cursor, Tok};
use crate::machine::{self, Isa};
use crate::operand::{bin, comma, immediate, immediate_of, label, not, offset, reg, register, unknown};
use std::sync::{Arc, LazyLock};
use treville_base::{Diagnostic, Name};
use treville_ir::{Dialect, Expr, Op, Program, Question, Reg, StatusDependency};
use treville_term::{BinOp, Cast};

pub(crate) fn read(test: &Test<'_>) -> Result<(Program, Question), Vec<Diagnostic>> {
    machine::read(test, &RiscV)
}

pub(super) static DIALECT: LazyLock<Arc<Dialect>> = LazyLock::new(|| {
    let mut sets: Vec<Name> = ["X", "EX", "Acq", "Rel", "AcqRel", "Sc", "Fence.tso", "Fence.i"].map(Name::new).to_vec();
    for before in ["r", "w", "rw"] {
        for after in ["r", "w", "rw"] {
            sets.push(Name::from(format!("Fence.{before}.{after}")));
        }
    }
    Arc::new(Dialect {
        fused_updates: true,
        exclusive: Some(Name::new("EX")),
        status: StatusDependency::Store,
        ..Dialect::assembly("RISCV", "riscv", sets)
    })
});

struct RiscV;

const NAMES: [&str; 32] = [
    "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15", "x16", "x17",
    "x18", "x19", "x20", "x21", "x22", "x23", "x24", "x25", "x26", "x27", "x28", "x29", "x30", "x31",
];

/// The names of the calling convention, in the order of the registers.
const ABI_NAMES: [&str; 32] = [
    "zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7", "s2",
    "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6",
];

/// The orderings in a mnemonic.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Order {
    acquire: bool,
    release: bool,
}

impl Isa for RiscV {
    fn dialect(&self) -> Arc<Dialect> {
        Arc::clone(&DIALECT)
    }

    fn word(&self) -> u8 {
        64
    }

    fn register(&self, name: &str) -> Option<RegName> {
        let by = |names: &[&str]| names.iter().position(|n| n.eq_ignore_ascii_case(name));
        let n = by(&NAMES).or_else(|| by(&ABI_NAMES)).or_else(|| name.eq_ignore_ascii_case("fp").then_some(8))?;
        Some(RegName::new(n as u32, NAMES[n], 64))
    }

    fn instruction<'a>(&self, c: &mut Cursor<'_, 'a>, code: &mut Code<'_, 'a>) -> Result<(), Diagnostic> {
        let at = c.span();
        let word = c.name("an instruction")?;
        let mnemonic = word.to_ascii_lowercase();
        let known = fence(&mnemonic, c, code)?
            || self.jump(&mnemonic, c, code)?
            || self.arithmetic(&mnemonic, c, code)?
            || self.access(&mnemonic, c, code)?;
        if known { Ok(()) } else { Err(unknown(self, word, at)) }
    }
}

fn fence(m: &str, c: &mut Cursor<'_, '_>, code: &mut Code<'_, '_>) -> Result<bool, Diagnostic> {
    match m {
        "nop" => {}
        "fence.i" => code.fence("Fence.i"),
        "fence.tso" => code.fence("Fence.tso"),
        "fence" if c.done() => code.fence("Fence.rw.rw"),
        "fence" => {
            let before = fence_side(c)?;
            comma(c)?;
            let after = fence_side(c)?;
            code.fence(&format!("Fence.{before}.{after}"));
        }
        _ => return Ok(false),
    }
    Ok(true)
}

/// Input and output count as reads and writes.
fn fence_side(c: &mut Cursor<'_, '_>) -> Result<&'static str, Diagnostic> {
    let at = c.span();
    match c.name("`r`, `w` or `rw`")? {
        "r" | "ir" => Ok("r"),
        "w" | "ow" => Ok("w"),
        "rw" | "iorw" => Ok("rw"),
        other => {
            let wrong = Diagnostic::error(at, format!("`{other}` is not a set of accesses"));
            Err(wrong.help("a fence is between `r`, `w` or `rw` and `r`, `w` or `rw`"))
        }
    }
}

impl RiscV {
    /// A register; nothing for `x0`, which is always 0.
    fn reg<'a>(&self, c: &mut Cursor<'_, 'a>, code: &mut Code<'_, 'a>) -> Result<Option<Reg>, Diagnostic> {
        if let Tok::Name(word) = c.peek()
            && self.register(word).is_some_and(|r| r.order == 0)
        {
            c.next();
            return Ok(None);
        }
        register(self, c, code).map(Some)
    }

    fn value<'a>(&self, c: &mut Cursor<'_, 'a>, code: &mut Code<'_, 'a>) -> Result<Expr, Diagnostic> {
        Ok(self.reg(c, code)?.map_or(Expr::int(0, 64), reg))
    }

    fn jump<'a>(&self, m: &str, c: &mut Cursor<'_, 'a>, code: &mut Code<'_, 'a>) -> Result<bool, Diagnostic> {
        let (op, negated, swapped) = match m.strip_suffix('z').unwrap_or(m) {
            "j" => {
                let target = label(c, code)?;
                code.goto(target);
                return Ok(true);
            }
            "ret" => {
                code.end();
                return Ok(true);
            }
            "beq" => (BinOp::Eq, false, false),
            "bne" => (BinOp::Ne, false, false),
            "blt" => (BinOp::SLt, false, false),
            "bge" => (BinOp::SLt, true, false),
            "bltu" => (BinOp::ULt, false, false),
            "bgeu" => (BinOp::ULt, true, false),
            "bgt" => (BinOp::SLt, false, true),
            "ble" => (BinOp::SLt, true, true),
            _ => return Ok(false),
        };
        let a = self.value(c, code)?;
        comma(c)?;
        let b = if m.ends_with('z') {
            Expr::int(0, 64)
        } else {
            let b = self.value(c, code)?;
            comma(c)?;
            b
        };
        let target = label(c, code)?;
        let cond = if swapped { bin(op, b, a) } else { bin(op, a, b) };
        code.branch(if negated { not(cond) } else { cond }, target);
        Ok(true)
    }

    fn arithmetic<'a>(&self, m: &str, c: &mut Cursor<'_, 'a>, code: &mut Code<'_, 'a>) -> Result<bool, Diagnostic> {
        if let Some((op, width, immediate_form)) = operation(m) {
            let rd = self.reg(c, code)?;
            comma(c)?;
            let a = self.value(c, code)?;
            comma(c)?;
            let b = if immediate_form { Expr::int(immediate(c)?, 64) } else { self.value(c, code)? };
            let narrow = |e: Expr| if width == 64 { e } else { e.zext(width) };
            let b = narrow(b);
            let b = match op {
                BinOp::Shl | BinOp::LShr | BinOp::AShr => bin(BinOp::And, b, Expr::int(i64::from(width) - 1, width)),
                _ => b,
            };
            let value = bin(op, narrow(a), b);
            assign(
                code,
                rd,
                if op.is_comparison() {
                    value.zext(64)
                } else if width == 64 {
                    value
                } else {
                    value.sext(64)
                },
            );
            return Ok(true);
        }
        let rd = match m {
            "li" | "lui" | "mv" | "not" | "neg" | "sext.w" | "seqz" | "snez" => self.reg(c, code)?,
            _ => return Ok(false),
        };
        comma(c)?;
        let zero = || Expr::int(0, 64);
        let value = match m {
            "li" => Expr::int(immediate(c)?, 64),
            "lui" => Expr::int(immediate_of(c, 20)?.wrapping_shl(12), 32).sext(64),
            "mv" => self.value(c, code)?,
            "not" => not(self.value(c, code)?),
            "neg" => bin(BinOp::Sub, zero(), self.value(c, code)?),
            "sext.w" => self.value(c, code)?.zext(32).sext(64),
            "seqz" => bin(BinOp::Eq, self.value(c, code)?, zero()).zext(64),
            _ => bin(BinOp::Ne, self.value(c, code)?, zero()).zext(64),
        };
        assign(code, rd, value);
        Ok(true)
    }

    /// Loads, stores and atomic instructions, with their orderings.
    fn access<'a>(&self, m: &str, c: &mut Cursor<'_, 'a>, code: &mut Code<'_, 'a>) -> Result<bool, Diagnostic> {
        let (base, order) = orderings(m);
        if let Some((size, extend)) = load_form(base) {
            let rd = self.reg(c, code)?;
            comma(c)?;
            let addr = self.address(c, code)?;
            code.load(rd, addr, size, extend, plain_tags(order));
        } else if let Some(size) = store_form(base) {
            let value = self.value(c, code)?;
            comma(c)?;
            let addr = self.address(c, code)?;
            code.store(addr, if size == 8 { value } else { value.zext(8 * size) }, size, plain_tags(order));
        } else {
            let (operation, size) = match base.rsplit_once('.') {
                Some((operation, "w")) => (operation, 4),
                Some((operation, "d")) => (operation, 8),
                _ => return Ok(false),
            };
            match operation {
                "lr" => {
                    let rd = self.reg(c, code)?;
                    comma(c)?;
                    let addr = self.plain_address(c, code)?;
                    // A release alone means nothing on a load, nor an acquire on a store.
                    let order = Order { release: order.acquire && order.release, ..order };
                    code.load(rd, addr, size, Cast::Sign, &reserved_tags(order));
                }
                "sc" => self.store_conditional(size, order, c, code)?,
                _ => match operation.strip_prefix("amo").filter(|o| OPERATIONS.contains(o)) {
                    Some(operation) => self.update(operation, size, order, c, code)?,
                    None => return Ok(false),
                },
            }
        }
        Ok(true)
    }

    /// `k(reg)` or `(reg)`.
    fn address<'a>(&self, c: &mut Cursor<'_, 'a>, code: &mut Code<'_, 'a>) -> Result<Expr, Diagnostic> {
        let k = if matches!(c.peek(), Tok::Num(_)) { immediate(c)? } else { 0 };
        c.expect("(")?;
        let base = self.value(c, code)?;
        c.expect(")")?;
        Ok(offset(base, k))
    }

    fn plain_address<'a>(&self, c: &mut Cursor<'_, 'a>, code: &mut Code<'_, 'a>) -> Result<Expr, Diagnostic> {
        if let Tok::Num(n) = c.peek()
            && n != 0
        {
            return Err(Diagnostic::error(c.span(), "this instruction takes no offset"));
        }
        self.address(c, code)
    }

    fn store_conditional<'a>(
        &self,
        size: u8,
        order: Order,
        c: &mut Cursor<'_, 'a>,
        code: &mut Code<'_, 'a>,
    ) -> Result<(), Diagnostic> {
        let status = self.reg(c, code)?;
        comma(c)?;
        let value = self.value(c, code)?;
        comma(c)?;
        let addr = self.plain_address(c, code)?;
        let order = Order { acquire: order.acquire && order.release, ..order };
        let value = if size == 8 { value } else { value.zext(8 * size) };
        let done = code.store_conditional(addr, value, size, &reserved_tags(order));
        assign(code, status, not(done).zext(64));
        Ok(())
    }

    fn update<'a>(
        &self,
        operation: &str,
        size: u8,
        order: Order,
        c: &mut Cursor<'_, 'a>,
        code: &mut Code<'_, 'a>,
    ) -> Result<(), Diagnostic> {
        let rd = self.reg(c, code)?;
        comma(c)?;
        let by = self.value(c, code)?;
        comma(c)?;
        let addr = self.plain_address(c, code)?;
        let old = code.temp(8 * size);
        let by = if size == 8 { by } else { by.zext(8 * size) };
        let new = match operation {
            "swap" => by,
            "add" => bin(BinOp::Add, reg(old), by),
            "and" => bin(BinOp::And, reg(old), by),
            "or" => bin(BinOp::Or, reg(old), by),
            "xor" => bin(BinOp::Xor, reg(old), by),
            "max" => Expr::ite(bin(BinOp::SLt, reg(old), by.clone()), by, reg(old)),
            "min" => Expr::ite(bin(BinOp::SLt, reg(old), by.clone()), reg(old), by),
            "maxu" => Expr::ite(bin(BinOp::ULt, reg(old), by.clone()), by, reg(old)),
            _ => Expr::ite(bin(BinOp::ULt, reg(old), by.clone()), reg(old), by),
        };
        let (read, write, fused): (&[&str], &[&str], &[&str]) = match (order.acquire, order.release) {
            (true, true) => (&["X", "Sc"], &["X", "Sc"], &["X", "AcqRel"]),
            (true, false) => (&["X", "Acq"], &["X"], &["X", "Acq"]),
            (false, true) => (&["X"], &["X", "Rel"], &["X", "Rel"]),
            (false, false) => (&["X"], &["X"], &["X"]),
        };
        let tags = code.update_tags(read, write, fused, read);
        code.op(Op::Update { old, addr, size, guard: None, new, tags });
        let result = if size == 8 { reg(old) } else { reg(old).sext(64) };
        assign(code, rd, result);
        Ok(())
    }
}

const OPERATIONS: &[&str] = &["swap", "add", "and", "or", "xor", "max", "min", "maxu", "minu"];

fn assign(code: &mut Code<'_, '_>, rd: Option<Reg>, value: Expr) {
    if let Some(rd) = rd {
        code.assign(rd, value);
    }
}

/// The operator, its width, and whether the last operand is a number.
fn operation(m: &str) -> Option<(BinOp, u8, bool)> {
    let (base, width) = match m.strip_suffix('w') {
        Some(base) => (base, 32),
        None => (m, 64),
    };
    let (op, number) = match base {
        "add" => (BinOp::Add, false),
        "addi" => (BinOp::Add, true),
        "sub" => (BinOp::Sub, false),
        "sll" => (BinOp::Shl, false),
        "slli" => (BinOp::Shl, true),
        "srl" => (BinOp::LShr, false),
        "srli" => (BinOp::LShr, true),
        "sra" => (BinOp::AShr, false),
        "srai" => (BinOp::AShr, true),
        "mul" => (BinOp::Mul, false),
        _ if width == 32 => return None,
        "and" => (BinOp::And, false),
        "andi" => (BinOp::And, true),
        "or" => (BinOp::Or, false),
        "ori" => (BinOp::Or, true),
        "xor" => (BinOp::Xor, false),
        "xori" => (BinOp::Xor, true),
        "slt" => (BinOp::SLt, false),
        "slti" => (BinOp::SLt, true),
        "sltu" => (BinOp::ULt, false),
        "sltiu" => (BinOp::ULt, true),
        _ => return None,
    };
    Some((op, width, number))
}

/// Splits `.aq`, `.rl`, `.aq.rl` and `.aqrl` from a mnemonic.
fn orderings(m: &str) -> (&str, Order) {
    for (suffix, acquire, release) in
        [(".aq.rl", true, true), (".aqrl", true, true), (".aq", true, false), (".rl", false, true)]
    {
        if let Some(base) = m.strip_suffix(suffix) {
            return (base, Order { acquire, release });
        }
    }
    (m, Order { acquire: false, release: false })
}

fn load_form(m: &str) -> Option<(u8, Cast)> {
    Some(match m {
        "lb" => (1, Cast::Sign),
        "lh" => (2, Cast::Sign),
        "lw" => (4, Cast::Sign),
        "ld" => (8, Cast::Sign),
        "lbu" => (1, Cast::Zero),
        "lhu" => (2, Cast::Zero),
        "lwu" => (4, Cast::Zero),
        _ => return None,
    })
}

fn store_form(m: &str) -> Option<u8> {
    Some(match m {
        "sb" => 1,
        "sh" => 2,
        "sw" => 4,
        "sd" => 8,
        _ => return None,
    })
}

fn plain_tags(order: Order) -> &'static [&'static str] {
    match (order.acquire, order.release) {
        (true, true) => &["AcqRel"],
        (true, false) => &["Acq"],
        (false, true) => &["Rel"],
        (false, false) => &[],
    }
}

fn reserved_tags(order: Order) -> Vec<&'static str> {
    let mut tags = vec!["EX"];
    tags.extend(plain_tags(order));
    tags
}
