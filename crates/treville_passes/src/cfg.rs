//! The shape of a function: who comes before whom, what dominates what, loops, and where registers are alive.

use crate::ops;
use std::collections::{BTreeMap, BTreeSet};
use treville_base::{BitSet, Cancel, Idx, IndexVec};
use treville_ir::{Block, BlockId, Func, Inst, Reg};

/// The control-flow graph of a function.
#[derive(Clone, Debug)]
pub struct Cfg {
    pub preds: IndexVec<BlockId, Vec<BlockId>>,
    /// The blocks that can be reached from the entry, each before its successors except along back edges.
    pub order: Vec<BlockId>,
    /// The immediate dominator of each block that can be reached; the entry's is itself.
    idom: IndexVec<BlockId, Option<BlockId>>,
    /// Where a block is in `order`.
    rank: IndexVec<BlockId, Option<usize>>,
}

impl Cfg {
    pub fn new(func: &Func) -> Cfg {
        let order = reverse_postorder(func);
        let mut rank: IndexVec<BlockId, Option<usize>> = func.blocks.iter().map(|_| None).collect();
        for (i, b) in order.iter().enumerate() {
            rank[*b] = Some(i);
        }
        let mut preds: IndexVec<BlockId, Vec<BlockId>> = func.blocks.iter().map(|_| Vec::new()).collect();
        for b in &order {
            for s in ops::successors(&func.blocks[*b].end) {
                preds[s].push(*b);
            }
        }
        let idom = dominators(&order, &rank, &preds);
        Cfg { preds, order, idom, rank }
    }

    pub fn is_reachable(&self, b: BlockId) -> bool {
        self.rank[b].is_some()
    }

    /// Whether every way to `b` goes through `a`. Blocks that cannot be reached are dominated by nothing.
    pub fn dominates(&self, a: BlockId, b: BlockId) -> bool {
        if !self.is_reachable(a) || !self.is_reachable(b) {
            return false;
        }
        // Dominators come earlier in the order: whoever is before `a` is not dominated by it.
        let mut at = b;
        while at != a && self.rank[at] > self.rank[a] {
            match self.idom[at] {
                Some(up) if up != at => at = up,
                _ => return false,
            }
        }
        at == a
    }

    /// The natural loops: each header with its blocks, itself included. Loops with one header are one loop.
    pub fn loops(&self) -> BTreeMap<BlockId, BTreeSet<BlockId>> {
        let mut loops: BTreeMap<BlockId, BTreeSet<BlockId>> = BTreeMap::new();
        for &header in &self.order {
            for &latch in self.preds[header].iter().filter(|latch| self.dominates(header, **latch)) {
                let body = loops.entry(header).or_default();
                body.insert(header);
                let mut todo = vec![latch];
                while let Some(b) = todo.pop() {
                    if body.insert(b) {
                        todo.extend(&self.preds[b]);
                    }
                }
            }
        }
        loops
    }
}

fn reverse_postorder(func: &Func) -> Vec<BlockId> {
    let mut seen = BTreeSet::from([BlockId(0)]);
    let mut order = Vec::new();
    // The last successor first, so that a branch's first target comes first in the order.
    let next = |b: BlockId| ops::successors(&func.blocks[b].end).collect::<Vec<_>>();
    let mut stack = vec![(BlockId(0), next(BlockId(0)))];
    while let Some((b, todo)) = stack.last_mut() {
        match todo.pop() {
            Some(s) if seen.insert(s) => stack.push((s, next(s))),
            Some(_) => {}
            None => {
                order.push(*b);
                stack.pop();
            }
        }
    }
    order.reverse();
    order
}

