//! What was seen in executions that can be promised in others.

use super::{Clock, Flow, Offers, Pair, Path, Places, Promise, Visited, may_come_first, point};
use crate::graph::{EventId, Graph, Row};
use crate::memory::Locations;
use crate::rules::{Coherence, Rules};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// What was seen so far.
#[derive(Default)]
pub(crate) struct Notes {
    pub(super) writes: BTreeMap<Promise, Clock>,
    paths: Vec<Path>,
    path_ids: HashMap<Path, u32>,
    /// Whether the model may let the write go first.
    pub(super) flows: BTreeMap<Flow, bool>,
    /// The last place where a thread was seen to read an address before what the model lets go first.
    pub(super) weak_reads: BTreeMap<(u16, u64), u16>,
    /// Threads that were looked at, with all that they did.
    seen: HashSet<u64>,
    /// Threads that differ from an earlier one in name only, each with that one.
    pub(super) equal_threads: BTreeSet<(u16, u16)>,
    /// Addresses that stand for several.
    pub(super) several: BTreeSet<u64>,
}

/// What a thread has done, and the same with what happened before its writes.
#[derive(Clone, Copy)]
pub(crate) struct Fingerprint {
    thread: u16,
    done: u64,
    pub(crate) clocks: u64,
}

/// Whether happens-before is what the model has as such.
fn is_ordered(rules: &Rules) -> bool {
    rules.coherence == Coherence::HappensBefore
}

/// What tells a thread of a graph from others, as far as promises go.
pub(crate) fn fingerprint(graph: &Graph, thread: u16, rules: &Rules) -> Fingerprint {
    let (mut done, mut clocks) = (DefaultHasher::new(), DefaultHasher::new());
    let entry = &graph.threads[usize::from(thread)];
    (thread, entry.predecessor).hash(&mut done);
    for e in &entry.events {
        let label = graph.label(*e);
        (point(graph, *e), u64::from(label.loc), label.value).hash(&mut done);
        if is_ordered(rules) && label.kind.writes() {
            graph.row(*e, Row::Hb).hash(&mut clocks);
        }
    }
    let done = done.finish();
    done.hash(&mut clocks);
    Fingerprint { thread, done, clocks: clocks.finish() }
}

impl Notes {
    /// Notes what some threads of a graph write. False if all of them were seen before.
    pub(crate) fn note_writes(
        &mut self,
        graph: &Graph,
        locations: &Locations,
        rules: &Rules,
        threads: &[Fingerprint],
    ) -> bool {
        let mut new = false;
        for thread in threads {
            new |= self.seen.insert(thread.done);
            let events = &graph.threads[usize::from(thread.thread)].events;
            for e in events.iter().filter(|e| graph.label(**e).kind.writes()) {
                self.note_write(graph, locations, *e, is_ordered(rules));
            }
        }
        new
    }

    fn note_write(&mut self, graph: &Graph, locations: &Locations, e: EventId, ordered: bool) {
        let label = graph.label(e);
        let addr = locations.places[label.loc as usize].addr;
        let path = self.path(graph, usize::from(label.thread), usize::from(label.pos) + 1);
        let promise = Promise { addr, thread: label.thread, pos: label.pos, value: label.value, path };
        let clock = graph.row(e, Row::Hb);
        let known = self.writes.entry(promise).or_insert_with(|| if ordered { clock.to_vec() } else { Vec::new() });
        known.iter_mut().zip(clock).for_each(|(n, m)| *n = (*n).min(*m));
    }

    /// The first events of a thread, by number.
    fn path(&mut self, graph: &Graph, thread: usize, len: usize) -> u32 {
        let path: Path = graph.threads[thread].events[..len].iter().map(|e| point(graph, *e)).collect();
        let next = self.paths.len() as u32;
        *self.path_ids.entry(path).or_insert_with_key(|path| {
            self.paths.push(Arc::clone(path));
            next
        })
    }

