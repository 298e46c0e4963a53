//! What is wrong with an execution: memory that is not there, races, threads that wait for each other.

use super::{Ended, Move, Search, Stop};
use crate::graph::{EventId, INIT, Kind, Made};
use crate::memory::Owner;
use crate::rules::Mode;
use treville_ir::{Failure, Wait};
use treville_task::Violation;
use treville_vm::bytecode::{SiteId, Step, address};

impl Search<'_, '_> {
    /// All threads have ended or wait.
    pub(super) fn finish(&mut self) -> Result<(), Stop> {
        if self.promising {
            return self.finish_promised();
        }
        self.note();
        let mut blocked = false;
        let mut resource = None;
        let mut other = false;
        for thread in 0..self.graph.threads.len() as u16 {
            if !self.graph.threads[usize::from(thread)].present || self.ended(thread).is_some() {
                continue;
            }
            blocked = true;
            match self.step(thread) {
                Step::Blocked { wait: Wait::Resource, site } => resource = resource.or(Some((thread, site))),
                Step::Join { .. } => {}
                Step::Cut => {
                    self.explored.cut = true;
                    other = true;
                }
                _ => other = true,
            }
        }
        if !blocked {
            self.explored.complete += 1;
            let ended = Ended { runners: &self.runners, graph: &self.graph, locations: &self.locations };
            (self.ended)(&ended);
            return Ok(());
        }
        self.explored.blocked += 1;
        if let Some((thread, site)) = resource
            && !other
            && self.waits_for_good()
        {
            self.explored.violation = Some(Violation {
                failure: Failure::Deadlock,
                message: "every thread waits for another".into(),
                thread: u32::from(thread),
                span: site.map(|s| self.image.site(s).span),
                other: None,
            });
            return Err(Stop::Violation);
        }
        Ok(())
    }

    /// Whether every thread that waits has read the latest write of what it waits for.
    fn waits_for_good(&self) -> bool {
        self.graph.threads.iter().filter(|t| t.present).all(|thread| {
            let Some(last) = thread.events.last() else { return true };
            let label = self.graph.label(*last);
            !label.kind.reads()
                || self.graph.co_position(label.loc, label.rf) == self.graph.locations[label.loc as usize].writes.len()
        })
    }

    pub(super) fn free(&mut self, thread: u16, site: Option<SiteId>, addr: u64) -> Result<Move, Stop> {
        let e = self.add(thread, Kind::Free, Mode::RELAXED, addr, INIT, site);
        let Some(at) = self.graph.made.iter().position(|m| m.addr == addr && (m.heap || site.is_none())) else {
            let what = "what is freed is not the start of an object on the heap";
            return Err(self.fault(Failure::InvalidFree, what, e, None));
        };
        let made = self.graph.made[at];
        if made.free != INIT {
            return Err(self.fault(Failure::DoubleFree, "an object is freed twice", e, Some(made.free)));
        }
        if !self.ordered(made.alloc, e) {
            return Err(self.fault(
                Failure::InvalidFree,
                "an object is freed whose allocation may come later",
                e,
                None,
            ));
        }
        self.graph.made[at].free = e;
        let locs = address::heap_object(addr).and_then(|key| self.locations.of_made.get(&key));
        for loc in locs.into_iter().flatten() {
            let location = &self.graph.locations[*loc as usize];
            let late = location.writes.iter().chain(&location.reads).find(|a| !self.ordered(**a, e)).copied();
            if let Some(access) = late {
                let what = "an object is freed while another thread may use it";
                return Err(self.fault(Failure::UseAfterFree, what, access, Some(e)));
            }
        }
        Ok(Move::Go)
    }

    /// Whether `a` happens before `b`.
    fn ordered(&self, a: EventId, b: EventId) -> bool {
        self.graph.hb(a, b)
    }

    /// Memory safety and races of an access that was added, or got another source.
    pub(super) fn check(&mut self, e: EventId) -> Result<(), Stop> {
        if self.promising {
            return Ok(());
        }
        let label = *self.graph.label(e);
        let place = self.locations.places[label.loc as usize];
        if let Owner::Made { .. } = place.owner {
            self.check_made(e, place.addr, place.size)?;
            if label.kind.reads() && label.rf == INIT && !self.zeroed(place.addr) {
                let what = "memory is read that nobody has written";
                return Err(self.fault(Failure::Uninitialized, what, e, None));
            }
        }
        let location = &self.graph.locations[label.loc as usize];
        if location.plain == 0 {
            return Ok(());
        }
        let reads = if label.kind.writes() { location.reads.as_slice() } else { &[] };
        let race = location.writes.iter().chain(reads).copied().find(|a| {
            let other = self.graph.label(*a);
            let may_race = !other.mode.atomic() || !label.mode.atomic();
            *a != e && may_race && !self.ordered(*a, e) && !self.ordered(e, *a)
        });
        match race {
            None => Ok(()),
            Some(other) => Err(self.fault(Failure::Race, "two accesses race", e, Some(other))),
        }
    }

    fn made(&self, addr: u64) -> Option<&Made> {
        self.graph
            .made
            .iter()
            .rfind(|m| m.addr <= addr && addr - m.addr < m.size.max(1).next_multiple_of(address::OBJECT_SIZE))
    }

    fn zeroed(&self, addr: u64) -> bool {
        self.made(addr).is_some_and(|m| m.zeroed)
    }

    fn check_made(&mut self, e: EventId, addr: u64, size: u8) -> Result<(), Stop> {
        let Some(made) = self.made(addr).copied() else {
            return Err(self.fault(Failure::InvalidAccess, "an access outside every object", e, None));
        };
        if addr + u64::from(size) > made.addr + made.size {
            let what = format!("an access beyond the end of an object of {} bytes", made.size);
            return Err(self.fault(Failure::InvalidAccess, &what, e, Some(made.alloc)));
        }
        if !self.ordered(made.alloc, e) {
            return Err(self.fault(
                Failure::InvalidAccess,
                "an access to an object whose allocation may come later",
                e,
                Some(made.alloc),
            ));
        }
        if made.free != INIT && !self.ordered(e, made.free) {
            let what = if made.heap {
                "an object is used after it was freed"
            } else {
                "an object is used after its function has returned"
            };
            return Err(self.fault(Failure::UseAfterFree, what, e, Some(made.free)));
        }
        Ok(())
    }

    pub(super) fn violation(&mut self, failure: Failure, message: &str, thread: u16, site: SiteId) -> Stop {
        self.explored.violation = Some(Violation {
            failure,
            message: message.to_owned(),
            thread: u32::from(thread),
            span: Some(self.image.site(site).span),
            other: None,
        });
        Stop::Violation
    }

    /// A violation at an event.
    fn fault(&mut self, failure: Failure, message: &str, e: EventId, other: Option<EventId>) -> Stop {
        let span = |e: EventId| Some(self.image.site(self.graph.label(e).site?).span);
        self.explored.violation = Some(Violation {
            failure,
            message: message.to_owned(),
            thread: u32::from(self.graph.label(e).thread),
            span: span(e),
            other: other.and_then(span),
        });
        Stop::Violation
    }
}
