//! What dropped iterations have read, and what others do to it later.
//!
//! An iteration of a loop that is not explored ([`treville_bytecode`]) takes its reads along. Each of them could be wrong by
//! itself: race with an access `w`, or be too late for a free. If `w` does not depend on what the thread does after the iteration, the
//! graph in which the thread stands at the end of the iteration has both, and the read is checked there. Otherwise `w` is explored
//! without the iteration. It depends on an event after it, by program order and reads-from, but that event does not happen before it.
//! So whenever something is accessed or freed, it is noted of which threads it depends on more than what happens before it
//! ([`Later`]), and of dropped iterations what they have read ([`doubts::Read`]). Where the two fit together ([`doubts`]), that is
//! not proof of a mistake, but all is explored once more, and one such iteration is kept.

mod doubts;
mod guards;

use super::execution::Execution;
use super::{Explored, Search};
use crate::graph::{EventId, INIT, Kind, Label, LocId, Made, NO_LOC, Row};
use crate::memory::Owner;
use doubts::Read;
use guards::Guards;
use std::collections::{BTreeMap, BTreeSet};
use treville_bytecode::{Keeps, Runner, SiteId, SiteKind};

/// The reads of dropped iterations, and what is done later.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Dropped {
    reads: BTreeMap<Place, Read>,
    /// Those of an unknown element of an array, which have no location.
    selections: BTreeSet<(u16, SiteId)>,
    /// Of each location, its address and who accesses it how.
    accesses: Vec<(u64, Noted<Access>)>,
    /// The objects that are freed, or retired, by their addresses.
    frees: BTreeMap<u64, Noted<Removal>>,
    guards: Guards,
    /// Of each location, whether it is a lock, and whether it is read as memory.
    locks: Vec<[bool; 2]>,
    /// Some threads are equal, and only some of the executions in which they change places were explored.
    equal_threads: bool,
}

/// A read: the thread, the address, and the instruction.
type Place = (u16, u64, SiteId);

/// An access that can race with what a dropped iteration reads or writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Access {
    AtomicWrite,
    PlainWrite,
    PlainRead,
}

/// How an object comes to its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Removal {
    Free,
    Retire,
}

/// Events that depend on more of a thread than what happens before them: all of the same kind, by the same thread.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Later {
    /// The thread that may have dropped an iteration.
    dropper: u16,
    by: u16,
    /// The last position of such an event in its thread.
    position: u16,
    /// How many events of the dropper happen before it, at least.
    ordered: u16,
    /// How many lead to it, at most.
    leading: u16,
}

impl Later {
    /// What also stands for another one, of the same threads.
    fn with(self, other: Later) -> Later {
        Later {
            position: self.position.max(other.position),
            ordered: self.ordered.min(other.ordered),
            leading: self.leading.max(other.leading),
            ..self
        }
    }
}

/// Events of some kinds: one entry for each kind and pair of threads.
type Noted<K> = Vec<(K, Later)>;

fn note<K: PartialEq>(list: &mut Noted<K>, kind: K, later: Later) {
    let same = |(k, l): &&mut (K, Later)| *k == kind && (l.dropper, l.by) == (later.dropper, later.by);
    match list.iter_mut().find(same) {
        Some((_, noted)) => *noted = noted.with(later),
        None => list.push((kind, later)),
    }
}

fn note_all<K: PartialEq>(list: &mut Noted<K>, others: Noted<K>) {
    others.into_iter().for_each(|(kind, later)| note(list, kind, later));
}

impl Dropped {
    pub(crate) fn add(&mut self, other: Dropped) {
        for (place, read) in other.reads {
            self.note_read(place, read);
        }
        self.selections.extend(other.selections);
        for (loc, (addr, list)) in other.accesses.into_iter().enumerate().filter(|(_, (_, list))| !list.is_empty()) {
            note_all(self.accesses_at(loc as LocId, addr), list);
        }
        for (object, list) in other.frees {
            note_all(self.frees.entry(object).or_default(), list);
        }
        self.guards.add(other.guards);
        for (loc, [lock, memory]) in other.locks.into_iter().enumerate() {
            let known = self.lock_at(loc);
            *known = [known[0] | lock, known[1] | memory];
        }
        self.equal_threads |= other.equal_threads;
    }

