//! Partial store order, with the fences of x86: what releases is preceded by `SFENCE`, since reads are not delayed and only
//! writes may be; a sequentially consistent store is followed by `MFENCE`. Updates are locked instructions.

use super::{Access, After, Form, Isa, Update};
use treville_ir::MemoryOrder;

pub(super) const ISA: Isa = Isa {
    model: "pso",
    dialect: "X86_64",
    load: |_| Access::plain(&[]),
    store,
    update,
    retried: None,
    fence,
    own: &["MFENCE"],
    joins_failure: true,
};

fn store(order: MemoryOrder) -> Access {
    let after = if order == MemoryOrder::SeqCst { After::Fence("MFENCE") } else { After::Nothing };
    Access { before: order.releases().then_some("SFENCE"), tags: &[], after }
}

fn update(_: MemoryOrder) -> Update {
    Update { form: Form::Atomic, before: None, read: &["X"], write: &["X"], fail: &["X"], after: After::Nothing }
}

fn fence(order: MemoryOrder) -> Option<&'static str> {
    match order {
        MemoryOrder::Relaxed | MemoryOrder::Consume | MemoryOrder::Acquire => None,
        MemoryOrder::Release | MemoryOrder::AcquireRelease => Some("SFENCE"),
        MemoryOrder::SeqCst => Some("MFENCE"),
    }
}
