//! The fast form of the interpreter: compiled functions on machine words, for engines that run programs over and over.
//!
//! The same actions as [`crate::ThreadVm`] for concrete values, without dependencies. A [`Runner`] is one thread; its
//! state between two answers is small and can be saved and restored.

mod code;
mod compile;
mod flow;
mod run;
mod saved;

pub use code::{Image, Site, SiteId, SiteKind};
pub use compile::{NotCompiled, compile};
pub use run::{RunOptions, Runner, Step, address};
