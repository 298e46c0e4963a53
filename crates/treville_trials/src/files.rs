//! Files of cases, and files with what is expected of them.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// The files of a folder and below that end like one of these, sorted.
///
/// # Panics
/// If there is no such file: a folder that was renamed must not pass.
pub fn files(folder: &Path, endings: &[&str]) -> Vec<PathBuf> {
    some_below(folder, |ending| endings.contains(&ending))
}

/// The files of a folder and below that are not an expectation of another file, sorted.
///
/// # Panics
/// If there is no such file.
pub fn inputs(folder: &Path) -> Vec<PathBuf> {
    some_below(folder, |ending| ending != "expect")
}

fn some_below(folder: &Path, keep: impl Fn(&str) -> bool) -> Vec<PathBuf> {
    let mut found = below(folder);
    found.retain(|path| keep(path.extension().and_then(|ending| ending.to_str()).unwrap_or_default()));
    assert!(!found.is_empty(), "{}: no file is there for the tests", folder.display());
    found
}

fn below(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("a readable entry").path()).collect();
    paths.sort();
    paths.into_iter().flat_map(|path| if path.is_dir() { below(&path) } else { vec![path] }).collect()
}

/// The path of a file from a folder, as trials are named: with `/` everywhere.
pub fn relative(folder: &Path, file: &Path) -> String {
    let path = file.strip_prefix(folder).unwrap_or(file);
    path.components().map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/")
}

/// Whether expectations are to be rewritten; a person reviews the difference.
pub fn is_blessing() -> bool {
    env::var_os("TREVILLE_BLESS").is_some()
}

/// Compares with the text of a file, or rewrites it.
///
/// # Errors
/// The lines that differ.
pub fn golden(expected: &Path, found: &str) -> Result<(), String> {
    let text = fs::read_to_string(expected).unwrap_or_default();
    if text == found {
        return Ok(());
    }
    if is_blessing() {
        return fs::write(expected, found).map_err(|e| format!("{}: {e}", expected.display()));
    }
    Err(format!("{} is not what there is now:\n{}", expected.display(), differences(&text, found)))
}

/// The lines from the first to the last that differ, with the number of the first one.
pub fn differences(expected: &str, found: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (expected.lines().collect(), found.lines().collect());
    let before = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let (old, new) = (&old[before..], &new[before..]);
    let after = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b).count();
    let (old, new) = (&old[..old.len() - after], &new[..new.len() - after]);
    if old.is_empty() && new.is_empty() {
        return "only the ends of lines differ\n".to_owned();
    }
    let mut text = format!("from line {}:\n", before + 1);
    old.iter().for_each(|line| writeln!(text, "- {line}").expect("writing to a text"));
    new.iter().for_each(|line| writeln!(text, "+ {line}").expect("writing to a text"));
    text
}

#[cfg(test)]
mod tests {
    use super::differences;

    #[test]
    fn only_what_differs_is_shown() {
        assert_eq!(differences("a\nb\nc\nd\n", "a\nx\nd\n"), "from line 2:\n- b\n- c\n+ x\n");
        assert_eq!(differences("a\na\n", "a\n"), "from line 2:\n- a\n");
        assert_eq!(differences("", "new\n"), "from line 1:\n+ new\n");
        assert_eq!(differences("a\n", "a"), "only the ends of lines differ\n");
    }
}
