//! The current execution as a trace: its steps with what they do, what they read and the order of writes, and the orders that the
//! clocks know. Everything else about a trace is made of these (`treville_task::StepGraph`).

use super::execution::Execution;
use super::stop::StuckThread;
use crate::graph::{EventId, Graph, Kind, NO_LOC, Row};
use treville_base::{Name, Span};
use treville_bytecode::{SiteId, SiteKind};
use treville_ir::{Op, ThreadId};
use treville_task::{
    Action, Bytes, GraphStep, StepGraph, StepOrders, StuckThread as Stuck, Trace, TraceObject, TraceStep, TraceThread,
};

/// Makes traces of an execution.
pub(super) struct Tracer<'e> {
    execution: &'e Execution<'e>,
    items: Vec<Item>,
    /// Of each event, the item that it belongs to.
    item_of: Vec<Option<usize>>,
}

/// The events of one step: one, or all those of an update or of an access to several cells.
#[derive(Clone, Copy)]
struct Item {
    first: EventId,
    last: EventId,
}

/// The orders of a graph, which its clocks know.
struct Clocks<'e> {
    graph: &'e Graph,
    items: &'e [Item],
}

impl StepOrders for Clocks<'_> {
    fn leads(&self, a: usize, b: usize) -> bool {
        self.graph.porf(self.items[a].first, self.items[b].last)
    }

    fn happens_before(&self, a: usize, b: usize) -> bool {
        self.graph.hb(self.items[a].first, self.items[b].last)
    }

    fn is_released(&self, start: usize, write: usize) -> bool {
        let start = self.graph.label(self.items[start].first);
        start.pos < self.graph.row(self.items[write].last, Row::Message)[usize::from(start.thread)]
    }
}

impl<'e> Tracer<'e> {
    pub(super) fn of(execution: &'e Execution<'e>) -> Self {
        let graph = &execution.graph;
        let (mut items, mut item_of): (Vec<Item>, _) = (Vec::new(), vec![None; graph.labels.len()]);
        for thread in graph.threads.iter().filter(|thread| thread.present) {
            let first = items.len();
            for e in thread.events.iter().copied() {
                let label = graph.label(e);
                let goes_on = label.kind == Kind::UpdateWrite || label.part() > 0;
                match items[first..].last_mut().filter(|_| goes_on) {
                    Some(item) => item.last = e,
                    None => items.push(Item { first: e, last: e }),
                }
                item_of[e as usize] = Some(items.len() - 1);
            }
        }
        Tracer { execution, items, item_of }
    }

    /// The story of the graph, about these events, or about where threads stand.
    pub(super) fn trace(&self, about: &[EventId], stuck: &[StuckThread]) -> Trace {
        let clocks = Clocks { graph: &self.execution.graph, items: &self.items };
        let locations = self.execution.graph.locations.iter();
        let writes = |writes: &[EventId]| writes.iter().filter_map(|w| self.item(*w)).collect();
        let steps = StepGraph {
            threads: self.threads(),
            objects: self.objects(),
            steps: self.items.iter().map(|item| self.step(item)).collect(),
            orders: locations.map(|location| writes(&location.writes)).collect(),
        };
        let about: Vec<usize> = about.iter().filter_map(|e| self.item(*e)).collect();
        let stands = |s: &StuckThread| Stuck { thread: thread_id(s.thread), span: self.span(s.site), wait: s.wait };
        steps.trace(&clocks, &about, &stuck.iter().map(stands).collect::<Vec<_>>())
    }

    /// The step of an event; none for an initial write.
    fn item(&self, e: EventId) -> Option<usize> {
        self.item_of[e as usize]
    }

    fn threads(&self) -> Vec<TraceThread> {
        let code = self.execution.code;
        let threads = self.execution.graph.threads.iter().enumerate().filter(|(_, t)| t.present);
        let name =
            |i: usize, func| code.program.roots.iter().nth(i).map_or(&code.program.funcs[func].name, |r| &r.name);
        threads.map(|(i, t)| TraceThread { number: thread_id(i as u16), name: name(i, t.func).clone() }).collect()
    }

