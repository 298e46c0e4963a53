//! Words of litmus tests, and a cursor over them that gives errors with places.
//!
//! Machine code and the state language (initial state and condition) share most of their words; [`Style`] says which of
//! the two is meant where they differ.

use crate::header::comment_length;
use std::ops::Range;
use treville_base::{Diagnostic, FileId, Span};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Tok<'a> {
    Name(&'a str),
    /// A literal that fits in 64 bits, signed or unsigned.
    Num(i128),
    /// Between double quotes.
    Str(&'a str),
    Punct(&'static str),
    End,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Token<'a> {
    pub(crate) tok: Tok<'a>,
    pub(crate) span: Span,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Style {
    /// Initial states and conditions: names may contain `-` and `/` and begin with `$`.
    State,
    /// Machine code.
    Code,
}

/// Longer ones first.
const PUNCTUATION: &[&str] = &[
    "/\\", "\\/", "=>", "==", "!=", "<>", "|=", ",", ";", ":", "[", "]", "(", ")", "{", "}", "=", "*", "&", "~", "+",
    "-", "|", "#", "$", "%", "!", "<", ">", "^", "`", "@", "/", "?",
];

/// Cuts a range of the text into words, without comments.
pub(crate) fn lex<'a>(
    file: FileId,
    text: &'a str,
    range: Range<usize>,
    style: Style,
) -> Result<Vec<Token<'a>>, Diagnostic> {
    let mut lexer = Lexer { file, text, at: range.start, end: range.end, style };
    let mut tokens = Vec::with_capacity(range.len() / 3 + 1);
    loop {
        lexer.skip()?;
        let start = lexer.at;
        if start >= range.end {
            return Ok(tokens);
        }
        let tok = lexer.token()?;
        tokens.push(Token { tok, span: Span::new(file, start, lexer.at) });
    }
}

struct Lexer<'a> {
    file: FileId,
    text: &'a str,
    at: usize,
    end: usize,
    style: Style,
}

impl<'a> Lexer<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..self.end]
    }

    fn error(&self, length: usize, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(Span::new(self.file, self.at, self.at + length), message)
    }

    fn skip(&mut self) -> Result<(), Diagnostic> {
        loop {
            let rest = self.rest();
            let trimmed = rest.trim_start();
            self.at += rest.len() - trimmed.len();
            if trimmed.starts_with("(*") {
                self.at += comment_length(trimmed).ok_or_else(|| self.error(2, "this comment does not end"))?;
            } else if trimmed.starts_with("/*") {
                self.at += trimmed.find("*/").ok_or_else(|| self.error(2, "this comment does not end"))? + 2;
            } else if trimmed.starts_with("//") {
                self.at += trimmed.find('\n').unwrap_or(trimmed.len());
            } else {
                return Ok(());
            }
        }
    }

    fn token(&mut self) -> Result<Tok<'a>, Diagnostic> {
        let rest = self.rest();
        let bytes = rest.as_bytes();
        let digit_at = |i: usize| bytes.get(i).is_some_and(u8::is_ascii_digit);
        if digit_at(0) || (bytes[0] == b'-' && digit_at(1)) {
            return self.number();
        }
        let dollar = self.style == Style::State && bytes[0] == b'$';
        if bytes[0].is_ascii_alphabetic() || matches!(bytes[0], b'_' | b'.') || dollar {
            let length = self.name_length(rest);
            self.at += length;
            return Ok(Tok::Name(&rest[..length]));
        }
        if bytes[0] == b'"' {
            let length = rest[1..].find(['"', '\n']).filter(|&n| rest.as_bytes()[n + 1] == b'"');
            let length = length.ok_or_else(|| self.error(1, "this string does not end on its line"))?;
            self.at += length + 2;
            return Ok(Tok::Str(&rest[1..=length]));
        }
        match PUNCTUATION.iter().find(|p| rest.starts_with(**p)) {
            Some(p) => {
                self.at += p.len();
                Ok(Tok::Punct(p))
            }
            None => {
                let c = rest.chars().next().unwrap_or(' ');
                Err(self.error(c.len_utf8(), format!("unexpected character `{c}`")))
            }
        }
    }

    fn name_length(&self, rest: &str) -> usize {
        let bytes = rest.as_bytes();
        let letter = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'.';
        let mut length = 1;
        while let Some(&b) = bytes.get(length) {
            // Inside a name of the state language: `a-b`, `a/b`, but not the beginning of `/\`.
            let inner = self.style == Style::State
                && (b == b'-' || b == b'/')
                && bytes.get(length + 1).is_some_and(u8::is_ascii_alphanumeric);
            if !letter(b) && !inner {
                break;
            }
            length += 1;
        }
        length
    }

    fn number(&mut self) -> Result<Tok<'a>, Diagnostic> {
        let rest = self.rest();
        let sign = usize::from(rest.starts_with('-'));
        let digits = &rest[sign..];
        let length = digits.bytes().position(|b| !b.is_ascii_alphanumeric()).unwrap_or(digits.len());
        let digits = &digits[..length];
        let hex = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X"));
        let magnitude = match hex {
            Some(hex) => u64::from_str_radix(hex, 16),
            None => digits.parse::<u64>(),
        };
        let Ok(magnitude) = magnitude else {
            let all = &rest[..sign + length];
            let number = hex.is_some_and(|h| !h.is_empty() && h.bytes().all(|b| b.is_ascii_hexdigit()))
                || digits.bytes().all(|b| b.is_ascii_digit());
            let why = if number { "does not fit in 64 bits" } else { "is not a number" };
            return Err(self.error(all.len(), format!("`{all}` {why}")));
        };
        self.at += sign + length;
        let magnitude = i128::from(magnitude);
        Ok(Tok::Num(if sign == 1 { -magnitude } else { magnitude }))
    }
}

