//! What is asked of an engine and what it answers: tasks, queries, limits, outcomes. No engine here, and no report.
//!
//! Questions are reachability: a [`Query`] has a goal, an [`Answer`] says whether it was found, is absent (and within what),
//! or stays open (and why). Yes and no are derived in one place, [`Verdict::of`].

mod engine;
mod guarded;
mod moment;
mod observer;
mod outcome;
mod query;
mod reductions;
mod run;
mod story;

pub use engine::{Candidate, Candidates, Engine, EngineInfo, Monitor, Progress, Reached, Silent, Unsupported};
pub use guarded::{GuardedAccess, GuardedEvent, GuardedProgram, GuardedThread, Number, Resting, RestingKind, Truth};
pub use moment::{Command, Known, Moment, Placed};
pub use observer::{Child, Class, Observer};
pub use outcome::{
    Answer, Counts, FinalState, FinalValue, Observation, Outcome, Proof, Scope, Stats, StopReason, Verdict, Violation,
    Witness,
};
pub use query::{Bounds, Goal, Limits, Query, Reference, Semantics, Task};
pub use reductions::{Reduction, Reductions};
pub use run::{Actor, Begin, Observed, Run, RunAction, RunStep, Source};
pub use story::{Action, Bytes, Gap, Order, Story, StoryObject, StoryStep, StoryThread};
