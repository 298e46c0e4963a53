//! Programs in cases/loops get the answers that the comments at their tops say, `// verify OPTIONS…: ANSWER`: with reductions, without
//! them, and from other engines. Each is about something that a reduction on loops or equal threads must not leave out.

mod common;

use common::{has_clang, read, root, treville, words};

struct Check {
    file: String,
    options: Vec<String>,
    answer: String,
}

fn checks() -> Vec<Check> {
    let folder = std::fs::read_dir(root().join("cases/loops")).expect("a folder of cases");
    let mut files: Vec<String> = folder
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .map(|f| format!("cases/loops/{f}"))
        .collect();
    files.sort();
    files.iter().flat_map(|file| of_file(file)).collect()
}

fn of_file(file: &str) -> Vec<Check> {
    let text = read(file);
    let lines = text.lines().filter_map(|line| line.strip_prefix("// verify"));
    let found: Vec<Check> = lines
        .map(|line| {
            let (options, answer) = line.split_once(": ").expect("options, and an answer");
            Check {
                file: file.to_owned(),
                options: words(options.trim()).into_iter().filter(|w| !w.is_empty()).collect(),
                answer: answer.to_owned(),
            }
        })
        .collect();
    assert!(!found.is_empty(), "{file} says no answer");
    found
}

/// What is wrong with the answer, if something is.
fn wrong(check: &Check) -> Option<String> {
    let options = check.options.iter().map(String::as_str);
    let args: Vec<&str> = ["verify", check.file.as_str(), "--timeout", "120"].into_iter().chain(options).collect();
    let run = treville(&args);
    let answer = run.stdout.lines().next().and_then(|line| line.split_once(": ")).map_or("", |(_, answer)| answer);
    let wrong = !answer.starts_with(&check.answer);
    wrong.then(|| format!("{} {:?}: {}{}", check.file, check.options, run.stdout, run.stderr))
}

#[test]
fn nothing_is_lost_in_loops_and_equal_threads() {
    if !has_clang() {
        return;
    }
    let checks = checks();
    assert!(checks.len() >= 100, "only {} checks were found", checks.len());
    // Two at a time: most take long because clang is started for each.
    let wrong: Vec<String> = std::thread::scope(|scope| {
        let halves = checks.chunks(checks.len().div_ceil(2));
        let workers: Vec<_> =
            halves.map(|half| scope.spawn(|| half.iter().filter_map(wrong).collect::<Vec<_>>())).collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("a worker that ends")).collect()
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
