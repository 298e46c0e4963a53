//! What a litmus test asks: a formula over the final values of registers and memory.

use crate::{ObjectId, Reg, ThreadId, Type};
use treville_base::Span;
use treville_term::Bv;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Quantifier {
    Exists,
    NotExists,
    Forall,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Question {
    pub quantifier: Quantifier,
    pub condition: Formula,
    /// Executions whose final state does not satisfy it do not count.
    pub filter: Option<Formula>,
    /// What a state lists: everything in the condition (not the filter) and in `locations`, registers before memory, each
    /// in its printed order, without repetition.
    pub observed: Vec<Observable>,
    pub span: Option<Span>,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Place {
    Reg(ThreadId, Reg),
    /// `size` bytes of an object.
    Mem {
        object: ObjectId,
        offset: u64,
        size: u8,
    },
    /// A whole array, `count` elements of `size` bytes.
    Array {
        object: ObjectId,
        size: u8,
        count: u32,
    },
}

/// A place with its type and the name under which a state prints it (`0:X1`, `[x]`, `x[2]`).
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Observable {
    pub place: Place,
    pub ty: Type,
    pub name: String,
}

/// The order is that of signed numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Comparison {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

impl Comparison {
    pub fn compares<T: Ord>(self, a: T, b: T) -> bool {
        match self {
            Comparison::Eq => a == b,
            Comparison::Ne => a != b,
            Comparison::Lt => a < b,
            Comparison::Le => a <= b,
            Comparison::Gt => a > b,
            Comparison::Ge => a >= b,
        }
    }

    /// Compares values of one width.
    fn holds(self, a: Bv, b: Bv) -> bool {
        self.compares(a.signed(), b.signed())
    }
}

#[derive(Clone, PartialEq, Debug)]
pub enum Operand {
    Value(Bv),
    Place(Place),
}

/// `left = right`, or another comparison. Values of different widths are compared modulo the place's width.
#[derive(Clone, PartialEq, Debug)]
pub struct Atom {
    pub left: Place,
    pub op: Comparison,
    pub right: Operand,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Formula {
    True,
    False,
    Atom(Atom),
    Not(Box<Formula>),
    And(Vec<Formula>),
    Or(Vec<Formula>),
    Implies(Box<Formula>, Box<Formula>),
}

impl Formula {
    /// Evaluates with the final value of each place; an atom over a place without a value is false.
    pub fn holds(&self, value: &impl Fn(&Place) -> Option<Bv>) -> bool {
        match self {
            Formula::True => true,
            Formula::False => false,
            Formula::Not(a) => !a.holds(value),
            Formula::And(all) => all.iter().all(|a| a.holds(value)),
            Formula::Or(any) => any.iter().any(|a| a.holds(value)),
            Formula::Implies(a, b) => !a.holds(value) || b.holds(value),
            Formula::Atom(atom) => {
                let Some(left) = value(&atom.left) else { return false };
                let right = match &atom.right {
                    Operand::Value(v) => Some(*v),
                    Operand::Place(p) => value(p),
                };
                let Some(right) = right else { return atom.op == Comparison::Ne };
                if left.is_thin_air() || right.is_thin_air() {
                    return match atom.op {
                        Comparison::Eq => left == right,
                        Comparison::Ne => left != right,
                        // It is no number.
                        Comparison::Lt | Comparison::Le | Comparison::Gt | Comparison::Ge => false,
                    };
                }
                let width = left.width().min(right.width());
                atom.op.holds(Bv::new(left.unsigned(), width), Bv::new(right.unsigned(), width))
            }
        }
    }

    /// Calls `visit` for every place that the formula mentions.
    pub fn visit_places(&self, visit: &mut impl FnMut(&Place)) {
        match self {
            Formula::True | Formula::False => {}
            Formula::Not(a) => a.visit_places(visit),
            Formula::And(many) | Formula::Or(many) => many.iter().for_each(|a| a.visit_places(visit)),
            Formula::Implies(a, b) => {
                a.visit_places(visit);
                b.visit_places(visit);
            }
            Formula::Atom(atom) => {
                visit(&atom.left);
                if let Operand::Place(p) = &atom.right {
                    visit(p);
                }
            }
        }
    }
}
