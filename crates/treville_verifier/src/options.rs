//! What a person may choose, by what it concerns.

use crate::{RmaOptions, States};
use std::time::Duration;
use treville_models::ModelOptions;
use treville_task::Properties;

/// The word that switches a second opinion off.
const NO_CHECK: &str = "none";

/// Which engine, and how far it may go.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RunOptions {
    /// None: the tool chooses.
    pub engine: Option<String>,
    /// The unpruned definition of the engine.
    pub plain: bool,
    /// A second engine, which must agree; none: one is asked where that costs little, unless this says `none`.
    pub cross_check: Option<String>,
    /// So many random executions of a program must be among those that were visited.
    pub audit: Option<u64>,
    /// Iterations of a loop.
    pub bound: Option<u32>,
    /// Events of one execution.
    pub max_events: Option<u32>,
    /// For each file.
    pub timeout: Option<Duration>,
    pub memory_mb: Option<u64>,
    /// How much an engine may look at before it gives up; none: as much as there is.
    pub effort: Option<u64>,
    /// Threads for each file.
    pub threads: Option<u32>,
    /// "Up to the bound" is good enough.
    pub accept_bounded: bool,
    pub states: States,
    pub reductions: treville_task::Reductions,
    /// Options for the C compiler.
    pub cflags: Vec<String>,
    /// What is looked for in a program.
    pub properties: Properties,
    /// A weak compare-exchange may fail for no reason.
    pub weak_cas: bool,
    /// Of each variable, writes that a machine keeps.
    pub max_messages: Option<u32>,
    /// Accesses in a run of a machine, initial writes included.
    pub max_actions: Option<u32>,
    /// Whether invariants are inductive, not whether they hold in every state that can be reached.
    pub inductive: bool,
    /// States that a machine visits.
    pub max_states: Option<u64>,
    /// How the engine bmc works.
    pub bmc: treville_bmc::Options,
    /// The call has files of several kinds: an option that concerns only others is no error.
    pub mixed_inputs: bool,
    /// For programs on remote memory.
    pub rma: RmaOptions,
}

impl RunOptions {
    /// The engine that the call wants to check the first one.
    pub(crate) fn named_check(&self) -> Option<&String> {
        self.cross_check.as_ref().filter(|name| *name != NO_CHECK)
    }
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Options {
    pub model: ModelOptions,
    pub run: RunOptions,
}
