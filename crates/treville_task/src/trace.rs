//! A trace: one execution of a program, linearised. Violations are reported, drawn and replayed from it.
//!
//! A step comes after the step that it reads from; as far as an interleaving explains the execution, the steps are in its order.

use treville_base::{Name, Span};
use treville_ir::{MemoryOrder, ThreadId, Wait};

#[derive(Clone, PartialEq, Debug, Default)]
pub struct Trace {
    pub threads: Vec<TraceThread>,
    pub steps: Vec<TraceStep>,
    /// Objects that the program made on the way.
    pub objects: Vec<TraceObject>,
    /// Of each place that was written, its writes in coherence order.
    pub orders: Vec<Vec<usize>>,
    /// The steps that the violation is about, the one that fails first.
    pub about: Vec<usize>,
    /// Between the steps in question: steps that read what another thread wrote without being ordered after it.
    pub missing_syncs: Vec<MissingSync>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TraceThread {
    /// Threads that the program starts come after its roots.
    pub number: ThreadId,
    /// The function that it runs.
    pub name: Name,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TraceObject {
    pub address: u64,
    pub size: u64,
    /// The variable, if it is one of a function.
    pub name: Option<Name>,
    /// Where it was made.
    pub span: Option<Span>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TraceStep {
    pub thread: ThreadId,
    pub span: Option<Span>,
    pub action: Action,
    /// None if it is not atomic.
    pub order: Option<MemoryOrder>,
}

/// Some bytes of memory.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Bytes {
    pub address: u64,
    pub size: u8,
}

/// What a step does. Steps are named by their positions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Action {
    Read {
        place: Bytes,
        value: u128,
        /// The step that wrote it; none for an initial value.
        from: Option<usize>,
        lock: bool,
    },
    Write {
        place: Bytes,
        value: u128,
        lock: bool,
    },
    /// A read and a write with nothing in between.
    Update {
        place: Bytes,
        old: u128,
        new: u128,
        from: Option<usize>,
        lock: bool,
    },
    Fence,
    Start(ThreadId),
    /// Has waited for the end of this thread.
    Join(ThreadId),
    /// Makes an object on the heap.
    Allocate(u64),
    Free(u64),
    /// Frees an object, later if a hazard pointer protects it.
    Retire(u64),
    /// Gets a value that nothing determines.
    Choose(u64),
    /// Waits for ever.
    Wait(Wait),
    Fail,
    End,
}

/// A read that does not synchronise with what it reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MissingSync {
    pub write: usize,
    pub read: usize,
    /// Whether the writer has done what it must: a release, or a fence before.
    pub released: bool,
    /// Whether the reader has: an acquire, or a fence after.
    pub acquired: bool,
}

impl Action {
    /// The memory that it reads or writes.
    pub fn place(&self) -> Option<Bytes> {
        match self {
            Action::Read { place, .. } | Action::Write { place, .. } | Action::Update { place, .. } => Some(*place),
            _ => None,
        }
    }

    /// The step that wrote what it reads; the inner option is none for an initial value.
    pub fn source(&self) -> Option<Option<usize>> {
        match self {
            Action::Read { from, .. } | Action::Update { from, .. } => Some(*from),
            _ => None,
        }
    }

    /// The value that it leaves in memory.
    pub fn written(&self) -> Option<u128> {
        match self {
            Action::Write { value, .. } | Action::Update { new: value, .. } => Some(*value),
            _ => None,
        }
    }

    /// The value that it finds in memory.
    pub fn read(&self) -> Option<u128> {
        match self {
            Action::Read { value, .. } | Action::Update { old: value, .. } => Some(*value),
            _ => None,
        }
    }
}

impl Trace {
    /// The writes to the place of a step, in coherence order.
    pub fn order_of(&self, step: usize) -> &[usize] {
        let place = self.steps[step].action.place();
        let of_place = |order: &&Vec<usize>| order.first().is_some_and(|w| self.steps[*w].action.place() == place);
        self.orders.iter().find(of_place).map_or(&[], Vec::as_slice)
    }

    /// The last write, of those told before a step, that overwrote what the step reads all the same.
    pub fn missed_by(&self, step: usize) -> Option<usize> {
        let order = self.order_of(step);
        let after = match self.steps[step].action.source()? {
            None => 0,
            Some(write) => order.iter().position(|w| *w == write)? + 1,
        };
        order[after..].iter().copied().rfind(|w| *w < step)
    }

    /// Whether a step reads what is told only after it: the execution has a circle of reading and program order.
    pub fn reads_ahead(&self, step: usize) -> bool {
        self.steps[step].action.source().flatten().is_some_and(|write| write > step)
    }

    /// The thread with a number, as it is told.
    pub fn thread(&self, number: ThreadId) -> Option<&TraceThread> {
        self.threads.iter().find(|t| t.number == number)
    }
}
