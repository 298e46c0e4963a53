//! Linking models from text.

mod errors;
mod shapes;
mod vocabularies;

use treville_base::{Diagnostic, Name, SourceMap};
use treville_cat::{Loaded, parse_unit};
use treville_event::{LockShape, RmwShape, Vocabulary};
use treville_model::syntax::Unit;
use treville_model::{Model, link};

const CROSS: &str = "let generate_orders(S, r) = linearisations(S, r)\nlet generate_cos(r) = generate_orders(W, r)";

fn vocabulary(sets: &str) -> Vocabulary {
    Vocabulary {
        sets: sets.split(' ').map(Name::new).collect(),
        empty: Default::default(),
        rmw: RmwShape::Pair,
        locks: LockShape::Opaque,
        registers: true,
        branches: true,
        po_inside: false,
        variants: Default::default(),
    }
}

fn parsed(text: &str) -> Unit {
    let load = |name: &str, _: &str| match name {
        "cross.cat" => Some(Loaded { name: name.to_owned(), text: CROSS.into() }),
        "stdlib.cat" => {
            Some(Loaded { name: name.to_owned(), text: "let PoD = B\nlet NDATA = ADDR\nlet rmw = amo".into() })
        }
        _ => None,
    };
    parse_unit("test.cat", text, &mut SourceMap::new(), &load).expect("the model parses")
}

fn try_link(text: &str) -> Result<Model, Vec<Diagnostic>> {
    link(&[&parsed(text)], &vocabulary("M R W F IW FW X B"))
}

fn linked(text: &str) -> Model {
    try_link(text).unwrap_or_else(|errors| panic!("{errors:#?}"))
}

/// Each error as the text that it points at, its message and its help.
fn errors(text: &str) -> Vec<String> {
    let errors = try_link(text).expect_err("the model has errors");
    let show = |d: Diagnostic| {
        let at = d.span.map_or("", |s| &text[s.start as usize..s.end as usize]);
        let help = d.help.map_or_else(String::new, |h| format!(" ({h})"));
        format!("{at}: {}{help}", d.message)
    };
    errors.into_iter().map(show).collect()
}
