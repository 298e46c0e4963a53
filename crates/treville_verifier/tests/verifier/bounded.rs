//! Engines for tests on programs, against the engine for programs.

use treville_ir::{Failure as Failing, Program};
use treville_verifier::base::Cancel;
use treville_verifier::task::{Report, Silent, VerdictKind};
use treville_verifier::{MemoryFiles, ModelOptions, Options, Properties, RunOptions, Session};

/// Two threads that one starts; what fails, if anything, is put in.
fn program(first: &str, fails: &str) -> String {
    format!(
        r#"
program "p"
dialect C rc11
tags [A RLX NA REL ACQ]
object x size 4 type i32 init [0 4 0:32]
object y size 4 type i32 init [0 4 0:32]
func other (u) regs [u:64 r:32] {{
b0:
  {first}
  r = load &x 4 [A RLX]
  return (zext 64 r)
}}
func main () regs [h:64 r:32 s:64] {{
b0:
  h = spawn other (0:64)
  store &x 1:32 4 [A RLX]
  r = load &y 4 [A RLX]
  s = join h
  branch {fails} b1 b2
b1:
  fail assertion "both are 0"
  end
b2:
  return _
}}
thread main main []
"#
    )
}

fn verify(text: &str, model: &str, run: RunOptions) -> Report {
    let mut files = MemoryFiles::default();
    files.0.insert("p.ir".into(), text.into());
    let model = ModelOptions { name: Some(model.to_owned()), ..ModelOptions::default() };
    Session::new(&files, Cancel::new()).verify("p.ir", &Options { model, run }, &Silent)
}

fn by(engine: &str) -> RunOptions {
    RunOptions { engine: Some(engine.to_owned()), ..RunOptions::default() }
}

const ATOMIC: &str = "store &y 1:32 4 [A RLX]";
const BOTH: &str = "(and (eq r 0:32) (eq s 0:64))";

#[test]
fn engines_for_tests_take_programs() {
    for engine in ["enumerate", "plain", "explore"] {
        for (model, verdict) in
            [("sc", VerdictKind::Yes), ("tso", VerdictKind::No), ("ra", VerdictKind::No), ("rc11", VerdictKind::No)]
        {
            let report = verify(&program(ATOMIC, BOTH), model, by(engine));
            assert_eq!(report.verdict(), verdict, "{engine} {model} {:?}", report.reason());
        }
        let report = verify(&program(ATOMIC, "0:1"), "rc11", by(engine));
        let Some(checked) = report.finding() else { panic!("{engine}: {:?}", report.reason()) };
        let counted = checked.outcome.counts.map(|counts| counts.executions);
        assert_eq!((report.verdict(), counted), (VerdictKind::Yes, Some(4)), "{engine}");
        // One thread writes what the other reads atomically.
        let racy = verify(&program("store &y 1:32 4 [NA]", "0:1"), "rc11", by(engine));
        assert_eq!(racy.verdict(), VerdictKind::No, "{engine} {:?}", racy.reason());
    }
}

#[test]
fn engines_check_each_other_on_programs() {
    let run = RunOptions { cross_check: Some("enumerate".to_owned()), ..RunOptions::default() };
    for model in ["sc", "ra", "rc11", "imm"] {
        let report = verify(&program(ATOMIC, "0:1"), model, run.clone());
        assert_eq!(report.verdict(), VerdictKind::Yes, "{model} {:?}", report.reason());
    }
}

#[test]
fn what_an_engine_does_not_see_is_not_said_to_be_absent() {
    let racy = program("store &y 1:32 4 [NA]", "0:1");
    let report = verify(&racy, "sc", by("enumerate"));
    assert_eq!(report.verdict(), VerdictKind::No, "{:?}", report.reason());
    let narrowed = Properties::of(&["assertion"]).unwrap_or_default();
    let report = verify(&racy, "sc", RunOptions { properties: narrowed, ..by("enumerate") });
    assert_eq!(report.verdict(), VerdictKind::Yes, "{:?}", report.reason());
    // How the program goes on after the assertion is not known.
    let races = Properties::of(&["race"]).unwrap_or_default();
    let report = verify(&program(ATOMIC, BOTH), "rc11", RunOptions { properties: races, ..by("enumerate") });
    assert_eq!(report.verdict(), VerdictKind::Unknown);
    assert!(report.reason().is_some_and(|why| why.contains("assertion is not looked for")), "{:?}", report.reason());
}

