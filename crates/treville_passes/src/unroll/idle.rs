//! Iterations that change nothing: at the start of each, the registers that it may change and that the next one may read are
//! kept, and a flag is set as soon as something happens that others can see. If at the end neither is different, the iteration
//! could go on for ever, until it reads something else.
//!
//! A loop that begins with nothing but the question whether to go on is looked at after that: what only the question reads need
//! not stay the same, as long as the answer does (`f = x; while (f != 4) { f = x; }` waits whatever `f` is, until it is 4).

use crate::cfg::{Cfg, Liveness};
use crate::ops;
use std::collections::{BTreeMap, BTreeSet};
use treville_base::{Idx, Name};
use treville_ir::{Block, BlockId, Expr, Func, LockOp, Mark, Op, Reg, RegInfo, Terminator};
use treville_term::{BinOp, UnOp};

/// What is kept of the iterations of all loops.
#[derive(Default)]
pub(super) struct Idle {
    loops: BTreeMap<BlockId, Kept>,
    /// Whether something happened since the program said that a wait begins.
    spin: Option<Reg>,
}

struct Kept {
    /// Whether something happened in this iteration; none if nothing can.
    effect: Option<Reg>,
    /// Registers and what they were when it began.
    before: Vec<(Reg, Reg)>,
    /// Where it begins if that is after its first block: the block that comes then, and the condition for that.
    inside: Option<(BlockId, Expr)>,
}

/// What others, or the next iteration, see of an operation.
pub(super) enum Effect {
    None,
    Always,
    If(Expr),
}

pub(super) fn effect(op: &Op) -> Effect {
    match op {
        Op::Store { .. }
        | Op::Spawn { .. }
        | Op::Alloc { .. }
        | Op::Free { .. }
        | Op::Copy { .. }
        | Op::Fill { .. }
        | Op::Call { .. }
        | Op::Opaque { .. }
        | Op::Lock { op: LockOp::Acquire | LockOp::Release, .. } => Effect::Always,
        // One that writes what it has read changes nothing.
        Op::Update { old, guard, new, .. } => {
            let changes = Expr::bin(BinOp::Ne, new.clone(), Expr::Reg(*old));
            Effect::If(match guard {
                Some(guard) => Expr::bin(BinOp::And, guard.clone(), changes),
                None => changes,
            })
        }
        Op::StoreConditional { status, .. } => Effect::If(Expr::Reg(*status)),
        Op::Lock { op: LockOp::Try { .. }, .. } => Effect::Always,
        Op::Assign { .. }
        | Op::Load { .. }
        | Op::Fence { .. }
        | Op::Lock { op: LockOp::IsHeld { .. }, .. }
        | Op::Wait { .. }
        | Op::Join { .. }
        | Op::Current { .. }
        | Op::Fail { .. }
        | Op::Nondet { .. }
        | Op::Handle { .. }
        | Op::Mark(_) => Effect::None,
    }
}

/// Where a loop goes on if it begins with nothing but the question whether to, and the condition for that.
fn question(header: &Block, blocks: &BTreeSet<BlockId>) -> Option<(BlockId, Expr)> {
    let Terminator::Branch { cond, then, els, .. } = &header.end else { return None };
    let asks = header.insts.iter().all(|inst| matches!(inst.op, Op::Mark(Mark::LoopBound(_))));
    match (blocks.contains(then), blocks.contains(els)) {
        (true, false) if asks => Some((*then, cond.clone())),
        (false, true) if asks => Some((*els, Expr::un(UnOp::Not, cond.clone()))),
        _ => None,
    }
}

impl Idle {
    pub(super) fn new(
        func: &Func,
        cfg: &Cfg,
        loops: &BTreeMap<BlockId, BTreeSet<BlockId>>,
        observed: &BTreeSet<Reg>,
        out: &mut Func,
    ) -> Idle {
        let live = Liveness::new(func, cfg, observed);
        let mut idle = Idle { loops: BTreeMap::new(), spin: None };
        let mut register = |name: &str, width: u8| out.regs.push(RegInfo { name: Name::new(name), width });
        for (header, blocks) in loops {
            let insts = || blocks.iter().flat_map(|b| &func.blocks[*b].insts);
            let written: BTreeSet<Reg> = insts().filter_map(|inst| ops::def(&inst.op)).collect();
            let inside = question(&func.blocks[*header], blocks).filter(|(first, _)| first != header);
            let start = inside.as_ref().map_or(*header, |(first, _)| *first);
            let changing = written.into_iter().filter(|r| live.live_in(start).contains(r.index()));
            let before = changing.map(|r| (r, register("%before", func.regs[r].width))).collect();
            let happens = insts().any(|inst| !matches!(effect(&inst.op), Effect::None));
            let effect = happens.then(|| register("%effect", 1));
            idle.loops.insert(*header, Kept { effect, before, inside });
        }
        idle.spin = Some(register("%spin", 1));
        idle
    }

    /// What the iteration of a loop begins with, if that is at the start of its first block, or on the way from that to another one (`inside`).
    pub(super) fn begin(&self, header: BlockId, inside: Option<BlockId>) -> Vec<Op> {
        let begins = |kept: &&Kept| kept.inside.as_ref().map(|(first, _)| *first) == inside;
        let Some(kept) = self.loops.get(&header).filter(begins) else { return Vec::new() };
        let flag = kept.effect.map(|dst| Op::Assign { dst, value: Expr::int(0, 1) });
        let before = kept.before.iter().map(|(r, before)| Op::Assign { dst: *before, value: Expr::Reg(*r) });
        flag.into_iter().chain(before).collect()
    }

    /// What follows an operation inside these loops; also outside, if the program says where waits begin.
    pub(super) fn after(&self, op: &Op, around: &[BlockId], spins: bool) -> Vec<Op> {
        let kept = around.iter().filter_map(|header| self.loops.get(header)?.effect);
        let flags = kept.chain(self.spin.filter(|_| spins));
        match effect(op) {
            Effect::None => Vec::new(),
            Effect::Always => flags.map(|dst| Op::Assign { dst, value: Expr::int(1, 1) }).collect(),
            Effect::If(cond) => {
                let either = |dst| Expr::bin(BinOp::Or, Expr::Reg(dst), cond.clone());
                flags.map(|dst| Op::Assign { dst, value: either(dst) }).collect()
            }
        }
    }

    /// Whether the iteration of a loop that ends here has changed nothing.
    pub(super) fn is_idle(&self, header: BlockId) -> Option<Expr> {
        let kept = self.loops.get(&header)?;
        let quiet = kept.effect.map(|effect| Expr::un(UnOp::Not, Expr::Reg(effect)));
        let same = kept.before.iter().map(|(r, before)| Expr::bin(BinOp::Eq, Expr::Reg(*r), Expr::Reg(*before)));
        let goes_on = kept.inside.iter().map(|(_, cond)| cond.clone());
        let all = quiet.into_iter().chain(same).chain(goes_on);
        Some(all.reduce(|a, b| Expr::bin(BinOp::And, a, b)).unwrap_or(Expr::int(1, 1)))
    }

    pub(super) fn spin_start(&self) -> Vec<Op> {
        self.spin.map(|dst| Op::Assign { dst, value: Expr::int(0, 1) }).into_iter().collect()
    }

    pub(super) fn spin_is_idle(&self) -> Expr {
        self.spin.map_or(Expr::int(0, 1), |spin| Expr::un(UnOp::Not, Expr::Reg(spin)))
    }
}
