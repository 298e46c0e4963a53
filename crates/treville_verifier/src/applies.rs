//! Which options concern which inputs and engines, declared once. An option that no file of a call can use is refused, with a message that
//! says where it belongs; in a call with files of several kinds, it concerns those that can use it.

use crate::engines::{BMC, MACHINE, is_auto};
use crate::{Options, RmaOptions, Session};
use treville_bmc::Addresses;
use treville_task::SubjectKind::{self, Claims, Program, Remote, Test};
use treville_task::{CheckError, Subject};

/// An option, and who can use it.
struct Row {
    option: &'static str,
    given: fn(&Options) -> bool,
    kinds: &'static [SubjectKind],
    /// The only engine that can; all, if nothing is said.
    engine: Option<&'static str>,
    /// The inputs for which that engine runs where the call names none.
    usual_for: &'static [SubjectKind],
    /// Where it belongs.
    why: &'static str,
}

const fn row(
    option: &'static str,
    kinds: &'static [SubjectKind],
    given: fn(&Options) -> bool,
    why: &'static str,
) -> Row {
    Row { option, given, kinds, engine: None, usual_for: &[], why }
}

const EXECUTIONS: &[SubjectKind] = &[Test, Program];

/// Options without a row are accepted everywhere, since scripts pass them to all inputs, and change nothing where they do not apply: `bound`
/// (what has no bound is explored as it is), `states`, `cflags`, `threads`, `symmetry`, `spin`, limits, `accept-bounded`.
const ROWS: &[Row] = &[
    row("audit", &[Program], |o| o.run.audit.is_some(), "is about programs in C and LLVM IR"),
    row("inductive", &[Claims], |o| o.run.inductive, "is about programs in .rar and their invariants"),
    row("flush", &[Remote], |o| o.run.rma.flushes != RmaOptions::default().flushes, IN_RMA),
    row("reduction", &[Remote], |o| o.run.rma.reduction.is_some(), IN_RMA),
    row("abstraction", &[Remote], |o| o.run.rma.abstraction.is_some(), IN_RMA),
    row("solver", &[Remote], |o| o.run.rma.solver != RmaOptions::default().solver, IN_RMA),
    row("max-pending", &[Remote], |o| o.run.rma.max_pending.is_some(), IN_RMA),
    row(
        "cross-check",
        EXECUTIONS,
        |o| o.run.named_check().is_some(),
        "is about litmus tests and programs: no other engine takes this",
    ),
    row("plain", EXECUTIONS, |o| o.run.plain, "belongs to the engine enumerate"),
    row(
        "property",
        &[Program, Claims],
        |o| !o.run.properties.is_empty(),
        "is about programs: this input says itself what must hold",
    ),
    row("weak-cas", EXECUTIONS, |o| o.run.weak_cas, "is about programs and tests in C"),
    row("macros", &[Test, Program, Claims], |o| !o.model.macros.is_empty(), "is about litmus tests"),
    row("variant", EXECUTIONS, |o| !o.model.variants.is_empty(), IN_CAT),
    row("skip-check", EXECUTIONS, |o| !o.model.skip_checks.is_empty(), IN_CAT),
    row("bell", EXECUTIONS, |o| o.model.bell.is_some(), IN_CAT),
    on_machine(row("max-messages", &[Test, Claims], |o| o.run.max_messages.is_some(), BY_MACHINE)),
    on_machine(row("max-actions", &[Test, Claims], |o| o.run.max_actions.is_some(), BY_MACHINE)),
    on_machine(row("max-states", &[Test, Claims, Remote], |o| o.run.max_states.is_some(), BY_MACHINE)),
    Row { engine: Some(BMC), ..row("proof", EXECUTIONS, |o| o.run.bmc.proofs, "belongs to the engine bmc") },
    Row {
        engine: Some(BMC),
        ..row("addresses", EXECUTIONS, |o| o.run.bmc.addresses == Addresses::Solver, "belongs to the engine bmc")
    },
];

const IN_RMA: &str = "is about programs in .rma";
const IN_CAT: &str = "is about models in CAT, which this input does not have";
const BY_MACHINE: &str = "belongs to the engine machine";

const fn on_machine(row: Row) -> Row {
    Row { engine: Some(MACHINE), usual_for: &[Claims, Remote], ..row }
}

impl Row {
    /// Whether this engine runs.
    fn is_used(&self, engine: &str, kind: SubjectKind, options: &Options) -> bool {
        match options.run.engine.as_deref() {
            Some(named) if !is_auto(&options.run) => named == engine || self.usual_for.contains(&kind),
            _ => self.usual_for.contains(&kind),
        }
    }

    /// Whether an input of this kind can use it, if the call names no engine or this one.
    fn concerns(&self, kind: SubjectKind, options: &Options) -> Result<(), String> {
        if !self.kinds.contains(&kind) {
            return Err(format!("option `{}` {}", self.option, self.why));
        }
        match self.engine {
            Some(engine) if !self.is_used(engine, kind, options) => {
                let named = options.run.engine.as_deref().filter(|_| !is_auto(&options.run));
                let of = named
                    .map_or_else(|| format!(": name it with option `engine` {engine}"), |n| format!(", not to {n}"));
                Err(format!("option `{}` {}{of}", self.option, self.why))
            }
            _ => Ok(()),
        }
    }
}

/// # Errors
/// An option that this input cannot use, unless others of the call can.
pub(crate) fn check(subject: &Subject, options: &Options) -> Result<(), CheckError> {
    if options.run.mixed_inputs { Ok(()) } else { check_kinds(&[subject.kind()], options).map_err(CheckError::usage) }
}

fn check_kinds(kinds: &[SubjectKind], options: &Options) -> Result<(), String> {
    for row in ROWS.iter().filter(|row| (row.given)(options)) {
        let mut whys = kinds.iter().map(|kind| row.concerns(*kind, options));
        if let (false, Some(Err(why))) = (whys.clone().any(|why| why.is_ok()), whys.next()) {
            return Err(why);
        }
    }
    Ok(())
}

impl Session<'_> {
    /// Whether every option can be used by some of the files of a call; then none is refused for one file.
    ///
    /// # Errors
    /// The first option that no file can use.
    pub fn check_options(&self, files: &[String], options: &mut Options) -> Result<(), String> {
        let kind = |file: &String| Some(self.registry.front_end(file).ok()?.info().kind);
        let kinds: Vec<SubjectKind> = files.iter().filter_map(kind).collect();
        if kinds.windows(2).any(|pair| pair[0] != pair[1]) {
            check_kinds(&kinds, options)?;
            options.run.mixed_inputs = true;
        }
        Ok(())
    }
}
