//! The languages that programs may be written in, by the ending of the file.

use crate::{failure, unreadable};
use std::sync::Arc;
use treville_base::{Diagnostic, FileId, SourceMap};
use treville_ir::{Dialect, Program, Question};
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

/// What a front end may need beside the text. Macros are asked for only by those that have them: parsing them takes time.
pub(crate) struct Context<'a> {
    pub(crate) macros: &'a dyn Fn() -> Result<Option<Arc<MacroFile>>, Failure>,
    /// Whether C is that of the Linux kernel, if the call tells.
    pub(crate) kernel: Option<bool>,
    /// A weak compare-exchange of C may fail for no reason.
    pub(crate) weak_cas: bool,
}

/// Macro definitions, parsed once and shared. Their spans say file 1: every program is file 0 of its sources.
#[derive(Clone, Debug)]
pub(crate) struct MacroFile {
    name: String,
    text: Arc<str>,
    macros: Arc<treville_litmus::Macros>,
}

impl MacroFile {
    pub(crate) fn parse(name: String, text: String) -> Result<Self, Failure> {
        let mut sources = SourceMap::new();
        sources.add("", "");
        let text: Arc<str> = text.into();
        let file = sources.add(name.as_str(), Arc::clone(&text));
        match treville_litmus::parse_macros(file, &text) {
            Ok(macros) => Ok(MacroFile { name, text, macros: Arc::new(macros) }),
            Err(diagnostics) => Err(failure(diagnostics, Arc::new(sources))),
        }
    }
}

pub struct FrontEnd {
    pub name: &'static str,
    /// One line for people.
    pub about: &'static str,
    pub endings: &'static [&'static str],
    read: fn(name: &str, text: &str, context: &Context<'_>) -> Result<Loaded, Failure>,
}

const FRONT_ENDS: &[FrontEnd] = &[
    FrontEnd {
        name: "litmus",
        about: "litmus tests: X86, AArch64, ARM, PPC, RISCV, C, Linux-kernel C, LISA",
        endings: &[".litmus"],
        read: read_litmus,
    },
    FrontEnd { name: "pts", about: "the C11-like language of the first Dartagnan", endings: &[".pts"], read: read_pts },
];

/// Endings of languages that are planned, so that the answer is better than a syntax error.
const NOT_BUILT: &[&str] = &[".rs"];

pub fn front_ends() -> &'static [FrontEnd] {
    FRONT_ENDS
}

/// Reads a program; a file with an unknown ending is taken for a litmus test.
pub(crate) fn load(path: &str, text: &str, context: &Context<'_>) -> Result<Loaded, Failure> {
    let fits = |f: &&FrontEnd| f.endings.iter().any(|ending| path.ends_with(ending));
    if crate::programs::language(path).is_some() {
        return Err(unreadable(format!("{path} is a program, and this is about the final states of litmus tests")));
    }
    if crate::claims::is_stated(path) || path.ends_with(crate::rma::ENDING) {
        let why =
            format!("{path} says itself what holds of its runs, and this is about the final states of litmus tests");
        return Err(unreadable(why));
    }
    if let Some(ending) = NOT_BUILT.iter().find(|ending| path.ends_with(*ending)) {
        return Err(unreadable(format!("programs in {ending} are not built yet")));
    }
    let front_end = FRONT_ENDS.iter().find(fits).unwrap_or(&FRONT_ENDS[0]);
    (front_end.read)(path, text, context)
}

/// The dialects of litmus tests, as the smallest test of each has them.
pub(crate) fn dialects() -> Vec<Arc<Dialect>> {
    let machines = ["X86", "X86_64", "AArch64", "ARM", "PPC", "RISCV", "MIPS", "BPF", "LISA"];
    let tests = machines.map(|arch| (format!("{arch} smallest\n{{}}\n P0 ;\nforall (true)\n"), None));
    let c = "C smallest\n{}\nP0() { }\nforall (true)\n".to_owned();
    let parsed = tests.into_iter().chain([(c.clone(), Some(false)), (c, Some(true))]).filter_map(|(text, kernel)| {
        let options = treville_litmus::Options { kernel, ..treville_litmus::Options::default() };
        treville_litmus::parse(FileId(0), &text, &options).ok().map(|litmus| litmus.program.dialect)
    });
    parsed.collect()
}

/// The dialect of this name.
pub(crate) fn dialect(name: &str) -> Result<Arc<Dialect>, Diagnostic> {
    let found = dialects().into_iter().find(|dialect| *dialect.name == *name);
    found.ok_or_else(|| Diagnostic::error(None, format!("there is no dialect {name}")))
}

fn read_litmus(name: &str, text: &str, context: &Context<'_>) -> Result<Loaded, Failure> {
    let mut sources = SourceMap::new();
    let file = sources.add(name, text);
    let is_c = text.split_whitespace().next() == Some("C");
    let macros = if is_c { (context.macros)()? } else { None };
    if let Some(macros) = &macros {
        sources.add(macros.name.as_str(), Arc::clone(&macros.text));
    }
    let options = treville_litmus::Options {
        macros: macros.map(|m| Arc::clone(&m.macros)),
        kernel: context.kernel,
        weak_cas: context.weak_cas,
    };
    let parsed = treville_litmus::parse(file, text, &options);
    let sources = Arc::new(sources);
    let litmus = parsed.map_err(|diagnostics| failure(diagnostics, Arc::clone(&sources)))?;
    let Some(question) = litmus.question else { return Err(unreadable("the test asks nothing")) };
    Ok(Loaded { program: Arc::new(litmus.program), question: Arc::new(question), sources, info: litmus.info })
}

fn read_pts(name: &str, text: &str, _: &Context<'_>) -> Result<Loaded, Failure> {
    let mut sources = SourceMap::new();
    let file = sources.add(name, text);
    let file_name = name.rsplit('/').next().unwrap_or(name);
    let parsed = treville_lang::pts::parse(file, file_name.strip_suffix(".pts").unwrap_or(file_name), text);
    let sources = Arc::new(sources);
    let (program, question) = parsed.map_err(|diagnostics| failure(diagnostics, Arc::clone(&sources)))?;
    Ok(Loaded { program: Arc::new(program), question: Arc::new(question), sources, info: Vec::new() })
}
