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

#[test]
fn a_signal_ends_the_work_with_what_there_is() {
    for signal in ["-INT", "-TERM"] {
        let child = Command::new(env!("CARGO_BIN_EXE_treville"))
            .args(["verify", &adders(12), "--engine=enumerate"])
            .stdout(Stdio::piped())
            .spawn();
        let child = child.expect("the binary runs");
        std::thread::sleep(Duration::from_secs(1));
        let start = Instant::now();
        assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().is_ok_and(|s| s.success()));
        let output = child.wait_with_output().expect("the binary ends");
        assert!(start.elapsed() < SOON, "{signal} took {:?}", start.elapsed());
        assert_eq!(output.status.code(), Some(3), "{signal}");
        assert!(String::from_utf8_lossy(&output.stdout).contains("unknown, interrupted"));
    }
}
