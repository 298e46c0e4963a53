//! Text to tokens, one at a time, without copying: a token is a kind and a piece of the text.
//!
//! Blanks and comments (`;` to the end of the line) are dropped. A name followed by `:` is one token, as labels of blocks
//! and the names of metadata fields are. Escapes in strings stay as written; [`unescape`] resolves them.

use std::borrow::Cow;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    End,
    /// A character that means nothing, or a string without an end.
    Bad,
    /// A keyword, a type's name, an attribute.
    Word,
    /// `name:`, `12:` or `"name":`; the text is without the colon and the quotes.
    Label,
    Int,
    /// With a point or in hexadecimal.
    Float,
    Str,
    /// `c"…"`
    Bytes,
    LocalName,
    LocalNumber,
    GlobalName,
    GlobalNumber,
    /// `#1`
    AttributeGroup,
    /// `#dbg_value`
    Record,
    /// `$name`
    Comdat,
    /// `!1`
    MetaNumber,
    /// `!name`
    MetaName,
    /// `^1`
    Summary,
    Bang,
    OpenParen,
    CloseParen,
    OpenBracket,
    CloseBracket,
    OpenBrace,
    CloseBrace,
    OpenAngle,
    CloseAngle,
    Comma,
    Equal,
    Star,
    Bar,
    Dots,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Token<'a> {
    pub(crate) kind: Kind,
    pub(crate) start: u32,
    pub(crate) end: u32,
    /// Without sigil, quotes and colon.
    pub(crate) text: &'a str,
}

#[derive(Clone)]
pub(crate) struct Lexer<'a> {
    text: &'a str,
    at: usize,
}

/// Whether a byte may stand in a bare name.
const NAME: [bool; 256] = {
    let mut table = [false; 256];
    let mut i = 0;
    while i < 256 {
        let c = i as u8;
        table[i] = c.is_ascii_alphanumeric() || matches!(c, b'-' | b'$' | b'.' | b'_');
        i += 1;
    }
    table
};

