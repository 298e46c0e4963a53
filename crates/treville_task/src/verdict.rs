//! The one place where answers become a verdict.

use crate::report::ClaimsQuery;
use crate::{Answer, Outcome, Scope, StopReason};
use treville_ir::Quantifier;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Observation {
    Always,
    Sometimes,
    Never,
}

/// Whether what was asked is so.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    Yes,
    No,
    /// The model leaves the program undefined.
    Undefined,
    Unknown(StopReason),
}

/// A verdict without its reason, or an error: what scripts see.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum VerdictKind {
    Yes,
    No,
    Undefined,
    Unknown,
    Error,
}

impl VerdictKind {
    pub fn as_str(self) -> &'static str {
        match self {
            VerdictKind::Yes => "yes",
            VerdictKind::No => "no",
            VerdictKind::Undefined => "undefined",
            VerdictKind::Unknown => "unknown",
            VerdictKind::Error => "error",
        }
    }
}

impl Verdict {
    pub fn kind(&self) -> VerdictKind {
        match self {
            Verdict::Yes => VerdictKind::Yes,
            Verdict::No => VerdictKind::No,
            Verdict::Undefined => VerdictKind::Undefined,
            Verdict::Unknown(_) => VerdictKind::Unknown,
        }
    }

    /// Why there is no yes or no.
    pub fn reason(&self) -> Option<String> {
        match self {
            Verdict::Unknown(reason) => Some(reason.to_string()),
            Verdict::Yes | Verdict::No | Verdict::Undefined => None,
        }
    }

    /// From the answers to [`crate::Task::litmus_queries`].
    pub fn of(quantifier: Quantifier, outcome: &Outcome) -> Verdict {
        if outcome.undefined {
            return Verdict::Undefined;
        }
        let [holds, fails, ..] = outcome.answers.as_slice() else {
            return Verdict::Unknown(StopReason::Refused("the engine gave no answer".into()));
        };
        let (deciding, yes_if_found) = match quantifier {
            Quantifier::Exists => (holds, true),
            Quantifier::NotExists => (holds, false),
            Quantifier::Forall => (fails, false),
        };
        match deciding {
            Answer::Found(_) | Answer::Reached(_) | Answer::Fails(_) if yes_if_found => Verdict::Yes,
            Answer::Found(_) | Answer::Reached(_) | Answer::Fails(_) => Verdict::No,
            Answer::Absent(_) if yes_if_found => Verdict::No,
            Answer::Absent(_) => match (outcome.completes.or_else(|| has_execution(holds, fails)), &outcome.stopped) {
                (None, Some(reason)) => Verdict::Unknown(reason.clone()),
                (completes, _) => {
                    Verdict::Yes.resting_on(completes, "every execution blocks, or the model or the filter rejects it")
                }
            },
            Answer::Open(reason) => Verdict::Unknown(reason.clone()),
        }
    }

    /// A yes stands only if some execution completes (or blocks by an assumption only); `why` says what may be the reason if
    /// none does. Every other verdict stays as it is.
    #[must_use]
    pub fn resting_on(self, completes: Option<bool>, why: &'static str) -> Verdict {
        match (&self, completes) {
            (Verdict::Yes, Some(false)) => Verdict::Unknown(StopReason::NothingCompletes(why)),
            (Verdict::Yes, None) => {
                let why = "nothing fails, but the engine has not found an execution that completes";
                Verdict::Unknown(StopReason::Refused(why.into()))
            }
            _ => self,
        }
    }
}

/// What must have been seen for an answer to the question of a test.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Needs {
    /// What decides it.
    Answer,
    /// All final states, since they are listed.
    AllStates,
}

/// What was asked, as far as the verdict depends on it.
pub(crate) enum Asked<'a> {
    /// Whether a litmus condition is as the quantifier says.
    Question {
        quantifier: Quantifier,
        needs: Needs,
    },
    /// Whether a program can fail.
    Safety,
    Claims(&'a ClaimsQuery),
    /// Whether a program on remote memory can fail.
    Remote,
}

impl Verdict {
    /// That of an outcome about whether a program fails.
    pub fn on_program(outcome: &Outcome, accept_bounded: bool) -> Verdict {
        safety(outcome, accept_bounded).0
    }

