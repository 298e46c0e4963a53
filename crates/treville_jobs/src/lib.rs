//! Subjects under a model as jobs: a litmus test ([`TestJob`]), a program ([`ProgramJob`]), a program with claims ([`ClaimsJob`]) and one on
//! remote memory ([`RemoteJob`]).
//!
//! A job says what is special about its kind of subject, for [`treville_strategy`] to run engines on it: how an attempt is limited, when
//! an outcome is the last word, what two outcomes disagree in; and it makes the finding of the outcome. Which engines run is not
//! for a job to say.

mod claims;
mod mapped;
mod program;
mod remote;
mod test;
mod under_model;
mod warnings;

pub use claims::{ClaimsJob, machine_for};
pub use mapped::mapped;
pub use program::{ProgramJob, finds_nothing};
pub use remote::RemoteJob;
pub use test::{States, TestJob, is_whole};
pub use under_model::{ProgramUnderModel, reference};

use treville_base::Cancel;
use treville_task::{Limits, Task};

/// The task with other limits.
fn with_cancel(task: &Task, cancel: Cancel) -> Task {
    Task { limits: Limits { cancel, ..task.limits.clone() }, ..task.clone() }
}
