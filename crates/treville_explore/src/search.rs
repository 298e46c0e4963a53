//! The search: adds events one by one, keeps the choices that are left, and goes back to them.

mod access;
mod back;
mod choices;
mod classes;
mod crew;
mod deadlocks;
mod dropped;
mod estimate;
mod hazards;
mod locks;
mod parts;
mod places;
mod promised;
pub(crate) mod replay;
mod safety;
mod story;
mod symmetry;
mod telling;
#[cfg(test)]
mod tests;
mod threads;

use crate::graph::{EventId, Graph, INIT, Kind, Label, LocId, Made, NO_LOC, NO_PROMISE, NOT_SAVED, Share};
use crate::judge::Judge;
use crate::memory::{Extent, Locations, Numbers, Overlap, Owner, constant, cuts};
use crate::path::{PathStats, Paths};
use crate::promises::Offers;
use crate::rules::{Mode, Rules, Scratch};
use crew::Member;
use dropped::Dropped;
use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;
use telling::Standstill;
use treville_base::{Cancel, IndexVec, Span};
use treville_ir::{Failure, FuncId, Mark, Op, Program, Reg, Storage, may_run};
use treville_task::{Child, Monitor, Observer, Reduction, Reductions, Reference, StopReason, Story, Violation};
use treville_vm::bytecode::{Access, Image, RunOptions, Runner, SiteId, SiteKind, Step, address};

/// What is explored and how far.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    pub(crate) run: RunOptions,
    /// Events of one execution.
    pub(crate) max_events: u32,
    /// How many complete executions are to be told.
    pub(crate) stories: usize,
    /// The failures that are looked for; what else goes wrong is passed over.
    pub(crate) properties: BTreeSet<Failure>,
    /// Judges what is found once more.
    pub(crate) reference: Option<Reference>,
    /// Whether somebody looks at registers when threads have ended.
    pub(crate) observed: bool,
    pub(crate) reductions: Reductions,
    /// How many explore at the same time.
    pub(crate) workers: usize,
    pub(crate) cancel: Cancel,
    /// Is told of every complete execution.
    pub(crate) observer: Option<Arc<dyn Observer>>,
}

#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Explored {
    /// The share of the whole search that is done, as far as one can tell: each choice divides its share evenly.
    pub(crate) done: f64,
    pub(crate) complete: u64,
    pub(crate) blocked: u64,
    /// Of these, executions that nothing but an assumption blocks, and those in which the process has ended.
    pub(crate) discarded: u64,
    pub(crate) revisits: u64,
    /// Some execution was cut at the bound.
    pub(crate) cut: bool,
    /// In a loop around this place.
    pub(crate) cut_at: Option<Span>,
    pub(crate) violation: Option<Violation>,
    pub(crate) stories: Vec<Story>,
    /// How many violations the evaluator has judged.
    pub(crate) replayed: u64,
    /// Why it ended early.
    pub(crate) stopped: Option<StopReason>,
    /// How many executions there are, guessed before they were explored.
    pub(crate) estimate: Option<u64>,
    /// What was asked about unknown values.
    pub(crate) paths: PathStats,
    /// What was read in rounds that were not explored.
    pub(crate) dropped: Dropped,
    /// Where threads were created.
    pub(crate) spawns: BTreeSet<Span>,
    /// The numbers of threads that others have started.
    pub(crate) children: Vec<(Child, u16)>,
}

impl Explored {
    /// How many executions there will be, judged by how many there were so far.
    pub(crate) fn expected(&self) -> Option<u64> {
        let seen = (self.complete + self.blocked) as f64;
        (seen > 0.0 && self.done > 0.0).then(|| (seen / self.done.min(1.0)) as u64)
    }

    /// Whether nothing has stopped it.
    pub(crate) fn is_all(&self) -> bool {
        self.violation.is_none() && self.stopped.is_none()
    }

    fn add(&mut self, other: Explored) {
        self.done += other.done;
        self.complete += other.complete;
        self.blocked += other.blocked;
        self.discarded += other.discarded;
        self.revisits += other.revisits;
        self.replayed += other.replayed;
        self.paths += other.paths;
        self.dropped.add(other.dropped);
        self.spawns.extend(other.spawns);
        self.cut |= other.cut;
        self.cut_at = self.cut_at.or(other.cut_at);
        self.violation = self.violation.take().or(other.violation);
        self.stories.extend(other.stories);
        self.stopped = self.stopped.take().or(other.stopped);
    }
}

