//! Lifts an execution that a bounded engine has found to the program, and makes a trace of it: events that the lowering added
//! appear as the operations that they stand for.

mod orders;

use orders::Orders;
use std::collections::{BTreeMap, BTreeSet};
use treville_base::{Idx, Name, Span};
use treville_event::{Cell, Event, EventId, Graph, Kind};
use treville_ir::{MemoryOrder, Op, Program, ThreadId};
use treville_passes::flatten::FREE;
use treville_passes::lower_to_test::{ALLOC, Channel, HEAP, LoweredTest, RETIRED};
use treville_task::{Action, Bytes, GraphStep, StepGraph, StuckThread, Trace, TraceObject, TraceStep, TraceThread};

/// The story of an execution of a program, about these events or about where threads stand.
pub(super) fn trace(
    lowered: &LoweredTest,
    graph: &Graph,
    program: &Program,
    about: &[EventId],
    stuck: &[StuckThread],
) -> Trace {
    let items = items(graph);
    let item_of = items.iter().enumerate().flat_map(|(i, item)| item.iter().map(move |e| (*e, i))).collect();
    let cells: BTreeSet<Cell> = items.iter().flatten().filter_map(|e| graph.skeleton.events[*e].cell).collect();
    let lift = Lift { lowered, graph, items, item_of, cells: cells.into_iter().collect(), locks: locks(program) };
    let steps = StepGraph {
        threads: lift.threads(),
        objects: lift.objects(program.objects.len()),
        steps: lift.items.iter().map(|item| lift.step(item)).collect(),
        orders: lift.cells.iter().map(|cell| lift.order(*cell)).collect(),
    };
    let orders = Orders::of(&steps, |cell| lowered.channel(lift.cells[cell].address).is_some());
    let about: Vec<usize> = about.iter().filter_map(|e| lift.item_of.get(e).copied()).collect();
    steps.trace(&orders, &about, stuck)
}

/// The events of each step, thread by thread: of an update, and of an access in parts, all of them.
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
    items: Vec<Vec<EventId>>,
    item_of: BTreeMap<EventId, usize>,
    /// In the order of their addresses.
    cells: Vec<Cell>,
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

    fn threads(&self) -> Vec<TraceThread> {
        let roots = self.lowered.program.roots.iter_enumerated();
        roots.map(|(number, root)| TraceThread { number, name: root.name.clone() }).collect()
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

    /// The items that write a cell, in coherence order.
    fn order(&self, cell: Cell) -> Vec<usize> {
        let events = self.graph.skeleton.events.iter_enumerated();
        let mut writes: Vec<usize> = events
            .filter(|(_, event)| event.kind.writes() && event.cell == Some(cell))
            .map(|(e, _)| e.index())
            .collect();
        let all = writes.clone();
        writes.sort_by_key(|w| all.iter().filter(|v| self.graph.co.contains(**v, *w)).count());
        writes.into_iter().filter_map(|w| self.item_of.get(&Idx::from_usize(w)).copied()).collect()
    }

    fn step(&self, item: &[EventId]) -> GraphStep {
        let thread = ThreadId(self.event(item[0]).thread.unwrap_or(0));
        let reads = item.iter().filter(|e| self.event(**e).kind.reads());
        let read = |e: &EventId| Some((self.cells.binary_search(&self.event(*e).cell?).ok()?, self.source(*e)));
        GraphStep { thread, shown: self.shown(item), reads: reads.filter_map(read).collect(), after: None }
    }

    /// The item that writes what an event reads.
    fn source(&self, read: EventId) -> Option<usize> {
        let mut writes = (0..self.graph.skeleton.events.len()).filter(|w| self.graph.rf.contains(*w, read.index()));
        writes.find_map(|w| self.item_of.get(&Idx::from_usize(w)).copied())
    }

    /// What the events of an item do; nothing if they only pass on what the program does not show.
    fn shown(&self, item: &[EventId]) -> Option<TraceStep> {
        let first = self.event(item[0]);
        let thread = ThreadId(first.thread?);
        let events = || item.iter().map(|e| self.event(*e));
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
                let (from, lock) = (None, first.span.is_some_and(|span| self.locks.contains(&span)));
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
