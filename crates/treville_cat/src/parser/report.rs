//! What the parser says when it cannot go on.

use super::{Halt, MAX_DEPTH, MAX_ERRORS, Parser};
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

    /// As [`Self::found`], with the line if that is not the one where [`Self::gap`] is.
    fn found_below(&self) -> String {
        if self.kind() == Kind::End || !self.is_below() {
            return self.found();
        }
        let before = &self.text[..self.token().start as usize];
        format!("{} in line {}", self.found(), before.matches('\n').count() + 1)
    }

    /// Whether the next token opens a line below what was read.
    pub(super) fn is_below(&self) -> bool {
        self.at > 0 && self.opens_line(self.at)
    }

    /// Where something is missing: at the next token, or behind the last one if the next is in another line.
    fn gap(&self) -> Span {
        if self.at > 0 && (self.kind() == Kind::End || self.is_below()) {
            let end = self.tokens[self.at - 1].end;
            return Span { file: self.file, start: end, end };
        }
        self.token_span(self.at)
    }

    /// Says what is wrong, unless it follows from an error that was reported before.
    pub(super) fn report(&mut self, diagnostic: Diagnostic) -> Halt {
        let read = self.tokens[self.start].start..=self.token().start;
        let in_read = |d: &Diagnostic| d.span.is_some_and(|span| read.contains(&span.start));
        let follows = self.gave_up || self.diagnostics[..self.n_lexical].iter().any(in_read);
        if !follows && self.diagnostics.len() < MAX_ERRORS {
            self.diagnostics.push(diagnostic);
        }
        Halt
    }

    /// "expected …, found …", with a guess at what was meant.
    pub(super) fn expected(&mut self, what: &str) -> Halt {
        let mut diagnostic = Diagnostic::error(self.gap(), format!("expected {what}, found {}", self.found_below()));
        if let Some(help) = self.guess(what) {
            diagnostic = diagnostic.help(help);
        }
        self.report(diagnostic)
    }

    pub(super) fn expected_with(&mut self, what: &str, help: &str) -> Halt {
        let message = format!("expected {what}, found {}", self.found_below());
        self.report(Diagnostic::error(self.gap(), message).help(help))
    }

    fn guess(&self, what: &str) -> Option<String> {
        if let Some(help) = self.misspelt() {
            return Some(help);
        }
        match self.kind() {
            Kind::Word(word) if what.contains("name") && !self.is_below() => {
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
        let role = if index < self.head { "the title of the model" } else { "an argument of the name before it" };
        Some(format!("`{text}` was read as {role}; was `{word}` meant?"))
    }

    /// The error at a token that starts no instruction.
    pub(super) fn no_instruction(&mut self) -> Halt {
        let found = self.found();
        let message = match self.kind() {
            Kind::Sign(Sign::CloseParen | Sign::CloseBrace | Sign::CloseBracket) => format!("{found} closes nothing"),
            Kind::Word(Word::End) => "`end` closes nothing".to_string(),
            Kind::Word(Word::Else) => "`else` belongs to no `if`".to_string(),
            _ if self.start == self.head => format!("expected an instruction such as `let`, found {found}"),
            _ => format!("expected an operator or the next instruction, found {found}"),
        };
        let mut diagnostic = Diagnostic::error(self.token_span(self.at), message);
        if let Some(help) = self.instruction_help() {
            diagnostic = diagnostic.help(help);
        }
        self.report(diagnostic)
    }

    fn instruction_help(&self) -> Option<String> {
        let before = self.at.checked_sub(1).map(|i| self.tokens[i].kind);
        let closest = if self.is(Kind::Name) { closest_word(self.text_of(self.token())) } else { None };
        if let Some(word) = closest {
            return Some(format!("was `{word}` meant?"));
        }
        self.misspelt().or_else(|| match (before, self.kind()) {
            (_, Kind::Word(Word::Catdep)) => Some("`catdep` stands right after the title".to_string()),
            (_, Kind::Word(word @ (Word::Fun | Word::Try))) => {
                Some(format!("put the expression that starts with `{word}` in parentheses"))
            }
            (_, Kind::Sign(Sign::BarBar)) => Some("union is written `|`".to_string()),
            (_, Kind::Sign(Sign::AmpAmp)) => Some("intersection is written `&`".to_string()),
            (Some(Kind::Word(Word::In)), _) => {
                Some("between instructions, `let x = … in` is followed by an instruction; `x` stays known".to_string())
            }
            (Some(Kind::Sign(Sign::CloseParen | Sign::CloseBracket)), Kind::Name | Kind::Sign(Sign::OpenParen)) => {
                Some("only a name can be applied to an argument".to_string())
            }
            _ => None,
        })
    }

    pub(super) fn unclosed(&mut self, open: usize, close: Kind) -> Halt {
        let close = match close {
            Kind::Word(word) => word.as_str(),
            Kind::Sign(sign) => sign.as_str(),
            Kind::Name | Kind::Tag | Kind::Text | Kind::End => "",
        };
        let opened = self.text_of(self.tokens[open]);
        let message = format!("expected `{close}` to close `{opened}`, found {}", self.found_below());
        let mut diagnostic =
            Diagnostic::error(self.gap(), message).label(self.token_span(open), format!("`{opened}` is opened here"));
        if let Some(help) = self.misspelt() {
            diagnostic = diagnostic.help(help);
        } else if matches!(self.kind(), Kind::Word(Word::If | Word::Let | Word::Fun | Word::Try | Word::Match))
            && !self.is_below()
        {
            let help = format!("put the expression that starts with {} in parentheses", self.found());
            diagnostic = diagnostic.help(help);
        }
        self.report(diagnostic)
    }

    pub(super) fn too_deep(&mut self) -> Halt {
        let message = format!("this is nested more than {MAX_DEPTH} levels deep");
        self.report(Diagnostic::error(self.token_span(self.at), message).help("name the inner parts with `let`"))
    }
}

/// The word that opens instructions and is a typing error away from `text`.
pub(super) fn closest_word(text: &str) -> Option<Word> {
    let allowed = match text.len() {
        3..=4 => 1,
        5..=20 => 2,
        _ => return None,
    };
    Word::ALL
        .iter()
        .copied()
        .filter(|word| word.opens_instruction())
        .map(|word| (distance(text, word.as_str()), word))
        .min_by_key(|&(distance, _)| distance)
        .filter(|&(distance, _)| distance <= allowed)
        .map(|(_, word)| word)
}

/// How many insertions, deletions, replacements and swaps of neighbours lie between two words.
fn distance(a: &str, b: &str) -> usize {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut rows = vec![(0..=b.len()).collect::<Vec<usize>>()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replaced = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = replaced.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}
