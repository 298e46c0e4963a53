//! The threads of the program as they run: each where its events end. They say what comes next, and add to the execution what
//! they have done.

use super::dropped::Dropped;
use super::execution::{Execution, handle};
use super::stop::Stop;
use crate::assumptions::Retraction;
use crate::graph::{EventId, Kind, Label, LocId, NO_PROMISE, NOT_SAVED};
use crate::memory::Numbers;
use crate::rules::Mode;
use std::sync::Arc;
use treville_bytecode::{Runner, SiteId, Step};
use treville_ir::{FuncId, Reg, Wait};

pub(super) struct Threads {
    states: Vec<ThreadState>,
    numbers: Arc<Numbers>,
    /// The state of a thread before the read that it tries.
    kept: Vec<u64>,
    /// The last state of a thread that got a number.
    last_state: u64,
    /// The thread that is in the middle of an instruction: it goes on first.
    unfinished: Option<u16>,
    /// What was read in iterations that end a thread and are not explored further.
    dropped: Dropped,
}

/// A thread as it runs.
#[derive(Default)]
struct ThreadState {
    runner: Runner,
    /// The number of the state that the runner is in, or has just left for `step`.
    at: u64,
    /// What it does next, if that is known.
    step: Option<Step>,
    /// A value that makes it wait if its next step reads it.
    idle: Option<u64>,
}

/// The state of a runner that was never placed.
const NOWHERE: u64 = u64::MAX;

