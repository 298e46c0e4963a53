//! Types of values: how they combine, and how messages call them.

use crate::model::{General, GeneralId, Shape, Static, Type};
use crate::syntax::Nary;
use crate::terms::Terms;
use std::fmt;
use treville_base::IndexVec;

impl Type {
    pub fn of_shape(shape: Shape) -> Type {
        match shape {
            Shape::Set => Type::Set,
            Shape::Rel => Type::Rel,
        }
    }

    pub fn shape(&self) -> Option<Shape> {
        match self {
            Type::Set => Some(Shape::Set),
            Type::Rel => Some(Shape::Rel),
            _ => None,
        }
    }

    /// The type of values that may be of either type; `Any` if they have nothing in common.
    pub(crate) fn join(&self, other: &Type) -> Type {
        match (self, other) {
            (Type::Any, t) | (t, Type::Any) => t.clone(),
            (Type::SetOf(a), Type::SetOf(b)) => Type::SetOf(Box::new(a.join(b))),
            (Type::Tuple(a), Type::Tuple(b)) if a.len() == b.len() => {
                Type::Tuple(a.iter().zip(b).map(|(a, b)| a.join(b)).collect())
            }
            (a, b) if a == b => a.clone(),
            _ => Type::Any,
        }
    }

    /// The type of a set whose elements have this type.
    pub(crate) fn set_of(self) -> Type {
        match self {
            Type::Event => Type::Set,
            Type::Pair => Type::Rel,
            Type::Any => Type::Any,
            t => Type::SetOf(Box::new(t)),
        }
    }

    /// The type of the elements of a value of this type.
    pub(crate) fn element(&self) -> Option<Type> {
        match self {
            Type::Any => Some(Type::Any),
            Type::Set => Some(Type::Event),
            Type::Rel => Some(Type::Pair),
            Type::SetOf(t) => Some((**t).clone()),
            Type::Event | Type::Pair | Type::ClassRel | Type::Tag | Type::Tuple(_) | Type::Function => None,
        }
    }

    /// The type that an operator gives, operands being of these types and at least one known only by the run.
    pub(crate) fn of_operator(op: Nary, operands: &[Type]) -> Type {
        let lifted = |t: &Type| match t {
            Type::Event => Type::Set,
            Type::Pair => Type::Rel,
            Type::Tag => Type::SetOf(Box::new(Type::Tag)),
            t => t.clone(),
        };
        match op {
            Nary::Union | Nary::Inter | Nary::Diff => operands.iter().map(lifted).fold(Type::Any, |a, b| a.join(&b)),
            Nary::Seq if operands.contains(&Type::ClassRel) => Type::ClassRel,
            Nary::Seq | Nary::Product => Type::Rel,
            Nary::Add => {
                let Some((set, elements)) = operands.split_last() else { return Type::Any };
                let pair = Type::Tuple(vec![Type::Event, Type::Event]);
                let element = elements.iter().fold(Type::Any, |a, b| a.join(b));
                match (set, element) {
                    (Type::Rel, _) => Type::Rel,
                    (Type::Any, e) if e == pair => Type::Any,
                    (set, e) => set.join(&e.set_of()),
                }
            }
        }
    }
}

impl Static {
    pub(crate) fn type_in(&self, terms: &Terms, generals: &IndexVec<GeneralId, General>) -> Type {
        match self {
            Static::Term(t) => Type::of_shape(terms.shape(*t)),
            Static::Empty | Static::Universe | Static::Faulty(_) => Type::Any,
            Static::General(g) => generals[*g].ty.clone(),
            Static::Tag(_) => Type::Tag,
            Static::Tags(_) => Type::SetOf(Box::new(Type::Tag)),
            Static::Tuple(vs) => Type::Tuple(vs.iter().map(|v| v.type_in(terms, generals)).collect()),
            Static::Closure(_) | Static::Prim(_) => Type::Function,
            Static::Unknown(t) => t.clone(),
        }
    }

    /// Whether something that only the run knows is part of it.
    pub(crate) fn is_open(&self) -> bool {
        match self {
            Static::Unknown(_) => true,
            Static::Tuple(vs) => vs.iter().any(Static::is_open),
            Static::Closure(c) => c.open,
            _ => false,
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Any => f.write_str("a value"),
            Type::Event => f.write_str("an event"),
            Type::Pair => f.write_str("a pair of events"),
            Type::Set => f.write_str("a set of events"),
            Type::Rel => f.write_str("a relation"),
            Type::ClassRel => f.write_str("a relation on sets of events"),
            Type::Tag => f.write_str("a tag"),
            Type::SetOf(t) if **t == Type::Tag => f.write_str("a set of tags"),
            Type::SetOf(t) if **t == Type::Rel => f.write_str("a set of relations"),
            Type::SetOf(t) if **t == Type::Set => f.write_str("a set of sets of events"),
            Type::SetOf(_) => f.write_str("a set of values"),
            Type::Tuple(_) => f.write_str("a tuple"),
            Type::Function => f.write_str("a function"),
        }
    }
}
