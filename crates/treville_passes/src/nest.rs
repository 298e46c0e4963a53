//! How loops lie in each other, and the order in which all paths through a function can be followed side by side: a block
//! comes after everything that may lead to it, a loop's blocks iteration by iteration, and what follows a loop after all of it.

use crate::cfg::Cfg;
use std::collections::{BTreeMap, BTreeSet};
use treville_base::IndexVec;
use treville_ir::BlockId;

/// The loops of a function.
#[derive(Clone, Debug)]
pub struct Nest {
    /// The headers of the loops around each block, outermost first; a header is in its own loop.
    around: IndexVec<BlockId, Vec<BlockId>>,
    /// Where a block comes in the innermost loop around it.
    position: IndexVec<BlockId, u32>,
    /// Where a loop, by its header, comes in the loop around it.
    loop_position: BTreeMap<BlockId, u32>,
}

impl Nest {
    pub fn new(cfg: &Cfg) -> Nest {
        let loops = cfg.loops();
        let mut around: IndexVec<BlockId, Vec<BlockId>> = cfg.preds.iter().map(|_| Vec::new()).collect();
        // Larger loops first: those around come before those inside.
        let mut by_size: Vec<(&BlockId, &BTreeSet<BlockId>)> = loops.iter().collect();
        by_size.sort_by_key(|(header, blocks)| (std::cmp::Reverse(blocks.len()), **header));
        for (header, blocks) in by_size {
            blocks.iter().for_each(|b| around[*b].push(*header));
        }
        let position = cfg.preds.iter().map(|_| 0).collect();
        let mut nest = Nest { around, position, loop_position: BTreeMap::new() };
        let all: BTreeSet<BlockId> = cfg.order.iter().copied().collect();
        nest.place(cfg, None, &all);
        for (header, blocks) in &loops {
            nest.place(cfg, Some(*header), blocks);
        }
        nest
    }

    /// Puts what is directly in a loop (or in none) in order.
    fn place(&mut self, cfg: &Cfg, header: Option<BlockId>, blocks: &BTreeSet<BlockId>) {
        let depth = |b: BlockId| match header {
            None => 0,
            Some(h) => self.around[b].iter().position(|a| *a == h).map_or(0, |i| i + 1),
        };
        // The inner loop that a block is in, as a whole, or the block.
        let representative = |b: BlockId| self.around[b].get(depth(b)).copied().unwrap_or(b);
        let mut preds: BTreeMap<BlockId, BTreeSet<BlockId>> = BTreeMap::new();
        for b in blocks {
            let own = preds.entry(representative(*b)).or_default();
            if Some(*b) != header {
                own.extend(cfg.preds[*b].iter().filter(|p| blocks.contains(p)).map(|p| representative(*p)));
            }
        }
        let mut order = Vec::new();
        let mut seen = BTreeSet::new();
        for &start in preds.keys() {
            // Depth first towards the beginning: whatever leads to a block comes before it.
            let mut stack = vec![(start, false)];
            while let Some((b, done)) = stack.pop() {
                if done {
                    order.push(b);
                } else if seen.insert(b) {
                    stack.push((b, true));
                    stack.extend(preds[&b].iter().filter(|p| **p != b).map(|p| (*p, false)));
                }
            }
        }
        for (i, b) in order.into_iter().enumerate() {
            let is_inner_loop = self.around[b].get(depth_of(&self.around[b], header)) == Some(&b);
            if is_inner_loop {
                self.loop_position.insert(b, i as u32);
            } else {
                self.position[b] = i as u32;
            }
        }
    }

    /// The headers of the loops around a block, outermost first.
    pub fn around(&self, block: BlockId) -> &[BlockId] {
        &self.around[block]
    }

    /// Where a run comes in the order that has come to `block` in these iterations of the loops around it.
    pub fn key(&self, block: BlockId, iteration: impl Fn(BlockId) -> u32) -> Vec<u32> {
        let mut key = Vec::with_capacity(2 * self.around[block].len() + 1);
        for header in &self.around[block] {
            key.extend([self.loop_position.get(header).copied().unwrap_or(0), iteration(*header)]);
        }
        key.push(self.position[block]);
        key
    }
}

fn depth_of(around: &[BlockId], header: Option<BlockId>) -> usize {
    header.map_or(0, |h| around.iter().position(|a| *a == h).map_or(0, |i| i + 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use treville_base::Name;
    use treville_ir::{Block, Func, InstrId, Terminator};

    /// A function with these successors of each block.
    fn func(successors: &[&[u32]]) -> Func {
        let span = treville_base::Span::new(treville_base::FileId(0), 0, 0);
        let end = |to: &[u32]| match to {
            [] => Terminator::End,
            [one] => Terminator::Goto(BlockId(*one)),
            [then, els, ..] => Terminator::Branch {
                cond: treville_ir::Expr::int(1, 1),
                then: BlockId(*then),
                els: BlockId(*els),
                join: None,
                instr: InstrId(0),
                span,
            },
        };
        let blocks = successors.iter().map(|to| Block { insts: Vec::new(), end: end(to) }).collect();
        Func { name: Name::new("f"), params: Vec::new(), regs: IndexVec::new(), blocks }
    }

    #[test]
    fn what_follows_a_loop_comes_after_it() {
        // 0 → loop {1 → inner loop {3 → 4 → 3} → 5 → 1} → 2
        let nest = Nest::new(&Cfg::new(&func(&[&[1], &[2, 3], &[], &[4, 5], &[3], &[1]])));
        assert_eq!(nest.around(BlockId(4)), &[BlockId(1), BlockId(3)]);
        let key =
            |b: u32, outer: u32, inner: u32| nest.key(BlockId(b), |h| if h == BlockId(1) { outer } else { inner });
        let path = [
            key(0, 0, 0),
            key(1, 0, 0),
            key(3, 0, 0),
            key(4, 0, 0),
            key(3, 0, 1),
            key(5, 0, 0),
            key(1, 1, 0),
            key(3, 1, 0),
            key(5, 1, 0),
            key(2, 0, 0),
        ];
        assert!(path.windows(2).all(|w| w[0] < w[1]), "{path:?}");
    }
}
