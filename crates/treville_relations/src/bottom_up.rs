//! Bounds from the facts upwards: operands first, recursive groups as fixpoints.

use crate::derive::{Context, Knowledge};
use crate::plan::{Component, Plan, Recursion, operands};
use crate::{Extent, Known, Level};
use treville_base::Cancel;
use treville_event::Relation;
use treville_model::{Shape, Term, TermId};

/// The bounds of all terms that are needed, and the terms that are not understood; `None` if cancelled. Of terms that are not
/// needed, nothing is known.
pub(crate) fn bottom_up(
    context: &Context<'_>,
    plan: &Plan,
    level: Level,
    cancel: &Cancel,
) -> Option<(Knowledge, Vec<TermId>)> {
    let n = context.world.n;
    let mut known: Knowledge = context.model.terms.iter().map(|info| anything(info.shape, n)).collect();
    let mut opaque = Vec::new();
    for component in &plan.components {
        if cancel.is_due() {
            return None;
        }
        match component.recursion {
            Recursion::None => {
                for &t in &component.terms {
                    if context.world.is_stopped() {
                        return None;
                    }
                    match context.leaf(t) {
                        Some(leaf) => known[t] = leaf,
                        None if level == Level::None && !is_bounded_by_type(context, t) => {}
                        None => known[t] = context.derive(t, &known),
                    }
                    opaque.extend(Some(t).filter(|_| context.is_opaque(t)));
                }
            }
            Recursion::Least if level == Level::None => {
                for &t in component.terms.iter().filter(|t| matches!(context.model.term(**t), Term::ToId(_))) {
                    known[t].may = Extent::Rel(Relation::identity_on(&context.world.possible));
                }
            }
            Recursion::Least => solve(context, component, &mut known, cancel)?,
            Recursion::Iterated => {
                let solved = level >= Level::Must && iterate(context, component, &mut known, cancel)?;
                if !solved {
                    opaque.extend(give_up(context, component, &mut known));
                }
            }
        }
    }
    Some((known, opaque))
}

/// Encodings rely on it that part of the identity is that, and that an order that is chosen is one of its set.
fn is_bounded_by_type(context: &Context<'_>, t: TermId) -> bool {
    matches!(context.model.term(t), Term::ToId(_) | Term::Pick(_))
}

fn anything(shape: Shape, n: usize) -> Known<Extent> {
    Known { may: Extent::full(shape, n), must: Extent::empty(shape, n) }
}

/// Monotone definitions, from empty.
fn solve(context: &Context<'_>, component: &Component, known: &mut Knowledge, cancel: &Cancel) -> Option<()> {
    for &t in &component.terms {
        known[t] = Known::nothing(context.model.shape(t), context.world.n);
    }
    let mut rounds = Rounds::new(context, component);
    while rounds.next(|t| {
        let now = context.derive(t, known);
        let changed = now != known[t];
        known[t] = now;
        changed
    }) {
        if cancel.is_due() {
            return None;
        }
    }
    Some(())
}

