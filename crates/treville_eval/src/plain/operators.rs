//! Operators on run-time values.

use super::Stop;
use super::value::Value;
use std::collections::BTreeSet;
use treville_base::Span;
use treville_event::{EventSet, Relation};
use treville_model::syntax::{Nary, Unary};

pub(crate) fn unary(op: Unary, value: Value, n: usize, span: Span) -> Result<Value, Stop> {
    let closed = |mut r: Relation| {
        r.close_transitively();
        r
    };
    let reflexive = |mut r: Relation| {
        r.add_identity();
        r
    };
    Ok(match (op, value) {
        (Unary::Complement, Value::Empty) => Value::Universe,
        (Unary::Complement, Value::Universe) => Value::Empty,
        (Unary::Complement, Value::Set(s)) => Value::Set(s.complement()),
        (Unary::Complement, value) => Value::Rel(value.into_rel(n, span)?.complement()),
        (Unary::ToId, value) => Value::Rel(Relation::identity_on(&value.into_set(n, span)?)),
        (Unary::Inverse, Value::Pair(a, b)) => Value::Pair(b, a),
        (Unary::Inverse, Value::ClassRel(r)) => Value::ClassRel(r.into_iter().map(|(a, b)| (b, a)).collect()),
        (Unary::Inverse, value) => Value::Rel(value.into_rel(n, span)?.inverse()),
        (Unary::Plus, value) => Value::Rel(closed(value.into_rel(n, span)?)),
        (Unary::Star, value) => Value::Rel(reflexive(closed(value.into_rel(n, span)?))),
        (Unary::Opt, value) => Value::Rel(reflexive(value.into_rel(n, span)?)),
    })
}

/// An operator on two values; those with more operands are folded.
pub(crate) fn binary(op: Nary, a: Value, b: Value, n: usize, span: Span) -> Result<Value, Stop> {
    match op {
        Nary::Union | Nary::Inter | Nary::Diff => pointwise(op, a, b, n, span),
        Nary::Seq => sequence(a, b, n, span),
        Nary::Product => Ok(Value::Rel(Relation::product(&a.into_set(n, span)?, &b.into_set(n, span)?))),
        Nary::Add => add(a, b, n, span),
    }
}

/// Union, intersection and difference, of two sets of the same kind of elements.
fn pointwise(op: Nary, a: Value, b: Value, n: usize, span: Span) -> Result<Value, Stop> {
    let (a, b) = (lift(a, n), lift(b, n));
    Ok(match (a, b) {
        (Value::Empty, b) if op == Nary::Union => b,
        (Value::Empty, _) => Value::Empty,
        (_, Value::Empty) if op == Nary::Inter => Value::Empty,
        (a, Value::Empty) => a,
        (_, Value::Universe) if op == Nary::Diff => Value::Empty,
        (_, Value::Universe) | (Value::Universe, _) if op == Nary::Union => Value::Universe,
        (a, Value::Universe) => a,
        (Value::Universe, b) if op == Nary::Inter => b,
        (Value::Set(a), b) => Value::Set(on_sets(op, &a, &b.into_set(n, span)?)),
        (a, Value::Set(b)) => Value::Set(on_sets(op, &a.into_set(n, span)?, &b)),
        (Value::Rel(a), b) => Value::Rel(on_rels(op, &a, &b.into_rel(n, span)?)),
        (a, Value::Rel(b)) => Value::Rel(on_rels(op, &a.into_rel(n, span)?, &b)),
        (Value::ClassRel(a), Value::ClassRel(b)) => Value::ClassRel(on_trees(op, &a, &b)),
        (Value::SetOf(a), Value::SetOf(b)) => Value::SetOf(on_trees(op, &a, &b)),
        (a, b) => {
            return Stop::fault(span, format!("{} does not combine with {}", a.type_name(), b.type_name()));
        }
    })
}

/// Elements as sets of one.
fn lift(value: Value, n: usize) -> Value {
    match value {
        Value::Event(e) => Value::Set(EventSet::from_members(n, [e])),
        Value::Pair(a, b) => Value::Rel(Relation::from_pairs(n, [(a, b)])),
        Value::Tag(_) => Value::SetOf(BTreeSet::from([value])),
        other => other,
    }
}

fn on_sets(op: Nary, a: &EventSet, b: &EventSet) -> EventSet {
    match op {
        Nary::Union => a.union(b),
        Nary::Inter => a.intersection(b),
        _ => a.difference(b),
    }
}

fn on_rels(op: Nary, a: &Relation, b: &Relation) -> Relation {
    match op {
        Nary::Union => a.union(b),
        Nary::Inter => a.intersection(b),
        _ => a.difference(b),
    }
}

fn on_trees<T: Ord + Clone>(op: Nary, a: &BTreeSet<T>, b: &BTreeSet<T>) -> BTreeSet<T> {
    match op {
        Nary::Union => a | b,
        Nary::Inter => a & b,
        _ => a - b,
    }
}

fn sequence(a: Value, b: Value, n: usize, span: Span) -> Result<Value, Stop> {
    match (a, b) {
        (Value::ClassRel(a), Value::ClassRel(b)) => {
            let mut pairs = BTreeSet::new();
            for (x, via) in &a {
                pairs.extend(b.iter().filter(|(from, _)| from == via).map(|(_, y)| (x.clone(), y.clone())));
            }
            Ok(Value::ClassRel(pairs))
        }
        (a, b) => Ok(Value::Rel(a.into_rel(n, span)?.compose(&b.into_rel(n, span)?))),
    }
}

/// `element ++ set`.
fn add(element: Value, set: Value, n: usize, span: Span) -> Result<Value, Stop> {
    Ok(match (element, set) {
        (Value::Universe, _) => return Stop::fault(span, "the universe cannot be an element"),
        (_, Value::Universe) => Value::Universe,
        (Value::Event(e), Value::Empty) => Value::Set(EventSet::from_members(n, [e])),
        (Value::Event(e), Value::Set(mut s)) => {
            s.insert(e);
            Value::Set(s)
        }
        (Value::Pair(a, b), Value::Empty) => Value::Rel(Relation::from_pairs(n, [(a, b)])),
        (Value::Pair(a, b), Value::Rel(mut r)) => {
            r.insert(a, b);
            Value::Rel(r)
        }
        (Value::Tuple(parts), Value::Rel(mut r)) => match parts[..] {
            [Value::Event(a), Value::Event(b)] => {
                r.insert(a, b);
                Value::Rel(r)
            }
            _ => return Stop::fault(span, "only pairs of events can be added to a relation"),
        },
        (element, Value::Empty) => Value::SetOf(BTreeSet::from([element])),
        (element, Value::SetOf(mut s)) => {
            s.insert(like_elements(element, &s, n));
            Value::SetOf(s)
        }
        (element, set) => {
            let message = format!("{} cannot be added to {}", element.type_name(), set.type_name());
            return Stop::fault(span, message);
        }
    })
}

/// An empty set among sets of events (or relations) is one of them: the same value whether written `{}` or computed.
fn like_elements(element: Value, others: &BTreeSet<Value>, n: usize) -> Value {
    match (&element, others.first()) {
        (Value::Empty, Some(Value::Set(_))) => Value::Set(EventSet::new(n)),
        (Value::Empty, Some(Value::Rel(_))) => Value::Rel(Relation::new(n)),
        _ => element,
    }
}
