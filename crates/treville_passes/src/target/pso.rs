//! Partial store order, with the fences of x86: what releases is preceded by `SFENCE`, since reads are not delayed and only
//! writes may be; a sequentially consistent store is followed by `MFENCE`. Updates are locked instructions.

use super::{Access, After, Form, Isa, Order, Update};

pub(super) const ISA: Isa =
    Isa { model: "pso", dialect: "X86_64", load: |_| Access::plain(&[]), store, update, fence, own: &["MFENCE"] };

fn store(order: Order) -> Access {
    let after = if order == Order::SeqCst { After::Fence("MFENCE") } else { After::Nothing };
    Access { before: order.releases().then_some("SFENCE"), tags: &[], after }
}

fn update(_: Order) -> Update {
    Update { form: Form::Atomic, before: None, read: &["X"], write: &["X"], fail: &["X"], after: After::Nothing }
}

fn fence(order: Order) -> Option<&'static str> {
    match order {
        Order::Relaxed | Order::Acquire => None,
        Order::Release | Order::AcquireRelease => Some("SFENCE"),
        Order::SeqCst => Some("MFENCE"),
    }
}
