//! Threads: their runners, brought to where the events of their threads end.

use super::{Search, handle};
use crate::graph::{EventId, Kind, NOT_SAVED};
use treville_vm::bytecode::Step;

impl Search<'_, '_> {
    /// What a thread does next.
    pub(super) fn step(&mut self, thread: u16) -> Step {
        let t = usize::from(thread);
        let events = &self.graph.threads[t];
        let state = self.graph.label(events.events.last().copied().unwrap_or(events.spawn)).state;
        let here = self.threads[t].at == state;
        if here && let Some(step) = self.threads[t].step {
            return step;
        }
        if !here {
            self.place(thread);
        }
        let runs = &mut self.threads[t];
        let step = runs.runner.run(self.image, &self.options.run);
        (runs.at, runs.step, runs.idle) = (state, Some(step), None);
        self.note_dropped(thread, step, &[]);
        step
    }

    /// Brings a thread's runner to where its events end: from the last state that was kept, or from the start.
    fn place(&mut self, thread: u16) {
        let t = usize::from(thread);
        let events = &self.graph.threads[t].events;
        let runner = &mut self.threads[t].runner;
        let from = events.iter().rposition(|e| self.graph.label(*e).saved != NOT_SAVED);
        let kept = from.and_then(|i| Some((i, self.graph.saved_at(events[i])?)));
        let mut at = match kept {
            Some((i, words)) => {
                runner.restore(self.image, u32::from(thread), &words[1..]);
                let label = self.graph.label(events[i]);
                if label.parts() == 1 {
                    runner.give(self.image, label.value);
                } else if self.graph.is_whole(events[i]) {
                    runner.give_words(self.image, self.graph.words(self.image, events[i]));
                }
                i + usize::from(label.parts())
            }
            None => {
                let thread = &self.graph.threads[t];
                runner.start(self.image, t as u32, thread.func, &thread.args);
                0
            }
        };
        while at < events.len() {
            let step = runner.run(self.image, &self.options.run);
            let label = self.graph.label(events[at]);
            let value = label.value;
            match step {
                Step::Spawn { .. } => runner.give(self.image, handle(value)),
                Step::Join { .. } | Step::Nondet { .. } => runner.give(self.image, value),
                Step::Place { .. } if label.kind == Kind::Selection => runner.give(self.image, value),
                Step::Decide { .. } | Step::Place { .. } => runner.decide(value),
                _ => {}
            }
            at += usize::from(label.parts());
        }
    }

    /// The end of a thread, if it has ended.
    pub(super) fn ended(&self, thread: u16) -> Option<EventId> {
        let last = *self.graph.threads[usize::from(thread)].events.last()?;
        (self.graph.label(last).kind == Kind::End).then_some(last)
    }

    /// Whether a thread that joins this one has to wait.
    pub(super) fn waits_for(&self, thread: u16, handle: u64) -> bool {
        self.joined(handle).is_some_and(|child| child != thread && self.ended(child).is_none())
    }

    /// The thread with a handle.
    pub(super) fn joined(&self, handle: u64) -> Option<u16> {
        let thread = u16::try_from(handle.checked_sub(1)?).ok()?;
        self.graph.threads.get(usize::from(thread)).filter(|t| t.present).map(|_| thread)
    }
}
