//! Programs with put, get and flush on remote memory: whether they hold with some flushes, by running every state (`machine`)
//! or by a proof for all numbers (`abstract`).

mod exact;
mod judge;
mod stages;
mod synth;

pub use stages::Stage;
pub use synth::{Cost, Search, SynthOptions};

use crate::{Options, RunOptions, Session, States, failure, unreadable};
use exact::{Completes, Exact, Limits};
use std::sync::Arc;
use treville_abstract::{Checked, Patience, Portfolio, Solver, Wanted, Z3};
use treville_base::{BitSet, Cancel, Diagnostic, SourceMap};
use treville_report::{Chosen, Failure, RmaChecked, RmaRun};
use treville_rma::Program;
use treville_task::{Reductions, Scope, Stats, StopReason, Verdict};

pub use treville_abstract::Abstraction;
pub use treville_rma_machine::Reduction;

pub(crate) const ENDING: &str = ".rma";

/// The memory that these programs are for; `sc` is the other one.
const MODEL: &str = "rma";

/// Why nothing is said to hold.
pub(crate) const NOTHING_COMPLETES: &str =
    "no run completes, so a yes would say nothing: some process never comes to its end";

const MACHINE: &str = "machine";
const ABSTRACT: &str = "abstract";

/// What a person may choose for these programs.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RmaOptions {
    /// Where there are flushes beside those of the text.
    pub flushes: Flushes,
    /// Only by this reduction to SC.
    pub reduction: Option<Reduction>,
    pub abstraction: Option<Abstraction>,
    pub solver: SolverWord,
    /// So many operations of a statement can be on their way.
    pub max_pending: Option<u8>,
}

impl RmaOptions {
    /// The first option, as it is typed, that says something else than is usual.
    pub(crate) fn first_given(&self) -> Option<&'static str> {
        let usual = RmaOptions::default();
        let given = [
            (self.flushes != usual.flushes, "--flush"),
            (self.reduction.is_some(), "--reduction"),
            (self.abstraction.is_some(), "--abstraction"),
            (self.solver != usual.solver, "--solver"),
            (self.max_pending.is_some(), "--max-pending"),
        ];
        given.into_iter().find_map(|(given, option)| given.then_some(option))
    }
}

/// Who answers questions about numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SolverWord {
    #[default]
    Omega,
    /// A program of its own, which must be installed.
    Z3,
}

impl SolverWord {
    pub(crate) fn start(self) -> Result<Solver, Failure> {
        match self {
            SolverWord::Omega => Ok(Solver::Omega),
            SolverWord::Z3 => match Z3::start() {
                Ok(z3) => Ok(Solver::Z3(Arc::new(z3))),
                Err(why) => {
                    Err(unreadable(format!("--solver z3: the program z3 cannot be started ({why}); is it installed?")))
                }
            },
        }
    }
}

/// Slots, as people count them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Flushes {
    #[default]
    None,
    All,
    At(Vec<usize>),
}

impl std::str::FromStr for Flushes {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "none" => return Ok(Flushes::None),
            "all" => return Ok(Flushes::All),
            _ => {}
        }
        let number = |part: &str| part.trim().parse().map_err(|_| format!("`{part}` is not the number of a slot"));
        text.split(',').map(number).collect::<Result<Vec<usize>, String>>().map(Flushes::At)
    }
}

impl Flushes {
    /// # Errors
    /// A slot that the program does not have.
    pub(crate) fn of(&self, program: &Program) -> Result<BitSet, String> {
        let n = program.slots.len();
        match self {
            Flushes::None => Ok(BitSet::new(n)),
            Flushes::All => Ok(BitSet::full(n)),
            Flushes::At(slots) => match slots.iter().find(|slot| !(1..=n).contains(*slot)) {
                Some(slot) => Err(format!("there is no slot {slot}: the program has {n}, from 1 on")),
                None => Ok(BitSet::from_members(n, slots.iter().map(|slot| slot - 1))),
            },
        }
    }
}

/// The slots of a placement as people count them.
pub(crate) fn numbers(placement: &BitSet) -> Vec<usize> {
    placement.iter().map(|slot| slot + 1).collect()
}

/// A program that was read.
pub(crate) struct Remote {
    pub(crate) program: Arc<Program>,
    pub(crate) sources: Arc<SourceMap>,
    pub(crate) text: String,
    pub(crate) warnings: Vec<Diagnostic>,
}

