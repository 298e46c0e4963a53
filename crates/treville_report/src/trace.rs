//! A violation as a trace: the places in question, then the steps that lead there, each with its line, its action and the
//! write it reads from, and the missing synchronisation. Steps that do not lead to the violation are left out.

mod relevant;
pub(crate) mod words;

use crate::diagnostics::render_place;
use crate::{Paint, Palette};
use std::fmt::Write;
use treville_base::{SourceMap, Span};
use treville_ir::{Failure, MemoryOrder, Program, ThreadId};
use treville_task::{Action, MissingSync, TraceStep, Violation};
use words::Words;

/// Source lines are cut to this.
const WIDEST_SOURCE: usize = 52;
/// Sentences are wrapped at this.
const WIDEST_TEXT: usize = 100;

/// The story of a violation; its places only, if the engine tells none.
pub fn trace(violation: &Violation, program: &Program, sources: &SourceMap, palette: Palette) -> String {
    let mut out = String::new();
    let Some(trace) = &violation.trace else {
        if let Some(span) = violation.span {
            let message = format!("{} in thread {}", violation.message, violation.thread.0);
            render_place(&mut out, sources, span, Some("error"), &message, palette);
        }
        return out;
    };
    let words = Words::new(program, sources, trace);
    places(&words, violation, palette, &mut out);
    steps(&words, palette, &mut out);
    why(&words, violation.failure, palette, &mut out);
    out
}

/// The steps in question, each with its line.
fn places(words: &Words<'_>, violation: &Violation, palette: Palette, out: &mut String) {
    let mut seen = Vec::new();
    for (i, at) in words.trace.about.iter().enumerate() {
        let step = &words.trace.steps[*at];
        let line = |span: Span| (span.file, words.line(span), step.thread);
        let Some(span) = step.span.filter(|span| !seen.contains(&line(*span))) else { continue };
        seen.push(line(span));
        let plain = step.order.is_none() && step.action.place().is_some();
        let note = if plain && !is_lock(step) { ", not atomic" } else { "" };
        let message = match (&step.action, violation.failure) {
            (Action::Fail, Failure::Assertion) => format!("{} fails an assertion", words.thread(step.thread)),
            (Action::Fail, _) => format!("{}: {}", words.thread(step.thread), violation.message),
            _ => format!("{} {}{note}", words.thread(step.thread), words.does(step)),
        };
        render_place(out, words.sources, span, (i == 0).then_some("error"), &message, palette);
    }
    // Where what is misused came from is no step of its own.
    if let Some(span) = violation.other.filter(|_| violation.failure == Failure::ApiMisuse)
        && !seen.iter().any(|(file, line, _)| (*file, line) == (span.file, &words.line(span)))
    {
        render_place(out, words.sources, span, None, "the other place that this is about", palette);
    }
}

fn is_lock(step: &TraceStep) -> bool {
    matches!(
        step.action,
        Action::Read { lock: true, .. } | Action::Write { lock: true, .. } | Action::Update { lock: true, .. }
    )
}

/// All steps that lead there, thread by thread as they take turns.
fn steps(words: &Words<'_>, palette: Palette, out: &mut String) {
    let relevant = relevant::steps(words.trace);
    let lines = |i: &usize| words.trace.steps[*i].span.map(|span| words.number(span)).unwrap_or_default();
    let number_width = relevant.steps.iter().map(lines).map(|n| n.chars().count()).max().unwrap_or(0);
    let source = |step: &TraceStep| step.span.map(|span| cut(&words.source(span), WIDEST_SOURCE)).unwrap_or_default();
    let sources: Vec<String> = relevant.steps.iter().map(|i| source(&words.trace.steps[*i])).collect();
    let width = sources.iter().map(|s| s.chars().count()).max().unwrap_or(0);
    out.push('\n');
    if relevant.left_out > 0 {
        let note = format!("  … after {} earlier steps", relevant.left_out);
        let _ = writeln!(out, "{}", palette.paint(Paint::Faint, &note));
    }
    let mut before: Option<(ThreadId, String)> = None;
    for (i, text) in relevant.steps.iter().zip(&sources) {
        let step = &words.trace.steps[*i];
        if before.as_ref().is_none_or(|(thread, _)| *thread != step.thread) {
            let _ = writeln!(out, "  {}", palette.paint(Paint::Strong, &words.thread(step.thread)));
        }
        let line = lines(i);
        let again = before.as_ref().is_some_and(|(thread, number)| *thread == step.thread && *number == line);
        let (number, text) = if again { ("", "") } else { (line.as_str(), text.as_str()) };
        let mark = if words.trace.about.contains(i) { palette.paint(Paint::Bad, ">") } else { " ".to_owned() };
        let number = palette.paint(Paint::Faint, &format!("{number:>number_width$}"));
        let does = words.does(step);
        let _ = writeln!(out, "  {mark} {number}  {text:width$}  {does}{}", words.source_of(*i));
        before = Some((step.thread, line));
    }
}

fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let begin: String = text.chars().take(most - 1).collect();
    format!("{begin}…")
}

/// A text in lines of at most so many characters, if its words allow.
fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// What is missing, as far as the execution shows it.
fn why(words: &Words<'_>, failure: Failure, palette: Palette, out: &mut String) {
    let pair = matches!(failure, Failure::Race | Failure::UseAfterFree | Failure::InvalidAccess)
        && words.trace.about.len() > 1;
    let missing_syncs = &words.trace.missing_syncs;
    let mut lines = Vec::new();
    if pair && missing_syncs.is_empty() {
        let threads: Vec<ThreadId> = words.trace.about.iter().map(|i| words.trace.steps[*i].thread).collect();
        if failure == Failure::Race || threads.windows(2).any(|t| t[0] != t[1]) {
            lines.push("Nothing orders the two: neither thread reads what tells it that the other is done.".to_owned());
        }
    }
    for (i, gap) in missing_syncs.iter().enumerate() {
        let lead = match (i, pair) {
            (0, true) => "Nothing orders the two. ",
            _ => "",
        };
        lines.push(format!("{lead}{}", sentence(words, gap)));
    }
    let weak = relevant::weak(words.trace).is_some();
    if missing_syncs.is_empty() && (failure == Failure::Assertion || (pair && weak)) {
        lines.push(weakness(words));
    }
    if !lines.is_empty() {
        out.push('\n');
    }
    for (i, line) in lines.iter().flat_map(|text| wrap(text, WIDEST_TEXT)).enumerate() {
        let word = if i == 0 { palette.paint(Paint::Strong, "why: ") } else { "     ".to_owned() };
        let _ = writeln!(out, "  {word}{line}");
    }
}

/// Whether the threads could do the same by taking turns.
fn weakness(words: &Words<'_>) -> String {
    let Some((read, write)) = relevant::weak(words.trace) else {
        return "The threads do this by taking turns, on any memory.".to_owned();
    };
    let step = &words.trace.steps[read];
    let place = begun(&words.place_of(read, step.thread));
    let ahead = words.trace.reads_ahead(read);
    let (reader, write) = (step.thread.0, words.place_of(write, step.thread));
    if ahead {
        return format!("{place} of thread {reader} reads what {write} writes later: only weak memory does this.");
    }
    format!("{place} of thread {reader} does not see what {write} wrote before: only weak memory does this.")
}

/// A place at the beginning of a sentence.
fn begun(place: &str) -> String {
    place.strip_prefix("line").map_or_else(|| place.to_owned(), |rest| format!("Line{rest}"))
}

/// `Line 19 reads what line 11 of thread 1 wrote, but …`.
fn sentence(words: &Words<'_>, gap: &MissingSync) -> String {
    let (write, read) = (&words.trace.steps[gap.write], &words.trace.steps[gap.read]);
    let reader = format!("thread {}", read.thread.0);
    let mut out = begun(&words.place_of(gap.read, read.thread));
    let whose = words.place_of(gap.write, read.thread);
    // Updates in between pass on what was released.
    let through = if read.action.source() == Some(Some(gap.write)) { "" } else { " and updates passed on" };
    let _ = write!(out, " of {reader} reads what {whose} wrote{through}, ");
    let kind = |step: &TraceStep, plain: &str| match step.action {
        Action::Update { .. } => "update".to_owned(),
        _ => plain.to_owned(),
    };
    let (store, load) = (kind(write, "store"), kind(read, "load"));
    let not = |order: Option<MemoryOrder>| order.map_or("not atomic", MemoryOrder::name);
    out += &match (gap.released, gap.acquired) {
        (false, true) => format!(
            "but the {store} is {} and does not publish what thread {} did before it: a release {store} would.",
            not(write.order),
            write.thread.0
        ),
        (true, false) => format!(
            "but the {load} is {} and {reader} need not see what came before that: an acquire {load} would make it.",
            not(read.order)
        ),
        _ => format!(
            "but the {store} is {} and the {load} is {}: a release {store} and an acquire {load} would order them.",
            not(write.order),
            not(read.order)
        ),
    };
    out
}
