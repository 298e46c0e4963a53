//! Equal threads. Threads that one thread starts one after the other with the same function and the same arguments differ in their
//! names only, and so do executions in which they change places: one of these is explored.
//!
//! It is the one in which equal threads are in order: where a thread first does something else than its *predecessor*, the equal
//! thread before it, it reads a later write than the predecessor or writes later. As in Kokologiannakis, Marmanis and Vafeiadis,
//! *SPORE: Combining Symmetry and Partial Order Reduction* (PLDI 2024), a predecessor goes first, and what it does as long as both
//! do the same leads to what the later one does: no revisit removes the one and keeps the other. So every event that reads
//! or writes the latest is in order.
//!
//! Whether anybody tells equal threads apart is seen on the way (then everything starts anew without this): whoever asks for
//! the thread's own name, waits for some of them before others, gets different results from them, looks at their handles
//! other than to wait for them, or computes with addresses of what they have made
//! (`treville_bytecode/src/addresses.rs`).

use super::execution::Execution;
use super::stop::Stop;
use super::threads::Threads;
use crate::assumptions::Retraction;
use crate::graph::{EventId, Kind, LocId};
use crate::memory::Owner;
use treville_bytecode::{SiteId, SiteKind, Step, address};
use treville_ir::FuncId;

/// The equal threads of an execution.
#[derive(Clone, Copy)]
pub(super) struct Symmetry<'e> {
    pub(super) execution: &'e Execution<'e>,
}

