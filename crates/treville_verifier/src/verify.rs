//! The one path from a file to a report: read, model and lowering, task, strategy, verdict. The same for all inputs.

use crate::applies;
use crate::{Options, Session};
use std::fmt::Write;
use treville_base::{Cancel, now};
use treville_strategy::{Choice, Job, Prepared};
use treville_task::{
    CheckError, Chosen, Code, Finding, Monitor, Outcome, Report, Silent, StopReason, Subject, Verdict,
};

/// What a report says before its result.
#[derive(Default)]
pub(crate) struct Head {
    pub(crate) model: String,
    engine: &'static str,
    chosen: Option<Chosen>,
}

impl Head {
    fn set(&mut self, choice: Choice) {
        (self.engine, self.chosen) = (choice.engine, choice.chosen);
    }
}

impl Session<'_> {
    /// Checks one file. A failure is part of the report.
    pub fn verify(&self, path: &str, options: &Options, monitor: &dyn Monitor) -> Report {
        let start = now();
        let mut head = Head { model: options.model.name.clone().unwrap_or_default(), ..Head::default() };
        let result = self.check(path, options, monitor, &mut head);
        let result = result.map_err(|failure| self.with_input(failure, path, options)).map(|mut finding| {
            // Proofs say under which model they are.
            finding.outcome.proofs.iter_mut().for_each(|proof| proof.note(format!("under {}", head.model)));
            Box::new(finding)
        });
        let Head { model, engine, chosen } = head;
        Report { file: path.to_owned(), model, engine: engine.to_owned(), chosen, time: start.elapsed(), result }
    }

    fn check(
        &self,
        path: &str,
        options: &Options,
        monitor: &dyn Monitor,
        head: &mut Head,
    ) -> Result<Finding, CheckError> {
        // Reading and preparing count against a time limit.
        let cancel = self.cancel_for(&options.run);
        let subject = self.read(path, options, &cancel)?;
        applies::check(&subject, options)?;
        match subject {
            Subject::Test(test) => {
                let prepared = self.prepare_test(test, options, cancel)?;
                head.model.clone_from(&prepared.job.model.name);
                let outcome = run(&prepared, monitor, head)?;
                Ok(prepared.job.finding(outcome))
            }
            Subject::Program(code) => self.check_program(&code, options, 0, cancel, monitor, head),
            Subject::Claims(annotated) => {
                let prepared = self.prepare_claims(annotated, options, cancel)?;
                prepared.job.machine.name().clone_into(&mut head.model);
                let outcome = run(&prepared, monitor, head)?;
                Ok(prepared.job.finding(outcome))
            }
            Subject::Remote(remote) => {
                let prepared = self.prepare_remote(remote, options, cancel)?;
                prepared.job.memory().name().clone_into(&mut head.model);
                let outcome = run(&prepared, monitor, head)?;
                Ok(prepared.job.finding(outcome))
            }
        }
    }

    /// A program, and if it stays open whether it fails, the program without what it never looks at.
    pub(crate) fn check_program(
        &self,
        code: &Code,
        options: &Options,
        traces: usize,
        cancel: Cancel,
        monitor: &dyn Monitor,
        head: &mut Head,
    ) -> Result<Finding, CheckError> {
        let prepared = self.prepare_program(code, options, traces, cancel.clone())?;
        head.model.clone_from(&prepared.job.program.model);
        let outcome = run(&prepared, monitor, head)?;
        let verdict = Verdict::on_program(&outcome, options.run.accept_bounded);
        let smaller = prepared.job.without_unread(&verdict).filter(|_| traces == 0);
        let mut finding = prepared.job.finding(&**prepared.strategy.first(), outcome)?;
        let Some(smaller) = smaller else { return Ok(finding) };
        let mut head_of_smaller = Head::default();
        let Ok(prepared) = self.prepare_program(&smaller, options, 0, cancel) else { return Ok(finding) };
        let Ok(outcome) = run(&prepared, &Silent, &mut head_of_smaller) else {
            return Ok(finding);
        };
        let proved = prepared.job.finding(&**prepared.strategy.first(), outcome)?;
        match proved.verdict {
            Verdict::Yes if proved.scope.complete => {
                let why = "what no thread looks at was left out, so that loops which write it only wait".to_owned();
                (head.engine, head.chosen) = (head_of_smaller.engine, Some(Chosen { why, first: false }));
                Ok(proved)
            }
            Verdict::Unknown(StopReason::Timeout) => {
                finding.verdict = proved.verdict;
                Ok(finding)
            }
            _ => Ok(finding),
        }
    }

    /// An internal error with all that it needs to be repeated: the call, the program and the model.
    fn with_input(&self, mut failure: CheckError, path: &str, options: &Options) -> CheckError {
        let Some(evidence) = failure.evidence else { return failure };
        let mut evidence = String::from(evidence);
        let _ = writeln!(evidence, "\n== options\n{options:#?}");
        let model = options.model.name.iter().filter(|name| self.files.is_file(name));
        for file in [path].into_iter().chain(model.map(String::as_str)) {
            let _ = writeln!(evidence, "\n== {file}\n{}", self.files.read(file).unwrap_or_default());
        }
        failure.evidence = Some(evidence.into());
        failure
    }
}

/// Runs the engines of a strategy, and the one that checks them.
fn run<J: Job>(prepared: &Prepared<J>, monitor: &dyn Monitor, head: &mut Head) -> Result<Outcome, CheckError> {
    head.engine = prepared.engine().info().name;
    let begun = now();
    let (outcome, choice) = prepared.run(monitor)?;
    let engine = choice.engine;
    head.set(choice);
    prepared.check(&outcome, engine, begun, monitor)?;
    Ok(outcome)
}
