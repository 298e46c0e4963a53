//! Several who explore at the same time. Every choice that is left is independent of the others: whoever has nothing to do
//! calls, and whoever hears it gives away the choice that is the furthest back, which is likely the largest part.

use super::{Ended, Entry, Explored, Job, Search, Shape, Stop, Way, estimate};
use crate::graph::{EventId, Graph};
use crate::memory::Numbers;
use crate::promises::{Notes, Offers};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use treville_task::{Monitor, Progress};

/// A way that somebody has left to others.
struct Part {
    graph: Graph,
    event: EventId,
    way: Way,
    share: f64,
}

struct Crew<'a> {
    numbers: Arc<Numbers>,
    /// What was seen that can be promised, and what is, in rounds after the first.
    notes: Mutex<Notes>,
    offers: Option<Arc<Offers>>,
    size: usize,
    table: Mutex<Table>,
    change: Condvar,
    /// How many wait for a part that nobody has put on the table yet.
    calls: AtomicUsize,
    stopped: AtomicBool,
    monitor: &'a dyn Monitor,
    estimate: Option<u64>,
}

#[derive(Default)]
struct Table {
    parts: Vec<Part>,
    waiting: usize,
    over: bool,
    /// What each has told last: executions, and their share of all.
    told: Vec<(u64, f64)>,
}

/// One of a crew, as the search sees it.
#[derive(Clone, Copy)]
pub(super) struct Member<'a> {
    crew: &'a Crew<'a>,
    index: usize,
}

/// Explores a program of this shape; stops if it has another one.
///
/// Executions with a cycle of program order and reads-from, under a model that has such, come after the others: in rounds, each
/// with what could be promised before, until nothing is new. The last one finds them all.
pub(super) fn explore(job: &Job<'_>, shape: &Shape, ended: &mut dyn FnMut(&Ended<'_>)) -> Result<Explored, Stop> {
    let size = job.options.workers.max(1);
    let numbers = || Arc::new(Numbers::new(job.program.roots.len() as u16, job.children));
    let mut crew = Crew {
        numbers: numbers(),
        notes: Mutex::default(),
        offers: None,
        size,
        table: Mutex::new(Table::new(size)),
        change: Condvar::new(),
        calls: AtomicUsize::new(0),
        stopped: AtomicBool::new(false),
        monitor: job.monitor,
        estimate: None,
    };
    if job.monitor.wants_estimate() {
        crew.estimate = estimate::before(job, shape, Member { crew: &crew, index: 0 });
        (crew.numbers, crew.notes) = (numbers(), Mutex::default());
    }
    if let Some(observer) = &job.options.observer {
        observer.begin();
    }
    let without = round(job, shape, &crew, ended)?;
    if shape.symmetry && without.is_all() && crew.notes().may_promise(&job.rules) {
        // What is promised tells equal threads apart.
        return Err(Stop::Asymmetric);
    }
    if job.image.symbols().is_some() && without.is_all() && crew.notes().may_promise(&job.rules) {
        let why = "values that are not determined are not explored where reads may come before what they depend on";
        return Err(Stop::Refused(why.to_owned(), None));
    }
    let mut explored = without.clone();
    let mut offers = Arc::default();
    while explored.is_all() && !shape.symmetry {
        let Some(next) = crew.notes().offer(&job.rules, &offers) else { break };
        offers = Arc::new(next);
        crew.offers = Some(Arc::clone(&offers));
        (crew.table, crew.calls) = (Mutex::new(Table::new(size)), AtomicUsize::new(0));
        explored = without.clone();
        explored.add(round(job, shape, &crew, ended)?);
    }
    if let Some(observer) = &job.options.observer {
        observer.end(crew.numbers.children());
    }
    explored.estimate = crew.estimate;
    explored.children = crew.numbers.children();
    Ok(explored)
}

/// Explores all executions, or all that have promises, once.
fn round(job: &Job<'_>, shape: &Shape, crew: &Crew<'_>, ended: &mut dyn FnMut(&Ended<'_>)) -> Result<Explored, Stop> {
    let mut results = Vec::new();
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..crew.size)
            .map(|index| {
                scope.spawn(move || {
                    let mut nobody = |_: &Ended<'_>| {};
                    let mut search = Search::new(job, shape, Member { crew, index }, &mut nobody);
                    let result = search.take_parts();
                    search.leave(result)
                })
            })
            .collect();
        let mut search = Search::new(job, shape, Member { crew, index: 0 }, ended);
        let result = search.all().and_then(|()| search.take_parts());
        results.push(search.leave(result));
        for other in others {
            match other.join() {
                Ok(result) => results.push(result),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
    });
    let mut explored = Explored::default();
    for result in results {
        explored.add(result?);
    }
    Ok(explored)
}

