//! Statements.

use super::super::ast::{Binary, CType, Expr, ExprKind, Stmt, StmtKind};
use super::super::token::Tok;
use super::{Parsed, Parser};
use treville_base::Diagnostic;

impl Parser<'_, '_> {
    /// Statements up to the closing brace. A broken one is reported, and the next one tried.
    pub(super) fn statements(&mut self) -> Parsed<Vec<Stmt>> {
        let mut body = Vec::new();
        while !self.eat("}") {
            if self.at_end() {
                return Err(self.expected("`}`"));
            }
            let nesting = self.nesting;
            match self.statement(&mut body) {
                Ok(()) => {}
                Err(error) => {
                    self.nesting = nesting;
                    self.errors.push(error);
                    self.skip_statement();
                }
            }
        }
        Ok(body)
    }

    /// Skips to after the next semicolon, or to the brace that closes the block.
    fn skip_statement(&mut self) {
        let mut depth = 0usize;
        loop {
            match self.peek() {
                Tok::End => return,
                Tok::Punct("}") if depth == 0 => return,
                Tok::Punct("}") if depth == 1 => {
                    self.advance();
                    return;
                }
                Tok::Punct("{") => depth += 1,
                Tok::Punct("}") => depth -= 1,
                Tok::Punct(";") if depth == 0 => {
                    self.advance();
                    return;
                }
                _ => {}
            }
            self.advance();
        }
    }

    /// One statement; a declaration of several variables gives several.
    fn statement(&mut self, out: &mut Vec<Stmt>) -> Parsed<()> {
        if self.at_type() {
            return self.declaration(out);
        }
        let stmt = self.single_statement()?;
        out.push(stmt);
        Ok(())
    }

    /// A statement where C wants exactly one.
    fn single_statement(&mut self) -> Parsed<Stmt> {
        let start = self.span();
        let kind = self.nested(|p| match p.peek() {
            Tok::Punct(";") => {
                p.advance();
                Ok(StmtKind::Empty)
            }
            Tok::Punct("{") => {
                p.advance();
                p.statements().map(StmtKind::Block)
            }
            Tok::Name("if") => p.if_statement(),
            Tok::Name("while") => p.while_statement(),
            Tok::Name("do") => p.do_statement(),
            Tok::Name("for") => p.for_statement(),
            Tok::Name(word @ ("goto" | "return" | "break" | "continue" | "switch")) if !p.is_at(1, "=") => {
                Err(Diagnostic::error(p.span(), format!("`{word}` is not supported in litmus tests")))
            }
            _ if p.at_type() => {
                let mut declared = Vec::new();
                p.declaration(&mut declared)?;
                Ok(StmtKind::Block(declared))
            }
            _ => {
                let kind = p.simple_statement()?;
                p.expect(";")?;
                Ok(kind)
            }
        })?;
        Ok(Stmt { kind, span: self.since(start) })
    }

    fn boxed_statement(&mut self) -> Parsed<Box<Stmt>> {
        self.single_statement().map(Box::new)
    }

    fn condition(&mut self) -> Parsed<Expr> {
        self.expect("(")?;
        let cond = self.expr()?;
        self.expect(")")?;
        Ok(cond)
    }

    fn if_statement(&mut self) -> Parsed<StmtKind> {
        self.advance();
        let cond = self.condition()?;
        let then = self.boxed_statement()?;
        let els = if self.peek() == Tok::Name("else") {
            self.advance();
            Some(self.boxed_statement()?)
        } else {
            None
        };
        Ok(StmtKind::If { cond, then, els })
    }

    fn while_statement(&mut self) -> Parsed<StmtKind> {
        self.advance();
        let cond = self.condition()?;
        Ok(StmtKind::While { cond, body: self.boxed_statement()? })
    }

    fn do_statement(&mut self) -> Parsed<StmtKind> {
        self.advance();
        let body = self.boxed_statement()?;
        if self.peek() != Tok::Name("while") {
            return Err(self.expected("`while`"));
        }
        self.advance();
        let cond = self.condition()?;
        self.expect(";")?;
        Ok(StmtKind::DoWhile { body, cond })
    }

