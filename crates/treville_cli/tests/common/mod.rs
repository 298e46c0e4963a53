//! Running the binary in tests.

use std::path::{Path, PathBuf};
use std::process::Command;

pub(crate) struct Run {
    pub(crate) status: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// Runs the binary in the root of the project.
pub(crate) fn treville(args: &[&str]) -> Run {
    let output = Command::new(env!("CARGO_BIN_EXE_treville"))
        .args(args)
        .current_dir(root())
        .env_remove("NO_COLOR")
        .output()
        .expect("the binary runs");
    Run {
        status: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A test of the user guide, as a path from the root.
#[allow(dead_code, reason = "each test binary uses its part")]
pub(crate) fn case(name: &str) -> String {
    format!("cases/guide/{name}")
}

/// Writes a file for a test and returns its path.
#[allow(dead_code, reason = "each test binary uses its part")]
pub(crate) fn write(name: &str, text: &str) -> String {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder can be made");
    std::fs::write(&path, text).expect("a file can be written");
    path.to_string_lossy().into_owned()
}

#[allow(dead_code, reason = "each test binary uses its part")]
pub(crate) fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).expect("the file can be read")
}
