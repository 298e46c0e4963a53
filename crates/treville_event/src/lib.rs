//! Events, the relations between them, and execution graphs: what programs, models and engines agree on. No model here.

mod class;
mod event;
mod graph;
mod vocabulary;

pub use class::{Act, Byte, Ended, graph_class, state_class};
pub use event::{Cell, Event, EventId, Kind};
pub use graph::{Graph, Skeleton};
pub use vocabulary::{BaseRel, LockShape, RmwShape, Vocabulary, scope_set};

/// A set of events.
pub type EventSet = treville_base::BitSet;
/// A binary relation on events.
pub type Relation = treville_base::BitMatrix;
