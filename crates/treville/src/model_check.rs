//! Examining a model without a program: errors, definitions that nothing uses, axioms that can never reject anything.

use crate::library::Parsed;
use crate::{ModelOptions, front_ends, Session, failure, terms, unreadable, vocabulary};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use treville_base::{Diagnostic, Name, SourceMap, Span};
use treville_ir::Dialect;
use treville_model::syntax::{CheckMode, Ins, InsKind, Pattern, Unit};
use treville_model::{CheckKind, Model, Term};
use treville_report::Failure;

/// A model without errors.
#[derive(Clone, Debug)]
pub struct ModelChecked {
    /// Warnings.
    pub diagnostics: Vec<Diagnostic>,
    pub sources: Arc<SourceMap>,
    pub axioms: usize,
    /// Of the model's own file and what it includes.
    pub definitions: usize,
}

impl Session<'_> {
    /// Examines a model, for tests of one dialect or of all.
    ///
    /// # Errors
    /// The errors of the model.
    pub fn check_model(&self, options: &ModelOptions, dialect: Option<&str>) -> Result<ModelChecked, Failure> {
        let name = options.name.as_deref().unwrap_or("");
        let parsed = self.library.parse(name, options)?;
        let dialect = dialect_named(dialect)?;
        let variants: BTreeSet<Name> = options.variants.iter().map(|v| Name::new(v)).collect();
        let vocabulary = vocabulary::choose(&dialect, &parsed.units, &variants);
        let units: Vec<&Unit> = parsed.units.iter().collect();
        let model = treville_model::link(&units, &vocabulary);
        let model = model.map_err(|errors| failure(errors, Arc::clone(&parsed.sources)))?;
        let definitions = definitions(&parsed);
        let mut diagnostics = unused(&parsed, &definitions);
        diagnostics.extend(vacuous(&model));
        Ok(ModelChecked { diagnostics, axioms: axioms(&model), definitions: definitions.len(), sources: parsed.sources })
    }
}

fn axioms(model: &Model) -> usize {
    model.checks.iter().filter(|check| check.mode == CheckMode::Require).count()
}

/// Names that the model's own file defines at its top level, with the last place of each.
fn definitions(parsed: &Parsed) -> BTreeMap<Name, Span> {
    let mut found = BTreeMap::new();
    if let Some(unit) = parsed.units.last() {
        for Ins { kind, .. } in &unit.body {
            let (InsKind::Let(bindings) | InsKind::LetRec(bindings, _)) = kind else { continue };
            for binding in bindings {
                match &binding.pattern {
                    Pattern::Var(Some(name)) => {
                        found.insert(name.clone(), binding.span);
                    }
                    Pattern::Var(None) => {}
                    Pattern::Tuple(names) => {
                        found.extend(names.iter().flatten().map(|name| (name.clone(), binding.span)));
                    }
                }
            }
        }
    }
    found
}

/// Definitions whose name nothing mentions. What a `show` names counts as used.
fn unused(parsed: &Parsed, definitions: &BTreeMap<Name, Span>) -> Vec<Diagnostic> {
    let mut used: BTreeSet<Name> = parsed.units.iter().flat_map(treville_model::mentions).collect();
    parsed.units.iter().for_each(|unit| shown(&unit.body, &mut used));
    let is_unused = |(name, _): &(&Name, &Span)| !used.contains(*name);
    let warn = |(name, span): (&Name, &Span)| Diagnostic::warning(*span, format!("`{name}` is defined and never used"));
    definitions.iter().filter(is_unused).map(warn).collect()
}

fn shown(body: &[Ins], used: &mut BTreeSet<Name>) {
    for ins in body {
        match &ins.kind {
            InsKind::Show(names) | InsKind::Unshow(names) => used.extend(names.iter().cloned()),
            InsKind::Include { unit: Some(unit), .. } => shown(&unit.body, used),
            _ => {}
        }
    }
}

/// Axioms that no execution violates, or that every execution does.
fn vacuous(model: &Model) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for check in &model.checks {
        let term = check.test.term;
        let always_empty = model.terms[term].term == Term::Empty;
        if !always_empty {
            continue;
        }
        let tested = terms::label(model, term);
        let kind = match check.test.kind {
            CheckKind::Acyclic => "acyclic",
            CheckKind::Irreflexive => "irreflexive",
            CheckKind::Empty => "empty",
        };
        let message = if check.test.negated {
            format!("`{}` can never hold: {tested} is always {kind}", check.name)
        } else {
            format!("`{}` always holds: {tested} is always empty", check.name)
        };
        found.push(Diagnostic::warning(check.span, message));
    }
    found
}

/// A dialect by name; without a name, one that knows the sets of all.
fn dialect_named(name: Option<&str>) -> Result<Dialect, Failure> {
    let all = front_ends::dialects();
    match name {
        Some(name) => {
            let found = all.iter().find(|d| d.name.eq_ignore_ascii_case(name)).map(|d| (**d).clone());
            let known = || all.iter().map(|d| d.name.to_string()).collect::<Vec<_>>().join(", ");
            found.ok_or_else(|| unreadable(format!("there is no dialect `{name}` (there are: {})", known())))
        }
        None => {
            let sets = all.iter().flat_map(|d| d.sets.iter().cloned()).collect();
            let some = all.first().ok_or_else(|| unreadable("there is no dialect"))?;
            Ok(Dialect { sets, branch_events: true, ..Dialect::clone(some) })
        }
    }
}
