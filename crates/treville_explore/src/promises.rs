//! Load buffering: which reads may see writes that come after them by program order and reads-from.
//!
//! The search adds events in an order that program order and reads-from agree with, and so misses executions in which these
//! have a cycle. On each such cycle some thread writes before it reads: a pair of a read and a later write of one thread that
//! the model does not keep in order is *weak*. The read is then made by a *promise*: it is told what some thread will write, and
//! where. Without the edges that end in such reads there is no cycle, and the search finds what is left as ever; at the end the
//! promises must have been kept. An execution has its promises by itself, all such reads and no others, so that it is found
//! once.
//!
//! What can be promised is what some thread has written in an execution found so far. As dependencies and reads-from have no
//! cycle, one of the writes that an execution promises depends on no promise, one only on that, and so on: each round of the
//! search finds writes that further ones depend on, until there is nothing new. Before, it is asked whether a cycle can be at
//! all: among the locations that threads read before they write others (*flows*) there must be one, with a weak flow on it.

use crate::graph::{EventId, Graph, INIT, Kind, NO_LOC, NO_PROMISE};
use crate::memory::Locations;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

/// A write: by whom, as which of its events, where, and which value; and how its thread got there, which is the same wherever
/// the write depends on the same, as control dependencies never end.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Promise {
    pub(crate) addr: u64,
    pub(crate) thread: u16,
    pub(crate) pos: u16,
    pub(crate) value: u64,
    path: u32,
}

/// A thread reads one location and then writes another.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Flow {
    pub(crate) thread: u32,
    pub(crate) from: u64,
    pub(crate) to: u64,
}

/// A read and a later write of one thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Pair {
    pub(crate) flow: Flow,
    /// The model does not keep them in order, whoever reads from whom.
    pub(crate) weak: bool,
    /// The two events, if the read is not the start of the thread.
    pub(crate) events: Option<(EventId, EventId)>,
}

/// Threads with the addresses that they access.
type Places = BTreeSet<(u16, u64)>;

/// What was seen so far, and what is offered.
#[derive(Default)]
pub(crate) struct Promises {
    writes: BTreeSet<Promise>,
    /// The events of a thread up to a write, as far as the program's text tells them apart.
    paths: Vec<Vec<u64>>,
    path_ids: HashMap<Vec<u64>, u32>,
    /// Whether the model may let the write go first.
    flows: BTreeMap<Flow, bool>,
    /// Threads that were looked at, with all that they did.
    seen: HashSet<u64>,
    offered: Vec<Promise>,
    /// The reads that they are offered to: thread and address.
    readers: Places,
}

impl Promises {
    /// Notes what the threads of a graph write. False if all of them were seen before.
    pub(crate) fn note_writes(&mut self, graph: &Graph, locations: &Locations) -> bool {
        let mut new = false;
        for (t, thread) in graph.threads.iter().enumerate().filter(|(_, thread)| thread.present) {
            let mut hasher = DefaultHasher::new();
            t.hash(&mut hasher);
            for label in thread.events.iter().map(|e| graph.label(*e)) {
                (label.site, label.kind.writes(), label.loc, label.value).hash(&mut hasher);
            }
            if !self.seen.insert(hasher.finish()) {
                continue;
            }
            new = true;
            for label in thread.events.iter().map(|e| graph.label(*e)).filter(|label| label.kind.writes()) {
                let addr = locations.places[label.loc as usize].addr;
                let path = self.path(graph, t, usize::from(label.pos) + 1);
                self.writes.insert(Promise { addr, thread: label.thread, pos: label.pos, value: label.value, path });
            }
        }
        new
    }

    /// The first events of a thread, by number.
    fn path(&mut self, graph: &Graph, thread: usize, len: usize) -> u32 {
        let path: Vec<u64> = graph.threads[thread].events[..len].iter().map(|e| point(graph, *e)).collect();
        let next = self.paths.len() as u32;
        *self.path_ids.entry(path).or_insert_with_key(|path| {
            self.paths.push(path.clone());
            next
        })
    }

    /// Whether the first events of its thread, as far as they are there, lead to a promised write; at most `len` are looked at.
    pub(crate) fn leads_to(&self, graph: &Graph, promise: &Promise, len: usize) -> bool {
        let events = graph.threads[usize::from(promise.thread)].events.iter().take(len);
        events.zip(&self.paths[promise.path as usize]).all(|(e, expected)| point(graph, *e) == *expected)
    }

    pub(crate) fn note_pairs(&mut self, pairs: &[Pair]) {
        for pair in pairs {
            *self.flows.entry(pair.flow).or_default() |= pair.weak;
        }
    }

