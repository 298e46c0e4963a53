//! What a search has visited.

use rustc_hash::FxHashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};
use treville_task::{Child, Class, Observer};

/// The classes of all executions that a search has told of.
#[derive(Debug, Default)]
pub struct Visits(Mutex<Visited>);

#[derive(Debug, Default)]
pub(crate) struct Visited {
    pub(crate) graphs: FxHashSet<u64>,
    pub(crate) states: FxHashSet<u64>,
    /// The numbers of threads, so that names and addresses of threads mean the same.
    pub(crate) threads: Vec<(Child, u16)>,
}

impl Visits {
    pub(crate) fn visited(&self) -> MutexGuard<'_, Visited> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Observer for Visits {
    fn begin(&self) {
        *self.visited() = Visited::default();
    }

    fn visit(&self, class: Class) {
        let mut visited = self.visited();
        visited.graphs.insert(class.graph);
        visited.states.insert(class.state);
    }

    fn end(&self, threads: Vec<(Child, u16)>) {
        self.visited().threads = threads;
    }
}