impl Threads {
    pub(super) fn new(numbers: Arc<Numbers>, first_state: u64) -> Self {
        Threads {
            states: Vec::new(),
            numbers,
            kept: Vec::new(),
            last_state: first_state,
            unfinished: None,
            dropped: Dropped::default(),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.states.len()
    }

    pub(super) fn runner(&self, thread: u16) -> &Runner {
        &self.states[usize::from(thread)].runner
    }

    /// The value that a register of a thread ended with.
    pub(super) fn register(&self, thread: usize, reg: Reg) -> u64 {
        self.states.get(thread).map_or(0, |thread| thread.runner.register(reg))
    }

    pub(super) fn dropped(&mut self) -> &mut Dropped {
        &mut self.dropped
    }

    pub(super) fn unfinished(&self) -> Option<u16> {
        self.unfinished
    }

    pub(super) fn take_unfinished(&mut self) -> Option<u16> {
        self.unfinished.take()
    }

    /// Says which thread is in the middle of an instruction, if one is.
    pub(super) fn set_unfinished(&mut self, thread: Option<u16>) {
        self.unfinished = thread;
    }

    /// Makes room in the graph for all threads and locations that have numbers.
    pub(super) fn make_room(&mut self, execution: &mut Execution<'_>) {
        let n = usize::from(self.numbers.threads()).max(self.states.len());
        self.states.resize_with(n, || ThreadState { at: NOWHERE, ..ThreadState::default() });
        execution.grow(n);
    }

    /// Tells a thread what its last step gives it.
    #[inline]
    pub(super) fn answer(&mut self, execution: &Execution<'_>, thread: u16, value: u64) {
        self.states[usize::from(thread)].runner.give(execution.code.image, value);
    }

    /// Tells a thread what something unknown is.
    pub(super) fn decide(&mut self, thread: u16, value: u64) {
        self.states[usize::from(thread)].runner.decide(value);
    }

    /// A thread starts another one.
    ///
    /// # Errors
    /// If there are too many.
    pub(super) fn spawn(
        &mut self,
        execution: &mut Execution<'_>,
        thread: u16,
        site: SiteId,
        func: FuncId,
    ) -> Result<(), Stop> {
        let child = self.numbers.child(thread, execution.spawned(thread));
        if usize::from(child) >= execution.graph.stride() {
            return Err(Stop::Retract(Retraction::MoreThreads));
        }
        self.make_room(execution);
        let args = self.spawn_args(execution, thread);
        let predecessor = if execution.code.assumptions.symmetry {
            execution.symmetry().predecessor_of_next(thread, child, func, &args)
        } else {
            None
        };
        if predecessor.is_some() {
            self.dropped.note_equal_threads();
        }
        let label = execution.event(thread, Kind::Spawn, u64::from(child));
        let e = self.push(execution, Label { site: Some(site), ..label });
        let entry = &mut execution.graph.threads[usize::from(child)];
        (entry.present, entry.spawn, entry.func, entry.args, entry.predecessor) =
            (true, e, func, args.into(), predecessor);
        self.answer(execution, thread, handle(u64::from(child)));
        Ok(())
    }

    /// The arguments of a thread that this one starts.
    fn spawn_args(&mut self, execution: &Execution<'_>, thread: u16) -> Vec<u64> {
        let mut args = Vec::new();
        self.states[usize::from(thread)].runner.spawn_args(execution.code.image, &mut args);
        args
    }

    /// Lets a thread read a value, and returns what it does then. If it would wait, and the read may be put off, nothing was read, and
    /// nothing is returned.
    #[inline]
    pub(super) fn try_read(
        &mut self,
        execution: &Execution<'_>,
        (thread, site, loc): (u16, SiteId, LocId),
        value: u64,
        may_put_off: bool,
    ) -> Option<Step> {
        let image = execution.code.image;
        if may_put_off && self.states[usize::from(thread)].idle == Some(value) {
            return None;
        }
        self.keep(execution, thread);
        let state = &mut self.states[usize::from(thread)];
        state.runner.give(image, value);
        let next = state.runner.run(image, &execution.code.options.run);
        if may_put_off && matches!(next, Step::Blocked { .. }) {
            state.runner.restore(image, u32::from(thread), &self.kept[1..]);
            state.idle = Some(value);
            self.note_dropped(execution, thread, next, &[(loc, site)]);
            return None;
        }
        Some(next)
    }

    /// Adds a read that a thread has made, after which it does this.
    #[inline]
    pub(super) fn push_read(&mut self, execution: &mut Execution<'_>, label: Label, next: Step) -> EventId {
        let saved = self.save_kept(execution);
        let e = self.push(execution, Label { saved, ..label });
        self.states[usize::from(label.thread)].step = Some(next);
        self.note_dropped(execution, label.thread, next, &[]);
        e
    }

    /// Whether the read that a thread makes, or has just tried, is that of an update.
    pub(super) fn reads_for_update(&self, thread: u16) -> bool {
        matches!(self.states[usize::from(thread)].step, Some(Step::UpdateRead { .. }))
    }

    /// Keeps the state of a thread before a read.
    #[inline]
    pub(super) fn keep(&mut self, execution: &Execution<'_>, thread: u16) {
        self.kept.clear();
        self.kept.push(0);
        self.states[usize::from(thread)].runner.save(execution.code.image, &mut self.kept);
        self.kept[0] = self.kept.len() as u64;
    }

    /// Puts the state that was kept into the graph; returns where it is.
    pub(super) fn save_kept(&self, execution: &mut Execution<'_>) -> u32 {
        let saved = execution.graph.saved.len() as u32;
        execution.graph.saved.extend_from_slice(&self.kept);
        saved
    }

    /// What a thread, the state of which was kept, would do after it has read these words.
    pub(super) fn step_after(&mut self, execution: &Execution<'_>, thread: u16, words: [u64; 2]) -> Step {
        let image = execution.code.image;
        let runner = &mut self.states[usize::from(thread)].runner;
        runner.give_words(image, words);
        let next = runner.run(image, &execution.code.options.run);
        runner.restore(image, u32::from(thread), &self.kept[1..]);
        next
    }

    /// Tells a thread what it has read, once all parts of that are there.
    pub(super) fn answer_words(&mut self, execution: &Execution<'_>, thread: u16, words: [u64; 2]) {
        self.states[usize::from(thread)].runner.give_words(execution.code.image, words);
    }

    /// If a thread was stopped at the end of an iteration that is dropped, notes what it has read there; the last read may be
    /// at these locations, and no event yet.
    #[inline]
    pub(super) fn note_dropped(
        &mut self,
        execution: &Execution<'_>,
        thread: u16,
        step: Step,
        tried: &[(LocId, SiteId)],
    ) {
        if matches!(step, Step::Blocked { wait: Wait::Spin, .. }) {
            let n = self.states[usize::from(thread)].runner.dropped_reads();
            self.dropped.note_iteration(execution, thread, n, tried);
        }
    }

    /// The number of a state that a thread is in for the first time.
    pub(super) fn new_state(&mut self) -> u64 {
        self.last_state += 1;
        self.last_state
    }

    /// Adds an event that its thread has just done.
    #[inline]
    pub(super) fn push(&mut self, execution: &mut Execution<'_>, label: Label) -> EventId {
        let state = self.new_state();
        let thread = &mut self.states[usize::from(label.thread)];
        (thread.at, thread.step) = (state, None);
        let e = execution.graph.push(Label { state, ..label });
        execution.graph.set_clocks(e, &execution.code.rules);
        self.dropped.note_change(execution, &thread.runner, e);
        self.dropped.note_hazard(execution, e);
        self.dropped.note_lock(execution, &label);
        execution.follow_predecessor(e);
        e
    }

    /// What a thread does next.
    #[inline]
    pub(super) fn step(&mut self, execution: &Execution<'_>, thread: u16) -> Step {
        let state = execution.graph.label(execution.graph.last_of(thread)).state;
        let known = &self.states[usize::from(thread)];
        match known.step {
            Some(step) if known.at == state => step,
            _ => self.step_from(execution, thread, state),
        }
    }

    /// What a thread does next in the state with this number.
    fn step_from(&mut self, execution: &Execution<'_>, thread: u16, state: u64) -> Step {
        let t = usize::from(thread);
        if self.states[t].at != state {
            self.place(execution, thread);
        }
        let now = &mut self.states[t];
        let step = now.runner.run(execution.code.image, &execution.code.options.run);
        (now.at, now.step, now.idle) = (state, Some(step), None);
        self.note_dropped(execution, thread, step, &[]);
        step
    }

    /// Brings a thread's runner to where its events end: from the last state that was kept, or from the start.
    fn place(&mut self, execution: &Execution<'_>, thread: u16) {
        let (t, image) = (usize::from(thread), execution.code.image);
        let events = &execution.graph.threads[t].events;
        let runner = &mut self.states[t].runner;
        let from = events.iter().rposition(|e| execution.graph.label(*e).saved != NOT_SAVED);
        let kept = from.and_then(|i| Some((i, execution.graph.saved_at(events[i])?)));
        let mut at = match kept {
            Some((i, words)) => {
                runner.restore(image, u32::from(thread), &words[1..]);
                let label = execution.graph.label(events[i]);
                if label.parts() == 1 {
                    runner.give(image, label.value);
                } else if execution.graph.is_whole(events[i]) {
                    runner.give_words(image, execution.graph.words(image, events[i]));
                }
                i + usize::from(label.parts())
            }
            None => {
                let thread = &execution.graph.threads[t];
                runner.start(image, t as u32, thread.func, &thread.args);
                0
            }
        };
        while at < events.len() {
            let step = runner.run(image, &execution.code.options.run);
            let label = execution.graph.label(events[at]);
            let value = label.value;
            match step {
                Step::Spawn { .. } => runner.give(image, handle(value)),
                Step::Join { .. } | Step::Nondet { .. } => runner.give(image, value),
                Step::Place { .. } if label.kind == Kind::Selection => runner.give(image, value),
                Step::Decide { .. } | Step::Place { .. } => runner.decide(value),
                _ => {}
            }
            at += usize::from(label.parts());
        }
    }

    /// Gives the last read of a thread another source and its value; the thread goes on from there.
    #[inline]
    pub(super) fn give(&mut self, execution: &mut Execution<'_>, e: EventId, source: EventId, value: u64) {
        let state = self.new_state();
        let label = &mut execution.graph.labels[e as usize];
        (label.rf, label.value, label.state, label.promise) = (source, value, state, NO_PROMISE);
        let label = *label;
        if label.parts() > 1 {
            return self.settle(execution, e);
        }
        if label.kind == Kind::UpdateRead
            && let Some(site) = label.site
        {
            self.unfinished = Some(label.thread);
            let modes = execution.code.modes(site);
            let mode = match self.step(execution, label.thread) {
                Step::UpdateWrite { .. } => modes.update,
                Step::Decide { .. } => Mode::RELAXED,
                _ => modes.read,
            };
            execution.graph.set_mode(e, mode);
        }
        execution.graph.set_clocks(e, &execution.code.rules);
        self.dropped.note_change(execution, &self.states[usize::from(label.thread)].runner, e);
        execution.follow_predecessor(e);
    }

    /// A part of a read has its source: computes what that means for all parts, and if they are there for the access.
    pub(super) fn settle(&mut self, execution: &mut Execution<'_>, e: EventId) {
        let label = *execution.graph.label(e);
        let whole = execution.graph.is_whole(e);
        if label.kind == Kind::UpdateRead
            && let Some(site) = label.site
        {
            let modes = execution.code.modes(site);
            let mode = match whole {
                true => match self.step(execution, label.thread) {
                    Step::UpdateWrite { .. } => modes.update,
                    Step::Decide { .. } => Mode::RELAXED,
                    _ => modes.read,
                },
                false => Mode::RELAXED,
            };
            (0..execution.graph.group(e).len())
                .for_each(|i| execution.graph.set_mode(execution.graph.group(e)[i], mode));
        }
        for i in 0..execution.graph.group(e).len() {
            let part = execution.graph.group(e)[i];
            execution.graph.set_clocks(part, &execution.code.rules);
            execution.follow_predecessor(part);
        }
        if whole {
            execution.graph.unite(e);
        }
        self.unfinished = (!whole || label.kind == Kind::UpdateRead).then_some(label.thread);
    }

    /// Whether a thread waits for a lock if its read has this value.
    pub(super) fn waits_with(&mut self, execution: &Execution<'_>, read: EventId, value: u64) -> bool {
        let thread = execution.graph.label(read).thread;
        let Some(saved) = execution.graph.saved_at(read) else { return false };
        let state = &mut self.states[usize::from(thread)];
        state.runner.restore(execution.code.image, u32::from(thread), &saved[1..]);
        state.runner.give(execution.code.image, value);
        let step = state.runner.run(execution.code.image, &execution.code.options.run);
        (state.at, state.step) = (NOWHERE, None);
        matches!(step, Step::Blocked { wait: Wait::Resource, .. })
    }

    /// The one value of the condition that a thread asks about with which it does not fail an assumption at once.
    pub(super) fn assumed(&self, execution: &Execution<'_>, thread: u16) -> Option<u64> {
        let fails = |value: u64| {
            let mut runner = self.runner(thread).clone();
            runner.decide(value);
            matches!(
                runner.run(execution.code.image, &execution.code.options.run),
                Step::Blocked { wait: Wait::Assume, .. }
            )
        };
        match (fails(0), fails(1)) {
            (true, false) => Some(1),
            (false, true) => Some(0),
            _ => None,
        }
    }

    /// Whether the thread of an event waits now.
    pub(super) fn waits_after(&mut self, execution: &Execution<'_>, e: EventId) -> bool {
        matches!(self.step(execution, execution.graph.label(e).thread), Step::Blocked { .. })
    }

    /// Whether `e` is the read of an update whose write comes next, or whether it comes is to be decided. A judge judges both
    /// together.
    #[inline]
    pub(super) fn is_mid_update(&mut self, execution: &Execution<'_>, e: EventId) -> bool {
        let (label, code) = (*execution.graph.label(e), execution.code);
        label.kind == Kind::UpdateRead
            && (code.judged || code.image.symbols().is_some())
            && match self.step(execution, label.thread) {
                Step::UpdateWrite { .. } => code.judged,
                Step::Decide { .. } => execution.graph.instruction_end(e) == execution.graph.last_of(label.thread),
                _ => false,
            }
    }

    /// Puts a write in its place, given that it is in none. True if that is the last one.
    pub(super) fn insert(&mut self, execution: &mut Execution<'_>, e: EventId, place: u32) -> bool {
        let loc = execution.graph.label(e).loc;
        let writes = &mut execution.graph.locations[loc as usize].writes;
        writes.insert(place as usize, e);
        let latest = place as usize + 1 == writes.len();
        self.dropped.note_write(execution, e);
        latest
    }
}
