//! What is told of executions of a litmus test under a model: why the model rejects every candidate that would reach an outcome
//! ([`explain`]), executions as drawings ([`Drawer`]), and those that only one of two models allows ([`only_executions`]).
//!
//! Engines list candidates, or look for executions; the reference evaluator says why one is rejected.

mod compare;
mod drawings;
mod executions;
mod explain;

pub use compare::{AllOutcomes, only_executions};
pub use drawings::{Drawer, ShowOptions, ShownExecutions, Which, show_program};
pub use explain::{asked, explain};

use treville_models::Linked;
use treville_task::{Answer, CheckError, Outcome, Task, Test};

/// A test with its model and the task that was made of both.
#[derive(Clone, Copy)]
pub struct LinkedTest<'a> {
    pub test: &'a Test,
    pub model: &'a Linked,
    pub task: &'a Task,
}

/// Whether every query of an outcome has an answer.
///
/// # Errors
/// The reason why one has none.
pub fn decided(outcome: &Outcome) -> Result<(), CheckError> {
    match outcome.answers.iter().find_map(|answer| if let Answer::Open(reason) = answer { Some(reason) } else { None })
    {
        Some(reason) => Err(CheckError::unknown(reason.to_string())),
        None => Ok(()),
    }
}
