//! Parsing properties: one grammar for truths and numbers, since a parenthesis may begin either. Which of them is meant where
//! is said when names are resolved.

use super::parse::{MAX_DEPTH, Parsed, Parser};
use super::syntax::{Prop, PropKind, comparison};
use crate::lexer::Tok;
use treville_base::{Diagnostic, Span};
use treville_ir::Aware;

impl<'a> Parser<'a> {
    /// `a => b`, to the right.
    pub(super) fn prop(&mut self) -> Parsed<Prop<'a>> {
        let left = self.either()?;
        if !self.c.eat("=>") {
            return Ok(left);
        }
        let right = self.nested(Self::prop)?;
        both(PropKind::Implies, left, right)
    }

    fn either(&mut self) -> Parsed<Prop<'a>> {
        let mut left = self.both()?;
        while self.c.eat("||") {
            left = both(PropKind::Or, left, self.both()?)?;
        }
        Ok(left)
    }

    fn both(&mut self) -> Parsed<Prop<'a>> {
        let mut left = self.not()?;
        while self.c.eat("&&") {
            left = both(PropKind::And, left, self.not()?)?;
        }
        Ok(left)
    }

    fn not(&mut self) -> Parsed<Prop<'a>> {
        let start = self.c.span();
        if self.c.eat("!") {
            let inner = self.nested(Self::not)?;
            let (span, depth) = (start.to(inner.span), inner.depth + 1);
            return made(PropKind::Not(Box::new(inner)), span, depth);
        }
        if self.c.is_word("forall") || self.c.is_word("exists") {
            return self.quantified();
        }
        let left = self.sum()?;
        let Tok::Punct(word) = self.c.peek() else { return Ok(left) };
        let Some(op) = comparison(word) else { return Ok(left) };
        self.c.next();
        let right = self.sum()?;
        both(|a, b| PropKind::Compare(a, op, b), left, right)
    }

    fn sum(&mut self) -> Parsed<Prop<'a>> {
        let mut left = self.atom()?;
        loop {
            let make = if self.c.eat("+") {
                PropKind::Add
            } else if self.c.eat("-") {
                PropKind::Sub
            } else {
                return Ok(left);
            };
            left = both(make, left, self.atom()?)?;
        }
    }

    /// `forall w in OW(t, x): …`, or `exists t in threads \ u: …`
    fn quantified(&mut self) -> Parsed<Prop<'a>> {
        let start = self.c.span();
        let all = self.c.is_word("forall");
        self.c.next();
        let name = self.free_name("a name")?;
        if !self.c.eat_word("in") {
            return Err(self.c.expected("`in`"));
        }
        if self.c.eat_word("threads") {
            let but = if self.c.eat("\\") { Some(self.c.name("a thread")?) } else { None };
            self.c.expect(":")?;
            let body = Box::new(self.nested(Self::prop)?);
            let (span, depth) = (start.to(body.span), body.depth + 1);
            return made(PropKind::Threads { all, thread: name, but, body }, span, depth);
        }
        let aware = if self.c.eat_word("OW") {
            Aware::Observable
        } else if self.c.eat_word("EW") {
            Aware::Encountered
        } else {
            return Err(self.c.expected("`OW(thread, variable)`, `EW(thread, variable)` or `threads`"));
        };
        self.c.expect("(")?;
        let thread = self.c.name("a thread")?;
        self.c.expect(",")?;
        let object = self.variable("a variable")?;
        self.c.expect(")")?;
        self.c.expect(":")?;
        let body = Box::new(self.nested(Self::prop)?);
        let (span, depth) = (start.to(body.span), body.depth + 1);
        made(PropKind::Writes { all, write: name, aware, thread, object, body }, span, depth)
    }

    fn atom(&mut self) -> Parsed<Prop<'a>> {
        let start = self.c.span();
        if self.c.eat("(") {
            let mut inner = self.nested(Self::prop)?;
            self.c.expect(")")?;
            inner.span = start.to(self.c.last_span());
            return Ok(inner);
        }
        if self.c.is("-") || matches!(self.c.peek(), Tok::Num(_)) {
            let value = self.signed()?;
            return made(PropKind::Int(value), start.to(self.c.last_span()), 1);
        }
        for (word, value) in [("true", true), ("false", false)] {
            if self.c.eat_word(word) {
                return made(PropKind::Truth(value), start, 1);
            }
        }
        // `end` is where a thread is that is done.
        let name = if self.c.is_word("end") { self.c.name("")? } else { self.free_name("a property")? };
        let kind = match name.text {
            "pc" | "val" | "released" | "covered" if self.c.is("(") => {
                self.c.next();
                let of = self.c.name(if name.text == "pc" { "a thread" } else { "a write" })?;
                self.c.expect(")")?;
                match name.text {
                    "pc" => PropKind::Pc(of),
                    "val" => PropKind::Value(of),
                    "released" => PropKind::Released(of),
                    _ => PropKind::Covered(of),
                }
            }
            "definite" | "possible" if self.c.is("(") => {
                self.c.next();
                let thread = self.c.name("a thread")?;
                self.c.expect(",")?;
                let object = self.variable("a variable")?;
                self.c.expect(",")?;
                let value = Box::new(self.nested(Self::sum)?);
                self.c.expect(")")?;
                PropKind::Sees { all: name.text == "definite", thread, object, value }
            }
            _ => {
                let thread = if self.c.eat("@") { Some(self.c.name("a thread")?) } else { None };
                PropKind::Name(name, thread)
            }
        };
        made(kind, start.to(self.c.last_span()), 1)
    }
}

fn both<'a>(
    make: impl FnOnce(Box<Prop<'a>>, Box<Prop<'a>>) -> PropKind<'a>,
    left: Prop<'a>,
    right: Prop<'a>,
) -> Parsed<Prop<'a>> {
    let (span, depth) = (left.span.to(right.span), left.depth.max(right.depth) + 1);
    made(make(Box::new(left), Box::new(right)), span, depth)
}

fn made(kind: PropKind<'_>, span: Span, depth: u32) -> Parsed<Prop<'_>> {
    if depth > MAX_DEPTH {
        return Err(Diagnostic::error(span, "this property is nested too deeply"));
    }
    Ok(Prop { kind, span, depth })
}
