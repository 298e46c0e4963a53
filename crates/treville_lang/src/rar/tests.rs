//! What a program becomes, as text; and what is said of wrong ones.

use super::parse;
use treville_base::{FileId, SourceMap};
use treville_ir::{Claims, Prop, validate};

/// The program as text without marks and the numbers of instructions, and its claims.
fn read(text: &str) -> (String, Claims) {
    match parse(FileId(0), "test", text) {
        Ok((program, claims)) => {
            assert_eq!(validate(&program), Ok(()), "{text}");
            let printed = treville_ir::text::print(&program);
            assert!(treville_ir::text::parse(FileId(0), &printed).is_ok(), "{printed}");
            let lines =
                printed.lines().map(|l| l.trim_start().trim_start_matches(|c: char| "@0123456789 ".contains(c)));
            (lines.collect::<Vec<_>>().join("\n"), claims)
        }
        Err(errors) => panic!("{text}: {errors:?}"),
    }
}

/// The messages of a wrong program, with their places.
fn messages(text: &str) -> Vec<String> {
    let mut sources = SourceMap::new();
    let file = sources.add("test", text);
    let errors = parse(file, "test", text).err().unwrap_or_default();
    let show = |e: &treville_base::Diagnostic| {
        let at = e.span.map(|span| sources.start(span));
        format!("{}:{}: {}", at.map_or(0, |at| at.line), at.map_or(0, |at| at.column), e.message)
    };
    errors.iter().map(show).collect()
}

