//! Linking: a partial evaluator of CAT. Instructions are executed in order; what depends only on the text (names,
//! functions, tuples, tags, variants, procedures) is evaluated away, sets and relations become terms, and what needs
//! the values of a run (sets of sets, elements, recursion over sets) is kept as [`General`] expressions.
//!
//! A faulty definition is an error only if something uses it: libraries define much that one architecture lacks.

mod apply;
mod coherence;
mod expression;
mod finish;
mod instruction;
mod recursion;
mod scope;

use crate::model::{
    Check, CheckId, General, GeneralId, Model, Pick, PickId, RecGroup, RecId, Shape, Static, Step, Term, TermId, Type,
};
use crate::syntax::{Exp, Unit};
use crate::terms::Terms;
pub use apply::group_member;
pub(crate) use finish::computes_dependencies;
use instruction::Procedure;
use rustc_hash::FxHashMap;
use scope::Scope;
use std::collections::BTreeSet;
use std::sync::Arc;
use treville_base::{Diagnostic, IndexVec, Name, Span};
use treville_event::{BaseRel, Vocabulary};

/// How deeply expressions and calls may nest.
const MAX_DEPTH: u32 = 300;
/// How many function calls a model may need: more is a runaway.
const MAX_CALLS: u32 = 200_000;

/// How many errors one definition can have.
const MAX_FAULTS: usize = 20;

/// The value of an expression, or what is wrong with it.
type Eval<T = Static> = Result<T, Vec<Diagnostic>>;

/// Links a model. `units` are executed in order: the standard library, a bell file if there is one, then the model
/// itself, whose title and options count.
pub fn link(units: &[&Unit], vocabulary: &Vocabulary) -> Result<Model, Vec<Diagnostic>> {
    match examine(units, vocabulary)? {
        (model, unsupported) if unsupported.is_empty() => Ok(model),
        (_, unsupported) => Err(unsupported),
    }
}

/// As [`link`], for those who only look at the model: with it, what no skeleton has and the model needs.
pub fn examine(units: &[&Unit], vocabulary: &Vocabulary) -> Result<(Model, Vec<Diagnostic>), Vec<Diagnostic>> {
    let mut linker = Linker::new(vocabulary);
    let mut scope = Scope::default();
    for (i, unit) in units.iter().enumerate() {
        linker.in_prelude = i + 1 < units.len();
        linker.run(&unit.body, &mut scope);
    }
    linker.finish(units)
}

struct Linker<'v> {
    vocabulary: &'v Vocabulary,
    terms: Terms,
    recs: IndexVec<RecId, RecGroup>,
    picks: IndexVec<PickId, Pick>,
    generals: IndexVec<GeneralId, General>,
    checks: IndexVec<CheckId, Check>,
    steps: Vec<Step>,
    vacuous: Vec<(Name, Span)>,
    shows: Vec<(Name, TermId)>,
    globals: FxHashMap<Name, Static>,
    procedures: FxHashMap<Name, Arc<Procedure>>,
    /// Global definitions of the model's own file, in order, and those of them that names now stand for.
    own: Vec<Definition>,
    own_now: FxHashMap<Name, usize>,
    /// Names and members of enumerations.
    enums: Vec<(Name, Vec<Name>)>,
    /// Sets that exist because a tag was declared.
    tag_sets: BTreeSet<Name>,
    errors: Vec<Diagnostic>,
    /// What is wrong with definitions; no error as long as nothing uses them.
    suspects: Vec<Diagnostic>,
    in_prelude: bool,
    /// The files that are being included, outermost first.
    including: Vec<Name>,
    /// Bodies of recursive functions whose type is being found out, to stop there when they call themselves.
    typing: Vec<*const Exp>,
    /// Uses of relations that can be named and are not built.
    unbuilt: Vec<(BaseRel, Span)>,
    /// Whether coherence is already bound to the free choice of the engine.
    co_bound: bool,
    depth: u32,
    calls: u32,
    /// How many `try` surround the expression.
    tried: u32,
}

struct Definition {
    name: Name,
    span: Span,
    used: bool,
}

