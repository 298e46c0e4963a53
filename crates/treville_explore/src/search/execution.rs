//! The execution that the search extends: its graph, and the locations that its events touch. What it says is asked here; it
//! changes by what [`super::threads::Threads`] add to it and by what the search goes back to.

use super::code::Code;
use super::hazards::Hazards;
use super::stop::{Fault, Stop};
use super::symmetry::Symmetry;
use crate::assumptions::Retraction;
use crate::graph::{EventId, Graph, INIT, Kind, Label, LocId, NO_LOC, NO_PROMISE, NOT_SAVED, Share};
use crate::memory::{Extent, Locations, Overlap, Owner, constant, cuts};
use crate::rules::Mode;
use treville_bytecode::{SiteId, SiteKind};
use treville_ir::Failure;

pub(super) struct Execution<'j> {
    pub(super) code: &'j Code<'j>,
    pub(super) graph: Graph,
    pub(super) locations: Locations,
}

impl<'j> Execution<'j> {
    /// With the threads that exist from the start, before they do anything.
    pub(super) fn new(code: &'j Code<'j>, locations: Locations) -> Self {
        Execution { code, graph: Graph::new(code.assumptions.stride), locations }
    }
}

impl Execution<'_> {
    pub(super) fn hazards(&self) -> Hazards<'_> {
        Hazards { execution: self }
    }

    pub(super) fn symmetry(&self) -> Symmetry<'_> {
        Symmetry { execution: self }
    }

    /// Starts the threads that exist from the start.
    pub(super) fn begin(&mut self) {
        let program = self.code.program;
        for (root, thread) in program.roots.iter().zip(&mut self.graph.threads) {
            (thread.present, thread.func) = (true, root.func);
            thread.args = root.init.iter().map(|(_, value)| constant(program, value)).collect();
        }
    }

    /// Makes room in the graph for so many threads, and for all locations.
    #[inline]
    pub(super) fn grow(&mut self, threads: usize) {
        if self.graph.threads.len() < threads {
            self.graph.threads.resize_with(threads, Default::default);
        }
        if self.graph.locations.len() < self.locations.places.len() {
            self.graph.locations.resize_with(self.locations.places.len(), Default::default);
        }
    }

    /// The next event of a thread, if it touches no memory.
    pub(super) fn event(&self, thread: u16, kind: Kind, value: u64) -> Label {
        self.access(thread, kind, Mode::RELAXED, NO_LOC, value)
    }

    /// The next event of a thread, with nothing special about it.
    #[inline]
    pub(super) fn access(&self, thread: u16, kind: Kind, mode: Mode, loc: LocId, value: u64) -> Label {
        let pos = self.graph.threads[usize::from(thread)].events.len() as u16;
        let (rf, site, saved, promise) = (INIT, None, NOT_SAVED, NO_PROMISE);
        let (state, same, share) = (0, false, Share::ALL);
        Label { kind, mode, thread, pos, loc, value, rf, site, saved, promise, state, same, share }
    }

    /// What to do about an access that overlaps another without being the same: it can be made in parts.
    fn overlap(&self, (site, at): (SiteId, u8), own: Extent, other: &Overlap) -> Stop {
        // A judge does not know what is made at once.
        let is_plain = |tags: &treville_ir::Tags| tags.iter().any(|t| self.code.program.tags[*t] == "NA");
        let in_parts = |site: SiteId, from: u8, cuts: u16| {
            let site = self.code.image.site(site);
            let plain = matches!(&site.kind, SiteKind::Load(tags) | SiteKind::Store(tags) if is_plain(tags));
            let may = (plain || !self.code.judged) && cuts != 0 && !self.code.options.observed;
            let (access, at) = site.access.filter(|_| may)?;
            Some(Stop::Retract(Retraction::InParts(access, cuts << (at + from))))
        };
        let others = (other.addr, other.size);
        let this = in_parts(site, at, cuts(own, others));
        this.or_else(|| in_parts(other.site, other.at, cuts(others, own))).unwrap_or_else(|| {
            let ((addr, size), (at, other)) = (own, others);
            let why =
                format!("atomic accesses of different sizes overlap ({size} bytes at {addr:#x}, {other} at {at:#x})");
            Stop::Refused(why, Some(self.code.span(site)))
        })
    }

    /// The location of an access.
    ///
    /// # Errors
    /// If it is outside of every object, or overlaps another without being the same.
    #[inline]
    pub(super) fn location(&mut self, thread: u16, site: SiteId, addr: u64) -> Result<LocId, Stop> {
        let size = self.code.image.site(site).size;
        let found = self.locations.find(self.code.program, site, addr, size);
        self.located(thread, site, 0, (addr, size), found)
    }

    /// What came of looking for the location of an access, or of the part of it that begins at this byte.
    #[inline]
    pub(super) fn located(
        &mut self,
        thread: u16,
        site: SiteId,
        at: u8,
        extent: Extent,
        found: Result<LocId, Overlap>,
    ) -> Result<LocId, Stop> {
        let loc = found.map_err(|other| self.overlap((site, at), extent, &other))?;
        if self.graph.locations.len() < self.locations.places.len() {
            self.grow(0);
        }
        match self.locations.places[loc as usize].owner {
            Owner::Nothing => self.outside_of_all(thread, site, extent.0).map(|()| loc),
            Owner::Static(_) | Owner::Made { .. } => Ok(loc),
        }
    }

    #[cold]
    fn outside_of_all(&self, thread: u16, site: SiteId, addr: u64) -> Result<(), Stop> {
        let what = if addr < 4096 { "a null pointer is followed" } else { "an access outside every object" };
        self.code.fault(Fault::of_thread(Failure::InvalidAccess, what, thread, Some(site)))
    }

    /// How many threads a thread has started.
    pub(super) fn spawned(&self, thread: u16) -> u32 {
        let events = &self.graph.threads[usize::from(thread)].events;
        events.iter().filter(|e| self.graph.label(**e).kind == Kind::Spawn).count() as u32
    }

    /// The end of a thread, if it has ended.
    #[inline]
    pub(super) fn ended(&self, thread: u16) -> Option<EventId> {
        let last = *self.graph.threads[usize::from(thread)].events.last()?;
        (self.graph.label(last).kind == Kind::End).then_some(last)
    }

    /// Whether a thread that joins this one has to wait.
    pub(super) fn waits_for(&self, thread: u16, handle: u64) -> bool {
        self.joined(handle).is_some_and(|child| child != thread && self.ended(child).is_none())
    }

    /// The thread with a handle.
    #[inline]
    pub(super) fn joined(&self, handle: u64) -> Option<u16> {
        let thread = u16::try_from(handle.checked_sub(1)?).ok()?;
        self.graph.threads.get(usize::from(thread)).filter(|t| t.present).map(|_| thread)
    }

    #[inline]
    pub(super) fn value_of(&self, loc: LocId, write: EventId) -> u64 {
        match write {
            INIT => self.code.initial(self.locations.places[loc as usize].init),
            _ => self.graph.label(write).value,
        }
    }
}

/// What the program holds of a thread: one more than its number, so that none is 0.
pub(super) fn handle(thread: u64) -> u64 {
    thread + 1
}
