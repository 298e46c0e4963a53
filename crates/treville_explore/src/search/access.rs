//! Reads and writes: what they may read, where they may come, and which reads a new write may revisit.

use super::{Entry, Move, Search, Stop, Way};
use crate::graph::{EventId, INIT, Kind, Label, LocId, NO_PROMISE};
use crate::rules::Mode;
use treville_task::Reduction;
use treville_vm::bytecode::{SiteId, Step, is_term};

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
        let t = usize::from(thread);
        if self.in_parts && !self.image.site(site).parts.is_empty() {
            return self.read_parts(thread, site, addr, may_put_off);
        }
        let loc = self.location(thread, site, addr)?;
        let last = self.graph.locations[loc as usize].writes.len();
        let source = self.graph.co_at(loc, last);
        let value = self.value_of(loc, source);
        let runs = &mut self.threads[t];
        if may_put_off && runs.idle == Some(value) {
            return Ok(None);
        }
        let update = matches!(runs.step, Some(Step::UpdateRead { .. }));
        self.kept.clear();
        self.kept.push(0);
        runs.runner.save(self.image, &mut self.kept);
        self.kept[0] = self.kept.len() as u64;
        runs.runner.give(self.image, value);
        let next = runs.runner.run(self.image, &self.options.run);
        if may_put_off && matches!(next, Step::Blocked { .. }) {
            runs.runner.restore(self.image, u32::from(thread), &self.kept[1..]);
            runs.idle = Some(value);
            self.note_dropped(thread, next, &[(loc, site)]);
            return Ok(None);
        }
        let modes = self.modes[site.0 as usize];
        let writes = matches!(next, Step::UpdateWrite { .. });
        let (kind, mode) = match update {
            true if matches!(next, Step::Decide { .. }) => (Kind::UpdateRead, Mode::RELAXED),
            true => (Kind::UpdateRead, if writes { modes.update } else { modes.read }),
            false => (Kind::Read, modes.read),
        };
        let saved = self.graph.saved.len() as u32;
        self.graph.saved.extend_from_slice(&self.kept);
        let label = self.blank(thread, kind, mode, loc, value);
        let e = self.push(Label { rf: source, site: Some(site), saved, ..label });
        self.threads[t].step = Some(next);
        self.note_dropped(thread, next, &[]);
        self.next = update.then_some(thread);
        let before = self.graph.previous(e);
        let bound = self.graph.coherence_bound_at(loc, before, e, self.rules.coherence);
        let bound = bound.max(self.twin_bound(e));
        let first_way = self.ways.len();
        self.promise_ways(e);
        for position in bound..last {
            self.ways.push(Way::Source(self.graph.co_at(loc, position)));
        }
        if self.hesitates && bound < last {
            self.ways.push(Way::Source(source));
            self.note_ways(e, first_way, 0);
            return Ok(Some(Move::Choose));
        }
        self.note_ways(e, first_way, 1);
        self.check(e)?;
        Ok(Some(Move::Go))
    }

    /// Notes the ways from `first` on as those that `e` leaves, besides so many that are taken now.
    pub(super) fn note_ways(&mut self, e: EventId, first: usize, taken: usize) -> u32 {
        let ways = self.ways.len() - first;
        if ways > 0 {
            self.share /= (ways + taken) as f64;
            self.stack.push(Entry::Choice { event: e, ways: ways as u32, share: self.share });
        }
        ways as u32
    }

    /// Lets the read that was added last read from a write that is not the latest.
    ///
    /// A thread that waits after such a read waits for good: no write revisits a read that did not read the latest write when
    /// it was added, nor removes one. What others do meanwhile they also do when it reads the latest.
    pub(super) fn read_from(&mut self, e: EventId, source: EventId) -> Result<Move, Stop> {
        let loc = self.graph.label(e).loc;
        self.give(e, source, self.value_of(loc, source));
        if self.graph.label(e).parts() > 1 {
            return self.has_read_part(e);
        }
        // A thread that waits after such a read waits for good: no write revisits a read that did not read the latest
        // write when it was added, nor removes one. What others do meanwhile they also do when it reads the latest. But the read
        // itself may be wrong.
        let dropped = self.options.reductions.has(Reduction::StaleWaits);
        let waits = dropped && matches!(self.step(self.graph.label(e).thread), Step::Blocked { .. });
        if waits && !self.may_be_wrong(e) {
            return Ok(Move::Back);
        }
        // What the source brings with it may be later than the source.
        let position = self.graph.co_position(loc, source);
        if self.bound(e) > position || !self.allows(e) {
            return Ok(Move::Back);
        }
        // The read itself may race, or come too late, only with this source.
        self.check(e)?;
        Ok(if waits { Move::Back } else { Move::Go })
    }

    /// Gives the last read of a thread another source and its value; the thread goes on from there.
    pub(super) fn give(&mut self, e: EventId, source: EventId, value: u64) {
        let state = self.new_state();
        let label = &mut self.graph.labels[e as usize];
        (label.rf, label.value, label.state, label.promise) = (source, value, state, NO_PROMISE);
        let label = *label;
        if label.parts() > 1 {
            return self.settle(e);
        }
        if label.kind == Kind::UpdateRead
            && let Some(site) = label.site
        {
            self.next = Some(label.thread);
            let modes = self.modes[site.0 as usize];
            let mode = match self.step(label.thread) {
                Step::UpdateWrite { .. } => modes.update,
                Step::Decide { .. } => Mode::RELAXED,
                _ => modes.read,
            };
            self.graph.set_mode(e, mode);
        }
        self.graph.set_clocks(e, &self.rules);
        self.note_change(e);
        self.follow_twin(e);
    }

    pub(super) fn value_of(&self, loc: LocId, write: EventId) -> u64 {
        match write {
            INIT => self.initial(self.locations.places[loc as usize].init),
            _ => self.graph.label(write).value,
        }
    }

    /// An initial value as a word.
    pub(super) fn initial(&self, value: u64) -> u64 {
        match self.image.symbols() {
            Some(symbols) if is_term(value) => symbols.number(value),
            _ => value,
        }
    }

    /// So many bytes of a word, from this one on.
    pub(super) fn bytes(&self, word: u64, at: u8, size: u8) -> u64 {
        match self.image.symbols() {
            Some(symbols) if is_term(word) => symbols.bytes(word, at, size),
            _ => low_bytes(word >> (8 * at), size),
        }
    }

    pub(super) fn write(
        &mut self,
        thread: u16,
        site: SiteId,
        addr: u64,
        words: [u64; 2],
        kind: Kind,
    ) -> Result<Move, Stop> {
        let size = self.image.site(site).size;
        self.check_settled(thread, addr)?;
        if self.in_parts && !self.image.site(site).parts.is_empty() {
            return self.write_parts(thread, site, addr, words, kind);
        }
        let loc = self.location(thread, site, addr)?;
        if self.in_parts {
            self.note_extent(loc, (addr, size))?;
        }
        let mode = self.modes[site.0 as usize].write;
        let value = self.bytes(words[0], 0, size);
        let label = self.blank(thread, kind, mode, loc, value);
        let e = self.push(Label { site: Some(site), ..label });
        let first_way = self.ways.len();
        self.revisits(e);
        self.places(e);
        match self.note_ways(e, first_way, 0) {
            0 => Ok(Move::Back),
            _ => Ok(Move::Choose),
        }
    }

    /// The places that coherence and atomicity leave to a write, the latest on top.
    pub(super) fn places(&mut self, e: EventId) {
        let label = *self.graph.label(e);
        if let Some(place) = self.forced_place(e) {
            let in_time = label.kind == Kind::UpdateWrite || place >= self.bound(e);
            if in_time && !self.graph.joined(label.loc, place) {
                self.ways.push(Way::Place(place as u32));
            }
            return;
        }
        let last = self.graph.locations[label.loc as usize].writes.len();
        let bound = self.bound(e);
        for place in (bound..=last).filter(|p| !self.graph.joined(label.loc, *p)) {
            self.ways.push(Way::Place(place as u32));
        }
    }

    /// The only place that a write may have, if it is that of an update, or a part of a write to cells that are always written
    /// together of which another part has its place.
    fn forced_place(&self, e: EventId) -> Option<usize> {
        let label = self.graph.label(e);
        if label.kind == Kind::UpdateWrite {
            let read = self.graph.label(self.graph.update_read(e));
            return (read.promise == NO_PROMISE).then(|| self.graph.co_position(label.loc, read.rf));
        }
        if label.part() == 0 || self.mixed {
            return None;
        }
        let first = self.graph.group(e)[0];
        Some(self.graph.co_position(self.graph.label(first).loc, first) - 1)
    }

    /// The reads that may read from a new write in place of what they read, each exactly in the one graph where all that
    /// would be lost is as the search would first add it: from the last read down, up to the first event that is not.
    pub(super) fn revisits(&mut self, w: EventId) {
        let (loc, parts) = (self.graph.label(w).loc, self.graph.label(w).parts());
        let mut next = w;
        if parts > 1 {
            for r in self.reads_of_parts(w) {
                if !self.may_revisit(r, w, &mut next) {
                    return;
                }
            }
            return;
        }
        for i in (0..self.graph.locations[loc as usize].reads.len()).rev() {
            let r = self.graph.locations[loc as usize].reads[i];
            if !self.may_revisit(r, w, &mut next) {
                return;
            }
        }
    }

    /// Notes that a read may read from a new write, if it may. False if no earlier one may, either.
    fn may_revisit(&mut self, r: EventId, w: EventId, next: &mut EventId) -> bool {
        if self.graph.porf(r, w) {
            return true;
        }
        if !self.are_overtaken_for(r, w) {
            return false;
        }
        let lost = r..std::mem::replace(next, r);
        for e in lost {
            let as_first = self.graph.porf(e, w) || self.is_as_first_added(e, w);
            if !as_first && (!self.mixed || !self.is_first_part(e, r, w)) {
                return false;
            }
        }
        if self.mixed || self.graph.label(r).part() == 0 {
            self.ways.push(Way::Revisit(r));
        }
        true
    }

    /// Whether an event is as it would be added first to what was there before it and what leads to `w`.
    fn is_as_first_added(&mut self, e: EventId, w: EventId) -> bool {
        if self.graph.label(e).kind.decides() {
            return self.is_first_decision(e, w);
        }
        let graph = &self.graph;
        let label = graph.label(e);
        let known = |x: EventId| x <= e || graph.porf(x, w);
        let source = match label.kind {
            Kind::Read | Kind::UpdateRead if label.promise != NO_PROMISE => return false,
            Kind::Read | Kind::UpdateRead => label.rf,
            Kind::Write | Kind::UpdateWrite if self.is_read_before(e) || self.has_overtaken(e) => return false,
            Kind::Write | Kind::UpdateWrite => e,
            // The value that is tried first.
            Kind::Choice => return label.value != 1,
            _ => return true,
        };
        let writes = &graph.locations[label.loc as usize].writes;
        known(source) && !writes[graph.co_position(label.loc, source)..].iter().any(|x| known(*x))
    }

    /// Whether a read that was added before a write reads from it.
    pub(super) fn is_read_before(&self, w: EventId) -> bool {
        let location = &self.graph.locations[self.graph.label(w).loc as usize];
        let mut earlier = location.reads.iter().take_while(|x| **x < w);
        earlier.any(|x| self.graph.label(*x).rf == w)
    }

    /// The first position of its location's order that coherence, as far as the rules know it, and symmetry leave to an event.
    pub(super) fn bound(&self, e: EventId) -> usize {
        self.graph.coherence_bound(e, self.rules.coherence).max(self.twin_bound(e))
    }

    /// Whether the graph is still consistent, `e` having made a choice that is not the latest one.
    pub(super) fn allows(&mut self, e: EventId) -> bool {
        let allowed = match self.in_parts {
            true => self.rules.allows_with_parts(&self.graph, e, &mut self.scratch),
            false => self.rules.allows(&self.graph, e, &mut self.scratch),
        };
        if !allowed {
            return false;
        }
        if !self.rules.needs_judge(&self.graph) || self.is_unfinished(e) {
            return true;
        }
        if self.paths.is_some() && self.judge.is_some() {
            return self.with_values(Self::judged).unwrap_or(false);
        }
        self.judged()
    }

    /// Whether the judge, if there is one, allows the graph.
    fn judged(&mut self) -> bool {
        let (graph, locations) = (&self.graph, &self.locations);
        let sequential = self.options.reductions.has(Reduction::SequentialGraphs);
        let sequential = sequential && self.rules.is_sequential(graph, &mut self.scratch);
        match &mut self.judge {
            Some(judge) if sequential => judge.allows_sequential(graph, locations, !self.promising),
            Some(judge) if self.promising => judge.may_allow(graph, locations),
            Some(judge) => judge.allows(graph, locations),
            None => true,
        }
    }

    /// Whether `e` is the read of an update whose write comes next, or whether it comes is to be decided. A judge judges both
    /// together.
    pub(super) fn is_unfinished(&mut self, e: EventId) -> bool {
        let label = *self.graph.label(e);
        label.kind == Kind::UpdateRead
            && (self.judge.is_some() || self.paths.is_some())
            && match self.step(label.thread) {
                Step::UpdateWrite { .. } => self.judge.is_some(),
                Step::Decide { .. } => self.graph.instruction_end(e) == self.graph.last_of(label.thread),
                _ => false,
            }
    }

    /// Puts a write in its place, given that it is in none. True if that is the last one.
    pub(super) fn insert(&mut self, e: EventId, place: u32) -> bool {
        let loc = self.graph.label(e).loc;
        let writes = &mut self.graph.locations[loc as usize].writes;
        writes.insert(place as usize, e);
        let latest = place as usize + 1 == writes.len();
        self.note_write(e);
        latest
    }

    /// Puts a write in its place and checks what that means.
    pub(super) fn put(&mut self, e: EventId, place: u32) -> Result<Move, Stop> {
        if self.graph.label(e).parts() > 1 {
            return self.put_part(e, place, None);
        }
        let latest = self.insert(e, place);
        if !latest && !self.allows(e) {
            return Ok(Move::Back);
        }
        if self.judge.is_some() && self.graph.label(e).kind == Kind::UpdateWrite {
            self.check(self.graph.update_read(e))?;
        }
        self.check(e)?;
        Ok(Move::Go)
    }
}

/// The value that so many of the lowest bytes have.
pub(super) fn low_bytes(value: u64, size: u8) -> u64 {
    if size >= 8 { value } else { value & ((1 << (8 * size)) - 1) }
}
