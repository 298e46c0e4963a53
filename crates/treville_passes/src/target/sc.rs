//! Sequential consistency: orders say nothing more, and fences are not needed. The dialect stays C, where an update is one
//! event: the model does not order the two halves of one that is split.

use super::{Access, After, Form, Isa, Update};
use treville_ir::{Dialect, MemoryOrder};

pub(super) const ISA: Isa = Isa {
    model: "sc",
    dialect: Dialect::C,
    load: |_| Access::plain(&[]),
    store: |_| Access::plain(&[]),
    update,
    retried: None,
    fence: |_| None,
    own: &[],
    joins_failure: true,
};

fn update(_: MemoryOrder) -> Update {
    Update {
        form: Form::Atomic,
        before: None,
        read: &["X", "RMW"],
        write: &["X", "RMW"],
        fail: &[],
        after: After::Nothing,
    }
}
