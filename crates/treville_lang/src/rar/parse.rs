//! Parsing variables, threads and statements. An error in a statement does not hide those in the next.

use super::syntax::{Binary, Claim, Expr, ExprKind, Source, Stmt, StmtKind, Symmetry, Thread, UpdateOp};
use crate::lexer::{Cursor, Tok, Word};
use treville_base::{Diagnostic, FileId, Span};
use treville_ir::MemoryOrder;

/// Longer ones first.
const PUNCTUATION: &[&str] = &[
    "<->", ":=", "=>", "&&", "||", "==", "!=", "<=", ">=", "{", "}", "(", ")", ",", ";", ":", ".", "=", "+", "-", "^",
    "!", "<", ">", "@", "\\", "[", "]",
];

/// Words that name nothing.
const RESERVED: &[&str] = &[
    "init",
    "thread",
    "invariant",
    "outcome",
    "symmetric",
    "with",
    "value",
    "skip",
    "while",
    "do",
    "if",
    "else",
    "assume",
    "assert",
    "true",
    "false",
    "forall",
    "exists",
    "in",
    "threads",
    "end",
];

/// What a part of a program begins with.
const PARTS: &[&str] = &["init", "thread", "invariant", "outcome", "symmetric"];

/// Deeper nesting than any program has; keeps the stack in bounds here and in whoever evaluates it.
pub(super) const MAX_DEPTH: u32 = 100;

/// More errors than this help nobody.
const MAX_ERRORS: usize = 20;

pub(super) type Parsed<T> = Result<T, Diagnostic>;

pub(super) struct Parser<'a> {
    pub(super) c: Cursor<'a>,
    depth: u32,
    errors: Vec<Diagnostic>,
}

/// Reads a program (`whole`), or what is said of one that is elsewhere.
pub(super) fn parse(file: FileId, text: &str, whole: bool) -> Result<Source<'_>, Vec<Diagnostic>> {
    let mut parser = Parser { c: Cursor::new(file, text, PUNCTUATION), depth: 0, errors: Vec::new() };
    let mut source = Source::default();
    while parser.c.peek() != Tok::End && parser.errors.len() < MAX_ERRORS {
        if let Err(error) = parser.part(&mut source) {
            parser.errors.push(error);
            parser.skip_part();
        }
    }
    if whole && source.threads.is_empty() && parser.errors.is_empty() {
        parser.errors.push(parser.c.expected("`thread`"));
    }
    if parser.errors.is_empty() { Ok(source) } else { Err(parser.errors) }
}

