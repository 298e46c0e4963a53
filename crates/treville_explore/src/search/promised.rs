//! Executions with promises (see [`crate::promises`]): rounds of the search in which reads may be told what will be written.

use super::consistency::Consistency;
use super::execution::Execution;
use super::pool::Worker;
use super::stop::Stop;
use super::worklist::{Alternative, Worklist};
use super::{Move, Search};
use crate::graph::{EventId, Graph, INIT, Kind, NO_PROMISE, Row};
use crate::promises::{Offers, fingerprint, has_its_own_promises};
use crate::rules::Coherence;
use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;
use treville_bytecode::Step;

pub(super) struct Promises {
    /// What reads may be promised.
    offers: Arc<Offers>,
    /// The threads of graphs that were noted for what they can promise.
    noted: HashSet<u64>,
    /// Whether reads may be promised what they read, and are looked at only when all promises are kept.
    open: bool,
    /// The threads that would fail now, while promises are open.
    failing: BTreeSet<u16>,
}

impl Promises {
    /// For a round with these offers, or for one without promises.
    pub(super) fn new(offers: Option<&Arc<Offers>>) -> Self {
        Promises {
            offers: offers.cloned().unwrap_or_default(),
            noted: HashSet::new(),
            open: offers.is_some(),
            failing: BTreeSet::new(),
        }
    }

    pub(super) fn are_open(&self) -> bool {
        self.open
    }

    /// Notes what a graph that cannot be extended has that can be promised to others.
    ///
    /// # Errors
    /// If the model does not allow the graph: the search relies on it that an execution can always go on with the latest writes.
    pub(super) fn note(
        &mut self,
        execution: &Execution<'_>,
        consistency: &mut Consistency<'_>,
        worker: Worker<'_>,
    ) -> Result<(), Stop> {
        let Some(judge) = consistency.judge() else { return Ok(()) };
        if !judge.confirms(&execution.graph, &execution.locations) {
            let why = "the model forbids to go on with an execution although only the latest writes are read";
            return Err(Stop::Refused(why.into(), None));
        }
        let (graph, locations, rules) = (&execution.graph, &execution.locations, &execution.code.rules);
        let present = (0..graph.threads.len() as u16).filter(|thread| graph.threads[usize::from(*thread)].present);
        let threads = present.map(|thread| fingerprint(graph, thread, rules));
        let new: Vec<_> = threads.filter(|thread| self.noted.insert(thread.clocks)).collect();
        if !new.is_empty() && worker.notes().note_writes(graph, locations, rules, &new) {
            let pairs = judge.pairs(graph, locations);
            worker.notes().note_pairs(graph, &pairs);
        }
        Ok(())
    }

    /// Notes the promises that a new read may be given.
    pub(super) fn offer(&self, execution: &Execution<'_>, e: EventId, worklist: &mut Worklist) {
        if self.open {
            let label = execution.graph.label(e);
            let addr = execution.locations.places[label.loc as usize].addr;
            let offered = self.offers.offered_to(label.thread, addr, label.pos);
            offered.for_each(|promise| worklist.push(Alternative::Promise(promise)));
        }
    }

    /// The value that a promise says will be written.
    fn value(&self, promise: u32) -> u64 {
        self.offers.get(promise).value
    }

    /// Whether a thread would fail now.
    #[inline]
    pub(super) fn is_failing(&self, thread: u16) -> bool {
        self.failing.contains(&thread)
    }

    /// All threads are asked again.
    #[inline]
    pub(super) fn forget_failing(&mut self) {
        self.failing.clear();
    }

    /// Whether a promise that was just given can be kept together with those before it. What leads to it stays as it is.
    pub(super) fn may_be_kept(&self, execution: &Execution<'_>, e: EventId) -> bool {
        let graph = &execution.graph;
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
        execution.code.rules.coherence == Coherence::Unknown || self.is_coherent(execution, e)
    }

