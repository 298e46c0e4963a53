//! Parsing processes, statements and properties. An error in a statement does not hide those in the next.

use super::syntax::{Binary, Decl, Expr, ExprKind, Place, Proc, RemoteStmt, RemoteWord, Source, Stmt, StmtKind};
use crate::lexer::{Cursor, Tok, Word};
use treville_base::{Diagnostic, FileId, Span};
use treville_rma::{Init, PropKind, Rmw};

/// Longer ones first.
const PUNCTUATION: &[&str] = &[
    "..", "&&", "||", "==", "!=", "<=", ">=", "{", "}", "(", ")", "[", "]", ",", ";", ":", "=", "+", "-", "*", "!",
    "<", ">", "@", "?",
];

/// Words that name nothing.
const RESERVED: &[&str] = &[
    "program",
    "process",
    "shared",
    "local",
    "domain",
    "predicates",
    "assert",
    "assume",
    "load",
    "store",
    "put",
    "get",
    "flush",
    "if",
    "else",
    "while",
    "do",
    "choose",
    "or",
    "goto",
    "skip",
    "atomic",
    "at",
    "true",
    "false",
    "faa",
    "swap",
    "cas",
];

/// What a part of a program begins with, beside a property.
const PARTS: &[&str] = &["program", "process", "domain", "predicates"];

const PROPERTIES: [(&str, PropKind); 3] =
    [("always", PropKind::Always), ("final", PropKind::Final), ("quiescent", PropKind::Quiescent)];

/// Deeper nesting than any program has; keeps the stack in bounds here and in whoever evaluates it.
const MAX_DEPTH: u32 = 100;

/// More errors than this help nobody.
const MAX_ERRORS: usize = 20;

type Parsed<T> = Result<T, Diagnostic>;

struct Parser<'a> {
    c: Cursor<'a>,
    depth: u32,
    errors: Vec<Diagnostic>,
}

pub(super) fn parse(file: FileId, text: &str) -> Result<Source<'_>, Vec<Diagnostic>> {
    let mut parser = Parser { c: Cursor::new(file, text, PUNCTUATION), depth: 0, errors: Vec::new() };
    let mut source = Source::default();
    while parser.c.peek() != Tok::End && parser.errors.len() < MAX_ERRORS {
        if let Err(error) = parser.part(&mut source) {
            parser.errors.push(error);
            parser.skip_part();
        }
    }
    if source.procs.is_empty() && parser.errors.is_empty() {
        parser.errors.push(parser.c.expected("`process`"));
    }
    if parser.errors.is_empty() { Ok(source) } else { Err(parser.errors) }
}

impl<'a> Parser<'a> {
    fn nested<T>(&mut self, inner: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
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
        while !self.at_part() {
            self.c.next();
        }
    }

    /// Whether a part of the program begins here, or it ends.
    fn at_part(&self) -> bool {
        self.c.peek() == Tok::End || PARTS.iter().any(|part| self.c.is_word(part)) || self.property_kind().is_some()
    }

    /// `assert always`, which is no statement.
    fn property_kind(&self) -> Option<PropKind> {
        if !self.c.is_word("assert") {
            return None;
        }
        let mut ahead = self.c.clone();
        ahead.next();
        PROPERTIES.iter().find(|(word, _)| ahead.is_word(word)).map(|(_, kind)| *kind)
    }

    fn part(&mut self, source: &mut Source<'a>) -> Parsed<()> {
        if let Some(kind) = self.property_kind() {
            self.c.next();
            self.c.next();
            let cond = self.expr(0)?;
            source.properties.push((kind, cond));
            return self.c.expect(";");
        }
        if self.c.eat_word("program") {
            source.name = Some(self.c.name("the program's name")?);
            return self.c.expect(";");
        }
        if self.c.eat_word("process") {
            let name = self.pid()?;
            self.c.expect(":")?;
            let proc = self.process(name);
            source.procs.push(proc);
            return Ok(());
        }
        if self.c.eat_word("domain") {
            let start = self.c.span();
            let first = self.signed()?;
            self.c.expect("..")?;
            let last = self.signed()?;
            if first > last {
                return Err(Diagnostic::error(start.to(self.c.last_span()), "this domain is empty"));
            }
            source.domain = Some((first, last));
            return self.c.expect(";");
        }
        if self.c.eat_word("predicates") {
            loop {
                let predicate = self.expr(0)?;
                source.predicates.push(predicate);
                if !self.c.eat(",") {
                    return self.c.expect(";");
                }
            }
        }
        Err(self.c.expected("`process`, `domain`, `predicates`, `assert always`, `assert final` or `assert quiescent`"))
    }

