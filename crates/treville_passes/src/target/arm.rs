//! Armv7: fences around plain accesses; updates are pairs of exclusives that succeed.

use super::{Access, After, Form, Isa, Order, Update};

pub(super) const ISA: Isa = Isa { model: "arm", dialect: "ARM", load, store, update, fence, own: &[] };

const FENCE: &str = "DMB.ISH";

fn after(fenced: bool) -> After {
    if fenced { After::Fence(FENCE) } else { After::Nothing }
}

fn load(order: Order) -> Access {
    Access { before: None, tags: &[], after: after(order.acquires()) }
}

fn store(order: Order) -> Access {
    Access { before: order.releases().then_some(FENCE), tags: &[], after: after(order == Order::SeqCst) }
}

fn update(order: Order) -> Update {
    let before = order.releases().then_some(FENCE);
    Update {
        form: Form::Exclusive,
        before,
        read: &["EX"],
        write: &["EX"],
        fail: &["EX"],
        after: after(order.acquires()),
    }
}

fn fence(order: Order) -> Option<&'static str> {
    (order != Order::Relaxed).then_some(FENCE)
}
