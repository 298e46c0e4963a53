//! `treville explain`.

use super::{expand, say_failure};
use crate::args::ExplainArgs;
use crate::disk::Disk;
use crate::exit::Status;
use crate::interrupt;
use crate::output::Output;
use treville::Session;
use treville::report::explanation;

pub(crate) fn run(args: &ExplainArgs, output: &mut Output) -> Status {
    let files = match expand(&args.inputs, output) {
        Ok(files) => files,
        Err(status) => return status,
    };
    let options = args.run.options(args.model.options(), false);
    let session = Session::new(&Disk, interrupt::on_signal());
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
