//! The C that litmus tests are written in, as a tree.

use treville_base::{Name, Span};

/// A thread: `P0(int *x, …) { … }`.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Function {
    pub(crate) number: u32,
    /// Of the name.
    pub(crate) span: Span,
    pub(crate) params: Vec<Param>,
    pub(crate) body: Vec<Stmt>,
}

/// A parameter: it names a global, whose address it is.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Param {
    pub(crate) name: Name,
    /// The type of the global.
    pub(crate) ty: CType,
    pub(crate) span: Span,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct CType {
    /// Of the type below all pointers.
    pub(crate) bytes: u8,
    pub(crate) signed: bool,
    pub(crate) pointers: u8,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Stmt {
    pub(crate) kind: StmtKind,
    pub(crate) span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) enum StmtKind {
    Empty,
    Declare { ty: CType, name: Name, init: Option<Expr> },
    Assign { target: Expr, value: Expr },
    Expr(Expr),
    Block(Vec<Stmt>),
    If { cond: Expr, then: Box<Stmt>, els: Option<Box<Stmt>> },
    While { cond: Expr, body: Box<Stmt> },
    DoWhile { body: Box<Stmt>, cond: Expr },
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Expr {
    pub(crate) kind: ExprKind,
    pub(crate) span: Span,
    /// The height of this tree; the parser keeps it small, so that walks over trees need no care.
    pub(crate) height: u16,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) enum ExprKind {
    Int(i128),
    Name(Name),
    Deref(Box<Expr>),
    AddressOf(Box<Expr>),
    Index(Box<Expr>, Box<Expr>),
    /// A cast to a pointer.
    PointerCast(CType, Box<Expr>),
    /// Any other cast.
    Cast(CType, Box<Expr>),
    Unary(Unary, Box<Expr>),
    Binary(Binary, Box<Expr>, Box<Expr>),
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    /// A primitive with its annotations, `__load{once}(*x)`, an atomic function or a macro.
    Call {
        name: Name,
        annotations: Vec<Name>,
        args: Vec<Expr>,
    },
    /// An operator as an argument: `__atomic_op{…}(x, +, 1)`.
    Operator(AtomicOp),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Unary {
    Negate,
    Complement,
    Not,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Binary {
    Or,
    And,
    BitOr,
    BitXor,
    BitAnd,
    Eq,
    Ne,
    Lt,
    Gt,
    Le,
    Ge,
    Shl,
    Shr,
    Add,
    Sub,
    Mul,
    Div,
    Rem,
}

/// What an atomic update does to the old value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum AtomicOp {
    Add,
    Sub,
    And,
    Or,
    Xor,
    AndNot,
}
