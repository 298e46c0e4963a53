//! Programs that start threads and may fail, as programs without either: for engines that take threads which are there from
//! the start and answer questions about their end.
//!
//! Each start of a thread becomes a thread of its own with an object for what passes between it and the others: it begins when
//! it sees that it was started, and whoever waits for it waits to see that it has ended, releases and acquires, so that what
//! came before is seen. A thread that waits for ever, or fails, ends there and says so in a register; the question asks whether
//! one has failed, whatever became of the others.

use crate::cfg::Cfg;
use crate::ops;
use std::collections::BTreeSet;
use treville_base::{Diagnostic, IndexVec, Name, Span};
use treville_ir::{
    Atom, Block, BlockId, Callee, Comparison, Expr, Failure, Formula, Func, FuncId, InitCell, Inst, InstrId, Object,
    ObjectId, Observable, Op, Operand, Place, Program, Quantifier, Question, Reg, RegInfo, Root, Storage, Tags,
    Terminator, ThreadId, Type, Wait,
};
use treville_term::{BinOp, Bv};

/// A program that is closed, and what is asked of it.
pub struct Closed {
    pub program: Program,
    /// Whether some thread fails. Of each thread, a state lists which failure it ends with, and whether it waits for ever.
    pub question: Question,
    /// Failure n is named by n + 1.
    pub failures: Vec<(Failure, Name, Span)>,
}

/// More threads than this are not for engines that list executions.
const MAX_THREADS: usize = 16;

/// Where in a thread's object what is.
const STARTED: i64 = 0;
const ENDED: i64 = 8;
const RESULT: i64 = 16;
const ARGUMENTS: i64 = 24;

/// Closes a program whose functions are inlined.
///
/// # Errors
/// What it has that cannot be closed, and where.
pub fn close(program: &Program) -> Result<Closed, Diagnostic> {
    let [main] = program.roots.as_slice() else {
        return Err(Diagnostic::error(None, "a program with several threads from the start is not closed"));
    };
    if let Some(object) = program.objects.iter().find(|object| object.thread_local) {
        return Err(Diagnostic::error(object.span, "a thread-local object is not enumerated"));
    }
    let mut out = Program { funcs: IndexVec::new(), roots: IndexVec::new(), ..program.clone() };
    let mut tags = |names: &[&str]| {
        let mut tags: Tags = names.iter().map(|name| out.tag(name)).collect();
        tags.sort();
        tags
    };
    let (plain, acquire, release) = (tags(&["NA"]), tags(&["A", "ACQ"]), tags(&["A", "REL"]));
    let mut closer = Closer { program, out, plain, acquire, release, failures: Vec::new(), todo: Vec::new() };
    closer.todo.push(Start { func: main.func, name: main.name.clone(), own: None });
    let mut at = 0;
    while let Some(start) = closer.todo.get(at).cloned() {
        closer.thread(&start, if at == 0 { &main.init } else { &[] })?;
        at += 1;
    }
    Ok(Closed { question: closer.question(), program: closer.out, failures: closer.failures })
}

/// A thread to be made.
#[derive(Clone)]
struct Start {
    func: FuncId,
    name: Name,
    /// What it shares with those that start it and wait for it; the first thread has nothing.
    own: Option<ObjectId>,
}

struct Closer<'a> {
    program: &'a Program,
    out: Program,
    plain: Tags,
    acquire: Tags,
    release: Tags,
    failures: Vec<(Failure, Name, Span)>,
    todo: Vec<Start>,
}

/// A function while it is rewritten.
struct Body {
    regs: IndexVec<Reg, RegInfo>,
    blocks: IndexVec<BlockId, Block>,
    /// Where each block of the original begins.
    starts: IndexVec<BlockId, BlockId>,
    current: BlockId,
    instr: InstrId,
    span: Span,
    failed: Reg,
    /// Where a thread ends that waits for ever.
    stuck: BlockId,
}

