//! What is known of a memory model's terms on the events of a program, before any execution is chosen.
//!
//! The input is a linked model and [`Facts`]: events that happen or do not, with bounds of their base sets and relations.
//! [`analyse`] finds, for each term, pairs that it *may* have and pairs that it *must* have (whenever their events happen), and
//! which of the pairs between these bounds are *active*: able to make a difference to a check. An engine that encodes executions
//! needs a literal for these only. See Gavrilenko, Ponce de León, Furbach, Heljanko, Meyer, "BMC for Weak Memory Models:
//! Relation Analysis for Compact SMT Encodings", CAV 2019.
//!
//! Meaning of bounds: in an execution, let a term's value be computed on the events that happen. Pairs of the value are in
//! `may`; pairs of `must` whose events happen are in the value. This holds of every execution, at [`Level::Extended`] of every
//! execution that passes the required checks.
//!
//! [`local()`] takes sources and coherence edges out of the facts beforehand that the model excludes within a thread.
//!
//! # What an encoder does with it
//!
//! - A pair outside `may` is false, one inside `must` is "both events happen"; only pairs of [`Analysis::active`] get a literal.
//! - A literal that is needed [`Polarity::Up`] gets "the definition implies the literal", one that is needed
//!   [`Polarity::Down`] the converse; for recursive definitions, the latter must be well-founded. Closures are defined
//!   as [`closure`] says, with the steps in [`Analysis::steps`]: that is what active pairs suffice for.
//! - A check looks at the pairs of its [`Relevance`], certain ones included.
//! - [`Analysis::stated`] and [`Analysis::contradictions`] are stated. Without them, what was concluded from a check would be
//!   lost together with the check's own pairs.
//! - Where terms are [`Analysis::opaque`], the encoding allows too much, and solutions are judged by evaluating the model.

mod active;
mod analysis;
mod axiom_facts;
mod bottom_up;
mod closure;
mod derive;
mod downward;
mod extended;
mod extent;
mod facts;
mod implied_edges;
mod local;
mod obligations;
mod plan;

pub use analysis::{Analysis, Counts, Level, Options, Relevance, Sizes, analyse};
pub use closure::{Closing, closure};
pub use extent::{ByPolarity, Extent, Known, Polarity};
pub use facts::Facts;
pub use local::local;
pub use obligations::Obligation;