    /// `for (a; b; c) s` is `{ a; while (b) { s c; } }`.
    fn for_statement(&mut self) -> Parsed<StmtKind> {
        let start = self.span();
        self.advance();
        self.expect("(")?;
        let mut block = Vec::new();
        if !self.eat(";") {
            if self.at_type() {
                self.declaration(&mut block)?;
            } else {
                let init = self.simple_statement()?;
                block.push(Stmt { kind: init, span: self.since(start) });
                self.expect(";")?;
            }
        }
        let at = self.span();
        let cond = if self.is(";") { self.node(ExprKind::Int(1), at)? } else { self.expr()? };
        self.expect(";")?;
        let at = self.span();
        let step = if self.is(")") { StmtKind::Empty } else { self.simple_statement()? };
        let step = Stmt { kind: step, span: self.since(at) };
        self.expect(")")?;
        let body = self.single_statement()?;
        let span = self.since(start);
        let body = Box::new(Stmt { kind: StmtKind::Block(vec![body, step]), span });
        block.push(Stmt { kind: StmtKind::While { cond, body }, span });
        Ok(StmtKind::Block(block))
    }

    /// `int r0 = e, *p;`
    fn declaration(&mut self, out: &mut Vec<Stmt>) -> Parsed<()> {
        let start = self.span();
        let first = self.ty()?;
        let mut ty = first;
        loop {
            let name = self.name("the name of a variable")?;
            if self.is("[") {
                return Err(Diagnostic::error(self.span(), "arrays are declared in the initial state"));
            }
            let init = if self.eat("=") { Some(self.expr()?) } else { None };
            out.push(Stmt { kind: StmtKind::Declare { ty, name, init }, span: self.since(start) });
            if self.eat(";") {
                return Ok(());
            }
            if !self.eat(",") {
                return Err(self.expected("`;`"));
            }
            ty = CType { pointers: 0, ..first };
            while self.eat("*") {
                ty.pointers = ty.pointers.saturating_add(1);
            }
        }
    }

    /// An assignment or an expression, without the semicolon.
    fn simple_statement(&mut self) -> Parsed<StmtKind> {
        if let (Tok::Name(word), Tok::Name(_)) = (self.peek(), self.token(1).tok) {
            return Err(Diagnostic::error(self.span(), format!("unknown type `{word}`")));
        }
        let target = self.expr()?;
        let start = target.span;
        let operator = match self.peek() {
            Tok::Punct("=") => None,
            Tok::Punct("+=" | "++") => Some(Binary::Add),
            Tok::Punct("-=" | "--") => Some(Binary::Sub),
            Tok::Punct("*=") => Some(Binary::Mul),
            Tok::Punct("/=") => Some(Binary::Div),
            Tok::Punct("%=") => Some(Binary::Rem),
            Tok::Punct("&=") => Some(Binary::BitAnd),
            Tok::Punct("|=") => Some(Binary::BitOr),
            Tok::Punct("^=") => Some(Binary::BitXor),
            Tok::Punct("<<=") => Some(Binary::Shl),
            Tok::Punct(">>=") => Some(Binary::Shr),
            _ => return Ok(StmtKind::Expr(target)),
        };
        if !matches!(target.kind, ExprKind::Name(_) | ExprKind::Deref(_) | ExprKind::Index(..)) {
            return Err(Diagnostic::error(start, "this cannot be assigned to"));
        }
        let step = self.is("++") || self.is("--");
        let at = self.advance().span;
        let value = if step { self.node(ExprKind::Int(1), at)? } else { self.expr()? };
        let value = match operator {
            Some(op) => {
                let old = Box::new(target.clone());
                self.node(ExprKind::Binary(op, old, Box::new(value)), start)?
            }
            None => value,
        };
        Ok(StmtKind::Assign { target, value })
    }
}
