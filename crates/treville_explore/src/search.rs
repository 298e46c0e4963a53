//! The search: extends the graph event by event, keeps the alternatives of every choice on a stack, and backtracks to them.
//!
//! This is TruSt. [`Search`] has the loop and is one worker's state, whose parts are types of their own:
//!
//! | part | what it has |
//! | --- | --- |
//! | [`code`] | the program, how strong its accesses are, and what is assumed of it; it never changes |
//! | [`execution`] | the execution graph and its locations; [`hazards`], [`symmetry`], [`trace`] and [`classes`] read it |
//! | [`threads`] | interpreters with saved states, and what each thread does next; [`dropped`], what was read in iterations that are left out |
//! | [`worklist`] | what is left to explore: forward and backward revisits, and the graphs to go back to |
//! | [`consistency`] | the rules or the judge of the model |
//! | [`symbolic`] | the solver for path conditions of unknown values |
//! | [`promised`] | promises to reads of what will be written (load buffering) |
//! | [`pool`] | the workers, and what they give each other |
//!
//! What happens at each step is in [`access`] (reads, writes and who revisits whom), [`parts`] (accesses to several cells), [`choices`] and
//! [`places`] (unknown values), [`revisit`] (backtracking), [`finish`] and [`progress`] (the end), [`safety`] (what can be wrong) and
//! [`report`] (how that is told).

mod access;
mod choices;
mod classes;
mod code;
mod consistency;
mod dropped;
mod estimate;
mod execution;
mod explored;
mod finish;
mod hazards;
mod job;
mod locks;
mod parts;
mod places;
mod pool;
mod progress;
mod promised;
pub(crate) mod report;
mod revisit;
mod safety;
mod stop;
mod symbolic;
mod symmetry;
#[cfg(test)]
mod tests;
mod threads;
mod trace;
mod worklist;

use crate::assumptions::{Assumptions, Retraction};
use crate::graph::{EventId, INIT, Kind, Label, Made};
use crate::memory::Locations;
use code::Code;
use consistency::Consistency;
use execution::Execution;
pub(crate) use explored::Explored;
pub(crate) use job::{CompleteExecution, Job, MakeJudge, Options};
use pool::Worker;
use promised::Promises;
use std::sync::Arc;
use stop::{Fault, Stop};
use symbolic::Symbolic;
use threads::Threads;
use treville_base::Span;
use treville_bytecode::{SiteKind, Step};
use treville_ir::{Failure, Storage};
use treville_task::StopReason;
use worklist::Worklist;

/// Explores all executions of a compiled program; `ended` is told of each complete one. A judge, if there is one, knows the
/// model; the rules only say what happens before what.
///
/// # Errors
/// What is wrong about the assumptions: then everything is explored anew without it.
pub(crate) fn explore(
    job: &Job<'_>,
    assumptions: &Assumptions,
    ended: &mut dyn FnMut(&CompleteExecution<'_>),
) -> Result<Explored, Retraction> {
    let too_many_threads = || {
        let why = format!("there are more than {} threads", Assumptions::MOST_THREADS);
        Ok(Explored { stopped: Some(StopReason::Refused(why)), ..Explored::default() })
    };
    if assumptions.stride > Assumptions::MOST_THREADS {
        return too_many_threads();
    }
    match pool::explore(job, assumptions, ended) {
        Err(Stop::Retract(Retraction::MoreThreads)) if assumptions.stride == Assumptions::MOST_THREADS => {
            too_many_threads()
        }
        Err(Stop::Retract(why)) => Err(why),
        Err(stop) => Ok(Explored { stopped: stop.reason(&job.options.cancel), ..Explored::default() }),
        Ok(explored) if assumptions.symmetry && explored.is_all() && job.image.tells_threads_apart() => {
            Err(Retraction::Asymmetric)
        }
        Ok(explored) => Ok(explored),
    }
}

/// After so many events it is looked whether the search is cancelled.
const EVENTS_BETWEEN_LOOKS: u32 = 4096;

/// Whether the graph can be extended.
enum Move {
    Go,
    /// There is more than one alternative: the last one that was noted is next.
    Choose,
    /// It ends here: complete, blocked, or inconsistent.
    Back,
}

/// The state of one worker.
struct Search<'a, 'j> {
    code: &'a Code<'a>,
    execution: Execution<'a>,
    threads: Threads,
    worklist: Worklist,
    consistency: Consistency<'j>,
    symbolic: Symbolic,
    promises: Promises,
    worker: Worker<'a>,
    explored: Explored,
    /// What was not explored, if it turns out that nothing else is wrong.
    refused: Option<(String, Option<Span>)>,
    /// Events since it was looked whether the search is cancelled.
    since_cancel: u32,
    ended: &'a mut dyn FnMut(&CompleteExecution<'_>),
}

