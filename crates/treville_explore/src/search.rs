//! The search: adds events one by one, keeps the choices that are left, and goes back to them.

mod promised;
mod safety;
mod threads;

use crate::graph::{EventId, Graph, INIT, Kind, Label, LocId, Made, NO_LOC, NO_PROMISE, NOT_SAVED};
use crate::judge::Judge;
use crate::memory::{Locations, Owner};
use crate::promises::Promises;
use crate::rules::{Mode, Rules, Scratch};
use std::collections::HashMap;
use treville_base::Cancel;
use treville_ir::{Expr, Failure, FuncId, Program, Reg, Storage};
use treville_task::{StopReason, Violation};
use treville_vm::bytecode::{Image, RunOptions, Runner, SiteId, SiteKind, Step, address};

/// What is explored and how far.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    pub(crate) run: RunOptions,
    /// Events of one execution.
    pub(crate) max_events: u32,
    pub(crate) cancel: Cancel,
}

#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Explored {
    pub(crate) complete: u64,
    pub(crate) blocked: u64,
    pub(crate) revisits: u64,
    /// Some execution was cut at the bound.
    pub(crate) cut: bool,
    pub(crate) violation: Option<Violation>,
    /// Why it ended early.
    pub(crate) stopped: Option<StopReason>,
}

/// Explores all executions of a compiled program; `ended` is told of each complete one. A judge, if there is one, knows the
/// model; the rules only say what happens before what.
pub(crate) fn explore<'a>(
    program: &'a Program,
    image: &'a Image,
    rules: Rules,
    mut judge: Option<&mut Judge<'a>>,
    options: &Options,
    ended: &mut dyn FnMut(&Ended<'_>),
) -> Explored {
    let mut stride = 8;
    loop {
        let mut search = Search::new(program, image, rules, judge.as_deref_mut(), options, stride, ended);
        match search.all().and_then(|()| search.all_promised()) {
            Err(Stop::MoreThreads) if stride < address::MAX_THREADS as usize => stride *= 2,
            Err(stop) => {
                search.explored.stopped = stop.reason(&options.cancel);
                return search.explored;
            }
            Ok(()) => return search.explored,
        }
    }
}

/// A complete execution.
pub(crate) struct Ended<'a> {
    runners: &'a [Runner],
    graph: &'a Graph,
    locations: &'a Locations,
}

impl Ended<'_> {
    /// The value that a register of a thread ended with.
    pub(crate) fn register(&self, thread: usize, reg: Reg) -> u64 {
        self.runners.get(thread).map_or(0, |runner| runner.register(reg))
    }

    /// The last write to some bytes, if they were accessed.
    pub(crate) fn memory(&self, addr: u64, size: u8) -> Option<u64> {
        let loc = self.locations.known(addr, size)?;
        let last = self.graph.locations.get(loc as usize)?.writes.last()?;
        Some(self.graph.label(*last).value)
    }
}

/// Why a search ends before everything is explored.
#[derive(Debug)]
enum Stop {
    Violation,
    Cancelled,
    TooManyEvents(u32),
    MoreThreads,
    Endless,
    Refused(String),
}

impl Stop {
    fn reason(self, cancel: &Cancel) -> Option<StopReason> {
        Some(StopReason::Refused(match self {
            Stop::Violation => return None,
            Stop::Cancelled => return StopReason::of(cancel),
            Stop::TooManyEvents(n) => format!("an execution has more than {n} events (--bound bounds loops)"),
            Stop::MoreThreads => format!("there are more than {} threads", address::MAX_THREADS),
            Stop::Endless => "a thread runs on without an end (--bound bounds loops)".into(),
            Stop::Refused(why) => why,
        }))
    }
}

/// A way on that is not explored yet.
#[derive(Clone, Copy, Debug)]
enum Way {
    /// The read with the choice's number reads from this write.
    Source(EventId),
    /// The read with the choice's number reads what was promised.
    Promise(u32),
    /// The write with the choice's number comes at this place of its location's order.
    Place(u32),
    /// This read reads from the write with the choice's number.
    Revisit(EventId),
    /// The same, in the graph that remains then, with the write at this place.
    Revisited { read: EventId, place: u32 },
}

