//! The engine `machine`: programs run step by step on an abstract memory, every state once, breadth first.
//!
//! A machine is a memory ([`memory`]) under the code of the program ([`code`]); the program does not notice which it is. There
//! are `sc`, `tso`, `pso`, `ra`, `rar` (by views) and `rar-graph`, the semantics of release-acquire C11 as it was published,
//! which is the reference for `rar`: every run on `rar` that is told was repeated on it.
//!
//! [`Machine::step_through`] lets somebody choose each step. What is asked otherwise is whether a state, or an end, can be reached; the answer is a shortest run. Numbers of states are exact.

mod code;
mod engine;
mod events;
mod induction;
mod least;
mod memory;
mod props;
mod replay;
mod search;
mod stepping;
mod store;
mod symmetry;
mod system;

pub use engine::{MACHINES, Machine, MachineInfo};
pub use events::guarded;
pub use least::{LeastActions, least_actions};
pub use symmetry::check_symmetries;
