//! What is said of one file: what was checked, under which model, by which engine, the outcome and the verdict.

use crate::verdict::Asked;
use crate::{
    Annotated, Answer, CheckError, Code, Needs, Observation, Outcome, Remote, Run, Scope, Test, Verdict, VerdictKind,
    Witness,
};
use std::sync::Arc;
use std::time::Duration;
use treville_base::SourceMap;
use treville_ir::{Claim, Quantifier};
use treville_rma::FailingRun;

/// One file of a call, under one model.
#[derive(Clone, Debug)]
pub struct Report {
    /// As the caller named it.
    pub file: String,
    /// Empty if it was not known before the failure.
    pub model: String,
    pub engine: String,
    /// Why it was this one, if the tool chose it.
    pub chosen: Option<Chosen>,
    pub time: Duration,
    pub result: Result<Box<Finding>, CheckError>,
}

/// Why an engine was chosen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Chosen {
    pub why: String,
    /// It is the one that always runs first.
    pub first: bool,
}

/// What an engine found, with the verdict.
#[derive(Clone, Debug)]
pub struct Finding {
    pub about: About,
    pub outcome: Outcome,
    pub verdict: Verdict,
    pub scope: Scope,
    /// Why the answer may be about less than it seems.
    pub warnings: Vec<String>,
    /// Random executions that were compared with what was visited, if that was asked for.
    pub audit: Option<Audit>,
}

/// What was checked, with what was asked of it.
#[derive(Clone, Debug)]
pub enum About {
    Test(Test),
    Program(Code),
    Claims(ClaimsQuery),
    Remote(RemoteQuery),
}

/// What is asked of a program with claims.
#[derive(Clone, Debug)]
pub struct ClaimsQuery {
    pub annotated: Annotated,
    /// Whether threads that wait for ever are a violation.
    pub asks_deadlock: bool,
    /// Whether invariants are preserved by single steps, not whether they hold in every reachable state. Outcomes are not asked then.
    pub inductive: bool,
    pub accepts_bounded: bool,
}

/// What is asked of a program on remote memory.
#[derive(Clone, Debug)]
pub struct RemoteQuery {
    pub remote: Remote,
    /// Slots with a flush, as people count them.
    pub flushes: Vec<usize>,
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

impl Report {
    /// What was found, if there was no failure.
    pub fn finding(&self) -> Option<&Finding> {
        self.result.as_deref().ok()
    }

    pub fn failure(&self) -> Option<&CheckError> {
        self.result.as_ref().err()
    }

    pub fn verdict(&self) -> VerdictKind {
        match &self.result {
            Err(error) => error.verdict,
            Ok(finding) => finding.verdict.kind(),
        }
    }

    /// Why there is no yes or no.
    pub fn reason(&self) -> Option<String> {
        match &self.result {
            Err(error) => Some(error.reason.clone()),
            Ok(finding) => finding.verdict.reason(),
        }
    }

    /// Whether a check of our own has failed.
    pub fn is_internal(&self) -> bool {
        self.result.as_ref().is_err_and(CheckError::is_internal)
    }

    /// The test's own name, or the file's where there is none.
    pub fn test(&self) -> &str {
        match self.result.as_deref() {
            Ok(Finding { about: About::Test(test), .. }) => &test.program.name,
            _ => &self.file,
        }
    }

    /// Why this engine was chosen, if that is worth a line: it is not the usual one, or everything is.
    pub fn choice_to_report(&self, everything: bool) -> Option<&Chosen> {
        self.chosen.as_ref().filter(|chosen| !chosen.first || everything)
    }
}

impl Finding {
    /// The verdict of an outcome on what was asked.
    pub fn new(about: About, outcome: Outcome, accept_bounded: bool, needs: Needs) -> Finding {
        let asked = match &about {
            About::Test(test) => Asked::Question { quantifier: test.question.quantifier, needs },
            About::Program(_) => Asked::Safety,
            About::Claims(query) => Asked::Claims(query),
            About::Remote(_) => Asked::Remote,
        };
        let (verdict, scope) = Verdict::judge(&asked, &outcome, accept_bounded);
        Finding { about, outcome, verdict, scope, warnings: Vec::new(), audit: None }
    }

    pub fn sources(&self) -> &Arc<SourceMap> {
        match &self.about {
            About::Test(test) => &test.sources,
            About::Program(code) => &code.sources,
            About::Claims(query) => &query.annotated.sources,
            About::Remote(query) => &query.remote.sources,
        }
    }

