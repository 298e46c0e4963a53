//! The instructions of compiled functions.

use super::compile::Access;
use super::hazards::{Loops, Notes};
use super::rounds::Keeps;
use super::symbols::{Symbols, is_term};
use std::sync::Arc;
use treville_base::Span;
use treville_ir::{Failure, HandleOp, InstrId, Storage, Tags, UpdateTags, Wait};
use treville_term::BinOp;

treville_base::ids! {
    /// An instruction that the engine gets to see; facts about it that no step needs are looked up by this.
    SiteId "s";
}

/// A place in a function's frame: parameters and registers, then temporaries, then constants.
pub(crate) type Slot = u16;

/// All values are kept zero-extended in 64 bits.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Ins {
    Move {
        dst: Slot,
        src: Slot,
    },
    Bin {
        op: BinOp,
        width: u8,
        dst: Slot,
        a: Slot,
        b: Slot,
    },
    Not {
        width: u8,
        dst: Slot,
        src: Slot,
    },
    Neg {
        width: u8,
        dst: Slot,
        src: Slot,
    },
    /// Keeps the low bits.
    Low {
        width: u8,
        dst: Slot,
        src: Slot,
    },
    /// From `from` to `to` bits, with copies of the sign.
    Sign {
        from: u8,
        to: u8,
        dst: Slot,
        src: Slot,
    },
    Select {
        dst: Slot,
        cond: Slot,
        yes: Slot,
        no: Slot,
    },
    /// This thread's copy of the thread-local object whose first byte is at `src` in the image.
    Local {
        dst: Slot,
        src: Slot,
    },
    Goto(u32),
    If {
        cond: Slot,
        then: u32,
        els: u32,
    },
    /// The head of a loop.
    Loop(u16),
    /// Where a round of a loop begins: after the test, if the test comes first.
    Round(u16),
    Load {
        dst: Slot,
        addr: Slot,
        site: SiteId,
    },
    Store {
        addr: Slot,
        value: Slot,
        site: SiteId,
    },
    /// The read of an update. What follows, up to the write, is its own code.
    UpdateRead {
        dst: Slot,
        addr: Slot,
        site: SiteId,
    },
    UpdateWrite {
        addr: Slot,
        value: Slot,
        site: SiteId,
    },
    /// The upper word of the 16 bytes that were just read, whose lower word is in `low`.
    High {
        dst: Slot,
        low: Slot,
    },
    /// The upper word of the 16 bytes that the next instruction writes.
    Upper {
        src: Slot,
    },
    Fence {
        site: SiteId,
    },
    /// Notes that this thread holds a lock, or no longer does; it is misuse to release one that it does not hold.
    Hold {
        addr: Slot,
    },
    Release {
        addr: Slot,
        site: SiteId,
    },
    /// The handle of this thread, which it also writes into the locks that it holds.
    Holder {
        dst: Slot,
    },
    Wait {
        cond: Slot,
        site: SiteId,
    },
    Call {
        dst: Slot,
        func: u32,
        args: u32,
    },
    CallPointer {
        dst: Slot,
        callee: Slot,
        args: u32,
        site: SiteId,
    },
    Return {
        value: Slot,
    },
    /// The thread is done, with this result.
    End {
        value: Slot,
    },
    /// The process is done.
    ExitProcess,
    Spawn {
        dst: Slot,
        func: Slot,
        args: u32,
        site: SiteId,
    },
    Join {
        dst: Slot,
        thread: Slot,
        site: SiteId,
    },
    Alloc {
        dst: Slot,
        size: Slot,
        site: SiteId,
    },
    Free {
        addr: Slot,
        site: SiteId,
    },
    Fail {
        site: SiteId,
    },
    Nondet {
        dst: Slot,
        site: SiteId,
    },
    Handle {
        op: HandleOp,
        dst: Slot,
        src: Slot,
        site: SiteId,
    },
    SpinStart,
    SpinEnd {
        site: SiteId,
    },
}

/// A destination that nobody reads.
pub(crate) const NOWHERE: Slot = Slot::MAX;

/// What an instruction of the program asks of the engine.
#[derive(Clone, PartialEq, Debug)]
pub struct Site {
    pub kind: SiteKind,
    /// In bytes, of an access.
    pub size: u8,
    pub instr: InstrId,
    pub span: Span,
    /// Of a load, store or update: which one it is, and where in it this part begins.
    pub access: Option<(Access, u8)>,
    /// Of an atomic access to several cells, made at once: where in it each begins, and its size. Empty if there is one cell.
    pub parts: Vec<(u8, u8)>,
    /// The slots that are needed after it, its own result aside.
    pub(crate) live: Vec<Slot>,
    /// Of a read (of an update: if it writes nothing), how strongly it orders: a set of bits.
    pub(crate) order: u64,
    /// Of a store, the loop that does it first of all in every iteration, always to the same place. Of the release of a lock, the innermost loop around it.
    pub(crate) first_in: Option<u16>,
    /// The store is of a hazard pointer.
    pub protects: bool,
    /// What is stored is the handle of a thread, as starting the thread has given it.
    pub keeps_handle: bool,
}

