//! What a runner and an engine say to each other: the steps of a thread, and the addresses of what it makes.

use super::code::SiteId;
use super::handles::Misuse;
use treville_ir::{Failure, FuncId, Wait};

/// Where things live. Addresses are a function of the thread, the count of its allocations and the offset, never reused,
/// and leave the upper 16 bits free for programs that keep tags there.
pub mod address {
    /// Heap and escaping stack objects: thread, number of the allocation, offset.
    pub const HEAP: u64 = 1 << 46;
    pub const THREAD_SHIFT: u32 = 38;
    pub const OBJECT_SHIFT: u32 = 24;
    /// The largest number of bytes of one object.
    pub const OBJECT_SIZE: u64 = 1 << OBJECT_SHIFT;
    pub const MAX_OBJECTS: u32 = 1 << (THREAD_SHIFT - OBJECT_SHIFT);
    pub const MAX_THREADS: u32 = 256;
    /// Objects that only their own thread can reach.
    pub const PRIVATE: u64 = 1 << 45;
    /// Copies of thread-local objects.
    pub const LOCAL: u64 = 1 << 44;
    pub const LOCAL_SHIFT: u32 = 36;

    /// The thread and the number of the allocation that a heap address belongs to.
    pub fn heap_object(addr: u64) -> Option<(u32, u32)> {
        (HEAP..2 * HEAP).contains(&addr).then(|| {
            let thread = (addr - HEAP) >> THREAD_SHIFT;
            let object = (addr >> OBJECT_SHIFT) & u64::from(MAX_OBJECTS - 1);
            (thread as u32, object as u32)
        })
    }

    /// The address of a thread's copy of a thread-local object.
    pub fn local(thread: u32, origin: u64) -> u64 {
        LOCAL | u64::from(thread) << LOCAL_SHIFT | origin
    }

    /// The address of a thread-local object in the program's own numbering, for an address of some thread's copy.
    pub fn local_origin(addr: u64) -> Option<u64> {
        (LOCAL..2 * LOCAL).contains(&addr).then_some(addr & ((1 << LOCAL_SHIFT) - 1))
    }

    /// The thread whose copy of a thread-local object has an address.
    pub fn local_thread(addr: u64) -> Option<u32> {
        (LOCAL..2 * LOCAL).contains(&addr).then(|| ((addr - LOCAL) >> LOCAL_SHIFT) as u32)
    }
}

/// What a thread does next. After `Load`, `UpdateRead`, `Spawn`, `Join` and `Nondet` the engine answers with
/// [`super::Runner::give`], after `Decide` with [`super::Runner::decide`], after `Place` with either; after the others it just
/// runs on.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Step {
    Load {
        site: SiteId,
        addr: u64,
    },
    /// What is written is its words: the upper one is 0 unless it has 16 bytes.
    Store {
        site: SiteId,
        addr: u64,
        words: [u64; 2],
    },
    /// The read of an update; if the update writes, that is the next step.
    UpdateRead {
        site: SiteId,
        addr: u64,
    },
    UpdateWrite {
        site: SiteId,
        addr: u64,
        words: [u64; 2],
    },
    Fence {
        site: SiteId,
    },
    Spawn {
        site: SiteId,
        func: FuncId,
    },
    Join {
        site: SiteId,
        thread: u64,
    },
    Alloc {
        site: SiteId,
        addr: u64,
        size: u64,
    },
    /// A heap object is freed, or, without a site, a stack object dies with its function.
    Free {
        site: Option<SiteId>,
        addr: u64,
    },
    Nondet {
        site: SiteId,
    },
    /// The way on depends on the value that this word stands for, which is unknown; `site` if something other than a branch
    /// needs it.
    Decide {
        site: Option<SiteId>,
        word: u64,
    },
    /// An access to an address that is unknown. The answer is the address; or, of a load, the value at it.
    Place {
        site: SiteId,
        addr: u64,
    },
    /// The explicit interface to unknown values is not used as it must be.
    Misuse {
        site: SiteId,
        misuse: Misuse,
    },
    /// Waits for ever as things are.
    Blocked {
        site: Option<SiteId>,
        wait: Wait,
    },
    /// A loop ran as often as it may.
    Cut,
    /// Too many instructions without a step.
    Endless,
    Fail {
        site: Option<SiteId>,
        failure: Failure,
    },
    End(u64),
    /// The process ends here.
    ExitProcess,
}

#[derive(Clone, Copy, Debug)]
pub struct RunOptions {
    /// Whether an iteration of a loop that changed nothing blocks.
    pub idle_blocks: bool,
    /// Whether a failed iteration of a loop that tries again blocks ([`super::retry`]).
    pub retry_blocks: bool,
    /// Whether that is also said of a failed attempt that has set hazard pointers ([`super::attempts`]).
    pub attempt_blocks: bool,
    /// Whether that is also said of iterations in which something was protected in the place of something else;
    /// [`super::Image::speculation_failed`] says whether it was right to.
    pub speculative: bool,
    /// How often a loop may jump back, as in [`treville_vm::Shape`].
    pub bound: Option<u32>,
    /// How many instructions may pass between two steps.
    pub fuel: u32,
}

impl RunOptions {
    /// The same with iterations of loops that change nothing blocking, or none.
    #[must_use]
    pub fn with_idle_rounds(self, block: bool) -> RunOptions {
        RunOptions { idle_blocks: block, retry_blocks: block, attempt_blocks: block, ..self }
    }
}
