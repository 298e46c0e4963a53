//! The programs in case-studies/ get the answers that their comments say: ` * verify OPTIONS… VERDICT`, with the kinds of
//! violation of which one must be found after `no`, and after `yes` how many executions there are, complete and blocked, as `24+0`.

mod common;

use common::{has_clang, root, treville, words};
use std::fs;
use std::path::PathBuf;

struct Check {
    file: String,
    options: Vec<String>,
    verdict: String,
    kinds: Vec<String>,
    /// Complete and blocked executions.
    counts: Option<(u64, u64)>,
}

#[test]
fn programs_get_the_answers_that_they_say() {
    if !has_clang() {
        return;
    }
    let checks: Vec<Check> = programs().iter().flat_map(checks).collect();
    assert!(checks.len() >= 150, "only {} checks were found", checks.len());
    let wrong: Vec<String> = answers(&checks, &[]).into_iter().filter_map(Answer::wrong).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The engine that takes them up to a bound, which grows until nothing is cut, says the same as far as its time goes.
#[test]
fn bmc_says_the_same() {
    if !has_clang() {
        return;
    }
    let checks: Vec<Check> = programs().iter().flat_map(checks).collect();
    let answers = answers(&checks, &["--engine=bmc", "--timeout=2"]);
    let right = answers.iter().filter(|answer| matches!(answer, Answer::Right)).count();
    let wrong: Vec<String> = answers.into_iter().filter_map(Answer::wrong).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(right >= 100, "only {right} of {} were decided", checks.len());
}

/// Why engines for tests do not take programs with words of which halves are accessed, too.
const IN_PARTS: &str = "an atomic access to memory of which parts are accessed by themselves is not supported";

/// Why they do not take the explicit interface to unknown values.
const HANDLES: &str = "a handle of a value that is not determined is not for this engine";

/// What came of a check.
enum Answer {
    Right,
    /// The time was over, or the engine does not take the program.
    Open,
    Wrong(String),
}

impl Answer {
    fn wrong(self) -> Option<String> {
        if let Answer::Wrong(why) = self { Some(why) } else { None }
    }
}

/// The answers with further options, by two threads.
fn answers(checks: &[Check], more: &[&str]) -> Vec<Answer> {
    let half = checks.len().div_ceil(2);
    std::thread::scope(|scope| {
        let run = |part: &[Check]| part.iter().map(|check| answer(check, more)).collect::<Vec<Answer>>();
        let parts: Vec<_> = checks.chunks(half).map(|part| scope.spawn(move || run(part))).collect();
        let failed = |_| vec![Answer::Wrong("a panic".to_owned())];
        parts.into_iter().flat_map(|part| part.join().unwrap_or_else(failed)).collect()
    })
}

fn programs() -> Vec<PathBuf> {
    let folders =
        ["locks", "mutex", "nondet", "peterson", "structures"].map(|name| root().join("case-studies").join(name));
    let entries = folders.iter().flat_map(|folder| fs::read_dir(folder).expect("the folder"));
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.retain(|file| file.extension().is_some_and(|e| e == "c"));
    files.sort();
    files
}

fn checks(file: &PathBuf) -> Vec<Check> {
    let text = fs::read_to_string(file).expect("the program can be read");
    let name = file.strip_prefix(root()).unwrap_or(file).display().to_string();
    let calls = text.lines().filter_map(|line| line.strip_prefix(" * verify"));
    let found: Vec<Check> = calls.map(|call| check(&name, call)).collect();
    assert!(found.iter().any(|c| c.verdict == "yes") && found.iter().any(|c| c.verdict == "no"), "{name}");
    found
}

fn check(file: &str, call: &str) -> Check {
    let mut options = words(call);
    let mut last = options.pop().expect("a verdict");
    let counts = last.split_once('+').and_then(|(n, m)| Some((n.parse().ok()?, m.parse().ok()?)));
    if counts.is_some() {
        last = options.pop().expect("a verdict");
    }
    let (verdict, kinds) = match options.last().map(String::as_str) {
        Some("no") => {
            options.pop();
            ("no".to_owned(), last.split('/').map(str::to_owned).collect())
        }
        _ => (last, Vec::new()),
    };
    Check { file: file.to_owned(), options, verdict, kinds, counts }
}

fn answer(check: &Check, more: &[&str]) -> Answer {
    let mut args = vec!["verify", check.file.as_str(), "--json"];
    args.extend(check.options.iter().map(String::as_str).chain(more.iter().copied()));
    let run = treville(&args);
    let says = |key: &str, value: &str| run.stdout.contains(&format!("\"{key}\":\"{value}\""));
    let status = match check.verdict.as_str() {
        "yes" => 0,
        "no" => 1,
        _ => 3,
    };
    let right = run.status == status
        && says("verdict", &check.verdict)
        && (check.verdict != "no" || check.kinds.iter().any(|kind| says("kind", kind)))
        && check.counts.filter(|_| more.is_empty()).is_none_or(|(executions, blocked)| {
            run.stdout.contains(&format!("\"executions\":{executions},\"blocked\":{blocked},"))
        });
    if right {
        Answer::Right
    } else if says("reason", "the time limit was reached") || says("reason", IN_PARTS) || run.stdout.contains(HANDLES) {
        Answer::Open
    } else {
        Answer::Wrong(format!("{} {}: {}{}", check.file, check.options.join(" "), run.stdout, run.stderr))
    }
}
