//! Parses C: the functions of a test, and the definitions of a macro file.

mod decl;
mod expr;
mod stmt;

use super::ast::{Expr, Function, Stmt};
use super::token::{Kind, Tok, Token, lex};
use super::{c11, linux, types};
use std::ops::Range;
use treville_base::{Diagnostic, FileId, Name, Span};

/// How deep statements and expressions may nest.
const MAX_NESTING: u16 = 200;
const TOO_DEEP: &str = "nested more than 200 levels deep";

/// How many errors one text is told.
const MAX_ERRORS: usize = 30;

/// The code of a test.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Code {
    pub(crate) functions: Vec<Function>,
    /// Bytes of the widest type that it names.
    pub(crate) widest: u8,
    /// Whether it looks like code of the Linux kernel, see [`is_linux`].
    pub(crate) linux: bool,
}

/// The functions `P0 … P1 …` of a test.
pub(crate) fn code(file: FileId, text: &str, range: Range<usize>) -> Result<Code, Vec<Diagnostic>> {
    let tokens = lex(file, text, range, Kind::Test).map_err(|e| vec![e])?;
    let mut parser = Parser::new(&tokens);
    let mut functions = Vec::new();
    while !parser.at_end() && !parser.is_bell_section() {
        match parser.function(functions.len()) {
            Ok(function) => functions.push(function),
            Err(error) => {
                parser.errors.push(error);
                break;
            }
        }
    }
    if functions.is_empty() && parser.errors.is_empty() {
        parser.errors.push(parser.expected("a thread such as `P0(int *x) { … }`"));
    }
    let (widest, linux) = (parser.widest, is_linux(&tokens));
    parser.finish(Code { functions, widest, linux })
}

/// Whether C is that of the Linux kernel rather than C11. Memory orders (`memory_order_…`) say that it is C11; otherwise
/// one name that only the kernel has says that it is the kernel's: `READ_ONCE`, `smp_mb`, `rcu_read_lock`, `spinlock_t`,
/// an `atomic_…` function that C11 does not know.
fn is_linux(tokens: &[Token<'_>]) -> bool {
    let mut linux = false;
    for pair in tokens.windows(2) {
        let Tok::Name(name) = pair[0].tok else { continue };
        if name.starts_with("memory_order_") {
            return false;
        }
        linux |= types::is_kernel_name(name) || (pair[1].tok == Tok::Punct("(") && is_kernel_function(name));
    }
    linux
}

fn is_kernel_function(name: &str) -> bool {
    const PREFIXES: &[&str] = &["smp_", "rcu_", "srcu_", "spin_", "synchronize_", "xchg", "cmpxchg"];
    name == "barrier"
        || PREFIXES.iter().any(|p| name.starts_with(p))
        || linux::primitive(name).is_some()
        || (name.starts_with("atomic_") && c11::function(name).is_none() && types::named(name).is_none())
}

/// A definition `NAME(A,B) expression` or `NAME(A,B) { statements }`.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct MacroDef {
    pub(crate) name: Name,
    pub(crate) span: Span,
    pub(crate) params: Vec<Name>,
    pub(crate) body: MacroBody,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) enum MacroBody {
    Expr(Expr),
    Stmts(Vec<Stmt>),
}

/// The definitions of a macro file.
pub(crate) fn macro_defs(file: FileId, text: &str) -> Result<Vec<MacroDef>, Vec<Diagnostic>> {
    let tokens = lex(file, text, 0..text.len(), Kind::Macros).map_err(|e| vec![e])?;
    let mut parser = Parser::new(&tokens);
    let mut defs = Vec::new();
    while !parser.at_end() {
        match parser.macro_def() {
            Ok(def) => defs.push(def),
            Err(error) => {
                parser.errors.push(error);
                break;
            }
        }
    }
    parser.finish(defs)
}

type Parsed<T> = Result<T, Diagnostic>;

struct Parser<'t, 'a> {
    tokens: &'t [Token<'a>],
    at: usize,
    nesting: u16,
    /// Bytes of the widest type so far.
    widest: u8,
    errors: Vec<Diagnostic>,
}

impl<'t, 'a> Parser<'t, 'a> {
    fn new(tokens: &'t [Token<'a>]) -> Self {
        Parser { tokens, at: 0, nesting: 0, widest: 0, errors: Vec::new() }
    }

    fn finish<T>(mut self, parsed: T) -> Result<T, Vec<Diagnostic>> {
        // What comes after that makes no sense of its own.
        let too_deep = self.errors.iter().position(|error| error.message == TOO_DEEP);
        self.errors.truncate(too_deep.map_or(MAX_ERRORS, |at| (at + 1).min(MAX_ERRORS)));
        if self.errors.is_empty() { Ok(parsed) } else { Err(self.errors) }
    }
}

/// Words.
impl<'a> Parser<'_, 'a> {
    /// The last word is `End` and stays.
    fn token(&self, ahead: usize) -> Token<'a> {
        self.tokens[(self.at + ahead).min(self.tokens.len() - 1)]
    }

    fn peek(&self) -> Tok<'a> {
        self.token(0).tok
    }

    fn span(&self) -> Span {
        self.token(0).span
    }

    /// From `start` to the last word taken.
    fn since(&self, start: Span) -> Span {
        start.to(self.tokens[self.at.saturating_sub(1)].span)
    }

    fn at_end(&self) -> bool {
        self.peek() == Tok::End
    }

    fn advance(&mut self) -> Token<'a> {
        let token = self.token(0);
        self.at += 1;
        token
    }

    fn is(&self, punct: &str) -> bool {
        self.is_at(0, punct)
    }

    fn is_at(&self, ahead: usize, punct: &str) -> bool {
        matches!(self.token(ahead).tok, Tok::Punct(p) if p == punct)
    }

    fn eat(&mut self, punct: &str) -> bool {
        let found = self.is(punct);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, punct: &str) -> Parsed<()> {
        if self.eat(punct) { Ok(()) } else { Err(self.expected(&format!("`{punct}`"))) }
    }

    fn expected(&self, what: &str) -> Diagnostic {
        let found = match self.peek() {
            Tok::Name(n) => format!("`{n}`"),
            Tok::Int(n) => format!("`{n}`"),
            Tok::Punct(p) => format!("`{p}`"),
            Tok::End => "the end".to_owned(),
        };
        Diagnostic::error(self.span(), format!("expected {what}, found {found}"))
    }

    fn name(&mut self, what: &str) -> Parsed<Name> {
        match self.peek() {
            Tok::Name(name) => {
                self.at += 1;
                Ok(Name::new(name))
            }
            _ => Err(self.expected(what)),
        }
    }

    /// Items up to `close`, with commas between them.
    fn list<T>(&mut self, close: &str, mut item: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        let mut items = Vec::new();
        if self.eat(close) {
            return Ok(items);
        }
        loop {
            items.push(item(self)?);
            if self.eat(close) {
                return Ok(items);
            }
            if !self.eat(",") {
                return Err(self.expected(&format!("`,` or `{close}`")));
            }
        }
    }

    /// Runs `parse` one level deeper.
    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.nesting >= MAX_NESTING {
            return Err(Diagnostic::error(self.span(), TOO_DEEP).help("`else if` counts, too"));
        }
        self.nesting += 1;
        let parsed = parse(self);
        self.nesting -= 1;
        parsed
    }
}
