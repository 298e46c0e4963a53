//! Linearises a graph: a read comes after its write, and as long as there is one, the next step is one that breaks no
//! order of memory. If the whole graph is sequentially consistent, so is the linearisation.

use super::trace::Tracer;
use crate::graph::{EventId, Graph, INIT, Kind, NO_LOC};
use treville_bytecode::SiteId;
use treville_ir::Wait;

/// Where a thread is stuck after its events: not an event, but part of the trace.
#[derive(Clone, Copy, Debug)]
pub(super) struct StuckThread {
    pub(super) thread: u16,
    pub(super) site: Option<SiteId>,
    /// Waits in this way; fails if there is none.
    pub(super) wait: Option<Wait>,
}

impl StuckThread {
    pub(super) fn failing(thread: u16, site: Option<SiteId>) -> Self {
        StuckThread { thread, site, wait: None }
    }
}

/// One step: an event, all events of an update or of an access to several cells, or a stuck thread.
#[derive(Clone, Copy)]
pub(super) struct Item {
    pub(super) thread: u16,
    /// [`INIT`] for a stuck thread.
    pub(super) first: EventId,
    pub(super) last: EventId,
    pub(super) stuck: Option<StuckThread>,
}

/// Items in their order, and where each event is among them.
pub(super) struct Linearisation {
    pub(super) items: Vec<Item>,
    pub(super) position: Vec<Option<usize>>,
    memory: Vec<Memory>,
    /// Of each event, where in its location's order it is, or what it reads: 0 is the initial write.
    places: Vec<usize>,
}

/// The writes of a location that are placed: all before some place of its order.
#[derive(Default)]
struct Memory {
    /// How many writes are placed, from the first on.
    writes: usize,
    /// Of the write at each place, whether it is placed, and how many of its reads are not.
    placed: Vec<bool>,
    unread: Vec<usize>,
    /// The first place that has such reads.
    first_unread: usize,
}

impl Linearisation {
    fn new(graph: &Graph) -> Self {
        let n = graph.labels.len();
        let mut linearisation = Linearisation {
            items: Vec::with_capacity(n),
            position: vec![None; n],
            memory: Vec::new(),
            places: vec![0; n],
        };
        for location in &graph.locations {
            for (i, w) in location.writes.iter().enumerate() {
                linearisation.places[*w as usize] = i + 1;
            }
            let mut unread = vec![0; location.writes.len() + 1];
            for r in &location.reads {
                let source = graph.label(*r).rf;
                let place = if source == INIT { 0 } else { linearisation.places[source as usize] };
                linearisation.places[*r as usize] = place;
                unread[place] += 1;
            }
            let first_unread = unread.iter().position(|n| *n > 0).unwrap_or(unread.len());
            let placed = vec![false; unread.len()];
            linearisation.memory.push(Memory { writes: 0, placed, unread, first_unread });
        }
        linearisation
    }

    fn is_placed(&self, e: EventId) -> bool {
        self.position[e as usize].is_some()
    }

    fn place(&mut self, graph: &Graph, item: Item) {
        for e in item.events(graph) {
            self.note(graph, *e);
            self.position[*e as usize] = Some(self.items.len());
        }
        self.items.push(item);
    }

    fn note(&mut self, graph: &Graph, e: EventId) {
        let label = graph.label(e);
        if label.loc == NO_LOC {
            return;
        }
        let (memory, place) = (&mut self.memory[label.loc as usize], self.places[e as usize]);
        if label.kind.reads() {
            memory.unread[place] -= 1;
            while memory.unread.get(memory.first_unread) == Some(&0) {
                memory.first_unread += 1;
            }
        } else {
            memory.placed[place] = true;
            while memory.placed.get(memory.writes + 1) == Some(&true) {
                memory.writes += 1;
            }
        }
    }

