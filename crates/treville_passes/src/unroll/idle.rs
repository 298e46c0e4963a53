//! Iterations that change nothing: at the start of each, the registers that it may change and that the next one may read are
//! kept, and a flag is set as soon as something happens that others can see. If at the end neither is different, the iteration
//! could go on for ever, until it reads something else.
//!
//! A loop that begins with nothing but the question whether to go on is looked at after that: what only the question reads need
//! not stay the same, as long as the answer does (`f = x; while (f != 4) { f = x; }` waits whatever `f` is, until it is 4).
//!
//! What such an iteration reads can be wrong by itself: race with a write, or be too late for a free. That is seen only if the
//! thread goes on after it. So the first of these iterations of a thread whose loop reads something else than atomic objects
//! at known places is kept. Two events show that an access is wrong, and only one of them can be in an iteration that waits.

use super::Facts;
use crate::cfg::{Cfg, Liveness};
use crate::ops;
use std::collections::{BTreeMap, BTreeSet};
use treville_base::{Cancel, Name};
use treville_ir::{Block, BlockId, Expr, Func, LockOp, Mark, ObjectId, Op, Reg, RegInfo, Terminator};
use treville_term::{BinOp, UnOp};

/// What is kept of the iterations of all loops.
#[derive(Default)]
pub(super) struct Idle {
    loops: BTreeMap<BlockId, Kept>,
    /// Whether something happened since the program said that a wait begins.
    spin: Option<Reg>,
    /// Whether an iteration that changed nothing was kept, if some are.
    kept: Option<Reg>,
}

struct Kept {
    /// Whether something happened in this iteration; none if nothing can.
    effect: Option<Reg>,
    /// Registers and what they were when it began.
    before: Vec<(Reg, Reg)>,
    /// Where it begins if that is after its first block: the block that comes then, and the condition for that.
    inside: Option<(BlockId, Expr)>,
    /// Whether what it reads may be wrong.
    doubtful: bool,
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

/// Whether an operation reads what others may write at the same time without being atomic, or free.
fn is_doubtful(op: &Op, atomic: &BTreeSet<ObjectId>) -> bool {
    match op {
        Op::Load { addr, .. } | Op::Update { addr, .. } | Op::StoreConditional { addr, .. } => {
            !matches!(addr, Expr::Addr(object, _) if atomic.contains(object))
        }
        // The others are effects, or read no memory.
        _ => false,
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
    /// `None` if cancelled.
    pub(super) fn new(
        func: &Func,
        cfg: &Cfg,
        loops: &BTreeMap<BlockId, BTreeSet<BlockId>>,
        Facts { observed, atomic, .. }: Facts<'_>,
        out: &mut Func,
        cancel: &Cancel,
    ) -> Option<Idle> {
        let live = Liveness::unless(cancel, func, cfg, observed)?;
        let mut idle = Idle::default();
        let mut register = |name: &str, width: u8| out.regs.push(RegInfo { name: Name::new(name), width });
        for (header, blocks) in loops {
            let insts = || blocks.iter().flat_map(|b| &func.blocks[*b].insts);
            let written: BTreeSet<Reg> = insts().filter_map(|inst| ops::def(&inst.op)).collect();
            let inside = question(&func.blocks[*header], blocks).filter(|(first, _)| first != header);
            let start = inside.as_ref().map_or(*header, |(first, _)| *first);
            let changing = written.into_iter().filter(|r| live.live_in(start).binary_search(r).is_ok());
            let before = changing.map(|r| (r, register("%before", func.regs[r].width))).collect();
            let doubtful = insts().any(|inst| is_doubtful(&inst.op, atomic));
            let around_others = loops.keys().any(|other| other != header && blocks.contains(other));
            let happens = insts().any(|inst| !matches!(effect(&inst.op), Effect::None)) || doubtful && around_others;
            let effect = happens.then(|| register("%effect", 1));
            idle.loops.insert(*header, Kept { effect, before, inside, doubtful });
        }
        idle.spin = Some(register("%spin", 1));
        idle.kept = idle.loops.values().any(|kept| kept.doubtful).then(|| register("%kept", 1));
        Some(idle)
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

    /// Whether an iteration was kept, if this loop may keep one.
    pub(super) fn keeps(&self, header: BlockId) -> Option<Reg> {
        self.kept.filter(|_| self.loops.get(&header).is_some_and(|kept| kept.doubtful))
    }

    /// The same, where the program says itself what an iteration is.
    pub(super) fn keeps_spin(&self) -> Option<Reg> {
        self.kept
    }

    /// What a function begins with.
    pub(super) fn start(&self) -> Option<Op> {
        self.kept.map(|dst| Op::Assign { dst, value: Expr::int(0, 1) })
    }

    /// What is done when an iteration is kept, if it is idle: for the loops around it something has happened.
    pub(super) fn keep(&self, around: &[BlockId], idle: &Expr) -> Vec<Op> {
        let flags = around.iter().filter_map(|header| self.loops.get(header)?.effect);
        let either = |dst| Expr::bin(BinOp::Or, Expr::Reg(dst), idle.clone());
        self.kept.into_iter().chain(flags).map(|dst| Op::Assign { dst, value: either(dst) }).collect()
    }

    pub(super) fn spin_start(&self) -> Vec<Op> {
        self.spin.map(|dst| Op::Assign { dst, value: Expr::int(0, 1) }).into_iter().collect()
    }

    pub(super) fn spin_is_idle(&self) -> Expr {
        self.spin.map_or(Expr::int(0, 1), |spin| Expr::un(UnOp::Not, Expr::Reg(spin)))
    }
}
