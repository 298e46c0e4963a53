//! Random litmus programs, small enough for the unpruned engine, in every dialect.
//!
//! A [`Sketch`] says what each thread does; a [`Syntax`] writes it as a test of one dialect. To add a dialect, write its
//! module and its line in [`SYNTAXES`].

mod c;
mod dialects;
mod estimate;
mod generate;
mod machine;
mod model;
mod shrink;
mod sketch;

pub use estimate::candidates;
pub use generate::{generate, generate_mixed};
pub use model::{RandomModel, model};
pub use shrink::shrink;
pub use sketch::{Access, Dependency, DependencyKind, Part, Sketch, Step, Value};

use std::fmt::Debug;

/// How many of everything a dialect has.
#[derive(Clone, Copy, Debug)]
pub struct Features {
    /// Kinds of loads, the weakest first; the same for the others.
    pub loads: usize,
    pub stores: usize,
    pub fences: usize,
    pub updates: &'static [Update],
    pub sections: &'static [Section],
    /// Whether an address can be computed from a result.
    pub addresses: bool,
    pub pointers: bool,
    /// Whether locations can be accessed in parts.
    pub mixed: bool,
}

/// A kind of update.
#[derive(Clone, Copy, Debug)]
pub struct Update {
    pub orders: usize,
    /// Whether it may end without a write.
    pub may_fail: bool,
    /// Whether it compares with a value in memory of its thread.
    pub has_expected: bool,
}

impl Update {
    pub(crate) const fn new(orders: usize) -> Self {
        Update { orders, may_fail: false, has_expected: false }
    }

    pub(crate) const fn may_fail(orders: usize) -> Self {
        Update { orders, may_fail: true, has_expected: false }
    }
}

/// A kind of section.
#[derive(Clone, Copy, Debug)]
pub struct Section {
    /// Whether taking and releasing it are accesses.
    pub is_lock: bool,
    /// Whether it is left out if it cannot be taken.
    pub may_fail: bool,
}

/// A dialect as the generator sees it.
pub trait Syntax: Sync + Debug {
    /// A name for people; the dialect's own unless two share it.
    fn name(&self) -> &'static str;
    fn features(&self) -> &'static Features;
    /// The bundled models that programs run under, the dialect's own first.
    fn models(&self) -> &'static [&'static str];
    /// Whether it is the C of the Linux kernel.
    fn is_kernel(&self) -> bool {
        false
    }
    fn write(&self, sketch: &Sketch) -> Option<String>;
}

/// One line for each dialect.
pub const SYNTAXES: &[&dyn Syntax] = &[
    &dialects::aarch64::AArch64,
    &dialects::arm::Arm,
    &dialects::bpf::Bpf,
    &c::c11::C11,
    &dialects::lisa::Lisa,
    &c::linux::Linux,
    &dialects::mips::Mips,
    &dialects::ppc::Ppc,
    &dialects::riscv::RiscV,
    &dialects::x86::X86,
    &dialects::x86_64::X86_64,
];
