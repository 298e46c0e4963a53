//! Broken C tests and macro files, each with the messages that it gets: `test_data/err/c/*.litmus` and `*.def` with a
//! sibling `.expect`. Set `TREVILLE_BLESS=1` to rewrite the expectations, then read the difference.

use crate::of_files;
use std::path::Path;
use std::sync::Arc;
use treville_base::{Diagnostic, SourceMap};
use treville_litmus::{Options, parse, parse_macros};
use treville_trials::Trial;

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

pub(crate) fn trials() -> Vec<Trial> {
    of_files("err/c", "broken_inputs_get_their_messages", |path| {
        let messages = messages(path);
        assert!(!messages.is_empty(), "it is taken for correct");
        messages
    })
}

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
