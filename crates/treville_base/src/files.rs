//! Where texts come from: the command line reads a disk, tests and pages read memory. Only implementations of [`Files`] do IO.

use std::collections::BTreeMap;

pub trait Files: Sync {
    /// The text of a file, or why there is none.
    ///
    /// # Errors
    /// In words for a person, without the path.
    fn read(&self, path: &str) -> Result<String, String>;

    fn is_file(&self, path: &str) -> bool;

    fn is_folder(&self, path: &str) -> bool;

    /// The paths of everything directly in a folder, sorted.
    ///
    /// # Errors
    /// As [`Files::read`].
    fn list(&self, folder: &str) -> Result<Vec<String>, String>;
}

impl<F: Files + ?Sized> Files for &F {
    fn read(&self, path: &str) -> Result<String, String> {
        (**self).read(path)
    }

    fn is_file(&self, path: &str) -> bool {
        (**self).is_file(path)
    }

    fn is_folder(&self, path: &str) -> bool {
        (**self).is_folder(path)
    }

    fn list(&self, folder: &str) -> Result<Vec<String>, String> {
        (**self).list(folder)
    }
}

/// Files that exist only here, by path; folders are what paths imply.
#[derive(Clone, Debug, Default)]
pub struct MemoryFiles(pub BTreeMap<String, String>);

impl Files for MemoryFiles {
    fn read(&self, path: &str) -> Result<String, String> {
        self.0.get(path).cloned().ok_or_else(|| "no such file".into())
    }

    fn is_file(&self, path: &str) -> bool {
        self.0.contains_key(path)
    }

    fn is_folder(&self, path: &str) -> bool {
        let inside = format!("{}/", path.trim_end_matches('/'));
        self.0.keys().any(|p| p.starts_with(&inside))
    }

    fn list(&self, folder: &str) -> Result<Vec<String>, String> {
        let inside = format!("{}/", folder.trim_end_matches('/'));
        let child =
            |p: &String| p.strip_prefix(&inside).map(|rest| inside.clone() + rest.split('/').next().unwrap_or(""));
        let mut children: Vec<String> = self.0.keys().filter_map(child).collect();
        children.dedup();
        Ok(children)
    }
}

/// The folder of a path, if it names one.
pub fn folder_of(path: &str) -> Option<&str> {
    path.rsplit_once('/').map(|(folder, _)| if folder.is_empty() { "/" } else { folder })
}

/// `name` in `folder`.
pub fn join_path(folder: &str, name: &str) -> String {
    if folder.ends_with('/') { format!("{folder}{name}") } else { format!("{folder}/{name}") }
}
