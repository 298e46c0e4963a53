//! Instructions. Operands know their types through the function or the module that holds them.

use crate::constant::ConstId;
use crate::debug::{LocationId, LoopId};
use crate::module::{BlockId, ValueId};
use crate::types::TypeId;
use treville_base::Span;

/// What an instruction works on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Operand {
    Local(ValueId),
    Const(ConstId),
}

#[derive(Clone, PartialEq, Debug)]
pub struct Inst {
    /// Missing for instructions without a value.
    pub result: Option<ValueId>,
    pub kind: InstKind,
    pub location: Option<LocationId>,
    /// In the IR.
    pub span: Span,
}

/// The last instruction of a block.
#[derive(Clone, PartialEq, Debug)]
pub struct Terminator {
    /// Of an `invoke`.
    pub result: Option<ValueId>,
    pub kind: TerminatorKind,
    pub location: Option<LocationId>,
    /// The loop that this jump closes.
    pub repeats: Option<LoopId>,
    pub span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub enum InstKind {
    Binary {
        op: BinaryOp,
        lhs: Operand,
        rhs: Operand,
        flags: Flags,
    },
    FNeg(Operand),
    ICmp {
        predicate: IntPredicate,
        lhs: Operand,
        rhs: Operand,
    },
    FCmp {
        predicate: FloatPredicate,
        lhs: Operand,
        rhs: Operand,
    },
    Cast {
        op: CastOp,
        value: Operand,
        to: TypeId,
        flags: Flags,
    },
    Select {
        condition: Operand,
        then: Operand,
        otherwise: Operand,
    },
    Freeze(Operand),
    /// One entry for each edge into the block.
    Phi(Vec<(Operand, BlockId)>),
    Alloca {
        ty: TypeId,
        count: Option<Operand>,
        align: Option<u32>,
    },
    Load {
        ty: TypeId,
        address: Operand,
        access: Access,
    },
    Store {
        value: Operand,
        address: Operand,
        access: Access,
    },
    Fence {
        ordering: Ordering,
        scope: Scope,
    },
    CmpXchg(Box<CmpXchg>),
    AtomicRmw {
        op: RmwOp,
        address: Operand,
        value: Operand,
        access: Access,
    },
    Gep {
        element: TypeId,
        base: Operand,
        indices: Vec<Operand>,
        flags: Flags,
    },
    ExtractValue {
        aggregate: Operand,
        indices: Vec<u32>,
    },
    InsertValue {
        aggregate: Operand,
        value: Operand,
        indices: Vec<u32>,
    },
    ExtractElement {
        vector: Operand,
        index: Operand,
    },
    InsertElement {
        vector: Operand,
        value: Operand,
        index: Operand,
    },
    /// Lanes are counted through both vectors; `None` is an undefined lane.
    ShuffleVector {
        first: Operand,
        second: Operand,
        mask: Vec<Option<u32>>,
    },
    Call(Box<Call>),
    LandingPad {
        cleanup: bool,
        clauses: Vec<Clause>,
    },
}

#[derive(Clone, PartialEq, Debug)]
pub enum TerminatorKind {
    Return(Option<Operand>),
    Jump(BlockId),
    Branch { condition: Operand, then: BlockId, otherwise: BlockId },
    Switch { value: Operand, default: BlockId, cases: Vec<(ConstId, BlockId)> },
    Invoke { call: Box<Call>, normal: BlockId, unwind: BlockId },
    Resume(Operand),
    Unreachable,
}

impl InstKind {
    /// Calls `f` with every operand, in the order of the text.
    pub fn operands(&self, mut f: impl FnMut(Operand)) {
        match self {
            InstKind::Binary { lhs, rhs, .. } | InstKind::ICmp { lhs, rhs, .. } | InstKind::FCmp { lhs, rhs, .. } => {
                [*lhs, *rhs].into_iter().for_each(f);
            }
            InstKind::FNeg(value) | InstKind::Freeze(value) | InstKind::Cast { value, .. } => f(*value),
            InstKind::Select { condition, then, otherwise } => [*condition, *then, *otherwise].into_iter().for_each(f),
            InstKind::Phi(incoming) => incoming.iter().for_each(|&(value, _)| f(value)),
            InstKind::Alloca { count, .. } => count.iter().for_each(|&count| f(count)),
            InstKind::Load { address, .. } => f(*address),
            InstKind::Store { value, address, .. } => [*value, *address].into_iter().for_each(f),
            InstKind::Fence { .. } => {}
            InstKind::CmpXchg(exchange) => {
                [exchange.address, exchange.expected, exchange.new].into_iter().for_each(f);
            }
            InstKind::AtomicRmw { address, value, .. } => [*address, *value].into_iter().for_each(f),
            InstKind::Gep { base, indices, .. } => std::iter::once(base).chain(indices).for_each(|&value| f(value)),
            InstKind::ExtractValue { aggregate, .. } => f(*aggregate),
            InstKind::InsertValue { aggregate, value, .. } => [*aggregate, *value].into_iter().for_each(f),
            InstKind::ExtractElement { vector, index } => [*vector, *index].into_iter().for_each(f),
            InstKind::InsertElement { vector, value, index } => [*vector, *value, *index].into_iter().for_each(f),
            InstKind::ShuffleVector { first, second, .. } => [*first, *second].into_iter().for_each(f),
            InstKind::Call(call) => call.operands(f),
            InstKind::LandingPad { clauses, .. } => {
                clauses.iter().for_each(|clause| match clause {
                    Clause::Catch(value) | Clause::Filter(value) => f(*value),
                });
            }
        }
    }
}

impl Call {
    /// Calls `f` with the address called, if it is one, and the arguments.
    pub fn operands(&self, mut f: impl FnMut(Operand)) {
        if let Callee::Value(callee) = self.callee {
            f(callee);
        }
        self.args.iter().for_each(|arg| f(arg.value));
    }
}

impl TerminatorKind {
    /// Calls `f` with every operand, in the order of the text.
    pub fn operands(&self, mut f: impl FnMut(Operand)) {
        match self {
            TerminatorKind::Return(value) => value.iter().for_each(|&value| f(value)),
            TerminatorKind::Jump(_) | TerminatorKind::Unreachable => {}
            TerminatorKind::Branch { condition: value, .. }
            | TerminatorKind::Switch { value, .. }
            | TerminatorKind::Resume(value) => f(*value),
            TerminatorKind::Invoke { call, .. } => call.operands(f),
        }
    }

