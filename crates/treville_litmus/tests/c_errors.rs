//! Broken C tests and macro files, each with the messages that it gets: `test_data/err/c/*.litmus` and `*.def` with a
//! sibling `.expect`. Set `TREVILLE_BLESS=1` to rewrite the expectations, then read the difference.

use std::path::Path;
use std::sync::Arc;
use treville_base::{Diagnostic, SourceMap};
use treville_litmus::{Options, parse, parse_macros};

const MACROS: &str = "\
READ_ONCE(X) __load{ONCE}(X)
WRITE_ONCE(X,V) { __store{ONCE}(X,V); }
smp_mb() { __fence{MB}; }
broken(X) { r0 = nowhere(X); }
cycle(X) cycle(X)
set(X,V) { X = V; }
bare(X) __load(X)
old_xchg(X,V) __xchg{mb}(X,V)
add(X,O) { __atomic_op{NORETURN}(X,O,1); }
";

fn show(sources: &SourceMap, errors: &[Diagnostic]) -> String {
    let mut out = String::new();
    let place = |span: Option<treville_base::Span>| match span {
        Some(span) => {
            let at = sources.start(span);
            format!("{}:{}:{}", sources.file(span.file).name, at.line, at.column)
        }
        None => "nowhere".to_owned(),
    };
    for error in errors {
        out += &format!("{}: {}\n", place(error.span), error.message);
        for label in &error.labels {
            out += &format!("  {}: {}\n", place(Some(label.span)), label.message);
        }
        if let Some(help) = &error.help {
            out += &format!("  help: {help}\n");
        }
    }
    out
}

/// The messages about a file; nothing if there are none.
fn messages(path: &Path) -> String {
    let text = std::fs::read_to_string(path).unwrap();
    let mut sources = SourceMap::new();
    let file = sources.add("input", text.as_str());
    let macros = sources.add("macros", MACROS);
    let errors = if path.extension().is_some_and(|e| e == "def") {
        parse_macros(file, &text).err()
    } else {
        let macros = Some(Arc::new(parse_macros(macros, MACROS).unwrap()));
        parse(file, &text, &Options { macros, ..Options::default() }).err()
    };
    show(&sources, &errors.unwrap_or_default())
}

#[test]
fn broken_inputs_get_their_messages() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("test_data/err/c");
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    paths.retain(|p| p.extension().is_some_and(|e| e == "litmus" || e == "def"));
    paths.sort();
    assert!(paths.len() >= 30);
    let mut wrong = Vec::new();
    for path in paths {
        let found = messages(&path);
        let expect = path.with_extension("expect");
        if std::env::var_os("TREVILLE_BLESS").is_some() {
            std::fs::write(&expect, &found).unwrap();
        }
        if found.is_empty() || std::fs::read_to_string(&expect).ok().as_ref() != Some(&found) {
            wrong.push(format!("{}\n{found}", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