    /// Whether the thread has not seen, or written, something later at the place of a promised read.
    fn is_coherent(&self, execution: &Execution<'_>, e: EventId) -> bool {
        let graph = &execution.graph;
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

    /// The graph with every promise kept, if they were.
    pub(super) fn kept(&self, execution: &Execution<'_>) -> Option<Graph> {
        let promised: Vec<EventId> =
            (1..execution.graph.len()).filter(|e| execution.graph.label(*e).promise != NO_PROMISE).collect();
        if promised.is_empty() {
            return None;
        }
        let mut kept = execution.graph.clone();
        for read in promised {
            let promise = self.offers.get(execution.graph.label(read).promise);
            let write = *execution.graph.threads[usize::from(promise.thread)].events.get(usize::from(promise.pos))?;
            let label = execution.graph.label(write);
            let fits =
                label.kind.writes() && label.loc == execution.graph.label(read).loc && label.value == promise.value;
            if !fits || !self.offers.leads_to(&execution.graph, &promise, usize::from(promise.pos) + 1) {
                return None;
            }
            kept.labels[read as usize].rf = write;
        }
        Some(kept)
    }
}

impl Search<'_, '_> {
    pub(super) fn read_promise(&mut self, e: EventId, promise: u32) -> Move {
        let value = self.promises.value(promise);
        self.give(e, INIT, value);
        self.execution.graph.labels[e as usize].promise = promise;
        if !self.promises.may_be_kept(&self.execution, e) {
            return Move::Back;
        }
        // It waits for good, as in an execution where it reads what is there.
        if self.threads.waits_after(&self.execution, e) { Move::Back } else { Move::Go }
    }

    /// No thread can move in a round with promises.
    pub(super) fn finish_promised(&mut self) -> Result<(), Stop> {
        let Some(kept) = self.promises.kept(&self.execution) else { return Ok(()) };
        let Some(judge) = self.consistency.judge() else { return Ok(()) };
        if !judge.allows(&kept, &self.execution.locations) {
            return Ok(());
        }
        let is_own = has_its_own_promises(&kept, &judge.pairs(&kept, &self.execution.locations));
        let outer = std::mem::replace(&mut self.execution.graph, kept);
        self.execution.graph.settle_clocks(&self.code.rules);
        self.promises.note(&self.execution, &mut self.consistency, self.worker)?;
        self.promises.open = false;
        let ended = if is_own { self.look_at_all().and_then(|()| self.finish()) } else { Ok(()) };
        let ended = ended.map_err(|stop| self.report(stop));
        self.promises.open = true;
        self.execution.graph = outer;
        ended
    }

    /// What was not looked at while promises were open.
    fn look_at_all(&mut self) -> Result<(), Stop> {
        let accesses: Vec<EventId> = (1..self.execution.graph.len())
            .filter(|e| self.execution.graph.label(*e).kind.reads() || self.execution.graph.label(*e).kind.writes())
            .collect();
        accesses.into_iter().try_for_each(|e| self.check(e))?;
        let failing = std::mem::take(&mut self.promises.failing);
        failing.into_iter().try_for_each(|thread| {
            match self.threads.step(&self.execution, thread) {
                Step::Load { site, addr } | Step::UpdateRead { site, addr } => {
                    self.read(thread, site, addr, false)?;
                }
                step => {
                    self.execute(thread, step)?;
                }
            }
            Err(Stop::Refused("whether an access is safe depends on a cycle of reads".into(), None))
        })
    }

    /// What came of going on with a thread, unless that fails while promises are open: whether it does is seen at the end.
    #[inline]
    pub(super) fn unless_it_fails<T>(&mut self, thread: u16, moved: Result<T, Stop>) -> Option<Result<T, Stop>> {
        if self.promises.open && matches!(moved, Err(Stop::Fault(_) | Stop::Violation | Stop::Endless)) {
            let last = self.execution.graph.threads[usize::from(thread)].events.last();
            if last.is_some_and(|last| {
                *last + 1 == self.execution.graph.len() && self.execution.graph.label(*last).kind == Kind::Free
            }) {
                self.execution.graph.cut(self.execution.graph.len() - 1);
            }
            self.promises.failing.insert(thread);
            return None;
        }
        Some(moved)
    }
}
