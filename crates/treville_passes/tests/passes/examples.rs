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
fn a_variable_becomes_a_register() {
    becomes(
        "func main () regs [v:64 t:32 u:32] { b0:
           v = alloc stack 4:64
           store v 5:32 4 [NA]
           t = load v 4 [NA]
           u = load &x 4 [A ACQ]
           store v (add t u) 4 [NA]
           t = load v 4 [NA]
           store &y t 4 [A REL]
           return 0:32 } thread P0 main []",
        false,
        "b0: u = load &x 4 [A ACQ]; store &y (add u 5:32) 4 [A REL]; return 0:32",
    );
}

#[test]
fn a_loop_counter_becomes_a_register() {
    becomes(
        "func main () regs [v:64 t:32 u:32] { b0:
           v = alloc stack 4:64
           store v 0:32 4 [NA]
           goto b1
         b1:
           t = load v 4 [NA]
           branch (xor (slt t 3:32) 1:1) b3 b2
         b2:
           u = load v 4 [NA]
           store &x u 4 [A RLX]
           store v (add u 1:32) 4 [NA]
           goto b1
         b3:
           return _ } thread P0 main []",
        false,
        "b0: v.0 = 0:32; goto b1; b1: store &x v.0 4 [A RLX]; v.0 = (add v.0 1:32); branch (sle 3:32 v.0) b2 b1; \
         b2: return _",
    );
}

#[test]
fn fields_become_registers_also_through_copies_and_pointers() {
    becomes(
        "func main () regs [v:64 w:64 p:64 q:64 t:32 u:64] { b0:
           v = alloc stack 16:64
           w = alloc stack 16:64
           p = alloc stack 8:64
           fill v 1:8 16:64 [NA]
           store (add v 4:64) 7:32 4 [NA]
           store p v 8 [NA]
           q = load p 8 [NA]
           copy w q 16:64 [NA]
           t = load (add w 4:64) 4 [NA]
           u = load (add w 8:64) 8 [NA]
           store &x t 4 [NA]
           store &slot u 8 [NA]
           return (zext 32 (ne q 0:64)) } thread P0 main []",
        false,
        "b0: store &x 7:32 4 [NA]; store &slot 0x101010101010101:64 8 [NA]; return 1:32",
    );
}

#[test]
fn parts_that_overlap_stay_private_memory() {
    let source = "func main () regs [v:64 t:32] { b0:
           v = alloc stack 8:64
           store (add v 4:64) 1:32 4 [NA]
           store v 0x500000002:64 8 [NA]
           t = load (add v 4:64) 4 [NA]
           store &x t 4 [NA]
           return _ } thread P0 main []";
    becomes(
        source,
        true,
        "b0: v = alloc private 8:64; store (add v 4:64) 1:32 4 [NA]; store v 0x500000002:64 8 [NA]; \
         t = load (add v 4:64) 4 [NA]; store &x t 4 [NA]; return _",
    );
    let narrow_first = "func main () regs [v:64 t:64] { b0:
           v = alloc stack 8:64
           fill v 0:8 8:64 [NA]
           store (add v 4:64) 1:32 4 [NA]
           t = load v 8 [NA]
           return t } thread P0 main []";
    becomes(
        narrow_first,
        true,
        "b0: v = alloc private 8:64; fill v 0:8 8:64 [NA]; store (add v 4:64) 1:32 4 [NA]; t = load v 8 [NA]; return t",
    );
    let partly = "func main () regs [v:64 t:64] { b0:
           v = alloc stack 8:64
           store v 1:64 8 [NA]
           fill v 255:8 4:64 [NA]
           t = load v 8 [NA]
           return t } thread P0 main []";
    becomes(
        partly,
        true,
        "b0: v = alloc private 8:64; store v 1:64 8 [NA]; fill v 255:8 4:64 [NA]; t = load v 8 [NA]; return t",
    );
}

