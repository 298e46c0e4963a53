//! Cuts a litmus test into its parts: the first line, the `key=value` lines, and the three sections (initial state, code,
//! final condition), each as a range of the text. What the parts mean is decided elsewhere.

use std::ops::Range;
use treville_base::{Diagnostic, FileId, Span};
use treville_ir::Dialect;

/// The parts of a test, borrowed from its text.
#[derive(Clone, Debug)]
pub(crate) struct Sections<'a> {
    /// The first word, which names the dialect.
    pub(crate) arch: &'a str,
    pub(crate) arch_span: Span,
    pub(crate) name: &'a str,
    pub(crate) doc: Option<&'a str>,
    /// `key=value` lines, in order.
    pub(crate) info: Vec<(&'a str, &'a str)>,
    /// Between the braces.
    pub(crate) init: Range<usize>,
    pub(crate) code: Range<usize>,
    /// From `locations`, `filter` or the quantifier to the end; empty if there is none.
    pub(crate) condition: Range<usize>,
}

/// Finds the parts. Only the outline is checked: a first line, and braces around the initial state.
pub(crate) fn split(file: FileId, text: &str) -> Result<Sections<'_>, Diagnostic> {
    let mut scan = Scan { file, text, at: 0 };
    scan.blanks_and_comments()?;
    let (arch, arch_span) = scan.word().ok_or_else(|| {
        scan.error("expected a litmus test, which begins with a dialect and a name").help("for example: `X86 SB`")
    })?;
    scan.blanks();
    let Some((name, _)) = scan.word() else {
        return Err(scan.error(format!("expected the name of the test after `{arch}`")));
    };
    let (doc, info) = scan.preamble()?;
    let init = scan.braces()?;
    let c_like = matches!(arch, Dialect::C | "CPP");
    let code_start = scan.at;
    let code_end = scan.find_condition(c_like)?;
    let condition_end = scan.find_condition_end()?;
    Ok(Sections {
        arch,
        arch_span,
        name: name.strip_suffix(".litmus").unwrap_or(name),
        doc,
        info,
        init,
        code: code_start..code_end,
        condition: code_end..condition_end,
    })
}

struct Scan<'a> {
    file: FileId,
    text: &'a str,
    at: usize,
}

type Preamble<'a> = (Option<&'a str>, Vec<(&'a str, &'a str)>);

impl<'a> Scan<'a> {
    fn error(&self, message: impl Into<String>) -> Diagnostic {
        let end = self.rest().chars().next().map_or(self.at, |c| self.at + c.len_utf8());
        Diagnostic::error(Span::new(self.file, self.at, end), message)
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// Spaces, but not the end of the line.
    fn blanks(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start_matches([' ', '\t', '\r']).len();
    }

    fn blanks_and_comments(&mut self) -> Result<(), Diagnostic> {
        loop {
            let rest = self.rest();
            self.at += rest.len() - rest.trim_start().len();
            if !self.comment()? {
                return Ok(());
            }
        }
    }

    /// Skips one comment if it begins here.
    fn comment(&mut self) -> Result<bool, Diagnostic> {
        if !self.rest().starts_with("(*") {
            return Ok(false);
        }
        let Some(length) = comment_length(self.rest()) else {
            return Err(Diagnostic::error(Span::new(self.file, self.at, self.at + 2), "this comment does not end"));
        };
        self.at += length;
        Ok(true)
    }

    /// Characters up to the next space, with their place.
    fn word(&mut self) -> Option<(&'a str, Span)> {
        let word = self.rest().split([' ', '\t', '\r', '\n']).next().filter(|w| !w.is_empty())?;
        let span = Span::new(self.file, self.at, self.at + word.len());
        self.at += word.len();
        Some((word, span))
    }

    /// What stands between the first line and the initial state: a description in quotes, `key=value` lines, comments;
    /// other words are ignored.
    fn preamble(&mut self) -> Result<Preamble<'a>, Diagnostic> {
        let (mut doc, mut info) = (None, Vec::new());
        loop {
            self.blanks_and_comments()?;
            let rest = self.rest();
            if rest.is_empty() {
                return Err(self.error("the test has no initial state").help("write `{}` for an empty one"));
            }
            if rest.starts_with('{') {
                return Ok((doc, info));
            }
            if let Some(quoted) = rest.strip_prefix('"')
                && let Some(length) = quoted.find('"')
            {
                doc = doc.or(Some(&quoted[..length]));
                self.at += length + 2;
                continue;
            }
            let line = rest.lines().next().unwrap_or("");
            if let Some((key, value)) = key_value(line) {
                info.push((key, value));
                self.at += line.len();
            } else {
                // A word that nobody knows, up to a brace or a comment.
                let first = rest.chars().next().map_or(1, char::len_utf8);
                let end = rest[first..].find(|c: char| c.is_whitespace() || c == '{' || c == '(' || c == '"');
                self.at += end.map_or(rest.len(), |e| e + first);
            }
        }
    }

