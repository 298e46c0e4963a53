//! Each file of `test_data` is read and compared with the `.expect` beside it. `TREVILLE_BLESS=1` rewrites those.
//!
//! `err/`: the messages, as a person would see them. `ok/`: the module, printed.

use crate::{of_files, print};
use std::fmt::Write;
use std::path::Path;
use treville_base::{Diagnostic, SourceMap};
use treville_llvm::{Module, parse};
use treville_trials::{Trial, golden};

pub(crate) fn trials() -> Vec<Trial> {
    let messages = of_files("err", "errors", |path, text| {
        let found = match read(path, text) {
            Ok(module) => format!("no error:\n{}", print::module(&module)),
            Err(messages) => messages,
        };
        golden(&path.with_extension("expect"), &found)
    });
    let modules = of_files("ok", "modules", |path, text| {
        let found = read(path, text).map_or_else(|messages| messages, |module| print::module(&module));
        golden(&path.with_extension("expect"), &found)
    });
    [messages, modules].into_iter().flatten().collect()
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

fn read(path: &Path, text: &str) -> Result<Module, String> {
    let mut sources = SourceMap::new();
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let file = sources.add(name, text);
    parse(file, text).map_err(|diagnostics| render(&sources, &diagnostics))
}
