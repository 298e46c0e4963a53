//! The code of a thread while it is rewritten.

use super::End;
use crate::ops;
use std::collections::BTreeMap;
use treville_base::{Idx, IndexVec, Name, Span};
use treville_ir::{Block, BlockId, Expr, Func, Inst, InstrId, Op, Reg, RegInfo, Terminator};

/// The names of the registers that say how a thread has ended.
pub(super) const FAILED: &str = "%failed";
pub(super) const WAITS: &str = "%waits";
pub(super) const CUT: &str = "%cut";
/// And of the one that says for which thread it waits: the number of that thread and 1, or 0 if that may be any.
pub(super) const AWAITS: &str = "%awaits";

pub(super) struct Body {
    pub(super) regs: IndexVec<Reg, RegInfo>,
    pub(super) blocks: IndexVec<BlockId, Block>,
    /// Where each block of the original begins.
    starts: IndexVec<BlockId, BlockId>,
    current: BlockId,
    instr: InstrId,
    span: Span,
    failed: Reg,
    waits: Reg,
    cut: Reg,
    awaits: Reg,
    /// What this thread is called by those that wait for it.
    pub(super) number: i64,
    /// Whether it waits for the ends of others.
    pub(super) joins: bool,
    /// Whether it waits for what any thread could give.
    pub(super) asks: bool,
    /// Whether it waits for locks that say who holds them.
    pub(super) owns: bool,
    /// Where threads end that wait for ever, by why.
    stuck: BTreeMap<u32, BlockId>,
    /// Locks that the thread takes: whether each is held, and where it is.
    pub(super) locks: Vec<(Reg, Reg)>,
    /// The reads that registers have their values from, and that would give the same register again.
    reads: BTreeMap<Reg, Read>,
    reads_written: usize,
    /// Control dependencies never end.
    machine: bool,
    next_instr: u32,
    /// Blocks before this one are resolved.
    resolved: usize,
}

/// A read of the thread.
#[derive(Clone, Debug)]
pub(super) struct Read {
    pub(super) addr: Expr,
    pub(super) size: u8,
    pub(super) at: (BlockId, usize),
    /// Reads were written in this order; blocks need not be.
    order: usize,
}

fn empty() -> Block {
    Block { insts: Vec::new(), end: Terminator::End }
}

impl Body {
    pub(super) fn new(func: &Func, machine: bool, number: i64) -> Self {
        let mut regs = func.regs.clone();
        let [failed, waits, cut, awaits] =
            [FAILED, WAITS, CUT, AWAITS].map(|name| regs.push(RegInfo { name: Name::new(name), width: 32 }));
        let mut blocks: IndexVec<BlockId, Block> = IndexVec::new();
        let current = blocks.push(empty());
        let starts = func.blocks.iter().map(|_| blocks.push(empty())).collect();
        let instrs = func.blocks.iter().flat_map(|b| {
            let end = if let Terminator::Branch { instr, .. } = &b.end { Some(instr.0) } else { None };
            b.insts.iter().map(|i| i.instr.0).chain(end)
        });
        let next_instr = instrs.max().map_or(0, |n| n + 1);
        Body {
            regs,
            blocks,
            starts,
            current,
            instr: InstrId(next_instr),
            span: Span::new(treville_base::FileId(0), 0, 0),
            failed,
            waits,
            cut,
            awaits,
            number,
            joins: false,
            asks: false,
            owns: false,
            stuck: BTreeMap::new(),
            locks: Vec::new(),
            reads: BTreeMap::new(),
            reads_written: 0,
            machine,
            next_instr: next_instr + 1,
            resolved: 0,
        }
    }

    pub(super) fn current(&self) -> BlockId {
        self.current
    }

    pub(super) fn start_of(&self, block: BlockId) -> BlockId {
        self.starts[block]
    }

    pub(super) fn go_to(&mut self, block: BlockId) {
        self.current = block;
    }

    pub(super) fn span(&self) -> Span {
        self.span
    }

    /// What is emitted next belongs to this operation.
    pub(super) fn at(&mut self, inst: &Inst) {
        self.span = inst.span;
    }

    pub(super) fn temporary(&mut self, width: u8) -> Reg {
        self.regs.push(RegInfo { name: Name::new("%"), width })
    }

    pub(super) fn next_instr(&mut self) -> InstrId {
        self.next_instr += 1;
        self.instr = InstrId(self.next_instr - 1);
        self.instr
    }

    /// An instruction of its own.
    pub(super) fn emit(&mut self, op: Op) {
        let inst = Inst { op, instr: self.next_instr(), sequenced: true, span: self.span };
        self.push(inst);
    }

    /// An operation of the original, as it is.
    pub(super) fn keep(&mut self, inst: &Inst) {
        self.push(inst.clone());
    }

