//! Recognising the coherence order: a choice of total orders on the writes of each location, initial writes first, is
//! the `co` that engines choose themselves, and far better than any interpreter.

use super::Linker;
use crate::model::{Orders, Term, TermId, Test};
use crate::syntax::{CheckKind, CheckMode};
use treville_base::{Name, Span};
use treville_event::BaseRel;

impl Linker<'_> {
    /// The free coherence order, if choosing among `orders` is choosing it, and no earlier choice was.
    ///
    /// What the orders must extend besides "initial writes first, final writes last" becomes a check: an order is
    /// total, so it extends a relation within locations if and only if their union has no cycle.
    pub(super) fn free_coherence(&mut self, orders: Orders, var: &Name, span: Span) -> Option<TermId> {
        let loc = self.terms.rel(BaseRel::Loc);
        let writes = self.base_set(&Name::from("W"));
        if self.co_bound || orders.on != writes || orders.classes != loc {
            return None;
        }
        let (first, last) = self.ends(writes);
        let standard = [self.terms.union(first, last)].map(|ends| self.terms.inter(loc, ends));
        let (loc_first, loc_last) = (self.terms.inter(loc, first), self.terms.inter(loc, last));
        let mut rest = self.operands_of_union(orders.extends);
        let before = rest.len();
        rest.retain(|&t| t != standard[0] && t != loc_first);
        if rest.len() == before {
            return None; // initial writes need not be first
        }
        rest.retain(|&t| t != loc_last);
        if !rest.iter().all(|&t| self.stays_at_location(t)) {
            return None;
        }
        self.co_bound = true;
        let co = self.terms.rel(BaseRel::Co);
        if let Some(extended) = rest.into_iter().reduce(|a, b| self.terms.union(a, b)) {
            let among_writes = self.terms.product(writes, writes);
            let closed = self.terms.plus(extended);
            let required = self.terms.inter(closed, among_writes);
            let term = self.terms.union(required, co);
            let test = Test { kind: CheckKind::Acyclic, negated: false, term };
            self.add_check(CheckMode::Require, test, Some(var.clone()), span);
        }
        Some(co)
    }

    /// `IW * (W \ IW)` and `(W \ FW) * FW`.
    fn ends(&mut self, writes: TermId) -> (TermId, TermId) {
        let initial = self.base_set(&Name::from("IW"));
        let last = self.base_set(&Name::from("FW"));
        let others = self.terms.diff(writes, initial);
        let not_last = self.terms.diff(writes, last);
        (self.terms.product(initial, others), self.terms.product(not_last, last))
    }

    pub(super) fn operands_of_union(&self, term: TermId) -> Vec<TermId> {
        let mut operands = Vec::new();
        let mut left = vec![term];
        while let Some(t) = left.pop() {
            match self.terms.infos[t].term {
                Term::Union(a, b) => left.extend([b, a]),
                _ => operands.push(t),
            }
        }
        operands
    }

    /// Whether a relation evidently relates only events of one location.
    fn stays_at_location(&self, term: TermId) -> bool {
        // Children come first, so one pass over the terms decides.
        let mut stays = vec![false; self.terms.infos.len()];
        for (t, info) in self.terms.infos.iter_enumerated() {
            let of = |t: TermId| stays[t.0 as usize];
            stays[t.0 as usize] = match info.term {
                Term::BaseRel(BaseRel::Loc | BaseRel::Rf | BaseRel::Co | BaseRel::Id) => true,
                Term::Empty | Term::ToId(_) => true,
                Term::Union(a, b) | Term::Seq(a, b) => of(a) && of(b),
                Term::Inter(a, b) => of(a) || of(b),
                Term::Diff(a, _) | Term::Inverse(a) | Term::Plus(a) | Term::Star(a) | Term::Opt(a) => of(a),
                _ => false,
            };
        }
        stays[term.0 as usize]
    }
}
