//! Linearises steps: a read comes after its write, and as long as there is one, the next step is one that breaks no order of
//! memory. If the whole execution is sequentially consistent, so is the linearisation.

use super::StepGraph;
use std::collections::BTreeMap;
use treville_ir::ThreadId;

/// The steps in their order; the first of `about` comes last of these, if it can.
pub(super) fn linearise(graph: &StepGraph, about: &[usize]) -> Vec<usize> {
    let mut left: BTreeMap<ThreadId, Vec<usize>> = BTreeMap::new();
    for (i, step) in graph.steps.iter().enumerate().rev() {
        left.entry(step.thread).or_default().push(i);
    }
    let mut left: Vec<Vec<usize>> = left.into_values().collect();
    let mut linearisation = Linearisation::new(graph);
    let mut current = 0;
    while let Some(thread) = linearisation.next(&left, current, about) {
        let Some(step) = left[thread].pop() else { break };
        linearisation.place(step);
        current = thread;
    }
    linearisation.order
}

/// What is placed so far.
struct Linearisation<'g> {
    graph: &'g StepGraph,
    order: Vec<usize>,
    placed: Vec<bool>,
    cells: Vec<Cell>,
    /// Of each step, the cells that it writes and reads, each with the place of the write in the cell's order: 0 is initial.
    writes: Vec<Vec<(usize, usize)>>,
    reads: Vec<Vec<(usize, usize)>>,
}

/// The writes of a cell that are placed.
struct Cell {
    /// How many, from the first on.
    writes: usize,
    /// Of the write at each place, whether it is placed, and how many of its reads are not.
    placed: Vec<bool>,
    unread: Vec<usize>,
    /// The first place that has such reads.
    first_unread: usize,
}

impl<'g> Linearisation<'g> {
    fn new(graph: &'g StepGraph) -> Self {
        let n = graph.steps.len();
        let mut writes = vec![Vec::new(); n];
        for (cell, order) in graph.orders.iter().enumerate() {
            order.iter().enumerate().for_each(|(i, write)| writes[*write].push((cell, i + 1)));
        }
        let place = |cell: usize, write: usize| writes[write].iter().find(|(c, _)| *c == cell).map_or(0, |(_, at)| *at);
        let place_of = |(cell, write): &(usize, Option<usize>)| (*cell, write.map_or(0, |write| place(*cell, write)));
        let reads: Vec<Vec<(usize, usize)>> =
            graph.steps.iter().map(|step| step.reads.iter().map(place_of).collect()).collect();
        let mut cells: Vec<Cell> = graph.orders.iter().map(|order| Cell::new(order.len() + 1)).collect();
        reads.iter().flatten().for_each(|(cell, place)| cells[*cell].unread[*place] += 1);
        cells.iter_mut().for_each(Cell::skip_read);
        Linearisation { graph, order: Vec::with_capacity(n), placed: vec![false; n], cells, writes, reads }
    }

    /// The thread that goes on: rather one that sees and keeps the order of memory, and rather the one that was last.
    fn next(&self, left: &[Vec<usize>], current: usize, about: &[usize]) -> Option<usize> {
        let threads =
            || std::iter::once(current).chain(0..left.len()).filter(|t| left.get(*t).is_some_and(|l| !l.is_empty()));
        let next = |t: &usize| left[*t].last().copied();
        let ready = |t: &usize| next(t).is_some_and(|step| self.is_ready(step));
        let in_order = |t: &usize| ready(t) && next(t).is_some_and(|step| self.is_in_order(step));
        let too_early = |step: usize| match about {
            [first, rest @ ..] => *first == step && rest.iter().any(|other| !self.placed[*other] && *other != step),
            [] => false,
        };
        let in_time = |t: &usize| in_order(t) && next(t).is_some_and(|step| !too_early(step));
        let found = threads().find(in_time).or_else(|| threads().find(in_order));
        found.or_else(|| threads().find(ready)).or_else(|| threads().next())
    }

    /// Whether what it reads, or comes after, is placed.
    fn is_ready(&self, step: usize) -> bool {
        let graph_step = &self.graph.steps[step];
        let mut before = graph_step.reads.iter().filter_map(|(_, source)| *source).chain(graph_step.after);
        before.all(|other| other == step || self.placed[other])
    }

    /// Whether all that comes before its writes in the order of memory is placed: earlier writes, and the reads of these.
    fn is_in_order(&self, step: usize) -> bool {
        self.writes[step].iter().all(|(cell, place)| {
            let memory = &self.cells[*cell];
            // The read of an update is placed with its write.
            let updates = self.reads[step].contains(&(*cell, place - 1));
            let own = updates && memory.first_unread + 1 == *place && memory.unread[place - 1] == 1;
            memory.writes + 1 >= *place && (memory.first_unread >= *place || own)
        })
    }

    fn place(&mut self, step: usize) {
        for (cell, place) in &self.reads[step] {
            self.cells[*cell].unread[*place] -= 1;
            self.cells[*cell].skip_read();
        }
        for (cell, place) in &self.writes[step] {
            self.cells[*cell].place(*place);
        }
        self.placed[step] = true;
        self.order.push(step);
    }
}

impl Cell {
    fn new(places: usize) -> Cell {
        Cell { writes: 0, placed: vec![false; places], unread: vec![0; places], first_unread: 0 }
    }

    fn place(&mut self, place: usize) {
        self.placed[place] = true;
        while self.placed.get(self.writes + 1) == Some(&true) {
            self.writes += 1;
        }
    }

    fn skip_read(&mut self) {
        while self.unread.get(self.first_unread) == Some(&0) {
            self.first_unread += 1;
        }
    }
}
