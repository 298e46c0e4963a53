//! Threads of a trial: they start, run, end and join each other.

use super::{Answer, End, Halt, Made, Thread, Trial};
use crate::memory::constant;
use crate::rows::{Id, Source, ended, started};
use crate::setup::{Part, Shape};
use treville_bytecode::{SiteId, SiteKind, Step, StepDeps, address};
use treville_event::Kind;
use treville_ir::{Failure, FuncId, Storage, Wait};

impl Trial<'_, '_> {
    /// Starts the threads that are there from the start.
    pub(super) fn begin(&mut self) {
        let program = self.setup.program;
        for (number, root) in program.roots.iter().enumerate() {
            let args = root.init.iter().map(|(_, value)| constant(program, value)).collect();
            self.start(number as u16, root.func, args, 0);
        }
    }

    /// Starts a thread; what it is given comes from this event.
    fn start(&mut self, number: u16, func: FuncId, args: Vec<u64>, event: u32) {
        let at = usize::from(number);
        if self.threads.len() <= at {
            self.threads.resize_with(at + 1, Thread::default);
        }
        let thread = &mut self.threads[at];
        thread.present = true;
        thread.runner.start_after(&self.setup.image, u32::from(number), func, &args, event);
        thread.func = Some((func, args));
    }

    /// Whether a thread is there, has something to do, and need not wait for the end of another.
    pub(super) fn may_go_on(&mut self, number: u16) -> bool {
        let thread = &self.threads[usize::from(number)];
        if !thread.present || thread.failed || thread.exited || thread.result.is_some() {
            return false;
        }
        match self.step(number) {
            Step::Join { thread: handle, .. } => match self.joined(handle) {
                Some(child) if child != number => self.threads[usize::from(child)].result.is_some(),
                _ => true,
            },
            _ => true,
        }
    }

    /// What a thread does next.
    pub(super) fn step(&mut self, number: u16) -> Step {
        let thread = &mut self.threads[usize::from(number)];
        *thread.step.get_or_insert_with(|| thread.runner.run(&self.setup.image, &self.setup.run))
    }

    fn joined(&self, handle: u64) -> Option<u16> {
        let number = u16::try_from(handle.checked_sub(1)?).ok()?;
        self.threads.get(usize::from(number)).filter(|thread| thread.present).map(|_| number)
    }

    /// What the step of a thread depends on.
    pub(super) fn deps(&self, number: u16) -> StepDeps {
        let StepDeps { addr, data, ctrl, .. } = self.deps_of_update(number);
        StepDeps { addr, data, ctrl, ..StepDeps::default() }
    }

    /// The same for the write of an update, which might not have been made.
    pub(super) fn deps_of_update(&self, number: u16) -> StepDeps {
        self.threads[usize::from(number)].runner.step_deps().clone()
    }

    /// Answers a thread with what it reads at its next row.
    pub(super) fn give(&mut self, number: u16, value: u64, events: std::ops::Range<u32>) {
        let thread = &mut self.threads[usize::from(number)];
        thread.runner.give_from(&self.setup.image, [value, 0], events.clone());
        thread.answers.push(Answer { value, events });
        thread.step = None;
    }

    /// Takes back the last answer that a thread was given: it runs once more, up to there.
    pub(super) fn take_back(&mut self, number: u16) {
        let image = &self.setup.image;
        let thread = &mut self.threads[usize::from(number)];
        thread.answers.pop();
        let Some((func, args)) = &thread.func else { return };
        let event = u32::from(usize::from(number) >= self.setup.program.roots.len());
        thread.runner.start_after(image, u32::from(number), *func, args, event);
        for answer in &thread.answers {
            while !asks(thread.runner.run(image, &self.setup.run)) {}
            thread.runner.give_from(image, [answer.value, 0], answer.events.clone());
        }
        let mut step = thread.runner.run(image, &self.setup.run);
        while !asks(step) {
            step = thread.runner.run(image, &self.setup.run);
        }
        thread.step = Some(step);
    }

    /// Adds an event, after a fence or before one if it has to be, and says what it is called.
    pub(super) fn add(&mut self, number: u16, shape: Shape, deps: StepDeps, source: Source) -> Id {
        let rows = &mut self.threads[usize::from(number)].rows;
        let row = rows.len() as u32;
        let mut new = self.setup.row(shape, Some(u32::from(number)), row);
        (new.deps, new.source) = (deps, source);
        rows.push(new);
        self.events += 1;
        Id { thread: number, row }
    }

