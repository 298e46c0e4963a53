//! The published results for release-acquire C11: message passing, Peterson's algorithm with every weakening of it, and the
//! litmus tests; with the exact numbers of states and the lengths of shortest runs. Expected values are those of an independent
//! prototype of the semantics, and of the paper where that has them.

use crate::common::{Found, look};

fn message_passing(write: &str, read: &str) -> String {
    format!(
        "init d=0, f=0;
thread t1 {{ 1: d := 5; 2: f :={write} 1; }}
thread t2 {{ 1: while (!f{read}) skip; 2: r := d; }}
invariant inv1: pc(t2) == 2 => forall w in OW(t2, d): val(w) == 5;
invariant inv2: pc(t2) == 2 => forall w in OW(t2, d): val(w) == 0 || val(w) == 5;"
    )
}

#[test]
fn messages() {
    for (write, read, machine, states, transitions, first) in [
        (" R", "^A", "rar", 5, 7, None),
        ("", "", "rar", 6, 8, Some(3)),
        (" R", "", "rar", 6, 8, Some(3)),
        ("", "^A", "rar", 6, 8, Some(3)),
        (" R", "^A", "sc", 5, 6, None),
        ("", "", "sc", 5, 6, None),
    ] {
        let found = look(&message_passing(write, read), machine);
        assert_eq!((found.states, found.transitions), (states, transitions), "{write} {read} {machine}");
        assert_eq!(found.violated, [first, None], "{write} {read} {machine}");
    }
}

