//! Programs in .pts get the answers that the comments at their tops say: ` * verify OPTIONS… VERDICT`. Those of cases/pts get
//! them, and the same final states, from every engine.

mod common;

use common::{root, treville, words};
use std::fs;
use std::path::Path;

const ENGINES: &[&[&str]] =
    &[&["--engine=enumerate"], &["--engine=enumerate", "--plain"], &["--engine=bmc"], &["--engine=explore"]];

struct Check {
    file: String,
    options: Vec<String>,
    verdict: String,
}

#[test]
fn every_engine_gives_the_answers_that_cases_say() {
    let checks = checks("cases/pts");
    assert!(checks.len() >= 150, "only {} checks were found", checks.len());
    run(&checks, |check| {
        let answers = ENGINES.iter().map(|engine| (engine, answer(check, engine)));
        let mut states: Option<String> = None;
        for (engine, (verdict, json)) in answers {
            if verdict != check.verdict {
                return Some(format!("{} by {engine:?}: {json}", check.file));
            }
            let listed = part(&json, "\"states\":[", "]");
            if states.get_or_insert_with(|| listed.clone()) != &listed {
                return Some(format!("{} by {engine:?}: {listed}, and others say {states:?}", check.file));
            }
        }
        None
    });
}

#[test]
fn kernels_get_the_answers_that_they_say() {
    let checks = checks("case-studies/mutex");
    assert!(checks.len() >= 100, "only {} checks were found", checks.len());
    run(&checks, |check| {
        let (verdict, json) = answer(check, &[]);
        // A bound that no execution gets through would make everything safe.
        let vacuous = part(&json, "\"states\":[", "]").is_empty();
        let wrong = verdict != check.verdict || vacuous;
        wrong.then(|| format!("{} {:?}: {json}", check.file, check.options))
    });
}

/// Two at a time.
fn run(checks: &[Check], wrong: impl Fn(&Check) -> Option<String> + Sync) {
    let half = checks.len().div_ceil(2);
    let wrong: Vec<String> = std::thread::scope(|scope| {
        let part = |part| {
            let wrong = &wrong;
            scope.spawn(move || Vec::from_iter(<[Check]>::iter(part).filter_map(wrong)))
        };
        let parts: Vec<_> = checks.chunks(half).map(part).collect();
        parts.into_iter().flat_map(|part| part.join().unwrap_or_else(|_| vec!["a panic".to_owned()])).collect()
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn checks(folder: &str) -> Vec<Check> {
    let entries = fs::read_dir(root().join(folder)).expect("the folder");
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    names.retain(|name| Path::new(name).extension().is_some_and(|e| e == "pts"));
    names.sort();
    let read = |name: &String| {
        let file = format!("{folder}/{name}");
        let text = fs::read_to_string(root().join(&file)).expect("the program can be read");
        let calls: Vec<Check> =
            text.lines().filter_map(|line| line.strip_prefix(" * verify")).map(|call| check(&file, call)).collect();
        assert!(!calls.is_empty(), "{file} says nothing");
        calls
    };
    names.iter().flat_map(read).collect()
}

fn check(file: &str, call: &str) -> Check {
    let mut options = words(call);
    let verdict = options.pop().expect("a verdict");
    Check { file: file.to_owned(), options, verdict }
}

/// The verdict, and all that was printed.
fn answer(check: &Check, engine: &[&str]) -> (String, String) {
    let mut args = vec!["verify", check.file.as_str(), "--json", "--states"];
    args.extend(check.options.iter().map(String::as_str).chain(engine.iter().copied()));
    let run = treville(&args);
    let status = match check.verdict.as_str() {
        "yes" => 0,
        "no" | "undefined" => 1,
        _ => 3,
    };
    if run.status != status {
        return (format!("exit status {}", run.status), format!("{}{}", run.stdout, run.stderr));
    }
    (part(&run.stdout, "\"verdict\":\"", "\""), format!("{}{}", run.stdout, run.stderr))
}

fn part(text: &str, begin: &str, end: &str) -> String {
    let after = text.split_once(begin).map_or("", |(_, after)| after);
    after.split_once(end).map_or("", |(part, _)| part).to_owned()
}
