//! A finite program, unfolded: what engines over whole executions share.
//!
//! Every path of every thread with symbolic values ([`Traces`]), the granules of memory ([`Cells`]), one path for each thread
//! put together ([`PreExecution`]), the events with the sets and relations that the program determines ([`skeleton()`]), values once
//! sources are chosen ([`Values`], [`Solution`]), and what accepted executions show ([`Collector`]). How sources and orders are
//! chosen is the engines' business.

mod cells;
mod co_occurrence;
mod collect;
mod flow;
mod guarded;
mod judge;
mod pre_execution;
mod prepare;
mod shapes;
mod skeleton;
mod solution;
mod symbolic_layout;
mod traces;
mod value_sets;
mod values;

pub use cells::Cells;
pub use co_occurrence::CoOccurrence;
pub use collect::{Collector, holds};
pub use guarded::{Guarded, GuardedThread, Happens};
pub use pre_execution::{Parts, PreEvent, PreExecution, Refusal};
pub use prepare::{Failed, Prepared};
pub use skeleton::{DEPENDENCIES, DepsOf, Solved, outline, skeleton};
pub use solution::{Finals, Misfit, Ordered, Solution, register_values};
pub use symbolic_layout::{ADDRESS_BITS, Base, FIRST_ADDRESS, SymbolicLayout};
pub use traces::{Oracle, Trace, TraceEvent, Traces, Turn};
pub use value_sets::ValueSets;
pub use values::{Stuck, Values};
