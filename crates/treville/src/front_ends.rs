//! The languages that programs may be written in, by the ending of the file.

use crate::{failure, unreadable};
use std::sync::Arc;
use treville_base::SourceMap;
use treville_ir::{Program, Question};
use treville_report::Failure;

/// A program that was read.
#[derive(Clone, Debug)]
pub struct Loaded {
    pub program: Arc<Program>,
    pub question: Arc<Question>,
    pub sources: Arc<SourceMap>,
    /// The `key=value` lines of a test's header.
    pub info: Vec<(String, String)>,
}

/// Texts of macro definitions, with their names.
pub(crate) type Macros = [(String, String)];

pub struct FrontEnd {
    pub name: &'static str,
    /// One line for people.
    pub about: &'static str,
    pub endings: &'static [&'static str],
    read: fn(name: &str, text: &str, macros: &Macros) -> Result<Loaded, Failure>,
}

const FRONT_ENDS: &[FrontEnd] = &[FrontEnd {
    name: "litmus",
    about: "litmus tests: X86, AArch64, ARM, PPC, RISCV, C, Linux-kernel C, LISA",
    endings: &[".litmus"],
    read: read_litmus,
}];

/// Endings of languages that are planned, so that the answer is better than a syntax error.
const NOT_BUILT: &[&str] = &[".c", ".ll", ".rs", ".rar", ".rma", ".pts"];

pub fn front_ends() -> &'static [FrontEnd] {
    FRONT_ENDS
}

/// Reads a program; a file with an unknown ending is taken for a litmus test.
pub(crate) fn load(path: &str, text: &str, macros: &Macros) -> Result<Loaded, Failure> {
    let fits = |f: &&FrontEnd| f.endings.iter().any(|ending| path.ends_with(ending));
    if let Some(ending) = NOT_BUILT.iter().find(|ending| path.ends_with(*ending)) {
        return Err(unreadable(format!("programs in {ending} are not built yet")));
    }
    let front_end = FRONT_ENDS.iter().find(fits).unwrap_or(&FRONT_ENDS[0]);
    (front_end.read)(path, text, macros)
}

fn read_litmus(name: &str, text: &str, macros: &Macros) -> Result<Loaded, Failure> {
    let mut sources = SourceMap::new();
    let file = sources.add(name, text);
    let macros = macros.iter().map(|(name, text)| (sources.add(name.as_str(), text.as_str()), text.clone())).collect();
    let parsed = treville_litmus::parse(file, text, &treville_litmus::Options { macros });
    let sources = Arc::new(sources);
    let litmus = parsed.map_err(|diagnostics| failure(diagnostics, Arc::clone(&sources)))?;
    let Some(question) = litmus.question else { return Err(unreadable("the test asks nothing")) };
    Ok(Loaded { program: Arc::new(litmus.program), question: Arc::new(question), sources, info: litmus.info })
}
