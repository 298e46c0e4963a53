//! Litmus tests to programs: one parser for what all dialects share (header, initial state, condition), and one module
//! for each dialect under `dialects`.
//!
//! A test is cut into sections (`header`), the initial state and the condition are read as written (`init`, `condition`),
//! the dialect turns the code into threads, and `question` resolves the names of the condition. Nothing is optimised and
//! nothing is unrolled here, and no memory model is known: instructions become operations with tags.

mod addresses;
mod code;
mod condition;
mod dialects;
mod front_end;
mod header;
mod init;
mod lexer;
mod machine;
mod macros;
mod memory;
mod operand;
mod question;
mod scopes;

pub use dialects::dialects;
pub use front_end::LitmusFrontEnd;
pub use macros::{Macros, parse_macros};
pub use question::{Names, Register};

use std::ops::Range;
use std::sync::Arc;
use treville_base::{Diagnostic, FileId};
use treville_ir::{Program, Question};

/// A litmus test.
#[derive(Clone, PartialEq, Debug)]
pub struct Litmus {
    pub program: Program,
    /// A test without a condition asks `forall true` of everything that it sets, so that its states are listed.
    pub question: Option<Question>,
    /// The `key=value` lines of the header, in order.
    pub info: Vec<(String, String)>,
    /// The description in quotes.
    pub doc: Option<String>,
}

impl Litmus {
    /// The value of a `key=value` line.
    pub fn info(&self, key: &str) -> Option<&str> {
        self.info.iter().find(|(k, _)| k == key).map(|(_, v)| v.as_str())
    }
}

/// What the parser needs to know beside the test.
#[derive(Clone, Default, Debug)]
pub struct Options {
    /// Macro definitions for C, parsed once and shared.
    pub macros: Option<Arc<Macros>>,
    /// Whether C is that of the Linux kernel; if nothing is said, the code tells.
    pub kernel: Option<bool>,
    /// A weak compare-exchange of C may fail for no reason.
    pub weak_cas: bool,
}

/// Parses a test in any dialect. All errors that can be found in one run are returned.
pub fn parse(file: FileId, text: &str, options: &Options) -> Result<Litmus, Vec<Diagnostic>> {
    if u32::try_from(text.len()).is_err() {
        return Err(vec![Diagnostic::error(None, "the test is larger than 4 GiB")]);
    }
    let sections = header::split(file, text).map_err(|e| vec![e])?;
    let test = dialects::Test { file, text, sections: &sections, options };
    let read = dialects::find(&test).map_err(|e| vec![e])?;
    let (program, question) = read(&test).map_err(|mut errors| {
        errors.sort_by_key(|e| e.span);
        errors
    })?;
    let owned = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
    Ok(Litmus {
        program,
        question: Some(question),
        info: sections.info.iter().map(owned).collect(),
        doc: sections.doc.map(str::to_owned),
    })
}

/// Parses what a program in another language asks in the words of litmus tests: a part of its text. Nothing asks `forall true`.
pub fn parse_question(
    file: FileId,
    text: &str,
    part: Range<usize>,
    names: &mut dyn Names,
) -> Result<Question, Vec<Diagnostic>> {
    let asked = condition::parse(file, text, part).map_err(|e| vec![e])?;
    question::resolve(&asked, names)
}
