//! Atomic accesses to several cells at once: of 16 bytes, or of bytes that others access in smaller pieces.
//!
//! Each cell is accessed by an event of its own, next to each other ([`Graph::group`]), and each part of a read has its own
//! choice of sources. Between the parts nothing else happens, and the rules see to it that no access is torn.
//!
//! If all accesses to the cells are alike, or read one of them only, the first part decides for all. Otherwise the program is
//! *mixed*: a part may have a source that came later than those of the parts before it. So it may be revisited
//! while they stay, given that it reads the latest write that fits to them. A compare-exchange may then find what it expects
//! only until another write revisits it; if it cannot make its own write, its thread stands still, and what comes of that
//! without such a write is no execution.
//!
//! [`Graph::group`]: crate::graph::Graph::group

use super::execution::Execution;
use super::stop::Stop;
use super::worklist::Alternative;
use super::{Move, Search};
use crate::assumptions::Retraction;
use crate::graph::{EventId, INIT, Kind, Label, LocId, NOT_SAVED, Share};
use crate::memory::Extent;
use crate::rules::Mode;
use treville_bytecode::{SiteId, Step, names_thread};
use treville_task::Reduction;

impl Execution<'_> {
    /// How many parts of a read a thread has read that is not done with it.
    pub(super) fn parts_read(&self, thread: u16) -> u8 {
        let last = self.graph.threads[usize::from(thread)].events.last().map(|last| self.graph.label(*last));
        last.filter(|l| l.kind.reads() && l.part() + 1 < l.parts()).map_or(0, |l| l.part() + 1)
    }

    /// Whether accesses to a location have these bytes, too.
    ///
    /// # Errors
    /// If they have others, and that was not known.
    pub(super) fn note_extent(&mut self, loc: LocId, extent: Extent) -> Result<(), Stop> {
        let same = self.locations.note_extent(loc, extent);
        if same || self.code.assumptions.mixed { Ok(()) } else { Err(Stop::Retract(Retraction::Mixed)) }
    }

    pub(super) fn part_location(&mut self, thread: u16, site: SiteId, addr: u64, part: usize) -> Result<LocId, Stop> {
        let of = self.code.image.site(site);
        let (at, size) = of.part(part);
        let (whole, span, extent) = (of.size, of.span, (addr + u64::from(at), size));
        let found = self.locations.find_part(self.code.program, site, at, extent.0, size);
        let loc = self.located(thread, site, at, extent, found)?;
        if !addr.is_multiple_of(u64::from(whole)) {
            let why = format!("an atomic access of {whole} bytes at an address that is not a multiple of {whole}");
            return Err(Stop::Refused(why, Some(span)));
        }
        self.note_extent(loc, (addr, whole))?;
        Ok(loc)
    }

    /// The latest value of all cells of an access.
    pub(super) fn latest_words(&mut self, thread: u16, site: SiteId, addr: u64) -> Result<[u64; 2], Stop> {
        let mut words = [0; 2];
        for i in 0..self.code.image.site(site).n_parts() {
            let loc = self.part_location(thread, site, addr, i)?;
            let (at, _) = self.code.image.site(site).part(i);
            let writes = &self.graph.locations[loc as usize].writes;
            let value = self.value_of(loc, self.graph.co_at(loc, writes.len()));
            self.code.image.put_bytes(&mut words, at, value);
        }
        Ok(words)
    }

    /// The part of what a read has read from that is at another of its locations.
    pub(super) fn sibling(&self, read: EventId, loc: LocId) -> EventId {
        let source = self.graph.label(read).rf;
        match source {
            INIT => source,
            _ => self.graph.part_at(source, loc).unwrap_or(source),
        }
    }

    /// The reads of all locations of a write, the last one first.
    pub(super) fn reads_of_parts(&self, w: EventId) -> Vec<EventId> {
        let locations = self.graph.group(w).iter().map(|p| &self.graph.locations[self.graph.label(*p).loc as usize]);
        let mut reads: Vec<EventId> = locations.flat_map(|l| l.reads.iter().copied()).collect();
        reads.sort_unstable_by(|a, b| b.cmp(a));
        reads
    }

    /// Whether a write has, with all parts up to this one, the last places.
    fn is_latest_so_far(&self, e: EventId) -> bool {
        let parts = self.graph.group(e).iter().take_while(|p| **p <= e);
        parts.into_iter().all(|p| self.graph.locations[self.graph.label(*p).loc as usize].writes.last() == Some(p))
    }
}

impl Search<'_, '_> {
    /// Begins a read of several cells; puts it off if that is allowed and the latest values make its thread wait.
    pub(super) fn read_parts(
        &mut self,
        thread: u16,
        site: SiteId,
        addr: u64,
        may_put_off: bool,
    ) -> Result<Option<Move>, Stop> {
        let words = self.execution.latest_words(thread, site, addr)?;
        self.threads.keep(&self.execution, thread);
        if may_put_off {
            let next = self.threads.step_after(&self.execution, thread, words);
            if matches!(next, Step::Blocked { .. }) {
                let parts = 0..self.code.image.site(site).n_parts();
                let tried = parts.map(|part| Ok((self.execution.part_location(thread, site, addr, part)?, site)));
                let tried = tried.collect::<Result<Vec<_>, Stop>>()?;
                self.threads.note_dropped(&self.execution, thread, next, &tried);
                return Ok(None);
            }
        }
        self.read_part(thread, site, addr).map(Some)
    }

