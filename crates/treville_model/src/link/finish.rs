//! From what was linked to the model.

use super::Linker;
use super::instruction::distinct;
use crate::fingerprint::fingerprint;
use crate::model::{Model, PickSource, RecGroup, Shape, Static, Term, TermId, TermInfo};
use crate::syntax::Unit;
use crate::terms::for_children;
use std::collections::BTreeMap;
use treville_base::{Diagnostic, FileId, Idx, IndexVec, Name, Severity, Span};
use treville_event::BaseRel;

impl Linker<'_> {
    pub(super) fn finish(mut self, units: &[&Unit]) -> Result<Model, Vec<Diagnostic>> {
        if !self.errors.is_empty() {
            return Err(distinct(self.errors));
        }
        let warnings = std::mem::take(&mut self.suspects);
        let warnings =
            distinct(warnings.into_iter().map(|d| Diagnostic { severity: Severity::Warning, ..d }).collect());
        let defs = self.definitions();
        let unit = units.last();
        let mut model = Model {
            name: unit.and_then(|u| u.title.clone()),
            catdep: units.iter().any(|u| computes_dependencies(u)),
            free_co: self.co_bound,
            terms: self.terms.infos,
            recs: self.recs,
            picks: self.picks,
            generals: self.generals,
            checks: self.checks,
            steps: self.steps,
            vacuous: self.vacuous,
            shows: self.shows,
            defs,
            fingerprint: 0,
            variants: self.vocabulary.variants.clone(),
            warnings,
        };
        drop_leftovers(&mut model);
        let needed = model.needed();
        let missing = |(t, info): (TermId, &TermInfo)| match info.term {
            Term::BaseRel(rel) if needed[t.index()] && !rel.is_built() => {
                let at = self.unbuilt.iter().find(|(r, _)| *r == rel).map(|(_, span)| *span);
                Some(Diagnostic::error(at, format!("the relation '{}' is not supported", rel.name())))
            }
            _ => None,
        };
        let missing: Vec<Diagnostic> = model.terms.iter_enumerated().filter_map(missing).collect();
        if !missing.is_empty() {
            return Err(missing);
        }
        let is_co = |(t, info): (TermId, &TermInfo)| needed[t.index()] && info.term == Term::BaseRel(BaseRel::Co);
        model.free_co |= model.terms.iter_enumerated().any(is_co);
        model.fingerprint = fingerprint(&model);
        Ok(model)
    }

    /// The sets and relations that global names stand for at the end.
    fn definitions(&mut self) -> BTreeMap<Name, TermId> {
        let nowhere = Span::new(FileId(0), 0, 0);
        let globals: BTreeMap<Name, Static> = std::mem::take(&mut self.globals).into_iter().collect();
        let is_term = |linker: &Self, v: &Static| match v {
            Static::Term(_) => true,
            Static::General(g) => linker.generals[*g].ty.shape().is_some(),
            _ => false,
        };
        let mut defs = BTreeMap::new();
        for (name, value) in globals {
            if is_term(self, &value) {
                if let Ok(term) = self.as_term(&value, None::<Shape>, nowhere) {
                    defs.insert(name, term);
                }
            }
        }
        defs
    }
}

/// Removes terms that no check, pick or definition uses, and general expressions if no check or pick needs one; then
/// definitions that only they can give go too. (Where one is needed, what it captured may refer to anything: all stays.)
fn drop_leftovers(model: &mut Model) {
    let is_general = |model: &Model, t: usize| matches!(model.term(TermId::from_usize(t)), Term::General(_));
    let reaches_general = |model: &Model, kept: &[bool]| (0..kept.len()).any(|t| kept[t] && is_general(model, t));
    let picks_general = model.picks.iter().any(|p| matches!(p.source, PickSource::AnyOf(..)));
    if picks_general || reaches_general(model, &model.needed()) {
        return;
    }
    let simple = |model: &Model, t: TermId| !reaches_general(model, &model.reachable(vec![t]));
    let defs: BTreeMap<Name, TermId> = std::mem::take(&mut model.defs);
    let shows = std::mem::take(&mut model.shows);
    if model.generals.is_empty() {
        (model.defs, model.shows) = (defs, shows);
    } else {
        model.defs = defs.into_iter().filter(|(_, t)| simple(model, *t)).collect();
        model.shows = shows.into_iter().filter(|(_, t)| simple(model, *t)).collect();
    }
    model.generals = IndexVec::new();
    let mut roots: Vec<TermId> = model.defs.values().copied().chain(model.shows.iter().map(|s| s.1)).collect();
    let needed = model.needed();
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

/// Whether a unit, or one that it includes, says that it computes dependencies.
pub(crate) fn computes_dependencies(unit: &Unit) -> bool {
    use crate::syntax::{Ins, InsKind};
    fn in_body(body: &[Ins]) -> bool {
        body.iter().any(|ins| match &ins.kind {
            InsKind::Include { unit: Some(unit), .. } => computes_dependencies(unit),
            InsKind::If { then, els, .. } => in_body(then) || in_body(els),
            _ => false,
        })
    }
    unit.options.iter().any(|o| o == "catdep") || in_body(&unit.body)
}
