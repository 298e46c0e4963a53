//! Sequential consistency: orders say nothing more, and fences are not needed.

use super::{Access, Isa, Order, Update};

pub(super) const ISA: Isa = Isa {
    model: "sc",
    dialect: "X86_64",
    load: |_| Access::plain(&[]),
    store: |_| Access::plain(&[]),
    update,
    fence: |_| None,
};

fn update(_: Order) -> Update {
    Update { before: None, read: &["X"], write: &["X"], fail: &["X"], after: super::After::Nothing }
}
