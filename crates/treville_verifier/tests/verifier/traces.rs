//! How violations of programs are told, from programs in the text form, which need no compiler.

use treville_verifier::base::Cancel;
use treville_verifier::report::{Details, Palette, text};
use treville_verifier::task::Silent;
use treville_verifier::{MemoryFiles, ModelOptions, Options, Properties, RunOptions, Session};

/// The report on a program of two objects, `x` and `y`, and two functions: `main` starts `other`.
fn told(other: &str, main: &str, model: &str, property: &[&str]) -> Vec<String> {
    told_by("explore", other, main, model, property)
}

fn told_by(engine: &str, other: &str, main: &str, model: &str, property: &[&str]) -> Vec<String> {
    let program = format!(
        "program \"p\"\ndialect C rc11\nobject x size 4 type i32\nobject y size 4 type i32\n\
         func other (u) regs [u:64 r:32 p:64] {{\nb0:\n{other}\n}}\n\
         func main () regs [h:64 r:32 s:32 p:64] {{\nb0:\nh = spawn other (0:64)\n{main}\n}}\nthread main main []\n"
    );
    let mut files = MemoryFiles::default();
    files.0.insert("p.ir".into(), program);
    let properties = Properties::of(property).unwrap_or_else(|e| panic!("{e}"));
    let options = Options {
        model: ModelOptions { name: Some(model.to_owned()), ..ModelOptions::default() },
        run: RunOptions { properties, engine: Some(engine.to_owned()), ..RunOptions::default() },
    };
    let report = Session::new(&files, Cancel::new()).verify("p.ir", &options, &Silent);
    let text = text(&report, Details::default(), Palette::PLAIN);
    text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
}

fn assert_tells(told: &[String], expected: &[&str]) {
    let mut lines = told.iter();
    for line in expected {
        assert!(lines.any(|l| l == line), "{line} is not told, or not then:\n{}", told.join("\n"));
    }
}

const FAILS: &str = "b1:\nfail assertion \"wrong\"\nend\nb2:\nreturn _";

#[test]
fn a_race_is_told_with_what_does_not_synchronise() {
    let other = "store &x 1:32 4 [NA]\nstore &y 1:32 4 [A REL]\nreturn 0:64";
    let main = "r = load &y 4 [A RLX]\nbranch (eq r 1:32) b1 b2\nb1:\ns = load &x 4 [NA]\nreturn _\nb2:\nreturn _";
    let expected = [
        "p.ir under rc11: no, race: two accesses race",
        "p.ir:17:1: error: thread 0 (main) reads x = 1, not atomic",
        "p.ir:7:1: thread 1 (other) writes x = 1, not atomic",
        "thread 0 (main)",
        "13 h = spawn other (0:64) starts thread 1 (other)",
        "thread 1 (other)",
        "> 7 store &x 1:32 4 [NA] writes x = 1",
        "8 store &y 1:32 4 [A REL] writes y = 1 (release)",
        "thread 0 (main)",
        "14 r = load &y 4 [A RLX] reads y = 1 (relaxed), from line 8 of thread 1",
        "> 17 s = load &x 4 [NA] reads x = 1, from line 7 of thread 1",
        "why: Nothing orders the two. Line 14 of thread 0 reads what line 8 of thread 1 wrote, but the load is",
    ];
    let told = told(other, main, "rc11", &[]);
    assert_tells(&told, &expected);
    assert!(told.join(" ").contains("an acquire load would make it."), "{told:?}");
}

#[test]
fn what_is_solved_is_told_as_well() {
    let other = "store &x 1:32 4 [NA]\nstore &y 1:32 4 [A REL]\nreturn 0:64";
    let main = "r = load &y 4 [A RLX]\nbranch (eq r 1:32) b1 b2\nb1:\ns = load &x 4 [NA]\nreturn _\nb2:\nreturn _";
    let race = told_by("bmc", other, main, "rc11", &[]);
    let expected = [
        "p.ir under rc11: no, race: two accesses race",
        "13 h = spawn other (0:64) starts thread 1 (other)",
        "> 7 store &x 1:32 4 [NA] writes x = 1",
        "8 store &y 1:32 4 [A REL] writes y = 1 (release)",
        "14 r = load &y 4 [A RLX] reads y = 1 (relaxed), from line 8 of thread 1",
        "why: Nothing orders the two. Line 14 of thread 0 reads what line 8 of thread 1 wrote, but the load is",
    ];
    assert_tells(&race, &expected);
    let release = "lock release &x 4\nlock release &y 4\n";
    let other = format!("lock acquire &y 4\nlock acquire &x 4\n{release}return 0:64");
    let main = format!("lock acquire &x 4\nlock acquire &y 4\n{release}return _");
    let deadlock = told_by("bmc", &other, &main, "rc11", &[]).join("\n");
    assert!(deadlock.contains("finds x locked by line 16 of thread 0"), "{deadlock}");
    assert!(deadlock.contains("finds y locked by line 7 of thread 1"), "{deadlock}");
    let sum = "store &x 1:32 4 [A RLX]\np = join h\nr = load &x 4 [A RLX]\nbranch (eq r 1:32) b1 b2\n";
    let fails = told_by("bmc", "store &x 1:32 4 [A RLX]\nreturn 0:64", &format!("{sum}{FAILS}"), "rc11", &[]);
    let ends = ["14 p = join h sees the end of thread 1", "> 18 fail assertion \"wrong\" fails"];
    assert_tells(&fails, &ends);
}