enum Entry {
    /// The event with this number has this many ways left, at the end of the list of ways.
    Choice { event: EventId, ways: u32 },
    /// The graph to go back to.
    Outer(Box<Graph>),
}

/// Whether the graph can be extended.
enum Move {
    Go,
    /// It ends here: complete, blocked, or inconsistent.
    Back,
}

/// The modes of a site's events.
#[derive(Clone, Copy)]
struct Modes {
    /// Of a read, a fence, or an update's read if it turns out to write nothing.
    read: Mode,
    write: Mode,
    /// Of the read of an update that writes.
    update: Mode,
}

struct Search<'a, 'j> {
    program: &'a Program,
    image: &'a Image,
    rules: Rules,
    judge: Option<&'a mut Judge<'j>>,
    options: &'a Options,
    modes: Vec<Modes>,
    graph: Graph,
    locations: Locations,
    /// Threads by who started them and as which one.
    children: HashMap<(u16, u32), u16>,
    runners: Vec<Runner>,
    /// Whether the runner is where its thread's events end.
    placed: Vec<bool>,
    steps: Vec<Option<Step>>,
    stack: Vec<Entry>,
    ways: Vec<Way>,
    spare: Vec<Graph>,
    number: Vec<EventId>,
    scratch: Scratch,
    /// The thread whose update is not finished.
    next: Option<u16>,
    explored: Explored,
    promises: Promises,
    /// Reads may be promised what they read.
    promising: bool,
    /// Of each thread, whether it would fail now, while promises are open.
    failed: Vec<bool>,
    since_cancel: u32,
    ended: &'a mut dyn FnMut(&Ended<'_>),
}