/// What a program was checked on, and what came out.
pub(crate) struct Run {
    pub(crate) model: &'static str,
    pub(crate) engine: &'static str,
    pub(crate) chosen: Option<Chosen>,
    pub(crate) checked: RmaChecked,
}

/// An answer while it is made.
struct Answer {
    engine: &'static str,
    verdict: Verdict,
    scope: Scope,
    run: Option<RmaRun>,
    how: String,
    stats: Stats,
}

impl Session<'_> {
    pub(crate) fn load_rma(&self, path: &str) -> Result<Remote, Failure> {
        let text = self.files.read(path).map_err(|why| unreadable(format!("{path}: {why}")))?;
        let mut sources = SourceMap::new();
        let file = sources.add(path, text.as_str());
        let file_name = path.rsplit('/').next().unwrap_or(path);
        let parsed = treville_lang::rma::parse(file, file_name.strip_suffix(ENDING).unwrap_or(file_name), &text);
        let sources = Arc::new(sources);
        let (program, warnings) = parsed.map_err(|diagnostics| failure(diagnostics, Arc::clone(&sources)))?;
        if !program.has_property() {
            let whole = program.procs.iter().next().map(|proc| proc.span);
            let error = Diagnostic::error(whole, "the program claims nothing")
                .help("`assert always P;`, `assert final P;` or `assert(e);` says what must hold");
            return Err(failure(vec![error], sources));
        }
        Ok(Remote { program: Arc::new(program), sources, text, warnings })
    }

    pub(crate) fn check_rma(&self, path: &str, options: &Options) -> Result<Run, Failure> {
        let Remote { program, sources, warnings, .. } = self.load_rma(path)?;
        refuse_options(options)?;
        refuse_of_others(options)?;
        let model = model(options)?;
        let placement = options.run.rma.flushes.of(&program).map_err(|why| unreadable(format!("--flush: {why}")))?;
        let cancel = self.cancel_for(&options.run);
        let solver = options.run.rma.solver.start()?;
        let asked = Asked { program: &program, placement: &placement, run: &options.run, solver, cancel };
        let (answer, chosen) = match options.run.engine.as_deref() {
            Some(MACHINE) => (asked.by_machine(model), None),
            Some(ABSTRACT) if model == MODEL => (asked.by_proof(), None),
            Some(ABSTRACT) => (asked.by_sequential_proof(), None),
            None | Some("auto") => asked.by_any(model),
            Some(other) => {
                let why = format!("programs in {ENDING} are checked by machine or abstract, not {other}");
                return Err(crate::executions::unknown(why));
            }
        };
        let checked = RmaChecked {
            program: Arc::clone(&program),
            sources,
            warnings,
            flushes: numbers(&placement),
            run: answer.run,
            verdict: answer.verdict,
            scope: answer.scope,
            how: answer.how,
            stats: answer.stats,
        };
        Ok(Run { model, engine: answer.engine, chosen, checked })
    }
}

/// The memory that the call names.
pub(crate) fn model(options: &Options) -> Result<&'static str, Failure> {
    match options.model.name.as_deref() {
        None | Some(MODEL) => Ok(MODEL),
        Some("sc") => Ok("sc"),
        Some(other) => {
            Err(unreadable(format!("programs in {ENDING} are checked under rma or sc: there is no `{other}` for them")))
        }
    }
}

/// Options that mean something else, and would otherwise be left aside.
pub(crate) fn refuse_options(options: &Options) -> Result<(), Failure> {
    let (model, run) = (&options.model, &options.run);
    let given = [
        (run.bound.is_some(), "--bound: loops of these programs are run as they are"),
        (run.named_check().is_some(), "--cross-check: ask for the other engine of these programs by --engine"),
        (run.plain, "--plain belongs to the engine enumerate"),
        (run.bmc.proofs, "--proof belongs to the engine bmc"),
        (run.inductive, "--inductive is about programs in .rar and their invariants"),
        (!run.properties.is_empty(), "--property: these programs say themselves what must hold"),
        (
            run.max_messages.is_some(),
            "--max-messages belongs to machines for programs in .rar; --max-pending is for .rma",
        ),
        (run.max_actions.is_some(), "--max-actions belongs to machines for programs in .rar"),
        (run.weak_cas, "--weak-cas is about programs in C"),
        (!run.cflags.is_empty(), "--cflags is about programs in C"),
        (!model.macros.is_empty(), "--macros is about litmus tests"),
        (!model.variants.is_empty(), "--variant is about models in CAT"),
        (!model.skip_checks.is_empty(), "--skip-check is about models in CAT"),
        (model.bell.is_some(), "--bell is about models in CAT"),
    ];
    match given.into_iter().find(|(given, _)| *given) {
        Some((_, why)) => Err(unreadable(why)),
        None => Ok(()),
    }
}

