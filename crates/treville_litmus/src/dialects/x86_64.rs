//! X86_64 in the syntax of litmus tests: `movl $1,(x)`, the source first, sizes as suffixes, parts of registers by name.
//!
//! Without suffix the size is that of the register operand, else 4 bytes. States print the whole register, `rax`.

use super::x86::ops::{self, Flags, Operand, Place, View};
use crate::code::{Code, RegName};
use crate::dialects::Test;
use crate::lexer::{Cursor, Tok};
use crate::machine::{self, Isa};
use crate::operand::{bin, comma, immediate, label, offset, reg, unknown};
use std::borrow::Cow;
use std::sync::{Arc, LazyLock};
use treville_base::{Diagnostic, Span};
use treville_ir::{Dialect, Expr, Program, Question};
use treville_term::BinOp;

pub(crate) fn read(test: &Test<'_>) -> Result<(Program, Question), Vec<Diagnostic>> {
    machine::read(test, &X86_64)
}

pub(super) static DIALECT: LazyLock<Arc<Dialect>> = LazyLock::new(|| Arc::new(super::x86::dialect("X86_64", &["NT"])));

struct X86_64;

const NAMES: [&str; 18] = [
    "rax", "rbx", "rcx", "rdx", "rsi", "rdi", "rbp", "rsp", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15",
    "rip", "cs",
];

const FLAGS: [RegName; 4] = [
    RegName { order: 18, name: Cow::Borrowed("zf"), width: 1 },
    RegName { order: 19, name: Cow::Borrowed("sf"), width: 1 },
    RegName { order: 20, name: Cow::Borrowed("cf"), width: 1 },
    RegName { order: 21, name: Cow::Borrowed("sf^of"), width: 1 },
];

/// The register that a name is a part of, with the first bit and the number of bits.
fn part(name: &str) -> Option<(usize, u8, u8)> {
    let name = name.to_ascii_lowercase();
    if let Some(n) = NAMES.iter().position(|r| *r == name) {
        return Some((n, 0, 64));
    }
    if let Some(n) = name.strip_suffix(['d', 'w', 'b']).filter(|n| n.len() >= 2 && n.starts_with('r')) {
        let order = NAMES.iter().position(|r| *r == n).filter(|n| (8..16).contains(n))?;
        let bits = match name.as_bytes()[name.len() - 1] {
            b'd' => 32,
            b'w' => 16,
            _ => 8,
        };
        return Some((order, 0, bits));
    }
    let whole = |short: &str| NAMES[..8].iter().position(|r| r[1..] == *short);
    if let Some(n) = name.strip_prefix('e').and_then(whole) {
        return Some((n, 0, 32));
    }
    if let Some(n) = whole(&name) {
        return Some((n, 0, 16));
    }
    let low = ["al", "bl", "cl", "dl", "sil", "dil", "bpl", "spl"].iter().position(|r| *r == name);
    let high = || ["ah", "bh", "ch", "dh"].iter().position(|r| *r == name);
    low.map(|n| (n, 0, 8)).or_else(|| high().map(|n| (n, 8, 8)))
}

impl Isa for X86_64 {
    fn dialect(&self) -> Arc<Dialect> {
        Arc::clone(&DIALECT)
    }

    fn word(&self) -> u8 {
        64
    }

    fn register(&self, name: &str) -> Option<RegName> {
        part(name).map(|(n, _, _)| RegName::new(n as u32, NAMES[n], 64))
    }

    fn instruction<'a>(&self, c: &mut Cursor<'_, 'a>, code: &mut Code<'_, 'a>) -> Result<(), Diagnostic> {
        let mut at = c.span();
        let mut word = c.name("an instruction")?;
        let locked = word.eq_ignore_ascii_case("lock");
        if locked {
            at = c.span();
            word = c.name("an instruction after `lock`")?;
        }
        let mnemonic = word.to_ascii_lowercase();
        if !locked && (self.control(&mnemonic, c, code)? || self.special(&mnemonic, c, code)?) {
            return Ok(());
        }
        let Some((base, size)) = split(&mnemonic) else { return Err(unknown(self, word, at)) };
        if locked && matches!(base, "mov" | "cmp" | "shl" | "cmovc") {
            return Err(Diagnostic::error(at, format!("`{word}` cannot be locked")));
        }
        self.operation(base, size, locked, c, code)
    }
}

