//! Predicate abstraction of programs with put, get and flush. A proof under sequential consistency is found first: a boolean
//! program over predicates, checked with three truth values. It is then extrapolated to the reduction of the program from
//! remote memory to SC, whose pending operations are sets of values: every predicate over a shared variable is also one over
//! all elements of its sets, and what statements do to these is read off the boolean program without asking a solver.
//!
//! What it proves holds for all integers and any number of pending operations.

mod boolean;
mod checker;
mod cubes;
mod direct;
mod lia;
mod listing;
mod portfolio;
mod prover;
mod reduced;
mod refine;
mod show;
mod z3;

pub use boolean::{BoolProgram, Sharing};
pub use checker::{Checked, Counterexample, Elements};
pub use lia::{Answer, Lia, Omega};
pub use portfolio::{Figures, Patience, Portfolio, Wanted};
pub use prover::{Abstraction, Options, Prover, Sequential, sequential};
pub use reduced::show_reduced;
pub use z3::{Solver, Z3};
