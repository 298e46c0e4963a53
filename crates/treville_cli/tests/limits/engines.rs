//! Limits and signals end every phase: each of these would run for minutes.

use crate::common::{treville, treville_in, write};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use treville_trials::{Trial, test};

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        test!(a_time_limit_ends_every_engine_and_verb),
        test!(a_time_limit_ends_the_compiler, Clang),
        test!(limits_end_the_passes_and_the_analysis_of_a_program, Clang),
        test!(limits_end_the_reading_of_a_program_and_each_pass_over_a_function),
        test!(limits_end_what_comes_before_machines_and_the_relations_of_long_tests),
        test!(limits_hold_for_tests_with_60000_events),
        test!(long_lists_of_names_are_read_in_linear_time),
        test!(limits_end_the_search_for_values_that_many_paths_may_read, Clang),
        test!(limits_end_long_executions_of_models_with_promises, Clang),
        test!(a_signal_ends_the_work_with_what_there_is),
        test!(a_signal_ends_the_work_on_a_program, Clang),
    ]
}

/// A limit of one second must end things soon; this much is for machines with much to do.
const SOON: Duration = Duration::from_secs(20);

/// Threads that each add to one location, in any order.
fn adders(n: usize) -> String {
    let threads: Vec<String> =
        (0..n).map(|i| format!("P{i}(atomic_int *x) {{ int r0 = atomic_fetch_add(x,1); }}\n")).collect();
    let text = format!("C adders\n{{ [x]=0; }}\n{}forall (x={n})\n", threads.concat());
    write(&format!("limits/adders-{n}.litmus"), &text)
}

fn ends_soon(args: &[&str]) {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let start = Instant::now();
    let run = treville(args);
    assert!(start.elapsed() < SOON, "{args:?} took {:?}", start.elapsed());
    assert_eq!(run.status, 3, "{args:?}: {}{}", run.stdout, run.stderr);
}

fn a_time_limit_ends_every_engine_and_verb() {
    let test = adders(12);
    for engine in ["auto", "enumerate", "explore", "bmc"] {
        ends_soon(&["verify", &test, "--timeout=1", "--engine", engine]);
    }
    ends_soon(&["verify", &test, "--timeout=1", "--engine=enumerate", "--plain"]);
    ends_soon(&["verify", &test, "--timeout=1", "--states"]);
    ends_soon(&["compare", &test, "--timeout=1", "--model=c11", "--model=rc11"]);
    ends_soon(&["explain", &test, "--timeout=1", "--outcome", "x=11"]);
    ends_soon(&["show", &test, "--timeout=1", "--outcome", "x=11"]);
}

