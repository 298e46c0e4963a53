//! Executions to draw: of a test those of a kind, of a program the one in which it fails or complete ones.

use crate::LinkedTest;
use crate::executions::{Walk, each_judged, one_line, picked};
use std::ops::ControlFlow;
use treville_base::{Cancel, SourceMap};
use treville_eval::{Extent, Judgement, Trace};
use treville_event::Graph;
use treville_model::TermId;
use treville_report::{Drawing, Shown, show_condition, show_state};
use treville_task::{Candidate, CheckError, Code, Engine, Outcome, Test};

/// Which executions are drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Which {
    /// Those that satisfy the condition; all if there is none.
    #[cfg_attr(feature = "clap", value(name = "auto"))]
    PositiveOrAll,
    /// Those that satisfy the condition.
    Positive,
    /// Those that do not.
    Negative,
    /// All that the model accepts.
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

/// Draws executions of a test, as an engine lists them.
pub struct Drawer<'a> {
    test: LinkedTest<'a>,
    engine: &'a dyn Engine,
    relations: Vec<(String, TermId)>,
}

impl<'a> Drawer<'a> {
    /// # Errors
    /// If the model does not define one of these relations.
    pub fn new(test: LinkedTest<'a>, engine: &'a dyn Engine, wanted: &[String]) -> Result<Self, CheckError> {
        Ok(Drawer { test, engine, relations: relations(test, wanted)? })
    }

    /// The executions of a test.
    ///
    /// # Errors
    /// If the engine cannot list executions, or none has the outcome that is wanted.
    pub fn show(&self, show: &ShowOptions) -> Result<ShownExecutions, CheckError> {
        let (drawings, more) = match show.which {
            Which::PositiveOrAll => {
                let (found, more) = self.collect(Which::Positive, show.limit)?;
                if let (Some(outcome), true) = (&show.outcome, found.is_empty()) {
                    return Err(unreached(outcome));
                }
                if found.is_empty() { self.collect(Which::All, show.limit)? } else { (found, more) }
            }
            which => self.collect(which, show.limit)?,
        };
        let Test { program, question, sources, .. } = self.test.test;
        let condition = show_condition(program, question);
        Ok(ShownExecutions {
            title: format!("{} under {}: {condition}", program.name, self.test.model.name),
            program: text(sources),
            drawings,
            more,
        })
    }

    /// The executions of one kind, and whether there are more.
    fn collect(&self, which: Which, limit: usize) -> Result<(Vec<Drawing>, bool), CheckError> {
        let wanted = |candidate: &Candidate<'_>| match which {
            Which::Positive => candidate.holds,
            Which::Negative => !candidate.holds,
            Which::All | Which::Rejected | Which::PositiveOrAll => true,
        };
        let (mut drawings, mut more) = (Vec::new(), false);
        let walked = each_judged(self.test, self.engine, Walk::All(&wanted), &mut |candidate, judgements| {
            for judgement in judgements.iter().filter(|j| j.accepted != (which == Which::Rejected)) {
                if drawings.len() == limit {
                    more = true;
                    return ControlFlow::Break(());
                }
                drawings.push(self.draw(candidate, judgement));
            }
            ControlFlow::Continue(())
        })?;
        match walked.stopped {
            Some(why) if drawings.is_empty() => return Err(CheckError::unknown(why)),
            Some(_) => more = true,
            None => {}
        }
        number(&mut drawings, more);
        Ok((drawings, more))
    }

    fn draw(&self, candidate: &Candidate<'_>, judgement: &Judgement) -> Drawing {
        let LinkedTest { test, model: linked, .. } = self.test;
        let (Test { program, question, sources, .. }, model) = (test, &*linked.model);
        let shown = self.shown(candidate.graph, judgement);
        let picks = picked(model, judgement);
        let mut drawing = Drawing::new(program, sources, candidate.graph, &picks, &shown);
        drawing.title = format!("{} under {}", program.name, linked.name);
        drawing.caption = show_state(program, question, candidate.state);
        if let Some(failed) = judgement.first_failure(model) {
            let check = &model.checks[failed.check];
            drawing.caption += &format!("  rejected by {} ({})", check.name, one_line(&linked.sources, check.span));
        }
        drawing
    }

    fn shown(&self, graph: &Graph, judgement: &Judgement) -> Vec<Shown> {
        let cancel = Cancel::new();
        let mut trace = Trace::new(&self.test.model.model, graph, &judgement.picks, &cancel);
        let relation = |(name, term): &(String, TermId)| match trace.value(*term).ok().as_deref() {
            Some(Extent::Rel(relation)) => Some(Shown { name: name.as_str().into(), relation: relation.clone() }),
            _ => None,
        };
        self.relations.iter().filter_map(relation).collect()
    }
}

