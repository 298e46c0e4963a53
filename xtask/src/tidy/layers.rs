//! The table of crates in ARCHITECTURE.md is their order: a crate imports only those above it.

use super::Finding;
use crate::tree::Tree;

pub(super) fn findings(tree: &Tree) -> Vec<Finding> {
    let order = listed(&tree.architecture);
    let finding = |what: String| Finding { place: "ARCHITECTURE.md".to_owned(), what };
    let mut all = Vec::new();
    for (name, dependencies) in &tree.crates {
        let Some(own) = order.iter().position(|other| other == name) else {
            all.push(finding(format!("the table of crates does not have {name}")));
            continue;
        };
        for other in dependencies {
            if order.iter().position(|listed| listed == other).is_none_or(|at| at >= own) {
                all.push(finding(format!("{name} imports {other}, which is not above it in the table of crates")));
            }
        }
    }
    for name in order.iter().filter(|name| !tree.crates.contains_key(**name)) {
        all.push(finding(format!("there is no crate {name}")));
    }
    all
}

/// The crates in the order of the table.
fn listed(architecture: &str) -> Vec<&str> {
    let rows = architecture.lines().filter_map(|line| line.strip_prefix("| `"));
    rows.filter_map(|row| row.split('`').next()).filter(|name| is_crate(name)).collect()
}

fn is_crate(name: &str) -> bool {
    name.starts_with("treville") && !name.contains(['/', '.', ' '])
}
