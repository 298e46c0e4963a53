//! Threads that wait for ever: for each other (a deadlock), or in loops for what no thread will do.
//!
//! Where no thread can go on, and all that have not ended wait for a resource or for the end of a thread, all of them are in a
//! deadlock. Where a thread spins, or is cut, it might still have given others what they wait for. But not if these wait for
//! certain threads: whoever waits for a mutex waits for the one that holds it, and whoever joins a thread waits for that
//! one. Anything else (a semaphore, a signal, a barrier, a read-write lock) can only be given by a thread whose code does so
//! somewhere. A set of threads that wait for each other in this way, or for a mutex that a thread held when it ended, is in a
//! deadlock whatever the rest does. An execution in which an assumption fails does not count. So in a program with
//! assumptions, all threads outside of the set must have ended or wait for good: one that goes on may fail an assumption.
//!
//! Where the process has ended (`main` has returned, or a thread has called `exit`), nobody waits any more for the thread that
//! ended it, or for what any thread might give. Threads that wait for each other did so before the end as well.

use super::execution::Execution;
use super::stop::{Fault, Stop, StuckThread};
use super::symbolic::Symbolic;
use super::threads::Threads;
use crate::graph::{EventId, INIT, Kind, LocId};
use treville_bytecode::{RunOptions, SiteKind, Step};
use treville_ir::{Again, Failure, Wait};

/// Where threads stand when none can go on.
#[derive(Default)]
pub(super) struct Still {
    /// They wait for a resource, or in a loop.
    pub(super) stands: Vec<StuckThread>,
    /// They wait for the end of another thread.
    pub(super) joins: Vec<StuckThread>,
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

/// Looks for threads of an execution that wait for ever.
pub(super) struct Progress<'s, 'j> {
    execution: &'s mut Execution<'j>,
    threads: &'s mut Threads,
    symbolic: &'s mut Symbolic,
    /// Whether a thread may wait for ever, which is not seen.
    doubtful: bool,
    /// What would go wrong if a thread that waits looked again.
    wrong: Vec<Stop>,
}

impl<'s, 'j> Progress<'s, 'j> {
    pub(super) fn new(execution: &'s mut Execution<'j>, threads: &'s mut Threads, symbolic: &'s mut Symbolic) -> Self {
        Progress { execution, threads, symbolic, doubtful: false, wrong: Vec::new() }
    }
}

impl Progress<'_, '_> {
    /// Whether a thread may wait for ever, which is not seen, and what would go wrong if one that waits looked again.
    pub(super) fn findings(self) -> (bool, Vec<Stop>) {
        (self.doubtful, self.wrong)
    }

    /// Looks for a deadlock or, if that is looked for, for loops that wait for ever.
    pub(super) fn check(&mut self, still: &Still) -> Result<(), Stop> {
        let spins = still.stands.iter().any(|s| s.wait == Some(Wait::Spin));
        if (spins || still.open || still.over) && !still.assumed {
            self.check_cycles(still)?;
        }
        match still.stands.as_slice() {
            _ if still.open => Ok(()),
            [] if !still.over => self.execution.code.fault(Fault::of_stuck(
                Failure::Deadlock,
                "threads wait for the end of each other",
                &still.joins,
            )),
            stands if spins => self.stuck(Failure::Liveness, stands),
            _ if still.over => Ok(()),
            stands => self.stuck(Failure::Deadlock, stands),
        }
    }

    /// All threads that have not ended wait, for good if it is a failure.
    fn stuck(&mut self, failure: Failure, stands: &[StuckThread]) -> Result<(), Stop> {
        if !self.execution.code.looks_for(failure) {
            return Ok(());
        }
        let found: Vec<Again> = stands.iter().map(|stands| self.looks_again(stands)).collect();
        if found.contains(&Again::GoesOn) {
            return Ok(());
        }
        if found.contains(&Again::Unclear) {
            self.doubtful = true;
            return Ok(());
        }
        let what = match (failure, stands) {
            (Failure::Deadlock, [_]) => "a thread waits for ever",
            (Failure::Deadlock, _) => "threads wait for each other",
            (_, [_]) => "a loop waits for what no thread will do",
            _ => "loops wait for what no thread will do",
        };
        self.execution.code.fault(Fault::of_stuck(failure, what, stands))
    }

