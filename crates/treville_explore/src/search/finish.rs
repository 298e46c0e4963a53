//! The end of an execution: no thread can go on. It is complete, or blocked, perhaps for good.

use super::classes::class;
use super::execution::Execution;
use super::progress::{Progress, Still};
use super::report::check_flags;
use super::stop::{Fault, Stop, StuckThread};
use super::trace::Tracer;
use super::{CompleteExecution, Search};
use crate::graph::INIT;
use treville_base::Span;
use treville_bytecode::Step;
use treville_ir::{Failure, Wait};

impl Search<'_, '_> {
    /// All threads have ended or wait.
    pub(super) fn finish(&mut self) -> Result<(), Stop> {
        if self.code.assumptions.symmetry {
            self.threads.check_waiting_joins(&self.execution)?;
        }
        if self.promises.are_open() {
            return self.finish_promised();
        }
        if self.symbolic.is_discarded(&self.execution, &mut self.threads)? {
            return Ok(());
        }
        self.promises.note(&self.execution, &mut self.consistency, self.worker)?;
        let mut still = Still::default();
        let mut blocked = false;
        // An assumption of the program does not hold, and nothing else keeps a thread from going on.
        let mut otherwise = false;
        for thread in 0..self.execution.graph.threads.len() as u16 {
            if !self.execution.graph.threads[usize::from(thread)].present || self.execution.ended(thread).is_some() {
                continue;
            }
            let step = self.threads.step(&self.execution, thread);
            if step == Step::ExitProcess {
                still.over = true;
                continue;
            }
            blocked = true;
            match step {
                Step::Blocked { wait: wait @ (Wait::Resource | Wait::Owner | Wait::Spin), site } => {
                    still.stands.push(StuckThread { thread, site, wait: Some(wait) });
                }
                Step::Join { site, .. } => {
                    still.joins.push(StuckThread { thread, site: Some(site), wait: Some(Wait::Resource) });
                }
                Step::Blocked { wait: Wait::Assume, .. } => {
                    (still.open, still.assumed) = (true, true);
                }
                // Only others could have made this one an execution.
                Step::UpdateWrite { .. } if self.code.assumptions.mixed => return Ok(()),
                Step::Cut => {
                    self.explored.cut = true;
                    self.explored.cut_at = self.explored.cut_at.or_else(|| self.execution.last_place(thread));
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
        let mut progress = Progress::new(&mut self.execution, &mut self.threads, &mut self.symbolic);
        let found = progress.check(&still);
        let (doubtful, wrong) = progress.findings();
        self.explored.doubtful |= doubtful;
        for stop in wrong {
            self.report(stop);
        }
        found
    }

    fn complete(&mut self) -> Result<(), Stop> {
        let leaked = self.execution.graph.made.iter().find(|m| m.heap && m.free == INIT).map(|m| m.alloc);
        if let Some(alloc) = leaked {
            self.code.fault(Fault::at(Failure::Leak, "an object is never freed", alloc, None))?;
        }
        check_flags(&mut self.execution, &mut self.symbolic)?;
        self.explored.complete += 1;
        if self.explored.traces.len() < self.code.options.traces {
            let trace =
                self.symbolic.with_values(&mut self.execution, |execution| Tracer::of(execution).trace(&[], &[]))?;
            self.explored.traces.push(trace);
        }
        if self.code.options.observed {
            // Runners of threads that have ended may be elsewhere.
            (0..self.execution.graph.threads.len() as u16).for_each(|thread| {
                self.threads.step(&self.execution, thread);
            });
        }
        if let Some(observer) = &self.code.options.observer {
            observer.visit(class(&self.execution));
        }
        let ended = CompleteExecution { threads: &self.threads, execution: &self.execution };
        (self.ended)(&ended);
        Ok(())
    }
}

impl Execution<'_> {
    /// Where a thread was when it last did something.
    fn last_place(&self, thread: u16) -> Option<Span> {
        let events = self.graph.threads[usize::from(thread)].events.iter().rev();
        events.filter_map(|e| self.graph.label(*e).site).map(|site| self.code.span(site)).next()
    }
}
