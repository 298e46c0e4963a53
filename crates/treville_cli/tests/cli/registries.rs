//! What is in a registry has a case and a page: models, engines, formats. And each file below cases/ is a test.

use crate::common::{read, root, treville};
use std::collections::BTreeSet;
use std::path::PathBuf;
use treville_trials::{Needs, Trial, files, inputs, relative, test, trial};

/// The trials of the other modules say which files are tests.
pub(crate) fn trials(others: &[Trial]) -> Vec<Trial> {
    let names: BTreeSet<String> = others.iter().map(|trial| trial.name().to_owned()).collect();
    let files_are_tests = move || every_file_is_a_test(&names);
    vec![
        trial("registries::every_file_of_cases_is_a_test", Needs::Nothing, files_are_tests),
        test!(every_model_has_a_page_and_a_case),
        test!(every_engine_has_a_page_and_a_case),
        test!(every_format_is_in_the_guide),
        test!(every_property_is_in_the_guide),
    ]
}

/// Files of `spec` and `corpus` are tests of `treville_testkit`; those of `guide` are on a page, and models belong to tests.
fn every_file_is_a_test(names: &BTreeSet<String>) -> Result<(), String> {
    let pages = texts(&["docs"]).join("\n") + &read("README.md");
    let is_tested = |path: &PathBuf| {
        let name = relative(&root(), path);
        // A program beside its claims, or a model beside its test.
        let stem = name.rsplit_once('.').map_or(name.as_str(), |(stem, _)| stem);
        let belongs = |ending: &str| names.contains(&format!("{name}{ending}"));
        let is_model_of_a_test = name.ends_with(".cat") && names.iter().any(|n| n.starts_with(stem));
        names.contains(&name) || belongs(".inv") || is_model_of_a_test || pages.contains(&name)
    };
    let elsewhere = ["spec", "corpus", "models", "README.md"];
    let files = inputs(&root().join("cases")).into_iter().filter(|path| {
        let name = relative(&root().join("cases"), path);
        !elsewhere.contains(&name.split('/').next().unwrap_or_default()) && !name.ends_with("/answers.tsv")
    });
    let left: Vec<String> = files.filter(|f| !is_tested(f)).map(|f| relative(&root(), &f)).collect();
    if left.is_empty() { Ok(()) } else { Err(format!("nothing tests {}", left.join(", "))) }
}

/// The texts of these folders.
fn texts(folders: &[&str]) -> Vec<String> {
    let text = |path: PathBuf| std::fs::read_to_string(path).unwrap_or_default();
    folders.iter().flat_map(|folder| inputs(&root().join(folder))).map(text).collect()
}

/// The first words of what a verb lists.
fn listed(verb: &str) -> Vec<String> {
    let names: Vec<String> =
        treville(&[verb]).stdout.lines().filter_map(|line| line.split_whitespace().next().map(str::to_owned)).collect();
    assert!(names.len() > 4, "{names:?}");
    names
}

/// Whether some text gives an option this value.
fn is_given(texts: &[String], option: &str, value: &str) -> bool {
    let ends = |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '-');
    let calls = ['=', ' '].map(|sign| format!("{option}{sign}{value}"));
    texts.iter().any(|text| calls.iter().any(|call| text.split(call.as_str()).skip(1).any(ends)))
}

fn every_model_has_a_page_and_a_case() {
    let tables = files(&root().join("cases/corpus"), &["tsv"]);
    let cases = texts(&["cases", "case-studies"]);
    let table = read("models/README.md");
    let rows: Vec<&str> = table.lines().filter_map(|line| line.strip_prefix("| ")?.split('|').next()).collect();
    for model in listed("models") {
        let in_row = |row: &&str| row.split([',', ' ', '(']).any(|word| word == model);
        assert!(rows.iter().any(in_row), "models/README.md has no row for {model}");
        assert!(root().join(format!("models/{model}.md")).is_file(), "models/{model}.md is not there");
        let of_table = tables.iter().any(|table| table.file_stem().is_some_and(|stem| *stem == *model));
        let in_table = cases.iter().any(|text| text.contains(&format!("| {model} |")));
        assert!(of_table || in_table || is_given(&cases, "--model", &model), "no case is about {model}");
    }
}

fn every_engine_has_a_page_and_a_case() {
    let (pages, cases) = (texts(&["docs"]), texts(&["cases", "docs"]));
    for engine in listed("engines") {
        let word = [format!("`{engine}`"), format!("--{engine}")];
        assert!(pages.iter().any(|page| word.iter().any(|word| page.contains(word))), "no page is about {engine}");
        let by_switch = cases.iter().any(|text| text.contains(&word[1]));
        assert!(by_switch || is_given(&cases, "--engine", &engine), "no case and no example asks {engine}");
    }
}

fn every_format_is_in_the_guide() {
    let pages = texts(&["docs"]);
    for verb in ["verify", "show"] {
        let help = treville(&[verb, "-h"]).stdout;
        let (_, about) = help.split_once("--format <").expect("a verb with formats");
        let (_, values) = about.split_once("[possible values: ").expect("a list of formats");
        let values: Vec<&str> = values.split(']').next().unwrap_or_default().split(", ").collect();
        assert!(values.len() > 1, "{values:?}");
        // Text is what is printed anyway.
        for format in values.into_iter().filter(|format| *format != "text") {
            let by_switch = pages.iter().any(|page| page.contains(&format!("--{format}")));
            assert!(by_switch || is_given(&pages, "--format", format), "no page shows {verb} --format {format}");
        }
    }
}

fn every_property_is_in_the_guide() {
    let said = treville(&["verify", "cases/guide/message.c", "--property=no-such-property"]).stderr;
    let (_, known) = said.split_once("there are: ").expect("a list of properties");
    let known: Vec<&str> = known.split(')').next().unwrap_or_default().split(", ").collect();
    assert!(known.len() > 10, "{known:?}");
    let page = read("docs/programs.md");
    for name in known {
        assert!(page.contains(&format!("`{name}`")), "docs/programs.md does not say what {name} is");
    }
}