impl<'a, 'j> Search<'a, 'j> {
    fn new(
        program: &'a Program,
        image: &'a Image,
        rules: Rules,
        judge: Option<&'a mut Judge<'j>>,
        options: &'a Options,
        stride: usize,
        ended: &'a mut dyn FnMut(&Ended<'_>),
    ) -> Self {
        let mut search = Search {
            program,
            image,
            rules,
            judge,
            options,
            modes: image.sites().iter().map(|s| modes(program, &s.kind, &rules)).collect(),
            graph: Graph::new(stride),
            locations: Locations::default(),
            children: HashMap::new(),
            runners: Vec::new(),
            placed: Vec::new(),
            steps: Vec::new(),
            stack: Vec::new(),
            ways: Vec::new(),
            spare: Vec::new(),
            number: Vec::new(),
            scratch: Scratch::default(),
            next: None,
            explored: Explored::default(),
            promises: Promises::default(),
            promising: false,
            failed: Vec::new(),
            since_cancel: 0,
            ended,
        };
        for _ in &program.roots {
            search.add_thread();
        }
        search.begin();
        search
    }

    /// Puts the threads that exist from the start into an empty graph.
    fn begin(&mut self) {
        for (root, thread) in self.program.roots.iter().zip(&mut self.graph.threads) {
            (thread.present, thread.func) = (true, root.func);
            thread.args.extend(root.init.iter().map(|(_, value)| constant(self.program, value)));
        }
    }

    fn add_thread(&mut self) -> u16 {
        let index = self.runners.len() as u16;
        self.runners.push(Runner::default());
        self.placed.push(false);
        self.failed.push(false);
        self.steps.push(None);
        self.graph.threads.resize_with(self.runners.len(), Default::default);
        index
    }

    fn all(&mut self) -> Result<(), Stop> {
        loop {
            while let Move::Go = self.advance()? {}
            if !self.back()? {
                return Ok(());
            }
        }
    }

    /// Adds the next event.
    fn advance(&mut self) -> Result<Move, Stop> {
        self.since_cancel += 1;
        if self.since_cancel >= 1024 {
            self.since_cancel = 0;
            if self.options.cancel.is_due() {
                return Err(Stop::Cancelled);
            }
        }
        if self.graph.len() > self.options.max_events {
            return Err(Stop::TooManyEvents(self.options.max_events));
        }
        if let Some(thread) = self.next.take()
            && let step @ Step::UpdateWrite { .. } = self.step(thread)
        {
            return self.take(thread, step);
        }
        for thread in 0..self.graph.threads.len() as u16 {
            if !self.graph.threads[usize::from(thread)].present {
                continue;
            }
            let step = self.step(thread);
            let waits = match step {
                Step::Blocked { .. } | Step::Cut => true,
                Step::End(_) => self.ended(thread).is_some(),
                Step::Join { thread: handle, .. } => match self.joined(handle) {
                    Some(child) => self.ended(child).is_none(),
                    None => false,
                },
                _ => false,
            };
            if !waits && let Some(taken) = self.take_if_it_can(thread, step) {
                return taken;
            }
        }
        self.finish()?;
        Ok(Move::Back)
    }

    fn take(&mut self, thread: u16, step: Step) -> Result<Move, Stop> {
        let t = usize::from(thread);
        self.steps[t] = None;
        match step {
            Step::Load { site, addr } => self.read(thread, site, addr, Kind::Read),
            Step::UpdateRead { site, addr } => self.read(thread, site, addr, Kind::UpdateRead),
            Step::Store { site, addr, value } => self.write(thread, site, addr, value, Kind::Write),
            Step::UpdateWrite { site, addr, value } => self.write(thread, site, addr, value, Kind::UpdateWrite),
            Step::Fence { site } => {
                let mode = self.modes[site.0 as usize].read;
                self.add(thread, Kind::Fence, mode, 0, INIT, Some(site));
                Ok(Move::Go)
            }
            Step::Spawn { site, func } => self.spawn(thread, site, func),
            Step::Join { site, thread: handle } => {
                let Some(child) = self.joined(handle) else {
                    return Err(self.violation(Failure::ApiMisuse, "joins a thread that does not exist", thread, site));
                };
                let Some(end) = self.ended(child) else { return Ok(Move::Back) };
                let value = self.graph.label(end).value;
                self.add(thread, Kind::Join, Mode::RELAXED, value, end, Some(site));
                self.runners[t].give(self.image, value);
                Ok(Move::Go)
            }
            Step::Alloc { site, addr, size } => {
                let e = self.add(thread, Kind::Alloc, Mode::RELAXED, addr, INIT, Some(site));
                let SiteKind::Alloc { storage, zeroed } = self.image.site(site).kind else { return Ok(Move::Back) };
                let heap = storage == Storage::Heap;
                self.graph.made.push(Made { addr, size, alloc: e, free: INIT, heap, zeroed });
                Ok(Move::Go)
            }
            Step::Free { site, addr } => self.free(thread, site, addr),
            Step::Fail { site, failure } => {
                let message = match site.map(|s| &self.image.site(s).kind) {
                    Some(SiteKind::Fail(_, message)) => message.to_string(),
                    Some(SiteKind::Unlock) => "a lock is released that this thread does not hold".to_owned(),
                    Some(SiteKind::Call | SiteKind::Spawn) => "there is no function at this address".to_owned(),
                    Some(SiteKind::Free) => "what is freed is not on the heap".to_owned(),
                    _ => "an access outside every object".to_owned(),
                };
                self.explored.violation = Some(Violation {
                    failure,
                    message,
                    thread: u32::from(thread),
                    span: site.map(|s| self.image.site(s).span),
                    other: None,
                });
                Err(Stop::Violation)
            }
            Step::End(value) => {
                self.add(thread, Kind::End, Mode::RELAXED, value, INIT, None);
                Ok(Move::Go)
            }
            Step::Endless => Err(Stop::Endless),
            Step::Nondet { .. } => Err(Stop::Refused("a value that is not determined".into())),
            Step::Blocked { .. } | Step::Cut => Ok(Move::Back),
        }
    }

    /// Adds an event that touches no memory.
    fn add(&mut self, thread: u16, kind: Kind, mode: Mode, value: u64, rf: EventId, site: Option<SiteId>) -> EventId {
        let pos = self.graph.threads[usize::from(thread)].events.len() as u16;
        let label = Label { kind, mode, thread, pos, loc: NO_LOC, value, rf, site, saved: NOT_SAVED, promise: NO_PROMISE };
        let e = self.graph.push(label);
        self.graph.set_clocks(e, &self.rules);
        e
    }

    fn spawn(&mut self, thread: u16, site: SiteId, func: FuncId) -> Result<Move, Stop> {
        let t = usize::from(thread);
        let earlier = self.graph.threads[t].events.iter().filter(|e| self.graph.label(**e).kind == Kind::Spawn).count();
        let key = (thread, earlier as u32);
        let child = match self.children.get(&key) {
            Some(child) => *child,
            None => {
                if self.runners.len() >= self.graph.stride() {
                    return Err(Stop::MoreThreads);
                }
                let child = self.add_thread();
                self.children.insert(key, child);
                child
            }
        };
        let mut args = Vec::new();
        self.runners[t].spawn_args(self.image, &mut args);
        let e = self.add(thread, Kind::Spawn, Mode::RELAXED, u64::from(child), INIT, Some(site));
        let n = self.runners.len();
        self.graph.threads.resize_with(n, Default::default);
        let entry = &mut self.graph.threads[usize::from(child)];
        (entry.present, entry.spawn, entry.func, entry.args) = (true, e, func, args);
        self.placed[usize::from(child)] = false;
        self.steps[usize::from(child)] = None;
        self.runners[t].give(self.image, handle(u64::from(child)));
        Ok(Move::Go)
    }

    fn location(&mut self, thread: u16, site: SiteId, addr: u64) -> Result<LocId, Stop> {
        let size = self.image.site(site).size;
        match self.locations.find(self.program, addr, size) {
            Ok(loc) => {
                let n = self.locations.places.len();
                if self.graph.locations.len() < n {
                    self.graph.locations.resize_with(n, Default::default);
                }
                if self.locations.places[loc as usize].owner == Owner::Nothing {
                    let what =
                        if addr < 4096 { "a null pointer is followed" } else { "an access outside every object" };
                    return Err(self.violation(Failure::InvalidAccess, what, thread, site));
                }
                Ok(loc)
            }
            Err(other) => Err(Stop::Refused(format!(
                "accesses of different sizes overlap ({size} bytes at {addr:#x}, {} at {:#x})",
                other.size, other.addr
            ))),
        }
    }

    fn read(&mut self, thread: u16, site: SiteId, addr: u64, kind: Kind) -> Result<Move, Stop> {
        let t = usize::from(thread);
        let loc = self.location(thread, site, addr)?;
        let saved = self.graph.saved.len() as u32;
        self.graph.saved.push(0);
        self.runners[t].save(self.image, &mut self.graph.saved);
        self.graph.saved[saved as usize] = self.graph.saved.len() as u64 - u64::from(saved);
        let pos = self.graph.threads[t].events.len() as u16;
        let mode = self.modes[site.0 as usize].read;
        let label = Label { kind, mode, thread, pos, loc, value: 0, rf: INIT, site: Some(site), saved, promise: NO_PROMISE };
        let e = self.graph.push(label);
        self.graph.set_clocks(e, &self.rules);
        let bound = self.bound(e);
        let last = self.graph.locations[loc as usize].writes.len();
        let first_way = self.ways.len();
        self.promise_ways(e);
        for position in bound..last {
            self.ways.push(Way::Source(self.graph.co_at(loc, position)));
        }
        let ways = (self.ways.len() - first_way) as u32;
        if ways > 0 {
            self.stack.push(Entry::Choice { event: e, ways });
        }
        self.read_from(e, self.graph.co_at(loc, last))
    }

    /// The first position of its location's order that coherence leaves to an event, as far as the rules know it.
    fn bound(&self, e: EventId) -> usize {
        self.graph.coherence_bound(e, self.rules.coherence)
    }

    /// Whether the graph is still consistent, `e` having made a choice that is not the latest one.
    fn allows(&mut self, e: EventId) -> bool {
        if self.judge.is_none() {
            return self.rules.allows(&self.graph, e, &mut self.scratch);
        }
        // An update is judged with its write, which comes next.
        let label = *self.graph.label(e);
        let unfinished =
            label.kind == Kind::UpdateRead && matches!(self.step(label.thread), Step::UpdateWrite { .. });
        unfinished || self.judge.as_mut().is_none_or(|judge| judge.allows(&self.graph, &self.locations))
    }

    /// Lets the read that was added last read from a write.
    fn read_from(&mut self, e: EventId, source: EventId) -> Result<Move, Stop> {
        let loc = self.graph.label(e).loc;
        let value = if source == INIT { self.initial(loc) } else { self.graph.label(source).value };
        self.give(e, source, value);
        // What the source brings with it may be later than the source.
        let position = self.graph.co_position(loc, source);
        let latest = position == self.graph.locations[loc as usize].writes.len();
        if !latest {
            if self.bound(e) > position {
                return Ok(Move::Back);
            }
            if !self.allows(e) {
                return Ok(Move::Back);
            }
        }
        self.check(e)?;
        // A thread that waits after such a read waits for good: no write revisits a read that did not read the latest write
        // when it was added, nor removes one. What others do meanwhile they also do when it reads the latest.
        if !latest && matches!(self.step(self.graph.label(e).thread), Step::Blocked { .. }) {
            self.explored.blocked += u64::from(!self.promising);
            return Ok(Move::Back);
        }
        Ok(Move::Go)
    }

    /// Gives the last read of a thread its source and its value; the thread goes on from there.
    fn give(&mut self, e: EventId, source: EventId, value: u64) {
        let label = &mut self.graph.labels[e as usize];
        (label.rf, label.value, label.promise) = (source, value, NO_PROMISE);
        let label = *label;
        let t = usize::from(label.thread);
        if self.placed[t] {
            self.runners[t].give(self.image, value);
        }
        if label.kind == Kind::UpdateRead
            && let Some(site) = label.site
        {
            self.next = Some(label.thread);
            let modes = self.modes[site.0 as usize];
            let writes = matches!(self.step(label.thread), Step::UpdateWrite { .. });
            self.graph.set_mode(e, if writes { modes.update } else { modes.read });
        }
        self.graph.set_clocks(e, &self.rules);
    }

    fn initial(&self, loc: LocId) -> u64 {
        self.locations.places[loc as usize].init
    }

    fn write(&mut self, thread: u16, site: SiteId, addr: u64, value: u64, kind: Kind) -> Result<Move, Stop> {
        let loc = self.location(thread, site, addr)?;
        let pos = self.graph.threads[usize::from(thread)].events.len() as u16;
        let mode = self.modes[site.0 as usize].write;
        let size = self.image.site(site).size;
        let value = if size >= 8 { value } else { value & ((1 << (8 * size)) - 1) };
        let label = Label { kind, mode, thread, pos, loc, value, rf: INIT, site: Some(site), saved: NOT_SAVED, promise: NO_PROMISE };
        let e = self.graph.push(label);
        self.graph.set_clocks(e, &self.rules);
        let first_way = self.ways.len();
        self.revisits(e);
        self.places(e);
        let ways = (self.ways.len() - first_way) as u32;
        match ways {
            0 => Ok(Move::Back),
            _ => {
                self.stack.push(Entry::Choice { event: e, ways });
                // The first of these ways is taken by going back to it.
                Ok(Move::Back)
            }
        }
    }

    /// The places that coherence and atomicity leave to a write, the latest on top.
    fn places(&mut self, e: EventId) {
        let label = *self.graph.label(e);
        let read = self.graph.previous(e);
        if label.kind == Kind::UpdateWrite && self.graph.label(read).promise == NO_PROMISE {
            let source = self.graph.label(read).rf;
            let place = self.graph.co_position(label.loc, source);
            if !self.graph.joined(label.loc, place) {
                self.ways.push(Way::Place(place as u32));
            }
            return;
        }
        let last = self.graph.locations[label.loc as usize].writes.len();
        let bound = self.bound(e);
        for place in (bound..=last).filter(|p| !self.graph.joined(label.loc, *p)) {
            self.ways.push(Way::Place(place as u32));
        }
    }

    /// The reads that may read from a new write in place of what they read, each exactly in the one graph where all that
    /// would be lost is as the search would first add it.
    fn revisits(&mut self, w: EventId) {
        let label = *self.graph.label(w);
        for i in 0..self.graph.locations[label.loc as usize].reads.len() {
            let r = self.graph.locations[label.loc as usize].reads[i];
            if !self.graph.porf(r, w) && self.is_maximal_since(r, w) {
                self.ways.push(Way::Revisit(r));
            }
        }
    }

    fn is_maximal_since(&self, r: EventId, w: EventId) -> bool {
        let graph = &self.graph;
        (r..w).filter(|e| *e == r || !graph.porf(*e, w)).all(|e| {
            let label = graph.label(e);
            let known = |x: EventId| x <= e || graph.porf(x, w);
            let source = match label.kind {
                Kind::Read | Kind::UpdateRead if label.promise != NO_PROMISE => return false,
                Kind::Read | Kind::UpdateRead => label.rf,
                Kind::Write | Kind::UpdateWrite => {
                    let location = &graph.locations[label.loc as usize];
                    if location.reads.iter().any(|x| *x < e && graph.label(*x).rf == e) {
                        return false;
                    }
                    e
                }
                _ => return true,
            };
            let writes = &graph.locations[label.loc as usize].writes;
            known(source) && !writes[graph.co_position(label.loc, source)..].iter().any(|x| known(*x))
        })
    }

    /// Puts a write in its place, given that it is in none. True if that is the last one.
    fn insert(&mut self, e: EventId, place: u32) -> bool {
        let loc = self.graph.label(e).loc;
        let writes = &mut self.graph.locations[loc as usize].writes;
        writes.insert(place as usize, e);
        place as usize + 1 == writes.len()
    }

    /// Puts a write in its place and checks what that means.
    fn put(&mut self, e: EventId, place: u32) -> Result<Move, Stop> {
        let latest = self.insert(e, place);
        if !latest && !self.allows(e) {
            return Ok(Move::Back);
        }
        self.check(e)?;
        Ok(Move::Go)
    }

    /// Goes back to the last choice that has ways left and takes one. False if there is none.
    fn back(&mut self) -> Result<bool, Stop> {
        loop {
            match self.stack.last_mut() {
                None => return Ok(false),
                Some(Entry::Outer(_)) => {
                    if let Some(Entry::Outer(outer)) = self.stack.pop() {
                        let inner = std::mem::replace(&mut self.graph, *outer);
                        self.spare.push(inner);
                        self.forget_all();
                    }
                }
                Some(Entry::Choice { event, ways }) => {
                    let event = *event;
                    *ways -= 1;
                    if *ways == 0 {
                        self.stack.pop();
                    }
                    let Some(way) = self.ways.pop() else { return Ok(false) };
                    self.cut(event + 1);
                    self.next = None;
                    let moved = match way {
                        Way::Source(source) => {
                            self.forget(self.graph.label(event).thread);
                            self.read_from(event, source)?
                        }
                        Way::Promise(promise) => {
                            self.forget(self.graph.label(event).thread);
                            self.read_promise(event, promise)
                        }
                        Way::Place(place) => {
                            self.take_out(event);
                            self.put(event, place)?
                        }
                        Way::Revisit(read) => self.revisit(read, event)?,
                        Way::Revisited { read, place } => {
                            self.take_out(event);
                            self.revisited(read, event, place)?
                        }
                    };
                    if let Move::Go = moved {
                        return Ok(true);
                    }
                }
            }
        }
    }

    fn take_out(&mut self, w: EventId) {
        let loc = self.graph.label(w).loc;
        self.graph.locations[loc as usize].writes.retain(|x| *x != w);
    }

    /// Goes on in the graph that remains when `read` reads from `write`.
    fn revisit(&mut self, read: EventId, write: EventId) -> Result<Move, Stop> {
        self.explored.revisits += 1;
        self.take_out(write);
        let mut inner = self.spare.pop().unwrap_or_default();
        self.graph.restricted(read, write, &mut inner, &mut self.number);
        let new = self.number[write as usize];
        let outer = std::mem::replace(&mut self.graph, inner);
        self.stack.push(Entry::Outer(Box::new(outer)));
        self.forget_all();
        let first_way = self.ways.len();
        self.places(new);
        for way in &mut self.ways[first_way..] {
            if let Way::Place(place) = *way {
                *way = Way::Revisited { read, place };
            }
        }
        let ways = (self.ways.len() - first_way) as u32;
        if ways > 0 {
            self.stack.push(Entry::Choice { event: new, ways });
        }
        Ok(Move::Back)
    }

    fn revisited(&mut self, read: EventId, write: EventId, place: u32) -> Result<Move, Stop> {
        self.forget(self.graph.label(read).thread);
        if self.judge.is_some() {
            // It judges the whole graph, in which the read still has its old source.
            self.insert(write, place);
        } else if let Move::Back = self.put(write, place)? {
            return Ok(Move::Back);
        }
        let Label { loc, value, .. } = *self.graph.label(write);
        self.give(read, write, value);
        if self.bound(read) > self.graph.co_position(loc, write) {
            return Ok(Move::Back);
        }
        let latest = self.graph.locations[loc as usize].writes.last() == Some(&write);
        if !latest && !self.allows(read) {
            return Ok(Move::Back);
        }
        self.check(write)?;
        self.check(read)?;
        Ok(Move::Go)
    }

    /// The runner of this thread is no longer where its events end.
    fn forget(&mut self, thread: u16) {
        self.placed[usize::from(thread)] = false;
        self.steps[usize::from(thread)] = None;
    }

    fn forget_all(&mut self) {
        self.placed.fill(false);
        self.steps.fill(None);
        let n = self.runners.len();
        self.graph.threads.resize_with(n, Default::default);
        let n = self.locations.places.len();
        self.graph.locations.resize_with(n, Default::default);
    }

    fn cut(&mut self, len: EventId) {
        for e in len..self.graph.len() {
            let label = self.graph.label(e);
            let t = usize::from(label.thread);
            self.placed[t] = false;
            self.steps[t] = None;
        }
        self.graph.cut(len);
    }
}

