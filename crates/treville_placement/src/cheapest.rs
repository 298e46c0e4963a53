//! The cheapest placement of flushes that makes a program hold.

use crate::cost::Cost;
use crate::options::{Flushes, RmaOptions, numbers, placement};
use std::sync::Arc;
use treville_abstract::{Flusher, Proofs};
use treville_base::{BitSet, Cancel};
use treville_report::{Placed, Synthesised};
use treville_rma::{FailingRun, NO_RUN_COMPLETES};
use treville_rma_machine::exact::{self, Completes, Limits, Stats};
use treville_synth::{Effort, Found, Judge, Placement, Refutation, synthesise, two_phases};
use treville_task::{CheckError, Remote, StopReason};

/// What a person may choose.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SynthOptions {
    pub search: Search,
    /// Only slots of this placement.
    pub initial: Flushes,
    pub cost: Cost,
    /// Placements of the smallest cost that are told.
    pub most: usize,
    /// Write flushes into the text of the program.
    pub annotate: bool,
    /// Runs that tell why a flush is needed are as short as they get.
    pub shortest: bool,
}

impl Default for SynthOptions {
    fn default() -> Self {
        SynthOptions {
            search: Search::HittingSet,
            initial: Flushes::All,
            cost: Cost::Unit,
            most: 16,
            annotate: false,
            shortest: false,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Search {
    /// By sets that every placement must meet.
    HittingSet,
    /// As published: which flushes can go alone, and then which of these together.
    TwoPhase,
}

/// How far a search may go.
#[derive(Clone, Debug)]
pub struct SearchLimits {
    /// States in which a failure is looked for.
    pub states: Option<u64>,
    pub threads: Option<u32>,
    pub cancel: Cancel,
}

/// Looks for the cheapest placements of flushes.
///
/// # Errors
/// If a slot is named that the program does not have, the solver cannot be started, or no run completes.
pub fn cheapest(
    remote: &Remote,
    wanted: &SynthOptions,
    proofs: Proofs,
    rma: &RmaOptions,
    within: SearchLimits,
) -> Result<Synthesised, CheckError> {
    let program = &remote.program;
    let SearchLimits { states, threads, cancel } = within;
    let initial = placement(&wanted.initial, program, "initial")?;
    let costs = wanted.cost.of(program).map_err(|why| CheckError::usage(format!("option `cost`: {why}")))?;
    let states = states.and_then(|n| usize::try_from(n).ok());
    let limits = Limits { states: states.unwrap_or(exact::MOST_STATES), cancel: cancel.clone(), pending: None };
    let query = rma.proofs().map_err(CheckError::usage)?.portfolio(&cancel);
    if exact::completes(program, &limits) == Completes::Never {
        return Err(CheckError::unknown(NO_RUN_COMPLETES.to_owned()));
    }
    let judge = Flusher::new(program, costs, limits.clone(), proofs, &query);
    let found = match wanted.search {
        Search::HittingSet => {
            let threads = threads.map_or_else(processors, |n| n as usize);
            let search = treville_synth::Options { initial: initial.clone(), most: wanted.most, threads, cancel };
            synthesise(&judge, &search)
        }
        Search::TwoPhase => by_phases(&judge, &initial, &cancel),
    };
    Ok(told(remote, &initial, found, wanted, &limits))
}

fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, Into::into)
}

/// The published search. It has no lower bound of its own: what fails alone without one flush is one.
fn by_phases(judge: &Flusher<'_>, initial: &BitSet, cancel: &Cancel) -> Found {
    let phases = two_phases(judge, initial, cancel);
    let cost = |sites: &BitSet| sites.iter().map(|site| judge.cost(site)).sum::<u64>();
    let fails = |site: &usize| {
        let mut less = initial.clone();
        less.remove(*site);
        matches!(judge.refute(&less, Effort::Thorough), Refutation::Fails { .. })
    };
    let really: Vec<usize> = phases.needed.iter().copied().filter(fails).collect();
    let lower = really.iter().map(|site| judge.cost(*site)).sum();
    let placements: Vec<Placement> =
        phases.placements.into_iter().map(|sites| Placement { cost: cost(&sites), sites }).collect();
    Found {
        proved: placements.first().is_some_and(|p| p.cost == lower),
        hopeless: placements.is_empty() && matches!(judge.refute(initial, Effort::Thorough), Refutation::Fails { .. }),
        placements,
        lower,
        needed: really,
        stopped: phases.stopped.then(|| "the time is over".to_owned()),
        checks: phases.checks,
        ..Found::default()
    }
}

/// States in which a short run is looked for that explains a flush.
const EXPLAINED: usize = 30_000;

/// The result with the runs that explain it.
fn told(remote: &Remote, initial: &BitSet, found: Found, wanted: &SynthOptions, limits: &Limits) -> Synthesised {
    let program = &remote.program;
    let first = found.placements.first().map(|p| p.sites.clone());
    let failing = |placement: &BitSet| -> Option<FailingRun> {
        let short = exact::short_failure(program, placement, &limits.at_most(EXPLAINED));
        let known = match short {
            Some(run) => run,
            None => {
                let (failure, trace) = exact::refute(program, placement, &limits.few(), &mut Stats::new())?;
                FailingRun { failure, trace, shortest: false }
            }
        };
        match wanted.shortest {
            true => Some(exact::shortened(program, placement, (known.failure, known.trace), &limits.few())),
            false => Some(known),
        }
    };
    let without = |placement: &BitSet, site: usize| {
        let mut less = placement.clone();
        less.remove(site);
        (site + 1, failing(&less))
    };
    let explained = first.iter().filter(|_| found.stopped.is_none());
    let why = explained.flat_map(|p| p.iter().map(move |site| without(p, site))).collect();
    let annotated = first.as_ref().filter(|_| wanted.annotate);
    let stopped = found.stopped.map(|why| StopReason::of(&limits.cancel).map_or(why, |reason| reason.to_string()));
    Synthesised {
        program: Arc::clone(program),
        sources: Arc::clone(&remote.sources),
        within: (initial.len() < program.slots.len()).then(|| numbers(initial)),
        placements: found.placements.iter().map(|p| Placed { slots: numbers(&p.sites), cost: p.cost }).collect(),
        lower: found.lower,
        proved: found.proved,
        needed: found.needed.iter().map(|site| site + 1).collect(),
        open: found.open.iter().map(|(sites, why)| (numbers(sites), why.clone())).collect(),
        hopeless: if found.hopeless { failing(initial) } else { None },
        stopped,
        checks: found.checks,
        why,
        annotated: annotated.map(|p| treville_lang::rma::annotated(program, &remote.text, p)),
    }
}