/// Cooper, Harvey and Kennedy, "A simple, fast dominance algorithm".
fn dominators(
    order: &[BlockId],
    rank: &IndexVec<BlockId, Option<usize>>,
    preds: &IndexVec<BlockId, Vec<BlockId>>,
) -> IndexVec<BlockId, Option<BlockId>> {
    // By rank: the entry is 0.
    let mut idom: Vec<Option<usize>> = vec![None; order.len()];
    if let Some(entry) = idom.first_mut() {
        *entry = Some(0);
    }
    let meet = |idom: &[Option<usize>], mut a: usize, mut b: usize| {
        while a != b {
            let higher = if a > b { &mut a } else { &mut b };
            *higher = idom[*higher].unwrap_or(0);
        }
        a
    };
    let mut changed = true;
    while changed {
        changed = false;
        for (i, b) in order.iter().enumerate().skip(1) {
            let known = preds[*b].iter().filter_map(|p| rank[*p]).filter(|p| idom[*p].is_some());
            let new = known.reduce(|a, b| meet(&idom, a, b));
            if new != idom[i] {
                idom[i] = new;
                changed = true;
            }
        }
    }
    rank.iter().map(|r| r.and_then(|r| idom[r]).map(|d| order[d])).collect()
}

/// Where registers hold a value that may still be read.
#[derive(Clone, Debug)]
pub struct Liveness {
    live_in: IndexVec<BlockId, BitSet>,
    live_out: IndexVec<BlockId, BitSet>,
}

impl Liveness {
    /// `at_exit`: registers that are read after the function.
    pub fn new(func: &Func, cfg: &Cfg, at_exit: &BTreeSet<Reg>) -> Liveness {
        let nobody = Cancel::new();
        let empty = || Liveness { live_in: IndexVec::new(), live_out: IndexVec::new() };
        Liveness::unless(&nobody, func, cfg, at_exit).unwrap_or_else(empty)
    }

    /// The same; `None` if cancelled. Of large functions, this takes long and much memory.
    pub fn unless(cancel: &Cancel, func: &Func, cfg: &Cfg, at_exit: &BTreeSet<Reg>) -> Option<Liveness> {
        let n = func.regs.len();
        let empty = || (!cancel.is_stopped()).then(|| BitSet::new(n));
        let none = || func.blocks.iter().map(|_| empty()).collect::<Option<IndexVec<BlockId, BitSet>>>();
        let mut found = Liveness { live_in: none()?, live_out: none()? };
        let mut exit = BitSet::new(n);
        at_exit.iter().for_each(|r| {
            exit.insert(r.index());
        });
        let mut changed = true;
        while changed {
            changed = false;
            for &b in cfg.order.iter().rev() {
                if cancel.is_stopped() {
                    return None;
                }
                let block = &func.blocks[b];
                let mut live = BitSet::new(n);
                let mut leaves = true;
                for s in ops::successors(&block.end) {
                    live.union_assign(&found.live_in[s]);
                    leaves = false;
                }
                if leaves {
                    live.union_assign(&exit);
                }
                found.live_out[b] = live.clone();
                before_end(block, &mut live);
                block.insts.iter().rev().for_each(|inst| before(inst, &mut live));
                if live != found.live_in[b] {
                    found.live_in[b] = live;
                    changed = true;
                }
            }
        }
        Some(found)
    }

    pub fn live_in(&self, b: BlockId) -> &BitSet {
        &self.live_in[b]
    }

    pub fn live_out(&self, b: BlockId) -> &BitSet {
        &self.live_out[b]
    }

    /// Walks a block backwards; `visit` sees each operation with what is alive after it.
    pub fn walk_back(&self, block: &Block, id: BlockId, mut visit: impl FnMut(usize, &Inst, &BitSet)) {
        let mut live = self.live_out[id].clone();
        before_end(block, &mut live);
        for (i, inst) in block.insts.iter().enumerate().rev() {
            visit(i, inst, &live);
            before(inst, &mut live);
        }
    }
}

fn before_end(block: &Block, live: &mut BitSet) {
    if let Some(e) = ops::end_expr(&block.end) {
        e.visit_regs(&mut |r| {
            live.insert(r.index());
        });
    }
}

fn before(inst: &Inst, live: &mut BitSet) {
    if let Some(dst) = ops::def(&inst.op) {
        live.remove(dst.index());
    }
    ops::visit_uses(&inst.op, &mut |r| {
        live.insert(r.index());
    });
}
