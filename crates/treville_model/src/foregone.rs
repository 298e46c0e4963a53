//! Checks whose outcome is known before any execution: they reject nothing, or everything.

use crate::model::{Check, CheckId, CheckKind, Model, Term, TermId};
use crate::syntax::CheckMode;
use treville_base::Idx;
use treville_event::BaseRel;

/// What a required check does, whatever the execution.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Foregone {
    /// It accepts every execution.
    Accepts,
    /// It rejects every execution.
    Rejects,
}

impl Model {
    /// The required checks whose form alone tells their outcome. An execution has at least one event.
    pub fn foregone(&self) -> Vec<(CheckId, Foregone)> {
        let loops = bottom_up(self, |term, of| has_loops(self, term, of));
        let in_thread = bottom_up(self, |term, of| within(term, &|r| IN_THREAD.contains(&r), of));
        let in_coherence = bottom_up(self, |term, of| within(term, &|r| r == BaseRel::Co, of));
        let ordered = |t: usize| in_thread[t] == Within::Strictly || in_coherence[t] == Within::Strictly;
        let required = self.made_checks().filter(|(_, check)| check.mode == CheckMode::Require);
        let outcome = |check: &Check| {
            let term = check.test.term;
            let passes = match check.test.kind {
                _ if loops[term.index()] => false,
                CheckKind::Acyclic | CheckKind::Irreflexive if ordered(term.index()) => true,
                CheckKind::Empty if matches!(self.terms[term].term, Term::Empty) => true,
                CheckKind::Acyclic | CheckKind::Irreflexive | CheckKind::Empty => return None,
            };
            Some(if passes != check.test.negated { Foregone::Accepts } else { Foregone::Rejects })
        };
        required.filter_map(|(id, check)| Some((id, outcome(check)?))).collect()
    }
}

/// Relations from an event of a thread to a later one.
const IN_THREAD: [BaseRel; 4] = [BaseRel::Po, BaseRel::Addr, BaseRel::Data, BaseRel::Ctrl];

/// A fact of every term, from the facts of its operands, which come before it.
fn bottom_up<T: Clone>(model: &Model, fact: impl Fn(&Term, &dyn Fn(TermId) -> T) -> T) -> Vec<T> {
    let mut known: Vec<T> = Vec::with_capacity(model.terms.len());
    for info in &model.terms {
        let value = fact(&info.term, &|t: TermId| known[t.index()].clone());
        known.push(value);
    }
    known
}

/// Whether the term is certainly a reflexive relation, or the set of all events.
fn has_loops(model: &Model, term: &Term, of: &dyn Fn(TermId) -> bool) -> bool {
    match *term {
        Term::BaseRel(BaseRel::Id) | Term::Universe | Term::Star(_) | Term::Opt(_) => true,
        Term::Union(a, b) => of(a) || of(b),
        Term::Inter(a, b) | Term::Seq(a, b) | Term::Product(a, b) => of(a) && of(b),
        Term::Plus(a) | Term::Inverse(a) | Term::ToId(a) | Term::Domain(a) | Term::Range(a) => of(a),
        Term::Complement(a) => matches!(model.terms[a].term, Term::Empty),
        Term::Diff(..)
        | Term::BaseRel(_)
        | Term::BaseSet(_)
        | Term::Empty
        | Term::Rec(..)
        | Term::Pick(_)
        | Term::General(_) => false,
    }
}

/// How a term lies in an order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Within {
    No,
    /// Contained in the order and the identity.
    OrSame,
    /// Contained in the order, which relates nothing to itself.
    Strictly,
}

/// Whether the term relates nothing that an order does not, given which base relations are part of it.
fn within(term: &Term, order: &dyn Fn(BaseRel) -> bool, of: &dyn Fn(TermId) -> Within) -> Within {
    match *term {
        Term::BaseRel(BaseRel::Id) | Term::ToId(_) => Within::OrSame,
        Term::BaseRel(rel) if order(rel) => Within::Strictly,
        Term::Empty => Within::Strictly,
        Term::Union(a, b) => of(a).min(of(b)),
        Term::Inter(a, b) => of(a).max(of(b)),
        Term::Diff(a, _) | Term::Plus(a) => of(a),
        Term::Star(a) | Term::Opt(a) => of(a).min(Within::OrSame),
        Term::Seq(a, b) => match (of(a), of(b)) {
            (Within::No, _) | (_, Within::No) => Within::No,
            (a, b) => a.max(b),
        },
        Term::BaseRel(_)
        | Term::BaseSet(_)
        | Term::Universe
        | Term::Product(..)
        | Term::Complement(_)
        | Term::Inverse(_)
        | Term::Domain(_)
        | Term::Range(_)
        | Term::Rec(..)
        | Term::Pick(_)
        | Term::General(_) => Within::No,
    }
}
