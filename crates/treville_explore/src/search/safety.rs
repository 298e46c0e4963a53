//! What is wrong with an execution: memory that is not there, races, threads that wait for each other.

use super::deadlocks::Still;
use super::hazards::UNPROTECTED;
use super::telling::Standstill;
use super::{Ended, Move, Search, Stop};
use crate::graph::{EventId, INIT, Kind, LocId, Made};
use crate::memory::Owner;
use crate::rules::Mode;
use treville_base::{Name, Span};
use treville_ir::{Failure, Wait};
use treville_task::{Story, Violation};
use treville_vm::bytecode::{Misuse, RunOptions, SiteId, SiteKind, Step, address};

impl Search<'_, '_> {
    /// All threads have ended or wait.
    pub(super) fn finish(&mut self) -> Result<(), Stop> {
        if self.symmetry {
            self.check_waiting_joins()?;
        }
        if self.promising {
            return self.finish_promised();
        }
        if self.is_discarded()? {
            return Ok(());
        }
        self.note()?;
        let mut still = Still::default();
        let mut blocked = false;
        // An assumption of the program does not hold, and nothing else keeps a thread from going on.
        let mut otherwise = false;
        for thread in 0..self.graph.threads.len() as u16 {
            if !self.graph.threads[usize::from(thread)].present || self.ended(thread).is_some() {
                continue;
            }
            let step = self.step(thread);
            if step == Step::ExitProcess {
                still.over = true;
                continue;
            }
            blocked = true;
            match step {
                Step::Blocked { wait: wait @ (Wait::Resource | Wait::Owner | Wait::Spin), site } => {
                    still.stands.push(Standstill { thread, site, wait: Some(wait) });
                }
                Step::Join { site, .. } => {
                    still.joins.push(Standstill { thread, site: Some(site), wait: Some(Wait::Resource) });
                }
                Step::Blocked { wait: Wait::Assume, .. } => {
                    (still.open, still.assumed) = (true, true);
                }
                // Only others could have made this one an execution.
                Step::UpdateWrite { .. } if self.mixed => return Ok(()),
                Step::Cut => {
                    self.explored.cut = true;
                    self.explored.cut_at = self.explored.cut_at.or_else(|| self.last_place(thread));
                    (still.open, otherwise) = (true, true);
                }
                _ => (still.open, otherwise) = (true, true),
            }
        }
        if !blocked {
            return self.complete();
        }
        self.explored.blocked += 1;
        let discarded = still.assumed && !otherwise && still.stands.is_empty();
        self.explored.discarded += u64::from(discarded || still.over);
        self.check_progress(&still)
    }

    /// Where a thread was when it last did something.
    fn last_place(&self, thread: u16) -> Option<Span> {
        let events = self.graph.threads[usize::from(thread)].events.iter().rev();
        events.filter_map(|e| self.graph.label(*e).site).map(|site| self.image.site(site).span).next()
    }

    fn complete(&mut self) -> Result<(), Stop> {
        let leaked = self.graph.made.iter().find(|m| m.heap && m.free == INIT).map(|m| m.alloc);
        if let Some(alloc) = leaked {
            self.fault(Failure::Leak, "an object is never freed", alloc, None)?;
        }
        self.check_flags()?;
        self.explored.complete += 1;
        if self.explored.stories.len() < self.options.stories {
            let story = self.with_values(|search| search.story(&[], &[]))?;
            self.explored.stories.push(story);
        }
        if self.options.observed {
            // Runners of threads that have ended may be elsewhere.
            (0..self.graph.threads.len() as u16).for_each(|thread| {
                self.step(thread);
            });
        }
        self.tell_observer();
        let ended = Ended { threads: &self.threads, graph: &self.graph, locations: &self.locations };
        (self.ended)(&ended);
        Ok(())
    }