    /// Looks for threads that wait for each other whatever the rest does.
    fn check_cycles(&mut self, still: &Still) -> Result<(), Stop> {
        if !self.execution.code.looks_for(Failure::Deadlock) {
            return Ok(());
        }
        let rest = self.rest(still);
        let mut waiting = self.waiting(still, rest);
        loop {
            let stuck: Vec<_> = waiting.iter().copied().filter(|(_, on)| self.is_stuck(*on, &waiting)).collect();
            if stuck.len() == waiting.len() {
                break;
            }
            waiting = stuck;
        }
        let asks = waiting.iter().any(|(_, on)| matches!(on, Awaited::Giver));
        let stands: Vec<StuckThread> = waiting.into_iter().map(|(stands, _)| stands).collect();
        if stands.is_empty() || self.execution.code.options.has_assumptions && rest == Again::GoesOn {
            // Who goes on does so in another execution, too, and may fail an assumption there.
            return Ok(());
        }
        if self.execution.code.options.has_assumptions && still.open
            || (self.execution.code.options.has_assumptions || asks) && rest == Again::Unclear
        {
            // How the others go on is not seen here.
            self.doubtful = true;
            return Ok(());
        }
        let what = if stands.len() == 1 { "a thread waits for ever" } else { "threads wait for each other" };
        self.execution.code.fault(Fault::of_stuck(Failure::Deadlock, what, &stands))
    }

    /// Whether all threads that stand wait for good: one goes on if it waits only because it has read an old write.
    fn rest(&mut self, still: &Still) -> Again {
        let found: Vec<Again> = still.stands.iter().map(|stands| self.looks_again(stands)).collect();
        [Again::GoesOn, Again::Unclear].into_iter().find(|again| found.contains(again)).unwrap_or(Again::Waits)
    }

    /// The threads that wait for good, and for whom.
    fn waiting(&mut self, still: &Still, rest: Again) -> Vec<(StuckThread, Awaited)> {
        let mut waiting = Vec::new();
        // Who goes on may still give something, or let the process end.
        let any_giver = !still.open && !still.over && rest != Again::GoesOn;
        for stands in &still.stands {
            let on = match stands.wait {
                Some(Wait::Owner) => self.owner(stands.thread).map(Awaited::Thread),
                // What is cut may be anything, and so is what a thread would have done instead of ending the process.
                Some(Wait::Resource) => {
                    let holder = self.holder(stands.thread).map(Awaited::Thread);
                    holder.or(any_giver.then_some(Awaited::Giver))
                }
                Some(Wait::Spin | Wait::Assume) | None => None,
            };
            if let Some(on) = on.filter(|_| self.looks_again(stands) == Again::Waits) {
                waiting.push((*stands, on));
            }
        }
        for stands in &still.joins {
            if let Step::Join { thread: handle, .. } = self.threads.step(self.execution, stands.thread) {
                waiting.extend(self.execution.joined(handle).map(|child| (*stands, Awaited::Thread(child))));
            }
        }
        waiting
    }

    /// Whether no thread but these can give what is waited for.
    fn is_stuck(&self, on: Awaited, waiting: &[(StuckThread, Awaited)]) -> bool {
        let waits = |thread: u16| waiting.iter().any(|(stands, _)| stands.thread == thread);
        let can_give = |thread: u16| {
            let known = &self.execution.graph.threads[usize::from(thread)];
            known.present
                && self.execution.code.gives(known.func)
                && self.execution.ended(thread).is_none()
                && !waits(thread)
        };
        match on {
            Awaited::Thread(thread) => self.execution.ended(thread).is_some() || waits(thread),
            Awaited::Giver => !(0..self.execution.graph.threads.len() as u16).any(can_give),
        }
    }

