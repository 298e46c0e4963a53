//! The execution at hand as a story: its steps in an order in which they can be told, what they are about, and where one
//! thread read what another wrote without being ordered after it.

use super::Search;
use super::telling::{Item, Standstill, Telling};
use crate::graph::{EventId, INIT, Kind, NO_LOC, Row};
use crate::rules::Mode;
use treville_base::{Name, Span};
use treville_ir::Op;
use treville_task::{Action, Bytes, Gap, Order, Story, StoryObject, StoryStep, StoryThread};
use treville_vm::bytecode::{SiteId, SiteKind};

/// In larger graphs nobody looks for what would order events.
const MOST_EVENTS: EventId = 2000;

impl Search<'_, '_> {
    /// The story of the graph, about these events, or about where threads stand.
    pub(super) fn story(&self, about: &[EventId], standstills: &[Standstill]) -> Story {
        let telling = self.tell(about, standstills);
        let mut story = Story {
            threads: self.story_threads(),
            steps: telling.told.iter().map(|item| self.story_step(item, &telling)).collect(),
            objects: self.story_objects(),
            ..Story::default()
        };
        for location in self.graph.locations.iter().filter(|l| !l.writes.is_empty()) {
            let order: Vec<usize> = location.writes.iter().filter_map(|w| telling.position[*w as usize]).collect();
            // Cells that are written together have the same one.
            if !story.orders.contains(&order) {
                story.orders.push(order);
            }
        }
        let stands = |(i, item): (usize, &Item)| item.standstill.is_some().then_some(i);
        story.about = telling.told.iter().enumerate().filter_map(stands).collect();
        let mut events = about.to_vec();
        for Standstill { thread, site, wait } in standstills {
            let read = if wait.is_some() { self.last_read(*thread) } else { self.decisive_read(*thread, *site) };
            events.extend(read);
        }
        story.about.extend(events.iter().filter_map(|e| telling.position[*e as usize]));
        let in_question = if standstills.len() > 1 { &[] } else { events.as_slice() };
        for (write, read, released, acquired) in self.gaps(in_question) {
            if let (Some(write), Some(read)) = (telling.position[write as usize], telling.position[read as usize]) {
                story.gaps.push(Gap { write, read, released, acquired });
            }
        }
        story
    }

    fn story_threads(&self) -> Vec<StoryThread> {
        let threads = self.graph.threads.iter().enumerate().filter(|(_, t)| t.present);
        threads
            .map(|(i, thread)| {
                let root = self.program.roots.iter().nth(i).map(|root| &root.name);
                let name = root.unwrap_or(&self.program.funcs[thread.func].name).clone();
                StoryThread { number: i as u32, name }
            })
            .collect()
    }

    fn story_objects(&self) -> Vec<StoryObject> {
        let made = self.graph.made.iter();
        made.map(|made| {
            let site = self.graph.label(made.alloc).site;
            let name = site.filter(|_| !made.heap).and_then(|site| self.variable(site));
            StoryObject { address: made.addr, size: made.size, name, span: self.span(site) }
        })
        .collect()
    }

    /// The variable that an allocation is for.
    fn variable(&self, site: SiteId) -> Option<Name> {
        let site = self.image.site(site);
        self.program.funcs.iter().find_map(|func| {
            let mut insts = func.blocks.iter().flat_map(|b| &b.insts).filter(|i| i.instr == site.instr);
            insts.find_map(|inst| match inst.op {
                Op::Alloc { dst, .. } if !func.regs[dst].is_temporary() => Some(func.regs[dst].name.clone()),
                _ => None,
            })
        })
    }

    fn span(&self, site: Option<SiteId>) -> Option<Span> {
        site.map(|s| self.image.site(s).span)
    }

    fn story_step(&self, item: &Item, telling: &Telling) -> StoryStep {
        let thread = u32::from(item.thread);
        if let Some(standstill) = item.standstill {
            let action = standstill.wait.map_or(Action::Fail, Action::Wait);
            let site = standstill.site.or_else(|| self.graph.label(self.last_read(item.thread)?).site);
            return StoryStep { thread, span: self.span(site), action, order: Order::Plain };
        }
        let label = self.graph.label(item.first);
        let place = || {
            let place = self.locations.places[label.loc as usize];
            let size = label.site.filter(|_| label.parts() > 1).map_or(place.size, |site| self.image.site(site).size);
            Bytes { address: place.addr, size }
        };
        // Of several sources, the one that is told last.
        let sources = || self.graph.group(item.first).iter().map(|e| self.graph.label(*e).rf).filter(|rf| *rf != INIT);
        let from = match label.parts() {
            1 => telling.position[label.rf as usize].filter(|_| label.rf != INIT),
            _ => sources().filter_map(|rf| telling.position[rf as usize]).max(),
        };
        let lock = label.site.is_some_and(|s| matches!(self.image.site(s).kind, SiteKind::Lock | SiteKind::Unlock));
        let value = label.value;
        let whole = |e: EventId| {
            let [low, high] = self.graph.words(self.image, e);
            u128::from(low) | u128::from(high) << 64
        };
        let updates = self.graph.label(item.last).kind == Kind::UpdateWrite && item.first != item.last;
        let action = match label.kind {
            Kind::UpdateRead if updates => {
                Action::Update { place: place(), old: whole(item.first), new: whole(item.last), from, lock }
            }
            Kind::Read | Kind::UpdateRead => Action::Read { place: place(), value: whole(item.first), from, lock },
            Kind::Write | Kind::UpdateWrite => Action::Write { place: place(), value: whole(item.first), lock },
            Kind::Fence => Action::Fence,
            Kind::Spawn => Action::Start(value as u32),
            Kind::Join => Action::Join(u32::from(self.graph.label(label.rf).thread)),
            Kind::Alloc => Action::Allocate(value),
            Kind::Free if self.is_retired(item.first) => Action::Retire(value),
            Kind::Free => Action::Free(value),
            Kind::Choice | Kind::Decision | Kind::Assumption | Kind::Selection => Action::Choose(value),
            Kind::Init | Kind::End => Action::End,
        };
        let mode = if item.first == item.last { label.mode } else { self.update_mode(item) };
        let touches = label.loc != NO_LOC || label.kind == Kind::Fence;
        let order = if touches { order(mode) } else { Order::Plain };
        StoryStep { thread, span: self.span(label.site), action, order }
    }