impl Closer<'_> {
    fn thread(&mut self, start: &Start, init: &[(Reg, Expr)]) -> Result<(), Diagnostic> {
        let func = &self.program.funcs[start.func];
        let mut body = Body::new(func);
        if let Some(own) = start.own {
            self.begin(&mut body, func, own);
        }
        body.end(Terminator::Goto(body.starts[BlockId(0)]));
        let in_loops: BTreeSet<BlockId> = Cfg::new(func).loops().into_values().flatten().collect();
        for (id, block) in func.blocks.iter_enumerated() {
            body.current = body.starts[id];
            self.block(&mut body, block, start, in_loops.contains(&id))?;
        }
        let name = start.name.clone();
        let made = Func { name: name.clone(), params: Vec::new(), regs: body.regs, blocks: body.blocks };
        let func = self.out.funcs.push(made);
        self.out.roots.push(Root { name, func, init: init.to_vec(), scopes: Vec::new() });
        Ok(())
    }

    /// Waits for the start, and takes the arguments.
    fn begin(&self, body: &mut Body, func: &Func, own: ObjectId) {
        self.wait_for(body, Expr::Addr(own, STARTED));
        for (i, param) in func.params.iter().enumerate() {
            let value = body.temporary(64);
            let addr = Expr::Addr(own, ARGUMENTS + 8 * i as i64);
            body.emit(Op::Load { dst: value, addr, size: 8, tags: self.plain.clone() });
            let value = resized(Expr::Reg(value), 64, func.regs[*param].width);
            body.emit(Op::Assign { dst: *param, value });
        }
    }

    /// Goes on if the 8 bytes at an address are 1.
    fn wait_for(&self, body: &mut Body, addr: Expr) {
        let seen = body.temporary(64);
        body.emit(Op::Load { dst: seen, addr, size: 8, tags: self.acquire.clone() });
        body.go_on_if(Expr::bin(BinOp::Eq, Expr::Reg(seen), Expr::int(1, 64)));
    }

    fn block(&mut self, body: &mut Body, block: &Block, start: &Start, in_loop: bool) -> Result<(), Diagnostic> {
        for inst in &block.insts {
            (body.instr, body.span) = (inst.instr, inst.span);
            if let Op::Fail { failure, message } = &inst.op {
                self.failures.push((*failure, message.clone(), inst.span));
                let value = Expr::int(self.failures.len() as i64, 32);
                body.emit(Op::Assign { dst: body.failed, value });
                body.end(Terminator::End);
                return Ok(());
            }
            self.inst(body, inst, start, in_loop)?;
        }
        match &block.end {
            Terminator::Goto(to) => body.end(Terminator::Goto(body.starts[*to])),
            Terminator::Branch { cond, then, els, join, instr, span } => {
                let (then, els) = (body.starts[*then], body.starts[*els]);
                let join = join.map(|join| body.starts[join]);
                body.end(Terminator::Branch { cond: cond.clone(), then, els, join, instr: *instr, span: *span });
            }
            Terminator::End => self.finish(body, start, None),
            Terminator::Exit(value) => self.finish(body, start, Some(value)),
            Terminator::Return(value) => self.finish(body, start, value.as_ref()),
        }
        Ok(())
    }

    /// Says that the thread has ended, and with what.
    fn finish(&self, body: &mut Body, start: &Start, value: Option<&Expr>) {
        if let Some(own) = start.own {
            let width = |value: &Expr| body.width(value);
            let value = value.map_or(Expr::int(0, 64), |value| resized(value.clone(), width(value), 64));
            self.put(body, own, RESULT, value, &self.plain);
            self.put(body, own, ENDED, Expr::int(1, 64), &self.release);
        }
        body.end(Terminator::End);
    }

    fn put(&self, body: &mut Body, object: ObjectId, offset: i64, value: Expr, tags: &Tags) {
        body.emit(Op::Store { addr: Expr::Addr(object, offset), value, size: 8, tags: tags.clone() });
    }

    fn inst(&mut self, body: &mut Body, inst: &Inst, start: &Start, in_loop: bool) -> Result<(), Diagnostic> {
        let refused = |what: &str| Err(Diagnostic::error(inst.span, format!("{what} is not enumerated")));
        match &inst.op {
            Op::Wait { cond, kind: Wait::Assume } => body.go_on_if(cond.clone()),
            Op::Wait { .. } | Op::Lock { .. } => return refused("a thread that waits for another"),
            Op::Spawn { .. } if in_loop => return refused("a thread that is started in a loop"),
            Op::Spawn { dst, callee: Callee::Func(func), args } => {
                if self.todo.len() == MAX_THREADS {
                    return refused("so many threads");
                }
                let own = self.object("%thread", ARGUMENTS as u64 + 8 * args.len() as u64);
                let name = Name::new(&format!("{}", self.program.funcs[*func].name));
                self.todo.push(Start { func: *func, name, own: Some(own) });
                for (i, arg) in args.iter().enumerate() {
                    let value = resized(arg.clone(), body.width(arg), 64);
                    self.put(body, own, ARGUMENTS + 8 * i as i64, value, &self.plain);
                }
                self.put(body, own, STARTED, Expr::int(1, 64), &self.release);
                body.emit(Op::Assign { dst: *dst, value: Expr::Addr(own, 0) });
            }
            Op::Join { dst, thread } => {
                let at = |offset: i64| Expr::bin(BinOp::Add, thread.clone(), Expr::int(offset, 64));
                self.wait_for(body, at(ENDED));
                if let Some(dst) = dst {
                    let value = body.temporary(64);
                    body.emit(Op::Load { dst: value, addr: at(RESULT), size: 8, tags: self.plain.clone() });
                    let value = resized(Expr::Reg(value), 64, body.regs[*dst].width);
                    body.emit(Op::Assign { dst: *dst, value });
                }
            }
            Op::Current { dst } => {
                let value = start.own.map_or(Expr::int(1, 64), |own| Expr::Addr(own, 0));
                body.emit(Op::Assign { dst: *dst, value });
            }
            Op::Mark(_) => {}
            Op::Nondet { dst } if body.regs[*dst].width > 1 => return refused("a value that is not determined"),
            Op::Call { .. } | Op::Spawn { .. } => return refused("a function that is not known"),
            // Nobody else has its address, so that nobody can use it after its end.
            Op::Alloc { dst, size: Expr::Const(size), storage: Storage::Private, .. } if !in_loop => {
                let object = self.object("%local", size.unsigned() as u64);
                body.emit(Op::Assign { dst: *dst, value: Expr::Addr(object, 0) });
            }
            Op::Alloc { storage: Storage::Heap, .. } | Op::Free { .. } => return refused("an object of the heap"),
            Op::Alloc { .. } => return refused("a local object that others may use"),
            Op::Copy { .. } | Op::Fill { .. } => return refused("a copy of memory"),
            Op::Fail { .. } => return refused("a failure"),
            Op::Assign { .. }
            | Op::Load { .. }
            | Op::Store { .. }
            | Op::Update { .. }
            | Op::StoreConditional { .. }
            | Op::Fence { .. }
            | Op::Opaque { .. }
            | Op::Nondet { .. } => body.blocks[body.current].insts.push(inst.clone()),
        }
        Ok(())
    }

    /// A new object of zeros.
    fn object(&mut self, name: &str, size: u64) -> ObjectId {
        let words = (0..size / 8).map(|i| (8 * i, 8));
        let bytes = (size / 8 * 8..size).map(|offset| (offset, 1));
        let cell = |(offset, size): (u64, u8)| InitCell { offset, size, value: Expr::int(0, 8 * size) };
        self.out.objects.push(Object {
            name: Name::new(&format!("{name}{}", self.out.objects.len())),
            address: self.out.next_address(),
            size,
            ty: Type::Untyped,
            array: false,
            thread_local: false,
            members: Vec::new(),
            init: words.chain(bytes).map(cell).collect(),
            span: Span::new(treville_base::FileId(0), 0, 0),
        })
    }

    fn question(&self) -> Question {
        let mut observed = Vec::new();
        let mut fails = Vec::new();
        for (thread, root) in self.out.roots.iter_enumerated() {
            let [failed, waits] = said_at_the_end(&self.out.funcs[root.func]).map(|reg| Place::Reg(thread, reg));
            let zero = Operand::Value(Bv::zero(32));
            fails.push(Formula::Atom(Atom { left: failed.clone(), op: Comparison::Ne, right: zero }));
            let ty = Type::Int { bytes: 4, signed: true };
            let named = |place, what| Observable { place, ty, name: format!("{}:{what}", thread.0) };
            observed.extend([named(failed, "failed"), named(waits, "waits")]);
        }
        Question { quantifier: Quantifier::Exists, condition: Formula::Or(fails), filter: None, observed, span: None }
    }
}

