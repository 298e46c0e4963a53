//! What tests share: a laboratory that runs engines on tests, random programs, differential runs, golden cases. A
//! dev-dependency only: it reads files and panics freely, which nothing else may.
//!
//! - [`Lab`] parses tests and links models: bundled ones, and those of `cases/models`.
//! - [`random`] draws small programs in every dialect.
//! - [`differ`] runs an engine beside the definition (`plain`) and compares everything that they say.
//! - [`campaign`] does so for many random programs, in parallel, and counts what was in them.
//! - [`programs`] does so for random concurrent programs in C, across engines and reductions.
//! - [`golden`] reads and checks the cases under `cases/`.

pub mod campaign;
pub mod differ;
pub mod golden;
pub mod programs;
pub mod random;

mod lab;
mod rng;

pub use lab::{Lab, Linked, cases_folder};
pub use rng::{Rng, seeds};
