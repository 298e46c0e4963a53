//! Run-time values of general expressions.

use super::{Extent, Stop};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use treville_base::{Name, Span};
use treville_event::{EventSet, Relation};
use treville_model::syntax::{Binding, Exp, Pattern};
use treville_model::{Prim, Static, Type};

/// Equality and order are those of contents; they exist so that values can be elements of sets.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Value {
    /// The empty set of whatever is needed.
    Empty,
    Universe,
    Event(usize),
    Pair(usize, usize),
    Set(EventSet),
    Rel(Relation),
    /// A relation on sets of events.
    ClassRel(BTreeSet<(EventSet, EventSet)>),
    Tag(Name),
    /// A set whose elements are neither events nor pairs.
    SetOf(BTreeSet<Value>),
    Tuple(Vec<Value>),
    Function(Function),
}

#[derive(Clone, Debug)]
pub(crate) enum Function {
    Prim(Prim),
    Closure {
        params: Pattern,
        body: Arc<Exp>,
        env: Env,
        /// The functions of its recursive group, itself among them.
        group: Arc<Vec<Binding>>,
        span: Span,
    },
}

impl Function {
    /// Functions are compared by where they are written: enough for sets of functions to be sets.
    fn key(&self) -> (Option<Prim>, Option<Span>) {
        match self {
            Function::Prim(prim) => (Some(*prim), None),
            Function::Closure { span, .. } => (None, Some(*span)),
        }
    }
}

impl PartialEq for Function {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Function {}

impl PartialOrd for Function {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Function {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key().cmp(&other.key())
    }
}

/// What names stand for: run-time bindings, newest first, over what the linker captured.
#[derive(Clone, Debug)]
pub(crate) enum Env {
    Linked(Arc<BTreeMap<Name, Static>>),
    Bound(Arc<(Name, Value, Env)>),
}

impl Env {
    pub(crate) fn bind(&self, name: &Name, value: Value) -> Env {
        Env::Bound(Arc::new((name.clone(), value, self.clone())))
    }
}

impl Value {
    pub(crate) fn from_extent(extent: &Extent) -> Value {
        match extent {
            Extent::Set(s) => Value::Set(s.clone()),
            Extent::Rel(r) => Value::Rel(r.clone()),
        }
    }

    /// What messages call it.
    pub(crate) fn type_name(&self) -> String {
        let ty = match self {
            Value::Empty => return "an empty set".to_owned(),
            Value::Universe => return "the universe".to_owned(),
            Value::Event(_) => Type::Event,
            Value::Pair(..) => Type::Pair,
            Value::Set(_) => Type::Set,
            Value::Rel(_) => Type::Rel,
            Value::ClassRel(_) => Type::ClassRel,
            Value::Tag(_) => Type::Tag,
            Value::SetOf(_) => Type::SetOf(Box::new(Type::Any)),
            Value::Tuple(_) => Type::Tuple(Vec::new()),
            Value::Function(_) => Type::Function,
        };
        ty.to_string()
    }

    /// As a set of events; a single event is a set of one.
    pub(crate) fn into_set(self, n_events: usize, span: Span) -> Result<EventSet, Stop> {
        match self {
            Value::Set(s) => Ok(s),
            Value::Event(e) => Ok(EventSet::from_members(n_events, [e])),
            Value::Empty => Ok(EventSet::new(n_events)),
            Value::Universe => Ok(EventSet::full(n_events)),
            other => Stop::fault(span, format!("a set of events is needed here, this is {}", other.type_name())),
        }
    }

    /// As a relation; a single pair is a relation of one.
    pub(crate) fn into_rel(self, n_events: usize, span: Span) -> Result<Relation, Stop> {
        match self {
            Value::Rel(r) => Ok(r),
            Value::Pair(a, b) => Ok(Relation::from_pairs(n_events, [(a, b)])),
            Value::Empty => Ok(Relation::new(n_events)),
            Value::Universe => Ok(Relation::full(n_events)),
            other => Stop::fault(span, format!("a relation is needed here, this is {}", other.type_name())),
        }
    }

    pub(crate) fn is_empty_set(&self) -> bool {
        match self {
            Value::Empty => true,
            Value::Set(s) => s.is_empty(),
            Value::Rel(r) => r.is_empty(),
            Value::ClassRel(r) => r.is_empty(),
            Value::SetOf(s) => s.is_empty(),
            _ => false,
        }
    }
}
