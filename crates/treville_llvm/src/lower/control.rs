//! The ends of blocks, and phis as copies on the edges.

use super::code::Code;
use super::{Lowered, fold, unsupported};
use crate::inst::{InstKind, Terminator, TerminatorKind};
use crate::module::BlockId;
use std::collections::BTreeMap;
use treville_base::Name;
use treville_ir::{BlockId as Start, Expr, Failure, Op, Reg, Terminator as End};
use treville_term::BinOp;

impl<'a> Code<'_, 'a> {
    pub(super) fn terminator(&mut self, from: BlockId, end: &'a Terminator) -> Lowered<()> {
        match &end.kind {
            TerminatorKind::Return(value) => {
                let values = value.map_or(Ok(Vec::new()), |v| self.operand(v))?;
                self.give_back(values)?;
            }
            TerminatorKind::Jump(to) => self.jump(from, *to)?,
            TerminatorKind::Branch { condition, then, otherwise } => {
                let condition = self.scalar(*condition)?;
                let mut edges = Edges::default();
                let (then, otherwise) = (self.edge(&mut edges, *then), self.edge(&mut edges, *otherwise));
                self.out.branch(condition, then, otherwise);
                self.copies(from, edges)?;
            }
            TerminatorKind::Switch { value, default, cases } => {
                let value = self.scalar(*value)?;
                let mut edges = Edges::default();
                for (case, to) in cases {
                    let case = self.out.unit.scalar_constant(*case)?;
                    let (then, next) = (self.edge(&mut edges, *to), self.out.block());
                    self.out.branch(fold::bin(BinOp::Eq, value.clone(), case), then, next);
                    self.out.begin(next);
                }
                let default = self.edge(&mut edges, *default);
                self.out.end(End::Goto(default));
                self.copies(from, edges)?;
            }
            // Exceptions end the execution, so a call that may throw is a call.
            TerminatorKind::Invoke { call, normal, .. } => {
                self.call(end.result, call)?;
                self.jump(from, *normal)?;
            }
            TerminatorKind::Resume(_) => self.fail(Failure::Assertion, "an exception is thrown"),
            TerminatorKind::Unreachable => {
                self.fail(Failure::Assertion, "code is reached that the compiler takes to be unreachable");
            }
        }
        Ok(())
    }

    /// The program is wrong if this is reached; nothing follows.
    pub(super) fn fail(&mut self, failure: Failure, message: &str) {
        self.out.emit(Op::Fail { failure, message: Name::new(message) });
        self.out.end(End::End);
    }

    fn give_back(&mut self, values: Vec<Expr>) -> Lowered<()> {
        let Some(result) = self.result else {
            self.out.end(End::Return(values.into_iter().next()));
            return Ok(());
        };
        let leaves = super::shape::shape(self.module(), self.function.result)?;
        let plain = self.out.unit.plain();
        for (leaf, value) in leaves.into_iter().zip(values) {
            self.store_leaf(&Expr::Reg(result), leaf, value, plain.clone());
        }
        self.out.end(End::Return(None));
        Ok(())
    }

    fn jump(&mut self, from: BlockId, to: BlockId) -> Lowered<()> {
        let start = self.start(to);
        self.copy_phis(from, to)?;
        self.out.end(End::Goto(start));
        Ok(())
    }

    fn start(&self, block: BlockId) -> Start {
        self.starts.get(&block).copied().unwrap_or(Start(0))
    }

    fn has_phis(&self, block: BlockId) -> bool {
        matches!(self.body.blocks[block].insts.first().map(|i| &i.kind), Some(InstKind::Phi(_)))
    }

    /// The block that a jump to `to` goes to: one of its own if there is something to copy on the way.
    fn edge(&mut self, edges: &mut Edges, to: BlockId) -> Start {
        if !self.has_phis(to) {
            return self.start(to);
        }
        *edges.entry(to).or_insert_with(|| self.out.block())
    }

    fn copies(&mut self, from: BlockId, edges: Edges) -> Lowered<()> {
        for (to, edge) in edges {
            self.out.begin(edge);
            self.jump(from, to)?;
        }
        Ok(())
    }

    /// Gives the phis of `to` the values that they have when one comes from `from`, all at once.
    fn copy_phis(&mut self, from: BlockId, to: BlockId) -> Lowered<()> {
        let mut copies: Vec<(Reg, Expr)> = Vec::new();
        for inst in &self.body.blocks[to].insts {
            let InstKind::Phi(incoming) = &inst.kind else { break };
            let Some(&(value, _)) = incoming.iter().find(|(_, block)| *block == from) else {
                return unsupported("a phi without a value for this edge");
            };
            let values = self.operand(value)?;
            let registers = inst.result.map(|r| self.registers(r)).unwrap_or_default();
            copies.extend(registers.iter().copied().zip(values));
        }
        if clobbers(&copies) {
            for (reg, value) in &mut copies {
                let kept = self.out.temporary(self.out.width(*reg));
                let value = std::mem::replace(value, Expr::Reg(kept));
                self.out.assign(kept, value);
            }
        }
        for (reg, value) in copies.into_iter().filter(|(reg, value)| *value != Expr::Reg(*reg)) {
            self.out.assign(reg, value);
        }
        Ok(())
    }
}

/// The blocks between a jump and its targets.
type Edges = BTreeMap<BlockId, Start>;

/// Whether one copy overwrites what a later one reads.
fn clobbers(copies: &[(Reg, Expr)]) -> bool {
    copies.iter().enumerate().any(|(i, (_, value))| {
        let mut found = false;
        value.visit_regs(&mut |r| found |= copies[..i].iter().any(|(written, _)| *written == r));
        found
    })
}
