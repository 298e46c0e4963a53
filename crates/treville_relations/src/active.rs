//! Which unknown pairs an engine has to represent: those that can make a difference to a check, passed down from the checks to
//! what terms are defined by, with the polarity in which they are needed.

use crate::closure::{Closing, closure};
use crate::derive::{Context, Knowledge};
use crate::facts::Factor;
use crate::plan::{Plan, Recursion};
use crate::{ByPolarity, Extent, Known, Obligation, Polarity};
use std::collections::BTreeMap;
use treville_base::IndexVec;
use treville_event::{BaseRel, EventSet, Relation};
use treville_model::{CheckKind, PickSource, Term, TermId};

pub(crate) type Active = IndexVec<TermId, ByPolarity>;

/// The pairs that a check has to look at, known ones included.
pub(crate) fn relevant(context: &Context<'_>, obligation: &Obligation, known: &Known<Extent>) -> Extent {
    match (obligation.kind, &known.may) {
        (CheckKind::Empty, may) => may.clone(),
        (_, Extent::Set(s)) => Extent::empty(treville_model::Shape::Set, s.universe()),
        (CheckKind::Irreflexive, Extent::Rel(may)) => {
            Extent::Rel(may.intersection(&Relation::identity(may.universe())))
        }
        (CheckKind::Acyclic, Extent::Rel(may)) => {
            let mut on_cycles = context.world.close_may(may).inverse();
            on_cycles.intersect_assign(may);
            if obligation.polarity == Polarity::Up {
                on_cycles.subtract_assign(&detours(context, known.must.rel()));
            }
            Extent::Rel(on_cycles)
        }
    }
}

/// The pairs that are certainly related through an event between them which happens whenever they do: a path through such a
/// pair is also one through the event.
fn detours(context: &Context<'_>, must: &Relation) -> Relation {
    // Only what goes forward counts, so that no two pairs can each stand in for the other.
    let mut forward = context.world.close_must(must);
    forward.subtract_assign(&must.transitive_closure().inverse());
    context.world.compose_must(Factor::Rel(&forward), Factor::Rel(&forward))
}

/// Passes needs down.
pub(crate) struct Needs<'a> {
    pub(crate) context: &'a Context<'a>,
    pub(crate) plan: &'a Plan,
    pub(crate) known: &'a Knowledge,
    /// The unknown pairs of each term.
    unknown: IndexVec<TermId, Extent>,
    pub(crate) active: Active,
    /// First steps of closures, by what these are closures of.
    pub(crate) steps: BTreeMap<TermId, Relation>,
    /// A pair is needed with all pairs of its term.
    whole: bool,
}

impl<'a> Needs<'a> {
    pub(crate) fn new(context: &'a Context<'a>, plan: &'a Plan, known: &'a Knowledge, whole: bool) -> Self {
        let n = context.world.n;
        let needed = |t: TermId| plan.component[t].is_some();
        let shape = |t: TermId| context.model.shape(t);
        let unknown = |t: TermId| if needed(t) { known[t].unknown() } else { Extent::empty(shape(t), n) };
        let terms = || context.model.terms.ids();
        Needs {
            context,
            plan,
            known,
            unknown: terms().map(unknown).collect(),
            active: terms().map(|t| ByPolarity::empty(shape(t), n)).collect(),
            steps: BTreeMap::new(),
            whole,
        }
    }

    /// Needs those of the pairs that are unknown. True if some were not needed before.
    pub(crate) fn need(&mut self, t: TermId, polarity: Polarity, pairs: &Extent) -> bool {
        let mut pairs = pairs.intersection(&self.unknown[t]);
        if self.whole {
            pairs = self.unknown[t].clone();
        }
        let active = self.active[t].of_mut(polarity);
        let grows = !pairs.is_subset(active);
        if grows {
            active.union_assign(&pairs);
        }
        grows
    }

