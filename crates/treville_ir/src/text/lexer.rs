//! Tokens of the text form.

use treville_base::{Diagnostic, FileId, Span};

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Token {
    Word(String),
    Text(String),
    /// Modulo 2^128.
    Number(u128),
    Punct(char),
    End,
}

pub(super) fn begins_word(c: char) -> bool {
    c.is_ascii_alphabetic() || matches!(c, '_' | '%' | '.' | '$')
}

pub(super) fn in_word(c: char) -> bool {
    begins_word(c) || c.is_ascii_digit() || c == '-'
}

/// All tokens with their places; the last is [`Token::End`].
pub(super) fn tokens(file: FileId, text: &str) -> Result<Vec<(Token, Span)>, Diagnostic> {
    let mut all = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let run = |in_run: fn(char) -> bool| rest.find(|c| !in_run(c)).unwrap_or(rest.len());
        let (len, token) = match c {
            _ if c.is_whitespace() => (c.len_utf8(), None),
            '/' if rest.starts_with("//") => (run(|c| c != '\n'), None),
            '"' => {
                let (len, content) = quoted(rest)
                    .ok_or_else(|| Diagnostic::error(Span::new(file, at, text.len()), "this text does not end"))?;
                (len, Some(Token::Text(content)))
            }
            '-' | '0'..='9' => {
                let len = 1 + rest[1..].find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len() - 1);
                let value = number(&rest[..len])
                    .ok_or_else(|| Diagnostic::error(Span::new(file, at, at + len), "this is not a number"))?;
                (len, Some(Token::Number(value)))
            }
            _ if begins_word(c) => {
                let len = run(in_word);
                (len, Some(Token::Word(rest[..len].to_owned())))
            }
            '(' | ')' | '[' | ']' | '{' | '}' | '=' | ':' | '&' | '#' | '\'' | '@' | '*' => (1, Some(Token::Punct(c))),
            _ => {
                let span = Span::new(file, at, at + c.len_utf8());
                return Err(Diagnostic::error(span, format!("`{c}` has no meaning here")));
            }
        };
        if let Some(token) = token {
            all.push((token, Span::new(file, at, at + len)));
        }
        at += len;
    }
    all.push((Token::End, Span::new(file, at, at)));
    Ok(all)
}

/// A text in quotes: its length with them, and what it says.
fn quoted(rest: &str) -> Option<(usize, String)> {
    let mut content = String::new();
    let mut chars = rest.char_indices().skip(1);
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return Some((at + 1, content)),
            '\\' => content.push(match chars.next()?.1 {
                'n' => '\n',
                other => other,
            }),
            _ => content.push(c),
        }
    }
    None
}

fn number(text: &str) -> Option<u128> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let value = match digits.strip_prefix("0x") {
        Some(hex) => u128::from_str_radix(hex, 16).ok()?,
        None => digits.parse().ok()?,
    };
    Some(if text.starts_with('-') { value.wrapping_neg() } else { value })
}
