//! RISC-V: the mapping of the specification's table for C and C++, with fences for loads and stores and annotated atomic
//! instructions for updates.

use super::{Access, After, Form, Isa, Order, Update};

pub(super) const ISA: Isa = Isa { model: "riscv", dialect: "RISCV", load, store, update, fence, own: &[] };

fn load(order: Order) -> Access {
    let before = (order == Order::SeqCst).then_some("Fence.rw.rw");
    let after = if order.acquires() { After::Fence("Fence.r.rw") } else { After::Nothing };
    Access { before, tags: &[], after }
}

fn store(order: Order) -> Access {
    Access { before: order.releases().then_some("Fence.rw.w"), tags: &[], after: After::Nothing }
}

fn update(order: Order) -> Update {
    let (read, write): (super::Words, super::Words) = match order {
        Order::Relaxed => (&["X"], &["X"]),
        Order::Acquire => (&["X", "Acq"], &["X"]),
        Order::Release => (&["X"], &["X", "Rel"]),
        Order::AcquireRelease | Order::SeqCst => (&["X", "Sc"], &["X", "Sc"]),
    };
    Update { form: Form::Atomic, before: None, read, write, fail: read, after: After::Nothing }
}

fn fence(order: Order) -> Option<&'static str> {
    match order {
        Order::Relaxed => None,
        Order::Acquire => Some("Fence.r.rw"),
        Order::Release => Some("Fence.rw.w"),
        Order::AcquireRelease => Some("Fence.tso"),
        Order::SeqCst => Some("Fence.rw.rw"),
    }
}
