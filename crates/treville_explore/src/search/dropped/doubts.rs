//! Which reads of dropped iterations may be wrong: those that fit together with something that others do later.
//!
//! Let a thread have dropped an iteration that began after `n` of its events, and `w` be an access of another thread
//! that was explored without it. If a read `r` of the iteration and `w` are wrong together, then
//!
//! - `w` depends on an event after the iteration: more than `n` events of the thread lead to `w`;
//! - `r` does not happen before `w`: no more than `n` of them happen before `w`;
//! - `w` does not lead to `r`, as `r` leads to `w`: no more events of the thread of `w` lead to `r` than come before `w`.
//!
//! Of all such pairs with the same instruction, place and threads only the bounds are kept, which is more at worst. If some
//! threads are equal, the two may have been explored with different names: then names are not compared, nor numbers of events.

use super::guards::Guard;
use super::{Access, Dropped, Later, Noted, Place, Removal};
use std::collections::{BTreeMap, BTreeSet};
use treville_bytecode::{Keeps, SiteId, address};

/// What is known of the reads of dropped iterations at a place, all by the same instruction.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Read {
    pub(super) plain: bool,
    /// It is that of an update, which may write what it has read.
    pub(super) update: bool,
    /// The object, if the program made it.
    pub(super) object: Option<u64>,
    /// How many events of the thread come before the iteration, at least and at most.
    pub(super) from: u16,
    pub(super) to: u16,
    /// How many events of each thread lead to the read, at least.
    pub(super) leading: Vec<u16>,
    /// What the thread has made sure of under hazard pointers: one set for each read.
    pub(super) guards: BTreeSet<Vec<Guard>>,
}

impl Read {
    pub(super) fn add(&mut self, other: Read) {
        (self.from, self.to) = (self.from.min(other.from), self.to.max(other.to));
        self.leading.truncate(other.leading.len());
        self.leading.iter_mut().zip(other.leading).for_each(|(n, m)| *n = (*n).min(m));
        self.guards.extend(other.guards);
    }

    /// Whether an access at the same place can race with this one.
    fn conflicts(&self, access: Access) -> bool {
        match access {
            Access::AtomicWrite => self.plain,
            Access::PlainWrite => true,
            Access::PlainRead => self.update,
        }
    }

    /// Whether one of these reads, by this thread, and one of these later events can be in an execution, unordered.
    fn meets(&self, thread: u16, later: &Later) -> bool {
        let before = self.leading.get(usize::from(later.by)).copied().unwrap_or_default();
        later.dropper == thread && later.ordered <= self.to && self.from < later.leading && before <= later.position
    }
}

impl Dropped {
    /// The sites of reads in dropped iterations.
    pub(super) fn sites(&self) -> BTreeSet<SiteId> {
        self.reads.keys().map(|place| place.2).chain(self.selections.iter().map(|(_, site)| *site)).collect()
    }

    /// Those of reads that may be wrong, for each thread.
    pub(super) fn doubtful(&self) -> Vec<Keeps> {
        let accesses = self.accesses.iter().map(|(addr, list)| (*addr, list));
        let accesses = self.by_address(accesses);
        let frees = self.by_address(self.frees.iter().map(|(addr, list)| (*addr, list)));
        let races = |place: &Place, read: &Read| {
            let mut others = accesses.get(&self.nameless(place.1)).into_iter().flatten();
            others.any(|(access, later)| read.conflicts(*access) && self.meet(place.0, read, later))
        };
        let is_late = |place: &Place, read: &Read| {
            let freed = read.object.and_then(|object| frees.get(&self.nameless(object)));
            freed.is_some_and(|frees| self.is_late(place.0, read, frees))
        };
        let wrong = self.reads.iter().filter(|(place, read)| races(place, read) || is_late(place, read));
        let wrong = wrong.map(|((thread, _, site), _)| (*thread, *site));
        let mut doubts: BTreeMap<u16, BTreeSet<SiteId>> = BTreeMap::new();
        for (thread, site) in wrong.chain(self.selections.iter().copied()) {
            doubts.entry(thread).or_default().insert(site);
        }
        doubts.into_iter().map(|(thread, sites)| Keeps { thread: Some(thread), sites }).collect()
    }

    fn by_address<'a, K: 'a>(
        &self,
        lists: impl Iterator<Item = (u64, &'a Noted<K>)>,
    ) -> BTreeMap<u64, Vec<&'a (K, Later)>> {
        let mut all: BTreeMap<u64, Vec<&(K, Later)>> = BTreeMap::new();
        for (addr, list) in lists {
            all.entry(self.nameless(addr)).or_default().extend(list);
        }
        all
    }

    /// An address without the name of the thread that has made the object, if equal threads have no names.
    fn nameless(&self, addr: u64) -> u64 {
        match address::heap_object(addr).filter(|_| self.equal_threads) {
            Some((thread, _)) => addr - (u64::from(thread) << address::THREAD_SHIFT),
            None if self.equal_threads => address::local_origin(addr).unwrap_or(addr),
            None => addr,
        }
    }

    fn meet(&self, thread: u16, read: &Read, later: &Later) -> bool {
        self.equal_threads || read.meets(thread, later)
    }

    /// Whether a read may come too late for its object, which is removed like this.
    fn is_late(&self, thread: u16, read: &Read, frees: &[&(Removal, Later)]) -> bool {
        let met = |removal: Removal| frees.iter().any(|(r, later)| *r == removal && self.meet(thread, read, later));
        met(Removal::Free) || met(Removal::Retire) && (self.equal_threads || !self.is_guarded(thread, read))
    }

    /// Whether each of these reads was made while a hazard pointer protected the object, whoever retires it.
    fn is_guarded(&self, thread: u16, read: &Read) -> bool {
        let lives = |guard: &Guard| {
            let mut frees = self.frees.get(&guard.hazard).into_iter().flatten();
            !frees.any(|(_, later)| later.dropper == thread)
        };
        let holds = |guard: &Guard| lives(guard) && read.object.is_some_and(|o| self.guards.holds(o, guard));
        !read.guards.is_empty() && read.guards.iter().all(|guards| guards.iter().any(holds))
    }
}
