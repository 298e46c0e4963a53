//! Files and identifiers that documentation names in backquotes exist.

use super::Finding;
use crate::tree::{Document, Tree};
use std::collections::BTreeSet;

/// Endings of files of the source tree that documentation names.
const ENDINGS: &[&str] = &[".rs", ".ir", ".cat"];
/// Files of users, which examples name.
const OF_USERS: &[&str] = &["my.cat", "name.cat"];
/// Pages that say where an argument is checked: identifiers with an underscore are of the source.
const ARGUMENTS: &str = "docs/soundness";

pub(super) fn findings(tree: &Tree) -> Vec<Finding> {
    let words: BTreeSet<&str> = tree.files.iter().flat_map(|file| words(&file.text)).collect();
    tree.documents.iter().flat_map(|document| stale(tree, &words, document)).collect()
}

fn stale(tree: &Tree, words: &BTreeSet<&str>, document: &Document) -> Vec<Finding> {
    let mut found = Vec::new();
    let mut in_block = false;
    for (line, text) in document.text.lines().enumerate() {
        if text.trim_start().starts_with("```") {
            in_block = !in_block;
        }
        let quoted = text.split('`').skip(1).step_by(2).filter(|_| !in_block);
        for name in quoted.filter(|name| is_stale(tree, words, document, name)) {
            let place = format!("{}:{}", document.path, line + 1);
            found.push(Finding { place, what: format!("there is no `{name}`") });
        }
    }
    found
}

fn is_stale(tree: &Tree, words: &BTreeSet<&str>, document: &Document, name: &str) -> bool {
    let path = |c: char| c.is_ascii_alphanumeric() || "_-./".contains(c);
    let is_file = ENDINGS.iter().any(|ending| name.len() > ending.len() && name.ends_with(ending));
    if is_file && name.chars().all(path) {
        return !OF_USERS.contains(&name) && !tree.paths.iter().any(|path| ends_with(path, name));
    }
    let identifier = name.contains('_') && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    document.path.starts_with(ARGUMENTS) && identifier && !words.contains(name) && !is_crate_or_test(tree, name)
}

/// Whether a path is this one, or ends in its folders and name; `src` may be left out.
fn ends_with(path: &str, name: &str) -> bool {
    let whole = |path: &str| path.strip_suffix(name).is_some_and(|before| before.is_empty() || before.ends_with('/'));
    whole(path) || whole(&path.replacen("/src/", "/", 1))
}

/// A crate, or a test that is a file.
fn is_crate_or_test(tree: &Tree, name: &str) -> bool {
    tree.paths.iter().any(|path| path.split(['/', '.']).any(|part| part == name))
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
}
