//! What protects the reads of dropped iterations: hazard pointers.
//!
//! A dropped iteration protects an object, reads at a location `l` the value `v`, and then reads from the object. Another
//! thread retires it and was explored without the iteration. With it, the read at `l` has some write of `v` as its source. If each of
//! these is overwritten by a write that happens before the retirement, or that was read by an event that happens
//! before it, the thread was in time ([`super::super::hazards`]), whichever it has read.

use super::super::execution::Execution;
use super::super::hazards::Hazards;
use super::Dropped;
use crate::graph::{EventId, INIT, Kind, LocId, Made};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
use treville_bytecode::address;

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

impl Hazards<'_> {
    /// Whether hazard pointers guard what dropped iterations read, and values are numbers.
    fn has_guards(&self) -> bool {
        self.execution.code.image.has_hazards()
            && !self.execution.code.judged
            && self.execution.code.image.symbols().is_none()
    }

    /// What a thread has made sure of since the event at this position, before it read `e`, or reads next, from an object.
    pub(super) fn guards_of(&self, thread: u16, first: usize, e: Option<EventId>, made: &Made) -> Vec<Guard> {
        if !self.has_guards() {
            return Vec::new();
        }
        let events = &self.execution.graph.threads[usize::from(thread)].events;
        let end = e.map_or(events.len(), |e| usize::from(self.execution.graph.label(e).pos));
        let protects = |at: &usize| {
            let label = self.execution.graph.label(events[*at]);
            let says = label.value >= made.addr && label.value - made.addr < made.size.max(1);
            says && self.is_hazard(events[*at]) && self.says_the_same(&events[*at..end])
        };
        let mut guards: Vec<Guard> = (first..end)
            .filter(protects)
            .flat_map(|at| {
                let hazard = self.execution.locations.places[self.execution.graph.label(events[at]).loc as usize].addr;
                let reads = events[at + 1..end].iter().map(|r| *self.execution.graph.label(*r));
                let others = reads.filter(move |r| r.kind.reads() && r.parts() == 1 && is_pointer(r.value));
                let others = others.filter(move |r| {
                    let source = self.execution.graph.label(r.rf);
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
        let label = self.execution.graph.label(events[0]);
        let mut later = events[1..].iter().map(|e| self.execution.graph.label(*e));
        later.all(|other| !(other.kind.writes() && other.loc == label.loc) || other.value == label.value)
    }

    /// The position of the last write of a location that happens before an event, or was seen by what happens before it.
    fn known_before(&self, loc: LocId, e: EventId) -> usize {
        let location = &self.execution.graph.locations[loc as usize];
        let written = location.writes.iter().rposition(|w| self.execution.graph.hb(*w, e)).map_or(0, |i| i + 1);
        let reads = location.reads.iter().filter(|r| self.execution.graph.hb(**r, e));
        let seen = reads.map(|r| self.execution.graph.co_position(loc, self.execution.graph.label(*r).rf)).max();
        written.max(seen.unwrap_or(0))
    }
}

impl Dropped {
    /// Notes who sets a hazard pointer, other than to make it.
    #[inline]
    pub(in crate::search) fn note_hazard(&mut self, execution: &Execution<'_>, e: EventId) {
        if !execution.code.image.has_hazards() || !execution.hazards().is_hazard(e) {
            return;
        }
        let label = execution.graph.label(e);
        let addr = execution.locations.places[label.loc as usize].addr;
        let before = execution.graph.label(execution.graph.previous(e));
        if (before.kind, before.value) != (Kind::Alloc, addr) {
            self.guards.note_user(addr, label.thread);
        }
    }

    /// Notes which pointers may not have been overwritten when an object was retired.
    pub(super) fn note_retired(&mut self, execution: &Execution<'_>, free: EventId) {
        if !execution.hazards().has_guards() {
            return;
        }
        let object = execution.graph.label(free).value;
        for loc in 0..execution.graph.locations.len() as LocId {
            let known = execution.hazards().known_before(loc, free);
            let later = known..=execution.graph.locations[loc as usize].writes.len();
            for position in later {
                self.note_open(execution, object, loc, execution.graph.co_at(loc, position));
            }
        }
    }

    /// Notes the objects that were retired already, and that a new write may not have been overwritten before that.
    #[inline]
    pub(in crate::search) fn note_write(&mut self, execution: &Execution<'_>, e: EventId) {
        if !execution.hazards().has_guards() || !is_pointer(execution.graph.label(e).value) {
            return;
        }
        let loc = execution.graph.label(e).loc;
        for i in 0..execution.graph.made.len() {
            let Made { addr, free, .. } = execution.graph.made[i];
            if free != INIT && execution.hazards().known_before(loc, free) <= execution.graph.co_position(loc, e) {
                self.note_open(execution, addr, loc, e);
            }
        }
    }

    fn note_open(&mut self, execution: &Execution<'_>, object: u64, loc: LocId, write: EventId) {
        let value = execution.value_of(loc, write);
        if is_pointer(value) {
            self.guards.open.insert((object, loc, value));
        }
    }
}
