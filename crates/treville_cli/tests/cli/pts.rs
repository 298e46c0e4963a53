//! Programs in .pts get the answers that the comments at their tops say: ` * verify OPTIONS… VERDICT`. Those of cases/pts get
//! them, and the same final states, from every engine.

use crate::common::{read, root, treville, words};
use treville_trials::{Needs, Trial, files, relative, trial};

const ENGINES: &[&[&str]] =
    &[&["--engine=enumerate"], &["--engine=enumerate", "--plain"], &["--engine=bmc"], &["--engine=explore"]];

struct Check {
    file: String,
    options: Vec<String>,
    verdict: String,
}

pub(crate) fn trials() -> Vec<Trial> {
    let cases = of_folder("cases/pts", 150, from_every_engine);
    cases.into_iter().chain(of_folder("case-studies/mutex", 100, of_a_kernel)).collect()
}

/// A trial for each program of a folder, which together say at least so many answers.
fn of_folder(folder: &str, at_least: usize, wrong: fn(&Check) -> Option<String>) -> Vec<Trial> {
    let mut n_checks = 0;
    let mut trials = Vec::new();
    for file in files(&root().join(folder), &["pts"]) {
        let name = relative(&root(), &file);
        let checks = checks(&name);
        n_checks += checks.len();
        let check = move || {
            let wrong: Vec<String> = checks.iter().filter_map(wrong).collect();
            match (checks.is_empty(), wrong.is_empty()) {
                (true, _) => Err("it says no answer".to_owned()),
                (_, true) => Ok(()),
                (_, false) => Err(wrong.join("\n")),
            }
        };
        trials.push(trial(name, Needs::Nothing, check));
    }
    assert!(n_checks >= at_least, "only {n_checks} answers are said in {folder}");
    trials
}

fn from_every_engine(check: &Check) -> Option<String> {
    let mut states: Option<String> = None;
    for engine in ENGINES {
        let (verdict, json) = answer(check, engine);
        if verdict != check.verdict {
            return Some(format!("{:?} by {engine:?}: {json}", check.options));
        }
        let listed = part(&json, "\"states\":[", "]");
        if states.get_or_insert_with(|| listed.clone()) != &listed {
            return Some(format!("{:?} by {engine:?}: {listed}, and others say {states:?}", check.options));
        }
    }
    None
}

fn of_a_kernel(check: &Check) -> Option<String> {
    let (verdict, json) = answer(check, &[]);
    // A bound that no execution gets through would make everything safe.
    let vacuous = part(&json, "\"states\":[", "]").is_empty();
    let wrong = verdict != check.verdict || vacuous;
    wrong.then(|| format!("{:?}: {json}", check.options))
}

fn checks(file: &str) -> Vec<Check> {
    read(file).lines().filter_map(|line| line.strip_prefix(" * verify")).map(|call| check(file, call)).collect()
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
