//! What dropped rounds have read, and what others do to it later.
//!
//! A round of a loop that is not explored ([`treville_vm::bytecode`]) takes its reads along. Each of them could be wrong by
//! itself: race with a write `w`, or be too late for a free. If `w` does not depend on what the thread does after the round, the
//! graph in which the thread stands at the end of the round has both, and the read is checked there. Otherwise `w` is explored
//! without the round. It depends on an event after the round, by program order and reads-from, but that event does not happen before it.
//! So whenever something is written or freed, the threads are noted of which it depends on more than what happens before it.
//! If one of them has read the same in a dropped round, that is not proof of a mistake, but all is explored
//! once more, and such rounds are kept.

use super::{Explored, Search};
use crate::graph::{EventId, INIT, Kind, LocId, Made, Row};
use crate::memory::Owner;
use std::collections::{BTreeMap, BTreeSet};
use treville_ir::Wait;
use treville_vm::bytecode::{SiteId, SiteKind, Step};

/// The reads of dropped rounds, and what is done later, each with the thread that has dropped the round, or may have.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Dropped {
    reads: BTreeMap<Place, Read>,
    /// Those of an unknown element of an array, which have no location.
    selections: BTreeSet<SiteId>,
    /// Of each location and each kind of change, the threads.
    changes: Vec<[Threads; 3]>,
    /// The objects that are freed, by their addresses.
    frees: BTreeMap<u64, Threads>,
}

/// A read: the thread, where, and by which instruction.
type Place = (u16, LocId, SiteId);

/// A set of threads, one bit for each; if there are many, some share one, which is too many at worst.
type Threads = u64;

fn bit(thread: u16) -> Threads {
    1 << (thread % 64)
}

#[derive(Clone, Copy, PartialEq, Debug)]
struct Read {
    plain: bool,
    /// It is that of an update, which may write what it has read.
    update: bool,
    /// The object, if the program made it.
    object: Option<u64>,
}

/// An access that can race with what a dropped round reads or writes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Change {
    AtomicWrite,
    PlainWrite,
    PlainRead,
}

impl Read {
    /// Whether another access at the same place can race with this one.
    fn conflicts(&self, change: Change) -> bool {
        match change {
            Change::AtomicWrite => self.plain,
            Change::PlainWrite => true,
            Change::PlainRead => self.update,
        }
    }
}

impl Dropped {
    pub(crate) fn add(&mut self, other: Dropped) {
        self.reads.extend(other.reads);
        self.selections.extend(other.selections);
        self.changes.resize(self.changes.len().max(other.changes.len()), [0; 3]);
        for (mine, others) in self.changes.iter_mut().zip(other.changes) {
            mine.iter_mut().zip(others).for_each(|(mine, others)| *mine |= others);
        }
        other.frees.into_iter().for_each(|(object, threads)| *self.frees.entry(object).or_default() |= threads);
    }

    /// The sites of reads in dropped rounds.
    pub(crate) fn sites(&self) -> BTreeSet<SiteId> {
        self.reads.keys().map(|place| place.2).chain(self.selections.iter().copied()).collect()
    }

    /// Those of reads that may be wrong.
    pub(crate) fn doubtful(&self) -> BTreeSet<SiteId> {
        let changes = [Change::AtomicWrite, Change::PlainWrite, Change::PlainRead];
        let races = |(thread, loc, _): &Place, read: &Read| {
            let of = self.changes.get(*loc as usize).copied().unwrap_or_default();
            changes.iter().any(|change| read.conflicts(*change) && of[*change as usize] & bit(*thread) != 0)
        };
        let is_late = |(thread, ..): &Place, read: &Read| {
            let freed = read.object.and_then(|object| self.frees.get(&object));
            freed.is_some_and(|threads| threads & bit(*thread) != 0)
        };
        let doubtful = self.reads.iter().filter(|(place, read)| races(place, read) || is_late(place, read));
        let wrong = doubtful.map(|(place, _)| place.2);
        wrong.chain(self.selections.iter().copied()).collect()
    }
}

