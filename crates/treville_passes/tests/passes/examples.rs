//! Small programs before and after the passes.

use crate::interpreter::run;
use treville_base::FileId;
use treville_ir::{Program, text};
use treville_passes::Options;

const HEAD: &str =
    "program example dialect C rc11 fused sets [] object x object y object slot size 8 init [0 8 0:64]\n";

fn read(source: &str) -> Program {
    text::parse(FileId(0), &format!("{HEAD}{source}")).unwrap_or_else(|e| panic!("{e:?}\n{source}"))
}

/// The code of a function, without numbers of instructions.
fn code(program: &Program, func: &str) -> String {
    let printed = text::print(program);
    let lines = printed.lines().skip_while(|l| !l.starts_with(&format!("func {func} "))).skip(1);
    let plain = |l: &str| {
        l.trim_start_matches([' ', '@', '\'']).trim_start_matches(|c: char| c.is_ascii_digit()).trim().to_owned()
    };
    lines.take_while(|l| *l != "}").map(plain).collect::<Vec<_>>().join("; ").replace(":; ", ": ")
}

/// Runs the pipeline, checks that the program does the same, and compares the code of `main`.
fn becomes(source: &str, algebraic: bool, expected: &str) {
    let before = read(source);
    let after = treville_passes::run(&before, &Options { algebraic, ..Options::default() });
    assert_eq!(code(&after, "main"), expected, "{}", text::print(&after));
    assert_eq!(run(&after, &[], 10_000), run(&before, &[], 10_000), "{}", text::print(&after));
}

#[test]
fn show() {
    becomes(
        "func main () regs [v:64 w:64 t:32 u:32] { b0:
           v = alloc stack 4:64
           store v 5:32 4 [NA]
           t = load v 4 [NA]
           u = load &x 4 [A ACQ]
           store v (add t u) 4 [NA]
           t = load v 4 [NA]
           store &y t 4 [A REL]
           return 0:32 } thread P0 main []",
        false,
        "",
    );
}
