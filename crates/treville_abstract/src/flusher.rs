//! Judges placements of flushes: the exact machine looks for failures, abstractions and reductions for proofs.

use crate::{Budget, Checked, Portfolio, PortfolioOptions};
use std::sync::Mutex;
use treville_base::{BitSet, Idx};
use treville_rma::{Program, SlotId};
use treville_rma_machine::exact::{self, Limits, Stats};
use treville_rma_machine::{Config, Order, Reduction, Semantics, Verdict, check};
use treville_synth::{Effort, Judge, Proof, Refutation};

pub struct Flusher<'p> {
    program: &'p Program,
    costs: Vec<u64>,
    limits: Limits,
    /// Only by this reduction.
    reduction: Option<Reduction>,
    proofs: Proofs,
    portfolio: Mutex<Portfolio<'p>>,
}

/// States of a short look for a failure.
const SHORT: usize = 40_000;

/// Who proves that a placement is enough.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Proofs {
    Machine,
    Abstract,
    Both,
}

impl<'p> Flusher<'p> {
    pub fn new(
        program: &'p Program,
        costs: Vec<u64>,
        limits: Limits,
        proofs: Proofs,
        wanted: &PortfolioOptions,
    ) -> Self {
        let portfolio = Mutex::new(Portfolio::new(program, wanted));
        Flusher { program, costs, limits, reduction: wanted.reduction, proofs, portfolio }
    }

    fn by_machine(&self, placement: &BitSet) -> Proof {
        let mut why = "the machine found neither a failure nor a proof".to_owned();
        for reduction in [Reduction::Counted, Reduction::Table2] {
            if self.reduction.is_some_and(|wanted| wanted != reduction) {
                continue;
            }
            let config = Config {
                order: Order::Depth,
                max_states: self.limits.states,
                cancel: self.limits.cancel.clone(),
                ..Config::new(Semantics::Reduced(reduction), placement.clone())
            };
            let outcome = check(self.program, &config);
            match outcome.verdict {
                Verdict::Safe if !outcome.capped && !outcome.pruned && !outcome.overflowed => return Proof::Holds,
                Verdict::Safe => why = "it holds only up to a bound".to_owned(),
                Verdict::Fails(..) => {}
                Verdict::Open(reason) => why = reason,
            }
        }
        Proof::Open(why)
    }

    fn by_abstraction(&self, placement: &BitSet, budget: Budget) -> Proof {
        let Ok(mut portfolio) = self.portfolio.lock() else {
            return Proof::Open("an earlier proof broke down".to_owned());
        };
        match portfolio.check(placement, budget) {
            Checked::Holds => Proof::Holds,
            Checked::MayFail(_) => Proof::Open("neither a proof nor a failure was found".to_owned()),
            Checked::Open(why) => Proof::Open(why),
        }
    }
}

impl Judge for Flusher<'_> {
    fn n_sites(&self) -> usize {
        self.program.slots.len()
    }

    fn cost(&self, site: usize) -> u64 {
        self.costs.get(site).copied().unwrap_or(1)
    }

    fn refute(&self, placement: &BitSet, effort: Effort) -> Refutation {
        let limits = match effort {
            Effort::Short => self.limits.at_most(SHORT),
            Effort::Thorough => self.limits.few(),
        };
        match exact::refute(self.program, placement, &limits, &mut Stats::new()) {
            Some((_, trace)) => Refutation::Fails { blocking: trace.blocking },
            None => Refutation::Nothing,
        }
    }

    fn prove(&self, placement: &BitSet, effort: Effort) -> Proof {
        let budget = if effort == Effort::Short { Budget::Small } else { Budget::Large };
        match self.proofs {
            Proofs::Machine => self.by_machine(placement),
            Proofs::Abstract => self.by_abstraction(placement, budget),
            Proofs::Both => match self.by_abstraction(placement, budget) {
                Proof::Open(why) if effort == Effort::Short => Proof::Open(why),
                Proof::Holds => Proof::Holds,
                Proof::Open(why) if self.program.domain.is_some() => Proof::Open(why),
                Proof::Open(_) => self.by_machine(placement),
            },
        }
    }
}

/// No flush costs more, so that sums of costs are exact.
pub const MOST_COST: u64 = u32::MAX as u64;

/// What a flush in each slot costs, if flushes in loops cost so many times more.
pub fn by_loops(program: &Program, factor: u64) -> Vec<u64> {
    let cost = |slot: SlotId| factor.saturating_pow(program.slots[slot].depth).min(MOST_COST);
    (0..program.slots.len()).map(|i| cost(SlotId::from_usize(i))).collect()
}