    /// That of an outcome about a program on remote memory.
    pub fn on_remote_memory(outcome: &Outcome, accept_bounded: bool) -> Verdict {
        remote(outcome, accept_bounded).0
    }

    /// The verdict with its scope. What was only looked for up to a bound is unknown, unless the caller accepts that.
    pub(crate) fn judge(asked: &Asked<'_>, outcome: &Outcome, accept_bounded: bool) -> (Verdict, Scope) {
        match asked {
            Asked::Question { quantifier, needs } => question(*quantifier, *needs, outcome, accept_bounded),
            Asked::Safety => safety(outcome, accept_bounded),
            Asked::Claims(query) => claims(query, outcome, accept_bounded),
            Asked::Remote => remote(outcome, accept_bounded),
        }
    }
}

/// Everything is unknown if all states were to be listed and some may be missing.
fn question(quantifier: Quantifier, needs: Needs, outcome: &Outcome, accept_bounded: bool) -> (Verdict, Scope) {
    let scope = outcome.deciding_scope(quantifier);
    if let (Needs::AllStates, Some(why)) = (needs, &outcome.stopped) {
        return (Verdict::Unknown(why.clone()), scope);
    }
    match Verdict::of(quantifier, outcome) {
        Verdict::Yes | Verdict::No if !scope.complete && !accept_bounded => {
            let what = match outcome.deciding(quantifier) {
                Some(answer) if answer.is_found() => {
                    "whether longer executions than the loop bound are undefined is not seen"
                }
                _ => "no execution up to the loop bound decides it",
            };
            let why = format!("{what} (option `bound` raises it, option `accept-bounded` accepts it)");
            (Verdict::Unknown(StopReason::Refused(why)), scope)
        }
        verdict => (verdict, scope),
    }
}

fn safety(outcome: &Outcome, accept_bounded: bool) -> (Verdict, Scope) {
    if outcome.violation.is_some() {
        return (Verdict::No, Scope::complete());
    }
    if let Some(why) = &outcome.stopped {
        return (Verdict::Unknown(why.clone()), Scope::complete());
    }
    let relative_to = outcome.bound.map(|bound| format!("loops run at most {bound} times"));
    let scope =
        Scope { complete: !outcome.cut, relative_to: relative_to.filter(|_| outcome.cut).into_iter().collect() };
    if outcome.cut && !accept_bounded {
        let why =
            "no execution fails up to the loop bound (option `bound` raises it, option `accept-bounded` accepts it)";
        let why = why.to_owned();
        let reason = match outcome.cut_at {
            Some(place) => StopReason::RefusedAt(why, place),
            None => StopReason::Refused(why),
        };
        return (Verdict::Unknown(reason), scope);
    }
    let why =
        "every execution blocks (option `property` liveness looks for loops that wait for what no thread will do)";
    // Who accepts a bound accepts executions that go up to it.
    let completes = if outcome.cut { Some(true) } else { outcome.completes };
    (Verdict::Yes.resting_on(completes, why), scope)
}

/// No, if something is violated; else unknown, if something is not decided.
fn claims(query: &ClaimsQuery, outcome: &Outcome, accept_bounded: bool) -> (Verdict, Scope) {
    if query.violations(outcome).next().is_some() {
        return (Verdict::No, Scope::complete());
    }
    let claims = &query.annotated.claims;
    let n_invariants = claims.invariants.len();
    let n_deciding = match query.inductive {
        true => n_invariants,
        false => n_invariants + claims.outcomes.len() + 1 + usize::from(query.asks_deadlock),
    };
    let deciding = &outcome.answers[..n_deciding.min(outcome.answers.len())];
    let open = deciding.iter().find_map(|answer| match answer {
        Answer::Open(reason) => Some(reason.clone()),
        _ => None,
    });
    let bounded = deciding.iter().find_map(|answer| match answer {
        Answer::Absent(scope) if !scope.complete => Some(scope.clone()),
        _ => None,
    });
    let verdict = match (open, &bounded) {
        (Some(reason), _) => Verdict::Unknown(reason),
        (None, Some(scope)) if !accept_bounded => {
            let assumed = scope.relative_to.join(", ");
            let why = format!(
                "nothing was found up to a bound: {assumed} (option `max-messages` and option `max-actions` raise it, option `accept-bounded` accepts it)"
            );
            Verdict::Unknown(StopReason::Refused(why))
        }
        _ => {
            // A yes about single steps needs no run that completes, nor one that only says which outcomes there are; who accepts a
            // bound accepts runs that go up to it.
            let only_outcomes = claims.invariants.is_empty() && !claims.outcomes.is_empty();
            let needs_none = query.inductive || only_outcomes || outcome.cut;
            let completes = if needs_none { Some(true) } else { outcome.completes };
            Verdict::Yes.resting_on(completes, "no run comes to the end of all threads that have one")
        }
    };
    (verdict, bounded.unwrap_or_else(Scope::complete))
}

