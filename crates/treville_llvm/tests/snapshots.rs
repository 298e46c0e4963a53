//! Reads every file of `test_data` and compares with the `.expect` beside it. `TREVILLE_BLESS=1` rewrites those.
//!
//! `err/`: the messages, as a person would see them. `ok/`: the module, printed.

#[path = "support/print.rs"]
mod print;

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs};
use treville_base::{Diagnostic, SourceMap};
use treville_llvm::{Module, parse};

/// The cases of a folder, sorted.
fn cases(folder: &str) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("test_data").join(folder);
    let entries = fs::read_dir(&root).expect("the folder of cases is there");
    let mut cases: Vec<_> = entries.map(|e| e.expect("a readable entry").path()).collect();
    cases.retain(|path| path.extension().is_some_and(|e| e != "expect"));
    cases.sort();
    assert!(!cases.is_empty(), "no case in {}", root.display());
    cases
}

/// Compares with the file beside the case, or rewrites it.
fn expect(case: &Path, found: &str) -> Result<(), String> {
    let path = case.with_extension("expect");
    if env::var_os("TREVILLE_BLESS").is_some() {
        fs::write(&path, found).expect("the expectation can be written");
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    if expected == found {
        return Ok(());
    }
    Err(format!("{}:\n--- expected\n{expected}--- found\n{found}", case.display()))
}

fn check_all(folder: &str, run: impl Fn(Result<Module, String>) -> String) {
    let outcome = |case: &PathBuf| {
        let name = case.file_name().expect("a name").to_string_lossy();
        let text = fs::read_to_string(case).expect("a readable case");
        expect(case, &run(read(&name, &text)))
    };
    let failures: Vec<String> = cases(folder).iter().filter_map(|case| outcome(case).err()).collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

fn render(sources: &SourceMap, diagnostics: &[Diagnostic]) -> String {
    let mut out = String::new();
    for diagnostic in diagnostics {
        let span = diagnostic.span.expect("every message has a place");
        let at = sources.start(span);
        let name = &sources.file(span.file).name;
        writeln!(out, "{name}:{}:{}: {}", at.line, at.column, diagnostic.message).expect("writing to a string");
        for label in &diagnostic.labels {
            let at = sources.start(label.span);
            writeln!(out, "  {}:{}: {}", at.line, at.column, label.message).expect("writing to a string");
        }
    }
    out
}

fn read(name: &str, text: &str) -> Result<Module, String> {
    let mut sources = SourceMap::new();
    let file = sources.add(name, text);
    parse(file, text).map_err(|diagnostics| render(&sources, &diagnostics))
}

#[test]
fn errors() {
    check_all("err", |module| match module {
        Ok(module) => format!("no error:\n{}", print::module(&module)),
        Err(messages) => messages,
    });
}

#[test]
fn modules() {
    check_all("ok", |module| module.map_or_else(|messages| messages, |module| print::module(&module)));
}
