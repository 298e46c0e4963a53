//! What was found, by what it is about: the programs, texts and questions that a format needs, beside the finding.

use std::ops::Deref;
use treville_base::{Diagnostic, SourceMap};
use treville_ir::{Claim, Claims, Program, Quantifier, Question};
use treville_rma::FailingRun;
use treville_task::{About, Annotated, Answer, ClaimsQuery, Finding, Run, StopReason, Witness};

/// A finding by what it is about.
pub(crate) enum View<'a> {
    Test(TestView<'a>),
    Program(ProgramView<'a>),
    Claims(ClaimsView<'a>),
    Remote(RemoteView<'a>),
}

impl<'a> View<'a> {
    pub(crate) fn of(finding: &'a Finding) -> Self {
        match &finding.about {
            About::Test(test) => {
                let (program, question, sources) = (&*test.program, &*test.question, &*test.sources);
                View::Test(TestView { program, question, sources, hash: test.header("Hash"), finding })
            }
            About::Program(code) => {
                View::Program(ProgramView { program: &code.program, sources: &code.sources, finding })
            }
            About::Claims(query) => View::Claims(ClaimsView { query, annotated: &query.annotated, finding }),
            About::Remote(query) => {
                let (remote, flushes) = (&query.remote, query.flushes.as_slice());
                let (program, sources, warnings) = (&*remote.program, &*remote.sources, remote.warnings.as_slice());
                View::Remote(RemoteView { program, sources, warnings, flushes, run: finding.failing_run(), finding })
            }
        }
    }
}

/// A litmus test with its answer.
#[derive(Clone, Copy)]
pub(crate) struct TestView<'a> {
    pub(crate) program: &'a Program,
    pub(crate) question: &'a Question,
    pub(crate) sources: &'a SourceMap,
    /// The `Hash=` of its header.
    pub(crate) hash: Option<&'a str>,
    finding: &'a Finding,
}

/// A program, with the answer whether it can fail.
#[derive(Clone, Copy)]
pub(crate) struct ProgramView<'a> {
    pub(crate) program: &'a Program,
    pub(crate) sources: &'a SourceMap,
    finding: &'a Finding,
}

/// A program with its claims, and the answers.
#[derive(Clone, Copy)]
pub(crate) struct ClaimsView<'a> {
    query: &'a ClaimsQuery,
    annotated: &'a Annotated,
    finding: &'a Finding,
}

/// A program on remote memory, with the answer whether it can fail.
#[derive(Clone, Copy)]
pub(crate) struct RemoteView<'a> {
    pub(crate) program: &'a treville_rma::Program,
    pub(crate) sources: &'a SourceMap,
    pub(crate) warnings: &'a [Diagnostic],
    /// Slots with a flush, as people count them.
    pub(crate) flushes: &'a [usize],
    pub(crate) run: Option<&'a FailingRun>,
    finding: &'a Finding,
}

impl Deref for TestView<'_> {
    type Target = Finding;

    fn deref(&self) -> &Finding {
        self.finding
    }
}

impl Deref for ProgramView<'_> {
    type Target = Finding;

    fn deref(&self) -> &Finding {
        self.finding
    }
}

impl Deref for ClaimsView<'_> {
    type Target = Finding;

    fn deref(&self) -> &Finding {
        self.finding
    }
}

impl Deref for RemoteView<'_> {
    type Target = Finding;

    fn deref(&self) -> &Finding {
        self.finding
    }
}

impl<'a> TestView<'a> {
    /// The counts as the reference tool states them: for `~exists`, positive means that the proposition fails.
    pub(crate) fn witnesses(&self) -> Option<(u64, u64)> {
        let (holds, fails) = self.finding.counts()?;
        Some(match self.question.quantifier {
            Quantifier::NotExists => (fails, holds),
            Quantifier::Exists | Quantifier::Forall => (holds, fails),
        })
    }

    /// The execution that decides the verdict, or any that was found.
    pub(crate) fn witness(&self) -> Option<&'a Witness> {
        self.finding.witness(self.question.quantifier)
    }

    pub(crate) fn stopped(&self) -> Option<&'a StopReason> {
        self.finding.outcome.stopped.as_ref()
    }
}

impl<'a> ClaimsView<'a> {
    pub(crate) fn annotated(&self) -> &'a Annotated {
        self.annotated
    }

    pub(crate) fn program(&self) -> &'a Program {
        &self.annotated.program
    }

    pub(crate) fn claims(&self) -> &'a Claims {
        &self.annotated.claims
    }

    pub(crate) fn sources(&self) -> &'a SourceMap {
        &self.annotated.sources
    }

    pub(crate) fn is_inductive(&self) -> bool {
        self.query.inductive
    }

    pub(crate) fn accepts_bounded(&self) -> bool {
        self.query.accepts_bounded
    }

    pub(crate) fn asks_deadlock(&self) -> bool {
        self.query.asks_deadlock
    }

    pub(crate) fn invariants(&self) -> impl Iterator<Item = (&'a Claim, &'a Answer)> {
        self.query.invariants(&self.finding.outcome)
    }

    pub(crate) fn outcomes(&self) -> impl Iterator<Item = (&'a Claim, &'a Answer)> {
        self.query.outcomes(&self.finding.outcome)
    }

    /// The run after which threads wait for ever.
    pub(crate) fn deadlock(&self) -> Option<&'a Run> {
        self.query.deadlock(&self.finding.outcome).and_then(Answer::run)
    }

    pub(crate) fn alone(&self) -> Option<Vec<bool>> {
        self.query.alone(&self.finding.outcome)
    }

    pub(crate) fn vacuous(&self) -> Vec<bool> {
        self.query.vacuous(&self.finding.outcome)
    }

    pub(crate) fn violations(&self) -> impl Iterator<Item = (&'static str, &'a str, &'a Run)> {
        self.query.violations(&self.finding.outcome)
    }
}
