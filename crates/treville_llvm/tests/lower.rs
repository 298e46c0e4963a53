//! Lowers every file of `test_data/run` and `test_data/runtime` and explores the program.
//!
//! The first lines of a file say what comes out: `; rc11: 3` is a number of executions, `; sc: assertion` a failure. Files in
//! C are compiled first. Those in `test_data/refused` say the message that refuses them, with its line.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use treville_base::{Cancel, Diagnostic, Name, SourceMap};
use treville_explore::Explore;
use treville_ir::{Program, validate};
use treville_llvm::{Clang, CompileOptions, LowerOptions, lower, parse};
use treville_task::{Reductions, Semantics, Task};

fn cases(folder: &str) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("test_data").join(folder);
    let mut cases: Vec<_> = fs::read_dir(root).expect("the folder").map(|e| e.expect("an entry").path()).collect();
    cases.sort();
    cases
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

/// What exploration says, in the words of the expectation.
fn explored(program: &Program, model: &str) -> String {
    let task = Task {
        reductions: Reductions::counted(),
        properties: treville_ir::Failure::USUAL.iter().copied().collect(),
        ..Task::new(
            Arc::new(treville_passes::run(program, &treville_passes::Options::default())),
            Semantics::Bundled(Name::new(model)),
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

fn run_all(folder: &str) {
    let mut failures = Vec::new();
    for path in cases(folder) {
        let text = fs::read_to_string(&path).expect("a readable case");
        let (_, program) = program(&path, &text);
        let mistake = program.as_ref().ok().and_then(|p| validate(p).err());
        assert_eq!(mistake, None, "{}", path.display());
        let expected = expectations(&text);
        assert!(!expected.is_empty(), "{}: nothing is expected", path.display());
        for (model, expected) in expected {
            let found = match &program {
                Ok(program) => explored(program, model),
                Err(errors) => format!("{errors:?}"),
            };
            if !(found == expected || found.starts_with(&format!("{expected} "))) {
                failures.push(format!("{}: {model}: {found}, not {expected}", path.display()));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn instructions_do_what_they_should() {
    run_all("run");
}

#[test]
fn the_runtime_does_what_it_should() {
    run_all("runtime");
}

#[test]
fn what_cannot_be_lowered_is_said_with_its_place() {
    for path in cases("refused") {
        let text = fs::read_to_string(&path).expect("a readable case");
        let (sources, program) = program(&path, &text);
        let errors = program.err().unwrap_or_default();
        let shown: Vec<String> =
            errors.iter().map(|e| format!("{} {}", e.span.map_or(0, |s| sources.start(s).line), e.message)).collect();
        let expected: Vec<String> = expectations(&text).iter().map(|(line, why)| format!("{line} {why}")).collect();
        assert_eq!(shown, expected, "{}", path.display());
    }
}
