//! Text to programs.

use super::lexer::{Token, tokens};
use super::{BINARY, HANDLES, STORAGES, WAITS, YIELDING};
use crate::{
    Again, Block, BlockId, Callee, Dialect, Expr, Failure, Func, FuncId, InitCell, Inst, InstrId, LockOp, Mark, Object,
    ObjectId, Op, Program, Reg, RegInfo, Root, StatusDependency, Tags, Terminator, Type, UpdateTags,
};
use std::collections::BTreeMap;
use std::sync::Arc;
use treville_base::{Diagnostic, FileId, IndexVec, Name, Span};
use treville_term::{Bv, Cast, UnOp};

/// How deep expressions may nest.
const DEPTH: u32 = 200;

/// Reads the text form of a program; the first error is returned.
pub fn parse(file: FileId, text: &str) -> Result<Program, Diagnostic> {
    let tokens = tokens(file, text)?;
    let (objects, funcs) = (Names::declared("object", &tokens), Names::declared("func", &tokens));
    let dialect = Dialect {
        branch_events: false,
        conditional_store_data: false,
        ..Dialect::assembly(Dialect::C, Dialect::MODEL_OF_PROGRAMS, Vec::new())
    };
    let program = Program::new("", Arc::new(dialect));
    let mut parser = Parser {
        tokens,
        at: 0,
        depth: 0,
        program,
        objects,
        funcs,
        regs: IndexVec::new(),
        reg_names: Names::default(),
        instr: 0,
    };
    parser.program()?;
    Ok(parser.program)
}

/// The things of a kind by name; of several with one name, the first.
#[derive(Default)]
struct Names {
    by_name: BTreeMap<Name, usize>,
    n: usize,
}

impl Names {
    fn new(names: impl Iterator<Item = Name>) -> Names {
        let mut all = Names::default();
        for name in names {
            all.by_name.entry(name).or_insert(all.n);
            all.n += 1;
        }
        all
    }

    /// What the text declares after this word: things may be mentioned before they are declared.
    fn declared(kind: &str, tokens: &[(Token, Span)]) -> Names {
        let pairs = tokens.windows(2).filter(|w| matches!(&w[0].0, Token::Word(word) if word == kind));
        Names::new(pairs.filter_map(|w| match &w[1].0 {
            Token::Word(n) | Token::Text(n) => Some(Name::new(n)),
            _ => None,
        }))
    }
}

struct Parser {
    tokens: Vec<(Token, Span)>,
    at: usize,
    depth: u32,
    program: Program,
    objects: Names,
    funcs: Names,
    /// Those of the current function.
    regs: IndexVec<Reg, RegInfo>,
    reg_names: Names,
    /// The next instruction that has no number.
    instr: u32,
}

type Parsed<T> = Result<T, Diagnostic>;

impl Parser {
    fn peek(&self) -> &Token {
        &self.tokens[self.at].0
    }

    fn peek_after(&self) -> &Token {
        &self.tokens[(self.at + 1).min(self.tokens.len() - 1)].0
    }

    fn span(&self) -> Span {
        self.tokens[self.at].1
    }

