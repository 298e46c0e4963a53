//! `treville verify`: one file with its states, or a batch with a table.

use super::proofs::ProofFolder;
use super::{cancel, configure, expand, jobs, panicked, say_failure, step};
use crate::args::{Emit, VerifyArgs, VerifyFormat};
use crate::batch::{self, Done};
use crate::disk::Disk;
use crate::evidence;
use crate::exit::Status;
use crate::output::Output;
use crate::progress::{Progress, Watch};
use std::time::{Duration, Instant};
use treville::report::{
    Content, Details, Failure, FileReport, Summary, VerdictWord, herd, json, render_diagnostics, summary_row, text,
};
use treville::{Options, Session, Stage, States, unreadable};

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
            Done::Skipped => unfinished(file, Failure { word: VerdictWord::Unknown, ..unreadable("interrupted") }),
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
fn emit(session: &Session<'_>, files: &[String], options: &Options, stage: Emit, output: &mut Output) -> Status {
    let stage = match stage {
        Emit::Reduced => Stage::Reduced,
        Emit::Boolean => Stage::Boolean,
        Emit::Extrapolated => Stage::Extrapolated,
    };
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
fn unfinished(file: &str, failure: Failure) -> FileReport {
    FileReport {
        file: file.to_owned(),
        model: String::new(),
        engine: String::new(),
        chosen: None,
        time: Duration::ZERO,
        content: Content::Failed(failure),
    }
}

/// How reports are printed, one after the other.
struct Printer {
    format: VerifyFormat,
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
        Printer {
            format: if args.json { VerifyFormat::Json } else { args.format },
            details: Details { states: args.states, witness: args.witness, stats: args.stats },
            batch: files.len() > 1,
            width: files.iter().map(|f| f.chars().count()).max().unwrap_or(0),
            summary: Summary::default(),
            start: Instant::now(),
        }
    }

    fn wants_states(&self) -> States {
        match self.format {
            _ if self.details.states => States::Listed,
            VerifyFormat::Text if !self.batch || self.says_more() => States::IfFew,
            VerifyFormat::Herd => States::Listed,
            VerifyFormat::Text | VerifyFormat::Json => States::Unlisted,
        }
    }

    /// Whether a batch has a text for each file beside its row.
    fn says_more(&self) -> bool {
        self.details.states || self.details.witness || self.details.stats
    }

    /// False if nobody reads the output any more.
    fn print(&mut self, report: &FileReport, output: &mut Output) -> bool {
        self.summary.add(report.verdict());
        if let Content::Failed(failure) = &report.content
            && (failure.word == VerdictWord::Error || self.format == VerifyFormat::Herd)
        {
            say_failure(&report.file, failure, output);
        }
        let said = match self.format {
            VerifyFormat::Json => json(report, self.details) + "\n",
            VerifyFormat::Herd => self.herd(report, output),
            VerifyFormat::Text => self.text(report, output),
        };
        said.is_empty() || output.print(&said).is_ok()
    }

    fn herd(&self, report: &FileReport, output: &Output) -> String {
        herd(report).unwrap_or_else(|| {
            if let Content::Program(_) | Content::Claims(_) | Content::Remote(_) = report.content {
                output.note(&format!("{}: herd7 has no programs, and so no text for their answers\n", report.file));
            }
            if let (Content::Checked(_), Some(reason)) = (&report.content, report.reason()) {
                output.note(&format!("unknown: {}: {reason}\n", report.file));
            }
            String::new()
        })
    }

    fn text(&self, report: &FileReport, output: &Output) -> String {
        let failed = matches!(&report.content, Content::Failed(f) if f.word == VerdictWord::Error);
        match (self.batch, failed) {
            (false, true) => String::new(),
            (false, false) => text(report, self.details, output.palette),
            (true, _) => {
                let row = summary_row(report, self.width, output.palette);
                if self.says_more() && !failed { row + &text(report, self.details, output.palette) + "\n" } else { row }
            }
        }
    }

    fn end(&self, output: &mut Output) {
        if self.batch && self.format == VerifyFormat::Text {
            let _ = output.print(&self.summary.line(self.start.elapsed(), output.palette));
        }
    }
}
