//! Of states that differ only in the names of threads that do the same, one stands for all.

use crate::memory::Memory;
use crate::system::{State, System};

/// The exchanges of names that change nothing.
#[derive(Default)]
pub(crate) struct Symmetries {}

impl Symmetries {
    /// The bytes of the state that stands for this one.
    pub(crate) fn encode<M: Memory>(&self, system: &System<'_, M>, state: &State<M::State>, out: &mut Vec<u8>) {
        system.encode(state, out);
    }

    /// Calls `visit` for every state that the same one stands for.
    pub(crate) fn each_image<M: Memory>(
        &self,
        _: &System<'_, M>,
        state: &State<M::State>,
        visit: &mut impl FnMut(&State<M::State>),
    ) {
        visit(state);
    }
}
