//! Programs with put, get and flush, state by state: under sequential consistency, on a network that performs remote
//! operations when it likes, and in the reduction of that to SC with sets in place of pending operations.
//!
//! Local statements run with the step before them. Steps of the network are taken only before a step of a process that
//! depends on them, where properties look at places and local variables alone. A failure is exact, also where the pending
//! operations of a statement are bounded; that nothing fails is exact where nothing was cut.

mod dead;
mod depend;
pub mod exact;
mod locals;
mod network;
mod replay;
mod search;
mod store;

pub use dead::Dead;
pub use depend::{About, closure};
pub use network::{Pending, Reduction, Semantics};
pub use replay::{Event, Replay, Values};
pub use search::{Config, Order, Outcome, Verdict, check, final_states};
