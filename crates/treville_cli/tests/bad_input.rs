//! Programs that cannot be checked: each file of cases/bad-input/ gets the message and the exit status of the `.expect` file
//! beside it. With TREVILLE_BLESS=1 these are rewritten; the difference is for a person to review.

mod common;

use common::{has_clang, root, treville, treville_in};
use std::fs;
use std::path::PathBuf;

fn programs() -> Vec<PathBuf> {
    let entries = fs::read_dir(root().join("cases/bad-input")).expect("the folder cases/bad-input");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.retain(|file| file.extension().is_some_and(|e| e != "expect"));
    files.sort();
    files
}

#[test]
fn messages_say_what_is_wrong_and_where() {
    let bless = std::env::var_os("TREVILLE_BLESS").is_some();
    let mut wrong = Vec::new();
    let mut checked = 0;
    for file in programs() {
        let is_of_c = |name: &str| name.ends_with(".c") || name.ends_with(".c.inv");
        let needs_clang = file.to_str().is_some_and(is_of_c);
        if needs_clang && !has_clang() {
            continue;
        }
        checked += 1;
        let name = format!("cases/bad-input/{}", file.file_name().unwrap_or_default().to_string_lossy());
        let run = treville(&["verify", &name]);
        let printed = format!("{}{}[exit status {}]\n", run.stdout, run.stderr, run.status);
        let expected = PathBuf::from(format!("{}.expect", file.display()));
        if bless {
            fs::write(&expected, &printed).expect("the expectation can be written");
        } else if fs::read_to_string(&expected).map_or(true, |text| text != printed) {
            wrong.push(format!("{name}:\n{printed}"));
        }
    }
    assert!(checked >= 3, "only {checked} programs were found");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
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

#[test]
fn properties_of_programs_are_not_for_litmus_tests() {
    let run = treville(&["verify", "cases/guide/SB.litmus", "--property=race"]);
    assert_eq!(run.status, 2, "{}", run.stdout);
    assert!(run.stderr.contains("is about programs"), "{}", run.stderr);
    let run = treville(&["verify", "cases/guide/message.c", "--property=nonsense"]);
    assert_eq!(run.status, 2);
    assert!(run.stderr.contains("there is no such property"), "{}", run.stderr);
}
