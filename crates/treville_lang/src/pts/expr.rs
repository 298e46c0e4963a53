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
                let value = self.c.number(true)?;
                return made(ExprKind::Int(value), Sort::Number, start.to(self.c.last_span()), 1);
            }
            let inner = self.nested(Self::prefix)?;
            needs(&inner, Sort::Number)?;
            let (span, depth) = (start.to(inner.span), inner.depth + 1);
            return made(ExprKind::Negate(Box::new(inner)), Sort::Number, span, depth);
        }
        let (kind, sort) = match self.c.peek() {
            Tok::Num(_) => (ExprKind::Int(self.c.number(false)?), Sort::Number),
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
