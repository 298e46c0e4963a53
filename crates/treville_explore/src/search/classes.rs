//! Which class a complete execution is in, for those who compare what was visited with something else.

use super::Search;
use crate::graph::{EventId, INIT, Kind, Label, LocId};
use crate::memory::Owner;
use std::collections::BTreeSet;
use treville_event::{Act, Byte, Ended, graph_class, state_class};
use treville_task::Class;
use treville_vm::bytecode::{SiteKind, address};

impl Search<'_, '_> {
    /// Tells the observer, if there is one, of a complete execution.
    pub(super) fn tell_observer(&self) {
        if let Some(observer) = &self.options.observer {
            observer.visit(Class { graph: self.graph_class(), state: self.state_class() });
        }
    }

    fn graph_class(&self) -> u64 {
        let firsts = self.first_bytes();
        let threads: Vec<Vec<Act>> = self
            .graph
            .threads
            .iter()
            .map(|thread| match thread.present {
                true => thread.events.iter().filter_map(|e| self.act(*e, &firsts)).collect(),
                false => Vec::new(),
            })
            .collect();
        graph_class(&threads)
    }

    /// Of each event, how many bytes its thread has accessed before it.
    fn first_bytes(&self) -> Vec<u32> {
        let mut firsts = vec![0; self.graph.labels.len()];
        for thread in self.graph.threads.iter().filter(|thread| thread.present) {
            let mut next = 0;
            for e in &thread.events {
                firsts[*e as usize] = next;
                let label = self.graph.label(*e);
                if label.kind.reads() || label.kind.writes() {
                    next += u32::from(self.locations.places[label.loc as usize].size);
                }
            }
        }
        firsts
    }

    fn act(&self, e: EventId, firsts: &[u32]) -> Option<Act> {
        let label = self.graph.label(e);
        let bytes = |from: EventId| {
            let size = u32::from(self.locations.places[label.loc as usize].size);
            let thread = u32::from(self.graph.label(from).thread);
            let byte = |i: u32| (from != INIT).then(|| Byte { thread, index: firsts[from as usize] + i });
            (0..size).map(byte).collect::<Vec<_>>()
        };
        match label.kind {
            Kind::Read | Kind::UpdateRead => Some(Act::Read(bytes(label.rf))),
            Kind::Write | Kind::UpdateWrite => {
                let position = self.graph.co_position(label.loc, e);
                Some(Act::Write(bytes(self.graph.co_at(label.loc, position.saturating_sub(1)))))
            }
            Kind::Choice if self.is_at_once(label) => Some(Act::Choice(label.value)),
            Kind::Init | Kind::Fence | Kind::Spawn | Kind::Join | Kind::Alloc | Kind::Free | Kind::End => None,
            Kind::Choice | Kind::Decision | Kind::Assumption | Kind::Selection => None,
        }
    }

    fn is_at_once(&self, label: &Label) -> bool {
        label.site.is_some_and(|site| matches!(self.image.site(site).kind, SiteKind::Nondet { at_once: true, .. }))
    }

    fn state_class(&self) -> u64 {
        if self.image.symbols().is_some() {
            return 0;
        }
        let locks = self.locks();
        let memory = self.locations.places.iter().enumerate().filter_map(|(loc, place)| {
            let counts = matches!(place.owner, Owner::Static(_)) && address::local_origin(place.addr).is_none();
            let last = self.graph.locations.get(loc)?.writes.last()?;
            let (before, after) = (place.init, self.graph.label(*last).value);
            let ended = Ended { address: place.addr, size: place.size, before, after };
            (counts && !locks.contains(&(loc as LocId))).then_some(ended)
        });
        let ends = self.graph.labels.iter().filter(|label| label.kind == Kind::End);
        state_class(memory, ends.map(|label| label.value))
    }

    /// Locations that are used as locks: who has one is not part of the state.
    fn locks(&self) -> BTreeSet<LocId> {
        let at_lock = |label: &&Label| {
            let kind = label.site.map(|site| &self.image.site(site).kind);
            matches!(kind, Some(SiteKind::Lock | SiteKind::Unlock))
        };
        self.graph.labels.iter().filter(at_lock).map(|label| label.loc).collect()
    }
}
