//! MIPS, 64 bits: `SYNC` is the only fence; load-linked and store-conditional carry `EX`.

use crate::code::{Code, RegName};
use crate::dialects::Test;
use crate::lexer::{Cursor, Style, Tok};
use crate::machine::{self, Isa};
use crate::operand::{bin, comma, immediate, immediate_of, label, not, offset, places, reg, register, unknown};
use std::sync::{Arc, LazyLock};
use treville_base::{Diagnostic, Name};
use treville_ir::{Dialect, Expr, Program, Question, Reg, StatusDependency};
use treville_term::{BinOp, Cast};

pub(crate) fn read(test: &Test<'_>) -> Result<(Program, Question), Vec<Diagnostic>> {
    machine::read(test, &Mips)
}

pub(super) static DIALECT: LazyLock<Arc<Dialect>> = LazyLock::new(|| {
    let sets = ["SYNC", "X", "EX"].map(Name::new).to_vec();
    Arc::new(Dialect {
        exclusive: Some(Name::new("EX")),
        status: StatusDependency::Operands,
        // There is no bundled model of this machine.
        ..Dialect::assembly("MIPS", "sc", sets)
    })
});

struct Mips;

const NAMES: [&str; 32] = [
    "$0", "$1", "$2", "$3", "$4", "$5", "$6", "$7", "$8", "$9", "$10", "$11", "$12", "$13", "$14", "$15", "$16", "$17",
    "$18", "$19", "$20", "$21", "$22", "$23", "$24", "$25", "$26", "$27", "$28", "$29", "$30", "$31",
];

const ABI_NAMES: [&str; 32] = [
    "zero", "at", "v0", "v1", "a0", "a1", "a2", "a3", "t0", "t1", "t2", "t3", "t4", "t5", "t6", "t7", "s0", "s1", "s2",
    "s3", "s4", "s5", "s6", "s7", "t8", "t9", "k0", "k1", "gp", "sp", "fp", "ra",
];

impl Isa for Mips {
    fn dialect(&self) -> Arc<Dialect> {
        Arc::clone(&DIALECT)
    }

    fn word(&self) -> u8 {
        64
    }

    /// Registers are written with a dollar, which begins names in this style.
    fn style(&self) -> Style {
        Style::State
    }

    fn register(&self, name: &str) -> Option<RegName> {
        let plain = name.strip_prefix('$').unwrap_or(name);
        let by_number = NAMES.iter().position(|n| *n == name);
        let n = by_number.or_else(|| ABI_NAMES.iter().position(|n| *n == plain))?;
        Some(RegName::new(n as u32, NAMES[n], 64))
    }

    fn instruction<'a>(&self, c: &mut Cursor<'_, 'a>, code: &mut Code<'_, 'a>) -> Result<(), Diagnostic> {
        let at = c.span();
        let word = c.name("an instruction")?;
        let mnemonic = word.to_ascii_lowercase();
        match &mnemonic[..] {
            "nop" => {}
            "sync" => code.fence("SYNC"),
            m if self.branch(m, c, code)? || self.access(m, c, code)? || self.arithmetic(m, c, code)? => {}
            _ => return Err(unknown(self, word, at)),
        }
        Ok(())
    }
}

impl Mips {
    /// A register; nothing for `$0`, which is always 0.
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

