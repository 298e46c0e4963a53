//! C11 atomics compiled to the instructions of an architecture.
//!
//! A program with the tags of C becomes one with the tags of the architecture's litmus dialect, and with its fences. `NA`
//! stays on accesses that were not atomic, so that races can still be told. Every operation is an instruction of its own
//! afterwards, and control dependencies never end, as on a machine, but for those of branches that passes have added. Simplify
//! before, not after: a branch that only orders would be lost with `algebraic`.
//!
//! One file for each architecture says how it does it; adding one is a file and a line here.

mod aarch64;
mod arm;
mod power;
mod pso;
mod riscv;
mod sc;
mod tso;

use crate::flatten::FREE;
use crate::lower_to_test;
use std::sync::Arc;
use treville_base::{Diagnostic, Idx, IndexVec, Name, Span};
use treville_ir::{
    Block, BlockId, Dialect, Expr, Func, Inst, InstrId, Mark, MemoryOrder, Op, Program, Reg, RegInfo, TagId, Tags,
    Terminator, UpdateTags, Wait,
};
use treville_term::{BinOp, UnOp};

type TagNames = &'static [&'static str];

/// What follows an access.
#[derive(Clone, Copy, Debug)]
enum After {
    Nothing,
    Fence(&'static str),
    /// A branch that depends on what was read, then a fence that waits for it.
    Branch(&'static str),
}

/// How an access is made.
#[derive(Clone, Copy, Debug)]
struct Access {
    before: Option<&'static str>,
    tags: TagNames,
    after: After,
}

impl Access {
    const fn plain(tags: TagNames) -> Access {
        Access { before: None, tags, after: After::Nothing }
    }
}

/// The instructions of an update.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    /// One.
    Atomic,
    /// A load-linked and a store-conditional, repeated until it succeeds; only the last time is followed.
    Exclusive,
}

/// How an update is made. `fail` is the read of one that does not write.
#[derive(Clone, Copy, Debug)]
struct Update {
    form: Form,
    before: Option<&'static str>,
    read: TagNames,
    write: TagNames,
    fail: TagNames,
    after: After,
}

/// The mapping of an architecture.
struct Isa {
    /// The bundled model.
    model: &'static str,
    /// As litmus tests name it.
    dialect: &'static str,
    load: fn(MemoryOrder) -> Access,
    store: fn(MemoryOrder) -> Access,
    update: fn(MemoryOrder) -> Update,
    /// The same for one that no single instruction does (see [`is_single`]); none if there is always one.
    retried: Option<fn(MemoryOrder) -> Update>,
    fence: fn(MemoryOrder) -> Option<&'static str>,
    /// Those of [`FENCES`] that are its own.
    own: TagNames,
    /// Compilers give both ways of a compare-exchange the fences of both its orders.
    joins_failure: bool,
}

/// Tags that say something to the engine, not to the memory model.
const NOTES: &[&str] = &["HAZARD", "LAST", "LATEST", "UNWRITTEN"];

/// Fences of architectures that a program may name beside those of C: each means what it does on its own, and nothing on others.
const FENCES: TagNames = &["MFENCE", "SYNC", "LWSYNC", "ISYNC"];

const NOT_C: &str = "this operation is not one of C, so it cannot be compiled";

/// Whether machines that have atomic instructions for some updates have one for this: it always writes, four bytes or more, and is not
/// the negation of a conjunction.
fn is_single(guard: Option<&Expr>, new: &Expr, size: u8) -> bool {
    let nand = matches!(new, Expr::Un(UnOp::Not, of) if matches!(**of, Expr::Bin(BinOp::And, ..)));
    guard.is_none() && size >= 4 && !nand
}

/// One line for each architecture.
const TARGETS: &[Isa] = &[sc::ISA, tso::ISA, pso::ISA, aarch64::ISA, arm::ISA, power::ISA, riscv::ISA];

/// The dialect of the architecture that a bundled model is for, if programs in C are compiled for it.
pub fn dialect_for(model: &str) -> Option<&'static str> {
    TARGETS.iter().find(|isa| isa.model == model).map(|isa| isa.dialect)
}

/// The same without sequential consistency, whose dialect stays C.
pub fn hardware_dialect_for(model: &str) -> Option<&'static str> {
    dialect_for(model).filter(|dialect| *dialect != Dialect::C)
}

