//! Power, 64 bits. Fences carry their names; load-reserve and store-conditional carry `EX`. A comparison writes one field
//! of the condition register, three bits that say less, greater, equal; branches look at field 0.

use crate::code::{Code, RegName};
use crate::dialects::Test;
use crate::lexer::{Cursor, Tok};
use crate::machine::{self, Isa};
use crate::operand::{bin, comma, immediate, immediate_of, label, not, offset, reg, register, unknown};
use std::sync::{Arc, LazyLock};
use treville_base::{Diagnostic, Name};
use treville_ir::{Dialect, Expr, Program, Question, Reg, StatusDependency};
use treville_term::{BinOp, Cast};

pub(crate) fn read(test: &Test<'_>) -> Result<(Program, Question), Vec<Diagnostic>> {
    machine::read(test, &Ppc)
}

pub(super) static DIALECT: LazyLock<Arc<Dialect>> = LazyLock::new(|| {
    let sets = ["SYNC", "LWSYNC", "ISYNC", "EIEIO", "X", "EX"].map(Name::new).to_vec();
    Arc::new(Dialect {
        exclusive: Some(Name::new("EX")),
        status: StatusDependency::Operands,
        ..Dialect::assembly("PPC", "power", sets)
    })
});

struct Ppc;

const NAMES: [&str; 32] = [
    "r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "r16", "r17",
    "r18", "r19", "r20", "r21", "r22", "r23", "r24", "r25", "r26", "r27", "r28", "r29", "r30", "r31",
];
const FIELDS: [&str; 8] = ["cr0", "cr1", "cr2", "cr3", "cr4", "cr5", "cr6", "cr7"];

/// The bits of a condition field.
const LESS: i64 = 1;
const GREATER: i64 = 2;
const EQUAL: i64 = 4;

impl Isa for Ppc {
    fn dialect(&self) -> Arc<Dialect> {
        Arc::clone(&DIALECT)
    }

    fn word(&self) -> u8 {
        64
    }

    fn register(&self, name: &str) -> Option<RegName> {
        let n = NAMES.iter().position(|r| r.eq_ignore_ascii_case(name))?;
        Some(RegName::new(n as u32, NAMES[n], 64))
    }

    fn instruction<'a>(&self, c: &mut Cursor<'_, 'a>, code: &mut Code<'_, 'a>) -> Result<(), Diagnostic> {
        let at = c.span();
        let word = c.name("an instruction")?;
        let mnemonic = word.to_ascii_lowercase();
        let known = fence(&mnemonic, c, code)?
            || branch(&mnemonic, c, code)?
            || self.compare(&mnemonic, c, code)?
            || self.access(&mnemonic, c, code)?
            || self.arithmetic(&mnemonic, c, code)?;
        if known { Ok(()) } else { Err(unknown(self, word, at)) }
    }
}

fn fence(m: &str, c: &mut Cursor<'_, '_>, code: &mut Code<'_, '_>) -> Result<bool, Diagnostic> {
    match m {
        "nop" => {}
        "sync" | "hwsync" => code.fence("SYNC"),
        "lwsync" => code.fence("LWSYNC"),
        "isync" => code.fence("ISYNC"),
        "eieio" => code.fence("EIEIO"),
        "dcbf" => {
            // Cache hints mean nothing here.
            while !c.done() {
                c.next();
            }
        }
        _ => return Ok(false),
    }
    Ok(true)
}

fn field(code: &mut Code<'_, '_>, n: usize) -> Reg {
    code.register(&RegName::new(32 + n as u32, FIELDS[n], 4))
}

fn branch<'a>(m: &str, c: &mut Cursor<'_, 'a>, code: &mut Code<'_, 'a>) -> Result<bool, Diagnostic> {
    let (bit, expected) = match m {
        "b" => {
            let target = label(c, code)?;
            code.goto(target);
            return Ok(true);
        }
        "blr" => {
            code.end();
            return Ok(true);
        }
        "beq" => (EQUAL, true),
        "bne" => (EQUAL, false),
        "blt" => (LESS, true),
        "bge" | "bnl" => (LESS, false),
        "bgt" => (GREATER, true),
        "ble" | "bng" => (GREATER, false),
        _ => return Ok(false),
    };
    let mut number = 0;
    if let Some(n) = condition_field(c) {
        c.next();
        comma(c)?;
        number = n;
    }
    let target = label(c, code)?;
    let flags = field(code, number);
    let set = bin(BinOp::Ne, bin(BinOp::And, reg(flags), Expr::int(bit, 4)), Expr::int(0, 4));
    code.branch(if expected { set } else { not(set) }, target);
    Ok(true)
}

