//! Traces of small executions.

use super::{GraphStep, StepGraph, StepOrders};
use crate::{Action, Bytes, MissingSync, Trace, TraceStep};
use treville_ir::{MemoryOrder, ThreadId};

/// An access to a cell: a write, or a read of what a step wrote.
#[derive(Clone, Copy)]
enum Access {
    Write,
    Read(Option<usize>),
}

use Access::{Read, Write};

/// Nothing but program order orders these; the threads of the steps.
struct ProgramOrder(Vec<ThreadId>);

impl StepOrders for ProgramOrder {
    fn leads(&self, a: usize, b: usize) -> bool {
        self.happens_before(a, b)
    }

    fn happens_before(&self, a: usize, b: usize) -> bool {
        self.0[a] == self.0[b] && a <= b
    }

    fn is_released(&self, start: usize, write: usize) -> bool {
        self.happens_before(start, write)
    }
}

/// Accesses of threads to cells; writes come in coherence order.
fn trace(accesses: &[(u32, usize, Access)], about: &[usize]) -> Trace {
    let mut graph = StepGraph { orders: vec![Vec::new(); 2], ..StepGraph::default() };
    for (i, (thread, cell, access)) in accesses.iter().enumerate() {
        let (thread, place) = (ThreadId(*thread), Bytes { address: *cell as u64, size: 1 });
        let (action, reads) = match access {
            Write => (Action::Write { place, value: i as u128, lock: false }, Vec::new()),
            Read(source) => (Action::Read { place, value: 0, from: None, lock: false }, vec![(*cell, *source)]),
        };
        if reads.is_empty() {
            graph.orders[*cell].push(i);
        }
        let shown = Some(TraceStep { thread, span: None, action, order: Some(MemoryOrder::Relaxed) });
        graph.steps.push(GraphStep { thread, shown, reads, after: None });
    }
    let orders = ProgramOrder(graph.steps.iter().map(|step| step.thread).collect());
    graph.trace(&orders, about, &[])
}

fn threads(trace: &Trace) -> Vec<u32> {
    trace.steps.iter().map(|step| step.thread.0).collect()
}

#[test]
fn a_read_comes_after_its_write_and_before_the_next_one() {
    assert_eq!(threads(&trace(&[(0, 0, Write), (1, 0, Read(None))], &[])), [1, 0]);
    let later = trace(&[(0, 0, Read(Some(1))), (1, 0, Write)], &[]);
    assert_eq!(threads(&later), [1, 0]);
    assert_eq!(later.steps[1].action.source(), Some(Some(0)));
}

#[test]
fn what_no_interleaving_explains_still_follows_what_is_read() {
    // Store buffering: both reads miss the write of the other thread.
    let steps = [(0, 0, Write), (0, 1, Read(None)), (1, 1, Write), (1, 0, Read(None))];
    let told = trace(&steps, &[]);
    assert_eq!(told.orders.len(), 2);
    assert!((0..4).any(|step| told.missed_by(step).is_some()) && (0..4).all(|step| !told.reads_ahead(step)));
}

#[test]
fn the_first_step_in_question_comes_last() {
    let steps = [(0, 0, Write), (1, 1, Write)];
    assert_eq!(threads(&trace(&steps, &[0, 1])), [1, 0]);
    assert_eq!(threads(&trace(&steps, &[1, 0])), [0, 1]);
}

#[test]
fn a_read_that_would_have_synchronised_is_missing() {
    let steps = [(0, 0, Write), (0, 1, Write), (1, 1, Read(Some(1))), (1, 0, Read(Some(0)))];
    let told = trace(&steps, &[3, 0]);
    assert_eq!(told.missing_syncs, [MissingSync { write: 1, read: 2, released: true, acquired: false }]);
    assert_eq!(told.about, [3, 0]);
}
