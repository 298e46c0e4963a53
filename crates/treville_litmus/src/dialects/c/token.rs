//! Cuts C into words.

use std::ops::Range;
use treville_base::{Diagnostic, FileId, Span};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Tok<'a> {
    Name(&'a str),
    Int(i128),
    Punct(&'static str),
    End,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Token<'a> {
    pub(crate) tok: Tok<'a>,
    pub(crate) span: Span,
}

/// Longer ones first.
const PUNCTUATION: &[&str] = &[
    "<<=", ">>=", "==", "!=", "<=", ">=", "&&", "||", "<<", ">>", "++", "--", "->", "+=", "-=", "*=", "/=", "%=", "&=",
    "|=", "^=", "(", ")", "{", "}", "[", "]", ";", ",", "=", "*", "&", "|", "^", "~", "!", "+", "-", "/", "%", "<",
    ">", "?", ":", ".", "\"",
];

/// What a text is, which decides whether `(*` can begin a comment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// The code of a test: between functions `(* … *)` is a comment; inside, `(*` begins `(*x)`.
    Test,
    Macros,
}

/// The words of a range of `text`, comments left out, with an `End` at the end.
pub(crate) fn lex<'a>(
    file: FileId,
    text: &'a str,
    range: Range<usize>,
    kind: Kind,
) -> Result<Vec<Token<'a>>, Diagnostic> {
    let mut lexer = Lexer { file, text: &text[..range.end], at: range.start, kind, depth: 0 };
    let mut tokens = Vec::with_capacity(range.len() / 4 + 1);
    loop {
        lexer.skip_blanks_and_comments()?;
        let start = lexer.at;
        let tok = lexer.token()?;
        tokens.push(Token { tok, span: Span::new(file, start, lexer.at) });
        match tok {
            Tok::End => return Ok(tokens),
            Tok::Punct("{" | "(") => lexer.depth += 1,
            Tok::Punct("}" | ")") => lexer.depth = lexer.depth.saturating_sub(1),
            _ => {}
        }
    }
}

struct Lexer<'a> {
    file: FileId,
    /// Up to the end of the range.
    text: &'a str,
    at: usize,
    kind: Kind,
    /// Of open parentheses and braces.
    depth: usize,
}

impl<'a> Lexer<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn error(&self, length: usize, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(Span::new(self.file, self.at, self.at + length), message)
    }

    fn skip_blanks_and_comments(&mut self) -> Result<(), Diagnostic> {
        loop {
            let rest = self.rest();
            let blanks = rest.bytes().position(|b| !b.is_ascii_whitespace()).unwrap_or(rest.len());
            let trimmed =
                if rest.as_bytes().get(blanks).is_some_and(u8::is_ascii) { &rest[blanks..] } else { rest.trim_start() };
            self.at += rest.len() - trimmed.len();
            if trimmed.starts_with("//") {
                self.at += trimmed.find('\n').unwrap_or(trimmed.len());
            } else if trimmed.starts_with("/*") {
                self.skip_past("*/")?;
            } else if self.kind == Kind::Test && self.depth == 0 && trimmed.starts_with("(*") {
                self.skip_past("*)")?;
            } else {
                return Ok(());
            }
        }
    }

    /// Skips a comment that ends with `end`.
    fn skip_past(&mut self, end: &str) -> Result<(), Diagnostic> {
        let length = self.rest()[2..].find(end).ok_or_else(|| self.error(2, "this comment does not end"))?;
        self.at += 2 + length + end.len();
        Ok(())
    }

    fn token(&mut self) -> Result<Tok<'a>, Diagnostic> {
        let rest = self.rest();
        let Some(first) = rest.chars().next() else { return Ok(Tok::End) };
        if first.is_ascii_digit() {
            return self.number();
        }
        if first.is_ascii_alphabetic() || first == '_' {
            let length = word_length(rest);
            self.at += length;
            return Ok(Tok::Name(&rest[..length]));
        }
        let begins = |p: &&&str| p.as_bytes()[0] == rest.as_bytes()[0] && rest.starts_with(**p);
        let Some(punct) = PUNCTUATION.iter().find(begins) else {
            return Err(self.error(first.len_utf8(), format!("unexpected character `{first}`")));
        };
        self.at += punct.len();
        Ok(Tok::Punct(punct))
    }

    /// A decimal, hexadecimal or octal number; the suffixes of C are ignored.
    fn number(&mut self) -> Result<Tok<'a>, Diagnostic> {
        let word = &self.rest()[..word_length(self.rest())];
        let lower = word.to_ascii_lowercase();
        let digits = lower.trim_end_matches(['u', 'l']);
        let value = match digits.strip_prefix("0x") {
            Some(hex) => u64::from_str_radix(hex, 16),
            None if digits.len() > 1 && digits.starts_with('0') => u64::from_str_radix(digits, 8),
            None => digits.parse(),
        };
        let value = value.map_err(|_| self.error(word.len(), format!("`{word}` is not an integer of 64 bits")))?;
        self.at += word.len();
        Ok(Tok::Int(i128::from(value)))
    }
}

fn word_length(rest: &str) -> usize {
    rest.bytes().position(|b| !(b.is_ascii_alphanumeric() || b == b'_')).unwrap_or(rest.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_comments() {
        let text = "(* a *) P0() { r0 = (*x) - 0x1fUL + 010; // b\n/* c */ }";
        let toks: Vec<String> = lex(FileId(0), text, 0..text.len(), Kind::Test)
            .unwrap()
            .iter()
            .map(|t| match t.tok {
                Tok::Name(n) => n.to_owned(),
                Tok::Int(n) => n.to_string(),
                Tok::Punct(p) => p.to_owned(),
                Tok::End => "end".to_owned(),
            })
            .collect();
        assert_eq!(toks.join(" "), "P0 ( ) { r0 = ( * x ) - 31 + 8 ; } end");
    }

    #[test]
    fn broken_words() {
        for text in ["/* open", "(* open", "12ab", "0x", "99999999999999999999", "é", "`"] {
            assert!(lex(FileId(0), text, 0..text.len(), Kind::Test).is_err(), "{text}");
        }
    }
}
