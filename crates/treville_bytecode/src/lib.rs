//! Threads as bytecode: compiled functions on machine words, for engines that run a program many times.
//!
//! A [`Runner`] is one thread; it does the same [`Step`]s as the actions of [`treville_vm::ThreadVm`]. Its state between two answers is
//! small, and can be saved and restored. Dependencies are kept only by a runner that is made to, with [`Dependencies`]. Values may be
//! unknown: then words name terms of [`Symbols`]. What may be left out of executions by the text of the program alone is decided
//! here as well: iterations of await loops and retry loops, private memory, names of threads.
//!
//! This crate knows neither memory nor models: what a read returns is the engine's business.

mod addresses;
mod attempts;
mod code;
mod compile;
mod effects;
mod flow;
mod handles;
mod hazards;
mod index;
mod loops;
mod private;
mod retry;
mod rounds;
mod run;
mod saved;
mod step;
mod symbols;
mod track;

pub use addresses::names_thread;
pub use code::{Changes, Image, Site, SiteId, SiteKind};
pub use compile::{Access, NotCompiled, Parts, compile};
pub use handles::Misuse;
pub use index::Array;
pub use rounds::Keeps;
pub use run::Runner;
pub use step::{RunOptions, Step, address};
pub use symbols::{Linear, Shared, Symbols, is_term, term_of};
pub use track::{Dependencies, StepDeps, Track};
