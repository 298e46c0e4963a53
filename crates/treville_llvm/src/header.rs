//! The headers `treville.h`, `treville_linux.h` and `treville_nondet.h`, where a compiler can find them.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

const HEADERS: &[(&str, &str)] = &[
    ("treville.h", include_str!("../include/treville.h")),
    ("treville_linux.h", include_str!("../include/treville_linux.h")),
    ("treville_nondet.h", include_str!("../include/treville_nondet.h")),
];

/// A folder with the headers in it, for as long as this value lives.
pub(crate) struct HeaderFolder(PathBuf);

impl HeaderFolder {
    /// `None` if it cannot be written: a program that needs it will miss it, and its compiler says so.
    pub(crate) fn new() -> Option<Self> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let base = std::env::temp_dir();
        let process = std::process::id();
        // A name that is in use is somebody else's.
        for _ in 0..100 {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let path = base.join(format!("treville-include-{process}-{number}"));
            if fs::create_dir(&path).is_ok() {
                let folder = HeaderFolder(path);
                let written = HEADERS.iter().all(|(name, text)| fs::write(folder.0.join(name), text).is_ok());
                return written.then_some(folder);
            }
        }
        None
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for HeaderFolder {
    fn drop(&mut self) {
        // What cannot be removed is a small file among temporary ones.
        for (name, _) in HEADERS {
            let _ = fs::remove_file(self.0.join(name));
        }
        let _ = fs::remove_dir(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_headers_are_there_and_go_away() {
        let folder = HeaderFolder::new().expect("a folder for temporary files");
        let path = folder.path().to_owned();
        for (name, part) in [
            ("treville.h", "treville_assume"),
            ("treville_linux.h", "smp_mb"),
            ("treville_nondet.h", "__VERIFIER_nondet_new"),
        ] {
            assert!(fs::read_to_string(path.join(name)).is_ok_and(|text| text.contains(part)), "{name}");
        }
        drop(folder);
        assert!(!path.exists());
    }
}
