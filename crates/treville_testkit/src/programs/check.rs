//! Compares what engines say of one program, with reductions and without, and what taking turns shows.

use super::answers::{
    ASYMMETRIC, Answer, BMC, BMC_KEEPING, DEFAULT, ENUMERATE, ENUMERATE_KEEPING, KEEPING, Panel, UNREDUCED, Way,
    contradict, count_differently, is_countable,
};
use super::ast::{Expr, Program, Stmt};
use super::turns::{self, Fault, Turns};
use std::time::{Duration, Instant};

/// The models that all engines take, some more often than others.
pub const MODELS: &[&str] =
    &["rc11", "rc11", "rc11", "rc11", "sc", "sc", "sc", "tso", "tso", "ra", "ra", "imm", "pso", "aarch64", "riscv"];

/// States that taking turns visits at most.
const MOST_STATES: usize = 5_000;

/// A program with more executions than this is not enumerated.
const MOST_ENUMERATED: u64 = 40;

/// Why two answers are not both right.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Kind {
    /// Fails, and does not.
    Verdict,
    /// Different numbers of executions.
    Count,
    /// An engine panics, or notices itself that something is wrong.
    Broken,
    /// By taking turns it fails, and an engine does not see that.
    Missed,
    /// Under sc an engine sees a failure that taking turns does not show.
    Invented,
}

