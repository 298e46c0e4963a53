//! Parsing locations, threads and statements. An error in a statement does not hide those in the next.

use super::syntax::{Location, ORDERS, Order, Sort, Source, Stmt, StmtKind, Thread};
use crate::lexer::{Cursor, Tok, Word};
use treville_base::{Diagnostic, FileId};
use treville_ir::MemoryOrder;

/// Longer ones first.
const PUNCTUATION: &[&str] = &[
    "<:-", "<-", "<=", ">=", "==", "!=", ":=", "&&", "||", "{", "}", "(", ")", ",", ";", ".", "=", "+", "-", "*", "/",
    "&", "|", "^", "!", "<", ">",
];

/// Words that name neither a location nor a register.
const RESERVED: &[&str] = &[
    "thread",
    "while",
    "if",
    "then",
    "else",
    "and",
    "or",
    "not",
    "true",
    "True",
    "false",
    "False",
    "exists",
    "forall",
    "filter",
    "locations",
];

/// Fences of architectures, by their words, with the tags that these have there.
pub(super) const FENCES: &[(&str, &str)] =
    &[("mfence", "MFENCE"), ("sync", "SYNC"), ("lwsync", "LWSYNC"), ("isync", "ISYNC")];

/// Deeper nesting than any program has; keeps the stack in bounds.
const MAX_DEPTH: u32 = 200;

/// More errors than this help nobody.
const MAX_ERRORS: usize = 20;

pub(super) struct Parser<'a> {
    pub(super) c: Cursor<'a>,
    depth: u32,
    errors: Vec<Diagnostic>,
}

pub(super) fn is_reserved(word: &str) -> bool {
    RESERVED.contains(&word) || FENCES.iter().any(|(fence, _)| *fence == word)
}

pub(super) fn parse(file: FileId, text: &str) -> Result<Source<'_>, Vec<Diagnostic>> {
    let mut parser = Parser { c: Cursor::new(file, text, PUNCTUATION), depth: 0, errors: Vec::new() };
    let locations = parser.locations();
    let locations = parser.or_report(locations).unwrap_or_default();
    let mut threads = Vec::new();
    loop {
        // After an error, what is not a thread is skipped.
        while !parser.errors.is_empty() && !parser.c.is_word("thread") && parser.c.peek() != Tok::End {
            parser.c.next();
        }
        if !parser.c.is_word("thread") || parser.is_lost() {
            break;
        }
        let thread = parser.thread();
        threads.extend(parser.or_report(thread));
    }
    if threads.is_empty() && parser.errors.is_empty() {
        parser.errors.push(parser.c.expected("`thread`"));
    }
    if !parser.errors.is_empty() {
        return Err(parser.errors);
    }
    Ok(Source { locations, threads, condition: parser.c.span().start as usize })
}

impl<'a> Parser<'a> {
    fn or_report<T>(&mut self, result: Result<T, Diagnostic>) -> Option<T> {
        result.map_err(|error| self.errors.push(error)).ok()
    }

    /// Whether there is nothing more to learn from reading on.
    fn is_lost(&self) -> bool {
        self.errors.len() >= MAX_ERRORS
    }

    pub(super) fn nested<T>(
        &mut self,
        inner: impl FnOnce(&mut Self) -> Result<T, Diagnostic>,
    ) -> Result<T, Diagnostic> {
        if self.depth >= MAX_DEPTH {
            return Err(Diagnostic::error(self.c.span(), "this is nested too deeply"));
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    /// `{ x, y = 1 }`
    fn locations(&mut self) -> Result<Vec<Location<'a>>, Diagnostic> {
        self.c.expect("{")?;
        let mut locations = Vec::new();
        while !self.c.eat("}") {
            let name = self.free_name("a location")?;
            let init = if self.c.eat("=") {
                let negative = self.c.eat("-");
                self.c.number(negative)?
            } else {
                0
            };
            locations.push(Location { name, init });
            if !self.c.is("}") {
                self.c.expect(",")?;
            }
        }
        Ok(locations)
    }

    /// A name that means nothing else.
    fn free_name(&mut self, what: &str) -> Result<Word<'a>, Diagnostic> {
        match self.c.peek() {
            Tok::Name(word) if is_reserved(word) => Err(self.c.expected(what).help("this word has a meaning already")),
            _ => self.c.name(what),
        }
    }