impl ShowOptions {
    /// How many complete executions of a program are to be found.
    ///
    /// # Errors
    /// What is about litmus tests only.
    pub fn complete_executions(&self) -> Result<usize, CheckError> {
        match (self.which, &self.outcome, self.relations.is_empty()) {
            (Which::Rejected, ..) => Err(CheckError::usage("option `which` rejected is about litmus tests")),
            (_, Some(_), _) => Err(CheckError::usage("option `outcome` is about litmus tests")),
            (.., false) => Err(CheckError::usage("option `relation` is about litmus tests")),
            (Which::Positive, ..) => Ok(0),
            (Which::PositiveOrAll | Which::Negative | Which::All, ..) => Ok(self.limit + 1),
        }
    }
}

/// The execution in which a program fails, or, if none does or all are wanted, complete ones.
///
/// # Errors
/// Why there is none.
pub fn show_program(
    path: &str,
    code: &Code,
    model: &str,
    outcome: &Outcome,
    show: &ShowOptions,
) -> Result<ShownExecutions, CheckError> {
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
        (Which::PositiveOrAll | Which::All | Which::Rejected, failing) => {
            failing.into_iter().chain(complete().map(drawn)).collect()
        }
    };
    if let (Some(why), true) = (&outcome.stopped, drawings.is_empty()) {
        return Err(CheckError::unknown(why.to_string()));
    }
    let more = drawings.len() > show.limit;
    drawings.truncate(show.limit);
    let title = format!("{path} under {model}");
    drawings.iter_mut().for_each(|drawing| drawing.title.clone_from(&title));
    number(&mut drawings, more);
    Ok(ShownExecutions { title, program: text(&code.sources), drawings, more })
}

/// Adds to the titles of drawings which of all they are.
fn number(drawings: &mut [Drawing], more: bool) {
    let total = drawings.len();
    for (i, drawing) in drawings.iter_mut().enumerate() {
        drawing.title = format!("{} ({} of {total}{})", drawing.title, i + 1, if more { "+" } else { "" });
    }
}

/// The text of the first file.
fn text(sources: &SourceMap) -> String {
    sources.files().next().map_or_else(String::new, |(_, file)| file.text.to_string())
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
fn relations(test: LinkedTest<'_>, wanted: &[String]) -> Result<Vec<(String, TermId)>, CheckError> {
    let model = &test.model.model;
    let mut relations: Vec<(String, TermId)> = Vec::new();
    for name in wanted {
        let term = model.defs.get(name.as_str());
        let term =
            term.ok_or_else(|| CheckError::usage(format!("{} defines no relation `{name}`", test.model.name)))?;
        relations.push((name.clone(), *term));
    }
    if model.catdep {
        let named = |name: &str| model.defs.get(name).map(|term| (name.to_owned(), *term));
        relations.extend(["addr", "data", "ctrl"].into_iter().filter_map(named));
    }
    relations.extend(model.shows.iter().map(|(name, term)| (name.to_string(), *term)));
    Ok(relations)
}
