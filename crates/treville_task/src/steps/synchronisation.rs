//! The reads that would have ordered the steps in question, had they synchronised with the write that they read from.

use super::{StepGraph, StepOrders};
use crate::{Action, MissingSync};
use treville_ir::MemoryOrder;

/// In larger graphs nobody looks for what would order steps.
const MOST_STEPS: usize = 2000;

/// A read on the way from some step, the write that it reads from, perhaps through updates, and the one before on this way.
struct Reading {
    write: usize,
    read: usize,
    before: Option<usize>,
}

impl StepGraph {
    /// A later write of another thread that a read does not see.
    pub(super) fn missed(&self, orders: &dyn StepOrders, read: usize) -> Option<usize> {
        let misses = |write: &usize| self.steps[*write].thread != self.steps[read].thread && orders.leads(*write, read);
        self.steps[read].reads.iter().find_map(|(cell, source)| {
            let order = &self.orders[*cell];
            let seen =
                source.and_then(|source| order.iter().rposition(|write| *write == source)).map_or(0, |at| at + 1);
            order[seen..].iter().copied().find(misses)
        })
    }

    /// What would have to synchronise, so that the steps were ordered: two that should be, or one read that misses a write.
    /// `told` is all steps, as they are linearised.
    pub(super) fn missing_syncs(&self, orders: &dyn StepOrders, told: &[usize], about: &[usize]) -> Vec<MissingSync> {
        if told.len() > MOST_STEPS {
            return Vec::new();
        }
        let between = |a: usize, b: usize| self.missing_between(orders, told, a, b);
        match about {
            [a, b, ..] => between(*b, *a).or_else(|| between(*a, *b)),
            [read] => self.missed(orders, *read).and_then(|write| between(write, *read)),
            [] => None,
        }
        .unwrap_or_default()
    }

    /// The fewest readings that would order `b` after `a` if they synchronised. None if nothing leads there.
    fn missing_between(&self, orders: &dyn StepOrders, told: &[usize], a: usize, b: usize) -> Option<Vec<MissingSync>> {
        let mut found: Vec<Reading> = Vec::new();
        let mut done = 0;
        let mut from = (a, None);
        loop {
            for read in told.iter().copied() {
                let leads =
                    |write: &usize| orders.happens_before(from.0, *write) && !orders.happens_before(*write, read);
                let write = self.heads(read).filter(leads).last();
                if let Some(write) = write.filter(|_| found.iter().all(|reading| reading.read != read)) {
                    found.push(Reading { write, read, before: from.1 });
                }
            }
            let read = found.get(done)?.read;
            if orders.happens_before(read, b) {
                return Some(self.path(orders, &found, done, a, b));
            }
            from = (read, Some(done));
            done += 1;
        }
    }

    /// What a step reads, then, through updates, what that came from: a release of any of these reaches the reader.
    pub fn heads(&self, read: usize) -> impl Iterator<Item = usize> {
        self.steps[read].reads.iter().flat_map(move |(cell, source)| {
            let source_of = move |write: &usize| self.steps[*write].reads.iter().find(|(c, _)| c == cell)?.1;
            std::iter::successors(*source, source_of).take(self.steps.len())
        })
    }

    /// The readings on the way to the last one, with what their ends have done.
    fn path(&self, orders: &dyn StepOrders, found: &[Reading], last: usize, a: usize, b: usize) -> Vec<MissingSync> {
        let mut path = Vec::new();
        let (mut at, mut until) = (Some(last), b);
        while let Some(&Reading { write, read, before }) = at.map(|i| &found[i]) {
            let start = before.map_or(a, |i| found[i].read);
            let released = orders.is_released(start, write);
            let acquired = self.acquires(read)
                || (0..self.steps.len()).any(|fence| {
                    self.is_fence(fence)
                        && self.acquires(fence)
                        && orders.happens_before(read, fence)
                        && orders.happens_before(fence, until)
                });
            path.push(MissingSync { write, read, released, acquired });
            (at, until) = (before, write);
        }
        path.reverse();
        path
    }

    fn acquires(&self, step: usize) -> bool {
        self.order(step).is_some_and(MemoryOrder::acquires)
    }

    fn is_fence(&self, step: usize) -> bool {
        self.steps[step].shown.as_ref().is_some_and(|shown| shown.action == Action::Fence)
    }
}
