//! Programs that say themselves what holds of their runs, checked on a machine.

use crate::executions::unknown;
use crate::{Options, Session, States, failure, refusal, sidecar, unreadable};
use std::sync::Arc;
use treville_base::{Diagnostic, Name, SourceMap};
use treville_ir::{Claims, Failure as Failing, Program, Prop};
use treville_machine::{MACHINES, Machine, check_symmetries};
use treville_report::{ClaimsChecked, Failure, Subject};
use treville_task::{
    Answer, Bounds, Command, Goal, Limits, Moment, Monitor, Outcome, Query, Scope, Semantics, StopReason, Task,
    Unsupported, Verdict,
};

/// The engine for these programs.
pub(crate) const ENGINE: &str = "machine";

/// The machine when none is named.
const DEFAULT_MACHINE: &str = "rar";

pub(crate) const ENDING: &str = ".rar";

/// Whether a file says itself what holds of the runs of a program, in it or beside it.
pub(crate) fn is_stated(path: &str) -> bool {
    path.ends_with(ENDING) || path.ends_with(sidecar::ENDING)
}

/// What a program was checked on, and what came out.
pub(crate) struct Run {
    pub(crate) machine: String,
    pub(crate) engine: &'static str,
    pub(crate) checked: ClaimsChecked,
}

/// A program with what it claims of its runs.
pub(crate) struct Stated {
    pub(crate) program: Arc<Program>,
    pub(crate) claims: Claims,
    pub(crate) sources: Arc<SourceMap>,
    /// What is taken for granted of a program that was not written for machines.
    pub(crate) assumes: Vec<String>,
}

impl Session<'_> {
    /// The program of a file with what is claimed of it, and the machine that the call names or that is usual for it.
    fn load_stated(&self, path: &str, options: &Options) -> Result<(Stated, String), Failure> {
        let named = machine_named(options)?;
        if !path.ends_with(sidecar::ENDING) {
            return Ok((self.load_claims(path)?, named.unwrap_or_else(|| DEFAULT_MACHINE.to_owned())));
        }
        let stated = self.load_beside(path, named.as_deref(), options)?;
        check_declared(&stated)?;
        let usual = || match stated.program.dialect.name.as_str() {
            "C" => Ok(DEFAULT_MACHINE.to_owned()),
            "X86" | "X86_64" => Ok("tso".to_owned()),
            other => {
                Err(unreadable(format!("--model: a machine has to be named for a program in {other} (there is sc)")))
            }
        };
        let machine = named.map_or_else(usual, Ok)?;
        let assumes = sidecar::assumed(&stated.program, &machine);
        Ok((Stated { assumes, ..stated }, machine))
    }

    pub(crate) fn load_claims(&self, path: &str) -> Result<Stated, Failure> {
        let text = self.files.read(path).map_err(|why| unreadable(format!("{path}: {why}")))?;
        let mut sources = SourceMap::new();
        let file = sources.add(path, text.as_str());
        let file_name = path.rsplit('/').next().unwrap_or(path);
        let parsed = treville_lang::rar::parse(file, file_name.strip_suffix(ENDING).unwrap_or(file_name), &text);
        let sources = Arc::new(sources);
        let (program, claims) = parsed.map_err(|diagnostics| failure(diagnostics, Arc::clone(&sources)))?;
        let stated = Stated { program: Arc::new(program), claims, sources, assumes: Vec::new() };
        check_declared(&stated)?;
        Ok(stated)
    }

    pub(crate) fn check_claims(&self, path: &str, options: &Options, monitor: &dyn Monitor) -> Result<Run, Failure> {
        let (Stated { program, claims, sources, assumes }, machine) = self.load_stated(path, options)?;
        refuse_options(options)?;
        if options.run.inductive && claims.invariants.is_empty() {
            return Err(unreadable("--inductive: there is no invariant"));
        }
        let run = &options.run;
        let task = self.claims_task(Arc::clone(&program), &claims, &machine, options);
        let engine = self.engines.named(ENGINE).map_err(unreadable)?;
        engine.supports(&task).map_err(|why| refusal(ENGINE, &why, &sources))?;
        let mut outcome = engine.run(&task, monitor);
        let mut claims = claims;
        let inductive = run.inductive.then(|| {
            claims.outcomes.clear();
            let alone = outcome.answers.split_off(claims.invariants.len().min(outcome.answers.len()));
            alone.iter().map(|answer| matches!(answer, Answer::Absent(_))).collect()
        });
        let vacuous = vacuous(&claims, &outcome);
        let asks_deadlock = !run.properties.is_empty() && run.properties.failures().contains(&Failing::Deadlock);
        let checked = ClaimsChecked {
            program: Arc::clone(&task.program),
            claims: Arc::new(claims),
            sources,
            outcome,
            vacuous,
            asks_deadlock,
            accepts_bounded: run.accept_bounded,
            inductive,
            verdict: Verdict::Yes,
            scope: Scope { complete: true, relative_to: Vec::new() },
            assumes,
        };
        Ok(Run { machine, engine: ENGINE, checked: judged(checked) })
    }
}

