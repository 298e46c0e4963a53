//! From what was linked to the model.

use super::Linker;
use super::instruction::distinct;
use crate::fingerprint::fingerprint;
use crate::leftovers::drop_leftovers;
use crate::model::{Model, Shape, Static, Term, TermId, TermInfo};
use crate::syntax::Unit;
use std::collections::BTreeMap;
use treville_base::{Diagnostic, FileId, Idx, Name, Severity, Span};
use treville_event::BaseRel;

impl Linker<'_> {
    pub(super) fn finish(mut self, units: &[&Unit]) -> Result<(Model, Vec<Diagnostic>), Vec<Diagnostic>> {
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
            unused: self.own.into_iter().filter(|d| !d.used).map(|d| (d.name, d.span)).collect(),
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
        let is_co = |(t, info): (TermId, &TermInfo)| needed[t.index()] && info.term == Term::BaseRel(BaseRel::Co);
        model.free_co |= model.terms.iter_enumerated().any(is_co);
        model.fingerprint = fingerprint(&model);
        Ok((model, missing))
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
            if is_term(self, &value)
                && let Ok(term) = self.as_term(&value, None::<Shape>, nowhere)
            {
                defs.insert(name, term);
            }
        }
        defs
    }
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