impl Table {
    fn new(size: usize) -> Table {
        Table { told: vec![(0, 0.0); size], ..Table::default() }
    }
}

impl Crew<'_> {
    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn notes(&self) -> MutexGuard<'_, Notes> {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a part. None if there will be no more.
    fn take(&self) -> Option<Part> {
        let mut table = self.table();
        loop {
            if table.over {
                return None;
            }
            if let Some(part) = table.parts.pop() {
                return Some(part);
            }
            table.waiting += 1;
            if table.waiting == self.size {
                table.over = true;
                self.change.notify_all();
                return None;
            }
            self.note_calls(&table);
            table = self.change.wait(table).unwrap_or_else(PoisonError::into_inner);
            table.waiting -= 1;
            self.note_calls(&table);
        }
    }

    fn offer(&self, part: Part) {
        let mut table = self.table();
        table.parts.push(part);
        self.note_calls(&table);
        self.change.notify_one();
    }

    fn note_calls(&self, table: &Table) {
        self.calls.store(table.waiting.saturating_sub(table.parts.len()), Ordering::Relaxed);
    }

    fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
        self.table().over = true;
        self.change.notify_all();
    }
}

impl<'a> Member<'a> {
    pub(super) fn numbers(self) -> &'a Arc<Numbers> {
        &self.crew.numbers
    }

    /// What was seen that can be promised.
    pub(super) fn notes(self) -> MutexGuard<'a, Notes> {
        self.crew.notes()
    }

    /// What is promised, in a round with promises.
    pub(super) fn offers(self) -> Option<&'a Arc<Offers>> {
        self.crew.offers.as_ref()
    }

    /// States of threads have different numbers for everyone.
    pub(super) fn first_state(self) -> u64 {
        (self.index as u64) << 48
    }

    /// Whether somebody wants something.
    pub(super) fn is_called(self) -> bool {
        self.crew.calls.load(Ordering::Relaxed) > 0 || self.crew.stopped.load(Ordering::Relaxed)
    }

    /// Tells how far this one is.
    pub(super) fn tell(self, explored: &Explored) {
        let mut table = self.crew.table();
        table.told[self.index] = (explored.complete + explored.blocked, explored.done);
        let (executions, done) = table.told.iter().fold((0, 0.0), |(n, d), (m, e)| (n + m, d + e));
        let so_far = Explored { complete: executions, done, ..Explored::default() };
        let expected = so_far.expected().or(self.crew.estimate);
        self.crew.monitor.progress(&Progress { executions, candidates: executions, expected });
    }
}

impl Search<'_, '_> {
    /// Takes parts of others until there are none.
    fn take_parts(&mut self) -> Result<(), Stop> {
        while let Some(part) = self.crew.crew.take() {
            self.graph = part.graph;
            self.look_for_selections();
            self.locations.catch_up();
            self.make_room();
            self.stack.push(Entry::Choice { event: part.event, ways: 1, share: part.share });
            self.ways.push(part.way);
            self.rest()?;
        }
        Ok(())
    }

    /// Gives away a part of what is left, if there is any, or stops.
    pub(super) fn answer_call(&mut self) -> Result<(), Stop> {
        if self.crew.crew.stopped.load(Ordering::Relaxed) {
            return Err(Stop::Elsewhere);
        }
        let Some(at) = self.stack.iter().position(|entry| matches!(entry, Entry::Choice { .. })) else { return Ok(()) };
        let outer = self.stack[at..].iter().find_map(|entry| match entry {
            Entry::Outer(graph) => Some(&**graph),
            Entry::Choice { .. } => None,
        });
        let graph = outer.unwrap_or(&self.graph).clone();
        if let Entry::Choice { event, ways, share } = &mut self.stack[at] {
            let part = Part { graph, event: *event, way: self.ways.remove(0), share: *share };
            *ways -= 1;
            if *ways == 0 {
                self.stack.remove(at);
            }
            self.crew.crew.offer(part);
        }
        Ok(())
    }

    /// What this one has explored, unless the program has another shape.
    fn leave(&mut self, result: Result<(), Stop>) -> Result<Explored, Stop> {
        if let Some(paths) = &self.paths {
            self.explored.paths = paths.stats;
        }
        if let Err(stop) = result {
            self.crew.crew.stop();
            if stop.starts_anew() {
                return Err(stop);
            }
            self.explored.stopped = stop.reason(&self.options.cancel);
        } else if let Some((why, place)) = self.refused.take() {
            self.explored.stopped = Stop::Refused(why, place).reason(&self.options.cancel);
        }
        Ok(std::mem::take(&mut self.explored))
    }
}
