//! The audit of a search by sampling: complete executions of a program, made by a random scheduler that knows no reduction,
//! judged by the reference evaluator, and looked up among those that the search has visited.
//!
//! Nothing here is shared with a search but the thread interpreter, the event graphs and the definition of classes
//! ([`treville_event::graph_class`]). A [`trial::Trial`] lets threads run in a random order; each read takes any write
//! that is there, or guesses a value that is written later, each write takes any place in coherence order. What the model says
//! of it, [`judge`] asks the evaluator once the execution is complete. So most of the work is thrown away, and nothing is left
//! out on purpose. [`Audited`] is the answer of an engine that is looked at in this way.

mod assemble;
mod audit;
mod audited;
mod judge;
mod memory;
mod random;
mod rows;
mod setup;
mod text;
mod trial;
mod visits;

pub use audit::{Comparison, Figures, Missing, NotAudited, Report, audit};
pub use audited::Audited;
pub use visits::Visits;