    /// `thread t0 { … }`
    fn thread(&mut self) -> Result<Thread<'a>, Diagnostic> {
        self.c.next();
        let name = self.c.name("the thread's name, such as `t0`")?;
        let number = name.text.strip_prefix('t').filter(|n| n.bytes().all(|b| b.is_ascii_digit()));
        let Some(number) = number.and_then(|n| n.parse::<u32>().ok()) else {
            return Err(Diagnostic::error(name.span, format!("`{}` is not a thread's name, such as `t0`", name.text)));
        };
        let body = self.block()?;
        Ok(Thread { number, span: name.span, body })
    }

    fn block(&mut self) -> Result<Vec<Stmt<'a>>, Diagnostic> {
        self.c.expect("{")?;
        let mut body = Vec::new();
        while !self.c.eat("}") {
            if self.c.peek() == Tok::End {
                // What is wrong may be why it is missing.
                return if self.errors.is_empty() { Err(self.c.expected("`}`")) } else { Ok(body) };
            }
            let stmt = self.nested(Self::stmt);
            match self.or_report(stmt) {
                Some(stmt) => body.push(stmt),
                None => self.skip_stmt(),
            }
        }
        Ok(body)
    }

    /// Goes to where the next statement may begin.
    fn skip_stmt(&mut self) {
        let lost = self.is_lost();
        while self.c.peek() != Tok::End && (lost || !self.c.is("}")) {
            if self.c.eat(";") && !lost {
                return;
            }
            self.c.next();
        }
    }

    fn stmt(&mut self) -> Result<Stmt<'a>, Diagnostic> {
        let start = self.c.span();
        let (kind, span) = if self.c.eat_word("while") {
            let cond = self.expr(Sort::Truth)?;
            let span = start.to(cond.span);
            (StmtKind::While { cond, body: self.block()? }, span)
        } else if self.c.eat_word("if") {
            let cond = self.expr(Sort::Truth)?;
            let span = start.to(cond.span);
            self.c.eat_word("then");
            let then = self.block()?;
            let els = if self.c.eat_word("else") { self.block()? } else { Vec::new() };
            (StmtKind::If { cond, then, els }, span)
        } else {
            let kind = self.instruction()?;
            let span = start.to(self.c.last_span());
            self.end_instruction()?;
            (kind, span)
        };
        Ok(Stmt { kind, span })
    }

    /// A missing semicolon does not hide what is wrong with the next statement.
    fn end_instruction(&mut self) -> Result<(), Diagnostic> {
        match self.c.expect(";") {
            Err(error) if self.c.is("}") || matches!(self.c.peek(), Tok::Name(_)) => self.errors.push(error),
            ended => ended?,
        }
        Ok(())
    }

    fn instruction(&mut self) -> Result<StmtKind<'a>, Diagnostic> {
        if let Some((_, tag)) = FENCES.iter().find(|(word, _)| self.c.is_word(word)) {
            self.c.next();
            return Ok(StmtKind::Fence { tag });
        }
        let name = self.free_name("a statement")?;
        if name.text == "fence" && self.c.eat("(") {
            let fences = |order: MemoryOrder| order != MemoryOrder::Relaxed && order != MemoryOrder::Consume;
            let order = self.order(&|order| order.is_some_and(fences), "a fence")?;
            self.c.expect(")")?;
            return Ok(StmtKind::Fence { tag: order.map_or("", MemoryOrder::tag) });
        }
        if self.c.eat("<-") {
            return Ok(StmtKind::Assign { register: name, value: self.expr(Sort::Number)? });
        }
        if self.c.eat("<:-") {
            let location = self.free_name("a location")?;
            return Ok(StmtKind::Load { register: name, location, order: None });
        }
        if self.c.eat(":=") {
            return Ok(StmtKind::Store { location: name, value: self.expr(Sort::Number)?, order: None });
        }
        if self.c.eat("=") {
            let location = self.free_name("a location")?;
            self.c.expect(".")?;
            self.keyword("load")?;
            self.c.expect("(")?;
            let order = self.order(&|order| order.is_none_or(MemoryOrder::is_of_reads), "a load")?;
            self.c.expect(")")?;
            return Ok(StmtKind::Load { register: name, location, order });
        }
        if self.c.eat(".") {
            self.keyword("store")?;
            self.c.expect("(")?;
            let order = self.order(&|order| order.is_none_or(MemoryOrder::is_of_writes), "a store")?;
            self.c.expect(",")?;
            let value = self.expr(Sort::Number)?;
            self.c.expect(")")?;
            return Ok(StmtKind::Store { location: name, value, order });
        }
        Err(self.c.expected("`<-`, `<:-`, `:=`, `= location.load(…)` or `.store(…)`"))
    }

    fn keyword(&mut self, word: &str) -> Result<(), Diagnostic> {
        if self.c.eat_word(word) { Ok(()) } else { Err(self.c.expected(&format!("`{word}`"))) }
    }

    /// A memory order, one of those that make sense.
    fn order(&mut self, is_allowed: &dyn Fn(Order) -> bool, of: &str) -> Result<Order, Diagnostic> {
        let written = match self.c.peek() {
            Tok::Name(word) => ORDERS.iter().find(|(_, written)| *written == word),
            _ => None,
        };
        let words = || {
            let allowed = ORDERS.iter().filter(|(order, _)| is_allowed(*order));
            allowed.map(|(_, word)| format!("`{word}`")).collect::<Vec<_>>().join(", ")
        };
        match written {
            Some((order, _)) if is_allowed(*order) => {
                self.c.next();
                Ok(*order)
            }
            Some((_, word)) => {
                let error = Diagnostic::error(self.c.span(), format!("{of} cannot be `{word}`"));
                Err(error.help(format!("it may be {}", words())))
            }
            None => Err(self.c.expected(&format!("a memory order ({})", words()))),
        }
    }
}
