//! RISC-V: the mapping of the specification's table for C and C++, with fences for loads and stores and annotated atomic
//! instructions for updates; for those that have none, annotated pairs of load-reserved and store-conditional, which order less: what
//! comes before and what comes after the pair are not kept in order.

use super::{Access, After, Form, Isa, Update};
use treville_ir::MemoryOrder;

pub(super) const ISA: Isa = Isa {
    model: "riscv",
    dialect: "RISCV",
    load,
    store,
    update,
    retried: Some(retried),
    fence,
    own: &[],
    joins_failure: true,
};

fn load(order: MemoryOrder) -> Access {
    let before = (order == MemoryOrder::SeqCst).then_some("Fence.rw.rw");
    let after = if order.acquires() { After::Fence("Fence.r.rw") } else { After::Nothing };
    Access { before, tags: &[], after }
}

fn store(order: MemoryOrder) -> Access {
    Access { before: order.releases().then_some("Fence.rw.w"), tags: &[], after: After::Nothing }
}

fn update(order: MemoryOrder) -> Update {
    let (read, write): (super::TagNames, super::TagNames) = match order {
        MemoryOrder::Relaxed => (&["X"], &["X"]),
        MemoryOrder::Consume | MemoryOrder::Acquire => (&["X", "Acq"], &["X"]),
        MemoryOrder::Release => (&["X"], &["X", "Rel"]),
        MemoryOrder::AcquireRelease | MemoryOrder::SeqCst => (&["X", "Sc"], &["X", "Sc"]),
    };
    Update { form: Form::Atomic, before: None, read, write, fail: read, after: After::Nothing }
}

fn retried(order: MemoryOrder) -> Update {
    let read: super::TagNames = match order {
        MemoryOrder::SeqCst => &["EX", "AcqRel"],
        _ if order.acquires() => &["EX", "Acq"],
        _ => &["EX"],
    };
    let write: super::TagNames = if order.releases() { &["EX", "Rel"] } else { &["EX"] };
    Update { form: Form::Exclusive, before: None, read, write, fail: read, after: After::Nothing }
}

fn fence(order: MemoryOrder) -> Option<&'static str> {
    match order {
        MemoryOrder::Relaxed => None,
        MemoryOrder::Consume | MemoryOrder::Acquire => Some("Fence.r.rw"),
        MemoryOrder::Release => Some("Fence.rw.w"),
        MemoryOrder::AcquireRelease => Some("Fence.tso"),
        MemoryOrder::SeqCst => Some("Fence.rw.rw"),
    }
}
