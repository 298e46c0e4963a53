//! What is known of a term from what is known of its operands: each operator on bounds.

use crate::facts::{Factor, World};
use crate::{Extent, Facts, Known};
use treville_base::{Cancel, IndexVec};
use treville_event::{BaseRel, EventSet, Relation};
use treville_model::{Model, Orders, PickSource, Shape, Term, TermId};

pub(crate) type Knowledge = IndexVec<TermId, Known<Extent>>;

/// Everything that a derivation looks at, except the knowledge of operands.
#[derive(Clone, Debug)]
pub(crate) struct Context<'a> {
    pub(crate) model: &'a Model,
    pub(crate) facts: &'a Facts,
    pub(crate) world: World,
    /// Whether derived terms have a lower bound.
    pub(crate) musts: bool,
    /// Terms that only relate events of one cell, by their definition.
    local: IndexVec<TermId, bool>,
}

impl<'a> Context<'a> {
    pub(crate) fn new(model: &'a Model, facts: &'a Facts, musts: bool, cancel: &Cancel) -> Self {
        let mut local: IndexVec<TermId, bool> = model.terms.iter().map(|_| false).collect();
        for (t, info) in model.terms.iter_enumerated() {
            local[t] = match info.term {
                Term::BaseRel(rel) => matches!(rel, BaseRel::Loc | BaseRel::Rf | BaseRel::Co),
                Term::Union(a, b) => local[a] && local[b],
                Term::Inter(a, b) => local[a] || local[b],
                Term::Seq(a, b) => {
                    let stays = |t: TermId| local[t] || matches!(model.term(t), Term::ToId(_));
                    (local[a] || local[b]) && stays(a) && stays(b)
                }
                Term::Diff(a, _) | Term::Inverse(a) | Term::Plus(a) => local[a],
                _ => false,
            };
        }
        Context { model, facts, world: World::new(facts, cancel), musts, local }
    }

    /// The bounds of a term by the bounds of its operands.
    pub(crate) fn derive(&self, t: TermId, known: &Knowledge) -> Known<Extent> {
        match self.leaf(t) {
            Some(leaf) => leaf,
            None => match self.model.shape(t) {
                Shape::Set => self.derive_set(t, known),
                Shape::Rel => self.derive_rel(t, known),
            },
        }
    }

    /// The bounds of what is not defined by other terms; `None` for what is.
    pub(crate) fn leaf(&self, t: TermId) -> Option<Known<Extent>> {
        let (n, shape) = (self.world.n, self.model.shape(t));
        let exactly = |e: Extent| Known { may: e.clone(), must: e };
        let mut known = match *self.model.term(t) {
            Term::BaseSet(ref name) => match self.facts.sets.get(name) {
                Some(k) => Known { may: Extent::Set(k.may.clone()), must: Extent::Set(k.must.clone()) },
                None => Known::nothing(shape, n),
            },
            Term::BaseRel(BaseRel::Id) => exactly(Extent::Rel(Relation::identity(n))),
            Term::BaseRel(rel) => match self.facts.rels.get(&rel) {
                Some(k) => Known { may: Extent::Rel(k.may.clone()), must: Extent::Rel(k.must.clone()) },
                None => Known::nothing(shape, n),
            },
            Term::Empty => Known::nothing(shape, n),
            Term::Universe => exactly(Extent::full(shape, n)),
            _ if self.is_opaque(t) => Known { may: Extent::full(shape, n), must: Extent::empty(shape, n) },
            _ => return None,
        };
        self.restrict(&mut known);
        Some(known)
    }

    /// Whether nothing is known of a term but its shape.
    pub(crate) fn is_opaque(&self, t: TermId) -> bool {
        match *self.model.term(t) {
            Term::General(_) => true,
            Term::Pick(pick) => matches!(self.model.picks[pick].source, PickSource::AnyOf(..)),
            _ => false,
        }
    }

    /// Leaves out what is about events that do not happen together.
    pub(crate) fn restrict(&self, known: &mut Known<Extent>) {
        for extent in [&mut known.may, &mut known.must] {
            match extent {
                Extent::Set(s) => s.intersect_assign(&self.world.possible),
                Extent::Rel(r) => r.intersect_assign(&self.world.compatible),
            }
        }
    }

    fn derive_set(&self, t: TermId, known: &Knowledge) -> Known<Extent> {
        let of = |t: TermId| &known[t];
        let w = &self.world;
        let no_must = || EventSet::new(w.n);
        let (may, must) = match *self.model.term(t) {
            Term::Union(..) | Term::Inter(..) | Term::Diff(..) | Term::Rec(..) => return self.pointwise(t, known),
            Term::Complement(a) => {
                let not = |e: &Extent| w.possible.difference(e.set());
                (not(&of(a).must), if self.musts { not(&of(a).may) } else { no_must() })
            }
            Term::Domain(a) => {
                let must = || of(a).must.rel().intersection(&w.implies).domain();
                (of(a).may.rel().domain(), if self.musts { must() } else { no_must() })
            }
            Term::Range(a) => {
                let must = || of(a).must.rel().intersection(&w.implied).range();
                (of(a).may.rel().range(), if self.musts { must() } else { no_must() })
            }
            _ => unreachable!("not a set that is derived"),
        };
        Known { may: Extent::Set(may), must: Extent::Set(must) }
    }