fn a_time_limit_ends_the_compiler() {
    let slow = write("limits/slow-clang", "#!/bin/sh\nexec sleep 300\n");
    let executable = Command::new("chmod").args(["+x", &slow]).status();
    assert!(executable.is_ok_and(|status| status.success()));
    let start = Instant::now();
    let run = treville_in(&[("TREVILLE_CLANG", &slow)], &["verify", "cases/guide/message.c", "--timeout=1"]);
    assert!(run.status == 3 && start.elapsed() < SOON, "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("the time limit was reached while"), "{}{}", run.stdout, run.stderr);
}

/// Threads that run through nested loops: much to unroll, more to analyse.
fn nested() -> String {
    let body =
        "for (int i = 0; i < 60; i++) for (int j = 0; j < 60; j++) if (atomic_load(&x) == i) atomic_store(&y, j);";
    let thread = |n: usize| format!("static void *t{n}(void *a) {{ {body} return 0; }}\n");
    let create = |n: usize| format!("pthread_create(&h[{n}], 0, t{n}, 0); ");
    let threads: Vec<String> = (0..3).map(thread).collect();
    let starts: Vec<String> = (0..3).map(create).collect();
    let head = "#include <pthread.h>\n#include <stdatomic.h>\natomic_int x, y;\n";
    let main = format!("int main(void) {{ pthread_t h[3]; {}return 0; }}\n", starts.concat());
    write("limits/nested.c", &format!("{head}{}{main}", threads.concat()))
}

fn limits_end_the_passes_and_the_analysis_of_a_program() {
    let program = nested();
    for engine in ["bmc", "enumerate", "auto"] {
        ends_soon(&["verify", &program, "--timeout=1", "--engine", engine]);
    }
    ends_soon(&["verify", &program, "--timeout=1", "--engine=bmc", "--model=aarch64"]);
    let limited = treville(&["verify", &program, "--memory-limit=150", "--engine=bmc", "--timeout=60"]);
    assert_eq!(limited.status, 3, "{}{}", limited.stdout, limited.stderr);
    assert!(limited.stdout.contains("memory limit"), "{}{}", limited.stdout, limited.stderr);
}

/// What a limit may be passed by, in seconds of the processor: machines with much to do give it late, but not more of it.
const PASSED_BY: f64 = 2.0;

/// The seconds of the processor that the children of a shell took: the last line of its `times`, as `0m1.250s 0m0.100s`.
fn seconds_of_children(said: &str) -> f64 {
    let one = |word: &str| {
        let (minutes, rest) = word.split_once('m')?;
        Some(60.0 * minutes.parse::<f64>().ok()? + rest.strip_suffix('s')?.parse::<f64>().ok()?)
    };
    let both = said.lines().last().and_then(|line| line.split_once(' '));
    let sum = both.and_then(|(user, system)| Some(one(user)? + one(system)?));
    sum.unwrap_or_else(|| panic!("no times in: {said}"))
}

/// Runs that are measured go one after the other: side by side they wait for each other's memory.
static ALONE: Mutex<()> = Mutex::new(());

/// A time limit ends this, and little work is done beyond it.
fn is_ended(limit: f64, args: &[&str]) {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let limited = format!("--timeout={limit}");
    let mut shell = Command::new("sh");
    shell.args(["-c", "\"$0\" \"$@\"; echo \"status $?\"; times", env!("CARGO_BIN_EXE_treville")]);
    shell.args(args).arg(&limited).current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let output = shell.output().expect("there is a shell");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains("status 3"), "{args:?}: {said}");
    let worked = seconds_of_children(&said);
    assert!(worked < limit + PASSED_BY, "{args:?} with {limit} s worked for {worked} s");
}

/// One long function, as a compiler writes it: `n` times a load, a branch and a store.
fn long_function(n: usize) -> String {
    let mut text =
        String::from("@g = global i32 0\n\ndefine i32 @main() {\n  %r = alloca i32\n  store i32 0, ptr %r\n");
    for i in 0..n {
        let part = format!(
            "  %a{i} = load i32, ptr %r\n  %b{i} = load i32, ptr @g\n  %c{i} = icmp eq i32 %a{i}, %b{i}\n  \
             br i1 %c{i}, label %t{i}, label %e{i}\nt{i}:\n  %d{i} = add i32 %a{i}, {i}\n  store i32 %d{i}, ptr %r\n  \
             br label %e{i}\ne{i}:\n"
        );
        text.push_str(&part);
    }
    text.push_str("  ret i32 0\n}\n");
    write(&format!("limits/long-{n}.ll"), &text)
}

fn limits_end_the_reading_of_a_program_and_each_pass_over_a_function() {
    // To read it takes seconds, and what is alive where in it takes gigabytes.
    let program = long_function(60_000);
    for engine in ["explore", "bmc", "enumerate"] {
        is_ended(0.1, &["verify", &program, "--engine", engine]);
        is_ended(2.0, &["verify", &program, "--engine", engine]);
    }
    let limited = treville(&["verify", &program, "--memory-limit=400", "--engine=bmc", "--timeout=100"]);
    assert!(limited.stdout.contains("memory limit"), "{}{}", limited.stdout, limited.stderr);
}

/// Programs and tests that machines are to run are prepared under the limits, and relations are computed under them.
fn limits_end_what_comes_before_machines_and_the_relations_of_long_tests() {
    let program = long_function(60_000);
    let claims = write("limits/long-60000.ll.inv", "invariant i: 1 == 1;\n");
    assert_eq!(claims, format!("{program}.inv"));
    is_ended(4.0, &["verify", &claims]);
    let loads = " LDR W0,[X1] ;\n".repeat(4000);
    let test = format!("AArch64 long\n{{ x=0; 0:X1=x; }}\n P0 ;\n{loads}exists (x=1)\n");
    is_ended(1.0, &["verify", &write("limits/long.litmus", &test), "--engine=enumerate"]);
}

