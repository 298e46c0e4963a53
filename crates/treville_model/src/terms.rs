//! Building terms: hash-consing, simplification by the laws of relation algebra, stages and monotonicity.
//!
//! Simplification matters beyond speed: libraries define much for machines with features that a vocabulary lacks, and
//! what is empty there must disappear for the rest to be recognised (see the linker's treatment of coherence).

use crate::model::{Model, PickSource, Shape, Stage, Term, TermId, TermInfo};
use rustc_hash::FxHashMap;
use treville_base::{Idx, IndexVec, Name, Span};
use treville_event::BaseRel;

/// The terms of a model under construction.
#[derive(Default)]
pub(crate) struct Terms {
    pub(crate) infos: IndexVec<TermId, TermInfo>,
    known: FxHashMap<(Term, Shape), TermId>,
}

impl Terms {
    pub(crate) fn shape(&self, t: TermId) -> Shape {
        self.infos[t].shape
    }

    pub(crate) fn stage(&self, t: TermId) -> Stage {
        self.infos[t].stage
    }

    fn get(&self, t: TermId) -> &Term {
        &self.infos[t].term
    }

    fn is_empty(&self, t: TermId) -> bool {
        matches!(self.get(t), Term::Empty)
    }

    fn is_universe(&self, t: TermId) -> bool {
        matches!(self.get(t), Term::Universe)
    }

    fn is_id(&self, t: TermId) -> bool {
        matches!(self.get(t), Term::BaseRel(BaseRel::Id))
    }

    /// The term as it is, without simplification. `stage` is that of leaves whose stage is not evident.
    pub(crate) fn leaf(&mut self, term: Term, shape: Shape, stage: Stage) -> TermId {
        let key = (term, shape);
        if let Some(&t) = self.known.get(&key) {
            return t;
        }
        let (stage, monotone) = self.classify(&key.0, stage);
        let info = TermInfo { term: key.0.clone(), shape, stage, monotone, name: None, span: None };
        let t = self.infos.push(info);
        self.known.insert(key, t);
        t
    }

    fn make(&mut self, term: Term, shape: Shape) -> TermId {
        self.leaf(term, shape, Stage::Skeleton)
    }

    /// The latest choice that a term looks at, and whether it grows with rf, co and picks.
    pub(crate) fn classify(&self, term: &Term, leaf: Stage) -> (Stage, bool) {
        let of = |t: TermId| (self.infos[t].stage, self.infos[t].monotone);
        let (stage, monotone) = match *term {
            Term::BaseSet(ref name) if name == "FW" => (Stage::Co, false),
            Term::BaseSet(_) | Term::Empty | Term::Universe => (Stage::Skeleton, true),
            Term::BaseRel(BaseRel::Rf) => (Stage::Rf, true),
            Term::BaseRel(BaseRel::DifferentValues) => (Stage::Rf, false),
            Term::BaseRel(BaseRel::Co) => (Stage::Co, true),
            Term::BaseRel(_) => (Stage::Skeleton, true),
            Term::Union(a, b) | Term::Inter(a, b) | Term::Seq(a, b) | Term::Product(a, b) => {
                let ((sa, ma), (sb, mb)) = (of(a), of(b));
                (sa.max(sb), ma && mb)
            }
            Term::Diff(a, b) => {
                let ((sa, ma), (sb, _)) = (of(a), of(b));
                (sa.max(sb), ma && sb == Stage::Skeleton)
            }
            Term::Complement(a) => (of(a).0, false),
            Term::Inverse(a) | Term::Plus(a) | Term::Star(a) | Term::Opt(a) => of(a),
            Term::ToId(a) | Term::Domain(a) | Term::Range(a) => of(a),
            Term::Rec(..) | Term::Pick(_) => (leaf, true),
            Term::General(_) => (leaf, false),
        };
        (stage, monotone || stage == Stage::Skeleton)
    }

    /// Records a name for a term that has none. Leaves keep their own.
    pub(crate) fn name(&mut self, t: TermId, name: &Name, span: Span) {
        let info = &mut self.infos[t];
        let own = matches!(info.term, Term::BaseSet(_) | Term::BaseRel(_) | Term::Empty | Term::Universe);
        if !own && info.name.is_none() {
            info.name = Some(name.clone());
            info.span = Some(span);
        }
    }

    pub(crate) fn empty(&mut self, shape: Shape) -> TermId {
        self.make(Term::Empty, shape)
    }

    pub(crate) fn universe(&mut self, shape: Shape) -> TermId {
        self.make(Term::Universe, shape)
    }

    pub(crate) fn set(&mut self, name: &Name) -> TermId {
        self.make(Term::BaseSet(name.clone()), Shape::Set)
    }

    pub(crate) fn rel(&mut self, rel: BaseRel) -> TermId {
        self.make(Term::BaseRel(rel), Shape::Rel)
    }

