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
//! removes what was added since ([`Search::are_overtaken_for`]): the acquisition that overtakes leads to the write that revisits.
//! And that acquisition stays while there is a note of it ([`Search::has_overtaken`]). So each execution is still built in one way.

use super::{Move, NOWHERE, Search};
use crate::graph::{EventId, Kind, Overtaken};
use treville_ir::Wait;
use treville_task::Reduction;
use treville_vm::bytecode::{SiteKind, Step};

impl Search<'_, '_> {
    /// Whether `read` is that of an acquisition which has to wait if the acquisition with this write comes first.
    pub(super) fn overtakes(&mut self, read: EventId, write: EventId) -> bool {
        let label = *self.graph.label(write);
        // Promises and writes in parts keep threads standing for other reasons, too.
        let reduces = self.options.reductions.has(Reduction::LockWaits) && !self.mixed && !self.promising;
        reduces
            && label.kind == Kind::UpdateWrite
            && self.is_of_lock(write)
            && self.is_of_lock(read)
            && self.graph.label(self.graph.update_read(write)).rf == self.graph.label(read).rf
            && self.waits_with(read, label.value)
    }

    fn is_of_lock(&self, e: EventId) -> bool {
        self.graph.label(e).site.is_some_and(|site| self.image.site(site).kind == SiteKind::Lock)
    }

    /// Whether a thread waits for a lock if its read has this value.
    fn waits_with(&mut self, read: EventId, value: u64) -> bool {
        let thread = self.graph.label(read).thread;
        let Some(state) = self.graph.saved_at(read) else { return false };
        let runs = &mut self.threads[usize::from(thread)];
        runs.runner.restore(self.image, u32::from(thread), &state[1..]);
        runs.runner.give(self.image, value);
        let step = runs.runner.run(self.image, &self.options.run);
        (runs.at, runs.step) = (NOWHERE, None);
        matches!(step, Step::Blocked { wait: Wait::Resource, .. })
    }

    /// Notes that an acquisition, which was at this place, is overtaken, and puts the write that overtakes it in its place.
    pub(super) fn overtake(&mut self, at: EventId, by: EventId) -> Move {
        self.graph.overtaken.push(Overtaken { at, by });
        let first_way = self.ways.len();
        self.places(by);
        match self.note_ways(by, first_way, 0) {
            0 => Move::Back,
            _ => Move::Choose,
        }
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
