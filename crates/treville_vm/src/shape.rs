//! What a model and a dialect say about the events of a thread.

use treville_event::{LockShape, RmwShape, Vocabulary};
use treville_ir::{Program, StatusDependency};

#[derive(Clone, Copy, Debug)]
pub struct Shape {
    pub rmw: RmwShape,
    pub locks: LockShape,
    /// A lock is taken by one event, not by a read and a write.
    pub fused_locks: bool,
    /// Registers have events.
    pub registers: bool,
    /// Branches are events.
    pub branches: bool,
    /// A choice between values inside an instruction is an event.
    pub predicates: bool,
    /// A branch without a join makes everything after it control-dependent.
    pub control: bool,
    pub status: StatusDependency,
    /// The value of a store-conditional counts as a data dependency.
    pub conditional_data: bool,
    /// A compare-and-swap has the alternatives of [`treville_ir::Dialect::loose_compare`].
    pub loose_compare: bool,
    /// How often a thread may jump backwards to the same block.
    pub unroll: u32,
    /// Each block that is come to is an action, so that runs that have come to one can be joined.
    pub arrivals: bool,
}

impl Shape {
    pub fn new(program: &Program, vocabulary: &Vocabulary, unroll: u32) -> Self {
        let dialect = &program.dialect;
        Shape {
            rmw: vocabulary.rmw,
            locks: vocabulary.locks,
            fused_locks: dialect.fused_updates,
            registers: vocabulary.registers,
            branches: vocabulary.branches && dialect.branch_events,
            predicates: (vocabulary.branches || vocabulary.registers) && dialect.branch_events,
            control: dialect.branch_events,
            status: dialect.status,
            conditional_data: dialect.conditional_store_data,
            loose_compare: dialect.loose_compare,
            unroll,
            arrivals: false,
        }
    }
}
