//! The interface of an engine.

use crate::{Outcome, RemoteTask, Task};
use std::ops::ControlFlow;
use treville_base::Span;
use treville_event::Graph;

pub struct EngineInfo {
    pub name: &'static str,
    /// One line for `treville engines`.
    pub about: &'static str,
}

/// Why an engine does not take a task.
#[derive(Clone, PartialEq, Debug)]
pub struct Unsupported {
    pub what: String,
    pub span: Option<Span>,
}

#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Progress {
    pub executions: u64,
    pub candidates: u64,
    /// How many executions there will be, as far as one can tell.
    pub expected: Option<u64>,
}

/// Told from time to time how far an engine is.
pub trait Monitor: Sync {
    fn progress(&self, progress: &Progress);
    /// Whether it is worth some time to guess at the start how much there is to do.
    fn wants_estimate(&self) -> bool {
        false
    }
}

/// A monitor that does nothing.
pub struct Silent;

impl Monitor for Silent {
    fn progress(&self, _: &Progress) {}
}

/// A task that an engine supports, ready to run.
pub type Ready<'t> = Box<dyn FnOnce(&dyn Monitor) -> Outcome + 't>;

pub trait Engine: Send + Sync {
    fn info(&self) -> &EngineInfo;

    /// Does what comes before the search: what is compiled here is not compiled again to run.
    ///
    /// # Errors
    /// What the engine does not support.
    fn prepare<'t>(&'t self, task: &'t Task) -> Result<Ready<'t>, Vec<Unsupported>>;

    /// The same for a program on remote memory.
    ///
    /// # Errors
    /// What the engine does not support.
    fn prepare_remote<'t>(&'t self, _: &'t RemoteTask) -> Result<Ready<'t>, Vec<Unsupported>> {
        Err(vec![Unsupported { what: "programs on remote memory".to_owned(), span: None }])
    }

    /// # Errors
    /// What the engine does not support.
    fn supports(&self, task: &Task) -> Result<(), Vec<Unsupported>> {
        self.prepare(task).map(drop)
    }

    /// Prepares a task and runs it; what the engine does not support is why the outcome has no answers.
    fn run(&self, task: &Task, monitor: &dyn Monitor) -> Outcome {
        match self.prepare(task) {
            Ok(ready) => ready(monitor),
            Err(why) => Outcome::refused(task, why),
        }
    }

    /// Engines that can list candidate executions, the rejected ones included.
    fn candidates(&self) -> Option<&dyn Candidates> {
        None
    }
}

/// A candidate execution, before any model has judged it.
pub struct Candidate<'a> {
    pub graph: &'a Graph,
    /// Final values of the question's observed places.
    pub state: &'a [crate::outcome::FinalValue],
    /// Whether it satisfies the question's filter and condition.
    pub holds: bool,
}

/// Which of the candidates that reach an outcome.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reached {
    Every,
    /// Those that keep what the model asks of the order of writes at each location, as far as the engine sees that early.
    Coherent,
}

pub trait Candidates {
    /// Calls `visit` for each candidate (reads-from, coherence, values solved), in a fixed order, until it breaks.
    fn visit(&self, task: &Task, visit: &mut dyn FnMut(Candidate<'_>) -> ControlFlow<()>);

    /// Whether there are longer ones, beyond the loop bound.
    fn are_cut(&self, task: &Task) -> bool;

    /// Calls `visit` for candidates that satisfy the question's filter and condition, in a fixed order, until it breaks or
    /// `steps` choices were made. Returns whether it saw them all.
    fn reaching(
        &self,
        task: &Task,
        which: Reached,
        steps: u64,
        visit: &mut dyn FnMut(Candidate<'_>) -> ControlFlow<()>,
    ) -> bool;
}
