//! Values that nothing determines: a bit has either value, one way each. What has more values is refused.

use super::{Move, Search, Stop, Way};
use crate::graph::{EventId, INIT, Kind};
use crate::rules::Mode;
use treville_vm::bytecode::{SiteId, SiteKind};

impl Search<'_, '_> {
    /// Adds an undetermined value: 0 first.
    pub(super) fn choose(&mut self, thread: u16, site: SiteId) -> Result<Move, Stop> {
        if self.image.site(site).kind != (SiteKind::Nondet { width: 1 }) {
            let why = "a value that is not determined, of more than one bit".to_owned();
            return Err(Stop::Refused(why, Some(self.image.site(site).span)));
        }
        self.threads[usize::from(thread)].runner.give(self.image, 0);
        let e = self.add(thread, Kind::Choice, Mode::RELAXED, 0, INIT, Some(site));
        let first_way = self.ways.len();
        self.ways.push(Way::Value(1));
        self.note_ways(e, first_way, 1);
        Ok(Move::Go)
    }

    /// Takes another value.
    pub(super) fn chosen(&mut self, e: EventId, value: u64) -> Move {
        let state = self.new_state();
        let label = &mut self.graph.labels[e as usize];
        (label.value, label.state) = (value, state);
        Move::Go
    }
}
