//! Programs of .rma as they are written.

use crate::lexer::Word;
use treville_base::Span;
use treville_rma::{Init, PropKind, Rmw};

#[derive(Debug, Default)]
pub(super) struct Source<'a> {
    pub(super) name: Option<Word<'a>>,
    pub(super) procs: Vec<Proc<'a>>,
    pub(super) domain: Option<(i64, i64)>,
    pub(super) properties: Vec<(PropKind, Expr<'a>)>,
    pub(super) predicates: Vec<Expr<'a>>,
}

#[derive(Debug)]
pub(super) struct Proc<'a> {
    pub(super) name: Word<'a>,
    pub(super) decls: Vec<Decl<'a>>,
    pub(super) body: Vec<Stmt<'a>>,
}

#[derive(Debug)]
pub(super) struct Decl<'a> {
    pub(super) shared: bool,
    pub(super) name: Word<'a>,
    /// Of an array.
    pub(super) size: Option<i64>,
    pub(super) init: Option<Init>,
}

/// A variable or an element of an array.
#[derive(Debug)]
pub(super) struct Place<'a> {
    pub(super) name: Word<'a>,
    pub(super) index: Option<Expr<'a>>,
}

#[derive(Debug)]
pub(super) struct Stmt<'a> {
    pub(super) kind: StmtKind<'a>,
    pub(super) span: Span,
    /// It is the body of another one, without braces.
    pub(super) bare: bool,
}

/// Conditions that are `None` are `?`.
#[derive(Debug)]
pub(super) enum StmtKind<'a> {
    Labelled(Word<'a>, Box<Stmt<'a>>),
    Skip,
    Load { local: Word<'a>, from: Place<'a> },
    Store { to: Place<'a>, value: Expr<'a> },
    Remote(RemoteStmt<'a>),
    Flush(Word<'a>),
    Assign { local: Word<'a>, value: Option<Expr<'a>> },
    Assume(Expr<'a>),
    Assert(Expr<'a>),
    If { cond: Option<Expr<'a>>, then: Vec<Stmt<'a>>, els: Vec<Stmt<'a>> },
    While { cond: Option<Expr<'a>>, body: Vec<Stmt<'a>> },
    Do { body: Vec<Stmt<'a>>, cond: Option<Expr<'a>> },
    Choose(Vec<Vec<Stmt<'a>>>),
    Goto(Word<'a>),
    Atomic(Vec<Stmt<'a>>),
}

#[derive(Debug)]
pub(super) struct RemoteStmt<'a> {
    pub(super) kind: RemoteWord,
    /// What is there, and what is here.
    pub(super) remote: Place<'a>,
    pub(super) own: Place<'a>,
    pub(super) target: Word<'a>,
    pub(super) operands: Vec<Expr<'a>>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum RemoteWord {
    Put,
    Get,
    Rmw(Rmw),
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
    Int(i64),
    Truth(bool),
    /// A variable, perhaps of a process, perhaps an element of an array.
    Name {
        name: Word<'a>,
        proc: Option<Word<'a>>,
        index: Option<Box<Expr<'a>>>,
    },
    At {
        proc: Word<'a>,
        label: Word<'a>,
    },
    Not(Box<Expr<'a>>),
    Negate(Box<Expr<'a>>),
    Binary(Binary, Box<Expr<'a>>, Box<Expr<'a>>),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Binary {
    Or,
    And,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    Add,
    Sub,
    Mul,
}

impl Binary {
    pub(super) fn named(word: &str) -> Option<Binary> {
        Some(match word {
            "||" => Binary::Or,
            "&&" => Binary::And,
            "==" => Binary::Eq,
            "!=" => Binary::Ne,
            "<" => Binary::Lt,
            "<=" => Binary::Le,
            ">" => Binary::Gt,
            ">=" => Binary::Ge,
            "+" => Binary::Add,
            "-" => Binary::Sub,
            "*" => Binary::Mul,
            _ => return None,
        })
    }

    /// Those with larger numbers bind tighter.
    pub(super) fn level(self) -> u8 {
        match self {
            Binary::Or => 1,
            Binary::And => 2,
            Binary::Eq | Binary::Ne => 3,
            Binary::Lt | Binary::Le | Binary::Gt | Binary::Ge => 4,
            Binary::Add | Binary::Sub => 5,
            Binary::Mul => 6,
        }
    }
}

impl StmtKind<'_> {
    /// The statements inside, in the order of the text; with whether they are in a loop.
    pub(super) fn parts(&self) -> Vec<(&Stmt<'_>, bool)> {
        match self {
            StmtKind::Labelled(_, inner) => vec![(inner, false)],
            StmtKind::If { then, els, .. } => then.iter().chain(els).map(|s| (s, false)).collect(),
            StmtKind::While { body, .. } | StmtKind::Do { body, .. } => body.iter().map(|s| (s, true)).collect(),
            StmtKind::Choose(many) => many.iter().flatten().map(|s| (s, false)).collect(),
            StmtKind::Atomic(body) => body.iter().map(|s| (s, false)).collect(),
            _ => Vec::new(),
        }
    }
}
