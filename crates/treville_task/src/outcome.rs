//! What an engine answers: one answer for each query, with executions, counts and figures. `verdict` makes yes and no of it.

use crate::{Run, Task, Trace, Unsupported};
use std::collections::{BTreeMap, BTreeSet};
use treville_base::{Cancel, Name, Span};
use treville_event::{Graph, Relation};
use treville_ir::{Failure, Quantifier, ThreadId};
use treville_rma::FailingRun;
use treville_term::Bv;

#[derive(Clone, PartialEq, Debug)]
pub enum Answer {
    Found(Box<Witness>),
    /// Found, and this is a run that leads there.
    Reached(Box<Run>),
    /// Found: a run of a program on remote memory that fails.
    Fails(Box<FailingRun>),
    Absent(Scope),
    Open(StopReason),
}

impl Answer {
    pub fn is_found(&self) -> bool {
        matches!(self, Answer::Found(_) | Answer::Reached(_) | Answer::Fails(_))
    }

    /// The run that leads there.
    pub fn run(&self) -> Option<&Run> {
        match self {
            Answer::Reached(run) => Some(run),
            Answer::Found(_) | Answer::Fails(_) | Answer::Absent(_) | Answer::Open(_) => None,
        }
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
    pub thread: ThreadId,
    pub span: Option<Span>,
    /// The other access of a race, the free of a freed object, …
    pub other: Option<Span>,
    /// The execution that shows it.
    pub trace: Option<Box<Trace>>,
}

/// A proof that no execution does something, for others to check.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Proof {
    /// What of, as the name of a folder.
    pub name: String,
    /// The query that it is about, if it is about one.
    pub query: Option<usize>,
    /// What it claims, in words that people use; written into the formula.
    pub notes: Vec<String>,
    /// The texts that it consists of, by the names of their files.
    pub texts: BTreeMap<&'static str, String>,
}

impl Proof {
    /// Says more of what it claims, before what was said so far.
    pub fn note(&mut self, meaning: String) {
        self.notes.insert(0, meaning);
    }
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
    /// ([`crate::Verdict::resting_on`]). None if the engine does not know.
    pub completes: Option<bool>,
    /// Flags that some execution raised, with how many did.
    pub flags: BTreeMap<Name, u64>,
    /// Some execution violates an `undefined_unless`.
    pub undefined: bool,
    /// Some execution that was cut at a bound might.
    pub may_be_undefined: bool,
    /// How the program fails, if it does.
    pub violation: Option<Violation>,
    /// Complete executions of a program, as many as were asked for and found.
    pub traces: Vec<Trace>,
    /// Why the engine ended before it had seen everything.
    pub stopped: Option<StopReason>,
    /// Some execution was cut at a bound.
    pub cut: bool,
    /// In a loop around this place, of a program.
    pub cut_at: Option<Span>,
    /// The bound, where the caller gave one.
    pub bound: Option<u32>,
    pub stats: Stats,
    /// How the answer is known, in words, where there are several ways.
    pub how: String,
    /// Why what is absent is, if that was asked for.
    pub proofs: Vec<Proof>,
    /// Labels that no run comes to, from engines that look at program counters.
    pub unreached: Vec<(ThreadId, Name)>,
    /// Where threads are created in some execution of a program. None if the engine does not know.
    pub spawns: Option<BTreeSet<Span>>,
}

impl Scope {
    /// Every execution was looked at, and nothing was assumed.
    pub fn complete() -> Scope {
        Scope { complete: true, relative_to: Vec::new() }
    }
}

impl Outcome {
    /// The answer that decides a litmus question.
    pub(crate) fn deciding(&self, quantifier: Quantifier) -> Option<&Answer> {
        match quantifier {
            Quantifier::Exists | Quantifier::NotExists => self.answers.first(),
            Quantifier::Forall => self.answers.get(1),
        }
    }

    /// What that answer is relative to. One execution that leaves the program undefined takes any answer back, so that those beyond
    /// the bound matter even where an execution was found.
    pub fn deciding_scope(&self, quantifier: Quantifier) -> Scope {
        match self.deciding(quantifier) {
            Some(Answer::Absent(scope)) => scope.clone(),
            _ if self.may_be_undefined && !self.undefined => {
                Scope { complete: false, relative_to: vec!["longer executions are not undefined".to_owned()] }
            }
            _ => Scope::complete(),
        }
    }

    /// No answer to a task that an engine does not support.
    pub fn refused(task: &Task, why: Vec<Unsupported>) -> Outcome {
        let reason = why.into_iter().next().map_or(StopReason::Refused(String::new()), |why| match why.span {
            Some(place) => StopReason::RefusedAt(why.what, place),
            None => StopReason::Refused(why.what),
        });
        let answers = task.queries.iter().map(|_| Answer::Open(reason.clone())).collect();
        Outcome { answers, stopped: Some(reason), ..Outcome::default() }
    }
}
