//! Programs to simpler programs that mean the same: what front ends emit naively becomes small enough to explore.
//!
//! [`run`] is the standard pipeline: functions from the called to the caller are inlined ([`inline`]), their local variables
//! become registers or private memory ([`promote`]), and the rest is simplified ([`simplify`]). [`target`] compiles C11
//! atomics to the instructions of an architecture, afterwards. [`mod@loop_free`] makes programs finite, and [`mod@lower_to_test`] makes tests
//! of these, for the bounded engines; [`mod@static_threads`] keeps loops and makes all threads exist from the start.
//!
//! Events on shared memory, their order and their tags never change, and neither do dependencies between them (unless
//! [`Options::algebraic`] says that no model looks). Functions keep their numbers, so that function pointers stay valid, and
//! so do registers, unless [`Options::renumber`] says that no question names them.

pub mod cfg;
mod compact;
mod constants;
mod drop_write_only;
pub mod flatten;
mod fold;
mod inline;
mod known;
pub mod loop_free;
pub mod lower_to_test;
pub mod nest;
mod ops;
mod pipeline;
mod promote;
mod simplify;
pub mod static_threads;
pub mod target;
pub mod unroll;

pub use drop_write_only::{atomic_objects, drop_write_only};
pub use flatten::flatten;
pub use inline::{InlineLimits, inline};
pub use known::with_known_addresses;
pub use loop_free::loop_free;
pub use pipeline::{Boundary, Options, run};
pub use promote::promote;
pub use simplify::simplify;
pub use static_threads::static_threads;
pub use unroll::{Unrolling, unroll};