#[test]
fn flags_of_the_model_are_violations() {
    let mut files = MemoryFiles::default();
    files.0.insert("p.ir".into(), program(ATOMIC, "0:1"));
    files.0.insert("my.cat".into(), "acyclic po | rf | co | fr\nflag ~empty rf & ext as seen\n".into());
    let model = ModelOptions { name: Some("my.cat".to_owned()), ..ModelOptions::default() };
    for engine in ["enumerate", "explore"] {
        let options = Options { model: model.clone(), run: by(engine) };
        let report = Session::new(&files, Cancel::new()).verify("p.ir", &options, &Silent);
        let Some(checked) = report.finding() else { panic!("{engine}: {:?}", report.reason()) };
        let violation = checked.outcome.violation.as_ref();
        assert_eq!(violation.map(|v| v.message.as_str()), Some("the model flags seen"), "{engine}");
    }
}

/// What engines say of a program: the verdict, and how it fails.
fn answers(text: &str, model: &str, engine: &str, more: RunOptions) -> (VerdictKind, Option<Failing>, String) {
    let report = verify(text, model, RunOptions { engine: Some(engine.to_owned()), ..more });
    let violation = report.finding().and_then(|found| found.outcome.violation.as_ref()).map(|v| v.failure);
    (report.verdict(), violation, report.reason().map_or_else(String::new, |why| why.to_string()))
}

/// A program with these objects, the function of a thread, what the first thread does, and its blocks after the first.
fn two_threads(objects: &str, other: &str, main: &str) -> String {
    format!(
        r#"
program "p"
dialect C rc11
tags [A RLX NA REL ACQ X RMW]
{objects}
func other (u) regs [u:64 r:32 p:64 q:32] {{
{other}
}}
func main () regs [h:64 g:64 i:32 r:32 s:32 p:64 q:32 c:1 n:32] {{
{main}
}}
thread main main []
"#
    )
}

const ONE: &str = "object x size 4 type i32 init [0 4 0:32]\nobject y size 4 type i32 init [0 4 0:32]";

/// All engines that take the program say this, under every model.
fn all_say(text: &str, expected: (VerdictKind, Option<Failing>), engines: &[&str], properties: &[&str]) {
    for model in ["sc", "tso", "ra", "rc11", "imm", "aarch64", "power", "riscv", "arm"] {
        for engine in engines {
            let properties = Properties::of(properties).unwrap_or_default();
            let more = RunOptions { properties, ..RunOptions::default() };
            let (verdict, violation, why) = answers(text, model, engine, more);
            assert_eq!((verdict, violation), expected, "{engine} {model}: {why}\n{text}");
        }
    }
}

const EVERYONE: &[&str] = &["explore", "bmc", "enumerate"];

/// The second thread waits until the first has written, in a loop that changes nothing.
fn spinning(write: &str) -> String {
    let other = "b0:\n  goto b1\nb1:\n  r = load &x 4 [A ACQ]\n  branch (eq r 0:32) b1 b2\nb2:\n  return 0:64";
    let main = format!("b0:\n  h = spawn other (0:64)\n  {write}\n  p = join h\n  return _");
    two_threads(ONE, other, &main)
}

#[test]
fn loops_that_wait_are_decided_at_once() {
    let (yes, no) = ((VerdictKind::Yes, None), (VerdictKind::No, Some(Failing::Liveness)));
    let (written, unwritten) = (spinning("store &x 1:32 4 [A REL]"), spinning("store &y 1:32 4 [A REL]"));
    all_say(&written, yes, EVERYONE, &[]);
    all_say(&written, yes, &["explore", "bmc"], &["liveness"]);
    // Nobody is to be seen waiting unless one asks; but nothing completes, which is no yes.
    all_say(&unwritten, (VerdictKind::Unknown, None), EVERYONE, &[]);
    all_say(&unwritten, no, &["explore", "bmc", "enumerate"], &["liveness"]);
    let once = RunOptions { bound: Some(1), ..RunOptions::default() };
    assert_eq!(answers(&written, "rc11", "bmc", once.clone()).0, VerdictKind::Yes);
    // As it is, the loop has no end.
    let kept = treville_task::Reductions::all().minus(treville_task::Reductions::of_loops());
    assert_eq!(answers(&written, "rc11", "bmc", RunOptions { reductions: kept, ..once }).0, VerdictKind::Unknown);
}