/// Peterson's algorithm: lines 2, 3, 4 and 8 of both threads.
struct Peterson {
    line2: &'static str,
    swaps: [&'static str; 2],
    reads: [&'static str; 2],
    releases: [&'static str; 2],
    turn_first: bool,
}

const PUBLISHED: Peterson =
    Peterson { line2: "", swaps: ["turn.swap($)^RA"; 2], reads: ["^A"; 2], releases: ["R"; 2], turn_first: false };

impl Peterson {
    fn text(&self) -> String {
        let thread = |i: usize| {
            let (me, other) = (i + 1, 2 - i);
            let swap = self.swaps[i].replace('$', &other.to_string());
            let flag = format!("flag{other}{} == 1", self.reads[i]);
            let turn = format!("turn == {other}");
            let guard = if self.turn_first { format!("{turn} && {flag}") } else { format!("{flag} && {turn}") };
            let (two, eight) = (self.line2, self.releases[i]);
            format!(
                "thread t{me} {{ 2: flag{me} :={two} 1; 3: {swap}; 4: while ({guard}) skip;
  5: cs{me} := 1; 6: skip; 7: cs{me} := 0; 8: flag{me} :={eight} 0; }}\n"
            )
        };
        format!(
            "init flag1=0, flag2=0, turn=1, cs1=0, cs2=0;
{}{}invariant inv3: pc(t1) != 6 || pc(t2) != 6;
invariant inv4: pc(t1) == 6 => forall w in OW(t1, cs2): val(w) == 0;
invariant inv5: pc(t2) == 6 => forall w in OW(t2, cs1): val(w) == 0;",
            thread(0),
            thread(1)
        )
    }
}

fn peterson(variant: &Peterson, machine: &str, states: u64, violated: [Option<usize>; 3]) {
    let text = variant.text();
    let found: Found = look(&text, machine);
    assert_eq!(found.states, states, "{machine}: {text}");
    assert_eq!(found.violated, violated, "{machine}: {text}");
}

#[test]
fn peterson_as_published() {
    peterson(&PUBLISHED, "rar", 104, [None; 3]);
    peterson(&Peterson { line2: "R", ..PUBLISHED }, "rar", 104, [None; 3]);
    peterson(&Peterson { turn_first: true, ..PUBLISHED }, "rar", 142, [None; 3]);
    peterson(&PUBLISHED, "sc", 68, [None; 3]);
    let relaxed = Peterson { swaps: ["turn := $"; 2], reads: [""; 2], releases: [""; 2], ..PUBLISHED };
    peterson(&relaxed, "sc", 68, [None; 3]);
}

#[test]
fn the_usual_invariant_does_not_see_relaxed_flags() {
    let (a, r, x) = ("^A", "R", "");
    let late = Some(11);
    for (reads, releases, violated) in [
        ([a, a], [x, x], [None, late, late]),
        ([a, a], [x, r], [None, None, late]),
        ([a, a], [r, x], [None, late, None]),
        ([x, x], [r, r], [None, late, late]),
        ([x, a], [r, r], [None, late, None]),
        ([a, x], [r, r], [None, None, late]),
        ([x, x], [x, x], [None, late, late]),
    ] {
        peterson(&Peterson { reads, releases, ..PUBLISHED }, "rar", 104, violated);
    }
}

#[test]
fn the_swap_needs_both_halves_on_both_threads() {
    let swap = PUBLISHED.swaps[0];
    let (write, release) = ("turn := $", "turn := R $");
    let (a, r, x) = ("turn.swap($)^A", "turn.swap($)^R", "turn.swap($)^X");
    for (swaps, states) in [
        ([write, write], 270),
        ([release, release], 270),
        ([write, swap], 270),
        ([swap, write], 270),
        ([release, swap], 187),
        ([a, a], 270),
        ([r, r], 270),
        ([x, x], 270),
        ([a, swap], 187),
        ([r, swap], 187),
        ([x, swap], 270),
        ([swap, a], 187),
        ([swap, r], 187),
    ] {
        peterson(&Peterson { swaps, ..PUBLISHED }, "rar", states, [Some(8); 3]);
    }
}

/// Name, program, weak outcome, whether it can be reached on `rar`, states there.
const LITMUS: &[(&str, &str, &str, bool, u64)] = &[
    ("MP rlx", "init x=0,y=0; thread a { x := 1; y := 1; } thread b { p := y; q := x; }", "p == 1 && q == 0", true, 14),
    (
        "MP rel/acq",
        "init x=0,y=0; thread a { x := 1; y :=R 1; } thread b { p := y^A; q := x; }",
        "p == 1 && q == 0",
        false,
        13,
    ),
    (
        "MP rel/rlx",
        "init x=0,y=0; thread a { x := 1; y :=R 1; } thread b { p := y; q := x; }",
        "p == 1 && q == 0",
        true,
        14,
    ),
    (
        "MP rlx/acq",
        "init x=0,y=0; thread a { x := 1; y := 1; } thread b { p := y^A; q := x; }",
        "p == 1 && q == 0",
        true,
        14,
    ),
    ("SB rlx", "init x=0,y=0; thread a { x := 1; p := y; } thread b { y := 1; q := x; }", "p == 0 && q == 0", true, 14),
    (
        "SB ra",
        "init x=0,y=0; thread a { x :=R 1; p := y^A; } thread b { y :=R 1; q := x^A; }",
        "p == 0 && q == 0",
        true,
        14,
    ),
    (
        "SB rmw-RA (same var)",
        "init x=0,y=0,z=0; thread a { x := 1; z.swap(1)^RA; p := y; } thread b { y := 1; z.swap(1)^RA; q := x; }",
        "p == 0 && q == 0",
        false,
        26,
    ),
    (
        "LB rlx",
        "init x=0,y=0; thread a { p := x; y := 1; } thread b { q := y; x := 1; }",
        "p == 1 && q == 1",
        false,
        13,
    ),
    (
        "LB ra",
        "init x=0,y=0; thread a { p := x^A; y :=R 1; } thread b { q := y^A; x :=R 1; }",
        "p == 1 && q == 1",
        false,
        13,
    ),
    (
        "IRIW rlx",
        "init x=0,y=0; thread a { x := 1; } thread b { y := 1; } thread c { p := x; q := y; } thread d { r := y; s := x; }",
        "p == 1 && q == 0 && r == 1 && s == 0",
        true,
        98,
    ),
    (
        "IRIW ra",
        "init x=0,y=0; thread a { x :=R 1; } thread b { y :=R 1; } thread c { p := x^A; q := y^A; } thread d { r := y^A; s := x^A; }",
        "p == 1 && q == 0 && r == 1 && s == 0",
        true,
        98,
    ),
    (
        "2+2W rlx",
        "init x=0,y=0; thread a { x := 1; y := 2; p := y; } thread b { y := 1; x := 2; q := x; } thread c { e := x; f := x; } thread d { g := y; h := y; }",
        "e == 2 && f == 1 && g == 2 && h == 1",
        true,
        3325,
    ),
    (
        "2+2W ra",
        "init x=0,y=0; thread a { x :=R 1; y :=R 2; } thread b { y :=R 1; x :=R 2; } thread c { e := x^A; f := x^A; } thread d { g := y^A; h := y^A; }",
        "e == 2 && f == 1 && g == 2 && h == 1",
        true,
        793,
    ),
    ("CoRR rlx", "init x=0; thread a { x := 1; x := 2; } thread b { p := x; q := x; }", "p == 2 && q == 1", false, 19),
    (
        "CoRR2 rlx (two readers disagree)",
        "init x=0; thread a { x := 1; } thread b { x := 2; } thread c { p := x; q := x; } thread d { r := x; s := x; }",
        "p == 1 && q == 2 && r == 2 && s == 1",
        false,
        281,
    ),
    ("CoWR rlx", "init x=0; thread a { x := 1; p := x; } thread b { x := 2; }", "p == 0", false, 9),
    ("CoRW rlx", "init x=0; thread a { p := x; x := 1; }", "p == 1", false, 3),
    (
        "WRC rlx",
        "init x=0,y=0; thread a { x := 1; } thread b { p := x; y := 1; } thread c { q := y; r := x; }",
        "p == 1 && q == 1 && r == 0",
        true,
        37,
    ),
    (
        "WRC ra",
        "init x=0,y=0; thread a { x :=R 1; } thread b { p := x^A; y :=R 1; } thread c { q := y^A; r := x^A; }",
        "p == 1 && q == 1 && r == 0",
        false,
        36,
    ),
    (
        "WRC rlx write, ra chain",
        "init x=0,y=0; thread a { x := 1; } thread b { p := x; y :=R 1; } thread c { q := y^A; r := x; }",
        "p == 1 && q == 1 && r == 0",
        false,
        36,
    ),
    (
        "ISA2 rlx",
        "init x=0,y=0,z=0; thread a { x := 1; y := 1; } thread b { p := y; z := 1; } thread c { q := z; r := x; }",
        "p == 1 && q == 1 && r == 0",
        true,
        52,
    ),
    (
        "ISA2 ra",
        "init x=0,y=0,z=0; thread a { x := 1; y :=R 1; } thread b { p := y^A; z :=R 1; } thread c { q := z^A; r := x; }",
        "p == 1 && q == 1 && r == 0",
        false,
        51,
    ),
    (
        "Z6.3 rlx",
        "init x=0,y=0,z=0; thread a { x := 1; y := 1; } thread b { y := 2; z := 1; } thread c { p := z; q := x; } thread d { r := y; s := y; }",
        "p == 1 && q == 0 && r == 1 && s == 2",
        true,
        379,
    ),
    (
        "Z6.3 ra",
        "init x=0,y=0,z=0; thread a { x :=R 1; y :=R 1; } thread b { y :=R 2; z :=R 1; } thread c { p := z^A; q := x^A; } thread d { r := y^A; s := y^A; }",
        "p == 1 && q == 0 && r == 1 && s == 2",
        true,
        379,
    ),
    (
        "S rlx",
        "init x=0,y=0; thread a { x := 2; y := 1; } thread b { p := y; x := 1; } thread c { q := x; r := x; }",
        "p == 1 && q == 1 && r == 2",
        true,
        102,
    ),
    (
        "S ra",
        "init x=0,y=0; thread a { x :=R 2; y :=R 1; } thread b { p := y^A; x :=R 1; } thread c { q := x^A; r := x^A; }",
        "p == 1 && q == 1 && r == 2",
        false,
        92,
    ),
    (
        "R ra",
        "init x=0,y=0; thread a { x :=R 1; y :=R 1; } thread b { y :=R 2; p := x^A; } thread c { q := y^A; r := y^A; }",
        "q == 1 && r == 2 && p == 0",
        true,
        102,
    ),
    (
        "RWC ra",
        "init x=0,y=0; thread a { x :=R 1; } thread b { p := x^A; q := y^A; } thread c { y :=R 1; r := x^A; }",
        "p == 1 && q == 0 && r == 0",
        true,
        37,
    ),
    (
        "RMW atomicity (2x faa)",
        "init x=0; thread a { p := x.faa(1)^RA; } thread b { q := x.faa(1)^RA; }",
        "p == q",
        false,
        5,
    ),
    (
        "RMW vs write between",
        "init x=0; thread a { p := x.swap(1)^RA; } thread b { x := 2; } thread c { q := x; r := x; s := x; }",
        "p == 0 && q == 0 && r == 2 && s == 1",
        false,
        64,
    ),
    (
        "MP via RMW chain",
        "init d=0,f=0; thread a { d := 5; f :=R 1; } thread b { p := f.faa(1)^RA; } thread c { q := f^A; r := d; }",
        "q == 2 && p == 1 && r == 0",
        false,
        42,
    ),
    (
        "rel-seq (same-thread rlx write)",
        "init d=0,f=0; thread a { d := 5; f :=R 1; f := 2; } thread c { q := f^A; r := d; }",
        "q == 2 && r == 0",
        true,
        22,
    ),
    ("OOTA", "init x=0,y=0; thread a { p := x; y := p; } thread b { q := y; x := q; }", "p != 0", false, 13),
];

#[test]
fn litmus_tests() {
    for (name, program, weak, allowed, states) in LITMUS {
        let text = format!("{program} outcome weak: {weak};");
        let found = look(&text, "rar");
        assert_eq!((found.states, found.reached.as_slice()), (*states, &[*allowed][..]), "{name}");
        assert_eq!(look(&text, "sc").reached, [false], "{name}");
    }
}

/// Where the graphs are few enough, all final states are those of the reference.
#[test]
fn the_reference_agrees_on_litmus_tests() {
    let mut compared = 0;
    for (name, program, _, _, states) in LITMUS.iter().filter(|(.., states)| *states < 1000) {
        let (views, graphs) = (crate::common::finals(program, "rar"), crate::common::finals(program, "rar-graph"));
        assert_eq!(views, graphs, "{name} ({states} states)");
        compared += 1;
    }
    assert!(compared >= 30, "{compared}");
}
