//! What an engine says of a program, with what it may leave out, and when two such answers contradict each other.

use super::ast::{Program, Stmt};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;
use treville::{MemoryFiles, Options, Properties, Session};
use treville_base::{Cancel, SourceMap};
use treville_task::{Reductions, StopReason, Verdict};

/// An engine with what it may leave out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Way {
    pub name: &'static str,
    pub engine: &'static str,
    pub idle_loops: bool,
    pub symmetry: bool,
    pub bound: Option<u32>,
}

/// Iterations of a loop where rounds that change nothing are not left out.
const BOUND: u32 = 3;

pub const DEFAULT: Way = Way { name: "explore", engine: "explore", idle_loops: true, symmetry: true, bound: None };
pub const ASYMMETRIC: Way = Way { name: "explore, symmetry off", symmetry: false, ..DEFAULT };
pub const KEEPING: Way = Way { name: "explore, all rounds", idle_loops: false, bound: Some(BOUND), ..DEFAULT };
pub const UNREDUCED: Way = Way { name: "explore, nothing left out", symmetry: false, ..KEEPING };
pub const BMC: Way = Way { name: "bmc", engine: "bmc", idle_loops: true, symmetry: true, bound: Some(BOUND) };
pub const BMC_KEEPING: Way = Way { name: "bmc, all rounds", idle_loops: false, ..BMC };
pub const ENUMERATE: Way = Way { name: "enumerate", engine: "enumerate", ..BMC };
pub const ENUMERATE_KEEPING: Way = Way { name: "enumerate, all rounds", engine: "enumerate", ..BMC_KEEPING };

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// It cannot fail; up to a bound, if it is not complete. The number of complete executions, if it is known.
    Yes {
        complete: bool,
        executions: Option<u64>,
    },
    /// It fails, in this way.
    No(&'static str),
    Unknown(String),
    /// A panic, or a disagreement that the engine has noticed itself.
    Broken(String),
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Answer::Yes { complete, executions } => {
                f.write_str(if *complete { "yes" } else { "yes, up to the bound" })?;
                executions.map_or(Ok(()), |n| write!(f, ", {n} executions"))
            }
            Answer::No(kind) => write!(f, "no, {kind}"),
            Answer::Unknown(why) => write!(f, "unknown, {why}"),
            Answer::Broken(why) => write!(f, "broken, {why}"),
        }
    }
}

/// Asks engines about programs that were lowered already.
pub struct Panel<'f> {
    session: Session<'f>,
    timeout: Duration,
}

impl<'f> Panel<'f> {
    pub fn new(files: &'f MemoryFiles, timeout: Duration) -> Panel<'f> {
        Panel { session: Session::new(files, Cancel::new()), timeout }
    }

    pub fn ask(&self, program: &treville_ir::Program, model: &str, way: &Way) -> Answer {
        self.ask_for(program, model, way, &[])
    }

    /// Looks for some failures only, if there are any named.
    pub fn ask_for(&self, program: &treville_ir::Program, model: &str, way: &Way, kinds: &[&str]) -> Answer {
        let mut options = Options::default();
        options.model.name = Some(model.to_owned());
        options.run.engine = Some(way.engine.to_owned());
        options.run.bound = way.bound;
        options.run.timeout = Some(self.timeout);
        options.run.threads = Some(1);
        options.run.accept_bounded = true;
        options.run.reductions = Reductions::all();
        if !way.idle_loops {
            options.run.reductions = options.run.reductions.minus(Reductions::of_loops());
        }
        if !way.symmetry {
            options.run.reductions = options.run.reductions.without(treville_task::Reduction::Symmetry);
        }
        options.run.properties = Properties::of(kinds).unwrap_or_default();
        // Nobody looks at places, but they must be somewhere.
        let mut sources = SourceMap::new();
        sources.add("random.c", "");
        let run = || self.session.check_lowered(program, sources, &options);
        let checked = match catch_unwind(AssertUnwindSafe(run)) {
            Err(_) => return Answer::Broken("it panics".to_owned()),
            Ok(Err(failure)) => return Answer::Unknown(failure.reason),
            Ok(Ok(checked)) => checked,
        };
        let outcome = &checked.outcome;
        match (&checked.verdict, &outcome.violation) {
            (_, Some(violation)) => Answer::No(violation.failure.name()),
            (Verdict::Yes, None) => {
                let executions = outcome.counts.map(|counts| counts.executions);
                Answer::Yes { complete: checked.scope.complete, executions }
            }
            (Verdict::Unknown(why), None) => unknown(why),
            (Verdict::No | Verdict::Undefined, None) => Answer::Broken("no, without a violation".to_owned()),
        }
    }
}

fn unknown(why: &StopReason) -> Answer {
    let why = why.to_string();
    if why.contains("disagree") { Answer::Broken(why) } else { Answer::Unknown(why) }
}

/// Whether two answers about one program cannot both be right. What was only looked for up to a bound contradicts nothing
/// that was found beyond it.
pub fn contradict(first: &Answer, second: &Answer) -> bool {
    let (yes, no) =
        (|a: &Answer| matches!(a, Answer::Yes { complete: true, .. }), |a: &Answer| matches!(a, Answer::No(_)));
    yes(first) && no(second) || no(first) && yes(second)
}

/// Whether two engines count different numbers of executions where both count all.
pub fn count_differently(first: &Answer, second: &Answer) -> bool {
    match (first, second) {
        (Answer::Yes { complete: true, executions: Some(a) }, Answer::Yes { complete: true, executions: Some(b) }) => {
            a != b
        }
        _ => false,
    }
}

/// Whether executions of a program are counted by the same definition everywhere: not where unknown values are kept as terms.
pub fn is_countable(program: &Program) -> bool {
    !program.has(|s| matches!(s, Stmt::Unknown(..) | Stmt::Assume(_) | Stmt::TimedLock(..)))
}