impl<'a> Parser<'a> {
    pub(super) fn nested<T>(&mut self, inner: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_DEPTH {
            return Err(Diagnostic::error(self.c.span(), "this is nested too deeply"));
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    /// Goes to where the next part may begin.
    fn skip_part(&mut self) {
        while self.c.peek() != Tok::End && !PARTS.iter().any(|part| self.c.is_word(part)) {
            self.c.next();
        }
    }

    fn part(&mut self, source: &mut Source<'a>) -> Parsed<()> {
        let start = self.c.span();
        if self.c.eat_word("init") {
            self.init(source)
        } else if self.c.eat_word("thread") {
            let name = self.free_name("a thread's name")?;
            self.c.expect("{")?;
            let body = self.block()?;
            source.threads.push(Thread { name, body });
            Ok(())
        } else if self.c.eat_word("invariant") {
            let claim = self.claim()?;
            source.invariants.push(claim);
            Ok(())
        } else if self.c.eat_word("outcome") {
            let claim = self.claim()?;
            source.outcomes.push(claim);
            Ok(())
        } else if self.c.eat_word("symmetric") {
            let symmetry = self.symmetry(start)?;
            source.symmetries.push(symmetry);
            Ok(())
        } else {
            Err(self.c.expected("`init`, `thread`, `invariant`, `outcome` or `symmetric`"))
        }
    }

    /// `init x = 0, y = -1;`
    fn init(&mut self, source: &mut Source<'a>) -> Parsed<()> {
        loop {
            let name = self.free_name("a variable")?;
            self.c.expect("=")?;
            source.init.push((name, self.signed()?));
            if !self.c.eat(",") {
                return self.c.expect(";");
            }
        }
    }

    fn claim(&mut self) -> Parsed<Claim<'a>> {
        let name = self.c.name("a name")?;
        self.c.expect(":")?;
        let prop = self.prop()?;
        self.c.expect(";")?;
        Ok(Claim { name, prop })
    }

    fn symmetry(&mut self, start: Span) -> Parsed<Symmetry<'a>> {
        let first = self.c.name("a thread")?;
        self.c.expect(",")?;
        let second = self.c.name("a thread")?;
        let mut symmetry =
            Symmetry { threads: (first, second), objects: Vec::new(), values: Vec::new(), span: start.to(second.span) };
        if self.c.eat_word("with") {
            loop {
                if self.c.eat_word("value") {
                    let object = self.variable("a variable")?;
                    let first = self.signed()?;
                    self.c.expect("<->")?;
                    symmetry.values.push((object, first, self.signed()?));
                } else {
                    let first = self.variable("a variable, or `value`")?;
                    self.c.expect("<->")?;
                    symmetry.objects.push((first, self.variable("a variable")?));
                }
                if !self.c.eat(",") {
                    break;
                }
            }
        }
        symmetry.span = start.to(self.c.last_span());
        self.c.expect(";")?;
        Ok(symmetry)
    }

