//! Locks that another thread takes first.
//!
//! A thread that takes a lock that is free reads from the last release, and another thread may do so in its place: the write of
//! the other's acquisition revisits the read. The first thread would wait then, until the lock is released, and again
//! if it is overtaken once more. An execution in which it goes on waiting after the release is of no use by itself; only a
//! revisit that removes the waiting read leads to something new.
//!
//! So the read is removed at once. Its thread is as it was before it came to the lock, and comes again when the lock
//! is free; an acquisition is in the graph only if it succeeds, or if nothing else can go on. What remains is a note that
//! it was there and by whom it was overtaken. Like the read, the note must be as the search would first add it when a revisit
//! removes what was added since ([`Execution::are_overtaken_for`]): the acquisition that overtakes leads to the write that revisits.
//! And that acquisition stays while there is a note of it ([`Execution::has_overtaken`]). So each execution is still built in one way.

use super::execution::Execution;
use super::threads::Threads;
use crate::graph::{EventId, Kind};
use treville_bytecode::SiteKind;
use treville_task::Reduction;

impl Threads {
    /// Whether `read` is that of an acquisition which has to wait if the acquisition with this write comes first.
    pub(super) fn overtakes(&mut self, execution: &Execution<'_>, read: EventId, write: EventId) -> bool {
        let label = *execution.graph.label(write);
        // Writes in parts keep threads standing for other reasons, too.
        let reduces = execution.code.options.reductions.has(Reduction::LockWaits) && !execution.code.assumptions.mixed;
        reduces
            && label.kind == Kind::UpdateWrite
            && execution.is_of_lock(write)
            && execution.is_of_lock(read)
            && execution.graph.label(execution.graph.update_read(write)).rf == execution.graph.label(read).rf
            && self.waits_with(execution, read, label.value)
    }
}

impl Execution<'_> {
    pub(super) fn is_of_lock(&self, e: EventId) -> bool {
        self.graph.label(e).site.is_some_and(|site| matches!(self.code.image.site(site).kind, SiteKind::Lock))
    }

    /// Whether every acquisition that was overtaken after `read` is also overtaken if only what leads to `write` comes after it.
    pub(super) fn are_overtaken_for(&self, read: EventId, write: EventId) -> bool {
        self.graph.overtaken.iter().all(|o| o.at <= read || self.graph.porf(o.by, write))
    }

    /// Whether an acquisition is overtaken by the one with this write.
    pub(super) fn has_overtaken(&self, write: EventId) -> bool {
        self.graph.overtaken.iter().any(|o| o.by == write)
    }
}