/// What is explored, and for whom.
#[derive(Clone, Copy)]
pub(crate) struct Job<'a> {
    pub(crate) program: &'a Program,
    pub(crate) image: &'a Image,
    pub(crate) rules: Rules,
    /// Makes a judge for each that explores.
    pub(crate) judge: &'a (dyn Fn() -> Option<Judge<'a>> + Sync),
    pub(crate) options: &'a Options,
    pub(crate) monitor: &'a dyn Monitor,
    /// The numbers that threads have had before.
    pub(crate) children: &'a [(Child, u16)],
}

/// Explores all executions of a compiled program; `ended` is told of each complete one. A judge, if there is one, knows the
/// model; the rules only say what happens before what.
///
/// # Errors
/// The access that is to be made in parts, and at which bytes they begin: then everything starts anew.
pub(crate) fn explore(job: &Job<'_>, ended: &mut dyn FnMut(&Ended<'_>)) -> Result<Explored, (Access, u16)> {
    let reductions = job.options.reductions;
    let symmetry = reductions.has(Reduction::Symmetry) && symmetry::is_possible(job.program);
    let mut shape = Shape {
        stride: 8,
        symmetry,
        mixed: false,
        forks: !reductions.has(Reduction::Assumptions),
        unsettled: BTreeSet::new(),
    };
    loop {
        match crew::explore(job, &shape, ended) {
            Err(Stop::MoreThreads) if shape.stride < address::MAX_THREADS as usize => shape.stride *= 2,
            Err(Stop::Asymmetric) => shape.symmetry = false,
            Err(Stop::Assumed) => shape.forks = true,
            Err(Stop::Unsettled(object)) => {
                shape.unsettled.insert(object);
            }
            // A thread that stands still would keep its twins from going on.
            Err(Stop::Mixed) => (shape.mixed, shape.symmetry) = (true, false),
            Err(Stop::InParts(access, cuts)) => return Err((access, cuts)),
            Err(stop) => return Ok(Explored { stopped: stop.reason(&job.options.cancel), ..Explored::default() }),
            Ok(explored) if shape.symmetry && explored.is_all() && job.image.tells_threads_apart() => {
                shape.symmetry = false;
            }
            Ok(explored) => return Ok(explored),
        }
    }
}

/// What is assumed of the program until it turns out to be wrong, and everything starts anew.
#[derive(Clone)]
struct Shape {
    /// How many threads there are at most.
    stride: usize,
    /// Whether equal threads are told apart by nobody.
    symmetry: bool,
    /// Whether some write has other cells than another access to several that it has a cell in common with.
    mixed: bool,
    /// Whether what one thread assumes keeps another from what it could do before ([`choices`]).
    forks: bool,
    /// The addresses of objects that change while somebody looks at them at an unknown place ([`places`]).
    unsettled: BTreeSet<u64>,
}

/// A complete execution.
pub(crate) struct Ended<'a> {
    threads: &'a [Runs],
    graph: &'a Graph,
    locations: &'a Locations,
}

impl Ended<'_> {
    /// The value that a register of a thread ended with.
    pub(crate) fn register(&self, thread: usize, reg: Reg) -> u64 {
        self.threads.get(thread).map_or(0, |thread| thread.runner.register(reg))
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
    /// An execution has so many events, the last one here.
    TooManyEvents(u32, Option<Span>),
    MoreThreads,
    /// Somebody tells equal threads apart.
    Asymmetric,
    /// What a thread could do is impossible only because another goes on with what it assumes.
    Assumed,
    /// The object at this address changes while somebody looks at it at an unknown place.
    Unsettled(u64),
    /// A write has other cells than another access that it has a cell in common with.
    Mixed,
    /// The access is to be made in parts that begin at these bytes, too.
    InParts(Access, u16),
    /// Another one has stopped.
    Elsewhere,
    Endless,
    Refused(String, Option<Span>),
}

impl Stop {
    /// Whether the program has not the shape that it was taken to have.
    fn starts_anew(&self) -> bool {
        match self {
            Stop::MoreThreads | Stop::Asymmetric | Stop::Assumed | Stop::Unsettled(_) | Stop::Mixed => true,
            Stop::InParts(..) => true,
            Stop::Violation | Stop::Cancelled | Stop::TooManyEvents(..) => false,
            Stop::Elsewhere | Stop::Endless | Stop::Refused(..) => false,
        }
    }

