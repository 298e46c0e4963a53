//! Case studies in Event-B and in classical B, as they are in `case-studies/*/exported`. With TREVILLE_BLESS=1 these are
//! rewritten; the difference is for a person to review.

use crate::common::{root, treville};
use std::fs;
use std::path::{Path, PathBuf};
use treville_trials::{Needs, Trial, files, golden, inputs, is_blessing, relative, test, trial};

pub(crate) fn trials() -> Vec<Trial> {
    let programs = files(&root().join("case-studies"), &["rar"]);
    assert!(programs.len() >= 3, "only {} programs were found", programs.len());
    let of_program = |program: PathBuf| {
        let name = relative(&root(), &program);
        trial(name, Needs::Nothing, move || is_exported_as_it_was(&program)).with_kind("export")
    };
    let one = test!(the_project_is_printed_without_a_folder_and_calls_are_checked);
    programs.into_iter().map(of_program).chain([one]).collect()
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

fn is_exported_as_it_was(program: &Path) -> Result<(), String> {
    let exported = program.parent().unwrap_or(Path::new(".")).join("exported");
    if is_blessing() {
        fs::create_dir_all(&exported).expect("a folder can be made");
        export(program, &exported);
        return Ok(());
    }
    let name = program.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let fresh = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("export-{name}"));
    let _ = fs::remove_dir_all(&fresh);
    fs::create_dir_all(&fresh).expect("a folder can be made");
    export(program, &fresh);
    let files = inputs(&fresh);
    assert_eq!(files.len(), 12, "{files:?}");
    let text = |path: &Path| fs::read_to_string(path).unwrap_or_default();
    let compare = |file: &PathBuf| golden(&exported.join(relative(&fresh, file)), &text(file)).err();
    let wrong: Vec<String> = files.iter().filter_map(compare).collect();
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
}

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
