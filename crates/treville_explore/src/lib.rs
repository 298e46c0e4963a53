//! The engine `explore`: optimal stateless model checking. It builds every consistent execution graph of a program exactly once.
//!
//! A graph is extended event by event. A read gets each write that the model allows as its source (forward revisit). A write revisits
//! earlier reads of its location (backward revisit): the graph loses what came after the read and is not in the prefix of the write, if
//! all of that was added maximally. No visited graph is stored, and each pending choice is independent of the others, so that several
//! workers share a worklist.
//!
//! The algorithm is TruSt (Kokologiannakis, Marmanis, Gladstein, Vafeiadis, "Truly Stateless, Optimal Dynamic Partial Order
//! Reduction", POPL 2022), as GenMC implements it (Kokologiannakis, Vafeiadis, "GenMC: A Model Checker for Weak Memory Models", CAV
//! 2021). Models with load buffering follow HMC ("HMC: Model Checking for Hardware Memory Models", ASPLOS 2020): a read may take its
//! value from a write that is added later. Symmetry reduction follows SPORE.
//!
//! Where it differs: threads resume from saved states instead of being run again; memory that no other thread sees has no events; values that
//! nothing determines stay symbolic, with path conditions; reductions for locks, await loops, retry loops and hazard pointers are checked while
//! they are used, and retracted where a program violates what they assume ([`assumptions`], docs/soundness.md).
//!
//! The crate has two engines behind one name. [`search`] is the one above: for programs, under models that are built in ([`rules`]) or judged
//! ([`judge`]). [`axiomatic`] is for questions about final states of litmus tests, under any model that is given by axioms: it unfolds the
//! threads first, chooses sources and places one by one, and needs no revisits. [`engine`] says which one takes a task.

mod assumptions;
mod axiomatic;
mod engine;
mod execution;
mod graph;
mod judge;
mod memory;
mod path;
mod promises;
mod rules;
mod search;
mod sequential;

pub use engine::{Explore, INFO};
