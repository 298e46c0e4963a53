//! Flushes of programs on remote memory (`.rma`): which slots a person means, what flushes cost, the cheapest placement that makes
//! a program hold ([`cheapest`]) with the runs that explain it, and the stages of a proof as texts ([`stage_of`]).
//!
//! How placements are searched for is for `treville_synth` to say, and who judges them for `treville_abstract`.

mod cheapest;
mod cost;
mod options;
mod stages;

pub use cheapest::{Search, SearchLimits, SynthOptions, cheapest};
pub use cost::Cost;
pub use options::{Flushes, IntegerSolver, RmaOptions, placement};
pub use stages::{Stage, stage_of};
