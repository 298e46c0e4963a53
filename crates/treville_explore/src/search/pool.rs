//! The worker pool. All alternatives on the stack of a worker are independent of each other: when another worker is out of work,
//! it gives away the oldest choice of its stack, which is likely the largest subtree.

use super::code::Code;
use super::stop::Stop;
use super::worklist::WorkItem;
use super::{CompleteExecution, Explored, Job, Search, estimate};
use crate::assumptions::{Assumptions, Retraction};
use crate::memory::Numbers;
use crate::promises::{Notes, Offers};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use treville_task::{Monitor, Progress};

struct Pool<'a> {
    numbers: Arc<Numbers>,
    /// What was seen that can be promised, and what is, in rounds after the first.
    notes: Mutex<Notes>,
    offers: Option<Arc<Offers>>,
    size: usize,
    queue: Mutex<Queue>,
    change: Condvar,
    /// Workers that wait for an item that is not in the queue yet.
    starving: AtomicUsize,
    stopped: AtomicBool,
    monitor: &'a dyn Monitor,
    estimate: Option<u64>,
}

#[derive(Default)]
struct Queue {
    items: Vec<WorkItem>,
    waiting: usize,
    over: bool,
    /// What each worker has reported last: executions, and their share of all.
    progress: Vec<(u64, f64)>,
}

/// A worker of a pool, as the search sees it.
#[derive(Clone, Copy)]
pub(super) struct Worker<'a> {
    pool: &'a Pool<'a>,
    index: usize,
}

/// Explores a program of which this is assumed; stops if it is otherwise.
///
/// Executions with a cycle of program order and reads-from, under a model that has such, come after the others: in rounds, each
/// with what could be promised before, until nothing is new. The last one finds them all.
pub(super) fn explore(
    job: &Job<'_>,
    assumptions: &Assumptions,
    ended: &mut dyn FnMut(&CompleteExecution<'_>),
) -> Result<Explored, Stop> {
    let code = Code::new(job, assumptions.clone());
    let size = job.options.workers.max(1);
    let numbers = || Arc::new(Numbers::new(job.program.roots.len() as u16, job.children));
    let mut pool = Pool {
        numbers: numbers(),
        notes: Mutex::default(),
        offers: None,
        size,
        queue: Mutex::new(Queue::new(size)),
        change: Condvar::new(),
        starving: AtomicUsize::new(0),
        stopped: AtomicBool::new(false),
        monitor: job.monitor,
        estimate: None,
    };
    if job.monitor.wants_estimate() {
        pool.estimate = estimate::before(job, &code, Worker { pool: &pool, index: 0 });
        (pool.numbers, pool.notes) = (numbers(), Mutex::default());
    }
    if let Some(observer) = &job.options.observer {
        observer.begin();
    }
    let without = round(job, &code, &pool, ended)?;
    if assumptions.symmetry && without.is_all() && pool.notes().may_promise(&job.rules) {
        // What is promised tells equal threads apart.
        return Err(Stop::Retract(Retraction::Asymmetric));
    }
    if job.image.symbols().is_some() && without.is_all() && pool.notes().may_promise(&job.rules) {
        let why = "values that are not determined are not explored where reads may come before what they depend on";
        return Err(Stop::Refused(why.to_owned(), None));
    }
    let mut explored = without.clone();
    let mut offers = Arc::default();
    while explored.is_all() && !assumptions.symmetry {
        let Some(next) = pool.notes().offer(&job.rules, &offers) else { break };
        offers = Arc::new(next);
        pool.offers = Some(Arc::clone(&offers));
        (pool.queue, pool.starving) = (Mutex::new(Queue::new(size)), AtomicUsize::new(0));
        explored = without.clone();
        explored.add(round(job, &code, &pool, ended)?);
    }
    if let Some(observer) = &job.options.observer {
        observer.end(pool.numbers.children());
    }
    explored.estimate = pool.estimate;
    explored.children = pool.numbers.children();
    Ok(explored)
}

/// Explores all executions, or all that have promises, once.
fn round(
    job: &Job<'_>,
    code: &Code<'_>,
    pool: &Pool<'_>,
    ended: &mut dyn FnMut(&CompleteExecution<'_>),
) -> Result<Explored, Stop> {
    let mut results = Vec::new();
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..pool.size)
            .map(|index| {
                scope.spawn(move || {
                    let mut unobserved = |_: &CompleteExecution<'_>| {};
                    let mut search = Search::new(job, code, Worker { pool, index }, &mut unobserved);
                    let result = search.drain_pool();
                    search.leave(result)
                })
            })
            .collect();
        let mut search = Search::new(job, code, Worker { pool, index: 0 }, ended);
        let result = search.explore_all().and_then(|()| search.drain_pool());
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

impl Queue {
    fn new(size: usize) -> Queue {
        Queue { progress: vec![(0, 0.0); size], ..Queue::default() }
    }
}

impl Pool<'_> {
    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn notes(&self) -> MutexGuard<'_, Notes> {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for an item. None if there will be no more.
    fn take(&self) -> Option<WorkItem> {
        let mut queue = self.queue();
        loop {
            if queue.over {
                return None;
            }
            if let Some(item) = queue.items.pop() {
                return Some(item);
            }
            queue.waiting += 1;
            if queue.waiting == self.size {
                queue.over = true;
                self.change.notify_all();
                return None;
            }
            self.note_starving(&queue);
            queue = self.change.wait(queue).unwrap_or_else(PoisonError::into_inner);
            queue.waiting -= 1;
            self.note_starving(&queue);
        }
    }

    fn offer(&self, item: WorkItem) {
        let mut queue = self.queue();
        queue.items.push(item);
        self.note_starving(&queue);
        self.change.notify_one();
    }

    fn note_starving(&self, queue: &Queue) {
        self.starving.store(queue.waiting.saturating_sub(queue.items.len()), Ordering::Relaxed);
    }

    fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
        self.queue().over = true;
        self.change.notify_all();
    }
}

