//! The engine `explore`: every consistent execution of a program, each once, by building execution graphs event by event
//! and letting later writes revisit earlier reads. Nothing is remembered of graphs that are done.

mod engine;
mod execution;
mod general;
mod graph;
mod judge;
mod memory;
mod path;
mod promises;
mod rules;
mod search;
mod sequential;

pub use engine::Explore;