/// Each thread takes two locks.
fn two_locks(first: [&str; 2], second: [&str; 2]) -> String {
    let takes = |[a, b]: [&str; 2]| {
        format!("  lock acquire {a} 4\n  lock acquire {b} 4\n  lock release {b} 4\n  lock release {a} 4")
    };
    let other = format!("b0:\n{}\n  return 0:64", takes(second));
    let main = format!("b0:\n  h = spawn other (0:64)\n{}\n  p = join h\n  return _", takes(first));
    two_threads(ONE, &other, &main)
}

#[test]
fn locks_are_taken_and_waited_for() {
    all_say(&two_locks(["&x", "&y"], ["&x", "&y"]), (VerdictKind::Yes, None), EVERYONE, &[]);
    let deadlock = (VerdictKind::No, Some(Failing::Deadlock));
    all_say(&two_locks(["&x", "&y"], ["&y", "&x"]), deadlock, EVERYONE, &[]);
    all_say(&two_locks(["&x", "&x"], ["&y", "&y"]), deadlock, EVERYONE, &[]);
    let released = two_threads(ONE, "b0:\n  return 0:64", "b0:\n  lock release &x 4\n  return _");
    all_say(&released, (VerdictKind::No, Some(Failing::ApiMisuse)), EVERYONE, &[]);
}

/// A thread waits until what it reads is not 0, after the other has written it, or never.
#[test]
fn whoever_waits_for_a_resource_looks_again() {
    let other = "b0:\n  r = load &x 4 [A ACQ]\n  wait resource (ne r 0:32)\n  return 0:64";
    let main = |write: &str| format!("b0:\n  h = spawn other (0:64)\n  {write}\n  p = join h\n  return _");
    let written = two_threads(ONE, other, &main("store &x 1:32 4 [A REL]"));
    all_say(&written, (VerdictKind::Yes, None), EVERYONE, &[]);
    let unwritten = two_threads(ONE, other, &main("store &y 1:32 4 [A REL]"));
    all_say(&unwritten, (VerdictKind::No, Some(Failing::Deadlock)), EVERYONE, &[]);
    // The same as a loop that the program says is one.
    let spins = |text: &str| text.replace("wait resource", "wait spin");
    all_say(&spins(&written), (VerdictKind::Yes, None), EVERYONE, &["liveness"]);
    all_say(&spins(&unwritten), (VerdictKind::No, Some(Failing::Liveness)), EVERYONE, &["liveness"]);
    all_say(&spins(&unwritten), (VerdictKind::Unknown, None), EVERYONE, &[]);
}

/// What a compare-exchange has decided is asked again: contradictory paths meet at a join, and stay infeasible.
#[test]
fn contradictory_ways_that_meet_are_not_taken() {
    let update = "r = update &x 4 1:32 if (eq r 0:32) [A X RMW RLX] [A X RMW RLX] [A X RMW RLX] [A RLX]";
    let main = |more: &str| {
        format!(
            "b0:\n  {more}\n  {update}\n  branch (eq r 0:32) b1 b4\nb1:\n  branch (eq r 0:32) b2 b3\nb2:\n  \
             store &x 0:32 4 [A RLX]\n  goto b4\nb3:\n  fail assertion \"taken\"\n  end\nb4:\n  return _"
        )
    };
    let other = "b0:\n  return 0:64";
    all_say(&two_threads(ONE, other, &main("i = 0:32")), (VerdictKind::Yes, None), EVERYONE, &[]);
    let leaks = two_threads(ONE, other, &main("p = alloc heap 8:64"));
    all_say(&leaks, (VerdictKind::No, Some(Failing::Leak)), EVERYONE, &["leak"]);
}

