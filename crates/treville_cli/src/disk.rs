//! Files on the disk; `-` is standard input.

use std::path::Path;
use treville_verifier::Files;

pub(crate) struct Disk;

/// A larger text is no test and no model.
const LARGEST: u64 = 256 << 20;

impl Files for Disk {
    fn read(&self, path: &str) -> Result<String, String> {
        if path == "-" {
            return std::io::read_to_string(std::io::stdin()).map_err(|e| said(&e));
        }
        let metadata = std::fs::metadata(path).map_err(|e| said(&e))?;
        if metadata.is_dir() {
            return Err("is a folder".into());
        }
        if metadata.len() > LARGEST {
            return Err("is too large".into());
        }
        let bytes = std::fs::read(path).map_err(|e| said(&e))?;
        // Comments in old tests are not always UTF-8; what is not is shown as �.
        Ok(String::from_utf8(bytes).unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned()))
    }

    fn is_file(&self, path: &str) -> bool {
        Path::new(path).is_file()
    }

    fn is_folder(&self, path: &str) -> bool {
        Path::new(path).is_dir()
    }

    fn list(&self, folder: &str) -> Result<Vec<String>, String> {
        let entries = std::fs::read_dir(folder).map_err(|e| said(&e))?;
        let path = |e: std::io::Result<std::fs::DirEntry>| e.map(|e| e.path().to_string_lossy().into_owned());
        let mut paths = entries.map(path).collect::<Result<Vec<_>, _>>().map_err(|e| said(&e))?;
        paths.sort();
        Ok(paths)
    }
}

fn said(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => "no such file".into(),
        std::io::ErrorKind::PermissionDenied => "permission denied".into(),
        _ => error.to_string(),
    }
}