/// The names of the registers that say how a thread has ended.
const FAILED: &str = "%failed";
const WAITS: &str = "%waits";

fn said_at_the_end(func: &Func) -> [Reg; 2] {
    [FAILED, WAITS].map(|name| {
        let found = func.regs.iter_enumerated().find(|(_, info)| info.name == name);
        found.map_or(Reg(0), |(reg, _)| reg)
    })
}

/// A value of another width, with zeros above.
fn resized(value: Expr, from: u8, to: u8) -> Expr {
    if from == to { value } else { value.zext(to) }
}

impl Body {
    fn new(func: &Func) -> Self {
        let mut regs = func.regs.clone();
        let failed = regs.push(RegInfo { name: Name::new(FAILED), width: 32 });
        let waits = regs.push(RegInfo { name: Name::new(WAITS), width: 32 });
        let empty = || Block { insts: Vec::new(), end: Terminator::End };
        let mut blocks: IndexVec<BlockId, Block> = IndexVec::new();
        let current = blocks.push(empty());
        let stuck = blocks.push(empty());
        let starts = func.blocks.iter().map(|_| blocks.push(empty())).collect();
        let (instr, span) = (InstrId(u32::MAX - 1), Span::new(treville_base::FileId(0), 0, 0));
        let op = Op::Assign { dst: waits, value: Expr::int(1, 32) };
        blocks[stuck].insts.push(Inst { op, instr, sequenced: true, span });
        Body { regs, blocks, starts, current, instr, span, failed, stuck }
    }

