//! Programs in cases/loops get the answers that the comments at their tops say, `// verify OPTIONS…: ANSWER`: with reductions, without
//! them, and from other engines. Each is about something that a reduction on loops or equal threads must not leave out.

use crate::common::{read, root, treville, words};
use treville_trials::{Needs, Trial, inputs, relative, trial};

pub(crate) fn trials() -> Vec<Trial> {
    let names = inputs(&root().join("cases/loops")).into_iter().map(|file| relative(&root(), &file));
    let names: Vec<String> = names.collect();
    let n_checks: usize = names.iter().map(|file| checks(&read(file)).count()).sum();
    assert!(n_checks >= 100, "only {n_checks} answers are said in cases/loops");
    let trial = |file: String| trial(file.clone(), Needs::of_file(&file), move || check(&file));
    names.into_iter().map(trial).collect()
}

/// Options, and how the answer begins.
fn checks(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let lines = text.lines().filter_map(|line| line.strip_prefix("// verify"));
    lines.map(|line| line.split_once(": ").expect("options, and an answer"))
}

fn check(file: &str) -> Result<(), String> {
    let text = read(file);
    if checks(&text).next().is_none() {
        return Err("it says no answer".to_owned());
    }
    let wrong: Vec<String> = checks(&text).filter_map(|(options, begin)| wrong(file, options, begin)).collect();
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
}

/// What is wrong with the answer, if something is.
fn wrong(file: &str, options: &str, begin: &str) -> Option<String> {
    let own = words(options.trim());
    let options = own.iter().map(String::as_str);
    let args: Vec<&str> = ["verify", file, "--timeout", "120"].into_iter().chain(options).collect();
    let run = treville(&args);
    let answer = run.stdout.lines().next().and_then(|line| line.split_once(": ")).map_or("", |(_, answer)| answer);
    (!answer.starts_with(begin)).then(|| format!("{own:?}, not {begin}: {}{}", run.stdout, run.stderr))
}
