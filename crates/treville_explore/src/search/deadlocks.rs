//! Threads that wait for ever: for each other (a deadlock), or in loops for what no thread will do.
//!
//! Where no thread can go on, and all that have not ended wait for a resource or for the end of a thread, all of them are in a
//! deadlock. Where a thread spins, or is cut, it might still have given others what they wait for. But not if these wait for
//! certain threads: whoever waits for a mutex waits for the one that holds it, and whoever joins a thread waits for that
//! one. Anything else (a semaphore, a signal, a barrier, a read-write lock) can only be given by a thread whose code does so
//! somewhere. A set of threads that wait for each other in this way, or for a mutex that a thread held when it ended, is in a
//! deadlock whatever the rest does. An execution in which an assumption fails does not count.
//!
//! Where the process has ended (`main` has returned, or a thread has called `exit`), nobody waits any more for the thread that
//! ended it, or for what any thread might give. Threads that wait for each other did so before the end as well.

use super::telling::Standstill;
use super::{Search, Stop};
use crate::graph::EventId;
use treville_ir::{Failure, Wait};
use treville_vm::bytecode::{SiteKind, Step};

/// Where threads stand when none can go on.
#[derive(Default)]
pub(super) struct Still {
    /// They wait for a resource, or in a loop.
    pub(super) stands: Vec<Standstill>,
    /// They wait for the end of another thread.
    pub(super) joins: Vec<Standstill>,
    /// Some thread would go on in an execution that counts, or waits in an execution that does not.
    pub(super) open: bool,
    /// An assumption of the program fails, so that the execution does not count.
    pub(super) assumed: bool,
    /// A thread has ended the process.
    pub(super) over: bool,
}

/// Who can end a wait.
#[derive(Clone, Copy)]
enum Awaited {
    Thread(u16),
    /// Any thread that gives something.
    Giver,
}

impl Search<'_, '_> {
    /// Looks for a deadlock or, if that is looked for, for loops that wait for ever.
    pub(super) fn check_progress(&mut self, still: &Still) -> Result<(), Stop> {
        let spins = still.stands.iter().any(|s| s.wait == Some(Wait::Spin));
        if (spins || still.open || still.over) && !still.assumed {
            self.check_cycles(still)?;
        }
        match still.stands.as_slice() {
            _ if still.open => Ok(()),
            [] if !still.over => {
                self.report(Failure::Deadlock, "threads wait for the end of each other", &[], &still.joins)
            }
            stands if spins => self.stuck(Failure::Liveness, stands),
            _ if still.over => Ok(()),
            stands => self.stuck(Failure::Deadlock, stands),
        }
    }

    /// All threads that have not ended wait, for good if it is a failure.
    fn stuck(&mut self, failure: Failure, stands: &[Standstill]) -> Result<(), Stop> {
        if !self.options.properties.contains(&failure) || !stands.iter().all(|s| self.waits_for_good(s)) {
            return Ok(());
        }
        let what = match (failure, stands) {
            (Failure::Deadlock, [_]) => "a thread waits for ever",
            (Failure::Deadlock, _) => "threads wait for each other",
            (_, [_]) => "a loop waits for what no thread will do",
            _ => "loops wait for what no thread will do",
        };
        self.report(failure, what, &[], stands)
    }

    /// Looks for threads that wait for each other whatever the rest does.
    fn check_cycles(&mut self, still: &Still) -> Result<(), Stop> {
        if !self.options.properties.contains(&Failure::Deadlock) {
            return Ok(());
        }
        let mut waiting = self.waiting(still);
        loop {
            let stuck: Vec<_> = waiting.iter().copied().filter(|(_, on)| self.is_stuck(*on, &waiting)).collect();
            if stuck.len() == waiting.len() {
                break;
            }
            waiting = stuck;
        }
        let stands: Vec<Standstill> = waiting.into_iter().map(|(stands, _)| stands).collect();
        match stands.as_slice() {
            [] => Ok(()),
            [_] => self.report(Failure::Deadlock, "a thread waits for ever", &[], &stands),
            _ => self.report(Failure::Deadlock, "threads wait for each other", &[], &stands),
        }
    }

    /// The threads that wait for good, and for whom.
    fn waiting(&mut self, still: &Still) -> Vec<(Standstill, Awaited)> {
        let mut waiting = Vec::new();
        for stands in &still.stands {
            let on = match stands.wait {
                Some(Wait::Owner) => self.owner(stands.thread).map(Awaited::Thread),
                // What is cut may be anything, and so is what a thread would have done instead of ending the process.
                Some(Wait::Resource) => {
                    let holder = self.holder(stands.thread).map(Awaited::Thread);
                    holder.or((!still.open && !still.over).then_some(Awaited::Giver))
                }
                Some(Wait::Spin | Wait::Assume) | None => None,
            };
            if let Some(on) = on.filter(|_| self.waits_for_good(stands)) {
                waiting.push((*stands, on));
            }
        }
        for stands in &still.joins {
            if let Step::Join { thread: handle, .. } = self.step(stands.thread) {
                waiting.extend(self.joined(handle).map(|child| (*stands, Awaited::Thread(child))));
            }
        }
        waiting
    }

    /// Whether no thread but these can give what is waited for.
    fn is_stuck(&self, on: Awaited, waiting: &[(Standstill, Awaited)]) -> bool {
        let waits = |thread: u16| waiting.iter().any(|(stands, _)| stands.thread == thread);
        let can_give = |thread: u16| {
            let known = &self.graph.threads[usize::from(thread)];
            known.present && self.givers[known.func] && self.ended(thread).is_none() && !waits(thread)
        };
        match on {
            Awaited::Thread(thread) => self.ended(thread).is_some() || waits(thread),
            Awaited::Giver => !(0..self.graph.threads.len() as u16).any(can_give),
        }
    }

    /// The last write of the location that a thread has read last.
    fn latest_where_it_waits(&self, thread: u16) -> Option<(EventId, EventId)> {
        let read = *self.graph.threads[usize::from(thread)].events.last()?;
        let label = self.graph.label(read);
        let latest = *self.graph.locations.get(label.loc as usize)?.writes.last()?;
        label.kind.reads().then_some((read, latest))
    }

    /// Who holds the mutex that a thread waits for, if it waits for one.
    fn holder(&self, thread: u16) -> Option<u16> {
        let is_lock = |e: EventId| self.graph.label(e).site.is_some_and(|s| self.image.site(s).kind == SiteKind::Lock);
        let (read, latest) = self.latest_where_it_waits(thread)?;
        (is_lock(read) && is_lock(latest)).then(|| self.graph.label(latest).thread)
    }

    /// The thread whose number is in the mutex that a thread waits for.
    fn owner(&self, thread: u16) -> Option<u16> {
        let (_, latest) = self.latest_where_it_waits(thread)?;
        self.joined(self.graph.label(latest).value)
    }
}
