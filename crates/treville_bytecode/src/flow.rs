//! What the code of a function needs to know of itself: which slots are live where, and its loops.

use super::code::{Ins, NOWHERE, Slot};
use treville_base::BitSet;

/// What an instruction reads, what it writes, and where control goes after it.
pub(crate) struct Facts {
    pub(crate) uses: Vec<Slot>,
    pub(crate) def: Option<Slot>,
    pub(crate) next: Vec<u32>,
}

pub(crate) fn facts(ins: &Ins, at: u32, args: &[Vec<Slot>], observed: &[Slot]) -> Facts {
    let next = vec![at + 1];
    let list = |args_at: u32| args[args_at as usize].iter().copied();
    let (uses, def, next) = match *ins {
        Ins::Move { dst, src }
        | Ins::Not { dst, src, .. }
        | Ins::Neg { dst, src, .. }
        | Ins::Low { dst, src, .. }
        | Ins::Sign { dst, src, .. }
        | Ins::Handle { dst, src, .. }
        | Ins::Local { dst, src } => (vec![src], Some(dst), next),
        Ins::Bin { dst, a, b, .. } => (vec![a, b], Some(dst), next),
        Ins::Select { dst, cond, yes, no } => (vec![cond, yes, no], Some(dst), next),
        Ins::Goto(to) => (vec![], None, vec![to]),
        Ins::If { cond, then, els } => (vec![cond], None, vec![then, els]),
        Ins::Load { dst, addr, .. } | Ins::UpdateRead { dst, addr, .. } => (vec![addr], Some(dst), next),
        Ins::High { dst, low } => (vec![low], Some(dst), next),
        Ins::Upper { src } => (vec![src], None, next),
        Ins::Store { addr, value, .. } | Ins::UpdateWrite { addr, value, .. } => (vec![addr, value], None, next),
        Ins::Hold { addr } | Ins::Release { addr, .. } | Ins::Free { addr, .. } => (vec![addr], None, next),
        Ins::Holder { dst } | Ins::Nondet { dst, .. } => (vec![], Some(dst), next),
        Ins::Wait { cond, .. } => (vec![cond], None, next),
        Ins::Call { dst, args, .. } => (list(args).collect(), Some(dst), next),
        Ins::CallPointer { dst, callee, args, .. } => (list(args).chain([callee]).collect(), Some(dst), next),
        Ins::Spawn { dst, func, args, .. } => (list(args).chain([func]).collect(), Some(dst), next),
        Ins::Join { dst, thread, .. } => (vec![thread], Some(dst), next),
        Ins::Alloc { dst, size, .. } => (vec![size], Some(dst), next),
        Ins::Return { value } => (vec![value], None, vec![]),
        Ins::ExitProcess => (vec![], None, vec![]),
        Ins::End { value } => (observed.iter().copied().chain([value]).collect(), None, vec![]),
        Ins::Fail { .. } => (vec![], None, vec![]),
        Ins::Loop(_) | Ins::Round(_) | Ins::Fence { .. } | Ins::SpinStart | Ins::SpinEnd { .. } => (vec![], None, next),
    };
    let uses = uses.into_iter().filter(|s| *s != NOWHERE).collect();
    Facts { uses, def: def.filter(|d| *d != NOWHERE), next }
}

/// For each instruction, the slots that are live before it.
pub(crate) fn liveness(facts: &[Facts], slots: usize) -> Vec<BitSet> {
    let mut live = vec![BitSet::new(slots); facts.len() + 1];
    let mut changed = true;
    let mut now = BitSet::new(slots);
    while changed {
        changed = false;
        for (at, fact) in facts.iter().enumerate().rev() {
            now.clear();
            for to in &fact.next {
                now.union_assign(&live[*to as usize]);
            }
            if let Some(def) = fact.def {
                now.remove(usize::from(def));
            }
            for used in &fact.uses {
                now.insert(usize::from(*used));
            }
            if !now.is_subset(&live[at]) {
                live[at].assign(&now);
                changed = true;
            }
        }
    }
    live
}

/// A loop: its head and the blocks in it.
pub(crate) struct Loop {
    pub(crate) head: usize,
    pub(crate) body: BitSet,
}

impl Loop {
    /// The block where a round begins: the head or, as long as there is only a test of what was read before, what comes after it
    /// if the loop goes on. What the test looks at is then of no more interest, and does not tell rounds apart.
    pub(crate) fn round(&self, successors: &[Vec<usize>], is_test: &dyn Fn(usize) -> bool) -> usize {
        let mut at = self.head;
        while is_test(at) {
            let mut inside = successors[at].iter().filter(|to| self.body.contains(**to));
            let (Some(&next), None) = (inside.next(), inside.next()) else { break };
            let others = self.body.iter().filter(|from| *from != at && successors[*from].contains(&next)).count();
            if next == self.head || others > 0 {
                break;
            }
            at = next;
        }
        at
    }
}

/// The loops of a control-flow graph with entry 0, one for each block that a retreating edge goes to.
pub(crate) fn loops(successors: &[Vec<usize>]) -> Vec<Loop> {
    let n = successors.len();
    let mut predecessors = vec![Vec::new(); n];
    for (from, to) in successors.iter().enumerate().flat_map(|(f, ts)| ts.iter().map(move |t| (f, *t))) {
        predecessors[to].push(from);
    }
    let mut found: Vec<Loop> = Vec::new();
    for (from, head) in retreating(successors) {
        let at = found.iter().position(|l| l.head == head).unwrap_or_else(|| {
            found.push(Loop { head, body: BitSet::from_members(n, [head]) });
            found.len() - 1
        });
        let mut todo = vec![from];
        while let Some(block) = todo.pop() {
            if found[at].body.insert(block) {
                todo.extend(&predecessors[block]);
            }
        }
    }
    found
}

fn retreating(successors: &[Vec<usize>]) -> Vec<(usize, usize)> {
    let n = successors.len();
    let (mut seen, mut active) = (BitSet::new(n), BitSet::new(n));
    let mut edges = Vec::new();
    let mut path = vec![(0, 0)];
    seen.insert(0);
    active.insert(0);
    while let Some((block, next)) = path.last_mut() {
        let Some(to) = successors[*block].get(*next).copied() else {
            active.remove(*block);
            path.pop();
            continue;
        };
        *next += 1;
        if active.contains(to) {
            edges.push((*block, to));
        } else if seen.insert(to) {
            active.insert(to);
            path.push((to, 0));
        }
    }
    edges
}

/// The innermost other loop around each.
pub(crate) fn parents(loops: &[Loop]) -> Vec<Option<u16>> {
    let around = |inner: &Loop| {
        let outer = loops.iter().enumerate().filter(|(_, l)| l.head != inner.head && l.body.contains(inner.head));
        outer.min_by_key(|(_, l)| l.body.len()).map(|(i, _)| i as u16)
    };
    loops.iter().map(around).collect()
}

/// The members that are not constants.
pub(crate) fn slots(live: &BitSet, constants_from: usize) -> Vec<Slot> {
    live.iter().filter(|s| *s < constants_from).map(|s| s as Slot).collect()
}
