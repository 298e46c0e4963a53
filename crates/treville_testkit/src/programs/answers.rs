//! What an engine says of a program, with what it may leave out, and when two such answers contradict each other.

use super::ast::{Program, Stmt};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, LazyLock};
use std::time::Duration;
use treville_base::{Cancel, SourceMap};
use treville_task::{Code, Reduction, Reductions, StopReason, Verdict};
use treville_verifier::{MemoryFiles, Options, Properties, Session};

/// An engine with what it may leave out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Way {
    pub name: &'static str,
    pub engine: &'static str,
    pub reductions: Reductions,
    pub bound: Option<u32>,
}

/// Iterations of a loop where rounds that change nothing are not left out.
const BOUND: u32 = 3;

fn way(name: &'static str, engine: &'static str, reductions: Reductions, bound: Option<u32>) -> Way {
    Way { name, engine, reductions, bound }
}

/// Everything that can be asked, under these names.
pub static WAYS: LazyLock<Vec<Way>> = LazyLock::new(|| {
    let (all, counted, none) = (Reductions::all(), Reductions::counted(), Reductions::NONE);
    let mut ways = vec![
        way(DEFAULT, "explore", all, None),
        way(COUNTED, "explore", counted, None),
        way(NOTHING, "explore", none, Some(BOUND)),
        way(BMC, "bmc", all, Some(BOUND)),
        way(BMC_NOTHING, "bmc", none, Some(BOUND)),
        way(ENUMERATE, "enumerate", counted, Some(BOUND)),
        way(ENUMERATE_NOTHING, "enumerate", none, Some(BOUND)),
    ];
    for reduction in Reduction::all() {
        let bound = Reductions::of_loops().has(reduction).then_some(BOUND);
        ways.push(way(without(reduction), "explore", all.without(reduction), bound));
    }
    ways
});

pub const DEFAULT: &str = "explore";
pub const COUNTED: &str = "explore, counted";
pub const NOTHING: &str = "explore, no reductions";
pub const BMC: &str = "bmc";
pub const BMC_NOTHING: &str = "bmc, no reductions";
pub const ENUMERATE: &str = "enumerate";
pub const ENUMERATE_NOTHING: &str = "enumerate, no reductions";

/// The engine for programs without one of the reductions.
pub fn without(reduction: Reduction) -> &'static str {
    static NAMES: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
        let name = |reduction: Reduction| &*format!("explore without {}", reduction.name()).leak();
        Reduction::all().map(name).collect()
    });
    Reduction::all().zip(NAMES.iter()).find(|(r, _)| *r == reduction).map_or(DEFAULT, |(_, name)| name)
}

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

/// How the files are called that have the texts of built-in models.
const OWN: &str = "own-";

/// The texts of some built-in models as files of the user's.
pub fn own_texts() -> MemoryFiles {
    let text = |name: &str| treville_cat::bundled(name).map(|file| (format!("{OWN}{name}.cat"), file.text.to_owned()));
    MemoryFiles(["rc11", "ra", "imm"].into_iter().filter_map(text).collect())
}

/// Effort is the same on every machine; this is for what does not count it.
const LATEST: Duration = Duration::from_secs(20);

/// Events of one execution; a program that has more loops without waiting.
const MOST_EVENTS: u32 = 1_000;

/// Asks engines about programs that were lowered already.
pub struct Panel<'f> {
    session: Session<'f>,
    effort: u64,
    /// Only these engines are asked; all, if there are none.
    engines: Vec<String>,
}

impl<'f> Panel<'f> {
    pub fn new(files: &'f MemoryFiles, effort: u64) -> Panel<'f> {
        Panel { session: Session::new(files, Cancel::new()), effort, engines: Vec::new() }
    }

    /// The same with some engines only, which is faster.
    #[must_use]
    pub fn with_engines(self, engines: &[String]) -> Panel<'f> {
        Panel { engines: engines.to_vec(), ..self }
    }

    pub fn ask(&self, program: &treville_ir::Program, model: &str, way: &'static str) -> Answer {
        self.ask_for(program, model, way, &[])
    }

    /// Looks for some failures only, if there are any named.
    pub fn ask_for(
        &self,
        program: &treville_ir::Program,
        model: &str,
        way: &'static str,
        kinds: &[&'static str],
    ) -> Answer {
        let Some(way) = WAYS.iter().find(|known| known.name == way) else {
            return Answer::Unknown(format!("nothing is called {way}"));
        };
        if !self.engines.is_empty() && !self.engines.iter().any(|engine| engine == way.engine) {
            return Answer::Unknown("not asked".to_owned());
        }
        let mut options = Options::default();
        options.model.name = Some(model.to_owned());
        if model.starts_with(OWN) {
            // As programs have those that are built in.
            options.model.variants.push("cxx20".to_owned());
        }
        options.run.engine = Some(way.engine.to_owned());
        options.run.bound = way.bound;
        options.run.timeout = Some(LATEST);
        options.run.max_events = Some(MOST_EVENTS);
        // What a solver counts is smaller.
        options.run.effort = Some(if way.engine == "bmc" { 30 * self.effort } else { self.effort });
        options.run.threads = Some(1);
        options.run.accept_bounded = true;
        options.run.reductions = way.reductions;
        options.run.properties = Properties::of(kinds).unwrap_or_default();
        // Positions are not printed, but they must lie in a file.
        let mut sources = SourceMap::new();
        sources.add("random.c", "");
        let code = Code { program: Arc::new(program.clone()), sources: Arc::new(sources) };
        let run = || self.session.check_lowered(&code, &options);
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
    // What an engine has found and cannot repeat is a mistake of its own.
    let wrong = ["disagree", "rejected when it was run again"];
    if wrong.iter().any(|words| why.contains(words)) { Answer::Broken(why) } else { Answer::Unknown(why) }
}

/// Whether two answers about one program cannot both be right. What was only looked for up to a bound contradicts nothing
/// that was found beyond it.
pub fn contradict(first: &Answer, second: &Answer) -> bool {
    let (yes, no) =
        (|a: &Answer| matches!(a, Answer::Yes { complete: true, .. }), |a: &Answer| matches!(a, Answer::No(_)));
    yes(first) && no(second) || no(first) && yes(second)
}

/// Whether an engine says that no execution completes.
pub fn says_nothing_completes(answer: &Answer) -> bool {
    matches!(answer, Answer::Unknown(why) if why.starts_with("no execution completes"))
}

/// Whether two engines count different numbers of executions up to the same bound.
pub fn count_differently(first: &Answer, second: &Answer) -> bool {
    match (first, second) {
        (
            Answer::Yes { complete, executions: Some(a) },
            Answer::Yes { complete: second_complete, executions: Some(b) },
        ) => complete == second_complete && a != b,
        _ => false,
    }
}

/// Whether executions of a program are counted by the same definition everywhere: not where unknown values are kept as terms,
/// nor where an assumption or a timeout ends an execution early, nor where a loop has more rounds than the bound: engines that unroll it do
/// so whole if they know the number.
pub fn is_countable(program: &Program) -> bool {
    !program.has(|s| {
        matches!(s, Stmt::Unknown(..) | Stmt::Assume(_) | Stmt::TimedLock(..) | Stmt::Scatter(_) | Stmt::Gather(_))
    })
}
