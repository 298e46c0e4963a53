//! `treville verify`: one file with its states, or a batch with a table.

use super::proofs::ProofFolder;
use super::{cancel, configure, expand, jobs, panicked, say_failure, step};
use crate::args::VerifyArgs;
use crate::batch::{self, Done};
use crate::disk::Disk;
use crate::evidence;
use crate::exit::Status;
use crate::output::Output;
use crate::progress::{Progress, Watch};
use std::time::{Duration, Instant};
use treville_verifier::report::{Details, FORMATS, Format, Summary, render_diagnostics, summary_row};
use treville_verifier::task::{About, CheckError, Report, VerdictKind};
use treville_verifier::{Options, Session, Stage, States};

pub(crate) fn run(args: &VerifyArgs, output: &mut Output) -> Status {
    let files = match expand(&args.inputs, output) {
        Ok(files) => files,
        Err(status) => return status,
    };
    let mut printer = Printer::new(args, &files);
    let mut options = args.run.options(args.model.options(), printer.wants_states());
    options.run.bmc.proofs = args.proof.is_some();
    options.run.inductive = args.inductive;
    options.run.rma.flushes = args.flush.clone();
    let mut proofs = match args.proof.as_deref().map(ProofFolder::new).transpose() {
        Ok(proofs) => proofs,
        Err(why) => {
            output.error(&why);
            return Status::Wrong;
        }
    };
    let workers = jobs(args.jobs).min(files.len());
    let cancel = match cancel(&args.run, workers, output) {
        Ok(cancel) => cancel,
        Err(status) => return status,
    };
    let session = Session::new(&Disk, cancel.clone());
    if let Err(status) = configure(&session, args.model.files.config.as_deref(), &mut options, output) {
        return status;
    }
    if let Err(why) = session.check_options(&files, &mut options) {
        output.error(&why);
        return Status::Wrong;
    }
    let (warnings, sources) = session.model_warnings(&options.model);
    if !warnings.is_empty() {
        output.note(&render_diagnostics(&warnings, &sources, output.palette));
    }
    if let Some(stage) = args.emit {
        return emit(&session, &files, &options, stage, output);
    }
    if args.interactive {
        return step::run(&session, &files, &options, output);
    }
    let mut status = Status::Yes;
    let mut progress = Progress::new(files.len());
    let mut done = 0;
    let watch = Watch::new(files.len(), args.stats);
    let work = |file: &String| session.verify(file, &options, &watch);
    batch::run(&files, workers, &cancel, work, |file, result| {
        let mut report = match result {
            Done::Result(report) => report,
            Done::Panicked(why) => unfinished(file, panicked(file, &why)),
            Done::Skipped => unfinished(file, CheckError::unknown("interrupted")),
        };
        evidence::keep(&mut report);
        status = status.and(Status::of_report(&report));
        done += 1;
        progress.clear(output);
        watch.clear(output);
        let written = proofs.as_mut().map_or(Ok(()), |proofs| proofs.write(&report));
        if let Err(why) = &written {
            output.error(why);
            status = status.and(Status::Wrong);
        }
        let open = printer.print(&report, output) && written.is_ok();
        progress.show(done, output);
        open
    });
    progress.clear(output);
    printer.end(output);
    status
}

/// Prints a stage of the proof of each file.
fn emit(session: &Session<'_>, files: &[String], options: &Options, stage: Stage, output: &mut Output) -> Status {
    let one = |file: &String| match session.stage(file, options, stage) {
        Ok(text) => {
            let _ = output.print(&text);
            Status::Yes
        }
        Err(failure) => say_failure(file, &failure, output),
    };
    files.iter().map(one).fold(Status::Yes, Status::and)
}

/// A report about a file that was not checked to its end.
fn unfinished(file: &str, failure: CheckError) -> Report {
    Report {
        file: file.to_owned(),
        model: String::new(),
        engine: String::new(),
        chosen: None,
        time: Duration::ZERO,
        result: Err(failure),
    }
}

/// How reports are printed, one after the other.
struct Printer {
    format: Format,
    details: Details,
    /// A table instead of a text for each file.
    batch: bool,
    /// Of the longest file name.
    width: usize,
    summary: Summary,
    start: Instant,
}

impl Printer {
    fn new(args: &VerifyArgs, files: &[String]) -> Self {
        let name = if args.json { "json" } else { args.format.as_str() };
        Printer {
            format: FORMATS.iter().find(|format| format.name == name).copied().unwrap_or(FORMATS[0]),
            details: Details { states: args.states, witness: args.witness, stats: args.stats },
            batch: files.len() > 1,
            width: files.iter().map(|f| f.chars().count()).max().unwrap_or(0),
            summary: Summary::default(),
            start: Instant::now(),
        }
    }

    fn wants_states(&self) -> States {
        if self.details.states || self.format.lists_states {
            States::Listed
        } else if self.format.for_people && (!self.batch || self.says_more()) {
            States::IfFew
        } else {
            States::Unlisted
        }
    }

    /// Whether a batch has a text for each file beside its row.
    fn says_more(&self) -> bool {
        self.details.states || self.details.witness || self.details.stats
    }

    /// False if nobody reads the output any more.
    fn print(&mut self, report: &Report, output: &mut Output) -> bool {
        self.summary.add(report.verdict());
        // A row needs no text.
        let row_only = self.batch && self.format.for_people && !self.says_more();
        let written = match row_only {
            true => Some(String::new()),
            false => (self.format.write)(report, self.details, output.palette),
        };
        if let Some(failure) = report.failure()
            && (failure.verdict == VerdictKind::Error || written.is_none())
        {
            say_failure(&report.file, failure, output);
        }
        let said = match written {
            None => {
                self.note_absence(report, output);
                String::new()
            }
            Some(text) if self.format.for_people => self.for_people(report, text, output),
            Some(text) => text,
        };
        said.is_empty() || output.print(&said).is_ok()
    }

    /// Why a format has nothing to say of a finding.
    fn note_absence(&self, report: &Report, output: &Output) {
        match (report.finding().map(|finding| &finding.about), report.reason()) {
            (Some(About::Test(_)), Some(reason)) => output.note(&format!("unknown: {}: {reason}\n", report.file)),
            (None | Some(About::Test(_)), _) => {}
            (Some(About::Program(_) | About::Claims(_) | About::Remote(_)), _) => {
                let (file, format) = (&report.file, self.format.name);
                output
                    .note(&format!("{file}: the format {format} has no programs, and so no text for their answers\n"));
            }
        }
    }

    /// One file has its text, unless it is only an error; of several, each has a row.
    fn for_people(&self, report: &Report, text: String, output: &Output) -> String {
        let failed = report.failure().is_some_and(|failure| failure.verdict == VerdictKind::Error);
        match (self.batch, failed) {
            (false, true) => String::new(),
            (false, false) => text,
            (true, _) => {
                let row = summary_row(report, self.width, output.palette);
                if self.says_more() && !failed { row + &text + "\n" } else { row }
            }
        }
    }

    fn end(&self, output: &mut Output) {
        if self.batch && self.format.for_people {
            let _ = output.print(&self.summary.line(self.start.elapsed(), output.palette));
        }
    }
}
