//! Lowers a program that creates threads and may fail to a test: all threads exist from the start, and a failure is a question
//! about the final state. For the bounded engines.
//!
//! Each creation of a thread becomes a thread of its own with an object for the synchronisation of create and join: the thread begins
//! when it reads that it was created, a joining thread waits until it reads that the thread has ended, and both accesses release
//! and acquire. A thread that waits for ever, fails, or is cut at a bound, ends there and records that in a register, which the
//! question reads ([`asked`]). Allocated objects exist from the start, one for each occurrence of an allocation; allocation and free
//! are events without a value ([`memory`]).
//!
//! A read with the tag [`LATEST`] reads the last write of its location: so a thread that waits for ever reads that
//! nothing will change ([`waiting`]), and created threads do start.

mod asked;
mod body;
mod memory;
mod waiting;

pub use asked::{Asked, End, ends};
pub use memory::{ALLOC, HAZARD, HEAP, PROTECT, RETIRED, UNINIT};
pub use waiting::LATEST;

use crate::cfg::Cfg;
use crate::constants::propagate_constants;
use crate::flatten::{FREE, resized};
use crate::loop_free::go_on;
use crate::{Boundary, ops, simplify};
use asked::Waiter;
use body::{Body, Read};
use std::collections::BTreeMap;
use treville_base::{Cancel, Diagnostic, Idx, IndexVec, Name, Span};
use treville_ir::{
    Again, Block, BlockId, Callee, Expr, Failure, Func, FuncId, Inst, Mark, ObjectId, Op, Program, Reg, Root, Tags,
    Terminator, ThreadId, UpdateTags, Wait, may_run,
};

/// A program lowered to a test, and what may be asked of it.
pub struct LoweredTest {
    pub program: Program,
    pub asked: Asked,
    /// Failure n is named by n + 1.
    pub failures: Vec<(Failure, Name, Span)>,
    /// Where a thread is cut at a bound.
    pub cut_at: Option<Span>,
    /// Memory that no other thread sees is accessed by events here, which have dependencies that the program does not have.
    pub has_private_events: bool,
    /// What passes between each started thread and the others, from the second thread on.
    threads: Vec<ObjectId>,
}

/// What a place is for by which threads start and end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Channel {
    Start,
    End,
    /// Arguments and results.
    Value,
}

impl LoweredTest {
    /// The thread whose start or end is told at an address, and what is told there.
    pub fn channel(&self, address: u64) -> Option<(ThreadId, Channel)> {
        let (object, offset) = self.program.object_at(address)?;
        let thread = self.threads.iter().position(|own| *own == object)? + 1;
        let channel = match offset as i64 {
            STARTED => Channel::Start,
            ENDED => Channel::End,
            _ => Channel::Value,
        };
        Some((ThreadId::from_usize(thread), channel))
    }
}

/// How what a program does not write itself is written in its dialect: threads and locks.
#[derive(Clone, Debug)]
pub struct SyncTags {
    pub acquire: Vec<&'static str>,
    pub release: Vec<&'static str>,
    pub relaxed: Vec<&'static str>,
    /// Of the update that takes a lock: read, write, both in one, and the read of one that finds it taken.
    pub lock: [Vec<&'static str>; 4],
    /// Of the read of one that only tries, and finds it taken.
    pub tried: Vec<&'static str>,
    pub unlock: Vec<&'static str>,
    /// Where orders do not do it: what comes between these accesses and the rest. Control dependencies then never end.
    pub fence: Option<&'static str>,
}

impl SyncTags {
    /// Those of C.
    pub fn of_c() -> SyncTags {
        SyncTags {
            acquire: vec!["A", "ACQ"],
            release: vec!["A", "REL"],
            relaxed: vec!["A", "RLX"],
            lock: [
                vec!["A", "X", "RMW", "ACQ"],
                vec!["A", "X", "RMW", "RLX"],
                vec!["A", "X", "RMW", "ACQ"],
                vec!["A", "RLX"],
            ],
            tried: vec!["A", "RLX"],
            unlock: vec!["A", "REL"],
            fence: None,
        }
    }

