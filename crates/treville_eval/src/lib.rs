//! The evaluator of models on execution graphs.

mod coherence;
mod staged;

pub use coherence::Coherence;
pub use staged::{Plan, Staged};
