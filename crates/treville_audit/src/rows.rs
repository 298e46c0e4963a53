//! The events of a trial, as they are made: each with what it depends on and where it reads from.

use treville_bytecode::StepDeps;
use treville_event::{Cell, Event};

/// An event of a trial: its thread, and its place in it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Id {
    pub(crate) thread: u16,
    pub(crate) row: u32,
}

/// Where an event reads from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Source {
    /// It does not read.
    None,
    Init,
    Write(Id),
    /// The value was guessed; who writes it is not known yet.
    Guessed(u64),
}

#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) event: Event,
    /// By place in the thread, one more each; 0 is the start of the thread.
    pub(crate) deps: StepDeps,
    pub(crate) source: Source,
    /// The read of the same update, in the same thread.
    pub(crate) read: Option<u32>,
    /// The two are instructions of their own, the later a store-conditional.
    pub(crate) exclusive: bool,
    /// It accesses memory of the program: not the start or the end of a thread.
    pub(crate) in_memory: bool,
}

impl Row {
    /// An event that neither reads from anything nor depends on anything.
    pub(crate) fn of(event: Event) -> Row {
        let (deps, source) = (StepDeps::default(), Source::None);
        Row { event, deps, source, read: None, exclusive: false, in_memory: false }
    }
}

/// The cells that threads are started and ended by: below everything that a program can have.
pub(crate) fn started(thread: u16) -> Cell {
    Cell { address: 0x2000_0000 + 16 * u64::from(thread), size: 8 }
}

pub(crate) fn ended(thread: u16) -> Cell {
    Cell { address: started(thread).address + 8, size: 8 }
}
