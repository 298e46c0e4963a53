//! `treville explain`.

use super::{cancel, configure, expand, say_failure};
use crate::args::ExplainArgs;
use crate::disk::Disk;
use crate::exit::Status;
use crate::output::Output;
use treville::Session;
use treville::report::explanation;

pub(crate) fn run(args: &ExplainArgs, output: &mut Output) -> Status {
    let files = match expand(&args.inputs, output) {
        Ok(files) => files,
        Err(status) => return status,
    };
    let mut options = args.run.options(args.model.options(), false);
    let cancel = match cancel(&args.run, 1, output) {
        Ok(cancel) => cancel,
        Err(status) => return status,
    };
    let session = Session::new(&Disk, cancel);
    if let Err(status) = configure(&session, args.model.files.config.as_deref(), &mut options, output) {
        return status;
    }
    let mut status = Status::Yes;
    for (i, file) in files.iter().enumerate() {
        match session.explain(file, args.outcome.as_deref(), args.deep, &options) {
            Err(failure) => status = status.and(say_failure(file, &failure, output)),
            Ok(found) => {
                let gap = if i > 0 { "\n" } else { "" };
                if output.print(&format!("{gap}{}", explanation(&found, output.palette))).is_err() {
                    break;
                }
            }
        }
    }
    status
}
