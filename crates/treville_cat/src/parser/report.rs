//! What the parser says when it cannot go on.

use super::{Halt, MAX_DEPTH, Parser};
use crate::token::{Kind, Sign, Word};
use treville_base::{Diagnostic, Span};

impl Parser<'_> {
    /// The next token as a person would call it.
    fn found(&self) -> String {
        let text = self.text_of(self.token());
        match self.kind() {
            Kind::Name => format!("the name `{text}`"),
            Kind::Tag => format!("the tag `{text}`"),
            Kind::Text => "a string".to_string(),
            Kind::Word(_) | Kind::Sign(_) => format!("`{text}`"),
            Kind::End => "the end of the file".to_string(),
        }
    }

    /// Where the next token is; for the end of the text, just behind the last token.
    pub(super) fn here(&self) -> Span {
        match (self.kind(), self.at) {
            (Kind::End, 1..) => {
                let end = self.tokens[self.at - 1].end;
                Span { file: self.file, start: end, end }
            }
            _ => self.token_span(self.at),
        }
    }

    pub(super) fn report(&mut self, diagnostic: Diagnostic) -> Halt {
        self.diagnostics.push(diagnostic);
        Halt
    }

    /// "expected …, found …", with a guess at what was meant.
    pub(super) fn expected(&mut self, what: &str) -> Halt {
        let mut diagnostic = Diagnostic::error(self.here(), format!("expected {what}, found {}", self.found()));
        if let Some(help) = self.guess(what) {
            diagnostic = diagnostic.help(help);
        }
        self.report(diagnostic)
    }

    pub(super) fn expected_with(&mut self, what: &str, help: &str) -> Halt {
        let message = format!("expected {what}, found {}", self.found());
        self.report(Diagnostic::error(self.here(), message).help(help))
    }

    fn guess(&self, what: &str) -> Option<String> {
        if let Some(help) = self.misspelt() {
            return Some(help);
        }
        match self.kind() {
            Kind::Word(word) if what.contains("name") => {
                Some(format!("`{word}` is a reserved word and cannot be a name"))
            }
            _ => None,
        }
    }

    /// What the name that opened a line may have been meant to be.
    fn misspelt(&self) -> Option<String> {
        let index = self.misread?;
        let text = self.text_of(self.tokens[index]);
        let word = closest_word(text)?;
        let role = if index < self.start { "the title of the model" } else { "an argument of the name before it" };
        Some(format!("`{text}` was read as {role}; was `{word}` meant?"))
    }

    /// The error at a token that starts no instruction.
    pub(super) fn no_instruction(&mut self) -> Halt {
        let found = self.found();
        let message = match self.kind() {
            Kind::Sign(Sign::CloseParen | Sign::CloseBrace | Sign::CloseBracket) => format!("{found} closes nothing"),
            Kind::Word(Word::End) => "`end` closes nothing".to_string(),
            Kind::Word(Word::Else) => "`else` belongs to no `if`".to_string(),
            _ if self.at == 0 || self.start == 0 => format!("expected an instruction such as `let`, found {found}"),
            _ => format!("expected an operator or the next instruction, found {found}"),
        };
        let mut diagnostic = Diagnostic::error(self.here(), message);
        let text = self.text_of(self.token());
        let closest = (self.kind() == Kind::Name).then(|| closest_word(text)).flatten();
        let after_in = self.at > 0 && self.tokens[self.at - 1].kind == Kind::Word(Word::In);
        if let Some(word) = closest {
            diagnostic = diagnostic.help(format!("was `{word}` meant?"));
        } else if let Some(help) = self.misspelt() {
            diagnostic = diagnostic.help(help);
        } else if after_in {
            diagnostic =
                diagnostic.help("between instructions, `let x = … in` is followed by an instruction; `x` stays known");
        } else if let Kind::Word(word @ (Word::Fun | Word::Try)) = self.kind() {
            diagnostic = diagnostic.help(format!("put the expression that starts with `{word}` in parentheses"));
        }
        self.report(diagnostic)
    }

    pub(super) fn unclosed(&mut self, open: usize, close: Kind) -> Halt {
        let close = match close {
            Kind::Word(word) => word.as_str(),
            Kind::Sign(sign) => sign.as_str(),
            Kind::Name | Kind::Tag | Kind::Text | Kind::End => "",
        };
        let opened = self.text_of(self.tokens[open]);
        let message = format!("expected `{close}` to close `{opened}`, found {}", self.found());
        let mut diagnostic =
            Diagnostic::error(self.here(), message).label(self.token_span(open), format!("`{opened}` is opened here"));
        if let Some(help) = self.misspelt() {
            diagnostic = diagnostic.help(help);
        } else if matches!(self.kind(), Kind::Word(Word::If | Word::Let | Word::Fun | Word::Try | Word::Match))
            && !self.opens_line(self.at)
        {
            let help = format!("put the expression that starts with {} in parentheses", self.found());
            diagnostic = diagnostic.help(help);
        }
        self.report(diagnostic)
    }

    pub(super) fn too_deep(&mut self) -> Halt {
        let message = format!("this is nested more than {MAX_DEPTH} levels deep");
        self.report(Diagnostic::error(self.here(), message).help("name the inner parts with `let`"))
    }
}

/// The word that opens instructions and is a typing error away from `text`.
pub(super) fn closest_word(text: &str) -> Option<Word> {
    let allowed = if text.len() < 4 { 1 } else { 2 };
    Word::ALL
        .iter()
        .copied()
        .filter(|word| word.opens_instruction())
        .map(|word| (distance(text, word.as_str()), word))
        .min_by_key(|&(distance, _)| distance)
        .filter(|&(distance, _)| distance <= allowed)
        .map(|(_, word)| word)
}

/// How many insertions, deletions and replacements of bytes lie between two words.
fn distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.bytes().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.bytes().enumerate() {
            let replaced = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}
