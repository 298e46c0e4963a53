//! Programs that engines once got wrong, with the answers that they must have: `answers.tsv` in `cases/solver` (engines that solve
//! or enumerate) and in `cases/locks` (locks and deadlocks).

use crate::common::{read, treville, words};
use std::collections::BTreeMap;
use treville_trials::{Needs, Trial, test, trial};

/// A call, and what it must answer.
struct Check {
    options: Vec<String>,
    answer: String,
}

pub(crate) fn trials() -> Vec<Trial> {
    let checks = ["solver", "locks"].into_iter().flat_map(checks);
    let of_file = |(file, checks): (String, Vec<Check>)| {
        trial(file.clone(), Needs::of_file(&file), move || {
            let wrong: Vec<String> = checks.iter().filter_map(|check| wrong(&file, check)).collect();
            if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
        })
    };
    checks.map(of_file).chain([test!(nothing_is_concluded_from_a_bound)]).collect()
}

/// What is seen up to the loop bound says nothing of longer executions, whichever verb is asked.
fn nothing_is_concluded_from_a_bound() {
    let file = "cases/solver/late_outcome.litmus";
    let says = |args: &[&str], status: i32, part: &str| {
        let run = treville(args);
        assert_eq!(run.status, status, "{args:?}: {}{}", run.stdout, run.stderr);
        assert!((run.stdout + &run.stderr).contains(part), "{args:?}: {part}");
    };
    // Up to the first bound, the two have the same outcomes.
    let models = ["--model=rc11", "--model=sc"];
    says(&[&["compare", file][..], &models].concat(), 1, "only rc11");
    says(&[&["compare", file, "--bound=2"][..], &models].concat(), 3, "--bound");
    says(&[&["compare", file, "--bound=2", "--engine=enumerate"][..], &models].concat(), 3, "--bound");
    says(&[&["compare", file, "--bound=2", "--accept-bounded"][..], &models].concat(), 0, "up to the loop bound");
    // Six iterations have the outcome; that no candidate has it is only true of fewer.
    says(&["explain", file, "--model=sc", "--bound=2"], 3, "--bound");
    says(&["explain", file, "--model=sc", "--bound=2", "--accept-bounded"], 3, "--bound");
    says(&["explain", file, "--model=sc", "--bound=6", "--accept-bounded"], 0, "forbidden");
}

/// The calls of each file.
fn checks(folder: &str) -> BTreeMap<String, Vec<Check>> {
    let text = read(&format!("cases/{folder}/answers.tsv"));
    let mut checks: BTreeMap<String, Vec<Check>> = BTreeMap::new();
    for row in text.lines().filter(|line| !line.starts_with('#')) {
        let [file, options, answer] = row.split('\t').collect::<Vec<_>>()[..] else { panic!("three columns: {row}") };
        let check = Check { options: words(options), answer: answer.to_owned() };
        checks.entry(format!("cases/{folder}/{file}")).or_default().push(check);
    }
    checks
}

/// The text between two others.
fn between<'a>(text: &'a str, from: &str, to: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(from)?;
    rest.split_once(to).map(|(found, _)| found)
}

/// What is wrong with the verdict and what goes with it, if something is.
fn wrong(file: &str, check: &Check) -> Option<String> {
    let mut args = vec!["verify", "--json", file];
    args.extend(check.options.iter().map(String::as_str));
    let run = treville(&args);
    let verdict = between(&run.stdout, "\"verdict\":\"", "\"").unwrap_or("nothing").to_owned();
    let known = if verdict == "undefined" { "no" } else { &verdict };
    let status = ["yes", "no", "error", "unknown"].iter().position(|status| *status == known);
    let kind = between(&run.stdout, "\"kind\":\"", "\"").map(str::to_owned);
    let states = between(&run.stdout, "\"states\":[", "]").map(|states| states.matches(";\"").count().to_string());
    let found = [Some(verdict), kind, states].into_iter().flatten().collect::<Vec<_>>().join(" ");
    let right = found == check.answer && status == usize::try_from(run.status).ok();
    (!right).then(|| {
        let (options, said, status) = (&check.options, run.stdout + &run.stderr, run.status);
        format!("{options:?}: {found}, exit status {status}, not {}\n{said}", check.answer)
    })
}
