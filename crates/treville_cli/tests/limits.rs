//! Limits and signals end every phase: each of these would run for minutes.

mod common;

use common::{has_clang, treville, treville_in, write};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

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
    let start = Instant::now();
    let run = treville(args);
    assert!(start.elapsed() < SOON, "{args:?} took {:?}", start.elapsed());
    assert_eq!(run.status, 3, "{args:?}: {}{}", run.stdout, run.stderr);
}

#[test]
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

#[test]
fn a_time_limit_ends_the_compiler() {
    if !has_clang() {
        return;
    }
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

#[test]
fn limits_end_the_passes_and_the_analysis_of_a_program() {
    if !has_clang() {
        return;
    }
    let program = nested();
    for engine in ["bmc", "enumerate", "auto"] {
        ends_soon(&["verify", &program, "--timeout=1", "--engine", engine]);
    }
    ends_soon(&["verify", &program, "--timeout=1", "--engine=bmc", "--model=aarch64"]);
    let limited = treville(&["verify", &program, "--memory-limit=150", "--engine=bmc", "--timeout=60"]);
    assert_eq!(limited.status, 3, "{}{}", limited.stdout, limited.stderr);
    assert!(limited.stdout.contains("memory limit"), "{}{}", limited.stdout, limited.stderr);
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

#[test]
fn a_signal_ends_the_work_with_what_there_is() {
    for signal in ["-INT", "-TERM"] {
        for engine in ["enumerate", "bmc"] {
            ends_at_signal(&["verify", &adders(12), "--engine", engine], signal);
            ends_at_signal(&["verify", &adders(12), "--engine", engine, "--states"], signal);
        }
        if has_clang() {
            ends_at_signal(&["verify", &nested(), "--engine=bmc"], signal);
        }
    }
}