    fn push(&mut self, inst: Inst) {
        if let Some(dst) = ops::def(&inst.op) {
            let mentions = |e: &Expr| {
                let mut found = false;
                e.visit_regs(&mut |r| found |= r == dst);
                found
            };
            self.reads.remove(&dst);
            self.reads.retain(|_, read| !mentions(&read.addr));
            if let Op::Load { addr, size, .. } | Op::Update { addr, size, .. } = &inst.op
                && !mentions(addr)
            {
                let at = (self.current, self.blocks[self.current].insts.len());
                self.reads_written += 1;
                self.reads.insert(dst, Read { addr: addr.clone(), size: *size, at, order: self.reads_written });
            }
        }
        self.blocks[self.current].insts.push(inst);
    }

    /// What is known of reads at the end of a block, where another goes on.
    pub(super) fn reads(&self) -> BTreeMap<Reg, Read> {
        self.reads.clone()
    }

    pub(super) fn set_reads(&mut self, reads: BTreeMap<Reg, Read>) {
        self.reads = reads;
    }

    /// The read that the last one of these registers has its value from.
    pub(super) fn last_read(&self, regs: &[Reg]) -> Option<(Reg, Read)> {
        let reads = regs.iter().filter_map(|reg| Some((*reg, self.reads.get(reg)?.clone())));
        reads.max_by_key(|(_, read)| read.order)
    }

    pub(super) fn end(&mut self, end: Terminator) {
        self.blocks[self.current].end = end;
    }

    pub(super) fn new_block(&mut self) -> BlockId {
        self.blocks.push(empty())
    }

    /// An operation that was written before.
    pub(super) fn op_mut(&mut self, (block, i): (BlockId, usize)) -> &mut Op {
        &mut self.blocks[block].insts[i].op
    }

    /// Whether no event and no branch comes after an operation, up to here.
    pub(super) fn is_just_before(&self, (block, i): (BlockId, usize)) -> bool {
        let since = self.blocks[block].insts.get(i + 1..).unwrap_or_default();
        block == self.current && since.iter().all(|inst| matches!(inst.op, Op::Assign { .. }))
    }

    /// Ends the thread here.
    pub(super) fn stop(&mut self, end: End) {
        let (dst, value) = match end {
            End::Complete => (self.waits, 0),
            End::Failed(n) => (self.failed, n as i64 + 1),
            End::Cut => (self.cut, 1),
            waits => (self.waits, i64::from(waits.code())),
        };
        self.emit(Op::Assign { dst, value: Expr::int(value, 32) });
        self.end(Terminator::End);
    }

    /// Says for which thread this one waits, if it waits next.
    pub(super) fn awaits(&mut self, number: Expr) {
        self.emit(Op::Assign { dst: self.awaits, value: number });
    }

    /// Where threads end in this way.
    pub(super) fn stuck(&mut self, end: End) -> BlockId {
        if let Some(block) = self.stuck.get(&end.code()) {
            return *block;
        }
        let block = self.new_block();
        self.stuck.insert(end.code(), block);
        let back = std::mem::replace(&mut self.current, block);
        self.stop(end);
        self.current = back;
        block
    }

    /// The thread ends in some way unless the condition holds. What follows depends on that only on a machine, and only if it
    /// is the program that waits.
    pub(super) fn go_on_if(&mut self, cond: Expr, end: End) {
        let stuck = self.stuck(end);
        let real = !matches!(end, End::Spin | End::MaySpin | End::Complete);
        self.go_on_or(cond, stuck, real);
    }

    /// The same with a block to go to otherwise.
    pub(super) fn go_on_or(&mut self, cond: Expr, els: BlockId, real: bool) {
        let next = self.new_block();
        let join = (!real || !self.machine).then_some(next);
        let (instr, span) = (self.next_instr(), self.span);
        self.end(Terminator::Branch { cond, then: next, els, join, instr, span });
        self.current = next;
    }

    pub(super) fn width(&self, value: &Expr) -> u8 {
        ops::width(value, &self.regs).unwrap_or(64)
    }

    /// The next operation that was kept to be resolved, with what comes after it in its block; that is where to write now.
    pub(super) fn next_unresolved(&mut self) -> Option<(Inst, Block)> {
        while self.resolved < self.blocks.len() {
            let id = BlockId::from_usize(self.resolved);
            let block = &mut self.blocks[id];
            if let Some(at) = block.insts.iter().position(|i| matches!(i.op, Op::Free { .. } | Op::Join { .. })) {
                let rest = block.insts.split_off(at + 1);
                let inst = block.insts.pop()?;
                let end = std::mem::replace(&mut block.end, Terminator::End);
                self.current = id;
                return Some((inst, Block { insts: rest, end }));
            }
            self.resolved += 1;
        }
        None
    }

    /// Goes on with what came after the operation that was resolved.
    pub(super) fn go_on_with(&mut self, rest: Block) {
        let block = &mut self.blocks[self.current];
        block.insts.extend(rest.insts);
        block.end = rest.end;
    }

    pub(super) fn finish(self, name: Name) -> Func {
        Func { name, params: Vec::new(), regs: self.regs, blocks: self.blocks }
    }
}
