//! The program proper: functions as control-flow graphs, thread roots, memory objects with fixed addresses.

use crate::{Dialect, Expr};
use std::sync::Arc;
use treville_base::{IndexVec, Name, Span};

treville_base::ids! {
    /// A thread of the program, counted from 0 as in `P0`.
    ThreadId "P";
    FuncId "f";
    BlockId "b";
    /// A register of a function. Registers may be assigned more than once.
    Reg "r";
    ObjectId "o";
    /// One instruction of the source; operations that come from one instruction share it.
    InstrId "i";
    /// A tag of this program, see [`Program::tags`].
    TagId "tag";
}

/// Tags of an event, sorted and without repetition.
pub type Tags = Vec<TagId>;

/// How a value is shown and how wide it is in memory. Meaning never depends on it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    Int {
        bytes: u8,
        signed: bool,
    },
    Pointer,
    /// A machine register or an untyped place: shown as an address where the value is one, else as a signed number.
    Untyped,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Program {
    /// The test's or file's own name.
    pub name: Name,
    pub dialect: Arc<Dialect>,
    pub tags: IndexVec<TagId, Name>,
    pub funcs: IndexVec<FuncId, Func>,
    /// The threads that exist from the start; `ThreadId` indexes them.
    pub roots: IndexVec<ThreadId, Root>,
    pub objects: IndexVec<ObjectId, Object>,
}

