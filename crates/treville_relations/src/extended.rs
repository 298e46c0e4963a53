//! Bounds that follow from the checks: an execution that passes them has no pair that would make one fail.
//!
//! Starting from the bounds of the facts, upper bounds shrink and lower bounds grow until nothing changes: checks and
//! choices say what cannot be (`axiom_facts`), definitions pass it down to their operands (`downward`), and operands up again. Pairs
//! that must be and cannot be are of events that do not happen together.

use crate::active::Active;
use crate::bottom_up::Rounds;
use crate::derive::{Context, Knowledge};
use crate::plan::{Plan, Recursion, operands};
use crate::{ByPolarity, Extent, Known, Obligation};
use treville_base::{Cancel, IndexVec};
use treville_event::Relation;
use treville_model::TermId;

/// Bounds while they are made tighter.
pub(crate) struct Tightening<'a> {
    pub(crate) context: Context<'a>,
    pub(crate) plan: &'a Plan,
    pub(crate) known: Knowledge,
    parents: IndexVec<TermId, Vec<TermId>>,
    marks: IndexVec<TermId, Marks>,
    /// Pairs of events that were found not to happen together, and those among them that are new.
    contradictions: Relation,
    fresh: Relation,
}

/// What is to be done about a term.
#[derive(Clone, Copy, Default)]
struct Marks {
    /// Derive it from its operands.
    up: bool,
    /// Pass it down to its operands.
    down: bool,
    /// Apply the laws about it.
    law: bool,
}

/// What comes out: the context knows of more events that do not happen together.
pub(crate) struct Tightened<'a> {
    pub(crate) context: Context<'a>,
    pub(crate) known: Knowledge,
    pub(crate) contradictions: Vec<(usize, usize)>,
    pub(crate) stated: Active,
}

/// Makes the bounds of the facts tighter by what the required checks say; `None` if cancelled.
pub(crate) fn extend<'a>(
    context: Context<'a>,
    plan: &'a Plan,
    known: Knowledge,
    obligations: &[Obligation],
    cancel: &Cancel,
) -> Option<Tightened<'a>> {
    let n = context.world.n;
    let model = context.model;
    let mut parents: IndexVec<TermId, Vec<TermId>> = model.terms.iter().map(|_| Vec::new()).collect();
    let mut marks: IndexVec<TermId, Marks> = model.terms.iter().map(|_| Marks::default()).collect();
    for t in plan.terms() {
        marks[t].law = true;
        operands(model, t).into_iter().for_each(|o| parents[o].push(t));
    }
    let (contradictions, fresh) = (Relation::new(n), Relation::new(n));
    let mut state = Tightening { context, plan, known, parents, marks, contradictions, fresh };
    loop {
        state.apply_laws(obligations);
        state.separate();
        let idle = !state.marks.iter().any(|m| m.up || m.down || m.law);
        if idle {
            break;
        }
        if cancel.is_due() {
            return None;
        }
        state.sweep_down();
        state.sweep_up();
    }
    if cancel.is_stopped() {
        return None;
    }
    let stated = state.stated();
    let contradictions = state.contradictions.iter().filter(|(x, y)| x <= y).collect();
    Some(Tightened { context: state.context, known: state.known, contradictions, stated })
}

