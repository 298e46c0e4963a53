//! The search by implicit hitting sets: a placement that fails, grown as long as it fails, leaves a set of sites of which one
//! is needed. The cheapest set that meets all of these is the next candidate.

use crate::hitting::cheapest;
use crate::{Effort, Judge, Proof, Refutation};
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use treville_base::{BitSet, Cancel};

#[derive(Clone, Debug)]
pub struct Options {
    /// Sites that are considered; others stay without.
    pub initial: BitSet,
    /// More placements of the smallest cost than this are not told.
    pub most: usize,
    pub threads: usize,
    pub cancel: Cancel,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Placement {
    pub sites: BitSet,
    pub cost: u64,
}

/// What was found.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Found {
    /// Those of the smallest cost that is proved to be enough.
    pub placements: Vec<Placement>,
    /// Every placement that holds costs this much or more, by real failures.
    pub lower: u64,
    /// Whether the lower bound is met.
    pub proved: bool,
    /// Sites that every placement needs.
    pub needed: Vec<usize>,
    /// Of real failures: one of each of these sets is needed.
    pub clauses: Vec<BitSet>,
    /// Placements below the best one that neither fail nor are proved.
    pub open: Vec<(BitSet, String)>,
    /// It fails with every site.
    pub hopeless: bool,
    /// Why the search ended before its end.
    pub stopped: Option<String>,
    /// Placements that were judged.
    pub checks: usize,
}

struct Search<'a, J> {
    judge: &'a J,
    options: &'a Options,
    costs: Vec<u64>,
    refuted: Mutex<BTreeMap<(Vec<u64>, Effort), Refutation>>,
    proofs: BTreeMap<(Vec<u64>, Effort), Proof>,
    found: Found,
    /// Sets of which a placement needs one to be proved by this judge.
    soft: Vec<BitSet>,
    /// The cheapest that was proved on the way.
    best: Option<Placement>,
}

/// The cheapest placements within the initial one.
pub fn synthesise<J: Judge>(judge: &J, options: &Options) -> Found {
    let n = judge.n_sites();
    let mut search = Search {
        judge,
        options,
        costs: (0..n).map(|site| judge.cost(site).max(1)).collect(),
        refuted: Mutex::default(),
        proofs: BTreeMap::new(),
        found: Found::default(),
        soft: Vec::new(),
        best: None,
    };
    search.run();
    search.found.checks = search.proofs.len() + search.refuted.lock().map_or(0, |known| known.len());
    search.found
}

