//! Constants: numbers, aggregates, addresses of globals, and expressions over them.

use crate::inst::{BinaryOp, CastOp, IntPredicate};
use crate::module::GlobalId;
use crate::types::TypeId;
use std::sync::Arc;

treville_base::ids! {
    /// A constant of a module. Equal constants may have different ids.
    ConstId "c";
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Constant {
    pub ty: TypeId,
    pub kind: ConstKind,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum ConstKind {
    /// Two's complement; bits above the width of the type are 0.
    Int(u128),
    /// The bits in the format of the type.
    Float(u128),
    /// The null pointer.
    Null,
    Undef,
    Poison,
    /// `zeroinitializer`, of any type.
    Zero,
    /// `none`, the empty token.
    None,
    /// The elements of an array of `i8`.
    Bytes(Arc<[u8]>),
    /// Of an array, a struct or a vector.
    Aggregate(Arc<[ConstId]>),
    /// A vector whose lanes are all the same.
    Splat(ConstId),
    /// The address of a global.
    Global(GlobalId),
    Expr(ConstExpr),
    /// An argument that is metadata; what it says is not kept.
    Metadata,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum ConstExpr {
    Gep { element: TypeId, base: ConstId, indices: Arc<[ConstId]> },
    Cast { op: CastOp, value: ConstId },
    Binary { op: BinaryOp, lhs: ConstId, rhs: ConstId },
    ICmp { predicate: IntPredicate, lhs: ConstId, rhs: ConstId },
    Select { condition: ConstId, then: ConstId, otherwise: ConstId },
}
