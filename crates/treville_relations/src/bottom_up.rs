//! Bounds from the facts upwards: operands first, recursive groups as least fixpoints.

use crate::derive::{Context, Knowledge};
use crate::plan::{Component, Plan, operands};
use crate::{Extent, Known, Level};
use treville_base::Cancel;

/// The bounds of all terms that are needed; `None` if cancelled. Of the others, nothing is known.
pub(crate) fn bottom_up(context: &Context<'_>, plan: &Plan, level: Level, cancel: &Cancel) -> Option<Knowledge> {
    let n = context.world.n;
    let anything = |shape| Known { may: Extent::full(shape, n), must: Extent::empty(shape, n) };
    let mut known: Knowledge = context.model.terms.iter().map(|info| anything(info.shape)).collect();
    for component in &plan.components {
        if cancel.is_due() {
            return None;
        }
        match component.terms.as_slice() {
            [t] if !component.recursive => match context.leaf(*t) {
                Some(leaf) => known[*t] = leaf,
                None if level == Level::None => {}
                None => known[*t] = context.derive(*t, &known),
            },
            _ if level == Level::None => {}
            _ => solve(context, component, &mut known, cancel)?,
        }
    }
    Some(known)
}

/// A recursive component from empty; operators are monotone in what belongs to it.
pub(crate) fn solve(
    context: &Context<'_>,
    component: &Component,
    known: &mut Knowledge,
    cancel: &Cancel,
) -> Option<()> {
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

/// Visits the terms of a recursive component again and again, as long as an operand has changed.
pub(crate) struct Rounds<'c> {
    terms: &'c [treville_model::TermId],
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

    /// One round; `make` says whether a term has changed. False once nothing is left to do.
    pub(crate) fn next(&mut self, mut make: impl FnMut(treville_model::TermId) -> bool) -> bool {
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
