//! The engine `abstract`: predicate abstraction of programs with put, get and flush, by abstraction extrapolation.
//!
//! A proof under sequential consistency is found first: a boolean program over predicates, checked by three-valued model checking, with
//! counterexample-guided refinement. It is then extrapolated to the reduction of the program from remote memory to SC, whose pending operations are
//! sets of values: every predicate over a shared variable is also one over all elements of its sets, and the transformers of statements on these
//! are read off the boolean program without a solver. See Baumann, Dan, Meshman, Hoefler, Vechev, "Automatic Verification of RMA Programs via Abstraction
//! Extrapolation", VMCAI 2018; pending operations and flushes follow Dan, Lam, Hoefler, Vechev, "Modeling and Analysis of Remote Memory Access
//! Programming", OOPSLA 2016.
//!
//! Where it differs: predicates are also found by refinement; a failure is a run of the exact semantics (`treville_rma_machine`). A proof holds for all
//! integers and any number of pending operations.

mod boolean;
mod checker;
mod cubes;
mod direct;
mod engine;
mod flusher;
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
pub use engine::{Abstract, INFO, ProofOptions};
pub use flusher::{Flusher, MOST_COST, Proofs, by_loops};
pub use lia::{Answer, Lia, Omega};
pub use portfolio::{Budget, Figures, Portfolio, PortfolioOptions};
pub use prover::{Abstraction, Options, Prover, Sequential, sequential};
pub use reduced::show_reduced;
pub use z3::{Solver, Z3};
