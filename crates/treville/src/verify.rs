//! Answering the question that a program asks.

use crate::auto::Choice;
use crate::executions::unknown;
use crate::proofs::{say_model, say_queries};
use crate::session::Prepared;
use crate::{Options, RunOptions, Session, States, opinion, refusal, unreadable, warnings};
use crate::{claims, programs, rma};
use std::sync::Arc;
use std::time::Instant;
use treville_ir::{Quantifier, Question};
use treville_report::{Checked, Content, Failure, FileReport, show_state};
use treville_task::{Answer, Engine, FinalState, Monitor, Outcome, Scope, Silent, StopReason, Verdict};

impl Session<'_> {
    /// Checks one file. A failure is part of the report.
    pub fn verify(&self, path: &str, options: &Options, monitor: &dyn Monitor) -> FileReport {
        let start = Instant::now();
        let mut report = FileReport {
            file: path.to_owned(),
            model: options.model.name.clone().unwrap_or_default(),
            engine: String::new(),
            chosen: None,
            time: start.elapsed(),
            content: Content::Failed(unreadable("")),
        };
        if options.run.audit.is_some() && programs::language(path).is_none() {
            report.content = Content::Failed(unreadable("--audit is about programs in C and LLVM IR"));
            return report;
        }
        if claims::is_stated(path) {
            report.content = match self.check_claims(path, options, monitor) {
                Err(failure) => Content::Failed(failure),
                Ok(run) => {
                    report.model = run.machine;
                    report.engine = run.engine.to_owned();
                    Content::Claims(Box::new(run.checked))
                }
            };
            report.time = start.elapsed();
            return report;
        }
        if path.ends_with(rma::ENDING) {
            report.content = match self.check_rma(path, options) {
                Err(failure) => Content::Failed(failure),
                Ok(run) => {
                    report.model = run.model.to_owned();
                    report.engine = run.engine.to_owned();
                    report.chosen = run.chosen;
                    Content::Remote(Box::new(run.checked))
                }
            };
            report.time = start.elapsed();
            return report;
        }
        if let Some(option) = options.run.rma.first_given() {
            report.content = Content::Failed(unreadable(format!("{option} is about programs in .rma")));
            return report;
        }
        if options.run.inductive {
            report.content = Content::Failed(unreadable("--inductive is about programs in .rar and their invariants"));
            return report;
        }
        if let Some(language) = programs::language(path) {
            report.content = match self.check_program(path, language, options, 0, monitor) {
                Err(failure) => Content::Failed(self.with_input(failure, path, options)),
                Ok(run) => {
                    report.model = run.model;
                    report.engine = run.choice.engine.to_owned();
                    report.chosen = run.choice.chosen;
                    Content::Program(Box::new(run.checked))
                }
            };
            say_model(&mut report);
            report.time = start.elapsed();
            return report;
        }
        report.content = match self.prepare(path, options) {
            Err(failure) => Content::Failed(failure),
            Ok(prepared) => {
                report.model = prepared.model.name.clone();
                report.engine = prepared.engine.info().name.to_owned();
                match check(&prepared, options, monitor) {
                    Ok((checked, choice)) => {
                        choice.engine.clone_into(&mut report.engine);
                        report.chosen = choice.chosen;
                        Content::Checked(Box::new(checked))
                    }
                    Err(failure) => Content::Failed(self.with_input(failure, path, options)),
                }
            }
        };
        say_model(&mut report);
        report.time = start.elapsed();
        report
    }
}

/// Runs the engine, and the second one if there is to be one.
pub(crate) fn check(
    prepared: &Prepared,
    options: &Options,
    monitor: &dyn Monitor,
) -> Result<(Checked, Choice), Failure> {
    let begun = Instant::now();
    let (mut outcome, choice) = prepared.run(monitor);
    if let Some((name, second)) = &prepared.second {
        cross_check(prepared, &outcome, choice.engine, name, &**second, monitor)?;
    } else if prepared.model.bundled.is_none() && opinion::is_wanted(&options.run, begun) {
        second_opinion(prepared, &outcome, choice.engine)?;
    }
    let question = &prepared.loaded.question;
    say_queries(&mut outcome.proofs, &prepared.loaded.program, question, &prepared.task.queries);
    let (verdict, scope) = judge(question, &outcome, &options.run);
    let hash = prepared.loaded.info.iter().find(|(key, _)| key == "Hash").map(|(_, hash)| hash.clone());
    let checked = Checked {
        program: Arc::clone(&prepared.loaded.program),
        question: Arc::clone(question),
        sources: Arc::clone(&prepared.loaded.sources),
        outcome,
        verdict,
        scope,
        hash,
        warnings: warnings::of_test(&prepared.loaded, options),
    };
    Ok((checked, choice))
}

