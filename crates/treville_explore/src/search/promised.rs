//! Executions with promises (see [`crate::promises`]): rounds of the search in which reads may be told what will be written.

use super::{Move, Search, Stop, Way};
use crate::graph::{EventId, Graph, INIT, Kind, NO_PROMISE, Row};
use crate::promises::{fingerprint, has_its_own_promises};
use crate::rules::Coherence;
use treville_vm::bytecode::Step;

impl Search<'_, '_> {
    /// Notes what a graph that cannot be extended has that can be promised to others.
    ///
    /// # Errors
    /// If the model does not allow the graph: the search relies on it that an execution can always go on with the latest writes.
    pub(super) fn note(&mut self) -> Result<(), Stop> {
        let Some(judge) = &mut self.judge else { return Ok(()) };
        if !judge.confirms(&self.graph, &self.locations) {
            let why = "the model forbids to go on with an execution although only the latest writes are read";
            return Err(Stop::Refused(why.into(), None));
        }
        let (graph, locations, rules) = (&self.graph, &self.locations, &self.rules);
        let present = (0..graph.threads.len() as u16).filter(|thread| graph.threads[usize::from(*thread)].present);
        let threads = present.map(|thread| fingerprint(graph, thread, rules));
        let new: Vec<_> = threads.filter(|thread| self.noted.insert(thread.clocks)).collect();
        if !new.is_empty() && self.crew.notes().note_writes(graph, locations, rules, &new) {
            let pairs = judge.pairs(graph, locations);
            self.crew.notes().note_pairs(graph, &pairs);
        }
        Ok(())
    }

    /// The promises that a new read may be given.
    pub(super) fn promise_ways(&mut self, e: EventId) {
        if self.promising {
            let label = self.graph.label(e);
            let addr = self.locations.places[label.loc as usize].addr;
            self.ways.extend(self.offers.offered_to(label.thread, addr, label.pos).map(Way::Promise));
        }
    }

    pub(super) fn read_promise(&mut self, e: EventId, promise: u32) -> Move {
        let value = self.offers.get(promise).value;
        self.give(e, INIT, value);
        self.graph.labels[e as usize].promise = promise;
        if !self.may_be_kept(e) {
            return Move::Back;
        }
        // It waits for good, as in an execution where it reads what is there.
        let waits = matches!(self.step(self.graph.label(e).thread), Step::Blocked { .. });
        if waits { Move::Back } else { Move::Go }
    }

    /// Whether a promise that was just given can be kept together with those before it. What leads to it stays as it is.
    fn may_be_kept(&self, e: EventId) -> bool {
        let graph = &self.graph;
        let label = graph.label(e);
        let promise = self.offers.get(label.promise);
        let known = usize::from(graph.row(e, Row::Porf)[usize::from(promise.thread)]);
        if !self.offers.leads_to(graph, &promise, known) {
            return false;
        }
        let write = graph.threads[usize::from(promise.thread)].events.get(usize::from(promise.pos)).copied();
        if let Some(w) = write.filter(|w| graph.porf(*w, e)) {
            let written = graph.label(w);
            let fits = written.kind.writes() && written.loc == label.loc && written.value == promise.value;
            let is_promised = |r: EventId| graph.label(r).promise != NO_PROMISE && graph.porf(r, w);
            if !fits || !(1..e).any(is_promised) {
                return false;
            }
        }
        self.rules.coherence == Coherence::Unknown || self.is_coherent(e)
    }

    /// Whether the thread has not seen, or written, something later at the place of a promised read.
    fn is_coherent(&self, e: EventId) -> bool {
        let graph = &self.graph;
        let label = graph.label(e);
        let promise = self.offers.get(label.promise);
        let earlier = &graph.threads[usize::from(label.thread)].events[..usize::from(label.pos)];
        let mut others = false;
        for before in earlier.iter().rev().map(|a| graph.label(*a)).filter(|a| a.loc == label.loc) {
            if before.promise == label.promise {
                return !others;
            }
            others = true;
            if before.promise != NO_PROMISE {
                let other = self.offers.get(before.promise);
                if other.thread == promise.thread && other.pos > promise.pos {
                    return false;
                }
            }
        }
        true
    }

    /// No thread can move in a round with promises.
    pub(super) fn finish_promised(&mut self) -> Result<(), Stop> {
        let Some(kept) = self.kept() else { return Ok(()) };
        let Some(judge) = self.judge.as_mut() else { return Ok(()) };
        if !judge.allows(&kept, &self.locations) {
            return Ok(());
        }
        let is_own = has_its_own_promises(&kept, &judge.pairs(&kept, &self.locations));
        let outer = std::mem::replace(&mut self.graph, kept);
        self.graph.settle_clocks(&self.rules);
        self.note()?;
        self.promising = false;
        let ended = if is_own { self.look_at_all().and_then(|()| self.finish()) } else { Ok(()) };
        self.promising = true;
        self.graph = outer;
        ended
    }

    /// The graph with every promise kept, if they were.
    fn kept(&self) -> Option<Graph> {
        let promised: Vec<EventId> =
            (1..self.graph.len()).filter(|e| self.graph.label(*e).promise != NO_PROMISE).collect();
        if promised.is_empty() {
            return None;
        }
        let mut kept = self.graph.clone();
        for read in promised {
            let promise = self.offers.get(self.graph.label(read).promise);
            let write = *self.graph.threads[usize::from(promise.thread)].events.get(usize::from(promise.pos))?;
            let label = self.graph.label(write);
            let fits = label.kind.writes() && label.loc == self.graph.label(read).loc && label.value == promise.value;
            if !fits || !self.offers.leads_to(&self.graph, &promise, usize::from(promise.pos) + 1) {
                return None;
            }
            kept.labels[read as usize].rf = write;
        }
        Some(kept)
    }

    /// What was not looked at while promises were open.
    fn look_at_all(&mut self) -> Result<(), Stop> {
        let accesses: Vec<EventId> = (1..self.graph.len())
            .filter(|e| self.graph.label(*e).kind.reads() || self.graph.label(*e).kind.writes())
            .collect();
        accesses.into_iter().try_for_each(|e| self.check(e))?;
        let failing = std::mem::take(&mut self.failing);
        failing.into_iter().try_for_each(|thread| {
            match self.step(thread) {
                Step::Load { site, addr } | Step::UpdateRead { site, addr } => {
                    self.read(thread, site, addr, false)?;
                }
                step => {
                    self.take(thread, step)?;
                }
            }
            Err(Stop::Refused("whether an access is safe depends on a cycle of reads".into(), None))
        })
    }

    /// What came of going on with a thread, unless that fails while promises are open: whether it does is seen at the end.
    pub(super) fn unless_it_fails<T>(&mut self, thread: u16, moved: Result<T, Stop>) -> Option<Result<T, Stop>> {
        if self.promising && matches!(moved, Err(Stop::Violation | Stop::Endless)) {
            let last = self.graph.threads[usize::from(thread)].events.last();
            if last.is_some_and(|last| *last + 1 == self.graph.len() && self.graph.label(*last).kind == Kind::Free) {
                self.graph.cut(self.graph.len() - 1);
            }
            self.failing.insert(thread);
            return None;
        }
        Some(moved)
    }
}
