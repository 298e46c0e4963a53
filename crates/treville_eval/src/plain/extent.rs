//! What a term stands for in one graph.

use treville_event::{EventSet, Relation};
use treville_model::Shape;

/// A set of events or a relation on them.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Extent {
    Set(EventSet),
    Rel(Relation),
}

impl Extent {
    pub fn empty(shape: Shape, n_events: usize) -> Self {
        match shape {
            Shape::Set => Extent::Set(EventSet::new(n_events)),
            Shape::Rel => Extent::Rel(Relation::new(n_events)),
        }
    }

    pub fn universe(shape: Shape, n_events: usize) -> Self {
        match shape {
            Shape::Set => Extent::Set(EventSet::full(n_events)),
            Shape::Rel => Extent::Rel(Relation::full(n_events)),
        }
    }

    pub fn is_empty(&self) -> bool {
        match self {
            Extent::Set(s) => s.is_empty(),
            Extent::Rel(r) => r.is_empty(),
        }
    }

    /// Whether it holds the edge; for a set, whether `from`, which is `to`, is a member.
    pub fn holds(&self, from: usize, to: usize) -> bool {
        match self {
            Extent::Set(s) => from == to && s.contains(from),
            Extent::Rel(r) => r.contains(from, to),
        }
    }

    /// The set; the linker has made sure that it is one.
    pub(crate) fn set(&self) -> &EventSet {
        match self {
            Extent::Set(s) => s,
            Extent::Rel(_) => unreachable!("the linker gives sets where sets are needed"),
        }
    }

    /// The relation; the linker has made sure that it is one.
    pub(crate) fn rel(&self) -> &Relation {
        match self {
            Extent::Rel(r) => r,
            Extent::Set(_) => unreachable!("the linker gives relations where relations are needed"),
        }
    }
}
