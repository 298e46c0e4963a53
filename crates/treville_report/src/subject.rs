//! What a report is about: one file, checked or not.

use crate::RmaChecked;
use std::sync::Arc;
use std::time::Duration;
use treville_base::{Diagnostic, LineCol, SourceMap};
use treville_ir::{Claim, Claims, Program, Quantifier, Question};
use treville_task::{Answer, Outcome, Run, Scope, StopReason, Verdict, Witness};

/// One file of a run, under one model.
#[derive(Clone, Debug)]
pub struct FileReport {
    /// As the caller named it.
    pub file: String,
    /// Empty if it was not known before the failure.
    pub model: String,
    pub engine: String,
    /// Why it was this one, if the tool chose it.
    pub chosen: Option<Chosen>,
    pub time: Duration,
    pub content: Content,
}

/// Why an engine was chosen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Chosen {
    pub why: String,
    /// It is the one that is always asked first.
    pub first: bool,
}

#[derive(Clone, Debug)]
pub enum Content {
    Checked(Box<Checked>),
    Program(Box<ProgramChecked>),
    Claims(Box<ClaimsChecked>),
    Remote(Box<RmaChecked>),
    Failed(Failure),
}

/// A program that asks nothing of its own, with the answer whether it can fail.
#[derive(Clone, Debug)]
pub struct ProgramChecked {
    pub program: Arc<Program>,
    pub sources: Arc<SourceMap>,
    pub outcome: Outcome,
    /// Yes: it cannot.
    pub verdict: Verdict,
    pub scope: Scope,
    /// Why the answer may be about less than it seems.
    pub warnings: Vec<String>,
    /// What random executions of it were compared with what was visited, if that was asked for.
    pub audit: Option<Audit>,
}

/// Random executions of a program, all among those that an engine has visited.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Audit {
    /// By what executions are compared: `graphs` or `states`.
    pub compared: &'static str,
    /// Executions that the model allows, of so many that were tried.
    pub samples: u64,
    pub tried: u64,
    /// Of the samples, those that no interleaving explains, and those with a cycle of program order and reads-from.
    pub beyond_sc: u64,
    pub cyclic: u64,
    /// Classes among the samples, and among what was visited.
    pub classes: u64,
    pub visited: u64,
    /// Why nothing was compared, if it was not.
    pub skipped: Option<String>,
}

/// A program with what it claims of its runs, and the answers.
#[derive(Clone, Debug)]
pub struct ClaimsChecked {
    pub program: Arc<Program>,
    pub claims: Arc<Claims>,
    pub sources: Arc<SourceMap>,
    /// Its answers are to: is an invariant violated, is an outcome reached, each in their order; does an assertion fail; can
    /// threads wait for ever.
    pub outcome: Outcome,
    /// For each invariant whether it holds only since nothing of what it is about ever happens.
    pub vacuous: Vec<bool>,
    /// Whether threads that wait for ever are a violation.
    pub asks_deadlock: bool,
    pub accepts_bounded: bool,
    /// If the question was whether the invariants are inductive together: whether each is so by itself. Answers are then
    /// about single steps.
    pub inductive: Option<Vec<bool>>,
    pub verdict: Verdict,
    pub scope: Scope,
    /// What is taken for granted of the program.
    pub assumes: Vec<String>,
}

/// A litmus question with its answer.
#[derive(Clone, Debug)]
pub struct Checked {
    pub program: Arc<Program>,
    pub question: Arc<Question>,
    pub sources: Arc<SourceMap>,
    pub outcome: Outcome,
    pub verdict: Verdict,
    pub scope: Scope,
    /// The `Hash=` of the test's header.
    pub hash: Option<String>,
    /// Why the answer may be about less than it seems.
    pub warnings: Vec<String>,
}

/// A file that got no answer: its text, its model or the call is wrong, or nobody takes the task.
#[derive(Clone, Debug)]
pub struct Failure {
    /// `Unknown` if an engine refused, `Error` otherwise.
    pub word: VerdictWord,
    pub reason: String,
    /// Where the first error is.
    pub position: Option<(String, LineCol)>,
    pub diagnostics: Vec<Diagnostic>,
    /// The texts that the diagnostics point into.
    pub sources: Arc<SourceMap>,
    /// A check of our own has failed: what shows it, to be sent to us.
    pub evidence: Option<Box<str>>,
}

/// The five answers that scripts see.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum VerdictWord {
    Yes,
    No,
    Undefined,
    Unknown,
    Error,
}

fn reason_of(verdict: &Verdict) -> Option<String> {
    match verdict {
        Verdict::Unknown(reason) => Some(reason.to_string()),
        _ => None,
    }
}

impl VerdictWord {
    fn of(verdict: &Verdict) -> Self {
        match verdict {
            Verdict::Yes => VerdictWord::Yes,
            Verdict::No => VerdictWord::No,
            Verdict::Undefined => VerdictWord::Undefined,
            Verdict::Unknown(_) => VerdictWord::Unknown,
        }
    }

    pub fn as_str(self) -> &'static str {
        match self {
            VerdictWord::Yes => "yes",
            VerdictWord::No => "no",
            VerdictWord::Undefined => "undefined",
            VerdictWord::Unknown => "unknown",
            VerdictWord::Error => "error",
        }
    }
}

