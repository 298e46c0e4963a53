//! What a thread does next.

use crate::Deps;
use treville_base::{Name, Span};
use treville_event::Kind;
use treville_ir::{BlockId, InstrId, Tags};

#[derive(Clone, Debug)]
pub enum Action<V> {
    /// An event happens. If it reads, the engine answers with [`crate::ThreadVm::give`].
    Event(Box<EventAction<V>>),
    /// The event with this index, a read so far, is part of an update that writes: it has other tags and, where an update
    /// is one event, writes this value with these data dependencies.
    Amend {
        index: u32,
        tags: Tags,
        written: Option<(V, Deps)>,
    },
    /// A condition (width 1) that the values do not decide; the engine answers with [`crate::ThreadVm::take`].
    Branch(V),
    /// A free choice; the engine answers with [`crate::ThreadVm::take`].
    Choose,
    /// The condition must be true for the execution to count.
    Constrain(V),
    /// Any value of this width; the engine answers with [`crate::ThreadVm::give`].
    Any(u8),
    /// The thread goes on only if the condition is true; otherwise it waits for ever, and the execution does not count.
    Await(V),
    /// A value of this width that no two occurrences share; the engine answers with [`crate::ThreadVm::give`].
    Fresh(u8),
    /// A block is come to; only where the shape asks for it.
    Arrive(BlockId),
    /// A loop ran as often as it may.
    Cut,
    End,
}

/// How an event belongs to an earlier one of its thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Link {
    None,
    /// The write of an atomic instruction, with its read.
    Amo(u32),
    /// A store-conditional, with its load-linked.
    Lxsx(u32),
}

/// Reads that decided which of several values became the address, the written value, or the condition of a branch.
#[derive(Clone, Debug, Default)]
pub struct Picks {
    pub addr: Deps,
    pub data: Deps,
    pub ctrl: Deps,
}

#[derive(Clone, Debug)]
pub struct EventAction<V> {
    /// Position among the events of the thread.
    pub index: u32,
    pub kind: Kind,
    pub tags: Tags,
    /// Tags that the interpreter itself gives (locks, ports of register reads).
    pub extra: &'static [&'static str],
    /// Address and number of bytes.
    pub place: Option<(V, u8)>,
    /// The value written.
    pub value: Option<V>,
    /// Reads that the address, the written value, and the execution of the event depend on.
    pub addr: Deps,
    pub data: Deps,
    pub ctrl: Deps,
    /// What these three also depend on by way of a choice between values.
    pub picks: Picks,
    /// Earlier events of the same instruction that come before this one.
    pub after: Deps,
    pub link: Link,
    /// Edges inside the instruction, for models that compute dependencies themselves.
    pub iico_data: Deps,
    pub iico_ctrl: Deps,
    /// For a register's read: its last write.
    pub rf_reg: Option<u32>,
    pub register: Option<Name>,
    /// How many registers, locations and memory cells the thread has read up to here: a stable name for what it writes.
    pub serial: u32,
    /// The occurrence of the instruction.
    pub instance: u32,
    pub instr: InstrId,
    pub span: Span,
}

impl<V> EventAction<V> {
    pub(crate) fn linked(&self, earlier: u32) -> bool {
        matches!(self.link, Link::Amo(i) | Link::Lxsx(i) if i == earlier)
    }
}
