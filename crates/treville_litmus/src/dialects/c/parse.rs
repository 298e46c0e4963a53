//! Parses C: the functions of a test, and the definitions of a macro file.

use super::ast::*;
use super::token::{Kind, Tok, Token, lex};
use super::{c11, linux, types};
use std::ops::Range;
use treville_base::{Diagnostic, FileId, Name, Span};

/// How deep statements and expressions may nest.
const MAX_NESTING: u16 = 200;

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

    fn finish<T>(self, parsed: T) -> Result<T, Vec<Diagnostic>> {
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
            return Err(Diagnostic::error(self.span(), format!("nested more than {MAX_NESTING} levels deep")));
        }
        self.nesting += 1;
        let parsed = parse(self);
        self.nesting -= 1;
        parsed
    }
}

/// Functions, macros and types.
impl Parser<'_, '_> {
    /// `scopes: …` and `regions: …` may follow the code; they do not concern C.
    fn is_bell_section(&self) -> bool {
        matches!(self.peek(), Tok::Name("scopes" | "regions" | "levels")) && self.is_at(1, ":")
    }

    fn function(&mut self, number: usize) -> Parsed<Function> {
        while let Tok::Name("void" | "static" | "noinline") = self.peek() {
            self.advance();
            self.eat("*");
        }
        let span = self.span();
        let name = self.name("a thread such as `P0(int *x) { … }`")?;
        let written = name.strip_prefix('P').and_then(|n| n.parse::<u32>().ok());
        if written.map(|n| n as usize) != Some(number) {
            let message = format!("expected thread `P{number}`, found `{name}`");
            return Err(Diagnostic::error(span, message).help("threads are numbered P0, P1, … in order"));
        }
        self.expect("(")?;
        if self.peek() == Tok::Name("void") && self.is_at(1, ")") {
            self.advance();
        }
        let params = self.list(")", Self::param)?;
        self.expect("{")?;
        let body = self.statements()?;
        Ok(Function { number: number as u32, span, params, body })
    }

    fn param(&mut self) -> Parsed<Param> {
        let start = self.span();
        let mut ty = self.ty()?;
        let name = self.name("the name of a parameter")?;
        let span = self.since(start);
        if self.eat("[") {
            if let Tok::Int(_) = self.peek() {
                self.advance();
            }
            self.expect("]")?;
            ty.pointers += 1;
        }
        if ty.pointers == 0 {
            let error = Diagnostic::error(span, format!("parameter `{name}` is not a pointer"));
            return Err(error.help("parameters are the addresses of shared variables"));
        }
        ty.pointers -= 1;
        Ok(Param { name, ty, span })
    }

    fn macro_def(&mut self) -> Parsed<MacroDef> {
        let span = self.span();
        let name = self.name("the name of a macro")?;
        self.expect("(")?;
        let params = self.list(")", |p| p.name("a parameter of the macro"))?;
        let body = if self.eat("{") { MacroBody::Stmts(self.statements()?) } else { MacroBody::Expr(self.expr()?) };
        Ok(MacroDef { name, span, params, body })
    }

    fn at_type(&self) -> bool {
        matches!(self.peek(), Tok::Name(word) if types::begins_type(word))
    }

    /// A type with its pointers; qualifiers may stand anywhere.
    fn ty(&mut self) -> Parsed<CType> {
        self.nested(|p| {
            let mut ty: Option<CType> = None;
            let mut parts = Vec::new();
            loop {
                match p.peek() {
                    Tok::Name(word) if types::is_qualifier(word) => {}
                    Tok::Name(word) if ty.is_none() && types::is_part(word) => parts.push(word),
                    Tok::Name("void") if ty.is_none() && parts.is_empty() => ty = Some(types::combined(&[])),
                    Tok::Name("struct") if ty.is_none() && parts.is_empty() => {
                        p.advance();
                        p.name("the name of a struct")?;
                        ty = Some(types::combined(&[]));
                        continue;
                    }
                    Tok::Name("atomic") if ty.is_none() && parts.is_empty() => {
                        p.advance();
                        p.expect("<")?;
                        ty = Some(p.ty()?);
                        p.expect(">")?;
                        continue;
                    }
                    Tok::Name(word) if ty.is_none() && parts.is_empty() && types::named(word).is_some() => {
                        ty = types::named(word);
                    }
                    // `_Atomic(int)`, `volatile (int)`.
                    Tok::Punct("(") if ty.is_none() && parts.is_empty() => {
                        p.advance();
                        ty = Some(p.ty()?);
                        p.expect(")")?;
                        continue;
                    }
                    Tok::Punct("*") => {
                        let base = ty.or_else(|| (!parts.is_empty()).then(|| types::combined(&parts)));
                        let Some(base) = base else { break };
                        ty = Some(CType { pointers: base.pointers.saturating_add(1), ..base });
                    }
                    _ => break,
                }
                p.advance();
            }
            let ty = ty.or_else(|| (!parts.is_empty()).then(|| types::combined(&parts)));
            let ty = ty.ok_or_else(|| p.expected("a type"))?;
            p.widest = p.widest.max(ty.bytes);
            Ok(ty)
        })
    }
}

/// Statements.
impl Parser<'_, '_> {
    /// Statements up to the closing brace. A broken one is reported, and the next one tried.
    fn statements(&mut self) -> Parsed<Vec<Stmt>> {
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

/// Expressions.
impl Parser<'_, '_> {
    /// Makes an expression that ends with the last word taken.
    fn node(&self, kind: ExprKind, start: Span) -> Parsed<Expr> {
        let below = match &kind {
            ExprKind::Int(_) | ExprKind::Name(_) | ExprKind::Operator(_) => 0,
            ExprKind::Deref(a) | ExprKind::AddressOf(a) | ExprKind::PointerCast(a) | ExprKind::Unary(_, a) => a.height,
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

    fn expr(&mut self) -> Parsed<Expr> {
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
        if ty.pointers == 0 {
            return Ok(inner);
        }
        self.node(ExprKind::PointerCast(Box::new(inner)), start)
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
