//! Words that belong in one place: options of the command line, names of models, engines and dialects. And words that the
//! project once had for terms of the field.

use super::Finding;
use crate::rust::Kind;
use crate::tree::{File, Tree};

/// Where names of models, engines and dialects are declared.
const TABLES: &[&str] = &[
    "crates/treville_cat/src/bundled.rs",
    "crates/treville_litmus/src/dialects",
    "crates/treville_ir/src/dialect.rs",
    "crates/treville_machine/src/operational.rs",
    "crates/treville_model/src/facts.rs",
    "crates/treville_task/src/remote.rs",
    "crates/treville_verifier/src/applies.rs",
];

/// Engines; a test in the facade compares them with the registry.
const ENGINES: &[&str] = &["enumerate", "plain", "explore", "bmc", "machine", "abstract"];

/// Dialects that are no words otherwise.
const DIALECTS: &[&str] =
    &["C", "X86", "X86_64", "AArch64", "ARM", "PPC", "RISCV", "MIPS", "BPF", "LISA", "LKMM", "PTS"];

/// Identifiers that the project once had, the crates that they were in (all of them, if none is named), and the terms in their place.
const OLD: &[(&str, &str, &str)] = &[
    ("", "Story", "Trace"),
    ("", "StoryStep", "TraceStep"),
    ("", "StoryThread", "TraceThread"),
    ("", "StoryObject", "TraceObject"),
    ("", "Telling", "Linearisation"),
    ("", "Teller", "Lift"),
    ("treville_verifier", "Told", "Lifted"),
    ("", "retold", "drawn_trace"),
    ("", "Standstill", "StuckThread"),
    ("", "Gap", "MissingSync"),
    ("", "crew", "pool"),
    ("", "Crew", "Pool"),
    ("", "hesitates", "defers_choices"),
    ("treville_explore", "onward", "extend_to_choice"),
    ("", "trusts_in_vain", "speculation_failed"),
    ("treville_explore", "Way", "Alternative"),
    ("treville_explore", "Runs", "ThreadState"),
    ("treville_explore", "Member", "Worker"),
    ("treville_explore", "twin", "predecessor"),
    ("", "duties", "obligations"),
    ("", "Duty", "Obligation"),
    ("treville_relations", "laws", "axiom_facts"),
    ("treville_unfold", "Together", "CoOccurrence"),
    ("treville_unfold", "Frame", "PreExecution"),
    ("treville_unfold", "Possible", "ValueSets"),
    ("treville_unfold", "Floating", "SymbolicLayout"),
    ("treville_passes", "standing", "static_threads"),
    ("treville_passes", "forget", "drop_write_only"),
    ("treville_passes", "Closed", "LoweredTest"),
    ("treville_bmc", "circles", "thin_air_cycles"),
    ("treville_bmc", "strays", "unresolved"),
    ("treville_bmc", "wild", "out_of_bounds"),
    ("treville_abstract", "Patience", "Budget"),
    ("treville_abstract", "Wanted", "PortfolioOptions"),
    ("treville_verifier", "sidecar", "spec_file"),
    ("treville_verifier", "Stated", "AnnotatedProgram"),
    ("treville_verifier", "is_stated", "has_claims"),
    ("treville_verifier", "spares", "fallbacks"),
    ("treville_verifier", "beside", "partner"),
    ("treville_verifier", "is_for_tests", "is_bounded"),
    ("treville_verifier", "unreadable", "CheckError::usage"),
    ("", "VerdictWord", "VerdictKind"),
    ("", "SolverWord", "IntegerSolver"),
    ("", "link_unasked", "link_unchecked"),
    ("", "says_kernel", "means_kernel"),
];

fn product(tree: &Tree) -> impl Iterator<Item = &File> {
    tree.files.iter().filter(|file| file.is_product())
}

/// `--option` in a string of a crate other than the command line.
pub(super) fn options(tree: &Tree) -> Vec<Finding> {
    let mut all = Vec::new();
    for file in product(tree).filter(|file| file.package != "treville_cli") {
        for token in file.product_tokens().iter().filter(|token| token.kind == Kind::Text) {
            let text = token.content();
            let typed = |at: usize| {
                let before = text[..at].chars().next_back();
                let after = text[at + 2..].chars().next();
                before.is_none_or(|c| !c.is_alphanumeric() && c != '-') && after.is_some_and(|c| c.is_ascii_lowercase())
            };
            if text.match_indices("--").any(|(at, _)| typed(at)) {
                all.push(Finding { place: file.place(token.start), what: token.text.clone() });
            }
        }
    }
    all
}

/// Strings that are the name of a model, an engine or a dialect.
pub(super) fn names(tree: &Tree) -> Vec<Finding> {
    let models = models(tree);
    let mut all = Vec::new();
    for file in product(tree).filter(|file| !TABLES.iter().any(|table| file.path.starts_with(table))) {
        let tokens = file.product_tokens();
        for (i, token) in tokens.iter().enumerate().filter(|(_, token)| token.kind == Kind::Text) {
            let text = token.content();
            // Engines and front ends are named where they are defined.
            let defines = |what: &str| {
                i >= 4 && [what, "{", "name", ":"].iter().zip(&tokens[i - 4..i]).all(|(word, t)| t.is(word))
            };
            if defines("EngineInfo") || defines("FrontEndInfo") {
                continue;
            }
            if models.iter().any(|model| model == text) || ENGINES.contains(&text) || DIALECTS.contains(&text) {
                all.push(Finding { place: file.place(token.start), what: token.text.clone() });
            }
        }
    }
    all
}

/// The bundled models: those with a page.
fn models(tree: &Tree) -> Vec<String> {
    let pages = std::fs::read_dir(tree.root.join("models")).into_iter().flatten().flatten();
    let names = pages.filter_map(|page| page.file_name().to_str()?.strip_suffix(".md").map(str::to_owned));
    names.filter(|name| !["README", "safety", "stdlib"].contains(&name.as_str())).collect()
}

/// Identifiers for which the field has a word.
pub(super) fn old(tree: &Tree) -> Vec<Finding> {
    let mut all = Vec::new();
    for file in product(tree) {
        for token in file.product_tokens().iter().filter(|token| token.kind == Kind::Word) {
            let is_old = |(package, old, _): &&(&str, &str, &str)| {
                token.is(old) && (package.is_empty() || *package == file.package)
            };
            if let Some((_, old, new)) = OLD.iter().find(is_old) {
                all.push(Finding { place: file.place(token.start), what: format!("{old}: say {new}") });
            }
        }
    }
    all
}