/// The value of an expression without registers.
fn constant(program: &Program, e: &Expr) -> u64 {
    match e {
        Expr::Const(v) => v.unsigned() as u64,
        Expr::Addr(object, offset) => program.objects[*object].address.wrapping_add_signed(*offset),
        _ => 0,
    }
}

/// What the program holds of a thread: one more than its number, so that none is 0.
fn handle(thread: u64) -> u64 {
    thread + 1
}

fn modes(program: &Program, kind: &SiteKind, rules: &Rules) -> Modes {
    let of = |tags: &treville_ir::Tags| rules.mode_of(tags.iter().map(|t| program.tags[*t].as_str()));
    match kind {
        SiteKind::Load(tags) | SiteKind::Store(tags) | SiteKind::Fence(tags) => {
            Modes { read: of(tags), write: of(tags), update: of(tags) }
        }
        SiteKind::Update(tags) => Modes { read: of(&tags.fail), write: of(&tags.write), update: of(&tags.read) },
        SiteKind::Lock => Modes { read: Mode::RELAXED, write: Mode::RELAXED, update: Mode::ACQUIRING },
        SiteKind::Unlock => Modes { read: Mode::RELAXED, write: Mode::RELEASING, update: Mode::RELAXED },
        _ => Modes { read: Mode::RELAXED, write: Mode::RELAXED, update: Mode::RELAXED },
    }
}
