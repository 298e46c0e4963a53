//! What a search has found, for one worker or for all.

use super::dropped::Dropped;
use crate::path::PathStats;
use std::collections::BTreeSet;
use treville_base::Span;
use treville_task::{Child, StopReason, Trace, Violation};

#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Explored {
    /// The share of the whole search that is done, as far as one can tell: each choice divides its share evenly.
    pub(crate) done: f64,
    pub(crate) complete: u64,
    pub(crate) blocked: u64,
    /// Of these, executions that nothing but an assumption blocks, and those in which the process has ended.
    pub(crate) discarded: u64,
    pub(crate) revisits: u64,
    /// Some execution was cut at the bound.
    pub(crate) cut: bool,
    /// In a loop around this place.
    pub(crate) cut_at: Option<Span>,
    /// Some threads may wait for ever; whether that counts is not seen.
    pub(crate) doubtful: bool,
    pub(crate) violation: Option<Violation>,
    pub(crate) traces: Vec<Trace>,
    /// How many violations the evaluator has judged.
    pub(crate) replayed: u64,
    /// Why it ended early.
    pub(crate) stopped: Option<StopReason>,
    /// How many executions there are, guessed before they were explored.
    pub(crate) estimate: Option<u64>,
    /// What was asked about unknown values.
    pub(crate) paths: PathStats,
    /// What was read in rounds that were not explored.
    pub(crate) dropped: Dropped,
    /// Where threads were created.
    pub(crate) spawns: BTreeSet<Span>,
    /// The numbers of threads that others have started.
    pub(crate) children: Vec<(Child, u16)>,
}

impl Explored {
    /// How many executions there will be, judged by how many there were so far.
    pub(crate) fn expected(&self) -> Option<u64> {
        let seen = (self.complete + self.blocked) as f64;
        (seen > 0.0 && self.done > 0.0).then(|| (seen / self.done.min(1.0)) as u64)
    }

    /// Whether nothing has stopped it.
    pub(crate) fn is_all(&self) -> bool {
        self.violation.is_none() && self.stopped.is_none()
    }

    pub(super) fn add(&mut self, other: Explored) {
        self.done += other.done;
        self.complete += other.complete;
        self.blocked += other.blocked;
        self.discarded += other.discarded;
        self.revisits += other.revisits;
        self.replayed += other.replayed;
        self.paths += other.paths;
        self.dropped.add(other.dropped);
        self.spawns.extend(other.spawns);
        self.cut |= other.cut;
        self.cut_at = self.cut_at.or(other.cut_at);
        self.doubtful |= other.doubtful;
        self.violation = self.violation.take().or(other.violation);
        self.traces.extend(other.traces);
        self.stopped = self.stopped.take().or(other.stopped);
    }
}
