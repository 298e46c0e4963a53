//! Edges that an edge of communication implies in a term, read off the definitions pair by pair.

use crate::bottom_up::Rounds;
use crate::derive::{Context, Knowledge};
use crate::facts::Factor;
use crate::plan::{Plan, Recursion};
use treville_base::IndexVec;
use treville_event::{BaseRel, EventSet, Relation};
use treville_model::{Term, TermId};

/// For a term, the pairs that are in it whenever they are in `rf`, in `rf^-1`, in `co`, in `fr` (`rf^-1 ; co`).
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Follows {
    pub(crate) rf: Relation,
    pub(crate) rf_inverse: Relation,
    pub(crate) co: Relation,
    pub(crate) fr: Relation,
}

impl Follows {
    /// The same pairs for all: those of the lower bound, or all of them.
    fn all(pairs: &Relation) -> Follows {
        let pairs = || pairs.clone();
        Follows { rf: pairs(), rf_inverse: pairs(), co: pairs(), fr: pairs() }
    }

    fn zip(&self, other: &Follows, f: impl Fn(&Relation, &Relation) -> Relation) -> Follows {
        Follows {
            rf: f(&self.rf, &other.rf),
            rf_inverse: f(&self.rf_inverse, &other.rf_inverse),
            co: f(&self.co, &other.co),
            fr: f(&self.fr, &other.fr),
        }
    }

    pub(crate) fn union(&self, other: &Follows) -> Follows {
        self.zip(other, Relation::union)
    }

    /// Pairs that are among `pairs` too.
    pub(crate) fn within(&self, pairs: &Relation) -> Follows {
        self.zip(&Follows::all(pairs), Relation::intersection)
    }
}

/// A term, or a sequence of terms, with what follows in it.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub(crate) must: Relation,
    pub(crate) implied_edges: Follows,
}

/// The choices as far as facts leave them open.
#[derive(Clone, Debug)]
pub(crate) struct Choices {
    pub(crate) rf: Relation,
    pub(crate) co: Relation,
}

impl Choices {
    pub(crate) fn new(context: &Context<'_>) -> Choices {
        let may = |rel: BaseRel| match context.facts.rels.get(&rel) {
            Some(known) => known.may.intersection(&context.world.compatible),
            None => Relation::new(context.world.n),
        };
        Choices { rf: may(BaseRel::Rf), co: may(BaseRel::Co) }
    }

    /// One step after another.
    pub(crate) fn compose(&self, context: &Context<'_>, a: &Step, b: &Step) -> Step {
        let must = context.world.compose_must(Factor::Rel(&a.must), Factor::Rel(&b.must));
        // A step stays one where the other half stays at the same event.
        let stays =
            |r: &Relation| EventSet::from_members(context.world.n, (0..context.world.n).filter(|&x| r.contains(x, x)));
        let everything = EventSet::full(context.world.n);
        let right = b.implied_edges.within(&Relation::product(&stays(&a.must), &everything));
        let left = a.implied_edges.within(&Relation::product(&everything, &stays(&b.must)));
        let mut implied_edges = right.union(&left).union(&Follows::all(&must));
        // From-read in two halves, if that holds whatever write is between.
        let mut open = self.rf.inverse().difference(&a.implied_edges.rf_inverse).compose(&self.co);
        open.union_assign(&self.rf.inverse().compose(&self.co.difference(&b.implied_edges.co)));
        implied_edges.fr.union_assign(&open.complement());
        Step { must, implied_edges }
    }
}

/// What follows in each term that is needed.
pub(crate) fn implied_edges(
    context: &Context<'_>,
    plan: &Plan,
    known: &Knowledge,
    choices: &Choices,
) -> IndexVec<TermId, Follows> {
    let nothing = Follows::all(&Relation::new(0));
    let mut all: IndexVec<TermId, Follows> = context.model.terms.iter().map(|_| nothing.clone()).collect();
    for component in &plan.components {
        if context.world.is_stopped() {
            break;
        }
        for &t in &component.terms {
            if let crate::Extent::Rel(must) = &known[t].must {
                all[t] = Follows::all(must);
            }
        }
        let mut make = |t: TermId| {
            if context.world.is_stopped() {
                return false;
            }
            let Some(now) = derive(context, known, choices, &all, t) else { return false };
            let changed = now != all[t];
            all[t] = now;
            changed
        };
        match component.recursion {
            Recursion::None => component.terms.iter().for_each(|t| _ = make(*t)),
            Recursion::Least => {
                let mut rounds = Rounds::new(context, component);
                while rounds.next(&mut make) {}
            }
            Recursion::Iterated => {}
        }
    }
    all
}

/// What follows in a term by what follows in its operands; `None` if that is its lower bound.
fn derive(
    context: &Context<'_>,
    known: &Knowledge,
    choices: &Choices,
    all: &IndexVec<TermId, Follows>,
    t: TermId,
) -> Option<Follows> {
    let n = context.world.n;
    let lower = match &known[t].must {
        crate::Extent::Rel(must) => Follows::all(must),
        crate::Extent::Set(_) => return None,
    };
    let step = |t: TermId| Step { must: known[t].must.rel().clone(), implied_edges: all[t].clone() };
    let found = match *context.model.term(t) {
        Term::BaseRel(BaseRel::Rf) => Follows { rf: Relation::full(n), ..lower.clone() },
        Term::BaseRel(BaseRel::Co) => Follows { co: Relation::full(n), ..lower.clone() },
        // Communication is about one cell.
        Term::BaseRel(BaseRel::Loc) => Follows::all(&Relation::full(n)),
        Term::Union(a, b) => all[a].union(&all[b]),
        Term::Inter(a, b) => all[a].zip(&all[b], Relation::intersection),
        Term::Diff(a, b) => all[a].zip(&Follows::all(known[b].may.rel()), Relation::difference),
        Term::Inverse(a) => {
            Follows { rf: all[a].rf_inverse.inverse(), rf_inverse: all[a].rf.inverse(), ..lower.clone() }
        }
        Term::Plus(a) | Term::Star(a) | Term::Opt(a) => all[a].clone(),
        Term::Seq(a, b) => choices.compose(context, &step(a), &step(b)).implied_edges,
        Term::Rec(rec, i) => all[context.model.recs[rec].bodies[i as usize]].clone(),
        _ => return None,
    };
    Some(found.union(&lower))
}
