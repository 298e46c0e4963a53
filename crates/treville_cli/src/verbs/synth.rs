//! `treville synth`: the cheapest placement of flushes, one file after the other; each search uses all processors.

use super::{cancel, configure, expand, say_failure};
use crate::args::SynthArgs;
use crate::disk::Disk;
use crate::exit::Status;
use crate::output::Output;
use treville_verifier::report::{SynthReport, placement, placement_json};
use treville_verifier::task::VerdictKind;
use treville_verifier::{Session, States};

pub(crate) fn run(args: &SynthArgs, output: &mut Output) -> Status {
    let files = match expand(&args.inputs, output) {
        Ok(files) => files,
        Err(status) => return status,
    };
    if args.output.is_some() && files.len() > 1 {
        output.error("--output takes the program of one file");
        return Status::Wrong;
    }
    if args.json && args.output.as_deref() == Some("-") {
        output.error("--output - and --json both write to standard output");
        return Status::Wrong;
    }
    let mut options = args.run.options(args.model.options(), States::Unlisted);
    let cancel = match cancel(&args.run, 1, output) {
        Ok(cancel) => cancel,
        Err(status) => return status,
    };
    let session = Session::new(&Disk, cancel);
    if let Err(status) = configure(&session, args.model.files.config.as_deref(), &mut options, output) {
        return status;
    }
    let mut status = Status::Yes;
    for file in &files {
        let report = session.synthesise(file, &options, &args.options());
        status = status.and(Status::of(report.verdict()));
        if !print(args, &report, output) {
            break;
        }
        if let Err(why) = write(args, &report, output) {
            output.error(&why);
            status = status.and(Status::Wrong);
        }
    }
    status
}

/// False if nobody reads the output any more. Where that is for the program, the report is a note.
fn print(args: &SynthArgs, report: &SynthReport, output: &mut Output) -> bool {
    let wrong = report.content.as_ref().err().filter(|failure| failure.verdict == VerdictKind::Error);
    if let Some(failure) = wrong {
        say_failure(&report.file, failure, output);
    }
    let said = match (args.json, wrong) {
        (true, _) => placement_json(report) + "\n",
        (false, Some(_)) => return true,
        (false, None) => placement(report, args.witness, output.palette),
    };
    if args.output.as_deref() == Some("-") {
        output.note(&said);
        return true;
    }
    output.print(&said).is_ok()
}

/// Writes the program with its flushes, if it is wanted and there is one.
fn write(args: &SynthArgs, report: &SynthReport, output: &mut Output) -> Result<(), String> {
    let text = report.content.as_ref().ok().and_then(|found| found.annotated.as_ref());
    match (args.output.as_deref(), text) {
        (Some("-"), Some(text)) => {
            let _ = output.print(text);
            Ok(())
        }
        (Some(path), Some(text)) => std::fs::write(path, text).map_err(|error| format!("{path}: {error}")),
        _ => Ok(()),
    }
}
