//! Answers, and the one place where they become a verdict.

use crate::{Run, Story};
use std::collections::{BTreeMap, BTreeSet};
use treville_base::{Cancel, Name, Span};
use treville_event::{Graph, Relation};
use treville_ir::{Failure, Quantifier, ThreadId};
use treville_term::Bv;

#[derive(Clone, PartialEq, Debug)]
pub enum Answer {
    Found(Box<Witness>),
    /// Found, and this is a run that leads there.
    Reached(Box<Run>),
    Absent(Scope),
    Open(StopReason),
}

impl Answer {
    pub fn is_found(&self) -> bool {
        matches!(self, Answer::Found(_) | Answer::Reached(_))
    }
}

/// An execution, ready to be judged again and drawn.
#[derive(Clone, PartialEq, Debug)]
pub struct Witness {
    pub graph: Graph,
    /// What the model picked with `with … from`, in order.
    pub picks: Vec<(Name, Relation)>,
    /// Final values of the question's observed places, in their order.
    pub state: Vec<FinalValue>,
}

/// One value, or the elements of an array.
pub type FinalValue = Vec<Bv>;

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Scope {
    /// False if some execution was cut at a bound.
    pub complete: bool,
    /// What the answer assumes, in words.
    pub relative_to: Vec<String>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StopReason {
    Timeout,
    Cancelled,
    Memory,
    /// As much as was allowed has been looked at.
    Effort,
    /// The engine met something that it cannot judge; the text says what and where.
    Refused(String),
    /// The same at a place of the program.
    RefusedAt(String, Span),
    /// Nothing completes, so that a yes would say nothing; the text says what may be the reason.
    NothingCompletes(&'static str),
}

impl StopReason {
    /// Why a run was cancelled, if it was.
    pub fn of(cancel: &Cancel) -> Option<StopReason> {
        if cancel.is_raised() {
            Some(StopReason::Cancelled)
        } else if cancel.is_late() {
            Some(StopReason::Timeout)
        } else if cancel.is_full() {
            Some(StopReason::Memory)
        } else if cancel.is_spent() {
            Some(StopReason::Effort)
        } else {
            None
        }
    }
}

impl std::fmt::Display for StopReason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            StopReason::Timeout => f.write_str("the time limit was reached"),
            StopReason::Cancelled => f.write_str("interrupted"),
            StopReason::Memory => f.write_str("the memory limit was reached"),
            StopReason::Effort => f.write_str("there is too much to look at"),
            StopReason::Refused(why) | StopReason::RefusedAt(why, _) => f.write_str(why),
            StopReason::NothingCompletes(why) => write!(f, "no execution completes, so a yes would say nothing: {why}"),
        }
    }
}

/// A final state with the number of executions that end in it, if they are counted.
#[derive(Clone, PartialEq, Debug)]
pub struct FinalState {
    /// In the order of the question's observed places.
    pub values: Vec<FinalValue>,
    pub executions: u64,
    /// Whether it satisfies the condition.
    pub holds: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// Executions that the model accepts and the filter keeps.
    pub executions: u64,
    /// Of these, those that satisfy the condition.
    pub positive: u64,
    /// Executions that ended early: cut at a bound, or waiting for ever.
    pub blocked: u64,
    /// Candidates that were judged.
    pub candidates: u64,
}

/// What is wrong with a program, in some execution.
#[derive(Clone, PartialEq, Debug)]
pub struct Violation {
    pub failure: Failure,
    /// Of a flag, its name; of an assertion, what it says.
    pub name: Option<Name>,
    pub message: String,
    pub thread: u32,
    pub span: Option<Span>,
    /// The other access of a race, the free of a freed object, …
    pub other: Option<Span>,
    /// The execution that shows it.
    pub story: Option<Box<Story>>,
}

/// A proof that no execution does something, for others to check.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Proof {
    /// What of, as the name of a folder.
    pub name: String,
    /// The texts that it consists of, by the names of their files.
    pub texts: BTreeMap<&'static str, String>,
}

/// Figures for `--stats`, by name.
pub type Stats = BTreeMap<&'static str, u64>;

#[derive(Clone, PartialEq, Debug, Default)]
pub struct Outcome {
    /// One for each query.
    pub answers: Vec<Answer>,
    /// Sorted by value. Complete unless `stopped`.
    pub states: Option<Vec<FinalState>>,
    /// None if the engine does not count: then a final state was seen, however often it is reached.
    pub counts: Option<Counts>,
    /// Whether some execution completes, or is blocked by nothing but an assumption: a yes needs one
    /// ([`Verdict::resting_on`]). None if the engine does not know.
    pub completes: Option<bool>,
    /// Flags that some execution raised, with how many did.
    pub flags: BTreeMap<Name, u64>,
    /// Some execution violates an `undefined_unless`.
    pub undefined: bool,
    /// How the program fails, if it does.
    pub violation: Option<Violation>,
    /// Complete executions of a program, as many as were asked for and found.
    pub stories: Vec<Story>,
    /// Why the engine ended before it had seen everything.
    pub stopped: Option<StopReason>,
    /// Some execution was cut at a bound.
    pub cut: bool,
    /// In a loop around this place, of a program.
    pub cut_at: Option<Span>,
    pub stats: Stats,
    /// Why what is absent is, if that was asked for.
    pub proofs: Vec<Proof>,
    /// Labels that no run comes to, from engines that look at program counters.
    pub unreached: Vec<(ThreadId, Name)>,
    /// Where threads are created in some execution of a program. None if the engine does not know.
    pub spawns: Option<BTreeSet<Span>>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Observation {
    Always,
    Sometimes,
    Never,
}

/// The answer to a litmus question.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    Yes,
    No,
    /// The model leaves the program undefined.
    Undefined,
    Unknown(StopReason),
}

impl Verdict {
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
            Answer::Found(_) | Answer::Reached(_) if yes_if_found => Verdict::Yes,
            Answer::Found(_) | Answer::Reached(_) => Verdict::No,
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