    pub(crate) fn union(&mut self, a: TermId, b: TermId) -> TermId {
        if a == b || self.is_empty(b) || self.is_universe(a) {
            a
        } else if self.is_empty(a) || self.is_universe(b) {
            b
        } else {
            self.make(Term::Union(a, b), self.shape(a))
        }
    }

    pub(crate) fn inter(&mut self, a: TermId, b: TermId) -> TermId {
        if a == b || self.is_empty(a) || self.is_universe(b) {
            return a;
        }
        if self.is_empty(b) || self.is_universe(a) {
            return b;
        }
        match (self.get(a), self.get(b)) {
            (_, &Term::Complement(c)) => self.diff(a, c),
            (&Term::Complement(c), _) => self.diff(b, c),
            _ => self.make(Term::Inter(a, b), self.shape(a)),
        }
    }

    pub(crate) fn diff(&mut self, a: TermId, b: TermId) -> TermId {
        if self.is_empty(a) || self.is_empty(b) {
            a
        } else if a == b || self.is_universe(b) {
            self.empty(self.shape(a))
        } else if self.is_universe(a) {
            self.complement(b)
        } else {
            // `a \ (a & c)` is `a \ c`, which grows with `a`.
            let b = match *self.get(b) {
                Term::Inter(x, c) if x == a => c,
                Term::Inter(c, x) if x == a => c,
                _ => b,
            };
            self.make(Term::Diff(a, b), self.shape(a))
        }
    }

    pub(crate) fn complement(&mut self, a: TermId) -> TermId {
        let shape = self.shape(a);
        match *self.get(a) {
            Term::Empty => self.universe(shape),
            Term::Universe => self.empty(shape),
            Term::Complement(b) => b,
            _ => self.make(Term::Complement(a), shape),
        }
    }

    pub(crate) fn seq(&mut self, a: TermId, b: TermId) -> TermId {
        if self.is_empty(a) || self.is_id(b) {
            return a;
        }
        if self.is_empty(b) || self.is_id(a) {
            return b;
        }
        match (self.get(a), self.get(b)) {
            (&Term::ToId(s), &Term::ToId(t)) => {
                let both = self.inter(s, t);
                self.identity_on(both)
            }
            _ => self.make(Term::Seq(a, b), Shape::Rel),
        }
    }

    pub(crate) fn inverse(&mut self, a: TermId) -> TermId {
        use BaseRel::{DifferentValues, Ext, Id, Int, Loc, SameInstance, SameInstr, SameObject, SameStatic, Si};
        match *self.get(a) {
            Term::Empty | Term::Universe | Term::ToId(_) => a,
            Term::BaseRel(
                Id | Loc | Int | Ext | Si | SameInstance | SameInstr | SameObject | SameStatic | DifferentValues,
            ) => a,
            Term::Inverse(b) => b,
            Term::Product(x, y) => self.product(y, x),
            _ => self.make(Term::Inverse(a), Shape::Rel),
        }
    }

    pub(crate) fn plus(&mut self, a: TermId) -> TermId {
        match *self.get(a) {
            Term::Empty | Term::Universe | Term::ToId(_) | Term::Plus(_) | Term::Star(_) => a,
            Term::BaseRel(BaseRel::Id) => a,
            Term::Opt(b) => self.star(b),
            _ => self.make(Term::Plus(a), Shape::Rel),
        }
    }

    pub(crate) fn star(&mut self, a: TermId) -> TermId {
        match *self.get(a) {
            Term::Empty | Term::ToId(_) => self.rel(BaseRel::Id),
            Term::BaseRel(BaseRel::Id) | Term::Universe | Term::Star(_) => a,
            Term::Plus(b) | Term::Opt(b) => self.star(b),
            _ => self.make(Term::Star(a), Shape::Rel),
        }
    }

    pub(crate) fn opt(&mut self, a: TermId) -> TermId {
        match *self.get(a) {
            Term::Empty | Term::ToId(_) => self.rel(BaseRel::Id),
            Term::BaseRel(BaseRel::Id) | Term::Universe | Term::Star(_) | Term::Opt(_) => a,
            Term::Plus(b) => self.star(b),
            _ => self.make(Term::Opt(a), Shape::Rel),
        }
    }

    pub(crate) fn product(&mut self, a: TermId, b: TermId) -> TermId {
        if self.is_empty(a) || self.is_empty(b) {
            self.empty(Shape::Rel)
        } else if self.is_universe(a) && self.is_universe(b) {
            self.universe(Shape::Rel)
        } else {
            self.make(Term::Product(a, b), Shape::Rel)
        }
    }

    pub(crate) fn identity_on(&mut self, a: TermId) -> TermId {
        match self.get(a) {
            Term::Empty => self.empty(Shape::Rel),
            Term::Universe => self.rel(BaseRel::Id),
            _ => self.make(Term::ToId(a), Shape::Rel),
        }
    }

