//! Evaluating models on execution graphs. [`plain`] is the reference: what it says is what a model means. [`Staged`] is fast
//! and tested against it; [`Coherence`] reads off a model what a search may take for granted.

pub mod plain;

mod coherence;
mod staged;

pub use coherence::Coherence;
pub use plain::{CheckResult, Derivation, Edge, Evidence, Extent, Judgement, Stop, Trace, accepts, judge};
pub use staged::{Plan, Staged};
