//! Where the temporaries of a thread matter, and where a thread must rest so that no silent loop runs for ever.

use super::{Node, Step};
use treville_base::BitSet;

/// For each node the registers whose values may still be looked at.
pub(super) fn live(nodes: &[Node], n_regs: usize) -> Vec<BitSet> {
    let mut live = vec![BitSet::new(n_regs); nodes.len()];
    let mut changed = true;
    while changed {
        changed = false;
        for (i, node) in nodes.iter().enumerate().rev() {
            let mut now = BitSet::new(n_regs);
            node.step.nexts().for_each(|next| now.union_assign(&live[next]));
            if let Some(dst) = written(&node.step) {
                now.remove(dst);
            }
            uses(&node.step, &mut |reg| {
                now.insert(reg);
            });
            if !now.is_subset(&live[i]) {
                live[i].union_assign(&now);
                changed = true;
            }
        }
    }
    live
}

/// For each node the temporaries that a thread may come there with, if it keeps those only that are live where it rests.
pub(super) fn filled(nodes: &[Node], live: &[BitSet], n_regs: usize) -> Vec<BitSet> {
    let mut filled = vec![BitSet::new(n_regs); nodes.len()];
    let mut changed = true;
    while changed {
        changed = false;
        for (i, node) in nodes.iter().enumerate() {
            let mut now = if node.visible { live[i].clone() } else { filled[i].clone() };
            if let Some(dst) = written(&node.step) {
                now.insert(dst);
            }
            for next in node.step.nexts() {
                if !now.is_subset(&filled[next]) {
                    filled[next].union_assign(&now);
                    changed = true;
                }
            }
        }
    }
    filled
}

fn written(step: &Step) -> Option<usize> {
    match step {
        Step::Read { dst, .. } | Step::Set { dst, .. } | Step::Update { old: dst, .. } => Some(*dst),
        _ => None,
    }
}

/// Registers whose values before the step matter to it.
fn uses(step: &Step, visit: &mut impl FnMut(usize)) {
    match step {
        Step::Write { value, .. } | Step::Set { value, .. } => value.visit_regs(visit),
        Step::Branch { cond, .. } | Step::Assume { cond, .. } => cond.visit_regs(visit),
        Step::Update { old, guard, new, .. } => {
            let mut others = |reg| {
                if reg != *old {
                    visit(reg);
                }
            };
            guard.iter().chain([new]).for_each(|word| word.visit_regs(&mut others));
        }
        Step::Read { .. }
        | Step::Pause { .. }
        | Step::Fence { .. }
        | Step::Goto { .. }
        | Step::Done
        | Step::Stuck
        | Step::Fail => {}
    }
}

/// Makes a node of every loop visible that has none.
pub(super) fn break_silent_loops(nodes: &mut [Node]) {
    #[derive(Clone, Copy, PartialEq)]
    enum Mark {
        New,
        Open,
        Closed,
    }
    let mut marks = vec![Mark::New; nodes.len()];
    for start in 0..nodes.len() {
        // Depth first, with the successors of each node that are still to be looked at.
        let mut path: Vec<(usize, Vec<usize>)> = Vec::new();
        if marks[start] == Mark::New && !nodes[start].visible {
            marks[start] = Mark::Open;
            path.push((start, nodes[start].step.nexts().collect()));
        }
        while let Some((at, rest)) = path.last_mut() {
            let Some(next) = rest.pop() else {
                marks[*at] = Mark::Closed;
                path.pop();
                continue;
            };
            if nodes[next].visible {
                continue;
            }
            match marks[next] {
                Mark::New => {
                    marks[next] = Mark::Open;
                    path.push((next, nodes[next].step.nexts().collect()));
                }
                Mark::Open => nodes[next].visible = true,
                Mark::Closed => {}
            }
        }
    }
}