impl<'v> Linker<'v> {
    fn new(vocabulary: &'v Vocabulary) -> Self {
        Linker {
            vocabulary,
            terms: Terms::default(),
            recs: IndexVec::new(),
            picks: IndexVec::new(),
            generals: IndexVec::new(),
            checks: IndexVec::new(),
            steps: Vec::new(),
            vacuous: Vec::new(),
            shows: Vec::new(),
            globals: FxHashMap::default(),
            procedures: FxHashMap::default(),
            own: Vec::new(),
            own_now: FxHashMap::default(),
            enums: Vec::new(),
            tag_sets: BTreeSet::new(),
            errors: Vec::new(),
            suspects: Vec::new(),
            in_prelude: false,
            including: Vec::new(),
            typing: Vec::new(),
            unbuilt: Vec::new(),
            co_bound: false,
            depth: 0,
            calls: 0,
            tried: 0,
        }
    }

    fn type_of(&self, value: &Static) -> Type {
        value.type_in(&self.terms, &self.generals)
    }

    /// Runs `work` one level deeper, or says that the limit is reached.
    fn nested<T>(&mut self, span: Span, work: impl FnOnce(&mut Self) -> Eval<T>) -> Eval<T> {
        if self.depth >= MAX_DEPTH {
            return fault(span, "expressions and calls nest too deeply here");
        }
        self.depth += 1;
        let result = work(self);
        self.depth -= 1;
        result
    }

    /// An expression whose value only a run knows.
    fn general(&mut self, exp: &Exp, ty: Type, scope: &Scope) -> Static {
        let capture = self.capture([exp], scope);
        if capture.open {
            return Static::Unknown(ty);
        }
        let stage = self.latest(&capture.looks_at);
        Static::General(self.generals.push(General {
            exp: Arc::new(exp.clone()),
            env: capture.env,
            stage,
            ty,
            looks_at: capture.looks_at,
            known: None,
        }))
    }

    /// The set or relation that a value is; `want` decides where it could be either.
    fn as_term(&mut self, value: &Static, want: Option<Shape>, span: Span) -> Eval<TermId> {
        let term = match value {
            Static::Term(t) => *t,
            Static::Empty => self.terms.empty(want.unwrap_or(Shape::Rel)),
            Static::Universe => self.terms.universe(want.unwrap_or(Shape::Rel)),
            Static::General(g) => {
                let General { ty, stage, .. } = &self.generals[*g];
                let shape = match ty {
                    Type::Any => want.unwrap_or(Shape::Rel),
                    Type::Event => Shape::Set,
                    Type::Pair => Shape::Rel,
                    ty => match ty.shape() {
                        Some(shape) => shape,
                        None => return mismatch(want, ty, span),
                    },
                };
                let stage = *stage;
                self.terms.leaf(Term::General(*g), shape, stage)
            }
            other => return mismatch(want, &self.type_of(other), span),
        };
        match want {
            Some(shape) if shape != self.terms.shape(term) => {
                mismatch(want, &Type::of_shape(self.terms.shape(term)), span)
            }
            _ => Ok(term),
        }
    }
}

/// Adds what is not there yet. Few are enough: one cause shows in everything that uses it.
fn merge(faults: &mut Vec<Diagnostic>, more: Vec<Diagnostic>) {
    for fault in more {
        if faults.len() < MAX_FAULTS && !faults.contains(&fault) {
            faults.push(fault);
        }
    }
}

fn fault<T>(span: Span, message: impl Into<String>) -> Eval<T> {
    Err(vec![Diagnostic::error(span, message)])
}

fn mismatch<T>(want: Option<Shape>, found: &Type, span: Span) -> Eval<T> {
    let needed = match want {
        Some(shape) => Type::of_shape(shape).to_string(),
        None => "a set of events or a relation".to_owned(),
    };
    let error = Diagnostic::error(span, format!("{needed} is needed here, this is {found}"));
    Err(vec![match (want, found) {
        (Some(Shape::Rel), Type::Set) => {
            error.help("[S] is the identity on the set S, S * T relates all of S to all of T")
        }
        (Some(Shape::Set), Type::Rel) => error.help("domain(r) and range(r) are sets"),
        _ => error,
    }])
}