    /// Whether all that comes before its write in the order of memory is placed: earlier writes, and the reads of these.
    fn is_in_order(&self, graph: &Graph, item: &Item) -> bool {
        let writes = item.events(graph).iter().filter(|e| graph.label(**e).kind.writes());
        writes.into_iter().all(|write| {
            let (memory, place) = (&self.memory[graph.label(*write).loc as usize], self.places[*write as usize]);
            if place == 0 {
                return true;
            }
            // The read of an update is placed with its write.
            let updates = graph.label(*write).kind == Kind::UpdateWrite;
            let own = updates && memory.first_unread + 1 == place && memory.unread[place - 1] == 1;
            memory.writes + 1 >= place && (memory.first_unread >= place || own)
        })
    }
}

impl Item {
    /// All of its events.
    fn events(self, graph: &Graph) -> &[EventId] {
        if self.first == INIT {
            return &[];
        }
        let range = usize::from(graph.label(self.first).pos)..=usize::from(graph.label(self.last).pos);
        &graph.threads[usize::from(self.thread)].events[range]
    }
}

impl Tracer<'_> {
    /// All steps of the graph; of these events the first comes last, if it can.
    pub(super) fn linearise(&self, about: &[EventId], stuck: &[StuckThread]) -> Linearisation {
        let graph = &self.execution.graph;
        let mut left: Vec<Vec<Item>> = self.items(stuck);
        let total: usize = left.iter().map(Vec::len).sum();
        let mut linearisation = Linearisation::new(graph);
        let mut current = 0;
        while linearisation.items.len() < total {
            let threads = || std::iter::once(current).chain(0..left.len()).filter(|t| !left[*t].is_empty());
            let next = |t: &usize| left[*t].last();
            let ready = |t: &usize| next(t).is_some_and(|item| self.is_ready(item, &linearisation));
            let in_order = |t: &usize| ready(t) && next(t).is_some_and(|item| linearisation.is_in_order(graph, item));
            let too_early = |item: &Item| match about {
                [first, rest @ ..] if item.events(graph).contains(first) => {
                    rest.iter().any(|e| !linearisation.is_placed(*e))
                }
                _ => false,
            };
            let in_time = |t: &usize| in_order(t) && next(t).is_some_and(|item| !too_early(item));
            let chosen = threads().find(in_time).or_else(|| threads().find(in_order));
            let chosen = chosen.or_else(|| threads().find(ready)).or_else(|| threads().next());
            let Some(item) = chosen.and_then(|t| left[t].pop()) else { break };
            current = usize::from(item.thread);
            linearisation.place(graph, item);
        }
        linearisation
    }

    /// The steps of each thread, the first at the end.
    fn items(&self, stuck: &[StuckThread]) -> Vec<Vec<Item>> {
        let mut all = Vec::new();
        for (t, thread) in self.execution.graph.threads.iter().enumerate() {
            let thread_number = t as u16;
            let mut items: Vec<Item> = Vec::new();
            for e in thread.events.iter().copied().filter(|_| thread.present) {
                let label = self.execution.graph.label(e);
                match (label.kind, items.last_mut()) {
                    (Kind::UpdateWrite, Some(item)) => item.last = e,
                    (_, Some(item)) if label.part() > 0 => item.last = e,
                    (Kind::Alloc, _) if !self.is_heap(e) => {}
                    (Kind::Free, _) if label.site.is_none() => {}
                    _ => items.push(Item { thread: thread_number, first: e, last: e, stuck: None }),
                }
            }
            let stands = stuck.iter().filter(|s| usize::from(s.thread) == t);
            items.extend(stands.map(|s| Item { thread: thread_number, first: INIT, last: INIT, stuck: Some(*s) }));
            items.reverse();
            all.push(items);
        }
        all
    }

    fn is_heap(&self, alloc: EventId) -> bool {
        self.execution.graph.made.iter().any(|m| m.alloc == alloc && m.heap)
    }

    /// Whether what it reads, or waited for, is placed.
    fn is_ready(&self, item: &Item, linearisation: &Linearisation) -> bool {
        let events = item.events(&self.execution.graph);
        let placed = |e: EventId| e == INIT || events.contains(&e) || linearisation.is_placed(e);
        let Some(first) = events.first() else { return true };
        let started = self.execution.graph.label(*first).pos > 0
            || placed(self.execution.graph.threads[usize::from(item.thread)].spawn);
        started && events.iter().all(|e| placed(self.execution.graph.label(*e).rf))
    }
}