#[test]
fn what_may_be_unset_or_is_out_of_bounds_stays_private_memory() {
    becomes(
        "func main () regs [v:64 t:32] { b0:
           v = alloc stack 4:64
           t = load &x 4 [NA]
           branch (eq t 0:32) b1 b2
         b1:
           store v 1:32 4 [NA]
           goto b2
         b2:
           t = load v 4 [NA]
           return t } thread P0 main []",
        true,
        "b0: v = alloc private 4:64; t = load &x 4 [NA]; branch (eq t 0:32) b1 b2; b1: store v 1:32 4 [NA]; goto b2; \
         b2: t = load v 4 [NA]; return t",
    );
    becomes(
        "func main () regs [v:64 t:32] { b0: v = alloc stack 4:64 store v 1:32 4 [NA] t = load (add v 4:64) 4 [NA]
           return t } thread P0 main []",
        true,
        "b0: v = alloc private 4:64; store v 1:32 4 [NA]; t = load (add v 4:64) 4 [NA]; return t",
    );
}

#[test]
fn an_address_that_is_given_away_keeps_the_object() {
    for give in
        ["store &slot v 8 [NA]", "n = spawn f (v)", "call * s (v)", "s = (and v 7:64)", "s = (zext 64 (eq v s))"]
    {
        let source = format!(
            "func f (a) regs [a:64] {{ b0: return _ }} func main () regs [v:64 n:64 s:64 t:32] {{ b0:
               v = alloc stack 4:64 store v 1:32 4 [NA] s = load &slot 8 [NA] {give} t = load v 4 [NA]
               store &slot s 8 [NA] return t }} thread P0 main []"
        );
        let after = treville_passes::run(&read(&source), &Options::default());
        assert!(code(&after, "main").contains("v = alloc stack 4:64"), "{give}: {}", text::print(&after));
    }
    // An order might order other accesses.
    let ordered =
        "func main () regs [v:64] { b0: v = alloc stack 4:64 store v 1:32 4 [A SC] return _ } thread P0 main []";
    becomes(ordered, false, "b0: v = alloc stack 4:64; store v 1:32 4 [A SC]; return _");
}

#[test]
fn calls_are_inlined() {
    // `get` has a variable that its own callee changes; both vanish.
    becomes(
        "func set (p n) regs [p:64 n:32 v:64 t:64] { b0:
           v = alloc stack 8:64
           store v p 8 [NA]
           t = load v 8 [NA]
           store t n 4 [NA]
           return _ }
         func get (n) regs [n:32 v:64 t:32] { b0:
           v = alloc stack 4:64
           call set (v (add n 1:32))
           t = load v 4 [NA]
           return t }
         func main () regs [a:32 b:32] { b0:
           a = call get (1:32)
           b = call * 0x10000010:64 (a)
           store &x b 4 [NA]
           return _ } thread P0 main []",
        false,
        "b0: store &x 3:32 4 [NA]; return _",
    );
}

#[test]
fn a_function_starts_anew_at_every_call() {
    // The register `a` of `f` is 0 at every call, also when the code of `f` is in a loop.
    becomes(
        "func f () regs [a:32] { b0: goto b1 b1: store &x a 4 [NA] a = (add a 1:32) branch (ult a 2:32) b1 b2
         b2: return a }
         func main () regs [i:32 r:32] { b0: goto b1 b1: r = call f () i = (add i r) branch (ult i 3:32) b1 b2
         b2: return i } thread P0 main []",
        false,
        "b0: goto b1; b1: f.a = 0:32; goto b2; b2: store &x f.a 4 [NA]; f.a = (add f.a 1:32); \
         branch (ult f.a 2:32) b2 b3; b3: i = (add i f.a); branch (ult i 3:32) b1 b4; b4: return i",
    );
}

#[test]
fn calls_that_must_stay_stay() {
    let source = "func leak () regs [v:64] { b0: v = alloc stack 4:64 store v 1:32 4 [NA] return v }
         func again (n) regs [n:32] { b0: branch (eq n 0:32) b1 b2 b1: return _
           b2: call again ((sub n 1:32)) return _ }
         func main () regs [p:64 t:32] { b0: p = call leak () call again (2:32) t = load p 4 [NA] return t }
         thread P0 main []";
    // Using the variable after its function has returned is still wrong.
    assert_eq!(run(&read(source), &[], 1000).stopped.as_deref(), Some("use after the end"));
    becomes(source, false, "b0: p = call leak (); call again (2:32); t = load p 4 [NA]; return t");
}

