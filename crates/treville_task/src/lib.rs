//! What front ends, engines and reports exchange: subjects, tasks, queries, limits, outcomes, verdicts. No engine here, and no text.
//!
//! A front end makes a [`Subject`] of a file; an engine takes a [`Task`] and gives an [`Outcome`]; a [`Report`] has both with the
//! verdict. Questions are reachability: a [`Query`] has a goal, an [`Answer`] says whether it was found, is absent (and within what),
//! or stays open (and why). Yes and no are derived in one place, [`Finding::new`].

mod engine;
mod error;
mod front_end;
mod guarded;
mod moment;
mod observer;
mod outcome;
mod properties;
mod query;
mod reductions;
mod remote;
mod report;
mod run;
mod steps;
mod subject;
mod trace;
mod verdict;

pub use engine::{Candidate, Candidates, Engine, EngineInfo, Monitor, Progress, Reached, Ready, Silent, Unsupported};
pub use error::CheckError;
pub use front_end::{FrontEnd, FrontEndInfo, ReadOptions, Source};
pub use guarded::{GuardedAccess, GuardedEvent, GuardedProgram, GuardedThread, Number, Resting, RestingKind, Truth};
pub use moment::{Command, Known, Moment, Placed};
pub use observer::{Child, Class, Observer};
pub use outcome::{
    Answer, Counts, FinalState, FinalValue, Outcome, Proof, Scope, Stats, StopReason, Violation, Witness,
};
pub use properties::Properties;
pub use query::{Bounds, Goal, Limits, Query, Reference, Semantics, Task};
pub use reductions::{Reduction, Reductions};
pub use remote::{Effort, RemoteMemory, RemoteTask};
pub use report::{About, Audit, Chosen, ClaimsQuery, Finding, RemoteQuery, Report};
pub use run::{Actor, Begin, Observed, ObservedWrite, Run, RunAction, RunStep};
pub use steps::{GraphStep, StepGraph, StepOrders, StuckThread};
pub use subject::{Annotated, Code, Remote, Subject, SubjectKind, Test};
pub use trace::{Action, Bytes, MissingSync, Trace, TraceObject, TraceStep, TraceThread};
pub use verdict::{Needs, Observation, Verdict, VerdictKind};