impl<'a> Worker<'a> {
    pub(super) fn numbers(self) -> &'a Arc<Numbers> {
        &self.pool.numbers
    }

    /// What was seen that can be promised.
    pub(super) fn notes(self) -> MutexGuard<'a, Notes> {
        self.pool.notes()
    }

    /// What is promised, in a round with promises.
    pub(super) fn offers(self) -> Option<&'a Arc<Offers>> {
        self.pool.offers.as_ref()
    }

    /// States of threads have different numbers for everyone.
    pub(super) fn first_state(self) -> u64 {
        (self.index as u64) << 48
    }

    /// Whether a worker is out of work, or the search has been stopped.
    pub(super) fn has_starving(self) -> bool {
        self.pool.starving.load(Ordering::Relaxed) > 0 || self.pool.stopped.load(Ordering::Relaxed)
    }

    /// Reports how far this worker is.
    pub(super) fn report_progress(self, explored: &Explored) {
        let mut queue = self.pool.queue();
        queue.progress[self.index] = (explored.complete + explored.blocked, explored.done);
        let (executions, done) = queue.progress.iter().fold((0, 0.0), |(n, d), (m, e)| (n + m, d + e));
        let so_far = Explored { complete: executions, done, ..Explored::default() };
        let expected = so_far.expected().or(self.pool.estimate);
        self.pool.monitor.progress(&Progress { executions, candidates: executions, expected });
    }
}

impl Search<'_, '_> {
    /// Explores items of other workers until there are none.
    fn drain_pool(&mut self) -> Result<(), Stop> {
        while let Some(item) = self.worker.pool.take() {
            self.execution.graph = self.worklist.accept(item);
            self.symbolic.look_for_selections(&self.execution);
            self.execution.locations.catch_up();
            self.threads.make_room(&mut self.execution);
            self.drain_stack()?;
        }
        Ok(())
    }

    /// Gives away the oldest choice of the stack, if there is any, or stops.
    pub(super) fn share_work(&mut self) -> Result<(), Stop> {
        if self.worker.pool.stopped.load(Ordering::Relaxed) {
            return Err(Stop::Elsewhere);
        }
        if let Some(item) = self.worklist.split_off(&self.execution.graph) {
            self.worker.pool.offer(item);
        }
        Ok(())
    }

    /// What this worker has explored, unless an assumption about the program is wrong.
    fn leave(&mut self, result: Result<(), Stop>) -> Result<Explored, Stop> {
        let result = result.map_err(|stop| self.report(stop));
        self.explored.paths = self.symbolic.stats();
        self.explored.dropped = std::mem::take(self.threads.dropped());
        if let Err(stop) = result {
            self.worker.pool.stop();
            if let Stop::Retract(_) = stop {
                return Err(stop);
            }
            self.explored.stopped = stop.reason(&self.code.options.cancel);
        } else if let Some((why, place)) = self.refused.take() {
            self.explored.stopped = Stop::Refused(why, place).reason(&self.code.options.cancel);
        }
        Ok(std::mem::take(&mut self.explored))
    }
}
