//! Places in the source, from the debug information of instructions.

use crate::debug::{DebugFile, Location, LocationId};
use crate::module::Module;
use std::collections::BTreeMap;
use std::ops::Range;
use treville_base::{FileId, SourceMap, Span};

/// Headers whose inline functions only stand for a call: the place is where they are called.
const WRAPPERS: &[&str] =
    &["assert.h", "genmc.h", "genmc_internal.h", "pthread.h", "stdatomic.h", "stdlib.h", "threads.h", "treville.h"];

/// Not files of text, whatever their names: reading one may never end.
const DEVICES: &[&str] = &["/dev/", "/proc/", "/sys/"];

/// Folders of code that the reader did not write.
const FOREIGN: &[&str] = &["/usr/", "/rustc/"];

pub(super) struct Places<'a> {
    module: &'a Module,
    sources: &'a mut SourceMap,
    read: &'a mut dyn FnMut(&str) -> Option<String>,
    /// By path; `None` if the file is not there.
    files: BTreeMap<String, Option<FileId>>,
    /// Where the lines of a file begin.
    lines: BTreeMap<FileId, Vec<usize>>,
    known: BTreeMap<LocationId, Option<Span>>,
}

impl<'a> Places<'a> {
    pub(super) fn new(
        module: &'a Module,
        sources: &'a mut SourceMap,
        read: &'a mut dyn FnMut(&str) -> Option<String>,
    ) -> Self {
        Places { module, sources, read, files: BTreeMap::new(), lines: BTreeMap::new(), known: BTreeMap::new() }
    }

    /// The place in the source, or, if it is not known, `text` in the module.
    pub(super) fn span(&mut self, location: Option<LocationId>, text: Span) -> Span {
        let Some(id) = location else { return text };
        if let Some(known) = self.known.get(&id) {
            return known.unwrap_or(text);
        }
        let found = self.find(id);
        self.known.insert(id, found);
        found.unwrap_or(text)
    }

    fn find(&mut self, id: LocationId) -> Option<Span> {
        let debug = &self.module.debug;
        let ours = |l: &&Location| l.line != 0 && debug.file_of(l).is_some_and(|f| !is_foreign(f));
        let mut chain = debug.inline_chain(id);
        let location = chain.find(ours).or_else(|| debug.inline_chain(id).last())?;
        let file = self.file(debug.file_of(location)?)?;
        self.place(file, location.line, location.column)
    }

    fn file(&mut self, file: &DebugFile) -> Option<FileId> {
        let path = file.path();
        if let Some(known) = self.files.get(&path) {
            return *known;
        }
        let named = |f: &str| *f == *file.name || f == path;
        let known = self.sources.files().find(|(_, f)| named(&f.name)).map(|(id, _)| id);
        let readable = !DEVICES.iter().any(|folder| path.starts_with(folder));
        let found = known.or_else(|| {
            if !readable {
                return None;
            }
            // A compiler may cut names at another folder than the one that it was called in.
            let near = (self.read)(&file.name);
            let name = if near.is_some() { &*file.name } else { path.as_str() };
            let name = name.to_owned();
            let text = (self.read)(&path).or(near)?;
            Some(self.sources.add(name, text))
        });
        self.files.insert(path, found);
        found
    }

    /// What is at a line and column.
    fn place(&mut self, file: FileId, line: u32, column: u32) -> Option<Span> {
        let text = &self.sources.file(file).text;
        let starts = self.lines.entry(file).or_insert_with(|| {
            std::iter::once(0)
                .chain(text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(i, _)| i + 1))
                .collect()
        });
        let start = *starts.get(line.checked_sub(1)? as usize)?;
        let line = text[start..].lines().next().unwrap_or("");
        let range = within(line, column.saturating_sub(1) as usize);
        Some(Span::new(file, start + range.start, start + range.end))
    }
}

fn is_foreign(file: &DebugFile) -> bool {
    let path = file.path();
    let base = path.rsplit('/').next().unwrap_or(&path);
    WRAPPERS.contains(&base) || FOREIGN.iter().any(|folder| path.starts_with(folder))
}

fn in_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// What to show of a line: the word at a column, with its arguments if it is called, or, for an operator, the expression
/// around it.
fn within(line: &str, column: usize) -> Range<usize> {
    let indent = line.len() - line.trim_start().len();
    let at = if column < line.len() && line.is_char_boundary(column) { column } else { indent };
    let rest = &line[at..];
    if rest.starts_with(in_word) {
        return at..at + called(rest);
    }
    let begin = at - outwards(line[..at].chars().rev(), ')', '(');
    let end = at + outwards(rest.chars(), '(', ')');
    let shown = &line[begin..end];
    let begin = begin + shown.len() - shown.trim_start().len();
    begin..begin + shown.trim().len()
}

/// How many bytes there are up to the end of an expression; `open` and `close` are parentheses as they are met.
fn outwards(chars: impl Iterator<Item = char>, open: char, close: char) -> usize {
    let mut depth = 0;
    let stays = |c: &char| {
        depth += i32::from(*c == open) - i32::from(*c == close);
        depth >= 0 && !(depth == 0 && matches!(c, ';' | '{' | '}' | ','))
    };
    chars.take_while(stays).map(char::len_utf8).sum()
}

/// How far the word at the beginning reaches, with its arguments.
fn called(text: &str) -> usize {
    let word = text.find(|c| !in_word(c)).unwrap_or(text.len());
    let mut depth = 0;
    if text[word..].starts_with('(') {
        for (i, c) in text.char_indices().skip_while(|(i, _)| *i < word) {
            match c {
                '(' => depth += 1,
                ')' if depth == 1 => return i + 1,
                ')' => depth -= 1,
                _ => {}
            }
        }
    }
    word
}

#[cfg(test)]
mod tests {
    use super::within;

    #[test]
    fn a_place_is_a_word_a_call_or_an_expression() {
        let shown = |line: &'static str, column| &line[within(line, column)];
        assert_eq!(shown("  lock(&m); x", 2), "lock(&m)");
        assert_eq!(shown("  x = 1; y", 2), "x");
        assert_eq!(shown("  x = f(1, 2); y", 4), "x = f(1, 2)");
        assert_eq!(shown("for (i = 0; i < n; i++) {", 20), "i++");
        assert_eq!(shown("if ((a = b))", 7), "a = b");
        assert_eq!(shown("f(g(1, 2), (3", 0), "f");
        assert_eq!(shown("\tx[é] = 1;", 7), "x[é] = 1");
        assert_eq!(shown("  x", 99), "x");
        assert_eq!(shown("", 4), "");
        assert_eq!(shown(") = (", 2), ") = (");
    }
}
