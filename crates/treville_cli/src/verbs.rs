//! One module for each verb: options in, text out, a status back.

pub(crate) mod compare;
pub(crate) mod engines;
pub(crate) mod explain;
pub(crate) mod models;
pub(crate) mod shell;
pub(crate) mod show;
pub(crate) mod verify;

use crate::disk::Disk;
use crate::exit::Status;
use crate::output::Output;
use treville::report::{Failure, VerdictWord, render_diagnostics};

/// The files that the inputs stand for.
pub(crate) fn expand(inputs: &[String], output: &Output) -> Result<Vec<String>, Status> {
    treville::expand_inputs(inputs, &Disk).map_err(|why| {
        output.error(&why);
        Status::Wrong
    })
}

/// Says a failure on standard error.
pub(crate) fn say_failure(file: &str, failure: &Failure, output: &Output) -> Status {
    if failure.diagnostics.is_empty() {
        let message = if failure.reason.starts_with(file) { failure.reason.clone() } else { format!("{file}: {}", failure.reason) };
        match failure.word {
            VerdictWord::Error => output.error(&message),
            _ => output.note(&format!("unknown: {message}\n")),
        }
    } else {
        output.note(&render_diagnostics(&failure.diagnostics, &failure.sources, output.error_palette));
    }
    Status::of(failure.word)
}

/// How many files to work on at the same time.
pub(crate) fn jobs(wanted: Option<usize>) -> usize {
    wanted.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, Into::into)).max(1)
}
