//! Objects on the stack become registers, or private memory.
//!
//! An object whose address is never given away cannot be seen by another thread. If moreover every access is to one of its
//! parts at a known offset, and the parts do not overlap, each part becomes a register (registers may be assigned often, so
//! no merging at joins is needed). Else it becomes [`Storage::Private`]: still memory, but without events.
//!
//! That a site may be reached again in a loop does no harm: a register that certainly holds an address of its object was
//! assigned after the last time it was reached, or there would be a way to the use on which it is not assigned at all.
//!
//! An address is given away when it is stored, passed, returned, compared with a pointer that is not one of the function's
//! own, mixed with such a pointer, or computed with otherwise than by adding and subtracting. A part that may be read
//! before it is written stays private memory, where engines can tell; so does an object with an access out of its bounds,
//! and one that atomic accesses with an order other than relaxed go to stays as it is.

mod parts;
mod pointers;

use crate::Boundary;
use crate::cfg::{Cfg, Liveness};
use crate::ops;
use parts::Parts;
use pointers::Pointers;
use std::collections::BTreeSet;
use treville_ir::{BlockId, Expr, Func, FuncId, Op, Program, Reg, Storage};

/// An object that the function makes.
#[derive(Clone, Debug)]
struct Site {
    at: (BlockId, usize),
    dst: Reg,
    /// In bytes, if it is always the same.
    size: Option<u64>,
    zeroed: bool,
}

fn sites(func: &Func) -> Vec<Site> {
    let mut found = Vec::new();
    for (b, block) in func.blocks.iter_enumerated() {
        for (i, inst) in block.insts.iter().enumerate() {
            if let Op::Alloc { dst, size, storage: Storage::Stack | Storage::Private, zeroed } = &inst.op {
                let size = if let Expr::Const(v) = size { u64::try_from(v.unsigned()).ok() } else { None };
                found.push(Site { at: (b, i), dst: *dst, size, zeroed: *zeroed });
            }
        }
    }
    found
}

/// Promotes the objects of a function; says whether it did.
pub fn promote(program: &mut Program, func: FuncId, boundary: &Boundary) -> bool {
    let sites = sites(&program.funcs[func]);
    if sites.is_empty() {
        return false;
    }
    let order_free = |tags: &[treville_ir::TagId]| {
        tags.iter().all(|t| program.tags.get(*t).is_some_and(|n| matches!(n.as_str(), "NA" | "A" | "RLX")))
    };
    let old = &program.funcs[func];
    let cfg = Cfg::new(old);
    let Some(live) = Liveness::unless(&boundary.cancel, old, &cfg, &boundary.exit) else { return false };
    let pointers = Pointers::new(old, &cfg, &sites, boundary, &live, &order_free);
    let mut parts = Parts::new(&pointers, &sites);
    for (i, site) in sites.iter().enumerate() {
        if !cfg.is_reachable(site.at.0) {
            parts.reject(i);
        }
    }
    parts.settle(&pointers);
    let new = loop {
        let new = parts.rewrite(old, &sites, &pointers);
        let Some(unset) = read_too_early(&new, boundary, &sites, &parts) else { return false };
        if unset.is_empty() {
            break new;
        }
        unset.into_iter().for_each(|i| parts.reject(i));
        parts.settle(&pointers);
    };
    let new = finish(new, &sites, &parts, &pointers);
    let changed = new != *old;
    program.funcs[func] = new;
    changed
}

/// The sites with a part that may be read before it is written; `None` if cancelled.
fn read_too_early(func: &Func, boundary: &Boundary, sites: &[Site], parts: &Parts) -> Option<BTreeSet<usize>> {
    let cfg = Cfg::new(func);
    let live = Liveness::unless(&boundary.cancel, func, &cfg, &boundary.exit)?;
    let mut found = BTreeSet::new();
    for &id in &cfg.order {
        if boundary.cancel.is_stopped() {
            return None;
        }
        live.walk_back(&func.blocks[id], id, |_, inst, after| {
            let Op::Alloc { dst, .. } = &inst.op else { return };
            for (i, _) in sites.iter().enumerate().filter(|(_, s)| s.dst == *dst && !s.zeroed) {
                if parts.registers(i).any(|r| after.contains(&r)) {
                    found.insert(i);
                }
            }
        });
    }
    Some(found)
}

/// Removes the objects that are registers now, and says which of the others are private.
fn finish(mut func: Func, sites: &[Site], parts: &Parts, pointers: &Pointers) -> Func {
    let regs = func.regs.clone();
    for block in func.blocks.iter_mut() {
        let mut insts = Vec::with_capacity(block.insts.len());
        for mut inst in std::mem::take(&mut block.insts) {
            let site = match &inst.op {
                Op::Alloc { dst, storage: Storage::Stack | Storage::Private, .. } => {
                    sites.iter().position(|s| s.dst == *dst)
                }
                _ => None,
            };
            let Some(i) = site else {
                insts.push(inst);
                continue;
            };
            if parts.is_promoted(i) {
                let zeroed = parts.registers(i).filter(|_| sites[i].zeroed);
                for dst in zeroed {
                    let value = Expr::int(0, regs[dst].width);
                    insts.push(treville_ir::Inst { op: Op::Assign { dst, value }, ..inst.clone() });
                }
                continue;
            }
            if let Op::Alloc { storage, .. } = &mut inst.op
                && !pointers.escapes(i)
            {
                *storage = Storage::Private;
            }
            insts.push(inst);
        }
        block.insts = insts;
    }
    for block in func.blocks.iter_mut() {
        let exprs = block.insts.iter_mut().flat_map(|inst| ops::exprs_mut(&mut inst.op));
        exprs.chain(ops::end_expr_mut(&mut block.end)).for_each(|e| pointers.fold_null_checks(e));
    }
    func
}