    /// A shared variable; it may be a part of one, in programs of other languages.
    pub(super) fn variable(&mut self, what: &str) -> Parsed<Word<'a>> {
        let first = self.c.name(what)?;
        loop {
            if self.c.eat("[") {
                self.c.number(false)?;
                self.c.expect("]")?;
            } else if self.c.eat(".") {
                self.c.name("a member")?;
            } else {
                break;
            }
        }
        let span = first.span.to(self.c.last_span());
        Ok(Word { text: self.c.text_at(span), span })
    }

    /// A name that means nothing else.
    pub(super) fn free_name(&mut self, what: &str) -> Parsed<Word<'a>> {
        match self.c.peek() {
            Tok::Name(word) if RESERVED.contains(&word) => {
                Err(self.c.expected(what).help("this word has a meaning already"))
            }
            _ => self.c.name(what),
        }
    }

    /// Statements up to the closing brace.
    fn block(&mut self) -> Parsed<Vec<Stmt<'a>>> {
        let mut body = Vec::new();
        while !self.c.eat("}") {
            if self.c.peek() == Tok::End {
                return if self.errors.is_empty() { Err(self.c.expected("`}`")) } else { Ok(body) };
            }
            match self.nested(Self::stmt) {
                Ok(stmt) => body.push(stmt),
                Err(error) => {
                    self.errors.push(error);
                    self.skip_stmt();
                }
            }
        }
        Ok(body)
    }

    /// Goes to where the next statement may begin.
    fn skip_stmt(&mut self) {
        let lost = self.errors.len() >= MAX_ERRORS;
        while self.c.peek() != Tok::End && (lost || !self.c.is("}")) {
            if self.c.eat(";") && !lost {
                return;
            }
            self.c.next();
        }
    }

    /// A block, or one statement.
    fn body(&mut self) -> Parsed<Vec<Stmt<'a>>> {
        if self.c.eat("{") { self.nested(Self::block) } else { Ok(vec![self.nested(Self::stmt)?]) }
    }

    fn stmt(&mut self) -> Parsed<Stmt<'a>> {
        let start = self.c.span();
        let label = self.label()?;
        let (kind, span) = if self.c.eat_word("while") {
            let cond = self.guard()?;
            let span = start.to(self.c.last_span());
            self.c.eat_word("do");
            (StmtKind::While { cond, body: self.body()? }, span)
        } else if self.c.eat_word("if") {
            let cond = self.guard()?;
            let span = start.to(self.c.last_span());
            let then = self.body()?;
            let els = if self.c.eat_word("else") { self.body()? } else { Vec::new() };
            (StmtKind::If { cond, then, els }, span)
        } else {
            let kind = self.simple()?;
            let span = start.to(self.c.last_span());
            self.c.expect(";")?;
            (kind, span)
        };
        Ok(Stmt { label, kind, span })
    }

    /// `6:` or `enter:`
    fn label(&mut self) -> Parsed<Option<Word<'a>>> {
        let (Tok::Name(text) | Tok::Num(text)) = self.c.peek() else { return Ok(None) };
        let mut ahead = self.c.clone();
        ahead.next();
        if !ahead.is(":") {
            return Ok(None);
        }
        let span = self.c.span();
        if RESERVED.contains(&text) {
            return Err(self.c.expected("a label").help("this word has a meaning already"));
        }
        self.c = ahead;
        self.c.next();
        Ok(Some(Word { text, span }))
    }

    fn guard(&mut self) -> Parsed<Expr<'a>> {
        self.c.expect("(")?;
        let cond = self.expr(0)?;
        self.c.expect(")")?;
        Ok(cond)
    }

    fn simple(&mut self) -> Parsed<StmtKind<'a>> {
        if self.c.eat_word("skip") {
            return Ok(StmtKind::Skip);
        }
        if self.c.eat_word("assume") {
            return self.guard().map(StmtKind::Assume);
        }
        if self.c.eat_word("assert") {
            return self.guard().map(StmtKind::Assert);
        }
        let target = self.free_name("a statement")?;
        if self.c.eat(".") {
            return self.update(None, target);
        }
        self.c.expect(":=")?;
        let release = self.release();
        if let Tok::Name(text) = self.c.peek() {
            let mut ahead = self.c.clone();
            ahead.next();
            if ahead.eat(".") {
                let object = Word { text, span: self.c.span() };
                self.c = ahead;
                if let Some(span) = release {
                    return Err(Diagnostic::error(span, "an update says its order at its end: `^R`"));
                }
                return self.update(Some(target), object);
            }
        }
        Ok(StmtKind::Assign { target, release, value: self.expr(0)? })
    }

    /// The `R` of a release write: it stands before an expression, which a register of that name could not.
    fn release(&mut self) -> Option<Span> {
        if !self.c.is_word("R") {
            return None;
        }
        let mut ahead = self.c.clone();
        ahead.next();
        let begins = matches!(ahead.peek(), Tok::Name(_) | Tok::Num(_)) || ["(", "!", "-"].iter().any(|p| ahead.is(p));
        // `R - 1` and `R (…)` would be something else if there were a register R; a write of it says `:= (R)`.
        begins.then(|| {
            self.c = ahead;
            self.c.last_span()
        })
    }

    /// `swap(e)^RA` after the dot.
    fn update(&mut self, result: Option<Word<'a>>, target: Word<'a>) -> Parsed<StmtKind<'a>> {
        let name = self.c.name("`swap`, `faa` or `cas`")?;
        let (op, arity) = match name.text {
            "swap" => (UpdateOp::Swap, 1),
            "faa" => (UpdateOp::Faa, 1),
            "cas" => (UpdateOp::Cas, 2),
            _ => {
                let message = format!("expected `swap`, `faa` or `cas`, found `{}`", name.text);
                return Err(Diagnostic::error(name.span, message));
            }
        };
        self.c.expect("(")?;
        let mut args = vec![self.expr(0)?];
        while self.c.eat(",") {
            args.push(self.expr(0)?);
        }
        self.c.expect(")")?;
        if args.len() != arity {
            let needs = if arity == 1 { "one value" } else { "two values, the expected one and the new one" };
            return Err(Diagnostic::error(name.span, format!("`{}` takes {needs}", name.text)));
        }
        let order = if self.c.eat("^") { self.update_order()? } else { MemoryOrder::AcquireRelease };
        Ok(StmtKind::Update { result, target, op, args, order })
    }

    fn update_order(&mut self) -> Parsed<MemoryOrder> {
        let order = self.c.name("`RA`, `R`, `A` or `X`")?;
        match order.text {
            "RA" => Ok(MemoryOrder::AcquireRelease),
            "A" => Ok(MemoryOrder::Acquire),
            "R" => Ok(MemoryOrder::Release),
            "X" => Ok(MemoryOrder::Relaxed),
            other => {
                let error = Diagnostic::error(order.span, format!("an update cannot be `^{other}`"));
                Err(error.help("it may be `^RA`, `^R`, `^A` or `^X`"))
            }
        }
    }

    /// Operators that bind at least this tight, and their operands.
    fn expr(&mut self, level: u8) -> Parsed<Expr<'a>> {
        let mut left = self.prefix()?;
        loop {
            let operator = match self.c.peek() {
                Tok::Punct(word) => Binary::named(word),
                _ => None,
            };
            let Some(operator) = operator.filter(|o| o.level() >= level) else { return Ok(left) };
            self.c.next();
            let right = self.nested(|p| p.expr(operator.level() + 1))?;
            let (span, depth) = (left.span.to(right.span), left.depth.max(right.depth) + 1);
            left = made(ExprKind::Binary(operator, Box::new(left), Box::new(right)), span, depth)?;
        }
    }

    fn prefix(&mut self) -> Parsed<Expr<'a>> {
        let start = self.c.span();
        if self.c.eat("!") {
            let inner = self.nested(Self::negated)?;
            let (span, depth) = (start.to(inner.span), inner.depth + 1);
            return made(ExprKind::Not(Box::new(inner)), span, depth);
        }
        if self.c.eat("(") {
            let mut inner = self.nested(|p| p.expr(0))?;
            self.c.expect(")")?;
            inner.span = start.to(self.c.last_span());
            return Ok(inner);
        }
        if self.c.eat("-") {
            if matches!(self.c.peek(), Tok::Num(_)) {
                let value = self.c.number(true)?;
                return made(ExprKind::Int(value), start.to(self.c.last_span()), 1);
            }
            let inner = self.nested(Self::prefix)?;
            let (span, depth) = (start.to(inner.span), inner.depth + 1);
            return made(ExprKind::Negate(Box::new(inner)), span, depth);
        }
        if matches!(self.c.peek(), Tok::Num(_)) {
            let value = self.c.number(false)?;
            return made(ExprKind::Int(value), start, 1);
        }
        for (word, value) in [("true", 1), ("false", 0)] {
            if self.c.eat_word(word) {
                return made(ExprKind::Int(value), start, 1);
            }
        }
        let name = self.free_name("an expression")?;
        let acquire = if self.c.eat("^") {
            let order = self.c.name("`A`")?;
            if order.text != "A" {
                let error = Diagnostic::error(order.span, format!("a read cannot be `^{}`", order.text));
                return Err(error.help("`^A` reads it as an acquire"));
            }
            Some(order.span)
        } else {
            None
        };
        made(ExprKind::Name { name: name.text, acquire }, start.to(self.c.last_span()), 1)
    }

    /// What `!` is about: `!a == b` negates the comparison.
    fn negated(&mut self) -> Parsed<Expr<'a>> {
        self.expr(Binary::COMPARISON)
    }

    pub(super) fn signed(&mut self) -> Parsed<i32> {
        for (word, value) in [("true", 1), ("false", 0)] {
            if self.c.eat_word(word) {
                return Ok(value);
            }
        }
        let negative = self.c.eat("-");
        self.c.number(negative)
    }
}

fn made(kind: ExprKind<'_>, span: Span, depth: u32) -> Parsed<Expr<'_>> {
    if depth > MAX_DEPTH {
        return Err(Diagnostic::error(span, "this expression is nested too deeply"));
    }
    Ok(Expr { kind, span, depth })
}
