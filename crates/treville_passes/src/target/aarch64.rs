//! AArch64: acquire is LDAPR, sequentially consistent LDAR and STLR, updates are the atomic instructions of version 8.1.
//!
//! Compilers write the fences for the inner shareable domain, `DMB ISH`; here they are `DMB SY` and `DMB LD`, which order
//! the same, since the architecture's model has a flag against naming a domain.

use super::{Access, After, Form, Isa, Order, Update};

pub(super) const ISA: Isa = Isa { model: "aarch64", dialect: "AArch64", load, store, update, fence, own: &[] };

fn load(order: Order) -> Access {
    Access::plain(match order {
        Order::SeqCst => &["A"],
        _ if order.acquires() => &["Q"],
        _ => &[],
    })
}

fn store(order: Order) -> Access {
    Access::plain(if order.releases() { &["L"] } else { &[] })
}

fn update(order: Order) -> Update {
    let (read, fail): (_, super::Words) = if order.acquires() { (&["X", "A"][..], &["A"]) } else { (&["X"][..], &[]) };
    let write = if order.releases() { &["X", "L"][..] } else { &["X"] };
    Update { form: Form::Atomic, before: None, read, write, fail, after: After::Nothing }
}

fn fence(order: Order) -> Option<&'static str> {
    match order {
        Order::Relaxed => None,
        Order::Acquire => Some("DMB.LD"),
        Order::Release | Order::AcquireRelease | Order::SeqCst => Some("DMB.SY"),
    }
}
