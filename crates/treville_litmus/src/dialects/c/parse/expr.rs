//! Expressions, with the operators and the precedence of C.

use super::super::ast::{AtomicOp, Binary, Expr, ExprKind, Unary};
use super::super::token::Tok;
use super::super::types;
use super::{MAX_NESTING, Parsed, Parser};
use treville_base::{Diagnostic, Name, Span};

impl Parser<'_, '_> {
    /// Makes an expression that ends with the last word taken.
    pub(super) fn node(&self, kind: ExprKind, start: Span) -> Parsed<Expr> {
        let below = match &kind {
            ExprKind::Int(_) | ExprKind::Name(_) | ExprKind::Operator(_) => 0,
            ExprKind::Deref(a)
            | ExprKind::AddressOf(a)
            | ExprKind::PointerCast(_, a)
            | ExprKind::Cast(_, a)
            | ExprKind::Unary(_, a) => a.height,
            ExprKind::Index(a, b) | ExprKind::Binary(_, a, b) => a.height.max(b.height),
            ExprKind::Conditional(a, b, c) => a.height.max(b.height).max(c.height),
            ExprKind::Call { args, .. } => args.iter().map(|a| a.height).max().unwrap_or(0),
        };
        let span = self.since(start);
        if below >= MAX_NESTING {
            return Err(Diagnostic::error(span, format!("an expression of more than {MAX_NESTING} levels")));
        }
        Ok(Expr { kind, span, height: below + 1 })
    }

    pub(super) fn expr(&mut self) -> Parsed<Expr> {
        self.nested(|p| {
            let start = p.span();
            let cond = p.binary(0)?;
            if !p.eat("?") {
                return Ok(cond);
            }
            let then = p.expr()?;
            p.expect(":")?;
            let els = p.expr()?;
            p.node(ExprKind::Conditional(Box::new(cond), Box::new(then), Box::new(els)), start)
        })
    }

    /// Operators that bind at least as tightly as `level`.
    fn binary(&mut self, level: u8) -> Parsed<Expr> {
        let start = self.span();
        let mut left = self.unary()?;
        while let Tok::Punct(punct) = self.peek()
            && let Some((op, binds)) = binary_operator(punct)
            && binds >= level
        {
            self.advance();
            let right = self.binary(binds + 1)?;
            left = self.node(ExprKind::Binary(op, Box::new(left), Box::new(right)), start)?;
        }
        Ok(left)
    }

    fn unary(&mut self) -> Parsed<Expr> {
        self.nested(|p| {
            let start = p.span();
            let wrap: fn(Box<Expr>) -> ExprKind = match p.peek() {
                Tok::Punct("*") => ExprKind::Deref,
                Tok::Punct("&") => ExprKind::AddressOf,
                Tok::Punct("-") => return p.negation(),
                Tok::Punct("~") => |e| ExprKind::Unary(Unary::Complement, e),
                Tok::Punct("!") => |e| ExprKind::Unary(Unary::Not, e),
                Tok::Punct("(") if matches!(p.token(1).tok, Tok::Name(w) if types::begins_type(w)) => return p.cast(),
                _ => return p.postfix(),
            };
            p.advance();
            let inner = p.unary()?;
            p.node(wrap(Box::new(inner)), start)
        })
    }

    /// `-e`; a negative number is a number.
    fn negation(&mut self) -> Parsed<Expr> {
        let start = self.advance().span;
        let inner = self.unary()?;
        let kind = match inner.kind {
            ExprKind::Int(n) => ExprKind::Int(-n),
            _ => ExprKind::Unary(Unary::Negate, Box::new(inner)),
        };
        self.node(kind, start)
    }

    fn cast(&mut self) -> Parsed<Expr> {
        let start = self.span();
        self.advance();
        let ty = self.ty()?;
        self.expect(")")?;
        let inner = self.unary()?;
        let kind = if ty.pointers == 0 { ExprKind::Cast } else { ExprKind::PointerCast };
        self.node(kind(ty, Box::new(inner)), start)
    }

    fn postfix(&mut self) -> Parsed<Expr> {
        let start = self.span();
        let mut base = self.primary()?;
        while self.eat("[") {
            let index = self.expr()?;
            self.expect("]")?;
            base = self.node(ExprKind::Index(Box::new(base), Box::new(index)), start)?;
        }
        if self.is("->") || self.is(".") {
            return Err(Diagnostic::error(self.span(), "members of structs are not supported"));
        }
        Ok(base)
    }

    fn primary(&mut self) -> Parsed<Expr> {
        let start = self.span();
        match self.peek() {
            Tok::Int(n) => {
                self.advance();
                self.node(ExprKind::Int(n), start)
            }
            Tok::Name(name) => {
                self.advance();
                let name = Name::new(name);
                let annotations = if self.is("{") && name.starts_with("__") { self.annotations()? } else { Vec::new() };
                if self.eat("(") {
                    let args = self.list(")", Self::argument)?;
                    return self.node(ExprKind::Call { name, annotations, args }, start);
                }
                if !annotations.is_empty() {
                    return self.node(ExprKind::Call { name, annotations, args: Vec::new() }, start);
                }
                self.node(ExprKind::Name(name), start)
            }
            Tok::Punct("(") => {
                self.advance();
                let inner = self.expr()?;
                self.expect(")")?;
                Ok(Expr { span: self.since(start), ..inner })
            }
            _ => Err(self.expected("an expression")),
        }
    }

    /// `{once}`, `{before-atomic,mb}`.
    fn annotations(&mut self) -> Parsed<Vec<Name>> {
        self.expect("{")?;
        self.list("}", |p| {
            let mut annotation = p.name("an annotation")?.to_string();
            while p.eat("-") {
                annotation = annotation + "-" + &p.name("the rest of the annotation")?;
            }
            Ok(Name::from(annotation))
        })
    }

    /// An expression, or an operator alone.
    fn argument(&mut self) -> Parsed<Expr> {
        let start = self.span();
        let operator = match self.peek() {
            Tok::Punct("+") => AtomicOp::Add,
            Tok::Punct("-") if self.is_at(1, ",") => AtomicOp::Sub,
            Tok::Punct("&") if self.is_at(1, ",") => AtomicOp::And,
            Tok::Punct("&") if self.is_at(1, "~") && self.is_at(2, ",") => {
                self.advance();
                AtomicOp::AndNot
            }
            Tok::Punct("|") => AtomicOp::Or,
            Tok::Punct("^") => AtomicOp::Xor,
            _ => return self.expr(),
        };
        self.advance();
        self.node(ExprKind::Operator(operator), start)
    }
}

/// The operator and how tightly it binds, as in C.
fn binary_operator(punct: &str) -> Option<(Binary, u8)> {
    Some(match punct {
        "||" => (Binary::Or, 1),
        "&&" => (Binary::And, 2),
        "|" => (Binary::BitOr, 3),
        "^" => (Binary::BitXor, 4),
        "&" => (Binary::BitAnd, 5),
        "==" => (Binary::Eq, 6),
        "!=" => (Binary::Ne, 6),
        "<" => (Binary::Lt, 7),
        ">" => (Binary::Gt, 7),
        "<=" => (Binary::Le, 7),
        ">=" => (Binary::Ge, 7),
        "<<" => (Binary::Shl, 8),
        ">>" => (Binary::Shr, 8),
        "+" => (Binary::Add, 9),
        "-" => (Binary::Sub, 9),
        "*" => (Binary::Mul, 10),
        "/" => (Binary::Div, 10),
        "%" => (Binary::Rem, 10),
        _ => return None,
    })
}
