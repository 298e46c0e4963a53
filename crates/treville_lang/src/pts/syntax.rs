//! Programs as they are written.

use crate::lexer::Word;
use treville_base::Span;
use treville_ir::MemoryOrder;
use treville_term::BinOp;

#[derive(Debug)]
pub(super) struct Source<'a> {
    pub(super) locations: Vec<Location<'a>>,
    pub(super) threads: Vec<Thread<'a>>,
    /// Where the condition begins.
    pub(super) condition: usize,
}

#[derive(Debug)]
pub(super) struct Location<'a> {
    pub(super) name: Word<'a>,
    pub(super) init: i32,
}

#[derive(Debug)]
pub(super) struct Thread<'a> {
    pub(super) number: u32,
    /// Of its name.
    pub(super) span: Span,
    pub(super) body: Vec<Stmt<'a>>,
}

#[derive(Debug)]
pub(super) struct Stmt<'a> {
    pub(super) kind: StmtKind<'a>,
    pub(super) span: Span,
}

#[derive(Debug)]
pub(super) enum StmtKind<'a> {
    Assign { register: Word<'a>, value: Expr<'a> },
    Load { register: Word<'a>, location: Word<'a>, order: Order },
    Store { location: Word<'a>, value: Expr<'a>, order: Order },
    Fence { tag: &'static str },
    While { cond: Expr<'a>, body: Vec<Stmt<'a>> },
    If { cond: Expr<'a>, then: Vec<Stmt<'a>>, els: Vec<Stmt<'a>> },
}

/// A memory order; none if an access is not atomic.
pub(super) type Order = Option<MemoryOrder>;

/// How orders are written.
pub(super) const ORDERS: [(Order, &str); 6] = [
    (None, "_na"),
    (Some(MemoryOrder::Relaxed), "_rx"),
    (Some(MemoryOrder::Consume), "_con"),
    (Some(MemoryOrder::Acquire), "_acq"),
    (Some(MemoryOrder::Release), "_rel"),
    (Some(MemoryOrder::SeqCst), "_sc"),
];

/// What an expression gives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Sort {
    Number,
    Truth,
}

#[derive(Debug)]
pub(super) struct Expr<'a> {
    pub(super) kind: ExprKind<'a>,
    pub(super) sort: Sort,
    pub(super) span: Span,
    /// How many expressions are inside each other.
    pub(super) depth: u32,
}

#[derive(Debug)]
pub(super) enum ExprKind<'a> {
    Int(i32),
    Truth(bool),
    Register(&'a str),
    Not(Box<Expr<'a>>),
    Negate(Box<Expr<'a>>),
    Binary(Binary, Box<Expr<'a>>, Box<Expr<'a>>),
}

/// An operator with two operands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Binary {
    pub(super) op: BinOp,
    /// `a > b` is `b < a`.
    pub(super) swapped: bool,
    /// Those with larger numbers bind tighter.
    pub(super) level: u8,
    pub(super) operands: Sort,
}

impl Binary {
    /// How tight comparisons bind.
    pub(super) const COMPARISON: u8 = 3;

    pub(super) fn named(word: &str) -> Option<Binary> {
        let (op, level) = match word {
            "or" | "||" => (BinOp::Or, 1),
            "and" | "&&" => (BinOp::And, 2),
            "==" => (BinOp::Eq, Self::COMPARISON),
            "!=" => (BinOp::Ne, Self::COMPARISON),
            "<" | ">" => (BinOp::SLt, Self::COMPARISON),
            "<=" | ">=" => (BinOp::SLe, Self::COMPARISON),
            "|" => (BinOp::Or, 4),
            "^" => (BinOp::Xor, 5),
            "&" => (BinOp::And, 6),
            "+" => (BinOp::Add, 7),
            "-" => (BinOp::Sub, 7),
            "*" => (BinOp::Mul, 8),
            "/" => (BinOp::SDiv, 8),
            _ => return None,
        };
        let operands = if level < Self::COMPARISON { Sort::Truth } else { Sort::Number };
        Some(Binary { op, swapped: matches!(word, ">" | ">="), level, operands })
    }

    pub(super) fn result(self) -> Sort {
        if self.level <= Self::COMPARISON { Sort::Truth } else { Sort::Number }
    }
}