/// The number of the condition field that is next.
fn condition_field(c: &Cursor<'_, '_>) -> Option<usize> {
    match c.peek() {
        Tok::Name(word) => FIELDS.iter().position(|f| *f == word),
        _ => None,
    }
}

/// Sets a condition field by comparing two values.
fn set_field(code: &mut Code<'_, '_>, number: usize, a: Expr, b: Expr, less: BinOp) {
    let flags = field(code, number);
    let equal = Expr::ite(bin(BinOp::Eq, a.clone(), b.clone()), Expr::int(EQUAL, 4), Expr::int(GREATER, 4));
    code.assign(flags, Expr::ite(bin(less, a, b), Expr::int(LESS, 4), equal));
}

impl Ppc {
    fn reg<'a>(&self, c: &mut Cursor<'_, 'a>, code: &mut Code<'_, 'a>) -> Result<Reg, Diagnostic> {
        register(self, c, code)
    }

    /// As an address or the first operand of `addi`, `r0` is the number 0.
    fn reg_or_zero<'a>(&self, c: &mut Cursor<'_, 'a>, code: &mut Code<'_, 'a>) -> Result<Option<Reg>, Diagnostic> {
        if let Tok::Name(word) = c.peek()
            && word.eq_ignore_ascii_case("r0")
        {
            c.next();
            return Ok(None);
        }
        self.reg(c, code).map(Some)
    }

    fn compare<'a>(&self, m: &str, c: &mut Cursor<'_, 'a>, code: &mut Code<'_, 'a>) -> Result<bool, Diagnostic> {
        let (width, less, number) = match m {
            "cmpw" => (32, BinOp::SLt, false),
            "cmpwi" => (32, BinOp::SLt, true),
            "cmplw" => (32, BinOp::ULt, false),
            "cmplwi" => (32, BinOp::ULt, true),
            "cmpd" => (64, BinOp::SLt, false),
            "cmpdi" => (64, BinOp::SLt, true),
            "cmpld" => (64, BinOp::ULt, false),
            "cmpldi" => (64, BinOp::ULt, true),
            _ => return Ok(false),
        };
        let mut to = 0;
        if let Some(n) = condition_field(c) {
            c.next();
            comma(c)?;
            to = n;
        }
        let narrow = |e: Expr| if width == 64 { e } else { e.zext(width) };
        let a = narrow(reg(self.reg(c, code)?));
        comma(c)?;
        let b = if number { Expr::int(immediate(c)?, width) } else { narrow(reg(self.reg(c, code)?)) };
        set_field(code, to, a, b, less);
        Ok(true)
    }

    fn access<'a>(&self, m: &str, c: &mut Cursor<'_, 'a>, code: &mut Code<'_, 'a>) -> Result<bool, Diagnostic> {
        let Some(form) = access_form(m) else { return Ok(false) };
        let data = self.reg(c, code)?;
        comma(c)?;
        let (addr, base) = if form.indexed { (self.indexed(c, code)?, None) } else { self.displaced(c, code)? };
        let size = form.size;
        let narrow = |e: Expr| if size == 8 { e } else { e.zext(8 * size) };
        match form.kind {
            Kind::Load => code.load(Some(data), addr.clone(), size, form.extend, &[]),
            Kind::Store => code.store(addr.clone(), narrow(reg(data)), size, &[]),
            Kind::LoadReserve => code.load(Some(data), addr.clone(), size, Cast::Zero, &["EX"]),
            Kind::StoreConditional => {
                let done = code.store_conditional(addr.clone(), narrow(reg(data)), size, &["EX"]);
                let flags = field(code, 0);
                code.assign(flags, Expr::ite(done, Expr::int(EQUAL, 4), Expr::int(0, 4)));
            }
        }
        if form.update
            && let Some(base) = base
            && (form.kind == Kind::Store || base != data)
        {
            code.assign(base, addr);
        }
        Ok(true)
    }

    /// `k(reg)`, also written `k,reg`.
    fn displaced<'a>(
        &self,
        c: &mut Cursor<'_, 'a>,
        code: &mut Code<'_, 'a>,
    ) -> Result<(Expr, Option<Reg>), Diagnostic> {
        let k = immediate(c)?;
        if c.eat(",") {
            let base = self.reg(c, code)?;
            return Ok((offset(reg(base), k), Some(base)));
        }
        c.expect("(")?;
        let base = self.reg(c, code)?;
        c.expect(")")?;
        Ok((offset(reg(base), k), Some(base)))
    }

    fn indexed<'a>(&self, c: &mut Cursor<'_, 'a>, code: &mut Code<'_, 'a>) -> Result<Expr, Diagnostic> {
        let a = self.reg_or_zero(c, code)?;
        comma(c)?;
        let b = reg(self.reg(c, code)?);
        Ok(match a {
            Some(a) => bin(BinOp::Add, reg(a), b),
            None => b,
        })
    }

    fn arithmetic<'a>(&self, m: &str, c: &mut Cursor<'_, 'a>, code: &mut Code<'_, 'a>) -> Result<bool, Diagnostic> {
        let (base, dot) = match m.strip_suffix('.') {
            Some(base) => (base, true),
            None => (m, false),
        };
        let Some(form) = operation(base) else { return self.special(m, c, code) };
        // With a number only `andi.` sets the flags, and it always does.
        if form.number && (base == "andi") != dot {
            return Ok(false);
        }
        let rd = self.reg(c, code)?;
        comma(c)?;
        let a =
            if form.zero { self.reg_or_zero(c, code)?.map_or(Expr::int(0, 64), reg) } else { reg(self.reg(c, code)?) };
        comma(c)?;
        let b = if form.number { Expr::int(immediate(c)?, 64) } else { reg(self.reg(c, code)?) };
        let value = (form.apply)(a, b);
        code.assign(rd, value);
        if dot {
            set_field(code, 0, reg(rd), Expr::int(0, 64), BinOp::SLt);
        }
        Ok(true)
    }

    fn special<'a>(&self, m: &str, c: &mut Cursor<'_, 'a>, code: &mut Code<'_, 'a>) -> Result<bool, Diagnostic> {
        let rd = match m {
            "rlwinm" | "rlwimi" => {
                self.rotate(m, c, code)?;
                return Ok(true);
            }
            "li" | "lis" | "mr" | "neg" | "extsw" | "mfcr" | "clrldi" => self.reg(c, code)?,
            _ => return Ok(false),
        };
        if m == "mfcr" {
            let flags = field(code, 0);
            code.assign(rd, reg(flags).zext(64));
            return Ok(true);
        }
        comma(c)?;
        let value = match m {
            "li" => Expr::int(immediate(c)?, 64),
            "lis" => Expr::int(immediate_of(c, 16)?.wrapping_shl(16), 32).sext(64),
            "mr" => reg(self.reg(c, code)?),
            "neg" => Expr::un(treville_term::UnOp::Neg, reg(self.reg(c, code)?)),
            "extsw" => reg(self.reg(c, code)?).zext(32).sext(64),
            _ => {
                let source = reg(self.reg(c, code)?);
                comma(c)?;
                let at = c.span();
                let n = immediate(c)?;
                if !(0..64).contains(&n) {
                    return Err(Diagnostic::error(at, "a number of bits is between 0 and 63"));
                }
                bin(BinOp::And, source, Expr::int((u64::MAX >> n) as i64, 64))
            }
        };
        code.assign(rd, value);
        Ok(true)
    }
}