    fn derive_rel(&self, t: TermId, known: &Knowledge) -> Known<Extent> {
        let w = &self.world;
        let may = |t: TermId| known[t].may.rel();
        let must = |t: TermId| known[t].must.rel();
        let upper = match *self.model.term(t) {
            Term::Union(..) | Term::Inter(..) | Term::Diff(..) | Term::Rec(..) => return self.pointwise(t, known),
            Term::Pick(pick) => match self.model.picks[pick].source {
                PickSource::Orders(orders) => return self.derive_order(orders, known),
                PickSource::AnyOf(..) => unreachable!("a leaf"),
            },
            Term::Complement(a) => w.compatible.difference(must(a)),
            Term::Seq(a, b) => {
                let composed = w.compose_may(self.upper_factor(a, known), self.upper_factor(b, known));
                if self.local[t] { self.of_one_cell(composed) } else { composed }
            }
            Term::Inverse(a) => may(a).inverse(),
            Term::Plus(a) => self.closure(a, known),
            Term::Star(a) => self.reflexive(self.closure(a, known)),
            Term::Opt(a) => self.reflexive(may(a).clone()),
            Term::Product(a, b) => self.product(known[a].may.set(), known[b].may.set()),
            Term::ToId(a) => Relation::identity_on(known[a].may.set()),
            _ => unreachable!("not a relation that is derived"),
        };
        let lower = match *self.model.term(t) {
            _ if !self.musts => Relation::new(w.n),
            Term::Complement(a) => w.compatible.difference(may(a)),
            Term::Seq(a, b) => w.compose_must(self.lower_factor(a, known), self.lower_factor(b, known)),
            Term::Inverse(a) => must(a).inverse(),
            Term::Plus(a) => w.close_must(must(a)),
            Term::Star(a) => self.reflexive(w.close_must(must(a))),
            Term::Opt(a) => self.reflexive(must(a).clone()),
            Term::Product(a, b) => self.product(known[a].must.set(), known[b].must.set()),
            Term::ToId(a) => Relation::identity_on(known[a].must.set()),
            _ => unreachable!("not a relation that is derived"),
        };
        Known { may: Extent::Rel(upper), must: Extent::Rel(lower) }
    }

    /// The upper bound of a closure.
    fn closure(&self, a: TermId, known: &Knowledge) -> Relation {
        let closed = self.world.close_may(known[a].may.rel());
        if self.local[a] { self.of_one_cell(closed) } else { closed }
    }

    /// Leaves out pairs of events that never touch the same cell.
    fn of_one_cell(&self, mut r: Relation) -> Relation {
        match self.facts.rels.get(&BaseRel::Loc) {
            Some(same) => r.intersect_assign(&same.may),
            None => r.clear(),
        }
        r
    }

    /// The upper bound of part of a sequence.
    pub(crate) fn upper_factor<'k>(&self, t: TermId, known: &'k Knowledge) -> Factor<'k> {
        match *self.model.term(t) {
            Term::ToId(set) => Factor::On(known[set].may.set()),
            _ => Factor::Rel(known[t].may.rel()),
        }
    }

    /// The lower bound of part of a sequence.
    pub(crate) fn lower_factor<'k>(&self, t: TermId, known: &'k Knowledge) -> Factor<'k> {
        match *self.model.term(t) {
            Term::ToId(set) => Factor::On(known[set].must.set()),
            _ => Factor::Rel(known[t].must.rel()),
        }
    }

    /// Operators that mean the same on sets and on relations.
    fn pointwise(&self, t: TermId, known: &Knowledge) -> Known<Extent> {
        let of = |t: TermId| &known[t];
        let (may, must) = match *self.model.term(t) {
            Term::Union(a, b) => (of(a).may.union(&of(b).may), self.lower(t, || of(a).must.union(&of(b).must))),
            Term::Inter(a, b) => {
                (of(a).may.intersection(&of(b).may), self.lower(t, || of(a).must.intersection(&of(b).must)))
            }
            Term::Diff(a, b) => {
                (of(a).may.difference(&of(b).must), self.lower(t, || of(a).must.difference(&of(b).may)))
            }
            Term::Rec(rec, i) => return of(self.model.recs[rec].bodies[i as usize]).clone(),
            _ => unreachable!("not an operator on both shapes"),
        };
        Known { may, must }
    }

    fn lower(&self, t: TermId, derive: impl Fn() -> Extent) -> Extent {
        if self.musts { derive() } else { Extent::empty(self.model.shape(t), self.world.n) }
    }

    fn reflexive(&self, mut r: Relation) -> Relation {
        self.world.possible.iter().for_each(|x| r.insert(x, x));
        r
    }

    fn product(&self, from: &EventSet, to: &EventSet) -> Relation {
        let mut r = Relation::product(from, to);
        r.intersect_assign(&self.world.compatible);
        r
    }

    /// A choice of one total order for each class of a set.
    fn derive_order(&self, orders: Orders, known: &Knowledge) -> Known<Extent> {
        let (on, classes, extends) = (&known[orders.on], &known[orders.classes], &known[orders.extends]);
        let mut may = self.product(on.may.set(), on.may.set());
        may.intersect_assign(classes.may.rel());
        (0..self.world.n).for_each(|x| may.remove(x, x));
        let mut must = Relation::new(self.world.n);
        if self.musts {
            let mut inside = self.world.close_must(extends.must.rel());
            inside.intersect_assign(&self.ordered(orders, known));
            must = inside;
            may.subtract_assign(&must.inverse());
        }
        Known { may: Extent::Rel(may), must: Extent::Rel(must) }
    }

    /// The pairs that a choice of orders certainly relates, one way or the other.
    pub(crate) fn ordered(&self, orders: Orders, known: &Knowledge) -> Relation {
        let on = known[orders.on].must.set();
        let mut together = self.product(on, on);
        together.intersect_assign(known[orders.classes].must.rel());
        (0..self.world.n).for_each(|x| together.remove(x, x));
        together
    }
}
