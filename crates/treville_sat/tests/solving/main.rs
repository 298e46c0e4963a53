//! The solver as its users see it.

mod agreement;
mod bits;
mod ending;
mod explained;
mod incremental;
mod problem;
mod proofs;
