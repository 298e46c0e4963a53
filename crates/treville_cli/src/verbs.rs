//! One module for each verb: options in, text out, a status back.

pub(crate) mod compare;
pub(crate) mod engines;
pub(crate) mod explain;
pub(crate) mod models;
pub(crate) mod proofs;
pub(crate) mod shell;
pub(crate) mod show;
pub(crate) mod step;
pub(crate) mod synth;
pub(crate) mod verify;

use crate::args::RunArgs;
use crate::disk::Disk;
use crate::exit::Status;
use crate::inputs::expand_inputs;
use crate::output::Output;
use crate::{interrupt, memory};
use std::num::NonZeroUsize;
use treville_verifier::base::Cancel;
use treville_verifier::report::render_diagnostics;
use treville_verifier::task::{CheckError, VerdictKind};
use treville_verifier::{Options, Registry, Session};

/// The files that the inputs stand for.
pub(crate) fn expand(inputs: &[String], output: &Output) -> Result<Vec<String>, Status> {
    expand_inputs(inputs, &Disk, &Registry::default()).map_err(|why| {
        output.error(&why);
        Status::Wrong
    })
}

/// What is said of a file at which the tool itself has failed.
pub(crate) fn panicked(file: &str, why: &str) -> CheckError {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    CheckError::internal(format!("internal error: {why}"), format!("{why}\n\n== {file}\n{text}"))
}

/// Says a failure on standard error.
pub(crate) fn say_failure(file: &str, failure: &CheckError, output: &Output) -> Status {
    if failure.diagnostics.is_empty() {
        let message = if failure.reason.starts_with(file) {
            failure.reason.clone()
        } else {
            format!("{file}: {}", failure.reason)
        };
        match failure.verdict {
            VerdictKind::Error | VerdictKind::No => output.error(&message),
            _ => output.note(&format!("unknown: {message}\n")),
        }
    } else {
        output.note(&render_diagnostics(&failure.diagnostics, &failure.sources, output.error_palette));
    }
    Status::of_failure(failure)
}

/// Raised by Ctrl-C, and by too much memory if the call limits it: the files of `workers` threads share what they have
/// together.
pub(crate) fn cancel(run: &RunArgs, workers: usize, output: &Output) -> Result<Cancel, Status> {
    let cancel = interrupt::on_signal();
    let Some(limit) = run.memory_limit else { return Ok(cancel) };
    match memory::gauge() {
        Some(used) => Ok(cancel.with_memory_limit(used, limit.saturating_mul(workers as u64))),
        None => {
            output.error("--memory-limit: the memory in use cannot be measured on this system");
            Err(Status::Wrong)
        }
    }
}

/// Adds what a configuration file says to the options, and looks whether the files that they name are there.
pub(crate) fn configure(
    session: &Session<'_>,
    config: Option<&str>,
    options: &mut Options,
    output: &Output,
) -> Result<(), Status> {
    if let Some(path) = config {
        session.configure(path, options).map_err(|failure| say_failure(path, &failure, output))?;
    }
    options.model.name = options.model.name.take().map(|name| session.named_model(&name, &options.model));
    session.check_files(&options.model).map_err(|why| {
        output.error(&why);
        Status::Wrong
    })
}

/// How many files to work on at the same time.
pub(crate) fn jobs(wanted: Option<NonZeroUsize>) -> usize {
    wanted.or_else(|| std::thread::available_parallelism().ok()).map_or(1, Into::into)
}
