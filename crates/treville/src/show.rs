//! Executions to draw.

use crate::executions::{Walk, decide, each_judged, one_line, picked, unknown};
use crate::session::Prepared;
use crate::{Options, Session, programs, unreadable};
use std::ops::ControlFlow;
use treville_base::Cancel;
use treville_eval::{Extent, Judgement, Trace};
use treville_event::Graph;
use treville_model::TermId;
use treville_report::{Drawing, Failure, Shown, VerdictWord, show_condition, show_state};
use treville_task::{Candidate, Silent};

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
    pub fn show(&self, path: &str, show: &ShowOptions, options: &Options) -> Result<ShownExecutions, Failure> {
        crate::rma::refuse_verb(path, "show")?;
        if let Some(language) = programs::language(path) {
            return self.show_program(path, language, show, options);
        }
        let loaded = self.load_asking(path, show.outcome.as_deref(), options)?;
        let model = self.library.linked(&options.model, &loaded.program)?;
        let prepared = self.prepare_loaded(loaded, model, options)?;
        let relations = relations(&prepared, &show.relations)?;
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
        let loaded = &prepared.loaded;
        let condition = show_condition(&loaded.program, &loaded.question);
        Ok(ShownExecutions {
            title: format!("{} under {}: {condition}", loaded.program.name, prepared.model.name),
            program: loaded.sources.files().next().map_or_else(String::new, |(_, file)| file.text.to_string()),
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
        language: &programs::Language,
        show: &ShowOptions,
        options: &Options,
    ) -> Result<ShownExecutions, Failure> {
        let whole = match (show.which, &show.outcome, show.relations.is_empty()) {
            (Which::Rejected, ..) => return Err(unreadable("--which rejected is about litmus tests")),
            (_, Some(_), _) => return Err(unreadable("--outcome is about litmus tests")),
            (.., false) => return Err(unreadable("--relation is about litmus tests")),
            (Which::Positive, ..) => 0,
            _ => show.limit + 1,
        };
        let run = self.check_program(path, language, options, whole, &Silent)?;
        let (checked, model) = (&run.checked, &run.model);
        let violation = checked.outcome.violation.as_ref();
        let failing = violation.and_then(|v| Drawing::of_violation(&checked.program, &checked.sources, v));
        let complete = || checked.outcome.stories.iter();
        let drawn = |story| {
            let drawing = Drawing::of_story(&checked.program, &checked.sources, story);
            Drawing { caption: "a complete execution".to_owned(), ..drawing }
        };
        let mut drawings: Vec<Drawing> = match (show.which, failing) {
            (Which::Positive, failing) | (Which::PositiveOrAll, failing @ Some(_)) => failing.into_iter().collect(),
            (Which::Negative, _) => complete().map(drawn).collect(),
            (_, failing) => failing.into_iter().chain(complete().map(drawn)).collect(),
        };
        if let (Some(why), true) = (&checked.outcome.stopped, drawings.is_empty()) {
            return Err(unknown(why.to_string()));
        }
        let more = drawings.len() > show.limit;
        drawings.truncate(show.limit);
        let total = drawings.len();
        for (i, drawing) in drawings.iter_mut().enumerate() {
            drawing.title = format!("{path} under {model} ({} of {total}{})", i + 1, if more { "+" } else { "" });
        }
        let program = checked.sources.files().next().map_or_else(String::new, |(_, file)| file.text.to_string());
        Ok(ShownExecutions { title: format!("{path} under {model}"), program, drawings, more })
    }
}

/// Nobody has the outcome that is to be drawn.
fn unreached(outcome: &str) -> Failure {
    let why = format!(
        "no execution has the outcome {outcome}: `explain --outcome` says why, `--which rejected` draws the candidates that \
         the model rejects"
    );
    Failure { word: VerdictWord::No, ..unreadable(why) }
}

/// The relations to draw: what the model shows, what was asked for, and the dependencies of a model that computes its own.
fn relations(prepared: &Prepared, wanted: &[String]) -> Result<Vec<(String, TermId)>, Failure> {
    let model = &prepared.model.model;
    let mut relations: Vec<(String, TermId)> = Vec::new();
    for name in wanted {
        let term = model.defs.get(name.as_str());
        let term = term.ok_or_else(|| unreadable(format!("{} defines no relation `{name}`", prepared.model.name)))?;
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
) -> Result<(Vec<Drawing>, bool), Failure> {
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
            drawings.push(draw(prepared, candidate, judgement, relations));
        }
        ControlFlow::Continue(())
    })?;
    match walked.stopped {
        Some(why) if drawings.is_empty() => return Err(unknown(why)),
        Some(_) => more = true,
        None => {}
    }
    let total = drawings.len();
    for (i, drawing) in drawings.iter_mut().enumerate() {
        drawing.title = format!("{} ({} of {total}{})", drawing.title, i + 1, if more { "+" } else { "" });
    }
    Ok((drawings, more))
}

fn draw(
    prepared: &Prepared,
    candidate: &Candidate<'_>,
    judgement: &Judgement,
    relations: &[(String, TermId)],
) -> Drawing {
    let (loaded, model) = (&prepared.loaded, &*prepared.model.model);
    let shown = shown(prepared, candidate.graph, judgement, relations);
    let picks = picked(model, judgement);
    let mut drawing = Drawing::new(&loaded.program, &loaded.sources, candidate.graph, &picks, &shown);
    drawing.title = format!("{} under {}", loaded.program.name, prepared.model.name);
    drawing.caption = show_state(&loaded.program, &loaded.question, candidate.state);
    if let Some(failed) = judgement.first_failure(model) {
        let check = &model.checks[failed.check];
        drawing.caption += &format!("  rejected by {} ({})", check.name, one_line(&prepared.model.sources, check.span));
    }
    drawing
}

fn shown(prepared: &Prepared, graph: &Graph, judgement: &Judgement, relations: &[(String, TermId)]) -> Vec<Shown> {
    let cancel = Cancel::new();
    let mut trace = Trace::new(&prepared.model.model, graph, &judgement.picks, &cancel);
    let relation = |(name, term): &(String, TermId)| match trace.value(*term).ok().as_deref() {
        Some(Extent::Rel(relation)) => Some(Shown { name: name.as_str().into(), relation: relation.clone() }),
        _ => None,
    };
    relations.iter().filter_map(relation).collect()
}