impl Ppc {
    /// Rotates the low word left and keeps the bits of a mask; `rlwimi` takes the others from the target. Bit 0 of a word is
    /// its highest.
    fn rotate<'a>(&self, m: &str, c: &mut Cursor<'_, 'a>, code: &mut Code<'_, 'a>) -> Result<(), Diagnostic> {
        let rd = self.reg(c, code)?;
        comma(c)?;
        let source = reg(self.reg(c, code)?).zext(32);
        let mut bits = [0u32; 3];
        for bit in &mut bits {
            comma(c)?;
            let at = c.span();
            let n = immediate(c)?;
            *bit = u32::try_from(n)
                .ok()
                .filter(|n| *n < 32)
                .ok_or_else(|| Diagnostic::error(at, "a word has the bits 0 to 31"))?;
        }
        let [by, first, last] = bits;
        let from_first = u32::MAX >> first;
        let to_last = u32::MAX << (31 - last);
        let mask = if first <= last { from_first & to_last } else { from_first | to_last };
        let left = bin(BinOp::Shl, source.clone(), Expr::int(i64::from(by), 32));
        let right = bin(BinOp::LShr, source, Expr::int(i64::from(32 - by), 32));
        let rotated = bin(BinOp::Or, left, right).zext(64);
        let kept = bin(BinOp::And, rotated, Expr::int(i64::from(mask), 64));
        let value = if m == "rlwinm" {
            kept
        } else {
            bin(BinOp::Or, bin(BinOp::And, reg(rd), Expr::int(!i64::from(mask), 64)), kept)
        };
        code.assign(rd, value);
        Ok(())
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Load,
    Store,
    LoadReserve,
    StoreConditional,
}

