//! The reference evaluator: written to be read, never optimised. Everything fast is tested against it.
//!
//! [`judge`] walks through a model's steps on one graph: picks fork, checks are evaluated. [`Trace::why`] explains an edge
//! down to the base relations.

mod extent;
mod interpret;
mod judge;
mod operators;
mod orders;
mod prims;
mod terms;
mod value;
mod why;

pub use extent::Extent;
pub use judge::{CheckResult, Edge, Evidence, Judgement, accepts, judge};
pub use terms::different_values;
pub use why::{Derivation, Trace};

use treville_base::Diagnostic;

/// Why an evaluation did not come to its end.
#[derive(Clone, PartialEq, Debug)]
pub enum Stop {
    Cancelled,
    /// The model asks for something that it cannot have on this graph.
    Fault(Box<Diagnostic>),
    /// Recursion too deep for the stack at hand.
    TooDeep,
}

impl Stop {
    pub(crate) fn fault<T>(span: treville_base::Span, message: impl Into<String>) -> Result<T, Stop> {
        Err(Stop::Fault(Box::new(Diagnostic::error(span, message))))
    }
}
