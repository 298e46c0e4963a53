//! One event of an execution.

use treville_base::{Name, Span};
use treville_term::Bv;

treville_base::ids! {
    /// An event of a [`crate::Skeleton`]; also its row in every relation.
    EventId "e";
}

/// A granule of memory: two events touch the same memory if and only if their cells are equal (accesses of different
/// sizes are split at each other's borders first).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Cell {
    pub address: u64,
    pub size: u8,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Kind {
    /// The initial write of a cell.
    Init,
    Read,
    Write,
    /// Both read and write in one event.
    Update,
    Fence,
    Branch,
    RegRead,
    RegWrite,
    /// Neither: what it is, its tags say (locks where the model treats them itself, SRCU operations).
    Opaque,
}

impl Kind {
    pub fn reads(self) -> bool {
        matches!(self, Kind::Read | Kind::Update)
    }

    pub fn writes(self) -> bool {
        matches!(self, Kind::Init | Kind::Write | Kind::Update)
    }
}

#[derive(Clone, PartialEq, Debug)]
pub struct Event {
    /// `None` for initial writes.
    pub thread: Option<u32>,
    /// Position in its thread: stable across executions that agree up to here. For initial writes, in the order of cells.
    pub index: u32,
    pub kind: Kind,
    pub tags: Vec<Name>,
    pub cell: Option<Cell>,
    pub read: Option<Bv>,
    pub written: Option<Bv>,
    /// The occurrence of an instruction in its thread: events of one occurrence share it.
    pub instance: u32,
    /// The instruction of the source: different occurrences (loop iterations) share it.
    pub instr: u32,
    /// Events that are parts of one access share it.
    pub access: u32,
    /// Register events: the register's name.
    pub register: Option<Name>,
    pub span: Option<Span>,
}

impl Cell {
    /// The address after its last byte; the last address if there is none after it.
    pub fn end(self) -> u64 {
        self.address.saturating_add(u64::from(self.size))
    }
}
