//! What reaches outside of the process, or makes answers depend on when they are computed, is in few places.

use super::Finding;
use crate::rust::Kind;
use crate::tree::Tree;

/// Where the standard library reaches outside.
const REACHING: &[&str] = &["fs", "env", "process", "thread", "net"];

/// Clocks.
const CLOCKS: &[&str] = &["Instant", "SystemTime"];

/// Files that may do so, with the reason.
const PLACES: &[(&str, &str)] = &[
    ("crates/treville_cli/", "the command line: files, signals, terminals"),
    ("crates/treville_base/src/clock.rs", "the clock"),
    ("crates/treville_llvm/src/clang.rs", "runs the compiler, and ends it at a limit"),
    ("crates/treville_llvm/src/header.rs", "a folder with our header, for the compiler"),
    ("crates/treville_abstract/src/z3.rs", "runs the solver z3"),
    ("crates/treville_explore/src/search/pool.rs", "the worker pool"),
    ("crates/treville_machine/src/search.rs", "the workers of a level"),
    ("crates/treville_strategy/src/lib.rs", "two engines at the same time"),
    ("crates/treville_synth/src/implicit.rs", "placements are judged by several workers"),
    ("crates/treville_placement/src/cheapest.rs", "how many workers there are by default"),
    ("crates/treville_eval/src/plain/interpret.rs", "a deeper stack for models that recurse"),
];

pub(super) fn findings(tree: &Tree) -> Vec<Finding> {
    let mut all = Vec::new();
    for file in tree.files.iter().filter(|file| file.is_product()) {
        if PLACES.iter().any(|(place, _)| file.path.starts_with(place)) {
            continue;
        }
        for window in file.product_tokens().windows(4) {
            let [a, b, c, d] = window else { continue };
            let path = a.is("std") && b.is(":") && c.is(":") && REACHING.contains(&d.text.as_str());
            let clock = a.kind == Kind::Word && CLOCKS.contains(&a.text.as_str()) && b.is(":") && c.is(":");
            if path || clock {
                let what = if path { format!("std::{}", d.text) } else { a.text.clone() };
                all.push(Finding { place: file.place(a.start), what });
            }
        }
    }
    all
}
