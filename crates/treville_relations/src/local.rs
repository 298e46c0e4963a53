//! Sources and coherence edges that program order within a cell excludes, taken out of the facts.
//!
//! Nothing is assumed of the model: only pairs are taken out that a required check excludes, because it would then find a
//! cycle of one such edge and pairs that its term certainly has.

use crate::bottom_up::bottom_up;
use crate::derive::{Context, Knowledge};
use crate::implied_edges::{Choices, Follows, Step, implied_edges};
use crate::obligations::obligations;
use crate::plan::Plan;
use crate::{Facts, Level, Obligation, Polarity};
use treville_base::{Cancel, IndexVec};
use treville_event::{BaseRel, Relation};
use treville_model::{CheckKind, Model, Term, TermId};

/// The facts without sources that a read cannot see and coherence edges that cannot be, under the model; `None` if cancelled.
pub fn local(model: &Model, facts: &Facts, cancel: &Cancel) -> Option<Facts> {
    let obligations = obligations(model, false);
    let plan = Plan::new(model, &obligations);
    let context = Context::new(model, facts, true, cancel);
    let (known, _) = bottom_up(&context, &plan, Level::Must, cancel)?;
    let excluded = Excluded::new(&context, &plan, &known, &obligations);
    let facts = prune(&context, &excluded.pairs);
    (!cancel.is_stopped()).then_some(facts)
}

/// Steps of communication that no execution of the model has.
struct Excluded<'a> {
    context: &'a Context<'a>,
    choices: Choices,
    known: &'a Knowledge,
    implied_edges: IndexVec<TermId, Follows>,
    pairs: Follows,
}

impl<'a> Excluded<'a> {
    fn new(context: &'a Context<'a>, plan: &Plan, known: &'a Knowledge, obligations: &[Obligation]) -> Self {
        let choices = Choices::new(context);
        let implied_edges = implied_edges(context, plan, known, &choices);
        let none = || Relation::new(context.world.n);
        let pairs = Follows { rf: none(), rf_inverse: none(), co: none(), fr: none() };
        let mut excluded = Excluded { context, choices, known, implied_edges, pairs };
        for obligation in obligations.iter().filter(|d| d.polarity == Polarity::Up) {
            if context.world.is_stopped() {
                break;
            }
            match obligation.kind {
                CheckKind::Acyclic => {
                    let leads = context.world.close_must(known[obligation.term].must.rel());
                    excluded.add(&leads, &excluded.implied_edges[obligation.term].clone());
                }
                CheckKind::Irreflexive => excluded.add_loops(obligation.term),
                CheckKind::Empty => {}
            }
        }
        excluded
    }

    /// What would close a cycle with the pairs `leads`.
    fn add(&mut self, leads: &Relation, implied_edges: &Follows) {
        self.pairs = self.pairs.union(&implied_edges.within(&leads.inverse()));
    }

    /// The term is irreflexive, and so is each sequence that it is a union of.
    fn add_loops(&mut self, term: TermId) {
        let mut todo = vec![term];
        while let Some(t) = todo.pop() {
            match *self.context.model.term(t) {
                Term::Union(a, b) => todo.extend([a, b]),
                Term::Seq(..) => self.add_sequence(&self.factors(t)),
                _ => {}
            }
        }
    }

    /// A sequence, cut in two wherever that is possible: one part leads there, the other back.
    fn add_sequence(&mut self, factors: &[Step]) {
        let compose = |a: &Step, b: &Step| self.choices.compose(self.context, a, b);
        let mut parts = Vec::new();
        for cut in 1..factors.len() {
            let (left, right) = factors.split_at(cut);
            let whole = |steps: &[Step]| steps[1..].iter().fold(steps[0].clone(), |a, b| compose(&a, b));
            parts.push((whole(left), whole(right)));
        }
        for (a, b) in parts {
            self.add(&a.must, &b.implied_edges);
            self.add(&b.must, &a.implied_edges);
        }
    }

    /// The terms that a sequence is made of, in order; a long one is not taken apart.
    fn factors(&self, term: TermId) -> Vec<Step> {
        const MANY: usize = 12;
        let mut terms = vec![term];
        let mut at = 0;
        while at < terms.len() && terms.len() < MANY {
            match *self.context.model.term(terms[at]) {
                Term::Seq(a, b) => drop(terms.splice(at..=at, [a, b])),
                _ => at += 1,
            }
        }
        let step = |t: &TermId| Step {
            must: self.known[*t].must.rel().clone(),
            implied_edges: self.implied_edges[*t].clone(),
        };
        terms.iter().map(step).collect()
    }
}

/// The facts without what is excluded.
fn prune(context: &Context<'_>, excluded: &Follows) -> Facts {
    let mut facts = context.facts.clone();
    let n = facts.n;
    let mut together = facts.rels.get(&BaseRel::Loc).map_or_else(|| Relation::new(n), |loc| loc.must.clone());
    together.intersect_assign(&Relation::product(&facts.writes, &facts.writes));
    (0..n).for_each(|x| together.remove(x, x));
    if let Some(co) = facts.rels.get_mut(&BaseRel::Co) {
        co.may.subtract_assign(&excluded.co);
        let mut only = together.difference(&co.may).inverse();
        only.intersect_assign(&co.may);
        co.must.union_assign(&only);
    }
    let overwritten = overwritten(context, &facts, &excluded.fr);
    if let Some(rf) = facts.rels.get_mut(&BaseRel::Rf) {
        rf.may.subtract_assign(&excluded.rf);
        rf.may.subtract_assign(&excluded.rf_inverse.inverse());
        rf.may.subtract_assign(&overwritten);
        rf.must.intersect_assign(&rf.may);
    }
    facts
}

/// Pairs of a write and a read between which another write certainly comes that the read may not overlook.
fn overwritten(context: &Context<'_>, facts: &Facts, not_before: &Relation) -> Relation {
    let mut found = Relation::new(facts.n);
    let (Some(rf), Some(co), Some(loc)) =
        (facts.rels.get(&BaseRel::Rf), facts.rels.get(&BaseRel::Co), facts.rels.get(&BaseRel::Loc))
    else {
        return found;
    };
    let brings = |x: usize, y: usize| context.world.implies.contains(x, y);
    for (first, read) in rf.may.iter().filter(|(w, _)| facts.writes.contains(*w)) {
        if context.world.is_stopped() {
            break;
        }
        let between = |&second: &usize| {
            second != first
                && second != read
                && facts.writes.contains(second)
                && (brings(first, second) || brings(read, second))
                // The two writes are of one cell if the read sees the first, and then ordered.
                && (loc.must.contains(first, second) || loc.must.contains(second, read))
                && !co.may.contains(second, first)
        };
        if not_before.successors(read).any(|second| between(&second)) {
            found.insert(first, read);
        }
    }
    found
}
