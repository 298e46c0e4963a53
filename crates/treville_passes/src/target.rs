//! C11 atomics compiled to the instructions of an architecture.
//!
//! A program with the tags of C becomes one with the tags of the architecture's litmus dialect, and with its fences. `NA`
//! stays on accesses that were not atomic, so that races can still be told. Every operation is an instruction of its own
//! afterwards, and control dependencies never end, as on a machine. Simplify before, not after: a branch that only orders
//! would be lost with `algebraic`.
//!
//! One file for each architecture says how it does it; adding one is a file and a line here.

mod aarch64;
mod arm;
mod power;
mod riscv;
mod sc;
mod tso;

use std::sync::Arc;
use treville_base::{Diagnostic, IndexVec, Name, Span};
use treville_ir::{
    Block, BlockId, Dialect, Expr, Func, Inst, InstrId, Op, Program, Reg, TagId, Tags, Terminator, UpdateTags,
};
use treville_term::BinOp;

/// Memory orders. Consume counts as acquire, as compilers have it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Order {
    Relaxed,
    Acquire,
    Release,
    AcquireRelease,
    SeqCst,
}

impl Order {
    fn acquires(self) -> bool {
        matches!(self, Order::Acquire | Order::AcquireRelease | Order::SeqCst)
    }

    fn releases(self) -> bool {
        matches!(self, Order::Release | Order::AcquireRelease | Order::SeqCst)
    }

    /// At least as strong as both.
    fn join(self, other: Order) -> Order {
        if self == Order::SeqCst || other == Order::SeqCst {
            return Order::SeqCst;
        }
        match (self.acquires() || other.acquires(), self.releases() || other.releases()) {
            (false, false) => Order::Relaxed,
            (true, false) => Order::Acquire,
            (false, true) => Order::Release,
            (true, true) => Order::AcquireRelease,
        }
    }
}

type Words = &'static [&'static str];

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
    tags: Words,
    after: After,
}

impl Access {
    const fn plain(tags: Words) -> Access {
        Access { before: None, tags, after: After::Nothing }
    }
}

/// How an update is made. `fail` is the read of one that does not write.
#[derive(Clone, Copy, Debug)]
struct Update {
    before: Option<&'static str>,
    read: Words,
    write: Words,
    fail: Words,
    after: After,
}

/// The mapping of an architecture.
struct Isa {
    /// The bundled model.
    model: &'static str,
    /// As litmus tests name it.
    dialect: &'static str,
    load: fn(Order) -> Access,
    store: fn(Order) -> Access,
    update: fn(Order) -> Update,
    fence: fn(Order) -> Option<&'static str>,
}

/// One line for each architecture.
const TARGETS: &[Isa] = &[sc::ISA, tso::ISA, aarch64::ISA, arm::ISA, power::ISA, riscv::ISA];

/// The dialect of the architecture that a bundled model is for, if programs in C are compiled for it.
pub fn dialect_for(model: &str) -> Option<&'static str> {
    TARGETS.iter().find(|isa| isa.model == model).map(|isa| isa.dialect)
}

/// Compiles a program for the architecture of a bundled model (`sc`, `tso`, `aarch64`, `arm`, `power`, `riscv`), whose
/// dialect is given.
pub fn compile(program: &Program, model: &str, dialect: &Dialect) -> Result<Program, Diagnostic> {
    let Some(isa) = TARGETS.iter().find(|isa| isa.model == model) else {
        let known: Vec<&str> = TARGETS.iter().map(|isa| isa.model).collect();
        let error =
            Diagnostic::error(None, format!("there is no mapping of C atomics to the architecture of `{model}`"));
        return Err(error.help(format!("there is one for {}", known.join(", "))));
    };
    let mut new = program.clone();
    let mut dialect = dialect.clone();
    if !dialect.sets.iter().any(|s| *s == "NA") {
        dialect.sets.push(Name::new("NA"));
    }
    new.dialect = Arc::new(dialect);
    new.tags = IndexVec::new();
    let mut compiler = Compiler { isa, old: program, new, instr: 0 };
    for f in program.funcs.ids() {
        let func = compiler.func(&program.funcs[f])?;
        compiler.new.funcs[f] = func;
    }
    Ok(compiler.new)
}

struct Compiler<'a> {
    isa: &'a Isa,
    old: &'a Program,
    new: Program,
    instr: u32,
}

/// A stretch of code that ends with a branch on a register which only orders, or, the last, as the old block did.
#[derive(Default)]
struct Stretch {
    insts: Vec<Inst>,
    orders: Option<(Reg, Span)>,
}

