//! Evaluating models on execution graphs. [`plain`] is the reference: what it says is what a model means. [`Staged`] is
//! the fast one, tested against it.

pub mod plain;

mod coherence;
mod staged;

pub use coherence::Coherence;
pub use plain::{CheckResult, Derivation, Edge, Evidence, Extent, Judgement, Stop, Trace, accepts, judge};
pub use staged::{Plan, Staged};
