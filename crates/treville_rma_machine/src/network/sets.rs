//! The reduction to SC: an operation that is pending keeps all values that its source has had since, and lands with one of
//! them. Atomic operations are never done twice: their pending instances are kept one by one, up to a bound.

use super::{Entry, Memory, Network, Reduction, State, count, entries, set};
use crate::locals::Stop;
use treville_rma::{Action, RemoteId, VarId};

/// Pending instances of an atomic operation.
const MAX_RMW: u32 = 3;

/// How often "two or more" is written.
const MANY: u32 = 2;

pub(crate) struct Sets(pub(crate) Reduction);

impl Sets {
    /// Every active statement that reads the variable may find what it has now.
    fn absorb(&self, state: &mut State, var: VarId, memory: &Memory<'_>) {
        let value = state[memory.word(var)];
        let readers = memory.program.remotes.iter_enumerated().filter(|(_, r)| r.src == var && !r.is_rmw());
        for (id, _) in readers {
            if count(state, memory.fixed(), id.0, 0, 0) > 0 {
                set(state, memory.fixed(), Entry::new(id.0, 1, value, 1));
            }
        }
    }

    /// The counts that there may be after one of them landed.
    fn less(&self, count: u32) -> &'static [u32] {
        match (self.0, count) {
            (Reduction::Table2, _) => &[0, 1],
            (Reduction::Counted, MANY..) => &[1, MANY],
            (Reduction::Counted, _) => &[0],
        }
    }

    fn more(&self, count: u32) -> u32 {
        match self.0 {
            Reduction::Table2 => 1,
            Reduction::Counted => (count + 1).min(MANY),
        }
    }

    /// An element of the set of a put or get lands.
    fn fire(&self, state: &[u32], element: Entry, memory: &mut Memory<'_>, out: &mut Vec<(Action, State)>) {
        let id = RemoteId(element.remote());
        let remote = &memory.program.remotes[id];
        let action = Action::Writes { remote: id, value: memory.value(element.value()) };
        let mut landed = state.to_vec();
        landed[memory.word(remote.dst)] = element.value();
        self.absorb(&mut landed, remote.dst, memory);
        let before =
            if remote.is_rmw() { element.count() } else { count(state, memory.fixed(), element.remote(), 0, 0) };
        for &left in self.less(before) {
            let mut next = landed.clone();
            if remote.is_rmw() {
                set(&mut next, memory.fixed(), Entry::new(id.0, 1, element.value(), left));
            } else if left == 0 {
                let fixed = memory.fixed();
                let mut at = 0;
                next.retain(|w| {
                    at += 1;
                    at <= fixed || Entry(*w).remote() != id.0
                });
            } else {
                set(&mut next, memory.fixed(), Entry::new(id.0, 0, 0, left));
            }
            out.push((action, next));
        }
    }
}

impl Network for Sets {
    fn issue(&self, state: &[u32], remote: u32, operands: u32, memory: &mut Memory<'_>) -> Result<Option<State>, Stop> {
        let of = &memory.program.remotes[RemoteId(remote)];
        let mut next = state.to_vec();
        if of.is_rmw() {
            let pending = entries(state, memory.fixed()).filter(|e| e.remote() == remote && e.phase() == 0);
            if pending.map(Entry::count).sum::<u32>() >= MAX_RMW {
                memory.capped = true;
                return Ok(None);
            }
            let before = count(state, memory.fixed(), remote, 0, operands);
            set(&mut next, memory.fixed(), Entry::new(remote, 0, operands, before + 1));
        } else {
            let before = count(state, memory.fixed(), remote, 0, 0);
            set(&mut next, memory.fixed(), Entry::new(remote, 0, 0, self.more(before)));
            set(&mut next, memory.fixed(), Entry::new(remote, 1, state[memory.word(of.src)], 1));
        }
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
            if entry.phase() == 1 {
                self.fire(state, entry, memory, out);
            } else if remote.is_rmw() {
                let found = state[memory.word(remote.src)];
                let Some(written) = memory.applied(id, found, entry.value())? else { continue };
                let mut next = state.to_vec();
                next[memory.word(remote.src)] = written;
                self.absorb(&mut next, remote.src, memory);
                let one_less = Entry::new(id.0, 0, entry.value(), entry.count() - 1);
                set(&mut next, memory.fixed(), one_less);
                let landing = self.more(count(&next, memory.fixed(), id.0, 1, found));
                set(&mut next, memory.fixed(), Entry::new(id.0, 1, found, landing));
                out.push((Action::Reads { remote: id, value: memory.value(found) }, next));
            }
        }
        Ok(())
    }

    fn stored(&self, state: &mut State, var: VarId, memory: &Memory<'_>) {
        self.absorb(state, var, memory);
    }
}