/// Whether all assembly of a program is of the architecture that a model is for, if it is for one.
///
/// # Errors
/// The first instruction of another one.
pub fn check_assembly(program: &Program, model: &str) -> Result<(), Diagnostic> {
    let Some(machine) = hardware_dialect_for(model) else { return Ok(()) };
    for inst in program.funcs.iter().flat_map(|func| func.blocks.iter()).flat_map(|block| &block.insts) {
        if let Op::Mark(Mark::Assembly(dialects)) = &inst.op
            && !dialects.split(' ').any(|dialect| dialect == machine)
        {
            let what = format!("inline assembly of {}, which {machine} does not have", dialects.replace(' ', " and "));
            let help = format!("check it under a model of its machine, or of C, not under {model}");
            return Err(Diagnostic::error(inst.span, what).help(help));
        }
    }
    Ok(())
}

/// The strongest fence of the architecture that a bundled model is for, if it has one.
pub fn full_fence(model: &str) -> Option<&'static str> {
    TARGETS.iter().find(|isa| isa.model == model).and_then(|isa| (isa.fence)(MemoryOrder::SeqCst))
}

/// How the architecture of a bundled model writes what a program does not write itself.
pub fn sync_tags(model: &str) -> Option<lower_to_test::SyncTags> {
    let isa = TARGETS.iter().find(|isa| isa.model == model)?;
    let update = (isa.update)(MemoryOrder::Relaxed);
    let both = if update.form == Form::Atomic { [update.read, update.write].concat() } else { Vec::new() };
    Some(lower_to_test::SyncTags {
        acquire: Vec::new(),
        release: Vec::new(),
        relaxed: Vec::new(),
        tried: Vec::new(),
        unlock: Vec::new(),
        lock: [update.read.to_vec(), update.write.to_vec(), both, update.fail.to_vec()],
        fence: full_fence(model),
    })
}

/// The program without fences of architectures, for models of C, whose dialect is given.
pub fn portable(program: &Program, dialect: Dialect) -> Program {
    let mut new = Program { dialect: Arc::new(dialect), ..program.clone() };
    for block in new.funcs.iter_mut().flat_map(|func| func.blocks.iter_mut()) {
        block.insts.retain(|inst| !matches!(&inst.op, Op::Fence { tags } if named_fence(program, tags).is_some()));
    }
    new
}

/// Which of [`FENCES`] the tags of a fence say.
fn named_fence(program: &Program, tags: &[TagId]) -> Option<&'static str> {
    FENCES.iter().copied().find(|fence| tags.iter().any(|tag| program.tags[*tag] == **fence))
}

/// How the pairs of a load-linked and a store-conditional are written that an update becomes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exclusives {
    /// As two operations.
    Apart,
    /// As one, followed by the branch that sees whether it has succeeded: for those who run programs. Such a program has the
    /// tags of the strongest fence and of updates, used or not, since locks and threads are made of these. Its own branches have no
    /// join.
    Together,
}

/// Compiles a program for the architecture of a bundled model (`sc`, `tso`, `pso`, `aarch64`, `arm`, `power`, `riscv`), whose
/// dialect is given.
pub fn compile(program: &Program, model: &str, dialect: &Dialect) -> Result<Program, Diagnostic> {
    compile_with(program, model, dialect, Exclusives::Apart)
}

/// The same, with a choice for exclusives.
pub fn compile_with(
    program: &Program,
    model: &str,
    dialect: &Dialect,
    exclusives: Exclusives,
) -> Result<Program, Diagnostic> {
    let Some(isa) = TARGETS.iter().find(|isa| isa.model == model) else {
        let known: Vec<&str> = TARGETS.iter().map(|isa| isa.model).collect();
        let error =
            Diagnostic::error(None, format!("there is no mapping of C atomics to the architecture of `{model}`"));
        return Err(error.help(format!("there is one for {}", known.join(", "))));
    };
    check_assembly(program, model)?;
    let mut new = program.clone();
    let mut dialect = dialect.clone();
    if !dialect.sets.iter().any(|s| *s == "NA") {
        dialect.sets.push(Name::new("NA"));
    }
    new.dialect = Arc::new(dialect);
    new.tags = IndexVec::new();
    let mut compiler = Compiler { isa, exclusives, old: program, new, instr: 0 };
    for f in program.funcs.ids() {
        let func = compiler.func(&program.funcs[f])?;
        compiler.new.funcs[f] = func;
    }
    if exclusives == Exclusives::Together {
        // Locks and threads will have these, whatever else the program has.
        let update = (isa.update)(MemoryOrder::Relaxed);
        let tags = update.read.iter().chain(update.write).copied().chain((isa.fence)(MemoryOrder::SeqCst));
        for tag in tags {
            compiler.new.tag(tag);
        }
    }
    Ok(compiler.new)
}

