//! Tests of the crate from outside. The name of a file in `test_data` selects it.

mod lower;
mod module;
mod print;
mod snapshots;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use treville_trials::{Needs, Trial, inputs, relative};

fn main() -> ExitCode {
    treville_trials::run([lower::trials(), module::trials(), snapshots::trials()].into_iter().flatten().collect())
}

/// A trial for each file of a folder, with what is said of a file and its text.
fn of_files(folder: &str, kind: &str, check: fn(&Path, &str) -> Result<(), String>) -> Vec<Trial> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let trial = |path: PathBuf| {
        let name = relative(here, &path);
        let needs = Needs::of_file(&name);
        let run =
            move || check(&path, &std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?);
        treville_trials::trial(name, needs, run).with_kind(kind)
    };
    inputs(&here.join("test_data").join(folder)).into_iter().map(trial).collect()
}
