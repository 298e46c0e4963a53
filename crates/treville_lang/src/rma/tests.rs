//! What programs become, and what is said of wrong and of strange ones.

use super::{annotated, parse};
use treville_base::{Diagnostic, FileId, SourceMap};
use treville_rma::{Program, Shown, show_op};

const FIG2: &str = "program fig2; process 1: shared Y = 1; process 2: shared R = 0, X = 2; local r; put(Y, 1, X); \
    store X = 3; R = get(Y, 1); load r = R; assert final (r != 3); predicates r != 3, R != 3, Y != 3, X != 3;";

fn read(text: &str) -> Program {
    match parse(FileId(0), "test", text) {
        Ok((program, _)) => program,
        Err(errors) => panic!("{text}: {errors:?}"),
    }
}

fn shown(text: &str, messages: &[Diagnostic]) -> Vec<String> {
    let mut sources = SourceMap::new();
    sources.add("test", text);
    let show = |e: &Diagnostic| {
        let at = e.span.map(|span| sources.start(span));
        format!("{}:{}: {}", at.map_or(0, |at| at.line), at.map_or(0, |at| at.column), e.message)
    };
    messages.iter().map(show).collect()
}

/// The messages of a wrong program, with their places.
fn errors(text: &str) -> Vec<String> {
    shown(text, &parse(FileId(0), "test", text).err().unwrap_or_default())
}

fn warnings(text: &str) -> Vec<String> {
    match parse(FileId(0), "test", text) {
        Ok((_, warnings)) => shown(text, &warnings),
        Err(errors) => panic!("{text}: {errors:?}"),
    }
}

/// The statements of a process along its first successors.
fn listing(program: &Program, proc: u32) -> Vec<String> {
    let proc = &program.procs[treville_rma::ProcId(proc)];
    let (mut at, mut lines) = (proc.entry, Vec::new());
    loop {
        lines.push(show_op(program, &proc.nodes[at].op));
        match proc.nodes[at].op.successors().first() {
            Some(next) if lines.len() < 40 => at = *next,
            _ => return lines,
        }
    }
}

#[test]
fn the_example_of_the_paper() {
    let program = read(FIG2);
    let expected = ["put(Y, 1, X)", "flush(1)", "store X = 3", "R = get(Y, 1)", "flush(1)", "load r = R", "end"];
    assert_eq!(listing(&program, 1), expected);
    assert_eq!(program.slots.len(), 2);
    let predicates: Vec<String> = program.predicates.iter().map(|p| Shown(&program, p).to_string()).collect();
    assert_eq!(predicates, ["r != 3", "R != 3", "Y != 3", "X != 3"]);
    assert_eq!(&*program.properties[0].name, "final (r != 3)");
    assert_eq!(warnings(FIG2), [""; 0]);
}

#[test]
fn arrays_are_cases_with_one_slot() {
    let program = read(
        "process a: shared A[3] = 0; process b: shared X = 1, B[2] = 0; local i = 0; \
         put(A[i], a, X); B[1] = get(A[i + 1], a); load i = B[0]; assert final i == 0;",
    );
    assert_eq!(program.slots.len(), 2);
    let remotes: Vec<String> = program.remotes.iter().map(|r| Shown(&program, r).to_string()).collect();
    let expected = [
        "put(A[0], a, X)",
        "put(A[1], a, X)",
        "put(A[2], a, X)",
        "B[1] = get(A[0], a)",
        "B[1] = get(A[1], a)",
        "B[1] = get(A[2], a)",
    ];
    assert_eq!(remotes, expected);
}

#[test]
fn truth_values_and_numbers() {
    let program = read(
        "process 1: shared X = 0; local a = 1, b = 0; b = a == 1; store X = !(b); if (a) skip; \
        a = 2 * a - (b - 3) * 2; assert(a != 2 && b || true);",
    );
    let lines = listing(&program, 0);
    assert!(lines.contains(&"a = 2 * a + 6 - 2 * b".to_owned()), "{lines:?}");
    assert!(lines.contains(&"if (a != 0)".to_owned()), "{lines:?}");
}