impl Session<'_> {
    fn claims_task(&self, program: Arc<Program>, claims: &Claims, machine: &str, options: &Options) -> Task {
        let cancel = self.cancel_for(&options.run);
        let run = &options.run;
        Task {
            queries: if run.inductive { steps(claims) } else { queries(claims) },
            bounds: Bounds { messages: run.max_messages, actions: run.max_actions, ..Bounds::default() },
            limits: Limits { cancel, memory_mb: run.memory_mb, threads: run.threads, states: run.max_states },
            reductions: run.reductions,
            symmetries: claims.symmetries.clone(),
            ..Task::new(program, Semantics::Machine(Name::new(machine)))
        }
    }

    /// Lets somebody go through a run of a program step by step; `tell` makes of what there is to see what is chosen.
    ///
    /// # Errors
    /// If the file or the call is wrong, or the machine does not run it.
    pub fn step_through(
        &self,
        path: &str,
        options: &Options,
        tell: &mut dyn FnMut(&Moment, &Subject<'_>) -> Command,
    ) -> Result<(), Failure> {
        if !is_stated(path) {
            let why = format!(
                "--interactive is about programs in {ENDING}, and those with claims beside them in {}",
                sidecar::ENDING
            );
            return Err(unreadable(why));
        }
        let (Stated { program, claims, sources, .. }, machine) = self.load_stated(path, options)?;
        refuse_options(options)?;
        let task = self.claims_task(Arc::clone(&program), &claims, &machine, options);
        let subject = Subject { program: &program, claims: &claims, sources: &sources };
        let walked = Machine.step_through(&task, &mut |moment| tell(moment, &subject));
        walked.map_err(|why| refusal(ENGINE, &[why], &sources))
    }
}

/// Whether the symmetries that are declared are some.
fn check_declared(stated: &Stated) -> Result<(), Failure> {
    match check_symmetries(&stated.program, &stated.claims.symmetries) {
        Err(Unsupported { what, span: Some(span) }) => {
            Err(failure(vec![Diagnostic::error(span, what)], Arc::clone(&stated.sources)))
        }
        _ => Ok(()),
    }
}

/// The machine that the call names, or the default.
pub(crate) fn machine(options: &Options) -> Result<String, Failure> {
    machine_named(options).map(|named| named.unwrap_or_else(|| DEFAULT_MACHINE.to_owned()))
}

/// The machine that the call names.
fn machine_named(options: &Options) -> Result<Option<String>, Failure> {
    match options.run.engine.as_deref() {
        None | Some("auto" | ENGINE) => {}
        Some(other) => {
            return Err(unknown(format!(
                "what programs in {ENDING} claim of their runs is checked by machine, not {other}"
            )));
        }
    }
    let Some(name) = &options.model.name else { return Ok(None) };
    if MACHINES.iter().any(|machine| machine.name == name) {
        return Ok(Some(name.clone()));
    }
    let known = MACHINES.iter().map(|m| m.name).collect::<Vec<_>>().join(", ");
    Err(unreadable(format!("there is no machine `{name}` (there are: {known})")))
}

/// Options that mean something else, and would otherwise be left aside.
fn refuse_options(options: &Options) -> Result<(), Failure> {
    let (model, run) = (&options.model, &options.run);
    let given = [
        (run.bound.is_some(), "--bound: a machine runs loops as they are; --max-messages and --max-actions bound it"),
        (run.named_check().is_some(), "--cross-check: no other engine takes these programs"),
        (run.states == States::Listed, "--states and --format herd: what these programs ask is said of every state"),
        (run.weak_cas, "--weak-cas belongs to the engine explore"),
        (run.rma.max_pending.is_some(), "--max-pending is about programs in .rma"),
        (run.plain, "--plain belongs to the engine enumerate"),
        (run.bmc.proofs, "--proof belongs to the engine bmc"),
        (!model.variants.is_empty(), "--variant is about models in CAT, not machines"),
        (!model.skip_checks.is_empty(), "--skip-check is about models in CAT, not machines"),
        (model.bell.is_some(), "--bell is about models in CAT, not machines"),
    ];
    match given.into_iter().find(|(given, _)| *given) {
        Some((_, why)) => Err(unreadable(why)),
        None => Ok(()),
    }
}

