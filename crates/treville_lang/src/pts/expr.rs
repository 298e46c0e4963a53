//! Parsing expressions: one grammar for numbers and conditions, since a parenthesis may begin either.

use super::parse::Parser;
use super::syntax::{Binary, Expr, ExprKind, Sort};
use crate::lexer::Tok;
use treville_base::{Diagnostic, Span};

/// Deeper nesting than any program has; keeps the stack in bounds here and in whoever evaluates it.
const MAX_DEPTH: u32 = 100;

impl<'a> Parser<'a> {
    /// An expression that gives what is needed.
    pub(super) fn expr(&mut self, sort: Sort) -> Result<Expr<'a>, Diagnostic> {
        let expr = self.binary(0)?;
        needs(&expr, sort)?;
        Ok(expr)
    }

    /// Operators that bind at least this tight, and their operands.
    fn binary(&mut self, level: u8) -> Result<Expr<'a>, Diagnostic> {
        let mut left = self.prefix()?;
        loop {
            let operator = match self.c.peek() {
                Tok::Punct(word) => Binary::named(word),
                Tok::Name(word @ ("and" | "or")) => Binary::named(word),
                _ => None,
            };
            let Some(operator) = operator.filter(|o| o.level >= level) else { return Ok(left) };
            self.c.next();
            needs(&left, operator.operands)?;
            let right = self.nested(|p| p.binary(operator.level + 1))?;
            needs(&right, operator.operands)?;
            let (span, depth) = (left.span.to(right.span), left.depth.max(right.depth));
            let kind = ExprKind::Binary(operator, Box::new(left), Box::new(right));
            left = made(kind, operator.result(), span, depth + 1)?;
        }
    }

    fn prefix(&mut self) -> Result<Expr<'a>, Diagnostic> {
        let start = self.c.span();
        if self.c.eat("!") || self.c.eat_word("not") {
            let inner = self.nested(|p| p.binary(Binary::COMPARISON))?;
            needs(&inner, Sort::Truth)?;
            let (span, depth) = (start.to(inner.span), inner.depth + 1);
            return made(ExprKind::Not(Box::new(inner)), Sort::Truth, span, depth);
        }
        if self.c.eat("(") {
            let mut inner = self.nested(|p| p.binary(0))?;
            self.c.expect(")")?;
            inner.span = start.to(self.c.last_span());
            return Ok(inner);
        }
        if self.c.eat("-") {
            if matches!(self.c.peek(), Tok::Num(_)) {
                let value = self.number(true)?;
                return made(ExprKind::Int(value), Sort::Number, start.to(self.c.last_span()), 1);
            }
            let inner = self.nested(Self::prefix)?;
            needs(&inner, Sort::Number)?;
            let (span, depth) = (start.to(inner.span), inner.depth + 1);
            return made(ExprKind::Negate(Box::new(inner)), Sort::Number, span, depth);
        }
        let (kind, sort) = match self.c.peek() {
            Tok::Num(_) => (ExprKind::Int(self.number(false)?), Sort::Number),
            Tok::Name("true" | "True") => (ExprKind::Truth(true), Sort::Truth),
            Tok::Name("false" | "False") => (ExprKind::Truth(false), Sort::Truth),
            Tok::Name(name) if !super::parse::is_reserved(name) => (ExprKind::Register(name), Sort::Number),
            _ => return Err(self.c.expected("an expression")),
        };
        if !matches!(kind, ExprKind::Int(_)) {
            self.c.next();
        }
        made(kind, sort, start, 1)
    }

    /// A number, perhaps after a minus that was taken.
    pub(super) fn number(&mut self, negative: bool) -> Result<i32, Diagnostic> {
        let Tok::Num(digits) = self.c.peek() else { return Err(self.c.expected("a number")) };
        let span = self.c.span();
        if !digits.bytes().all(|b| b.is_ascii_digit()) {
            return Err(Diagnostic::error(span, format!("`{digits}` is not a number")));
        }
        self.c.next();
        let value = digits.parse::<i64>().ok().map(|n| if negative { -n } else { n });
        let too_large = || Diagnostic::error(span, "this number does not fit in 32 bits");
        value.and_then(|n| i32::try_from(n).ok()).ok_or_else(too_large)
    }
}

fn made(kind: ExprKind<'_>, sort: Sort, span: Span, depth: u32) -> Result<Expr<'_>, Diagnostic> {
    if depth > MAX_DEPTH {
        return Err(Diagnostic::error(span, "this expression is nested too deeply"));
    }
    Ok(Expr { kind, sort, span, depth })
}

fn needs(expr: &Expr<'_>, sort: Sort) -> Result<(), Diagnostic> {
    match (expr.sort, sort) {
        (Sort::Number, Sort::Truth) => {
            let error = Diagnostic::error(expr.span, "this is a number, where a condition is needed");
            Err(error.help("compare it: `r != 0`"))
        }
        (Sort::Truth, Sort::Number) => {
            Err(Diagnostic::error(expr.span, "this is a condition, where a number is needed"))
        }
        (Sort::Number, Sort::Number) | (Sort::Truth, Sort::Truth) => Ok(()),
    }
}
