//! BPF, the instructions of programs inside a kernel, as its verifier prints them: `r0 = *(u32 *)(r1 + 0)`.
//!
//! Tags: `X` atomic instructions, `SC` those of them that give back a value, `AQ` and `RL` for `load_acquire` and
//! `store_release`. An atomic instruction is one event that reads and writes; a compare-exchange is two, and a plain read
//! if it fails.

use crate::code::{Code, RegName};
use crate::dialects::Test;
use crate::lexer::{Cursor, Tok};
use crate::machine::{self, Isa};
use crate::operand::{
    bin, comma, immediate, immediate_of, is_zero, label, not, offset, reg, register, resize, unknown,
};
use std::sync::{Arc, LazyLock};
use treville_base::{Diagnostic, Name, Span};
use treville_ir::{Dialect, Expr, Op, Program, Question, Reg};
use treville_term::{BinOp, Cast};

pub(crate) fn read(test: &Test<'_>) -> Result<(Program, Question), Vec<Diagnostic>> {
    machine::read(test, &Bpf)
}

pub(super) static DIALECT: LazyLock<Arc<Dialect>> = LazyLock::new(|| {
    let sets = ["X", "SC", "AQ", "RL"].map(Name::new).to_vec();
    // There is no bundled model of this machine.
    Arc::new(Dialect { fused_updates: true, ..Dialect::assembly("BPF", "sc", sets) })
});

struct Bpf;

const NAMES: [&str; 11] = ["r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10"];

/// What an operator and `=` after it compute.
type Operation = fn(Expr, Expr) -> Expr;

/// The tags of atomic instructions, without and with a result.
const SILENT: &[&str] = &["X"];
const FETCHING: &[&str] = &["X", "SC"];

impl Isa for Bpf {
    fn dialect(&self) -> Arc<Dialect> {
        Arc::clone(&DIALECT)
    }

    fn word(&self) -> u8 {
        64
    }

    fn register(&self, name: &str) -> Option<RegName> {
        let n = NAMES.iter().position(|n| *n == name)?;
        Some(RegName::new(n as u32, NAMES[n], 64))
    }

    fn instruction<'a>(&self, c: &mut Cursor<'_, 'a>, code: &mut Code<'_, 'a>) -> Result<(), Diagnostic> {
        let at = c.span();
        match c.peek() {
            Tok::Punct("*") => self.store(c, code),
            Tok::Name("lock") => {
                c.next();
                self.silent(c, code)
            }
            Tok::Name("store_release") => {
                c.next();
                c.expect("(")?;
                let (addr, size) = self.typed(c, code)?;
                comma(c)?;
                let value = resize(reg(register(self, c, code)?), 64, 8 * size);
                code.store(addr, value, size, &["RL"]);
                c.expect(")").map(|_| ())
            }
            Tok::Name("goto") => {
                c.next();
                let target = label(c, code)?;
                code.goto(target);
                Ok(())
            }
            Tok::Name("if") => {
                c.next();
                self.branch(c, code)
            }
            Tok::Name(word) if self.register(word).is_none() => Err(unknown(self, word, at)),
            _ => self.computation(c, code),
        }
    }
}