impl Symmetry<'_> {
    /// The predecessor of a thread that another is about to start: the last one that it started and that is equal, if nothing but
    /// handles was written since, for nobody else to see.
    /// A thread that keeps an iteration has none.
    pub(super) fn predecessor_of_next(&self, parent: u16, child: u16, func: FuncId, args: &[u64]) -> Option<u16> {
        let keeps = |thread: u64| self.execution.code.image.keeper().is_some_and(|keeper| u64::from(keeper) == thread);
        if keeps(u64::from(child)) {
            return None;
        }
        for e in self.execution.graph.threads[usize::from(parent)].events.iter().rev() {
            let label = self.execution.graph.label(*e);
            match label.kind {
                Kind::Write if self.own_part(label.loc, parent).is_some() && self.keeps_handle(*e) => {}
                Kind::Spawn => {
                    let other = &self.execution.graph.threads[label.value as usize];
                    if other.func == func && *other.args == *args && !keeps(label.value) {
                        return Some(label.value as u16);
                    }
                }
                _ => return None,
            }
        }
        None
    }

    fn keeps_handle(&self, e: EventId) -> bool {
        self.execution.graph.label(e).site.is_some_and(|site| self.execution.code.image.site(site).keeps_handle)
    }

    /// Whether an event writes the name of a thread: a handle, or into a lock who holds it.
    fn writes_name(&self, e: EventId) -> bool {
        let is_lock = |site: SiteId| matches!(self.execution.code.image.site(site).kind, SiteKind::Lock);
        self.keeps_handle(e)
            || self.execution.graph.label(e).kind.writes() && self.execution.graph.label(e).site.is_some_and(is_lock)
    }

    /// Stops if a name of a thread is seen by a thread that does not keep it: a handle is read by another thread, or a
    /// lock is read as memory.
    #[inline]
    pub(super) fn check_names(&self, e: EventId) -> Result<(), Stop> {
        let label = self.execution.graph.label(e);
        let location = &self.execution.graph.locations[label.loc as usize];
        let uses_lock = |e: EventId| {
            let site = self.execution.graph.label(e).site.map(|site| &self.execution.code.image.site(site).kind);
            matches!(site, Some(SiteKind::Lock | SiteKind::Unlock))
        };
        let sees = |a: EventId, name: EventId| match self.keeps_handle(name) {
            true => self.execution.graph.label(a).thread != self.execution.graph.label(name).thread,
            false => self.execution.graph.label(a).kind.reads() && !uses_lock(a),
        };
        let accesses = || location.writes.iter().chain(&location.reads).copied();
        let seen = match self.writes_name(e) {
            true => accesses().any(|a| sees(a, e)),
            false => location.writes.iter().any(|name| self.writes_name(*name) && sees(e, *name)),
        };
        if seen { Err(Stop::Retract(Retraction::Asymmetric)) } else { Ok(()) }
    }

    /// A thread that has done the same as its predecessor so far does nothing before the predecessor has gone on.
    #[inline]
    pub(super) fn lets_predecessor_go_first(&self, thread: u16) -> bool {
        let threads = &self.execution.graph.threads;
        let thread = &threads[usize::from(thread)];
        let Some(predecessor) = thread.predecessor else { return false };
        let same = thread.events.last().is_none_or(|e| self.execution.graph.label(*e).same);
        same && threads[usize::from(predecessor)].events.len() <= thread.events.len()
    }

    fn is_same(&self, a: EventId, b: EventId) -> bool {
        let (a, b) = (self.execution.graph.label(a), self.execution.graph.label(b));
        if a.kind != b.kind || a.mode != b.mode {
            return false;
        }
        let own = || self.is_counterpart(a.loc, a.thread, b.loc, b.thread);
        match a.kind {
            Kind::Read | Kind::UpdateRead if a.loc == b.loc => a.rf == b.rf,
            Kind::Read | Kind::UpdateRead => own() && self.are_counterparts(a.rf, a.thread, b.rf, b.thread),
            Kind::Write | Kind::UpdateWrite => a.loc != b.loc && own(),
            Kind::Fence | Kind::Alloc | Kind::End => true,
            Kind::Selection => a.promise == b.promise && a.value == b.value,
            Kind::Init | Kind::Spawn | Kind::Join | Kind::Free | Kind::Choice | Kind::Decision | Kind::Assumption => {
                false
            }
        }
    }

    /// Whether two writes are at the same place of their threads.
    fn are_counterparts(&self, a: EventId, thread_a: u16, b: EventId, thread_b: u16) -> bool {
        let (a, b) = (self.execution.graph.label(a), self.execution.graph.label(b));
        let own = a.thread == thread_a && b.thread == thread_b;
        (a.kind == Kind::Init && b.kind == Kind::Init) || (own && a.pos == b.pos)
    }

    /// Whether two locations are the same part of what is each thread's own.
    fn is_counterpart(&self, a: LocId, thread_a: u16, b: LocId, thread_b: u16) -> bool {
        let part = self.own_part(a, thread_a);
        part.is_some() && part == self.own_part(b, thread_b)
    }

    /// What a location is, up to the name of the thread that has made it or whose copy it is.
    fn own_part(&self, loc: LocId, thread: u16) -> Option<(Option<u32>, u64)> {
        let place = self.execution.locations.places.get(loc as usize)?;
        match place.owner {
            Owner::Made { thread: maker, number } if maker == u32::from(thread) => {
                Some((Some(number), place.addr % address::OBJECT_SIZE))
            }
            Owner::Static(_) => {
                let origin = address::local_origin(place.addr)?;
                (place.addr == address::local(u32::from(thread), origin)).then_some((None, origin))
            }
            _ => None,
        }
    }

    /// The first position of its location's order that an access may read or take, so that it is in order with its predecessor's.
    #[inline]
    pub(super) fn predecessor_bound(&self, e: EventId) -> usize {
        let Some(other) = self.execution.graph.event_of_predecessor(e) else { return 0 };
        let (label, predecessor) = (self.execution.graph.label(e), self.execution.graph.label(other));
        if label.loc != predecessor.loc || label.kind != predecessor.kind {
            return 0;
        }
        match predecessor.kind {
            Kind::Read | Kind::UpdateRead => self.execution.graph.co_position(predecessor.loc, predecessor.rf),
            Kind::Write | Kind::UpdateWrite => self.execution.graph.co_position(predecessor.loc, other),
            _ => 0,
        }
    }

    /// Stops if a thread tells equal threads apart by how it waits for them: all that are joined are joined in a row, by
    /// the one that started them, with equal results.
    #[inline]
    pub(super) fn check_joins(&self, thread: u16, step: Step) -> Result<(), Stop> {
        let events = &self.execution.graph.threads[usize::from(thread)].events;
        if let Step::Join { thread: handle, .. } = step {
            return match self.execution.joined(handle) {
                Some(child) if !self.is_joined_symmetrically(thread, child) => {
                    Err(Stop::Retract(Retraction::Asymmetric))
                }
                _ => Ok(()),
            };
        }
        let joins = |e: &EventId| self.execution.graph.label(*e).kind == Kind::Join;
        if !events.last().is_some_and(joins) {
            return Ok(());
        }
        let is_joined =
            |child: usize| events.iter().filter(|e| joins(e)).any(|e| usize::from(self.joined_by(*e)) == child);
        let threads = &self.execution.graph.threads;
        let halves = threads.iter().enumerate().any(|(i, t)| {
            t.present && t.predecessor.is_some_and(|predecessor| is_joined(usize::from(predecessor)) != is_joined(i))
        });
        if halves { Err(Stop::Retract(Retraction::Asymmetric)) } else { Ok(()) }
    }

    /// The results of threads that have ended and that a thread has not joined, each with the first thread that is equal to it.
    fn unjoined_ends(&self, by: u16) -> Vec<(u16, u64)> {
        let events = &self.execution.graph.threads[usize::from(by)].events;
        let joins = || events.iter().filter(|e| self.execution.graph.label(**e).kind == Kind::Join);
        let threads = 0..self.execution.graph.threads.len() as u16;
        let left = threads.filter(|t| self.execution.graph.threads[usize::from(*t)].present);
        let left = left.filter(|t| !joins().any(|e| self.joined_by(*e) == *t));
        left.filter_map(|t| {
            Some((self.execution.first_equal(t), self.execution.graph.label(self.execution.ended(t)?).value))
        })
        .collect()
    }

    /// The thread that a join waited for.
    fn joined_by(&self, join: EventId) -> u16 {
        self.execution.graph.label(self.execution.graph.label(join).rf).thread
    }

    fn is_joined_symmetrically(&self, by: u16, child: u16) -> bool {
        let threads = &self.execution.graph.threads;
        let equal_threads = |t: usize| threads[t].present && threads[t].predecessor == Some(child);
        let predecessor = threads[usize::from(child)].predecessor;
        if predecessor.is_none() && !(0..threads.len()).any(equal_threads) {
            return true;
        }
        let result = |t: u16| self.execution.ended(t).map(|end| self.execution.graph.label(end).value);
        let parent = self.execution.graph.label(threads[usize::from(child)].spawn).thread;
        let equal = predecessor.is_none_or(|predecessor| match (result(predecessor), result(child)) {
            (Some(a), Some(b)) => a == b,
            _ => true,
        });
        parent == by && equal
    }
}