    /// Those of the Linux kernel, whose model knows spin locks.
    pub fn of_kernel() -> SyncTags {
        SyncTags {
            acquire: vec!["ACQUIRE"],
            release: vec!["RELEASE"],
            relaxed: vec!["ONCE"],
            lock: [vec!["LKR"], vec!["LKW"], vec!["LKR", "LKW"], vec!["LF"]],
            tried: vec!["LF"],
            unlock: vec!["UL"],
            fence: None,
        }
    }

    /// Tags that lowered programs have besides those of their dialect.
    pub fn more() -> [Name; 8] {
        [FREE, ALLOC, HEAP, UNINIT, LATEST, HAZARD, PROTECT, RETIRED].map(Name::new)
    }
}

/// More threads than this are not worth starting on.
const MAX_THREADS: usize = 64;

/// The handle of the thread that exists from the start.
const FIRST: i64 = 1;

/// Where in a thread's object what is.
const STARTED: i64 = 0;
const ENDED: i64 = 8;
const RESULT: i64 = 16;
const ARGUMENTS: i64 = 24;

/// Closes a program without calls and loops. With `looks_again`, threads that wait in a loop look once more before they do so for ever.
/// What a thread might do at all is read off its `source`, the program with calls and loops, as other engines see it.
///
/// # Errors
/// What cannot be lowered, and where; or that the run was cancelled.
pub fn lower_to_test(
    program: &Program,
    source: &Program,
    words: &SyncTags,
    looks_again: bool,
    cancel: &Cancel,
) -> Result<LoweredTest, Diagnostic> {
    let [main] = program.roots.as_slice() else {
        return Err(Diagnostic::error(None, "a program with several threads from the start is not closed"));
    };
    let mut out = Program { funcs: IndexVec::new(), roots: IndexVec::new(), ..program.clone() };
    let tags = Marks::new(&mut out, words);
    let mut closer = Closer {
        program,
        out,
        tags,
        joins: Joins::of(program),
        names_first: asks_for_handle(&program.funcs[main.func]),
        looks_again,
        cancel,
        failures: Vec::new(),
        cut_at: None,
        heap: Vec::new(),
        private: Vec::new(),
        threads: Vec::new(),
        todo: Vec::new(),
    };
    let Root { func, name, ends_process, .. } = main.clone();
    closer.todo.push(Start { func, name, own: None, args: Vec::new(), ends_process });
    let mut bodies = Vec::new();
    while let Some(start) = closer.todo.get(bodies.len()).cloned() {
        let init = if bodies.is_empty() { &main.init[..] } else { &[] };
        let body = closer.thread(&start, init)?;
        bodies.push((start.name, body, init));
    }
    let givers = may_run(source, |op| matches!(op, Op::Mark(Mark::Gives)));
    let mut waiters = Vec::new();
    for (n, (name, mut body, init)) in bodies.into_iter().enumerate() {
        let own = closer.todo[n].own;
        closer.resolve(&mut body, own)?;
        go_on(cancel)?;
        let gives = givers[closer.todo[n].func];
        let locks = !body.locks.is_empty() || body.owns;
        waiters.push(Waiter { locks, joins: body.joins, asks: body.asks, gives });
        let func = closer.out.funcs.push(tidy(body.finish(name.clone()), init, cancel));
        closer.out.roots.push(Root { name, func, init: init.to_vec(), scopes: Vec::new(), ends_process: false });
    }
    let asked = Asked::of(&closer.out, &waiters, source.has_assumptions());
    let Closer { out: program, failures, cut_at, threads, private, .. } = closer;
    let has_private_events = mentions_any(&program, &private);
    Ok(LoweredTest { asked, program, failures, cut_at, has_private_events, threads })
}

/// What all predecessors of a block know of reads holds in it, too.
fn known_to_all(preds: &[BlockId], reads: &BTreeMap<BlockId, BTreeMap<Reg, Read>>) -> BTreeMap<Reg, Read> {
    let Some((first, others)) = preds.split_first() else { return BTreeMap::new() };
    let mut known = reads.get(first).cloned().unwrap_or_default();
    for pred in others {
        let same = |reg: &Reg, read: &Read| reads.get(pred).and_then(|r| r.get(reg)).is_some_and(|r| r.at == read.at);
        known.retain(|reg, read| same(reg, read));
    }
    known
}

/// Whether the code of a program mentions one of these objects.
fn mentions_any(program: &Program, objects: &[ObjectId]) -> bool {
    let mut found = false;
    for block in program.funcs.iter().flat_map(|func| func.blocks.iter()) {
        let exprs = block.insts.iter().flat_map(|inst| ops::exprs(&inst.op)).chain(ops::end_expr(&block.end));
        exprs.for_each(|e| e.visit_objects(&mut |object| found |= objects.contains(&object)));
    }
    found
}

/// The code of a thread in order, without what is known by now.
fn tidy(mut func: Func, init: &[(Reg, Expr)], cancel: &Cancel) -> Func {
    let entry: BTreeMap<Reg, Option<Expr>> = init.iter().map(|(reg, _)| (*reg, None)).collect();
    let exit = asked::said_at_the_end(&func).into_iter().collect();
    propagate_constants(&mut func, &entry, cancel);
    let boundary = Boundary { entry: entry.keys().copied().collect(), exit, cancel: cancel.clone() };
    simplify(&mut func, &boundary, false);
    func
}

/// A thread to be made.
#[derive(Clone)]
struct Start {
    func: FuncId,
    name: Name,
    /// What it shares with those that start it and wait for it; the first thread has nothing.
    own: Option<ObjectId>,
    /// Its arguments, as far as they are constants; the others are in its object.
    args: Vec<Option<Expr>>,
    /// When its function returns, the process ends.
    ends_process: bool,
}

/// The tags of what is added.
struct Marks {
    plain: Tags,
    acquire: Tags,
    release: Tags,
    tried: Tags,
    unlock: Tags,
    latest: Tags,
    seen: Tags,
    lock: UpdateTags,
    free: Tags,
    retire: Tags,
    protect: Tags,
    alloc: Tags,
    on_heap: Tags,
    fence: Option<Tags>,
}

impl Marks {
    fn new(out: &mut Program, words: &SyncTags) -> Marks {
        let mut tags = |names: &[&str], more: &[&str]| {
            let mut tags: Tags = names.iter().chain(more).map(|name| out.tag(name)).collect();
            tags.sort();
            tags.dedup();
            tags
        };
        let [read, write, fused, fail] = &words.lock;
        Marks {
            plain: tags(&["NA"], &[]),
            acquire: tags(&words.acquire, &[]),
            release: tags(&words.release, &[]),
            tried: tags(&words.tried, &[]),
            unlock: tags(&words.unlock, &[]),
            latest: tags(&words.relaxed, &[LATEST]),
            seen: tags(&words.acquire, &[LATEST]),
            lock: UpdateTags {
                read: tags(read, &[]),
                write: tags(write, &[]),
                fused: tags(fused, &[]),
                fail: tags(fail, &[LATEST]),
                fences: None,
            },
            free: tags(&[FREE], &[]),
            retire: tags(&[FREE, RETIRED], &[]),
            protect: tags(&[PROTECT], &[]),
            alloc: tags(&[ALLOC], &[]),
            on_heap: tags(&[ALLOC, HEAP], &[]),
            fence: words.fence.map(|fence| tags(&[fence], &[])),
        }
    }
}

/// Whether threads are waited for, and what they return looked at.
struct Joins {
    some: bool,
    results: bool,
}

impl Joins {
    fn of(program: &Program) -> Joins {
        let mut joins = Joins { some: false, results: false };
        for func in &program.funcs {
            for inst in func.blocks.iter().flat_map(|b| &b.insts) {
                if let Op::Join { dst, .. } = inst.op {
                    joins.some = true;
                    joins.results |= dst.is_some_and(|dst| is_used(func, dst));
                }
            }
        }
        joins
    }
}

fn asks_for_handle(func: &Func) -> bool {
    let mut insts = func.blocks.iter().flat_map(|block| &block.insts);
    insts.any(|inst| matches!(inst.op, Op::Current { number: false, .. }))
}

fn is_used(func: &Func, reg: Reg) -> bool {
    let mut used = false;
    let mut see = |e: &Expr| e.visit_regs(&mut |r| used |= r == reg);
    for block in &func.blocks {
        block.insts.iter().flat_map(|inst| ops::exprs(&inst.op)).for_each(&mut see);
        ops::end_expr(&block.end).into_iter().for_each(&mut see);
    }
    used
}

struct Closer<'a> {
    program: &'a Program,
    out: Program,
    tags: Marks,
    joins: Joins,
    /// Whether the first thread asks for its handle, which others may join.
    names_first: bool,
    looks_again: bool,
    cancel: &'a Cancel,
    failures: Vec<(Failure, Name, Span)>,
    cut_at: Option<Span>,
    /// Objects that may be freed.
    heap: Vec<ObjectId>,
    /// Objects that no other thread sees.
    private: Vec<ObjectId>,
    /// What threads share with others: their handles are its address.
    threads: Vec<ObjectId>,
    todo: Vec<Start>,
}

