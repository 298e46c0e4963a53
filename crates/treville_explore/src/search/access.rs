//! Reads and writes: what they may read, where they may come, and which reads a new write may revisit.

use super::execution::Execution;
use super::stop::Stop;
use super::worklist::Alternative;
use super::{Move, Search};
use crate::graph::{EventId, Kind, Label, NO_PROMISE};
use crate::rules::Mode;
use treville_bytecode::{SiteId, Step};
use treville_task::Reduction;

impl Search<'_, '_> {
    /// Adds a read, of the latest write first.
    ///
    /// If that makes its thread wait, and the read may be put off, nothing is added: the read comes when no other thread
    /// can go on. By then there may be a write that ends the waiting, and executions in which the thread waits for an
    /// earlier one are never built.
    pub(super) fn read(
        &mut self,
        thread: u16,
        site: SiteId,
        addr: u64,
        may_put_off: bool,
    ) -> Result<Option<Move>, Stop> {
        if self.code.in_parts && !self.code.image.site(site).parts.is_empty() {
            return self.read_parts(thread, site, addr, may_put_off);
        }
        let loc = self.execution.location(thread, site, addr)?;
        let last = self.execution.graph.locations[loc as usize].writes.len();
        let source = self.execution.graph.co_at(loc, last);
        let value = self.execution.value_of(loc, source);
        let tried = self.threads.try_read(&self.execution, (thread, site, loc), value, may_put_off);
        let Some(next) = tried else { return Ok(None) };
        let update = self.threads.reads_for_update(thread);
        let modes = self.code.modes(site);
        let writes = matches!(next, Step::UpdateWrite { .. });
        let (kind, mode) = match update {
            true if matches!(next, Step::Decide { .. }) => (Kind::UpdateRead, Mode::RELAXED),
            true => (Kind::UpdateRead, if writes { modes.update } else { modes.read }),
            false => (Kind::Read, modes.read),
        };
        let label = self.execution.access(thread, kind, mode, loc, value);
        let label = Label { rf: source, site: Some(site), ..label };
        let e = self.threads.push_read(&mut self.execution, label, next);
        self.threads.set_unfinished(update.then_some(thread));
        let before = self.execution.graph.previous(e);
        let bound = self.execution.graph.coherence_bound_at(loc, before, e, self.code.rules.coherence);
        let bound = bound.max(self.execution.symmetry().predecessor_bound(e));
        let choice = self.worklist.begin_choice();
        self.promises.offer(&self.execution, e, &mut self.worklist);
        for position in bound..last {
            self.worklist.push(Alternative::Source(self.execution.graph.co_at(loc, position)));
        }
        if self.worklist.defers_choices() && bound < last {
            self.worklist.push(Alternative::Source(source));
            return Ok(Some(self.worklist.choose(e, choice)));
        }
        self.worklist.end_choice(e, choice);
        self.check(e)?;
        Ok(Some(Move::Go))
    }

    /// Lets the read that was added last read from a write that is not the latest.
    ///
    /// A thread that waits after such a read waits for good: no write revisits a read that did not read the latest write when
    /// it was added, nor removes one. What others do meanwhile they also do when it reads the latest.
    pub(super) fn read_from(&mut self, e: EventId, source: EventId) -> Result<Move, Stop> {
        let loc = self.execution.graph.label(e).loc;
        self.give(e, source, self.execution.value_of(loc, source));
        if self.execution.graph.label(e).parts() > 1 {
            return self.has_read_part(e);
        }
        // What others do meanwhile they also do when it reads the latest. But the read itself may be wrong.
        let dropped = self.code.options.reductions.has(Reduction::StaleWaits);
        let waits = dropped && self.threads.waits_after(&self.execution, e);
        if waits && !self.execution.may_be_wrong(e) {
            return Ok(Move::Back);
        }
        // What the source brings with it may be later than the source.
        let position = self.execution.graph.co_position(loc, source);
        if self.execution.bound(e) > position || !self.allows(e) {
            return Ok(Move::Back);
        }
        // The read itself may race, or come too late, only with this source.
        self.check(e)?;
        Ok(if waits { Move::Back } else { Move::Go })
    }

    pub(super) fn write(
        &mut self,
        thread: u16,
        site: SiteId,
        addr: u64,
        words: [u64; 2],
        kind: Kind,
    ) -> Result<Move, Stop> {
        let size = self.code.image.site(site).size;
        self.symbolic.check_settled(&self.execution, &self.threads, thread, addr)?;
        if self.code.in_parts && !self.code.image.site(site).parts.is_empty() {
            return self.write_parts(thread, site, addr, words, kind);
        }
        let loc = self.execution.location(thread, site, addr)?;
        if self.code.in_parts {
            self.execution.note_extent(loc, (addr, size))?;
        }
        let mode = self.code.modes(site).write;
        let value = self.code.bytes(words[0], 0, size);
        let label = self.execution.access(thread, kind, mode, loc, value);
        let e = self.push(Label { site: Some(site), ..label });
        let choice = self.worklist.begin_choice();
        self.revisits(e);
        self.worklist.push_places(&self.execution, e);
        Ok(self.worklist.choose(e, choice))
    }

