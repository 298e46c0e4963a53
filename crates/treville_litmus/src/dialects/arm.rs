//! Arm v7, with the acquire and release accesses of v8 in 32-bit state. Instructions may be conditional on the zero flag
//! (`MOVNE`, `STREQ`, …).
//!
//! Tags: `EX` exclusives, `A` (also `AL`) acquire, `L` release; fences carry their names, `DMB` alone for the whole system.

use crate::code::{Code, RegName};
use crate::dialects::Test;
use crate::lexer::{Cursor, Tok};
use crate::machine::{self, Isa};
use crate::operand::{
    bin, comma, immediate, immediate_of, is_zero, label, not, offset, places, reg, register, unknown,
};
use std::sync::{Arc, LazyLock};
use treville_base::{Diagnostic, Name};
use treville_ir::{Dialect, Expr, Op, Program, Question, Reg, StatusDependency};
use treville_term::{BinOp, Cast};

pub(crate) fn read(test: &Test<'_>) -> Result<(Program, Question), Vec<Diagnostic>> {
    machine::read(test, &Arm)
}

const BARRIER_OPTIONS: &[&str] = &["SY", "ST", "ISH", "ISHST", "NSH", "NSHST", "OSH", "OSHST"];

pub(super) static DIALECT: LazyLock<Arc<Dialect>> = LazyLock::new(|| {
    let mut sets: Vec<Name> = ["DMB", "DSB", "ISB", "X", "EX", "A", "L", "AL"].map(Name::new).to_vec();
    for option in &BARRIER_OPTIONS[1..] {
        sets.push(Name::from(format!("DMB.{option}")));
        sets.push(Name::from(format!("DSB.{option}")));
    }
    Arc::new(Dialect {
        exclusive: Some(Name::new("EX")),
        status: StatusDependency::Operands,
        ..Dialect::assembly("ARM", "arm", sets)
    })
});

struct Arm;

const NAMES: [&str; 16] =
    ["R0", "R1", "R2", "R3", "R4", "R5", "R6", "R7", "R8", "R9", "R10", "R11", "R12", "SP", "LR", "PC"];

/// Set if the last result was 0.
const ZERO: RegName = RegName { order: 16, name: std::borrow::Cow::Borrowed("Z"), width: 1 };

/// Conditions that need more than the zero flag.
const OTHER_CONDITIONS: &[&str] = &["cs", "hs", "cc", "lo", "mi", "pl", "vs", "vc", "hi", "ls", "ge", "lt", "gt", "le"];

const ACQUIRE: &[&str] = &["A", "AL"];

impl Isa for Arm {
    fn dialect(&self) -> Arc<Dialect> {
        Arc::clone(&DIALECT)
    }

    fn word(&self) -> u8 {
        32
    }

    fn register(&self, name: &str) -> Option<RegName> {
        let alias = ["FP", "IP", "R13", "R14", "R15"].iter().position(|r| r.eq_ignore_ascii_case(name)).map(|n| n + 11);
        let n = NAMES.iter().position(|r| r.eq_ignore_ascii_case(name)).or(alias)?;
        Some(RegName::new(n as u32, NAMES[n], 32))
    }

    fn instruction<'a>(&self, c: &mut Cursor<'_, 'a>, code: &mut Code<'_, 'a>) -> Result<(), Diagnostic> {
        let at = c.span();
        let word = c.name("an instruction")?;
        let mnemonic = word.to_ascii_lowercase();
        if fence(&mnemonic, c, code)? || self.branch(&mnemonic, c, code)? || self.plain(&mnemonic, c, code)? {
            return Ok(());
        }
        let conditional = [("eq", true), ("ne", false), ("al", true)]
            .into_iter()
            .find_map(|(suffix, zero)| Some((mnemonic.strip_suffix(suffix)?, suffix, zero)));
        let Some((base, suffix, zero)) = conditional else {
            let other = OTHER_CONDITIONS.iter().any(|suffix| mnemonic.ends_with(suffix));
            let wrong = unknown(self, word, at);
            return Err(if other { wrong.help("the only conditions are `EQ` and `NE`") } else { wrong });
        };
        let known = if suffix == "al" {
            self.plain(base, c, code)?
        } else {
            let flag = reg(code.register(&ZERO));
            code.guarded(if zero { flag } else { not(flag) }, |code| self.plain(base, c, code))?
        };
        if known { Ok(()) } else { Err(unknown(self, word, at)) }
    }
}

