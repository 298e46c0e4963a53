//! Programs with put, get and flush on remote memory: whether they hold with some flushes, by running every state (`machine`)
//! or by a proof for all numbers (`abstract`).

mod stages;
mod synth;

pub use stages::Stage;
pub use synth::{Cost, Search, SynthOptions};

use crate::engines::{ABSTRACT, MACHINE};
use crate::{Options, Session};
use std::sync::Arc;
use treville_abstract::{ProofOptions, Solver, Z3};
use treville_base::{BitSet, Cancel};
use treville_machine::RemoteOptions;
use treville_rma::Program;
use treville_strategy::{Agreement, Attempt, Job, State, Strategy, Texts};
use treville_task::{
    About, CheckError, Effort, Engine, Finding, Limits, Monitor, Needs, Outcome, Remote, RemoteMemory, RemoteQuery,
    RemoteTask, Verdict,
};

pub use treville_abstract::Abstraction;
pub use treville_rma_machine::Reduction;

const EVERY_STATE: &str = "every state was explored";

/// First a short look for a failure, then a proof, then every state.
const TEXTS: Texts = Texts {
    first: EVERY_STATE,
    no_other: EVERY_STATE,
    beyond_bound: None,
    parallel: Err(&["states are not bounded, or too many", "there was no proof"]),
};

/// What a person may choose for these programs.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RmaOptions {
    /// Where there are flushes beside those of the text.
    pub flushes: Flushes,
    /// Only by this reduction to SC.
    pub reduction: Option<Reduction>,
    pub abstraction: Option<Abstraction>,
    pub solver: IntegerSolver,
    /// So many operations of a statement can be on their way.
    pub max_pending: Option<u8>,
}

impl RmaOptions {
    pub(crate) fn machine(&self) -> RemoteOptions {
        RemoteOptions { reduction: self.reduction, max_pending: self.max_pending }
    }

    /// # Errors
    /// If the solver cannot be started.
    pub(crate) fn proofs(&self) -> Result<ProofOptions, String> {
        Ok(ProofOptions { reduction: self.reduction, abstraction: self.abstraction, solver: self.solver.start()? })
    }
}

/// Who answers questions about numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum IntegerSolver {
    #[default]
    Omega,
    /// A program of its own, which must be installed.
    Z3,
}

impl IntegerSolver {
    fn start(self) -> Result<Solver, String> {
        match self {
            IntegerSolver::Omega => Ok(Solver::Omega),
            IntegerSolver::Z3 => match Z3::start() {
                Ok(z3) => Ok(Solver::Z3(Arc::new(z3))),
                Err(why) => {
                    Err(format!("option `solver` z3: the program z3 cannot be started ({why}); is it installed?"))
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

/// A program on remote memory with flushes in these slots.
pub(crate) struct RemoteJob {
    remote: Remote,
    task: RemoteTask,
    accept_bounded: bool,
}

impl Session<'_> {
    pub(crate) fn prepare_remote(
        &self,
        remote: Remote,
        options: &Options,
        cancel: Cancel,
    ) -> Result<(RemoteJob, Strategy), CheckError> {
        let run = &options.run;
        let memory = memory(options)?;
        let placement = placement(&run.rma.flushes, &remote.program, "flush")?;
        let limits = Limits { cancel, memory_mb: run.memory_mb, threads: run.threads, states: run.max_states };
        let program = Arc::clone(&remote.program);
        let task = RemoteTask { program, memory, placement, limits, effort: Effort::Full };
        let states_only = memory == RemoteMemory::Sequential || run.rma.reduction.is_some();
        let others: &[&str] = if states_only { &[] } else { &[ABSTRACT, MACHINE] };
        let strategy = match self.engines.named(run)? {
            Some(engine) => Strategy::Single(engine),
            None => Strategy::Fallback {
                first: self.engines.get(MACHINE, run)?,
                others: self.engines.all(others, run)?,
                texts: &TEXTS,
            },
        };
        Ok((RemoteJob { remote, task, accept_bounded: run.accept_bounded }, strategy))
    }
}

/// The memory that the call names.
pub(crate) fn memory(options: &Options) -> Result<RemoteMemory, CheckError> {
    let Some(name) = options.model.name.as_deref() else { return Ok(RemoteMemory::Remote) };
    RemoteMemory::named(name).ok_or_else(|| {
        let known = RemoteMemory::ALL.map(RemoteMemory::name).join(" or ");
        CheckError::usage(format!("programs on remote memory are checked under {known}: there is no `{name}` for them"))
    })
}

/// The slots that an option means.
pub(crate) fn placement(flushes: &Flushes, program: &Program, option: &str) -> Result<BitSet, CheckError> {
    flushes.of(program).map_err(|why| CheckError::usage(format!("option `{option}`: {why}")))
}

impl RemoteJob {
    pub(crate) fn memory(&self) -> RemoteMemory {
        self.task.memory
    }

    pub(crate) fn finding(self, outcome: Outcome) -> Finding {
        let query = RemoteQuery { remote: self.remote, flushes: numbers(&self.task.placement) };
        Finding::new(About::Remote(query), outcome, self.accept_bounded, Needs::Answer)
    }
}

impl Job for RemoteJob {
    fn run(&self, engine: &dyn Engine, attempt: &Attempt, monitor: &dyn Monitor) -> Result<Outcome, CheckError> {
        let effort = if let Attempt::Brief = attempt { Effort::Brief } else { Effort::Full };
        let task = RemoteTask { effort, ..self.task.clone() };
        let ready = engine.prepare_remote(&task);
        let sources = &self.remote.sources;
        let ready = ready.map_err(|why| CheckError::unsupported(engine.info().name, &why, sources))?;
        Ok(ready(monitor))
    }

    fn cancel(&self) -> &Cancel {
        &self.task.limits.cancel
    }

    fn state(&self, outcome: &Outcome) -> State {
        match Verdict::on_remote_memory(outcome, self.accept_bounded) {
            Verdict::Unknown(_) if self.cancel().is_due() => State::Over,
            Verdict::Unknown(_) => State::Spent,
            Verdict::Yes | Verdict::No | Verdict::Undefined => State::Decided,
        }
    }

    fn disagreement(&self, _: &Outcome, _: &Outcome, _: Agreement) -> Option<String> {
        None
    }
}
