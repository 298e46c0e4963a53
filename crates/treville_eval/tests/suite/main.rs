//! The reference evaluator on graphs written by hand.

mod agreement;
mod explanations;
mod four_tests;
mod graph;
mod language;
mod model;
