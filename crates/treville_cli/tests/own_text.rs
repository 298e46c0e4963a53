//! Each bundled model beside its own text given as a file: the same answers on all tests of the corpus. What the tool does only
//! for a model that it knows by name must not change an answer.

mod common;

use common::{root, treville};
use std::fs;

/// The tests of a folder with the models that its tables name.
fn suites() -> Vec<(String, String)> {
    let corpus = root().join("cases/corpus");
    let mut suites = Vec::new();
    for folder in fs::read_dir(&corpus).expect("the corpus").map(|entry| entry.expect("an entry").path()) {
        for table in fs::read_dir(&folder).expect("a suite").map(|entry| entry.expect("an entry").path()) {
            let model = table.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            if table.extension().is_some_and(|e| e == "tsv") && root().join(format!("models/{model}.cat")).is_file() {
                let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
                suites.push((format!("cases/corpus/{name}"), model));
            }
        }
    }
    suites.sort();
    suites
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

#[test]
fn the_text_of_a_bundled_model_gives_its_answers() {
    let suites = suites();
    assert!(suites.len() >= 10, "{suites:?}");
    let mut compared = 0;
    for (folder, model) in suites {
        let file = format!("models/{model}.cat");
        let bell = format!("models/{model}.bell");
        let mut own = vec![file.as_str()];
        if root().join(&bell).is_file() {
            own.extend(["--bell", bell.as_str()]);
        }
        let (by_name, by_text) = (answers(&folder, &[&model]), answers(&folder, &own));
        assert!(!by_name.is_empty(), "{folder} under {model}");
        assert_eq!(by_name, by_text, "{folder} under {model}");
        compared += by_name.len();
    }
    assert!(compared > 300, "only {compared} answers");
}