fn remote(outcome: &Outcome, accept_bounded: bool) -> (Verdict, Scope) {
    let verdict = match outcome.answers.first() {
        Some(Answer::Fails(_) | Answer::Found(_) | Answer::Reached(_)) => Verdict::No,
        Some(Answer::Absent(scope)) if !scope.complete && !accept_bounded => {
            let why = format!(
                "nothing fails up to a bound: {} (option `accept-bounded` accepts it)",
                scope.relative_to.join(", ")
            );
            Verdict::Unknown(StopReason::Refused(why))
        }
        Some(Answer::Absent(scope)) => match remote_yes(outcome) {
            Verdict::Yes => return (Verdict::Yes, scope.clone()),
            unknown => unknown,
        },
        Some(Answer::Open(why)) => Verdict::Unknown(why.clone()),
        None => Verdict::Unknown(StopReason::Refused("the engine gave no answer".into())),
    };
    (verdict, Scope::complete())
}

/// Nothing fails, which says something only if some run completes.
fn remote_yes(outcome: &Outcome) -> Verdict {
    let why = match (outcome.completes, &outcome.stopped) {
        (Some(true), _) => return Verdict::Yes,
        (_, Some(reason)) => reason.clone(),
        (Some(false), None) => StopReason::Refused(treville_rma::NO_RUN_COMPLETES.to_owned()),
        (None, None) => StopReason::Refused(
            "no run fails, but none was found that completes, without which a yes may say nothing".to_owned(),
        ),
    };
    Verdict::Unknown(why)
}

/// Whether a litmus test has an execution, from the answers to its condition and to the negation.
fn has_execution(holds: &Answer, fails: &Answer) -> Option<bool> {
    match (holds, fails) {
        _ if holds.is_found() || fails.is_found() => Some(true),
        (Answer::Absent(_), Answer::Absent(_)) => Some(false),
        _ => None,
    }
}

impl Observation {
    /// How often the condition holds, if both queries were decided.
    pub fn of(outcome: &Outcome) -> Option<Observation> {
        let [holds, fails, ..] = outcome.answers.as_slice() else { return None };
        match (holds.is_found(), fails.is_found()) {
            (true, true) => Some(Observation::Sometimes),
            (true, false) if matches!(fails, Answer::Absent(_)) => Some(Observation::Always),
            (false, _) if matches!(holds, Answer::Absent(_)) && !matches!(fails, Answer::Open(_)) => {
                Some(Observation::Never)
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn absent() -> Answer {
        Answer::Absent(Scope { complete: true, relative_to: Vec::new() })
    }

    fn found() -> Answer {
        Answer::Reached(Box::default())
    }

    fn open() -> Answer {
        Answer::Open(StopReason::Timeout)
    }

    fn verdict(quantifier: Quantifier, holds: Answer, fails: Answer) -> Verdict {
        Verdict::of(quantifier, &Outcome { answers: vec![holds, fails], ..Outcome::default() })
    }

    #[test]
    fn a_yes_needs_an_execution() {
        use Quantifier::{Exists, Forall, NotExists};
        let nothing = |verdict| matches!(verdict, Verdict::Unknown(StopReason::NothingCompletes(_)));
        assert!(nothing(verdict(Forall, absent(), absent())));
        assert!(nothing(verdict(NotExists, absent(), absent())));
        assert_eq!(verdict(Exists, absent(), absent()), Verdict::No);
        assert_eq!(verdict(Forall, found(), absent()), Verdict::Yes);
        assert_eq!(verdict(NotExists, absent(), found()), Verdict::Yes);
        assert_eq!(verdict(NotExists, found(), open()), Verdict::No);
        // Nobody has seen an execution yet.
        assert!(matches!(verdict(NotExists, absent(), open()), Verdict::Unknown(StopReason::Refused(_))));
    }
}