    fn next(&mut self) -> Token {
        let token = self.tokens[self.at].0.clone();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    fn error<T>(&self, message: impl Into<String>) -> Parsed<T> {
        Err(Diagnostic::error(self.span(), message.into()))
    }

    fn eat(&mut self, c: char) -> bool {
        let found = *self.peek() == Token::Punct(c);
        if found {
            self.next();
        }
        found
    }

    fn expect(&mut self, c: char) -> Parsed<()> {
        if self.eat(c) { Ok(()) } else { self.error(format!("expected `{c}`")) }
    }

    fn is_word(&self, word: &str) -> bool {
        matches!(self.peek(), Token::Word(w) if w == word)
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        if found {
            self.next();
        }
        found
    }

    fn name(&mut self) -> Parsed<Name> {
        match self.peek().clone() {
            Token::Word(n) | Token::Text(n) => {
                self.next();
                Ok(Name::from(n))
            }
            _ => self.error("expected a name"),
        }
    }

    fn number<T: TryFrom<u128>>(&mut self) -> Parsed<T> {
        let Token::Number(n) = *self.peek() else { return self.error("expected a number") };
        let Ok(n) = T::try_from(n) else { return self.error("this number is too large here") };
        self.next();
        Ok(n)
    }

    /// One of a table's words.
    fn choice<T: Clone>(&mut self, table: &[(&str, T)]) -> Parsed<T> {
        let found = table.iter().find(|(word, _)| self.is_word(word)).map(|(_, value)| value.clone());
        match found {
            Some(value) => {
                self.next();
                Ok(value)
            }
            None => {
                let words: Vec<&str> = table.iter().map(|(word, _)| *word).collect();
                self.error(format!("expected one of: {}", words.join(", ")))
            }
        }
    }

    /// `[ … ]`, each part read by `part`.
    fn list<T>(&mut self, close: char, mut part: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        self.expect(if close == ')' { '(' } else { '[' })?;
        let mut parts = Vec::new();
        while !self.eat(close) {
            parts.push(part(self)?);
        }
        Ok(parts)
    }

    /// A name among things of a kind, or `#` and a number.
    fn reference(&mut self, kind: &str, names: fn(&Self) -> &Names) -> Parsed<u32> {
        let span = self.span();
        let found = if self.eat('#') {
            Some(self.number::<usize>()?)
        } else {
            let name = self.name()?;
            names(self).by_name.get(&name).copied()
        };
        match found.filter(|i| *i < names(self).n).and_then(|i| u32::try_from(i).ok()) {
            Some(i) => Ok(i),
            None => Err(Diagnostic::error(span, format!("there is no such {kind}"))),
        }
    }

    fn reg(&mut self) -> Parsed<Reg> {
        self.reference("register", |p| &p.reg_names).map(Reg)
    }

    fn func_ref(&mut self) -> Parsed<FuncId> {
        self.reference("function", |p| &p.funcs).map(FuncId)
    }

    fn object_ref(&mut self) -> Parsed<ObjectId> {
        self.reference("object", |p| &p.objects).map(ObjectId)
    }

    /// The registers that names mean from here on.
    fn set_regs(&mut self, regs: IndexVec<Reg, RegInfo>) {
        self.reg_names = Names::new(regs.iter().map(|r| r.name.clone()));
        self.regs = regs;
    }

    fn program(&mut self) -> Parsed<()> {
        loop {
            if *self.peek() == Token::End {
                return Ok(());
            } else if self.eat_word("program") {
                self.program.name = self.name()?;
            } else if self.eat_word("dialect") {
                self.dialect()?;
            } else if self.eat_word("tags") {
                for name in self.list(']', Self::name)? {
                    self.program.tag(&name);
                }
            } else if self.eat_word("object") {
                self.object()?;
            } else if self.eat_word("func") {
                self.func()?;
            } else if self.eat_word("process") {
                self.thread(true)?;
            } else if self.eat_word("thread") {
                self.thread(false)?;
            } else {
                return self.error("expected `program`, `dialect`, `tags`, `object`, `func`, `process` or `thread`");
            }
        }
    }

    fn dialect(&mut self) -> Parsed<()> {
        let mut d = Dialect::clone(&self.program.dialect);
        (d.name, d.default_model) = (self.name()?, self.name()?);
        loop {
            if self.eat_word("fused") {
                d.fused_updates = true;
            } else if self.eat_word("po_inside") {
                d.po_inside = true;
            } else if self.eat_word("branch_events") {
                d.branch_events = true;
            } else if self.eat_word("conditional_store_data") {
                d.conditional_store_data = true;
            } else if self.eat_word("loose_compare") {
                d.loose_compare = true;
            } else if self.eat_word("status_operands") {
                d.status = StatusDependency::Operands;
            } else if self.eat_word("status_store") {
                d.status = StatusDependency::Store;
            } else if self.eat_word("exclusive") {
                d.exclusive = Some(self.name()?);
            } else if self.eat_word("sets") {
                d.sets = self.list(']', Self::name)?;
            } else {
                self.program.dialect = Arc::new(d);
                return Ok(());
            }
        }
    }

    /// Unless said otherwise, a signed `int` that holds 0 at the next free address.
    fn object(&mut self) -> Parsed<()> {
        let (span, name) = (self.span(), self.name()?);
        let address = if self.eat_word("at") { self.number()? } else { self.program.next_address() };
        let size = if self.eat_word("size") { self.number()? } else { 4 };
        let ty = if self.eat_word("type") { self.ty()? } else { Type::Int { bytes: 4, signed: true } };
        let (array, thread_local) = (self.eat_word("array"), self.eat_word("thread_local"));
        let uninitialized = self.eat_word("uninitialized");
        let cell = |p: &mut Self| Ok(InitCell { offset: p.number()?, size: p.number()?, value: p.expr()? });
        let init = if self.eat_word("init") {
            self.set_regs(IndexVec::new());
            self.list(']', cell)?
        } else {
            let bytes = if size > 1 << 16 { return self.error("an object of this size needs `init`") } else { size };
            (0..bytes).map(|offset| InitCell { offset, size: 1, value: Expr::int(0, 8) }).collect()
        };
        self.program.objects.push(Object {
            name,
            address,
            size,
            ty,
            array,
            thread_local,
            members: Vec::new(),
            init,
            uninitialized,
            span,
        });
        Ok(())
    }

    fn ty(&mut self) -> Parsed<Type> {
        if self.eat_word("pointer") {
            return Ok(Type::Pointer);
        }
        if self.eat_word("untyped") {
            return Ok(Type::Untyped);
        }
        for signed in [true, false] {
            for bytes in [1, 2, 4, 8, 16] {
                if self.eat_word(&format!("{}{}", if signed { 'i' } else { 'u' }, 8 * u32::from(bytes))) {
                    return Ok(Type::Int { bytes, signed });
                }
            }
        }
        self.error("expected a type: `i8` to `i128`, `u8` to `u128`, `pointer` or `untyped`")
    }

    fn thread(&mut self, ends_process: bool) -> Parsed<()> {
        let name = self.name()?;
        let func = self.func_ref()?;
        let Some(f) = self.program.funcs.get(func) else { return self.error("the function must come before") };
        let regs = f.regs.clone();
        self.set_regs(regs);
        let init = self.list(']', |p| Ok((p.reg()?, p.expr()?)))?;
        let scopes =
            if self.eat_word("scopes") { self.list(']', |p| Ok((p.name()?, p.number()?)))? } else { Vec::new() };
        self.program.roots.push(Root { name, func, init, scopes, ends_process });
        Ok(())
    }

    fn func(&mut self) -> Parsed<()> {
        let name = self.name()?;
        let params_at = self.at;
        // The registers are declared after the parameters that mention them.
        while !matches!(self.peek(), Token::Punct(')') | Token::End) {
            self.next();
        }
        self.expect(')')?;
        if !self.eat_word("regs") {
            return self.error("expected `regs`");
        }
        let regs = self.list(']', |p| {
            let name = p.name()?;
            p.expect(':')?;
            Ok(RegInfo { name, width: p.width()? })
        })?;
        self.set_regs(IndexVec::from(regs));
        let body = std::mem::replace(&mut self.at, params_at);
        let params = self.list(')', Self::reg)?;
        self.at = body;
        self.expect('{')?;
        let mut blocks = IndexVec::new();
        while !self.eat('}') {
            let (span, label) = (self.span(), self.block()?);
            if label.0 as usize != blocks.len() {
                return Err(Diagnostic::error(span, format!("expected block `b{}`", blocks.len())));
            }
            self.expect(':')?;
            let block = self.block_body()?;
            blocks.push(block);
        }
        let regs = std::mem::take(&mut self.regs);
        let span = self.span();
        let missing = |b: &Block| successors(&b.end).any(|t| t.0 as usize >= blocks.len());
        if blocks.is_empty() || blocks.iter().any(missing) {
            return Err(Diagnostic::error(span, format!("the function `{name}` lacks a block that it goes to")));
        }
        self.program.funcs.push(Func { name, params, regs, blocks });
        Ok(())
    }

    fn block(&mut self) -> Parsed<BlockId> {
        let id = match self.peek() {
            Token::Word(w) => w.strip_prefix('b').and_then(|n| n.parse().ok()),
            _ => None,
        };
        let Some(id) = id else { return self.error("expected a block: `b` and its number") };
        self.next();
        Ok(BlockId(id))
    }

    fn block_body(&mut self) -> Parsed<Block> {
        let mut insts = Vec::new();
        loop {
            let start = self.span();
            let mut instr = InstrId(self.instr);
            let mut sequenced = true;
            if self.eat('@') {
                instr = InstrId(self.number()?);
                sequenced = !self.eat('\'');
            }
            if let Some(end) = self.terminator(instr)? {
                return Ok(Block { insts, end });
            }
            let op = self.op()?;
            self.instr = self.instr.max(instr.0.saturating_add(1));
            insts.push(Inst { op, instr, sequenced, span: start });
        }
    }

    fn terminator(&mut self, instr: InstrId) -> Parsed<Option<Terminator>> {
        let span = self.span();
        if *self.peek_after() == Token::Punct('=') {
            return Ok(None);
        }
        Ok(Some(if self.eat_word("goto") {
            Terminator::Goto(self.block()?)
        } else if self.eat_word("branch") {
            self.instr = self.instr.max(instr.0.saturating_add(1));
            let (cond, then, els) = (self.expr()?, self.block()?, self.block()?);
            let join = if self.eat_word("join") { Some(self.block()?) } else { None };
            Terminator::Branch { cond, then, els, join, instr, span }
        } else if self.eat_word("end") {
            Terminator::End
        } else if self.eat_word("exit_process") {
            Terminator::ExitProcess
        } else if self.eat_word("exit") {
            Terminator::Exit(self.expr()?)
        } else if self.eat_word("return") {
            Terminator::Return(self.optional()?)
        } else {
            return Ok(None);
        }))
    }

    fn op(&mut self) -> Parsed<Op> {
        if matches!(self.peek(), Token::Punct('#')) || *self.peek_after() == Token::Punct('=') {
            let dst = self.reg()?;
            self.expect('=')?;
            if matches!(self.peek(), Token::Word(w) if YIELDING.contains(&w.as_str())) {
                return self.yielding(Some(dst));
            }
            return Ok(Op::Assign { dst, value: self.expr()? });
        }
        if self.eat_word("store") {
            return Ok(Op::Store { addr: self.expr()?, value: self.expr()?, size: self.size()?, tags: self.tags()? });
        }
        if self.eat_word("fence") {
            return Ok(Op::Fence { tags: self.tags()? });
        }
        if self.eat_word("wait") {
            return Ok(Op::Wait { kind: self.choice(WAITS)?, cond: self.expr()? });
        }
        if self.eat_word("free") {
            return Ok(Op::Free { addr: self.expr()?, retired: false });
        }
        if self.eat_word("retire") {
            return Ok(Op::Free { addr: self.expr()?, retired: true });
        }
        if self.eat_word("copy") {
            return Ok(Op::Copy { to: self.expr()?, from: self.expr()?, len: self.expr()?, tags: self.tags()? });
        }
        if self.eat_word("fill") {
            return Ok(Op::Fill { to: self.expr()?, byte: self.expr()?, len: self.expr()?, tags: self.tags()? });
        }
        if self.eat_word("fail") {
            let all = Failure::USUAL.iter().chain(Failure::ASKED);
            let failures: Vec<_> = all.map(|f| (f.name(), *f)).collect();
            return Ok(Op::Fail { failure: self.choice(&failures)?, message: self.name()? });
        }
        if self.eat_word("mark") {
            return Ok(Op::Mark(self.mark()?));
        }
        self.yielding(None)
    }

    fn mark(&mut self) -> Parsed<Mark> {
        if self.eat_word("loop_bound") {
            return Ok(Mark::LoopBound(self.number()?));
        }
        if self.eat_word("at") {
            return Ok(Mark::At(Some(self.name()?)));
        }
        if self.eat_word("assembly") {
            return Ok(Mark::Assembly(self.name()?));
        }
        self.choice(&[
            ("spin_start", Mark::SpinStart),
            ("spin_end", Mark::SpinEnd),
            ("cut", Mark::Cut),
            ("still_waits", Mark::LooksAgain(Again::Waits)),
            ("goes_on", Mark::LooksAgain(Again::GoesOn)),
            ("may_wait", Mark::LooksAgain(Again::Unclear)),
            ("nowhere", Mark::At(None)),
            ("step", Mark::Step),
            ("gives", Mark::Gives),
        ])
    }

    /// An operation that may give a register its value.
    fn yielding(&mut self, dst: Option<Reg>) -> Parsed<Op> {
        let span = self.span();
        let needed = || dst.ok_or_else(|| Diagnostic::error(span, "expected an operation, or a register and `=`"));
        if self.eat_word("call") {
            let (callee, args) = self.callee()?;
            Ok(Op::Call { dst, callee, args })
        } else if self.eat_word("join") {
            Ok(Op::Join { dst, thread: self.expr()? })
        } else if self.eat_word("lock") {
            let op = match dst {
                None => self.choice(&[("acquire", LockOp::Acquire), ("release", LockOp::Release)])?,
                Some(dst) => self.choice(&[("try", LockOp::Try { dst }), ("is_held", LockOp::IsHeld { dst })])?,
            };
            Ok(Op::Lock { op, addr: self.expr()?, size: self.size()? })
        } else if self.eat_word("opaque") {
            Ok(Op::Opaque { addr: self.optional()?, value: self.optional()?, dst, tags: self.tags()? })
        } else if self.eat_word("load") {
            Ok(Op::Load { dst: needed()?, addr: self.expr()?, size: self.size()?, tags: self.tags()? })
        } else if self.eat_word("update") {
            let (addr, size, new) = (self.expr()?, self.size()?, self.expr()?);
            let guard = if self.eat_word("if") { Some(self.expr()?) } else { None };
            let (read, write, fused, fail) = (self.tags()?, self.tags()?, self.tags()?, self.tags()?);
            let fences = if self.eat_word("fences") { Some(self.tags()?) } else { None };
            let tags = UpdateTags { read, write, fused, fail, fences };
            Ok(Op::Update { old: needed()?, addr, size, guard, new, tags })
        } else if self.eat_word("store_conditional") {
            let (addr, value, size) = (self.expr()?, self.expr()?, self.size()?);
            Ok(Op::StoreConditional { status: needed()?, addr, value, size, tags: self.tags()? })
        } else if self.eat_word("spawn") {
            let (callee, args) = self.callee()?;
            Ok(Op::Spawn { dst: needed()?, callee, args })
        } else if self.eat_word("current") {
            Ok(Op::Current { dst: needed()?, number: self.eat_word("number") })
        } else if self.eat_word("alloc") {
            let (storage, size) = (self.choice(STORAGES)?, self.expr()?);
            Ok(Op::Alloc { dst: needed()?, size, storage, zeroed: self.eat_word("zeroed") })
        } else if self.eat_word("nondet") {
            Ok(Op::Nondet { dst: needed()? })
        } else if self.eat_word("handle") {
            Ok(Op::Handle { dst: needed()?, op: self.choice(HANDLES)?, arg: self.expr()? })
        } else {
            self.error("expected an operation")
        }
    }

    fn callee(&mut self) -> Parsed<(Callee, Vec<Expr>)> {
        let callee = if self.eat('*') { Callee::Pointer(self.expr()?) } else { Callee::Func(self.func_ref()?) };
        Ok((callee, self.list(')', Self::expr)?))
    }

    fn tags(&mut self) -> Parsed<Tags> {
        let names = self.list(']', Self::name)?;
        let mut tags: Tags = names.iter().map(|n| self.program.tag(n)).collect();
        tags.sort();
        tags.dedup();
        Ok(tags)
    }

    fn width(&mut self) -> Parsed<u8> {
        let span = self.span();
        let width = self.number()?;
        if (1..=128).contains(&width) { Ok(width) } else { Err(Diagnostic::error(span, "a width is 1 to 128")) }
    }

    fn size(&mut self) -> Parsed<u8> {
        let span = self.span();
        let size = self.number()?;
        if (1..=16).contains(&size) { Ok(size) } else { Err(Diagnostic::error(span, "a size is 1 to 16 bytes")) }
    }

    /// An expression, or `_` for none.
    fn optional(&mut self) -> Parsed<Option<Expr>> {
        if self.eat_word("_") { Ok(None) } else { self.expr().map(Some) }
    }

    fn expr(&mut self) -> Parsed<Expr> {
        if let Token::Number(bits) = *self.peek() {
            self.next();
            self.expect(':')?;
            if *self.peek() == Token::Number(0) {
                self.next();
                return Ok(Expr::Const(Bv::thin_air(bits as u32)));
            }
            return Ok(Expr::Const(Bv::new(bits, self.width()?)));
        }
        if self.eat('&') {
            return Ok(Expr::Addr(self.object_ref()?, 0));
        }
        if !self.eat('(') {
            return Ok(Expr::Reg(self.reg()?));
        }
        self.depth += 1;
        if self.depth > DEPTH {
            return self.error("this expression is nested too deeply");
        }
        let e = if self.eat_word("addr") {
            let object = self.object_ref()?;
            Expr::Addr(object, self.number::<u128>()? as i64)
        } else if self.eat_word("not") {
            Expr::un(UnOp::Not, self.expr()?)
        } else if self.eat_word("neg") {
            Expr::un(UnOp::Neg, self.expr()?)
        } else if self.is_word("zext") || self.is_word("sext") {
            let kind = self.choice(&[("zext", Cast::Zero), ("sext", Cast::Sign)])?;
            Expr::Cast(kind, self.width()?, Box::new(self.expr()?))
        } else if self.eat_word("ite") {
            Expr::ite(self.expr()?, self.expr()?, self.expr()?)
        } else {
            Expr::bin(self.choice(BINARY)?, self.expr()?, self.expr()?)
        };
        self.depth -= 1;
        self.expect(')')?;
        Ok(e)
    }
}

fn successors(end: &Terminator) -> impl Iterator<Item = BlockId> {
    let all = match end {
        Terminator::Goto(b) => [Some(*b), None, None],
        Terminator::Branch { then, els, join, .. } => [Some(*then), Some(*els), *join],
        Terminator::End | Terminator::Exit(_) | Terminator::Return(_) | Terminator::ExitProcess => [None; 3],
    };
    all.into_iter().flatten()
}