    pub(crate) fn domain(&mut self, a: TermId) -> TermId {
        match *self.get(a) {
            Term::Inverse(b) => self.range(b),
            _ => self.projection(a).unwrap_or_else(|| self.make(Term::Domain(a), Shape::Set)),
        }
    }

    pub(crate) fn range(&mut self, a: TermId) -> TermId {
        match *self.get(a) {
            Term::Inverse(b) => self.domain(b),
            _ => self.projection(a).unwrap_or_else(|| self.make(Term::Range(a), Shape::Set)),
        }
    }

    /// Domain and range where they are evidently the same.
    fn projection(&mut self, a: TermId) -> Option<TermId> {
        match *self.get(a) {
            Term::Empty => Some(self.empty(Shape::Set)),
            Term::Universe | Term::BaseRel(BaseRel::Id) => Some(self.universe(Shape::Set)),
            Term::ToId(s) => Some(s),
            _ => None,
        }
    }
}

/// The terms directly below a term.
pub fn children(term: &Term) -> impl Iterator<Item = TermId> {
    let (a, b) = match *term {
        Term::Union(a, b) | Term::Inter(a, b) | Term::Diff(a, b) | Term::Seq(a, b) | Term::Product(a, b) => {
            (Some(a), Some(b))
        }
        Term::Complement(a) | Term::Inverse(a) | Term::Plus(a) | Term::Star(a) | Term::Opt(a) => (Some(a), None),
        Term::ToId(a) | Term::Domain(a) | Term::Range(a) => (Some(a), None),
        Term::BaseSet(_) | Term::BaseRel(_) | Term::Empty | Term::Universe => (None, None),
        Term::Rec(..) | Term::Pick(_) | Term::General(_) => (None, None),
    };
    a.into_iter().chain(b)
}

/// Calls `change` with each term directly below a term.
pub(crate) fn for_children(term: &mut Term, mut change: impl FnMut(&mut TermId)) {
    match term {
        Term::Union(a, b) | Term::Inter(a, b) | Term::Diff(a, b) | Term::Seq(a, b) | Term::Product(a, b) => {
            change(a);
            change(b);
        }
        Term::Complement(a) | Term::Inverse(a) | Term::Plus(a) | Term::Star(a) | Term::Opt(a) => change(a),
        Term::ToId(a) | Term::Domain(a) | Term::Range(a) => change(a),
        Term::BaseSet(_) | Term::BaseRel(_) | Term::Empty | Term::Universe => {}
        Term::Rec(..) | Term::Pick(_) | Term::General(_) => {}
    }
}

impl Model {
    pub fn shape(&self, t: TermId) -> Shape {
        self.terms[t].shape
    }

    pub fn term(&self, t: TermId) -> &Term {
        &self.terms[t].term
    }

    /// For each term, whether it is such a term or depends on one.
    pub fn depending_on(&self, is: impl Fn(&Term) -> bool) -> Vec<bool> {
        let mut depends: Vec<bool> = self.terms.iter().map(|info| is(&info.term)).collect();
        loop {
            let mut changed = false;
            for (t, info) in self.terms.iter_enumerated() {
                let any = |ts: &[TermId]| ts.iter().any(|c| depends[c.index()]);
                let now = match &info.term {
                    Term::Rec(rec, _) => any(&self.recs[*rec].bodies),
                    Term::General(g) => any(&self.generals[*g].looks_at),
                    term => children(term).any(|c| depends[c.index()]),
                };
                if now && !depends[t.index()] {
                    depends[t.index()] = true;
                    changed = true;
                }
            }
            if !changed {
                return depends;
            }
        }
    }

    /// For each term, whether checks or picks depend on it; the others are definitions for people, or left over.
    pub fn needed(&self) -> Vec<bool> {
        let mut roots: Vec<TermId> = self.checks.iter().map(|c| c.test.term).collect();
        for pick in &self.picks {
            match pick.source {
                PickSource::Orders(o) => roots.extend([o.on, o.classes, o.extends]),
                PickSource::AnyOf(g, _) => roots.extend(&self.generals[g].looks_at),
            }
        }
        self.reachable(roots)
    }

    /// For each term, whether it is one of `roots` or one of them depends on it.
    pub fn reachable(&self, mut roots: Vec<TermId>) -> Vec<bool> {
        let mut seen = vec![false; self.terms.len()];
        while let Some(t) = roots.pop() {
            if std::mem::replace(&mut seen[t.index()], true) {
                continue;
            }
            match self.term(t) {
                Term::Rec(rec, _) => roots.extend(&self.recs[*rec].bodies),
                Term::General(g) => roots.extend(&self.generals[*g].looks_at),
                term => roots.extend(children(term)),
            }
        }
        seen
    }
}