/// A position in a list of words.
#[derive(Clone, Debug)]
pub(crate) struct Cursor<'t, 'a> {
    tokens: &'t [Token<'a>],
    at: usize,
    /// Where the text ends, for errors.
    end: Span,
}

impl<'t, 'a> Cursor<'t, 'a> {
    /// `end` is the offset after the last word.
    pub(crate) fn new(file: FileId, tokens: &'t [Token<'a>], end: usize) -> Self {
        Cursor { tokens, at: 0, end: Span::new(file, end, end) }
    }

    pub(crate) fn peek(&self) -> Tok<'a> {
        self.peek_at(0)
    }

    /// The word `ahead` places further.
    pub(crate) fn peek_at(&self, ahead: usize) -> Tok<'a> {
        self.tokens.get(self.at + ahead).map_or(Tok::End, |t| t.tok)
    }

    /// The place of the next word.
    pub(crate) fn span(&self) -> Span {
        self.tokens.get(self.at).map_or(self.end, |t| t.span)
    }

    /// The place of the word before.
    pub(crate) fn last_span(&self) -> Span {
        self.at.checked_sub(1).and_then(|i| self.tokens.get(i)).map_or(self.end, |t| t.span)
    }

    pub(crate) fn next(&mut self) -> Tok<'a> {
        let tok = self.peek();
        self.at = (self.at + 1).min(self.tokens.len());
        tok
    }

    pub(crate) fn done(&self) -> bool {
        self.at >= self.tokens.len()
    }

    /// Takes a punctuation mark if it is next.
    pub(crate) fn eat(&mut self, punct: &str) -> bool {
        let found = self.is(punct);
        self.at += usize::from(found);
        found
    }

    pub(crate) fn is(&self, punct: &str) -> bool {
        matches!(self.peek(), Tok::Punct(p) if p == punct)
    }

    pub(crate) fn expect(&mut self, punct: &str) -> Result<Span, Diagnostic> {
        let span = self.span();
        if self.eat(punct) { Ok(span) } else { Err(self.expected(&format!("`{punct}`"))) }
    }

    pub(crate) fn name(&mut self, what: &str) -> Result<&'a str, Diagnostic> {
        match self.peek() {
            Tok::Name(name) => {
                self.at += 1;
                Ok(name)
            }
            _ => Err(self.expected(what)),
        }
    }

    pub(crate) fn number(&mut self, what: &str) -> Result<i128, Diagnostic> {
        match self.peek() {
            Tok::Num(n) => {
                self.at += 1;
                Ok(n)
            }
            _ => Err(self.expected(what)),
        }
    }

    /// An error at the next word: it is not what it should be.
    pub(crate) fn expected(&self, what: &str) -> Diagnostic {
        let found = match self.peek() {
            Tok::Name(n) => format!("`{n}`"),
            Tok::Num(n) => format!("`{n}`"),
            Tok::Str(s) => format!("`\"{s}\"`"),
            Tok::Punct(p) => format!("`{p}`"),
            Tok::End => "the end".to_owned(),
        };
        Diagnostic::error(self.span(), format!("expected {what}, found {found}"))
    }

    /// Skips to after the next `punct`, or to the end.
    pub(crate) fn skip_past(&mut self, punct: &str) {
        while !self.done() && !self.eat(punct) {
            self.at += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn toks(text: &str, style: Style) -> Vec<Tok<'_>> {
        lex(FileId(0), text, 0..text.len(), style).unwrap().iter().map(|t| t.tok).collect()
    }

    #[test]
    fn words_of_states() {
        use Tok::*;
        assert_eq!(
            toks("0:r1=x/\\a-b", Style::State),
            [Num(0), Punct(":"), Name("r1"), Punct("="), Name("x"), Punct("/\\"), Name("a-b")]
        );
        assert_eq!(toks("$2=-1 (* (* *) *) 0xff", Style::State), [Name("$2"), Punct("="), Num(-1), Num(255)]);
    }

    #[test]
    fn words_of_code() {
        use Tok::*;
        assert_eq!(toks("stwcx. r1,r0,r2", Style::Code).len(), 6);
        assert_eq!(toks("MOV [x],$1", Style::Code)[5..], [Punct("$"), Num(1)]);
    }

    #[test]
    fn bad_words() {
        for text in ["12ab", "0x", "99999999999999999999", "\"open", "é", "(* open"] {
            assert!(lex(FileId(0), text, 0..text.len(), Style::Code).is_err(), "{text}");
        }
    }
}
