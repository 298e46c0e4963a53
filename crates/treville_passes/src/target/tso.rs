//! x86: only a sequentially consistent store needs a fence, after it; updates are locked instructions, which are fences
//! themselves, whether they write or not.

use super::{Access, After, Form, Isa, Update};
use treville_ir::MemoryOrder;

pub(super) const ISA: Isa = Isa {
    model: "tso",
    dialect: "X86_64",
    load: |_| Access::plain(&[]),
    store,
    update,
    retried: None,
    fence: |order| (order == MemoryOrder::SeqCst).then_some("MFENCE"),
    own: &["MFENCE"],
    joins_failure: true,
};

fn store(order: MemoryOrder) -> Access {
    let after = if order == MemoryOrder::SeqCst { After::Fence("MFENCE") } else { After::Nothing };
    Access { before: None, tags: &[], after }
}

fn update(_: MemoryOrder) -> Update {
    Update { form: Form::Atomic, before: None, read: &["X"], write: &["X"], fail: &["X"], after: After::Nothing }
}