impl FileReport {
    /// Why this engine was chosen, if that is to be told: it is not the usual one, or everything is.
    pub(crate) fn told_choice(&self, everything: bool) -> Option<&Chosen> {
        self.chosen.as_ref().filter(|chosen| !chosen.first || everything)
    }

    pub fn verdict(&self) -> VerdictWord {
        match &self.content {
            Content::Failed(failure) => failure.word,
            Content::Checked(checked) => VerdictWord::of(&checked.verdict),
            Content::Program(checked) => VerdictWord::of(&checked.verdict),
            Content::Claims(checked) => VerdictWord::of(&checked.verdict),
            Content::Remote(checked) => VerdictWord::of(&checked.verdict),
        }
    }

    /// Whether a check of our own has failed.
    pub fn is_internal(&self) -> bool {
        matches!(&self.content, Content::Failed(failure) if failure.evidence.is_some())
    }

    /// Why there is no yes or no.
    pub fn reason(&self) -> Option<String> {
        match &self.content {
            Content::Failed(failure) => Some(failure.reason.clone()),
            Content::Checked(checked) => reason_of(&checked.verdict),
            Content::Program(checked) => reason_of(&checked.verdict),
            Content::Claims(checked) => reason_of(&checked.verdict),
            Content::Remote(checked) => reason_of(&checked.verdict),
        }
    }

    /// The test's own name, or the file's where there is none.
    pub fn test(&self) -> &str {
        match &self.content {
            Content::Checked(checked) => &checked.program.name,
            Content::Program(_) | Content::Claims(_) | Content::Remote(_) | Content::Failed(_) => &self.file,
        }
    }
}

/// A program with what it claims, to be told of.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    pub program: &'a Program,
    pub claims: &'a Claims,
    pub sources: &'a SourceMap,
}

impl ClaimsChecked {
    pub(crate) fn subject(&self) -> Subject<'_> {
        Subject { program: &self.program, claims: &self.claims, sources: &self.sources }
    }

    /// With whether they are violated.
    pub fn invariants(&self) -> impl Iterator<Item = (&Claim, &Answer)> {
        self.claims.invariants.iter().zip(&self.outcome.answers)
    }

    /// With whether they are reached.
    pub fn outcomes(&self) -> impl Iterator<Item = (&Claim, &Answer)> {
        self.claims.outcomes.iter().zip(self.outcome.answers.iter().skip(self.claims.invariants.len()))
    }

    fn further(&self, i: usize) -> Option<&Answer> {
        self.outcome.answers.get(self.claims.invariants.len() + self.claims.outcomes.len() + i)
    }

    /// Whether an assertion can be false.
    pub fn assertion(&self) -> Option<&Answer> {
        self.further(0)
    }

    /// Whether threads can wait for ever.
    pub fn deadlock(&self) -> Option<&Answer> {
        self.further(1)
    }

    /// The invariant or outcome of this name.
    pub fn claim(&self, name: &str) -> Option<&Claim> {
        self.claims.invariants.iter().chain(&self.claims.outcomes).find(|claim| claim.name == name)
    }

    /// What is wrong: a verb, the name of what it is about, and the run.
    pub fn violations(&self) -> impl Iterator<Item = (&'static str, &str, &Run)> {
        let invariants = self.invariants().map(|(claim, answer)| ("violates", claim.name.as_str(), Some(answer)));
        let assertion = ("fails an", "assertion", self.assertion());
        let deadlock = ("ends in a", "deadlock", self.deadlock().filter(|_| self.asks_deadlock));
        let all = invariants.chain([assertion, deadlock]);
        all.filter_map(|(verb, name, answer)| Some((verb, name, crate::claims::run_of(answer?)?)))
    }
}

impl Checked {
    /// Executions that satisfy the proposition, and those that do not.
    pub fn counts(&self) -> Option<(u64, u64)> {
        let counts = self.outcome.counts.as_ref()?;
        Some((counts.positive, counts.executions.saturating_sub(counts.positive)))
    }

    /// The counts as the reference tool states them: for `~exists`, positive means that the proposition fails.
    pub fn witnesses(&self) -> Option<(u64, u64)> {
        let (holds, fails) = self.counts()?;
        Some(match self.question.quantifier {
            Quantifier::NotExists => (fails, holds),
            Quantifier::Exists | Quantifier::Forall => (holds, fails),
        })
    }

    /// The execution that decides the verdict, or any that was found.
    pub fn witness(&self) -> Option<&Witness> {
        let answers = &self.outcome.answers;
        let order: [usize; 2] = if self.question.quantifier == Quantifier::Forall { [1, 0] } else { [0, 1] };
        order.into_iter().find_map(|i| match answers.get(i) {
            Some(Answer::Found(witness)) => Some(&**witness),
            _ => None,
        })
    }

    /// Whether counts and states cover every execution within the bounds.
    pub fn exhaustive(&self) -> bool {
        self.outcome.states.is_some() && self.outcome.stopped.is_none()
    }

    pub fn stopped(&self) -> Option<&StopReason> {
        self.outcome.stopped.as_ref()
    }
}
