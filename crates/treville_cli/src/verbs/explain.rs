//! `treville explain`.

use super::{cancel, configure, expand, say_failure};
use crate::args::ExplainArgs;
use crate::disk::Disk;
use crate::exit::Status;
use crate::output::Output;
use std::time::Duration;
use treville_verifier::report::{Explained, explanation};
use treville_verifier::{Session, States};

/// Little is pruned where rejected executions are to be seen; without a limit of its own, a large test ends after this.
const PATIENCE: Duration = Duration::from_secs(60);
/// More ways to reject an outcome than this are told only if they are asked for.
const FEW: usize = 8;

pub(crate) fn run(args: &ExplainArgs, output: &mut Output) -> Status {
    let files = match expand(&args.inputs, output) {
        Ok(files) => files,
        Err(status) => return status,
    };
    let mut options = args.run.options(args.model.options(), States::Unlisted);
    let cancel = match cancel(&args.run, 1, output) {
        Ok(cancel) => cancel,
        Err(status) => return status,
    };
    let session = Session::new(&Disk, cancel);
    if let Err(status) = configure(&session, args.model.files.config.as_deref(), &mut options, output) {
        return status;
    }
    options.run.timeout = options.run.timeout.or(Some(PATIENCE));
    let most = if args.all { usize::MAX } else { FEW };
    let mut status = Status::Yes;
    for (i, file) in files.iter().enumerate() {
        match session.explain(file, args.outcome.as_deref(), args.deep, &options) {
            Err(failure) => status = status.and(say_failure(file, &failure, output)),
            Ok(found) => {
                if let Explained::Forbidden { unseen: Some(_), .. } = found.answer {
                    status = status.and(Status::Unknown);
                }
                let gap = if i > 0 { "\n" } else { "" };
                if output.print(&format!("{gap}{}", explanation(&found, most, output.palette))).is_err() {
                    break;
                }
            }
        }
    }
    status
}
