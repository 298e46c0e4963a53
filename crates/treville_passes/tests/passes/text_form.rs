//! Every litmus test of the project goes to the text form and back.

use std::path::{Path, PathBuf};
use treville_base::FileId;
use treville_ir::text;

pub(crate) fn litmus_files(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            litmus_files(&path, found);
        } else if path.extension().is_some_and(|e| e == "litmus") {
            found.push(path);
        }
    }
}

#[test]
fn litmus_tests_round_trip() {
    let mut files = Vec::new();
    litmus_files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases"), &mut files);
    files.sort();
    let mut n = 0;
    for path in files {
        let Ok(litmus) = std::fs::read_to_string(&path) else { continue };
        let Ok(test) = treville_litmus::parse(FileId(0), &litmus, &Default::default()) else { continue };
        let printed = text::print(&test.program);
        let again = text::parse(FileId(0), &printed).unwrap_or_else(|e| panic!("{path:?}: {e:?}\n{printed}"));
        assert_eq!(text::print(&again), printed, "{path:?}");
        assert_eq!((&again.dialect, &again.tags), (&test.program.dialect, &test.program.tags), "{path:?}");
        assert_eq!(again.objects.len(), test.program.objects.len(), "{path:?}");
        n += 1;
    }
    assert!(n > 100, "only {n} tests were read");
}
