//! Cheapest sets that meet every clause.

use treville_base::{BitSet, Cancel};

/// All sets of the smallest cost that have a site in each clause (at most `most` of them), and that cost. Nothing if the time
/// was over before the smallest cost was known.
pub(crate) fn cheapest(clauses: &[BitSet], costs: &[u64], most: usize, cancel: &Cancel) -> Option<(u64, Vec<BitSet>)> {
    let mut search = Search { clauses, costs, best: u64::MAX, found: Vec::new(), most, cancel, looks: 0, late: false };
    let n = costs.len();
    search.extend(&mut BitSet::new(n), &mut BitSet::new(n), 0);
    search.found.sort_by_key(|set| set.iter().collect::<Vec<_>>());
    search.found.dedup();
    (!search.late).then_some((search.best, search.found))
}

/// Sets between looks at the clock.
const BETWEEN_LOOKS: u32 = 1024;

struct Search<'a> {
    clauses: &'a [BitSet],
    costs: &'a [u64],
    best: u64,
    found: Vec<BitSet>,
    most: usize,
    cancel: &'a Cancel,
    looks: u32,
    late: bool,
}

impl Search<'_> {
    fn extend(&mut self, chosen: &mut BitSet, banned: &mut BitSet, cost: u64) {
        self.looks = self.looks.wrapping_add(1);
        self.late |= self.looks.is_multiple_of(BETWEEN_LOOKS) && self.cancel.is_due();
        if self.late {
            return;
        }
        let open = self.clauses.iter().filter(|clause| !clause.intersects(chosen));
        let choices = |clause: &&BitSet| clause.iter().filter(|s| !banned.contains(*s)).count();
        let Some(clause) = open.clone().min_by_key(choices) else {
            if cost < self.best {
                (self.best, self.found) = (cost, Vec::new());
            }
            if cost == self.best && self.found.len() < self.most {
                self.found.push(chosen.clone());
            }
            return;
        };
        if cost.saturating_add(self.at_least(chosen, banned)) > self.best {
            return;
        }
        let sites: Vec<usize> = clause.iter().filter(|s| !banned.contains(*s)).collect();
        for &site in &sites {
            chosen.insert(site);
            self.extend(chosen, banned, cost + self.costs[site]);
            chosen.remove(site);
            banned.insert(site);
        }
        sites.iter().for_each(|site| banned.remove(*site));
    }

    /// What clauses without a common site cost at least.
    fn at_least(&self, chosen: &BitSet, banned: &BitSet) -> u64 {
        let mut taken = banned.clone();
        let mut sum = 0u64;
        for clause in self.clauses.iter().filter(|clause| !clause.intersects(chosen)) {
            let free = clause.difference(banned);
            if !free.intersects(&taken) {
                sum = sum.saturating_add(free.iter().map(|s| self.costs[s]).min().unwrap_or(u64::MAX));
                taken.union_assign(&free);
            }
        }
        sum
    }
}
