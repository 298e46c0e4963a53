//! LISA, the small language for experiments with models: `r[tags] r1 x`, `w[tags] x 1`, `f[tags]`, `rmw[tags] r1 op x`,
//! `mov`, `b[] r1 L`.
//!
//! Each annotation becomes a tag whose name begins with a capital letter, `once` gives `Once`. The two events of an `rmw`
//! also carry `X`. Trees of scopes after the code put threads into groups.

use crate::code::{Code, RegName};
use crate::dialects::Test;
use crate::lexer::{Cursor, Style, Tok};
use crate::machine::{self, Isa};
use crate::operand::{bin, label, reg, register, unknown};
use std::sync::{Arc, LazyLock};
use treville_base::{Diagnostic, Name};
use treville_ir::{Dialect, Expr, Op, Program, Question};
use treville_term::{BinOp, Cast};

pub(crate) fn read(test: &Test<'_>) -> Result<(Program, Question), Vec<Diagnostic>> {
    machine::read(test, &Lisa)
}

pub(super) static DIALECT: LazyLock<Arc<Dialect>> = LazyLock::new(|| {
    // Its sets are whatever a test's annotations are, so only a model that needs none can be the default.
    Arc::new(Dialect::assembly(Dialect::LISA, "sc", vec![Name::new("X")]))
});

struct Lisa;

impl Isa for Lisa {
    fn dialect(&self) -> Arc<Dialect> {
        Arc::clone(&DIALECT)
    }

    fn word(&self) -> u8 {
        64
    }

    /// Annotations may contain hyphens.
    fn style(&self) -> Style {
        Style::State
    }

    fn register(&self, name: &str) -> Option<RegName> {
        let digits = name.strip_prefix('r').filter(|d| !d.is_empty() && d.len() <= 9)?;
        let n: u32 = digits.bytes().all(|b| b.is_ascii_digit()).then(|| digits.parse().ok())??;
        Some(RegName::new(n, format!("r{n}"), 64))
    }

    fn after_code(&self, word: &str) -> bool {
        matches!(word, "scopes" | "levels" | "regions")
    }

    fn instruction<'a>(&self, c: &mut Cursor<'_, 'a>, code: &mut Code<'_, 'a>) -> Result<(), Diagnostic> {
        let at = c.span();
        let word = c.name("an instruction")?;
        match word {
            "r" => {
                let tags = tags(c)?;
                let rd = register(self, c, code)?;
                let addr = self.address(c, code)?;
                code.load(Some(rd), addr, 8, Cast::Zero, &refs(&tags));
            }
            "w" => {
                let tags = tags(c)?;
                let addr = self.address(c, code)?;
                let value = self.value(c, code)?;
                code.store(addr, value, 8, &refs(&tags));
            }
            "f" => {
                let tags = tags(c)?;
                if c.is("{") {
                    return Err(Diagnostic::error(c.span(), "fences between sets of labels are not supported"));
                }
                let tags = code.tags(&refs(&tags));
                code.op(Op::Fence { tags });
            }
            "rmw" => self.update(c, code)?,
            "mov" => {
                let rd = register(self, c, code)?;
                let value = self.operation(c, code)?;
                code.assign(rd, value);
            }
            "b" => {
                tags(c)?;
                match c.peek() {
                    Tok::Name(word) if self.register(word).is_some() => {
                        let cond = reg(register(self, c, code)?);
                        let target = label(c, code)?;
                        code.branch(bin(BinOp::Ne, cond, Expr::int(0, 64)), target);
                    }
                    _ => {
                        let target = label(c, code)?;
                        code.goto(target);
                    }
                }
            }
            "call" => return Err(Diagnostic::error(at, "`call` is obsolete and has no meaning")),
            _ => return Err(unknown(self, word, at)),
        }
        Ok(())
    }
}

/// `[once,release]`, or nothing.
fn tags(c: &mut Cursor<'_, '_>) -> Result<Vec<String>, Diagnostic> {
    let mut tags = Vec::new();
    if c.eat("[") {
        while !c.eat("]") {
            tags.push(capitalised(c.name("an annotation")?));
            if !c.is("]") {
                c.expect(",")?;
            }
        }
    }
    Ok(tags)
}

fn capitalised(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map(|first| first.to_ascii_uppercase().to_string() + chars.as_str()).unwrap_or_default()
}

fn refs(tags: &[String]) -> Vec<&str> {
    tags.iter().map(String::as_str).collect()
}

impl Lisa {
    /// A register or a location, perhaps with an offset.
    fn address<'a>(&self, c: &mut Cursor<'_, 'a>, code: &mut Code<'_, 'a>) -> Result<Expr, Diagnostic> {
        let base = self.value(c, code)?;
        if c.eat("+") {
            let by = self.value(c, code)?;
            return Ok(bin(BinOp::Add, base, by));
        }
        Ok(base)
    }

    /// A register, a number, or the address of a location.
    fn value<'a>(&self, c: &mut Cursor<'_, 'a>, code: &mut Code<'_, 'a>) -> Result<Expr, Diagnostic> {
        let span = c.span();
        match c.peek() {
            Tok::Num(n) => {
                c.next();
                Ok(Expr::int(n as i64, 64))
            }
            Tok::Name(word) if self.register(word).is_none() => {
                c.next();
                Ok(Expr::Addr(code.shared.memory.mention(word, span), 0))
            }
            _ => Ok(reg(register(self, c, code)?)),
        }
    }

    /// A value, or `(op a b)`.
    fn operation<'a>(&self, c: &mut Cursor<'_, 'a>, code: &mut Code<'_, 'a>) -> Result<Expr, Diagnostic> {
        if !c.eat("(") {
            return self.value(c, code);
        }
        let at = c.span();
        let op = match c.name("an operator")? {
            "add" => BinOp::Add,
            "and" => BinOp::And,
            "xor" => BinOp::Xor,
            "eq" => BinOp::Eq,
            "ne" | "neq" => BinOp::Ne,
            other => {
                let wrong = Diagnostic::error(at, format!("unknown operator `{other}`"));
                return Err(wrong.help("known are add, and, xor, eq, ne"));
            }
        };
        let a = self.value(c, code)?;
        let b = self.value(c, code)?;
        c.expect(")")?;
        let value = bin(op, a, b);
        Ok(if op.is_comparison() { value.zext(64) } else { value })
    }

    /// `rmw[tags] r op address`: `r` receives the old value; in `op` it stands for that value.
    fn update<'a>(&self, c: &mut Cursor<'_, 'a>, code: &mut Code<'_, 'a>) -> Result<(), Diagnostic> {
        let mut names = tags(c)?;
        names.push("X".to_owned());
        let old = register(self, c, code)?;
        let new = self.operation(c, code)?;
        let addr = self.address(c, code)?;
        let names = refs(&names);
        let tags = code.update_tags(&names, &names, &names, &names);
        code.op(Op::Update { old, addr, size: 8, guard: None, new, tags });
        Ok(())
    }
}
