//! Lowers every file of `test_data/run` and `test_data/runtime` and explores the program.
//!
//! The first lines of a file say what comes out: `; rc11: 3` is a number of executions, `; sc: assertion` a failure. Files in
//! C are compiled first. Those in `test_data/refused` say the message that refuses them, with its line.

use crate::of_files;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use treville_base::{Cancel, Diagnostic, SourceMap};
use treville_explore::Explore;
use treville_ir::{Program, validate};
use treville_llvm::{Clang, CompileOptions, LowerOptions, lower, parse};
use treville_model::{KnownModel, ModelFacts};
use treville_task::{Reductions, Semantics, Task};
use treville_trials::Trial;

pub(crate) fn trials() -> Vec<Trial> {
    let trials = [
        of_files("run", "instructions_do_what_they_should", runs_as_expected),
        of_files("runtime", "the_runtime_does_what_it_should", runs_as_expected),
        of_files("refused", "what_cannot_be_lowered_is_said_with_its_place", is_refused),
    ];
    trials.into_iter().flatten().collect()
}

fn read_file(path: &str) -> Option<String> {
    fs::read_to_string(path).ok()
}

/// The program of a file, with its texts.
fn program(path: &Path, text: &str) -> (SourceMap, Result<Program, Vec<Diagnostic>>) {
    let mut sources = SourceMap::new();
    let name = path.display().to_string();
    let compiled = if name.ends_with(".ll") {
        Ok(text.to_owned())
    } else {
        sources.add(name.as_str(), text);
        let clang = Clang::find().expect("a compiler");
        clang.compile(path, &CompileOptions::default(), &mut sources, &read_file).map(|compiled| compiled.ir)
    };
    let program = compiled.and_then(|ir| {
        let file = sources.add(format!("{name}.ll"), ir.as_str());
        lower(
            &parse(file, &ir)?,
            &LowerOptions { name: &name, entry: "main", weak_cas: false, cancel: &Cancel::new() },
            &mut sources,
            &mut read_file,
        )
    });
    (sources, program)
}

fn known(model: &str) -> KnownModel {
    let facts = treville_cat::model_facts(model).and_then(ModelFacts::built_in);
    facts.unwrap_or_else(|| panic!("{model} is not built in"))
}

/// What exploration says, in the words of the expectation.
fn explored(program: &Program, model: &str) -> String {
    let task = Task {
        reductions: Reductions::counted(),
        properties: treville_ir::Failure::USUAL.iter().copied().collect(),
        ..Task::new(
            Arc::new(treville_passes::run(program, &treville_passes::Options::default())),
            Semantics::BuiltIn(known(model)),
        )
    };
    match Explore.explore(&task) {
        Err(why) => why.what,
        Ok(outcome) => match (outcome.violation, outcome.stopped) {
            (Some(violation), _) => format!("{} {}", violation.failure.name(), violation.message),
            (None, Some(why)) => why.to_string(),
            (None, None) => outcome.counts.map_or(0, |counts| counts.executions).to_string(),
        },
    }
}

/// The pairs of words at the beginning of a file.
fn expectations(text: &str) -> Vec<(&str, &str)> {
    text.lines()
        .map_while(|l| l.strip_prefix("; ").or_else(|| l.strip_prefix("// ")))
        .filter_map(|l| l.split_once(": ").filter(|(key, _)| !key.contains(char::is_whitespace)))
        .collect()
}

fn runs_as_expected(path: &Path, text: &str) -> Result<(), String> {
    let (_, program) = program(path, text);
    if let Some(mistake) = program.as_ref().ok().and_then(|p| validate(p).err()) {
        return Err(format!("{mistake:?}"));
    }
    let expected = expectations(text);
    if expected.is_empty() {
        return Err("nothing is expected".to_owned());
    }
    let mut wrong = Vec::new();
    for (model, expected) in expected {
        let found = match &program {
            Ok(program) => explored(program, model),
            Err(errors) => format!("{errors:?}"),
        };
        if !(found == expected || found.starts_with(&format!("{expected} "))) {
            wrong.push(format!("{model}: {found}, not {expected}"));
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
}

fn is_refused(path: &Path, text: &str) -> Result<(), String> {
    let (sources, program) = program(path, text);
    let errors = program.err().unwrap_or_default();
    let shown: Vec<String> =
        errors.iter().map(|e| format!("{} {}", e.span.map_or(0, |s| sources.start(s).line), e.message)).collect();
    let expected: Vec<String> = expectations(text).iter().map(|(line, why)| format!("{line} {why}")).collect();
    if shown == expected && !shown.is_empty() { Ok(()) } else { Err(format!("{shown:?}, not {expected:?}")) }
}