    pub(crate) fn note_pairs(&mut self, graph: &Graph, pairs: &[Pair]) {
        let threads = (0u16..).zip(&graph.threads).filter(|(_, thread)| thread.present);
        self.equal_threads.extend(threads.filter_map(|(t, thread)| Some((t, thread.predecessor?))));
        for pair in pairs {
            *self.flows.entry(pair.flow).or_default() |= pair.weak;
            if let (true, Some((read, _))) = (pair.weak, pair.events) {
                let last = self.weak_reads.entry((pair.flow.thread as u16, pair.flow.from)).or_default();
                *last = (*last).max(graph.label(read).pos);
            }
        }
    }

    /// What the next round offers; nothing, if nothing can be promised that was not offered in the last one.
    pub(crate) fn offer(&self, rules: &Rules, last: &Offers) -> Option<Offers> {
        let (readers, writers) = self.cyclic(rules.coherence != Coherence::Unknown);
        let has_reader = |p: &Promise, clock: &Clock| {
            let can_read = |(thread, addr): &(u16, u64)| {
                let last = self.weak_reads.get(&(*thread, *addr));
                *addr == p.addr && *thread != p.thread && last.is_some_and(|last| may_come_first(clock, *thread, *last))
            };
            writers.contains(&(p.thread, p.addr)) && readers.iter().any(can_read)
        };
        let offered = self.writes.iter().filter(|(p, clock)| has_reader(p, clock));
        let offered: Vec<(Promise, Clock)> = offered.map(|(p, clock)| (*p, clock.clone())).collect();
        let new = !offered.is_empty() && (offered != last.offered || readers != last.readers);
        new.then(|| Offers { offered, readers, paths: self.paths.clone() })
    }

    /// The readers of weak flows that are on a cycle of flows, always from one thread to another, and the writers of what
    /// they read. In a coherent model no cycle stays at one location: each of its writes would come before itself.
    fn cyclic(&self, coherent: bool) -> (Places, Places) {
        let mut from: HashMap<u64, Vec<Flow>> = HashMap::new();
        let mut weak: BTreeMap<(u32, u64), Vec<Reached>> = BTreeMap::new();
        for (flow, is_weak) in &self.flows {
            from.entry(flow.from).or_default().push(*flow);
            if *is_weak {
                let leaves = !coherent || flow.to != flow.from || self.several.contains(&flow.from);
                let visited = Visited::default().with(flow.thread);
                let start = Reached { addr: flow.to, thread: flow.thread, leaves, visited };
                weak.entry((flow.thread, flow.from)).or_default().push(start);
            }
        }
        let (mut readers, mut writers) = (BTreeSet::new(), BTreeSet::new());
        for ((thread, home), starts) in weak {
            for end in ends(&from, starts, home) {
                readers.insert((thread as u16, home));
                writers.insert((end as u16, home));
            }
        }
        (readers, writers)
    }
}

/// The threads from which flows, given by where they begin, come to a location when they have been elsewhere.
fn ends(from: &HashMap<u64, Vec<Flow>>, starts: Vec<Reached>, home: u64) -> BTreeSet<u32> {
    let mut found: HashSet<Reached> = HashSet::new();
    let mut ends = BTreeSet::new();
    let mut todo = starts;
    while let Some(at) = todo.pop() {
        let flows = from.get(&at.addr).into_iter().flatten();
        for flow in flows.filter(|flow| flow.thread != at.thread && !at.visited.contains(flow.thread)) {
            let leaves = at.leaves || flow.to != home;
            if leaves && flow.to == home {
                ends.insert(flow.thread);
            }
            let next = Reached { addr: flow.to, thread: flow.thread, leaves, visited: at.visited.with(flow.thread) };
            if found.insert(next) {
                todo.push(next);
            }
        }
    }
    ends
}

/// A location that flows lead to, who has written it, and whether they have led to another one than where they began.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Reached {
    addr: u64,
    thread: u32,
    leaves: bool,
    visited: Visited,
}
