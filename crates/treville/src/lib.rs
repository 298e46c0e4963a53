//! Treville as a library: programs on weak memory, checked under memory models.
//!
//! A [`Session`] knows where files are (through [`Files`]) and which models it has linked. `verify`, `explain`, `compare`
//! and `show` load a program, link a model for it, run an engine, and return data; `treville_report` prints it. Front ends
//! and engines are listed in registries, one line each.
//!
//! This crate does no IO of its own and keeps no global state.

mod audited;
mod auto;
mod claims;
mod closed;
mod compare;
mod config;
mod engines;
mod executions;
mod explain;
mod export;
mod failure;
mod files;
mod front_ends;
mod inputs;
mod library;
mod mapped;
mod model_check;
mod opinion;
mod options;
mod programs;
mod proofs;
mod properties;
mod rma;
mod session;
mod show;
mod sidecar;
mod terms;
mod variants;
mod verify;
mod warnings;

pub use engines::{EngineEntry, engines};
pub use failure::{failure, internal, refusal, unreadable};
pub use files::{Files, MemoryFiles};
pub use front_ends::{FrontEnd, Loaded, front_ends};
pub use inputs::expand_inputs;
pub use library::{BundledInfo, bundled_library_hash, bundled_models};
pub use model_check::ModelChecked;
pub use options::{ModelOptions, Options, RunOptions, States};
pub use proofs::{ProofChecked, check_proofs, proof_folder};
pub use properties::Properties;
pub use rma::{Abstraction, Cost, Flushes, Reduction, RmaOptions, Search, SolverWord, Stage, SynthOptions};
pub use session::Session;
pub use show::{ShowOptions, ShownExecutions, Which};
pub use treville_bmc as bmc;

pub use treville_base as base;
pub use treville_report as report;
pub use treville_task as task;
