//! What the documents say of the source, as checks. Each gives findings; a check that the source does not pass yet has an
//! allowance, which only ever gets smaller.

mod documents;
mod form;
mod layers;
mod outside;
mod size;
mod words;

use crate::tree::Tree;
use std::fmt;
use std::fmt::Write;

/// Something that is not as the documents say.
pub(crate) struct Finding {
    /// `path:line`, or a path.
    pub(crate) place: String,
    pub(crate) what: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.what)
    }
}

struct Check {
    name: &'static str,
    find: fn(&Tree) -> Vec<Finding>,
    /// So many findings are still there.
    allowed: usize,
}

const CHECKS: &[Check] = &[
    Check {
        name: "a crate imports one that the table lists above it, or is not in the table",
        find: layers::findings,
        allowed: 0,
    },
    Check { name: "a file without a module comment, or a mod.rs", find: form::findings, allowed: 0 },
    Check {
        name: "a file or an identifier that documentation names and that does not exist",
        find: documents::findings,
        allowed: 0,
    },
    Check { name: "an option of the command line below the command line", find: words::options, allowed: 0 },
    Check {
        name: "a model, engine or dialect by a literal name outside of the tables",
        find: words::names,
        allowed: 0,
    },
    Check { name: "a verdict that is not made where all are", find: size::scattered_verdicts, allowed: 0 },
    Check { name: "a private word for a term of the field", find: words::old, allowed: 0 },
    Check {
        name: "file system, environment, processes, clocks or threads outside of the named places",
        find: outside::findings,
        allowed: 0,
    },
];

/// Those of all checks that have more of them than is allowed.
pub(crate) fn findings(tree: &Tree) -> Vec<Finding> {
    let mut all = Vec::new();
    for check in CHECKS {
        let found = (check.find)(tree);
        if found.len() > check.allowed {
            let what = format!("{} findings, {} are allowed: {}", found.len(), check.allowed, check.name);
            all.extend(found);
            all.push(Finding { place: "tidy".to_owned(), what });
        }
    }
    all
}

/// How many findings each check has, and other counts.
pub(crate) fn figures(tree: &Tree) -> String {
    let mut out = String::new();
    for check in CHECKS {
        let _ = writeln!(out, "{:>7}  {}", (check.find)(tree).len(), check.name);
    }
    out + &size::figures(tree)
}
