//! Compares what engines say of one program, with reductions and without, and what taking turns shows.

use super::answers::{
    Answer, BMC, BMC_NOTHING, COUNTED, DEFAULT, ENUMERATE, ENUMERATE_NOTHING, NOTHING, Panel, WAYS, contradict,
    count_differently, is_countable, says_nothing_completes, without,
};
use super::ast::{Expr, Lock, Order, Place, Program, Stmt};
use super::compile::compile;
use super::morph::{Morph, Relation};
use super::turns::{self, Fault, Turns};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};
use treville_task::Reduction;

/// The models that all engines take, some more often than others.
pub const MODELS: &[&str] =
    &["rc11", "rc11", "rc11", "rc11", "sc", "sc", "sc", "tso", "tso", "ra", "ra", "imm", "pso", "aarch64", "riscv"];

/// States that taking turns visits at most.
const MOST_STATES: usize = 5_000;

/// A program with more executions than this is not enumerated.
const MOST_ENUMERATED: u64 = 24;

/// Nor is one with more statements.
const MOST_STATEMENTS: usize = 40;

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
    /// Asked for one way to fail only, one finds it and the other does not.
    Property,
    /// A change to the program changes the answer as it must not.
    Changed,
    /// Nothing fails, but nothing completes either; or only one of two finds an execution that does.
    Vacuous,
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
    /// What is wrong, by whom.
    found: Vec<(Kind, [&'static str; 2])>,
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

/// Whether `main` waits for all threads, whatever way it takes. If not, a thread may still be blocked when `main` returns: a deadlock for the engines, and
/// the end of the program by taking turns.
fn joins_all(program: &Program) -> bool {
    let mut created = Vec::new();
    program.visit(&mut |stmt| {
        if let Stmt::Create(handle, ..) = stmt {
            created.push(*handle);
        }
    });
    let alone = Program { threads: Vec::new(), helpers: Vec::new(), ..program.clone() };
    !alone.has(|stmt| *stmt == Stmt::Return) && created.iter().all(|handle| program.main.contains(&Stmt::Join(*handle)))
}

/// Whether a way looks at all iterations.
fn is_unbounded(name: &str) -> bool {
    WAYS.iter().any(|way| way.name == name && way.bound.is_none())
}

/// Whether all that threads share are seq_cst atomics and mutexes, so that every model allows what taking turns does, and nothing else.
fn is_sequential(program: &Program) -> bool {
    let own = |place: &Place| matches!(place, Place::Left(..) | Place::Local(..) | Place::LocalElem(_));
    let whole = |place: &Place| matches!(place, Place::Atomic(_) | Place::AtomicElem(_));
    let access = |place: &Place, order: Order| own(place) || whole(place) && order == Order::SeqCst;
    !program.has(|stmt| match stmt {
        Stmt::Load(_, place, order) | Stmt::Store(place, _, order) | Stmt::Fetch(_, _, place, _, order) => {
            !access(place, *order)
        }
        Stmt::Cas { place, order, fail, .. } => !access(place, *order) || *fail != Order::SeqCst,
        Stmt::Lock(lock) | Stmt::Unlock(lock) => !matches!(lock, Lock::Mutex(_)),
        Stmt::Set(..) | Stmt::If(..) | Stmt::Repeat(..) | Stmt::Loop(_) | Stmt::BreakIf(_) | Stmt::Return => false,
        Stmt::Assert(_) | Stmt::Fence(_) | Stmt::Create(..) | Stmt::Join(_) | Stmt::Call { .. } => false,
        _ => true,
    })
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
            Expr::Not(a) | Expr::Narrow(a) => looks(a),
            _ => false,
        }
    }
    program.has(|s| match s {
        Stmt::Set(_, e) | Stmt::If(e, ..) | Stmt::Assert(e) | Stmt::BreakIf(e) | Stmt::Assume(e) => looks(e),
        _ => false,
    })
}

/// Whether a part of a word is looked at that may hold an address: engines put objects at addresses of their own.
fn sees_parts_of_addresses(program: &Program) -> bool {
    let is_part = |place: &Place| matches!(place, Place::Half(..) | Place::Byte(..) | Place::AtomicHalf(_));
    let claimed = program.claim.iter().flat_map(|claim| &claim.values).any(|(place, _)| is_part(place));
    let reads = |s: &Stmt| match s {
        Stmt::Load(_, place, _) | Stmt::Fetch(_, _, place, ..) | Stmt::Cas { place, .. } => is_part(place),
        _ => false,
    };
    program.has(|s| matches!(s, Stmt::Encode(..))) && (claimed || program.has(reads))
}

