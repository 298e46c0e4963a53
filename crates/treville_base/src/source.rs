//! Source texts and positions in them. Files are given as text: reading them is the caller's business.

use std::sync::Arc;

crate::ids! {
    /// A file of a [`SourceMap`].
    FileId "file";
}

/// A range of bytes in one file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Span {
    pub file: FileId,
    pub start: u32,
    pub end: u32,
}

impl Span {
    pub fn new(file: FileId, start: usize, end: usize) -> Self {
        let offset = |n| u32::try_from(n).unwrap_or(u32::MAX);
        Span { file, start: offset(start), end: offset(end) }
    }

    /// The smallest span that covers both; they must be in one file.
    pub fn to(self, end: Span) -> Span {
        Span { file: self.file, start: self.start.min(end.start), end: self.end.max(end.end) }
    }
}

/// A position as people count it: from 1; columns are characters, not bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct LineCol {
    pub line: usize,
    pub column: usize,
}

/// One text, with the name by which a person knows it.
#[derive(Clone, Debug)]
pub struct SourceFile {
    pub name: String,
    pub text: Arc<str>,
    line_starts: Vec<u32>,
}

impl SourceFile {
    pub fn new(name: impl Into<String>, text: impl Into<Arc<str>>) -> Self {
        let text = text.into();
        let line_starts = std::iter::once(0)
            .chain(text.bytes().enumerate().filter(|&(_, b)| b == b'\n').map(|(i, _)| i as u32 + 1))
            .collect();
        SourceFile { name: name.into(), text, line_starts }
    }

    pub fn line_col(&self, offset: u32) -> LineCol {
        let offset = offset.min(self.text.len() as u32);
        let line = self.line_starts.partition_point(|&s| s <= offset);
        let start = self.line_starts[line - 1] as usize;
        let column = self.text.get(start..offset as usize).map_or(1, |s| s.chars().count() + 1);
        LineCol { line, column }
    }

    /// The text of a line (counted from 1), without its end.
    pub fn line(&self, line: usize) -> &str {
        let start = self.line_starts.get(line.wrapping_sub(1)).map_or(self.text.len(), |&s| s as usize);
        let end = self.line_starts.get(line).map_or(self.text.len(), |&s| s as usize);
        self.text[start..end].trim_end_matches(['\n', '\r'])
    }

    /// The line of a place, without its end, as what is before the place and what begins there.
    pub fn split_line(&self, offset: u32) -> (&str, &str) {
        let line = self.line_starts.partition_point(|&s| s <= offset);
        let (start, text) = (self.line_starts[line - 1], self.line(line));
        text.split_at_checked((offset - start) as usize).unwrap_or((text, ""))
    }
}

/// The files that spans refer to.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    files: crate::IndexVec<FileId, SourceFile>,
}

impl SourceMap {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn add(&mut self, name: impl Into<String>, text: impl Into<Arc<str>>) -> FileId {
        self.files.push(SourceFile::new(name, text))
    }

    pub fn file(&self, id: FileId) -> &SourceFile {
        &self.files[id]
    }

    pub fn files(&self) -> impl Iterator<Item = (FileId, &SourceFile)> {
        self.files.iter_enumerated()
    }

    pub fn snippet(&self, span: Span) -> &str {
        self.file(span.file).text.get(span.start as usize..span.end as usize).unwrap_or("")
    }

    pub fn start(&self, span: Span) -> LineCol {
        self.file(span.file).line_col(span.start)
    }
}