/// In the order that [`ClaimsChecked`] says; then when each invariant that is an implication says something.
fn queries(claims: &Claims) -> Vec<Query> {
    let violated = |prop: &Prop| Goal::State(Prop::Not(Box::new(prop.clone())));
    let invariants = claims.invariants.iter().map(|claim| violated(&claim.prop));
    let outcomes = claims.outcomes.iter().map(|claim| Goal::End(claim.prop.clone()));
    let failures = [Goal::Failure(Failing::Assertion), Goal::Failure(Failing::Deadlock)];
    let occasions = claims.invariants.iter().filter_map(|claim| claim.prop.occasion()).map(Goal::State);
    invariants.chain(outcomes).chain(failures).chain(occasions).map(|goal| Query { goal }).collect()
}

/// Whether a step breaks an invariant if all hold before it, and if it alone does.
fn steps(claims: &Claims) -> Vec<Query> {
    let all: Vec<Prop> = claims.invariants.iter().map(|claim| claim.prop.clone()).collect();
    let together = all.iter().map(|prop| Goal::Step { given: all.clone(), prop: prop.clone() });
    let alone = all.iter().map(|prop| Goal::Step { given: vec![prop.clone()], prop: prop.clone() });
    together.chain(alone).map(|goal| Query { goal }).collect()
}

/// Which invariants say nothing of any state that is reached.
fn vacuous(claims: &Claims, outcome: &Outcome) -> Vec<bool> {
    let n_before = claims.invariants.len() + claims.outcomes.len() + 2;
    let mut occasions = outcome.answers.iter().skip(n_before);
    let says_nothing = |claim: &treville_ir::Claim| {
        let occasion = claim.prop.occasion().and_then(|_| occasions.next());
        matches!(occasion, Some(Answer::Absent(scope)) if scope.complete)
    };
    claims.invariants.iter().map(says_nothing).collect()
}

/// Whether some run completes, for a yes to rest on. One about single steps needs none, nor one that only says which outcomes
/// there are; who accepts a bound accepts runs that go up to it.
fn completes(checked: &ClaimsChecked) -> Option<bool> {
    let only_outcomes = checked.claims.invariants.is_empty() && !checked.claims.outcomes.is_empty();
    let needs_none = checked.inductive.is_some() || only_outcomes || checked.outcome.cut;
    if needs_none { Some(true) } else { checked.outcome.completes }
}

/// The verdict: no, if something is violated; else unknown, if something is not decided.
fn judged(mut checked: ClaimsChecked) -> ClaimsChecked {
    let no = checked.violations().next().is_some();
    let n_claims = checked.claims.invariants.len() + checked.claims.outcomes.len();
    let n_deciding = n_claims + 1 + usize::from(checked.asks_deadlock);
    let deciding = &checked.outcome.answers[..n_deciding.min(checked.outcome.answers.len())];
    let open = deciding.iter().find_map(|answer| match answer {
        Answer::Open(reason) => Some(reason.clone()),
        _ => None,
    });
    let bounded = deciding.iter().find_map(|answer| match answer {
        Answer::Absent(scope) if !scope.complete => Some(scope.clone()),
        _ => None,
    });
    checked.verdict = match (no, open, &bounded) {
        (true, ..) => Verdict::No,
        (false, Some(reason), _) => Verdict::Unknown(reason),
        (false, None, Some(scope)) if !checked.accepts_bounded => {
            let assumed = scope.relative_to.join(", ");
            let why = format!(
                "nothing was found up to a bound: {assumed} (--max-messages and --max-actions raise it, --accept-bounded accepts it)"
            );
            Verdict::Unknown(StopReason::Refused(why))
        }
        _ => Verdict::Yes.resting_on(completes(&checked), "no run comes to the end of all threads that have one"),
    };
    if let (Some(scope), false) = (bounded, no) {
        checked.scope = scope;
    }
    checked
}