/// The reductions that may make a difference to a program under a model.
fn relevant(program: &Program, model: &str) -> Vec<Reduction> {
    let (equal, loops) = (has_equal_threads(program), has_loops(program));
    let unknown = program.has(|s| matches!(s, Stmt::Unknown(..)));
    let waits = program
        .has(|s| matches!(s, Stmt::Lock(_) | Stmt::SemWait(_) | Stmt::CondWait(_) | Stmt::Barrier | Stmt::Once(_)));
    let locks = program.has(|s| matches!(s, Stmt::Lock(_) | Stmt::TryLock(..)));
    let hazards = program.has(|s| matches!(s, Stmt::Protect(_)));
    let built_in = ["sc", "tso", "ra", "rc11"].contains(&model);
    let matters = |reduction: &Reduction| match reduction {
        Reduction::AwaitLoops | Reduction::RetryLoops => loops,
        Reduction::LockRounds => loops && locks,
        Reduction::HazardRounds => loops && hazards,
        Reduction::LockWaits => locks,
        Reduction::StaleWaits => waits || loops,
        Reduction::Symmetry => equal,
        Reduction::Selection | Reduction::Assumptions => unknown,
        Reduction::UnreadObjects => loops,
        Reduction::SequentialGraphs => !built_in,
    };
    Reduction::all().filter(matters).collect()
}

/// Asks all engines about a program, with and without reductions, and compares all that can be compared.
pub fn check(panel: &Panel<'_>, program: &Program, lowered: &treville_ir::Program, model: &str) -> Report {
    let mut report = Report::default();
    let relevant = relevant(program, model);
    let mut ask = |way: &'static str| {
        let start = Instant::now();
        let answer = panel.ask(lowered, model, way);
        report.answers.push((way, answer.clone()));
        report.times.push((way, start.elapsed()));
        answer
    };
    let default = ask(DEFAULT);
    let counted = ask(COUNTED);
    let unreduced = ask(NOTHING);
    for reduction in &relevant {
        ask(without(*reduction));
    }
    ask(BMC);
    let small = match counted {
        Answer::Yes { executions: Some(n), .. } => n <= MOST_ENUMERATED && program.n_statements() <= MOST_STATEMENTS,
        Answer::No(_) => program.n_statements() <= 24,
        _ => false,
    };
    let enumerated = small.then(|| ask(ENUMERATE));
    let loops = has_loops(program) && matches!(default, Answer::Yes { .. });
    if loops {
        ask(BMC_NOTHING);
    }
    let all = (loops && small).then(|| ask(ENUMERATE_NOTHING));
    let by_property = differs_by_property(panel, program, lowered, model, &report.answers);
    report.found.extend(by_property.map(|between| (Kind::Property, between)));
    let start = Instant::now();
    report.turns = turns::explore(program, MOST_STATES);
    report.times.push((TURNS, start.elapsed()));
    let by_turns = report.turns.as_ref().map(|turns| differs_by_turns(panel, program, lowered, model, turns));
    report.found.extend(by_turns.into_iter().flatten());
    if is_countable(program) {
        // Which rounds of a loop wait is not the same question for both engines, so that counts are compared where there is no
        // loop, or all rounds are kept.
        let without_loops = enumerated.filter(|_| !has_loops(program));
        let pairs = [(COUNTED, &counted, ENUMERATE, &without_loops), (NOTHING, &unreduced, ENUMERATE_NOTHING, &all)];
        for (name, answer, other, second) in pairs {
            if second.as_ref().is_some_and(|second| count_differently(answer, second)) {
                report.found.push((Kind::Count, [name, other]));
            }
        }
    }
    compare(program, model, &mut report);
    report
}

/// Failures after which a program still means something, so that one can look for one and pass over the others.
const SEPARATE: &[&str] = &["assertion", "race", "deadlock"];