    fn reason(self, cancel: &Cancel) -> Option<StopReason> {
        let (why, place) = match self {
            Stop::Violation | Stop::Elsewhere => return None,
            Stop::Asymmetric | Stop::Assumed | Stop::Unsettled(_) | Stop::Mixed | Stop::InParts(..) => return None,
            Stop::Cancelled => return StopReason::of(cancel),
            Stop::TooManyEvents(n, place) => (
                format!("an execution has more than {n} events (--max-events is the limit, --bound bounds loops)"),
                place,
            ),
            Stop::MoreThreads => (format!("there are more than {} threads", address::MAX_THREADS), None),
            Stop::Endless => ("a thread runs on without an end (--bound bounds loops)".to_owned(), None),
            Stop::Refused(why, place) => (why, place),
        };
        Some(match place {
            Some(place) => StopReason::RefusedAt(why, place),
            None => StopReason::Refused(why),
        })
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
    /// The undetermined value with the choice's number is this one.
    Value(u64),
    /// This read reads from the write with the choice's number.
    Revisit(EventId),
    /// The same, in the graph that remains then, with the write at this place.
    Revisited { read: EventId, place: u32 },
    /// The write with the choice's number is not made, and its thread stands still ([`parts`]).
    Stay,
}

enum Entry {
    /// The event with this number has this many ways left, at the end of the list of ways. Each has this share of all.
    Choice { event: EventId, ways: u32, share: f64 },
    /// The graph to go back to.
    Outer(Box<Graph>),
}

/// Whether the graph can be extended.
enum Move {
    Go,
    /// There are several ways on: the last one that was noted is next.
    Choose,
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
    program: &'j Program,
    image: &'j Image,
    rules: Rules,
    judge: Option<Judge<'j>>,
    options: &'j Options,
    crew: Member<'a>,
    modes: Vec<Modes>,
    /// Whether some write is said to be the last one.
    lasts: bool,
    symmetry: bool,
    /// Whether some thread takes a lock.
    has_locks: bool,
    /// The functions that may give what other threads wait for, whoever these are.
    givers: IndexVec<FuncId, bool>,
    /// Whether some access is to several cells at once, and whether they are in the way of others.
    in_parts: bool,
    mixed: bool,
    /// Solves path conditions, if there are unknown values.
    paths: Option<Paths>,
    /// Assumptions about unknown values are decided like other conditions.
    forks: bool,
    /// Whether something was selected from a settled array, and arrays that are none.
    selects: bool,
    unsettled: BTreeSet<u64>,
    /// What was not explored, if it turns out that nothing else is wrong.
    refused: Option<(String, Option<Span>)>,
    graph: Graph,
    numbers: Arc<Numbers>,
    locations: Locations,
    threads: Vec<Runs>,
    stack: Vec<Entry>,
    ways: Vec<Way>,
    spare: Vec<Graph>,
    number: Vec<EventId>,
    scratch: Scratch,
    /// The state of a thread before the read that it tries.
    kept: Vec<u64>,
    /// The last state of a thread that got a number.
    last_state: u64,
    /// The thread whose update is not finished.
    next: Option<u16>,
    /// The share of the whole search that is below the graph at hand.
    share: f64,
    /// All ways of a choice are noted, none is taken at once.
    hesitates: bool,
    explored: Explored,
    /// What reads may be promised.
    offers: Arc<Offers>,
    /// The threads of graphs that were noted for what they can promise.
    noted: HashSet<u64>,
    /// Reads may be promised what they read.
    promising: bool,
    /// The threads that would fail now, while promises are open.
    failing: BTreeSet<u16>,
    since_cancel: u32,
    ended: &'a mut dyn FnMut(&Ended<'_>),
}

/// A thread as it runs.
#[derive(Default)]
struct Runs {
    runner: Runner,
    /// The number of the state that the runner is in, or has just left for `step`.
    at: u64,
    /// What it does next, if that is known.
    step: Option<Step>,
    /// A value that makes it wait if its next step reads it.
    idle: Option<u64>,
}