    fn temporary(&mut self, width: u8) -> Reg {
        self.regs.push(RegInfo { name: Name::new("%"), width })
    }

    fn emit(&mut self, op: Op) {
        let inst = Inst { op, instr: self.instr, sequenced: true, span: self.span };
        self.blocks[self.current].insts.push(inst);
    }

    fn end(&mut self, end: Terminator) {
        self.blocks[self.current].end = end;
    }

    /// The thread is stuck here unless the condition holds; nothing that follows depends on it.
    fn go_on_if(&mut self, cond: Expr) {
        let next = self.blocks.push(Block { insts: Vec::new(), end: Terminator::End });
        let (els, join, instr, span) = (self.stuck, Some(next), self.instr, self.span);
        self.end(Terminator::Branch { cond, then: next, els, join, instr, span });
        self.current = next;
    }

    fn width(&self, value: &Expr) -> u8 {
        ops::width(value, &self.regs).unwrap_or(64)
    }
}

/// The thread that a state says has failed first, with the number of its failure; whether all have come to their end.
pub fn told(values: &[Vec<Bv>]) -> (Option<(ThreadId, usize)>, bool) {
    let value = |v: &Vec<Bv>| v.first().map_or(0, |v| v.unsigned());
    let mut failed = None;
    let mut complete = true;
    for (thread, said) in values.chunks(2).enumerate() {
        if let [fails, waits] = said {
            complete &= value(waits) == 0;
            if let (None, Some(n)) = (failed, value(fails).checked_sub(1)) {
                failed = Some((ThreadId(thread as u32), n as usize));
            }
        }
    }
    (failed, complete)
}
