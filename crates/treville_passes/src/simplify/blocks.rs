//! The blocks of a function: branches on constants, blocks that nothing reaches, blocks that are one.

use crate::cfg::Cfg;
use crate::ops;
use std::collections::{BTreeMap, BTreeSet};
use treville_base::IndexVec;
use treville_ir::{Block, BlockId, Expr, Func, Terminator};

/// Cleans up the control flow; says whether anything changed but the order of the blocks.
pub(crate) fn clean_up(func: &mut Func, algebraic: bool) -> bool {
    let n = func.blocks.len();
    let mut changed = fold_branches(func, algebraic);
    changed |= skip_empty(func, algebraic);
    changed |= fold_branches(func, algebraic);
    merge(func, algebraic);
    renumber(func, algebraic);
    changed || func.blocks.len() != n
}

/// Where control dependencies end, which must stay visible; nowhere if they do not matter.
fn joins(func: &Func, algebraic: bool) -> BTreeSet<BlockId> {
    func.blocks.iter().filter_map(|b| ops::join_of(&b.end)).filter(|_| !algebraic).collect()
}

fn fold_branches(func: &mut Func, algebraic: bool) -> bool {
    let mut changed = false;
    for block in func.blocks.iter_mut() {
        let Terminator::Branch { cond, then, els, join, .. } = &block.end else { continue };
        let target = match cond {
            Expr::Const(v) if v.is_zero() => *els,
            Expr::Const(_) => *then,
            // Both ways lead to one place; the dependency may be felt after it.
            _ if then == els && (algebraic || *join == Some(*then)) => *then,
            _ => continue,
        };
        block.end = Terminator::Goto(target);
        changed = true;
    }
    changed
}

/// Whoever goes to a block that only goes on goes on at once.
fn skip_empty(func: &mut Func, algebraic: bool) -> bool {
    let joins = joins(func, algebraic);
    let next = |id: BlockId| match &func.blocks[id] {
        Block { insts, end: Terminator::Goto(next) } if insts.is_empty() && !joins.contains(&id) => Some(*next),
        _ => None,
    };
    let last = |start: BlockId| {
        let mut at = start;
        // Empty blocks may go around for ever.
        for _ in 0..func.blocks.len() {
            match next(at) {
                Some(next) => at = next,
                None => return at,
            }
        }
        start
    };
    let renamed: BTreeMap<BlockId, BlockId> = func.blocks.ids().map(|b| (b, last(b))).collect();
    let mut changed = false;
    for block in func.blocks.iter_mut() {
        let before = block.end.clone();
        match &mut block.end {
            Terminator::Goto(b) => *b = renamed[b],
            Terminator::Branch { then, els, .. } => (*then, *els) = (renamed[then], renamed[els]),
            Terminator::End | Terminator::Exit(_) | Terminator::Return(_) | Terminator::ExitProcess => {}
        }
        changed |= before != block.end;
    }
    changed
}

/// Joins each block with the one that follows it alone.
fn merge(func: &mut Func, algebraic: bool) {
    let cfg = Cfg::new(func);
    let joins = joins(func, algebraic);
    for &id in &cfg.order {
        while let Terminator::Goto(next) = func.blocks[id].end {
            let alone = cfg.preds[next].len() == 1 && next != id && next != BlockId(0);
            if !alone || joins.contains(&next) || !cfg.is_reachable(id) {
                break;
            }
            let empty = Block { insts: Vec::new(), end: Terminator::End };
            let Block { insts, end } = std::mem::replace(&mut func.blocks[next], empty);
            func.blocks[id].insts.extend(insts);
            func.blocks[id].end = end;
        }
    }
}

/// Keeps the blocks that can be reached, in order. A block where a control dependency would end, but that nothing
/// reaches, stays as an empty one, so that the dependency still does not end.
fn renumber(func: &mut Func, algebraic: bool) {
    let order = Cfg::new(func).order;
    let mut new: BTreeMap<BlockId, BlockId> = BTreeMap::new();
    let mut blocks = IndexVec::new();
    for id in &order {
        let empty = Block { insts: Vec::new(), end: Terminator::End };
        let id_now = blocks.push(std::mem::replace(&mut func.blocks[*id], empty));
        new.insert(*id, id_now);
    }
    for i in 0..order.len() {
        let block: &mut Block = &mut blocks[BlockId(i as u32)];
        if let Terminator::Branch { join, .. } = &mut block.end
            && join.is_some_and(|j| !new.contains_key(&j))
            && algebraic
        {
            *join = None;
        }
        if let Some(join) = ops::join_of(&block.end)
            && !new.contains_key(&join)
        {
            let id_now = blocks.push(Block { insts: Vec::new(), end: Terminator::End });
            new.insert(join, id_now);
        }
    }
    for block in blocks.iter_mut() {
        ops::rename_blocks(&mut block.end, &|b| new.get(&b).copied().unwrap_or(b));
    }
    func.blocks = blocks;
}
