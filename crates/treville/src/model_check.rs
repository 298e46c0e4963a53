//! Examining a model without a program: errors, definitions that nothing uses, axioms that can never reject anything.

use crate::{ModelOptions, Session, front_ends, unreadable};
use std::sync::Arc;
use treville_base::{Diagnostic, Name, Severity, SourceMap, Span};
use treville_ir::Dialect;
use treville_model::syntax::{CheckMode, Ins, InsKind, Unit};
use treville_model::{Check, Foregone, Model};
use treville_report::Failure;

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

impl Session<'_> {
    /// Examines a model, for tests of one dialect or of all.
    ///
    /// # Errors
    /// The errors of the model.
    pub fn check_model(&self, options: &ModelOptions, dialect: Option<&str>) -> Result<ModelChecked, Failure> {
        let name = options.name.as_deref().unwrap_or("");
        let parsed = self.library.parse(name, options)?;
        let dialect = dialect_named(dialect)?;
        let (model, unsupported) = parsed.examine(&dialect, &options.variants)?;
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
}

impl Session<'_> {
    /// What makes the answers of a model given as a file doubtful: warnings for everyone who uses it. A bundled model has
    /// none, and what is wrong with a file is said when it is linked.
    pub fn model_warnings(&self, options: &ModelOptions) -> (Vec<Diagnostic>, Arc<SourceMap>) {
        let nothing = (Vec::new(), Arc::new(SourceMap::new()));
        let Some(name) = options.name.as_deref().filter(|name| treville_cat::bundled(name).is_none()) else {
            return nothing;
        };
        let Ok(parsed) = self.library.parse(name, options) else { return nothing };
        let examined = dialect_named(None).and_then(|dialect| parsed.examine(&dialect, &options.variants));
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

/// Sets of dialects that we do not read: of graphics processors and of Arm's pseudocode.
const ELSEWHERE: &str = "CTA GPU SYS WEAK GEN TEX SUR ALIAS SG WG WI QF DV ALL GLOBAL LOCAL GENERIC NONPRIV ATOM AV VIS \
    AVDEVICE VISDEVICE SEMAV SEMVIS CBAR SC0 SC1 SC2 SC3 SEMSC0 SEMSC1 SEMSC2 SEMSC3 ASLLocal WPC";

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
            let sets = all.iter().flat_map(|d| d.sets.iter().cloned());
            let sets = sets.chain(ELSEWHERE.split_whitespace().map(Name::new)).collect();
            let some = all.first().ok_or_else(|| unreadable("there is no dialect"))?;
            Ok(Dialect { sets, branch_events: true, ..Dialect::clone(some) })
        }
    }
}
