//! Treville as a library: programs on weak memory, checked under memory models.
//!
//! A [`Session`] knows where files are (through [`Files`]) and which models it has linked. `verify`, `explain`, `compare`
//! and `show` load a program, link a model for it, run an engine, and return data; `treville_report` prints it. Front ends
//! and engines are listed in registries, one line each. What a subject is under a model, and what is told of it, is in crates of
//! its own (`treville_jobs`, `treville_explain`, `treville_placement`).
//!
//! This crate does no IO of its own and keeps no global state.

mod applies;
mod claims;
mod compare;
mod config;
mod engines;
mod explain;
mod export;
mod litmus;
mod models;
mod options;
mod programs;
mod proofs;
mod registry;
mod remote;
mod session;
mod show;
mod verify;

pub use options::{Options, RunOptions};
pub use proofs::proof_texts;
pub use registry::{EngineEntry, Registry};
pub use session::Session;
pub use treville_abstract::Abstraction;
pub use treville_base::{Files, MemoryFiles};
pub use treville_bmc as bmc;
pub use treville_cat::{Bundled, Role};
pub use treville_explain::{ShowOptions, ShownExecutions, Which};
pub use treville_jobs::States;
pub use treville_model::{Family, ModelFacts};
pub use treville_models::{BundledInfo, Catalogue, ModelChecked, ModelOptions, bundled_library_hash};
pub use treville_placement::{Cost, Flushes, IntegerSolver, RmaOptions, Search, Stage, SynthOptions};
pub use treville_rma_machine::Reduction;
pub use treville_sat::folders::{ProofChecked, check_proofs, proof_folder};
pub use treville_task::Properties;

pub use treville_base as base;
pub use treville_report as report;
pub use treville_task as task;