impl Compiler<'_> {
    fn func(&mut self, func: &Func) -> Result<Func, Diagnostic> {
        let mut new = Func { blocks: IndexVec::new(), ..func.clone() };
        for reg in new.regs.iter_mut().filter(|r| r.is_temporary()) {
            // It connects instructions now, and is a register like others.
            reg.name = Name::from(reg.name.replacen('%', "tmp", 1));
        }
        let code = func.blocks.iter().map(|b| self.block(b)).collect::<Result<Vec<_>, _>>()?;
        let mut n_blocks = 0;
        let starts: IndexVec<BlockId, BlockId> = code
            .iter()
            .map(|stretches| {
                n_blocks += stretches.len() as u32;
                BlockId(n_blocks - stretches.len() as u32)
            })
            .collect();
        for (old, stretches) in func.blocks.iter().zip(code) {
            for Stretch { insts, orders } in stretches {
                let next = BlockId(new.blocks.len() as u32 + 1);
                let end = match orders {
                    Some((reg, span)) => {
                        let cond = Expr::bin(BinOp::Eq, Expr::Reg(reg), Expr::Reg(reg));
                        Terminator::Branch { cond, then: next, els: next, join: None, instr: self.instr(), span }
                    }
                    None => self.end(&old.end, &starts),
                };
                new.blocks.push(Block { insts, end });
            }
        }
        Ok(new)
    }

    fn instr(&mut self) -> InstrId {
        self.instr = self.instr.saturating_add(1);
        InstrId(self.instr - 1)
    }

    fn end(&mut self, end: &Terminator, starts: &IndexVec<BlockId, BlockId>) -> Terminator {
        let mut end = end.clone();
        crate::ops::rename_blocks(&mut end, &|b| starts[b]);
        if let Terminator::Branch { join, instr, .. } = &mut end {
            *instr = self.instr();
            *join = None;
        }
        end
    }

    fn block(&mut self, block: &Block) -> Result<Vec<Stretch>, Diagnostic> {
        let mut code = vec![Stretch::default()];
        for inst in &block.insts {
            self.inst(inst, &mut code)?;
        }
        Ok(code)
    }

    fn inst(&mut self, inst: &Inst, code: &mut Vec<Stretch>) -> Result<(), Diagnostic> {
        let span = inst.span;
        let mut op = inst.op.clone();
        let (before, after, read) = match &mut op {
            Op::Load { dst, tags, .. } => {
                let access = self.access(tags, span, self.isa.load)?;
                (access.before, access.after, Some(*dst))
            }
            Op::Store { tags, .. } => {
                let access = self.access(tags, span, self.isa.store)?;
                (access.before, access.after, None)
            }
            Op::Update { old, guard, tags, .. } => {
                let mut order = self.order(&tags.fused, span)?.unwrap_or(Order::Relaxed);
                if guard.is_some() {
                    order = order.join(self.order(&tags.fail, span)?.unwrap_or(Order::Relaxed));
                }
                let update = (self.isa.update)(order);
                *tags = UpdateTags {
                    read: self.tags(update.read),
                    write: self.tags(update.write),
                    fused: self.tags(update.write),
                    fail: self.tags(update.fail),
                    fences: None,
                };
                (update.before, update.after, Some(*old))
            }
            Op::Fence { tags } => {
                let order = self.order(tags, span)?.unwrap_or(Order::Relaxed);
                if let Some(fence) = (self.isa.fence)(order) {
                    self.fence(fence, span, code);
                }
                return Ok(());
            }
            Op::Opaque { tags, .. } | Op::StoreConditional { tags, .. } => {
                let _ = self.order(tags, span)?;
                return Err(Diagnostic::error(span, "this operation is not one of C, so it cannot be compiled"));
            }
            _ => (None, After::Nothing, None),
        };
        if let Some(fence) = before {
            self.fence(fence, span, code);
        }
        self.push(op, span, code);
        match (after, read) {
            (After::Nothing, _) => {}
            (After::Branch(fence), Some(read)) => {
                if let Some(stretch) = code.last_mut() {
                    stretch.orders = Some((read, span));
                }
                code.push(Stretch::default());
                self.fence(fence, span, code);
            }
            (After::Fence(fence) | After::Branch(fence), _) => self.fence(fence, span, code),
        }
        Ok(())
    }

    fn push(&mut self, op: Op, span: Span, code: &mut [Stretch]) {
        let inst = Inst { op, instr: self.instr(), sequenced: true, span };
        if let Some(stretch) = code.last_mut() {
            stretch.insts.push(inst);
        }
    }

    fn fence(&mut self, name: &'static str, span: Span, code: &mut [Stretch]) {
        let tags = self.tags(&[name]);
        self.push(Op::Fence { tags }, span, code);
    }

    /// How a load or a store is made; gives it its new tags.
    fn access(&mut self, tags: &mut Tags, span: Span, make: fn(Order) -> Access) -> Result<Access, Diagnostic> {
        match self.order(tags, span)? {
            Some(order) => {
                let access = make(order);
                *tags = self.tags(access.tags);
                Ok(access)
            }
            None => {
                *tags = self.tags(&["NA"]);
                Ok(Access::plain(&[]))
            }
        }
    }

    fn tags(&mut self, names: &[&str]) -> Tags {
        let mut tags: Tags = names.iter().map(|n| self.new.tag(n)).collect();
        tags.sort();
        tags
    }

    /// The order that the tags of C say; none for what is not atomic.
    fn order(&self, tags: &[TagId], span: Span) -> Result<Option<Order>, Diagnostic> {
        let mut order = None;
        for name in tags.iter().filter_map(|t| self.old.tags.get(*t)) {
            let this = match name.as_str() {
                "NA" | "X" | "RMW" => continue,
                "A" | "RLX" => Order::Relaxed,
                "CON" | "ACQ" => Order::Acquire,
                "REL" => Order::Release,
                "ACQ_REL" => Order::AcquireRelease,
                "SC" => Order::SeqCst,
                other => {
                    let message = format!("`{other}` is not a memory order of C11, so it cannot be compiled");
                    return Err(Diagnostic::error(span, message));
                }
            };
            order = Some(order.map_or(this, |o: Order| o.join(this)));
        }
        Ok(order)
    }
}