    fn objects(&self) -> Vec<TraceObject> {
        let made = self.execution.graph.made.iter();
        made.map(|made| {
            let site = self.execution.graph.label(made.alloc).site;
            let name = site.filter(|_| !made.heap).and_then(|site| self.variable(site));
            TraceObject { address: made.addr, size: made.size, name, span: self.span(site) }
        })
        .collect()
    }

    /// The variable that an allocation is for.
    fn variable(&self, site: SiteId) -> Option<Name> {
        let site = self.execution.code.image.site(site);
        self.execution.code.program.funcs.iter().find_map(|func| {
            let mut insts = func.blocks.iter().flat_map(|b| &b.insts).filter(|i| i.instr == site.instr);
            insts.find_map(|inst| match inst.op {
                Op::Alloc { dst, .. } if !func.regs[dst].is_temporary() => Some(func.regs[dst].name.clone()),
                _ => None,
            })
        })
    }

    fn span(&self, site: Option<SiteId>) -> Option<Span> {
        site.map(|s| self.execution.code.span(s))
    }

    fn step(&self, item: &Item) -> GraphStep {
        let graph = &self.execution.graph;
        let label = graph.label(item.first);
        let thread = thread_id(label.thread);
        let reads = graph.group(item.first).iter().map(|e| graph.label(*e)).filter(|label| label.kind.reads());
        let after = match label.kind {
            Kind::Join => self.item(label.rf),
            _ if label.pos == 0 => self.item(graph.threads[usize::from(label.thread)].spawn),
            _ => None,
        };
        let touches = label.loc != NO_LOC || label.kind == Kind::Fence;
        let order = label.mode.with(graph.label(item.last).mode).order().filter(|_| touches);
        let span = self.span(label.site);
        let shown = self.action(item).map(|action| TraceStep { thread, span, action, order });
        GraphStep { thread, shown, reads: reads.map(|r| (r.loc as usize, self.item(r.rf))).collect(), after }
    }

    /// What the events of a step do, if the program says that they do.
    fn action(&self, item: &Item) -> Option<Action> {
        let graph = &self.execution.graph;
        let label = graph.label(item.first);
        let is_lock = |s| matches!(self.execution.code.image.site(s).kind, SiteKind::Lock | SiteKind::Unlock);
        let (value, lock, from) = (label.value, label.site.is_some_and(is_lock), None);
        let whole = |e: EventId| {
            let [low, high] = graph.words(self.execution.code.image, e);
            u128::from(low) | u128::from(high) << 64
        };
        let updates = graph.label(item.last).kind == Kind::UpdateWrite && item.first != item.last;
        Some(match label.kind {
            Kind::UpdateRead if updates => {
                Action::Update { place: self.place(item), old: whole(item.first), new: whole(item.last), from, lock }
            }
            Kind::Read | Kind::UpdateRead => {
                Action::Read { place: self.place(item), value: whole(item.first), from, lock }
            }
            Kind::Write | Kind::UpdateWrite => {
                Action::Write { place: self.place(item), value: whole(item.first), lock }
            }
            Kind::Fence => Action::Fence,
            Kind::Spawn => Action::Start(thread_id(value as u16)),
            Kind::Join => Action::Join(thread_id(graph.label(label.rf).thread)),
            Kind::Alloc if !graph.made.iter().any(|made| made.alloc == item.first && made.heap) => return None,
            Kind::Alloc => Action::Allocate(value),
            Kind::Free if label.site.is_none() => return None,
            Kind::Free if self.execution.hazards().is_retired(item.first) => Action::Retire(value),
            Kind::Free => Action::Free(value),
            Kind::Choice | Kind::Decision | Kind::Assumption | Kind::Selection => Action::Choose(value),
            Kind::Init | Kind::End => Action::End,
        })
    }

    /// The bytes that an access touches.
    fn place(&self, item: &Item) -> Bytes {
        let label = self.execution.graph.label(item.first);
        let place = self.execution.locations.places[label.loc as usize];
        let site = label.site.filter(|_| label.parts() > 1);
        Bytes { address: place.addr, size: site.map_or(place.size, |s| self.execution.code.image.site(s).size) }
    }
}

fn thread_id(thread: u16) -> ThreadId {
    ThreadId(u32::from(thread))
}
