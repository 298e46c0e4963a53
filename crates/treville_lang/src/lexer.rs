//! Words of the small languages, cut off one by one: what follows the part that a parser reads may be another language.

use treville_base::{Diagnostic, FileId, Span};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Tok<'a> {
    Name(&'a str),
    /// A decimal number, perhaps too large for anything.
    Num(&'a str),
    Punct(&'static str),
    /// A character that no word begins with.
    Other(char),
    /// The beginning of a comment that does not end.
    OpenComment,
    End,
}

/// A word with its place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Word<'a> {
    pub(crate) text: &'a str,
    pub(crate) span: Span,
}

/// A position in a text, at a word.
#[derive(Clone, Debug)]
pub(crate) struct Cursor<'a> {
    file: FileId,
    text: &'a str,
    /// Longer ones first.
    punctuation: &'static [&'static str],
    tok: Tok<'a>,
    span: Span,
    last: Span,
}

/// Comments, as they begin and end.
const COMMENTS: [(&str, &str); 3] = [("(*", "*)"), ("/*", "*/"), ("//", "\n")];

impl<'a> Cursor<'a> {
    pub(crate) fn new(file: FileId, text: &'a str, punctuation: &'static [&'static str]) -> Self {
        let start = Span::new(file, 0, 0);
        let mut cursor = Cursor { file, text, punctuation, tok: Tok::End, span: start, last: start };
        cursor.next();
        cursor.last = start;
        cursor
    }

    pub(crate) fn peek(&self) -> Tok<'a> {
        self.tok
    }

    /// The place of the word.
    pub(crate) fn span(&self) -> Span {
        self.span
    }

    /// The place of the word before.
    pub(crate) fn last_span(&self) -> Span {
        self.last
    }

    /// The text from one place to another.
    pub(crate) fn text_at(&self, span: Span) -> &'a str {
        self.text.get(span.start as usize..span.end as usize).unwrap_or_default()
    }

    /// Goes to the next word.
    pub(crate) fn next(&mut self) {
        self.last = self.span;
        let mut at = self.span.end as usize;
        self.tok = loop {
            let rest = &self.text[at..];
            let trimmed = rest.trim_start();
            at += rest.len() - trimmed.len();
            let Some((begin, end)) = COMMENTS.iter().find(|(begin, _)| trimmed.starts_with(begin)) else {
                let (tok, length) = self.word(trimmed);
                self.span = Span::new(self.file, at, at + length);
                return self.tok = tok;
            };
            match trimmed[begin.len()..].find(end) {
                Some(length) => at += begin.len() + length + end.len(),
                None if *end == "\n" => at = self.text.len(),
                None => {
                    self.span = Span::new(self.file, at, self.text.len());
                    break Tok::OpenComment;
                }
            }
        };
    }

    /// The word that a text begins with, and its length.
    fn word(&self, rest: &'a str) -> (Tok<'a>, usize) {
        let Some(first) = rest.chars().next() else { return (Tok::End, 0) };
        let length = rest.bytes().position(|b| !b.is_ascii_alphanumeric() && b != b'_').unwrap_or(rest.len());
        if first.is_ascii_digit() {
            return (Tok::Num(&rest[..length]), length);
        }
        if first.is_ascii_alphabetic() || first == '_' {
            return (Tok::Name(&rest[..length]), length);
        }
        match self.punctuation.iter().find(|p| rest.starts_with(**p)) {
            Some(p) => (Tok::Punct(p), p.len()),
            None => (Tok::Other(first), first.len_utf8()),
        }
    }

    pub(crate) fn is(&self, punct: &str) -> bool {
        matches!(self.tok, Tok::Punct(p) if p == punct)
    }

    pub(crate) fn is_word(&self, word: &str) -> bool {
        self.tok == Tok::Name(word)
    }

    /// Takes a punctuation mark if it is there.
    pub(crate) fn eat(&mut self, punct: &str) -> bool {
        let found = self.is(punct);
        if found {
            self.next();
        }
        found
    }

    /// Takes a word if it is there.
    pub(crate) fn eat_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        if found {
            self.next();
        }
        found
    }

    pub(crate) fn expect(&mut self, punct: &str) -> Result<(), Diagnostic> {
        if self.eat(punct) { Ok(()) } else { Err(self.expected(&format!("`{punct}`"))) }
    }

    pub(crate) fn name(&mut self, what: &str) -> Result<Word<'a>, Diagnostic> {
        match self.tok {
            Tok::Name(text) => {
                self.next();
                Ok(Word { text, span: self.last })
            }
            _ => Err(self.expected(what)),
        }
    }

    /// A number of 32 bits, perhaps after a minus that was taken.
    pub(crate) fn number(&mut self, negative: bool) -> Result<i32, Diagnostic> {
        let Tok::Num(digits) = self.peek() else { return Err(self.expected("a number")) };
        let span = self.span();
        if !digits.bytes().all(|b| b.is_ascii_digit()) {
            return Err(Diagnostic::error(span, format!("`{digits}` is not a number")));
        }
        self.next();
        let value = digits.parse::<i64>().ok().map(|n| if negative { -n } else { n });
        let too_large = || Diagnostic::error(span, "this number does not fit in 32 bits");
        value.and_then(|n| i32::try_from(n).ok()).ok_or_else(too_large)
    }

    /// An error at the word: it is not what it should be.
    pub(crate) fn expected(&self, what: &str) -> Diagnostic {
        let found = match self.tok {
            Tok::Name(word) | Tok::Num(word) => format!("`{word}`"),
            Tok::Punct(p) => format!("`{p}`"),
            Tok::Other(c) => format!("`{}`", c.escape_debug()),
            Tok::OpenComment => "a comment that does not end".to_owned(),
            Tok::End => "the end".to_owned(),
        };
        Diagnostic::error(self.span, format!("expected {what}, found {found}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn toks(text: &str) -> Vec<Tok<'_>> {
        let mut cursor = Cursor::new(FileId(0), text, &["<:-", "<-", "<", "-"]);
        let mut toks = vec![cursor.peek()];
        while !matches!(cursor.peek(), Tok::End | Tok::OpenComment) {
            cursor.next();
            toks.push(cursor.peek());
        }
        toks
    }

    #[test]
    fn words_and_comments() {
        use Tok::{End, Name, Num, OpenComment, Other, Punct};
        assert_eq!(
            toks("r_1<:-_x(* ( *)<-12 // 3"),
            [Name("r_1"), Punct("<:-"), Name("_x"), Punct("<-"), Num("12"), End]
        );
        assert_eq!(toks("1a/* */é< -"), [Num("1a"), Other('é'), Punct("<"), Punct("-"), End]);
        assert_eq!(toks(" (* open"), [OpenComment]);
        assert_eq!(toks(""), [End]);
    }
}
