//! What is wrong with an execution: memory that is not there, races, and what threads fail at. What shows at its end only (leaks, flags) is
//! in `finish`, threads that wait for ever in `progress`.

use super::execution::Execution;
use super::hazards::UNPROTECTED;
use super::stop::{Fault, Stop};
use super::{Move, Search};
use crate::graph::{EventId, INIT, Kind, Label, Made};
use crate::memory::Owner;
use treville_bytecode::{SiteId, SiteKind, Step, address};
use treville_ir::Failure;

impl Search<'_, '_> {
    pub(super) fn free(&mut self, thread: u16, site: Option<SiteId>, addr: u64) -> Result<Move, Stop> {
        self.symbolic.check_settled(&self.execution, &self.threads, thread, addr)?;
        let e = self.push(Label { site, ..self.execution.event(thread, Kind::Free, addr) });
        self.execution.check_free(e)?;
        Ok(Move::Go)
    }

    /// Memory safety and races of an access that was added, or got another source.
    #[inline]
    pub(super) fn check(&mut self, e: EventId) -> Result<(), Stop> {
        if self.promises.are_open() || self.threads.is_mid_update(&self.execution, e) {
            return Ok(());
        }
        self.execution.check_access(e)
    }

    /// A thread fails where it stands; it does not go on from there.
    pub(super) fn fails(&mut self, fault: Fault) -> Result<Move, Stop> {
        self.code.fault(fault)?;
        self.explored.blocked += u64::from(!self.promises.are_open());
        Ok(Move::Back)
    }
}

impl Execution<'_> {
    /// Memory safety and races of an access.
    #[inline]
    pub(super) fn check_access(&self, e: EventId) -> Result<(), Stop> {
        let label = *self.graph.label(e);
        let place = self.locations.places[label.loc as usize];
        if self.code.assumptions.symmetry {
            self.symmetry().check_names(e)?;
        }
        if let Owner::Made { .. } = place.owner {
            self.check_made(e, place.addr, place.size)?;
            self.check_hazards(e)?;
            if label.kind.reads() && label.rf == INIT && !self.zeroed(place.addr) && !self.may_be_unwritten(e) {
                let what = "memory is read that nobody has written";
                self.code.fault(Fault::at(Failure::Uninitialized, what, e, None))?;
            }
        }
        let location = &self.graph.locations[label.loc as usize];
        if self.code.lasts && label.kind.writes() {
            let last = location.writes.iter().position(|w| self.graph.label(*w).mode.last());
            if let Some([last, next]) = last.and_then(|i| location.writes.get(i..i + 2)) {
                let what = "a write that is said to be the last one is overwritten";
                let (last, next) = (*last, *next);
                self.code.fault(Fault::at(Failure::ApiMisuse, what, next, Some(last)))?;
            }
        }
        let location = &self.graph.locations[label.loc as usize];
        if location.plain == 0 {
            return Ok(());
        }
        let reads = if label.kind.writes() { location.reads.as_slice() } else { &[] };
        let races = |a: &&EventId| {
            let other = self.graph.label(**a);
            let may_race = !other.mode.atomic() || !label.mode.atomic();
            **a != e && may_race && !self.graph.hb(**a, e) && !self.graph.hb(e, **a)
        };
        match location.writes.iter().find(races).or_else(|| reads.iter().find(races)) {
            None => Ok(()),
            Some(other) => self.code.fault(Fault::at(Failure::Race, "two accesses race", e, Some(*other))),
        }
    }

    /// Memory safety of an event that frees or retires an object, which is noted as gone.
    fn check_free(&mut self, e: EventId) -> Result<(), Stop> {
        let Label { value: addr, site, .. } = *self.graph.label(e);
        let Some(at) = self.graph.made.iter().position(|m| m.addr == addr && (m.heap || site.is_none())) else {
            let what = "what is freed is not the start of an object on the heap";
            return self.code.fault(Fault::at(Failure::InvalidFree, what, e, None));
        };
        let made = self.graph.made[at];
        if made.free != INIT {
            let what = match (self.hazards().is_retired(made.free), self.hazards().is_retired(e)) {
                (false, false) => "an object is freed twice",
                (true, true) => "an object is retired twice",
                _ => "an object is both retired and freed",
            };
            return self.code.fault(Fault::at(Failure::DoubleFree, what, e, Some(made.free)));
        }
        if !self.graph.hb(made.alloc, e) {
            let what = "an object is freed whose allocation may come later";
            self.code.fault(Fault::at(Failure::InvalidFree, what, e, Some(made.alloc)))?;
        }
        self.graph.made[at].free = e;
        if let Some(access) = self.hazards().late_access(&self.graph.made[at]) {
            let what = match self.hazards().is_retired(e) {
                true => UNPROTECTED,
                false => "an object is freed while another thread may use it",
            };
            self.code.fault(Fault::at(Failure::UseAfterFree, what, access, Some(e)))?;
        }
        self.check_hazards(e)
    }

    fn check_made(&self, e: EventId, addr: u64, size: u8) -> Result<(), Stop> {
        let Some(made) = self.made(addr).copied() else {
            return self.code.fault(Fault::at(Failure::InvalidAccess, "an access outside every object", e, None));
        };
        if addr.saturating_add(u64::from(size)) > made.addr + made.size {
            let what = format!("an access beyond the end of an object of {} bytes", made.size);
            return self.code.fault(Fault::at(Failure::InvalidAccess, what, e, Some(made.alloc)));
        }
        if !self.graph.hb(made.alloc, e) {
            return self.code.fault(Fault::at(
                Failure::InvalidAccess,
                "an access to an object whose allocation may come later",
                e,
                Some(made.alloc),
            ));
        }
        if made.free != INIT && self.hazards().is_late(e, &made) {
            let what = match (made.heap, self.hazards().is_retired(made.free)) {
                (true, true) => UNPROTECTED,
                (true, false) => "an object is used after it was freed",
                (false, _) => "an object is used after its function has returned",
            };
            return self.code.fault(Fault::at(Failure::UseAfterFree, what, e, Some(made.free)));
        }
        Ok(())
    }

    pub(super) fn made(&self, addr: u64) -> Option<&Made> {
        self.graph
            .made
            .iter()
            .rfind(|m| m.addr <= addr && addr - m.addr < m.size.max(1).next_multiple_of(address::OBJECT_SIZE))
    }

    fn zeroed(&self, addr: u64) -> bool {
        self.made(addr).is_some_and(|m| m.zeroed)
    }

    /// Whether an access of the runtime looks at memory that the program need not have written.
    fn may_be_unwritten(&self, e: EventId) -> bool {
        self.graph.label(e).site.is_some_and(|site| match &self.code.image.site(site).kind {
            SiteKind::Load(tags) => tags.iter().any(|tag| self.code.program.tags[*tag] == "UNWRITTEN"),
            _ => false,
        })
    }

    /// Whether a thread is about to fail in a way that is not looked for. It stays there: what the others do before it fails is
    /// still explored, and may fail as well.
    #[inline]
    pub(super) fn stands_before_failure(&self, thread: u16, step: Step) -> bool {
        let failure = match step {
            Step::Fail { failure, .. } => failure,
            Step::Misuse { .. } => Failure::ApiMisuse,
            Step::Join { thread: handle, .. } if self.joined(handle).is_none_or(|child| child == thread) => {
                Failure::ApiMisuse
            }
            _ => return false,
        };
        !self.code.looks_for(failure)
    }
}