    pub(super) fn fence(&mut self, number: u16) {
        if let Some(fence) = self.setup.fence() {
            self.add(number, fence, StepDeps::default(), Source::None);
        }
    }

    /// Lets a thread do its next step. False if it cannot with what it was offered.
    pub(super) fn advance(&mut self, number: u16) -> Result<bool, Halt> {
        match self.step(number) {
            Step::Load { site, addr } => return self.load(number, site, addr),
            Step::UpdateRead { site, addr } => return self.update(number, site, addr),
            Step::Store { site, addr, words } => self.store(number, site, addr, words[0])?,
            Step::Fence { site } => {
                let tags = self.setup.tags(site, Part::Whole);
                let shape = Shape { kind: Kind::Fence, tags, cell: None, value: 0, site: Some(site) };
                let deps = StepDeps { ctrl: self.deps(number).ctrl, ..StepDeps::default() };
                self.add(number, shape, deps, Source::None);
                self.threads[usize::from(number)].step = None;
            }
            Step::Spawn { site, func } => self.spawn(number, site, func),
            Step::Join { site, thread: handle } => self.join(number, site, handle)?,
            Step::Alloc { site, addr, size } => self.allocate(number, site, addr, size),
            Step::Free { site, addr } => self.free(number, site, addr)?,
            Step::Nondet { site } => self.choose(number, site),
            Step::End(value) => self.end(number, value),
            Step::ExitProcess => self.threads[usize::from(number)].exited = true,
            Step::Fail { site, failure } => {
                let message = match site.map(|s| &self.setup.image.site(s).kind) {
                    Some(SiteKind::Fail(_, message)) => message.to_string(),
                    _ => "a step that the program must not take".to_owned(),
                };
                self.fail(number, failure, message);
            }
            Step::Misuse { misuse, .. } => self.fail(number, Failure::ApiMisuse, misuse.message().to_owned()),
            Step::Blocked { wait: Wait::Assume | Wait::Spin | Wait::Resource | Wait::Owner, .. } | Step::Cut => {
                return Err(End::Stuck);
            }
            Step::Endless => return Err(End::Long),
            Step::Decide { site, .. } => return Err(End::Refused("an unknown value".into(), site)),
            Step::Place { site, .. } => return Err(End::Refused("an unknown address".into(), Some(site))),
            Step::UpdateWrite { site, .. } => return Err(End::Refused("an update without a read".into(), Some(site))),
        }
        Ok(true)
    }

    /// A thread stands still since what it would do is wrong.
    pub(super) fn fail(&mut self, number: u16, failure: Failure, message: String) {
        self.wrong.push((failure, message));
        self.threads[usize::from(number)].failed = true;
    }

    fn spawn(&mut self, number: u16, site: SiteId, func: FuncId) {
        let parent = &mut self.threads[usize::from(number)];
        let mut args = Vec::new();
        parent.runner.spawn_args(&self.setup.image, &mut args);
        let nth = (number, parent.children);
        parent.children += 1;
        let child = self.experience.number(nth);
        let deps = self.deps(number);
        self.fence(number);
        let (tags, value) = (self.setup.releasing(), u64::from(child));
        let shape = Shape { kind: Kind::Write, tags, cell: Some(started(child)), value, site: Some(site) };
        let write = self.add_outside(number, shape, deps, Source::None);
        // Its handle is known to all.
        self.give(number, u64::from(child) + 1, 0..0);
        self.start(child, func, args, 1);
        let seen = self.threads[usize::from(number)].seen.clone();
        self.threads[usize::from(child)].seen = seen;
        let shape =
            Shape { kind: Kind::Read, tags: self.setup.acquiring(), cell: Some(started(child)), value, site: None };
        self.add_outside(child, shape, StepDeps::default(), Source::Write(write));
        self.fence(child);
    }

    fn join(&mut self, number: u16, site: SiteId, handle: u64) -> Result<(), Halt> {
        let child = match self.joined(handle) {
            Some(child) if child != number => child,
            None if self.has_guessed => return Err(End::Stuck),
            _ => {
                self.fail(number, Failure::ApiMisuse, "joins itself, or what is no thread".to_owned());
                return Ok(());
            }
        };
        let end = &self.threads[usize::from(child)];
        let (value, row) = (end.result.unwrap_or_default(), end.rows.len() as u32 - 1);
        let (seen, deps, tags) = (end.seen.clone(), self.deps(number), self.setup.acquiring());
        let shape = Shape { kind: Kind::Read, tags, cell: Some(ended(child)), value, site: Some(site) };
        let id = self.add_outside(number, shape, deps, Source::Write(Id { thread: child, row }));
        self.give(number, value, id.row + 1..id.row + 2);
        self.fence(number);
        seen.into_iter().for_each(|(addr, write)| self.see(number, addr, write));
        Ok(())
    }

