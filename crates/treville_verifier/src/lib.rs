//! Treville as a library: programs on weak memory, checked under memory models.
//!
//! A [`Session`] knows where files are (through [`Files`]) and which models it has linked. `verify`, `explain`, `compare`
//! and `show` load a program, link a model for it, run an engine, and return data; `treville_report` prints it. Front ends
//! and engines are listed in registries, one line each.
//!
//! This crate does no IO of its own and keeps no global state.

mod applies;
mod audited;
mod claims;
mod compare;
mod config;
mod engines;
mod executions;
mod explain;
mod export;
mod litmus;
mod mapped;
mod models;
mod options;
mod programs;
mod proofs;
mod registry;
mod remote;
mod session;
mod show;
mod spec_file;
mod verify;
mod warnings;

pub use options::{Options, RunOptions, States};
pub use proofs::{ProofChecked, check_proofs, proof_folder, proof_texts};
pub use registry::{EngineEntry, Registry};
pub use remote::{Abstraction, Cost, Flushes, IntegerSolver, Reduction, RmaOptions, Search, Stage, SynthOptions};
pub use session::Session;
pub use show::{ShowOptions, ShownExecutions, Which};
pub use treville_base::{Files, MemoryFiles};
pub use treville_bmc as bmc;
pub use treville_cat::{Bundled, Role};
pub use treville_model::{Family, ModelFacts};
pub use treville_models::{BundledInfo, Catalogue, ModelChecked, ModelOptions, bundled_library_hash};
pub use treville_task::Properties;

pub use treville_base as base;
pub use treville_report as report;
pub use treville_task as task;