#[test]
fn wrong_programs() {
    let cases: &[(&str, &[&str])] = &[
        ("", &["1:1: expected `process`, found the end"]),
        ("process 1: local a, b; a = a * b;", &["1:28: a product of variables is not linear"]),
        (
            "process 1: shared X = 0; process 2: local r; load r = X;",
            &["1:55: `X` belongs to process 1, not to process 2, which executes this"],
        ),
        (
            "process 1: shared X = 0; process 2: shared Y = 0; put(X, 2, Y); flush(7);",
            &["1:55: `X` belongs to process 1, not to process 2", "1:71: there is no process `7`"],
        ),
        (
            "process 1: local a; goto up; a = at(1, x); b = 1;",
            &[
                "1:26: there is no label `up` here",
                "1:34: `at` is for properties, not for statements",
                "1:44: there is no local variable `b` here",
            ],
        ),
        (
            "process 1: local a; process 2: local a; assert always a == 0; assert final b@3 == at(1, l);",
            &["1:55: several processes have a local `a`", "1:78: there is no process `3`"],
        ),
        (
            "process 1: shared x = 0; local x = 0; predicates x == 0 && x == 1;",
            &["1:32: the variable `x` is there already", "1:50: a predicate is one comparison of sums of variables"],
        ),
        (
            "process 1: local a; a = 1 + ?; a = 99999999999; load = 1; skip",
            &[
                "1:29: `?` is a whole condition or a whole value, not a part of one",
                "1:36: this number does not fit in 32 bits",
                "1:54: expected a local variable, found `=`",
                "1:63: expected `;`, found the end",
            ],
        ),
        (
            "process 1: shared A[2] = 0, B[99] = 0; local a; load a = A[2]; load a = A; store a[1] = 1;",
            &[
                "1:29: an array has from 1 to 64 elements",
                "1:60: `A` has the elements 0 to 1",
                "1:73: `A` is an array: which element?",
                "1:82: there is no shared variable `a`",
            ],
        ),
        (
            "process 1: shared X = 0; X = cas(X, 1, 0); } } while (true) { skip",
            &[
                "1:30: `cas` takes a variable, its process and two values, the expected one and the new one",
                "1:44: expected a statement, found `}`",
                "1:46: expected a statement, found `}`",
                "1:67: expected `;`, found the end",
                "1:67: expected `}`, found the end",
            ],
        ),
        (
            "process 1: local if; if = 2; process: domain 3..1;",
            &[
                "1:18: expected a variable, found `if`",
                "1:25: expected `(`, found `=`",
                "1:37: expected a process, found `:`",
                "1:46: this domain is empty",
            ],
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(errors(text), *expected, "{text}");
    }
}

#[test]
fn nesting_has_an_end() {
    let deep =
        |open: &str, close: &str| format!("process 1: local a; a = {}1{};", open.repeat(5000), close.repeat(5000));
    for text in [deep("(", ")"), deep("-", ""), deep("1 + (", ")"), format!("process 1: {}", "if (1) ".repeat(5000))] {
        assert!(errors(&text)[0].contains("nested too deeply"), "{:?}", errors(&text));
    }
    let many = format!("process 1: local a; a = 1{};", " + 1".repeat(5000));
    assert!(errors(&many)[0].contains("nested too deeply"));
}

#[test]
fn strange_programs() {
    let cases: &[(&str, &[&str])] = &[
        (
            "process 1: shared X; local a, b = 0; load a = X; flush(1);",
            &[
                "1:19: the shared variable `X` has no initial value: it begins with 0",
                "1:31: `b` is never used",
                "1:50: this flush never waits",
            ],
        ),
        (
            "process 1: shared X = 0; process 2: shared Y = 0; local a; put(X, 1, Y); flush(1); flush(1); if (a == 0) skip;",
            &["1:84: this flush never waits", "1:94: `a` may be read before it is written: it begins with 0"],
        ),
        (
            "process 1: shared X = 0; process 2: shared Y = 0; put(X, 1, Y); flush(2);",
            &["1:65: this flush never waits"],
        ),
        (
            "process 1: shared X = ?; local a; load a = X;",
            &["1:19: `X` begins with any number: only the engine abstract can check that"],
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(warnings(text), *expected, "{text}");
    }
}

#[test]
fn the_case_studies_are_read() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../case-studies/rma");
    let mut n = 0;
    for entry in std::fs::read_dir(folder).expect("the folder of case studies") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|e| e == "rma") {
            let text = std::fs::read_to_string(&path).expect("a program");
            assert_eq!(errors(&text), [""; 0], "{}", path.display());
            assert_eq!(warnings(&text), [""; 0], "{}", path.display());
            assert!(read(&text).has_property(), "{}", path.display());
            n += 1;
        }
    }
    assert!(n >= 15, "{n} programs");
}

#[test]
fn flushes_are_written_into_the_text() {
    let text = "process 1: shared X; local u;\nprocess 2: shared Y; local r;\n\
                put(X, 1, Y);\nif (r == 0) l: Y = get(X, 1); else { put(X, 1, Y) /* ; */ ; load r = Y; }\nassert final r == 0;\n";
    let (program, _) = parse(FileId(0), "test", text).expect("a program");
    let all = treville_base::BitSet::full(program.slots.len());
    let flushed = annotated(&program, text, &all);
    let expected = "process 1: shared X; local u;\nprocess 2: shared Y; local r;\n\
                    put(X, 1, Y); flush(1); // slot 1\nif (r == 0) { l: Y = get(X, 1); flush(1); } \
                    else { put(X, 1, Y) /* ; */ ; flush(1); load r = Y; }\nassert final r == 0;\n";
    assert_eq!(flushed, expected);
    let (again, _) = parse(FileId(0), "test", &flushed).expect("a program");
    assert_eq!(again.slots.len(), program.slots.len());
}