/// Threads that a loop starts add 1 each; the sum is to be something.
fn counting(n: u32, sum: u32) -> String {
    let other = "b0:\n  r = update &x 4 (add r 1:32) [A X RMW RLX] [A X RMW RLX] [A X RMW RLX] [A RLX]\n  return 0:64";
    let object = format!("{ONE}\nobject t size 32 type u64 array init [0 8 0:64  8 8 0:64  16 8 0:64  24 8 0:64]");
    let main = format!(
        "b0:\n  i = 0:32\n  goto b1\nb1:\n  branch (ult i {n}:32) b2 b3\nb2:\n  h = spawn other (0:64)\n  \
         store (add &t (mul 8:64 (zext 64 i))) h 8 [NA]\n  i = (add i 1:32)\n  goto b1\nb3:\n  i = 0:32\n  goto b4\nb4:\n  \
         branch (ult i {n}:32) b5 b6\nb5:\n  g = load (add &t (mul 8:64 (zext 64 i))) 8 [NA]\n  p = join g\n  \
         i = (add i 1:32)\n  goto b4\nb6:\n  r = load &x 4 [A RLX]\n  branch (eq r {sum}:32) b8 b7\nb7:\n  \
         fail assertion \"sum\"\n  end\nb8:\n  return _"
    );
    two_threads(&object, other, &main)
}

#[test]
fn loops_start_threads() {
    all_say(&counting(3, 3), (VerdictKind::Yes, None), &["explore", "bmc", "enumerate"], &[]);
    all_say(&counting(2, 1), (VerdictKind::No, Some(Failing::Assertion)), EVERYONE, &[]);
    // How often a loop runs is known if all that it counts with is; otherwise there is the bound.
    let bounded = || RunOptions { bound: Some(1), ..RunOptions::default() };
    assert_eq!(answers(&counting(3, 3), "rc11", "bmc", bounded()).0, VerdictKind::Yes);
    let from_memory = counting(3, 3).replacen("i = 0:32", "i = load &y 4 [NA]", 1);
    assert_eq!(answers(&from_memory, "rc11", "bmc", bounded()).0, VerdictKind::Unknown);
}

/// An object that two threads may use, between its allocation and its end.
fn on_the_heap(other: &str, main: &str) -> String {
    let object = "object x size 8 type u64 init [0 8 0:64]";
    let other = format!(
        "b0:\n  p = load &x 8 [A ACQ]\n  branch (eq p 0:64) b2 b1\nb1:\n  {other}\n  goto b2\nb2:\n  return 0:64"
    );
    let main = format!("b0:\n  h = spawn other (0:64)\n  p = alloc heap 8:64\n  {main}\n  return _");
    two_threads(object, &other, &main)
}

#[test]
fn objects_live_between_their_allocation_and_their_end() {
    let no = |failure| (VerdictKind::No, Some(failure));
    let write = "store p 1:32 4 [NA]";
    let publish = "store &x p 8 [A REL]\n  g = join h";
    let fine = on_the_heap("q = load p 4 [NA]", &format!("{write}\n  {publish}\n  free p"));
    all_say(&fine, (VerdictKind::Yes, None), EVERYONE, &[]);
    all_say(&fine, (VerdictKind::Yes, None), EVERYONE, &["leak"]);
    let kept = on_the_heap("q = load p 4 [NA]", &format!("{write}\n  {publish}"));
    all_say(&kept, (VerdictKind::Yes, None), EVERYONE, &[]);
    all_say(&kept, no(Failing::Leak), EVERYONE, &["leak"]);
    let unwritten = on_the_heap("q = load p 4 [NA]", publish);
    all_say(&unwritten, no(Failing::Uninitialized), EVERYONE, &[]);
    let beyond = on_the_heap("q = load (add p 8:64) 4 [NA]", &format!("{write}\n  {publish}"));
    all_say(&beyond, no(Failing::InvalidAccess), EVERYONE, &[]);
    let early =
        on_the_heap("q = load p 4 [A RLX]", "store p 1:32 4 [A RLX]\n  store &x p 8 [A REL]\n  free p\n  g = join h");
    all_say(&early, no(Failing::UseAfterFree), EVERYONE, &[]);
    let twice = on_the_heap("free p", &format!("{write}\n  {publish}\n  free p"));
    all_say(&twice, no(Failing::DoubleFree), EVERYONE, &[]);
    let inside = on_the_heap("q = load p 4 [NA]", &format!("{write}\n  {publish}\n  free (add p 4:64)"));
    all_say(&inside, no(Failing::InvalidFree), EVERYONE, &[]);
}

