//! Programs in B: the text is read again by a reader that knows B and nothing else, and the machines of classical B are run.
//! They must have the states of `rar-graph`, and violate the invariants that it violates.

use crate::b::camille::{self, Component};
use crate::b::machine::{Machine, Ran};
use std::collections::BTreeSet;
use treville_verifier::base::Cancel;
use treville_verifier::report::{Exported, ExportedMemory, classical_b, event_b};
use treville_verifier::task::{About, Answer, Reduction, Reductions, Silent};
use treville_verifier::{MemoryFiles, ModelOptions, Options, RunOptions, Session};

const MESSAGE: &str = include_str!("../../../../cases/guide/message.rar");
const RELAXED: &str = include_str!("../../../../cases/guide/message-relaxed.rar");
const PETERSON: &str = include_str!("../../../../case-studies/peterson/peterson.rar");

fn options(model: &str, max_actions: Option<u32>) -> Options {
    Options {
        model: ModelOptions { name: Some(model.to_owned()), ..ModelOptions::default() },
        run: RunOptions {
            max_actions,
            accept_bounded: true,
            reductions: Reductions::all().without(Reduction::Symmetry),
            ..RunOptions::default()
        },
    }
}

fn files(text: &str) -> MemoryFiles {
    MemoryFiles([("program.rar".to_owned(), text.to_owned())].into())
}

fn export(text: &str, model: &str, max_actions: Option<u32>) -> Exported {
    let files = files(text);
    let exported = Session::new(&files, Cancel::new()).export("program.rar", &options(model, max_actions));
    exported.unwrap_or_else(|failure| panic!("{text}: {failure:?}"))
}

/// How many states the engine visits, and the invariants and outcomes that it reaches, as the machine labels them.
fn engine(text: &str, model: &str, max_actions: Option<u32>) -> (u64, BTreeSet<String>, BTreeSet<String>) {
    let files = files(text);
    let session = Session::new(&files, Cancel::new());
    let report = session.verify("program.rar", &options(model, max_actions), &Silent);
    let Some(checked) = report.finding() else { panic!("{text}: {:?}", report.reason()) };
    let About::Claims(query) = &checked.about else { panic!("{text}: no claims") };
    let claims = &query.annotated.claims;
    let n = claims.invariants.len();
    let claims = claims.invariants.iter().chain(&claims.outcomes).zip(&checked.outcome.answers);
    let reached = claims.enumerate().filter(|(_, (_, answer))| matches!(answer, Answer::Reached(_)));
    let (violated, outcomes): (Vec<_>, Vec<_>) = reached.partition(|(i, _)| *i < n);
    (
        checked.outcome.stats["states"],
        violated.into_iter().map(|(_, (claim, _))| format!("inv_{}", claim.name)).collect(),
        outcomes.into_iter().map(|(_, (claim, _))| format!("OUTCOME_{}", claim.name)).collect(),
    )
}

fn run(text: &str, model: &str, max_actions: Option<u32>) -> Ran {
    Machine::read(&classical_b(&export(text, model, max_actions))).run()
}

/// Programs that have something of everything.
const SMALL: &[&str] = &[
    MESSAGE,
    RELAXED,
    "init x=0, y=0; thread t1 { x := 1; r := y; } thread t2 { y := 1; s := x; } outcome weak: r == 0 && s == 0;",
    "init x=0; thread t1 { x.faa(1)^RA; } thread t2 { r := x.cas(0, 5)^A; } thread t3 { x := -1; }
     outcome both: r == 0; outcome failed: r == 1; outcome negative: r == -1;
     invariant never: forall w in OW(t3, x): val(w) != 5 || covered(w) == 0 || released(w) == 1;",
    "init d=0, f=0; thread w { d := 1; f.swap(1)^R; } thread r { a := f.swap(2)^A; if (a == 1) { b := d; assert(b == 1); } }
     invariant enc: a@r == 1 => exists v in EW(r, d): val(v) == 1;",
    "init d=0, f=0; thread w { d := 1; f.swap(1)^X; } thread r { a := f.swap(2)^A; b := d; }
     outcome stale: a == 1 && b == 0;",
    "init x=0, y=0; thread t1 { a := x; b := (a == 1 && y == 0) + 2; } thread t2 { 1: x := 1; 2: skip; 3: y :=R 3 - 1; }
     outcome three: b == 3; invariant at: pc(t2) == 2 => possible(t1, x, 0); invariant wrong: pc(t2) == 3 => definite(t1, x, 1);",
    "init T=0, pc=1; thread D { T := pc + 1; assume(T == 2); mo := T; } thread ACT { pc :=R 0 - 4; }
     outcome all: mo == 2;",
];

