//! Co-occurrence of events of a thread: which are mutually exclusive, and which imply which, as far as the paths show it.

use crate::guarded::GuardedThread;
use std::collections::BTreeMap;
use treville_base::BitSet;
use treville_term::{TermId, TermNode, TermStore, UnOp};

/// What is known of the events of a thread in pairs.
#[derive(Debug)]
pub struct CoOccurrence<'a> {
    thread: &'a GuardedThread,
    /// The decisions under which each event happens, by number, and the opposites of these.
    made: Vec<BitSet>,
    denied: Vec<BitSet>,
}

impl<'a> CoOccurrence<'a> {
    pub fn new(thread: &'a GuardedThread, store: &TermStore) -> Self {
        let mut numbers: BTreeMap<TermId, usize> = BTreeMap::new();
        for decision in thread.happens.iter().flat_map(|h| &h.decisions) {
            let next = numbers.len();
            numbers.entry(*decision).or_insert(next);
        }
        let n = numbers.len();
        let mut opposite = vec![BitSet::new(n); n];
        for (decision, &i) in &numbers {
            if let TermNode::Un(UnOp::Not, other) = store.node(*decision)
                && let Some(&j) = numbers.get(&other)
            {
                opposite[i].insert(j);
                opposite[j].insert(i);
            }
        }
        let made: Vec<BitSet> =
            thread.happens.iter().map(|h| BitSet::from_members(n, h.decisions.iter().map(|d| numbers[d]))).collect();
        let denied = |made: &BitSet| {
            let mut all = BitSet::new(n);
            made.iter().for_each(|i| all.union_assign(&opposite[i]));
            all
        };
        let denied = made.iter().map(denied).collect();
        CoOccurrence { thread, made, denied }
    }

    /// Whether two events never both happen.
    pub fn are_exclusive(&self, a: usize, b: usize) -> bool {
        self.thread.are_apart(a, b) || self.made[a].intersects(&self.denied[b])
    }

    /// Whether `b` happens whenever `a` does.
    pub fn implies(&self, a: usize, b: usize) -> bool {
        self.made[b].is_subset(&self.made[a])
    }
}