#[test]
fn a_reader_that_misses_a_write_is_told_so() {
    let other = "store &x 1:32 4 [A RLX]\nr = load &y 4 [A RLX]\nreturn (zext 64 r)";
    let main = "store &y 1:32 4 [A RLX]\nr = load &x 4 [A RLX]\np = join h\n\
                branch (and (eq r 0:32) (eq p 0:64)) b1 b2\n";
    let main = format!("{main}{FAILS}");
    for model in ["tso", "ra", "rc11"] {
        let told = told(other, &main, model, &[]);
        assert_tells(&told, &["p.ir:19:1: error: thread 0 (main) fails an assertion"]);
        let why = told.iter().find(|line| line.starts_with("why:")).cloned().unwrap_or_default();
        assert!(why.ends_with("wrote before: only weak memory does this."), "{model}: {}", told.join("\n"));
    }
    assert_tells(&told(other, &main, "sc", &[]), &["p.ir under sc: yes, no execution fails"]);
}

#[test]
fn what_taking_turns_does_is_told_so() {
    let main = format!("r = load &x 4 [A RLX]\nbranch (eq r 1:32) b1 b2\n{FAILS}");
    let told = told("store &x 1:32 4 [A RLX]\nreturn 0:64", &main, "rc11", &[]);
    assert_tells(
        &told,
        &["> 16 fail assertion \"wrong\" fails", "why: The threads do this by taking turns, on any memory."],
    );
}

#[test]
fn a_deadlock_is_told_with_who_holds_the_lock() {
    let release = "lock release &x 4\nlock release &y 4\n";
    let other = format!("lock acquire &y 4\nlock acquire &x 4\n{release}return 0:64");
    let main = format!("lock acquire &x 4\nlock acquire &y 4\n{release}return _");
    let told = told(&other, &main, "rc11", &[]);
    assert_tells(&told, &["p.ir under rc11: no, deadlock: threads wait for each other"]);
    let all = told.join("\n");
    assert!(all.contains("finds x locked by line 16 of thread 0"), "{all}");
    assert!(all.contains("finds y locked by line 7 of thread 1"), "{all}");
}

#[test]
fn a_waiting_loop_is_told_only_if_liveness_is_asked_for() {
    let main = "goto b1\nb1:\nr = load &x 4 [A RLX]\nbranch (eq r 0:32) b1 b2\nb2:\nreturn _";
    let waits = told("return 0:64", main, "rc11", &["liveness"]);
    assert_tells(
        &waits,
        &[
            "p.ir under rc11: no, liveness: a loop waits for what no thread will do",
            "> 14 r = load &x 4 [A RLX] reads x = 0 (relaxed), the initial value",
            "> waits for ever",
        ],
    );
    // That nothing completes is said in any case.
    let unasked = told("return 0:64", main, "rc11", &[]);
    assert!(unasked.iter().any(|line| line.starts_with("p.ir under rc11: unknown, no execution completes")));
    // Whoever reads the latest value in the end goes on.
    let ends = told("store &x 1:32 4 [A RLX]\nreturn 0:64", main, "rc11", &["liveness"]);
    assert_tells(&ends, &["p.ir under rc11: yes, no execution fails"]);
}

#[test]
fn a_loop_that_looks_under_a_lock_waits() {
    let main = "goto b1\nb1:\nlock acquire &y 4\nr = load &x 4 [NA]\nlock release &y 4\nbranch (eq r 0:32) b1 b2\nb2:\nreturn _";
    let waits = told("return 0:64", main, "rc11", &["liveness"]);
    assert_tells(&waits, &["p.ir under rc11: no, liveness: a loop waits for what no thread will do"]);
    let other = "lock acquire &y 4\nstore &x 1:32 4 [NA]\nlock release &y 4\nreturn 0:64";
    let ends = told(other, main, "rc11", &["liveness"]);
    assert_tells(&ends, &["p.ir under rc11: yes, no execution fails"]);
}

#[test]
fn what_hazard_pointers_protect_is_told() {
    let main = "p = alloc heap 4:64\nstore p 1:32 4 [NA]\nretire p\nr = load p 4 [NA]\nreturn _";
    for model in ["rc11", "aarch64"] {
        let told = told("return 0:64", main, model, &[]);
        let what = "no, use-after-free: an object is used that was retired, and no hazard pointer protects it";
        let under = format!("p.ir under {model}: {what}");
        assert_tells(
            &told,
            &[under.as_str(), "> 14 retire p retires p@12", "> 15 r = load p 4 [NA] reads *p@12 = 1, from line 13"],
        );
        let protected = main.replace("retire p\n", "store &hazard p 8 [NA HAZARD]\nretire p\n").replace("&hazard", "h");
        let protected = protected.replacen("p = ", "h = alloc heap 8:64\np = ", 1);
        let told = self::told("return 0:64", &protected, model, &[]);
        assert_tells(&told, &[format!("p.ir under {model}: yes, no execution fails").as_str()]);
    }
}

#[test]
fn objects_on_the_heap_are_named_by_the_line_that_made_them() {
    let main = "p = alloc heap 4:64\nfree p\nstore p 1:32 4 [NA]\nreturn _";
    let told = told("return 0:64", main, "rc11", &[]);
    assert_tells(
        &told,
        &[
            "p.ir under rc11: no, use-after-free: an object is used after it was freed",
            "12 p = alloc heap 4:64 makes p@12",
            "> 13 free p frees p@12",
            "> 14 store p 1:32 4 [NA] writes *p@12 = 1",
        ],
    );
    let leak = "p = alloc heap 4:64\nreturn _";
    let told = self::told("return 0:64", leak, "rc11", &["leak"]);
    assert_tells(&told, &["p.ir:12:1: error: thread 0 (main) makes p@12"]);
}