    /// Whether a thread waits whatever it reads from now on, which in the end is the latest write.
    pub(super) fn waits_for_good(&mut self, stands: &Standstill) -> bool {
        const MOST_STEPS: usize = 1000;
        let mut runner = self.threads[usize::from(stands.thread)].runner.clone();
        // It stands at the head of an idle loop: what does one more iteration do?
        let first = RunOptions { bound: None, ..self.options.run.with_idle_rounds(false) };
        let then = first.with_idle_rounds(true);
        // What it writes to locks meanwhile; in the end they are as they were.
        let mut locks: Vec<(LocId, u64)> = Vec::new();
        let mut step = runner.run(self.image, &first);
        if matches!(step, Step::Blocked { .. }) {
            return self.has_read_latest(stands.thread);
        }
        for _ in 0..MOST_STEPS {
            match step {
                Step::Load { site, addr } | Step::UpdateRead { site, addr }
                    if !self.image.site(site).parts.is_empty() =>
                {
                    let Ok(words) = self.latest_words(stands.thread, site, addr) else { return false };
                    runner.give_words(self.image, words);
                }
                Step::UpdateWrite { site, addr, words } if !self.image.site(site).parts.is_empty() => {
                    let Ok(latest) = self.latest_words(stands.thread, site, addr) else { return false };
                    if words != latest {
                        return false;
                    }
                }
                Step::Load { site, addr } | Step::UpdateRead { site, addr } => {
                    let Ok(loc) = self.location(stands.thread, site, addr) else { return false };
                    let own = locks.iter().rfind(|(lock, _)| *lock == loc).map(|(_, value)| *value);
                    runner.give(self.image, own.unwrap_or_else(|| self.latest(loc)));
                }
                Step::UpdateWrite { site, addr, words: [value, _] } | Step::Store { site, addr, words: [value, _] }
                    if matches!(self.image.site(site).kind, SiteKind::Lock | SiteKind::Unlock) =>
                {
                    let Ok(loc) = self.location(stands.thread, site, addr) else { return false };
                    locks.push((loc, value));
                }
                Step::UpdateWrite { site, addr, words: [value, _] } => {
                    let Ok(loc) = self.location(stands.thread, site, addr) else { return false };
                    if value != self.latest(loc) {
                        return false;
                    }
                }
                Step::Fence { .. } => {}
                Step::Store { site, .. } if self.image.site(site).protects => {}
                Step::Nondet { .. } => runner.give(self.image, 0),
                Step::Decide { word, .. } | Step::Place { addr: word, .. } => match self.only_value(word) {
                    Some(value) => runner.decide(value),
                    None => return false,
                },
                Step::Blocked { wait, .. } => return wait != Wait::Assume,
                _ => return false,
            }
            step = runner.run(self.image, &then);
        }
        false
    }

    /// The value of the latest write.
    fn latest(&self, loc: LocId) -> u64 {
        let latest = self.graph.locations[loc as usize].writes.last();
        self.value_of(loc, latest.copied().unwrap_or(INIT))
    }

    /// Whether the last thing that a thread did, fences aside, was to read the latest write.
    fn has_read_latest(&self, thread: u16) -> bool {
        let events = &self.graph.threads[usize::from(thread)].events;
        let last = events.iter().rev().find(|e| self.graph.label(**e).kind != Kind::Fence);
        last.is_none_or(|last| {
            let label = self.graph.label(*last);
            !label.kind.reads() || self.graph.is_latest(*last)
        })
    }