    /// Adds the next part of a read, of the latest write first.
    pub(super) fn read_part(&mut self, thread: u16, site: SiteId, addr: u64) -> Result<Move, Stop> {
        let part = self.execution.parts_read(thread);
        let loc = self.execution.part_location(thread, site, addr, part.into())?;
        let update = matches!(self.threads.step(&self.execution, thread), Step::UpdateRead { .. });
        // How strong the read of an update is depends on whether it writes.
        let mode = if update { Mode::RELAXED } else { self.code.modes(site).read };
        let kind = if update { Kind::UpdateRead } else { Kind::Read };
        let last = self.execution.graph.locations[loc as usize].writes.len();
        let before = self.execution.graph.threads[usize::from(thread)].events.last().copied().filter(|_| part > 0);
        let source = match before.filter(|_| !self.code.assumptions.mixed) {
            Some(before) => self.execution.sibling(before, loc),
            None => self.execution.graph.co_at(loc, last),
        };
        let fits = before.is_none_or(|before| self.execution.graph.is_latest(before));
        let saved = if part == 0 { self.threads.save_kept(&mut self.execution) } else { NOT_SAVED };
        let parts = self.code.image.site(site).n_parts() as u8;
        let label = self.execution.access(thread, kind, mode, loc, self.execution.value_of(loc, source));
        let e = self.push(Label { rf: source, site: Some(site), saved, share: Share::new(part, parts), ..label });
        // What the latest write brings with it does not count for the others.
        let bound = self.execution.graph.coherence_bound_at(
            loc,
            self.execution.graph.previous(e),
            e,
            self.code.rules.coherence,
        );
        if part + 1 == parts {
            let words = self.execution.graph.words(self.code.image, e);
            self.threads.answer_words(&self.execution, thread, words);
        }
        self.threads.settle(&mut self.execution, e);
        if part > 0 && !self.code.assumptions.mixed {
            return self.has_read_part(e);
        }
        let choice = self.worklist.begin_choice();
        for position in bound.max(self.execution.symmetry().predecessor_bound(e))..last {
            self.worklist.push(Alternative::Source(self.execution.graph.co_at(loc, position)));
        }
        if !fits || (self.worklist.defers_choices() && self.worklist.has_alternatives(choice)) {
            self.worklist.push(Alternative::Source(source));
            return Ok(self.worklist.choose(e, choice));
        }
        self.worklist.end_choice(e, choice);
        self.check_parts(e)?;
        Ok(Move::Go)
    }

    /// Goes on after a part of a read got a source, if it fits to the others.
    pub(super) fn has_read_part(&mut self, e: EventId) -> Result<Move, Stop> {
        if !self.holds_together(e) {
            return Ok(Move::Back);
        }
        // As for other reads, if no part of it is ever revisited.
        let dropped = self.code.options.reductions.has(Reduction::StaleWaits);
        let stands = dropped
            && !self.code.assumptions.mixed
            && self.execution.graph.is_whole(e)
            && !self.execution.graph.is_latest(e)
            && self.threads.waits_after(&self.execution, e);
        self.check_parts(e)?;
        Ok(if stands { Move::Back } else { Move::Go })
    }

    /// Whether the parts of a read may have their sources.
    pub(super) fn holds_together(&mut self, e: EventId) -> bool {
        let in_time = |p: &EventId| {
            let label = self.execution.graph.label(*p);
            self.execution.bound(*p) <= self.execution.graph.co_position(label.loc, label.rf)
        };
        self.execution.graph.is_latest(e) || (self.execution.graph.group(e).iter().all(in_time) && self.allows(e))
    }

    /// Memory safety and races of an access, once it is whole.
    pub(super) fn check_parts(&mut self, e: EventId) -> Result<(), Stop> {
        if !self.execution.graph.is_whole(e) {
            return Ok(());
        }
        (0..self.execution.graph.group(e).len()).try_for_each(|i| self.check(self.execution.graph.group(e)[i]))
    }