    /// Whether counts and states cover every execution within the bounds.
    pub fn exhaustive(&self) -> bool {
        self.outcome.states.is_some() && self.outcome.stopped.is_none()
    }

    pub fn observation(&self) -> Option<Observation> {
        Observation::of(&self.outcome)
    }

    /// Executions that satisfy the condition of a test, and those that do not.
    pub fn counts(&self) -> Option<(u64, u64)> {
        let counts = self.outcome.counts.as_ref()?;
        Some((counts.positive, counts.executions.saturating_sub(counts.positive)))
    }

    /// The execution of a test that decides the verdict, or any that was found.
    pub fn witness(&self, quantifier: Quantifier) -> Option<&Witness> {
        let answers = &self.outcome.answers;
        let order: [usize; 2] = if quantifier == Quantifier::Forall { [1, 0] } else { [0, 1] };
        order.into_iter().find_map(|i| match answers.get(i) {
            Some(Answer::Found(witness)) => Some(&**witness),
            _ => None,
        })
    }

    /// The run of a program on remote memory that fails.
    pub fn failing_run(&self) -> Option<&FailingRun> {
        self.outcome.answers.iter().find_map(|answer| match answer {
            Answer::Fails(run) => Some(&**run),
            _ => None,
        })
    }
}

/// Answers are to: is an invariant violated, is an outcome reached, each in their order; does an assertion fail; can threads wait
/// for ever; then for each invariant that is an implication, whether its premise is ever true. If the question is whether invariants
/// are inductive: each together with the others, then each by itself.
impl ClaimsQuery {
    /// Invariants with whether they are violated.
    pub fn invariants<'a>(&'a self, outcome: &'a Outcome) -> impl Iterator<Item = (&'a Claim, &'a Answer)> {
        self.annotated.claims.invariants.iter().zip(&outcome.answers)
    }

    /// Outcomes with whether they are reached.
    pub fn outcomes<'a>(&'a self, outcome: &'a Outcome) -> impl Iterator<Item = (&'a Claim, &'a Answer)> {
        let claims = &self.annotated.claims;
        let asked = if self.inductive { &[][..] } else { &claims.outcomes };
        asked.iter().zip(outcome.answers.iter().skip(claims.invariants.len()))
    }

    fn further<'a>(&self, outcome: &'a Outcome, i: usize) -> Option<&'a Answer> {
        let claims = &self.annotated.claims;
        let n_before = claims.invariants.len() + claims.outcomes.len();
        outcome.answers.get(n_before + i).filter(|_| !self.inductive)
    }

    /// Whether an assertion can be false.
    pub fn assertion<'a>(&self, outcome: &'a Outcome) -> Option<&'a Answer> {
        self.further(outcome, 0)
    }

    /// Whether threads can wait for ever.
    pub fn deadlock<'a>(&self, outcome: &'a Outcome) -> Option<&'a Answer> {
        self.further(outcome, 1)
    }

    /// For each invariant whether it is inductive by itself, if that was the question.
    pub fn alone(&self, outcome: &Outcome) -> Option<Vec<bool>> {
        let answers = outcome.answers.iter().skip(self.annotated.claims.invariants.len());
        self.inductive.then(|| answers.map(|answer| matches!(answer, Answer::Absent(_))).collect())
    }

    /// For each invariant whether it holds only since nothing of what it is about ever happens.
    pub fn vacuous(&self, outcome: &Outcome) -> Vec<bool> {
        let claims = &self.annotated.claims;
        let n_before = claims.invariants.len() + claims.outcomes.len() + 2;
        let mut occasions = outcome.answers.iter().skip(n_before).take(if self.inductive { 0 } else { usize::MAX });
        let says_nothing = |claim: &Claim| {
            let occasion = claim.prop.occasion().and_then(|_| occasions.next());
            matches!(occasion, Some(Answer::Absent(scope)) if scope.complete)
        };
        claims.invariants.iter().map(says_nothing).collect()
    }

    /// What is wrong: a verb, the name of what it is about, and the run.
    pub fn violations<'a>(&'a self, outcome: &'a Outcome) -> impl Iterator<Item = (&'static str, &'a str, &'a Run)> {
        let invariants =
            self.invariants(outcome).map(|(claim, answer)| ("violates", claim.name.as_str(), Some(answer)));
        let assertion = ("fails an", "assertion", self.assertion(outcome));
        let deadlock = ("ends in a", "deadlock", self.deadlock(outcome).filter(|_| self.asks_deadlock));
        let all = invariants.chain([assertion, deadlock]);
        all.filter_map(|(verb, name, answer)| Some((verb, name, answer?.run()?)))
    }
}
