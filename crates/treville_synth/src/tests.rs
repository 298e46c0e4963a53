//! Both searches against all placements, on random clauses.

use crate::*;
use treville_base::{BitSet, Cancel};

/// A placement holds if it meets every clause; it can be proved if it also meets the harder ones.
struct Clauses {
    n: usize,
    costs: Vec<u64>,
    hard: Vec<BitSet>,
    harder: Vec<BitSet>,
    /// Some proofs are not found soon.
    late: bool,
}

impl Judge for Clauses {
    fn n_sites(&self) -> usize {
        self.n
    }

    fn cost(&self, site: usize) -> u64 {
        self.costs[site]
    }

    fn refute(&self, placement: &BitSet, effort: Effort) -> Refutation {
        match self.hard.iter().find(|clause| !clause.intersects(placement)) {
            Some(clause) if clause.len() % 3 == 0 && effort == Effort::Short => Refutation::Nothing,
            Some(clause) if clause.len() % 2 == 0 => Refutation::Fails { blocking: Some(clause.clone()) },
            Some(_) => Refutation::Fails { blocking: None },
            None => Refutation::Nothing,
        }
    }

    fn prove(&self, placement: &BitSet, effort: Effort) -> Proof {
        let holds = self.hard.iter().chain(&self.harder).all(|clause| clause.intersects(placement));
        let late = self.late && effort == Effort::Short && placement.len().is_multiple_of(2);
        if holds && !late { Proof::Holds } else { Proof::Open("too hard".to_owned()) }
    }
}

struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }

    fn clauses(&mut self, n: usize, most: u64) -> Vec<BitSet> {
        let count = self.below(most);
        let clause = |random: &mut Self| {
            let sites: Vec<usize> = (0..n).filter(|_| random.below(3) == 0).collect();
            BitSet::from_members(n, if sites.is_empty() { vec![random.below(n as u64) as usize] } else { sites })
        };
        (0..count).map(|_| clause(self)).collect()
    }
}

/// All placements that satisfy a test and cost the least.
fn best(judge: &Clauses, test: impl Fn(&BitSet) -> bool) -> (u64, Vec<BitSet>) {
    let sets =
        (0..1usize << judge.n).map(|bits| BitSet::from_members(judge.n, (0..judge.n).filter(|i| bits >> i & 1 == 1)));
    let (mut least, mut found) = (u64::MAX, Vec::new());
    for set in sets.filter(test) {
        let cost = set.iter().map(|s| judge.costs[s]).sum();
        if cost < least {
            (least, found) = (cost, Vec::new());
        }
        if cost == least {
            found.push(set);
        }
    }
    found.sort_by_key(|set| set.iter().collect::<Vec<_>>());
    (least, found)
}

#[test]
fn the_cheapest_are_found() {
    let mut random = Random(7);
    for round in 0..300 {
        let n = 1 + random.below(7) as usize;
        let priced = round % 2 == 0;
        let costs = (0..n).map(|_| if priced { 1 + random.below(3) } else { 1 }).collect();
        let hard = random.clauses(n, 6);
        let harder = if round % 3 == 0 { random.clauses(n, 4) } else { Vec::new() };
        let judge = Clauses { n, costs, hard, harder, late: true };
        let options = Options { initial: BitSet::full(n), most: 1000, threads: 2, cancel: Cancel::new() };
        let found = synthesise(&judge, &options);
        let (lower, _) = best(&judge, |set| judge.refute(set, Effort::Thorough) == Refutation::Nothing);
        let (cost, placements) = best(&judge, |set| judge.prove(set, Effort::Thorough) == Proof::Holds);
        assert_eq!(found.lower, lower, "round {round}");
        assert_eq!(found.proved, cost == lower, "round {round}");
        let mut sites: Vec<BitSet> = found.placements.iter().map(|p| p.sites.clone()).collect();
        sites.sort_by_key(|set| set.iter().collect::<Vec<_>>());
        assert!(found.placements.iter().all(|p| p.cost == cost), "round {round}: {found:?}");
        assert_eq!(sites, placements, "round {round}: {found:?}");
        let needed: Vec<usize> = (0..n).filter(|s| judge.hard.iter().any(|c| c.len() == 1 && c.contains(*s))).collect();
        assert_eq!(found.needed, needed, "round {round}");
        if !priced {
            // It only tries proofs that are found soon.
            let judge = Clauses { late: false, ..judge };
            let phases = two_phases(&judge, &BitSet::full(n), &Cancel::new());
            assert_eq!(phases.placements[0].len() as u64, cost, "round {round}");
        }
    }
}

#[test]
fn what_fails_with_every_site_is_hopeless() {
    let judge = Clauses { n: 2, costs: vec![1, 1], hard: vec![BitSet::new(2)], harder: Vec::new(), late: true };
    let options = Options { initial: BitSet::full(2), most: 10, threads: 1, cancel: Cancel::new() };
    let found = synthesise(&judge, &options);
    assert!(found.hopeless && found.placements.is_empty() && !found.proved);
    assert_eq!(two_phases(&judge, &BitSet::full(2), &Cancel::new()).placements, []);
}

#[test]
fn a_search_that_is_stopped_tells_what_it_has() {
    let judge = Clauses { n: 3, costs: vec![1; 3], hard: vec![BitSet::full(3)], harder: Vec::new(), late: true };
    let cancel = Cancel::new();
    cancel.cancel();
    let found = synthesise(&judge, &Options { initial: BitSet::full(3), most: 10, threads: 1, cancel });
    assert!(!found.proved && found.stopped.is_some());
    assert_eq!(found.placements[0].sites, BitSet::full(3));
}

/// A search for the cheapest sets that would take hours ends when it is told to, and then knows nothing.
#[test]
fn hitting_sets_look_at_the_clock() {
    let n = 60;
    let clause = |i: usize| BitSet::from_members(n, (0..9).map(|j| (i * 7 + j * (i % 11 + 3) * 5 + j * j) % n));
    let clauses: Vec<BitSet> = (0..120).map(clause).collect();
    let costs: Vec<u64> = (0..n as u64).map(|i| 1 + i % 3).collect();
    let start = std::time::Instant::now();
    let cancel = Cancel::new().with_deadline(start + std::time::Duration::from_millis(100));
    let found = crate::hitting::cheapest(&clauses, &costs, 16, &cancel);
    assert!(start.elapsed().as_secs() < 3, "{:?}", start.elapsed());
    assert!(found.is_none(), "it was fast: {found:?}");
    assert_eq!(crate::hitting::cheapest(&clauses[..1], &costs, 1, &Cancel::new()).map(|(cost, _)| cost), Some(1));
}