    pub(super) fn write_parts(
        &mut self,
        thread: u16,
        site: SiteId,
        addr: u64,
        words: [u64; 2],
        kind: Kind,
    ) -> Result<Move, Stop> {
        let mode = self.code.modes(site).write;
        let n = self.code.image.site(site).n_parts();
        if self.code.assumptions.symmetry && words.into_iter().any(names_thread) {
            // Some bytes of an address may be read by themselves.
            return Err(Stop::Retract(Retraction::Asymmetric));
        }
        let locs =
            (0..n).map(|i| self.execution.part_location(thread, site, addr, i)).collect::<Result<Vec<_>, _>>()?;
        let first = self.execution.graph.len();
        for (i, loc) in locs.into_iter().enumerate() {
            let (at, size) = self.code.image.site(site).part(i);
            let value = self.code.bytes(words[usize::from(at / 8)], at % 8, size);
            let label = self.execution.access(thread, kind, mode, loc, value);
            self.push(Label { site: Some(site), share: Share::new(i as u8, n as u8), ..label });
        }
        self.execution.graph.unite(first);
        let choice = self.worklist.begin_choice();
        if self.code.assumptions.mixed
            && kind == Kind::UpdateWrite
            && !self.execution.graph.is_latest(self.execution.graph.update_read(first))
        {
            self.worklist.push(Alternative::Stay);
        }
        self.revisits(first);
        self.worklist.push_places(&self.execution, first);
        Ok(self.worklist.choose(first, choice))
    }

    /// Puts a part of a write in its place, and checks what that means once all have theirs; then `read`, if there is one,
    /// reads from it.
    pub(super) fn put_part(&mut self, e: EventId, place: u32, read: Option<EventId>) -> Result<Move, Stop> {
        self.threads.insert(&mut self.execution, e, place);
        let label = *self.execution.graph.label(e);
        if read.is_none() && !self.execution.is_latest_so_far(e) && !self.allows(e) {
            return Ok(Move::Back);
        }
        if label.part() + 1 < label.parts() {
            let next = e + 1;
            if let Some(read) = read {
                return Ok(self.worklist.choose_place_for(&self.execution, read, next));
            }
            return Ok(self.worklist.choose_place(&self.execution, next));
        }
        if let Some(read) = read
            && !self.reads_part(read, e)
        {
            return Ok(Move::Back);
        }
        self.check_parts(e)?;
        if let Some(read) = read {
            self.check_parts(read)?;
        }
        Ok(Move::Go)
    }

    /// Lets a read read from a new write that has its places. False if it cannot.
    fn reads_part(&mut self, read: EventId, write: EventId) -> bool {
        let Some(source) = self.execution.graph.part_at(write, self.execution.graph.label(read).loc) else {
            return false;
        };
        self.give(read, source, self.execution.graph.label(source).value);
        (self.execution.graph.is_latest(write) || self.allows(write)) && self.holds_together(read)
    }

    /// The write of an update is not made, if it cannot be: its thread stands still.
    pub(super) fn stay(&mut self, first: EventId) -> Move {
        let parts: Vec<EventId> = self.execution.graph.group(first).to_vec();
        let fits = parts.iter().all(|p| {
            let loc = self.execution.graph.label(*p).loc;
            let place = self
                .execution
                .graph
                .co_position(loc, self.execution.graph.label(self.execution.graph.update_read(*p)).rf);
            let free = !self.execution.graph.joined(loc, place);
            if free {
                self.threads.insert(&mut self.execution, *p, place as u32);
            }
            free && (self.execution.is_latest_so_far(*p) || self.allows(*p))
        });
        if fits {
            return Move::Back;
        }
        self.execution.graph.cut(first);
        Move::Go
    }

    /// Whether an event of an access whose first parts stay, while those from `r` on are lost, is as it would be added first to
    /// what stays and what leads to `w`: it reads the latest write that fits to the parts before it.
    pub(super) fn is_first_part(&mut self, e: EventId, r: EventId, w: EventId) -> bool {
        let label = *self.execution.graph.label(e);
        if label.parts() == 1 {
            return false;
        }
        let first = self.execution.graph.group(e)[0];
        match label.kind {
            // Where it writes is decided by what it reads.
            Kind::UpdateWrite => self.execution.graph.update_read(first) < r && !self.execution.is_read_before(e),
            Kind::Read | Kind::UpdateRead => first < r && self.reads_first_that_fits(e, w),
            _ => false,
        }
    }

    fn reads_first_that_fits(&mut self, e: EventId, w: EventId) -> bool {
        let Label { loc, rf, .. } = *self.execution.graph.label(e);
        let outer = self.worklist.restrict(&mut self.execution.graph, (e, false), w);
        let (source, end) = (self.worklist.number(rf), self.worklist.number(w));
        if source == INIT && rf != INIT {
            self.worklist.go_back(&mut self.execution.graph, outer);
            return false;
        }
        self.execution.graph.cut(end);
        self.execution.grow(self.threads.len());
        let unfinished = self.threads.unfinished();
        let last = self.execution.graph.locations[loc as usize].writes.len();
        let sources = (0..=last).rev().map(|i| self.execution.graph.co_at(loc, i)).collect::<Vec<_>>();
        let first = sources.into_iter().find(|source| {
            self.give(e, *source, self.execution.value_of(loc, *source));
            self.holds_together(e)
        });
        self.worklist.go_back(&mut self.execution.graph, outer);
        self.threads.set_unfinished(unfinished);
        first == Some(source)
    }
}
