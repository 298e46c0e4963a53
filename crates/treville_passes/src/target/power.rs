//! Power: the mapping with leading fences. What acquires is followed by a branch on what was read and `isync`; updates
//! are pairs of reserving load and conditional store that succeed.

use super::{Access, After, Form, Isa, Order, Update};

pub(super) const ISA: Isa =
    Isa { model: "power", dialect: "PPC", load, store, update, fence, own: &["SYNC", "LWSYNC", "ISYNC"] };

fn before(order: Order) -> Option<&'static str> {
    match order {
        Order::SeqCst => Some("SYNC"),
        _ if order.releases() => Some("LWSYNC"),
        _ => None,
    }
}

fn after(order: Order) -> After {
    if order.acquires() { After::Branch("ISYNC") } else { After::Nothing }
}

fn load(order: Order) -> Access {
    Access { before: (order == Order::SeqCst).then_some("SYNC"), tags: &[], after: after(order) }
}

fn store(order: Order) -> Access {
    Access { before: before(order), tags: &[], after: After::Nothing }
}

fn update(order: Order) -> Update {
    // The branches of the loop depend on what was read.
    let after = if order.acquires() { After::Fence("ISYNC") } else { After::Nothing };
    Update { form: Form::Exclusive, before: before(order), read: &["EX"], write: &["EX"], fail: &["EX"], after }
}

fn fence(order: Order) -> Option<&'static str> {
    match order {
        Order::Relaxed => None,
        Order::Acquire | Order::Release | Order::AcquireRelease => Some("LWSYNC"),
        Order::SeqCst => Some("SYNC"),
    }
}
