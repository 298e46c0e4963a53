//! Values that nothing determines: a bit has either value, one way each. What has more values is refused.

use super::{Entry, Move, Search, Stop, Way};
use crate::graph::{EventId, INIT, Kind};
use crate::rules::Mode;
use treville_vm::bytecode::{SiteId, SiteKind};

impl Search<'_> {
    /// Adds an undetermined value: 0 first.
    pub(super) fn choose(&mut self, thread: u16, site: SiteId) -> Result<Move, Stop> {
        if self.image.site(site).kind != (SiteKind::Nondet { width: 1 }) {
            return Err(Stop::Refused("a value that is not determined, of more than one bit".into()));
        }
        let e = self.add(thread, Kind::Choice, Mode::RELAXED, 0, INIT, Some(site));
        self.ways.push(Way::Value(1));
        self.stack.push(Entry::Choice { event: e, ways: 1 });
        self.runners[usize::from(thread)].give(self.image, 0);
        Ok(Move::Go)
    }

    /// Takes another value.
    pub(super) fn chosen(&mut self, e: EventId, value: u64) -> Move {
        self.graph.labels[e as usize].value = value;
        self.forget(self.graph.label(e).thread);
        Move::Go
    }
}