    fn need_all(&mut self, t: TermId, polarity: Polarity) -> bool {
        let all = self.unknown[t].clone();
        self.need(t, polarity, &all)
    }

    /// What is chosen is needed whole: it carries the meaning of the program.
    pub(crate) fn need_choices(&mut self) {
        for t in self.plan.terms() {
            if matches!(self.context.model.term(t), Term::BaseRel(BaseRel::Rf | BaseRel::Co) | Term::Pick(_)) {
                for polarity in Polarity::BOTH {
                    self.need_all(t, polarity);
                }
            }
        }
        for pick in &self.plan.picks {
            if let PickSource::Orders(o) = self.context.model.picks[*pick].source {
                // Who is ordered matters both ways; what an order extends only adds to it.
                for (t, p) in [o.on, o.classes].into_iter().flat_map(|t| Polarity::BOTH.map(|p| (t, p))) {
                    self.need_all(t, p);
                }
                self.need_all(o.extends, Polarity::Up);
            }
        }
    }

    /// Passes all needs down to the leaves. `stated` are pairs of each term that need their definition although they are known.
    pub(crate) fn pass_down(&mut self, stated: &Active) {
        for component in self.plan.components.iter().rev() {
            loop {
                let mut grown = false;
                for &t in component.terms.iter().rev() {
                    if self.context.world.is_stopped() {
                        return;
                    }
                    for polarity in Polarity::BOTH {
                        let pairs = self.active[t].of(polarity).union(stated[t].of(polarity));
                        if !pairs.is_empty() {
                            grown |= self.pass(t, polarity, &pairs);
                        }
                    }
                }
                if !grown || component.recursion != Recursion::Least {
                    break;
                }
            }
        }
    }

    /// Passes the need for pairs of a term on to what defines it.
    fn pass(&mut self, t: TermId, polarity: Polarity, pairs: &Extent) -> bool {
        let known = self.known;
        let may = |t: TermId| known[t].may.rel();
        let n = self.context.world.n;
        match closure(self.context.model, t, polarity) {
            Some(Closing::Transitive(a)) => return self.need(a, polarity, pairs),
            Some(Closing::FirstStep(a)) => return self.pass_closure(t, a, polarity, pairs.rel()),
            Some(Closing::LastStep { start, step }) => return self.pass_steps(t, start, step, polarity, pairs.rel()),
            None => {}
        }
        match *self.context.model.term(t) {
            Term::Union(a, b) | Term::Inter(a, b) => self.need(a, polarity, pairs) | self.need(b, polarity, pairs),
            Term::Diff(a, b) => self.need(a, polarity, pairs) | self.need(b, polarity.opposite(), pairs),
            Term::Complement(a) => self.need(a, polarity.opposite(), pairs),
            Term::Inverse(a) => self.need(a, polarity, &Extent::Rel(pairs.rel().inverse())),
            Term::Opt(a) => self.need(a, polarity, pairs),
            Term::Seq(a, b) => {
                let upper = |t: TermId| self.context.upper_factor(t, known);
                let (left, right) = factors(pairs.rel(), upper(a), upper(b));
                self.need(a, polarity, &Extent::Rel(left)) | self.need(b, polarity, &Extent::Rel(right))
            }
            Term::Product(a, b) => {
                let (from, to) = (Extent::Set(pairs.rel().domain()), Extent::Set(pairs.rel().range()));
                self.need(a, polarity, &from) | self.need(b, polarity, &to)
            }
            Term::ToId(a) => {
                let members = (0..n).filter(|&x| pairs.rel().contains(x, x));
                self.need(a, polarity, &Extent::Set(EventSet::from_members(n, members)))
            }
            Term::Domain(a) => {
                let mut rows = Relation::new(n);
                rows.restrict_domain_into(pairs.set(), may(a));
                self.need(a, polarity, &Extent::Rel(rows))
            }
            Term::Range(a) => {
                let mut columns = Relation::new(n);
                columns.restrict_range_into(may(a), pairs.set());
                self.need(a, polarity, &Extent::Rel(columns))
            }
            Term::Rec(rec, i) if !self.plan.is_iterated(self.context.model, t) => {
                self.need(self.context.model.recs[rec].bodies[i as usize], polarity, pairs)
            }
            // Choices need all that they look at anyway; the others are judged by evaluating them.
            Term::Rec(..) | Term::Pick(_) | Term::General(_) | Term::Plus(_) | Term::Star(_) => false,
            Term::BaseSet(_) | Term::BaseRel(_) | Term::Empty | Term::Universe => false,
        }
    }

