//! Skeletons (events with everything that the program alone determines) and graphs (with reads-from and coherence).

use crate::{BaseRel, Event, EventId, EventSet, Relation};
use std::collections::BTreeMap;
use std::sync::Arc;
use treville_base::{IndexVec, Name};

/// The events of one way through the program, with the sets and relations that do not depend on who reads from whom
/// (except through the values and addresses already fixed in the events).
#[derive(Clone, PartialEq, Debug)]
pub struct Skeleton {
    pub events: IndexVec<EventId, Event>,
    /// By name: kinds (`R`, `W`, `M`, `F`, `IW`, …) and tags. A set that the vocabulary knows and that is missing is empty.
    pub sets: BTreeMap<Name, EventSet>,
    /// Those that are missing are empty. Never `rf` and `co`, which belong to a graph; `id`, `int`, `ext` and `loc` are here too.
    pub rels: BTreeMap<BaseRel, Relation>,
}

/// A candidate execution: a skeleton with one source for each read, one order of writes for each cell, and the writes that
/// are final.
#[derive(Clone, PartialEq, Debug)]
pub struct Graph {
    pub skeleton: Arc<Skeleton>,
    /// From writes to reads; exactly one source for each read.
    pub rf: Relation,
    /// Total on the writes of each cell (transitive, irreflexive), initial write first. Empty if the model generates its own.
    pub co: Relation,
    /// The last write of each observed cell.
    pub finals: EventSet,
}

impl Skeleton {
    pub fn n_events(&self) -> usize {
        self.events.len()
    }
}