impl<'a, 'j> Search<'a, 'j> {
    fn new(job: &Job<'j>, shape: &Shape, crew: Member<'a>, ended: &'a mut dyn FnMut(&Ended<'_>)) -> Self {
        let Job { program, image, rules, options, .. } = *job;
        let numbers = Arc::clone(crew.numbers());
        let modes: Vec<Modes> = image.sites().iter().map(|s| modes(program, &s.kind, &rules)).collect();
        let mut search = Search {
            program,
            image,
            rules,
            judge: (job.judge)(),
            options,
            last_state: crew.first_state(),
            crew,
            lasts: modes.iter().any(|m| m.write.last()),
            modes,
            symmetry: shape.symmetry,
            has_locks: image.sites().iter().any(|site| site.kind == SiteKind::Lock),
            givers: may_run(program, |op| matches!(op, Op::Mark(Mark::Gives))),
            in_parts: image.sites().iter().any(|site| !site.parts.is_empty()),
            mixed: shape.mixed,
            paths: image.symbols().map(|symbols| Paths::new(Arc::clone(symbols), options.cancel.clone())),
            forks: shape.forks,
            selects: false,
            unsettled: shape.unsettled.clone(),
            refused: None,
            graph: Graph::new(shape.stride),
            locations: Locations::new(Arc::clone(&numbers), image.sites().len()),
            numbers,
            threads: Vec::new(),
            stack: Vec::new(),
            ways: Vec::new(),
            spare: Vec::new(),
            number: Vec::new(),
            scratch: Scratch::default(),
            kept: Vec::new(),
            next: None,
            share: 1.0,
            hesitates: false,
            explored: Explored::default(),
            promising: crew.offers().is_some(),
            offers: crew.offers().cloned().unwrap_or_default(),
            noted: HashSet::new(),
            failing: BTreeSet::new(),
            since_cancel: 0,
            ended,
        };
        search.begin();
        search
    }

    /// Puts the threads that exist from the start into an empty graph.
    fn begin(&mut self) {
        self.make_room();
        for (root, thread) in self.program.roots.iter().zip(&mut self.graph.threads) {
            (thread.present, thread.func) = (true, root.func);
            thread.args = root.init.iter().map(|(_, value)| constant(self.program, value)).collect();
        }
    }

    /// Makes room in the graph for all threads and locations that have numbers.
    fn make_room(&mut self) {
        let n = usize::from(self.numbers.threads()).max(self.threads.len());
        self.threads.resize_with(n, || Runs { at: NOWHERE, ..Runs::default() });
        self.grow();
    }

    fn grow(&mut self) {
        if self.graph.threads.len() < self.threads.len() {
            self.graph.threads.resize_with(self.threads.len(), Default::default);
        }
        if self.graph.locations.len() < self.locations.places.len() {
            self.graph.locations.resize_with(self.locations.places.len(), Default::default);
        }
    }

    /// Explores what is below the graph at hand.
    fn all(&mut self) -> Result<(), Stop> {
        self.onward()?;
        self.rest()
    }

    /// Explores what is left.
    fn rest(&mut self) -> Result<(), Stop> {
        while self.back()? {
            if self.crew.is_called() {
                self.answer_call()?;
            }
            self.onward()?;
        }
        Ok(())
    }

    /// Adds events until there is a choice to go back to.
    fn onward(&mut self) -> Result<(), Stop> {
        loop {
            match self.advance()? {
                Move::Go => {}
                Move::Choose => return Ok(()),
                Move::Back => {
                    self.explored.done += self.share;
                    return Ok(());
                }
            }
        }
    }

    /// Adds the next event. In which order threads go on is free; the one that did the last event is the first to be asked.
    fn advance(&mut self) -> Result<Move, Stop> {
        self.since_cancel += 1;
        if self.since_cancel >= 4096 {
            self.since_cancel = 0;
            self.crew.tell(&self.explored);
            if self.options.cancel.is_due() || self.options.run.trusts && self.image.trusts_in_vain() {
                return Err(Stop::Cancelled);
            }
        }
        if self.graph.len() > self.options.max_events {
            let last = self.graph.labels.last().and_then(|label| label.site);
            let place = last.map(|site| self.image.site(site).span);
            return Err(Stop::TooManyEvents(self.options.max_events, place));
        }
        if let Some(thread) = self.next.take() {
            match self.step(thread) {
                step @ (Step::UpdateWrite { .. } | Step::Decide { .. }) => return self.take(thread, step),
                Step::Load { site, addr } | Step::UpdateRead { site, addr } if self.parts_read(thread) > 0 => {
                    return self.read_part(thread, site, addr);
                }
                _ => {}
            }
        }
        if self.symmetry && self.image.tells_threads_apart() {
            return Err(Stop::Asymmetric);
        }
        self.failing.clear();
        let last = self.graph.label(self.graph.len() - 1).thread;
        let mut idle = None;
        for thread in std::iter::once(last).chain(0..self.graph.threads.len() as u16) {
            if !self.graph.threads[usize::from(thread)].present || self.ended(thread).is_some() {
                continue;
            }
            if self.symmetry && self.lets_twin_go_first(thread) {
                continue;
            }
            let step = self.step(thread);
            if self.symmetry {
                self.check_joins(thread, step)?;
            }
            match step {
                Step::Blocked { .. } | Step::Cut | Step::ExitProcess => {}
                _ if self.stands_before_failure(thread, step) => {}
                Step::UpdateWrite { .. } if self.mixed => {}
                Step::Join { thread: handle, .. } if self.waits_for(thread, handle) => {}
                Step::Load { site, addr } | Step::UpdateRead { site, addr } => {
                    let read = self.read(thread, site, addr, true);
                    match self.unless_it_fails(thread, read).transpose()?.flatten() {
                        Some(moved) => return Ok(moved),
                        None if self.failing.contains(&thread) => {}
                        None => idle = idle.or(Some((thread, site, addr))),
                    }
                }
                _ => {
                    let taken = self.take(thread, step);
                    if let Some(taken) = self.unless_it_fails(thread, taken) {
                        return taken;
                    }
                }
            }
        }
        // Nothing else can be done: a read that makes its thread wait has other sources, perhaps.
        if let Some((thread, site, addr)) = idle {
            return Ok(self.read(thread, site, addr, false)?.unwrap_or(Move::Back));
        }
        self.finish()?;
        Ok(Move::Back)
    }

    fn take(&mut self, thread: u16, step: Step) -> Result<Move, Stop> {
        let t = usize::from(thread);
        match step {
            Step::Store { site, addr, words } => self.write(thread, site, addr, words, Kind::Write),
            Step::UpdateWrite { site, addr, words } => self.write(thread, site, addr, words, Kind::UpdateWrite),
            Step::Fence { site } => {
                let mode = self.modes[site.0 as usize].read;
                self.add(thread, Kind::Fence, mode, 0, INIT, Some(site));
                Ok(Move::Go)
            }
            Step::Spawn { site, func } => self.spawn(thread, site, func),
            Step::Join { site, thread: handle } => {
                let child = match self.joined(handle) {
                    Some(child) if child != thread => child,
                    found => {
                        let what = if found.is_some() { "joins itself" } else { "joins a thread that does not exist" };
                        return self.violation(Failure::ApiMisuse, what, thread, Some(site));
                    }
                };
                let Some(end) = self.ended(child) else { return Ok(Move::Back) };
                let value = self.graph.label(end).value;
                self.add(thread, Kind::Join, Mode::RELAXED, value, end, Some(site));
                self.threads[t].runner.give(self.image, value);
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
                    Some(SiteKind::Free { .. }) => "what is freed is not on the heap".to_owned(),
                    _ => "an access outside every object".to_owned(),
                };
                self.violation(failure, &message, thread, site)
            }
            Step::End(value) => {
                self.add(thread, Kind::End, Mode::RELAXED, value, INIT, None);
                Ok(Move::Go)
            }
            Step::Endless => Err(Stop::Endless),
            Step::Nondet { site } => self.choose(thread, site),
            Step::Decide { site, word } => self.decide(thread, site, word),
            Step::Place { site, addr } => self.locate(thread, site, addr),
            Step::Misuse { site, misuse } => self.misuse(thread, site, misuse),
            Step::Load { .. } | Step::UpdateRead { .. } | Step::Blocked { .. } | Step::Cut | Step::ExitProcess => {
                Ok(Move::Back)
            }
        }
    }

    /// Adds an event that touches no memory.
    fn add(&mut self, thread: u16, kind: Kind, mode: Mode, value: u64, rf: EventId, site: Option<SiteId>) -> EventId {
        self.push(Label { rf, site, ..self.blank(thread, kind, mode, NO_LOC, value) })
    }

    /// The next event of a thread, with nothing special about it.
    fn blank(&self, thread: u16, kind: Kind, mode: Mode, loc: LocId, value: u64) -> Label {
        let pos = self.graph.threads[usize::from(thread)].events.len() as u16;
        let (rf, site, saved, promise) = (INIT, None, NOT_SAVED, NO_PROMISE);
        let (state, same, share) = (0, false, Share::ALL);
        Label { kind, mode, thread, pos, loc, value, rf, site, saved, promise, state, same, share }
    }

    /// Adds an event that its thread has just done.
    fn push(&mut self, label: Label) -> EventId {
        let state = self.new_state();
        let thread = &mut self.threads[usize::from(label.thread)];
        (thread.at, thread.step) = (state, None);
        let e = self.graph.push(Label { state, ..label });
        self.graph.set_clocks(e, &self.rules);
        self.note_change(e);
        self.note_hazard(e);
        self.note_lock(&label);
        self.follow_twin(e);
        e
    }

    fn new_state(&mut self) -> u64 {
        self.last_state += 1;
        self.last_state
    }

    fn spawn(&mut self, thread: u16, site: SiteId, func: FuncId) -> Result<Move, Stop> {
        let t = usize::from(thread);
        let earlier = self.graph.threads[t].events.iter().filter(|e| self.graph.label(**e).kind == Kind::Spawn).count();
        let child = self.numbers.child(thread, earlier as u32);
        if usize::from(child) >= self.graph.stride() {
            return Err(Stop::MoreThreads);
        }
        self.make_room();
        let mut args = Vec::new();
        self.threads[t].runner.spawn_args(self.image, &mut args);
        let twin = if self.symmetry { self.twin_of_next(thread, child, func, &args) } else { None };
        if twin.is_some() {
            self.explored.dropped.note_twins();
        }
        self.explored.spawns.insert(self.image.site(site).span);
        let e = self.add(thread, Kind::Spawn, Mode::RELAXED, u64::from(child), INIT, Some(site));
        let entry = &mut self.graph.threads[usize::from(child)];
        (entry.present, entry.spawn, entry.func, entry.args, entry.twin) = (true, e, func, args.into(), twin);
        self.threads[t].runner.give(self.image, handle(u64::from(child)));
        Ok(Move::Go)
    }

    /// What to do about an access that overlaps another without being the same: it can be made in parts.
    fn overlap(&self, (site, at): (SiteId, u8), own: Extent, other: &Overlap) -> Stop {
        // A judge does not know what is made at once.
        let is_plain = |tags: &treville_ir::Tags| tags.iter().any(|t| self.program.tags[*t] == "NA");
        let in_parts = |site: SiteId, from: u8, cuts: u16| {
            let site = self.image.site(site);
            let plain = matches!(&site.kind, SiteKind::Load(tags) | SiteKind::Store(tags) if is_plain(tags));
            let may = (plain || self.judge.is_none()) && cuts != 0 && !self.options.observed;
            let (access, at) = site.access.filter(|_| may)?;
            Some(Stop::InParts(access, cuts << (at + from)))
        };
        let others = (other.addr, other.size);
        let this = in_parts(site, at, cuts(own, others));
        this.or_else(|| in_parts(other.site, other.at, cuts(others, own))).unwrap_or_else(|| {
            let ((addr, size), (at, other)) = (own, others);
            let why =
                format!("atomic accesses of different sizes overlap ({size} bytes at {addr:#x}, {other} at {at:#x})");
            Stop::Refused(why, Some(self.image.site(site).span))
        })
    }

    fn location(&mut self, thread: u16, site: SiteId, addr: u64) -> Result<LocId, Stop> {
        let size = self.image.site(site).size;
        let found = self.locations.find(self.program, site, addr, size);
        self.located(thread, site, 0, (addr, size), found)
    }

    /// What came of looking for the location of an access, or of the part of it that begins at this byte.
    fn located(
        &mut self,
        thread: u16,
        site: SiteId,
        at: u8,
        extent: Extent,
        found: Result<LocId, Overlap>,
    ) -> Result<LocId, Stop> {
        let addr = extent.0;
        match found {
            Ok(loc) => {
                self.grow();
                if self.locations.places[loc as usize].owner == Owner::Nothing {
                    let what =
                        if addr < 4096 { "a null pointer is followed" } else { "an access outside every object" };
                    self.report(Failure::InvalidAccess, what, &[], &[Standstill::failing(thread, Some(site))])?;
                }
                Ok(loc)
            }
            Err(other) => Err(self.overlap((site, at), extent, &other)),
        }
    }
}

/// The state of a runner that was never placed.
const NOWHERE: u64 = u64::MAX;

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
