//! A program as guarded events: from one place of a thread to another, with at most one access, if a condition holds. This is
//! how tools see it that know sets and functions, but no programs.
//!
//! Numbers are those of mathematics here; nothing wraps around.

use treville_base::{Name, Span};
use treville_ir::{Comparison, MemoryOrder, ObjectId, Reg, ThreadId};

#[derive(Clone, PartialEq, Debug)]
pub struct GuardedProgram {
    pub threads: Vec<GuardedThread>,
    /// Shared variables with their initial values.
    pub vars: Vec<(ObjectId, i64)>,
    /// In the order of threads, and of places in each.
    pub events: Vec<GuardedEvent>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct GuardedThread {
    pub id: ThreadId,
    /// A program counter.
    pub start: i64,
    /// Those that a state has, with their initial values.
    pub registers: Vec<(Reg, i64)>,
    /// In ascending order.
    pub places: Vec<Resting>,
}

/// Where a thread can be.
#[derive(Clone, PartialEq, Debug)]
pub struct Resting {
    /// Its program counter: the label if that is a number, and no other place has it.
    pub pc: i64,
    pub label: Option<Name>,
    pub kind: RestingKind,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RestingKind {
    Statement(Span),
    Done,
    /// An assumption was wrong.
    GivenUp,
    /// An assertion was false.
    Failed,
}

#[derive(Clone, PartialEq, Debug)]
pub struct GuardedEvent {
    pub thread: ThreadId,
    pub span: Span,
    pub from: i64,
    pub to: i64,
    pub access: GuardedAccess,
    /// All of them hold.
    pub guards: Vec<Truth>,
    /// New values, all computed before any is assigned.
    pub sets: Vec<(Reg, Number)>,
}

/// Variables are counted as in [`GuardedProgram::vars`].
#[derive(Clone, PartialEq, Debug)]
pub enum GuardedAccess {
    None,
    Read { var: usize, acquire: bool },
    Write { var: usize, release: bool, value: Number },
    Update { var: usize, order: MemoryOrder, value: Number },
}

#[derive(Clone, PartialEq, Debug)]
pub enum Number {
    Int(i64),
    Reg(Reg),
    /// What the access has read.
    Read,
    Negate(Box<Number>),
    Add(Box<Number>, Box<Number>),
    Sub(Box<Number>, Box<Number>),
    /// 1 if it is so, else 0.
    Of(Box<Truth>),
}

#[derive(Clone, PartialEq, Debug)]
pub enum Truth {
    Const(bool),
    Not(Box<Truth>),
    And(Box<Truth>, Box<Truth>),
    Or(Box<Truth>, Box<Truth>),
    Compare(Comparison, Number, Number),
}

impl Number {
    /// A number of a truth, without detours.
    pub fn of(truth: Truth) -> Number {
        match truth {
            Truth::Const(value) => Number::Int(i64::from(value)),
            truth => Number::Of(Box::new(truth)),
        }
    }
}

impl Truth {
    pub fn negated(self) -> Truth {
        match self {
            Truth::Const(value) => Truth::Const(!value),
            Truth::Not(inner) => *inner,
            Truth::Compare(op, a, b) => {
                let op = match op {
                    Comparison::Eq => Comparison::Ne,
                    Comparison::Ne => Comparison::Eq,
                    Comparison::Lt => Comparison::Ge,
                    Comparison::Ge => Comparison::Lt,
                    Comparison::Gt => Comparison::Le,
                    Comparison::Le => Comparison::Gt,
                };
                Truth::Compare(op, a, b)
            }
            other => Truth::Not(Box::new(other)),
        }
    }

    pub fn and(self, other: Truth) -> Truth {
        match (self, other) {
            (Truth::Const(true), one) | (one, Truth::Const(true)) => one,
            (Truth::Const(false), _) | (_, Truth::Const(false)) => Truth::Const(false),
            (a, b) => Truth::And(Box::new(a), Box::new(b)),
        }
    }

    pub fn or(self, other: Truth) -> Truth {
        match (self, other) {
            (Truth::Const(false), one) | (one, Truth::Const(false)) => one,
            (Truth::Const(true), _) | (_, Truth::Const(true)) => Truth::Const(true),
            (a, b) => Truth::Or(Box::new(a), Box::new(b)),
        }
    }

    /// A comparison, decided if both sides are known.
    pub fn compare(op: Comparison, a: Number, b: Number) -> Truth {
        match (op, a, b) {
            (op, Number::Int(a), Number::Int(b)) => Truth::Const(op.compares(a, b)),
            (Comparison::Ne, Number::Of(truth), Number::Int(0)) => *truth,
            (Comparison::Eq, Number::Of(truth), Number::Int(0)) => truth.negated(),
            (op, a, b) => Truth::Compare(op, a, b),
        }
    }
}