impl<'a> Lexer<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Lexer { text, at: 0 }
    }

    pub(crate) fn text(&self) -> &'a str {
        self.text
    }

    /// Goes on at a place between two characters.
    pub(crate) fn seek(&mut self, at: usize) {
        self.at = at;
    }

    fn byte(&self, at: usize) -> u8 {
        self.text.as_bytes().get(at).copied().unwrap_or(0)
    }

    fn skip_blanks(&mut self) {
        let bytes = self.text.as_bytes();
        while let Some(&c) = bytes.get(self.at) {
            match c {
                b' ' | b'\t' | b'\n' | b'\r' => self.at += 1,
                b';' => {
                    let rest = &bytes[self.at..];
                    self.at += rest.iter().position(|&c| c == b'\n').unwrap_or(rest.len());
                }
                _ => break,
            }
        }
    }

    /// The end of the run of name characters that begins at `at`.
    fn name_end(&self, at: usize) -> usize {
        let bytes = self.text.as_bytes();
        bytes[at..].iter().position(|&c| !NAME[c as usize]).map_or(bytes.len(), |n| at + n)
    }

    fn digits_end(&self, at: usize) -> usize {
        let bytes = self.text.as_bytes();
        bytes[at..].iter().position(|c| !c.is_ascii_digit()).map_or(bytes.len(), |n| at + n)
    }

    /// The closing quote of the string whose inside begins at `at`.
    fn quote(&self, at: usize) -> Option<usize> {
        self.text.as_bytes()[at..].iter().position(|&c| c == b'"').map(|n| at + n)
    }

    /// A token with the text `from..to`, after which reading goes on at `next`.
    fn token(&mut self, kind: Kind, from: usize, to: usize, next: usize) -> Token<'a> {
        let start = self.at as u32;
        self.at = next;
        Token { kind, start, end: next as u32, text: &self.text[from..to] }
    }

    pub(crate) fn next(&mut self) -> Token<'a> {
        self.skip_blanks();
        let at = self.at;
        let c = self.byte(at);
        let simple = match c {
            b'(' => Kind::OpenParen,
            b')' => Kind::CloseParen,
            b'[' => Kind::OpenBracket,
            b']' => Kind::CloseBracket,
            b'{' => Kind::OpenBrace,
            b'}' => Kind::CloseBrace,
            b'<' => Kind::OpenAngle,
            b'>' => Kind::CloseAngle,
            b',' => Kind::Comma,
            b'=' => Kind::Equal,
            b'*' => Kind::Star,
            b'|' => Kind::Bar,
            b'%' => return self.symbol(Kind::LocalName, Kind::LocalNumber),
            b'@' => return self.symbol(Kind::GlobalName, Kind::GlobalNumber),
            b'!' => return self.bang(),
            b'#' => return self.hash(),
            b'^' if self.byte(at + 1).is_ascii_digit() => {
                let end = self.digits_end(at + 1);
                return self.token(Kind::Summary, at + 1, end, end);
            }
            b'"' => return self.string(Kind::Str, at + 1),
            b'c' if self.byte(at + 1) == b'"' => return self.string(Kind::Bytes, at + 2),
            b'$' => return self.dollar(),
            b'.' if self.text[at..].starts_with("...") => return self.token(Kind::Dots, at, at + 3, at + 3),
            b'0'..=b'9' => return self.number(at),
            b'-' | b'+' if self.byte(at + 1).is_ascii_digit() => return self.number(at + 1),
            _ if NAME[c as usize] => return self.word(),
            _ if at >= self.text.len() => return self.token(Kind::End, at, at, at),
            _ => return self.bad(),
        };
        self.token(simple, at, at + 1, at + 1)
    }

    fn bad(&mut self) -> Token<'a> {
        let width = self.text[self.at..].chars().next().map_or(0, char::len_utf8);
        self.token(Kind::Bad, self.at, self.at + width, self.at + width)
    }

    fn word(&mut self) -> Token<'a> {
        let (at, end) = (self.at, self.name_end(self.at));
        if self.byte(end) == b':' {
            return self.token(Kind::Label, at, end, end + 1);
        }
        let kind = match &self.text.as_bytes()[at..end.min(at + 3)] {
            b"u0x" | b"s0x" => Kind::Int,
            b"f0x" => Kind::Float,
            _ => Kind::Word,
        };
        self.token(kind, at, end, end)
    }

    /// A name or a number after a sigil; quoted names may hold anything.
    fn symbol(&mut self, name: Kind, number: Kind) -> Token<'a> {
        let from = self.at + 1;
        match self.byte(from) {
            b'"' => match self.quote(from + 1) {
                Some(end) => self.token(name, from + 1, end, end + 1),
                None => self.bad(),
            },
            b'0'..=b'9' => {
                let end = self.digits_end(from);
                self.token(number, from, end, end)
            }
            c if NAME[c as usize] => {
                let end = self.name_end(from);
                self.token(name, from, end, end)
            }
            _ => self.bad(),
        }
    }

    fn bang(&mut self) -> Token<'a> {
        let from = self.at + 1;
        let c = self.byte(from);
        if c.is_ascii_digit() {
            let end = self.digits_end(from);
            return self.token(Kind::MetaNumber, from, end, end);
        }
        // Names of metadata are never quoted; what is unusual in them is escaped.
        let mut end = from;
        while NAME[self.byte(end) as usize] || self.byte(end) == b'\\' {
            end += 1;
        }
        if end == from {
            return self.token(Kind::Bang, self.at, from, from);
        }
        self.token(Kind::MetaName, from, end, end)
    }

    fn hash(&mut self) -> Token<'a> {
        let from = self.at + 1;
        if self.byte(from).is_ascii_digit() {
            let end = self.digits_end(from);
            return self.token(Kind::AttributeGroup, from, end, end);
        }
        if self.text[from..].starts_with("dbg_") {
            let end = self.name_end(from);
            return self.token(Kind::Record, from, end, end);
        }
        self.bad()
    }

    fn dollar(&mut self) -> Token<'a> {
        let end = self.name_end(self.at);
        if self.byte(end) == b':' {
            return self.token(Kind::Label, self.at, end, end + 1);
        }
        self.symbol(Kind::Comdat, Kind::Comdat)
    }

    fn string(&mut self, kind: Kind, from: usize) -> Token<'a> {
        match self.quote(from) {
            Some(end) if kind == Kind::Str && self.byte(end + 1) == b':' => self.token(Kind::Label, from, end, end + 2),
            Some(end) => self.token(kind, from, end, end + 1),
            None => self.bad(),
        }
    }

    /// A number whose digits begin at `digits`, behind a sign if there is one.
    fn number(&mut self, digits: usize) -> Token<'a> {
        let at = self.at;
        if self.text[digits..].starts_with("0x") {
            let end = self.name_end(digits);
            return self.token(Kind::Float, at, end, end);
        }
        let mut end = self.digits_end(digits);
        if self.byte(end) == b':' {
            return self.token(Kind::Label, at, end, end + 1);
        }
        if self.byte(end) != b'.' {
            return self.token(Kind::Int, at, end, end);
        }
        end = self.digits_end(end + 1);
        if matches!(self.byte(end), b'e' | b'E') {
            let sign = usize::from(matches!(self.byte(end + 1), b'-' | b'+'));
            end = self.digits_end(end + 1 + sign);
        }
        self.token(Kind::Float, at, end, end)
    }
}