impl Explored {
    /// The same, with what was found when doubtful rounds were kept.
    pub(crate) fn confirmed_by(self, again: Explored) -> Explored {
        Explored {
            violation: again.violation,
            stopped: again.stopped,
            cut: self.cut || again.cut,
            cut_at: self.cut_at.or(again.cut_at),
            replayed: self.replayed + again.replayed,
            ..self
        }
    }

    /// The reads of dropped rounds for which all is to be explored again: those that may be wrong, or all if the model
    /// itself can find fault with them.
    pub(crate) fn doubts(&self, all: bool) -> BTreeSet<SiteId> {
        if all { self.dropped.sites() } else { self.dropped.doubtful() }
    }
}

impl Search<'_, '_> {
    /// If a thread was stopped at the end of a round that is dropped, notes what it has read there; the last read may be
    /// at these locations, and no event yet.
    pub(super) fn note_dropped(&mut self, thread: u16, step: Step, tried: &[(LocId, SiteId)]) {
        if !matches!(step, Step::Blocked { wait: Wait::Spin, .. }) {
            return;
        }
        let t = usize::from(thread);
        let n = self.threads[t].runner.dropped_reads();
        let mut left = n.saturating_sub(usize::from(!tried.is_empty()));
        tried.iter().filter(|_| n > 0).for_each(|(loc, site)| self.note_dropped_read(thread, *loc, *site));
        for i in (0..self.graph.threads[t].events.len()).rev() {
            if left == 0 {
                break;
            }
            let label = *self.graph.label(self.graph.threads[t].events[i]);
            match (label.kind, label.site) {
                (Kind::Read | Kind::UpdateRead, Some(site)) => self.note_dropped_read(thread, label.loc, site),
                (Kind::Selection, Some(site)) => {
                    self.explored.dropped.selections.insert(site);
                }
                _ => continue,
            }
            left -= usize::from(label.part() == 0);
        }
    }

    fn note_dropped_read(&mut self, thread: u16, loc: LocId, site: SiteId) {
        if self.explored.dropped.reads.contains_key(&(thread, loc, site)) {
            return;
        }
        let plain = !self.modes[site.0 as usize].read.atomic();
        let update = matches!(self.image.site(site).kind, SiteKind::Update(_) | SiteKind::Lock);
        let object = self.made(self.locations.places[loc as usize].addr).map(|made| made.addr);
        self.explored.dropped.reads.insert((thread, loc, site), Read { plain, update, object });
    }

    /// Notes the threads that lead to a new event by more than what happens before it.
    pub(super) fn note_change(&mut self, e: EventId) {
        let label = *self.graph.label(e);
        let change = match label.kind {
            Kind::Write | Kind::UpdateWrite if label.mode.atomic() => Some(Change::AtomicWrite),
            Kind::Write | Kind::UpdateWrite => Some(Change::PlainWrite),
            Kind::Read if !label.mode.atomic() => Some(Change::PlainRead),
            Kind::Free => None,
            _ => return,
        };
        let (before, leading) = (self.graph.row(e, Row::Hb), self.graph.row(e, Row::Porf));
        if before == leading {
            return;
        }
        let unordered = before.iter().zip(leading).enumerate().filter(|(_, (before, leading))| before < leading);
        let threads = unordered.fold(0, |all, (thread, _)| all | bit(thread as u16));
        let dropped = &mut self.explored.dropped;
        let Some(change) = change else {
            *dropped.frees.entry(label.value).or_default() |= threads;
            return;
        };
        let loc = label.loc as usize;
        if dropped.changes.len() <= loc {
            dropped.changes.resize(loc + 1, [0; 3]);
        }
        dropped.changes[loc][change as usize] |= threads;
    }

    /// Whether a read can be wrong by itself.
    pub(super) fn may_be_wrong(&self, e: EventId) -> bool {
        let label = self.graph.label(e);
        let place = &self.locations.places[label.loc as usize];
        let is_early_or_late = |made: &Made| made.free != INIT || !self.graph.hb(made.alloc, e);
        let in_doubt = || label.rf == INIT || self.made(place.addr).is_none_or(is_early_or_late);
        let made = matches!(place.owner, Owner::Made { .. });
        self.graph.locations[label.loc as usize].plain > 0 || made && in_doubt()
    }
}
