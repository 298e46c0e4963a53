//! Programs of .rar as they are written.

use crate::lexer::Word;
use treville_base::Span;
use treville_ir::{Aware, Comparison, MemoryOrder};

#[derive(Debug, Default)]
pub(super) struct Source<'a> {
    /// Shared variables with their initial values.
    pub(super) init: Vec<(Word<'a>, i32)>,
    pub(super) threads: Vec<Thread<'a>>,
    pub(super) invariants: Vec<Claim<'a>>,
    pub(super) outcomes: Vec<Claim<'a>>,
    pub(super) symmetries: Vec<Symmetry<'a>>,
}

#[derive(Debug)]
pub(super) struct Thread<'a> {
    pub(super) name: Word<'a>,
    pub(super) body: Vec<Stmt<'a>>,
}

#[derive(Debug)]
pub(super) struct Stmt<'a> {
    pub(super) label: Option<Word<'a>>,
    pub(super) kind: StmtKind<'a>,
    pub(super) span: Span,
}

#[derive(Debug)]
pub(super) enum StmtKind<'a> {
    Skip,
    /// To a shared variable or a register; `release` is the place of an `R`.
    Assign {
        target: Word<'a>,
        release: Option<Span>,
        value: Expr<'a>,
    },
    Update {
        result: Option<Word<'a>>,
        target: Word<'a>,
        op: UpdateOp,
        args: Vec<Expr<'a>>,
        order: MemoryOrder,
    },
    While {
        cond: Expr<'a>,
        body: Vec<Stmt<'a>>,
    },
    If {
        cond: Expr<'a>,
        then: Vec<Stmt<'a>>,
        els: Vec<Stmt<'a>>,
    },
    Assume(Expr<'a>),
    Assert(Expr<'a>),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum UpdateOp {
    Swap,
    Faa,
    Cas,
}

#[derive(Debug)]
pub(super) struct Expr<'a> {
    pub(super) kind: ExprKind<'a>,
    pub(super) span: Span,
    /// How many expressions are inside each other.
    pub(super) depth: u32,
}

#[derive(Debug)]
pub(super) enum ExprKind<'a> {
    Int(i32),
    /// A register, or a shared variable that is read; `acquire` is the place of an `A`.
    Name {
        name: &'a str,
        acquire: Option<Span>,
    },
    Not(Box<Expr<'a>>),
    Negate(Box<Expr<'a>>),
    Binary(Binary, Box<Expr<'a>>, Box<Expr<'a>>),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Binary {
    Or,
    And,
    Compare(Comparison),
    Add,
    Sub,
}

impl Binary {
    pub(super) fn named(word: &str) -> Option<Binary> {
        Some(match word {
            "||" => Binary::Or,
            "&&" => Binary::And,
            "+" => Binary::Add,
            "-" => Binary::Sub,
            word => Binary::Compare(comparison(word)?),
        })
    }

    /// Those with larger numbers bind tighter.
    pub(super) fn level(self) -> u8 {
        match self {
            Binary::Or => 1,
            Binary::And => 2,
            Binary::Compare(_) => Self::COMPARISON,
            Binary::Add | Binary::Sub => 4,
        }
    }

    pub(super) const COMPARISON: u8 = 3;
}

pub(super) fn comparison(word: &str) -> Option<Comparison> {
    Some(match word {
        "==" => Comparison::Eq,
        "!=" => Comparison::Ne,
        "<" => Comparison::Lt,
        "<=" => Comparison::Le,
        ">" => Comparison::Gt,
        ">=" => Comparison::Ge,
        _ => return None,
    })
}

#[derive(Debug)]
pub(super) struct Claim<'a> {
    pub(super) name: Word<'a>,
    pub(super) prop: Prop<'a>,
}

#[derive(Debug)]
pub(super) struct Prop<'a> {
    pub(super) kind: PropKind<'a>,
    pub(super) span: Span,
    pub(super) depth: u32,
}

#[derive(Debug)]
pub(super) enum PropKind<'a> {
    Not(Box<Prop<'a>>),
    And(Box<Prop<'a>>, Box<Prop<'a>>),
    Or(Box<Prop<'a>>, Box<Prop<'a>>),
    Implies(Box<Prop<'a>>, Box<Prop<'a>>),
    Compare(Box<Prop<'a>>, Comparison, Box<Prop<'a>>),
    /// `forall w in OW(t, x): …`
    Writes {
        all: bool,
        write: Word<'a>,
        aware: Aware,
        thread: Word<'a>,
        object: Word<'a>,
        body: Box<Prop<'a>>,
    },
    /// `forall t in threads \ u: …`
    Threads {
        all: bool,
        thread: Word<'a>,
        but: Option<Word<'a>>,
        body: Box<Prop<'a>>,
    },
    /// `definite(t, x, v)`, or `possible(t, x, v)`.
    Sees {
        all: bool,
        thread: Word<'a>,
        object: Word<'a>,
        value: Box<Prop<'a>>,
    },
    Int(i32),
    Truth(bool),
    /// A register (perhaps of a thread), or a label.
    Name(Word<'a>, Option<Word<'a>>),
    Pc(Word<'a>),
    Value(Word<'a>),
    Released(Word<'a>),
    Covered(Word<'a>),
    Add(Box<Prop<'a>>, Box<Prop<'a>>),
    Sub(Box<Prop<'a>>, Box<Prop<'a>>),
}

/// `symmetric t1, t2 with flag1 <-> flag2, value turn 1 <-> 2;`
#[derive(Debug)]
pub(super) struct Symmetry<'a> {
    pub(super) threads: (Word<'a>, Word<'a>),
    pub(super) objects: Vec<(Word<'a>, Word<'a>)>,
    pub(super) values: Vec<(Word<'a>, i32, i32)>,
    pub(super) span: Span,
}
