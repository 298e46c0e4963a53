//! Programs with put, get and flush on remote memory: whether they hold with some flushes, by running every state (`machine`)
//! or by a proof for all numbers (`abstract`); the cheapest placement of flushes; the stages of a proof.

use crate::engines::{ABSTRACT, AUTO, MACHINE};
use crate::{Options, Session, Stage, SynthOptions, applies};
use std::sync::Arc;
use treville_abstract::Proofs;
use treville_base::{Cancel, now};
use treville_jobs::RemoteJob;
use treville_placement::{SearchLimits, cheapest, placement, stage_of};
use treville_report::{SynthReport, Synthesised};
use treville_strategy::{Check, Prepared, Strategy, Texts};
use treville_task::{CheckError, Effort, Limits, Remote, RemoteMemory, RemoteTask, Subject};

const EVERY_STATE: &str = "every state was explored";

/// First a short look for a failure, then a proof, then every state.
const TEXTS: Texts = Texts {
    first: EVERY_STATE,
    no_other: EVERY_STATE,
    beyond_bound: None,
    parallel: Err(&["states are not bounded, or too many", "there was no proof"]),
};

impl Session<'_> {
    pub(crate) fn prepare_remote(
        &self,
        remote: Remote,
        options: &Options,
        cancel: Cancel,
    ) -> Result<Prepared<RemoteJob>, CheckError> {
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
        let job = RemoteJob { remote, task, accept_bounded: run.accept_bounded };
        Ok(Prepared { job, strategy, check: Check::Nobody })
    }

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
        let (run, cancel) = (&options.run, self.cancel_for(&options.run));
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
        let within = SearchLimits { states: run.max_states, threads: run.threads, cancel };
        cheapest(&remote, wanted, proofs(options)?, &run.rma, within)
    }

    /// A stage of the proof of one file.
    ///
    /// # Errors
    /// If the file or the call is wrong, or there is no proof under SC.
    pub fn stage(&self, path: &str, options: &Options, stage: Stage) -> Result<String, CheckError> {
        let cancel = self.cancel_for(&options.run);
        let subject = self.read(path, options, &cancel)?;
        applies::check(&subject, options)?;
        let Subject::Remote(remote) = subject else {
            return Err(CheckError::usage("option `emit` is about programs on remote memory (.rma)"));
        };
        memory(options)?;
        stage_of(&remote.program, stage, &options.run.rma, &cancel)
    }
}

/// The memory that the call names.
fn memory(options: &Options) -> Result<RemoteMemory, CheckError> {
    let Some(name) = options.model.name.as_deref() else { return Ok(RemoteMemory::Remote) };
    RemoteMemory::named(name).ok_or_else(|| {
        let known = RemoteMemory::ALL.map(RemoteMemory::name).join(" or ");
        CheckError::usage(format!("programs on remote memory are checked under {known}: there is no `{name}` for them"))
    })
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
