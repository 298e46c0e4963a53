//! A lexer of Rust that tells identifiers, strings, comments and punctuation apart. It does not parse numbers.

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Word,
    /// A string, with its quotes.
    Text,
    /// A comment that documents nothing.
    Comment,
    /// `///` or `//!`.
    Doc,
    /// One character of anything else.
    Mark,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    pub(crate) text: String,
    /// Where it begins, in bytes.
    pub(crate) start: usize,
}

impl Token {
    pub(crate) fn is(&self, text: &str) -> bool {
        self.text == text
    }

    /// What is between the quotes of a string.
    pub(crate) fn content(&self) -> &str {
        let inner = self.text.trim_start_matches(['b', 'r', '#']).trim_end_matches('#');
        inner.strip_prefix('"').and_then(|inner| inner.strip_suffix('"')).unwrap_or(inner)
    }
}

/// The tokens of a text, without spaces.
pub(crate) fn lex(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let (kind, length) = if c.is_whitespace() {
            at += c.len_utf8();
            continue;
        } else if rest.starts_with("//") {
            (comment_kind(rest), rest.find('\n').unwrap_or(rest.len()))
        } else if rest.starts_with("/*") {
            (Kind::Comment, rest.find("*/").map_or(rest.len(), |end| end + 2))
        } else if let Some(length) = string_length(rest) {
            (Kind::Text, length)
        } else if c == '\'' {
            (Kind::Mark, char_length(rest))
        } else if c.is_alphanumeric() || c == '_' {
            (Kind::Word, rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len()))
        } else {
            (Kind::Mark, c.len_utf8())
        };
        tokens.push(Token { kind, text: rest[..length].to_owned(), start: at });
        at += length;
    }
    tokens
}

fn comment_kind(rest: &str) -> Kind {
    let documents = rest.starts_with("//!") || rest.starts_with("///") && !rest.starts_with("////");
    if documents { Kind::Doc } else { Kind::Comment }
}

/// How long the string is that a text begins with, if it does.
fn string_length(rest: &str) -> Option<usize> {
    let after_b = rest.strip_prefix('b').unwrap_or(rest);
    if let Some(raw) = after_b.strip_prefix('r') {
        let hashes = raw.len() - raw.trim_start_matches('#').len();
        if raw[hashes..].starts_with('"') {
            let open = rest.len() - raw.len() + hashes + 1;
            let close = format!("\"{}", "#".repeat(hashes));
            return Some(rest[open..].find(&close).map_or(rest.len(), |end| open + end + close.len()));
        }
    }
    let open = rest.len() - after_b.strip_prefix('"')?.len();
    let mut escaped = false;
    for (i, c) in rest[open..].char_indices() {
        match c {
            '"' if !escaped => return Some(open + i + 1),
            '\\' => escaped = !escaped,
            _ => escaped = false,
        }
    }
    Some(rest.len())
}

/// How long a character or a lifetime is.
fn char_length(rest: &str) -> usize {
    let mut chars = rest.char_indices().skip(1);
    match chars.next() {
        Some((_, '\\')) => {
            rest[2..].char_indices().skip(1).find(|(_, c)| *c == '\'').map_or(rest.len(), |(i, _)| i + 3)
        }
        Some(_) => match chars.next() {
            Some((i, '\'')) => i + 1,
            // A lifetime: its name is a word of its own.
            _ => 1,
        },
        None => rest.len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<(Kind, String)> {
        lex(text).into_iter().map(|token| (token.kind, token.text)).collect()
    }

    #[test]
    fn strings_comments_and_lifetimes_are_told_apart() {
        let found = kinds("fn f<'a>(x: &'a str) { g(\"a \\\" // b\", r#\"\"q\"\"#, '\\'', '\"') } // end\n/// doc");
        let of = |kind| found.iter().filter(move |(k, _)| *k == kind).map(|(_, t)| t.as_str()).collect::<Vec<_>>();
        assert_eq!(of(Kind::Text), ["\"a \\\" // b\"", "r#\"\"q\"\"#"]);
        assert_eq!(of(Kind::Comment), ["// end"]);
        assert_eq!(of(Kind::Doc), ["/// doc"]);
        assert!(of(Kind::Mark).contains(&"'\"'") && of(Kind::Mark).contains(&"'\\''"));
        assert!(of(Kind::Word).contains(&"a"));
    }
}