/// Definitions that are not monotone mean what iterating them leads to. That is known if it is the same in every execution: at
/// every step, the bounds meet and are about events that always happen. False otherwise; `None` if cancelled.
fn iterate(context: &Context<'_>, component: &Component, known: &mut Knowledge, cancel: &Cancel) -> Option<bool> {
    let (model, n) = (context.model, context.world.n);
    let members: Vec<TermId> = component.terms.iter().copied().filter(|t| is_member(context, *t)).collect();
    let Some(&Term::Rec(rec, _)) = members.first().map(|t| model.term(*t)) else { return Some(false) };
    let one_group = members.iter().all(|t| matches!(model.term(*t), Term::Rec(r, _) if *r == rec));
    if !one_group || context.world.possible.is_empty() {
        return Some(false);
    }
    for &t in &members {
        known[t] = Known::nothing(model.shape(t), n);
    }
    let mut rounds = Rounds::new(context, component);
    let always = context.world.always();
    let group = &model.recs[rec];
    // More rounds than any definition in use needs; what takes longer is left to the evaluator, and so is what never settles.
    for _ in 0..2 * n + 8 {
        let mut grown = false;
        for (i, body) in group.bodies.iter().enumerate() {
            if cancel.is_due() {
                return None;
            }
            let mut same = true;
            rounds.next(|t| {
                if !same || is_member(context, t) {
                    return false;
                }
                known[t] = context.derive(t, known);
                same = known[t].may == known[t].must && within(&known[t].may, &always);
                true
            });
            if !same {
                return Some(false);
            }
            let Some(&t) = members.iter().find(|t| matches!(model.term(**t), Term::Rec(_, j) if *j as usize == i))
            else {
                continue;
            };
            grown |= !known[*body].may.is_subset(&known[t].may);
            if known[t] != known[*body] {
                known[t] = known[*body].clone();
                rounds.touch(t);
            }
        }
        if !grown {
            // The last step may have taken something away again.
            derive_between(context, component, known);
            return Some(true);
        }
    }
    Some(false)
}

/// Nothing is known of members; the terms between. Returns the members.
fn give_up(context: &Context<'_>, component: &Component, known: &mut Knowledge) -> Vec<TermId> {
    let members: Vec<TermId> = component.terms.iter().copied().filter(|t| is_member(context, *t)).collect();
    for &t in &members {
        known[t] = anything(context.model.shape(t), context.world.n);
    }
    derive_between(context, component, known);
    members
}

/// Derives all terms of a component except members of groups.
fn derive_between(context: &Context<'_>, component: &Component, known: &mut Knowledge) {
    for &t in component.terms.iter().filter(|t| !is_member(context, **t)) {
        known[t] = context.derive(t, known);
    }
}

fn is_member(context: &Context<'_>, t: TermId) -> bool {
    matches!(context.model.term(t), Term::Rec(..))
}

fn within(extent: &Extent, events: &treville_event::EventSet) -> bool {
    match extent {
        Extent::Set(s) => s.is_subset(events),
        Extent::Rel(r) => r.domain().is_subset(events) && r.range().is_subset(events),
    }
}

/// Visits the terms of a recursive component again and again, as long as an operand has changed.
pub(crate) struct Rounds<'c> {
    terms: &'c [TermId],
    /// For each term, the positions of its operands in the component.
    operands: Vec<Vec<usize>>,
    /// The visit at which each term has last changed and was last made.
    changed: Vec<u32>,
    made: Vec<u32>,
    clock: u32,
}

impl<'c> Rounds<'c> {
    pub(crate) fn new(context: &Context<'_>, component: &'c Component) -> Self {
        let terms = component.terms.as_slice();
        let inside = |t| operands(context.model, t).iter().filter_map(|o| terms.binary_search(o).ok()).collect();
        Rounds {
            terms,
            operands: terms.iter().map(|t| inside(*t)).collect(),
            changed: vec![0; terms.len()],
            made: vec![0; terms.len()],
            clock: 0,
        }
    }

    /// A term has changed by other means.
    fn touch(&mut self, t: TermId) {
        if let Ok(i) = self.terms.binary_search(&t) {
            self.clock += 1;
            self.changed[i] = self.clock;
        }
    }

    /// One round; `make` says whether a term has changed. False once nothing is left to do.
    pub(crate) fn next(&mut self, mut make: impl FnMut(TermId) -> bool) -> bool {
        let mut any = false;
        for (i, &t) in self.terms.iter().enumerate() {
            let stale = self.made[i] == 0 || self.operands[i].iter().any(|&o| self.changed[o] > self.made[i]);
            if stale {
                self.clock += 1;
                self.made[i] = self.clock;
                if make(t) {
                    self.clock += 1;
                    self.changed[i] = self.clock;
                    any = true;
                }
            }
        }
        any
    }
}