/// A thread: a function with the values that its registers have at the start (unlisted ones are 0).
#[derive(Clone, PartialEq, Debug)]
pub struct Root {
    pub name: Name,
    pub func: FuncId,
    pub init: Vec<(Reg, Expr)>,
    /// The scopes that it is in, outermost first: their names, and which instance of each.
    pub scopes: Vec<(Name, u32)>,
    /// When its function returns, the process ends, as by [`Terminator::ExitProcess`].
    pub ends_process: bool,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Func {
    pub name: Name,
    /// The registers that receive a caller's arguments.
    pub params: Vec<Reg>,
    pub regs: IndexVec<Reg, RegInfo>,
    /// The entry is block 0.
    pub blocks: IndexVec<BlockId, Block>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct RegInfo {
    pub name: Name,
    /// In bits.
    pub width: u8,
}

impl RegInfo {
    /// A register that a front end made up, inside one instruction: its name begins with `%`, which no source can write.
    pub fn is_temporary(&self) -> bool {
        self.name.starts_with('%')
    }
}

#[derive(Clone, PartialEq, Debug)]
pub struct Block {
    pub insts: Vec<Inst>,
    pub end: Terminator,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Inst {
    pub op: Op,
    pub instr: InstrId,
    /// Whether the events of this operation come after all earlier events of the same instruction. If not, they come after
    /// those only whose result they use: the two reads of `*x + *y`, the halves of a load pair.
    pub sequenced: bool,
    pub span: Span,
}

/// The tags of an update's events in each shape that a model may ask for.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct UpdateTags {
    /// The read of a read-write pair.
    pub read: Tags,
    /// The write of a read-write pair.
    pub write: Tags,
    /// The one event, where an update is one event. Without tags it is a pair everywhere.
    pub fused: Tags,
    /// The read of an update that does not write, since its guard is false.
    pub fail: Tags,
    /// The fences before and after an update that writes.
    pub fences: Option<Tags>,
}

/// Widths: an address is 64 bits wide; a value read or written has `8 * size` bits, as has the register that receives it.
#[derive(Clone, PartialEq, Debug)]
pub enum Op {
    Assign {
        dst: Reg,
        value: Expr,
    },
    Load {
        dst: Reg,
        addr: Expr,
        size: u8,
        tags: Tags,
    },
    Store {
        addr: Expr,
        value: Expr,
        size: u8,
        tags: Tags,
    },
    /// An atomic read-modify-write. `old` receives the value read; then `guard` and `new`, which may mention `old`, are
    /// evaluated; if the guard is 1 (or absent) `new` is written. An exchange, a fetch-and-add and a compare-exchange are
    /// all of this form.
    Update {
        old: Reg,
        addr: Expr,
        size: u8,
        guard: Option<Expr>,
        new: Expr,
        tags: UpdateTags,
    },
    /// The second half of a load-linked/store-conditional pair; the first is a `Load` whose tags contain the dialect's
    /// exclusive tag. `status` receives 1 if the store happened, else 0.
    StoreConditional {
        status: Reg,
        addr: Expr,
        value: Expr,
        size: u8,
        tags: Tags,
    },
    Fence {
        tags: Tags,
    },
    Lock {
        op: LockOp,
        addr: Expr,
        size: u8,
    },
    /// An event that is neither read, write nor fence: `tags` say what it is (a Linux SRCU operation). `dst`, if any,
    /// receives a value that no other occurrence yields.
    Opaque {
        addr: Option<Expr>,
        value: Option<Expr>,
        dst: Option<Reg>,
        tags: Tags,
    },
    /// Ends the execution as blocked (it does not count) unless the condition (width 1) is 1.
    Wait {
        cond: Expr,
        kind: Wait,
    },
    Call {
        dst: Option<Reg>,
        callee: Callee,
        args: Vec<Expr>,
    },
    /// Starts a thread that runs `callee`; `dst` (64 bits) receives its handle.
    Spawn {
        dst: Reg,
        callee: Callee,
        args: Vec<Expr>,
    },
    /// Waits until the thread with this handle has returned; `dst` receives what it returned.
    Join {
        dst: Option<Reg>,
        thread: Expr,
    },
    /// `dst` (64 bits) receives the handle of the thread that runs; or its `number`: threads are counted as they are started, from 0.
    Current {
        dst: Reg,
        number: bool,
    },
    /// Makes an object of `size` bytes; `dst` (64 bits) receives its address, which no other object ever has.
    Alloc {
        dst: Reg,
        size: Expr,
        storage: Storage,
        zeroed: bool,
    },
    /// Ends the life of the heap object at this address; nothing if it is 0.
    Free {
        addr: Expr,
        /// It lives on for threads whose hazard pointers protect it: stores with the tag `HAZARD` of an address in it.
        retired: bool,
    },
    /// Copies `len` bytes as if through a buffer.
    Copy {
        to: Expr,
        from: Expr,
        len: Expr,
        tags: Tags,
    },
    /// Writes `len` bytes, each with the value `byte` (8 bits).
    Fill {
        to: Expr,
        byte: Expr,
        len: Expr,
        tags: Tags,
    },
    /// The program is wrong if this is reached.
    Fail {
        failure: Failure,
        message: Name,
    },
    /// `dst` receives any value of its width.
    Nondet {
        dst: Reg,
    },
    /// The explicit interface to undetermined values, which knows them by handles: each is moved by its use, and is its own
    /// thread's until it is sent. `arg` and `dst` have 64 bits.
    Handle {
        dst: Reg,
        op: HandleOp,
        arg: Expr,
    },
    /// Says something about the code around it and does nothing.
    Mark(Mark),
}

/// What is done with a handle.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum HandleOp {
    /// A new handle of a value.
    Make,
    /// The value of a handle, which nobody may use any more.
    Take,
    /// The value of a handle.
    Look,
    /// A handle of the same value that any thread may receive, in place of this one.
    Send,
    /// A handle of the value of one that was sent.
    Receive,
    /// Not a handle but a value, which must be known to go on.
    Decide,
}

/// Why a thread waits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Wait {
    /// The program assumes the condition: executions where it is false are of no interest.
    Assume,
    /// A loop that does nothing until the condition holds: blocked for ever, it is a failure of liveness.
    Spin,
    /// A lock, or anything else that another thread must give: blocked for ever, it is a deadlock.
    Resource,
    /// The same, for a lock whose value is the number of the thread that must give it, from 1.
    Owner,
}

