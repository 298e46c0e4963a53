//! What a program says of its own runs: invariants over program counters, registers and the writes that threads can
//! observe, outcomes that may be reached, and symmetries.

use crate::{Comparison, ObjectId, Reg, ThreadId};
use std::collections::BTreeSet;
use treville_base::{Name, Span};

#[derive(Clone, PartialEq, Debug, Default)]
pub struct Claims {
    /// They hold in every state that can be reached.
    pub invariants: Vec<Claim>,
    /// Is there a run at whose end this holds?
    pub outcomes: Vec<Claim>,
    pub symmetries: Vec<Symmetry>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Claim {
    pub name: Name,
    pub prop: Prop,
    /// Of what it says.
    pub span: Span,
}

/// A property of one state.
#[derive(Clone, PartialEq, Debug)]
pub enum Prop {
    Const(bool),
    Not(Box<Prop>),
    And(Vec<Prop>),
    Or(Vec<Prop>),
    Implies(Box<Prop>, Box<Prop>),
    /// The program counter of the thread is at one of these labels ([`Prop::END`] if it is done).
    At {
        thread: ThreadId,
        labels: BTreeSet<Name>,
    },
    Compare {
        left: Term,
        op: Comparison,
        right: Term,
    },
    /// All (or some) of the writes to an object that the thread is aware of in this way satisfy `body`, where
    /// [`WriteVar`] is the write.
    Writes {
        all: bool,
        aware: Aware,
        thread: ThreadId,
        object: ObjectId,
        body: Box<Prop>,
    },
}

/// How a thread may know a write.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Aware {
    /// It may read it next.
    Observable,
    /// It, or something that comes after it, has reached the thread.
    Encountered,
}

/// A write that a quantifier ranges over: how many quantifiers are outside of that one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WriteVar(pub u8);

#[derive(Clone, PartialEq, Debug)]
pub enum Term {
    Int(i64),
    Reg(ThreadId, Reg),
    /// What was written.
    Value(WriteVar),
    /// 1 if the write releases, else 0.
    Released(WriteVar),
    /// 1 if an update has read the write, else 0.
    Covered(WriteVar),
    Add(Box<Term>, Box<Term>),
    Sub(Box<Term>, Box<Term>),
}

/// Threads that do the same, once other names are exchanged with theirs.
#[derive(Clone, PartialEq, Debug)]
pub struct Symmetry {
    pub threads: (ThreadId, ThreadId),
    pub objects: Vec<(ObjectId, ObjectId)>,
    /// Values of an object that change places.
    pub values: Vec<(ObjectId, i64, i64)>,
    pub span: Span,
}

impl Prop {
    /// Where the program counter is when a thread is done.
    pub const END: &str = "end";

    /// Calls `visit` for this and every part of it, outside first.
    pub fn visit(&self, visit: &mut impl FnMut(&Prop)) {
        visit(self);
        match self {
            Prop::Const(_) | Prop::At { .. } | Prop::Compare { .. } => {}
            Prop::Not(inner) | Prop::Writes { body: inner, .. } => inner.visit(visit),
            Prop::And(many) | Prop::Or(many) => many.iter().for_each(|p| p.visit(visit)),
            Prop::Implies(a, b) => {
                a.visit(visit);
                b.visit(visit);
            }
        }
    }

    /// When it says something at all: where the left side of some implication in it holds. Nothing if it is no implication,
    /// nor a conjunction of such, and so always says something.
    pub fn occasion(&self) -> Option<Prop> {
        match self {
            Prop::Implies(left, right) => {
                let left = (**left).clone();
                Some(match right.occasion() {
                    Some(right) => Prop::And(vec![left, right]),
                    None => left,
                })
            }
            // A thread can always observe something, but may have encountered nothing.
            Prop::Writes { all: true, aware: aware @ Aware::Encountered, thread, object, .. } => {
                let body = Box::new(Prop::Const(true));
                Some(Prop::Writes { all: false, aware: *aware, thread: *thread, object: *object, body })
            }
            Prop::And(parts) if !parts.is_empty() => {
                parts.iter().map(Prop::occasion).collect::<Option<_>>().map(Prop::Or)
            }
            _ => None,
        }
    }
}

impl Claims {
    /// Of every invariant and outcome.
    pub fn props(&self) -> impl Iterator<Item = &Prop> {
        self.invariants.iter().chain(&self.outcomes).map(|claim| &claim.prop)
    }
}
