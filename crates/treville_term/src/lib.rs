//! Bit-vector values and hash-consed terms over them, with the one evaluator of operators that all engines share.
//!
//! A [`Bv`] is a value of up to 128 bits. A [`TermStore`] holds terms with variables; building a term simplifies it, so
//! `x ^ x` is the constant 0 (dependencies are therefore never read off a term: the interpreter carries them beside it).

mod bv;
mod op;
mod store;

pub use bv::Bv;
pub use op::{BinOp, Cast, UnOp};
pub use store::{TermId, TermNode, TermStore, VarId};
