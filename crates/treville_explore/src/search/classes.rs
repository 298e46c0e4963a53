//! Which class a complete execution is in, for those who compare what was visited with something else.

use super::execution::Execution;
use crate::graph::{EventId, INIT, Kind, Label, LocId};
use crate::memory::Owner;
use std::collections::BTreeSet;
use treville_bytecode::{SiteKind, address};
use treville_event::{Act, Byte, Ended, graph_class, state_class};
use treville_task::Class;

/// Makes classes of complete executions.
#[derive(Clone, Copy)]
struct Classes<'e> {
    execution: &'e Execution<'e>,
}

/// The class of a complete execution.
pub(super) fn class(execution: &Execution<'_>) -> Class {
    let classes = Classes { execution };
    Class { graph: classes.graph_class(), state: classes.state_class() }
}

impl Classes<'_> {
    fn graph_class(&self) -> u64 {
        let firsts = self.first_bytes();
        let threads: Vec<Vec<Act>> = self
            .execution
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
        let mut firsts = vec![0; self.execution.graph.labels.len()];
        for thread in self.execution.graph.threads.iter().filter(|thread| thread.present) {
            let mut next = 0;
            for e in &thread.events {
                firsts[*e as usize] = next;
                let label = self.execution.graph.label(*e);
                if label.kind.reads() || label.kind.writes() {
                    next += u32::from(self.execution.locations.places[label.loc as usize].size);
                }
            }
        }
        firsts
    }

    fn act(&self, e: EventId, firsts: &[u32]) -> Option<Act> {
        let label = self.execution.graph.label(e);
        let bytes = |from: EventId| {
            let size = u32::from(self.execution.locations.places[label.loc as usize].size);
            let thread = u32::from(self.execution.graph.label(from).thread);
            let byte = |i: u32| (from != INIT).then(|| Byte { thread, index: firsts[from as usize] + i });
            (0..size).map(byte).collect::<Vec<_>>()
        };
        match label.kind {
            Kind::Read | Kind::UpdateRead => Some(Act::Read(bytes(label.rf))),
            Kind::Write | Kind::UpdateWrite => {
                let position = self.execution.graph.co_position(label.loc, e);
                Some(Act::Write(bytes(self.execution.graph.co_at(label.loc, position.saturating_sub(1)))))
            }
            Kind::Choice if self.is_at_once(label) => Some(Act::Choice(label.value)),
            Kind::Init | Kind::Fence | Kind::Spawn | Kind::Join | Kind::Alloc | Kind::Free | Kind::End => None,
            Kind::Choice | Kind::Decision | Kind::Assumption | Kind::Selection => None,
        }
    }

    fn is_at_once(&self, label: &Label) -> bool {
        label.site.is_some_and(|site| {
            matches!(self.execution.code.image.site(site).kind, SiteKind::Nondet { at_once: true, .. })
        })
    }

    fn state_class(&self) -> u64 {
        if self.execution.code.image.symbols().is_some() {
            return 0;
        }
        let locks = self.locks();
        let memory = self.execution.locations.places.iter().enumerate().filter_map(|(loc, place)| {
            let counts = matches!(place.owner, Owner::Static(_)) && address::local_origin(place.addr).is_none();
            let last = self.execution.graph.locations.get(loc)?.writes.last()?;
            let (before, after) = (place.init, self.execution.graph.label(*last).value);
            let ended = Ended { address: place.addr, size: place.size, before, after };
            (counts && !locks.contains(&(loc as LocId))).then_some(ended)
        });
        let ends = self.execution.graph.labels.iter().filter(|label| label.kind == Kind::End);
        state_class(memory, ends.map(|label| label.value))
    }

    /// Locations that are used as locks: who has one is not part of the state.
    fn locks(&self) -> BTreeSet<LocId> {
        let at_lock = |label: &&Label| {
            let kind = label.site.map(|site| &self.execution.code.image.site(site).kind);
            matches!(kind, Some(SiteKind::Lock | SiteKind::Unlock))
        };
        self.execution.graph.labels.iter().filter(at_lock).map(|label| label.loc).collect()
    }
}
