//! `treville compare`: two models on one or many files.

use super::{cancel, configure, expand, jobs, panicked, say_failure};
use crate::args::CompareArgs;
use crate::batch::{self, Done};
use crate::disk::Disk;
use crate::exit::Status;
use crate::output::Output;
use crate::progress::Progress;
use treville_verifier::report::{comparison, comparison_json};
use treville_verifier::task::CheckError;
use treville_verifier::{Session, States};

pub(crate) fn run(args: &CompareArgs, output: &mut Output) -> Status {
    let [a, b] = args.model.as_slice() else {
        output.error("compare needs two models: --model A --model B");
        return Status::Wrong;
    };
    let files = match expand(&args.inputs, output) {
        Ok(files) => files,
        Err(status) => return status,
    };
    let mut options = args.run.options(args.files.options(None), States::Listed);
    let workers = jobs(args.jobs).min(files.len());
    let cancel = match cancel(&args.run, workers, output) {
        Ok(cancel) => cancel,
        Err(status) => return status,
    };
    let session = Session::new(&Disk, cancel.clone());
    if let Err(status) = configure(&session, args.files.config.as_deref(), &mut options, output) {
        return status;
    }
    let models = [a, b].map(|model| session.named_model(model, &options.model));
    let (mut status, mut equal, mut done, mut failed) = (Status::Yes, 0, 0, 0);
    let mut progress = Progress::new(files.len());
    let work = |file: &String| session.compare(file, &models, &options);
    batch::run(&files, workers, &cancel, work, |file, result| {
        progress.clear(output);
        done += 1;
        let open = match flatten(file, result) {
            Err(failure) => {
                failed += 1;
                status = status.and(say_failure(file, &failure, output));
                true
            }
            Ok(found) => {
                let differs = found.differs();
                equal += u32::from(!differs);
                status = status.and(if differs { Status::No } else { Status::Yes });
                let text = match (args.json, differs || files.len() == 1) {
                    (true, _) => comparison_json(&found) + "\n",
                    (false, true) => comparison(&found, output.palette),
                    (false, false) => String::new(),
                };
                text.is_empty() || output.print(&text).is_ok()
            }
        };
        progress.show(done, output);
        open
    });
    progress.clear(output);
    if files.len() > 1 && !args.json {
        let compared = done - failed;
        let others = if failed > 0 { format!("; {failed} could not be compared") } else { String::new() };
        let _ =
            output.print(&format!("{equal} of {compared} files have the same outcomes under {a} and {b}{others}\n"));
    }
    status
}

fn flatten<T>(file: &str, done: Done<Result<T, CheckError>>) -> Result<T, CheckError> {
    match done {
        Done::Result(result) => result,
        Done::Panicked(why) => Err(panicked(file, &why)),
        Done::Skipped => Err(CheckError::unknown("interrupted")),
    }
}
