//! The steps of an execution with reads-from and coherence between them: what an engine says of an execution that it tells.
//! The trace is made of it here, for all engines in the same way. What a step does is for the engine to say.

mod linearisation;
mod synchronisation;
#[cfg(test)]
mod tests;

use crate::{Action, MissingSync, Trace, TraceObject, TraceStep, TraceThread};
use treville_base::Span;
use treville_ir::{MemoryOrder, ThreadId, Wait};

/// Steps are named by their numbers.
#[derive(Debug, Default)]
pub struct StepGraph {
    pub threads: Vec<TraceThread>,
    /// Objects that the program made on the way.
    pub objects: Vec<TraceObject>,
    /// Thread by thread, in program order.
    pub steps: Vec<GraphStep>,
    /// Of each cell, the steps that write it, in coherence order.
    pub orders: Vec<Vec<usize>>,
}

#[derive(Debug)]
pub struct GraphStep {
    pub thread: ThreadId,
    /// What it does, without the step that it reads from. None if a trace does not show it.
    pub shown: Option<TraceStep>,
    /// The cells that it reads, each with the step that wrote it; none if the write is initial.
    pub reads: Vec<(usize, Option<usize>)>,
    /// The start of its thread, or the end of the thread that it joins.
    pub after: Option<usize>,
}

/// Where a thread stands after its steps, if that is what a trace is about.
#[derive(Clone, Copy, Debug)]
pub struct StuckThread {
    pub thread: ThreadId,
    pub span: Option<Span>,
    /// Waits in this way; fails if there is none.
    pub wait: Option<Wait>,
}

/// Orders between steps that depend on the model. Each step is before itself.
pub trait StepOrders {
    /// By program order and reads-from.
    fn leads(&self, a: usize, b: usize) -> bool;

    /// By program order and what synchronises.
    fn happens_before(&self, a: usize, b: usize) -> bool;

    /// Whether who reads the write, and acquires, is ordered after `start`.
    fn is_released(&self, start: usize, write: usize) -> bool;
}

impl StepGraph {
    /// The trace that is about these steps, of which the first comes last if it can, or about where threads stand.
    pub fn trace(mut self, orders: &dyn StepOrders, about: &[usize], stuck: &[StuckThread]) -> Trace {
        let reads = stuck.iter().filter_map(|stuck| self.decisive_read(orders, stuck));
        let in_question: Vec<usize> = about.iter().copied().chain(reads).collect();
        let first_stuck = self.steps.len();
        for stuck in stuck {
            self.steps.push(self.standing(stuck));
        }
        let order = linearisation::linearise(&self, about);
        let explained = if stuck.len() > 1 { &[] } else { in_question.as_slice() };
        let missing_syncs = self.missing_syncs(orders, &order, explained);
        let shown = order.iter().copied().filter(|step| self.steps[*step].shown.is_some());
        let mut position = vec![None; self.steps.len()];
        shown.enumerate().for_each(|(i, step)| position[step] = Some(i));
        let at = |step: &usize| position[*step];
        let stands = order.iter().filter(|step| **step >= first_stuck);
        Trace {
            about: stands.chain(&in_question).filter_map(at).collect(),
            orders: orders_in(&self.orders, at),
            missing_syncs: missing_syncs.into_iter().filter_map(|sync| renamed(sync, at)).collect(),
            steps: order.iter().filter_map(|step| self.take(*step, at)).collect(),
            threads: self.threads,
            objects: self.objects,
        }
    }

    fn standing(&self, stuck: &StuckThread) -> GraphStep {
        let StuckThread { thread, span, wait } = *stuck;
        let last = || self.reads_of(thread).find_map(|read| self.steps[read].shown.as_ref()?.span);
        let action = wait.map_or(Action::Fail, Action::Wait);
        let shown = Some(TraceStep { thread, span: span.or_else(last), action, order: None });
        GraphStep { thread, shown, reads: Vec::new(), after: None }
    }

    /// Takes what a trace shows of a step, with the place of its source: of several, the one that comes last.
    fn take(&mut self, step: usize, at: impl Fn(&usize) -> Option<usize>) -> Option<TraceStep> {
        let GraphStep { shown, reads, .. } = &mut self.steps[step];
        let mut shown = shown.take()?;
        if let Action::Read { from, .. } | Action::Update { from, .. } = &mut shown.action {
            *from = reads.iter().filter_map(|(_, source)| at(source.as_ref()?)).max();
        }
        Some(shown)
    }

    /// The reads that a trace shows of a thread, the last one first.
    fn reads_of(&self, thread: ThreadId) -> impl Iterator<Item = usize> {
        (0..self.steps.len()).rev().filter(move |step| self.steps[*step].thread == thread && self.is_read(*step))
    }

    fn is_read(&self, step: usize) -> bool {
        self.steps[step].shown.as_ref().is_some_and(|shown| shown.action.source().is_some())
    }

    fn order(&self, step: usize) -> Option<MemoryOrder> {
        self.steps[step].shown.as_ref()?.order
    }

    /// The read that a thread most likely stands for. If it waits, the last one. If it fails, the last one on the same line, rather
    /// one that misses a write, or the last one at all.
    fn decisive_read(&self, orders: &dyn StepOrders, stuck: &StuckThread) -> Option<usize> {
        let reads = || self.reads_of(stuck.thread);
        // An expression that is tested begins where the test does, or after it.
        let beside = |read: &usize| match (self.steps[*read].shown.as_ref().and_then(|s| s.span), stuck.span) {
            (Some(a), Some(b)) => a.file == b.file && a.start <= b.end && b.start <= a.end,
            _ => false,
        };
        let on_line = || reads().filter(beside).filter(|_| stuck.wait.is_none());
        let misses = |read: &usize| self.missed(orders, *read).is_some();
        on_line().find(misses).or_else(|| on_line().next()).or_else(|| reads().next())
    }
}

/// Coherence in steps of the trace. Cells that are written together have the same order, told once.
fn orders_in(orders: &[Vec<usize>], at: impl Fn(&usize) -> Option<usize>) -> Vec<Vec<usize>> {
    let mut all: Vec<Vec<usize>> = Vec::new();
    for order in orders {
        let order: Vec<usize> = order.iter().filter_map(&at).collect();
        if !order.is_empty() && !all.contains(&order) {
            all.push(order);
        }
    }
    all
}

fn renamed(sync: MissingSync, at: impl Fn(&usize) -> Option<usize>) -> Option<MissingSync> {
    Some(MissingSync { write: at(&sync.write)?, read: at(&sync.read)?, ..sync })
}
