//! Declared symmetries: fewer states, the same answers, and real runs.

use crate::common::{look, look_at, queries, read, task};
use treville_ir::{Claims, Program};
use treville_machine::Machine;
use treville_task::{Engine, Reduction, Task};

/// Peterson's algorithm; nobody has had a turn at the start.
fn peterson(release: &str) -> String {
    let thread = |i: usize, j: usize| {
        format!(
            "thread t{i} {{ 2: flag{i} := 1; 3: turn.swap({j})^RA; 4: while (flag{j}^A == 1 && turn == {j}) skip;
  5: cs{i} := 1; 6: skip; 7: cs{i} := 0; 8: flag{i} :={release} 0; }}\n"
        )
    };
    format!(
        "init flag1=0, flag2=0, turn=0, cs1=0, cs2=0;
{}{}invariant inv3: pc(t1) != 6 || pc(t2) != 6;
invariant inv4: pc(t1) == 6 => forall w in OW(t1, cs2): val(w) == 0;
invariant inv5: pc(t2) == 6 => forall w in OW(t2, cs1): val(w) == 0;
symmetric t1, t2 with flag1 <-> flag2, cs1 <-> cs2, value turn 1 <-> 2;",
        thread(1, 2),
        thread(2, 1)
    )
}

#[test]
fn half_of_the_states_are_enough() {
    for (release, violated) in [("R", [None; 3]), ("", [None, Some(11), Some(11)])] {
        let text = peterson(release);
        for machine in ["sc", "tso", "pso", "ra", "rar"] {
            let all = look(&text, machine);
            let (program, claims) = read(&text);
            let with = with_symmetries(program, &claims, machine);
            let few = look_at(&with, &claims);
            assert_eq!(all.violated, few.violated, "{machine}");
            if machine == "rar" {
                assert_eq!(all.violated, violated);
            }
            assert!(few.states <= all.states / 2 + all.states / 10, "{machine}: {} of {}", few.states, all.states);
            eprintln!("{machine}: {} of {} states", few.states, all.states);
        }
    }
}

#[test]
fn what_is_no_symmetry_is_refused() {
    for (text, why) in [
        ("init x=0; thread t { x := 1; } thread u { x := 2; } symmetric t, u;", "do not do the same"),
        ("init x=0; thread t { x := 1; } thread u { x := 2; } symmetric t, u with value x 1 <-> 2;", ""),
        ("init x=1; thread t { x := 1; } thread u { x := 2; } symmetric t, u with value x 1 <-> 2;", ""),
        ("init x=0, y=0; thread t { x := 1; } thread u { y := 1; } symmetric t, u with x <-> y;", ""),
        ("init x=0, y=1; thread t { x := 1; } thread u { y := 1; } symmetric t, u with x <-> y;", ""),
        (
            "init x=0, y=0; thread t { x := 1; } thread u { y := 1; } thread v { x := 2; } symmetric t, u with x <-> y;",
            "same",
        ),
        ("init x=0; thread t { r := x; x := r + 1; } thread u { r := x; x := r + 1; } symmetric t, u;", ""),
        (
            "init x=0; thread t { r := x; x := r + 1; } thread u { r := x; x := r + 1; } symmetric t, u with value x 1 <-> 2;",
            "same",
        ),
    ] {
        let (program, claims) = read(text);
        let answer = Machine::default().supports(&Task { symmetries: claims.symmetries, ..task(program, "rar") });
        match answer {
            Ok(()) => assert_eq!(why, "", "{text}"),
            Err(reasons) => assert!(!why.is_empty() && reasons[0].what.contains(why), "{text}: {reasons:?}"),
        }
    }
}

#[test]
fn a_start_that_is_not_symmetric_is_no_reason_to_look_at_fewer_states() {
    // One of the two has the first turn: exchanging them is right for the code, but leads to states that no run reaches.
    let first = peterson("R").replace("turn=0", "turn=1");
    // Two of three are the same at the start, too.
    let three =
        "init x=0, y=0, z=1; thread t { x := 1; r := y; } thread u { y := 1; r := x; } thread v { z := 1; r := z; }
        symmetric t, u with x <-> y; invariant never: pc(t) != end || r@t == 0;";
    for (text, fewer) in [(first.as_str(), false), (three, true)] {
        let all = look(text, "rar");
        let (program, claims) = read(text);
        let with = with_symmetries(program, &claims, "rar");
        let few = look_at(&with, &claims);
        assert_eq!(all.violated, few.violated);
        assert_eq!(few.states < all.states, fewer, "{} of {}", few.states, all.states);
    }
}

#[test]
fn runs_have_the_same_length_whatever_is_reduced() {
    // The invariants are about one thread only, and the steps of the other count all the same.
    let text = "init x1=0, x2=0;
        thread t1 { 1: skip; 2: x1 := 1; 3: skip; 4: r := x2; }
        thread t2 { 1: skip; 2: x2 := 1; 3: skip; 4: r := x1; }
        symmetric t1, t2 with x1 <-> x2;
        invariant i: pc(t1) == end => definite(t1, x2, 0);
        invariant j: pc(t1) != 3 || possible(t1, x2, 1);";
    for machine in ["sc", "tso", "rar"] {
        let (program, claims) = read(text);
        let with = with_symmetries(program, &claims, machine);
        let without = Task { reductions: with.reductions.without(Reduction::Symmetry), ..with.clone() };
        let (few, all) = (look_at(&with, &claims), look_at(&without, &claims));
        assert_eq!(few.violated, all.violated, "{machine}");
        assert!(all.violated[0].is_some() && few.states < all.states, "{machine}: {all:?}");
    }
}

fn with_symmetries(program: Program, claims: &Claims, machine: &str) -> Task {
    let plain = task(program, machine);
    let reductions = plain.reductions.with(Reduction::Symmetry);
    Task { queries: queries(claims), symmetries: claims.symmetries.clone(), reductions, ..plain }
}
