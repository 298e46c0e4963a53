//! Power: the mapping with leading fences. What acquires is followed by a branch on what was read and `isync`; updates
//! are pairs of reserving load and conditional store that succeed.

use super::{Access, After, Form, Isa, Update};
use treville_ir::MemoryOrder;

pub(super) const ISA: Isa = Isa {
    model: "power",
    dialect: "PPC",
    load,
    store,
    update,
    retried: None,
    fence,
    own: &["SYNC", "LWSYNC", "ISYNC"],
    joins_failure: true,
};

fn before(order: MemoryOrder) -> Option<&'static str> {
    match order {
        MemoryOrder::SeqCst => Some("SYNC"),
        _ if order.releases() => Some("LWSYNC"),
        _ => None,
    }
}

fn after(order: MemoryOrder) -> After {
    if order.acquires() { After::Branch("ISYNC") } else { After::Nothing }
}

fn load(order: MemoryOrder) -> Access {
    Access { before: (order == MemoryOrder::SeqCst).then_some("SYNC"), tags: &[], after: after(order) }
}

fn store(order: MemoryOrder) -> Access {
    Access { before: before(order), tags: &[], after: After::Nothing }
}

fn update(order: MemoryOrder) -> Update {
    // The branches of the loop depend on what was read.
    let after = if order.acquires() { After::Fence("ISYNC") } else { After::Nothing };
    Update { form: Form::Exclusive, before: before(order), read: &["EX"], write: &["EX"], fail: &["EX"], after }
}

fn fence(order: MemoryOrder) -> Option<&'static str> {
    match order {
        MemoryOrder::Relaxed => None,
        MemoryOrder::Consume | MemoryOrder::Acquire | MemoryOrder::Release | MemoryOrder::AcquireRelease => {
            Some("LWSYNC")
        }
        MemoryOrder::SeqCst => Some("SYNC"),
    }
}
