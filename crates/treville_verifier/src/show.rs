//! Executions to draw.

use crate::executions::{Walk, decide, each_judged, one_line, picked};
use crate::litmus::{Prepared, TestJob};
use crate::verify::Head;
use crate::{Options, Session};
use std::ops::ControlFlow;
use treville_base::Cancel;
use treville_eval::{Extent, Judgement, Trace};
use treville_event::Graph;
use treville_model::TermId;
use treville_report::{Drawing, Shown, show_condition, show_state};
use treville_task::{About, Candidate, CheckError, Silent, Subject, SubjectKind, Test};

/// Which executions are drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Which {
    /// Those that satisfy the condition, or all if none does.
    PositiveOrAll,
    Positive,
    Negative,
    All,
    /// Candidates that the model rejects.
    Rejected,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ShowOptions {
    pub which: Which,
    /// A litmus condition in place of the test's own.
    pub outcome: Option<String>,
    /// At most so many.
    pub limit: usize,
    /// Relations of the model to draw beside those that it shows.
    pub relations: Vec<String>,
}

/// What was found to draw.
#[derive(Clone, PartialEq, Debug)]
pub struct ShownExecutions {
    pub title: String,
    /// The program's text.
    pub program: String,
    pub drawings: Vec<Drawing>,
    /// There are more than the limit.
    pub more: bool,
}

impl Session<'_> {
    /// The executions of a file, ready to be drawn.
    ///
    /// # Errors
    /// If the file, the model or a relation's name is wrong, or the engine cannot list executions.
    pub fn show(&self, path: &str, show: &ShowOptions, options: &Options) -> Result<ShownExecutions, CheckError> {
        let cancel = self.cancel_for(&options.run);
        if self.registry.front_end(path)?.info().kind == SubjectKind::Program {
            return self.show_program(path, show, options, cancel);
        }
        let test = self.read_asking(path, show.outcome.as_deref(), options, &cancel)?;
        let prepared = self.prepare_test(test, options, cancel)?;
        let relations = relations(&prepared.job, &show.relations)?;
        decide(&prepared)?;
        let (drawings, more) = match show.which {
            Which::PositiveOrAll => {
                let (found, more) = collect(&prepared, Which::Positive, show.limit, &relations)?;
                if let (Some(outcome), true) = (&show.outcome, found.is_empty()) {
                    return Err(unreached(outcome));
                }
                if found.is_empty() { collect(&prepared, Which::All, show.limit, &relations)? } else { (found, more) }
            }
            which => collect(&prepared, which, show.limit, &relations)?,
        };
        let Test { program, question, sources, .. } = &prepared.job.test;
        let condition = show_condition(program, question);
        Ok(ShownExecutions {
            title: format!("{} under {}: {condition}", program.name, prepared.job.model.name),
            program: sources.files().next().map_or_else(String::new, |(_, file)| file.text.to_string()),
            drawings,
            more,
        })
    }
}

impl Session<'_> {
    /// The execution in which a program fails, or, if none does or all are wanted, complete ones.
    fn show_program(
        &self,
        path: &str,
        show: &ShowOptions,
        options: &Options,
        cancel: Cancel,
    ) -> Result<ShownExecutions, CheckError> {
        let whole = match (show.which, &show.outcome, show.relations.is_empty()) {
            (Which::Rejected, ..) => return Err(CheckError::usage("option `which` rejected is about litmus tests")),
            (_, Some(_), _) => return Err(CheckError::usage("option `outcome` is about litmus tests")),
            (.., false) => return Err(CheckError::usage("option `relation` is about litmus tests")),
            (Which::Positive, ..) => 0,
            _ => show.limit + 1,
        };
        let Subject::Program(code) = self.read(path, options, &cancel)? else {
            return Err(CheckError::usage(format!("{path} is no program")));
        };
        let mut head = Head::default();
        let finding = self.check_program(&code, options, whole, cancel, &Silent, &mut head)?;
        let (outcome, model) = (&finding.outcome, &head.model);
        // The program as it was checked.
        let About::Program(code) = &finding.about else { return Err(CheckError::usage("")) };
        let violation = outcome.violation.as_ref();
        let failing = violation.and_then(|v| Drawing::of_violation(&code.program, &code.sources, v));
        let complete = || outcome.traces.iter();
        let drawn = |trace| {
            let drawing = Drawing::of_trace(&code.program, &code.sources, trace);
            Drawing { caption: "a complete execution".to_owned(), ..drawing }
        };
        let mut drawings: Vec<Drawing> = match (show.which, failing) {
            (Which::Positive, failing) | (Which::PositiveOrAll, failing @ Some(_)) => failing.into_iter().collect(),
            (Which::Negative, _) => complete().map(drawn).collect(),
            (_, failing) => failing.into_iter().chain(complete().map(drawn)).collect(),
        };
        if let (Some(why), true) = (&outcome.stopped, drawings.is_empty()) {
            return Err(CheckError::unknown(why.to_string()));
        }
        let more = drawings.len() > show.limit;
        drawings.truncate(show.limit);
        let total = drawings.len();
        for (i, drawing) in drawings.iter_mut().enumerate() {
            drawing.title = format!("{path} under {model} ({} of {total}{})", i + 1, if more { "+" } else { "" });
        }
        let program = code.sources.files().next().map_or_else(String::new, |(_, file)| file.text.to_string());
        Ok(ShownExecutions { title: format!("{path} under {model}"), program, drawings, more })
    }
}