impl Bpf {
    /// A register or a number.
    fn value<'a>(&self, c: &mut Cursor<'_, 'a>, code: &mut Code<'_, 'a>) -> Result<Expr, Diagnostic> {
        match c.peek() {
            Tok::Num(_) => Ok(Expr::int(immediate(c)?, 64)),
            _ => Ok(reg(register(self, c, code)?)),
        }
    }

    /// `r1 + 4`, where the number has 16 bits.
    fn address<'a>(&self, c: &mut Cursor<'_, 'a>, code: &mut Code<'_, 'a>) -> Result<Expr, Diagnostic> {
        let base = reg(register(self, c, code)?);
        let negative = c.eat("-");
        if !negative {
            c.eat("+");
        }
        let k = i64::from(immediate_of(c, 16)? as i16);
        Ok(offset(base, if negative { -k } else { k }))
    }

    /// `(u32 *)(r1 + 4)`: an address and the size of what is there.
    fn typed<'a>(&self, c: &mut Cursor<'_, 'a>, code: &mut Code<'_, 'a>) -> Result<(Expr, u8), Diagnostic> {
        c.expect("(")?;
        let size = match c.peek() {
            Tok::Name("u8") => 1,
            Tok::Name("u16") => 2,
            Tok::Name("u32") => 4,
            Tok::Name("u64") => 8,
            _ => return Err(c.expected("`u8`, `u16`, `u32` or `u64`")),
        };
        c.next();
        c.expect("*")?;
        c.expect(")")?;
        c.expect("(")?;
        let addr = self.address(c, code)?;
        c.expect(")")?;
        Ok((addr, size))
    }

    /// `*(u32 *)(r1 + 0) = r2`.
    fn store<'a>(&self, c: &mut Cursor<'_, 'a>, code: &mut Code<'_, 'a>) -> Result<(), Diagnostic> {
        c.expect("*")?;
        let (addr, size) = self.typed(c, code)?;
        c.expect("=")?;
        let value = resize(self.value(c, code)?, 64, 8 * size);
        code.store(addr, value, size, &[]);
        Ok(())
    }

    /// After `lock`: an atomic instruction without a result, `*(u64 *)(r1 + 0) += r2`.
    fn silent<'a>(&self, c: &mut Cursor<'_, 'a>, code: &mut Code<'_, 'a>) -> Result<(), Diagnostic> {
        c.expect("*")?;
        let (addr, size) = self.typed(c, code)?;
        let at = c.span();
        let operator = operator(c).filter(|o| ["+", "&", "|", "^"].contains(o));
        let apply = operator.and_then(operation).ok_or_else(|| {
            Diagnostic::error(at, "expected an operator of atomic instructions").help("there are `+= &= |= ^=`")
        })?;
        let by = resize(reg(register(self, c, code)?), 64, 8 * size);
        update(code, addr, size, SILENT, |old| apply(old, by));
        Ok(())
    }

    /// After `if`: `r1 == 2 goto L`.
    fn branch<'a>(&self, c: &mut Cursor<'_, 'a>, code: &mut Code<'_, 'a>) -> Result<(), Diagnostic> {
        let a = reg(register(self, c, code)?);
        let compare: Operation = match c.next() {
            Tok::Punct("==") => |a, b| bin(BinOp::Eq, a, b),
            Tok::Punct("!=") => |a, b| bin(BinOp::Ne, a, b),
            Tok::Punct("<") => |a, b| bin(BinOp::SLt, a, b),
            Tok::Punct(">") if c.eat("=") => |a, b| not(bin(BinOp::SLt, a, b)),
            _ => return Err(Diagnostic::error(c.last_span(), "expected one of `==`, `!=`, `<` and `>=`")),
        };
        let b = self.value(c, code)?;
        match c.next() {
            Tok::Name("goto") => {}
            _ => return Err(Diagnostic::error(c.last_span(), "expected `goto` and a label after the comparison")),
        }
        let target = label(c, code)?;
        code.branch(compare(a, b), target);
        Ok(())
    }

    /// What begins with a register: `r1 = …`, `r1 += …`.
    fn computation<'a>(&self, c: &mut Cursor<'_, 'a>, code: &mut Code<'_, 'a>) -> Result<(), Diagnostic> {
        let rd = register(self, c, code)?;
        if c.eat("=") {
            return self.assignment(rd, c, code);
        }
        let at = c.span();
        let apply = operator(c).and_then(operation);
        let apply = apply.ok_or_else(|| Diagnostic::error(at, "expected `=` or an operator such as `+=`"))?;
        let by = self.value(c, code)?;
        code.assign(rd, apply(reg(rd), by));
        Ok(())
    }

    fn assignment<'a>(&self, rd: Reg, c: &mut Cursor<'_, 'a>, code: &mut Code<'_, 'a>) -> Result<(), Diagnostic> {
        let at = c.span();
        match c.peek() {
            Tok::Punct("*") => {
                c.next();
                let (addr, size) = self.typed(c, code)?;
                code.load(Some(rd), addr, size, Cast::Zero, &[]);
            }
            Tok::Name("load_acquire") => {
                c.next();
                c.expect("(")?;
                let (addr, size) = self.typed(c, code)?;
                c.expect(")")?;
                code.load(Some(rd), addr, size, Cast::Zero, &["AQ"]);
            }
            Tok::Name(word) if self.register(word).is_none() => {
                c.next();
                return self.atomic(word, at, rd, c, code);
            }
            _ => {
                let value = self.value(c, code)?;
                code.assign(rd, value);
            }
        }
        Ok(())
    }

    /// An atomic instruction with a result, which goes to the register that it has the operand from.
    fn atomic<'a>(
        &self,
        word: &str,
        at: Span,
        rd: Reg,
        c: &mut Cursor<'_, 'a>,
        code: &mut Code<'_, 'a>,
    ) -> Result<(), Diagnostic> {
        let apply = match word.strip_prefix("atomic_fetch_") {
            Some("add") => operation("+"),
            Some("and") => operation("&"),
            Some("or") => operation("|"),
            Some("xor") => operation("^"),
            _ => None,
        };
        let exchange = match word {
            "xchg_64" | "cmpxchg_64" => Some(8),
            "xchg_32" | "xchg32_32" | "xchg_32_32" | "cmpxchg_32" | "cmpxchg32_32" => Some(4),
            _ => None,
        };
        c.expect("(").map_err(|_| unknown(self, word, at))?;
        let (addr, size) = match (apply, exchange) {
            (Some(_), _) => self.typed(c, code)?,
            (None, Some(size)) => (self.address(c, code)?, size),
            (None, None) => return Err(unknown(self, word, at)),
        };
        comma(c)?;
        let first = self.result(rd, c, code)?;
        if word.starts_with("cmpxchg") {
            comma(c)?;
            let new = resize(reg(register(self, c, code)?), 64, 8 * size);
            compare_exchange(code, addr, size, first, new);
        } else {
            let by = resize(reg(first), 64, 8 * size);
            let old = update(code, addr, size, FETCHING, |old| apply.map_or(by.clone(), |f| f(old, by.clone())));
            code.assign(first, resize(reg(old), 8 * size, 64));
        }
        c.expect(")").map(|_| ())
    }

    /// The operand that must be the register of the result.
    fn result<'a>(&self, rd: Reg, c: &mut Cursor<'_, 'a>, code: &mut Code<'_, 'a>) -> Result<Reg, Diagnostic> {
        let at = c.span();
        let operand = register(self, c, code)?;
        if operand == rd {
            return Ok(operand);
        }
        Err(Diagnostic::error(at, "this must be the register that receives the result"))
    }
}

