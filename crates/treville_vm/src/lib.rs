//! The thread interpreter of the bounded engines.
//!
//! A [`ThreadVm`] runs one thread up to its next [`Action`]: an event, a branch whose condition the values do not decide, a
//! free choice. The engine answers and lets it go on; to try both answers it clones the interpreter first. Values come
//! from a [`Domain`]: bits for engines that run programs, terms for those that solve them. Dependencies are carried
//! beside values as sets of earlier events and never read off a value: `x ^ x` is 0 and still depends on `x`.
//!
//! This crate knows neither memory nor models: what a read returns is the engine's business. Engines that run a program many times
//! do so with `treville_bytecode`.

mod action;
mod deps;
mod domain;
mod locks;
mod registers;
mod shape;
mod thread;
mod update;

pub use action::{Action, EventAction, Link, Picks};
pub use deps::Deps;
pub use domain::{Concrete, Domain, Symbolic};
pub use shape::Shape;
pub use thread::{Joiner, ThreadVm};