#[test]
fn what_is_retired_lives_on_for_those_that_protect_it() {
    let no = |failure| (VerdictKind::No, Some(failure));
    let (make, protect, look) = ("u = alloc heap 8:64", "store u p 8 [NA HAZARD]", "q = load p 4 [NA]");
    let (write, publish, wait) = ("store p 1:32 4 [NA]", "store &x p 8 [A REL]", "g = join h");
    let program = |other: &[&str], main: &[&str]| {
        let text = on_the_heap(&other.join("\n  "), &main.join("\n  "));
        text.replace("tags [", "tags [HAZARD ")
    };
    let retired = &[write, publish, "retire p", wait];
    let late = no(Failing::UseAfterFree);
    for (other, main, expected) in [
        // It was not read again whether the object is still there.
        (&[make, protect, look][..], &retired[..], late),
        (&[look], retired, late),
        // It says something else by then, or is no more.
        (&[make, protect, "store u 0:64 8 [NA HAZARD]", look], retired, late),
        (&[make, protect, "store u u 8 [NA HAZARD]", look], retired, late),
        (&[make, protect, "free u", look], retired, late),
        // The retirement happens before it is protected, or there is none.
        (&[make, protect, look], &[write, "retire p", publish, wait], late),
        (&[make, protect, look], &[write, publish, "free p", wait], late),
        (&[make, protect, look], &[write, publish, wait, "retire p", "free p"], no(Failing::DoubleFree)),
    ] {
        all_say(&program(other, main), expected, EVERYONE, &[]);
    }
}

/// The other thread's own function calls itself n times, through a pointer.
#[test]
fn calls_are_followed() {
    let program = |n: u32| {
        format!(
            r#"
program "p"
dialect C rc11
tags [A RLX]
object x size 4 type i32 init [0 4 0:32]
func down (n) regs [n:32 f:64] {{
b0:
  branch (eq n 0:32) b1 b2
b1:
  store &x 1:32 4 [A RLX]
  return _
b2:
  f = {address}:64
  call * f ((sub n 1:32))
  return _
}}
func main () regs [r:32] {{
b0:
  call down ({n}:32)
  r = load &x 4 [A RLX]
  branch (eq r 1:32) b2 b1
b1:
  fail assertion "at the bottom"
  end
b2:
  return _
}}
thread main main []
"#,
            address = Program::func_address(treville_ir::FuncId(0))
        )
    };
    all_say(&program(3), (VerdictKind::Yes, None), EVERYONE, &[]);
    let cut = RunOptions { bound: Some(2), ..RunOptions::default() };
    assert_eq!(answers(&program(6), "rc11", "bmc", cut).0, VerdictKind::Unknown);
}

/// Fails if a condition holds after the other thread has told where `y` is.
fn looking_at_addresses(fails: &str) -> String {
    let objects = "object x size 4 type i32 init [0 4 0:32]\nobject y size 4 type i32 init [0 4 0:32]\n\
        object p size 8 type i64 init [0 8 &x]";
    let main = format!(
        "b0:\n  h = spawn other (0:64)\n  p = load &p 8 [A RLX]\n  branch {fails} b1 b2\nb1:\n  fail assertion \"so they lie\"\n  end\nb2:\n  return _"
    );
    two_threads(objects, "b0:\n  store &p &y 8 [A RLX]\n  return 0:64", &main)
}

