//! The solver as its users see it.

mod agreement;
mod bits;
mod ending;
mod incremental;
mod problem;
mod proofs;
