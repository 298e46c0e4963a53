//! Lifts an execution that a bounded engine has found to a trace of the program: its steps, linearised.
//! Events that the lowering added appear as the operations that they stand for.

use std::collections::{BTreeMap, BTreeSet};
use treville_base::{Idx, Name, Span};
use treville_event::{Event, EventId, Graph, Kind};
use treville_ir::{MemoryOrder, Op, Program, Wait};
use treville_passes::flatten::FREE;
use treville_passes::lower_to_test::{ALLOC, Channel, HEAP, LoweredTest, RETIRED};
use treville_task::{Action, Bytes, MissingSync, Trace, TraceObject, TraceStep, TraceThread};

/// Where a thread stands at the end, if that is what the story is about.
pub(super) struct StuckThread {
    pub(super) thread: u32,
    pub(super) span: Option<Span>,
    /// Waits in this way; fails if there is none.
    pub(super) wait: Option<Wait>,
}

/// The story of an execution of a program, about these events or about where threads stand.
pub(super) fn trace(
    lowered: &LoweredTest,
    graph: &Graph,
    program: &Program,
    about: &[EventId],
    standstills: &[StuckThread],
) -> Trace {
    let teller = Lift { lowered, graph, items: items(graph), locks: locks(program) };
    let order = teller.order();
    let position: BTreeMap<EventId, usize> =
        order.iter().enumerate().flat_map(|(i, item)| teller.items[*item].iter().map(move |e| (*e, i))).collect();
    let mut lifted = Numbered { trace: Trace::default(), at: vec![None; order.len()] };
    for (i, item) in order.iter().enumerate() {
        if let Some(step) = teller.step(&teller.items[*item], |e| position.get(&e).copied()) {
            lifted.at[i] = Some(lifted.trace.steps.len());
            lifted.trace.steps.push(step);
        }
    }
    lifted.rename_sources();
    let Numbered { mut trace, at } = lifted;
    let step_of = |e: &EventId| position.get(e).and_then(|i| at[*i]);
    trace.threads = teller.threads();
    trace.objects = teller.objects(program.objects.len());
    trace.orders = teller.orders(step_of);
    let mut in_question = about.to_vec();
    for standstill in standstills {
        trace.about.push(trace.steps.len());
        let action = standstill.wait.map_or(Action::Fail, Action::Wait);
        let (thread, span) = (standstill.thread, standstill.span);
        trace.steps.push(TraceStep { thread, span, action, order: None });
        let read = teller.decisive_read(standstill);
        trace.about.extend(read.as_ref().and_then(step_of));
        in_question.extend(read);
    }
    trace.about.extend(about.iter().filter_map(step_of));
    if standstills.len() <= 1 {
        for (write, read, released, acquired) in teller.missing_syncs(&in_question) {
            if let (Some(write), Some(read)) = (step_of(&write), step_of(&read)) {
                trace.missing_syncs.push(MissingSync { write, read, released, acquired });
            }
        }
    }
    trace
}

/// A reading: the write, the read, whether the writer has released what it did before, and whether the reader has acquired it.
type Reading = (EventId, EventId, bool, bool);

/// A trace whose steps name others by the items that they are.
struct Numbered {
    trace: Trace,
    /// The step of each item, unless it is left out.
    at: Vec<Option<usize>>,
}

impl Numbered {
    fn rename_sources(&mut self) {
        for step in &mut self.trace.steps {
            if let Action::Read { from, .. } | Action::Update { from, .. } = &mut step.action {
                *from = from.and_then(|item| self.at[item]);
            }
        }
    }
}

/// The events of each step: of an update, and of an access in parts, all of them.
fn items(graph: &Graph) -> Vec<Vec<EventId>> {
    let mut items: BTreeMap<(u32, u32), Vec<EventId>> = BTreeMap::new();
    for (e, event) in graph.skeleton.events.iter_enumerated() {
        if let Some(thread) = event.thread.filter(|_| !matches!(event.kind, Kind::RegRead | Kind::RegWrite)) {
            items.entry((thread, event.instance)).or_default().push(e);
        }
    }
    items.into_values().collect()
}

struct Lift<'a> {
    lowered: &'a LoweredTest,
    graph: &'a Graph,
    /// Thread by thread.
    items: Vec<Vec<EventId>>,
    /// Where locks are taken and given back.
    locks: BTreeSet<Span>,
}

