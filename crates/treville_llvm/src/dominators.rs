//! Which blocks lie on every way from the entry of a function to a block (Cooper, Harvey and Kennedy, "A simple, fast
//! dominance algorithm").

use crate::module::{BlockId, Body};
use treville_base::Idx;

/// The tree of dominators as intervals: a block dominates those whose interval lies in its own.
pub(crate) struct Dominators {
    /// Missing for blocks that are not reached.
    intervals: Vec<Option<(u32, u32)>>,
}

const UNKNOWN: usize = usize::MAX;

impl Dominators {
    pub(crate) fn new(body: &Body, predecessors: &[Vec<BlockId>]) -> Self {
        let order = reverse_postorder(body);
        let parents = parents(&order, predecessors);
        Dominators { intervals: intervals(&order, &parents, body.blocks.len()) }
    }

    pub(crate) fn is_reached(&self, block: BlockId) -> bool {
        self.intervals[block.index()].is_some()
    }

    /// Whether `a` lies on every way to `b`; both must be reached.
    pub(crate) fn dominates(&self, a: BlockId, b: BlockId) -> bool {
        match (self.intervals[a.index()], self.intervals[b.index()]) {
            (Some(a), Some(b)) => a.0 <= b.0 && b.1 <= a.1,
            _ => false,
        }
    }
}

fn reverse_postorder(body: &Body) -> Vec<usize> {
    let mut seen = vec![false; body.blocks.len()];
    let mut order = Vec::new();
    let mut path = vec![(BlockId(0), body.blocks[BlockId(0)].end.kind.successors())];
    seen[0] = true;
    while let Some((block, next)) = path.last_mut() {
        match next.pop() {
            Some(to) if !seen[to.index()] => {
                seen[to.index()] = true;
                path.push((to, body.blocks[to].end.kind.successors()));
            }
            Some(_) => {}
            None => {
                order.push(block.index());
                path.pop();
            }
        }
    }
    order.reverse();
    order
}

/// The immediate dominator of each block, as positions in the order; the entry is its own.
fn parents(order: &[usize], predecessors: &[Vec<BlockId>]) -> Vec<usize> {
    let mut position = vec![UNKNOWN; predecessors.len()];
    order.iter().enumerate().for_each(|(at, &block)| position[block] = at);
    let mut parents = vec![UNKNOWN; order.len()];
    parents[0] = 0;
    let mut changed = true;
    while changed {
        changed = false;
        for at in 1..order.len() {
            let known = predecessors[order[at]].iter().map(|p| position[p.index()]);
            let known = known.filter(|&p| p != UNKNOWN && parents[p] != UNKNOWN);
            let parent = known.reduce(|a, b| meet(&parents, a, b)).unwrap_or(UNKNOWN);
            changed |= parents[at] != parent;
            parents[at] = parent;
        }
    }
    parents
}

fn meet(parents: &[usize], mut a: usize, mut b: usize) -> usize {
    while a != b {
        if a > b {
            a = parents[a];
        } else {
            b = parents[b];
        }
    }
    a
}

fn intervals(order: &[usize], parents: &[usize], n_blocks: usize) -> Vec<Option<(u32, u32)>> {
    // Parents come before children, so that sizes add up from the back and places follow from the front.
    let mut sizes = vec![1u32; order.len()];
    for at in (1..order.len()).rev() {
        sizes[parents[at]] += sizes[at];
    }
    let mut starts = vec![0u32; order.len()];
    let mut free = vec![1u32; order.len()];
    for at in 1..order.len() {
        let parent = parents[at];
        starts[at] = free[parent];
        free[parent] += sizes[at];
        free[at] = starts[at] + 1;
    }
    let mut intervals = vec![None; n_blocks];
    for (at, &block) in order.iter().enumerate() {
        intervals[block] = Some((starts[at], starts[at] + sizes[at] - 1));
    }
    intervals
}