impl Execution<'_> {
    /// Notes whether an event is the same as the predecessor's.
    pub(super) fn follow_predecessor(&mut self, e: EventId) {
        let Some(other) = self.graph.event_of_predecessor(e) else { return };
        // An update is not torn apart, nor is an access to several cells.
        let last = self.graph.instruction_end(other);
        self.graph.lead(last, e);
        self.graph.labels[e as usize].same = self.symmetry().is_same(other, e);
    }
}

impl Threads {
    /// Stops if a thread that waits for one of equal threads would do something else than wait if those of them that have
    /// ended were others. What equal threads do does not say which of them is waited for first.
    pub(super) fn check_waiting_joins(&mut self, execution: &Execution<'_>) -> Result<(), Stop> {
        for thread in 0..execution.graph.threads.len() as u16 {
            let stands = execution.graph.threads[usize::from(thread)].present && execution.ended(thread).is_none();
            if stands && self.goes_on_beside_twins(execution, thread) {
                return Err(Stop::Retract(Retraction::Asymmetric));
            }
        }
        Ok(())
    }

    /// Whether a thread that joins others gets past its joins if each waits for any thread that is equal to the one it names.
    fn goes_on_beside_twins(&mut self, execution: &Execution<'_>, thread: u16) -> bool {
        let mut step = self.step(execution, thread);
        if !matches!(step, Step::Join { .. }) {
            return false;
        }
        let mut ends = execution.symmetry().unjoined_ends(thread);
        let mut runner = self.runner(thread).clone();
        while let Step::Join { thread: handle, .. } = step {
            let Some(class) = execution.joined(handle).map(|child| execution.first_equal(child)) else {
                return true;
            };
            let Some(at) = ends.iter().position(|(of, _)| *of == class) else { return false };
            runner.give(execution.code.image, ends.swap_remove(at).1);
            step = runner.run(execution.code.image, &execution.code.options.run);
        }
        true
    }
}
