//! The function that is being written: registers, blocks, and the place where the next operation goes.

use super::unit::Unit;
use treville_base::{IndexVec, Name, Span};
use treville_ir::{Block, BlockId, Expr, Func, FuncId, Inst, InstrId, Op, Reg, RegInfo, Terminator};

pub(super) struct Emitter<'u, 'a> {
    pub(super) unit: &'u mut Unit<'a>,
    regs: IndexVec<Reg, RegInfo>,
    blocks: IndexVec<BlockId, Block>,
    current: BlockId,
    /// Nothing leads here, so nothing is written.
    dead: bool,
    instr: InstrId,
    span: Span,
}

impl<'u, 'a> Emitter<'u, 'a> {
    pub(super) fn new(unit: &'u mut Unit<'a>, span: Span) -> Self {
        let instr = unit.next_instr();
        let mut blocks = IndexVec::new();
        let current = blocks.push(empty());
        Emitter { unit, regs: IndexVec::new(), blocks, current, dead: false, instr, span }
    }

    /// What follows belongs to another instruction.
    pub(super) fn at(&mut self, span: Span) {
        self.span = span;
        self.next_instr();
    }

    pub(super) fn next_instr(&mut self) {
        self.instr = self.unit.next_instr();
    }

    pub(super) fn register(&mut self, name: &str, width: u8) -> Reg {
        self.regs.push(RegInfo { name: Name::new(name), width })
    }

    pub(super) fn temporary(&mut self, width: u8) -> Reg {
        let name = format!("%t{}", self.regs.len());
        self.register(&name, width)
    }

    pub(super) fn width(&self, reg: Reg) -> u8 {
        self.regs[reg].width
    }

    pub(super) fn emit(&mut self, op: Op) {
        if !self.dead {
            let inst = Inst { op, instr: self.instr, sequenced: true, span: self.span };
            self.blocks[self.current].insts.push(inst);
        }
    }

    pub(super) fn assign(&mut self, dst: Reg, value: Expr) {
        self.emit(Op::Assign { dst, value });
    }

    /// Keeps a value that is used more than once.
    pub(super) fn keep(&mut self, value: Expr, width: u8) -> Expr {
        match value {
            Expr::Const(_) | Expr::Reg(_) | Expr::Addr(..) => value,
            _ => {
                let reg = self.temporary(width);
                self.assign(reg, value);
                Expr::Reg(reg)
            }
        }
    }

    pub(super) fn block(&mut self) -> BlockId {
        self.blocks.push(empty())
    }

    /// Ends the current block; nothing leads to what follows.
    pub(super) fn end(&mut self, end: Terminator) {
        if !self.dead {
            self.blocks[self.current].end = end;
            self.dead = true;
        }
    }

    pub(super) fn branch(&mut self, cond: Expr, then: BlockId, els: BlockId) {
        let end = match cond {
            _ if then == els => Terminator::Goto(then),
            Expr::Const(known) => Terminator::Goto(if known.is_zero() { els } else { then }),
            // A branch of compiled code has no join: what depends on it never ends.
            _ => Terminator::Branch { cond, then, els, join: None, instr: self.instr, span: self.span },
        };
        self.end(end);
    }

    /// Goes on in another block.
    pub(super) fn begin(&mut self, block: BlockId) {
        self.current = block;
        self.dead = false;
    }

    /// Puts an operation before all others of the function.
    pub(super) fn first(&mut self, op: Op) {
        let inst = Inst { op, instr: self.instr, sequenced: true, span: self.span };
        self.blocks[BlockId(0)].insts.insert(0, inst);
    }

    /// Gives the function its code.
    pub(super) fn finish(self, id: FuncId, params: Vec<Reg>) {
        let name = self.unit.program.funcs[id].name.clone();
        self.unit.program.funcs[id] = Func { name, params, regs: self.regs, blocks: self.blocks };
    }
}

fn empty() -> Block {
    Block { insts: Vec::new(), end: Terminator::End }
}
