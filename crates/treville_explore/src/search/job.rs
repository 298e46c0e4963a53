//! What a search is asked for, and what it says of each complete execution.

use super::execution::Execution;
use super::threads::Threads;
use crate::judge::Judge;
use crate::rules::Rules;
use std::collections::BTreeSet;
use std::sync::Arc;
use treville_base::Cancel;
use treville_bytecode::{Image, RunOptions};
use treville_ir::{Failure, Program, Reg};
use treville_task::{Child, Monitor, Observer, Reductions, Reference};

/// What is explored and how far.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    pub(crate) run: RunOptions,
    /// Events of one execution.
    pub(crate) max_events: u32,
    /// How many complete executions are to be told.
    pub(crate) traces: usize,
    /// The failures that are looked for; what else goes wrong is passed over.
    pub(crate) properties: BTreeSet<Failure>,
    /// Judges what is found once more.
    pub(crate) reference: Option<Reference>,
    /// Whether somebody looks at registers when threads have ended.
    pub(crate) observed: bool,
    /// Whether the program assumes anything: executions in which that fails do not count.
    pub(crate) has_assumptions: bool,
    pub(crate) reductions: Reductions,
    /// How many explore at the same time.
    pub(crate) workers: usize,
    pub(crate) cancel: Cancel,
    /// Is told of every complete execution.
    pub(crate) observer: Option<Arc<dyn Observer>>,
}

/// Makes a judge of the model.
pub(crate) type MakeJudge<'a> = dyn Fn() -> Judge<'a> + Sync + 'a;

/// What is explored, and for whom.
#[derive(Clone, Copy)]
pub(crate) struct Job<'a> {
    pub(crate) program: &'a Program,
    pub(crate) image: &'a Image,
    pub(crate) rules: Rules,
    /// Makes a judge for each that explores, if one is needed.
    pub(crate) judge: Option<&'a MakeJudge<'a>>,
    pub(crate) options: &'a Options,
    pub(crate) monitor: &'a dyn Monitor,
    /// The numbers that threads have had before.
    pub(crate) children: &'a [(Child, u16)],
}

/// A complete execution.
pub(crate) struct CompleteExecution<'a> {
    pub(super) threads: &'a Threads,
    pub(super) execution: &'a Execution<'a>,
}

impl CompleteExecution<'_> {
    /// The value that a register of a thread ended with.
    pub(crate) fn register(&self, thread: usize, reg: Reg) -> u64 {
        self.threads.register(thread, reg)
    }

    /// The last write to some bytes, if they were accessed.
    pub(crate) fn memory(&self, addr: u64, size: u8) -> Option<u64> {
        let Execution { graph, locations, .. } = self.execution;
        let loc = locations.known(addr, size)?;
        let last = graph.locations.get(loc as usize)?.writes.last()?;
        Some(graph.label(*last).value)
    }
}
