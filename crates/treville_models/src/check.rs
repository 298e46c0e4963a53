//! Examining a model without a program: errors, definitions that nothing uses, axioms that can never reject anything.

use crate::{Library, ModelOptions};
use std::sync::Arc;
use treville_base::{Diagnostic, Name, Severity, SourceMap, Span};
use treville_ir::Dialect;
use treville_model::syntax::{CheckMode, Ins, InsKind, Unit};
use treville_model::{Check, Foregone, Model};
use treville_task::CheckError;

/// A model without errors.
#[derive(Clone, Debug)]
pub struct ModelChecked {
    /// Warnings.
    pub diagnostics: Vec<Diagnostic>,
    pub sources: Arc<SourceMap>,
    pub axioms: usize,
    /// Of the model's own file.
    pub definitions: usize,
}

impl Library<'_> {
    /// Examines a model, for tests of a dialect.
    ///
    /// # Errors
    /// The errors of the model.
    pub fn check(&self, options: &ModelOptions, dialect: &Dialect) -> Result<ModelChecked, CheckError> {
        let name = options.name.as_deref().unwrap_or("");
        let parsed = self.parse(name, options)?;
        let (model, unsupported) = parsed.examine(dialect, &options.variants)?;
        let own = parsed.units.last();
        let mut diagnostics = own.map(treville_cat::lint).unwrap_or_default();
        diagnostics.extend(vacuous(&model));
        diagnostics.extend(always_accepted(&model));
        diagnostics.extend(suspicious(&model));
        let no_test = |d: Diagnostic| Diagnostic { severity: Severity::Warning, ..d }.help("no test can be run yet");
        diagnostics.extend(unsupported.into_iter().map(no_test));
        let definitions = own.map_or(0, definitions);
        Ok(ModelChecked { diagnostics, axioms: axioms(&model), definitions, sources: parsed.sources })
    }

    /// What makes the answers of a model given as a file doubtful: warnings for everyone who uses it. A bundled model has
    /// none, and errors in a file are reported when it is linked.
    pub fn warnings(&self, options: &ModelOptions, dialect: &Dialect) -> (Vec<Diagnostic>, Arc<SourceMap>) {
        let nothing = (Vec::new(), Arc::new(SourceMap::new()));
        let Some(name) = options.name.as_deref().filter(|name| self.catalogue.find(name).is_none()) else {
            return nothing;
        };
        let Ok(parsed) = self.parse(name, options) else { return nothing };
        let examined = parsed.examine(dialect, &options.variants);
        examined.map_or(nothing, |(model, _)| (suspicious(&model), parsed.sources))
    }
}

/// Names that nothing binds, in definitions that no axiom uses; axioms that reject everything; no axiom at all.
fn suspicious(model: &Model) -> Vec<Diagnostic> {
    let mut found = model.warnings.clone();
    for (id, _) in model.foregone().into_iter().filter(|(_, outcome)| *outcome == Foregone::Rejects) {
        let check = &model.checks[id];
        let message = format!("`{}` rejects every execution: what it tests never holds", check.name);
        found.push(Diagnostic::warning(check.span, message));
    }
    if axioms(model) == 0 && model.vacuous.is_empty() {
        let none = Diagnostic::warning(None, "the model has no axiom: it allows every execution");
        found.push(none.help("an axiom begins with `acyclic`, `irreflexive` or `empty`, in small letters"));
    }
    found
}

/// Axioms that can reject nothing, by their form.
fn always_accepted(model: &Model) -> Vec<Diagnostic> {
    let accepted = model.foregone().into_iter().filter(|(_, outcome)| *outcome == Foregone::Accepts);
    let warn = |check: &Check| {
        Diagnostic::warning(check.span, format!("`{}` tests nothing: it holds of every execution", check.name))
    };
    accepted.map(|(id, _)| warn(&model.checks[id])).collect()
}

fn axioms(model: &Model) -> usize {
    model.checks.iter().filter(|check| check.mode == CheckMode::Require).count()
}

fn definitions(unit: &Unit) -> usize {
    let bound = |ins: &Ins| match &ins.kind {
        InsKind::Let(bindings) | InsKind::LetRec(bindings, _) => bindings.len(),
        _ => 0,
    };
    unit.body.iter().map(bound).sum()
}

/// Checks that no execution of the dialect can fail, as the linker found.
fn vacuous(model: &Model) -> Vec<Diagnostic> {
    let warn = |(name, span): &(Name, Span)| {
        Diagnostic::warning(*span, format!("`{name}` tests nothing: its relation is always empty"))
    };
    model.vacuous.iter().map(warn).collect()
}
