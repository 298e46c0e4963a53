//! Going back: to the last choice that has ways left, and on along one of them.

use super::{Entry, Move, Search, Stop, Way};
use crate::graph::{EventId, Label};

impl Search<'_, '_> {
    /// Goes back to the last choice that has ways left and takes one. False if there is none.
    pub(super) fn back(&mut self) -> Result<bool, Stop> {
        loop {
            match self.stack.last_mut() {
                None => return Ok(false),
                Some(Entry::Outer(_)) => {
                    if let Some(Entry::Outer(outer)) = self.stack.pop() {
                        let inner = std::mem::replace(&mut self.graph, *outer);
                        self.spare.push(inner);
                        self.grow();
                    }
                }
                Some(Entry::Choice { event, ways, share }) => {
                    let event = *event;
                    self.share = *share;
                    *ways -= 1;
                    if *ways == 0 {
                        self.stack.pop();
                    }
                    let Some(way) = self.ways.pop() else { return Ok(false) };
                    match self.follow(event, way)? {
                        Move::Go => return Ok(true),
                        Move::Choose => {}
                        Move::Back => self.explored.done += self.share,
                    }
                }
            }
        }
    }

    /// Takes one of the ways that an event has.
    pub(super) fn follow(&mut self, event: EventId, way: Way) -> Result<Move, Stop> {
        let last = if self.in_parts { self.last_part(event) } else { event };
        self.graph.cut(last + 1);
        self.next = None;
        match way {
            Way::Source(source) => self.read_from(event, source),
            Way::Promise(promise) => Ok(self.read_promise(event, promise)),
            Way::Place(place) => {
                self.take_out(event, last);
                self.put(event, place)
            }
            Way::Value(value) => self.chosen(event, value),
            Way::Revisit(read) => {
                self.take_out(event, last);
                Ok(self.revisit(read, event))
            }
            Way::Revisited { read, place } => {
                self.take_out(event, last);
                self.revisited(read, event, place)
            }
            Way::Stay => {
                self.take_out(event, last);
                Ok(self.stay(event))
            }
        }
    }

    /// The last event that was added together with this one: a write to several cells has all of its parts at once.
    fn last_part(&self, e: EventId) -> EventId {
        let label = self.graph.label(e);
        if label.kind.writes() { e + EventId::from(label.parts() - 1 - label.part()) } else { e }
    }

    /// Takes a write, from this part on, out of the orders of its locations.
    pub(super) fn take_out(&mut self, from: EventId, last: EventId) {
        for w in from..=last {
            let loc = self.graph.label(w).loc;
            self.graph.locations[loc as usize].writes.retain(|x| *x != w);
        }
    }

    /// Goes on in the graph that remains when `read` reads from `write`.
    fn revisit(&mut self, read: EventId, write: EventId) -> Move {
        self.explored.revisits += 1;
        let overtakes = self.overtakes(read, write);
        let mut inner = self.spare.pop().unwrap_or_default();
        self.graph.restricted((read, overtakes), write, &mut inner, &mut self.number);
        let new = self.number[write as usize];
        let outer = std::mem::replace(&mut self.graph, inner);
        self.stack.push(Entry::Outer(Box::new(outer)));
        self.grow();
        if overtakes { self.overtake(read, new) } else { self.revisit_places(read, new) }
    }

    /// Notes the places that a write, or a part of it, may have that a read is to read from.
    pub(super) fn revisit_places(&mut self, read: EventId, write: EventId) -> Move {
        let first_way = self.ways.len();
        self.places(write);
        for way in &mut self.ways[first_way..] {
            if let Way::Place(place) = *way {
                *way = Way::Revisited { read, place };
            }
        }
        match self.note_ways(write, first_way, 0) {
            0 => Move::Back,
            _ => Move::Choose,
        }
    }

    fn revisited(&mut self, read: EventId, write: EventId, place: u32) -> Result<Move, Stop> {
        if self.in_parts {
            return self.put_part(write, place, Some(read));
        }
        // A judge judges the whole graph, in which the read still has its old source.
        if !self.insert(write, place) && !self.rules.allows(&self.graph, write, &mut self.scratch) {
            return Ok(Move::Back);
        }
        let Label { loc, value, .. } = *self.graph.label(write);
        self.give(read, write, value);
        if self.bound(read) > self.graph.co_position(loc, write) {
            return Ok(Move::Back);
        }
        let latest = self.graph.locations[loc as usize].writes.last() == Some(&write);
        if !latest && !self.allows(read) {
            return Ok(Move::Back);
        }
        self.check(write)?;
        self.check(read)?;
        Ok(Move::Go)
    }
}