#[derive(Clone, Copy, Debug)]
struct Access {
    kind: Kind,
    size: u8,
    extend: Cast,
    /// `ra,rb` in place of `k(ra)`.
    indexed: bool,
    /// The base becomes the address.
    update: bool,
}

fn access_form(m: &str) -> Option<Access> {
    let form = |kind, size, extend, indexed, update| Some(Access { kind, size, extend, indexed, update });
    match m {
        "lwarx" => return form(Kind::LoadReserve, 4, Cast::Zero, true, false),
        "ldarx" => return form(Kind::LoadReserve, 8, Cast::Zero, true, false),
        "stwcx." => return form(Kind::StoreConditional, 4, Cast::Zero, true, false),
        "stdcx." => return form(Kind::StoreConditional, 8, Cast::Zero, true, false),
        _ => {}
    }
    let (base, indexed) = match m.strip_suffix('x') {
        Some(base) => (base, true),
        None => (m, false),
    };
    let (base, update) = match base.strip_suffix('u') {
        Some(base) if !indexed => (base, true),
        _ => (base, false),
    };
    let (kind, size, extend) = match base {
        "lbz" => (Kind::Load, 1, Cast::Zero),
        "lhz" => (Kind::Load, 2, Cast::Zero),
        "lha" => (Kind::Load, 2, Cast::Sign),
        "lwz" => (Kind::Load, 4, Cast::Zero),
        "lwa" => (Kind::Load, 4, Cast::Sign),
        "ld" => (Kind::Load, 8, Cast::Zero),
        "stb" => (Kind::Store, 1, Cast::Zero),
        "sth" => (Kind::Store, 2, Cast::Zero),
        "stw" => (Kind::Store, 4, Cast::Zero),
        "std" => (Kind::Store, 8, Cast::Zero),
        _ => return None,
    };
    form(kind, size, extend, indexed, update)
}

struct Operation {
    apply: fn(Expr, Expr) -> Expr,
    /// The last operand is a number.
    number: bool,
    /// `r0` as second operand is 0.
    zero: bool,
}

/// An operation on the low words.
fn word(op: BinOp, a: Expr, b: Expr) -> Expr {
    bin(op, a.zext(32), b.zext(32)).sext(64)
}

fn operation(m: &str) -> Option<Operation> {
    let two = |apply| Some(Operation { apply, number: false, zero: false });
    let number = |apply, zero| Some(Operation { apply, number: true, zero });
    match m {
        "add" => two(|a, b| bin(BinOp::Add, a, b)),
        "sub" => two(|a, b| bin(BinOp::Sub, a, b)),
        "subf" => two(|a, b| bin(BinOp::Sub, b, a)),
        "and" => two(|a, b| bin(BinOp::And, a, b)),
        "or" => two(|a, b| bin(BinOp::Or, a, b)),
        "xor" => two(|a, b| bin(BinOp::Xor, a, b)),
        "nor" => two(|a, b| not(bin(BinOp::Or, a, b))),
        "mullw" => two(|a, b| word(BinOp::Mul, a, b)),
        "divw" => two(|a, b| word(BinOp::SDiv, a, b)),
        // The low six bits say by how many places.
        "slw" => two(|a, b| bin(BinOp::Shl, a.zext(32), b.zext(6).zext(32)).zext(64)),
        "sraw" => two(|a, b| word(BinOp::AShr, a, b.zext(6))),
        "srawi" => number(|a, b| word(BinOp::AShr, a, b), false),
        "addi" => number(|a, b| bin(BinOp::Add, a, b), true),
        "subi" => number(|a, b| bin(BinOp::Sub, a, b), true),
        "addis" => number(|a, b| bin(BinOp::Add, a, bin(BinOp::Shl, b, Expr::int(16, 64))), true),
        "ori" => number(|a, b| bin(BinOp::Or, a, b), false),
        "xori" => number(|a, b| bin(BinOp::Xor, a, b), false),
        "andi" => number(|a, b| bin(BinOp::And, a, b), false),
        "mulli" => number(|a, b| bin(BinOp::Mul, a, b), false),
        _ => None,
    }
}
