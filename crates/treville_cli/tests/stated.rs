//! Programs in .rar and .rma get the answers that the comments at their tops say: `// VERB OPTIONS… => STATUS TEXT`, where the text
//! is part of what is printed, or `// VERB OPTIONS… => not: TEXT` for what must not be.

mod common;

use common::{read, root, treville};

/// The files of a folder that end like this, sorted.
fn files(folder: &str, ending: &str) -> Vec<String> {
    let entries = std::fs::read_dir(root().join(folder)).expect("the folder is there");
    let names = entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
    let mut names: Vec<String> = names.filter(|name| name.ends_with(ending)).map(|n| format!("{folder}/{n}")).collect();
    names.sort();
    names
}

fn check(folder: &str, ending: &str) {
    let mut n_checks = 0;
    for file in files(folder, ending) {
        let text = read(&file);
        let calls = text.lines().map_while(|line| line.strip_prefix("// ")).filter_map(|line| line.split_once(" => "));
        for (call, wanted) in calls {
            n_checks += 1;
            let mut words: Vec<&str> = call.split_whitespace().collect();
            words.insert(1, &file);
            let run = treville(&words);
            let printed = format!("{}{}", run.stdout, run.stderr);
            let said = format!("{file}: {call}: {}\n{printed}", run.status);
            if let Some(unwanted) = wanted.strip_prefix("not: ") {
                assert!(!printed.contains(unwanted), "{said}");
                continue;
            }
            let (status, part) = wanted.split_once(' ').unwrap_or((wanted, ""));
            assert_eq!(run.status.to_string(), status, "{said}");
            assert!(printed.contains(part), "no `{part}` in {said}");
        }
    }
    assert!(n_checks > 15, "only {n_checks} calls in {folder}");
}

#[test]
fn programs_on_machines() {
    check("cases/rar", ".rar");
}

#[test]
fn programs_on_remote_memory() {
    check("cases/rma", ".rma");
}