#[derive(Clone, PartialEq, Debug)]
pub enum SiteKind {
    Load(Tags),
    Store(Tags),
    Update(UpdateTags),
    /// A lock is taken, or tried.
    Lock,
    /// A lock is released.
    Unlock,
    Fence(Tags),
    Wait(Wait),
    Call,
    Spawn,
    Join,
    Alloc {
        storage: Storage,
        zeroed: bool,
    },
    Free {
        retired: bool,
    },
    Fail(Failure, treville_base::Name),
    /// If it is a bit that is to be known `at_once`, it is not unknown, but each of its values.
    Nondet {
        width: u8,
        at_once: bool,
    },
    Handle,
    SpinEnd,
}

/// A compiled function.
#[derive(Clone, Debug)]
pub(crate) struct Code {
    pub(crate) ins: Vec<Ins>,
    /// How many slots a frame has.
    pub(crate) slots: u16,
    pub(crate) params: Vec<Slot>,
    /// Slots with the value that they have from the start.
    pub(crate) constants: Vec<(Slot, u64)>,
    pub(crate) args: Vec<Vec<Slot>>,
    pub(crate) loops: Vec<LoopInfo>,
    /// For each call instruction, the slots that are needed after it.
    pub(crate) after_call: Vec<(u32, Vec<Slot>)>,
}

/// A read, with the slots that have the lower and the upper word of what it read.
#[derive(Clone, Debug)]
pub(crate) struct Seed {
    pub(crate) site: SiteId,
    pub(crate) words: [Vec<Slot>; 2],
}

#[derive(Clone, Debug)]
pub(crate) struct LoopInfo {
    pub(crate) parent: Option<u16>,
    /// What stands for it among all loops of the program.
    pub(crate) bit: Loops,
    /// Whether something in it may update memory.
    pub(crate) updates: bool,
    /// Slots that an iteration may look at before it writes them.
    pub(crate) live: Vec<Slot>,
    /// If the loop is always entered right after a read: which one, and the slots that have what it read.
    pub(crate) seed: Option<Seed>,
    /// The same slots where a round begins, if that is not at the head.
    pub(crate) round: Vec<Slot>,
}

/// What counts as a change that an iteration of a loop makes, besides other stores.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Changes {
    /// To release a lock: some lock is tried, so that threads can see that another holds it.
    pub releases: bool,
    /// To store to a hazard pointer.
    pub hazards: bool,
}

/// A whole program, compiled.
#[derive(Clone, Debug)]
pub struct Image {
    pub(crate) codes: Vec<Code>,
    pub(crate) sites: treville_base::IndexVec<SiteId, Site>,
    /// The threads whose return ends the process.
    pub(crate) ending: Vec<u32>,
    pub(crate) changes: Changes,
    /// What is computed from unknown values, if there are any.
    pub(crate) symbols: Option<Arc<Symbols>>,
    /// Some store is of a hazard pointer.
    pub(crate) has_hazards: bool,
    pub(crate) notes: Arc<Notes>,
    /// Which iterations are kept that could be dropped.
    pub(crate) keeps: Option<Keeps>,
}

impl Site {
    /// Whether it reads, and perhaps writes.
    pub(crate) fn is_read(&self) -> bool {
        matches!(self.kind, SiteKind::Load(_) | SiteKind::Update(_))
    }

    /// Whether it makes a value that is unknown.
    pub(crate) fn is_unknown(&self) -> bool {
        matches!(self.kind, SiteKind::Nondet { at_once: false, .. } | SiteKind::Handle)
    }

    /// How many cells it accesses.
    pub fn n_parts(&self) -> usize {
        self.parts.len().max(1)
    }

    /// Where in the access a cell begins, and its size.
    pub fn part(&self, i: usize) -> (u8, u8) {
        self.parts.get(i).copied().unwrap_or((0, self.size))
    }
}

impl Image {
    /// The same with all bits known at once that nothing determines.
    pub fn with_bits_at_once(mut self) -> Image {
        for site in self.sites.iter_mut() {
            if let SiteKind::Nondet { width: 1, at_once } = &mut site.kind {
                *at_once = true;
            }
        }
        self.symbols = self.symbols.filter(|_| self.sites.iter().any(Site::is_unknown));
        self
    }

    /// The same with these as changes, too.
    pub fn with_changes(mut self, changes: Changes) -> Image {
        self.note_changes(changes);
        self
    }

    /// The same, from now on.
    pub fn note_changes(&mut self, changes: Changes) {
        self.changes.releases |= changes.releases;
        self.changes.hazards |= changes.hazards;
    }

    /// Whether some store is of a hazard pointer.
    pub fn has_hazards(&self) -> bool {
        self.has_hazards
    }

    pub fn site(&self, site: SiteId) -> &Site {
        &self.sites[site]
    }

    /// Puts bytes into an access of up to 16 of them that has zeros there.
    pub fn put_bytes(&self, words: &mut [u64; 2], at: u8, bytes: u64) {
        let word = &mut words[usize::from(at / 8)];
        *word = match &self.symbols {
            Some(symbols) if is_term(bytes) || is_term(*word) => symbols.with_bytes(*word, at % 8, bytes),
            Some(symbols) if is_term(*word | bytes << (8 * (at % 8))) => {
                symbols.number(*word | bytes << (8 * (at % 8)))
            }
            _ => *word | bytes << (8 * (at % 8)),
        };
    }

    /// What is computed from unknown values; none if the program has no such values.
    #[inline]
    pub fn symbols(&self) -> Option<&Arc<Symbols>> {
        self.symbols.as_ref()
    }

    pub fn sites(&self) -> &treville_base::IndexVec<SiteId, Site> {
        &self.sites
    }
}
