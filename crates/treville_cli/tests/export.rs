//! Case studies in Event-B and in classical B, as they are in `case-studies/*/exported`. With TREVILLE_BLESS=1 these are
//! rewritten; the difference is for a person to review.

mod common;

use common::{root, treville};
use std::fs;
use std::path::{Path, PathBuf};

fn programs() -> Vec<PathBuf> {
    let folders = fs::read_dir(root().join("case-studies")).expect("the folder case-studies");
    let folders = folders.filter_map(|entry| fs::read_dir(entry.ok()?.path()).ok());
    let mut files: Vec<PathBuf> = folders.flatten().filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.retain(|file| file.extension().is_some_and(|ending| ending == "rar"));
    files.sort();
    files
}

/// Writes what is exported of a program into a folder.
fn export(program: &Path, into: &Path) {
    let name = program.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let program = program.to_string_lossy();
    for (format, model, place) in [
        ("event-b", "rar", format!("{name}-rar")),
        ("event-b", "sc", format!("{name}-sc")),
        ("b", "rar", format!("{name}-rar.mch")),
        ("b", "sc", format!("{name}-sc.mch")),
    ] {
        let place = into.join(place);
        let run = treville(&["show", &program, "--format", format, "--model", model, "-o", &place.to_string_lossy()]);
        assert_eq!(run.status, 0, "{program}: {}", run.stderr);
        assert!(run.stderr.contains("lead to every state"), "{}", run.stderr);
    }
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() { files.extend(files_below(&path)) } else { files.push(path) }
    }
    files.sort();
    files
}

#[test]
fn case_studies_are_exported_as_they_were() {
    let programs = programs();
    assert!(programs.len() >= 3, "only {} programs were found", programs.len());
    for program in programs {
        let golden = program.parent().unwrap_or(Path::new(".")).join("exported");
        if std::env::var_os("TREVILLE_BLESS").is_some() {
            fs::create_dir_all(&golden).expect("a folder can be made");
            export(&program, &golden);
            continue;
        }
        let name = program.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let fresh = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("export-{name}"));
        let _ = fs::remove_dir_all(&fresh);
        fs::create_dir_all(&fresh).expect("a folder can be made");
        export(&program, &fresh);
        let files = files_below(&fresh);
        assert_eq!(files.len(), 12, "{files:?}");
        for file in files {
            let expected = golden.join(file.strip_prefix(&fresh).unwrap_or(&file));
            let read = |path: &Path| fs::read_to_string(path).unwrap_or_default();
            assert!(read(&file) == read(&expected), "{} is not what is exported now", expected.display());
        }
    }
}

#[test]
fn the_project_is_printed_without_a_folder_and_calls_are_checked() {
    let run = treville(&["show", "cases/guide/message.rar", "--format", "event-b", "--max-actions", "5"]);
    assert_eq!(run.status, 0);
    assert!(run.stdout.contains("// Memory.bumx\n") && run.stdout.contains("event t1_wrR_f_1 extends write"));
    assert!(run.stdout.contains("These are too few to reach every state: that takes 6."));
    assert_eq!(treville(&["show", "cases/guide/MP.litmus", "--format", "b"]).status, 2);
    assert_eq!(treville(&["show", "cases/bad-input/names.rar", "--format", "b"]).status, 2);
    assert_eq!(treville(&["show", "cases/bad-input/endless.rar", "--format", "b"]).status, 3);
    assert_eq!(treville(&["show", "cases/guide/message.rar", "--format", "b", "--model", "pso"]).status, 2);
}
