//! Facts that axioms and choices state about a term: the starting points of the extended bounds.

use crate::extended::Tightening;
use crate::{Extent, Obligation, Polarity};
use treville_event::{BaseRel, EventSet, Relation};
use treville_model::{CheckKind, PickSource, Term, TermId};

impl Tightening<'_> {
    /// Applies what is said of terms whose bounds have changed.
    pub(crate) fn apply_laws(&mut self, obligations: &[Obligation]) {
        let plan = self.plan;
        for t in plan.terms() {
            if !self.take_law(t) {
                continue;
            }
            for obligation in obligations.iter().filter(|d| d.term == t && d.required && d.polarity == Polarity::Up) {
                self.obey(obligation.kind, t);
            }
            match *self.context.model.term(t) {
                Term::BaseRel(BaseRel::Rf) => self.one_source(t),
                Term::BaseRel(BaseRel::Co) => {
                    let writes = &self.context.facts.writes;
                    let mut together = Relation::product(writes, writes);
                    match self.context.facts.rels.get(&BaseRel::Loc) {
                        Some(same) => together.intersect_assign(&same.must),
                        None => together.clear(),
                    }
                    self.total_order(t, together);
                }
                Term::Pick(pick) => {
                    if let PickSource::Orders(orders) = self.context.model.picks[pick].source {
                        self.total_order(t, self.context.ordered(orders, &self.known));
                    }
                }
                _ => {}
            }
        }
    }

    /// The term is empty, irreflexive, acyclic.
    fn obey(&mut self, kind: CheckKind, t: TermId) {
        match kind {
            CheckKind::Empty => {
                let all = self.known[t].may.clone();
                self.remove(t, &all);
            }
            CheckKind::Irreflexive => self.remove(t, &Extent::Rel(Relation::identity(self.context.world.n))),
            CheckKind::Acyclic => drop(self.no_cycle(t)),
        }
    }

    /// Nothing goes back where the term certainly leads; that is returned.
    fn no_cycle(&mut self, t: TermId) -> Relation {
        let leads = self.context.world.close_must(self.known[t].must.rel());
        let mut back = leads.inverse();
        back.add_identity();
        self.remove(t, &Extent::Rel(back));
        for x in (0..self.context.world.n).filter(|&x| leads.contains(x, x)) {
            self.never(x, x);
        }
        leads
    }

    /// The term is a strict order, total on the pairs `together`.
    fn total_order(&mut self, t: TermId, mut together: Relation) {
        let leads = self.no_cycle(t);
        self.add(t, &Extent::Rel(leads));
        (0..self.context.world.n).for_each(|x| together.remove(x, x));
        together.subtract_assign(self.known[t].may.rel());
        self.add(t, &Extent::Rel(together.inverse()));
    }

    /// Each read has exactly one source.
    fn one_source(&mut self, rf: TermId) {
        let n = self.context.world.n;
        let sources = self.known[rf].may.rel().inverse();
        let certain = self.known[rf].must.rel().inverse();
        let (mut only, mut others) = (Relation::new(n), Relation::new(n));
        let reads: EventSet = self.context.facts.reads.intersection(&self.context.world.possible);
        for r in reads.iter() {
            let mut candidates = sources.successors(r);
            match (candidates.next(), candidates.next()) {
                (None, _) => self.never(r, r),
                (Some(w), None) => only.insert(w, r),
                (Some(_), Some(_)) => {}
            }
            for w in certain.successors(r) {
                let brings = |x: usize| self.context.world.implies.contains(x, w);
                let rivals = sources.successors(r).filter(|&other| other != w && (brings(r) || brings(other)));
                rivals.for_each(|other| others.insert(other, r));
            }
        }
        self.add(rf, &Extent::Rel(only));
        self.remove(rf, &Extent::Rel(others));
    }
}
