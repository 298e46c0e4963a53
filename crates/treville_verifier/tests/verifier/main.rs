//! The library from outside, its answers beside other ways to them, and what it exports read again.

mod audited;
mod b;
mod bounded;
mod compare;
mod event_b;
mod extensions;
mod machines;
mod other_tools;
mod rma_definition;
mod rma_random;
mod session;
mod traces;
