//! What leads to what, and happens before what, as the memory orders of C say it: releases and acquires, by an access or a fence.

use treville_event::Relation;
use treville_ir::MemoryOrder;
use treville_task::{Action, StepGraph, StepOrders};

/// Reflexive.
pub(super) struct Orders {
    leads: Relation,
    happens_before: Relation,
    /// Of each step, what it releases by: itself, and the last fence before it.
    releases: Vec<Vec<usize>>,
}

impl Orders {
    /// What goes through a channel synchronises.
    pub(super) fn of(graph: &StepGraph, is_channel: impl Fn(usize) -> bool) -> Orders {
        let n = graph.steps.len();
        let releases: Vec<Vec<usize>> = (0..n).map(|step| releases(graph, step)).collect();
        let mut leads = Relation::identity(n);
        let follows = (1..n).filter(|i| graph.steps[i - 1].thread == graph.steps[*i].thread);
        follows.for_each(|i| leads.insert(i - 1, i));
        let mut happens_before = leads.clone();
        for (read, step) in graph.steps.iter().enumerate() {
            for (cell, write) in step.reads.iter().filter_map(|(cell, write)| Some((*cell, (*write)?))) {
                leads.insert(write, read);
                if is_channel(cell) {
                    happens_before.insert(write, read);
                }
            }
            let acquires = acquires(graph, read);
            for release in graph.heads(read).flat_map(|head| &releases[head]) {
                acquires.iter().for_each(|acquire| happens_before.insert(*release, *acquire));
            }
        }
        leads.close_transitively();
        happens_before.close_transitively();
        Orders { leads, happens_before, releases }
    }
}

impl StepOrders for Orders {
    fn leads(&self, a: usize, b: usize) -> bool {
        self.leads.contains(a, b)
    }

    fn happens_before(&self, a: usize, b: usize) -> bool {
        self.happens_before.contains(a, b)
    }

    fn is_released(&self, start: usize, write: usize) -> bool {
        self.releases[write].iter().any(|release| self.happens_before.contains(start, *release))
    }
}

fn releases(graph: &StepGraph, step: usize) -> Vec<usize> {
    synchronising(graph, step, (0..step).rev(), MemoryOrder::releases)
}

/// What a step acquires by: itself, and the first fence after it.
fn acquires(graph: &StepGraph, step: usize) -> Vec<usize> {
    synchronising(graph, step, step + 1..graph.steps.len(), MemoryOrder::acquires)
}

/// The step and the nearest fence of its thread, as far as they are strong enough.
fn synchronising(
    graph: &StepGraph,
    step: usize,
    others: impl Iterator<Item = usize>,
    is_strong: fn(MemoryOrder) -> bool,
) -> Vec<usize> {
    let shown = |i: usize| graph.steps[i].shown.as_ref();
    let strong = |i: &usize| shown(*i).and_then(|shown| shown.order).is_some_and(is_strong);
    let is_fence = |i: &usize| shown(*i).is_some_and(|shown| shown.action == Action::Fence);
    let mut own = others.take_while(|i| graph.steps[*i].thread == graph.steps[step].thread);
    let fence = own.find(|i| is_fence(i) && strong(i));
    std::iter::once(step).filter(strong).chain(fence).collect()
}
