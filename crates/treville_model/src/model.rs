//! A linked model: what every engine reads.
//!
//! Terms form a hash-consed graph over base sets and relations; names, functions, tuples, procedures, variants and
//! `try` are gone. Order matters only between picks (`with x from …`) and checks, and [`Model::steps`] keeps it.

use crate::syntax;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use treville_base::{Diagnostic, IndexVec, Name, Span};
use treville_event::BaseRel;

pub use crate::syntax::CheckKind;

treville_base::ids! {
    /// A set or relation term of a [`Model`].
    TermId "t";
    RecId "rec";
    PickId "pick";
    GeneralId "gen";
    CheckId "check";
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Shape {
    Set,
    Rel,
}

/// Children come before parents in [`Model::terms`], except through [`Term::Rec`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Term {
    BaseSet(Name),
    BaseRel(BaseRel),
    /// The empty set or relation.
    Empty,
    /// All events, or all pairs.
    Universe,
    Union(TermId, TermId),
    Inter(TermId, TermId),
    Diff(TermId, TermId),
    Complement(TermId),
    Seq(TermId, TermId),
    Inverse(TermId),
    Plus(TermId),
    Star(TermId),
    Opt(TermId),
    /// `A * B`, of sets.
    Product(TermId, TermId),
    /// `[S]`.
    ToId(TermId),
    Domain(TermId),
    Range(TermId),
    /// The i-th member of a recursive group: inside the group's bodies, the current approximation; outside, the result.
    Rec(RecId, u32),
    Pick(PickId),
    /// Needs the general interpreter; its value is a set or relation of events.
    General(GeneralId),
}

/// The latest choice that a term looks at: with the skeleton, with reads-from, with coherence (and final writes), after the i-th pick.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Stage {
    Skeleton,
    Rf,
    Co,
    Pick(u32),
}

#[derive(Clone, PartialEq, Debug)]
pub struct TermInfo {
    pub term: Term,
    pub shape: Shape,
    pub stage: Stage,
    /// Whether adding pairs to `rf` or `co` can only add pairs to this term: what holds of a partial execution then still
    /// holds of the whole.
    pub monotone: bool,
    /// The first name that the model gave it.
    pub name: Option<Name>,
    pub span: Option<Span>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum RecOrder {
    /// All bodies are monotone: the least fixpoint.
    Least,
    /// Iterated from empty in textual order, each body seeing the ones above it, until every body has what it had the time
    /// before. Some member only grows (`m = m | …`), and the others follow it.
    Iterated,
}

#[derive(Clone, PartialEq, Debug)]
pub struct RecGroup {
    pub bodies: Vec<TermId>,
    pub shapes: Vec<Shape>,
    pub order: RecOrder,
    pub names: Vec<Name>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Pick {
    pub name: Name,
    pub source: PickSource,
    pub span: Span,
}

/// For each class of the set `on` under the equivalence `classes`, a total order that extends the transitive closure of
/// `extends` (none, if that has a cycle inside the class); the union of these orders. Members of `on` that are not
/// related to themselves by `classes` are left out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Orders {
    pub on: TermId,
    pub classes: TermId,
    pub extends: TermId,
}

#[derive(Clone, PartialEq, Debug)]
pub enum PickSource {
    Orders(Orders),
    /// Any element of a set of relations (or of sets) that the general interpreter computes.
    AnyOf(GeneralId, Shape),
}

#[derive(Clone, PartialEq, Debug)]
pub struct Test {
    pub kind: CheckKind,
    pub negated: bool,
    pub term: TermId,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Check {
    pub mode: syntax::CheckMode,
    pub test: Test,
    /// The name given with `as`, or one made from the check's position (unique in the model).
    pub name: Name,
    pub span: Span,
    /// Whether a violation by a partial execution is a violation by every completion.
    pub monotone: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    Pick(PickId),
    Check(CheckId),
}

/// An expression that must be interpreted on each execution: it handles sets of values, elements, recursion over sets.
#[derive(Clone, PartialEq, Debug)]
pub struct General {
    pub exp: Arc<syntax::Exp>,
    /// What its free names stand for; those that are missing are unbound.
    pub env: Arc<BTreeMap<Name, Static>>,
    pub stage: Stage,
    pub ty: Type,
    /// The terms that its names stand for, directly or through functions.
    pub looks_at: Vec<TermId>,
    /// Its value, if that needs no interpreter.
    pub known: Option<Known>,
}

/// Sets of relations that the linker understands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Known {
    Orders(Orders),
    /// The set with this set or relation as its only element.
    Only(TermId),
}

/// Types of values, as far as the linker knows them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Type {
    /// Not known, or of any type (the elements of `{}`).
    Any,
    Event,
    Pair,
    Set,
    Rel,
    /// A relation on sets of events.
    ClassRel,
    Tag,
    /// A set of values that are neither events nor pairs.
    SetOf(Box<Type>),
    Tuple(Vec<Type>),
    Function,
}