/// The verdict with its scope. What was only looked for up to a bound is unknown, unless the caller accepts that; and so is
/// everything if all states were to be listed and some may be missing.
fn judge(question: &Question, outcome: &Outcome, run: &RunOptions) -> (Verdict, Scope) {
    let scope = deciding_scope(question, outcome);
    if let (States::Listed, Some(why)) = (run.states, &outcome.stopped) {
        return (Verdict::Unknown(why.clone()), scope);
    }
    let verdict = Verdict::of(question.quantifier, outcome);
    match verdict {
        Verdict::Yes | Verdict::No if !scope.complete && !run.accept_bounded => {
            let why = "no execution up to the loop bound decides it (--bound raises it, --accept-bounded accepts it)";
            (Verdict::Unknown(StopReason::Refused(why.into())), scope)
        }
        verdict => (verdict, scope),
    }
}

/// What the answer that decides is relative to.
pub(crate) fn deciding_scope(question: &Question, outcome: &Outcome) -> Scope {
    let deciding = match question.quantifier {
        Quantifier::Exists | Quantifier::NotExists => outcome.answers.first(),
        Quantifier::Forall => outcome.answers.get(1),
    };
    match deciding {
        Some(Answer::Absent(scope)) => scope.clone(),
        _ => Scope { complete: true, relative_to: Vec::new() },
    }
}

/// Fails loudly if the second engine answers otherwise, or not at all.
fn cross_check(
    prepared: &Prepared,
    first: &Outcome,
    first_name: &str,
    name: &str,
    engine: &dyn Engine,
    monitor: &dyn Monitor,
) -> Result<(), Failure> {
    let sources = &prepared.loaded.sources;
    engine.supports(&prepared.task).map_err(|why| refusal(name, &why, sources))?;
    let second = engine.run(&prepared.task, monitor);
    if let Some(why) = &second.stopped {
        let reason = format!("the answer could not be checked by {name}: {why}");
        return Err(unknown(reason));
    }
    match disagreement(prepared, first, &second) {
        None => Ok(()),
        Some(what) => Err(opinion::disagree(first_name, name, &what, [first, &second])),
    }
}

/// Under a model that no test of ours knows, the plain definition is asked as well, for a moment.
fn second_opinion(prepared: &Prepared, first: &Outcome, first_name: &str) -> Result<(), Failure> {
    let plain = treville_enumerate::Enumerate::plain();
    let whole = |outcome: &Outcome| outcome.stopped.is_none() && !outcome.cut;
    if !whole(first) || plain.supports(&prepared.task).is_err() {
        return Ok(());
    }
    let second = plain.run(&opinion::in_a_moment(&prepared.task), &Silent);
    match disagreement(prepared, first, &second).filter(|_| whole(&second)) {
        Some(what) => Err(opinion::disagree(first_name, "plain", &what, [first, &second])),
        None => Ok(()),
    }
}

/// What two outcomes of one task differ in, as far as both are complete.
fn disagreement(prepared: &Prepared, first: &Outcome, second: &Outcome) -> Option<String> {
    let question = &prepared.loaded.question;
    let decided = |outcome: &Outcome| match Verdict::of(question.quantifier, outcome) {
        Verdict::Unknown(_) => None,
        verdict => Some(verdict),
    };
    if let (Some(a), Some(b)) = (decided(first), decided(second))
        && a != b
    {
        return Some(format!("{a:?} and {b:?}"));
    }
    let listed = |outcome: &Outcome| match (&outcome.states, &outcome.stopped) {
        (Some(states), None) => {
            let show = |values| show_state(&prepared.loaded.program, question, values);
            let counted = first.counts.is_some() && second.counts.is_some();
            let count = |s: &FinalState| if counted { s.executions } else { 0 };
            let mut shown: Vec<(String, u64)> = states.iter().map(|s| (show(&s.values), count(s))).collect();
            shown.sort();
            Some(shown)
        }
        _ => None,
    };
    match (listed(first), listed(second)) {
        (Some(a), Some(b)) if a != b => {
            let only = a.iter().find(|s| !b.contains(s)).or_else(|| b.iter().find(|s| !a.contains(s)));
            Some(format!("the state {:?} with its number of executions", only.map_or("", |(state, _)| state.as_str())))
        }
        (Some(_), Some(_)) if first.flags.keys().ne(second.flags.keys()) => {
            Some(format!("the flags {:?} and {:?}", first.flags.keys(), second.flags.keys()))
        }
        _ => None,
    }
}
