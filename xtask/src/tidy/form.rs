//! Every file says at its top what it is for, and a module is `name.rs`, never `mod.rs`.

use super::Finding;
use crate::tree::Tree;

pub(super) fn findings(tree: &Tree) -> Vec<Finding> {
    let finding = |place: &str, what: &str| Finding { place: place.to_owned(), what: what.to_owned() };
    let mut all = Vec::new();
    for file in &tree.files {
        if !file.text.starts_with("//!") {
            all.push(finding(&file.path, "the file does not begin with `//!`"));
        }
        if file.path.ends_with("/mod.rs") && !file.path.contains("/tests/") {
            all.push(finding(&file.path, "a module is `name.rs`"));
        }
    }
    all
}