/// Nobody has the outcome that is to be drawn.
fn unreached(outcome: &str) -> CheckError {
    let why = format!(
        "no execution has the outcome {outcome}: `explain` with option `outcome` says why, option `which` rejected draws the \
         candidates that the model rejects"
    );
    CheckError::absent(why)
}

/// The relations to draw: what the model shows, what was asked for, and the dependencies of a model that computes its own.
fn relations(job: &TestJob, wanted: &[String]) -> Result<Vec<(String, TermId)>, CheckError> {
    let model = &job.model.model;
    let mut relations: Vec<(String, TermId)> = Vec::new();
    for name in wanted {
        let term = model.defs.get(name.as_str());
        let term = term.ok_or_else(|| CheckError::usage(format!("{} defines no relation `{name}`", job.model.name)))?;
        relations.push((name.clone(), *term));
    }
    if model.catdep {
        let named = |name: &str| model.defs.get(name).map(|term| (name.to_owned(), *term));
        relations.extend(["addr", "data", "ctrl"].into_iter().filter_map(named));
    }
    relations.extend(model.shows.iter().map(|(name, term)| (name.to_string(), *term)));
    Ok(relations)
}

fn collect(
    prepared: &Prepared,
    which: Which,
    limit: usize,
    relations: &[(String, TermId)],
) -> Result<(Vec<Drawing>, bool), CheckError> {
    let wanted = |candidate: &Candidate<'_>| match which {
        Which::Positive => candidate.holds,
        Which::Negative => !candidate.holds,
        Which::All | Which::Rejected | Which::PositiveOrAll => true,
    };
    let (mut drawings, mut more) = (Vec::new(), false);
    let walked = each_judged(prepared, Walk::All(&wanted), &mut |candidate, judgements| {
        for judgement in judgements.iter().filter(|j| j.accepted != (which == Which::Rejected)) {
            if drawings.len() == limit {
                more = true;
                return ControlFlow::Break(());
            }
            drawings.push(draw(&prepared.job, candidate, judgement, relations));
        }
        ControlFlow::Continue(())
    })?;
    match walked.stopped {
        Some(why) if drawings.is_empty() => return Err(CheckError::unknown(why)),
        Some(_) => more = true,
        None => {}
    }
    let total = drawings.len();
    for (i, drawing) in drawings.iter_mut().enumerate() {
        drawing.title = format!("{} ({} of {total}{})", drawing.title, i + 1, if more { "+" } else { "" });
    }
    Ok((drawings, more))
}

fn draw(job: &TestJob, candidate: &Candidate<'_>, judgement: &Judgement, relations: &[(String, TermId)]) -> Drawing {
    let (Test { program, question, sources, .. }, model) = (&job.test, &*job.model.model);
    let shown = shown(job, candidate.graph, judgement, relations);
    let picks = picked(model, judgement);
    let mut drawing = Drawing::new(program, sources, candidate.graph, &picks, &shown);
    drawing.title = format!("{} under {}", program.name, job.model.name);
    drawing.caption = show_state(program, question, candidate.state);
    if let Some(failed) = judgement.first_failure(model) {
        let check = &model.checks[failed.check];
        drawing.caption += &format!("  rejected by {} ({})", check.name, one_line(&job.model.sources, check.span));
    }
    drawing
}

fn shown(job: &TestJob, graph: &Graph, judgement: &Judgement, relations: &[(String, TermId)]) -> Vec<Shown> {
    let cancel = Cancel::new();
    let mut trace = Trace::new(&job.model.model, graph, &judgement.picks, &cancel);
    let relation = |(name, term): &(String, TermId)| match trace.value(*term).ok().as_deref() {
        Some(Extent::Rel(relation)) => Some(Shown { name: name.as_str().into(), relation: relation.clone() }),
        _ => None,
    };
    relations.iter().filter_map(relation).collect()
}