    /// Whether a thread waits whatever it reads from now on, which in the end is the latest write.
    fn looks_again(&mut self, stands: &StuckThread) -> Again {
        const MOST_STEPS: usize = 1000;
        let mut runner = self.threads.runner(stands.thread).clone();
        // It stands at the head of an idle loop: what does one more iteration do?
        let first = RunOptions { bound: None, ..self.execution.code.options.run.with_idle_rounds(false) };
        let then = first.with_idle_rounds(true);
        // What it writes to locks meanwhile; in the end they are as they were.
        let mut locks: Vec<(LocId, u64)> = Vec::new();
        let mut step = runner.run(self.execution.code.image, &first);
        if matches!(step, Step::Blocked { .. }) {
            return if self.has_read_latest(stands.thread) { Again::Waits } else { Again::GoesOn };
        }
        for _ in 0..MOST_STEPS {
            match step {
                Step::Load { site, addr } | Step::UpdateRead { site, addr }
                    if !self.execution.code.image.site(site).parts.is_empty() =>
                {
                    let found = self.execution.latest_words(stands.thread, site, addr);
                    let Some(words) = self.unless_wrong(found) else { return Again::Unclear };
                    runner.give_words(self.execution.code.image, words);
                }
                Step::UpdateWrite { site, addr, words } if !self.execution.code.image.site(site).parts.is_empty() => {
                    let found = self.execution.latest_words(stands.thread, site, addr);
                    let Some(latest) = self.unless_wrong(found) else { return Again::Unclear };
                    if words != latest {
                        return Again::GoesOn;
                    }
                }
                Step::Load { site, addr } | Step::UpdateRead { site, addr } => {
                    let found = self.execution.location(stands.thread, site, addr);
                    let Some(loc) = self.unless_wrong(found) else { return Again::Unclear };
                    let own = locks.iter().rfind(|(lock, _)| *lock == loc).map(|(_, value)| *value);
                    runner.give(self.execution.code.image, own.unwrap_or_else(|| self.latest(loc)));
                }
                Step::UpdateWrite { site, addr, words: [value, _] } | Step::Store { site, addr, words: [value, _] }
                    if matches!(self.execution.code.image.site(site).kind, SiteKind::Lock | SiteKind::Unlock) =>
                {
                    let found = self.execution.location(stands.thread, site, addr);
                    let Some(loc) = self.unless_wrong(found) else { return Again::Unclear };
                    locks.push((loc, value));
                }
                Step::UpdateWrite { site, addr, words: [value, _] } => {
                    let found = self.execution.location(stands.thread, site, addr);
                    let Some(loc) = self.unless_wrong(found) else { return Again::Unclear };
                    if value != self.latest(loc) {
                        return Again::GoesOn;
                    }
                }
                Step::Fence { .. } => {}
                Step::Store { site, .. } if self.execution.code.image.site(site).protects => {}
                // It may be another value each time, with which the thread goes on.
                Step::Nondet { .. } => return Again::Unclear,
                Step::Decide { word, .. } | Step::Place { addr: word, .. } => {
                    match self.symbolic.only_value(self.execution, word) {
                        Some(value) => runner.decide(value),
                        None => return Again::Unclear,
                    }
                }
                Step::Blocked { wait: Wait::Assume, .. } => return Again::GoesOn,
                Step::Blocked { .. } => return Again::Waits,
                _ => return Again::GoesOn,
            }
            step = runner.run(self.execution.code.image, &then);
        }
        Again::Unclear
    }

    /// The value of the latest write.
    fn latest(&self, loc: LocId) -> u64 {
        let latest = self.execution.graph.locations[loc as usize].writes.last();
        self.execution.value_of(loc, latest.copied().unwrap_or(INIT))
    }

    /// Whether the last thing that a thread did, fences aside, was to read the latest write.
    fn has_read_latest(&self, thread: u16) -> bool {
        let events = &self.execution.graph.threads[usize::from(thread)].events;
        let last = events.iter().rev().find(|e| self.execution.graph.label(**e).kind != Kind::Fence);
        last.is_none_or(|last| {
            let label = self.execution.graph.label(*last);
            !label.kind.reads() || self.execution.graph.is_latest(*last)
        })
    }

    /// The last write of the location that a thread has read last.
    fn latest_where_it_waits(&self, thread: u16) -> Option<(EventId, EventId)> {
        let read = *self.execution.graph.threads[usize::from(thread)].events.last()?;
        let label = self.execution.graph.label(read);
        let latest = *self.execution.graph.locations.get(label.loc as usize)?.writes.last()?;
        label.kind.reads().then_some((read, latest))
    }

    /// Who holds the mutex that a thread waits for, if it waits for one.
    fn holder(&self, thread: u16) -> Option<u16> {
        let (read, latest) = self.latest_where_it_waits(thread)?;
        let is_lock = |e: EventId| self.execution.is_of_lock(e);
        (is_lock(read) && is_lock(latest)).then(|| self.execution.graph.label(latest).thread)
    }

    /// The thread whose number is in the mutex that a thread waits for.
    fn owner(&self, thread: u16) -> Option<u16> {
        let (_, latest) = self.latest_where_it_waits(thread)?;
        self.execution.joined(self.execution.graph.label(latest).value)
    }

    /// What was looked up; nothing if that is wrong, which is noted.
    fn unless_wrong<T>(&mut self, found: Result<T, Stop>) -> Option<T> {
        found.map_err(|stop| self.wrong.push(stop)).ok()
    }
}
