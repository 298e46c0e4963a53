//! The engine that enumerates every execution of a finite program.

mod candidates;
mod cells;
mod collect;
mod frame;
mod order;
mod prepare;
mod search;
mod skeleton;
mod traces;
mod values;
