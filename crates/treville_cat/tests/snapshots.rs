//! Each file of `test_data` is a test: it is read and compared with the `.expect` beside it. `TREVILLE_BLESS=1` rewrites those.
//!
//! `err/`: the messages, as a person would see them. `ok/`: the tree, printed with all parentheses; it must also print
//! and read back as the same tree. `lint/`: the warnings.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use treville_base::{Diagnostic, SourceMap};
use treville_cat::{Loaded, Parens, lint, parse_unit, print};
use treville_model::syntax::Unit;
use treville_trials::{Needs, Trial, golden, inputs, relative};

fn main() -> ExitCode {
    let trials = [
        of_folder("errors", "err", |name, text| match read(name, text) {
            Ok(unit) => format!("no error:\n{}", print(&unit, Parens::All)),
            Err(messages) => messages,
        }),
        of_folder("trees", "ok", |name, text| match read(name, text) {
            Ok(unit) => print(&unit, Parens::All),
            Err(messages) => messages,
        }),
        of_folder("warnings", "lint", warnings),
        cases("ok").map(|case| trial(&case, "printed_text_reads_back", reads_back)).collect(),
    ];
    treville_trials::run(trials.into_iter().flatten().collect())
}

fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn cases(folder: &str) -> impl Iterator<Item = PathBuf> {
    inputs(&here().join("test_data").join(folder)).into_iter()
}

fn trial(case: &Path, kind: &str, check: impl FnOnce(&str, &str) -> Result<(), String> + Send + 'static) -> Trial {
    let (file, name) = (case.to_owned(), relative(here(), case));
    let check = move || {
        let name = file.file_name().expect("a name").to_string_lossy();
        check(&name, &fs::read_to_string(&file).expect("a readable case"))
    };
    treville_trials::trial(name, Needs::Nothing, check).with_kind(kind)
}

/// What is said of each file is in the one beside it.
fn of_folder(kind: &str, folder: &str, say: fn(&str, &str) -> String) -> Vec<Trial> {
    let compare = |case: PathBuf| {
        let expected = case.with_extension("expect");
        trial(&case, kind, move |name, text| golden(&expected, &say(name, text)))
    };
    cases(folder).map(compare).collect()
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

fn warnings(name: &str, text: &str) -> String {
    let mut sources = SourceMap::new();
    match parse_unit(name, text, &mut sources, &load) {
        Ok(unit) => render(&sources, &lint(&unit)),
        Err(diagnostics) => render(&sources, &diagnostics),
    }
}

fn reads_back(_: &str, text: &str) -> Result<(), String> {
    let unit = read("case", text)?;
    for parens in [Parens::Needed, Parens::All] {
        let printed = print(&unit, parens);
        let again = read("printed", &printed)?;
        if shape(&again) != shape(&unit) {
            return Err(format!("printed, it is another tree:\n{printed}"));
        }
    }
    Ok(())
}
