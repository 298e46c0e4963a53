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
//! Only cycles count that visit a thread once: where one comes back to a thread, program order cuts it short, and what is left
//! has a weak pair as well.
//!
//! Where happens-before counts, a write is promised to no read that happens before it whenever it is seen: all that releases and
//! acquires order before the write is what it depends on, and so is as it was in the execution in which it was seen.

mod notes;
mod renamed;

use crate::graph::{EventId, Graph, INIT, Kind, NO_PROMISE};
pub(crate) use notes::{Notes, fingerprint};
use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

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

/// Of each thread, how many of its events happen before a write whenever it is seen.
type Clock = Vec<u16>;

/// The events of a thread up to a write, as far as the program's text tells them apart.
type Path = Arc<[u64]>;

/// What is offered in a round.
#[derive(Default)]
pub(crate) struct Offers {
    offered: Vec<(Promise, Clock)>,
    /// The reads that they are offered to: thread and address.
    readers: Places,
    paths: Vec<Path>,
}

impl Offers {
    pub(crate) fn get(&self, promise: u32) -> Promise {
        self.offered[promise as usize].0
    }

    /// What a thread that reads an address at a position may be promised.
    pub(crate) fn offered_to(&self, thread: u16, addr: u64, pos: u16) -> impl Iterator<Item = u32> {
        let offered = if self.readers.contains(&(thread, addr)) { self.offered.as_slice() } else { &[] };
        let fits = move |(p, clock): &(Promise, Clock)| {
            p.addr == addr && p.thread != thread && may_come_first(clock, thread, pos)
        };
        (0..).zip(offered).filter(move |(_, offer)| fits(offer)).map(|(i, _)| i)
    }

    /// Whether the first events of its thread, as far as they are there, lead to a promised write; at most `len` are looked at.
    pub(crate) fn leads_to(&self, graph: &Graph, promise: &Promise, len: usize) -> bool {
        let events = graph.threads[usize::from(promise.thread)].events.iter().take(len);
        events.zip(&*self.paths[promise.path as usize]).all(|(e, expected)| point(graph, *e) == *expected)
    }
}

/// Whether a read at a position of its thread does not happen before a write with this clock.
fn may_come_first(clock: &Clock, thread: u16, pos: u16) -> bool {
    clock.get(usize::from(thread)).is_none_or(|n| *n <= pos)
}

/// The threads that a cycle has visited. Of so many that sets of them are too many, only the first are looked at.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
struct Visited(u8);

impl Visited {
    fn contains(self, thread: u32) -> bool {
        thread < u8::BITS && self.0 >> thread & 1 != 0
    }

    fn with(self, thread: u32) -> Visited {
        if thread < u8::BITS { Visited(self.0 | 1 << thread) } else { self }
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
    let reaches = Reachability::of(graph);
    let mut own: HashSet<EventId> = HashSet::new();
    for (read, write) in pairs.iter().filter(|pair| pair.weak).filter_map(|pair| pair.events) {
        if !own.contains(&read) && reads_from_others(graph, read) && reaches.leads(write, graph.label(read).rf) {
            own.insert(read);
        }
    }
    (1..graph.len()).all(|e| own.contains(&e) == (graph.label(e).promise != NO_PROMISE))
}

fn reads_from_others(graph: &Graph, e: EventId) -> bool {
    let label = graph.label(e);
    label.kind.reads() && label.rf != INIT && graph.label(label.rf).thread != label.thread
}

/// The ways from one thread to another: a write that is read, a thread that is started or joined.
struct Reachability<'a> {
    graph: &'a Graph,
    /// For each event, those of other threads that it leads to.
    next: Vec<Vec<EventId>>,
}

impl Reachability<'_> {
    fn of(graph: &Graph) -> Reachability<'_> {
        let mut next = vec![Vec::new(); graph.len() as usize];
        for e in 1..graph.len() {
            if graph.label(e).kind == Kind::Join || reads_from_others(graph, e) {
                next[graph.label(e).rf as usize].push(e);
            }
        }
        for thread in graph.threads.iter().filter(|thread| thread.present && thread.spawn != INIT) {
            next[thread.spawn as usize].extend(thread.events.first());
        }
        Reachability { graph, next }
    }

    /// Whether `from` leads to `to`, which is another thread's, on a way that visits threads once.
    fn leads(&self, from: EventId, to: EventId) -> bool {
        let mut seen = HashSet::new();
        let visited = Visited::default().with(u32::from(self.graph.label(from).thread));
        let mut todo: Vec<(EventId, Visited)> = self.next[from as usize].iter().map(|e| (*e, visited)).collect();
        let goal = self.graph.label(to);
        while let Some((e, visited)) = todo.pop() {
            let label = self.graph.label(e);
            if visited.contains(u32::from(label.thread)) || !seen.insert((e, visited)) {
                continue;
            }
            if label.thread == goal.thread && label.pos <= goal.pos {
                return true;
            }
            let visited = visited.with(u32::from(label.thread));
            let later = &self.graph.threads[usize::from(label.thread)].events[usize::from(label.pos)..];
            todo.extend(later.iter().flat_map(|w| &self.next[*w as usize]).map(|next| (*next, visited)));
        }
        false
    }
}