/// Little work is done on this, long before a limit: it is refused, or read in time that grows with its length.
fn is_quick(status: i32, args: &[&str]) {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let mut shell = Command::new("sh");
    shell.args(["-c", "\"$0\" \"$@\" >&2; echo \"status $?\"; times", env!("CARGO_BIN_EXE_treville")]);
    let output = shell.args(args).args(["--timeout=60"]).output().expect("there is a shell");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains(&format!("status {status}")), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    let worked = seconds_of_children(&said);
    assert!(worked < 1.0 + PASSED_BY, "{args:?} worked for {worked} s");
}

fn limits_hold_for_tests_with_60000_events() {
    let stores = " STR W0,[X1] | STR W0,[X1] ;\n".repeat(30_000);
    let reads = " LDR W0,[X1] | STR W2,[X1] ;\n".repeat(30_000);
    for (name, code) in [("stores", stores), ("reads", reads)] {
        let text = format!("AArch64 {name}\n{{ x=0; 0:X1=x; 1:X1=x; }}\n P0 | P1 ;\n{code}exists (x=1)\n");
        let test = write(&format!("limits/{name}-60000.litmus"), &text);
        for engine in ["enumerate", "explore", "bmc"] {
            is_quick(3, &["verify", &test, "--engine", engine]);
        }
    }
}

fn long_lists_of_names_are_read_in_linear_time() {
    let names: Vec<String> = (0..60_000).map(|i| format!("x{i}")).collect();
    let pts = format!("{{{}}}\nthread t0 {{ x1.store(_rx, 1); }}\nexists (x1 = 1)\n", names.join(", "));
    is_quick(0, &["verify", &write("limits/names.pts", &pts)]);
    let claims: Vec<String> = names.iter().map(|name| format!("invariant {name}: 1 == 1;\n")).collect();
    let rar = format!("init y = 0;\nthread t {{ y := 1; }}\n{}", claims.concat());
    is_quick(0, &["verify", &write("limits/names.rar", &rar)]);
    let equations: Vec<String> = names.windows(2).map(|w| format!("and {} = {} | rf\n", w[1], w[0])).collect();
    let cat = write("limits/names.cat", &format!("\"names\"\nlet rec x0 = po\n{}acyclic x1\n", equations.concat()));
    is_quick(2, &["verify", &adders(2), "--model", &cat]);
}

fn limits_end_the_search_for_values_that_many_paths_may_read() {
    is_ended(6.0, &["verify", "cases/locks/spinner_dead_recursive.c", "--engine=enumerate"]);
}

fn limits_end_long_executions_of_models_with_promises() {
    let access = |x: &str, y: &str| {
        format!(
            "for (int i = 0; i < 1000; i++) {{ atomic_store_explicit(&{x}, i, memory_order_relaxed); \
             atomic_load_explicit(&{y}, memory_order_relaxed); }}"
        )
    };
    let (other, main) = (access("x", "y"), access("y", "x"));
    let text = format!(
        "#include <pthread.h>\n#include <stdatomic.h>\natomic_int x, y;\nstatic void *t(void *a) {{ {other} return 0; }}\n\
         int main(void) {{ pthread_t h; pthread_create(&h, 0, t, 0); {main} return 0; }}\n"
    );
    let program = write("limits/promises.c", &text);
    is_ended(1.0, &["verify", &program, "--engine=explore", "--model=imm"]);
}

/// Runs until a signal comes, which must end it soon.
fn ends_at_signal(args: &[&str], signal: &str) {
    let child = Command::new(env!("CARGO_BIN_EXE_treville")).args(args).stdout(Stdio::piped()).spawn();
    let child = child.expect("the binary runs");
    std::thread::sleep(Duration::from_secs(1));
    let start = Instant::now();
    assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().is_ok_and(|s| s.success()));
    let output = child.wait_with_output().expect("the binary ends");
    assert!(start.elapsed() < SOON, "{signal} took {:?}", start.elapsed());
    let said = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(3), "{args:?} {signal}: {said}");
    assert!(said.contains("interrupted"), "{args:?} {signal}: {said}");
}

fn a_signal_ends_the_work_with_what_there_is() {
    for signal in ["-INT", "-TERM"] {
        for engine in ["enumerate", "bmc"] {
            ends_at_signal(&["verify", &adders(12), "--engine", engine], signal);
            ends_at_signal(&["verify", &adders(12), "--engine", engine, "--states"], signal);
        }
    }
}

fn a_signal_ends_the_work_on_a_program() {
    for signal in ["-INT", "-TERM"] {
        ends_at_signal(&["verify", &nested(), "--engine=bmc"], signal);
    }
}