impl<'a, 'j> Search<'a, 'j> {
    fn new(
        job: &Job<'j>,
        code: &'a Code<'a>,
        worker: Worker<'a>,
        ended: &'a mut dyn FnMut(&CompleteExecution<'_>),
    ) -> Self {
        let numbers = || Arc::clone(worker.numbers());
        let mut execution = Execution::new(code, Locations::new(numbers(), code.image.sites().len()));
        let mut threads = Threads::new(numbers(), worker.first_state());
        threads.make_room(&mut execution);
        execution.begin();
        Search {
            code,
            execution,
            threads,
            worklist: Worklist::new(),
            consistency: Consistency::new(job.judge.map(|judge| judge())),
            symbolic: Symbolic::new(code),
            promises: Promises::new(worker.offers()),
            worker,
            explored: Explored::default(),
            refused: None,
            since_cancel: 0,
            ended,
        }
    }

    /// Explores the subtree below the current graph.
    fn explore_all(&mut self) -> Result<(), Stop> {
        self.extend_to_choice()?;
        self.drain_stack()
    }

    /// Explores all alternatives on the stack.
    fn drain_stack(&mut self) -> Result<(), Stop> {
        while self.backtrack()? {
            if self.worker.has_starving() {
                self.share_work()?;
            }
            self.extend_to_choice()?;
        }
        Ok(())
    }

    /// Adds an event that its thread has just done.
    fn push(&mut self, label: Label) -> EventId {
        self.threads.push(&mut self.execution, label)
    }

    /// Gives the last read of a thread another source and its value.
    fn give(&mut self, e: EventId, source: EventId, value: u64) {
        self.threads.give(&mut self.execution, e, source, value);
    }

    /// Extends the graph event by event up to the next choice, or to its end.
    fn extend_to_choice(&mut self) -> Result<(), Stop> {
        loop {
            match self.advance()? {
                Move::Go => {}
                Move::Choose => return Ok(()),
                Move::Back => {
                    self.explored.done += self.worklist.share();
                    return Ok(());
                }
            }
        }
    }

    /// Adds the next event. In which order threads go on is free; the one that did the last event is the first to be asked.
    fn advance(&mut self) -> Result<Move, Stop> {
        self.since_cancel += 1;
        if self.since_cancel >= EVENTS_BETWEEN_LOOKS {
            self.since_cancel = 0;
            self.worker.report_progress(&self.explored);
            if self.code.options.cancel.is_due()
                || self.code.options.run.speculative && self.code.image.speculation_failed()
            {
                return Err(Stop::Cancelled);
            }
        }
        if self.execution.graph.len() > self.code.options.max_events {
            let last = self.execution.graph.labels.last().and_then(|label| label.site);
            let place = last.map(|site| self.code.span(site));
            return Err(Stop::TooManyEvents(self.code.options.max_events, place));
        }
        if let Some(thread) = self.threads.take_unfinished() {
            match self.threads.step(&self.execution, thread) {
                step @ (Step::UpdateWrite { .. } | Step::Decide { .. }) => return self.execute(thread, step),
                Step::Load { site, addr } | Step::UpdateRead { site, addr }
                    if self.execution.parts_read(thread) > 0 =>
                {
                    return self.read_part(thread, site, addr);
                }
                _ => {}
            }
        }
        if self.code.assumptions.symmetry && self.code.image.tells_threads_apart() {
            return Err(Stop::Retract(Retraction::Asymmetric));
        }
        self.promises.forget_failing();
        let last = self.execution.graph.label(self.execution.graph.len() - 1).thread;
        let mut idle = None;
        for thread in std::iter::once(last).chain(0..self.execution.graph.threads.len() as u16) {
            if !self.execution.graph.threads[usize::from(thread)].present || self.execution.ended(thread).is_some() {
                continue;
            }
            if self.code.assumptions.symmetry && self.execution.symmetry().lets_predecessor_go_first(thread) {
                continue;
            }
            let step = self.threads.step(&self.execution, thread);
            if self.code.assumptions.symmetry {
                self.execution.symmetry().check_joins(thread, step)?;
            }
            match step {
                Step::Blocked { .. } | Step::Cut | Step::ExitProcess => {}
                _ if self.execution.stands_before_failure(thread, step) => {}
                Step::UpdateWrite { .. } if self.code.assumptions.mixed => {}
                Step::Join { thread: handle, .. } if self.execution.waits_for(thread, handle) => {}
                Step::Load { site, addr } | Step::UpdateRead { site, addr } => {
                    let read = self.read(thread, site, addr, true);
                    match self.unless_it_fails(thread, read).transpose()?.flatten() {
                        Some(moved) => return Ok(moved),
                        None if self.promises.is_failing(thread) => {}
                        None => idle = idle.or(Some((thread, site, addr))),
                    }
                }
                _ => {
                    let taken = self.execute(thread, step);
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

    fn execute(&mut self, thread: u16, step: Step) -> Result<Move, Stop> {
        match step {
            Step::Store { site, addr, words } => self.write(thread, site, addr, words, Kind::Write),
            Step::UpdateWrite { site, addr, words } => self.write(thread, site, addr, words, Kind::UpdateWrite),
            Step::Fence { site } => {
                let mode = self.code.modes(site).read;
                self.push(Label { mode, site: Some(site), ..self.execution.event(thread, Kind::Fence, 0) });
                Ok(Move::Go)
            }
            Step::Spawn { site, func } => {
                self.threads.spawn(&mut self.execution, thread, site, func)?;
                self.explored.spawns.insert(self.code.span(site));
                Ok(Move::Go)
            }
            Step::Join { site, thread: handle } => {
                let child = match self.execution.joined(handle) {
                    Some(child) if child != thread => child,
                    found => {
                        let what = if found.is_some() { "joins itself" } else { "joins a thread that does not exist" };
                        return self.fails(Fault::of_thread(Failure::ApiMisuse, what, thread, Some(site)));
                    }
                };
                let Some(end) = self.execution.ended(child) else { return Ok(Move::Back) };
                let value = self.execution.graph.label(end).value;
                self.push(Label { rf: end, site: Some(site), ..self.execution.event(thread, Kind::Join, value) });
                self.threads.answer(&self.execution, thread, value);
                Ok(Move::Go)
            }
            Step::Alloc { site, addr, size } => {
                let e = self.push(Label { site: Some(site), ..self.execution.event(thread, Kind::Alloc, addr) });
                let SiteKind::Alloc { storage, zeroed } = self.code.image.site(site).kind else {
                    return Ok(Move::Back);
                };
                let heap = storage == Storage::Heap;
                self.execution.graph.made.push(Made { addr, size, alloc: e, free: INIT, heap, zeroed });
                Ok(Move::Go)
            }
            Step::Free { site, addr } => self.free(thread, site, addr),
            Step::Fail { site, failure } => {
                let message = match site.map(|s| &self.code.image.site(s).kind) {
                    Some(SiteKind::Fail(_, message)) => message.to_string(),
                    Some(SiteKind::Unlock) => "a lock is released that this thread does not hold".to_owned(),
                    Some(SiteKind::Call | SiteKind::Spawn) => "there is no function at this address".to_owned(),
                    Some(SiteKind::Free { .. }) => "what is freed is not on the heap".to_owned(),
                    _ => "an access outside every object".to_owned(),
                };
                self.fails(Fault::of_thread(failure, message, thread, site))
            }
            Step::End(value) => {
                self.push(self.execution.event(thread, Kind::End, value));
                Ok(Move::Go)
            }
            Step::Endless => Err(Stop::Endless),
            Step::Nondet { site } => self.choose(thread, site),
            Step::Decide { site, word } => self.decide(thread, site, word),
            Step::Place { site, addr } => self.locate(thread, site, addr),
            Step::Misuse { site, misuse } => {
                let other = misuse.other().map(|other| self.code.span(other));
                let fault = Fault::of_thread(Failure::ApiMisuse, misuse.message(), thread, Some(site));
                self.fails(Fault { other, ..fault })
            }
            Step::Load { .. } | Step::UpdateRead { .. } | Step::Blocked { .. } | Step::Cut | Step::ExitProcess => {
                Ok(Move::Back)
            }
        }
    }
}
