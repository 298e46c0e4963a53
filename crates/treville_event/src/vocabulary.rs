//! The contract between a program's dialect and a model: which names exist and which shape events have.
//!
//! A vocabulary is chosen for the pair (dialect, model) and then frozen; the model is linked against it, and the
//! interpreter builds events in its shape.

use std::collections::BTreeSet;
use treville_base::Name;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum RmwShape {
    /// One event, both read and write.
    Fused,
    /// A read and a write, related by `amo` (or `lxsx`).
    Pair,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum LockShape {
    /// Lock events are outside reads, writes, rf and co; the model relates them itself.
    Opaque,
    /// Taking a lock reads 0 and writes 1, releasing writes 0: ordinary events with the lock tags. Where the dialect's
    /// updates are one event, taking a lock is one too.
    ValueRmw,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Vocabulary {
    /// Sets of events by name, those of kinds included.
    pub sets: BTreeSet<Name>,
    /// Those of them that have no member in any execution at hand: models simplify where they know it.
    pub empty: BTreeSet<Name>,
    pub rmw: RmwShape,
    pub locks: LockShape,
    /// Whether register events and the relations inside an instruction are built.
    pub registers: bool,
    /// Whether branches are events.
    pub branches: bool,
    /// Whether program order relates events of one instruction.
    pub po_inside: bool,
    /// Variants that are on (`if "name" …`).
    pub variants: BTreeSet<Name>,
}

/// The set of the events of all threads in one instance of a scope; no model can write its name.
pub fn scope_set(scope: &str, instance: u32) -> Name {
    Name::from(format!("{scope}@{instance}"))
}

macro_rules! base_rels {
    ($($(#[$meta:meta])* $variant:ident $name:literal,)*) => {
        /// A relation that a model may mention without defining it.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum BaseRel { $($(#[$meta])* $variant,)* }
        impl BaseRel {
            pub const ALL: &'static [BaseRel] = &[$(BaseRel::$variant,)*];
            pub fn name(self) -> &'static str { match self { $(BaseRel::$variant => $name,)* } }
            pub fn from_name(name: &str) -> Option<BaseRel> { match name { $($name => Some(BaseRel::$variant),)* "sm" => Some(BaseRel::Si), _ => None } }
        }
    };
}

base_rels! {
    Id "id",
    /// Same cell.
    Loc "loc",
    /// Same thread (initial writes are in none).
    Int "int",
    /// Different threads, or one of them an initial write.
    Ext "ext",
    Po "po",
    Rf "rf",
    Co "co",
    Addr "addr",
    Data "data",
    Ctrl "ctrl",
    /// The same three, where what chose between two values counts as well: the condition of a conditional select, the
    /// comparison of a compare-and-swap.
    PickAddr "pick-addr",
    PickData "pick-data",
    PickCtrl "pick-ctrl",
    /// Read and write of one atomic instruction.
    Amo "amo",
    /// Load-linked and its successful store-conditional.
    Lxsx "lxsx",
    /// Parts of one access (and identity on memory events).
    Si "si",
    IicoData "iico_data",
    IicoCtrl "iico_ctrl",
    IicoOrder "iico_order",
    /// From a register's write to its reads.
    RfReg "rf-reg",
    /// Same occurrence of one instruction.
    SameInstance "same-instance",
    /// Same instruction of the source.
    SameInstr "same-instr",
    /// Same event of the same instruction of the source.
    SameStatic "same-static",
    /// A read to the register events that use its value.
    Depend "depend",
    /// Writes (or reads) of one cell with different values.
    DifferentValues "different-values",
    /// Read and write of an update whose expected value came from a read (compare-exchange).
    Casdep "casdep",
    /// Places in one object: of accesses, and of other events that have one. (Not those outside of every object.)
    SameObject "same-object",
    /// Same offset in an object.
    SameLowOrderBits "same-low-order-bits",
    /// From a page table entry to the accesses of its page.
    PteToPa "PTEtoPA",
    /// Threads of one block, subgroup, work group, queue family, device of a graphics processor.
    SameBlock "scta",
    SameSubgroup "ssg",
    SameWorkgroup "swg",
    SameQueueFamily "sqf",
    SameDevice "sdv",
    /// Scopes that include each other's thread.
    SameScope "sr",
    /// A thread that was started after another had ended.
    SystemSynchronizes "ssw",
    /// An order of fences, barriers that meet, the same virtual address.
    SyncFence "sync_fence",
    SyncBarrier "syncbar",
    VirtualLoc "vloc",
}

impl BaseRel {
    /// Whether skeletons have it. The others can be named, but no model may depend on them.
    pub fn is_built(self) -> bool {
        !matches!(
            self,
            BaseRel::SameLowOrderBits
                | BaseRel::PteToPa
                | BaseRel::SameBlock
                | BaseRel::SameSubgroup
                | BaseRel::SameWorkgroup
                | BaseRel::SameQueueFamily
                | BaseRel::SameDevice
                | BaseRel::SameScope
                | BaseRel::SystemSynchronizes
                | BaseRel::SyncFence
                | BaseRel::SyncBarrier
                | BaseRel::VirtualLoc
        )
    }
}
