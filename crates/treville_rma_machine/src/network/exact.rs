//! The network itself: a pending operation reads, then writes, whenever it likes.

use super::{Entry, Memory, Network, Pending, State, count, entries, set};
use crate::locals::Stop;
use treville_rma::{Action, RemoteId, VarId};

pub(crate) struct Exact(pub(crate) Pending);

impl Exact {
    /// Whether this often is as often as is told apart.
    fn is_many(&self, count: u32) -> bool {
        matches!(self.0, Pending::Sticky(many) if count >= u32::from(many))
    }

    /// One more of an operation.
    fn add(&self, state: &mut State, memory: &Memory<'_>, remote: u32, phase: u32, value: u32) {
        let before = count(state, memory.fixed(), remote, phase, value);
        if !self.is_many(before) {
            set(state, memory.fixed(), Entry::new(remote, phase, value, before + 1));
        }
    }

    /// One less; or, if nobody knows how many there were, perhaps as many.
    fn taken(&self, state: &State, memory: &Memory<'_>, entry: Entry) -> Vec<State> {
        let mut less = state.clone();
        let one_less = Entry::new(entry.remote(), entry.phase(), entry.value(), entry.count() - 1);
        set(&mut less, memory.fixed(), one_less);
        if self.is_many(entry.count()) { vec![less, state.clone()] } else { vec![less] }
    }
}

impl Network for Exact {
    fn issue(&self, state: &[u32], remote: u32, operands: u32, memory: &mut Memory<'_>) -> Result<Option<State>, Stop> {
        if let Pending::Bounded(most) = self.0 {
            let of = entries(state, memory.fixed()).filter(|e| e.remote() == remote);
            if of.map(Entry::count).sum::<u32>() >= u32::from(most) {
                memory.capped = true;
                return Ok(None);
            }
        }
        let mut next = state.to_vec();
        self.add(&mut next, memory, remote, 0, operands);
        Ok(Some(next))
    }

    fn steps(
        &self,
        state: &[u32],
        of: &[bool],
        memory: &mut Memory<'_>,
        out: &mut Vec<(Action, State)>,
    ) -> Result<(), Stop> {
        for entry in entries(state, memory.fixed()).filter(|e| of[e.remote() as usize]) {
            let id = RemoteId(entry.remote());
            let remote = &memory.program.remotes[id];
            let mut next = state.to_vec();
            if entry.phase() == 0 {
                let found = state[memory.word(remote.src)];
                if remote.is_rmw() {
                    let Some(written) = memory.applied(id, found, entry.value())? else { continue };
                    next[memory.word(remote.src)] = written;
                }
                let action = Action::Reads { remote: id, value: memory.value(found) };
                for mut after in self.taken(&next, memory, entry) {
                    self.add(&mut after, memory, entry.remote(), 1, found);
                    out.push((action, after));
                }
            } else {
                next[memory.word(remote.dst)] = entry.value();
                let action = Action::Writes { remote: id, value: memory.value(entry.value()) };
                out.extend(self.taken(&next, memory, entry).into_iter().map(|after| (action, after)));
            }
        }
        Ok(())
    }

    fn stored(&self, _: &mut State, _: VarId, _: &Memory<'_>) {}
}
