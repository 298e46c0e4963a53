//! The source tree: its crates with what they depend on, and its Rust files.

use crate::rust::{Token, lex};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The files of the workspace, product code and tests.
pub(crate) struct Tree {
    pub(crate) root: PathBuf,
    pub(crate) files: Vec<File>,
    /// The crates of the workspace by name, with those of them that each depends on, tests aside.
    pub(crate) crates: BTreeMap<String, Vec<String>>,
    pub(crate) architecture: String,
    /// The pages of documentation, for users and for contributors.
    pub(crate) documents: Vec<Document>,
    /// All files of the source tree that documentation may name.
    pub(crate) paths: Vec<String>,
}

/// A page in Markdown.
pub(crate) struct Document {
    pub(crate) path: String,
    pub(crate) text: String,
}

/// A Rust file.
pub(crate) struct File {
    /// From the root, with `/`.
    pub(crate) path: String,
    /// The folder below `crates/`, or the first one.
    pub(crate) package: String,
    pub(crate) text: String,
    pub(crate) tokens: Vec<Token>,
}

impl File {
    /// Whether it is compiled into what users run: not a test, an example or a bench.
    pub(crate) fn is_product(&self) -> bool {
        let tests =
            ["treville_testkit", "treville_trials", "treville_fuzz", "treville_bench", "xtask", "benches", "fuzz"];
        self.path.contains("/src/")
            && !tests.contains(&self.package.as_str())
            && !self.path.contains("/tests/")
            && !self.path.ends_with("/tests.rs")
            && !self.path.ends_with("/fixture.rs")
    }

    /// The tokens outside of `#[cfg(test)]` modules.
    pub(crate) fn product_tokens(&self) -> &[Token] {
        let test = self.text.find("#[cfg(test)]\nmod ");
        // What follows the first test module in a file is a test: house style puts it last.
        let end = test.filter(|at| self.text[*at..].contains(" {\n")).unwrap_or(self.text.len());
        let n = self.tokens.partition_point(|token| token.start < end);
        &self.tokens[..n]
    }

    /// `path:line`.
    pub(crate) fn place(&self, at: usize) -> String {
        let line = 1 + self.text[..at.min(self.text.len())].matches('\n').count();
        format!("{}:{line}", self.path)
    }
}

impl Tree {
    /// Reads the tree that this program was built in.
    pub(crate) fn read() -> Result<Tree, String> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let mut files = Vec::new();
        for folder in ["crates", "benches", "xtask"] {
            rust_files(&root, Path::new(folder), &mut files)?;
        }
        files.sort_by(|a, b| a.path.cmp(&b.path));
        let mut crates = BTreeMap::new();
        for entry in list(&root.join("crates"))? {
            let manifest = read(&entry.join("Cargo.toml"))?;
            let name = entry.file_name().unwrap_or_default().to_string_lossy().into_owned();
            crates.insert(name, dependencies(&manifest));
        }
        let architecture = read(&root.join("ARCHITECTURE.md"))?;
        let mut paths = Vec::new();
        for folder in ["crates", "benches", "xtask", "models", "cases", "case-studies", "docs"] {
            all_files(&root, Path::new(folder), &mut paths)?;
        }
        let pages = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"].map(str::to_owned);
        let pages = pages.into_iter().chain(paths.iter().filter(|path| path.ends_with(".md")).cloned());
        let page = |path: String| Ok(Document { text: read(&root.join(&path))?, path });
        let documents = pages.map(page).collect::<Result<_, String>>()?;
        Ok(Tree { root, files, crates, architecture, documents, paths })
    }
}

/// The crates of the workspace in the section `[dependencies]` of a manifest.
fn dependencies(manifest: &str) -> Vec<String> {
    let after = manifest.split_once("\n[dependencies]\n").map_or("", |(_, after)| after);
    let section = after.split("\n[").next().unwrap_or_default();
    let names = section.lines().filter_map(|line| line.split(['.', ' ', '=']).next());
    names.filter(|name| name.starts_with("treville")).map(str::to_owned).collect()
}

fn rust_files(root: &Path, folder: &Path, out: &mut Vec<File>) -> Result<(), String> {
    for path in list(&root.join(folder))? {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let inner = folder.join(&name);
        if path.is_dir() && name != "target" && name != "test_data" {
            rust_files(root, &inner, out)?;
        } else if name.ends_with(".rs") {
            let text = read(&path)?;
            let path = inner.to_string_lossy().replace('\\', "/");
            let mut parts = path.split('/');
            let first = parts.next().unwrap_or_default();
            let package = if first == "crates" { parts.next().unwrap_or_default() } else { first }.to_owned();
            let tokens = lex(&text);
            out.push(File { path, package, text, tokens });
        }
    }
    Ok(())
}

fn all_files(root: &Path, folder: &Path, out: &mut Vec<String>) -> Result<(), String> {
    for path in list(&root.join(folder))? {
        let inner = folder.join(path.file_name().unwrap_or_default());
        match path.is_dir() {
            true if path.ends_with("target") => {}
            true => all_files(root, &inner, out)?,
            false => out.push(inner.to_string_lossy().replace('\\', "/")),
        }
    }
    Ok(())
}

fn list(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(folder).map_err(|why| format!("{}: {why}", folder.display()))?;
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    Ok(paths)
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|why| format!("{}: {why}", path.display()))
}
