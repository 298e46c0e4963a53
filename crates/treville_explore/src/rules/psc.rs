//! RC11's order of seq_cst events: has it a cycle through a new event?
//!
//! With `scb = po ∪ po≠loc;hb;po≠loc ∪ hb∩loc ∪ co ∪ fr` (Lahav, Vafeiadis, Kang, Hur and Dreyer, *Repairing Sequential
//! Consistency in C/C++11*, PLDI 2017), an event comes before another if
//! `([SC] ∪ [F];hb?) ; scb ; ([SC] ∪ hb?;[F])`, or, between fences F, if `hb ∪ hb;eco;hb`.
//!
//! The search goes from an event to those before it, of each thread to the latest only: program order leads to the rest.
//! A new event has no successor in hb, so that a cycle through it is one through the event itself, if it is seq_cst, or
//! through a fence that happens before it.

use super::Scratch;
use crate::graph::{EventId, Graph, Kind, Label, NO_LOC, Row};

/// Whether the order has a cycle that it would not have without `e`.
pub(super) fn in_cycle(graph: &Graph, e: EventId, scratch: &mut Scratch) -> bool {
    let has_fences = graph.labels.iter().any(is_fence);
    let order = Psc { graph, has_fences };
    let mut starts = Vec::new();
    if graph.label(e).mode.seq_cst() {
        starts.push(e);
    }
    order.fences_before(e, &mut starts);
    starts.iter().any(|start| order.reaches_itself(*start, scratch))
}

fn is_fence(label: &Label) -> bool {
    label.kind == Kind::Fence && label.mode.seq_cst()
}

struct Psc<'a> {
    graph: &'a Graph,
    has_fences: bool,
}