    pub(super) fn free(&mut self, thread: u16, site: Option<SiteId>, addr: u64) -> Result<Move, Stop> {
        self.check_settled(thread, addr)?;
        let e = self.add(thread, Kind::Free, Mode::RELAXED, addr, INIT, site);
        let Some(at) = self.graph.made.iter().position(|m| m.addr == addr && (m.heap || site.is_none())) else {
            let what = "what is freed is not the start of an object on the heap";
            self.fault(Failure::InvalidFree, what, e, None)?;
            return Ok(Move::Go);
        };
        let made = self.graph.made[at];
        if made.free != INIT {
            let what = match (self.is_retired(made.free), self.is_retired(e)) {
                (false, false) => "an object is freed twice",
                (true, true) => "an object is retired twice",
                _ => "an object is both retired and freed",
            };
            self.fault(Failure::DoubleFree, what, e, Some(made.free))?;
            return Ok(Move::Go);
        }
        if !self.ordered(made.alloc, e) {
            let what = "an object is freed whose allocation may come later";
            self.fault(Failure::InvalidFree, what, e, Some(made.alloc))?;
        }
        self.graph.made[at].free = e;
        if let Some(access) = self.late_access(&self.graph.made[at]) {
            let what = match self.is_retired(e) {
                true => UNPROTECTED,
                false => "an object is freed while another thread may use it",
            };
            self.fault(Failure::UseAfterFree, what, access, Some(e))?;
        }
        self.check_hazards(e)?;
        Ok(Move::Go)
    }

    /// Whether `a` happens before `b`.
    fn ordered(&self, a: EventId, b: EventId) -> bool {
        self.graph.hb(a, b)
    }

    /// Memory safety and races of an access that was added, or got another source.
    pub(super) fn check(&mut self, e: EventId) -> Result<(), Stop> {
        if self.promising || self.is_unfinished(e) {
            return Ok(());
        }
        let label = *self.graph.label(e);
        let place = self.locations.places[label.loc as usize];
        if self.symmetry {
            self.check_names(e)?;
        }
        if let Owner::Made { .. } = place.owner {
            self.check_made(e, place.addr, place.size)?;
            self.check_hazards(e)?;
            if label.kind.reads() && label.rf == INIT && !self.zeroed(place.addr) && !self.may_be_unwritten(e) {
                let what = "memory is read that nobody has written";
                self.fault(Failure::Uninitialized, what, e, None)?;
            }
        }
        let location = &self.graph.locations[label.loc as usize];
        if self.lasts && label.kind.writes() {
            let last = location.writes.iter().position(|w| self.graph.label(*w).mode.last());
            if let Some([last, next]) = last.and_then(|i| location.writes.get(i..i + 2)) {
                let what = "a write that is said to be the last one is overwritten";
                let (last, next) = (*last, *next);
                self.fault(Failure::ApiMisuse, what, next, Some(last))?;
            }
        }
        let location = &self.graph.locations[label.loc as usize];
        if location.plain == 0 {
            return Ok(());
        }
        let reads = if label.kind.writes() { location.reads.as_slice() } else { &[] };
        let race = location.writes.iter().chain(reads).copied().find(|a| {
            let other = self.graph.label(*a);
            let may_race = !other.mode.atomic() || !label.mode.atomic();
            *a != e && may_race && !self.ordered(*a, e) && !self.ordered(e, *a)
        });
        match race {
            None => Ok(()),
            Some(other) => self.fault(Failure::Race, "two accesses race", e, Some(other)),
        }
    }

    pub(super) fn made(&self, addr: u64) -> Option<&Made> {
        self.graph
            .made
            .iter()
            .rfind(|m| m.addr <= addr && addr - m.addr < m.size.max(1).next_multiple_of(address::OBJECT_SIZE))
    }

    fn zeroed(&self, addr: u64) -> bool {
        self.made(addr).is_some_and(|m| m.zeroed)
    }

    /// Whether an access of the runtime looks at memory that the program need not have written.
    fn may_be_unwritten(&self, e: EventId) -> bool {
        self.graph.label(e).site.is_some_and(|site| match &self.image.site(site).kind {
            SiteKind::Load(tags) => tags.iter().any(|tag| self.program.tags[*tag] == "UNWRITTEN"),
            _ => false,
        })
    }