    /// Declarations and statements up to the next part.
    fn process(&mut self, name: Word<'a>) -> Proc<'a> {
        let mut proc = Proc { name, decls: Vec::new(), body: Vec::new() };
        while !self.at_part() && self.errors.len() < MAX_ERRORS {
            let shared = self.c.is_word("shared");
            let result = if shared || self.c.is_word("local") {
                self.decls(shared, &mut proc.decls)
            } else {
                self.stmt().map(|stmt| proc.body.push(stmt))
            };
            if let Err(error) = result {
                self.errors.push(error);
                self.skip_stmt();
            }
        }
        proc
    }

    /// `shared X = 0, Y = ?, Z = {1, 2}, A[3] = 0..4;`
    fn decls(&mut self, shared: bool, decls: &mut Vec<Decl<'a>>) -> Parsed<()> {
        self.c.next();
        loop {
            let name = self.free_name("a variable")?;
            let mut size = None;
            if self.c.eat("[") {
                size = Some(self.signed()?);
                self.c.expect("]")?;
            }
            let init = if self.c.eat("=") { Some(self.init()?) } else { None };
            decls.push(Decl { shared, name, size, init });
            if !self.c.eat(",") {
                return self.c.expect(";");
            }
        }
    }

    fn init(&mut self) -> Parsed<Init> {
        if self.c.eat("?") {
            return Ok(Init::Any);
        }
        if self.c.eat("{") {
            let mut values = vec![self.signed()?];
            while self.c.eat(",") {
                values.push(self.signed()?);
            }
            self.c.expect("}")?;
            values.sort_unstable();
            values.dedup();
            return Ok(Init::Among(values));
        }
        let start = self.c.span();
        let first = self.signed()?;
        if !self.c.eat("..") {
            return Ok(Init::Value(first));
        }
        let last = self.signed()?;
        if first > last {
            return Err(Diagnostic::error(start.to(self.c.last_span()), "there is no number in this range"));
        }
        Ok(Init::Within(first, last))
    }

    fn signed(&mut self) -> Parsed<i64> {
        let negative = self.c.eat("-");
        self.c.number(negative).map(i64::from)
    }

    /// A process is known by a number or a name.
    fn pid(&mut self) -> Parsed<Word<'a>> {
        match self.c.peek() {
            Tok::Num(text) => {
                self.c.next();
                Ok(Word { text, span: self.c.last_span() })
            }
            _ => self.free_name("a process"),
        }
    }

