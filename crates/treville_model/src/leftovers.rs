//! Removing from a linked model what linking left over.

use crate::model::{Model, PickSource, RecGroup, Term, TermId};
use crate::terms::for_children;
use treville_base::{Idx, IndexVec};

/// Removes terms that no check, pick or definition uses, and general expressions if no check or pick needs one; then
/// definitions that only they can give go too. (Where one is needed, what it captured may refer to anything: all stays.)
pub(crate) fn drop_leftovers(model: &mut Model) {
    let needed = model.needed();
    let general = model.depending_on(|t| matches!(t, Term::General(_)));
    let picks_general = model.picks.iter().any(|p| matches!(p.source, PickSource::AnyOf(..)));
    if picks_general || needed.iter().zip(&general).any(|(n, g)| *n && *g) {
        return;
    }
    model.defs.retain(|_, t| !general[t.index()]);
    model.shows.retain(|(_, t)| !general[t.index()]);
    model.generals = IndexVec::new();
    let mut roots: Vec<TermId> = model.defs.values().copied().chain(model.shows.iter().map(|s| s.1)).collect();
    roots.extend(model.terms.ids().filter(|t| needed[t.index()]));
    let kept = model.reachable(roots);
    renumber(model, &kept);
}

/// Keeps only some terms, in the same order. Groups whose members are gone keep no bodies.
fn renumber(model: &mut Model, kept: &[bool]) {
    let mut next = 0;
    let new: Vec<TermId> = kept
        .iter()
        .map(|&k| {
            next += u32::from(k);
            TermId(next.wrapping_sub(1))
        })
        .collect();
    let to = |t: &mut TermId| *t = new[t.index()];
    let old = std::mem::take(&mut model.terms);
    for (id, mut info) in old.iter_enumerated().map(|(id, info)| (id, info.clone())) {
        if kept[id.index()] {
            for_children(&mut info.term, to);
            model.terms.push(info);
        }
    }
    for group in model.recs.iter_mut() {
        match group.bodies.iter().all(|b| kept[b.index()]) {
            true => group.bodies.iter_mut().for_each(to),
            false => *group = RecGroup { bodies: Vec::new(), shapes: Vec::new(), names: Vec::new(), ..group.clone() },
        }
    }
    model.checks.iter_mut().for_each(|c| to(&mut c.test.term));
    for pick in model.picks.iter_mut() {
        if let PickSource::Orders(o) = &mut pick.source {
            [&mut o.on, &mut o.classes, &mut o.extends].into_iter().for_each(to);
        }
    }
    model.defs.values_mut().for_each(to);
    model.shows.iter_mut().for_each(|s| to(&mut s.1));
}
