//! The search as it was published: first which single sites of the initial placement can go, then depth first which of
//! those can go together.

use crate::{Effort, Judge, Proof};
use std::collections::BTreeSet;
use treville_base::{BitSet, Cancel};

/// What was found.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Phases {
    /// Cheapest placements that are proved; empty if the initial one is not.
    pub placements: Vec<BitSet>,
    /// Sites that could not be removed alone.
    pub needed: Vec<usize>,
    /// Placements that were judged.
    pub checks: usize,
    pub stopped: bool,
}

/// Removes sites from `initial` as long as a proof is found soon.
pub fn two_phases<J: Judge>(judge: &J, initial: &BitSet, cancel: &Cancel) -> Phases {
    let mut found = Phases { checks: 1, ..Phases::default() };
    if judge.prove(initial, Effort::Thorough) != Proof::Holds {
        return found;
    }
    let mut removable = Vec::new();
    for site in initial.iter() {
        let mut less = initial.clone();
        less.remove(site);
        if cancel.is_due() {
            return Phases { placements: vec![initial.clone()], stopped: true, ..found };
        }
        found.checks += 1;
        if judge.prove(&less, Effort::Short) == Proof::Holds { removable.push(site) } else { found.needed.push(site) }
    }
    let mut search = Depth { judge, removable, cancel, seen: BTreeSet::new(), found };
    search.found.placements.push(initial.clone());
    search.remove(initial, 0);
    search.found
}

struct Depth<'a, J> {
    judge: &'a J,
    removable: Vec<usize>,
    cancel: &'a Cancel,
    seen: BTreeSet<Vec<u64>>,
    found: Phases,
}

impl<J: Judge> Depth<'_, J> {
    fn cost(&self, sites: impl Iterator<Item = usize>) -> u64 {
        sites.map(|site| self.judge.cost(site).max(1)).sum()
    }

    /// Removes sites from the one at `from` on.
    fn remove(&mut self, placement: &BitSet, from: usize) {
        for at in from..self.removable.len() {
            if self.cancel.is_due() {
                self.found.stopped = true;
                return;
            }
            let best = self.cost(self.found.placements[0].iter());
            let left = self.cost(self.removable[at..].iter().copied());
            if self.cost(placement.iter()).saturating_sub(left) > best {
                return;
            }
            let mut less = placement.clone();
            less.remove(self.removable[at]);
            if !self.seen.insert(less.as_words().to_vec()) {
                continue;
            }
            self.found.checks += 1;
            if self.judge.prove(&less, Effort::Short) == Proof::Holds {
                let cost = self.cost(less.iter());
                if cost < best {
                    self.found.placements.clear();
                }
                if cost <= best {
                    self.found.placements.push(less.clone());
                }
                self.remove(&less, at + 1);
            }
        }
    }
}
