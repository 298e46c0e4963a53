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

use super::{Move, Search, Stop, Way};
use crate::graph::{EventId, INIT, Kind, Label, LocId, NOT_SAVED, Share};
use crate::memory::Extent;
use crate::rules::Mode;
use treville_vm::bytecode::{SiteId, Step, names_thread};

impl Search<'_, '_> {
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
        if same || self.mixed { Ok(()) } else { Err(Stop::Mixed) }
    }

    fn part_location(&mut self, thread: u16, site: SiteId, addr: u64, part: usize) -> Result<LocId, Stop> {
        let of = self.image.site(site);
        let (at, size) = of.part(part);
        let (whole, span, extent) = (of.size, of.span, (addr + u64::from(at), size));
        let found = self.locations.find_part(self.program, site, at, extent.0, size);
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
        for i in 0..self.image.site(site).n_parts() {
            let loc = self.part_location(thread, site, addr, i)?;
            let (at, _) = self.image.site(site).part(i);
            let writes = &self.graph.locations[loc as usize].writes;
            let value = self.value_of(loc, self.graph.co_at(loc, writes.len()));
            self.image.put_bytes(&mut words, at, value);
        }
        Ok(words)
    }

    /// Begins a read of several cells; puts it off if that is allowed and the latest values make its thread wait.
    pub(super) fn read_parts(
        &mut self,
        thread: u16,
        site: SiteId,
        addr: u64,
        may_put_off: bool,
    ) -> Result<Option<Move>, Stop> {
        let words = self.latest_words(thread, site, addr)?;
        let runs = &mut self.threads[usize::from(thread)];
        self.kept.clear();
        self.kept.push(0);
        runs.runner.save(self.image, &mut self.kept);
        self.kept[0] = self.kept.len() as u64;
        if may_put_off {
            runs.runner.give_words(self.image, words);
            let next = runs.runner.run(self.image, &self.options.run);
            runs.runner.restore(self.image, u32::from(thread), &self.kept[1..]);
            if matches!(next, Step::Blocked { .. }) {
                return Ok(None);
            }
        }
        self.read_part(thread, site, addr).map(Some)
    }

    /// Adds the next part of a read, of the latest write first.
    pub(super) fn read_part(&mut self, thread: u16, site: SiteId, addr: u64) -> Result<Move, Stop> {
        let part = self.parts_read(thread);
        let loc = self.part_location(thread, site, addr, part.into())?;
        let update = matches!(self.step(thread), Step::UpdateRead { .. });
        // How strong the read of an update is depends on whether it writes.
        let mode = if update { Mode::RELAXED } else { self.modes[site.0 as usize].read };
        let kind = if update { Kind::UpdateRead } else { Kind::Read };
        let last = self.graph.locations[loc as usize].writes.len();
        let before = self.graph.threads[usize::from(thread)].events.last().copied().filter(|_| part > 0);
        let source = match before.filter(|_| !self.mixed) {
            Some(before) => self.sibling(before, loc),
            None => self.graph.co_at(loc, last),
        };
        let fits = before.is_none_or(|before| self.graph.is_latest(before));
        let saved = if part == 0 { self.graph.saved.len() as u32 } else { NOT_SAVED };
        if part == 0 {
            self.graph.saved.extend_from_slice(&self.kept);
        }
        let parts = self.image.site(site).n_parts() as u8;
        let label = self.blank(thread, kind, mode, loc, self.value_of(loc, source));
        let e = self.push(Label { rf: source, site: Some(site), saved, share: Share::new(part, parts), ..label });
        // What the latest write brings with it does not count for the others.
        let bound = self.graph.coherence_bound_at(loc, self.graph.previous(e), e, self.rules.coherence);
        if part + 1 == parts {
            let words = self.graph.words(self.image, e);
            self.threads[usize::from(thread)].runner.give_words(self.image, words);
        }
        self.settle(e);
        if part > 0 && !self.mixed {
            return self.has_read_part(e);
        }
        let first_way = self.ways.len();
        for position in bound.max(self.twin_bound(e))..last {
            self.ways.push(Way::Source(self.graph.co_at(loc, position)));
        }
        if !fits || (self.hesitates && self.ways.len() > first_way) {
            self.ways.push(Way::Source(source));
            self.note_ways(e, first_way, 0);
            return Ok(Move::Choose);
        }
        self.note_ways(e, first_way, 1);
        self.check_parts(e)?;
        Ok(Move::Go)
    }

    /// The part of what a read has read from that is at another of its locations.
    fn sibling(&self, read: EventId, loc: LocId) -> EventId {
        let source = self.graph.label(read).rf;
        match source {
            INIT => source,
            _ => self.graph.part_at(source, loc).unwrap_or(source),
        }
    }

    /// A part of a read has its source: computes what that means for all parts, and if they are there for the access.
    pub(super) fn settle(&mut self, e: EventId) {
        let label = *self.graph.label(e);
        let whole = self.graph.is_whole(e);
        if label.kind == Kind::UpdateRead
            && let Some(site) = label.site
        {
            let modes = self.modes[site.0 as usize];
            let mode = match whole {
                true => match self.step(label.thread) {
                    Step::UpdateWrite { .. } => modes.update,
                    Step::Decide { .. } => Mode::RELAXED,
                    _ => modes.read,
                },
                false => Mode::RELAXED,
            };
            (0..self.graph.group(e).len()).for_each(|i| self.graph.set_mode(self.graph.group(e)[i], mode));
        }
        for i in 0..self.graph.group(e).len() {
            let part = self.graph.group(e)[i];
            self.graph.set_clocks(part, &self.rules);
            self.follow_twin(part);
        }
        if whole {
            self.graph.unite(e);
        }
        self.next = (!whole || label.kind == Kind::UpdateRead).then_some(label.thread);
    }

    /// Goes on after a part of a read got a source, if it fits to the others.
    pub(super) fn has_read_part(&mut self, e: EventId) -> Result<Move, Stop> {
        if !self.holds_together(e) {
            return Ok(Move::Back);
        }
        // As for other reads, if no part of it is ever revisited.
        let waits = |search: &mut Self| matches!(search.step(search.graph.label(e).thread), Step::Blocked { .. });
        if !self.mixed && self.graph.is_whole(e) && !self.graph.is_latest(e) && waits(self) {
            return Ok(Move::Back);
        }
        self.check_parts(e)?;
        Ok(Move::Go)
    }

    /// Whether the parts of a read may have their sources.
    pub(super) fn holds_together(&mut self, e: EventId) -> bool {
        let in_time = |p: &EventId| {
            let label = self.graph.label(*p);
            self.bound(*p) <= self.graph.co_position(label.loc, label.rf)
        };
        self.graph.is_latest(e) || (self.graph.group(e).iter().all(in_time) && self.allows(e))
    }

    /// Memory safety and races of an access, once it is whole.
    pub(super) fn check_parts(&mut self, e: EventId) -> Result<(), Stop> {
        if !self.graph.is_whole(e) {
            return Ok(());
        }
        (0..self.graph.group(e).len()).try_for_each(|i| self.check(self.graph.group(e)[i]))
    }

    pub(super) fn write_parts(
        &mut self,
        thread: u16,
        site: SiteId,
        addr: u64,
        words: [u64; 2],
        kind: Kind,
    ) -> Result<Move, Stop> {
        let mode = self.modes[site.0 as usize].write;
        let n = self.image.site(site).n_parts();
        if self.symmetry && words.into_iter().any(names_thread) {
            // Some bytes of an address may be read by themselves.
            return Err(Stop::Asymmetric);
        }
        let locs = (0..n).map(|i| self.part_location(thread, site, addr, i)).collect::<Result<Vec<_>, _>>()?;
        let first = self.graph.len();
        for (i, loc) in locs.into_iter().enumerate() {
            let (at, size) = self.image.site(site).part(i);
            let value = self.bytes(words[usize::from(at / 8)], at % 8, size);
            let label = self.blank(thread, kind, mode, loc, value);
            self.push(Label { site: Some(site), share: Share::new(i as u8, n as u8), ..label });
        }
        self.graph.unite(first);
        let first_way = self.ways.len();
        if self.mixed && kind == Kind::UpdateWrite && !self.graph.is_latest(self.graph.update_read(first)) {
            self.ways.push(Way::Stay);
        }
        self.revisits(first);
        self.places(first);
        match self.note_ways(first, first_way, 0) {
            0 => Ok(Move::Back),
            _ => Ok(Move::Choose),
        }
    }

    /// The reads of all locations of a write, the last one first.
    pub(super) fn reads_of_parts(&self, w: EventId) -> Vec<EventId> {
        let locations = self.graph.group(w).iter().map(|p| &self.graph.locations[self.graph.label(*p).loc as usize]);
        let mut reads: Vec<EventId> = locations.flat_map(|l| l.reads.iter().copied()).collect();
        reads.sort_unstable_by(|a, b| b.cmp(a));
        reads
    }

    /// Puts a part of a write in its place, and checks what that means once all have theirs; then `read`, if there is one,
    /// reads from it.
    pub(super) fn put_part(&mut self, e: EventId, place: u32, read: Option<EventId>) -> Result<Move, Stop> {
        self.insert(e, place);
        let label = *self.graph.label(e);
        if read.is_none() && !self.is_latest_so_far(e) && !self.allows(e) {
            return Ok(Move::Back);
        }
        if label.part() + 1 < label.parts() {
            let next = e + 1;
            if let Some(read) = read {
                return Ok(self.revisit_places(read, next));
            }
            let first_way = self.ways.len();
            self.places(next);
            return Ok(if self.note_ways(next, first_way, 0) == 0 { Move::Back } else { Move::Choose });
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

    /// Whether a write has, with all parts up to this one, the last places.
    fn is_latest_so_far(&self, e: EventId) -> bool {
        let parts = self.graph.group(e).iter().take_while(|p| **p <= e);
        parts.into_iter().all(|p| self.graph.locations[self.graph.label(*p).loc as usize].writes.last() == Some(p))
    }

    /// Lets a read read from a new write that has its places. False if it cannot.
    fn reads_part(&mut self, read: EventId, write: EventId) -> bool {
        let Some(source) = self.graph.part_at(write, self.graph.label(read).loc) else { return false };
        self.give(read, source, self.graph.label(source).value);
        (self.graph.is_latest(write) || self.allows(write)) && self.holds_together(read)
    }

    /// The write of an update is not made, if it cannot be: its thread stands still.
    pub(super) fn stay(&mut self, first: EventId) -> Move {
        let parts: Vec<EventId> = self.graph.group(first).to_vec();
        let fits = parts.iter().all(|p| {
            let loc = self.graph.label(*p).loc;
            let place = self.graph.co_position(loc, self.graph.label(self.graph.update_read(*p)).rf);
            let free = !self.graph.joined(loc, place);
            if free {
                self.insert(*p, place as u32);
            }
            free && (self.is_latest_so_far(*p) || self.allows(*p))
        });
        if fits {
            return Move::Back;
        }
        self.graph.cut(first);
        Move::Go
    }

    /// Whether an event of an access whose first parts stay, while those from `r` on are lost, is as it would be added first to
    /// what stays and what leads to `w`: it reads the latest write that fits to the parts before it.
    pub(super) fn is_first_part(&mut self, e: EventId, r: EventId, w: EventId) -> bool {
        let label = *self.graph.label(e);
        if label.parts() == 1 {
            return false;
        }
        let first = self.graph.group(e)[0];
        match label.kind {
            // Where it writes is decided by what it reads.
            Kind::UpdateWrite => self.graph.update_read(first) < r && !self.is_read_before(e),
            Kind::Read | Kind::UpdateRead => first < r && self.reads_first_that_fits(e, w),
            _ => false,
        }
    }

    fn reads_first_that_fits(&mut self, e: EventId, w: EventId) -> bool {
        let Label { loc, rf, .. } = *self.graph.label(e);
        let mut inner = self.spare.pop().unwrap_or_default();
        self.graph.restricted((e, false), w, &mut inner, &mut self.number);
        let (source, end) = (self.number[rf as usize], self.number[w as usize]);
        if source == INIT && rf != INIT {
            self.spare.push(inner);
            return false;
        }
        inner.cut(end);
        let outer = std::mem::replace(&mut self.graph, inner);
        self.grow();
        let next = self.next;
        let sources = (0..=self.graph.locations[loc as usize].writes.len()).rev();
        let first = sources.map(|i| self.graph.co_at(loc, i)).collect::<Vec<_>>().into_iter().find(|source| {
            self.give(e, *source, self.value_of(loc, *source));
            self.holds_together(e)
        });
        let inner = std::mem::replace(&mut self.graph, outer);
        self.spare.push(inner);
        self.next = next;
        first == Some(source)
    }
}