impl Psc<'_> {
    fn reaches_itself(&self, start: EventId, scratch: &mut Scratch) -> bool {
        scratch.reset(self.graph.len());
        self.before(start, &mut scratch.todo);
        while let Some(e) = scratch.todo.pop() {
            if e == start {
                return true;
            }
            if scratch.visit(e) {
                self.before(e, &mut scratch.todo);
            }
        }
        false
    }

    /// The events that come right before `b`, or some of them from which all are reached.
    fn before(&self, b: EventId, out: &mut Vec<EventId>) {
        let label = self.graph.label(b);
        out.extend(self.last_in(label.thread, label.pos, |l| l.mode.seq_cst()));
        if is_fence(label) {
            self.before_fence(b, out);
        } else {
            self.before_access(b, out);
        }
    }

    /// The last event of a thread among the first `n` that is as wanted.
    fn last_in(&self, thread: u16, n: u16, wanted: impl Fn(&Label) -> bool) -> Option<EventId> {
        let events = &self.graph.threads[usize::from(thread)].events;
        let n = usize::from(n).min(events.len());
        events[..n].iter().rev().copied().find(|e| wanted(self.graph.label(*e)))
    }

    /// The fences that happen before `x` or are it, the last of each thread.
    fn fences_before(&self, x: EventId, out: &mut Vec<EventId>) {
        if !self.has_fences {
            return;
        }
        for (thread, n) in self.graph.row(x, Row::Hb).iter().enumerate().filter(|(_, n)| **n > 0) {
            out.extend(self.last_in(thread as u16, *n, is_fence));
        }
    }

    /// An event from which `scb` leads on: it comes before if it is seq_cst, and so do the fences that happen before it.
    fn from(&self, x: EventId, out: &mut Vec<EventId>) {
        if self.graph.label(x).mode.seq_cst() {
            out.push(x);
        }
        self.fences_before(x, out);
    }

    fn before_access(&self, b: EventId, out: &mut Vec<EventId>) {
        let graph = self.graph;
        let label = graph.label(b);
        let earlier = &graph.threads[usize::from(label.thread)].events[..usize::from(label.pos)];
        if let Some(previous) = earlier.last() {
            self.fences_before(*previous, out);
        }
        if let Some(v) = earlier.iter().rev().find(|v| graph.label(**v).loc != label.loc) {
            self.before_elsewhere(*v, label.thread, out);
        }
        let location = &graph.locations[label.loc as usize];
        let happens = |x: &&EventId| **x != b && graph.hb(**x, b);
        location.writes.iter().chain(&location.reads).filter(happens).for_each(|x| self.from(*x, out));
        if label.kind.writes() {
            let place = graph.co_position(label.loc, b);
            self.before_place(label.loc as usize, place, out);
        }
    }

    /// What a write at this place of its location's order comes after by co and fr.
    fn before_place(&self, loc: usize, place: usize, out: &mut Vec<EventId>) {
        let location = &self.graph.locations[loc];
        location.writes[..place.saturating_sub(1)].iter().for_each(|x| self.from(*x, out));
        for x in &location.reads {
            if self.graph.co_position(loc as u32, self.graph.label(*x).rf) < place {
                self.from(*x, out);
            }
        }
    }

    /// The seq_cst events of other threads that lead to `v` by an access to another location and by hb.
    fn before_elsewhere(&self, v: EventId, own: u16, out: &mut Vec<EventId>) {
        for (thread, n) in self.graph.row(v, Row::Hb).iter().enumerate() {
            if thread == usize::from(own) || *n == 0 {
                continue;
            }
            let events = &self.graph.threads[thread].events[..usize::from(*n)];
            let found = (0..events.len()).rev().find(|i| {
                let label = self.graph.label(events[*i]);
                let other = |u: &EventId| label.loc == NO_LOC || self.graph.label(*u).loc != label.loc;
                label.mode.seq_cst() && events[i + 1..].iter().any(other)
            });
            out.extend(found.map(|i| events[i]));
        }
    }

    fn before_fence(&self, b: EventId, out: &mut Vec<EventId>) {
        let graph = self.graph;
        let own = graph.label(b).thread;
        for (thread, n) in graph.row(b, Row::Hb).iter().enumerate() {
            if thread == usize::from(own) || *n == 0 {
                continue;
            }
            let thread = thread as u16;
            out.extend(self.last_in(thread, *n, is_fence));
            out.extend(self.last_in(thread, *n - 1, |l| l.mode.seq_cst()));
            // The last one leads on if somebody accesses the same location after it.
            let last = graph.threads[usize::from(thread)].events[usize::from(*n) - 1];
            let label = graph.label(last);
            if label.mode.seq_cst() && label.loc != NO_LOC {
                let location = &graph.locations[label.loc as usize];
                let between = |y: &EventId| *y != last && graph.hb(last, *y) && graph.hb(*y, b);
                if location.writes.iter().chain(&location.reads).any(between) {
                    out.push(last);
                }
            }
        }
        for loc in 0..graph.locations.len() {
            self.before_seen(loc, b, out);
        }
    }

    /// What comes before a fence by the order of one location: what a write that happens before the fence comes after, and
    /// of fences also what a write comes after that was read before the fence.
    fn before_seen(&self, loc: usize, b: EventId, out: &mut Vec<EventId>) {
        let graph = self.graph;
        let location = &graph.locations[loc];
        if location.writes.is_empty() {
            return;
        }
        let place = |w: EventId| graph.co_position(loc as u32, w);
        let written = location.writes.iter().rposition(|y| graph.hb(*y, b)).map_or(0, |i| i + 1);
        self.before_place(loc, written, out);
        if !self.has_fences {
            return;
        }
        let seen = location.reads.iter().filter(|y| graph.hb(**y, b)).map(|y| place(graph.label(*y).rf)).max();
        let seen = seen.unwrap_or(0);
        if seen < written {
            return;
        }
        location.writes[..seen].iter().for_each(|x| self.fences_before(*x, out));
        for x in &location.reads {
            if place(graph.label(*x).rf) < seen {
                self.fences_before(*x, out);
            }
        }
    }
}