    /// The reads that may read from a new write in place of what they read, each exactly in the one graph where all that
    /// would be lost is as the search would first add it: from the last read down, up to the first event that is not.
    pub(super) fn revisits(&mut self, w: EventId) {
        let (loc, parts) = (self.execution.graph.label(w).loc, self.execution.graph.label(w).parts());
        let mut next = w;
        if parts > 1 {
            for r in self.execution.reads_of_parts(w) {
                if !self.may_revisit(r, w, &mut next) {
                    return;
                }
            }
            return;
        }
        for i in (0..self.execution.graph.locations[loc as usize].reads.len()).rev() {
            let r = self.execution.graph.locations[loc as usize].reads[i];
            if !self.may_revisit(r, w, &mut next) {
                return;
            }
        }
    }

    /// Notes that a read may read from a new write, if it may. False if no earlier one may, either.
    fn may_revisit(&mut self, r: EventId, w: EventId, next: &mut EventId) -> bool {
        if self.execution.graph.porf(r, w) {
            return true;
        }
        if !self.execution.are_overtaken_for(r, w) {
            return false;
        }
        let lost = r..std::mem::replace(next, r);
        for e in lost {
            let as_first = self.execution.graph.porf(e, w) || self.is_as_first_added(e, w);
            if !as_first && (!self.code.assumptions.mixed || !self.is_first_part(e, r, w)) {
                return false;
            }
        }
        if self.code.assumptions.mixed || self.execution.graph.label(r).part() == 0 {
            self.worklist.push(Alternative::Revisit(r));
        }
        true
    }

    /// Whether an event is as it would be added first to what was there before it and what leads to `w`.
    fn is_as_first_added(&mut self, e: EventId, w: EventId) -> bool {
        if self.execution.graph.label(e).kind.decides() {
            return self.symbolic.is_first_decision(&self.execution, e, w);
        }
        let graph = &self.execution.graph;
        let label = graph.label(e);
        let known = |x: EventId| x <= e || graph.porf(x, w);
        let source = match label.kind {
            Kind::Read | Kind::UpdateRead if label.promise != NO_PROMISE => return false,
            Kind::Read | Kind::UpdateRead => label.rf,
            Kind::Write | Kind::UpdateWrite if self.execution.is_read_before(e) || self.execution.has_overtaken(e) => {
                return false;
            }
            Kind::Write | Kind::UpdateWrite => e,
            // The value that is tried first.
            Kind::Choice => return label.value != 1,
            _ => return true,
        };
        let writes = &graph.locations[label.loc as usize].writes;
        known(source) && !writes[graph.co_position(label.loc, source)..].iter().any(|x| known(*x))
    }

    /// Whether the graph is still consistent, `e` having made a choice that is not the latest one.
    pub(super) fn allows(&mut self, e: EventId) -> bool {
        if !self.consistency.rules_allow(&self.execution, e) {
            return false;
        }
        if !self.code.rules.needs_judge(&self.execution.graph) || self.threads.is_mid_update(&self.execution, e) {
            return true;
        }
        let values = if self.code.judged { self.symbolic.an_execution(&mut self.execution) } else { Ok(None) };
        match values {
            Ok(Some((graph, _))) => self.consistency.judge_allows(&self.execution, &graph, self.promises.are_open()),
            Ok(None) => self.consistency.judge_allows(&self.execution, &self.execution.graph, self.promises.are_open()),
            // If it was cancelled, that is noticed soon.
            Err(_) => false,
        }
    }

    /// Puts a write in its place and checks what that means.
    pub(super) fn put(&mut self, e: EventId, place: u32) -> Result<Move, Stop> {
        if self.execution.graph.label(e).parts() > 1 {
            return self.put_part(e, place, None);
        }
        let latest = self.threads.insert(&mut self.execution, e, place);
        if !latest && !self.allows(e) {
            return Ok(Move::Back);
        }
        if self.code.judged && self.execution.graph.label(e).kind == Kind::UpdateWrite {
            self.check(self.execution.graph.update_read(e))?;
        }
        self.check(e)?;
        Ok(Move::Go)
    }
}

impl Execution<'_> {
    /// The only place that a write may have, if it is that of an update, or a part of a write to cells that are always written
    /// together of which another part has its place.
    pub(super) fn forced_place(&self, e: EventId) -> Option<usize> {
        let label = self.graph.label(e);
        if label.kind == Kind::UpdateWrite {
            let read = self.graph.label(self.graph.update_read(e));
            return (read.promise == NO_PROMISE).then(|| self.graph.co_position(label.loc, read.rf));
        }
        if label.part() == 0 || self.code.assumptions.mixed {
            return None;
        }
        let first = self.graph.group(e)[0];
        Some(self.graph.co_position(self.graph.label(first).loc, first) - 1)
    }

    /// Whether a read that was added before a write reads from it.
    pub(super) fn is_read_before(&self, w: EventId) -> bool {
        let location = &self.graph.locations[self.graph.label(w).loc as usize];
        let mut earlier = location.reads.iter().take_while(|x| **x < w);
        earlier.any(|x| self.graph.label(*x).rf == w)
    }

    /// The first position of its location's order that coherence, as far as the rules know it, and symmetry leave to an event.
    pub(super) fn bound(&self, e: EventId) -> usize {
        self.graph.coherence_bound(e, self.code.rules.coherence).max(self.symmetry().predecessor_bound(e))
    }
}
