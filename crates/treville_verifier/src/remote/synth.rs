//! The cheapest placement of flushes that makes a program hold.

use super::{Flushes, memory, numbers, placement};
use crate::engines::{ABSTRACT, AUTO, MACHINE};
use crate::{Options, Session, applies};
use std::sync::Arc;
use treville_abstract::{Flusher, MOST_COST, Proofs, by_loops};
use treville_base::{BitSet, Cancel, now};
use treville_report::{Placed, SynthReport, Synthesised};
use treville_rma::{FailingRun, NO_RUN_COMPLETES, Program};
use treville_rma_machine::exact::{self, Completes, Limits, Stats};
use treville_synth::{Effort, Found, Judge, Placement, Refutation, synthesise, two_phases};
use treville_task::{CheckError, Remote, RemoteMemory, StopReason, Subject};

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
pub enum Search {
    /// By sets that every placement must meet.
    HittingSet,
    /// As published: which flushes can go alone, and then which of these together.
    TwoPhase,
}

/// What a flush costs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Cost {
    Unit,
    /// Ten times as much in each loop.
    Loops,
    /// Of these slots so much, of others 1.
    Slots(Vec<(usize, u64)>),
}

impl std::str::FromStr for Cost {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "unit" => return Ok(Cost::Unit),
            "loops" => return Ok(Cost::Loops),
            _ => {}
        }
        let pair = |part: &str| {
            let (slot, cost) = part.split_once('=')?;
            let cost = cost.trim().parse::<u64>().ok().filter(|cost| (1..=MOST_COST).contains(cost))?;
            Some((slot.trim().parse().ok()?, cost))
        };
        let pairs = text.split(',').map(|part| {
            pair(part).ok_or_else(|| format!("`{part}` is not SLOT=COST, with a cost from 1 to {MOST_COST}"))
        });
        pairs.collect::<Result<Vec<_>, String>>().map(Cost::Slots)
    }
}

impl Cost {
    fn of(&self, program: &Program) -> Result<Vec<u64>, String> {
        let n = program.slots.len();
        match self {
            Cost::Unit => Ok(vec![1; n]),
            Cost::Loops => Ok(by_loops(program, 10)),
            Cost::Slots(pairs) => {
                let mut costs = vec![1; n];
                for (slot, cost) in pairs {
                    let at = slot.checked_sub(1).and_then(|i| costs.get_mut(i));
                    *at.ok_or_else(|| format!("there is no slot {slot}: the program has {n}, from 1 on"))? = *cost;
                }
                Ok(costs)
            }
        }
    }
}

impl Session<'_> {
    /// Looks for the cheapest placements of flushes in one file. A failure is part of the report.
    pub fn synthesise(&self, path: &str, options: &Options, wanted: &SynthOptions) -> SynthReport {
        let start = now();
        let engine = options.run.engine.clone().filter(|engine| engine != AUTO);
        let content = self.placements(path, options, wanted).map(Box::new);
        SynthReport {
            file: path.to_owned(),
            model: RemoteMemory::Remote.name().to_owned(),
            engine: engine.unwrap_or_else(|| ABSTRACT.to_owned()),
            time: start.elapsed(),
            content,
        }
    }

    fn placements(&self, path: &str, options: &Options, wanted: &SynthOptions) -> Result<Synthesised, CheckError> {
        let cancel = self.cancel_for(&options.run);
        let subject = self.read(path, options, &cancel)?;
        applies::check(&subject, options)?;
        let Subject::Remote(remote) = subject else {
            return Err(CheckError::usage(format!(
                "{path}: flushes are looked for in programs on remote memory (.rma)"
            )));
        };
        if memory(options)? != RemoteMemory::Remote {
            return Err(CheckError::usage("flushes make no difference under sc"));
        }
        let proofs = proofs(options)?;
        let initial = placement(&wanted.initial, &remote.program, "initial")?;
        let costs =
            wanted.cost.of(&remote.program).map_err(|why| CheckError::usage(format!("option `cost`: {why}")))?;
        let states = options.run.max_states.and_then(|n| usize::try_from(n).ok());
        let limits = Limits { states: states.unwrap_or(exact::MOST_STATES), cancel: cancel.clone(), pending: None };
        let query = options.run.rma.proofs().map_err(CheckError::usage)?.portfolio(&cancel);
        if exact::completes(&remote.program, &limits) == Completes::Never {
            return Err(CheckError::unknown(NO_RUN_COMPLETES.to_owned()));
        }
        let judge = Flusher::new(&remote.program, costs, limits.clone(), proofs, &query);
        let found = match wanted.search {
            Search::HittingSet => {
                let threads = options.run.threads.map_or_else(processors, |n| n as usize);
                let search = treville_synth::Options { initial: initial.clone(), most: wanted.most, threads, cancel };
                synthesise(&judge, &search)
            }
            Search::TwoPhase => by_phases(&judge, &initial, &cancel),
        };
        Ok(told(&remote, &initial, found, wanted, &limits))
    }
}

fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, Into::into)
}

/// Who proves.
fn proofs(options: &Options) -> Result<Proofs, CheckError> {
    match options.run.engine.as_deref() {
        None | Some(AUTO) => Ok(Proofs::Both),
        Some(MACHINE) => Ok(Proofs::Machine),
        Some(ABSTRACT) => Ok(Proofs::Abstract),
        Some(other) => Err(CheckError::usage(format!("flushes are looked for with machine or abstract, not {other}"))),
    }
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