impl<J: Judge> Search<'_, J> {
    fn run(&mut self) {
        let all = self.options.initial.clone();
        if let Refutation::Fails { .. } = self.refute(&all, Effort::Thorough) {
            self.found.hopeless = true;
            return;
        }
        // Something to tell if the time is over soon.
        self.prove(&all, Effort::Short);
        self.needed();
        while !self.is_due() {
            let clauses: Vec<BitSet> = self.found.clauses.iter().chain(&self.soft).cloned().collect();
            let Some((cost, candidates)) = cheapest(&clauses, &self.costs, self.options.most, &self.options.cancel)
            else {
                continue;
            };
            if self.soft.is_empty() {
                self.found.lower = cost;
            }
            if candidates.is_empty() || self.round(cost, &candidates) {
                break;
            }
        }
        // A clause without a site is a failure that no flush stops.
        if self.found.clauses.iter().any(BitSet::is_empty) {
            self.found = Found { hopeless: true, ..Found::default() };
            return;
        }
        if let Some((lower, _)) = cheapest(&self.found.clauses, &self.costs, 1, &self.options.cancel) {
            self.found.lower = lower;
        }
        let alone = self.found.clauses.iter().filter(|clause| clause.len() == 1);
        self.found.needed = alone.flat_map(|clause| clause.iter()).collect();
        self.found.needed.sort_unstable();
        self.found.needed.dedup();
        let cost = self.found.placements.first().map(|p| p.cost);
        self.found.proved = cost == Some(self.found.lower) && self.found.stopped.is_none();
        let open = std::mem::take(&mut self.found.open);
        let below = |sites: &BitSet| cost.is_none_or(|cost| self.cost(sites) < cost);
        self.found.open = open.into_iter().filter(|(sites, _)| below(sites)).collect();
        self.found.open.dedup_by(|a, b| a.0 == b.0);
        if self.found.placements.is_empty() && self.best.is_none() {
            self.prove(&all, Effort::Thorough);
        }
        if self.found.placements.is_empty() {
            self.found.placements.extend(self.best.take());
        }
    }

    /// Judges candidates of one cost. True if the search is over.
    fn round(&mut self, cost: u64, candidates: &[BitSet]) -> bool {
        if self.learn_failures(candidates, Effort::Short) {
            return false;
        }
        if self.prove_some(cost, candidates, Effort::Short) {
            self.prove_the_rest(cost, candidates);
            return true;
        }
        if self.learn_failures(candidates, Effort::Thorough) {
            return false;
        }
        if self.prove_some(cost, candidates, Effort::Thorough) {
            return true;
        }
        let unproved = candidates.to_vec();
        unproved.iter().for_each(|candidate| self.grow_soft(candidate));
        false
    }

    /// Keeps the candidates that are proved. True if there was one, or the time is over.
    fn prove_some(&mut self, cost: u64, candidates: &[BitSet], effort: Effort) -> bool {
        let mut any = false;
        for candidate in candidates {
            match self.prove(candidate, effort) {
                Proof::Holds => {
                    any = true;
                    self.found.placements.push(Placement { sites: candidate.clone(), cost });
                }
                Proof::Open(why) if effort == Effort::Thorough => self.found.open.push((candidate.clone(), why)),
                Proof::Open(_) => {}
            }
            if self.is_due() {
                self.found.open.extend(candidates.iter().map(|c| (c.clone(), "the time is over".to_owned())));
                return true;
            }
        }
        any
    }

    /// The others of the same cost as one that is proved.
    fn prove_the_rest(&mut self, cost: u64, candidates: &[BitSet]) {
        let is_known = |c: &&BitSet| self.found.placements.iter().any(|p| p.sites == **c);
        let rest: Vec<BitSet> = candidates.iter().filter(|c| !is_known(c)).cloned().collect();
        let failing = self.refute_all(&rest, Effort::Thorough);
        let unknown = rest.into_iter().zip(failing).filter(|(_, failing)| failing.is_none());
        let unknown: Vec<BitSet> = unknown.map(|(candidate, _)| candidate).collect();
        self.prove_some(cost, &unknown, Effort::Thorough);
        self.found.placements.sort_by_key(|p| p.sites.iter().collect::<Vec<_>>());
    }

    /// Adds a clause for each candidate that fails, unless another new clause rules it out. True if there was one.
    fn learn_failures(&mut self, candidates: &[BitSet], effort: Effort) -> bool {
        let failing = self.refute_all(candidates, effort);
        let any = failing.iter().any(Option::is_some);
        for (candidate, blocking) in candidates.iter().zip(failing) {
            let Some(blocking) = blocking else { continue };
            if self.found.clauses.iter().all(|clause| clause.intersects(candidate)) {
                self.grow(candidate, blocking);
            }
        }
        any
    }

    fn cost(&self, sites: &BitSet) -> u64 {
        sites.iter().map(|site| self.costs[site]).sum()
    }

    fn is_due(&mut self) -> bool {
        let due = self.options.cancel.is_due();
        if due {
            self.found.stopped = Some("the time is over".to_owned());
        }
        due
    }

    /// The sites without which everything else is not enough.
    fn needed(&mut self) {
        let all = &self.options.initial;
        let sites: Vec<usize> = all.iter().collect();
        let without: Vec<BitSet> = sites
            .iter()
            .map(|site| {
                let mut less = all.clone();
                less.remove(*site);
                less
            })
            .collect();
        let n = self.costs.len();
        for (site, failing) in sites.into_iter().zip(self.refute_all(&without, Effort::Short)) {
            if failing.is_some() {
                self.found.clauses.push(BitSet::from_members(n, [site]));
            }
        }
    }

    /// For each placement, whether it fails, and what blocks the failure.
    fn refute_all(&self, placements: &[BitSet], effort: Effort) -> Vec<Option<Option<BitSet>>> {
        let next = AtomicUsize::new(0);
        let results = Mutex::new(vec![None; placements.len()]);
        let work = || {
            while let Some((at, placement)) = at(placements, next.fetch_add(1, Ordering::Relaxed)) {
                if let Refutation::Fails { blocking } = self.refute(placement, effort)
                    && let Ok(mut results) = results.lock()
                {
                    results[at] = Some(blocking);
                }
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..self.options.threads.min(placements.len()) {
                scope.spawn(work);
            }
            work();
        });
        results.into_inner().unwrap_or_default()
    }

    fn refute(&self, placement: &BitSet, effort: Effort) -> Refutation {
        let key = (placement.as_words().to_vec(), effort);
        if let Some(known) = self.refuted.lock().ok().and_then(|known| known.get(&key).cloned()) {
            return known;
        }
        // What a clause rules out fails, though nobody looked at it.
        if self.found.clauses.iter().any(|clause| !clause.intersects(placement)) {
            return Refutation::Fails { blocking: None };
        }
        let result = self.judge.refute(placement, effort);
        if let Ok(mut known) = self.refuted.lock() {
            known.insert(key, result.clone());
        }
        result
    }

    fn prove(&mut self, placement: &BitSet, effort: Effort) -> Proof {
        let key = (placement.as_words().to_vec(), effort);
        if let Some(known) = self.proofs.get(&key) {
            return known.clone();
        }
        let result = self.judge.prove(placement, effort);
        self.proofs.insert(key, result.clone());
        let cost = self.cost(placement);
        if result == Proof::Holds && self.best.as_ref().is_none_or(|best| cost < best.cost) {
            self.best = Some(Placement { sites: placement.clone(), cost });
        }
        result
    }

    /// Adds the clause of a placement that fails, made as small as it gets by adding sites while it fails.
    fn grow(&mut self, failing: &BitSet, blocking: Option<BitSet>) {
        let all = &self.options.initial;
        let mut grown = failing.clone();
        if let Some(blocking) = blocking {
            grown.union_assign(&all.difference(&blocking));
        }
        for site in all.difference(&grown).iter() {
            if self.options.cancel.is_due() {
                break;
            }
            let mut more = grown.clone();
            more.insert(site);
            if let Refutation::Fails { blocking } = self.refute(&more, Effort::Short) {
                grown = more;
                if let Some(blocking) = blocking {
                    grown.union_assign(&all.difference(&blocking));
                }
            }
        }
        self.found.clauses.push(all.difference(&grown));
    }

    /// The same for a placement that is not proved.
    fn grow_soft(&mut self, unproved: &BitSet) {
        if self.soft.iter().any(|clause| !clause.intersects(unproved)) {
            return;
        }
        let all = self.options.initial.clone();
        let mut grown = unproved.clone();
        for site in all.difference(unproved).iter() {
            let mut more = grown.clone();
            more.insert(site);
            if !self.is_due() && self.prove(&more, Effort::Thorough) != Proof::Holds {
                grown = more;
            }
        }
        self.soft.push(all.difference(&grown));
    }
}

fn at(placements: &[BitSet], at: usize) -> Option<(usize, &BitSet)> {
    placements.get(at).map(|placement| (at, placement))
}
