//! The text of a program with flushes in some of its slots.

use crate::lexer::Cursor;
use treville_base::{BitSet, FileId, Idx};
use treville_rma::{Program, Slot};

/// The text that `program` was read from, with a flush in each of these slots.
pub fn annotated(program: &Program, text: &str, placement: &BitSet) -> String {
    let mut parts: Vec<(usize, String)> = Vec::new();
    for (id, slot) in program.slots.iter_enumerated().filter(|(id, _)| placement.contains(id.index())) {
        let flush = format!(" flush({}); // slot {}", program.procs[slot.target].name, Program::slot_number(id));
        let end = end_of(text, slot);
        let alone = text[end..].lines().next().is_none_or(|rest| rest.trim().is_empty());
        // What follows on the line would be in the comment.
        let flush = if alone { flush } else { flush.split(" //").next().unwrap_or_default().to_owned() };
        match slot.body {
            Some(body) => {
                parts.push((body.start as usize, "{ ".to_owned()));
                let flush = flush.replacen(';', "; }", 1);
                parts.push((end, flush));
            }
            None => parts.push((end, flush)),
        }
    }
    parts.sort();
    let mut out = String::with_capacity(text.len() + 32 * parts.len());
    let mut from = 0;
    for (at, part) in parts {
        out += &text[from..at];
        out += &part;
        from = at;
    }
    out + &text[from..]
}

/// Behind the semicolon of the statement.
fn end_of(text: &str, slot: &Slot) -> usize {
    let end = slot.span.end as usize;
    let cursor = Cursor::new(FileId(0), &text[end..], &[";"]);
    end + cursor.span().end as usize
}