#[test]
fn objects_lie_where_the_solver_has_them() {
    let anywhere = treville_bmc::Options { addresses: treville_bmc::Addresses::Solver, ..Default::default() };
    let (yes, no) = (VerdictKind::Yes, VerdictKind::No);
    for (fails, shared, solver) in [
        ("(ult &x &y)", no, no),
        ("(ult &y &x)", yes, no),
        // In no layout.
        ("(eq &x &y)", yes, yes),
        ("(eq &y 0:64)", yes, yes),
        ("(ult (add &x 3:64) &x)", yes, yes),
        ("(ne (and &x 3:64) 0:64)", yes, yes),
        // Where one begins, another one may end, but not a byte earlier.
        ("(eq (add &x 4:64) &y)", yes, no),
        ("(eq (add &x 3:64) &y)", yes, yes),
        // What is read is one of the two, whatever that is as a number.
        ("(and (ne p &x) (ne p &y))", yes, yes),
        ("(eq (xor p &y) 0:64)", no, no),
        ("(eq (sub p &x) 64:64)", yes, no),
        ("(eq (sub p &x) 63:64)", yes, yes),
    ] {
        let text = looking_at_addresses(fails);
        assert_eq!(answers(&text, "rc11", "bmc", RunOptions::default()).0, shared, "{fails}");
        let run = RunOptions { bmc: anywhere, ..RunOptions::default() };
        assert_eq!(answers(&text, "rc11", "bmc", run.clone()).0, solver, "{fails}");
        let (word, _, why) = answers(&text, "rc11", "explore", run);
        assert!(word == VerdictKind::Error && why.contains("belongs to the engine bmc"), "{why}");
    }
}

/// Two threads, and a third that spins on a flag that is never set.
fn beside_a_spinner(first: &str, second: &str) -> String {
    format!(
        r#"
program "p"
dialect C rc11
tags [A RLX NA REL ACQ X RMW]
{ONE}
object flag size 4 type i32 init [0 4 0:32]
object h size 16 type u64 array init [0 8 0:64  8 8 0:64]
func first (u) regs [u:64 r:32 p:64 q:64] {{
b0:
{first}
  return 0:64
}}
func second (u) regs [u:64 r:32 p:64 q:64] {{
b0:
{second}
  return 0:64
}}
func spinner (u) regs [u:64 r:32] {{
b0:
  goto b1
b1:
  r = load &flag 4 [A ACQ]
  branch (eq r 0:32) b1 b2
b2:
  return 0:64
}}
func main () regs [g:64] {{
b0:
  g = spawn spinner (0:64)
  g = spawn first (0:64)
  store &h g 8 [A REL]
  g = spawn second (0:64)
  store (add &h 8:64) g 8 [A REL]
  return _
}}
thread main main []
"#
    )
}

fn takes(locks: &[&str]) -> String {
    let lines = |word: &str| locks.iter().map(|lock| format!("  lock {word} {lock} 4\n")).collect::<String>();
    format!("{}{}", lines("acquire"), lines("release"))
}

fn joins(other: u32) -> String {
    format!("  p = load (add &h {other}:64) 8 [A ACQ]\n  wait assume (ne p 0:64)\n  q = join p\n")
}

#[test]
fn a_thread_that_spins_hides_no_deadlock() {
    let deadlock = (VerdictKind::No, Some(Failing::Deadlock));
    let each_other = beside_a_spinner(&takes(&["&x", "&y"]), &takes(&["&y", "&x"]));
    all_say(&each_other, deadlock, EVERYONE, &[]);
    let itself = beside_a_spinner(&takes(&["&x", "&x"]), &takes(&["&y"]));
    all_say(&itself, deadlock, EVERYONE, &[]);
    let never_released = beside_a_spinner("  lock acquire &x 4\n", &takes(&["&x"]));
    all_say(&never_released, deadlock, EVERYONE, &[]);
    all_say(&beside_a_spinner(&joins(8), &joins(0)), deadlock, EVERYONE, &[]);
    let holds = format!("  lock acquire &x 4\n{}  lock release &x 4\n", joins(8));
    all_say(&beside_a_spinner(&holds, &takes(&["&x"])), deadlock, EVERYONE, &[]);
    // Where only the spinning thread never ends, there is no deadlock; but no execution completes.
    let fine = beside_a_spinner(&takes(&["&x", "&y"]), &takes(&["&x", "&y"]));
    all_say(&fine, (VerdictKind::Unknown, None), EVERYONE, &[]);
}