/// The bytes of a string in which `\xx` stands for the byte with these hexadecimal digits.
pub(crate) fn unescape_bytes(text: &str) -> Vec<u8> {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    let digit = |at: usize| bytes.get(at).and_then(|&c| char::from(c).to_digit(16));
    while let Some(&c) = bytes.get(at) {
        match (c, digit(at + 1), digit(at + 2)) {
            (b'\\', Some(high), Some(low)) => {
                out.push((high * 16 + low) as u8);
                at += 3;
            }
            (b'\\', ..) if bytes.get(at + 1) == Some(&b'\\') => {
                out.push(b'\\');
                at += 2;
            }
            _ => {
                out.push(c);
                at += 1;
            }
        }
    }
    out
}

/// As [`unescape_bytes`], as text.
pub(crate) fn unescape(text: &str) -> Cow<'_, str> {
    if text.contains('\\') {
        Cow::Owned(String::from_utf8_lossy(&unescape_bytes(text)).into_owned())
    } else {
        Cow::Borrowed(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<(Kind, &str)> {
        let mut lexer = Lexer::new(text);
        let mut out = Vec::new();
        loop {
            let token = lexer.next();
            if token.kind == Kind::End {
                return out;
            }
            out.push((token.kind, token.text));
        }
    }

    #[test]
    fn names_and_numbers() {
        use Kind::*;
        assert_eq!(
            kinds(r#"%a.b-c %"x y" %12 @g @7 !3 !dbg !{ #4 #dbg_value $c $"d" ^2"#),
            [
                (LocalName, "a.b-c"),
                (LocalName, "x y"),
                (LocalNumber, "12"),
                (GlobalName, "g"),
                (GlobalNumber, "7"),
                (MetaNumber, "3"),
                (MetaName, "dbg"),
                (Bang, "!"),
                (OpenBrace, "{"),
                (AttributeGroup, "4"),
                (Record, "dbg_value"),
                (Comdat, "c"),
                (Comdat, "d"),
                (Summary, "2"),
            ]
        );
        assert_eq!(
            kinds("-5 0x3F 1.5e-3 u0xff -0.0 ... .x c\"a\\00\" \"s\""),
            [
                (Int, "-5"),
                (Float, "0x3F"),
                (Float, "1.5e-3"),
                (Int, "u0xff"),
                (Float, "-0.0"),
                (Dots, "..."),
                (Word, ".x"),
                (Bytes, "a\\00"),
                (Str, "s"),
            ]
        );
    }

    #[test]
    fn labels_comments_and_rubbish() {
        use Kind::*;
        assert_eq!(
            kinds("entry: ; preds = %x\n12: \"a b\": $l:\n"),
            [(Label, "entry"), (Label, "12"), (Label, "a b"), (Label, "$l"),]
        );
        assert_eq!(kinds("é\"open"), [(Bad, "é"), (Bad, "\""), (Word, "open")]);
        assert_eq!(kinds("% @ # $"), [(Bad, "%"), (Bad, "@"), (Bad, "#"), (Bad, "$")]);
    }

    #[test]
    fn escapes() {
        assert_eq!(unescape_bytes("a\\00\\FFb\\\\c\\"), b"a\0\xffb\\c\\");
        assert_eq!(unescape("a\\22"), "a\"");
    }
}