    /// A closure `t` of `a` is defined as `a | a ; t` (with the identity, if it is reflexive).
    fn pass_closure(&mut self, t: TermId, a: TermId, polarity: Polarity, pairs: &Relation) -> bool {
        let step = self.step(a);
        let back = step.inverse();
        let all = self.with_rest(t, pairs, |all| back.compose(all));
        let (mut first, _) = factors(&all, Factor::Rel(&step), Factor::Rel(self.known[t].may.rel()));
        first.union_assign(&all.intersection(self.known[a].may.rel()));
        self.need(t, polarity, &Extent::Rel(all)) | self.need(a, polarity, &Extent::Rel(first))
    }

    /// A composition `t` of `start` with a closure of `a` is defined as `start | t ; a`.
    fn pass_steps(&mut self, t: TermId, start: TermId, a: TermId, polarity: Polarity, pairs: &Relation) -> bool {
        let step = self.step(a);
        let back = step.inverse();
        let all = self.with_rest(t, pairs, |all| all.compose(&back));
        let (_, last) = factors(&all, Factor::Rel(self.known[t].may.rel()), Factor::Rel(&step));
        let first = all.intersection(self.known[start].may.rel());
        self.need(t, polarity, &Extent::Rel(all))
            | self.need(a, polarity, &Extent::Rel(last))
            | self.need(start, polarity, &Extent::Rel(first))
    }

    /// The pairs of a term that closures of it have to look at as steps.
    fn step(&mut self, a: TermId) -> Relation {
        let known = &self.known[a];
        let steps = || known.may.rel().difference(&detours(self.context, known.must.rel()));
        self.steps.entry(a).or_insert_with(steps).clone()
    }

    /// Pairs of a term, and all that are left of these when a step is taken off, again and again.
    fn with_rest(&self, t: TermId, pairs: &Relation, rest: impl Fn(&Relation) -> Relation) -> Relation {
        let mut all = pairs.clone();
        loop {
            let mut more = rest(&all);
            more.intersect_assign(self.unknown[t].rel());
            if more.is_subset(&all) || self.context.world.is_stopped() {
                return all;
            }
            all.union_assign(&more);
        }
    }
}

/// The pairs of `a` and of `b` that take part in some pair of `a ; b` among `pairs`.
fn factors(pairs: &Relation, a: Factor<'_>, b: Factor<'_>) -> (Relation, Relation) {
    match (a, b) {
        (Factor::Rel(a), Factor::Rel(b)) => {
            let mut left = pairs.compose(&b.inverse());
            left.intersect_assign(a);
            let mut right = a.inverse().compose(pairs);
            right.intersect_assign(b);
            (left, right)
        }
        (Factor::On(set), b) => {
            let mut right = Relation::new(set.universe());
            right.restrict_domain_into(set, pairs);
            match b {
                Factor::Rel(b) => right.intersect_assign(b),
                Factor::On(b) => right.intersect_assign(&Relation::identity_on(b)),
            }
            (Relation::identity_on(&right.domain()), right)
        }
        (Factor::Rel(a), Factor::On(set)) => {
            let mut left = Relation::new(set.universe());
            left.restrict_range_into(pairs, set);
            left.intersect_assign(a);
            let right = Relation::identity_on(&left.range());
            (left, right)
        }
    }
}
