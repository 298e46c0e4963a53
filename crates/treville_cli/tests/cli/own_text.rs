//! Each bundled model beside its own text given as a file: the same answers on all tests of the corpus. What the tool does only
//! for a model that it knows by name must not change an answer.

use crate::common::{root, treville};
use treville_trials::{Needs, Trial, differences, files, relative, trial};

pub(crate) fn trials() -> Vec<Trial> {
    let tables = files(&root().join("cases/corpus"), &["tsv"]).into_iter().map(|table| {
        let model = table.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let folder = table.parent().map(|folder| relative(&root(), folder)).unwrap_or_default();
        (relative(&root(), &table), folder, model)
    });
    let bundled: Vec<_> = tables.filter(|(.., model)| root().join(format!("models/{model}.cat")).is_file()).collect();
    assert!(bundled.len() >= 10, "{bundled:?}");
    let trial = |(name, folder, model): (String, String, String)| {
        trial(name, Needs::Nothing, move || agree(&folder, &model)).with_kind("own_text")
    };
    bundled.into_iter().map(trial).collect()
}

fn agree(folder: &str, model: &str) -> Result<(), String> {
    let file = format!("models/{model}.cat");
    let bell = format!("models/{model}.bell");
    let mut own = vec![file.as_str()];
    if root().join(&bell).is_file() {
        own.extend(["--bell", bell.as_str()]);
    }
    let (by_name, by_text) = (answers(folder, &[model]), answers(folder, &own));
    let n_tests = files(&root().join(folder), &["litmus"]).len();
    if by_name.len() != n_tests {
        return Err(format!("{} answers for {n_tests} tests", by_name.len()));
    }
    let (by_name, by_text) = (by_name.join("\n"), by_text.join("\n"));
    if by_name == by_text { Ok(()) } else { Err(differences(&by_name, &by_text)) }
}

/// What was answered, without the name of the model and times.
fn answers(folder: &str, model: &[&str]) -> Vec<String> {
    let run = treville(&[&["verify", folder, "--json", "--states", "--model"], model].concat());
    let without = |line: &str, key: &str| {
        let start = line.find(key).unwrap_or(line.len());
        let end = line[start..].find(',').map_or(line.len(), |n| start + n);
        format!("{}{}", &line[..start], &line[end..])
    };
    run.stdout.lines().map(|line| without(&without(line, "\"model\":"), "\"time_ms\":")).collect()
}
