//! Text to tokens.
//!
//! A name is `_?[A-Za-z][A-Za-z0-9_.-]*'?`: `po-loc`, `DMB.ISH` and `co-1` are single names, so the inverse of `co` is
//! `co^-1`. Comments are `// …`, `# …`, `(* … *)` and `/* … */`; the last never nests.

use crate::token::{Kind, Sign, Token, Word};
use treville_base::{Diagnostic, FileId, Span};

/// Whether `(*` inside a comment opens another one. Tools differ.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Comments {
    Nested,
    Flat,
}

pub(crate) struct Lexed {
    /// The last is [`Kind::End`].
    pub(crate) tokens: Vec<Token>,
    /// A `(*` was not closed.
    pub(crate) open_comment: bool,
}

/// All tokens of a text. What cannot be read is reported and left out.
pub(crate) fn lex(file: FileId, text: &str, comments: Comments, diagnostics: &mut Vec<Diagnostic>) -> Lexed {
    let mut lexer = Lexer { file, text, bytes: text.as_bytes(), at: 0, comments, open_comment: false, diagnostics };
    let mut tokens = Vec::with_capacity(text.len() / 5 + 1);
    if text.starts_with('\u{feff}') {
        lexer.at = '\u{feff}'.len_utf8();
    }
    loop {
        let token = lexer.next();
        tokens.push(token);
        if token.kind == Kind::End {
            return Lexed { tokens, open_comment: lexer.open_comment };
        }
    }
}

struct Lexer<'a> {
    file: FileId,
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    comments: Comments,
    open_comment: bool,
    diagnostics: &'a mut Vec<Diagnostic>,
}

fn continues_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-')
}

impl Lexer<'_> {
    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn span(&self, start: usize) -> Span {
        Span::new(self.file, start, self.at)
    }

    fn error(&mut self, start: usize, message: impl Into<String>) {
        self.diagnostics.push(Diagnostic::error(self.span(start), message));
    }

    fn next(&mut self) -> Token {
        loop {
            self.skip_blanks();
            let start = self.at;
            let kind = if start == self.bytes.len() { Some(Kind::End) } else { self.token() };
            if let Some(kind) = kind {
                return Token { kind, start: start as u32, end: self.at as u32 };
            }
        }
    }

    fn skip_blanks(&mut self) {
        loop {
            match (self.peek(0), self.peek(1)) {
                (b' ' | b'\t' | b'\r' | b'\n', _) => self.at += 1,
                (b'#', _) | (b'/', b'/') => self.skip_line(),
                (b'(', b'*') => self.skip_comment("(*", "*)", self.comments == Comments::Nested),
                (b'/', b'*') => self.skip_comment("/*", "*/", false),
                _ => return,
            }
        }
    }

    fn skip_line(&mut self) {
        let rest = &self.bytes[self.at..];
        self.at += rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
    }

    fn skip_comment(&mut self, open: &str, close: &str, nests: bool) {
        let start = self.at;
        let mut depth = 0;
        while self.at < self.bytes.len() {
            let rest = &self.bytes[self.at..];
            if rest.starts_with(open.as_bytes()) && (nests || depth == 0) {
                depth += 1;
                self.at += open.len();
            } else if rest.starts_with(close.as_bytes()) {
                depth -= 1;
                self.at += close.len();
                if depth == 0 {
                    return;
                }
            } else {
                self.at += 1;
            }
        }
        self.open_comment |= open == "(*";
        let span = Span::new(self.file, start, start + open.len());
        let mut diagnostic = Diagnostic::error(span, format!("this comment is not closed by `{close}`"));
        if nests {
            diagnostic = diagnostic.help("comments of this kind nest: each `(*` inside needs a `*)` of its own");
        }
        self.diagnostics.push(diagnostic);
    }

    /// The token that starts here, or `None` for something that was reported.
    fn token(&mut self) -> Option<Kind> {
        let first = self.peek(0);
        if first.is_ascii_alphabetic() || (first == b'_' && self.peek(1).is_ascii_alphabetic()) {
            return Some(self.name());
        }
        match first {
            b'"' => Some(self.string()),
            b'\'' => self.tag(),
            b'0' if self.peek(1).is_ascii_alphanumeric() => self.number(),
            b'1'..=b'9' => self.number(),
            b'-' if self.peek(1).is_ascii_digit() && (self.peek(1) != b'1' || self.peek(2).is_ascii_digit()) => {
                self.number()
            }
            _ => self.sign(),
        }
    }

    fn name(&mut self) -> Kind {
        let start = self.at;
        self.at += 1;
        while continues_name(self.peek(0)) {
            self.at += 1;
        }
        if self.peek(0) == b'\'' {
            self.at += 1;
        }
        Word::find(&self.text[start..self.at]).map_or(Kind::Name, Kind::Word)
    }

    fn string(&mut self) -> Kind {
        let start = self.at;
        self.at += 1;
        match self.bytes[self.at..].iter().position(|&b| b == b'"') {
            Some(length) => self.at += length + 1,
            None => {
                self.skip_line();
                self.diagnostics
                    .push(Diagnostic::error(Span::new(self.file, start, start + 1), "this string is not closed"));
            }
        }
        Kind::Text
    }

    fn tag(&mut self) -> Option<Kind> {
        let start = self.at;
        self.at += 1;
        if self.peek(0).is_ascii_alphabetic() || (self.peek(0) == b'_' && self.peek(1).is_ascii_alphabetic()) {
            self.name();
            return Some(Kind::Tag);
        }
        self.error(start, "expected the name of a tag after `'`");
        None
    }

    fn number(&mut self) -> Option<Kind> {
        let start = self.at;
        while continues_name(self.peek(0)) {
            self.at += 1;
        }
        let text = &self.text[start..self.at];
        let message = format!("`{text}` is neither a name nor `0`");
        let help = if self.bytes[..start].ends_with(b"^") {
            "the inverse of `r` is written `r^-1`"
        } else {
            "a name starts with a letter; `0` is the empty relation"
        };
        self.diagnostics.push(Diagnostic::error(self.span(start), message).help(help));
        Some(Kind::Name)
    }

    fn sign(&mut self) -> Option<Kind> {
        use Sign::*;
        let (sign, length) = match (self.peek(0), self.peek(1)) {
            (b'|', b'|') => (BarBar, 2),
            (b'&', b'&') => (AmpAmp, 2),
            (b'+', b'+') => (PlusPlus, 2),
            (b'-', b'1') => (MinusOne, 2),
            (b'-', b'>') => (Arrow, 2),
            (b'(', _) => (OpenParen, 1),
            (b')', _) => (CloseParen, 1),
            (b'{', _) => (OpenBrace, 1),
            (b'}', _) => (CloseBrace, 1),
            (b'[', _) => (OpenBracket, 1),
            (b']', _) => (CloseBracket, 1),
            (b'_', _) => (Underscore, 1),
            (b'0', _) => (Zero, 1),
            (b'|', _) => (Bar, 1),
            (b'&', _) => (Amp, 1),
            (b'*', _) => (Star, 1),
            (b'~', _) => (Tilde, 1),
            (b'+', _) => (Plus, 1),
            (b'^', _) => (Hat, 1),
            (b'\\', _) => (Backslash, 1),
            (b'?', _) => (Question, 1),
            (b'=', _) => (Equal, 1),
            (b';', _) => (Semi, 1),
            (b',', _) => (Comma, 1),
            _ => return self.unknown(),
        };
        self.at += length;
        Some(Kind::Sign(sign))
    }

    /// A run of characters that mean nothing, reported once.
    fn unknown(&mut self) -> Option<Kind> {
        let start = self.at;
        let rest = &self.text[start..];
        let opens_sign = |c| Sign::ALL.iter().any(|sign| sign.as_str().starts_with(c));
        let known =
            |c: char| c.is_ascii_alphanumeric() || c.is_ascii_whitespace() || "\"'/#".contains(c) || opens_sign(c);
        let length = rest.char_indices().skip(1).find(|&(_, c)| known(c)).map_or(rest.len(), |(i, _)| i);
        self.at += length;
        let text = &rest[..length];
        let message = format!("`{}` means nothing here", text.escape_debug());
        let mut diagnostic = Diagnostic::error(self.span(start), message);
        if let Some(help) = help(text, &self.text[..start]) {
            diagnostic = diagnostic.help(help);
        }
        self.diagnostics.push(diagnostic);
        None
    }
}

