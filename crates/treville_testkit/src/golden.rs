//! Golden cases: tests with the answers that they must have. No Rust is needed to add one.
//!
//! - `cases/spec/<topic>/<name>.md`: prose, one ```` ```litmus ```` block, and a table of expectations, a model a line.
//! - `cases/corpus/<suite>/<name>.litmus`, and beside them `<model>.tsv` with a line for each test.
//! - `cases/fixme/<name>.md`: like `spec`, but known to be answered wrongly; fails as soon as it is right, and then moves.
//!
//! Columns are found by their heads: `verdict` (`yes`, `no` or `undefined`) is needed; `observation`, `states` (how many),
//! `executions` and `flags` are compared if they are there and not empty; others, such as `note`, are for people.

mod check;
mod corpus;
mod markdown;

pub use check::check;

use std::path::{Path, PathBuf};

/// One file with a test.
#[derive(Clone, PartialEq, Debug)]
pub struct Case {
    /// The path below `cases/`.
    pub name: String,
    pub text: String,
    pub expectations: Vec<Expectation>,
    /// Whether the expectations are known not to be met.
    pub fixme: bool,
}

/// What a model says of the test.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Expectation {
    pub model: String,
    pub verdict: String,
    pub observation: Option<String>,
    pub states: Option<u64>,
    pub executions: Option<u64>,
    /// All flags, sorted.
    pub flags: Option<Vec<String>>,
}

/// Every case below a folder, sorted by name.
///
/// # Errors
/// Files that cannot be read as cases, each with the reason.
pub fn load(cases: &Path) -> Result<Vec<Case>, Vec<String>> {
    let (mut loaded, mut errors) = (Vec::new(), Vec::new());
    for (folder, fixme) in [("spec", false), ("fixme", true)] {
        for path in files(&cases.join(folder), "md") {
            match read(&path).and_then(|text| markdown::parse(&text)) {
                Ok((text, expectations)) => {
                    loaded.push(Case { name: name(cases, &path), text, expectations, fixme });
                }
                Err(why) => errors.push(format!("{}: {why}", path.display())),
            }
        }
    }
    match corpus::load(cases) {
        Ok(tests) => loaded.extend(tests),
        Err(more) => errors.extend(more),
    }
    loaded.sort_by(|a, b| a.name.cmp(&b.name));
    if errors.is_empty() { Ok(loaded) } else { Err(errors) }
}

fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|e| e.to_string())
}

fn name(cases: &Path, path: &Path) -> String {
    path.strip_prefix(cases).unwrap_or(path).with_extension("").to_string_lossy().into_owned()
}

/// The files with an ending, in a folder and below, sorted.
fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    let below = |path: PathBuf| if path.is_dir() { files(&path, ending) } else { vec![path] };
    paths.into_iter().flat_map(below).filter(|path| path.extension().is_some_and(|e| e == ending)).collect()
}

/// An expectation from the heads of columns and the cells of a line.
fn expectation(heads: &[&str], cells: &[&str]) -> Result<Expectation, String> {
    let mut expectation = Expectation::default();
    for (head, cell) in heads.iter().zip(cells) {
        let cell = cell.trim();
        let number = || cell.parse().map_err(|_| format!("`{cell}` is not a number"));
        match *head {
            "model" => expectation.model = cell.to_owned(),
            "verdict" => expectation.verdict = cell.to_owned(),
            _ if cell.is_empty() => {}
            "observation" => expectation.observation = Some(cell.to_owned()),
            "states" => expectation.states = Some(number()?),
            "executions" => expectation.executions = Some(number()?),
            "flags" => {
                let flags = cell.split([',', ' ']).filter(|flag| !flag.is_empty() && *flag != "none");
                let mut flags: Vec<String> = flags.map(str::to_owned).collect();
                flags.sort();
                expectation.flags = Some(flags);
            }
            _ => {}
        }
    }
    if !["yes", "no", "undefined"].contains(&expectation.verdict.as_str()) {
        return Err(format!("the verdict `{}` is not yes, no or undefined", expectation.verdict));
    }
    Ok(expectation)
}