    /// Prepares the next round. False if nothing can be promised that was not offered before.
    pub(crate) fn offer(&mut self) -> bool {
        let (readers, writers) = self.cyclic();
        let is_offered = |p: &&Promise| writers.contains(&(p.thread, p.addr));
        let offered: Vec<Promise> = self.writes.iter().filter(is_offered).copied().collect();
        let new = offered != self.offered || readers != self.readers;
        (self.offered, self.readers) = (offered, readers);
        new && !self.offered.is_empty()
    }

    pub(crate) fn get(&self, promise: u32) -> Promise {
        self.offered[promise as usize]
    }

    /// What a thread that reads an address may be promised.
    pub(crate) fn offered_to(&self, thread: u16, addr: u64) -> impl Iterator<Item = u32> {
        let offered = if self.readers.contains(&(thread, addr)) { self.offered.as_slice() } else { &[] };
        let fits = move |p: &Promise| p.addr == addr && p.thread != thread;
        (0..).zip(offered).filter(move |(_, p)| fits(p)).map(|(i, _)| i)
    }

    /// The readers of weak flows that are on a cycle of flows, always from one thread to another, and the writers of what
    /// they read.
    fn cyclic(&self) -> (Places, Places) {
        let (mut readers, mut writers) = (BTreeSet::new(), BTreeSet::new());
        for weak in self.flows.iter().filter(|(_, weak)| **weak).map(|(flow, _)| *flow) {
            let reached = self.reach((weak.to, weak.thread));
            let closing = reached.iter().filter(|(addr, thread)| *addr == weak.from && *thread != weak.thread);
            for (addr, thread) in closing {
                readers.insert((weak.thread as u16, weak.from));
                writers.insert((*thread as u16, *addr));
            }
        }
        (readers, writers)
    }

    /// The locations, each with who has written it, that flows lead to from one, always from one thread to another.
    fn reach(&self, start: (u64, u32)) -> BTreeSet<(u64, u32)> {
        let mut found = BTreeSet::new();
        let mut todo = vec![start];
        while let Some((addr, thread)) = todo.pop() {
            for flow in self.flows.keys().filter(|flow| flow.thread != thread && flow.from == addr) {
                if found.insert((flow.to, flow.thread)) {
                    todo.push((flow.to, flow.thread));
                }
            }
        }
        found
    }
}

/// The point of the program's text that an event is at.
fn point(graph: &Graph, e: EventId) -> u64 {
    let label = graph.label(e);
    label.site.map_or(0, |site| u64::from(site.0) + 1) << 1 | u64::from(label.kind.writes())
}

/// Whether the promises of a graph in which they were kept are those that it has by itself: of the reads from other threads,
/// exactly those are promised that have a weak pair with a write which leads, through other threads, to what they read.
pub(crate) fn has_its_own_promises(graph: &Graph, pairs: &[Pair]) -> bool {
    let porf = reachable(graph);
    let from_others = |e: EventId| {
        let label = graph.label(e);
        label.kind.reads() && label.rf != INIT && graph.label(label.rf).thread != label.thread
    };
    let mut own: HashSet<EventId> = HashSet::new();
    for (read, write) in pairs.iter().filter(|pair| pair.weak).filter_map(|pair| pair.events) {
        if graph.label(read).kind.reads() && from_others(read) {
            let source = graph.label(read).rf;
            let leads = |r: EventId| r == source || porf.contains(r as usize, source as usize);
            let reads_it = |r: &EventId| graph.label(*r).rf == write && (from_others(*r) || is_join(graph, *r));
            if (1..graph.len()).filter(reads_it).any(leads) || started_by(graph, write).any(leads) {
                own.insert(read);
            }
        }
    }
    (1..graph.len()).all(|e| own.contains(&e) == (graph.label(e).promise != NO_PROMISE))
}

fn is_join(graph: &Graph, e: EventId) -> bool {
    graph.label(e).kind == Kind::Join
}

/// The first event of the thread that an event starts, if it does.
fn started_by(graph: &Graph, e: EventId) -> impl Iterator<Item = EventId> {
    let label = graph.label(e);
    let thread = (label.kind == Kind::Spawn).then(|| &graph.threads[label.value as usize]);
    thread.into_iter().filter_map(|thread| thread.events.first().copied())
}

/// Where each event leads to by program order and reads-from, threads being started and joined.
fn reachable(graph: &Graph) -> treville_base::BitMatrix {
    let mut porf = treville_base::BitMatrix::new(graph.len() as usize);
    for thread in graph.threads.iter().filter(|thread| thread.present) {
        let first = thread.events.first().map(|first| (thread.spawn, *first));
        let next = thread.events.windows(2).map(|pair| (pair[0], pair[1]));
        first.into_iter().chain(next).for_each(|(a, b)| porf.insert(a as usize, b as usize));
    }
    for e in 1..graph.len() {
        let label = graph.label(e);
        if label.loc != NO_LOC && label.kind.reads() || label.kind == Kind::Join {
            porf.insert(label.rf as usize, e as usize);
        }
    }
    porf.close_transitively();
    porf
}
