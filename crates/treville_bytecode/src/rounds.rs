//! Rounds that are dropped: what they have read, and which are kept nevertheless.
//!
//! A round of a loop that changes nothing is not explored, because without it the thread gets to the same place. But what it
//! reads goes with it, and an access can be wrong by itself: it can race with a later write, or the object can be freed. So the
//! runner says how many reads a dropped round had, and the engine compares them with what others do later. Where that looks
//! wrong, all is explored again, and the first such round of the thread that reads at one of these places is
//! kept: two events show that an access is wrong, and only one of them is in a dropped round.

use super::code::{Image, SiteId};
use super::run::Runner;
use super::track::Track;
use std::collections::BTreeSet;

/// The reads of a thread, counted, as far as dropped rounds are concerned.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Reads {
    /// How many there were.
    pub(crate) all: u32,
    /// How many there were after the last one at a place that keeps its round.
    pub(crate) keeping: u32,
    /// How many there were at the end of the first round that was kept; 0 if there was none.
    pub(crate) kept: u32,
    /// How many there were when the program said that a wait begins.
    pub(crate) spin: u32,
}

/// Which iterations are kept that could be dropped: the first one of a thread, or of each, that reads at one of these sites.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Keeps {
    pub thread: Option<u16>,
    pub sites: BTreeSet<SiteId>,
}

impl Image {
    /// Keeps some iterations, in place of those that were kept before.
    pub fn keep_rounds(&mut self, keeps: Option<Keeps>) {
        self.keeps = keeps;
    }

    /// The only thread that keeps an iteration.
    pub fn keeper(&self) -> Option<u16> {
        self.keeps.as_ref()?.thread
    }
}

impl Keeps {
    fn has(&self, thread: u32, site: SiteId) -> bool {
        self.thread.is_none_or(|keeper| u32::from(keeper) == thread) && self.sites.contains(&site)
    }
}

impl<T: Track> Runner<T> {
    pub(super) fn count_read(&mut self, image: &Image, site: SiteId) {
        self.reads.all += 1;
        if image.keeps.as_ref().is_some_and(|keeps| keeps.has(self.thread, site)) {
            self.reads.keeping = self.reads.all;
        }
    }

    /// Whether a round is dropped that began after so many reads. One that contains a kept one is kept, too.
    pub(super) fn drops_round(&mut self, since: u32) -> bool {
        let reads = &mut self.reads;
        let first = reads.kept == 0 && reads.keeping > since;
        if first {
            reads.kept = reads.all;
        }
        let drops = reads.kept <= since;
        if drops {
            self.dropped = reads.all - since;
        }
        drops
    }

    /// How many of the last reads of shared memory are in the round that the thread was stopped at the end of.
    pub fn dropped_reads(&self) -> usize {
        self.dropped as usize
    }
}