    fn free_name(&mut self, what: &str) -> Parsed<Word<'a>> {
        match self.c.peek() {
            Tok::Name(word) if RESERVED.contains(&word) => {
                Err(self.c.expected(what).help("this word has a meaning already"))
            }
            _ => self.c.name(what),
        }
    }

    /// Goes to where the next statement may begin.
    fn skip_stmt(&mut self) {
        while !self.at_part() && !self.c.is("}") {
            if self.c.eat(";") {
                return;
            }
            self.c.next();
        }
        // A brace that closes nothing would be met again.
        if self.depth == 0 {
            self.c.eat("}");
        }
    }

    /// A block, or one statement.
    fn block(&mut self) -> Parsed<Vec<Stmt<'a>>> {
        if !self.c.eat("{") {
            return Ok(vec![Stmt { bare: true, ..self.nested(Self::stmt)? }]);
        }
        self.nested(|p| {
            let mut body = Vec::new();
            while !p.c.eat("}") {
                if p.at_part() {
                    return Err(p.c.expected("`}`"));
                }
                match p.stmt() {
                    Ok(stmt) => body.push(stmt),
                    Err(error) if p.errors.len() + 1 < MAX_ERRORS => {
                        p.errors.push(error);
                        p.skip_stmt();
                    }
                    Err(error) => return Err(error),
                }
            }
            Ok(body)
        })
    }

    fn stmt(&mut self) -> Parsed<Stmt<'a>> {
        let start = self.c.span();
        if let Some(label) = self.label()? {
            let inner = Box::new(self.nested(Self::stmt)?);
            let span = start.to(inner.span);
            return Ok(Stmt { kind: StmtKind::Labelled(label, inner), span, bare: false });
        }
        let Some(kind) = self.compound()? else {
            let kind = self.simple()?;
            let span = start.to(self.c.last_span());
            self.c.expect(";")?;
            return Ok(Stmt { kind, span, bare: false });
        };
        // What is shown of a compound statement is its first word, or its condition.
        let span = match &kind {
            StmtKind::If { cond: Some(cond), .. } | StmtKind::While { cond: Some(cond), .. } => start.to(cond.span),
            StmtKind::Do { cond: Some(cond), .. } => cond.span,
            _ => start,
        };
        Ok(Stmt { kind, span, bare: false })
    }

    fn label(&mut self) -> Parsed<Option<Word<'a>>> {
        let Tok::Name(text) = self.c.peek() else { return Ok(None) };
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

    fn compound(&mut self) -> Parsed<Option<StmtKind<'a>>> {
        Ok(Some(if self.c.eat_word("if") {
            let cond = self.cond()?;
            let then = self.block()?;
            let els = if self.c.eat_word("else") { self.block()? } else { Vec::new() };
            StmtKind::If { cond, then, els }
        } else if self.c.eat_word("while") {
            StmtKind::While { cond: self.cond()?, body: self.block()? }
        } else if self.c.eat_word("do") {
            let body = self.block()?;
            if !self.c.eat_word("while") {
                return Err(self.c.expected("`while`"));
            }
            let cond = self.cond()?;
            self.c.expect(";")?;
            StmtKind::Do { body, cond }
        } else if self.c.eat_word("choose") {
            let mut many = vec![self.block()?];
            while self.c.eat_word("or") {
                many.push(self.block()?);
            }
            StmtKind::Choose(many)
        } else if self.c.eat_word("atomic") {
            StmtKind::Atomic(self.block()?)
        } else {
            return Ok(None);
        }))
    }

    /// `(e)` or `(?)`
    fn cond(&mut self) -> Parsed<Option<Expr<'a>>> {
        self.c.expect("(")?;
        let cond = if self.c.eat("?") { None } else { Some(self.expr(0)?) };
        self.c.expect(")")?;
        Ok(cond)
    }

    fn guard(&mut self) -> Parsed<Expr<'a>> {
        self.c.expect("(")?;
        let cond = self.expr(0)?;
        self.c.expect(")")?;
        Ok(cond)
    }

    fn simple(&mut self) -> Parsed<StmtKind<'a>> {
        if self.c.is(";") || self.c.eat_word("skip") {
            return Ok(StmtKind::Skip);
        }
        if self.c.eat_word("load") {
            let local = self.free_name("a local variable")?;
            self.c.expect("=")?;
            return Ok(StmtKind::Load { local, from: self.place()? });
        }
        if self.c.eat_word("store") {
            let to = self.place()?;
            self.c.expect("=")?;
            return Ok(StmtKind::Store { to, value: self.expr(0)? });
        }
        if self.c.eat_word("put") {
            self.c.expect("(")?;
            let remote = self.place()?;
            self.c.expect(",")?;
            let target = self.pid()?;
            self.c.expect(",")?;
            let own = self.place()?;
            self.c.expect(")")?;
            let kind = RemoteWord::Put;
            return Ok(StmtKind::Remote(RemoteStmt { kind, remote, own, target, operands: Vec::new() }));
        }
        if self.c.eat_word("flush") {
            self.c.expect("(")?;
            let target = self.pid()?;
            self.c.expect(")")?;
            return Ok(StmtKind::Flush(target));
        }
        if self.c.eat_word("assume") {
            return self.guard().map(StmtKind::Assume);
        }
        if self.c.eat_word("assert") {
            return self.guard().map(StmtKind::Assert);
        }
        if self.c.eat_word("goto") {
            return self.c.name("a label").map(StmtKind::Goto);
        }
        let target = self.place_of("a statement")?;
        self.c.expect("=")?;
        for (word, kind) in [
            ("get", RemoteWord::Get),
            ("faa", RemoteWord::Rmw(Rmw::Faa)),
            ("swap", RemoteWord::Rmw(Rmw::Swap)),
            ("cas", RemoteWord::Rmw(Rmw::Cas)),
        ] {
            if self.c.eat_word(word) {
                return self.remote(target, kind, word);
            }
        }
        if target.index.is_some() {
            let error = Diagnostic::error(target.name.span, "only a variable can be computed");
            return Err(error.help("`store A[i] = e` writes an element of an array"));
        }
        let value = if self.c.eat("?") { None } else { Some(self.expr(0)?) };
        Ok(StmtKind::Assign { local: target.name, value })
    }

    /// `get(Y, 1)` after its word.
    fn remote(&mut self, own: Place<'a>, kind: RemoteWord, word: &str) -> Parsed<StmtKind<'a>> {
        let span = self.c.last_span();
        self.c.expect("(")?;
        let remote = self.place()?;
        self.c.expect(",")?;
        let target = self.pid()?;
        let mut operands = Vec::new();
        while self.c.eat(",") {
            operands.push(self.expr(0)?);
        }
        self.c.expect(")")?;
        let arity = if let RemoteWord::Rmw(rmw) = kind { rmw.arity() } else { 0 };
        if operands.len() != arity {
            let needs = match arity {
                0 => "no value",
                1 => "one value",
                _ => "two values, the expected one and the new one",
            };
            return Err(Diagnostic::error(span, format!("`{word}` takes a variable, its process and {needs}")));
        }
        Ok(StmtKind::Remote(RemoteStmt { kind, remote, own, target, operands }))
    }

    fn place(&mut self) -> Parsed<Place<'a>> {
        self.place_of("a shared variable")
    }

    fn place_of(&mut self, what: &str) -> Parsed<Place<'a>> {
        let name = self.free_name(what)?;
        let index = if self.c.eat("[") {
            let index = self.nested(|p| p.expr(0))?;
            self.c.expect("]")?;
            Some(index)
        } else {
            None
        };
        Ok(Place { name, index })
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
        for (punct, make) in [("!", ExprKind::Not as fn(_) -> _), ("-", ExprKind::Negate)] {
            if self.c.eat(punct) {
                let inner = self.nested(Self::prefix)?;
                let (span, depth) = (start.to(inner.span), inner.depth + 1);
                return made(make(Box::new(inner)), span, depth);
            }
        }
        if self.c.eat("(") {
            let mut inner = self.nested(|p| p.expr(0))?;
            self.c.expect(")")?;
            inner.span = start.to(self.c.last_span());
            return Ok(inner);
        }
        if matches!(self.c.peek(), Tok::Num(_)) {
            let value = i64::from(self.c.number(false)?);
            return made(ExprKind::Int(value), start, 1);
        }
        for (word, value) in [("true", true), ("false", false)] {
            if self.c.eat_word(word) {
                return made(ExprKind::Truth(value), start, 1);
            }
        }
        if self.c.is("?") {
            return Err(Diagnostic::error(start, "`?` is a whole condition or a whole value, not a part of one"));
        }
        if self.c.eat_word("at") {
            self.c.expect("(")?;
            let proc = self.pid()?;
            self.c.expect(",")?;
            let label = self.c.name("a label")?;
            self.c.expect(")")?;
            return made(ExprKind::At { proc, label }, start.to(self.c.last_span()), 1);
        }
        let Place { name, index } = self.place_of("an expression")?;
        let depth = index.as_ref().map_or(0, |i| i.depth) + 1;
        let proc = if self.c.eat("@") { Some(self.pid()?) } else { None };
        let span = start.to(self.c.last_span());
        made(ExprKind::Name { name, proc, index: index.map(Box::new) }, span, depth)
    }
}

fn made(kind: ExprKind<'_>, span: Span, depth: u32) -> Parsed<Expr<'_>> {
    if depth > MAX_DEPTH {
        return Err(Diagnostic::error(span, "this expression is nested too deeply"));
    }
    Ok(Expr { kind, span, depth })
}