    fn note_read(&mut self, place: Place, read: Read) {
        match self.reads.get_mut(&place) {
            Some(noted) => noted.add(read),
            None => {
                self.reads.insert(place, read);
            }
        }
    }

    fn accesses_at(&mut self, loc: LocId, addr: u64) -> &mut Noted<Access> {
        let loc = loc as usize;
        if self.accesses.len() <= loc {
            self.accesses.resize(loc + 1, (0, Vec::new()));
        }
        self.accesses[loc].0 = addr;
        &mut self.accesses[loc].1
    }

    /// Notes that some threads are equal.
    pub(super) fn note_equal_threads(&mut self) {
        self.equal_threads = true;
    }

    fn lock_at(&mut self, loc: usize) -> &mut [bool; 2] {
        if self.locks.len() <= loc {
            self.locks.resize(loc + 1, [false; 2]);
        }
        &mut self.locks[loc]
    }

    /// Whether it is seen other than by taking it that a lock is taken.
    pub(crate) fn sees_locks(&self) -> bool {
        self.locks.contains(&[true; 2])
    }

    /// Whether several threads use the same hazard pointer.
    pub(crate) fn share_hazards(&self) -> bool {
        self.guards.are_shared()
    }
}

impl Explored {
    /// The same, with what was found when doubtful iterations were kept.
    pub(crate) fn confirmed_by(self, again: Explored) -> Explored {
        Explored {
            violation: again.violation,
            stopped: again.stopped,
            cut: self.cut || again.cut,
            cut_at: self.cut_at.or(again.cut_at),
            doubtful: self.doubtful || again.doubtful,
            replayed: self.replayed + again.replayed,
            ..self
        }
    }

    /// The iterations that are to be kept, each when all is explored once more: those with a read that may be wrong, one
    /// thread after the other; or all at once, if the model itself can find fault with them.
    pub(crate) fn doubts(&self, all: bool) -> Vec<Keeps> {
        if !all {
            return self.dropped.doubtful();
        }
        let sites = self.dropped.sites();
        if sites.is_empty() { Vec::new() } else { vec![Keeps { thread: None, sites }] }
    }
}

/// Where a dropped iteration lies in its thread: the positions between which it begins, and that of its first read.
#[derive(Clone, Copy)]
struct Span {
    from: u16,
    to: u16,
    first: usize,
}

impl Dropped {
    /// A thread was stopped at the end of an iteration that is dropped and has made `n` reads: notes what it has read there. The last
    /// read may be at these locations, and no event yet.
    pub(super) fn note_iteration(
        &mut self,
        execution: &Execution<'_>,
        thread: u16,
        n: usize,
        tried: &[(LocId, SiteId)],
    ) {
        if n == 0 {
            return;
        }
        let span = execution.dropped_span(thread, n - usize::from(!tried.is_empty()));
        for (loc, site) in tried {
            self.note_dropped_read(execution, thread, span, None, *loc, *site);
        }
        for at in span.first..execution.graph.threads[usize::from(thread)].events.len() {
            let e = execution.graph.threads[usize::from(thread)].events[at];
            let label = *execution.graph.label(e);
            match (label.kind, label.site) {
                (Kind::Read | Kind::UpdateRead, Some(site)) => {
                    self.note_dropped_read(execution, thread, span, Some(e), label.loc, site);
                }
                (Kind::Selection, Some(site)) => {
                    let thread = execution.first_equal(thread);
                    self.selections.insert((thread, site));
                }
                _ => {}
            }
        }
    }

    fn note_dropped_read(
        &mut self,
        execution: &Execution<'_>,
        thread: u16,
        span: Span,
        e: Option<EventId>,
        loc: LocId,
        site: SiteId,
    ) {
        let addr = execution.locations.places[loc as usize].addr;
        let made = execution.made(addr).copied();
        let mut read = Read {
            plain: !execution.code.modes(site).read.atomic(),
            update: matches!(execution.code.image.site(site).kind, SiteKind::Update(_) | SiteKind::Lock),
            object: made.map(|made| made.addr),
            from: 0,
            to: u16::MAX,
            leading: Vec::new(),
            guards: BTreeSet::new(),
        };
        // Otherwise program order and reads-from may have cycles.
        if !execution.code.judged {
            (read.from, read.to) = (span.from, span.to);
            read.leading = execution.graph.row(e.unwrap_or(execution.graph.last_of(thread)), Row::Porf).to_vec();
            if e.is_none() {
                let source = execution.graph.co_at(loc, execution.graph.locations[loc as usize].writes.len());
                let brought = execution.graph.row(source, Row::Porf);
                read.leading.iter_mut().zip(brought).for_each(|(n, more)| *n = (*n).max(*more));
            }
        }
        if let Some(made) = made.filter(|_| execution.code.image.has_hazards()) {
            read.guards.insert(execution.hazards().guards_of(thread, span.first, e, &made));
        }
        let place = (execution.first_equal(thread), addr, site);
        self.note_read(place, read);
    }