fn locks(program: &Program) -> BTreeSet<Span> {
    let insts = program.funcs.iter().flat_map(|func| func.blocks.iter()).flat_map(|block| &block.insts);
    insts.filter(|inst| matches!(inst.op, Op::Lock { .. })).map(|inst| inst.span).collect()
}

impl<'a> Lift<'a> {
    fn event(&self, e: EventId) -> &'a Event {
        &self.graph.skeleton.events[e]
    }

    fn thread(&self, item: usize) -> Option<u32> {
        self.event(self.items[item][0]).thread
    }

    /// The write that a read reads.
    fn source(&self, read: EventId) -> Option<EventId> {
        let n = self.graph.skeleton.events.len();
        (0..n).find(|w| self.graph.rf.contains(*w, read.index())).map(Idx::from_usize)
    }

    /// Linearises the items: a read comes after its write, and as long as there is one, the next step is one that breaks no
    /// order of memory.
    fn order(&self) -> Vec<usize> {
        let mut placed: BTreeSet<EventId> = BTreeSet::new();
        let mut left: BTreeMap<u32, std::collections::VecDeque<usize>> = BTreeMap::new();
        for item in 0..self.items.len() {
            left.entry(self.thread(item).unwrap_or(0)).or_default().push_back(item);
        }
        let (mut order, mut current) = (Vec::new(), 0);
        while let Some(thread) = self.next(&left, current, &placed) {
            let Some(item) = left.get_mut(&thread).and_then(std::collections::VecDeque::pop_front) else { break };
            placed.extend(&self.items[item]);
            order.push(item);
            current = thread;
        }
        order
    }

    /// The thread that goes on: rather one that sees and keeps the order of memory, and rather the one that was last.
    fn next(
        &self,
        left: &BTreeMap<u32, std::collections::VecDeque<usize>>,
        current: u32,
        placed: &BTreeSet<EventId>,
    ) -> Option<u32> {
        let firsts = || left.iter().filter_map(|(thread, items)| Some((*thread, *items.front()?)));
        let rank = |(thread, item): &(u32, usize)| {
            let reads = self.reads_placed(*item, placed);
            (!reads, !self.is_in_order(*item, placed), *thread != current, *thread)
        };
        firsts().min_by_key(rank).map(|(thread, _)| thread)
    }

    fn reads_placed(&self, item: usize, placed: &BTreeSet<EventId>) -> bool {
        let is_placed =
            |w: EventId| self.event(w).thread.is_none() || placed.contains(&w) || self.items[item].contains(&w);
        self.items[item].iter().filter(|e| self.event(**e).kind.reads()).all(|e| self.source(*e).is_none_or(is_placed))
    }

    /// Whether earlier writes of the same places, and the reads of these, are placed.
    fn is_in_order(&self, item: usize, placed: &BTreeSet<EventId>) -> bool {
        let n = self.graph.skeleton.events.len();
        let own = &self.items[item];
        let is_placed = |e: usize| {
            let e = Idx::from_usize(e);
            self.event(e).thread.is_none() || placed.contains(&e) || own.contains(&e)
        };
        let earlier = |w: usize| (0..n).filter(move |v| self.graph.co.contains(*v, w));
        own.iter().filter(|e| self.event(**e).kind.writes()).all(|w| {
            earlier(w.index()).all(|v| is_placed(v) && (0..n).filter(|r| self.graph.rf.contains(v, *r)).all(is_placed))
        })
    }

    fn threads(&self) -> Vec<TraceThread> {
        let roots = self.lowered.program.roots.iter().enumerate();
        roots.map(|(i, root)| TraceThread { number: i as u32, name: root.name.clone() }).collect()
    }

    /// Objects that the program makes on the way.
    fn objects(&self, known: usize) -> Vec<TraceObject> {
        let objects = self.lowered.program.objects.iter().skip(known);
        let of_program = objects.filter(|object| self.lowered.channel(object.address).is_none());
        let made = |address: u64| {
            let begins =
                |e: &&Event| e.tags.iter().any(|t| *t == ALLOC) && e.cell.is_some_and(|c| c.address == address);
            self.graph.skeleton.events.iter().find(begins).and_then(|e| e.span)
        };
        of_program
            .map(|o| TraceObject { address: o.address, size: o.size, name: None, span: made(o.address) })
            .collect()
    }

    /// Of each place, its writes in coherence order.
    fn orders(&self, step_of: impl Fn(&EventId) -> Option<usize>) -> Vec<Vec<usize>> {
        let mut places: BTreeMap<_, Vec<EventId>> = BTreeMap::new();
        for (e, event) in self.graph.skeleton.events.iter_enumerated() {
            if let (true, Some(_), Some(cell)) = (event.kind.writes(), event.thread, event.cell) {
                places.entry(cell).or_default().push(e);
            }
        }
        let mut orders: Vec<Vec<usize>> = Vec::new();
        for mut writes in places.into_values() {
            let earlier = |w: &EventId, all: &[EventId]| {
                all.iter().filter(|v| self.graph.co.contains(v.index(), w.index())).count()
            };
            let all = writes.clone();
            writes.sort_by_key(|w| earlier(w, &all));
            let order: Vec<usize> = writes.iter().filter_map(&step_of).collect();
            if !order.is_empty() && !orders.contains(&order) {
                orders.push(order);
            }
        }
        orders
    }

    /// What the events of an item do; nothing if they only pass on what the program does not show.
    fn step(&self, item: &[EventId], position: impl Fn(EventId) -> Option<usize>) -> Option<TraceStep> {
        let first = self.event(item[0]);
        let thread = first.thread?;
        let events = || item.iter().map(|e| self.event(*e));
        let read = item.iter().find(|e| self.event(**e).kind.reads()).copied();
        let from = read.and_then(|read| self.source(read)).and_then(position);
        let is = |tag: &str| events().any(|e| e.tags.iter().any(|t| *t == *tag));
        let address = first.cell.map(|cell| cell.address);
        let action = match (first.kind, address.and_then(|address| self.lowered.channel(address))) {
            (Kind::Write, Some((other, Channel::Start))) => Action::Start(other),
            (Kind::Read, Some((other, Channel::End))) => Action::Join(other),
            (_, Some(_)) | (Kind::Branch | Kind::Init | Kind::RegRead | Kind::RegWrite, None) => return None,
            (Kind::Fence, None) => Action::Fence,
            (Kind::Opaque, None) if is(RETIRED) => Action::Retire(address?),
            (Kind::Opaque, None) if is(FREE) => Action::Free(address?),
            (Kind::Opaque, None) if is(HEAP) => Action::Allocate(address?),
            (Kind::Opaque, None) => return None,
            (Kind::Read | Kind::Write | Kind::Update, None) => {
                let (old, new) =
                    (self.whole(item, |e| Some(e.read?.unsigned())), self.whole(item, |e| Some(e.written?.unsigned())));
                let lock = first.span.is_some_and(|span| self.locks.contains(&span));
                match (old, new) {
                    (Some((place, old)), Some((_, new))) => Action::Update { place, old, new, from, lock },
                    (Some((place, value)), None) => Action::Read { place, value, from, lock },
                    (None, Some((place, value))) => Action::Write { place, value, lock },
                    (None, None) => return None,
                }
            }
        };
        let touches = action.place().is_some() || action == Action::Fence;
        let order = if touches { order(events().flat_map(|e| &e.tags)) } else { None };
        Some(TraceStep { thread, span: first.span, action, order })
    }

    /// The bytes that the events of an item read or write, and their value.
    fn whole(&self, item: &[EventId], value: impl Fn(&Event) -> Option<u128>) -> Option<(Bytes, u128)> {
        let parts: BTreeMap<u64, (u8, u128)> = item
            .iter()
            .filter_map(|e| {
                let event = self.event(*e);
                Some((event.cell?.address, (event.cell?.size, value(event)?)))
            })
            .collect();
        let address = *parts.keys().next()?;
        let size = parts.iter().map(|(at, (size, _))| at - address + u64::from(*size)).max()?;
        let shifted = parts.iter().filter(|(at, _)| *at - address < 16);
        let whole = shifted.fold(0, |whole, (at, (_, value))| whole | value << (8 * (at - address)));
        Some((Bytes { address, size: size.min(16) as u8 }, whole))
    }

    /// What would have to synchronise, so that the events were ordered: two that should be, or one read that misses a write.
    fn missing_syncs(&self, events: &[EventId]) -> Vec<Reading> {
        match events {
            [a, b, ..] => self.gaps_between(*b, *a).or_else(|| self.gaps_between(*a, *b)).unwrap_or_default(),
            [read] if self.event(*read).kind.reads() => {
                let n = self.graph.skeleton.events.len();
                let source = self.source(*read);
                let later = (0..n).filter(|w| source.is_some_and(|s| self.graph.co.contains(s.index(), *w)));
                later.map(Idx::from_usize).find_map(|w| self.gaps_between(w, *read)).unwrap_or_default()
            }
            _ => Vec::new(),
        }
    }

    /// The fewest readings that would order `b` after `a` if they synchronised. None if nothing leads there.
    fn gaps_between(&self, a: EventId, b: EventId) -> Option<Vec<Reading>> {
        let events = &self.graph.skeleton.events;
        let mut best: BTreeMap<EventId, (usize, Option<EventId>)> = BTreeMap::from([(a, (0, None))]);
        let mut todo = std::collections::VecDeque::from([a]);
        while let Some(e) = todo.pop_front() {
            let cost = best[&e].0;
            let of = self.event(e);
            for (to, other) in events.iter_enumerated().filter(|(_, other)| other.thread.is_some()) {
                let follows = other.thread == of.thread && other.index > of.index;
                let reads = self.graph.rf.contains(e.index(), to.index()) && other.thread != of.thread;
                if !follows && !reads {
                    continue;
                }
                let missing = reads && self.reading(e, to).is_some();
                let cost = cost + usize::from(missing);
                if best.get(&to).is_none_or(|(known, _)| cost < *known) {
                    best.insert(to, (cost, Some(e)));
                    if missing { todo.push_back(to) } else { todo.push_front(to) }
                }
            }
        }
        let mut path = Vec::new();
        let mut at = b;
        while let Some(before) = best.get(&at)?.1 {
            if self.event(before).thread != self.event(at).thread {
                path.extend(self.reading(before, at));
            }
            at = before;
        }
        path.reverse();
        Some(path)
    }

    /// A reading that does not synchronise.
    fn reading(&self, write: EventId, read: EventId) -> Option<Reading> {
        let (from, to) = (self.event(write), self.event(read));
        if from.cell.is_some_and(|cell| self.lowered.channel(cell.address).is_some()) {
            return None;
        }
        let releases = |event: &Event| order(event.tags.iter()).is_some_and(MemoryOrder::releases);
        let acquires = |event: &Event| order(event.tags.iter()).is_some_and(MemoryOrder::acquires);
        let mut events = self.graph.skeleton.events.iter().filter(|e| e.kind == Kind::Fence);
        let mut fences = events.clone();
        let released = releases(from) || events.any(|f| f.thread == from.thread && f.index < from.index && releases(f));
        let acquired = acquires(to) || fences.any(|f| f.thread == to.thread && f.index > to.index && acquires(f));
        (!released || !acquired).then_some((write, read, released, acquired))
    }

    /// The read that a standstill most likely is about: the last one on the same line, or the last one at all.
    fn decisive_read(&self, standstill: &StuckThread) -> Option<EventId> {
        let of_thread = |event: &Event| event.thread == Some(standstill.thread) && event.kind.reads();
        let shown = |event: &Event| event.cell.is_some_and(|cell| self.lowered.channel(cell.address).is_none());
        let events = self.graph.skeleton.events.iter_enumerated();
        let mut reads: Vec<EventId> = events.filter(|(_, e)| of_thread(e) && shown(e)).map(|(e, _)| e).collect();
        reads.sort_by_key(|e| self.event(*e).index);
        let partner = |e: &&EventId| match (self.event(**e).span, standstill.span) {
            (Some(a), Some(b)) => a.file == b.file && a.start <= b.end && b.start <= a.end,
            _ => false,
        };
        reads.iter().rev().find(partner).or(reads.last()).copied()
    }
}

/// The memory order that tags say, in the words of C or of the Linux kernel; none for what is not atomic.
fn order<'a>(tags: impl Iterator<Item = &'a Name> + Clone) -> Option<MemoryOrder> {
    if tags.clone().any(|tag| *tag == "NA") {
        return None;
    }
    let one = |tag: &Name| match tag.as_str() {
        "ACQUIRE" => Some(MemoryOrder::Acquire),
        "RELEASE" => Some(MemoryOrder::Release),
        tag => MemoryOrder::of_tag(tag),
    };
    Some(tags.filter_map(one).fold(MemoryOrder::Relaxed, MemoryOrder::join))
}