struct Compiler<'a> {
    isa: &'a Isa,
    exclusives: Exclusives,
    old: &'a Program,
    new: Program,
    instr: u32,
}

/// A stretch of code without branches inside.
struct Stretch {
    insts: Vec<Inst>,
    exit: Exit,
}

/// Where a stretch goes on; stretches of one old block are counted from its first.
enum Exit {
    /// Where the old block did.
    Old,
    /// In the next one.
    Next,
    Branch(Expr, usize, usize, Span),
    /// Nothing gets here.
    Dead,
}

/// The code that an old block becomes.
struct Code {
    stretches: Vec<Stretch>,
    /// Registers of the function, to which some may be added.
    regs: IndexVec<Reg, RegInfo>,
}

impl Code {
    fn begin(&mut self) {
        self.stretches.push(Stretch { insts: Vec::new(), exit: Exit::Old });
    }

    fn exit(&mut self, exit: Exit) {
        if let Some(stretch) = self.stretches.last_mut() {
            stretch.exit = exit;
        }
    }

    fn push(&mut self, inst: Inst) {
        if let Some(stretch) = self.stretches.last_mut() {
            stretch.insts.push(inst);
        }
    }

    fn register(&mut self, name: &str, width: u8) -> Reg {
        self.regs.push(RegInfo { name: Name::new(name), width })
    }
}

