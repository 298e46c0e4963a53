//! What a person names on the command line, as a list of files: a file is itself, a folder is every program in it, `@list`
//! is a text with one name a line.

use treville_verifier::base::{folder_of, join_path};
use treville_verifier::{Files, Registry};

/// Lists may name lists, to this depth.
const MAX_NESTING: usize = 8;

/// All files, in the order of the inputs; those of a folder are sorted.
///
/// # Errors
/// An input that is neither, with the reason.
pub(crate) fn expand_inputs(inputs: &[String], files: &dyn Files, registry: &Registry) -> Result<Vec<String>, String> {
    let mut out = Vec::new();
    for input in inputs {
        expand(input, files, registry, 0, &mut out)?;
    }
    Ok(out)
}

fn expand(
    input: &str,
    files: &dyn Files,
    registry: &Registry,
    depth: usize,
    out: &mut Vec<String>,
) -> Result<(), String> {
    if let Some(list) = input.strip_prefix('@') {
        if depth == MAX_NESTING {
            return Err(format!("{list}: lists nest more than {MAX_NESTING} deep"));
        }
        let text = files.read(list).map_err(|why| format!("{list}: {why}"))?;
        let names = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
        for name in names {
            expand(&partner(list, name, files), files, registry, depth + 1, out)?;
        }
    } else if files.is_folder(input) {
        let before = out.len();
        folder(input.trim_end_matches('/'), files, registry, out)?;
        if out.len() == before {
            let endings = registry.endings().join(", ");
            return Err(format!("{input}: no program in this folder (files that end in {endings})"));
        }
    } else {
        out.push(input.to_owned());
    }
    Ok(())
}

/// A name in a list is meant relative to the list; if nothing is there, relative to where the tool runs.
fn partner(list: &str, name: &str, files: &dyn Files) -> String {
    let (mark, plain) = name.strip_prefix('@').map_or(("", name), |plain| ("@", plain));
    match folder_of(list) {
        Some(folder) if !plain.starts_with('/') => {
            let path = join_path(folder, plain);
            let exists = files.is_file(&path) || files.is_folder(&path);
            format!("{mark}{}", if exists { &path } else { plain })
        }
        _ => name.to_owned(),
    }
}

fn folder(path: &str, files: &dyn Files, registry: &Registry, out: &mut Vec<String>) -> Result<(), String> {
    for child in files.list(path).map_err(|why| format!("{path}: {why}"))? {
        if files.is_folder(&child) {
            folder(&child, files, registry, out)?;
        } else if registry.by_ending(&child).is_some() {
            out.push(child);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use treville_verifier::MemoryFiles;

    fn files() -> MemoryFiles {
        let names = ["t/b.litmus", "t/a.litmus", "t/deep/c.litmus", "t/notes.txt", "d.litmus", "empty/x.txt"];
        let mut all = MemoryFiles(names.iter().map(|n| ((*n).to_owned(), String::new())).collect());
        all.0.insert("t/list.txt".into(), "# two\na.litmus\n\nd.litmus\n".into());
        all.0.insert("t/loop.txt".into(), "@loop.txt\n".into());
        all
    }

    fn expanded(inputs: &[&str]) -> Result<Vec<String>, String> {
        let inputs: Vec<String> = inputs.iter().map(|s| (*s).to_owned()).collect();
        expand_inputs(&inputs, &files(), &Registry::default())
    }

    #[test]
    fn files_folders_and_lists() {
        let all = expanded(&["d.litmus", "t/"]);
        assert_eq!(
            all.as_deref(),
            Ok(&["d.litmus", "t/a.litmus", "t/b.litmus", "t/deep/c.litmus"].map(str::to_owned)[..])
        );
        assert_eq!(expanded(&["@t/list.txt"]).as_deref(), Ok(&["t/a.litmus", "d.litmus"].map(str::to_owned)[..]));
    }

    #[test]
    fn wrong_inputs_say_why() {
        assert_eq!(expanded(&["@t/none.txt"]), Err("t/none.txt: no such file".into()));
        assert!(expanded(&["@t/loop.txt"]).is_err_and(|e| e.contains("nest more than 8")));
        assert!(expanded(&["empty"]).is_err_and(|e| e.contains("no program in this folder")));
    }
}
