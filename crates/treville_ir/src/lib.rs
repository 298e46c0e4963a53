//! Programs as data: threads of instructions over registers and memory, and the questions about their final states and runs.
//!
//! Front ends produce a [`Program`] (and, for a litmus test, a [`Question`]); everything after works on it. The code is
//! naive: front ends do not optimise. Nothing here knows a memory model: accesses carry *tags* (names such as `ACQ`,
//! `DMB.ISH`, `ONCE`), whose meaning is the model's.

mod claims;
mod dialect;
mod display;
mod expr;
mod order;
mod program;
mod question;
mod reach;
pub mod text;
mod validate;

pub use claims::{Aware, Claim, Claims, Prop, Symmetry, Term, WriteVar};
pub use dialect::{Dialect, DialectKind, StatusDependency};
pub use expr::Expr;
pub use order::MemoryOrder;
pub use program::{
    Again, Block, BlockId, Callee, Failure, Func, FuncId, HandleOp, InitCell, Inst, InstrId, LockOp, Mark, Member,
    Object, ObjectId, Op, Program, Reg, RegInfo, Root, Storage, TagId, Tags, Terminator, ThreadId, Type, UpdateTags,
    Wait,
};
pub use question::{Atom, Comparison, Formula, Observable, Operand, Place, Quantifier, Question};
pub use reach::may_run;
pub use validate::validate;
