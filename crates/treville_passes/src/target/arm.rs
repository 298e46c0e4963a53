//! Armv7: fences around plain accesses; updates are pairs of exclusives that succeed.

use super::{Access, After, Form, Isa, Update};
use treville_ir::MemoryOrder;

pub(super) const ISA: Isa =
    Isa { model: "arm", dialect: "ARM", load, store, update, retried: None, fence, own: &[], joins_failure: false };

const FENCE: &str = "DMB.ISH";

fn after(fenced: bool) -> After {
    if fenced { After::Fence(FENCE) } else { After::Nothing }
}

fn load(order: MemoryOrder) -> Access {
    Access { before: None, tags: &[], after: after(order.acquires()) }
}

fn store(order: MemoryOrder) -> Access {
    Access { before: order.releases().then_some(FENCE), tags: &[], after: after(order == MemoryOrder::SeqCst) }
}

fn update(order: MemoryOrder) -> Update {
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

fn fence(order: MemoryOrder) -> Option<&'static str> {
    (order != MemoryOrder::Relaxed).then_some(FENCE)
}