    fn update_mode(&self, item: &Item) -> Mode {
        self.graph.label(item.first).mode.with(self.graph.label(item.last).mode)
    }

    /// The read that an assertion most likely is about: the last one on the same line, or the last one at all; of several on
    /// the line, one that misses a write.
    fn decisive_read(&self, thread: u16, site: Option<SiteId>) -> Option<EventId> {
        let events = &self.graph.threads[usize::from(thread)].events;
        let reads = || events.iter().rev().copied().filter(|e| self.graph.label(*e).kind.reads());
        let fails = self.span(site);
        // An expression that is tested begins where the test does, or after it.
        let beside = |e: &EventId| match (self.span(self.graph.label(*e).site), fails) {
            (Some(a), Some(b)) => a.file == b.file && a.start <= b.end && b.start <= a.end,
            _ => false,
        };
        let stale = |e: &EventId| self.missed(*e).is_some();
        reads().filter(beside).find(stale).or_else(|| reads().find(beside)).or_else(|| reads().next())
    }

    fn last_read(&self, thread: u16) -> Option<EventId> {
        let events = &self.graph.threads[usize::from(thread)].events;
        events.iter().rev().copied().find(|e| self.graph.label(*e).kind.reads())
    }

    /// A later write of another thread that a read does not see.
    fn missed(&self, read: EventId) -> Option<EventId> {
        let label = self.graph.label(read);
        let position = self.graph.co_position(label.loc, label.rf);
        let later = &self.graph.locations[label.loc as usize].writes[position..];
        later.iter().copied().find(|w| self.graph.label(*w).thread != label.thread && self.graph.porf(*w, read))
    }

    /// What would have to synchronise, so that the events were ordered: two that should be, or one read that misses a write.
    fn gaps(&self, events: &[EventId]) -> Vec<(EventId, EventId, bool, bool)> {
        if self.graph.len() > MOST_EVENTS {
            return Vec::new();
        }
        match events {
            [a, b, ..] => self.gaps_between(*b, *a).or_else(|| self.gaps_between(*a, *b)).unwrap_or_default(),
            [e] if self.graph.label(*e).kind.reads() => {
                self.missed(*e).and_then(|w| self.gaps_between(w, *e)).unwrap_or_default()
            }
            _ => Vec::new(),
        }
    }

    /// The fewest readings that would order `b` after `a` if they synchronised.
    fn gaps_between(&self, a: EventId, b: EventId) -> Option<Vec<(EventId, EventId, bool, bool)>> {
        let graph = &self.graph;
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
        let source = |r: EventId| Some(self.graph.label(r).rf).filter(|w| *w != INIT);
        std::iter::successors(source(read), move |w| {
            let updates = self.graph.label(*w).kind == Kind::UpdateWrite;
            updates.then(|| self.graph.update_read(*w)).and_then(source)
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
            let start = self.graph.label(before.map_or(a, |i| found[i].1));
            let released = start.pos < self.graph.row(write, Row::Message)[usize::from(start.thread)];
            let fences = |e: EventId| {
                let label = self.graph.label(e);
                label.kind == Kind::Fence && label.mode.acquire() && self.graph.hb(read, e) && self.graph.hb(e, until)
            };
            let acquired = self.graph.label(read).mode.acquire() || (1..self.graph.len()).any(fences);
            path.push((write, read, released, acquired));
            (at, until) = (before, write);
        }
        path.reverse();
        path
    }
}

fn order(mode: Mode) -> Order {
    match (mode.atomic(), mode.acquire(), mode.release(), mode.seq_cst()) {
        (false, ..) => Order::Plain,
        (_, _, _, true) => Order::SeqCst,
        (_, true, true, _) => Order::AcquireRelease,
        (_, true, ..) => Order::Acquire,
        (_, _, true, _) => Order::Release,
        _ => Order::Relaxed,
    }
}