    fn check_made(&mut self, e: EventId, addr: u64, size: u8) -> Result<(), Stop> {
        let Some(made) = self.made(addr).copied() else {
            return self.fault(Failure::InvalidAccess, "an access outside every object", e, None);
        };
        if addr.saturating_add(u64::from(size)) > made.addr + made.size {
            let what = format!("an access beyond the end of an object of {} bytes", made.size);
            return self.fault(Failure::InvalidAccess, &what, e, Some(made.alloc));
        }
        if !self.ordered(made.alloc, e) {
            return self.fault(
                Failure::InvalidAccess,
                "an access to an object whose allocation may come later",
                e,
                Some(made.alloc),
            );
        }
        if made.free != INIT && self.is_late(e, &made) {
            let what = match (made.heap, self.is_retired(made.free)) {
                (true, true) => UNPROTECTED,
                (true, false) => "an object is used after it was freed",
                (false, _) => "an object is used after its function has returned",
            };
            return self.fault(Failure::UseAfterFree, what, e, Some(made.free));
        }
        Ok(())
    }

    /// A violation where a thread stands; it does not go on from there.
    pub(super) fn violation(
        &mut self,
        failure: Failure,
        message: &str,
        thread: u16,
        site: Option<SiteId>,
    ) -> Result<Move, Stop> {
        self.report(failure, message, &[], &[Standstill::failing(thread, site)])?;
        self.explored.blocked += u64::from(!self.promising);
        Ok(Move::Back)
    }

    /// Whether a thread is about to fail in a way that is not looked for. It stays there: what the others do before it fails is
    /// still explored, and may fail as well.
    pub(super) fn stands_before_failure(&self, thread: u16, step: Step) -> bool {
        let failure = match step {
            Step::Fail { failure, .. } => failure,
            Step::Misuse { .. } => Failure::ApiMisuse,
            Step::Join { thread: handle, .. } if self.joined(handle).is_none_or(|child| child == thread) => {
                Failure::ApiMisuse
            }
            _ => return false,
        };
        !self.options.properties.contains(&failure)
    }

    /// A handle of an unknown value is not used as it must be.
    pub(super) fn misuse(&mut self, thread: u16, site: SiteId, misuse: Misuse) -> Result<Move, Stop> {
        let reported = self.violation(Failure::ApiMisuse, misuse.message(), thread, Some(site));
        if let (Some(violation), Some(other)) = (&mut self.explored.violation, misuse.other()) {
            violation.other = Some(self.image.site(other).span);
        }
        reported
    }

    /// A violation at an event.
    pub(super) fn fault(
        &mut self,
        failure: Failure,
        message: &str,
        e: EventId,
        other: Option<EventId>,
    ) -> Result<(), Stop> {
        let events: Vec<EventId> = std::iter::once(e).chain(other).collect();
        self.report(failure, message, &events, &[])
    }

    /// The story of a violation, judged once more.
    fn told(&mut self, failure: Failure, events: &[EventId], stands: &[Standstill]) -> Result<Story, Stop> {
        let mut events = events.to_vec();
        if let Some((graph, number)) = self.an_execution()? {
            self.graph = graph;
            events.iter_mut().for_each(|e| *e = number[*e as usize]);
        }
        self.replay(failure)?;
        Ok(self.story(&events, stands))
    }

    /// A violation that these events show, or where these threads stand: the end, if it is looked for.
    pub(super) fn report(
        &mut self,
        failure: Failure,
        message: &str,
        events: &[EventId],
        stands: &[Standstill],
    ) -> Result<(), Stop> {
        if !self.options.properties.contains(&failure) {
            return Ok(());
        }
        if self.promising {
            // It is seen again once all promises are kept.
            return Err(Stop::Violation);
        }
        let story = self.told(failure, events, stands)?;
        let step = |i: usize| story.about.get(i).and_then(|at| story.steps.get(*at));
        self.explored.violation = Some(Violation {
            failure,
            name: (failure == Failure::Assertion).then(|| Name::new(message)),
            message: message.to_owned(),
            thread: step(0).map_or(0, |s| s.thread),
            span: step(0).and_then(|s| s.span),
            other: step(1).and_then(|s| s.span),
            story: Some(Box::new(story)),
        });
        Err(Stop::Violation)
    }
}
