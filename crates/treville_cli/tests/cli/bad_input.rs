//! Programs that cannot be checked: each file of cases/bad-input/ gets the message and the exit status of the `.expect` file
//! beside it. With TREVILLE_BLESS=1 these are rewritten; the difference is for a person to review.

use crate::common::{root, treville, treville_in};
use std::path::Path;
use treville_trials::{Needs, Trial, golden, inputs, relative, test, trial};

pub(crate) fn trials() -> Vec<Trial> {
    let of_file = |path: std::path::PathBuf| {
        let name = relative(&root(), &path);
        trial(name.clone(), Needs::of_file(&name), move || {
            let run = treville(&["verify", &name]);
            let printed = format!("{}{}[exit status {}]\n", run.stdout, run.stderr, run.status);
            golden(Path::new(&format!("{}.expect", path.display())), &printed)
        })
    };
    let files = inputs(&root().join("cases/bad-input")).into_iter().map(of_file);
    files.chain([test!(a_missing_compiler_is_said), test!(properties_of_programs_are_not_for_litmus_tests)]).collect()
}

fn a_missing_compiler_is_said() {
    let run = treville_in(&[("TREVILLE_CLANG", "/nowhere/clang")], &["verify", "cases/bad-input/no-main.c"]);
    assert_eq!(run.status, 2, "{}", run.stderr);
    assert!(run.stderr.starts_with("error: there is no compiler `/nowhere/clang`\n"), "{}", run.stderr);
    assert!(run.stderr.contains("TREVILLE_CLANG"), "{}", run.stderr);
    let run = treville_in(&[("TREVILLE_CLANG", ""), ("PATH", "")], &["verify", "cases/bad-input/no-main.c"]);
    assert_eq!(run.status, 2, "{}", run.stderr);
    assert!(run.stderr.starts_with("error: clang is needed to read C and C++, and was not found\n"), "{}", run.stderr);
    assert!(run.stderr.contains("install clang"), "{}", run.stderr);
}

fn properties_of_programs_are_not_for_litmus_tests() {
    let run = treville(&["verify", "cases/guide/SB.litmus", "--property=race"]);
    assert_eq!(run.status, 2, "{}", run.stdout);
    assert!(run.stderr.contains("is about programs"), "{}", run.stderr);
    let run = treville(&["verify", "cases/guide/message.c", "--property=nonsense"]);
    assert_eq!(run.status, 2);
    assert!(run.stderr.contains("there is no such property"), "{}", run.stderr);
}