fn fence(m: &str, c: &mut Cursor<'_, '_>, code: &mut Code<'_, '_>) -> Result<bool, Diagnostic> {
    match m {
        "nop" => {}
        "isb" => {
            if !c.done() {
                c.name("`SY`")?;
            }
            code.fence("ISB");
        }
        "dmb" | "dsb" => {
            let at = c.span();
            let option = if c.done() { "SY" } else { c.name("the kind of barrier")? };
            let Some(option) = BARRIER_OPTIONS.iter().find(|o| o.eq_ignore_ascii_case(option)) else {
                let wrong = Diagnostic::error(at, format!("`{option}` is not a kind of barrier"));
                return Err(wrong.help(format!("known are {}", BARRIER_OPTIONS.join(", "))));
            };
            let name = m.to_ascii_uppercase();
            code.fence(&if *option == "SY" { name } else { format!("{name}.{option}") });
        }
        _ => return Ok(false),
    }
    Ok(true)
}

impl Arm {
    fn reg<'a>(&self, c: &mut Cursor<'_, 'a>, code: &mut Code<'_, 'a>) -> Result<Reg, Diagnostic> {
        register(self, c, code)
    }

    fn branch<'a>(&self, m: &str, c: &mut Cursor<'_, 'a>, code: &mut Code<'_, 'a>) -> Result<bool, Diagnostic> {
        match m {
            "b" | "bal" => {
                let target = label(c, code)?;
                code.goto(target);
            }
            "beq" | "bne" => {
                let target = label(c, code)?;
                let zero = reg(code.register(&ZERO));
                code.branch(if m == "beq" { zero } else { not(zero) }, target);
            }
            "cbz" | "cbnz" => {
                let r = self.reg(c, code)?;
                comma(c)?;
                let target = label(c, code)?;
                let zero = is_zero(reg(r), 32);
                code.branch(if m == "cbz" { zero } else { not(zero) }, target);
            }
            "bx" if matches!(c.peek(), Tok::Name(r) if r.eq_ignore_ascii_case("lr")) => {
                c.next();
                code.end();
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Instructions that may be conditional.
    fn plain<'a>(&self, m: &str, c: &mut Cursor<'_, 'a>, code: &mut Code<'_, 'a>) -> Result<bool, Diagnostic> {
        Ok(self.arithmetic(m, c, code)? || self.access(m, c, code)?)
    }

    fn arithmetic<'a>(&self, m: &str, c: &mut Cursor<'_, 'a>, code: &mut Code<'_, 'a>) -> Result<bool, Diagnostic> {
        match m {
            "mov" | "movw" | "mvn" => {
                let rd = self.reg(c, code)?;
                comma(c)?;
                let value = self.operand(c, code)?;
                code.assign(rd, if m == "mvn" { not(value) } else { value });
            }
            "movt" => {
                let rd = self.reg(c, code)?;
                comma(c)?;
                let high = immediate_of(c, 16)?.wrapping_shl(16);
                let low = bin(BinOp::And, reg(rd), Expr::int(0xffff, 32));
                code.assign(rd, bin(BinOp::Or, low, Expr::int(high, 32)));
            }
            "cmp" | "tst" => {
                let a = reg(self.reg(c, code)?);
                comma(c)?;
                let b = self.operand(c, code)?;
                let zero = code.register(&ZERO);
                let equal = if m == "cmp" { bin(BinOp::Eq, a, b) } else { is_zero(bin(BinOp::And, a, b), 32) };
                code.assign(zero, equal);
            }
            _ => {
                let base = m.strip_suffix('s').unwrap_or(m);
                let op = match base {
                    "add" => BinOp::Add,
                    "sub" => BinOp::Sub,
                    "and" => BinOp::And,
                    "orr" => BinOp::Or,
                    "eor" | "xor" => BinOp::Xor,
                    _ => return Ok(false),
                };
                let rd = self.reg(c, code)?;
                comma(c)?;
                let a = reg(self.reg(c, code)?);
                comma(c)?;
                let b = self.operand(c, code)?;
                code.assign(rd, bin(op, a, b));
                if base != m {
                    let zero = code.register(&ZERO);
                    code.assign(zero, is_zero(reg(rd), 32));
                }
            }
        }
        Ok(true)
    }

    /// A number or a register, which may be shifted.
    fn operand<'a>(&self, c: &mut Cursor<'_, 'a>, code: &mut Code<'_, 'a>) -> Result<Expr, Diagnostic> {
        if matches!(c.peek(), Tok::Num(_) | Tok::Punct("#")) {
            return Ok(Expr::int(immediate_of(c, 32)?, 32));
        }
        let r = reg(self.reg(c, code)?);
        self.shifted(r, c)
    }

    /// `, LSL #k` if it follows.
    fn shifted(&self, value: Expr, c: &mut Cursor<'_, '_>) -> Result<Expr, Diagnostic> {
        if !c.eat(",") {
            return Ok(value);
        }
        let at = c.span();
        let op = match &c.name("`LSL`")?.to_ascii_lowercase()[..] {
            "lsl" => BinOp::Shl,
            "lsr" => BinOp::LShr,
            "asr" => BinOp::AShr,
            _ => return Err(Diagnostic::error(at, "expected `LSL`, `LSR` or `ASR`")),
        };
        let most = if op == BinOp::Shl { 31 } else { 32 };
        Ok(bin(op, value, Expr::int(places(c, most)?, 32)))
    }

    fn access<'a>(&self, m: &str, c: &mut Cursor<'_, 'a>, code: &mut Code<'_, 'a>) -> Result<bool, Diagnostic> {
        let load: Option<&[&str]> = match m {
            "ldr" => Some(&[]),
            "ldrex" => Some(&["EX"]),
            "lda" => Some(ACQUIRE),
            "ldaex" => Some(&["EX", "A", "AL"]),
            _ => None,
        };
        if let Some(tags) = load {
            let rd = self.reg(c, code)?;
            comma(c)?;
            let addr = self.address(c, code)?;
            code.load(Some(rd), addr, 4, Cast::Zero, tags);
            return Ok(true);
        }
        match m {
            "str" | "stl" => {
                let value = self.reg(c, code)?;
                comma(c)?;
                let addr = self.address(c, code)?;
                code.store(addr, reg(value), 4, if m == "stl" { &["L"] } else { &[] });
            }
            "strex" | "stlex" => {
                let status = self.reg(c, code)?;
                comma(c)?;
                let value = self.reg(c, code)?;
                comma(c)?;
                let addr = self.address(c, code)?;
                let tags: &[&str] = if m == "stlex" { &["EX", "L"] } else { &["EX"] };
                let done = code.store_conditional(addr, reg(value), 4, tags);
                code.assign(status, not(done).zext(32));
            }
            "ldrd" => self.load_double(c, code)?,
            "ldm" | "ldmib" => self.load_multiple(m == "ldmib", c, code)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// `[Rn]`, `[Rn,#k]`, `[Rn,Rm]`, `[Rn,Rm,LSL #k]`, or in old tests `Rn`.
    fn address<'a>(&self, c: &mut Cursor<'_, 'a>, code: &mut Code<'_, 'a>) -> Result<Expr, Diagnostic> {
        if !c.eat("[") {
            return Ok(reg(self.reg(c, code)?).zext(64));
        }
        let base = reg(self.reg(c, code)?).zext(64);
        let addr = if !c.eat(",") {
            base
        } else if matches!(c.peek(), Tok::Num(_) | Tok::Punct("#")) {
            offset(base, immediate(c)?)
        } else {
            let index = reg(self.reg(c, code)?);
            bin(BinOp::Add, base, self.shifted(index, c)?.sext(64))
        };
        c.expect("]")?;
        Ok(addr)
    }

    /// Two loads that nothing orders.
    fn load_double<'a>(&self, c: &mut Cursor<'_, 'a>, code: &mut Code<'_, 'a>) -> Result<(), Diagnostic> {
        let at = c.span();
        let written = c.peek();
        let first = self.reg(c, code)?;
        comma(c)?;
        let second = if c.is("[") {
            // The second register may be left out: it is the next one.
            let next = match written {
                Tok::Name(word) => self.register(word).and_then(|r| NAMES.get(r.order as usize + 1)),
                _ => None,
            };
            let next = next.and_then(|name| self.register(name));
            code.register(&next.ok_or_else(|| Diagnostic::error(at, "this register has no successor"))?)
        } else {
            let second = self.reg(c, code)?;
            comma(c)?;
            second
        };
        let addr = self.address(c, code)?;
        self.load_all(addr, &[first, second], code);
        Ok(())
    }

    /// `LDM Rn,{Ra,Rb,…}`.
    fn load_multiple<'a>(
        &self,
        before: bool,
        c: &mut Cursor<'_, 'a>,
        code: &mut Code<'_, 'a>,
    ) -> Result<(), Diagnostic> {
        let base = reg(self.reg(c, code)?).zext(64);
        comma(c)?;
        c.expect("{")?;
        let mut targets = vec![self.reg(c, code)?];
        while c.eat(",") {
            targets.push(self.reg(c, code)?);
        }
        c.expect("}")?;
        self.load_all(if before { offset(base, 4) } else { base }, &targets, code);
        Ok(())
    }

    /// Consecutive words, loaded in no order, then moved to their registers: one of them may be the base.
    fn load_all(&self, addr: Expr, targets: &[Reg], code: &mut Code<'_, '_>) {
        let mut loaded = Vec::with_capacity(targets.len());
        for i in 0..targets.len() {
            let word = code.temp(32);
            let addr = offset(addr.clone(), 4 * i as i64);
            code.op_unordered(Op::Load { dst: word, addr, size: 4, tags: Vec::new() });
            loaded.push(word);
        }
        for (target, word) in targets.iter().zip(loaded) {
            code.assign(*target, reg(word));
        }
    }
}
