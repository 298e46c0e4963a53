//! The engine: proofs by a portfolio, runs of the exact machine for what they cannot exclude.

use crate::{Abstraction, Budget, Checked, Portfolio, PortfolioOptions, Solver};
use treville_rma::Program;
use treville_rma_machine::Reduction;
use treville_rma_machine::exact::{self, Exact, Limits, MOST_STATES, Stats};
use treville_task::{
    Answer, Engine, EngineInfo, Outcome, Ready, RemoteMemory, RemoteTask, Scope, StopReason, Task, Unsupported,
};

pub const INFO: EngineInfo = EngineInfo {
    name: "abstract",
    about: "proofs of programs in .rma for all numbers: predicates under SC, extrapolated to remote memory",
};

/// The engine.
#[derive(Default)]
pub struct Abstract {
    options: ProofOptions,
}

/// How programs are proved.
#[derive(Clone, Debug, Default)]
pub struct ProofOptions {
    /// Only by this reduction to SC.
    pub reduction: Option<Reduction>,
    pub abstraction: Option<Abstraction>,
    pub solver: Solver,
}

impl ProofOptions {
    pub fn portfolio(&self, cancel: &treville_base::Cancel) -> PortfolioOptions {
        PortfolioOptions {
            reduction: self.reduction,
            abstraction: self.abstraction.unwrap_or(Abstraction::Extrapolated),
            solver: self.solver.clone(),
            cancel: cancel.clone(),
            ..PortfolioOptions::default()
        }
    }
}

impl Abstract {
    pub fn new(options: ProofOptions) -> Self {
        Abstract { options }
    }
}

impl Engine for Abstract {
    fn info(&self) -> &EngineInfo {
        &INFO
    }

    fn prepare<'t>(&'t self, _: &'t Task) -> Result<Ready<'t>, Vec<Unsupported>> {
        Err(vec![Unsupported { what: "it proves programs on remote memory (.rma) only".to_owned(), span: None }])
    }

    fn prepare_remote<'t>(&'t self, task: &'t RemoteTask) -> Result<Ready<'t>, Vec<Unsupported>> {
        Ok(Box::new(move |_| {
            let proof = Proof { task, options: &self.options };
            match task.memory {
                RemoteMemory::Remote => proof.on_remote_memory(),
                RemoteMemory::Sequential => proof.under_sc(),
            }
        }))
    }
}

struct Proof<'a> {
    task: &'a RemoteTask,
    options: &'a ProofOptions,
}

impl Proof<'_> {
    fn limits(&self) -> Limits {
        let states = self.task.limits.states.and_then(|n| usize::try_from(n).ok()).unwrap_or(MOST_STATES);
        Limits { states, cancel: self.task.cancel().clone(), pending: None }
    }

    fn portfolio(&self) -> Portfolio<'_> {
        Portfolio::new(&self.task.program, &self.options.portfolio(self.task.cancel()))
    }

    fn on_remote_memory(&self) -> Outcome {
        let (program, placement) = (&*self.task.program, &self.task.placement);
        let mut portfolio = self.portfolio();
        let checked = portfolio.check(placement, Budget::Large);
        let stats = figures(&portfolio);
        match checked {
            Checked::Holds => self.proved(proof_text(&portfolio), stats),
            Checked::Open(why) => self.unproved(&why, stats),
            Checked::MayFail(path) => {
                match path.replayed(program, placement, &self.options.solver, self.task.cancel()) {
                    Some((failure, trace)) => {
                        let run = exact::shortened(program, placement, (failure, trace), &self.limits());
                        let how = "the run that the proof could not exclude is one of the machine".to_owned();
                        Outcome { answers: vec![Answer::Fails(Box::new(run))], how, stats, ..Outcome::default() }
                    }
                    None => self.unproved(no_proof(program), stats),
                }
            }
        }
    }

    /// Under SC there is nothing to extrapolate.
    fn under_sc(&self) -> Outcome {
        let mut portfolio = self.portfolio();
        let proved = portfolio.first().map(|_| ());
        let why = match proved {
            Ok(()) => {
                let how = "proved for all numbers, with remote statements done at once".to_owned();
                let stats = figures(&portfolio);
                return self.proved(how, stats);
            }
            Err(why) => why,
        };
        let mut stats = Stats::new();
        let answer = match exact::sequential(&self.task.program, &self.limits(), &mut stats) {
            Exact::Fails(run) => Answer::Fails(Box::new(run)),
            Exact::Holds { .. } | Exact::Bounded { .. } | Exact::Open(_) => Answer::Open(StopReason::Refused(why)),
        };
        Outcome { answers: vec![answer], stats, ..Outcome::default() }
    }

    /// Nothing fails. That says nothing of a program of which no run completes, so one is looked for.
    fn proved(&self, how: String, stats: Stats) -> Outcome {
        let completes = exact::completes(&self.task.program, &self.limits()).known();
        let stopped = if completes == Some(true) { None } else { StopReason::of(self.task.cancel()) };
        let answers = vec![Answer::Absent(Scope::complete())];
        Outcome { answers, completes, stopped, how, stats, ..Outcome::default() }
    }

    /// No proof, and no run that is known to be real: perhaps there is one.
    fn unproved(&self, why: &str, figures: Stats) -> Outcome {
        let cancel = self.task.cancel();
        let open = |reason| Outcome { answers: vec![Answer::Open(reason)], stats: figures, ..Outcome::default() };
        if let Some(reason) = StopReason::of(cancel) {
            return open(reason);
        }
        let (program, placement) = (&*self.task.program, &self.task.placement);
        let mut stats = Stats::new();
        match exact::refute(program, placement, &self.limits().few(), &mut stats) {
            Some(found) => {
                let run = exact::shortened(program, placement, found, &self.limits());
                let how = "no proof, and the machine has a run that fails".to_owned();
                Outcome { answers: vec![Answer::Fails(Box::new(run))], how, stats, ..Outcome::default() }
            }
            None => open(StopReason::of(cancel).unwrap_or_else(|| StopReason::Refused(why.to_owned()))),
        }
    }
}

fn no_proof(program: &Program) -> &'static str {
    if program.remotes.is_empty() {
        "no proof was found: the run that it does not exclude is not one of the machine, nor was another one found"
    } else {
        "no proof was found: the run that it does not exclude is not one of the machine, nor was another one found; \
         more flushes may be needed for a proof"
    }
}

fn figures(portfolio: &Portfolio<'_>) -> Stats {
    let Some(figures) = portfolio.figures() else { return Stats::new() };
    [
        ("predicates", figures.predicates),
        ("extrapolated_predicates", figures.extrapolated),
        ("boolean_lines", figures.lines[0]),
        ("extrapolated_lines", figures.lines[1]),
        ("refinements", figures.rounds),
        ("solver_queries", figures.queries),
        ("states", figures.states),
        ("given_predicates", usize::from(figures.given)),
    ]
    .map(|(name, value)| (name, value as u64))
    .into()
}

/// `proved for all numbers with 29 predicates, by the reduction counted`
fn proof_text(portfolio: &Portfolio<'_>) -> String {
    let Some(figures) = portfolio.figures() else { return String::new() };
    let reduction = match figures.reduction {
        Reduction::Table2 => "table2",
        Reduction::Counted => "counted",
    };
    let found = if figures.given { "given" } else { "found" };
    let predicates = match figures.predicates {
        1 => "1 predicate".to_owned(),
        n => format!("{n} predicates"),
    };
    format!(
        "proved for all numbers and any number of pending operations, with {predicates} that were {found} under SC, {} \
         after extrapolation, by the reduction {reduction}",
        figures.extrapolated
    )
}