/// What is wrong, and between whom.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    pub kind: Kind,
    pub between: [&'static str; 2],
    /// What each way answered.
    pub answers: Vec<(&'static str, String)>,
}

impl Difference {
    /// Whether it is the same mistake as far as one can tell.
    pub fn is_like(&self, other: &Difference) -> bool {
        (self.kind, self.between) == (other.kind, other.between)
    }
}

/// Everything that was asked about one program.
#[derive(Clone, Debug, Default)]
pub struct Report {
    pub answers: Vec<(&'static str, Answer)>,
    pub turns: Option<Turns>,
    pub times: Vec<(&'static str, Duration)>,
    pub differences: Vec<Difference>,
}

const TURNS: &str = "taking turns";

/// Whether two threads may run the same function.
fn has_equal_threads(program: &Program) -> bool {
    let mut functions = Vec::new();
    program.visit(&mut |stmt| {
        if let Stmt::Create(_, function, _) = stmt {
            functions.push(*function);
        }
    });
    functions.sort_unstable();
    functions.windows(2).any(|pair| pair[0] == pair[1])
}

fn has_loops(program: &Program) -> bool {
    program.has(|s| matches!(s, Stmt::Loop(_)))
}

/// Whether what the program does depends on where its objects lie.
fn depends_on_addresses(program: &Program) -> bool {
    fn looks(e: &Expr) -> bool {
        match e {
            Expr::LessWord(..) => true,
            Expr::Bin(_, a, b) => looks(a) || looks(b),
            Expr::Not(a) => looks(a),
            _ => false,
        }
    }
    program.has(|s| match s {
        Stmt::Set(_, e) | Stmt::If(e, ..) | Stmt::Assert(e) | Stmt::BreakIf(e) | Stmt::Assume(e) => looks(e),
        _ => false,
    })
}

/// Asks everybody about a program, compares all that can be compared.
pub fn check(panel: &Panel<'_>, program: &Program, lowered: &treville_ir::Program, model: &str) -> Report {
    let mut report = Report::default();
    let (equal, loops) = (has_equal_threads(program), has_loops(program));
    let mut ask = |way: &Way| {
        let start = Instant::now();
        let answer = panel.ask(lowered, model, way);
        report.answers.push((way.name, answer.clone()));
        report.times.push((way.name, start.elapsed()));
        answer
    };
    let default = ask(&DEFAULT);
    let asymmetric = equal.then(|| ask(&ASYMMETRIC));
    if loops {
        ask(&KEEPING);
    }
    let unreduced = (equal && loops).then(|| ask(&UNREDUCED));
    ask(&BMC);
    let _ = unreduced;
    let counted = asymmetric.unwrap_or_else(|| default.clone());
    let small = match counted {
        Answer::Yes { executions: Some(n), .. } => n <= MOST_ENUMERATED,
        Answer::No(_) => program.n_statements() <= 24,
        _ => false,
    };
    let mut enumerated = None;
    if small {
        enumerated = Some(ask(&ENUMERATE));
    }
    if loops && matches!(default, Answer::Yes { .. }) {
        ask(&BMC_KEEPING);
        if small {
            ask(&ENUMERATE_KEEPING);
        }
    }
    let start = Instant::now();
    report.turns = turns::explore(program, MOST_STATES);
    report.times.push((TURNS, start.elapsed()));
    let counts = enumerated.filter(|_| is_countable(program)).map(|answer| (counted, answer));
    compare(program, model, counts, &mut report);
    report
}

/// The ways that a difference may be between.
const WAYS: &[Way] = &[DEFAULT, ASYMMETRIC, KEEPING, UNREDUCED, BMC, BMC_KEEPING, ENUMERATE, ENUMERATE_KEEPING];

/// Whether a difference is there in another program: only those that it is between are asked.
pub fn recheck(
    panel: &Panel<'_>,
    program: &Program,
    lowered: &treville_ir::Program,
    model: &str,
    wanted: &Difference,
) -> Option<Difference> {
    let mut report = Report::default();
    let counts = wanted.kind == Kind::Count;
    let counted = if has_equal_threads(program) { ASYMMETRIC } else { DEFAULT };
    for way in WAYS.iter().filter(|way| wanted.between.contains(&way.name)) {
        let way = if counts && *way == DEFAULT { &counted } else { way };
        report.answers.push((way.name, panel.ask(lowered, model, way)));
    }
    if wanted.between.contains(&TURNS) {
        report.turns = turns::explore(program, MOST_STATES);
    }
    let pair = match report.answers.as_slice() {
        [(_, first), (_, second)] if counts => Some((first.clone(), second.clone())),
        _ => None,
    };
    compare(program, model, pair, &mut report);
    report.differences.into_iter().find(|d| d.is_like(wanted))
}

fn compare(program: &Program, model: &str, counts: Option<(Answer, Answer)>, report: &mut Report) {
    let mut found = Vec::new();
    let answers = &report.answers;
    for (i, (name, answer)) in answers.iter().enumerate() {
        if matches!(answer, Answer::Broken(_)) {
            found.push((Kind::Broken, [*name, *name]));
        }
        for (other, second) in &answers[..i] {
            if contradict(answer, second) {
                found.push((Kind::Verdict, [*other, *name]));
            }
        }
    }
    if counts.is_some_and(|(a, b)| count_differently(&a, &b)) {
        found.push((Kind::Count, [DEFAULT.name, ENUMERATE.name]));
    }
    if let Some(turns) = report.turns.as_ref().filter(|_| !depends_on_addresses(program)) {
        let assumes = program.has(|s| matches!(s, Stmt::Assume(_)));
        let mut faults = turns.faults.iter().filter(|fault| !(assumes && **fault == Fault::Deadlock));
        let fails = faults.next().is_some();
        for (name, answer) in answers {
            match answer {
                Answer::Yes { complete: true, .. } if fails => found.push((Kind::Missed, [TURNS, name])),
                Answer::No(kind) if model == "sc" && turns.complete && turns.faults.is_empty() => {
                    let loops = has_loops(program);
                    if *kind != "race" && !(*kind == "deadlock" && loops) {
                        found.push((Kind::Invented, [TURNS, name]));
                    }
                }
                _ => {}
            }
        }
    }
    let mut shown: Vec<(&'static str, String)> = answers.iter().map(|(name, a)| (*name, a.to_string())).collect();
    if let Some(turns) = &report.turns {
        let complete = if turns.complete { "" } else { ", not all states" };
        shown.push((TURNS, format!("{:?}{complete}", turns.faults)));
    }
    report.differences =
        found.into_iter().map(|(kind, between)| Difference { kind, between, answers: shown.clone() }).collect();
}
