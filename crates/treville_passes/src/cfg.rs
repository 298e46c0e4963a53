//! The shape of a function: who comes before whom, what dominates what, loops, and where registers are alive.

use crate::ops;
use std::collections::{BTreeMap, BTreeSet};
use treville_base::{Cancel, IndexVec};
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

/// Where registers hold a value that may still be read. Its size is that of what is alive, so that long functions with short lives are
/// cheap.
#[derive(Clone, Debug)]
pub struct Liveness {
    live_in: IndexVec<BlockId, Vec<Reg>>,
    live_out: IndexVec<BlockId, Vec<Reg>>,
}

/// Where one register is read and written.
#[derive(Clone, Default)]
struct Mentions {
    /// Blocks that read it before they write it.
    read_first: Vec<BlockId>,
    writes: Vec<BlockId>,
}

impl Liveness {
    /// `at_exit`: registers that are read after the function.
    pub fn new(func: &Func, cfg: &Cfg, at_exit: &BTreeSet<Reg>) -> Liveness {
        let nobody = Cancel::new();
        let empty = || Liveness { live_in: IndexVec::new(), live_out: IndexVec::new() };
        Liveness::unless(&nobody, func, cfg, at_exit).unwrap_or_else(empty)
    }

    /// The same; `None` if cancelled.
    pub fn unless(cancel: &Cancel, func: &Func, cfg: &Cfg, at_exit: &BTreeSet<Reg>) -> Option<Liveness> {
        let exits: Vec<BlockId> =
            cfg.order.iter().copied().filter(|b| ops::successors(&func.blocks[*b].end).next().is_none()).collect();
        let nothing = || func.blocks.iter().map(|_| Vec::new()).collect();
        let mut found = Liveness { live_in: nothing(), live_out: nothing() };
        // The last register that was found to be written, and to be alive, here.
        let mut written: IndexVec<BlockId, Option<Reg>> = func.blocks.iter().map(|_| None).collect();
        for (reg, mentions) in mentions(func, cfg).iter_enumerated() {
            if cancel.is_stopped() {
                return None;
            }
            mentions.writes.iter().for_each(|b| written[*b] = Some(reg));
            // Registers come in their order: what is last in a list tells whether this one is there.
            let mut begins = mentions.read_first.clone();
            let mut ends = if at_exit.contains(&reg) { exits.clone() } else { Vec::new() };
            loop {
                if let Some(b) = begins.pop() {
                    if found.live_in[b].last() != Some(&reg) {
                        found.live_in[b].push(reg);
                        ends.extend(&cfg.preds[b]);
                    }
                } else if let Some(b) = ends.pop() {
                    if found.live_out[b].last() != Some(&reg) {
                        found.live_out[b].push(reg);
                        begins.extend((written[b] != Some(reg)).then_some(b));
                    }
                } else {
                    break;
                }
            }
        }
        Some(found)
    }

    /// In their order.
    pub fn live_in(&self, b: BlockId) -> &[Reg] {
        &self.live_in[b]
    }

    /// In their order.
    pub fn live_out(&self, b: BlockId) -> &[Reg] {
        &self.live_out[b]
    }

    /// Walks a block backwards; `visit` sees each operation with what is alive after it.
    pub fn walk_back(&self, block: &Block, id: BlockId, mut visit: impl FnMut(usize, &Inst, &BTreeSet<Reg>)) {
        let mut live: BTreeSet<Reg> = self.live_out[id].iter().copied().collect();
        if let Some(e) = ops::end_expr(&block.end) {
            e.visit_regs(&mut |r| live.extend([r]));
        }
        for (i, inst) in block.insts.iter().enumerate().rev() {
            visit(i, inst, &live);
            if let Some(dst) = ops::def(&inst.op) {
                live.remove(&dst);
            }
            ops::visit_uses(&inst.op, &mut |r| live.extend([r]));
        }
    }
}

/// For each register, in blocks that can be reached.
fn mentions(func: &Func, cfg: &Cfg) -> IndexVec<Reg, Mentions> {
    let mut all: IndexVec<Reg, Mentions> = func.regs.iter().map(|_| Mentions::default()).collect();
    for &b in &cfg.order {
        let block = &func.blocks[b];
        let read = |mentions: &mut Mentions| {
            if mentions.writes.last() != Some(&b) && mentions.read_first.last() != Some(&b) {
                mentions.read_first.push(b);
            }
        };
        for inst in &block.insts {
            ops::visit_uses(&inst.op, &mut |r| read(&mut all[r]));
            if let Some(dst) = ops::def(&inst.op).filter(|dst| all[*dst].writes.last() != Some(&b)) {
                all[dst].writes.push(b);
            }
        }
        if let Some(e) = ops::end_expr(&block.end) {
            e.visit_regs(&mut |r| read(&mut all[r]));
        }
    }
    all
}