    /// The blocks that may come next, in the order of the text; one may occur twice.
    pub fn successors(&self) -> Vec<BlockId> {
        match self {
            TerminatorKind::Return(_) | TerminatorKind::Resume(_) | TerminatorKind::Unreachable => Vec::new(),
            TerminatorKind::Jump(to) => vec![*to],
            TerminatorKind::Branch { then, otherwise, .. } => vec![*then, *otherwise],
            TerminatorKind::Switch { default, cases, .. } => {
                std::iter::once(*default).chain(cases.iter().map(|&(_, to)| to)).collect()
            }
            TerminatorKind::Invoke { normal, unwind, .. } => vec![*normal, *unwind],
        }
    }

    pub(crate) fn successors_mut(&mut self) -> Vec<&mut BlockId> {
        match self {
            TerminatorKind::Return(_) | TerminatorKind::Resume(_) | TerminatorKind::Unreachable => Vec::new(),
            TerminatorKind::Jump(to) => vec![to],
            TerminatorKind::Branch { then, otherwise, .. } => vec![then, otherwise],
            TerminatorKind::Switch { default, cases, .. } => {
                std::iter::once(default).chain(cases.iter_mut().map(|(_, to)| to)).collect()
            }
            TerminatorKind::Invoke { normal, unwind, .. } => vec![normal, unwind],
        }
    }
}

/// How memory is accessed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Access {
    pub volatile: bool,
    /// Missing for accesses that are not atomic.
    pub ordering: Option<Ordering>,
    pub scope: Scope,
    /// In bytes; if missing, that of the type.
    pub align: Option<u32>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Ordering {
    Unordered,
    Monotonic,
    Acquire,
    Release,
    AcqRel,
    SeqCst,
}

/// Who must see an atomic access in order.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Scope {
    System,
    /// Only the thread itself, as signal handlers need: a barrier for the compiler.
    SingleThread,
}

#[derive(Clone, PartialEq, Debug)]
pub struct CmpXchg {
    pub address: Operand,
    pub expected: Operand,
    pub new: Operand,
    pub weak: bool,
    pub failure: Ordering,
    /// With the ordering of success.
    pub access: Access,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RmwOp {
    Xchg,
    Add,
    Sub,
    And,
    Nand,
    Or,
    Xor,
    Max,
    Min,
    UMax,
    UMin,
    FAdd,
    FSub,
    FMax,
    FMin,
    UIncWrap,
    UDecWrap,
    USubCond,
    USubSat,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    UDiv,
    SDiv,
    URem,
    SRem,
    Shl,
    LShr,
    AShr,
    And,
    Or,
    Xor,
    FAdd,
    FSub,
    FMul,
    FDiv,
    FRem,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CastOp {
    Trunc,
    ZExt,
    SExt,
    BitCast,
    PtrToInt,
    IntToPtr,
    /// The address of a pointer, without what else it carries.
    PtrToAddr,
    AddrSpaceCast,
    FpTrunc,
    FpExt,
    FpToUi,
    FpToSi,
    UiToFp,
    SiToFp,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum IntPredicate {
    Eq,
    Ne,
    Ugt,
    Uge,
    Ult,
    Ule,
    Sgt,
    Sge,
    Slt,
    Sle,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FloatPredicate {
    False,
    Oeq,
    Ogt,
    Oge,
    Olt,
    Ole,
    One,
    Ord,
    Ueq,
    Ugt,
    Uge,
    Ult,
    Ule,
    Une,
    Uno,
    True,
}

/// Promises that make the result poison where they are broken.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Flags {
    pub nuw: bool,
    pub nsw: bool,
    pub exact: bool,
    pub disjoint: bool,
    pub nneg: bool,
    pub inbounds: bool,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Call {
    pub callee: Callee,
    /// The function's type as the call sees it; the function itself may have another one.
    pub ty: TypeId,
    pub args: Vec<Arg>,
    /// The call, or the function called, is said not to return.
    pub noreturn: bool,
    /// Groups of attributes, until they are known.
    pub(crate) groups: Vec<u32>,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Callee {
    /// An address; mostly that of a function.
    Value(Operand),
    Asm(Box<InlineAsm>),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InlineAsm {
    pub text: String,
    pub constraints: String,
    pub side_effect: bool,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Arg {
    pub value: Operand,
    pub passing: Passing,
}

/// How an argument or a parameter is handed over.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Passing {
    #[default]
    Plain,
    /// The callee gets the address of a copy of the object.
    ByVal(TypeId),
    /// The address where the callee puts its result.
    StructReturn(TypeId),
    /// The address of an object of this type, on which inline assembly works.
    Indirect(TypeId),
}

/// A clause of a landing pad.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Clause {
    Catch(Operand),
    Filter(Operand),
}