/// What is called.
#[derive(Clone, PartialEq, Debug)]
pub enum Callee {
    Func(FuncId),
    /// The function at this address, see [`Program::func_address`].
    Pointer(Expr),
}

/// Who can reach an object, and how long it lives.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Storage {
    /// Until it is freed.
    Heap,
    /// Until the function returns that made it.
    Stack,
    /// As `Stack`, and no other thread ever has its address: accesses to it are not events.
    Private,
}

/// What can be wrong with a program. Each is in [`Failure::USUAL`] or in [`Failure::ASKED`], and every engine for programs must see it:
/// ARCHITECTURE.md says where.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Failure {
    Assertion,
    Race,
    Uninitialized,
    InvalidAccess,
    UseAfterFree,
    DoubleFree,
    InvalidFree,
    Leak,
    Deadlock,
    Liveness,
    ApiMisuse,
    /// The model raises a flag.
    Flag,
}

/// Annotations of loops and of places in the source.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Mark {
    /// An iteration of a wait loop begins here.
    SpinStart,
    /// An iteration that reaches this point without having had an effect is repeated for ever: it blocks.
    SpinEnd,
    /// The loop around is iterated at most this often.
    LoopBound(u32),
    /// More of the program would follow that was left out, since a loop or a recursion is followed up to a bound only.
    Cut,
    /// The thread has waited in a loop so far, and has looked once more whether it still does.
    LooksAgain(Again),
    /// From here to the next such mark, the program counter is at this label; at none of them if there is none.
    At(Option<Name>),
    /// The thread gives what others may wait for, whoever they are: a semaphore, a signal, its arrival at a barrier.
    Gives,
    /// A step of its own for engines that look at program counters: somebody may see the thread here.
    Step,
    /// The fence that follows is an instruction of these dialects, separated by spaces.
    Assembly(Name),
}

/// What a thread that waits in a loop finds when it looks once more.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Again {
    /// It waits for good.
    Waits,
    /// It would go on from here: another execution shows how.
    GoesOn,
    /// That depends on what is not seen.
    Unclear,
}

impl Failure {
    /// What is wrong in any program.
    pub const USUAL: &[Failure] = &[
        Failure::Assertion,
        Failure::Race,
        Failure::Uninitialized,
        Failure::InvalidAccess,
        Failure::UseAfterFree,
        Failure::DoubleFree,
        Failure::InvalidFree,
        Failure::Deadlock,
        Failure::ApiMisuse,
        Failure::Flag,
    ];

    /// What a program may mean to do: looked for only if somebody asks.
    pub const ASKED: &[Failure] = &[Failure::Leak, Failure::Liveness];

    /// As reports and scripts name it.
    pub fn name(self) -> &'static str {
        match self {
            Failure::Assertion => "assertion",
            Failure::Race => "race",
            Failure::Uninitialized => "uninitialized",
            Failure::InvalidAccess => "invalid-access",
            Failure::UseAfterFree => "use-after-free",
            Failure::DoubleFree => "double-free",
            Failure::InvalidFree => "invalid-free",
            Failure::Leak => "leak",
            Failure::Deadlock => "deadlock",
            Failure::Liveness => "liveness",
            Failure::ApiMisuse => "api-misuse",
            Failure::Flag => "flag",
        }
    }
}

/// Operations on a lock that is free when its cell is 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LockOp {
    Acquire,
    Release,
    /// `dst` receives 1 if the lock was taken.
    Try {
        dst: Reg,
    },
    /// `dst` receives 1 if the lock is held by anybody.
    IsHeld {
        dst: Reg,
    },
}

