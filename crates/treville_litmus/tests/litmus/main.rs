//! Tests of the crate from outside. The name of a file in `test_data` selects it.

mod c_errors;
mod machine;
mod refused;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use treville_trials::{Needs, Trial, golden, inputs, relative};

fn main() -> ExitCode {
    treville_trials::run([c_errors::trials(), machine::trials(), refused::trials()].into_iter().flatten().collect())
}

/// What is said of each file of a folder is in the file beside it.
fn of_files(folder: &str, kind: &str, say: fn(&Path) -> String) -> Vec<Trial> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let trial = |path: PathBuf| {
        let name = relative(here, &path);
        let compare = move || golden(&path.with_extension("expect"), &say(&path));
        treville_trials::trial(name, Needs::Nothing, compare).with_kind(kind)
    };
    inputs(&here.join("test_data").join(folder)).into_iter().map(trial).collect()
}
