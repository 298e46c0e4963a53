//! RC11's order of seq_cst events: has it a cycle through a new event?
//!
//! With `scb = po ∪ po≠loc;hb;po≠loc ∪ hb∩loc ∪ co ∪ fr` (Lahav, Vafeiadis, Kang, Hur and Dreyer, *Repairing Sequential
//! Consistency in C/C++11*, PLDI 2017), an event comes before another if
//! `([SC] ∪ [F];hb?) ; scb ; ([SC] ∪ hb?;[F])`, or, between fences F, if `hb ∪ hb;eco;hb`.
//!
//! A new event is the last of its thread: it only leads on by co or fr, to later writes of its location. So a cycle through
//! it begins at the event, if it is seq_cst, or at a fence that happens before it, goes on to such a write, or to a fence
//! after it, and comes back. The search goes backward, from an event to those before it, of each thread to the latest only:
//! program order leads to the rest. Accesses to several cells at once are one event of the order, named by the first of their
//! parts; they are of one location if they have a cell in common.

use super::Scratch;
use crate::graph::{EventId, Graph, INIT, Kind, Label, LocId, NO_LOC, NO_PROMISE, Row};

/// Whether the order has a cycle that it would not have without `e`.
pub(super) fn in_cycle(graph: &Graph, e: EventId, scratch: &mut Scratch) -> bool {
    let Scratch { seen, todo, places, reach } = scratch;
    note_places(graph, places);
    let label = graph.label(e);
    let place = |e: EventId| {
        let label = graph.label(e);
        (label.loc, if label.kind.reads() { places[label.rf as usize] } else { places[e as usize] })
    };
    let alone = [place(e)];
    let together: Vec<(LocId, u32)> = match label.parts() {
        1 => Vec::new(),
        _ => graph
            .group(e)
            .iter()
            .filter(|p| label.kind.reads() || places[**p as usize] > 0)
            .map(|p| place(*p))
            .collect(),
    };
    let targets = if label.parts() == 1 { &alone[..] } else { &together[..] };
    let mut order = Psc { graph, places, seen, todo, reach, has_fences: graph.labels.iter().any(is_fence) };
    order.reset();
    if label.mode.seq_cst() {
        order.before(order.first_part(e));
        if order.reaches(targets, false) {
            return true;
        }
    }
    if !order.has_fences {
        return false;
    }
    order.reset();
    order.reach.copy_from_slice(graph.row(e, Row::Hb));
    order.push_fences();
    order.reaches(targets, true)
}

/// Whether one seq_cst fence leads to another by program order and reads-from without happening before it.
pub(super) fn has_fences_apart(graph: &Graph) -> bool {
    let fences = || (1..graph.len()).filter(|e| is_fence(graph.label(*e)));
    fences().any(|b| fences().any(|a| graph.porf(a, b) && !graph.hb(a, b)))
}

/// Where each write is in its location's order, from 1.
fn note_places(graph: &Graph, places: &mut Vec<u32>) {
    places.clear();
    places.resize(graph.labels.len(), 0);
    for location in &graph.locations {
        location.writes.iter().zip(1..).for_each(|(w, place)| places[*w as usize] = place);
    }
}

fn is_fence(label: &Label) -> bool {
    label.kind == Kind::Fence && label.mode.seq_cst()
}

struct Psc<'a> {
    graph: &'a Graph,
    places: &'a [u32],
    seen: &'a mut Vec<bool>,
    todo: &'a mut Vec<EventId>,
    /// Of each thread, how many of its events lead on to where the search is; of these, the last fence does.
    reach: &'a mut Vec<u16>,
    has_fences: bool,
}

