//! Diagnostics for people: `file:line:column` first, so that editors jump, then the line with the place underlined.

use crate::{Paint, Palette};
use std::fmt::Write;
use treville_base::{Diagnostic, Severity, SourceMap, Span};

/// Lines longer than this are cut around the place: a test may have everything on one line.
const WIDEST: usize = 140;

/// All messages, in the order of their places.
pub fn render_diagnostics(diagnostics: &[Diagnostic], sources: &SourceMap, palette: Palette) -> String {
    let mut sorted: Vec<&Diagnostic> = diagnostics.iter().collect();
    sorted.sort_by_key(|d| d.span.map(|s| (s.file, s.start)));
    sorted.iter().map(|d| render(d, sources, palette)).collect()
}

fn render(diagnostic: &Diagnostic, sources: &SourceMap, palette: Palette) -> String {
    let (word, role) = match diagnostic.severity {
        Severity::Error => ("error", Paint::Bad),
        Severity::Warning => ("warning", Paint::Doubt),
        Severity::Note => ("note", Paint::Faint),
    };
    let mut out = String::new();
    let place = diagnostic.span.map(|span| format!("{}: ", show_place(sources, span))).unwrap_or_default();
    let message = palette.paint(Paint::Strong, &diagnostic.message);
    let _ = writeln!(out, "{}{}: {message}", palette.paint(Paint::Place, &place), palette.paint(role, word));
    if let Some(span) = diagnostic.span {
        excerpt(&mut out, sources, span, role, palette);
    }
    for label in &diagnostic.labels {
        let place = show_place(sources, label.span);
        let _ = writeln!(out, "{}: {}", palette.paint(Paint::Place, &place), label.message);
        excerpt(&mut out, sources, label.span, Paint::Faint, palette);
    }
    if let Some(help) = &diagnostic.help {
        let _ = writeln!(out, "  {}: {help}", palette.paint(Paint::Strong, "help"));
    }
    out
}

fn show_place(sources: &SourceMap, span: Span) -> String {
    let at = sources.start(span);
    format!("{}:{}:{}", sources.file(span.file).name, at.line, at.column)
}

/// A place with a message and its line.
pub(crate) fn render_place(
    out: &mut String,
    sources: &SourceMap,
    span: Span,
    word: Option<&str>,
    message: &str,
    palette: Palette,
) {
    let role = if word.is_some() { Paint::Bad } else { Paint::Faint };
    let word = word.map(|word| format!("{}: ", palette.paint(role, word))).unwrap_or_default();
    let place = palette.paint(Paint::Place, &show_place(sources, span));
    let _ = writeln!(out, "{place}: {word}{}", palette.paint(Paint::Strong, message));
    excerpt(out, sources, span, role, palette);
}

/// The line where the span begins, with the part of the span on that line underlined.
fn excerpt(out: &mut String, sources: &SourceMap, span: Span, role: Paint, palette: Palette) {
    let at = sources.start(span);
    let file = sources.file(span.file);
    let (left, right) = file.split_line(span.start);
    // Only what is shown is looked at: a line may have as many messages as words.
    let is_long = file.line(at.line).chars().nth(WIDEST).is_some();
    let mut left = left.chars().rev();
    let mut begin: Vec<char> = left.by_ref().take(if is_long { WIDEST / 2 } else { WIDEST }).collect();
    begin.reverse();
    let mut right = right.chars();
    let end: Vec<char> = right.by_ref().take(WIDEST - begin.len()).collect();
    let spanned = sources.snippet(span).lines().next().map_or(0, |s| s.chars().take(end.len()).count());
    let shown = |chars: &[char]| chars.iter().map(|&c| if c.is_control() { ' ' } else { c }).collect::<String>();
    let dots = |cut: Option<char>| if cut.is_some() { "…" } else { "" };
    let (before, after) = (dots(left.next()), dots(right.next()));
    let number = at.line.to_string();
    let indent = number.len();
    let bar = palette.paint(Paint::Faint, "|");
    let text = shown(&begin) + &shown(&end);
    let _ = writeln!(out, " {} {bar} {before}{text}{after}", palette.paint(Paint::Faint, &number));
    let marks = "^".repeat(spanned.max(1));
    let skip = before.chars().count() + begin.len();
    let _ = writeln!(out, " {:indent$} {bar} {:skip$}{}", "", "", palette.paint(role, &marks));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rendered(text: &str, start: usize, end: usize) -> String {
        let mut sources = SourceMap::new();
        let file = sources.add("t.litmus", text);
        let diagnostic = Diagnostic::error(Span::new(file, start, end), "bad").help("good");
        render_diagnostics(&[diagnostic], &sources, Palette::PLAIN)
    }

    #[test]
    fn place_line_and_marks() {
        let expected = "t.litmus:2:3: error: bad\n 2 |  xyz\n   |   ^^\n  help: good\n";
        assert_eq!(rendered("ab\n xyz\n", 5, 7), expected);
    }

    #[test]
    fn ends_of_files_and_spans_over_lines() {
        assert_eq!(rendered("ab", 2, 2), "t.litmus:1:3: error: bad\n 1 | ab\n   |   ^\n  help: good\n");
        assert_eq!(rendered("ab\ncd\n", 1, 5), "t.litmus:1:2: error: bad\n 1 | ab\n   |  ^\n  help: good\n");
        assert_eq!(rendered("", 0, 0), "t.litmus:1:1: error: bad\n 1 | \n   | ^\n  help: good\n");
    }

    #[test]
    fn long_lines_are_cut_around_the_place() {
        let text = rendered(&"x".repeat(1000), 500, 503);
        let marked = text.lines().nth(2).map(|l| l.find('^'));
        let line = text.lines().nth(1).map(|l| l.chars().count());
        assert!(line.is_some_and(|n| n < 160), "{text}");
        assert!(marked.flatten().is_some_and(|n| n < 120), "{text}");
    }
}