#[test]
fn machines_have_the_states_of_the_graph_semantics() {
    for text in SMALL {
        for more in [None, Some(2), Some(9)] {
            let most = more.map(|more| export(text, "rar", None).program.objects.len() as u32 + more);
            let most = most.or(export(text, "rar", None).least_actions);
            let (states, violated, reached) = engine(text, "rar-graph", most);
            let ran = run(text, "rar", most);
            assert_eq!(ran.states as u64, states, "{text} up to {most:?}");
            assert_eq!(ran.violated, violated, "{text} up to {most:?}");
            assert_eq!(ran.reached, reached, "{text} up to {most:?}");
        }
    }
}

#[test]
fn the_least_bound_is_enough() {
    // Every access once, and one more where a run may look twice.
    for (text, by_hand) in SMALL.iter().zip([6, 6, 6, 4, 6, 6, 6, 7]) {
        let least = export(text, "rar", None).least_actions;
        assert_eq!(least, Some(by_hand), "{text}");
        let (_, violated, reached) = engine(text, "rar", None);
        let ran = run(text, "rar", least);
        assert_eq!((&ran.violated, &ran.reached), (&violated, &reached), "{text}");
    }
}

#[test]
fn peterson_in_b() {
    let exported = export(PETERSON, "rar", None);
    assert_eq!((exported.max_actions, exported.least_actions), (18, Some(18)));
    let (states, violated, _) = engine(PETERSON, "rar-graph", Some(18));
    let ran = run(PETERSON, "rar", Some(18));
    assert_eq!((ran.states as u64, ran.violated), (states, violated));
}

#[test]
fn on_values_the_answers_are_those_of_the_machine_sc() {
    for text in [SMALL[0], SMALL[1], SMALL[2], SMALL[5], SMALL[6], SMALL[7], PETERSON] {
        let (_, violated, reached) = engine(text, "sc", None);
        let ran = run(text, "sc", None);
        assert_eq!((ran.violated, ran.reached), (violated, reached), "{text}");
    }
}

#[test]
fn projects_are_well_formed_and_the_refinement_does_not_notice_the_memory() {
    for text in SMALL.iter().chain([&PETERSON]) {
        let files = event_b(&export(text, "rar", None));
        let components: Vec<Component> = files.iter().map(|file| Component::read(&file.text)).collect();
        camille::check(&components);
        let names: Vec<&str> = files.iter().map(|file| file.name.as_str()).collect();
        assert_eq!(names, ["Accesses.bucx", "Memory.bumx", "program_ctx.bucx", "program_bound.bucx", "program.bumx"]);
        if text.contains("EW(") || text.contains("released(") {
            continue;
        }
        let sequential = event_b(&export(text, "sc", None));
        camille::check(&sequential.iter().map(|file| Component::read(&file.text)).collect::<Vec<_>>());
        for (ours, theirs) in files.iter().zip(&sequential) {
            assert_eq!(ours == theirs, ours.name != "Memory.bumx", "{}", ours.name);
        }
    }
}

#[test]
fn what_cannot_be_said_is_refused() {
    let refuse = |text: &str, model: &str, max_actions| {
        let files = files(text);
        let session = Session::new(&files, Cancel::new());
        session.export("program.rar", &options(model, max_actions)).expect_err(text).reason
    };
    let endless = "init x=0; thread t { while (true) x := 1; } thread u { r := x; }";
    assert!(refuse(endless, "rar", None).contains("no number of accesses leads to every state"));
    assert_eq!(export(endless, "rar", Some(4)).least_actions, None);
    assert!(refuse(MESSAGE, "tso", None).contains("the memory tso is not written in B"));
    assert!(refuse(MESSAGE, "rar", Some(1)).contains("there are 2 initial writes already"));
    assert!(refuse(SMALL[4], "sc", None).contains("encountered"));
    assert!(refuse(SMALL[3], "sc", None).contains("releases"));
    assert!(refuse("thread t { skip; }", "rar", None).contains("without shared variables"));
    assert_eq!(export(MESSAGE, "rar-graph", None).memory, ExportedMemory::Rar);
}
