//! Running the binary in tests.

use std::path::{Path, PathBuf};
use std::process::Command;

/// What it printed, and how it ended. Not every suite looks at all of it.
#[allow(dead_code)]
pub(crate) struct Run {
    pub(crate) status: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// Runs the binary in the root of the project.
pub(crate) fn treville(args: &[&str]) -> Run {
    treville_in(&[], args)
}

/// The same with variables of the environment.
pub(crate) fn treville_in(variables: &[(&str, &str)], args: &[&str]) -> Run {
    let output = Command::new(env!("CARGO_BIN_EXE_treville"))
        .args(args)
        .envs(variables.iter().copied())
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
    // Tests that run at once may write the same file: none of them reads it half written.
    let own = path.with_extension(format!("{:?}.new", std::thread::current().id()));
    std::fs::write(&own, text).expect("a file can be written");
    std::fs::rename(&own, &path).expect("a file can be renamed");
    path.to_string_lossy().into_owned()
}

#[allow(dead_code, reason = "each test binary uses its part")]
pub(crate) fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).expect("the file can be read")
}

/// Words as a shell makes them, with single and double quotes.
#[allow(dead_code, reason = "each test binary uses its part")]
pub(crate) fn words(command: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), String::new(), None);
    for c in command.chars() {
        match (c, quote) {
            (c, Some(q)) if c == q => quote = None,
            ('\'' | '"', None) => quote = Some(c),
            (' ', None) => words.push(std::mem::take(&mut word)),
            (c, _) => word.push(c),
        }
    }
    words.push(word);
    words.retain(|w| !w.is_empty());
    words
}
