//! X86 in the syntax of litmus tests: 32-bit registers, `MOV [x],$1` with the destination first.
//!
//! What instructions do is in [`ops`], which the 64-bit dialect shares. Fences carry their names as tags; both events of
//! a locked instruction carry `X`. Branches are not events: on this machine nothing is ordered by control.

pub(crate) mod ops;

use crate::code::{Code, RegName};
use crate::dialects::Test;
use crate::lexer::{Cursor, Tok};
use crate::machine::{self, Isa};
use crate::operand::{comma, immediate, immediate_of, label, register, unknown};
use ops::{Flags, Operand, Place, View};
use std::sync::{Arc, LazyLock};
use treville_base::{Diagnostic, Name};
use treville_ir::{Dialect, Expr, Program, Question};
use treville_term::BinOp;

pub(crate) fn read(test: &Test<'_>) -> Result<(Program, Question), Vec<Diagnostic>> {
    machine::read(test, &X86)
}

pub(super) static DIALECT: LazyLock<Arc<Dialect>> = LazyLock::new(|| Arc::new(dialect("X86", &[])));

/// The facts that both X86 dialects share.
pub(crate) fn dialect(name: &str, more: &[&str]) -> Dialect {
    let sets = ["MFENCE", "SFENCE", "LFENCE", "X"];
    let sets = sets.iter().chain(more).copied().map(Name::new).collect();
    Dialect { branch_events: false, conditional_store_data: false, ..Dialect::assembly(name, "tso", sets) }
}

struct X86;

const REGISTERS: &[&str] = &["EAX", "EBX", "ECX", "EDX", "ESI", "EDI", "EBP", "ESP", "EIP"];

/// The flags come after the registers.
const FLAGS: [RegName; 4] = [
    RegName { order: 9, name: std::borrow::Cow::Borrowed("ZF"), width: 1 },
    RegName { order: 10, name: std::borrow::Cow::Borrowed("SF"), width: 1 },
    RegName { order: 11, name: std::borrow::Cow::Borrowed("CF"), width: 1 },
    RegName { order: 12, name: std::borrow::Cow::Borrowed("SF^OF"), width: 1 },
];

impl Isa for X86 {
    fn dialect(&self) -> Arc<Dialect> {
        Arc::clone(&DIALECT)
    }

    fn word(&self) -> u8 {
        32
    }

    fn register(&self, name: &str) -> Option<RegName> {
        let order = REGISTERS.iter().position(|r| r.eq_ignore_ascii_case(name))?;
        Some(RegName::new(order as u32, REGISTERS[order], 32))
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
        if locked
            && !matches!(
                &mnemonic[..],
                "add" | "or" | "and" | "sub" | "xor" | "inc" | "dec" | "xchg" | "xadd" | "cmpxchg"
            )
        {
            return Err(Diagnostic::error(at, format!("`{word}` cannot be locked")));
        }
        let flags = |code: &mut Code<'_, 'a>| Flags::new(code, &FLAGS);
        match &mnemonic[..] {
            "nop" => {}
            "mfence" | "sfence" | "lfence" => code.fence(&mnemonic.to_ascii_uppercase()),
            "mov" | "movl" | "movb" | "movw" => {
                let size = ops::suffix_size(&mnemonic[3..]).unwrap_or(4);
                let to = self.place(c, code)?;
                comma(c)?;
                let from = self.operand(c, code)?;
                ops::mov(code, &to, &from, size, &[]);
            }
            "add" | "sub" | "and" | "or" | "xor" => {
                let to = self.place(c, code)?;
                comma(c)?;
                let by = self.operand(c, code)?;
                let flags = flags(code);
                ops::modify(code, &to, &by, ops::operator(&mnemonic), 4, locked, &flags);
            }
            "inc" | "dec" => {
                let to = self.place(c, code)?;
                let op = if mnemonic == "inc" { BinOp::Add } else { BinOp::Sub };
                let flags = flags(code).without_carry();
                ops::modify(code, &to, &Operand::Imm(1), op, 4, locked, &flags);
            }
            "cmp" => {
                let a = self.operand(c, code)?;
                comma(c)?;
                let b = self.operand(c, code)?;
                let flags = flags(code);
                ops::compare(code, &a, &b, 4, &flags);
            }
            "xchg" => {
                let span = c.span();
                let a = self.place(c, code)?;
                comma(c)?;
                let b = self.place(c, code)?;
                ops::exchange(code, a, b, 4, span)?;
            }
            "xadd" => {
                let to = self.place(c, code)?;
                comma(c)?;
                let by = self.view(c, code)?;
                let flags = flags(code);
                ops::exchange_add(code, &to, by, 4, locked, &flags);
            }
            "cmpxchg" => {
                let to = self.place(c, code)?;
                comma(c)?;
                let new = self.view(c, code)?;
                let eax = View::full(code.register(&RegName::new(0, "EAX", 32)), 32);
                let flags = flags(code);
                ops::compare_exchange(code, &to, eax, new, 4, locked, &flags)?;
            }
            "setnb" => {
                let to = self.place(c, code)?;
                let condition = flags(code).condition("nb");
                ops::set(code, &to, condition, 4);
            }
            "cmovc" => {
                let to = self.view(c, code)?;
                comma(c)?;
                let from = self.operand(c, code)?;
                let condition = flags(code).condition("c");
                ops::conditional_move(code, condition, to, &from, 4)?;
            }
            "jmp" => {
                let target = label(c, code)?;
                code.goto(target);
            }
            _ => match mnemonic.strip_prefix('j').filter(|cc| Flags::knows(cc)) {
                Some(cc) => {
                    let target = label(c, code)?;
                    let condition = flags(code).condition(cc);
                    code.branch(condition, target);
                }
                None => return Err(unknown(self, word, at)),
            },
        }
        Ok(())
    }
}

impl X86 {
    fn view<'a>(&self, c: &mut Cursor<'_, 'a>, code: &mut Code<'_, 'a>) -> Result<View, Diagnostic> {
        Ok(View::full(register(self, c, code)?, 32))
    }

    /// A register, `[EBX]`, `(EBX)` or `[x]`.
    fn place<'a>(&self, c: &mut Cursor<'_, 'a>, code: &mut Code<'_, 'a>) -> Result<Place, Diagnostic> {
        let close = match c.peek() {
            Tok::Punct("[") => "]",
            Tok::Punct("(") => ")",
            _ => return Ok(Place::Reg(self.view(c, code)?)),
        };
        c.next();
        let span = c.span();
        let base = match c.peek() {
            Tok::Name(word) if self.register(word).is_none() => {
                c.next();
                Expr::Addr(code.shared.memory.mention(word, span), 0)
            }
            Tok::Num(_) => return Err(Diagnostic::error(span, "memory is addressed by names, not by numbers")),
            _ => Expr::Reg(register(self, c, code)?).zext(64),
        };
        let address = if c.eat("+") { crate::operand::offset(base, immediate(c)?) } else { base };
        c.expect(close)?;
        Ok(Place::Mem(address))
    }

    fn operand<'a>(&self, c: &mut Cursor<'_, 'a>, code: &mut Code<'_, 'a>) -> Result<Operand, Diagnostic> {
        if matches!(c.peek(), Tok::Num(_) | Tok::Punct("$")) {
            return Ok(Operand::Imm(immediate_of(c, 32)?));
        }
        Ok(Operand::Place(self.place(c, code)?))
    }
}
