//! Evaluating models on execution graphs. [`plain`] is the reference: what it says is what a model means.

pub mod plain;

pub use plain::{CheckResult, Derivation, Edge, Evidence, Extent, Judgement, Stop, Trace, accepts, judge};
