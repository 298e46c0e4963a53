//! The header `treville.h`, where a compiler can find it.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

const NAME: &str = "treville.h";
const TEXT: &str = include_str!("../include/treville.h");

/// A folder with the header in it, for as long as this value lives.
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
                return fs::write(folder.0.join(NAME), TEXT).ok().map(|()| folder);
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
        let _ = fs::remove_file(self.0.join(NAME));
        let _ = fs::remove_dir(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_is_there_and_goes_away() {
        let folder = HeaderFolder::new().expect("a folder for temporary files");
        let file = folder.path().join(NAME);
        assert!(fs::read_to_string(&file).is_ok_and(|text| text.contains("treville_assume")));
        drop(folder);
        assert!(!file.exists());
    }
}