impl Compiler<'_> {
    fn func(&mut self, func: &Func) -> Result<Func, Diagnostic> {
        let mut regs = func.regs.clone();
        for reg in regs.iter_mut().filter(|r| r.is_temporary()) {
            // It connects instructions now, and is a register like others.
            reg.name = Name::from(reg.name.replacen('%', "tmp", 1));
        }
        let mut old_blocks = Vec::new();
        for block in &func.blocks {
            let mut code = Code { stretches: Vec::new(), regs };
            code.begin();
            for inst in &block.insts {
                self.inst(inst, &mut code)?;
            }
            regs = code.regs;
            old_blocks.push(code.stretches);
        }
        let mut n_blocks = 0;
        let mut starts: IndexVec<BlockId, BlockId> = IndexVec::new();
        for stretches in &old_blocks {
            starts.push(BlockId::from_usize(n_blocks));
            n_blocks += stretches.len();
        }
        let mut blocks = IndexVec::new();
        for (old, stretches) in func.blocks.iter().zip(old_blocks) {
            let start = blocks.len();
            for Stretch { insts, exit } in stretches {
                let end = match exit {
                    Exit::Old => self.end(&old.end, &starts),
                    Exit::Next => Terminator::Goto(BlockId::from_usize(blocks.len() + 1)),
                    Exit::Dead => Terminator::End,
                    Exit::Branch(cond, then, els, span) => {
                        let (then, els) = (BlockId::from_usize(start + then), BlockId::from_usize(start + els));
                        Terminator::Branch { cond, then, els, join: None, instr: self.instr(), span }
                    }
                };
                blocks.push(Block { insts, end });
            }
        }
        Ok(Func { regs, blocks, ..func.clone() })
    }

    fn instr(&mut self) -> InstrId {
        self.instr = self.instr.saturating_add(1);
        InstrId(self.instr - 1)
    }

    fn end(&mut self, end: &Terminator, starts: &IndexVec<BlockId, BlockId>) -> Terminator {
        let mut end = end.clone();
        crate::ops::rename_blocks(&mut end, &|b| starts[b]);
        if let Terminator::Branch { els, join, instr, .. } = &mut end {
            *instr = self.instr();
            // The branches of compiled code have no join: one that ends at once was added, and no machine runs it.
            let added = self.exclusives == Exclusives::Together && *join == Some(*els);
            *join = join.filter(|_| added);
        }
        end
    }

    fn inst(&mut self, inst: &Inst, code: &mut Code) -> Result<(), Diagnostic> {
        let span = inst.span;
        let mut op = inst.op.clone();
        match &mut op {
            Op::Load { dst, tags, .. } => {
                let (access, read) = (self.access(tags, span, self.isa.load)?, *dst);
                self.fence(access.before, span, code);
                self.push(op, span, code);
                self.after(access.after, read, span, code);
            }
            Op::Store { tags, .. } => {
                let access = self.access(tags, span, self.isa.store)?;
                self.fence(access.before, span, code);
                self.push(op, span, code);
                if let After::Fence(fence) = access.after {
                    self.fence(Some(fence), span, code);
                }
            }
            Op::Update { .. } => self.update(op, span, code)?,
            Op::Fence { tags } => {
                let fence = match named_fence(self.old, tags) {
                    Some(named) => self.isa.own.contains(&named).then_some(named),
                    None => (self.isa.fence)(self.order(tags, span)?.unwrap_or(MemoryOrder::Relaxed)),
                };
                self.fence(fence, span, code);
            }
            Op::Copy { tags, .. } | Op::Fill { tags, .. } => {
                self.access(tags, span, self.isa.store)?;
                self.push(op, span, code);
            }
            // The end of an object.
            Op::Opaque { tags, .. } if tags.iter().all(|t| self.old.tags[*t] == FREE) => {
                *tags = self.tags(&[FREE]);
                self.push(op, span, code);
            }
            Op::Opaque { .. } | Op::StoreConditional { .. } => {
                return Err(Diagnostic::error(span, NOT_C));
            }
            _ => self.push(op, span, code),
        }
        Ok(())
    }

    fn update(&mut self, mut op: Op, span: Span, code: &mut Code) -> Result<(), Diagnostic> {
        let Op::Update { old, addr, size, guard, new, tags } = &mut op else { return Ok(()) };
        if tags.fences.is_some() {
            return Err(Diagnostic::error(span, NOT_C));
        }
        let mut order = self.order(&tags.fused, span)?.unwrap_or(MemoryOrder::Relaxed);
        // One that does not write goes past what follows the others, if its order does not ask for that.
        let mut skips = false;
        if guard.is_some() {
            let fail = self.order(&tags.fail, span)?.unwrap_or(MemoryOrder::Relaxed);
            skips = !fail.acquires();
            let both = order.join(fail);
            if both != order && !self.isa.joins_failure {
                let what = "a compare-exchange whose order of failure is stronger than that of success";
                return Err(Diagnostic::error(span, format!("{what} is not compiled for {}", self.isa.dialect)));
            }
            order = both;
        }
        let make = self.isa.retried.filter(|_| !is_single(guard.as_ref(), new, *size)).unwrap_or(self.isa.update);
        let how = make(order);
        let read = *old;
        let succeeds = guard.clone().filter(|_| skips);
        self.fence(how.before, span, code);
        if how.form == Form::Exclusive && self.exclusives == Exclusives::Apart {
            let place = (addr.clone(), *size);
            self.exclusive(read, place, guard.clone(), new.clone(), how, skips, span, code);
        } else {
            // Pairs of exclusives are two events everywhere.
            let both = if how.form == Form::Atomic { [how.read, how.write].concat() } else { Vec::new() };
            *tags = UpdateTags {
                read: self.tags(how.read),
                write: self.tags(how.write),
                fused: self.tags(&both),
                fail: self.tags(how.fail),
                fences: None,
            };
            self.push(op, span, code);
            match (how.form, how.after, succeeds) {
                (Form::Exclusive, After::Fence(fence), Some(succeeds)) => {
                    let next = code.stretches.len();
                    code.exit(Exit::Branch(succeeds, next, next + 1, span));
                    code.begin();
                    self.fence(Some(fence), span, code);
                    code.exit(Exit::Next);
                    code.begin();
                    return Ok(());
                }
                (Form::Exclusive, ..) => self.branch_on(read, span, code),
                (Form::Atomic, ..) => {}
            }
            self.after(how.after, read, span, code);
        }
        Ok(())
    }

    /// A load-linked, a branch if there is a guard, and a store-conditional that succeeds; then what follows an update, for one that
    /// does not write only unless it `skips` that.
    #[expect(clippy::too_many_arguments, reason = "the parts of an update")]
    fn exclusive(
        &mut self,
        old: Reg,
        (addr, size): (Expr, u8),
        guard: Option<Expr>,
        new: Expr,
        how: Update,
        skips: bool,
        span: Span,
        code: &mut Code,
    ) {
        // The address may be computed from what the load overwrites.
        let at = code.register("place", 64);
        self.push(Op::Assign { dst: at, value: addr }, span, code);
        let addr = Expr::Reg(at);
        let tags = self.tags(how.read);
        self.push(Op::Load { dst: old, addr: addr.clone(), size, tags }, span, code);
        let first = code.stretches.len();
        // The stretch of the store, if it is not the one of the load.
        let n_more = usize::from(guard.is_some());
        let (fails, done) = (first + n_more, first + n_more + 1);
        let skips = skips && matches!(how.after, After::Fence(_));
        if let Some(guard) = guard {
            code.exit(Exit::Branch(guard, first, done + usize::from(skips), span));
            code.begin();
        }
        let status = code.register("status", 1);
        let tags = self.tags(how.write);
        self.push(Op::StoreConditional { status, addr, value: new, size, tags }, span, code);
        // Whether it succeeds depends on the load, too.
        let same = Expr::bin(BinOp::Eq, Expr::Reg(old), Expr::Reg(old));
        let succeeds = Expr::bin(BinOp::And, Expr::Reg(status), same);
        code.exit(Exit::Branch(succeeds, done, fails, span));
        code.begin();
        self.push(Op::Wait { cond: Expr::int(0, 1), kind: Wait::Assume }, span, code);
        code.exit(Exit::Dead);
        code.begin();
        self.after(how.after, old, span, code);
        if skips {
            code.exit(Exit::Next);
            code.begin();
        }
    }

    fn after(&mut self, after: After, read: Reg, span: Span, code: &mut Code) {
        match after {
            After::Nothing => {}
            After::Fence(fence) => self.fence(Some(fence), span, code),
            After::Branch(fence) => {
                self.branch_on(read, span, code);
                self.fence(Some(fence), span, code);
            }
        }
    }

    /// A branch that depends on a register and goes nowhere else.
    fn branch_on(&mut self, read: Reg, span: Span, code: &mut Code) {
        let next = code.stretches.len();
        let same = Expr::bin(BinOp::Eq, Expr::Reg(read), Expr::Reg(read));
        code.exit(Exit::Branch(same, next, next, span));
        code.begin();
    }

    fn push(&mut self, op: Op, span: Span, code: &mut Code) {
        code.push(Inst { op, instr: self.instr(), sequenced: true, span });
    }

    fn fence(&mut self, name: Option<&'static str>, span: Span, code: &mut Code) {
        if let Some(name) = name {
            let tags = self.tags(&[name]);
            self.push(Op::Fence { tags }, span, code);
        }
    }

    /// How a load or a store is made; gives it its new tags.
    fn access(&mut self, tags: &mut Tags, span: Span, make: fn(MemoryOrder) -> Access) -> Result<Access, Diagnostic> {
        let order = self.order(tags, span)?;
        let access = order.map_or(Access::plain(&[]), make);
        let names = if order.is_some() { access.tags } else { &["NA"] };
        let notes = NOTES.iter().filter(|note| tags.iter().any(|t| self.old.tags[*t] == **note));
        let names: Vec<&str> = names.iter().chain(notes).copied().collect();
        *tags = self.tags(&names);
        Ok(access)
    }

    fn tags(&mut self, names: &[&str]) -> Tags {
        let mut tags: Tags = names.iter().map(|n| self.new.tag(n)).collect();
        tags.sort();
        tags.dedup();
        tags
    }

    /// The order that the tags of C say; none for what is not atomic.
    fn order(&self, tags: &[TagId], span: Span) -> Result<Option<MemoryOrder>, Diagnostic> {
        let mut order = None;
        for name in tags.iter().filter_map(|t| self.old.tags.get(*t)) {
            let this = match name.as_str() {
                "NA" | "X" | "RMW" => continue,
                note if NOTES.contains(&note) => continue,
                "A" => MemoryOrder::Relaxed,
                tag => MemoryOrder::of_tag(tag).ok_or_else(|| {
                    let message = format!("`{tag}` is not a memory order of C11, so it cannot be compiled");
                    Diagnostic::error(span, message)
                })?,
            };
            order = Some(order.map_or(this, |o: MemoryOrder| o.join(this)));
        }
        Ok(order)
    }
}