/// Options of `verify` that are about other inputs.
fn refuse_of_others(options: &Options) -> Result<(), Failure> {
    let run = &options.run;
    let given = [
        (run.states == States::Listed, "--states and --format herd: programs in .rma have no final states to list"),
        (run.threads.is_some(), "--threads: programs in .rma are checked by one thread (synth uses several)"),
        (
            !run.reductions.has(treville_task::Reduction::Symmetry),
            "--symmetry off, or --reductions without symmetry: there is no symmetry reduction of programs in .rma",
        ),
        (
            run.reductions != Reductions::all(),
            "--spin keep, or --reductions: loops of programs in .rma are run as they are, and nothing is left out by name",
        ),
    ];
    match given.into_iter().find(|(given, _)| *given) {
        Some((_, why)) => Err(unreadable(why)),
        None => Ok(()),
    }
}

/// Whether a verb about executions takes a file: programs in .rma have runs, which `verify` tells.
pub(crate) fn refuse_verb(path: &str, verb: &str) -> Result<(), Failure> {
    if !path.ends_with(ENDING) {
        return Ok(());
    }
    let why = format!("{verb} is about executions, which programs in {ENDING} do not have: `verify` tells their runs");
    Err(unreadable(format!("{path}: {why}")))
}

/// A program and what is asked of it.
struct Asked<'a> {
    program: &'a Program,
    placement: &'a BitSet,
    run: &'a RunOptions,
    solver: Solver,
    cancel: Cancel,
}

fn complete() -> Scope {
    Scope { complete: true, relative_to: Vec::new() }
}

