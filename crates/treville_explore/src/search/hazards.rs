//! Hazard pointers: which objects that were retired may still be used, and by whom.
//!
//! A hazard pointer is an object on the heap that says what it protects; the stores to it are marked. An object that is
//! retired lives on for a thread that has protected it in time, for as long as the hazard pointer says the same.
//!
//! Who retires an object has taken it out of the data structure before, and looks at all hazard pointers after that. So a thread was in
//! time if its store happens before the retirement; or if it has read once more, after the store, something that was
//! overwritten before the retirement, and has not seen that: then the object was not yet taken out when it was protected. A
//! write comes before the retirement if it happens before it, or if another thread has read it, or a later one, and that happens
//! before it. A thread that does not read again cannot know, and may use what is gone.

use super::execution::Execution;
use super::stop::{Fault, Stop};
use crate::graph::{EventId, INIT, Kind, Made};
use treville_bytecode::{SiteKind, address};
use treville_ir::Failure;

pub(super) const UNPROTECTED: &str = "an object is used that was retired, and no hazard pointer protects it";

/// The hazard pointers of an execution.
#[derive(Clone, Copy)]
pub(super) struct Hazards<'e> {
    pub(super) execution: &'e Execution<'e>,
}

impl Hazards<'_> {
    /// Whether an event retires an object, in place of freeing it at once.
    pub(super) fn is_retired(&self, free: EventId) -> bool {
        let site = self.execution.graph.label(free).site;
        site.is_some_and(|site| matches!(self.execution.code.image.site(site).kind, SiteKind::Free { retired: true }))
    }

    pub(super) fn is_hazard(&self, e: EventId) -> bool {
        let label = self.execution.graph.label(e);
        label.kind == Kind::Write && label.site.is_some_and(|site| self.execution.code.image.site(site).protects)
    }

    /// Whether an access comes too late for an object that is freed or retired.
    pub(super) fn is_late(&self, e: EventId, made: &Made) -> bool {
        let lives_on = || self.is_retired(made.free) && self.is_protected(e, made);
        !(self.execution.graph.hb(e, made.free) || lives_on())
    }

    /// Whether a hazard pointer protects an object when its thread does `e`.
    fn is_protected(&self, e: EventId, made: &Made) -> bool {
        let label = self.execution.graph.label(e);
        let before = &self.execution.graph.threads[usize::from(label.thread)].events[..usize::from(label.pos)];
        before.iter().any(|p| {
            let value = self.execution.graph.label(*p).value;
            let says = value >= made.addr && value - made.addr < made.size.max(1);
            says && self.is_hazard(*p) && self.is_in_time(*p, e, made.free) && self.says_so_until(*p, e)
        })
    }

    /// Whether the store `p` to a hazard pointer was in time for what is retired by `free`, as its thread knows at `e`.
    fn is_in_time(&self, p: EventId, e: EventId, free: EventId) -> bool {
        let (from, to) =
            (usize::from(self.execution.graph.label(p).pos) + 1, usize::from(self.execution.graph.label(e).pos));
        let since = &self.execution.graph.threads[usize::from(self.execution.graph.label(p).thread)].events[from..to];
        let is_overwritten = |read: &EventId| {
            let label = self.execution.graph.label(*read);
            label.kind.reads() && {
                let later = self.execution.graph.co_position(label.loc, label.rf);
                let location = &self.execution.graph.locations[label.loc as usize];
                let is_newer = |r: &&EventId| {
                    self.execution.graph.co_position(label.loc, self.execution.graph.label(**r).rf) > later
                };
                let mut known = location.writes.iter().skip(later).chain(location.reads.iter().filter(is_newer));
                known.any(|known| self.execution.graph.hb(*known, free))
            }
        };
        self.execution.graph.hb(p, free) || !self.execution.graph.hb(free, p) && since.iter().any(is_overwritten)
    }

    /// Whether a hazard pointer still says at `e` what the store `p` made it say, or says so again.
    fn says_so_until(&self, p: EventId, e: EventId) -> bool {
        let loc = self.execution.graph.label(p).loc;
        let same = |w: EventId| self.execution.graph.label(w).value == self.execution.graph.label(p).value;
        let mut writes = self.execution.graph.locations[loc as usize].writes.iter();
        let freed =
            self.execution.made(self.execution.locations.places[loc as usize].addr).map_or(INIT, |hazard| hazard.free);
        (freed == INIT || self.execution.graph.hb(e, freed))
            && writes.all(|w| self.execution.graph.hb(*w, p) || self.execution.graph.hb(e, *w) || same(*w))
    }

    /// An access that comes too late for an object that is freed or retired.
    pub(super) fn late_access(&self, made: &Made) -> Option<EventId> {
        let (thread, first) = address::heap_object(made.addr)?;
        let blocks = made.size.div_ceil(address::OBJECT_SIZE).max(1) as u32;
        let locs = (first..first + blocks)
            .filter_map(|number| self.execution.locations.of_made.get(&(thread, number)))
            .flatten();
        let locations = locs.map(|loc| &self.execution.graph.locations[*loc as usize]);
        locations.flat_map(|l| l.writes.iter().chain(&l.reads)).copied().find(|access| self.is_late(*access, made))
    }
}

impl Execution<'_> {
    /// A hazard pointer that several threads use may have changed: is all that was retired still protected?
    pub(super) fn check_hazards(&self, changed: EventId) -> Result<(), Stop> {
        let label = *self.graph.label(changed);
        let place = match label.kind {
            Kind::Free => label.value,
            _ if self.hazards().is_hazard(changed) => self.locations.places[label.loc as usize].addr,
            _ => return Ok(()),
        };
        let is_of_others = |w: &EventId| self.graph.label(*w).thread != label.thread && self.hazards().is_hazard(*w);
        let hazard = self.locations.known(place, 8);
        if !hazard.is_some_and(|loc| self.graph.locations[loc as usize].writes.iter().any(is_of_others)) {
            return Ok(());
        }
        let mut retired =
            self.graph.made.iter().filter(|made| made.free != INIT && self.hazards().is_retired(made.free));
        match retired.find_map(|made| Some((self.hazards().late_access(made)?, made.free))) {
            Some((access, free)) => self.code.fault(Fault::at(Failure::UseAfterFree, UNPROTECTED, access, Some(free))),
            None => Ok(()),
        }
    }
}
