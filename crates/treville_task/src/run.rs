//! A run of a program on a machine, step by step, with what its threads can observe on the way: the witness of machines.

use treville_base::{Name, Span};
use treville_ir::{MemoryOrder, ObjectId, Reg, ThreadId};

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Run {
    /// What is shown of each state: the writes to an object that a thread can observe.
    pub watched: Vec<(ThreadId, ObjectId)>,
    /// In the state that it begins with; one for each of `watched`.
    pub start: Vec<Vec<Observed>>,
    pub steps: Vec<RunStep>,
    /// Where the run is in a loop for ever, or nothing goes on: the threads that are not done.
    pub waiting: Vec<ThreadId>,
    /// Where it begins, if that is not the start.
    pub begin: Option<Begin>,
}

/// A state that a run may begin in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Begin {
    /// Where threads are, as far as it matters.
    pub places: Vec<(ThreadId, Option<Name>)>,
    pub registers: Vec<(ThreadId, Reg, i64)>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RunStep {
    pub actor: Actor,
    /// Where the thread was.
    pub label: Option<Name>,
    pub span: Option<Span>,
    pub action: RunAction,
    pub order: MemoryOrder,
    /// In the state after it; one for each of the run's `watched`.
    pub seen: Vec<Vec<Observed>>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Actor {
    Thread(ThreadId),
    /// The memory, on behalf of a thread whose buffer it empties.
    Memory(ThreadId),
}

/// The write that a step observes: which step made it, none if it is initial.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ObservedWrite {
    pub value: i128,
    pub step: Option<u32>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RunAction {
    Read {
        object: ObjectId,
        from: ObservedWrite,
    },
    Write {
        object: ObjectId,
        value: i128,
        /// The write that it comes right after.
        after: ObservedWrite,
    },
    Update {
        object: ObjectId,
        from: ObservedWrite,
        value: i128,
    },
    Fence,
    /// A buffered write arrives in memory.
    Flush {
        object: ObjectId,
        from: ObservedWrite,
    },
    Skip,
    /// An assertion that is false.
    Fail,
}

/// A write as a thread may observe it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Observed {
    pub value: i128,
    pub released: bool,
    /// An update has read it.
    pub covered: bool,
    /// The step that made it.
    pub step: Option<u32>,
}
