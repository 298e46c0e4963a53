//! What is known of the elements of sets: kinds of elements, each with the predicates that are 1 or 0 of it.

use super::{Checker, Elements, State, chosen};
use crate::boolean::Update;
use crate::cubes::{Bits, bit};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use treville_base::Idx;
use treville_rma::VarId;

/// Elements of a set of which the same is known.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Part {
    pub(super) set: u16,
    pub(super) one: Bits,
    pub(super) zero: Bits,
}

/// Lists of parts, each kept once; the first is empty.
pub(super) type PartsId = u32;

#[derive(Debug)]
pub(super) struct Parts {
    lists: Vec<Rc<[Part]>>,
    ids: FxHashMap<Rc<[Part]>, PartsId>,
}

impl Parts {
    pub(super) fn new() -> Self {
        let mut parts = Parts { lists: Vec::new(), ids: FxHashMap::default() };
        parts.id(Vec::new());
        parts
    }

    pub(super) fn id(&mut self, mut list: Vec<Part>) -> PartsId {
        list.sort_unstable();
        list.dedup();
        if let Some(id) = self.ids.get(list.as_slice()) {
            return *id;
        }
        let list: Rc<[Part]> = list.into();
        self.lists.push(Rc::clone(&list));
        self.ids.insert(list, self.lists.len() as PartsId - 1);
        self.lists.len() as PartsId - 1
    }
}

impl Checker<'_, '_> {
    pub(super) fn list(&self, state: &State) -> Rc<[Part]> {
        Rc::clone(&self.parts.borrow().lists[state.parts as usize])
    }

    pub(super) fn with_list(&self, state: State, list: Vec<Part>) -> State {
        State { parts: self.parts.borrow_mut().id(list), ..state }
    }

    /// The parts of a set.
    pub(super) fn of_set(&self, state: &State, set: usize) -> Vec<Part> {
        self.list(state).iter().filter(|part| usize::from(part.set) == set).copied().collect()
    }

    /// A set is no longer used by anyone.
    pub(super) fn emptied(&self, state: State, set: usize) -> State {
        let used = self.b.sets[set].members.iter().any(|id| self.count(&state, id.index()) > 0);
        if used { state } else { self.forgotten(state, set) }
    }

    pub(super) fn forgotten(&self, state: State, set: usize) -> State {
        let left = self.list(&state).iter().filter(|part| usize::from(part.set) != set).copied().collect();
        self.with_list(state, left)
    }

    /// An element is added to a set.
    pub(super) fn added(&self, state: State, new: Part) -> State {
        let mut list = self.list(&state).to_vec();
        let same = |part: &Part| part.set == new.set;
        // A part of which less is known has the element already.
        if list.iter().any(|p| same(p) && p.one & !new.one == 0 && p.zero & !new.zero == 0) {
            return state;
        }
        list.retain(|p| !(same(p) && new.one & !p.one == 0 && new.zero & !p.zero == 0));
        list.push(new);
        let most = match self.settings.elements {
            Elements::Together => 1,
            Elements::Apart(most) => most,
        };
        if list.iter().filter(|p| same(p)).count() > most {
            let merged = list.iter().filter(|p| same(p)).fold(new, |all, p| Part {
                one: all.one & p.one,
                zero: all.zero & p.zero,
                ..all
            });
            list.retain(|p| !same(p));
            list.push(merged);
        }
        self.with_list(state, list)
    }

    /// What is known of a variable, as an element of one of its sets.
    pub(super) fn element(&self, state: &State, set: usize) -> Part {
        let about = self.b.sets[set].about;
        Part { set: set as u16, one: state.one & about, zero: state.zero & about }
    }

    /// A variable has been written: its sets have the new value, and keep the one that it had.
    pub(super) fn written(&self, before: &State, mut state: State, var: VarId) -> State {
        for (i, set) in self.b.sets.iter().enumerate().filter(|(_, set)| !set.landing && set.var == var) {
            if set.members.iter().any(|id| self.count(&state, id.index()) > 0) {
                let element = match self.settings.elements {
                    Elements::Together => self.element(&state, i),
                    Elements::Apart(_) => self.element(before, i),
                };
                state = self.added(state, element);
            }
        }
        state
    }

    /// What an atomic operation finds in this state.
    pub(super) fn found(&self, state: &State, found: &[Update], set: usize) -> Part {
        let mut part = Part { set: set as u16, one: 0, zero: 0 };
        for update in found {
            match chosen(update, state.one, state.zero) {
                (true, _) => part.one |= bit(update.target),
                (false, true) => part.zero |= bit(update.target),
                (false, false) => {}
            }
        }
        part
    }

    /// What is known of the variables, with an element in place of the variable of its set.
    pub(super) fn mixed(&self, state: &State, part: &Part) -> (Bits, Bits) {
        if let Some(shift) = self.b.shift {
            return (state.one | part.one << shift, state.zero | part.zero << shift);
        }
        let set = &self.b.sets[usize::from(part.set)];
        (state.one & !set.about | part.one, state.zero & !set.about | part.zero)
    }

    pub(super) fn applied_to_sets(&self, before: &State, state: State, over_sets: &[(usize, Vec<Update>)]) -> State {
        let mut list = self.list(&state).to_vec();
        for part in &mut list {
            let Some((_, does)) = over_sets.iter().find(|(set, _)| *set == usize::from(part.set)) else { continue };
            let (one, zero) = self.mixed(before, part);
            for update in does {
                let target = bit(update.target);
                part.one &= !target;
                part.zero &= !target;
                match chosen(update, one, zero) {
                    (true, _) => part.one |= target,
                    (false, true) => part.zero |= target,
                    (false, false) => {}
                }
            }
        }
        self.with_list(state, list)
    }
}