impl Psc<'_> {
    fn reset(&mut self) {
        self.seen.clear();
        self.seen.resize(self.graph.labels.len(), false);
        self.todo.clear();
        self.reach.clear();
        self.reach.resize(self.graph.stride(), 0);
    }

    /// Whether the search comes to what a new event at these places of its locations leads to: a later write, or a fence after
    /// one, or, if it starts at a fence, also a fence after a read of one.
    fn reaches(&mut self, targets: &[(LocId, u32)], from_fence: bool) -> bool {
        while let Some(c) = self.todo.pop() {
            let c = self.first_part(c);
            if std::mem::replace(&mut self.seen[c as usize], true) {
                continue;
            }
            if targets.iter().any(|(loc, place)| self.is_after(c, *loc, *place, from_fence)) {
                return true;
            }
            self.before(c);
        }
        false
    }

    /// The event that an access is named by.
    fn first_part(&self, c: EventId) -> EventId {
        if self.graph.label(c).part() == 0 { c } else { self.graph.group(c)[0] }
    }

    /// Whether a new event at this place of a location leads to `c`.
    fn is_after(&self, c: EventId, loc: LocId, place: u32, from_fence: bool) -> bool {
        let label = self.graph.label(c);
        if is_fence(label) {
            let location = &self.graph.locations[loc as usize];
            let seen = |y: &&EventId| self.graph.hb(**y, c);
            location.writes[place as usize..].iter().any(|y| seen(&y))
                || (from_fence && location.reads.iter().filter(|y| self.reads_later(**y, place)).any(|y| seen(&y)))
        } else {
            let comes_after = |c: EventId| self.graph.label(c).loc == loc && self.places[c as usize] > place;
            label.kind.writes()
                && (label.parts() == 1 && comes_after(c) || self.parts(c).iter().any(|p| comes_after(*p)))
        }
    }

    /// The parts of an access to several cells.
    fn parts(&self, c: EventId) -> &[EventId] {
        if self.graph.label(c).parts() == 1 { &[] } else { self.graph.group(c) }
    }

    /// Where the write that a read reads is; none, if it was promised.
    fn place_read(&self, r: EventId) -> Option<u32> {
        match *self.graph.label(r) {
            Label { promise: NO_PROMISE, rf: INIT, .. } => Some(0),
            Label { promise: NO_PROMISE, rf, .. } => Some(self.places[rf as usize]),
            _ => None,
        }
    }

    fn reads_later(&self, r: EventId, place: u32) -> bool {
        self.place_read(r).is_some_and(|read| read > place)
    }

    fn reads_earlier(&self, r: EventId, place: u32) -> bool {
        self.place_read(r).is_some_and(|read| read < place)
    }

    /// Notes the events that come right before `b`, or some of them from which all are reached.
    fn before(&mut self, b: EventId) {
        let label = self.graph.label(b);
        self.reach.fill(0);
        let earlier = self.last_in(label.thread, label.pos, |l| l.mode.seq_cst());
        self.todo.extend(earlier);
        if is_fence(label) {
            self.before_fence(b);
        } else {
            self.before_access(b, label);
        }
        self.push_fences();
    }

    /// The last event of a thread among the first `n` that is as wanted.
    fn last_in(&self, thread: u16, n: u16, wanted: impl Fn(&Label) -> bool) -> Option<EventId> {
        let events = &self.graph.threads[usize::from(thread)].events[..usize::from(n)];
        events.iter().rev().copied().find(|e| wanted(self.graph.label(*e)))
    }

    /// Notes the last fence of each thread that leads here.
    fn push_fences(&mut self) {
        if !self.has_fences {
            return;
        }
        for thread in 0..self.graph.threads.len() {
            let fence = self.last_in(thread as u16, self.reach[thread], is_fence);
            self.todo.extend(fence);
        }
    }

    /// The fences that happen before `x` lead here.
    fn through(&mut self, x: EventId) {
        if self.has_fences {
            let row = self.graph.row(x, Row::Hb);
            self.reach.iter_mut().zip(row).for_each(|(n, m)| *n = (*n).max(*m));
        }
    }

    /// An event from which `scb` leads on: it comes before if it is seq_cst, and so do the fences that happen before it.
    fn from(&mut self, x: EventId) {
        if self.graph.label(x).mode.seq_cst() {
            self.todo.push(x);
        }
        self.through(x);
    }

    fn before_access(&mut self, b: EventId, label: &Label) {
        let graph = self.graph;
        let earlier = &graph.threads[usize::from(label.thread)].events[..usize::from(label.pos)];
        if let Some(previous) = earlier.last() {
            self.through(*previous);
        }
        // A thread begins with an event that synchronises with its creation, so what happens before the creation leads to `b`.
        let started = graph.threads[usize::from(label.thread)].spawn;
        let elsewhere = earlier.iter().rev().copied().find(|v| graph.is_elsewhere(*v, b, label));
        if let Some(v) = elsewhere.or((started != INIT).then_some(started)) {
            self.before_elsewhere(v, label.thread);
        }
        if label.parts() == 1 {
            return self.before_cell(b);
        }
        for i in 0..graph.group(b).len() {
            self.before_cell(graph.group(b)[i]);
        }
    }

    /// What comes before an access by the order of one of its cells.
    fn before_cell(&mut self, b: EventId) {
        let graph = self.graph;
        let label = graph.label(b);
        let location = &graph.locations[label.loc as usize];
        for x in location.writes.iter().chain(&location.reads) {
            if *x != b && graph.hb(*x, b) {
                self.from(*x);
            }
        }
        if label.kind.writes() {
            self.before_place(label.loc, self.places[b as usize]);
        }
    }

    /// What a write at this place of its location's order comes after by co and fr.
    fn before_place(&mut self, loc: LocId, place: u32) {
        let location = &self.graph.locations[loc as usize];
        for x in &location.writes[..place.saturating_sub(1) as usize] {
            self.from(*x);
        }
        for x in &location.reads {
            if self.reads_earlier(*x, place) {
                self.from(*x);
            }
        }
    }

    /// The seq_cst events of other threads that lead to `v` by an access to another location and by hb.
    fn before_elsewhere(&mut self, v: EventId, own: u16) {
        for (thread, n) in self.graph.row(v, Row::Hb).iter().enumerate() {
            if thread == usize::from(own) || *n == 0 {
                continue;
            }
            let events = &self.graph.threads[thread].events[..usize::from(*n)];
            let found = (0..events.len()).rev().find(|i| {
                let label = self.graph.label(events[*i]);
                let other = |u: &EventId| label.loc == NO_LOC || self.graph.is_elsewhere(*u, events[*i], label);
                label.mode.seq_cst() && events[i + 1..].iter().any(other)
            });
            self.todo.extend(found.map(|i| events[i]));
        }
    }

    fn before_fence(&mut self, b: EventId) {
        let graph = self.graph;
        let own = graph.label(b).thread;
        for (thread, n) in graph.row(b, Row::Hb).iter().enumerate() {
            if thread == usize::from(own) || *n == 0 {
                continue;
            }
            self.reach[thread] = *n;
            let last = graph.threads[thread].events[usize::from(*n) - 1];
            let label = graph.label(last);
            let earlier = self.last_in(thread as u16, *n - 1 - u16::from(label.part()), |l| l.mode.seq_cst());
            self.todo.extend(earlier);
            // The last one leads on if somebody accesses the same location after it.
            if label.mode.seq_cst() && label.loc != NO_LOC {
                let between = |x: EventId| {
                    let location = &graph.locations[graph.label(x).loc as usize];
                    let between = |y: &EventId| *y != x && graph.hb(x, *y) && graph.hb(*y, b);
                    location.writes.iter().chain(&location.reads).any(between)
                };
                if graph.group(last).iter().any(|x| between(*x)) {
                    self.todo.push(last);
                }
            }
        }
        for loc in 0..graph.locations.len() as LocId {
            self.before_seen(loc, b);
        }
    }

    /// What comes before a fence by the order of one location: what a write that happens before the fence comes after, and
    /// of fences also what a write comes after that was read before the fence.
    fn before_seen(&mut self, loc: LocId, b: EventId) {
        let graph = self.graph;
        let location = &graph.locations[loc as usize];
        if location.writes.is_empty() {
            return;
        }
        let written = location.writes.iter().rposition(|y| graph.hb(*y, b)).map_or(0, |i| i as u32 + 1);
        self.before_place(loc, written);
        let seen = location.reads.iter().filter(|y| graph.hb(**y, b)).filter_map(|y| self.place_read(*y)).max();
        let seen = seen.unwrap_or(0);
        if seen < written {
            return;
        }
        location.writes[..seen as usize].iter().for_each(|x| self.through(*x));
        for x in &location.reads {
            if self.reads_earlier(*x, seen) {
                self.through(*x);
            }
        }
    }
}