    fn branch<'a>(&self, m: &str, c: &mut Cursor<'_, 'a>, code: &mut Code<'_, 'a>) -> Result<bool, Diagnostic> {
        if m == "b" {
            let target = label(c, code)?;
            code.goto(target);
            return Ok(true);
        }
        let zero = || Expr::int(0, 64);
        let cond: fn(Expr, Expr) -> Expr = match m {
            "beq" | "beqz" => |a, b| bin(BinOp::Eq, a, b),
            "bne" | "bnez" => |a, b| bin(BinOp::Ne, a, b),
            "blez" => |a, b| bin(BinOp::SLe, a, b),
            "bgtz" => |a, b| not(bin(BinOp::SLe, a, b)),
            "bltz" => |a, b| bin(BinOp::SLt, a, b),
            "bgez" => |a, b| not(bin(BinOp::SLt, a, b)),
            _ => return Ok(false),
        };
        let a = self.value(c, code)?;
        comma(c)?;
        let b = if m.ends_with('z') {
            zero()
        } else {
            let b = self.value(c, code)?;
            comma(c)?;
            b
        };
        let target = label(c, code)?;
        code.branch(cond(a, b), target);
        Ok(true)
    }

    fn access<'a>(&self, m: &str, c: &mut Cursor<'_, 'a>, code: &mut Code<'_, 'a>) -> Result<bool, Diagnostic> {
        let size = match m {
            "lb" | "lbu" | "sb" => 1,
            "lh" | "lhu" | "sh" => 2,
            "lw" | "lwu" | "sw" | "ll" | "sc" => 4,
            "ld" | "sd" | "lld" | "scd" => 8,
            _ => return Ok(false),
        };
        let data = self.reg(c, code)?;
        comma(c)?;
        let k = if matches!(c.peek(), Tok::Num(_)) { i64::from(immediate_of(c, 16)? as i16) } else { 0 };
        c.expect("(")?;
        let addr = offset(self.value(c, code)?, k);
        c.expect(")")?;
        let value = || data.map_or(Expr::int(0, 64), reg);
        let narrow = |e: Expr| if size == 8 { e } else { e.zext(8 * size) };
        match m {
            "sb" | "sh" | "sw" | "sd" => code.store(addr, narrow(value()), size, &[]),
            "ll" | "lld" => code.load(data, addr, size, Cast::Sign, &["EX"]),
            "sc" | "scd" => {
                let done = code.store_conditional(addr, narrow(value()), size, &["EX"]);
                if let Some(data) = data {
                    code.assign(data, done.zext(64));
                }
            }
            _ => code.load(data, addr, size, if m.ends_with('u') { Cast::Zero } else { Cast::Sign }, &[]),
        }
        Ok(true)
    }

    /// `dext rd,rs,first,count`: some bits of a register.
    fn extract<'a>(&self, c: &mut Cursor<'_, 'a>, code: &mut Code<'_, 'a>) -> Result<(), Diagnostic> {
        let rd = self.reg(c, code)?;
        comma(c)?;
        let source = self.value(c, code)?;
        comma(c)?;
        let at = c.span();
        let first = immediate(c)?;
        comma(c)?;
        let count = immediate(c)?;
        if !(0..64).contains(&first) || !(1..=64 - first).contains(&count) {
            return Err(Diagnostic::error(at.to(c.last_span()), "these bits are not among the 64 of the register"));
        }
        let low = bin(BinOp::LShr, source, Expr::int(first, 64));
        if let Some(rd) = rd {
            code.assign(rd, bin(BinOp::And, low, Expr::int((u64::MAX >> (64 - count)) as i64, 64)));
        }
        Ok(())
    }

    fn arithmetic<'a>(&self, m: &str, c: &mut Cursor<'_, 'a>, code: &mut Code<'_, 'a>) -> Result<bool, Diagnostic> {
        if m == "dext" {
            self.extract(c, code)?;
            return Ok(true);
        }
        let two = operation(m);
        let known = two.is_some() || matches!(m, "li" | "lui" | "move");
        if !known {
            return Ok(false);
        }
        let rd = self.reg(c, code)?;
        comma(c)?;
        let value = match (two, m) {
            (Some((apply, number)), _) => {
                let a = self.value(c, code)?;
                comma(c)?;
                let b = if number { Expr::int(last_number(m, c)?, 64) } else { self.value(c, code)? };
                apply(a, b)
            }
            (None, "li") => Expr::int(immediate(c)?, 64),
            (None, "lui") => Expr::int(immediate_of(c, 16)?.wrapping_shl(16), 32).sext(64),
            (None, _) => self.value(c, code)?,
        };
        if let Some(rd) = rd {
            code.assign(rd, value);
        }
        Ok(true)
    }
}

/// Numbers have 16 bits: with a sign in arithmetic, without one in logic.
fn last_number(m: &str, c: &mut Cursor<'_, '_>) -> Result<i64, Diagnostic> {
    Ok(match m {
        "dsll" => places(c, 63)?,
        "andi" | "ori" | "xori" => immediate_of(c, 16)? & 0xffff,
        _ => i64::from(immediate_of(c, 16)? as i16),
    })
}

/// What an instruction computes, and whether its last operand is a number.
type Operation = (fn(Expr, Expr) -> Expr, bool);

fn operation(m: &str) -> Option<Operation> {
    Some(match m {
        "add" | "addu" | "daddu" => (|a, b| bin(BinOp::Add, a, b), false),
        "addi" | "addiu" | "daddiu" => (|a, b| bin(BinOp::Add, a, b), true),
        "sub" | "subu" | "dsubu" => (|a, b| bin(BinOp::Sub, a, b), false),
        "subi" | "subiu" => (|a, b| bin(BinOp::Sub, a, b), true),
        "and" => (|a, b| bin(BinOp::And, a, b), false),
        "andi" => (|a, b| bin(BinOp::And, a, b), true),
        "or" => (|a, b| bin(BinOp::Or, a, b), false),
        "ori" => (|a, b| bin(BinOp::Or, a, b), true),
        "xor" => (|a, b| bin(BinOp::Xor, a, b), false),
        "xori" => (|a, b| bin(BinOp::Xor, a, b), true),
        "nor" => (|a, b| not(bin(BinOp::Or, a, b)), false),
        "dsll" => (|a, b| bin(BinOp::Shl, a, b), true),
        "slt" => (|a, b| bin(BinOp::SLt, a, b).zext(64), false),
        "slti" => (|a, b| bin(BinOp::SLt, a, b).zext(64), true),
        "sltu" => (|a, b| bin(BinOp::ULt, a, b).zext(64), false),
        "sltiu" => (|a, b| bin(BinOp::ULt, a, b).zext(64), true),
        _ => return None,
    })
}
