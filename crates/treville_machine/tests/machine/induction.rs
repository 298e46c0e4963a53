//! Which invariants are inductive, by hand.

use crate::common::{look, read, task};
use treville_ir::Prop;
use treville_machine::Machine;
use treville_task::{Answer, Engine, Goal, Query, Run, Silent, Task};

/// For each invariant the step that breaks it, if all hold before it.
fn broken(text: &str, machine: &str) -> Vec<Option<Run>> {
    let (program, claims) = read(text);
    let all: Vec<Prop> = claims.invariants.iter().map(|claim| claim.prop.clone()).collect();
    let queries = all.iter().map(|prop| Query { goal: Goal::Step { given: all.clone(), prop: prop.clone() } });
    let outcome = Machine::default().run(&Task { queries: queries.collect(), ..task(program, machine) }, &Silent);
    let answer = |answer: &Answer| match answer {
        Answer::Reached(run) => Some((**run).clone()),
        Answer::Absent(scope) => {
            assert!(!scope.complete && scope.relative_to[0].starts_with("values are among"), "{scope:?}");
            None
        }
        Answer::Found(_) | Answer::Fails(_) | Answer::Open(_) => panic!("{text} on {machine}: {answer:?}"),
    };
    outcome.answers.iter().map(answer).collect()
}

/// How many steps each invariant is broken by.
fn steps(text: &str, machine: &str) -> Vec<Option<usize>> {
    broken(text, machine).iter().map(|run| run.as_ref().map(|run| run.steps.len())).collect()
}

const PETERSON: &str = include_str!("../../../../case-studies/peterson/peterson.rar");

/// What a proof of mutual exclusion on sequentially consistent memory needs.
const STRONGER: &str = "
invariant out1: pc(t1) == 2 || pc(t1) == end => definite(t1, flag1, 0);
invariant out2: pc(t2) == 2 || pc(t2) == end => definite(t2, flag2, 0);
invariant in1: pc(t1) >= 3 => definite(t1, flag1, 1);
invariant in2: pc(t2) >= 3 => definite(t2, flag2, 1);
invariant turns: definite(t1, turn, 1) || definite(t1, turn, 2);
invariant waits1: pc(t2) >= 5 && pc(t1) == 4 => definite(t1, turn, 2);
invariant waits2: pc(t1) >= 5 && pc(t2) == 4 => definite(t2, turn, 1);
invariant apart: pc(t1) < 5 || pc(t1) == end || pc(t2) < 5 || pc(t2) == end;";

#[test]
fn petersons_invariants_hold_but_are_no_proof() {
    for machine in ["sc", "rar"] {
        assert_eq!(steps(PETERSON, machine), [Some(1); 3], "{machine}");
        assert_eq!(look(PETERSON, machine).violated, [None; 3], "{machine}");
    }
}

#[test]
fn a_proof_of_mutual_exclusion_on_values() {
    let program = PETERSON.split("// Not both").next().unwrap_or_default();
    let text = format!("{program}{STRONGER}\ninvariant inv3: pc(t1) != 6 || pc(t2) != 6;");
    assert_eq!(steps(&text, "sc"), [None; 9]);
    // Without one of them the others do not do.
    let weaker: String = text.lines().filter(|line| !line.contains("waits1")).collect::<Vec<_>>().join("\n");
    let runs = broken(&weaker, "sc");
    let apart = runs[6].as_ref().expect("not inductive any more");
    let begin = apart.begin.as_ref().expect("not from the start");
    assert_eq!(begin.places[0].1.as_deref(), Some("4"), "{apart:?}");
    // The swap of turn is what counts; who writes it only proves as much on values.
    let written = text.replace("turn.swap(2)^RA", "turn := 2").replace("turn.swap(1)^RA", "turn := 1");
    assert_eq!(steps(&written, "sc"), [None; 9]);
}

#[test]
fn small_programs() {
    let mp =
        "init d=0, f=0; thread t1 { 1: d := 5; 2: f :=R 1; } thread t2 { 1: while (!f^A) skip; 2: r := d; 3: skip; }";
    for (machine, program, invariants, expected) in [
        // What a thread has written it observes, until somebody else writes.
        ("rar", mp, "pc(t1) != 1 => definite(t1, d, 5)", None),
        ("sc", mp, "pc(t1) != 1 => definite(t1, d, 5)", None),
        // That it is so for the other, too, depends on the flag.
        ("rar", mp, "pc(t1) != 1 => definite(t2, d, 5)", Some(1)),
        ("sc", mp, "pc(t1) != 1 => definite(t2, d, 5)", None),
        ("rar", mp, "pc(t2) == 2 => definite(t2, d, 5)", Some(1)),
        ("rar", mp, "pc(t1) != end => definite(t2, f, 0)", None),
        ("rar", mp, "pc(t2) == 3 => r@t2 == 5", Some(1)),
        ("rar", mp, "possible(t2, d, 5) || pc(t1) == 1", None),
        // It does not hold at the start.
        ("rar", mp, "pc(t1) != 1", Some(0)),
        // An update leaves what it has read covered, and nothing comes between.
        (
            "rar",
            "init x=0; thread t { x.swap(1)^RA; } thread u { x.swap(2)^RA; }",
            "exists w in OW(t, x): covered(w) == 0",
            None,
        ),
        (
            "rar",
            "init x=0; thread t { x.swap(1)^RA; } thread u { x := 2; }",
            "forall w in OW(t, x): covered(w) == 0",
            None,
        ),
        (
            "rar",
            "init x=0; thread t { x.swap(1)^RA; } thread u { x := 2; }",
            "forall w in OW(u, x): covered(w) == 0",
            Some(1),
        ),
        // Values that the program computes.
        ("sc", "init x=0; thread t { r := x; x := r; }", "forall w in OW(t, x): val(w) >= 0", Some(1)),
        ("sc", "init x=0; thread t { r := x; x := r + 1; }", "r@t >= 0 && (forall w in OW(t, x): val(w) >= 0)", None),
    ] {
        let text = format!("{program} invariant i: {invariants};");
        assert_eq!(steps(&text, machine), [expected], "{text} on {machine}");
        if expected.is_none() {
            assert_eq!(look(&text, machine).violated, [None], "{text} on {machine}");
        }
    }
}

#[test]
fn what_is_acquired_is_seen() {
    // The write of the flag may release a view of d that is old: the invariant is about reachable states only.
    let text = "init d=0, f=0; thread t1 { 1: d := 5; 2: f :=R 1; } thread t2 { 1: a := f^A; 2: r := d; }
        invariant old: pc(t2) == 2 && a@t2 == 1 => definite(t2, d, 5);";
    assert_eq!(steps(text, "rar"), [Some(1)]);
    assert_eq!(steps(text, "ra"), [Some(1)]);
    assert_eq!(look(text, "rar").violated, [None]);
}

#[test]
fn machines_with_buffers_are_refused() {
    let (program, claims) = read("init x=0; thread t { x := 1; } invariant i: possible(t, x, 0) || possible(t, x, 1);");
    let goal = Goal::Step { given: Vec::new(), prop: claims.invariants[0].prop.clone() };
    for machine in ["tso", "pso", "rar-graph"] {
        let task = Task { queries: vec![Query { goal: goal.clone() }], ..task(program.clone(), machine) };
        let why = Machine::default().supports(&task).expect_err(machine);
        assert!(why[0].what.contains("inductive is not looked at on"), "{why:?}");
    }
}
