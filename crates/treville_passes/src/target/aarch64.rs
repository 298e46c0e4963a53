//! AArch64: acquire is LDAPR, sequentially consistent LDAR and STLR, updates are the atomic instructions of version 8.1.
//!
//! Compilers write the fences for the inner shareable domain, `DMB ISH`; here they are `DMB SY` and `DMB LD`, which order
//! the same, since the architecture's model has a flag against naming a domain.

use super::{Access, After, Form, Isa, Update};
use treville_ir::MemoryOrder;

pub(super) const ISA: Isa = Isa {
    model: "aarch64",
    dialect: "AArch64",
    load,
    store,
    update,
    retried: None,
    fence,
    own: &[],
    joins_failure: true,
};

fn load(order: MemoryOrder) -> Access {
    Access::plain(match order {
        MemoryOrder::SeqCst => &["A"],
        _ if order.acquires() => &["Q"],
        _ => &[],
    })
}

fn store(order: MemoryOrder) -> Access {
    Access::plain(if order.releases() { &["L"] } else { &[] })
}

fn update(order: MemoryOrder) -> Update {
    let (read, fail): (_, super::TagNames) =
        if order.acquires() { (&["X", "A"][..], &["A"]) } else { (&["X"][..], &[]) };
    let write = if order.releases() { &["X", "L"][..] } else { &["X"] };
    Update { form: Form::Atomic, before: None, read, write, fail, after: After::Nothing }
}

fn fence(order: MemoryOrder) -> Option<&'static str> {
    match order {
        MemoryOrder::Relaxed => None,
        MemoryOrder::Consume | MemoryOrder::Acquire => Some("DMB.LD"),
        MemoryOrder::Release | MemoryOrder::AcquireRelease | MemoryOrder::SeqCst => Some("DMB.SY"),
    }
}
