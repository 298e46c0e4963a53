//! What a front end says about the programs that it makes, so that a vocabulary can be chosen for a model.

use treville_base::Name;

/// The facts of a dialect that models depend on. One value per dialect, shared by all its programs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Dialect {
    /// As in the test's header: `AArch64`, `C`, `X86`, …; `LKMM` for Linux-kernel C.
    pub name: Name,
    /// The bundled model that is used when none is named.
    pub default_model: Name,
    /// Every tag that a program of this dialect may carry: a model may mention these sets even if they are empty.
    pub sets: Vec<Name>,
    /// Whether an update is one event that is both read and write (C11), or a read and a write.
    pub fused_updates: bool,
    /// Whether program order also relates events of one instruction (C), or only of different ones (machines).
    pub po_inside: bool,
    /// Whether branches are events (machines), or control dependencies come from structure only (C).
    pub branch_events: bool,
    /// The tag of exclusive (load-linked, store-conditional) accesses.
    pub exclusive: Option<Name>,
    /// What the status of a store-conditional depends on.
    pub status: StatusDependency,
    /// Whether the value of a store-conditional makes a data dependency (not for AArch64, as its published model has it).
    pub conditional_store_data: bool,
    /// Whether a compare-and-swap that fails may write back what it read, and whether the result of one that succeeds may
    /// come from the expected value instead of memory, both being equal (AArch64).
    pub loose_compare: bool,
}

/// What kind of language a dialect is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DialectKind {
    /// C with the atomics of C11.
    C,
    /// C with the primitives of the Linux kernel.
    Kernel,
    /// The instructions of an architecture.
    Assembly,
    /// Accesses with whatever annotations a bell file declares.
    Annotated,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StatusDependency {
    Nothing,
    /// Address and value (Arm v7, Power).
    Operands,
    /// The address and the store itself (RISC-V).
    Store,
}

/// Sets that C programs use.
const C_SETS: &[&str] = &[
    "X", "RMW", "LK", "LKR", "LKW", "LS", "LF", "UL", "RL", "RU", "ACQ", "SC", "REL", "ACQ_REL", "RLX", "CON", "A",
    "NA",
];

/// Sets that the kernel's model expects, even if the program at hand does not use them all.
const KERNEL_SETS: &[&str] = &[
    "ONCE",
    "RELEASE",
    "ACQUIRE",
    "NORETURN",
    "MB",
    "Wmb",
    "Rmb",
    "Barrier",
    "Rcu-lock",
    "Rcu-unlock",
    "Sync-rcu",
    "Before-atomic",
    "After-atomic",
    "After-spinlock",
    "After-unlock-lock",
    "After-srcu-read-unlock",
    "Srcu-lock",
    "Srcu-unlock",
    "Sync-srcu",
];

impl Dialect {
    /// C with the atomics of C11: litmus tests and programs.
    pub const C: &str = "C";

    /// C11 in `.pts`, which may name fences of architectures as well.
    pub const PTS: &str = "PTS";

    /// C with the primitives of the Linux kernel.
    pub const KERNEL: &str = "LKMM";

    /// Accesses with annotations.
    pub const LISA: &str = "LISA";

    /// The instruction set of Arm since version 8.
    pub const AARCH64: &str = "AArch64";

    pub const RISCV: &str = "RISCV";

    /// The model of programs in C that name none. Litmus tests in C have another.
    pub const MODEL_OF_PROGRAMS: &str = "rc11";

    pub fn kind(&self) -> DialectKind {
        match self.name.as_str() {
            Self::C | Self::PTS => DialectKind::C,
            Self::KERNEL => DialectKind::Kernel,
            Self::LISA => DialectKind::Annotated,
            _ => DialectKind::Assembly,
        }
    }

    /// An architecture without exclusive accesses, where an update is a read and a write, and branches are events.
    pub fn assembly(name: &str, default_model: &str, sets: Vec<Name>) -> Self {
        Dialect {
            name: Name::new(name),
            default_model: Name::new(default_model),
            sets,
            fused_updates: false,
            po_inside: false,
            branch_events: true,
            exclusive: None,
            status: StatusDependency::Nothing,
            conditional_store_data: true,
            loose_compare: false,
        }
    }

    /// C with the primitives of the Linux kernel, and further tags.
    pub fn kernel(tags: &[Name]) -> Self {
        let sets: Vec<Name> = KERNEL_SETS.iter().map(|s| Name::new(s)).chain(tags.iter().cloned()).collect();
        Dialect::c(Self::KERNEL, "linux-kernel", false, &sets)
    }

    /// C with the atomics of C11, for litmus tests and for whole programs: all that differs is the model that is used when
    /// none is named.
    pub fn c11(default_model: &str) -> Self {
        Dialect::c(Self::C, default_model, true, &[])
    }

    /// C with further sets.
    pub fn c(name: &str, default_model: &str, fused_updates: bool, more: &[Name]) -> Self {
        let mut sets: Vec<Name> = C_SETS.iter().map(|s| Name::new(s)).chain(more.iter().cloned()).collect();
        sets.sort();
        sets.dedup();
        Dialect { fused_updates, po_inside: true, branch_events: false, ..Dialect::assembly(name, default_model, sets) }
    }
}