#[test]
fn threads_that_join_each_other_wait_for_ever() {
    let text = beside_a_spinner(&joins(8), &joins(0)).replace("  g = spawn spinner (0:64)\n", "");
    all_say(&text, (VerdictKind::No, Some(Failing::Deadlock)), EVERYONE, &[]);
}

/// Numbers that look random.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }

    fn of<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[self.below(words.len() as u64) as usize]
    }

    /// A thread with accesses inside and outside of regions that a lock protects, and what it fails at, if anything.
    fn locking(&mut self) -> String {
        let mut text = String::new();
        let mut held = Vec::new();
        for _ in 0..2 + self.below(4) {
            let (lock, at) = (self.of(&["&x", "&x", "&y"]), self.of(&["&a", "&b"]));
            text += &match self.below(7) {
                0..=2 if !held.contains(&lock) => {
                    held.push(lock);
                    format!("  lock acquire {lock} 4\n")
                }
                0..=2 if !held.is_empty() => {
                    let lock = held.remove(self.below(held.len() as u64) as usize);
                    format!("  lock release {lock} 4\n")
                }
                3 => format!("  store {at} (add r 1:32) 4 [A RLX]\n"),
                4 => format!("  store &c {}:32 4 [NA]\n", 1 + self.below(2)),
                _ => format!("  r = load {at} 4 [A {}]\n", self.of(&["RLX", "ACQ"])),
            };
        }
        while !held.is_empty() && self.below(10) != 0 {
            text += &format!("  lock release {} 4\n", held.pop().unwrap_or_default());
        }
        let fails = self.below(3);
        format!(
            "b0:\n{text}  branch (eq r {}:32) b1 b2\nb1:\n  fail assertion \"r\"\n  end\nb2:\n  return 0:64",
            1 + fails
        )
    }
}

/// Programs with locks, of which engines say the same: what fails first is not the same, but whether something does.
#[test]
fn engines_agree_on_random_programs_with_locks() {
    let mut random = Random(3);
    for n in 0..120 {
        let threads: Vec<String> = (0..2 + n % 2).map(|_| random.locking()).collect();
        let funcs: String = threads
            .iter()
            .enumerate()
            .map(|(t, body)| format!("func f{t} (u) regs [u:64 r:32] {{\n{body}\n}}\n"))
            .collect();
        let spawns: String = (0..threads.len()).map(|t| format!("  g = spawn f{t} (0:64)\n")).collect();
        let objects: String =
            ["x", "y", "a", "b", "c"].map(|o| format!("object {o} size 4 type i32 init [0 4 0:32]\n")).concat();
        let text = format!(
            "\nprogram \"p\"\ndialect C rc11\ntags [A RLX NA REL ACQ X RMW]\n{objects}{funcs}\
             func main () regs [g:64] {{\nb0:\n{spawns}  return _\n}}\nthread main main []\n"
        );
        let model = ["sc", "tso", "ra", "rc11"][n % 4];
        for property in ["assertion", "race", "deadlock"] {
            // Whatever else is wrong ends an exploration.
            let text = if property == "assertion" {
                text.clone()
            } else {
                text.replace("fail assertion \"r\"\n  end", "goto b2")
            };
            let properties = Properties::of(&[property]).unwrap_or_default();
            let run = |reductions| RunOptions { reductions, properties: properties.clone(), ..RunOptions::default() };
            let all = treville_task::Reductions::all();
            let said = |engine: &str, reductions| {
                let (verdict, failure, _) = answers(&text, model, engine, run(reductions));
                (verdict, failure)
            };
            let expected = said("enumerate", all);
            for (engine, reductions) in [("explore", all), ("explore", treville_task::Reductions::NONE), ("bmc", all)] {
                assert_eq!(said(engine, reductions), expected, "{engine} {reductions} {model} {property}\n{text}");
            }
        }
    }
}
