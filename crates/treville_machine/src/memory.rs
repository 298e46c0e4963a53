//! What a memory does, whatever program runs on it: the choices that an access has, and what each does. Programs do not notice
//! which memory is under them.
//!
//! A choice is found first and made later, so that a run is a list of numbers, and a step costs one copy of a state.

mod buffers;
mod bytes;
mod domain;
mod graph;
mod sequential;
#[cfg(test)]
mod tests;
mod views;

pub(crate) use buffers::Buffers;
pub(crate) use bytes::{Bytes, SMALL, are_small, put, put_positions, put_values};
pub(crate) use domain::{Anywhere, Domain, MayWrite, each_choice};
pub(crate) use graph::Graph;
pub(crate) use sequential::Sequential;
pub(crate) use views::{MAX_MESSAGES, Views};

use treville_ir::{Aware, MemoryOrder};

/// One way for an access to go: the write that it observes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Choice {
    /// What the memory calls the write.
    pub(crate) at: u32,
    pub(crate) value: u64,
    /// The step that made it, counted from 1; 0 if it is initial, or if nobody counts.
    pub(crate) origin: u32,
}

/// What is written, and by which step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Written {
    pub(crate) value: u64,
    pub(crate) origin: u32,
}

/// A write as a thread is aware of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Seen {
    pub(crate) value: u64,
    pub(crate) released: bool,
    pub(crate) covered: bool,
    pub(crate) origin: u32,
}

/// Something that the memory may do of its own accord: the oldest write in a buffer of a thread arrives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Flush {
    pub(crate) thread: usize,
    pub(crate) var: usize,
    pub(crate) written: Written,
}

/// New names for threads and variables, and new values.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Renaming {
    pub(crate) threads: Vec<usize>,
    pub(crate) vars: Vec<usize>,
    /// Of each variable, values that change places.
    pub(crate) values: Vec<Vec<(u64, u64)>>,
}

impl Renaming {
    /// The new value of a variable.
    pub(crate) fn value(&self, var: usize, value: u64) -> u64 {
        let swapped = self.values[var].iter().find_map(|(from, to)| (*from == value).then_some(*to));
        swapped.unwrap_or(value)
    }

    fn written(&self, var: usize, written: Written) -> Written {
        Written { value: self.value(var, written.value), ..written }
    }
}

/// Threads and variables are counted from 0.
pub(crate) trait Memory: Sync {
    type State: Clone + Send;

    /// Whether a read leaves the state as it is.
    const READS_LEAVE_NO_TRACE: bool = false;

    fn initial(&self) -> Self::State;

    /// The writes that a read, a write (which comes right after the one it observes), and an update may observe.
    fn reads(&self, s: &Self::State, thread: usize, var: usize, out: &mut Vec<Choice>);
    fn writes(&self, s: &Self::State, thread: usize, var: usize, out: &mut Vec<Choice>);
    fn updates(&self, s: &Self::State, thread: usize, var: usize, out: &mut Vec<Choice>);

    fn read(&self, s: &mut Self::State, thread: usize, var: usize, at: u32, acquire: bool);
    fn write(&self, s: &mut Self::State, thread: usize, var: usize, at: u32, written: Written, release: bool);
    fn update(&self, s: &mut Self::State, thread: usize, var: usize, at: u32, written: Written, order: MemoryOrder);

    /// An update that does not write: no more than a read, if the memory does not say otherwise.
    fn fail(&self, s: &mut Self::State, thread: usize, var: usize, at: u32, acquire: bool) {
        self.read(s, thread, var, at, acquire);
    }

    /// What a thread writes from now on leaves after what it has written.
    fn order_writes(&self, _: &mut Self::State, _: usize) {}

    fn flushes(&self, _: &Self::State, _: &mut Vec<Flush>) {}
    fn flush(&self, _: &mut Self::State, _: &Flush) {}
    /// Whether nothing is on its way.
    fn is_quiet(&self, _: &Self::State) -> bool {
        true
    }

    /// Whether nothing of a thread is on its way.
    fn is_drained(&self, _: &Self::State, _: usize) -> bool {
        true
    }

    /// The writes to a variable that a thread is aware of, oldest first.
    fn aware(&self, s: &Self::State, thread: usize, var: usize, aware: Aware, out: &mut Vec<Seen>);
    /// The value that is left when everything is done.
    fn last(&self, s: &Self::State, var: usize) -> u64;
    /// How many writes of a variable are kept.
    fn n_kept(&self, s: &Self::State, var: usize) -> usize;

    /// The state with other names for threads, variables and values.
    fn renamed(&self, s: &Self::State, renaming: &Renaming) -> Self::State;

    /// The state without origins as bytes: equal states, and only these, have equal bytes.
    fn encode(&self, s: &Self::State, out: &mut Vec<u8>);
    /// The same after a read of a thread, for memories that make these bytes of those before it.
    fn encode_after_read(&self, _: (&Self::State, &[u8]), after: &Self::State, _: usize, out: &mut Vec<u8>) {
        self.encode(after, out);
    }
    fn decode(&self, bytes: &mut Bytes<'_>, s: &mut Self::State);
}
