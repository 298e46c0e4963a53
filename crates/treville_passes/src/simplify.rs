//! Less code with the same events: constants and copies are propagated, expressions folded, branches on constants taken,
//! blocks merged, assignments that nobody reads removed.
//!
//! What a value depends on stays as it is, and so does where a control dependency ends, unless `algebraic` says that no
//! model looks at dependencies. Loads and other events are never removed. Registers keep their numbers; blocks are
//! numbered anew, each before its successors except along back edges.

mod blocks;
mod propagate;

pub(crate) use blocks::clean_up;

use crate::Boundary;
use crate::cfg::{Cfg, Liveness};
use crate::ops;
use treville_ir::{Func, Op, Storage};

/// How often the steps are repeated at most; each usually leaves nothing for a third time.
const ROUNDS: u32 = 8;

/// Simplifies a function.
pub fn simplify(func: &mut Func, boundary: &Boundary, algebraic: bool) {
    for _ in (0..ROUNDS).take_while(|_| !boundary.cancel.is_stopped()) {
        let before = size(func);
        let mut changed = propagate::propagate(func, boundary, algebraic);
        changed |= blocks::clean_up(func, algebraic);
        changed |= remove_dead(func, boundary);
        if !changed && size(func) == before {
            break;
        }
    }
}

/// Blocks and operations.
pub(crate) fn size(func: &Func) -> usize {
    func.blocks.iter().map(|b| 1 + b.insts.len()).sum()
}

/// Removes what only computes a value that nobody reads.
fn remove_dead(func: &mut Func, boundary: &Boundary) -> bool {
    let cfg = Cfg::new(func);
    let Some(live) = Liveness::unless(&boundary.cancel, func, &cfg, &boundary.exit) else { return false };
    let mut changed = false;
    for id in cfg.order.into_iter().take_while(|_| !boundary.cancel.is_stopped()) {
        let mut dead = Vec::new();
        // Backwards with what is alive, where a removed operation keeps nothing alive. The next round sees the rest.
        live.walk_back(&func.blocks[id], id, |i, inst, after| {
            let computes_only = match inst.op {
                Op::Assign { .. } | Op::Current { .. } | Op::Nondet { .. } => true,
                Op::Alloc { storage, .. } => storage != Storage::Heap,
                _ => false,
            };
            if computes_only && ops::def(&inst.op).is_some_and(|r| !after.contains(&r)) {
                dead.push(i);
            }
        });
        changed |= !dead.is_empty();
        // Their numbers, the first one last.
        let mut at = 0..;
        func.blocks[id].insts.retain(|_| {
            let is_dead = at.next() == dead.last().copied();
            if is_dead {
                dead.pop();
            }
            !is_dead
        });
    }
    changed
}