impl Asked<'_> {
    fn limits(&self) -> Limits {
        let states = self.run.max_states.and_then(|n| usize::try_from(n).ok());
        let pending = self.run.rma.max_pending;
        Limits { states: states.unwrap_or(exact::MOST_STATES), cancel: self.cancel.clone(), pending }
    }

    /// What the machine has found, as an answer.
    fn told(&self, exact: Exact, stats: Stats) -> Answer {
        let open = |reason| (Verdict::Unknown(reason), complete(), None, String::new());
        let (verdict, scope, run, how) = match exact {
            Exact::Fails(run) => (Verdict::No, complete(), Some(run), String::new()),
            Exact::Holds { how } => (Verdict::Yes, complete(), None, how.to_owned()),
            Exact::Bounded { relative_to } if self.run.accept_bounded => match self.vacuous() {
                Some(why) => open(why),
                None => (Verdict::Yes, Scope { complete: false, relative_to }, None, String::new()),
            },
            Exact::Bounded { relative_to } => open(StopReason::Refused(format!(
                "nothing fails up to a bound: {} (--accept-bounded accepts it)",
                relative_to.join(", ")
            ))),
            Exact::Open(why) => open(StopReason::of(&self.cancel).unwrap_or(StopReason::Refused(why))),
        };
        Answer { engine: MACHINE, verdict, scope, run, how, stats }
    }

    fn by_machine(&self, model: &str) -> Answer {
        let mut stats = Stats::new();
        let exact = match (model, self.run.rma.reduction) {
            (MODEL, Some(reduction)) => {
                exact::reduced(self.program, self.placement, reduction, &self.limits(), &mut stats)
            }
            (MODEL, None) => exact::remote(self.program, self.placement, &self.limits(), &mut stats),
            _ => exact::sequential(self.program, &self.limits(), &mut stats),
        };
        self.told(exact, stats)
    }

    fn wanted(&self) -> Wanted {
        Wanted {
            reduction: self.run.rma.reduction,
            abstraction: self.run.rma.abstraction.unwrap_or(Abstraction::Extrapolated),
            solver: self.solver.clone(),
            cancel: self.cancel.clone(),
            ..Wanted::default()
        }
    }

    fn by_proof(&self) -> Answer {
        let mut portfolio = Portfolio::new(self.program, &self.wanted());
        let checked = portfolio.check(self.placement, Patience::Much);
        let stats = figures(&portfolio);
        let open = |reason| Answer {
            engine: ABSTRACT,
            verdict: Verdict::Unknown(reason),
            scope: complete(),
            run: None,
            how: String::new(),
            stats: stats.clone(),
        };
        match checked {
            Checked::Holds => match self.vacuous() {
                Some(why) => open(why),
                None => Answer { verdict: Verdict::Yes, how: proof_text(&portfolio), ..open(StopReason::Timeout) },
            },
            Checked::Open(why) => self.unproved(open, &why),
            Checked::MayFail(path) => match path.replayed(self.program, self.placement, &self.solver, &self.cancel) {
                Some((failure, trace)) => {
                    let run = exact::shortened(self.program, self.placement, (failure, trace), &self.limits());
                    let how = "the run that the proof could not exclude is one of the machine".to_owned();
                    Answer { verdict: Verdict::No, run: Some(run), how, ..open(StopReason::Timeout) }
                }
                None => self.unproved(open, self.no_proof()),
            },
        }
    }

    /// A proof says nothing of a program of which no run completes.
    fn vacuous(&self) -> Option<StopReason> {
        let why = match exact::completes(self.program, &self.limits()) {
            Completes::Yes => return None,
            Completes::Never => NOTHING_COMPLETES,
            Completes::Unknown => {
                "no run fails, but none was found that completes, without which a yes may say nothing"
            }
        };
        Some(StopReason::of(&self.cancel).unwrap_or_else(|| StopReason::Refused(why.to_owned())))
    }

    fn no_proof(&self) -> &'static str {
        if self.program.remotes.is_empty() {
            "no proof was found: the run that it does not exclude is not one of the machine, nor was another one found"
        } else {
            "no proof was found: the run that it does not exclude is not one of the machine, nor was another one found; \
             more flushes may be needed for a proof"
        }
    }

    /// No proof, and no run that is known to be real: perhaps there is one.
    fn unproved(&self, open: impl Fn(StopReason) -> Answer, why: &str) -> Answer {
        if let Some(reason) = StopReason::of(&self.cancel) {
            return open(reason);
        }
        let mut stats = Stats::new();
        match exact::refute(self.program, self.placement, &self.limits().few(), &mut stats) {
            Some(found) => {
                let run = exact::shortened(self.program, self.placement, found, &self.limits());
                let how = "no proof, and the machine has a run that fails".to_owned();
                Answer { verdict: Verdict::No, run: Some(run), how, ..open(StopReason::Timeout) }
            }
            None => open(StopReason::of(&self.cancel).unwrap_or_else(|| StopReason::Refused(why.to_owned()))),
        }
    }

    /// Under SC there is nothing to extrapolate.
    fn by_sequential_proof(&self) -> Answer {
        let mut portfolio = Portfolio::new(self.program, &self.wanted());
        let proved = portfolio.first().map(|_| ());
        match proved {
            Ok(()) => Answer {
                engine: ABSTRACT,
                verdict: self.vacuous().map_or(Verdict::Yes, Verdict::Unknown),
                scope: complete(),
                run: None,
                how: "proved for all numbers, with remote statements done at once".to_owned(),
                stats: figures(&portfolio),
            },
            Err(why) => {
                let mut answer = self.by_machine("sc");
                if !matches!(answer.verdict, Verdict::No) {
                    answer.verdict = Verdict::Unknown(StopReason::Refused(why));
                }
                Answer { engine: ABSTRACT, ..answer }
            }
        }
    }

    /// First a short look for a failure, then a proof, then every state.
    fn by_any(&self, model: &str) -> (Answer, Option<Chosen>) {
        let why = |why: &str, first| Some(Chosen { why: why.to_owned(), first });
        if model != MODEL || self.run.rma.reduction.is_some() {
            return (self.by_machine(model), why("every state was explored", true));
        }
        let mut stats = Stats::new();
        match exact::quick(self.program, self.placement, &self.limits().few(), &mut stats) {
            found @ (Exact::Fails(_) | Exact::Holds { .. }) => {
                return (self.told(found, stats), why("every state was explored", true));
            }
            Exact::Bounded { .. } | Exact::Open(_) => {}
        }
        let proof = self.by_proof();
        if !matches!(proof.verdict, Verdict::Unknown(_)) || self.cancel.is_due() {
            return (proof, why("states are not bounded, or too many", true));
        }
        (self.by_machine(model), why("there was no proof", true))
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
    format!(
        "proved for all numbers and any number of pending operations, with {} that were {found} under SC, {} \
         after extrapolation, by the reduction {reduction}",
        treville_report::plural(figures.predicates, "predicate"),
        figures.extrapolated
    )
}
