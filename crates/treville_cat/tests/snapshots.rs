//! Reads every file of `test_data` and compares with the `.expect` beside it. `TREVILLE_BLESS=1` rewrites those.
//!
//! `err/`: the messages, as a person would see them. `ok/`: the tree, printed with all parentheses; it must also print
//! and read back as the same tree. `lint/`: the warnings.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs};
use treville_base::{Diagnostic, SourceMap};
use treville_cat::{Loaded, Parens, lint, parse_unit, print};
use treville_model::syntax::Unit;

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

fn check_all(folder: &str, run: impl Fn(&str, &str) -> String) {
    let outcome = |case: &PathBuf| {
        let name = case.file_name().expect("a name").to_string_lossy();
        expect(case, &run(&name, &fs::read_to_string(case).expect("a readable case")))
    };
    let failures: Vec<String> = cases(folder).iter().filter_map(|case| outcome(case).err()).collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

fn place(sources: &SourceMap, diagnostic: &Diagnostic) -> String {
    match diagnostic.span {
        Some(span) => {
            let at = sources.start(span);
            format!("{}:{}:{}: ", sources.file(span.file).name, at.line, at.column)
        }
        None => String::new(),
    }
}

fn render(sources: &SourceMap, diagnostics: &[Diagnostic]) -> String {
    let mut out = String::new();
    for diagnostic in diagnostics {
        writeln!(out, "{}{}", place(sources, diagnostic), diagnostic.message).expect("writing to a string");
        for label in &diagnostic.labels {
            let at = sources.start(label.span);
            writeln!(out, "  {}:{}: {}", at.line, at.column, label.message).expect("writing to a string");
        }
        if let Some(help) = &diagnostic.help {
            writeln!(out, "  help: {help}").expect("writing to a string");
        }
    }
    out
}

/// Includes find nothing, except files whose names say what they do.
fn load(name: &str, _from: &str) -> Option<Loaded> {
    let text = match name {
        "again.cat" => "include \"again.cat\"",
        "ping.cat" => "include \"pong.cat\"",
        "pong.cat" => "(* back *) include \"ping.cat\"",
        "broken.cat" => "let x =\n",
        "empty.cat" => "",
        "defs.cat" => "let def1 = po let def2 = def1 | rf let hidden(x) = 0",
        "more-defs.cat" => "include \"defs.cat\" let def3 = def2",
        "check.cat" => "acyclic needed as included",
        _ => return None,
    };
    Some(Loaded { name: name.to_string(), text: text.into() })
}

fn read(name: &str, text: &str) -> Result<Unit, String> {
    let mut sources = SourceMap::new();
    parse_unit(name, text, &mut sources, &load).map_err(|diagnostics| render(&sources, &diagnostics))
}

/// The tree without places.
fn shape(unit: &Unit) -> String {
    let debug = format!("{unit:?}");
    let mut parts = debug.split("Span {");
    let first = parts.next().unwrap_or_default().to_string();
    parts.fold(first, |out, part| out + part.split_once('}').map_or("", |(_, rest)| rest))
}

#[test]
fn errors() {
    check_all("err", |name, text| match read(name, text) {
        Ok(unit) => format!("no error:\n{}", print(&unit, Parens::All)),
        Err(messages) => messages,
    });
}

#[test]
fn trees() {
    check_all("ok", |name, text| match read(name, text) {
        Ok(unit) => print(&unit, Parens::All),
        Err(messages) => messages,
    });
}

#[test]
fn warnings() {
    check_all("lint", |name, text| {
        let mut sources = SourceMap::new();
        match parse_unit(name, text, &mut sources, &load) {
            Ok(unit) => render(&sources, &lint(&unit)),
            Err(diagnostics) => render(&sources, &diagnostics),
        }
    });
}

#[test]
fn printed_text_reads_back() {
    for case in cases("ok") {
        let text = fs::read_to_string(&case).expect("a readable case");
        let unit = read("case", &text).expect("a correct case");
        for parens in [Parens::Needed, Parens::All] {
            let again = read("printed", &print(&unit, parens)).unwrap_or_else(|e| panic!("{}: {e}", case.display()));
            assert_eq!(shape(&again), shape(&unit), "{}", case.display());
        }
    }
}