impl Tightening<'_> {
    /// Whether laws about a term are to be applied; they then count as applied.
    pub(crate) fn take_law(&mut self, t: TermId) -> bool {
        std::mem::take(&mut self.marks[t].law)
    }

    /// Pairs that a term cannot have.
    pub(crate) fn remove(&mut self, t: TermId, pairs: &Extent) {
        let mut gone = pairs.intersection(&self.known[t].may);
        if gone.is_empty() {
            return;
        }
        self.known[t].may.subtract_assign(&gone);
        gone.intersect_assign(&self.known[t].must);
        self.contradict(t, &gone);
        self.mark(t);
    }

    /// Pairs that a term must have.
    pub(crate) fn add(&mut self, t: TermId, pairs: &Extent) {
        let mut new = pairs.difference(&self.known[t].must);
        match &mut new {
            Extent::Set(s) => s.intersect_assign(&self.context.world.possible),
            Extent::Rel(r) => r.intersect_assign(&self.context.world.compatible),
        }
        if new.is_empty() {
            return;
        }
        let impossible = new.difference(&self.known[t].may);
        self.contradict(t, &impossible);
        new.subtract_assign(&impossible);
        if !new.is_empty() {
            self.known[t].must.union_assign(&new);
            self.mark(t);
        }
    }

    /// Events that do not happen together, because a term would have to have the pair and cannot.
    fn contradict(&mut self, t: TermId, pairs: &Extent) {
        if !pairs.is_empty() {
            self.known[t].must.subtract_assign(pairs);
            pairs.pairs().for_each(|(x, y)| self.never(x, y));
        }
    }

    pub(crate) fn never(&mut self, x: usize, y: usize) {
        if self.context.world.compatible.contains(x, y) {
            self.fresh.insert(x, y);
            self.fresh.insert(y, x);
        }
    }

    /// Takes pairs of events that do not happen together out of all bounds.
    fn separate(&mut self) {
        if self.fresh.is_empty() {
            return;
        }
        let fresh = std::mem::replace(&mut self.fresh, Relation::new(self.context.world.n));
        self.contradictions.union_assign(&fresh);
        self.context.world.exclude(&fresh);
        for t in self.plan.terms() {
            let mut now = self.known[t].clone();
            self.context.restrict(&mut now);
            if now != self.known[t] {
                self.known[t] = now;
                self.mark(t);
            }
        }
    }

    fn mark(&mut self, t: TermId) {
        self.marks[t].down = true;
        self.marks[t].law = true;
        for &above in &self.parents[t] {
            self.marks[above].up = true;
            self.marks[above].down = true;
        }
    }

    fn sweep_down(&mut self) {
        let plan = self.plan;
        for t in plan.terms().rev() {
            if std::mem::take(&mut self.marks[t].down) && !self.context.world.is_stopped() {
                self.pass_down(t);
            }
        }
    }

    fn sweep_up(&mut self) {
        let plan = self.plan;
        for (i, component) in plan.components.iter().enumerate() {
            if !component.terms.iter().any(|t| self.marks[*t].up) || self.context.world.is_stopped() {
                continue;
            }
            if component.recursion == Recursion::Least {
                self.solve_again(i);
            } else {
                for &t in &component.terms {
                    if plan.is_iterated(self.context.model, t) {
                        continue;
                    }
                    let now = self.context.derive(t, &self.known);
                    let out = self.known[t].may.difference(&now.may);
                    self.remove(t, &out);
                    self.add(t, &now.must);
                }
            }
            component.terms.iter().for_each(|t| self.marks[*t].up = false);
        }
    }

    /// The least fixpoint of a recursive component, within the bounds so far.
    fn solve_again(&mut self, component: usize) {
        let component = &self.plan.components[component];
        let (context, known) = (&self.context, &mut self.known);
        let before: Vec<_> = component.terms.iter().map(|t| known[*t].clone()).collect();
        for &t in &component.terms {
            known[t].may = Extent::empty(context.model.shape(t), context.world.n);
        }
        let mut rounds = Rounds::new(context, component);
        while rounds.next(|t| {
            let mut now = context.derive(t, known);
            let at = component.terms.binary_search(&t).unwrap_or_default();
            now.may.intersect_assign(&before[at].may);
            now.must.union_assign(&known[t].must);
            let changed = now != known[t] && !context.world.is_stopped();
            known[t] = now;
            changed
        }) {}
        for (&t, before) in component.terms.iter().zip(before) {
            let now = std::mem::replace(&mut self.known[t], before);
            let out = self.known[t].may.difference(&now.may);
            self.remove(t, &out);
            self.add(t, &now.must);
        }
    }

    /// What is known of terms although their definitions do not say so.
    fn stated(&mut self) -> Active {
        let n = self.context.world.n;
        let mut stated: Active = self.context.model.terms.iter().map(|i| ByPolarity::empty(i.shape, n)).collect();
        let plan = self.plan;
        for component in &plan.components {
            // A lower bound of a fixpoint has to be derived from nothing; an upper bound only has to be kept by each step.
            let musts: Vec<Extent> = component.terms.iter().map(|t| self.known[*t].must.clone()).collect();
            if component.recursion == Recursion::Least {
                let (context, known) = (&self.context, &mut self.known);
                for &t in &component.terms {
                    known[t].must = Extent::empty(context.model.shape(t), n);
                }
                let mut rounds = Rounds::new(context, component);
                while rounds.next(|t| {
                    let now = context.derive(t, known).must;
                    let changed = now != known[t].must && !context.world.is_stopped();
                    known[t].must = now;
                    changed
                }) {}
            }
            // All terms are derived before any bound is put back: a bound must not help to derive itself through another term.
            let is_derived = |t| !plan.is_iterated(self.context.model, t) && !self.context.is_opaque(t);
            let derived: Vec<Option<Known<Extent>>> =
                component.terms.iter().map(|&t| is_derived(t).then(|| self.context.derive(t, &self.known))).collect();
            for ((&t, must), derived) in component.terms.iter().zip(musts).zip(derived) {
                if let Some(derived) = derived {
                    let up = derived.may.difference(&self.known[t].may);
                    stated[t] = ByPolarity { up, down: must.difference(&derived.must) };
                }
                self.known[t].must = must;
            }
        }
        stated
    }
}