/// What a name stands for once the model is linked.
#[derive(Clone, PartialEq, Debug)]
pub enum Static {
    Term(TermId),
    /// `{}`: the empty set of whatever is needed.
    Empty,
    /// `_`: all events or all pairs, whichever is needed.
    Universe,
    General(GeneralId),
    Tag(Name),
    /// A set of tags, sorted.
    Tags(Vec<Name>),
    Tuple(Vec<Static>),
    Closure(Arc<Closure>),
    Prim(Prim),
    /// A faulty definition: an error only if it is used.
    Faulty(Arc<Vec<Diagnostic>>),
    /// A value that only the run knows; exists only while the linker finds out the type of a general expression.
    Unknown(Type),
}

#[derive(Clone, PartialEq, Debug)]
pub struct Closure {
    pub params: syntax::Pattern,
    pub body: Arc<syntax::Exp>,
    pub env: Arc<BTreeMap<Name, Static>>,
    /// Its group, if it is recursive: names that are added to `env` at a call, bound to closures over the same group.
    pub recursive: Arc<Vec<syntax::Binding>>,
    pub span: Span,
    /// The terms that its names stand for, directly or through other functions.
    pub looks_at: Vec<TermId>,
    /// Whether a value that only the run knows is among what its names stand for; only while linking.
    pub open: bool,
    /// The library's generator of orders, which the linker knows without looking inside.
    pub generates_orders: bool,
}

/// Functions that exist without being defined.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Prim {
    Domain,
    Range,
    /// Total orders on a set that extend a relation.
    Linearisations,
    /// The classes of a set of events by cell: a set of sets.
    ClassesLoc,
    /// The classes of an equivalence.
    Classes,
    DifferentValues,
    Tag2Events,
    Tag2Scope,
    Tag2Level,
    Tag2Fenced,
    Fromto,
    Loc2Events,
    Lift,
    Delift,
    Deliftinter,
    Bisimulation,
    AsTransitive,
    SameOa,
    AtLeastOneWritable,
    Fail,
}

impl Prim {
    const NAMES: &'static [(&'static str, Prim)] = &[
        ("domain", Prim::Domain),
        ("range", Prim::Range),
        ("linearisations", Prim::Linearisations),
        ("classes-loc", Prim::ClassesLoc),
        ("classes", Prim::Classes),
        ("different-values", Prim::DifferentValues),
        ("tag2events", Prim::Tag2Events),
        ("tag2scope", Prim::Tag2Scope),
        ("tag2level", Prim::Tag2Level),
        ("tag2fenced", Prim::Tag2Fenced),
        ("fromto", Prim::Fromto),
        ("loc2events", Prim::Loc2Events),
        ("lift", Prim::Lift),
        ("delift", Prim::Delift),
        ("deliftinter", Prim::Deliftinter),
        ("bisimulation", Prim::Bisimulation),
        ("as_transitive", Prim::AsTransitive),
        ("same-oa", Prim::SameOa),
        ("at-least-one-writable", Prim::AtLeastOneWritable),
        ("fail", Prim::Fail),
    ];

    pub fn from_name(name: &str) -> Option<Prim> {
        Self::NAMES.iter().find(|(n, _)| *n == name).map(|&(_, p)| p)
    }

    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|&&(_, p)| p == self).map_or("?", |&(n, _)| n)
    }

    pub fn names() -> impl Iterator<Item = &'static str> {
        Self::NAMES.iter().map(|&(n, _)| n)
    }
}

#[derive(Clone, PartialEq, Debug, Default)]
pub struct Model {
    pub name: Option<Name>,
    /// Whether the model computes dependencies itself from register events (`catdep`).
    pub catdep: bool,
    pub terms: IndexVec<TermId, TermInfo>,
    pub recs: IndexVec<RecId, RecGroup>,
    pub picks: IndexVec<PickId, Pick>,
    pub generals: IndexVec<GeneralId, General>,
    pub checks: IndexVec<CheckId, Check>,
    pub steps: Vec<Step>,
    /// Checks that no execution can fail (and flags that none can raise) with this vocabulary; they are left out of `checks`.
    pub vacuous: Vec<(Name, Span)>,
    /// Relations that a drawing shows, by name.
    pub shows: Vec<(Name, TermId)>,
    /// The last set or relation bound to each name at the end of the model.
    pub defs: BTreeMap<Name, TermId>,
    /// The free `co` is used: engines choose a coherence order.
    pub free_co: bool,
    /// Same for equal models, whatever their names.
    pub fingerprint: u128,
    /// Variants that were on.
    pub variants: BTreeSet<Name>,
    /// Definitions of the model's own file that nothing in it uses or shows.
    pub unused: Vec<(Name, Span)>,
    /// What is odd but harmless: definitions that are faulty and not used.
    pub warnings: Vec<Diagnostic>,
}
