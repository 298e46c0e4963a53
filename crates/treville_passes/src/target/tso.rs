//! x86: only a sequentially consistent store needs a fence, after it; updates are locked instructions, which are fences
//! themselves, whether they write or not.

use super::{Access, After, Form, Isa, Order, Update};

pub(super) const ISA: Isa = Isa {
    model: "tso",
    dialect: "X86_64",
    load: |_| Access::plain(&[]),
    store,
    update,
    fence: |order| (order == Order::SeqCst).then_some("MFENCE"),
    own: &["MFENCE"],
};

fn store(order: Order) -> Access {
    let after = if order == Order::SeqCst { After::Fence("MFENCE") } else { After::Nothing };
    Access { before: None, tags: &[], after }
}

fn update(_: Order) -> Update {
    Update { form: Form::Atomic, before: None, read: &["X"], write: &["X"], fail: &["X"], after: After::Nothing }
}
