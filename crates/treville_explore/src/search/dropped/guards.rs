//! What protects the reads of dropped iterations: hazard pointers.
//!
//! A dropped iteration protects an object, reads at a location `l` the value `v`, and then reads from the object. Another
//! thread retires it and was explored without the iteration. With it, the read at `l` has some write of `v` as its source. If each of
//! these is overwritten by a write that happens before the retirement, or that was read by an event that happens
//! before it, the thread was in time ([`super::super::hazards`]), whichever it has read.

use super::super::Search;
use crate::graph::{EventId, INIT, Kind, LocId, Made};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
use treville_vm::bytecode::address;

/// A read of a pointer after an object was protected.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Guard {
    /// The address of the hazard pointer.
    pub(super) hazard: u64,
    loc: LocId,
    value: u64,
}

#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Guards {
    /// The objects that were retired when this value at this location may not have been overwritten.
    open: FxHashSet<(u64, LocId, u64)>,
    /// Who sets which hazard pointer.
    users: BTreeMap<u64, u16>,
    shared: bool,
}

impl Guards {
    pub(super) fn add(&mut self, other: Guards) {
        self.open.extend(other.open);
        self.shared |= other.shared;
        other.users.into_iter().for_each(|(hazard, thread)| self.note_user(hazard, thread));
    }

    fn note_user(&mut self, hazard: u64, thread: u16) {
        self.shared |= *self.users.entry(hazard).or_insert(thread) != thread;
    }

    pub(super) fn are_shared(&self) -> bool {
        self.shared
    }

    /// Whether what was read is always overwritten before the object is retired.
    pub(super) fn holds(&self, object: u64, guard: &Guard) -> bool {
        !self.open.contains(&(object, guard.loc, guard.value))
    }
}

fn is_pointer(value: u64) -> bool {
    address::heap_object(value).is_some()
}

impl Search<'_, '_> {
    /// Whether hazard pointers guard what dropped iterations read, and values are numbers.
    fn has_guards(&self) -> bool {
        self.image.has_hazards() && self.is_exact() && self.image.symbols().is_none()
    }

    /// What a thread has made sure of since the event at this position, before it read `e`, or reads next, from an object.
    pub(super) fn guards_of(&self, thread: u16, first: usize, e: Option<EventId>, made: &Made) -> Vec<Guard> {
        if !self.has_guards() {
            return Vec::new();
        }
        let events = &self.graph.threads[usize::from(thread)].events;
        let end = e.map_or(events.len(), |e| usize::from(self.graph.label(e).pos));
        let protects = |at: &usize| {
            let label = self.graph.label(events[*at]);
            let says = label.value >= made.addr && label.value - made.addr < made.size.max(1);
            says && self.is_hazard(events[*at]) && self.says_the_same(&events[*at..end])
        };
        let mut guards: Vec<Guard> = (first..end)
            .filter(protects)
            .flat_map(|at| {
                let hazard = self.locations.places[self.graph.label(events[at]).loc as usize].addr;
                let reads = events[at + 1..end].iter().map(|r| *self.graph.label(*r));
                let others = reads.filter(move |r| r.kind.reads() && r.parts() == 1 && is_pointer(r.value));
                let others = others.filter(move |r| {
                    let source = self.graph.label(r.rf);
                    r.rf == INIT || source.thread != thread || usize::from(source.pos) < first
                });
                others.map(move |r| Guard { hazard, loc: r.loc, value: r.value })
            })
            .collect();
        guards.sort_unstable();
        guards.dedup();
        guards
    }

    /// Whether the hazard pointer that the first of these events sets is not changed by the others.
    fn says_the_same(&self, events: &[EventId]) -> bool {
        let label = self.graph.label(events[0]);
        let mut later = events[1..].iter().map(|e| self.graph.label(*e));
        later.all(|other| !(other.kind.writes() && other.loc == label.loc) || other.value == label.value)
    }

    /// Notes who sets a hazard pointer, other than to make it.
    pub(in crate::search) fn note_hazard(&mut self, e: EventId) {
        if !self.image.has_hazards() || !self.is_hazard(e) {
            return;
        }
        let label = self.graph.label(e);
        let addr = self.locations.places[label.loc as usize].addr;
        let before = self.graph.label(self.graph.previous(e));
        if (before.kind, before.value) != (Kind::Alloc, addr) {
            self.explored.dropped.guards.note_user(addr, label.thread);
        }
    }

    /// Notes which pointers may not have been overwritten when an object was retired.
    pub(super) fn note_retired(&mut self, free: EventId) {
        if !self.has_guards() {
            return;
        }
        let object = self.graph.label(free).value;
        for loc in 0..self.graph.locations.len() as LocId {
            let known = self.known_before(loc, free);
            let later = known..=self.graph.locations[loc as usize].writes.len();
            for position in later {
                self.note_open(object, loc, self.graph.co_at(loc, position));
            }
        }
    }

    /// Notes the objects that were retired already, and that a new write may not have been overwritten before that.
    pub(in crate::search) fn note_write(&mut self, e: EventId) {
        if !self.has_guards() || !is_pointer(self.graph.label(e).value) {
            return;
        }
        let loc = self.graph.label(e).loc;
        for i in 0..self.graph.made.len() {
            let Made { addr, free, .. } = self.graph.made[i];
            if free != INIT && self.known_before(loc, free) <= self.graph.co_position(loc, e) {
                self.note_open(addr, loc, e);
            }
        }
    }

    fn note_open(&mut self, object: u64, loc: LocId, write: EventId) {
        let value = self.value_of(loc, write);
        if is_pointer(value) {
            self.explored.dropped.guards.open.insert((object, loc, value));
        }
    }

    /// The position of the last write of a location that happens before an event, or was seen by what happens before it.
    fn known_before(&self, loc: LocId, e: EventId) -> usize {
        let location = &self.graph.locations[loc as usize];
        let written = location.writes.iter().rposition(|w| self.graph.hb(*w, e)).map_or(0, |i| i + 1);
        let reads = location.reads.iter().filter(|r| self.graph.hb(**r, e));
        let seen = reads.map(|r| self.graph.co_position(loc, self.graph.label(*r).rf)).max();
        written.max(seen.unwrap_or(0))
    }
}