/// Reads a location and writes what `new` makes of its value; the register that has the old value.
fn update(code: &mut Code<'_, '_>, addr: Expr, size: u8, tags: &[&str], new: impl FnOnce(Expr) -> Expr) -> Reg {
    let old = code.temp(8 * size);
    let new = new(reg(old));
    let tags = code.update_tags(tags, tags, tags, tags);
    code.op(Op::Update { old, addr, size, guard: None, new, tags });
    old
}

fn compare_exchange(code: &mut Code<'_, '_>, addr: Expr, size: u8, expected: Reg, new: Expr) {
    let old = code.temp(8 * size);
    let guard = Some(bin(BinOp::Eq, reg(old), resize(reg(expected), 64, 8 * size)));
    let tags = code.update_tags(FETCHING, FETCHING, &[], &[]);
    code.op(Op::Update { old, addr, size, guard, new, tags });
    code.assign(expected, resize(reg(old), 8 * size, 64));
}

/// The operator before `=`, which is taken too.
fn operator(c: &mut Cursor<'_, '_>) -> Option<&'static str> {
    if c.eat("|=") {
        return Some("|");
    }
    let found = match (c.next(), c.peek()) {
        (Tok::Name("s"), Tok::Punct(">")) => {
            c.next();
            c.eat(">").then_some("s>>")
        }
        (Tok::Punct(first @ ("<" | ">")), Tok::Punct(second)) if first == second => {
            c.next();
            Some(if first == "<" { "<<" } else { ">>" })
        }
        (Tok::Punct(one), _) => Some(one),
        _ => None,
    };
    found.filter(|_| c.eat("="))
}

fn operation(operator: &str) -> Option<Operation> {
    Some(match operator {
        "+" => |a, b| bin(BinOp::Add, a, b),
        "-" => |a, b| bin(BinOp::Sub, a, b),
        "*" => |a, b| bin(BinOp::Mul, a, b),
        // Dividing by zero gives zero, and leaves the dividend as the rest.
        "/" => |a, b| Expr::ite(is_zero(b.clone(), 64), Expr::int(0, 64), bin(BinOp::UDiv, a, b)),
        "%" => |a, b| Expr::ite(is_zero(b.clone(), 64), a.clone(), bin(BinOp::URem, a, b)),
        "&" => |a, b| bin(BinOp::And, a, b),
        "|" => |a, b| bin(BinOp::Or, a, b),
        "^" => |a, b| bin(BinOp::Xor, a, b),
        // Only the low six bits of a number of places count.
        "<<" => |a, b| bin(BinOp::Shl, a, bin(BinOp::And, b, Expr::int(63, 64))),
        ">>" => |a, b| bin(BinOp::LShr, a, bin(BinOp::And, b, Expr::int(63, 64))),
        "s>>" => |a, b| bin(BinOp::AShr, a, bin(BinOp::And, b, Expr::int(63, 64))),
        _ => return None,
    })
}
