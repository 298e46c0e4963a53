//! Programs that engines which solve or enumerate once got wrong, with the answers that they must have: `cases/solver/answers.tsv`.

mod common;

use common::{has_clang, read, treville, words};

/// A call, and what it must answer.
struct Check {
    file: String,
    options: Vec<String>,
    answer: String,
}

fn checks() -> Vec<Check> {
    let text = read("cases/solver/answers.tsv");
    let rows = text.lines().filter(|line| !line.starts_with('#'));
    let check = |row: &str| {
        let [file, options, answer] = row.split('\t').collect::<Vec<_>>()[..] else { panic!("three columns: {row}") };
        let options = words(options).into_iter().filter(|word| !word.is_empty()).collect();
        Check { file: format!("cases/solver/{file}"), options, answer: answer.to_owned() }
    };
    rows.map(check).collect()
}

/// The text between two others.
fn between<'a>(text: &'a str, from: &str, to: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(from)?;
    rest.split_once(to).map(|(found, _)| found)
}

/// Verdict and what goes with it, as the table has them.
fn answer(check: &Check) -> (String, String) {
    let mut args = vec!["verify", "--json", check.file.as_str()];
    args.extend(check.options.iter().map(String::as_str));
    let run = treville(&args);
    let verdict = between(&run.stdout, "\"verdict\":\"", "\"").unwrap_or("nothing").to_owned();
    let expected = ["yes", "no", "error", "unknown"].iter().position(|known| *known == verdict);
    assert_eq!(expected, usize::try_from(run.status).ok(), "exit status of {args:?}");
    let kind = between(&run.stdout, "\"kind\":\"", "\"").map(str::to_owned);
    let states = between(&run.stdout, "\"states\":[", "]").map(|states| states.matches(";\"").count().to_string());
    let answer = [Some(verdict), kind, states].into_iter().flatten().collect::<Vec<_>>().join(" ");
    (answer, run.stdout + &run.stderr)
}

#[test]
fn answers_are_right() {
    let runs = |check: &&Check| has_clang() || !check.file.ends_with(".c");
    let mut wrong = Vec::new();
    for check in checks().iter().filter(runs) {
        let (found, all) = answer(check);
        if found != check.answer {
            wrong.push(format!("{} {:?}: {found}, not {}\n{all}", check.file, check.options, check.answer));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
