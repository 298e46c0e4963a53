//! The primitives of Concurrency Kit in the case study: all of them, every width, every fence. Its structures need the library's source.

use crate::common::{root, treville};
use std::path::Path;
use std::process::Command;
use treville_trials::{Trial, test};

pub(crate) fn trials() -> Vec<Trial> {
    vec![test!(primitives_do_what_they_say, Clang), test!(primitives_run_under_thread_sanitizer, ThreadSanitizer)]
}

const PROGRAM: &str = "case-studies/ck/clients/primitives.c";

fn primitives_do_what_they_say() {
    for wide in ["", " -DCK_PR_DWCAS=1 -mcx16"] {
        let run = treville(&["verify", PROGRAM, &format!("--cflags=-Icase-studies/ck/include{wide}")]);
        assert_eq!(run.status, 0, "{}{}", run.stdout, run.stderr);
        // The flag was seen or not; one of the two last reads, or both.
        assert!(run.stdout.contains("  6 complete executions, 0 blocked\n"), "{}", run.stdout);
    }
    let run = treville(&["verify", PROGRAM, "--cflags=-Icase-studies/ck/include -DFULL=ck_pr_fence_acqrel"]);
    assert!(run.stdout.contains("no, assertion: r || s\n"), "{}{}", run.stdout, run.stderr);
}

fn primitives_run_under_thread_sanitizer() {
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("primitives");
    let built = Command::new("clang")
        .args(["-O1", "-w", "-fsanitize=thread", "-pthread", "-Icase-studies/ck/include", PROGRAM, "-o"])
        .arg(&program)
        .current_dir(root())
        .output()
        .expect("clang runs");
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let run = Command::new(&program).output().expect("the program runs");
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
}
