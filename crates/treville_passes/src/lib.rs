//! Programs to simpler programs that mean the same: what front ends emit naively becomes small enough to explore.
//!
//! [`run`] is the standard pipeline: functions from the called to the caller are inlined ([`inline`]), their local variables
//! become registers or private memory ([`promote`]), and the rest is simplified ([`simplify`]). [`target`] compiles C11
//! atomics to the instructions of an architecture, afterwards. [`loop_free`] makes programs finite, and [`close`] makes tests of
//! these, for engines that take tests; [`standing`] keeps loops, and makes threads that are there from the start.
//!
//! Events on shared memory, their order and their tags never change, and neither do dependencies between them (unless
//! [`Options::algebraic`] says that no model looks). Functions keep their numbers, so that function pointers stay valid, and
//! so do registers, unless [`Options::renumber`] says that no question names them.

pub mod cfg;
pub mod close;
mod compact;
mod constants;
pub mod flatten;
mod fold;
mod forget;
mod inline;
mod known;
pub mod loop_free;
pub mod nest;
mod ops;
mod pipeline;
mod promote;
mod simplify;
pub mod standing;
pub mod target;
pub mod unroll;

pub use flatten::flatten;
pub use forget::forget;
pub use inline::{InlineLimits, inline};
pub use known::with_known_addresses;
pub use loop_free::loop_free;
pub use pipeline::{Boundary, Options, run};
pub use promote::promote;
pub use simplify::simplify;
pub use standing::standing;
pub use unroll::{Unrolling, unroll};
