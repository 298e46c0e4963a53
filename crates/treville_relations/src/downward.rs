//! What the bounds of a term say of its operands: each operator backwards.

use crate::extended::Tightening;
use crate::facts::Factor;
use crate::{Extent, Known};
use treville_base::BitSet;
use treville_event::{EventSet, Relation};
use treville_model::{Term, TermId};

impl Tightening<'_> {
    pub(crate) fn pass_down(&mut self, t: TermId) {
        let Known { may, must } = self.known[t].clone();
        let out = self.outside(&may);
        match *self.context.model.term(t) {
            Term::Union(a, b) => {
                for (one, other) in [(a, b), (b, a)] {
                    self.remove(one, &out);
                    let left = must.difference(&self.known[other].may);
                    self.add(one, &left);
                }
            }
            Term::Inter(a, b) => {
                for (one, other) in [(a, b), (b, a)] {
                    self.add(one, &must);
                    let blocked = out.intersection(&self.known[other].must);
                    self.remove(one, &blocked);
                }
            }
            Term::Diff(a, b) => {
                self.add(a, &must);
                self.remove(b, &must);
                let blocked = out.difference(&self.known[b].may);
                self.remove(a, &blocked);
                let removed = out.intersection(&self.known[a].must);
                self.add(b, &removed);
            }
            Term::Complement(a) => {
                self.remove(a, &must);
                self.add(a, &out);
            }
            Term::Inverse(a) => {
                self.remove(a, &Extent::Rel(out.rel().inverse()));
                self.add(a, &Extent::Rel(must.rel().inverse()));
            }
            Term::Opt(a) => {
                self.remove(a, &out);
                let steps = must.rel().difference(&Relation::identity(self.context.world.n));
                self.add(a, &Extent::Rel(steps));
            }
            Term::Plus(a) | Term::Star(a) => {
                self.split(out.rel(), t, t);
                let out = self.outside(&self.known[t].may);
                self.remove(a, &out);
            }
            Term::Seq(a, b) => {
                self.split(out.rel(), a, b);
                // What is composed with part of the identity is there by itself.
                if let Term::ToId(_) = self.context.model.term(a) {
                    self.add(b, &must);
                }
                if let Term::ToId(_) = self.context.model.term(b) {
                    self.add(a, &must);
                }
            }
            Term::ToId(a) => {
                self.remove(a, &Extent::Set(diagonal(out.rel())));
                self.add(a, &Extent::Set(diagonal(must.rel())));
            }
            Term::Product(a, b) => self.unpair(out.rel(), must.rel(), a, b),
            Term::Domain(a) => {
                let rest = Relation::product(out.set(), &EventSet::full(self.context.world.n));
                self.remove(a, &Extent::Rel(rest));
            }
            Term::Range(a) => {
                let rest = Relation::product(&EventSet::full(self.context.world.n), out.set());
                self.remove(a, &Extent::Rel(rest));
            }
            Term::Rec(rec, i) if !self.plan.is_iterated(self.context.model, t) => {
                let body = self.context.model.recs[rec].bodies[i as usize];
                self.remove(body, &out);
                self.add(body, &must);
            }
            Term::Rec(..) | Term::Pick(_) | Term::General(_) => {}
            Term::BaseSet(_) | Term::BaseRel(_) | Term::Empty | Term::Universe => {}
        }
    }

    /// What an upper bound leaves out, of events that may happen together.
    fn outside(&self, may: &Extent) -> Extent {
        match may {
            Extent::Set(s) => Extent::Set(self.context.world.possible.difference(s)),
            Extent::Rel(r) => Extent::Rel(self.context.world.compatible.difference(r)),
        }
    }

    /// Pairs that are not in `a ; b`: where one half must be, the other is not.
    fn split(&mut self, out: &Relation, a: TermId, b: TermId) {
        let right = match self.context.lower_factor(a, &self.known) {
            Factor::On(set) => self.context.world.compose_must(Factor::On(set), Factor::Rel(out)),
            Factor::Rel(a) => self.context.world.compose_must(Factor::Rel(&a.inverse()), Factor::Rel(out)),
        };
        let left = match self.context.lower_factor(b, &self.known) {
            Factor::On(set) => self.context.world.compose_must(Factor::Rel(out), Factor::On(set)),
            Factor::Rel(b) => match self.context.lower_factor(a, &self.known) {
                // Only the identity matters.
                Factor::On(_) => {
                    let blocked = out.intersection(b).intersection(&self.context.world.implies);
                    Relation::identity_on(&blocked.domain())
                }
                Factor::Rel(_) => self.context.world.compose_must(Factor::Rel(out), Factor::Rel(&b.inverse())),
            },
        };
        self.remove(b, &Extent::Rel(right));
        self.remove(a, &Extent::Rel(left));
    }

    /// Pairs that are, or are not, in `a * b`: known members where one end brings the other along.
    fn unpair(&mut self, out: &Relation, must: &Relation, a: TermId, b: TermId) {
        let (n, world) = (self.context.world.n, &self.context.world);
        let members_a = must.intersection(&world.implies).domain();
        let members_b = must.intersection(&world.implied).range();
        let (mut rows, mut columns) = (Relation::new(n), Relation::new(n));
        columns.restrict_range_into(&out.intersection(&world.implies), self.known[b].must.set());
        rows.restrict_domain_into(self.known[a].must.set(), &out.intersection(&world.implied));
        self.add(a, &Extent::Set(members_a));
        self.add(b, &Extent::Set(members_b));
        self.remove(a, &Extent::Set(columns.domain()));
        self.remove(b, &Extent::Set(rows.range()));
    }
}

fn diagonal(r: &Relation) -> BitSet {
    let n = r.universe();
    BitSet::from_members(n, (0..n).filter(|&x| r.contains(x, x)))
}