    /// The range inside the braces that begin here; braces may nest.
    fn braces(&mut self) -> Result<Range<usize>, Diagnostic> {
        let open = self.at;
        let mut depth = 0usize;
        while self.at < self.text.len() {
            if self.comment()? {
                continue;
            }
            match self.text.as_bytes()[self.at] {
                b'{' => depth += 1,
                b'}' => {
                    depth -= 1;
                    if depth == 0 {
                        self.at += 1;
                        return Ok(open + 1..self.at - 1);
                    }
                }
                _ => {}
            }
            self.step();
        }
        Err(Diagnostic::error(Span::new(self.file, open, open + 1), "the initial state does not end: missing `}`"))
    }

    fn step(&mut self) {
        self.at += self.rest().chars().next().map_or(0, char::len_utf8);
    }

    /// Moves to the word that begins the condition (or the end) and returns its place.
    fn find_condition(&mut self, c_like: bool) -> Result<usize, Diagnostic> {
        while self.at < self.text.len() {
            let rest = self.rest();
            if c_like && (rest.starts_with("/*") || rest.starts_with("//")) {
                let (end, length) = if rest.starts_with("/*") { ("*/", 2) } else { ("\n", 1) };
                self.at += rest[2..].find(end).map_or(rest.len(), |n| n + 2 + length);
                continue;
            }
            // In C, `(*` is an expression.
            if !c_like && self.comment()? {
                continue;
            }
            let byte = rest.as_bytes()[0];
            if byte == b'"' {
                let line = rest.lines().next().unwrap_or("");
                self.at += line[1..].find('"').map_or(line.len(), |n| n + 2);
            } else if byte == b'~' && rest[1..].trim_start_matches([' ', '\t']).starts_with("exists") {
                return Ok(self.at);
            } else if byte.is_ascii_alphabetic() || byte == b'_' {
                let word = word_of(rest);
                if matches!(
                    word,
                    "exists" | "forall" | "final" | "locations" | "filter" | "observed" | "Observed" | "cases"
                ) {
                    return Ok(self.at);
                }
                self.at += word.len();
            } else {
                self.step();
            }
        }
        Ok(self.at)
    }

    /// The end of the condition: commands between `<<` and `>>` may follow, which are not ours.
    fn find_condition_end(&mut self) -> Result<usize, Diagnostic> {
        while self.at < self.text.len() {
            if self.comment()? {
                continue;
            }
            if self.rest().starts_with("<<") {
                break;
            }
            self.step();
        }
        Ok(self.at)
    }
}

fn word_of(rest: &str) -> &str {
    let length = rest.bytes().position(|b| !(b.is_ascii_alphanumeric() || b == b'_')).unwrap_or(rest.len());
    &rest[..length]
}

fn key_value(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.split_once('=')?;
    let key = key.trim_end();
    let named = key.starts_with(|c: char| c.is_ascii_alphabetic())
        && key.bytes().all(|b| b.is_ascii_alphanumeric() || b"_/.-".contains(&b));
    named.then_some((key, value.trim()))
}

/// The length of the nested comment `(* … *)` at the beginning of `text`, or nothing if it does not end.
pub(crate) fn comment_length(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let (mut depth, mut at) = (0usize, 0);
    while at + 1 < bytes.len() {
        match &bytes[at..at + 2] {
            b"(*" => (depth, at) = (depth + 1, at + 2),
            b"*)" => {
                (depth, at) = (depth.saturating_sub(1), at + 2);
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => at += 1,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_parts() {
        let text = "X86 SB (sb)\n\"two {words}\"\nCom=Fr Fr\n(* { *)\n{ x=0; }\n P0 ;\n MFENCE ; (* exists *)\n~ exists (x=1) << show >>";
        let s = split(FileId(0), text).unwrap();
        assert_eq!((s.arch, s.name, s.doc), ("X86", "SB", Some("two {words}")));
        assert_eq!(s.info, [("Com", "Fr Fr")]);
        assert_eq!(&text[s.init], " x=0; ");
        assert_eq!(&text[s.condition], "~ exists (x=1) ");
        assert!(text[s.code].contains("MFENCE"));
    }

    #[test]
    fn a_test_may_have_no_condition() {
        let s = split(FileId(0), "AArch64 t\n{}\nP0;\nNOP;").unwrap();
        assert!(s.condition.is_empty());
    }
}
