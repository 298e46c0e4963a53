//! The current execution as a trace: its linearised steps, the steps in question, and the reads that would have synchronised
//! with the write they read from, had it released and they acquired.

use super::execution::Execution;
use super::linearisation::{Item, Linearisation, StuckThread};
use crate::graph::{EventId, INIT, Kind, NO_LOC, Row};
use crate::rules::Mode;
use treville_base::{Name, Span};
use treville_bytecode::{SiteId, SiteKind};
use treville_ir::Op;
use treville_task::{Action, Bytes, MissingSync, Trace, TraceObject, TraceStep, TraceThread};

/// In larger graphs nobody looks for what would order events.
const MOST_EVENTS: EventId = 2000;

/// Makes traces of an execution.
#[derive(Clone, Copy)]
pub(super) struct Tracer<'e> {
    pub(super) execution: &'e Execution<'e>,
}

impl<'e> Tracer<'e> {
    pub(super) fn of(execution: &'e Execution<'e>) -> Self {
        Tracer { execution }
    }
}

impl Tracer<'_> {
    /// The story of the graph, about these events, or about where threads stand.
    pub(super) fn trace(&self, about: &[EventId], stuck: &[StuckThread]) -> Trace {
        let linearisation = self.linearise(about, stuck);
        let mut trace = Trace {
            threads: self.trace_threads(),
            steps: linearisation.items.iter().map(|item| self.trace_step(item, &linearisation)).collect(),
            objects: self.trace_objects(),
            ..Trace::default()
        };
        for location in self.execution.graph.locations.iter().filter(|l| !l.writes.is_empty()) {
            let order: Vec<usize> =
                location.writes.iter().filter_map(|w| linearisation.position[*w as usize]).collect();
            // Cells that are written together have the same one.
            if !trace.orders.contains(&order) {
                trace.orders.push(order);
            }
        }
        let stands = |(i, item): (usize, &Item)| item.stuck.is_some().then_some(i);
        trace.about = linearisation.items.iter().enumerate().filter_map(stands).collect();
        let mut events = about.to_vec();
        for StuckThread { thread, site, wait } in stuck {
            let read = if wait.is_some() { self.last_read(*thread) } else { self.decisive_read(*thread, *site) };
            events.extend(read);
        }
        trace.about.extend(events.iter().filter_map(|e| linearisation.position[*e as usize]));
        let in_question = if stuck.len() > 1 { &[] } else { events.as_slice() };
        for (write, read, released, acquired) in self.missing_syncs(in_question) {
            if let (Some(write), Some(read)) =
                (linearisation.position[write as usize], linearisation.position[read as usize])
            {
                trace.missing_syncs.push(MissingSync { write, read, released, acquired });
            }
        }
        trace
    }

    fn trace_threads(&self) -> Vec<TraceThread> {
        let threads = self.execution.graph.threads.iter().enumerate().filter(|(_, t)| t.present);
        threads
            .map(|(i, thread)| {
                let root = self.execution.code.program.roots.iter().nth(i).map(|root| &root.name);
                let name = root.unwrap_or(&self.execution.code.program.funcs[thread.func].name).clone();
                TraceThread { number: i as u32, name }
            })
            .collect()
    }

    fn trace_objects(&self) -> Vec<TraceObject> {
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

    fn trace_step(&self, item: &Item, linearisation: &Linearisation) -> TraceStep {
        let thread = u32::from(item.thread);
        if let Some(stuck) = item.stuck {
            let action = stuck.wait.map_or(Action::Fail, Action::Wait);
            let site = stuck.site.or_else(|| self.execution.graph.label(self.last_read(item.thread)?).site);
            return TraceStep { thread, span: self.span(site), action, order: None };
        }
        let label = self.execution.graph.label(item.first);
        let place = || {
            let place = self.execution.locations.places[label.loc as usize];
            let size = label
                .site
                .filter(|_| label.parts() > 1)
                .map_or(place.size, |site| self.execution.code.image.site(site).size);
            Bytes { address: place.addr, size }
        };
        // Of several sources, the one that is told last.
        let sources = || {
            self.execution
                .graph
                .group(item.first)
                .iter()
                .map(|e| self.execution.graph.label(*e).rf)
                .filter(|rf| *rf != INIT)
        };
        let from = match label.parts() {
            1 => linearisation.position[label.rf as usize].filter(|_| label.rf != INIT),
            _ => sources().filter_map(|rf| linearisation.position[rf as usize]).max(),
        };
        let lock = label
            .site
            .is_some_and(|s| matches!(self.execution.code.image.site(s).kind, SiteKind::Lock | SiteKind::Unlock));
        let value = label.value;
        let whole = |e: EventId| {
            let [low, high] = self.execution.graph.words(self.execution.code.image, e);
            u128::from(low) | u128::from(high) << 64
        };
        let updates = self.execution.graph.label(item.last).kind == Kind::UpdateWrite && item.first != item.last;
        let action = match label.kind {
            Kind::UpdateRead if updates => {
                Action::Update { place: place(), old: whole(item.first), new: whole(item.last), from, lock }
            }
            Kind::Read | Kind::UpdateRead => Action::Read { place: place(), value: whole(item.first), from, lock },
            Kind::Write | Kind::UpdateWrite => Action::Write { place: place(), value: whole(item.first), lock },
            Kind::Fence => Action::Fence,
            Kind::Spawn => Action::Start(value as u32),
            Kind::Join => Action::Join(u32::from(self.execution.graph.label(label.rf).thread)),
            Kind::Alloc => Action::Allocate(value),
            Kind::Free if self.execution.hazards().is_retired(item.first) => Action::Retire(value),
            Kind::Free => Action::Free(value),
            Kind::Choice | Kind::Decision | Kind::Assumption | Kind::Selection => Action::Choose(value),
            Kind::Init | Kind::End => Action::End,
        };
        let mode = if item.first == item.last { label.mode } else { self.update_mode(item) };
        let touches = label.loc != NO_LOC || label.kind == Kind::Fence;
        let order = if touches { mode.order() } else { None };
        TraceStep { thread, span: self.span(label.site), action, order }
    }

    fn update_mode(&self, item: &Item) -> Mode {
        self.execution.graph.label(item.first).mode.with(self.execution.graph.label(item.last).mode)
    }

    /// The read that an assertion most likely is about: the last one on the same line, or the last one at all; of several on
    /// the line, one that misses a write.
    fn decisive_read(&self, thread: u16, site: Option<SiteId>) -> Option<EventId> {
        let events = &self.execution.graph.threads[usize::from(thread)].events;
        let reads = || events.iter().rev().copied().filter(|e| self.execution.graph.label(*e).kind.reads());
        let fails = self.span(site);
        // An expression that is tested begins where the test does, or after it.
        let beside = |e: &EventId| match (self.span(self.execution.graph.label(*e).site), fails) {
            (Some(a), Some(b)) => a.file == b.file && a.start <= b.end && b.start <= a.end,
            _ => false,
        };
        let stale = |e: &EventId| self.missed(*e).is_some();
        reads().filter(beside).find(stale).or_else(|| reads().find(beside)).or_else(|| reads().next())
    }

    fn last_read(&self, thread: u16) -> Option<EventId> {
        let events = &self.execution.graph.threads[usize::from(thread)].events;
        events.iter().rev().copied().find(|e| self.execution.graph.label(*e).kind.reads())
    }

    /// A later write of another thread that a read does not see.
    fn missed(&self, read: EventId) -> Option<EventId> {
        let label = self.execution.graph.label(read);
        let position = self.execution.graph.co_position(label.loc, label.rf);
        let later = &self.execution.graph.locations[label.loc as usize].writes[position..];
        later
            .iter()
            .copied()
            .find(|w| self.execution.graph.label(*w).thread != label.thread && self.execution.graph.porf(*w, read))
    }

    /// What would have to synchronise, so that the events were ordered: two that should be, or one read that misses a write.
    fn missing_syncs(&self, events: &[EventId]) -> Vec<(EventId, EventId, bool, bool)> {
        if self.execution.graph.len() > MOST_EVENTS {
            return Vec::new();
        }
        match events {
            [a, b, ..] => self.gaps_between(*b, *a).or_else(|| self.gaps_between(*a, *b)).unwrap_or_default(),
            [e] if self.execution.graph.label(*e).kind.reads() => {
                self.missed(*e).and_then(|w| self.gaps_between(w, *e)).unwrap_or_default()
            }
            _ => Vec::new(),
        }
    }

    /// The fewest readings that would order `b` after `a` if they synchronised.
    fn gaps_between(&self, a: EventId, b: EventId) -> Option<Vec<(EventId, EventId, bool, bool)>> {
        let graph = &self.execution.graph;
        // Of each reading, the one before it on the way from `a`.
        let mut found: Vec<(EventId, EventId, Option<usize>)> = Vec::new();
        let mut done = 0;
        let mut from = (a, None);
        loop {
            for read in (1..graph.len()).filter(|e| graph.label(*e).kind.reads()) {
                let leads = |w: &EventId| graph.hb(from.0, *w) && !graph.hb(*w, read);
                let write = self.heads(read).filter(leads).last();
                if let Some(write) = write.filter(|_| !found.iter().any(|(_, r, _)| *r == read)) {
                    found.push((write, read, from.1));
                }
            }
            let (_, read, _) = *found.get(done)?;
            if graph.hb(read, b) {
                return Some(self.path(&found, done, a, b));
            }
            from = (read, Some(done));
            done += 1;
        }
    }

    /// What a read reads, then, through updates, what that came from: a release of any of these reaches the reader.
    fn heads(&self, read: EventId) -> impl Iterator<Item = EventId> {
        let source = |r: EventId| Some(self.execution.graph.label(r).rf).filter(|w| *w != INIT);
        std::iter::successors(source(read), move |w| {
            let updates = self.execution.graph.label(*w).kind == Kind::UpdateWrite;
            updates.then(|| self.execution.graph.update_read(*w)).and_then(source)
        })
    }

    /// The readings on the way to the last one, with what their ends have done.
    fn path(
        &self,
        found: &[(EventId, EventId, Option<usize>)],
        last: usize,
        a: EventId,
        b: EventId,
    ) -> Vec<(EventId, EventId, bool, bool)> {
        let mut path = Vec::new();
        let (mut at, mut until) = (Some(last), b);
        while let Some((write, read, before)) = at.map(|i| found[i]) {
            let start = self.execution.graph.label(before.map_or(a, |i| found[i].1));
            let released = start.pos < self.execution.graph.row(write, Row::Message)[usize::from(start.thread)];
            let fences = |e: EventId| {
                let label = self.execution.graph.label(e);
                label.kind == Kind::Fence
                    && label.mode.acquire()
                    && self.execution.graph.hb(read, e)
                    && self.execution.graph.hb(e, until)
            };
            let acquired =
                self.execution.graph.label(read).mode.acquire() || (1..self.execution.graph.len()).any(fences);
            path.push((write, read, released, acquired));
            (at, until) = (before, write);
        }
        path.reverse();
        path
    }
}
