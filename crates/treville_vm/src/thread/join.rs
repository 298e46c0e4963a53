//! Two runs of one thread that have come to the same block, put together into one.

use super::{Scope, Slot, ThreadVm, Waiting};
use crate::Deps;
use treville_ir::{BlockId, Program, Terminator};

/// How values and dependencies of two runs become those of both.
pub trait Joiner<V> {
    fn value(&mut self, first: &V, second: &V) -> V;
    fn deps(&mut self, first: &Deps, second: &Deps) -> Deps;
}

impl<V: Clone + PartialEq> ThreadVm<V> {
    /// The next event gets this index: those of runs that are put together later must differ.
    pub fn number_from(&mut self, index: u32) {
        self.n_events = index;
    }

    pub fn n_events(&self) -> u32 {
        self.n_events
    }

    /// Forgets how often loops were run that the current block is not in: entered anew, they count anew.
    pub fn forget_loops(&mut self, inside: impl Fn(BlockId) -> bool) {
        self.jumps.retain(|header, _| inside(*header));
    }

    /// Whether two runs that have come to a block, or to the end, differ in values and dependencies only.
    pub fn can_join(&self, other: &Self, program: &Program) -> bool {
        let ready = |vm: &Self| vm.queue.is_empty() && matches!(vm.waiting, Waiting::Nothing) && vm.at == 0;
        let same_scope = |(a, b): (&Scope, &Scope)| a.join == b.join && a.event == b.event;
        let scopes = |vm: &Self| vm.structures().count();
        let same_writer = |(a, b): (&Slot<V>, &Slot<V>)| a.writer == b.writer;
        let place = |vm: &Self| vm.reservation.as_ref().map(|(event, _, size)| (*event, *size));
        if self.done || other.done {
            return self.done && other.done;
        }
        ready(self)
            && ready(other)
            && !self.is_inside(program)
            && !other.is_inside(program)
            && self.block == other.block
            && self.jumps == other.jumps
            && scopes(self) == scopes(other)
            && self.structures().zip(other.structures()).all(same_scope)
            && place(self) == place(other)
            && self.slots.iter().zip(other.slots.iter()).all(same_writer)
    }

    /// Whether the block goes on with the instruction that was the last.
    fn is_inside(&self, program: &Program) -> bool {
        let block = &program.funcs[self.func].blocks[self.block];
        let next = match (block.insts.first(), &block.end) {
            (Some(inst), _) => Some(inst.instr),
            (None, Terminator::Branch { instr, .. }) => Some(*instr),
            // What comes after is not looked at.
            (None, Terminator::Goto(_)) => self.instr,
            (None, _) => None,
        };
        self.instr.is_some() && next == self.instr && !self.local.is_empty()
    }

    /// Makes one control dependency, the outermost, of all those that never end.
    fn gather_endless(&mut self) {
        let mut endless = Scope { deps: Deps::new(), picks: Deps::new(), join: None, event: None };
        for scope in self.scopes.iter().filter(|scope| scope.join.is_none()) {
            endless.deps.extend(&scope.deps);
            endless.picks.extend(&scope.picks);
        }
        self.scopes.retain(|scope| scope.join.is_some());
        self.scopes.insert(0, endless);
    }

    /// Takes in another run that [`Self::can_join`] it.
    pub fn join(&mut self, other: &Self, joiner: &mut impl Joiner<V>) {
        for (slot, theirs) in self.slots.iter_mut().zip(other.slots.iter()) {
            if slot.value != theirs.value {
                slot.value = joiner.value(&slot.value, &theirs.value);
            }
            join_deps(&mut slot.deps, &theirs.deps, joiner);
            join_deps(&mut slot.implicit, &theirs.implicit, joiner);
            join_deps(&mut slot.iico, &theirs.iico, joiner);
            join_deps(&mut slot.chosen, &theirs.chosen, joiner);
        }
        let mut theirs = other.clone();
        self.gather_endless();
        theirs.gather_endless();
        for (scope, theirs) in self.scopes.iter_mut().zip(&theirs.scopes) {
            join_deps(&mut scope.deps, &theirs.deps, joiner);
            join_deps(&mut scope.picks, &theirs.picks, joiner);
        }
        self.chosen |= other.chosen;
        if let (Some((_, address, _)), Some((_, theirs, _))) = (&mut self.reservation, &other.reservation)
            && address != theirs
        {
            *address = joiner.value(address, theirs);
        }
        self.free_jumps = self.free_jumps.max(other.free_jumps);
        self.serial = self.serial.max(other.serial);
        self.instance = self.instance.max(other.instance);
        self.n_events = self.n_events.max(other.n_events);
        self.instr = None;
        self.local.clear();
    }
}

fn join_deps<V>(deps: &mut Deps, theirs: &Deps, joiner: &mut impl Joiner<V>) {
    if deps != theirs {
        *deps = joiner.deps(deps, theirs);
    }
}