    fn end(&mut self, number: u16, value: u64) {
        let deps = self.deps(number);
        self.fence(number);
        let tags = self.setup.releasing();
        let shape = Shape { kind: Kind::Write, tags, cell: Some(ended(number)), value, site: None };
        self.add_outside(number, shape, deps, Source::None);
        self.threads[usize::from(number)].result = Some(value);
    }

    /// Adds an event that accesses no memory of the program.
    fn add_outside(&mut self, number: u16, shape: Shape, deps: StepDeps, source: Source) -> Id {
        let id = self.add(number, shape, deps, source);
        self.threads[usize::from(number)].rows[id.row as usize].in_memory = false;
        id
    }

    fn allocate(&mut self, number: u16, site: SiteId, addr: u64, size: u64) {
        if let SiteKind::Alloc { storage, zeroed } = self.setup.image.site(site).kind {
            let heap = storage == Storage::Heap;
            self.made.push(Made { addr, size, heap, zeroed, dead: false, freed: None });
        }
        self.threads[usize::from(number)].step = None;
    }

    fn free(&mut self, number: u16, site: Option<SiteId>, addr: u64) -> Result<(), Halt> {
        let rows = self.threads[usize::from(number)].rows.len() as u32;
        let retired = site.is_some_and(|s| self.setup.image.site(s).kind == SiteKind::Free { retired: true });
        match self.made.iter_mut().find(|made| made.addr == addr && (made.heap || site.is_none())) {
            // It may come later: a guess was wrong.
            None if self.has_guessed => return Err(End::Stuck),
            None => self.wrong.push((Failure::InvalidFree, "what is freed is no object on the heap".to_owned())),
            Some(made) if made.dead => self.wrong.push((Failure::DoubleFree, "an object is freed twice".to_owned())),
            Some(made) => {
                made.dead = true;
                made.freed = (!retired).then_some((number, rows));
            }
        }
        self.threads[usize::from(number)].step = None;
        Ok(())
    }

    /// The object that has so many bytes at an address.
    pub(super) fn object(&self, addr: u64, size: u8) -> Option<&Made> {
        let whole = |made: &&Made| made.size.max(1).next_multiple_of(address::OBJECT_SIZE);
        let made = self.made.iter().rfind(|m| m.addr <= addr && addr - m.addr < whole(m))?;
        (addr.saturating_add(u64::from(size)) <= made.addr + made.size).then_some(made)
    }

    /// Whether so many bytes at an address are 0 although they were never written.
    pub(super) fn is_zeroed(&self, addr: u64, size: u8) -> bool {
        self.object(addr, size).is_none_or(|made| made.zeroed)
    }

    fn choose(&mut self, number: u16, site: SiteId) {
        let SiteKind::Nondet { width, .. } = self.setup.image.site(site).kind else { return };
        let any = self.random.draw();
        let value = self.random.pick(&[0, 1, 2, u64::MAX, any % 16, any]).unwrap_or_default();
        let value = if width < 64 { value & ((1 << width) - 1) } else { value };
        let rows = self.threads[usize::from(number)].rows.len();
        if matches!(self.setup.image.site(site).kind, SiteKind::Nondet { at_once: true, .. }) {
            self.threads[usize::from(number)].choices.push((rows, value));
        }
        self.give(number, value, 0..0);
    }
}

/// Whether a step waits for an answer.
fn asks(step: Step) -> bool {
    match step {
        Step::Load { .. } | Step::UpdateRead { .. } | Step::Spawn { .. } | Step::Join { .. } => true,
        Step::Nondet { .. } | Step::Decide { .. } | Step::Place { .. } => true,
        // Nothing comes after these.
        Step::Blocked { .. } | Step::Cut | Step::Endless | Step::Fail { .. } => true,
        Step::End(_) | Step::ExitProcess => true,
        Step::Misuse { .. } => true,
        Step::Store { .. } | Step::UpdateWrite { .. } | Step::Fence { .. } => false,
        Step::Alloc { .. } | Step::Free { .. } => false,
    }
}
