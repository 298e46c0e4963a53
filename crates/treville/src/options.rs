//! What a person may choose, by what it concerns.

use crate::Properties;
use std::time::Duration;

/// Which model, and what its files need.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct ModelOptions {
    /// A bundled model's name or a path; none: the dialect's own.
    pub name: Option<String>,
    /// Folders to look for included files in.
    pub include: Vec<String>,
    pub variants: Vec<String>,
    /// Checks to leave out, by name.
    pub skip_checks: Vec<String>,
    /// A path or a name in the `include` folders.
    pub bell: Option<String>,
    /// Files with macro definitions for C tests.
    pub macros: Vec<String>,
    /// What programs must not do is flagged too, as `safety.cat` says it.
    pub safety: bool,
}

impl ModelOptions {
    /// Whether `name` then means the bundled model of that name, as it is.
    pub(crate) fn is_bundled(&self, name: &str) -> bool {
        let changed = !self.variants.is_empty() || !self.skip_checks.is_empty() || self.bell.is_some() || self.safety;
        !changed && treville_cat::bundled(name).is_some_and(|file| file.role == treville_cat::Role::Model)
    }
}

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
    /// For programs on remote memory.
    pub rma: crate::RmaOptions,
}

impl RunOptions {
    /// The engine that the call wants to check the first one.
    pub(crate) fn named_check(&self) -> Option<&String> {
        self.cross_check.as_ref().filter(|name| *name != crate::opinion::NONE)
    }
}

/// Whether the final states are listed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum States {
    #[default]
    Unlisted,
    /// If it does not take long, where the tool chooses the engine.
    IfFew,
    Listed,
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Options {
    pub model: ModelOptions,
    pub run: RunOptions,
}