#[derive(Clone, PartialEq, Debug)]
pub enum Terminator {
    Goto(BlockId),
    Branch {
        /// Width 1.
        cond: Expr,
        then: BlockId,
        els: BlockId,
        /// Where the control dependency ends: the join of a structured conditional. `None`: it never ends, as for a machine's branch.
        join: Option<BlockId>,
        instr: InstrId,
        span: Span,
    },
    /// The thread is done.
    End,
    /// The thread is done, from whatever function, and this is its result.
    Exit(Expr),
    /// Back to the caller; from the function that a thread began with, the thread is done and this is its result.
    Return(Option<Expr>),
    /// The process ends, and with it every thread: nobody waits any more, and nobody can join this thread.
    ExitProcess,
}

/// A memory object at its fixed address.
#[derive(Clone, PartialEq, Debug)]
pub struct Object {
    pub name: Name,
    pub address: u64,
    pub size: u64,
    /// How its elements are shown.
    pub ty: Type,
    /// True for an array, whose cells are shown as `x[1]`.
    pub array: bool,
    /// Each thread has its own copy; [`Expr::Addr`] is then that of the thread that evaluates it.
    pub thread_local: bool,
    /// Its parts as the source names them, ascending; none if it is one value or an array of such. For people only: the
    /// text form leaves them out.
    pub members: Vec<Member>,
    /// Disjoint, ascending, covering the object; none if it consists of whatever is accessed, and is 0 at the start.
    pub init: Vec<InitCell>,
    /// It has no value at the start: whoever reads it before it is written is wrong.
    pub uninitialized: bool,
    pub span: Span,
}

/// A named part of an object.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Member {
    pub offset: u64,
    /// As it is written after the object's name: `.next`, `[2].seq`.
    pub path: Name,
    pub ty: Type,
}

#[derive(Clone, PartialEq, Debug)]
pub struct InitCell {
    pub offset: u64,
    pub size: u8,
    /// Mentions no register.
    pub value: Expr,
}

/// Where objects live: each begins on a line of its own, so that no address computation leaves one for another by accident.
pub(crate) const OBJECT_BASE: u64 = 0x5a00_0000;
pub(crate) const OBJECT_STRIDE: u64 = 0x1_0000;

/// Where functions live: a call through a pointer finds its function by the address.
const FUNC_BASE: u64 = 0x1000_0000;
const FUNC_STRIDE: u64 = 0x10;

/// Tags that events have although no instruction carries them: those of locks, of locks as atomic accesses where an update
/// is one event, and of initial writes.
const LOCK_TAGS: &[&str] = &["LK", "LKR", "LKW", "LS", "LF", "UL", "RL", "RU"];
const ATOMIC_LOCK_TAGS: &[&str] = &["A", "ACQ", "REL", "RLX", "RMW", "X"];
const INITIAL_TAG: &str = "NA";

impl Program {
    /// One without threads, to be filled.
    pub fn new(name: impl Into<Name>, dialect: Arc<Dialect>) -> Program {
        Program {
            name: name.into(),
            dialect,
            tags: IndexVec::new(),
            funcs: IndexVec::new(),
            roots: IndexVec::new(),
            objects: IndexVec::new(),
        }
    }

    /// Tags of the dialect that no event of the program has, sorted.
    pub fn absent_tags(&self) -> Vec<Name> {
        let mut insts = self.funcs.iter().flat_map(|func| func.blocks.iter()).flat_map(|block| &block.insts);
        // Threads that others start are as if locks connected them.
        let has_locks = insts.any(|inst| matches!(inst.op, Op::Lock { .. } | Op::Spawn { .. }));
        let of_lock =
            |tag: &str| LOCK_TAGS.contains(&tag) || self.dialect.fused_updates && ATOMIC_LOCK_TAGS.contains(&tag);
        let present = |tag: &Name| {
            *tag == INITIAL_TAG || self.tags.iter().any(|used| used == tag) || has_locks && of_lock(tag.as_str())
        };
        let mut absent: Vec<Name> = self.dialect.sets.iter().filter(|tag| !present(tag)).cloned().collect();
        absent.sort();
        absent.dedup();
        absent
    }