impl Closer<'_> {
    fn thread(&mut self, start: &Start, init: &[(Reg, Expr)]) -> Result<Body, Diagnostic> {
        let mut func = self.program.funcs[start.func].clone();
        self.own_copies(&mut func, start.own.is_some());
        let mut entry: BTreeMap<Reg, Option<Expr>> = init.iter().map(|(reg, _)| (*reg, None)).collect();
        for (i, param) in func.params.iter().enumerate() {
            let width = func.regs[*param].width;
            let known = start.args.get(i).cloned().unwrap_or(Some(Expr::int(0, 64)));
            entry.insert(*param, known.map(|value| narrowed(value, width)));
        }
        let (entered, cancel) = (entry.keys().copied().collect(), self.cancel.clone());
        let boundary = Boundary { entry: entered, cancel, ..Boundary::default() };
        propagate_constants(&mut func, &entry, self.cancel);
        simplify(&mut func, &boundary, false);
        go_on(self.cancel)?;
        let before = start.own.and_then(|own| self.threads.iter().position(|other| *other == own));
        let number = before.map_or(1, |n| n as i64 + 2);
        let mut body = Body::new(&func, self.tags.fence.is_some(), number);
        if let Some(own) = start.own {
            self.begin(&mut body, &func, start, own);
        }
        body.end(Terminator::Goto(body.start_of(treville_ir::BlockId(0))));
        let cfg = Cfg::new(&func);
        let mut reads = BTreeMap::new();
        for (id, block) in func.blocks.iter_enumerated() {
            body.go_to(body.start_of(id));
            body.set_reads(known_to_all(&cfg.preds[id], &reads));
            self.block(&mut body, block, start)?;
            reads.insert(id, body.reads());
        }
        Ok(body)
    }

    /// Waits for the start, and takes the arguments. A thread that is never started has ended.
    fn begin(&self, body: &mut Body, func: &Func, start: &Start, own: ObjectId) {
        let seen = body.temporary(64);
        body.emit(Op::Load { dst: seen, addr: Expr::Addr(own, STARTED), size: 8, tags: self.tags.seen.clone() });
        body.go_on_if(is_one(seen), End::Complete);
        self.fence(body);
        for (i, param) in func.params.iter().enumerate() {
            let width = func.regs[*param].width;
            let value = match start.args.get(i) {
                Some(None) => {
                    let value = body.temporary(64);
                    let addr = Expr::Addr(own, ARGUMENTS + 8 * i as i64);
                    body.emit(Op::Load { dst: value, addr, size: 8, tags: self.tags.plain.clone() });
                    resized(Expr::Reg(value), 64, width)
                }
                Some(Some(known)) => narrowed(known.clone(), width),
                None => continue,
            };
            body.emit(Op::Assign { dst: *param, value });
        }
    }

    fn fence(&self, body: &mut Body) {
        if let Some(tags) = &self.tags.fence {
            body.emit(Op::Fence { tags: tags.clone() });
        }
    }

    fn block(&mut self, body: &mut Body, block: &Block, start: &Start) -> Result<(), Diagnostic> {
        for inst in &block.insts {
            go_on(self.cancel)?;
            body.at(inst);
            match &inst.op {
                Op::Fail { failure, message } => {
                    self.fail(body, *failure, message.clone());
                    return Ok(());
                }
                Op::Mark(Mark::Cut) => {
                    self.cut_at = self.cut_at.or(Some(inst.span));
                    body.stop(End::Cut);
                    return Ok(());
                }
                Op::Mark(Mark::LooksAgain(found)) => {
                    body.stop(match found {
                        Again::Waits => End::Spin,
                        Again::GoesOn => End::Impatient,
                        Again::Unclear => End::MaySpin,
                    });
                    return Ok(());
                }
                _ => self.inst(body, inst, start)?,
            }
        }
        match &block.end {
            Terminator::Goto(to) => body.end(Terminator::Goto(body.start_of(*to))),
            Terminator::Branch { cond, then, els, join, instr, span } => {
                let (then, els) = (body.start_of(*then), body.start_of(*els));
                let join = join.map(|join| body.start_of(join));
                body.end(Terminator::Branch { cond: cond.clone(), then, els, join, instr: *instr, span: *span });
            }
            Terminator::End => self.finish(body, start, None),
            Terminator::Exit(value) => self.finish(body, start, Some(value)),
            Terminator::Return(_) if start.ends_process => body.stop(End::ExitProcess),
            Terminator::Return(value) => self.finish(body, start, value.as_ref()),
            Terminator::ExitProcess => body.stop(End::ExitProcess),
        }
        Ok(())
    }

    /// The thread fails here.
    fn fail(&mut self, body: &mut Body, failure: Failure, message: Name) {
        self.failures.push((failure, message, body.span()));
        body.stop(End::Failed(self.failures.len() - 1));
    }

    /// Says that the thread has ended, and with what.
    fn finish(&self, body: &mut Body, start: &Start, value: Option<&Expr>) {
        if let (Some(own), true) = (start.own, self.joins.some) {
            if self.joins.results {
                let value = value.map_or(Expr::int(0, 64), |value| resized(value.clone(), body.width(value), 64));
                self.put(body, own, RESULT, value, &self.tags.plain);
            }
            self.fence(body);
            self.put(body, own, ENDED, Expr::int(1, 64), &self.tags.release);
        }
        body.end(Terminator::End);
    }

    fn put(&self, body: &mut Body, object: ObjectId, offset: i64, value: Expr, tags: &Tags) {
        body.emit(Op::Store { addr: Expr::Addr(object, offset), value, size: 8, tags: tags.clone() });
    }

    fn inst(&mut self, body: &mut Body, inst: &Inst, start: &Start) -> Result<(), Diagnostic> {
        let refused = |what: &str| Err(Diagnostic::error(inst.span, format!("{what} is not for this engine")));
        match &inst.op {
            Op::Wait { cond, kind: Wait::Assume } => body.go_on_if(cond.clone(), End::Assume),
            Op::Wait { cond, kind: Wait::Spin } if self.looks_again => {
                self.wait_for_good(body, cond, End::Spin, false);
            }
            Op::Wait { cond, kind: Wait::Spin } => body.go_on_if(cond.clone(), End::Spin),
            Op::Wait { cond, kind: Wait::Resource } => {
                body.asks = true;
                self.wait_for_good(body, cond, End::Resource, false);
            }
            Op::Wait { cond, kind: Wait::Owner } => {
                body.owns = true;
                self.wait_for_good(body, cond, End::Resource, true);
            }
            Op::Lock { op, addr, size } => self.lock(body, *op, addr, *size),
            Op::Spawn { dst, callee: Callee::Func(func), args } => return self.spawn(body, *dst, *func, args),
            Op::Current { dst, number } => {
                let value = match start.own {
                    Some(own) if *number => {
                        let before = self.threads.iter().position(|other| *other == own);
                        Expr::int(before.map_or(0, |n| n as i64 + 1), 64)
                    }
                    Some(own) => Expr::Addr(own, 0),
                    None => Expr::int(if *number { 0 } else { FIRST }, 64),
                };
                body.emit(Op::Assign { dst: *dst, value });
            }
            Op::Mark(_) => {}
            Op::Call { .. } | Op::Spawn { .. } => return refused("a function that is not known"),
            Op::Alloc { dst, size, storage, zeroed } => return self.alloc(body, *dst, size, *storage, *zeroed),
            Op::Store { value, tags, .. } if self.is_hazard(tags) => {
                body.keep(inst);
                self.protect(body, value);
            }
            Op::Copy { to, from, len, tags } => return self.copy(body, to, from, len, tags),
            Op::Fill { to, byte, len, tags } => return self.fill(body, to, byte, len, tags),
            Op::Fail { .. } => return refused("a failure"),
            // Free and join are resolved when all objects and threads are known.
            Op::Free { .. }
            | Op::Join { .. }
            | Op::Assign { .. }
            | Op::Load { .. }
            | Op::Store { .. }
            | Op::Update { .. }
            | Op::StoreConditional { .. }
            | Op::Fence { .. }
            | Op::Opaque { .. }
            | Op::Nondet { .. } => body.keep(inst),
            Op::Handle { .. } => return refused("a handle of a value that is not determined"),
        }
        Ok(())
    }

    fn spawn(&mut self, body: &mut Body, dst: Reg, func: FuncId, args: &[Expr]) -> Result<(), Diagnostic> {
        if self.todo.len() == MAX_THREADS {
            return Err(Diagnostic::error(body.span(), "so many threads are not for this engine"));
        }
        let own = self.object("%thread", ARGUMENTS as u64 + 8 * args.len() as u64, false);
        self.threads.push(own);
        let mut known = Vec::new();
        for (i, arg) in args.iter().enumerate() {
            if matches!(arg, Expr::Const(_) | Expr::Addr(..)) {
                known.push(Some(arg.clone()));
                continue;
            }
            known.push(None);
            let value = resized(arg.clone(), body.width(arg), 64);
            self.put(body, own, ARGUMENTS + 8 * i as i64, value, &self.tags.plain);
        }
        self.fence(body);
        self.put(body, own, STARTED, Expr::int(1, 64), &self.tags.release);
        body.emit(Op::Assign { dst, value: Expr::Addr(own, 0) });
        let name = self.program.funcs[func].name.clone();
        self.todo.push(Start { func, name, own: Some(own), args: known, ends_process: false });
        Ok(())
    }

    /// What depends on all objects and threads being known.
    fn resolve(&mut self, body: &mut Body, own: Option<ObjectId>) -> Result<(), Diagnostic> {
        while let Some((inst, rest)) = body.next_unresolved() {
            body.at(&inst);
            match &inst.op {
                Op::Free { addr, retired } => self.free(body, addr, *retired),
                Op::Join { dst, thread } => self.join(body, *dst, thread, own),
                _ => {}
            }
            body.go_on_with(rest);
        }
        Ok(())
    }
}

/// A constant as a value of this width.
fn narrowed(value: Expr, width: u8) -> Expr {
    match value {
        Expr::Const(v) if v.width() != width => Expr::Const(treville_term::Bv::new(v.unsigned(), width)),
        value => value,
    }
}

fn is_one(reg: Reg) -> Expr {
    Expr::bin(treville_term::BinOp::Eq, Expr::Reg(reg), Expr::int(1, 64))
}