    /// Notes whether an event uses a lock, or reads its location as it reads memory.
    #[inline]
    pub(super) fn note_lock(&mut self, execution: &Execution<'_>, label: &Label) {
        let Some(site) = label.site.filter(|_| execution.code.has_locks && label.loc != NO_LOC) else { return };
        let of_lock = matches!(execution.code.image.site(site).kind, SiteKind::Lock | SiteKind::Unlock);
        if of_lock || label.kind.reads() {
            self.lock_at(label.loc as usize)[usize::from(!of_lock)] = true;
        }
    }

    /// Notes the threads that lead to a new event by more than what happens before it; `runner` is that of its thread.
    pub(super) fn note_change(&mut self, execution: &Execution<'_>, runner: &Runner, e: EventId) {
        let label = *execution.graph.label(e);
        let access = match label.kind {
            Kind::Write | Kind::UpdateWrite if label.mode.atomic() => Some(Access::AtomicWrite),
            Kind::Write | Kind::UpdateWrite => Some(Access::PlainWrite),
            Kind::Read if !label.mode.atomic() => Some(Access::PlainRead),
            Kind::Free => None,
            _ => return,
        };
        if execution.graph.row(e, Row::Hb) == execution.graph.row(e, Row::Porf) {
            return;
        }
        // No other thread can have read from an object that only its thread knows; so nothing that leads to the write has.
        if label.kind.writes() && runner.keeps_to_itself(execution.locations.places[label.loc as usize].addr) {
            return;
        }
        if access.is_none() && execution.hazards().is_retired(e) {
            self.note_retired(execution, e);
        }
        for dropper in 0..execution.graph.stride() {
            let ordered = execution.graph.row(e, Row::Hb)[dropper];
            let leading = execution.graph.row(e, Row::Porf)[dropper];
            if ordered == leading {
                continue;
            }
            let (dropper, by, position) = (dropper as u16, label.thread, label.pos);
            let later = match execution.code.judged {
                false => Later { dropper, by, position, ordered, leading },
                true => Later { dropper, by, position: u16::MAX, ordered: 0, leading: u16::MAX },
            };
            match access {
                Some(access) => {
                    let addr = execution.locations.places[label.loc as usize].addr;
                    note(self.accesses_at(label.loc, addr), access, later);
                }
                None => {
                    let removal = if execution.hazards().is_retired(e) { Removal::Retire } else { Removal::Free };
                    note(self.frees.entry(label.value).or_default(), removal, later);
                }
            }
        }
    }
}

impl Search<'_, '_> {}

impl Execution<'_> {
    /// The first of the threads that are equal to this one.
    pub(super) fn first_equal(&self, thread: u16) -> u16 {
        let predecessor = |thread: &u16| self.graph.threads[usize::from(*thread)].predecessor;
        std::iter::successors(Some(thread), predecessor).last().unwrap_or(thread)
    }

    /// Where the iteration lies that ends a thread and has so many reads there.
    fn dropped_span(&self, thread: u16, reads: usize) -> Span {
        let events = &self.graph.threads[usize::from(thread)].events;
        let is_read = |e: EventId| {
            let label = self.graph.label(e);
            (label.kind.reads() || label.kind == Kind::Selection) && label.part() == 0
        };
        let mut starts = (0..events.len()).rev().filter(|at| is_read(events[*at]));
        let first = if reads == 0 { events.len() } else { starts.nth(reads - 1).unwrap_or(0) };
        // It begins after the read before, but not behind its own first one.
        let before = (0..first).rev().find(|at| self.graph.label(events[*at]).kind.reads());
        let from = before.map_or(0, |at| at + 1) as u16;
        // An attempt is not dropped as a whole: what remains of it may end anywhere.
        let to = if self.code.image.has_hazards() { events.len() } else { first } as u16;
        Span { from, to, first }
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