#[test]
fn statements() {
    let (text, _) = read(
        "init x=0, y=-3; thread t { x := 1; y :=R r + 1; r := x^A; s := y; x.swap(2)^A; r := y.faa(1); \
         s := x.cas(r, 5)^R; r := x.cas(r, 6)^X; }",
    );
    for part in [
        "init [0 4 0xfffffffd:32]",
        "store &x 1:32 4 [A RLX]",
        "store &y (add r 1:32) 4 [A REL]",
        "r = load &x 4 [A ACQ]",
        "s = load &y 4 [A RLX]",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    for tags in ["[A ACQ RMW X]", "[A ACQ_REL RMW X]", "[A REL RMW X]", "[A RLX RMW X]"] {
        let sorted = |line: &str| {
            let inner = tags.trim_matches(['[', ']']);
            inner.split(' ').all(|tag| line.contains(tag))
        };
        assert!(text.lines().any(sorted), "{tags} in {text}");
    }
}

#[test]
fn guards_read_from_left_to_right_and_no_more_than_they_must() {
    let (text, _) =
        read("init x=0, y=0; thread t { 4: while (x^A == 1 && y == 2) skip; r := x || y; if (!(x || r)) y := 1; }");
    let branches: Vec<&str> = text.lines().filter(|line| line.starts_with("branch")).collect();
    assert!(branches.len() >= 5, "{text}");
    let loads = text.lines().filter(|line| line.contains("= load")).count();
    assert_eq!(loads, 5, "{text}");
}

#[test]
fn labels_are_marks_and_silent_ones_are_steps() {
    let (text, _) = read("init x=0; thread t { 5: x := 1; 06: skip; seven: r := 1; 8: while (r == x) { 9: r := x; } }");
    let marks: Vec<&str> = text.lines().filter(|line| line.starts_with("mark")).collect();
    let expected = [
        "mark at \"5\"",
        "mark nowhere",
        "mark at \"6\"",
        "mark step",
        "mark nowhere",
        "mark at \"seven\"",
        "mark step",
        "mark nowhere",
        "mark at \"8\"",
        "mark at \"9\"",
        "mark at \"8\"",
        "mark nowhere",
        "mark at \"end\"",
    ];
    assert_eq!(marks, expected, "{text}");
}

#[test]
fn claims_are_resolved() {
    let (_, claims) = read(
        "init x=0; thread t { 1: x := 1; r := x; 2: skip; } thread u { 1: skip; s := x; }
         invariant a: pc(t) == 2 => forall w in OW(u, x): val(w) == 1;
         invariant b: pc(t) <= 1 || !(pc(u) != end) && r == 0 && s@u < r@t + 1;
         invariant c: forall p in threads: forall q in threads \\ p: pc(p) == 1 => pc(q) != 1;
         invariant d: definite(t, x, 0) || possible(u, x, 1) && exists w in EW(t, x): released(w) && !covered(w);
         outcome e: (r == 1 && true);",
    );
    assert_eq!(claims.invariants.len(), 4);
    assert_eq!(claims.outcomes.len(), 1);
    assert!(claims.invariants[0].prop.occasion().is_some());
    assert!(claims.invariants[1].prop.occasion().is_none());
    assert!(claims.invariants[2].prop.occasion().is_some());
    let Prop::And(parts) = &claims.invariants[2].prop else { panic!("{claims:?}") };
    assert_eq!(parts.len(), 2);
}

#[test]
fn mistakes_are_told_with_their_places() {
    let t = "thread t { 1: x := 1; r := x; }";
    for (text, message) in [
        ("", "1:1: expected `thread`, found the end".to_owned()),
        ("init x;", "1:7: expected `=`, found `;`".to_owned()),
        ("init x=0, x=1; thread t { }", "1:11: the variable `x` is there already".to_owned()),
        ("thread t { } thread t { }", "1:21: the thread `t` is there already".to_owned()),
        ("init x=0; thread t { 1: skip; 1: skip; }", "1:31: the label `1` is there already".to_owned()),
        (
            "init x=0; thread t { x := q; }",
            "1:27: there is no variable `q`: no `init` declares it, and nothing in this thread writes it".to_owned(),
        ),
        ("init x=0; thread t { q.swap(1); }", "1:22: there is no shared variable `q`".to_owned()),
        ("init x=0; thread t { x.add(1); }", "1:24: expected `swap`, `faa` or `cas`, found `add`".to_owned()),
        (
            "init x=0; thread t { x.cas(1); }",
            "1:24: `cas` takes two values, the expected one and the new one".to_owned(),
        ),
        ("init x=0; thread t { x.swap(1)^AR; }", "1:32: an update cannot be `^AR`".to_owned()),
        ("init x=0; thread t { r := x^R; }", "1:29: a read cannot be `^R`".to_owned()),
        ("init x=0; thread t { r :=R 1; }", "1:26: `r` is a register: only writes release".to_owned()),
        ("init x=0; thread t { r := 1; s := r^A; }", "1:37: `r` is a register: only reads acquire".to_owned()),
        ("init x=0; thread t { x := 1 }", "1:29: expected `;`, found `}`".to_owned()),
        ("init x=0; thread t { end: skip; }", "1:22: expected a label, found `end`".to_owned()),
        ("init x=4294967296; thread t { }", "1:8: this number does not fit in 32 bits".to_owned()),
        (&format!("init x=0; {t} invariant i: pc(u) == 1;"), "1:59: there is no thread `u`".to_owned()),
        (&format!("init x=0; {t} invariant i: pc(t) == 9;"), "1:65: the thread `t` has no label `9`".to_owned()),
        (
            &format!("init x=0; {t} invariant i: forall p in threads: pc(p) == 9;"),
            "1:86: no thread has a label `9`".to_owned(),
        ),
        (
            &format!("init x=0; {t} invariant i: forall w in OW(t, z): val(w) == 1;"),
            "1:74: there is no shared variable `z`".to_owned(),
        ),
        (
            &format!("init x=0; {t} invariant i: forall w in OW(t, x): val(v) == 1;"),
            "1:82: there is no write `v` here".to_owned(),
        ),
        (&format!("init x=0; {t} invariant i: q == 1;"), "1:56: there is no register `q`".to_owned()),
        (&format!("init x=0; {t} invariant i: x == 1;"), "1:56: `x` is a shared variable, not a register".to_owned()),
        (&format!("init x=0; {t} invariant i: pc(t);"), "1:56: a program counter is compared with a label".to_owned()),
        (
            &format!("init x=0; {t} invariant i: (r == 1) == 1;"),
            "1:56: this is true or false, where a number is needed".to_owned(),
        ),
        (
            &format!("init x=0; {t} invariant i: r == 1; invariant i: r == 1;"),
            "1:74: the invariant `i` is there already".to_owned(),
        ),
        (&format!("init x=0; {t} symmetric t, v;"), "1:56: there is no thread `v`".to_owned()),
    ] {
        assert_eq!(messages(text).first(), Some(&message), "{text}");
    }
}

#[test]
fn all_mistakes_are_told() {
    let text = "init x=0;\nthread t {\n  x := ;\n  y.swap(1);\n  x := 1 + ;\n}\nthread u { z := ; }\ninvariant i: pc(v) == ;\n";
    assert_eq!(messages(text).len(), 4, "{:?}", messages(text));
    let text = "init x=0;\nthread t {\n  x := a;\n  y.swap(1);\n}\ninvariant i: q == 1;\noutcome o: p == 1;";
    assert_eq!(messages(text).len(), 4, "{:?}", messages(text));
}

#[test]
fn nesting_is_bounded() {
    for (open, n) in [("(", 100_000), ("!", 100_000), ("- ", 100_000), ("1 + ", 100_000)] {
        let text = format!("init x=0; thread t {{ x := {}1; }}", open.repeat(n));
        assert!(!messages(&text).is_empty(), "{open}");
    }
    for open in ["(", "!", "forall w in OW(t, x): ", "true => ", "true && ", "1 + "] {
        let text = format!("init x=0; thread t {{ x := 1; }} invariant i: {} true;", open.repeat(100_000));
        assert!(!messages(&text).is_empty(), "{open}");
    }
    let loops = format!("init x=0; thread t {{ {}", "while (true) { ".repeat(100_000));
    assert!((1..=25).contains(&messages(&loops).len()));
    let quantifiers = (0..12).map(|i| format!("forall t{i} in threads: ")).collect::<String>();
    let threads = (0..12).map(|i| format!("thread u{i} {{ 1: skip; }} ")).collect::<String>();
    assert_eq!(messages(&format!("{threads} invariant i: {quantifiers} pc(t0) == 1;")).len(), 1);
}