/// What to write instead of `text`, if it looks familiar.
fn help(text: &str, before: &str) -> Option<&'static str> {
    Some(match text {
        ">" if before.ends_with('-') => "`-` can be part of a name: put a blank before `->`",
        ":" => "a definition is written `let x = …`",
        "/" | "-" => "difference is written `\\`",
        "!" | "¬" => "complement is written `~`",
        "∪" => "union is written `|`",
        "∩" => "intersection is written `&`",
        "×" => "the product of two sets is written `A * B`",
        "∅" => "the empty relation is written `0`, the empty set `{}`",
        "⁻¹" => "the inverse of `r` is written `r^-1`",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use treville_base::SourceMap;

    /// Tokens as text, or the messages.
    fn words(text: &str) -> Result<Vec<&str>, Vec<String>> {
        let file = SourceMap::new().add("t", text);
        let mut diagnostics = Vec::new();
        let tokens = lex(file, text, Comments::Nested, &mut diagnostics).tokens;
        if diagnostics.is_empty() {
            Ok(tokens[..tokens.len() - 1].iter().map(|t| &text[t.start as usize..t.end as usize]).collect())
        } else {
            Err(diagnostics.into_iter().map(|d| d.message).collect())
        }
    }

    #[test]
    fn names_are_as_long_as_they_can_be() {
        assert_eq!(words("co-1 co^-1 DMB.ISH x' _a r->"), Err(vec!["`>` means nothing here".to_string()]));
        assert_eq!(words("co-1 co^-1 DMB.ISH x' _a"), Ok(vec!["co-1", "co", "^", "-1", "DMB.ISH", "x'", "_a"]));
        assert_eq!(words("a+++b||c"), Ok(vec!["a", "++", "+", "b", "||", "c"]));
    }

    #[test]
    fn comments_are_skipped() {
        assert_eq!(words("a (* (* *) b *) c // d\n# e\n/* /* f */ g"), Ok(vec!["a", "c", "g"]));
        assert_eq!(words("a (* (* *)"), Err(vec!["this comment is not closed by `*)`".to_string()]));
    }
}