    /// The address of a function, as a value.
    pub fn func_address(func: FuncId) -> u64 {
        FUNC_BASE + FUNC_STRIDE * u64::from(func.0)
    }

    /// The function at an address.
    pub fn func_at(&self, address: u64) -> Option<FuncId> {
        let offset = address.checked_sub(FUNC_BASE)?;
        let id = FuncId(u32::try_from(offset / FUNC_STRIDE).ok()?);
        (offset % FUNC_STRIDE == 0 && (id.0 as usize) < self.funcs.len()).then_some(id)
    }

    /// The first operation, if any, that only engines running whole programs take: calls, threads made on the way, a heap.
    pub fn dynamic_feature(&self) -> Option<(&'static str, Span)> {
        let insts = self.funcs.iter().flat_map(|func| func.blocks.iter()).flat_map(|b| &b.insts);
        insts.into_iter().find_map(|inst| Some((inst.op.dynamic_feature()?, inst.span)))
    }

    /// The same with choices among more values than engines can try one by one.
    pub fn unlistable_feature(&self) -> Option<(&'static str, Span)> {
        let wide = |func: &Func| {
            let mut insts = func.blocks.iter().flat_map(|b| &b.insts);
            let wide = insts.find(|inst| match inst.op {
                Op::Nondet { dst } => func.regs[dst].width > 1,
                Op::Handle { .. } => true,
                _ => false,
            })?;
            Some(("a value that is not determined", wide.span))
        };
        self.dynamic_feature().or_else(|| self.funcs.iter().find_map(wide))
    }

    /// Whether it assumes anything: executions in which that does not hold do not count.
    pub fn has_assumptions(&self) -> bool {
        let mut insts = self.funcs.iter().flat_map(|func| func.blocks.iter()).flat_map(|block| &block.insts);
        insts.any(|inst| matches!(inst.op, Op::Wait { kind: Wait::Assume, .. }))
    }

    /// The address that the next object gets.
    pub fn next_address(&self) -> u64 {
        self.objects
            .iter()
            .last()
            .map_or(OBJECT_BASE, |o| o.address + o.size.div_ceil(OBJECT_STRIDE).max(1) * OBJECT_STRIDE)
    }

    /// The object that contains the byte at `address`, with the offset in it.
    pub fn object_at(&self, address: u64) -> Option<(ObjectId, u64)> {
        self.objects
            .iter_enumerated()
            .find(|(_, o)| o.address <= address && address < o.address + o.size.max(1))
            .map(|(id, o)| (id, address - o.address))
    }

    pub fn object_named(&self, name: &str) -> Option<ObjectId> {
        self.objects.iter_enumerated().find(|(_, o)| o.name == name).map(|(id, _)| id)
    }

    /// The id of a tag, made if it is new.
    pub fn tag(&mut self, name: &str) -> TagId {
        let known = self.tags.iter_enumerated().find(|(_, n)| *n == name).map(|(id, _)| id);
        known.unwrap_or_else(|| self.tags.push(Name::new(name)))
    }
}

impl Op {
    fn dynamic_feature(&self) -> Option<&'static str> {
        match self {
            Op::Call { .. } => Some("a function call"),
            Op::Spawn { .. } | Op::Join { .. } | Op::Current { .. } => Some("a thread that is started by another"),
            Op::Alloc { .. } | Op::Free { .. } => Some("an object that is made on the way"),
            Op::Copy { .. } | Op::Fill { .. } => Some("a copy of memory"),
            Op::Fail { .. } => Some("an assertion"),
            Op::Mark(_)
            | Op::Nondet { .. }
            | Op::Handle { .. }
            | Op::Assign { .. }
            | Op::Load { .. }
            | Op::Store { .. }
            | Op::Update { .. }
            | Op::StoreConditional { .. }
            | Op::Fence { .. }
            | Op::Lock { .. }
            | Op::Opaque { .. }
            | Op::Wait { .. } => None,
        }
    }
}