#[test]
fn dependencies_stay_unless_they_do_not_matter() {
    let source = "func main () regs [t:32 z:32 c:1] { b0:
           t = load &x 4 [NA]
           z = (xor t t)
           c = (eq t t)
           branch c b1 b1
         b1:
           store &y (add z 1:32) 4 [NA]
           return _ } thread P0 main []";
    becomes(
        source,
        false,
        "b0: t = load &x 4 [NA]; branch (eq t t) b1 b1; b1: store &y (add (xor t t) 1:32) 4 [NA]; return _",
    );
    becomes(source, true, "b0: t = load &x 4 [NA]; store &y 1:32 4 [NA]; return _");
}

#[test]
fn the_end_of_a_control_dependency_stays_visible() {
    becomes(
        "func main () regs [t:32] { b0:
           t = load &x 4 [NA]
           branch (ne t 0:32) b1 b2 join b2
         b1:
           goto b2
         b2:
           store &y 1:32 4 [NA]
           return _ } thread P0 main []",
        false,
        "b0: t = load &x 4 [NA]; store &y 1:32 4 [NA]; return _",
    );
    becomes(
        "func main () regs [t:32] { b0:
           t = load &x 4 [NA]
           branch (ne t 0:32) b1 b2 join b3
         b1:
           store &x 1:32 4 [NA]
           goto b3
         b2:
           goto b3
         b3:
           store &y 1:32 4 [NA]
           return _ } thread P0 main []",
        false,
        "b0: t = load &x 4 [NA]; branch (ne t 0:32) b1 b2 join b2; b1: store &x 1:32 4 [NA]; goto b2; \
         b2: store &y 1:32 4 [NA]; return _",
    );
}

#[test]
fn a_branch_on_what_is_known_is_taken() {
    // `a && b` as compilers write it.
    becomes(
        "func main () regs [a:32 b:32 c:1] { b0:
           a = load &x 4 [NA]
           c = 0:1
           branch (ne a 0:32) b1 b2
         b1:
           b = load &y 4 [NA]
           c = (ne b 0:32)
           goto b2
         b2:
           branch c b3 b4
         b3:
           fail assertion \"both\"
           goto b4
         b4:
           return _ } thread P0 main []",
        false,
        "b0: a = load &x 4 [NA]; c = 0:1; branch (ne a 0:32) b1 b2; b1: b = load &y 4 [NA]; c = (ne b 0:32); goto b2; \
         b2: branch c b3 b4; b3: fail assertion \"both\"; goto b4; b4: return _",
    );
}

#[test]
fn shapes_of_functions_are_found() {
    let program = read(
        "func main () regs [a:32] { b0: goto b1 b1: branch (eq a 0:32) b2 b4 b2: branch (eq a 1:32) b3 b1 b3: goto b1
         b4: return a b5: goto b1 } thread P0 main []",
    );
    let func = &program.funcs[treville_ir::FuncId(0)];
    let cfg = treville_passes::cfg::Cfg::new(func);
    let b = treville_ir::BlockId;
    assert_eq!(cfg.order, [b(0), b(1), b(2), b(3), b(4)]);
    assert_eq!(cfg.preds[b(1)], [b(0), b(2), b(3)]);
    assert!(cfg.dominates(b(1), b(3)) && cfg.dominates(b(2), b(3)) && !cfg.dominates(b(3), b(1)));
    assert!(!cfg.dominates(b(0), b(5)) && !cfg.is_reachable(b(5)));
    assert_eq!(cfg.loops(), [(b(1), [b(1), b(2), b(3)].into())].into());
    let live = treville_passes::cfg::Liveness::new(func, &cfg, &Default::default());
    let a = treville_ir::Reg(0);
    assert!(live.live_in(b(0)) == [a] && live.live_out(b(3)) == [a] && live.live_out(b(4)).is_empty());
}