/// Instructions with operands, in every size.
const SIZED: &[&str] =
    &["mov", "add", "sub", "and", "or", "xor", "shl", "cmp", "inc", "dec", "xchg", "uxch", "xadd", "cmpxchg", "cmovc"];

/// The instruction without its suffix, and the size that this gives.
fn split(m: &str) -> Option<(&'static str, Option<u8>)> {
    if let Some(base) = SIZED.iter().find(|b| **b == m) {
        return Some((base, None));
    }
    let (base, suffix) = m.split_at_checked(m.len().checked_sub(1)?)?;
    let size = ops::suffix_size(suffix)?;
    SIZED.iter().find(|b| **b == base).map(|b| (*b, Some(size)))
}

impl X86_64 {
    fn control<'a>(&self, m: &str, c: &mut Cursor<'_, 'a>, code: &mut Code<'_, 'a>) -> Result<bool, Diagnostic> {
        match m {
            "mfence" | "sfence" | "lfence" => code.fence(&m.to_ascii_uppercase()),
            "endbr64" => {}
            "nop" | "nopl" | "nopw" => {
                while !c.done() {
                    c.next();
                }
            }
            "ret" | "retq" => code.end(),
            "jmp" => {
                let target = label(c, code)?;
                code.goto(target);
            }
            _ => {
                let Some(condition) = m.strip_prefix('j').filter(|cc| Flags::knows(cc)) else { return Ok(false) };
                let target = label(c, code)?;
                let cond = Flags::new(code, &FLAGS).condition(condition);
                code.branch(cond, target);
            }
        }
        Ok(true)
    }

    fn special<'a>(&self, m: &str, c: &mut Cursor<'_, 'a>, code: &mut Code<'_, 'a>) -> Result<bool, Diagnostic> {
        match m {
            "movnti" | "movntil" | "movntiq" => {
                let from = self.operand(c, code)?;
                comma(c)?;
                let to = self.place(c, code)?;
                let size =
                    ops::suffix_size(&m[6..]).unwrap_or_else(|| default_size(&[&from, &Operand::Place(to.clone())]));
                ops::mov(code, &to, &from, size, &["NT"]);
            }
            "setnb" => {
                let to = self.place(c, code)?;
                let condition = Flags::new(code, &FLAGS).condition("nb");
                ops::set(code, &to, condition, 1);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn operation<'a>(
        &self,
        m: &str,
        size: Option<u8>,
        locked: bool,
        c: &mut Cursor<'_, 'a>,
        code: &mut Code<'_, 'a>,
    ) -> Result<(), Diagnostic> {
        let span = c.span();
        let first = self.operand(c, code)?;
        if matches!(m, "inc" | "dec") {
            let to = in_place(first.clone(), span)?;
            let op = if m == "inc" { BinOp::Add } else { BinOp::Sub };
            let flags = Flags::new(code, &FLAGS).without_carry();
            let size = size.unwrap_or_else(|| default_size(&[&first]));
            ops::modify(code, &to, &Operand::Imm(1), op, size, locked, &flags);
            return Ok(());
        }
        comma(c)?;
        let second_span = c.span();
        let second = self.operand(c, code)?;
        let size = size.unwrap_or_else(|| default_size(&[&first, &second]));
        fits(&first, size, span)?;
        fits(&second, size, second_span)?;
        match m {
            "mov" => ops::mov(code, &in_place(second, second_span)?, &first, size, &[]),
            "cmp" => {
                let flags = Flags::new(code, &FLAGS);
                ops::compare(code, &second, &first, size, &flags);
            }
            "xchg" | "uxch" => ops::exchange(code, in_place(first, span)?, in_place(second, second_span)?, size, span)?,
            "xadd" => {
                let by = in_register(first, span)?;
                let flags = Flags::new(code, &FLAGS);
                ops::exchange_add(code, &in_place(second, second_span)?, by, size, locked, &flags);
            }
            "cmpxchg" => {
                // Written with the place first, against the habit of this syntax; both orders are understood.
                let (to, new) = match (first, second) {
                    (to, Operand::Place(Place::Reg(new))) => (in_place(to, span)?, new),
                    (new, to) => (in_place(to, second_span)?, in_register(new, span)?),
                };
                let accumulator = View::full(code.register(&RegName::new(0, NAMES[0], 64)), 64);
                let accumulator = View { bits: 8 * size, ..accumulator };
                let flags = Flags::new(code, &FLAGS);
                ops::compare_exchange(code, &to, accumulator, new, size, locked, &flags)?;
            }
            "cmovc" => {
                let to = in_register(first, span)?;
                let condition = Flags::new(code, &FLAGS).condition("c");
                ops::conditional_move(code, condition, to, &second, size)?;
            }
            _ => {
                let flags = Flags::new(code, &FLAGS);
                ops::modify(code, &in_place(second, second_span)?, &first, ops::operator(m), size, locked, &flags);
            }
        }
        Ok(())
    }

    fn view<'a>(&self, c: &mut Cursor<'_, 'a>, code: &mut Code<'_, 'a>) -> Result<View, Diagnostic> {
        let marked = c.eat("%");
        if let Tok::Name(word) = c.peek() {
            if let Some((n, low, bits)) = part(word) {
                c.next();
                let reg = code.register(&RegName::new(n as u32, NAMES[n], 64));
                return Ok(View { reg, low, bits });
            }
            if marked {
                c.next();
                return Ok(View::full(code.symbolic(word, 64), 64));
            }
        }
        Err(c.expected("a register of X86_64"))
    }

    fn operand<'a>(&self, c: &mut Cursor<'_, 'a>, code: &mut Code<'_, 'a>) -> Result<Operand, Diagnostic> {
        let address = matches!(c.peek_at(1), Tok::Punct("(" | "["));
        if matches!(c.peek(), Tok::Num(_) | Tok::Punct("$")) && !(address && matches!(c.peek(), Tok::Num(_))) {
            return Ok(Operand::Imm(immediate(c)?));
        }
        Ok(Operand::Place(self.place(c, code)?))
    }

    /// A register, `(x)`, `(%rbx)`, `8(%rbx)`, `8(%rbx,%rcx,4)`; brackets may replace parentheses.
    fn place<'a>(&self, c: &mut Cursor<'_, 'a>, code: &mut Code<'_, 'a>) -> Result<Place, Diagnostic> {
        let displacement = if matches!(c.peek(), Tok::Num(_)) { immediate(c)? } else { 0 };
        let close = match c.peek() {
            Tok::Punct("(") => ")",
            Tok::Punct("[") => "]",
            _ if displacement == 0 => return Ok(Place::Reg(self.view(c, code)?)),
            _ => return Err(c.expected("`(`")),
        };
        c.next();
        let span = c.span();
        let base = match c.peek() {
            Tok::Name(word) if part(word).is_none() => {
                c.next();
                Expr::Addr(code.shared.memory.mention(word, span), 0)
            }
            Tok::Num(_) => return Err(Diagnostic::error(span, "memory is addressed by names, not by numbers")),
            _ => reg(self.view(c, code)?.reg),
        };
        let mut address = offset(base, displacement);
        if c.eat(",") {
            let index = reg(self.view(c, code)?.reg);
            let scale = if c.eat(",") { immediate(c)? } else { 1 };
            address = bin(BinOp::Add, address, bin(BinOp::Mul, index, Expr::int(scale, 64)));
        }
        c.expect(close)?;
        Ok(Place::Mem(address))
    }
}

fn default_size(operands: &[&Operand]) -> u8 {
    let of = |o: &&Operand| match o {
        Operand::Place(Place::Reg(view)) => Some(view.bits / 8),
        _ => None,
    };
    operands.iter().find_map(of).unwrap_or(4)
}

/// A number has no more bits than what it is for.
fn fits(operand: &Operand, size: u8, span: Span) -> Result<(), Diagnostic> {
    let bits = 8 * u32::from(size);
    match operand {
        Operand::Imm(n) if bits < 64 && !(-(1 << (bits - 1))..1 << bits).contains(n) => {
            Err(Diagnostic::error(span, format!("`{n}` does not fit {bits} bits")))
        }
        _ => Ok(()),
    }
}

fn in_place(operand: Operand, span: Span) -> Result<Place, Diagnostic> {
    match operand {
        Operand::Place(place) => Ok(place),
        Operand::Imm(_) => Err(Diagnostic::error(span, "a number cannot be changed: expected a register or memory")),
    }
}

fn in_register(operand: Operand, span: Span) -> Result<View, Diagnostic> {
    match operand {
        Operand::Place(Place::Reg(view)) => Ok(view),
        _ => Err(Diagnostic::error(span, "expected a register")),
    }
}
