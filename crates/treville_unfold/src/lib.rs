//! A finite program, unfolded: what engines over whole executions share.
//!
//! Every path of every thread with symbolic values ([`Traces`]), the granules of memory ([`Cells`]), one path for each thread
//! put together ([`Frame`]), the events with the sets and relations that the program determines ([`skeleton()`]), values once
//! sources are chosen ([`Values`], [`Solution`]), and what accepted executions show ([`Collector`]). How sources and orders are
//! chosen is the engines' business.

mod cells;
mod collect;
mod floating;
mod flow;
mod frame;
mod guarded;
mod judge;
mod possible;
mod prepare;
mod shapes;
mod skeleton;
mod solution;
mod together;
mod traces;
mod values;

pub use cells::Cells;
pub use collect::{Collector, holds};
pub use floating::{ADDRESS_BITS, Base, FIRST_ADDRESS, Floating};
pub use frame::{Frame, FrameEvent, Parts, Refusal};
pub use guarded::{Guarded, GuardedThread, Happens};
pub use possible::Possible;
pub use prepare::{Failed, Prepared};
pub use skeleton::{DEPENDENCIES, DepsOf, Solved, outline, skeleton};
pub use solution::{Finals, Misfit, Ordered, Solution, register_values};
pub use together::Together;
pub use traces::{Oracle, Trace, TraceEvent, Traces, Turn};
pub use values::{Stuck, Values};
