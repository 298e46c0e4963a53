//! Backtracking to the last choice that has alternatives left, and taking one of them: a forward choice (another source, place or
//! value) or a backward revisit, in which an earlier read reads from a later write.

use super::execution::Execution;
use super::stop::Stop;
use super::worklist::{Alternative, Next};
use super::{Move, Search};
use crate::graph::{EventId, Label, Overtaken};

impl Search<'_, '_> {
    /// Restores the last choice that has alternatives left and takes one. False if there is none.
    pub(super) fn backtrack(&mut self) -> Result<bool, Stop> {
        while let Some(next) = self.worklist.pop() {
            match next {
                Next::Outer(outer) => {
                    self.worklist.go_back(&mut self.execution.graph, *outer);
                    self.execution.grow(self.threads.len());
                }
                Next::Alternative(event, alternative) => match self.follow(event, alternative)? {
                    Move::Go => return Ok(true),
                    Move::Choose => {}
                    Move::Back => self.explored.done += self.worklist.share(),
                },
            }
        }
        Ok(false)
    }

    /// Takes one of the ways that an event has.
    pub(super) fn follow(&mut self, event: EventId, alternative: Alternative) -> Result<Move, Stop> {
        let last = if self.code.in_parts { self.execution.last_part(event) } else { event };
        self.execution.graph.cut(last + 1);
        self.threads.set_unfinished(None);
        match alternative {
            Alternative::Source(source) => self.read_from(event, source),
            Alternative::Promise(promise) => Ok(self.read_promise(event, promise)),
            Alternative::Place(place) => {
                self.execution.take_out(event, last);
                self.put(event, place)
            }
            Alternative::Value(value) => self.chosen(event, value),
            Alternative::Revisit(read) => {
                self.execution.take_out(event, last);
                Ok(self.revisit(read, event))
            }
            Alternative::Revisited { read, place } => {
                self.execution.take_out(event, last);
                self.revisited(read, event, place)
            }
            Alternative::Stay => {
                self.execution.take_out(event, last);
                Ok(self.stay(event))
            }
        }
    }

    /// Goes on in the graph that remains when `read` reads from `write`.
    fn revisit(&mut self, read: EventId, write: EventId) -> Move {
        self.explored.revisits += 1;
        // Promises keep threads standing for other reasons, too.
        let overtakes = !self.promises.are_open() && self.threads.overtakes(&self.execution, read, write);
        let new = self.worklist.enter(&mut self.execution.graph, (read, overtakes), write);
        self.execution.grow(self.threads.len());
        if overtakes {
            self.execution.graph.overtaken.push(Overtaken { at: read, by: new });
            return self.worklist.choose_place(&self.execution, new);
        }
        self.worklist.choose_place_for(&self.execution, read, new)
    }

    fn revisited(&mut self, read: EventId, write: EventId, place: u32) -> Result<Move, Stop> {
        if self.code.in_parts {
            return self.put_part(write, place, Some(read));
        }
        // A judge judges the whole graph, in which the read still has its old source.
        if !self.threads.insert(&mut self.execution, write, place)
            && !self.consistency.rules_allow(&self.execution, write)
        {
            return Ok(Move::Back);
        }
        let Label { loc, value, .. } = *self.execution.graph.label(write);
        self.give(read, write, value);
        if self.execution.bound(read) > self.execution.graph.co_position(loc, write) {
            return Ok(Move::Back);
        }
        let latest = self.execution.graph.locations[loc as usize].writes.last() == Some(&write);
        if !latest && !self.allows(read) {
            return Ok(Move::Back);
        }
        self.check(write)?;
        self.check(read)?;
        Ok(Move::Go)
    }
}

impl Execution<'_> {
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
}