/// Engines stop at the first failure that they meet. Where they meet different ones, each is looked for by itself; and races
/// beside any other failure, which must not hide them.
fn differs_by_property(
    panel: &Panel<'_>,
    program: &Program,
    lowered: &treville_ir::Program,
    model: &str,
    answers: &[(&'static str, Answer)],
) -> Option<[&'static str; 2]> {
    let mut kinds: BTreeSet<&'static str> = answers
        .iter()
        .filter_map(|(_, answer)| match answer {
            Answer::No(kind) => Some(*kind),
            _ => None,
        })
        .collect();
    if kinds.is_empty() || !kinds.iter().all(|kind| SEPARATE.contains(kind)) {
        return None;
    }
    kinds.insert("race");
    let listed = answers.iter().any(|(name, _)| *name == ENUMERATE) && !sees_parts_of_addresses(program);
    kinds.iter().filter(|_| kinds.len() > 1).find_map(|kind| {
        let ask = |way| panel.ask_for(lowered, model, way, &[*kind]);
        let default = ask(DEFAULT);
        if listed && hides(&default, &ask(ENUMERATE)) {
            return Some([DEFAULT, ENUMERATE]);
        }
        hides(&default, &ask(NOTHING)).then_some([DEFAULT, NOTHING])
    })
}

/// Where a program fails by taking turns, one failure must not hide what is wrong with another: each is looked for by itself.
fn differs_by_turns(
    panel: &Panel<'_>,
    program: &Program,
    lowered: &treville_ir::Program,
    model: &str,
    turns: &Turns,
) -> Vec<(Kind, [&'static str; 2])> {
    let means_more = |fault: &Fault| !matches!(fault, Fault::Assertion | Fault::Deadlock);
    let unclear = sees_parts_of_addresses(program) || depends_on_addresses(program);
    if turns.faults.iter().any(means_more) || unclear || program.has(|s| matches!(s, Stmt::Assume(_))) {
        return Vec::new();
    }
    let is_said = |kind, wrong: fn(&Answer) -> bool| {
        let ways = [DEFAULT, BMC].into_iter();
        ways.filter(move |way| wrong(&panel.ask_for(lowered, model, way, &[kind]))).map(|way| [TURNS, way])
    };
    let mut found = Vec::new();
    if turns.faults.len() > 1 {
        let holds = |answer: &Answer| matches!(answer, Answer::Yes { complete: true, .. });
        for kind in ["assertion", "deadlock"] {
            found.extend(is_said(kind, holds).map(|between| (Kind::Missed, between)));
        }
    }
    let races = |answer: &Answer| matches!(answer, Answer::No("race"));
    // An assertion inside of a thread ends the run here, and not for engines that look for something else.
    let at_the_end = !program.has(|s| matches!(s, Stmt::Assert(_))) && joins_all(program);
    let alike = turns.complete && turns.faults.iter().eq([&Fault::Assertion]) && is_like_turns(program, model);
    // With a race, a program does more than what taking turns shows.
    if alike && at_the_end && is_said("race", races).next().is_none() {
        let fails = |answer: &Answer| matches!(answer, Answer::No(_));
        found.extend(is_said("deadlock", fails).map(|between| (Kind::Invented, between)));
    }
    found
}

/// Whether a program does under a model what it does by taking turns, and nothing else.
fn is_like_turns(program: &Program, model: &str) -> bool {
    model == "sc" || model != "ra" && is_sequential(program)
}

/// Whether one of two misses a failure that the other finds, perhaps because it finds no execution at all.
fn hides(first: &Answer, second: &Answer) -> bool {
    let misses = |a: &Answer, b: &Answer| says_nothing_completes(a) && matches!(b, Answer::No(_));
    contradict(first, second) || misses(first, second) || misses(second, first)
}

/// Asks the engine about a changed program, and says what is wrong with the two answers.
pub fn check_changed(
    panel: &Panel<'_>,
    morph: Morph,
    (program, answer): (&Program, &Answer),
    changed: &treville_ir::Program,
    model: &'static str,
) -> Option<Difference> {
    let (races, other);
    let answer = match morph.relation() {
        Relation::SameRaces => {
            let original = compile(std::slice::from_ref(program)).remove(0).ok()?;
            races = panel.ask_for(&original, model, DEFAULT, &["race"]);
            other = panel.ask_for(changed, model, DEFAULT, &["race"]);
            &races
        }
        _ => {
            other = panel.ask(changed, morph.model(model)?, DEFAULT);
            answer
        }
    };
    let counted = is_countable(program) && !has_equal_threads(program) && !has_loops(program);
    let is_yes = |answer: &Answer| matches!(answer, Answer::Yes { complete: true, .. });
    let is_no = |answer: &Answer| matches!(answer, Answer::No(_));
    let differs = match morph.relation() {
        Relation::Equal => contradict(answer, &other) || counted && count_differently(answer, &other),
        Relation::SameVerdict => contradict(answer, &other),
        Relation::FailsLess => is_yes(answer) && is_no(&other),
        Relation::FailsMore => is_no(answer) && is_yes(&other),
        Relation::SameRaces => hides(answer, &other),
    };
    let answers = vec![(DEFAULT, answer.to_string()), (morph.name(), other.to_string())];
    differs.then_some(Difference { kind: Kind::Changed, between: [DEFAULT, morph.name()], answers })
}

/// Whether a difference is there in another program: only those that it is between are asked.
pub fn recheck(
    panel: &Panel<'_>,
    program: &Program,
    lowered: &treville_ir::Program,
    model: &'static str,
    wanted: &Difference,
) -> Option<Difference> {
    if let Some(morph) = Morph::named(wanted.between[1]) {
        let changed = compile(&[morph.apply(program)?]).remove(0).ok()?;
        let answer = panel.ask(lowered, model, DEFAULT);
        return check_changed(panel, morph, (program, &answer), &changed, model);
    }
    let mut report = Report::default();
    for way in WAYS.iter().map(|way| way.name).filter(|name| wanted.between.contains(name)) {
        report.answers.push((way, panel.ask(lowered, model, way)));
    }
    if wanted.between.contains(&TURNS) {
        report.turns = turns::explore(program, MOST_STATES);
        let by_turns = report.turns.as_ref().map(|turns| differs_by_turns(panel, program, lowered, model, turns));
        report.found.extend(by_turns.into_iter().flatten());
    }
    if wanted.kind == Kind::Property {
        let between = differs_by_property(panel, program, lowered, model, &report.answers);
        report.found.extend(between.map(|between| (Kind::Property, between)));
    }
    if let [(_, first), (_, second)] = report.answers.as_slice()
        && wanted.kind == Kind::Count
        && is_countable(program)
        && count_differently(first, second)
    {
        report.found.push((Kind::Count, wanted.between));
    }
    compare(program, model, &mut report);
    report.differences.into_iter().find(|d| d.is_like(wanted))
}

fn compare(program: &Program, model: &str, report: &mut Report) {
    let mut found = std::mem::take(&mut report.found);
    let answers = &report.answers;
    let by_formula = |name: &str| name.starts_with(BMC) || name.starts_with(ENUMERATE);
    let places_differ = sees_parts_of_addresses(program);
    for (i, (name, answer)) in answers.iter().enumerate() {
        if matches!(answer, Answer::Broken(_)) {
            found.push((Kind::Broken, [*name, *name]));
        }
        // Where `main` does not wait for all, its return completes an execution in which others wait.
        let counts = is_countable(program) && joins_all(program);
        if counts && matches!(answer, Answer::Yes { complete: true, executions: Some(0) }) {
            found.push((Kind::Vacuous, [*name, *name]));
        }
        let completes = |answer: &Answer| matches!(answer, Answer::Yes { complete: true, .. });
        for (other, second) in answers.iter().filter(|_| says_nothing_completes(answer)) {
            if completes(second) {
                found.push((Kind::Vacuous, [*other, *name]));
            }
        }
        for (other, second) in &answers[..i] {
            let comparable = !places_differ || by_formula(name) == by_formula(other);
            if comparable && contradict(answer, second) {
                found.push((Kind::Verdict, [*other, *name]));
            }
        }
    }
    let sequential = is_like_turns(program, model);
    if let Some(turns) = report.turns.as_ref().filter(|_| !places_differ && !depends_on_addresses(program)) {
        let assumes = program.has(|s| matches!(s, Stmt::Assume(_)));
        let mut faults = turns.faults.iter().filter(|fault| !(assumes && **fault == Fault::Deadlock));
        let fails = faults.next().is_some();
        for (name, answer) in answers {
            if turns.ends && says_nothing_completes(answer) && joins_all(program) {
                found.push((Kind::Vacuous, [TURNS, name]));
            }
            match answer {
                Answer::Yes { complete: true, .. } if fails => found.push((Kind::Missed, [TURNS, name])),
                // It has looked at everything, and has seen neither a failure nor an end.
                answer if fails && says_nothing_completes(answer) && (is_unbounded(name) || !has_loops(program)) => {
                    found.push((Kind::Missed, [TURNS, name]));
                }
                Answer::Yes { complete: true, .. }
                    if sequential && turns.complete && !turns.ends && is_countable(program) =>
                {
                    found.push((Kind::Vacuous, [TURNS, name]));
                }
                Answer::No(kind) if sequential && turns.complete && turns.faults.is_empty() => {
                    let unclear = !joins_all(program);
                    if *kind != "race" && !(*kind == "deadlock" && unclear) {
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
