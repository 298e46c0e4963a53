//! Registers that hold one constant wherever control comes from are replaced by it, and branches that this decides are taken.
//! What loops counted with is then known in their copies. Of what a loop assigns, nothing is known in it.

use crate::cfg::Cfg;
use crate::fold::Folder;
use crate::ops;
use std::collections::{BTreeMap, BTreeSet};
use treville_base::{Cancel, IndexVec};
use treville_ir::{BlockId, Expr, Func, Op, Reg, Terminator};

/// What registers hold; one that is missing is not known.
type Known = BTreeMap<Reg, Expr>;

/// Nothing more is replaced once it is cancelled. `entry`: registers with a value at the start, which is known or not; all others are 0 then.
pub(crate) fn propagate_constants(func: &mut Func, entry: &BTreeMap<Reg, Option<Expr>>, cancel: &Cancel) {
    let cfg = Cfg::new(func);
    let regs = func.regs.clone();
    let folder = Folder { regs: &regs, algebraic: false };
    let mut at_start: IndexVec<BlockId, Option<Known>> = func.blocks.iter().map(|_| None).collect();
    let zero = |(r, info): (Reg, &treville_ir::RegInfo)| match entry.get(&r) {
        Some(value) => Some((r, value.clone()?)),
        None => Some((r, Expr::int(0, info.width))),
    };
    at_start[BlockId(0)] = Some(regs.iter_enumerated().filter_map(zero).collect());
    let assigned = assigned_in_loops(func, &cfg);
    for &id in cfg.order.iter().take_while(|_| !cancel.is_stopped()) {
        let Some(mut known) = at_start[id].take() else { continue };
        match assigned.get(&id) {
            Some(Some(regs)) => known.retain(|reg, _| !regs.contains(reg)),
            Some(None) => known.clear(),
            None => {}
        }
        for inst in &mut func.blocks[id].insts {
            operation(&mut inst.op, &mut known, &folder);
        }
        let end = &mut func.blocks[id].end;
        if let Some(e) = ops::end_expr_mut(end) {
            rewrite(e, &known, None, &folder);
        }
        if let Terminator::Branch { cond: Expr::Const(v), then, els, .. } = end {
            *end = Terminator::Goto(if v.is_zero() { *els } else { *then });
        }
        for to in ops::successors(end) {
            match &mut at_start[to] {
                // A register that is not live here does no harm; one that differs is not known.
                Some(there) => there.retain(|r, value| known.get(r) == Some(value)),
                new => *new = Some(known.clone()),
            }
        }
    }
}

/// What loops assign, by the blocks where control comes back to; nothing is known of a loop that can be entered elsewhere.
fn assigned_in_loops(func: &Func, cfg: &Cfg) -> BTreeMap<BlockId, Option<BTreeSet<Reg>>> {
    let loops = cfg.loops();
    let rank: BTreeMap<BlockId, usize> = cfg.order.iter().enumerate().map(|(i, block)| (*block, i)).collect();
    let mut assigned = BTreeMap::new();
    for from in &cfg.order {
        for to in ops::successors(&func.blocks[*from].end).filter(|to| rank.get(to) <= rank.get(from)) {
            let body = loops.get(&to).filter(|_| cfg.dominates(to, *from));
            let regs = body.map(|body| {
                let insts = body.iter().flat_map(|block| &func.blocks[*block].insts);
                insts.filter_map(|inst| ops::def(&inst.op)).collect()
            });
            let before: Option<Option<BTreeSet<Reg>>> = assigned.remove(&to);
            assigned.insert(to, if before == Some(None) { None } else { regs });
        }
    }
    assigned
}

fn operation(op: &mut Op, known: &mut Known, folder: &Folder<'_>) {
    let own = if let Op::Update { old, .. } = op { Some(*old) } else { None };
    for (i, e) in ops::exprs_mut(op).into_iter().enumerate() {
        // After the address, an update's expressions see the new value of `old`.
        rewrite(e, known, own.filter(|_| i > 0), folder);
    }
    if let Some(dst) = ops::def(op) {
        known.remove(&dst);
    }
    if let Op::Assign { dst, value: value @ (Expr::Const(_) | Expr::Addr(..)) } = op {
        known.insert(*dst, value.clone());
    }
}

fn rewrite(e: &mut Expr, known: &Known, own: Option<Reg>, folder: &Folder<'_>) {
    let mut found = false;
    e.visit_regs(&mut |r| found |= own != Some(r) && known.contains_key(&r));
    if found {
        put(e, known, own);
        folder.fold_in_place(e);
    }
}

fn put(e: &mut Expr, known: &Known, own: Option<Reg>) {
    match e {
        Expr::Const(_) | Expr::Addr(..) => {}
        Expr::Reg(r) => {
            if let Some(value) = known.get(r).filter(|_| own != Some(*r)) {
                *e = value.clone();
            }
        }
        Expr::Un(_, a) | Expr::Cast(_, _, a) => put(a, known, own),
        Expr::Bin(_, a, b) => {
            put(a, known, own);
            put(b, known, own);
        }
        Expr::Ite(c, a, b) => {
            put(c, known, own);
            put(a, known, own);
            put(b, known, own);
        }
    }
}
