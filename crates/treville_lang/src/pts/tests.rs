//! What a program becomes, as text; and what is said of wrong ones.

use super::parse;
use treville_base::{FileId, SourceMap};
use treville_ir::{Comparison, Formula, Operand, Quantifier, validate};

/// The program as text, without the numbers of instructions.
fn program(text: &str) -> String {
    match parse(FileId(0), "test", text) {
        Ok((program, _)) => {
            assert_eq!(validate(&program), Ok(()), "{text}");
            let text = treville_ir::text::print(&program);
            let lines =
                text.lines().map(|line| line.trim_start().trim_start_matches(|c: char| "@0123456789 ".contains(c)));
            lines.collect::<Vec<_>>().join("\n")
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

/// The value of the first store of thread `t0`.
fn stored(expr: &str) -> String {
    let text = program(&format!("{{x}} thread t0 {{ a <- 1; b <- 2; x := {expr}; }}"));
    text.lines().find(|line| line.starts_with("store")).unwrap_or_default().to_owned()
}

#[test]
fn statements() {
    let text = program(
        "{x, y = -3,} thread t0 { r1 <:- x; r2 = y.load(_acq); x := r1 + 1; y.store(_rel, r2); mfence; lwsync; fence(_sc); }",
    );
    for part in [
        "size 4 type i32 init [0 4 0xfffffffd:32]",
        "r1 = load &x 4 [NA]",
        "r2 = load &y 4 [A ACQ]",
        "store &x (add r1 1:32) 4 [NA]",
        "store &y r2 4 [A REL]",
        "fence [MFENCE]",
        "fence [LWSYNC]",
        "fence [SC]",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
}

#[test]
fn control_flow() {
    let text = program(
        "{x} thread t0 { r <- 0; while (r < 3) { if r == 1 then { x := 1; } else { x := 2; } r <- r + 1; } x := 4; }",
    );
    let branches: Vec<&str> = text.lines().filter(|line| line.starts_with("branch")).collect();
    assert_eq!(branches, ["branch (slt r 3:32) b2 b6 join b6", "branch (eq r 1:32) b3 b4 join b5"], "{text}");
    let text = program("{x} thread t0 { while True { x := 1; if not (1 == 2) { } } }");
    assert!(text.contains("branch 1:1 b2 b5 join b5") && text.contains("b3 b4 join b4"), "{text}");
}

#[test]
fn precedence() {
    for (written, meant) in [
        ("a + b * 2", "a + (b * 2)"),
        ("a - b - 1", "(a - b) - 1"),
        ("a | b ^ 1 & a", "a | (b ^ (1 & a))"),
        ("a & b + 1", "a & (b + 1)"),
        ("-a / -2", "(-a) / (-2)"),
        ("a-1", "a - 1"),
    ] {
        assert_eq!(stored(written), stored(meant), "{written}");
    }
    let cond = |text: &str| {
        let text = program(&format!("{{}} thread t0 {{ a <- 1; while {text} {{ }} }}"));
        text.lines().find(|line| line.starts_with("branch")).map(str::to_owned)
    };
    for (written, meant) in [
        ("a == 1 or a == 2 and a != 3", "(a == 1) || ((a == 2) && (a != 3))"),
        ("not a == 1 and a > 2", "(!(a == 1)) and (2 < a)"),
        ("a & 1 == 0", "(a & 1) == 0"),
        ("((a)) >= ((1) + 1)", "1 + 1 <= a"),
    ] {
        assert!(cond(written).is_some(), "{written}");
        assert_eq!(cond(written), cond(meant), "{written}");
    }
}

#[test]
fn conditions() {
    let ask = |condition: &str| {
        let text = format!("{{x, y}} thread t3 {{ r <:- x; }} thread t1 {{ s <:- y; }} {condition}");
        parse(FileId(0), "test", &text).map(|(_, question)| question)
    };
    let question = ask("~exists (3:r < 1 /\\ x = y)").unwrap_or_else(|e| panic!("{e:?}"));
    assert_eq!(question.quantifier, Quantifier::NotExists);
    let names: Vec<&str> = question.observed.iter().map(|o| o.name.as_str()).collect();
    assert_eq!(names, ["3:r", "[x]", "[y]"]);
    let Formula::And(parts) = &question.condition else { panic!("{question:?}") };
    assert!(matches!(&parts[0], Formula::Atom(a) if a.op == Comparison::Lt));
    assert!(matches!(&parts[1], Formula::Atom(a) if matches!(a.right, Operand::Place(_))));
    assert_eq!(ask("").map(|q| q.quantifier), Ok(Quantifier::Forall));
    for wrong in ["exists (0:r = 1)", "exists (3:s = 1)", "exists (z = 1)", "exists x", "nonsense"] {
        assert!(ask(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn mistakes_are_told_with_their_places() {
    for (text, message) in [
        ("", "1:1: expected `{`, found the end"),
        ("{}", "1:3: expected `thread`, found the end"),
        ("{x} thread 0 { }", "1:12: expected the thread's name, such as `t0`, found `0`"),
        ("{x} thread main { }", "1:12: `main` is not a thread's name, such as `t0`"),
        ("{x, x} thread t0 { }", "1:5: the location `x` is there already"),
        ("{x} thread t0 { } thread t0 { }", "1:26: the thread `t0` is there already"),
        ("{x} thread t0 { y := 1; }", "1:17: there is no location `y`"),
        ("{x} thread t0 { x := r; }", "1:22: nothing before this writes the register `r`"),
        ("{x, y} thread t0 { x := y; }", "1:25: `y` is a location, not a register"),
        ("{x} thread t0 { x <- 1; }", "1:17: `x` is a location, not a register"),
        ("{x} thread t0 { r = x.load(_rel); }", "1:28: a load cannot be `_rel`"),
        ("{x} thread t0 { x.store(_acq, 1); }", "1:25: a store cannot be `_acq`"),
        ("{x} thread t0 { x := 1 }", "1:24: expected `;`, found `}`"),
        ("{x} thread t0 { if 1 { } }", "1:20: this is a number, where a condition is needed"),
        ("{x} thread t0 { x := 1 == 1; }", "1:22: this is a condition, where a number is needed"),
        ("{x} thread t0 { x := 2147483648; }", "1:22: this number does not fit in 32 bits"),
        ("{sync} thread t0 { }", "1:2: expected a location, found `sync`"),
        ("{x} thread t0 { x := 1; (* }", "1:25: expected a statement, found a comment that does not end"),
        ("{x} thread t0 { x := 1;", "1:24: expected `}`, found the end"),
        ("{x} thread t0 { x := $; }", "1:22: expected an expression, found `$`"),
    ] {
        assert_eq!(messages(text).first().map(String::as_str), Some(message), "{text}");
    }
}

#[test]
fn all_mistakes_are_told() {
    let text = "{x}\nthread t0 {\n  x := ;\n  r1 <:- z;\n  x := 1 +;\n}\nthread t1 { y <- ; }\nexists (x = 1)\n";
    assert_eq!(messages(text).len(), 3, "{:?}", messages(text));
    let text = "{x}\nthread t0 {\n  x := a;\n  r1 <:- z;\n}\nexists (q = 1)\n";
    assert_eq!(messages(text).len(), 3, "{:?}", messages(text));
}

#[test]
fn nesting_is_bounded() {
    for (open, n) in [("(", 100_000), ("not ", 100_000), ("- ", 100_000), ("1 + ", 100_000)] {
        let text = format!("{{x}} thread t0 {{ x := {}1; }}", open.repeat(n));
        assert!(!messages(&text).is_empty(), "{open}");
    }
    let loops = format!("{{x}} thread t0 {{ {}", "while true { ".repeat(100_000));
    assert!(messages(&loops).len() <= 25);
    let wrong = format!("{{x}} thread t0 {{ {} }}", "x := ; ".repeat(100_000));
    assert!(messages(&wrong).len() <= 25);
}
