//! The front end for litmus tests. Macro definitions for tests in C are parsed once and shared.

use crate::{Macros, Options, parse, parse_macros};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use treville_base::{Files, SourceMap, join_path};
use treville_ir::Dialect;
use treville_task::{CheckError, FrontEnd, FrontEndInfo, ReadOptions, Source, Subject, SubjectKind, Test};

const INFO: FrontEndInfo = FrontEndInfo {
    name: "litmus",
    about: "litmus tests: X86, AArch64, ARM, PPC, RISCV, MIPS, BPF, C, Linux-kernel C, LISA",
    endings: &[".litmus"],
    kind: SubjectKind::Test,
};

pub struct LitmusFrontEnd {
    /// The name and the text of the macros that are used where the call names none.
    usual: Option<(String, String)>,
    parsed: Mutex<BTreeMap<[Vec<String>; 2], Parsed>>,
}

/// None if there are no macro definitions at all.
type Parsed = Result<Option<Arc<MacroFile>>, CheckError>;

/// Macro definitions. Their spans say file 1: every test is file 0 of its sources.
struct MacroFile {
    name: String,
    text: Arc<str>,
    macros: Arc<Macros>,
}

impl LitmusFrontEnd {
    /// With the macro definitions (their name and text) for calls that name none.
    pub fn new(usual: Option<(String, String)>) -> Self {
        LitmusFrontEnd { usual, parsed: Mutex::default() }
    }

    fn macros(&self, source: &Source<'_>) -> Parsed {
        let key = [source.options.macros.clone(), source.options.include.clone()];
        let mut parsed = self.parsed.lock().unwrap_or_else(PoisonError::into_inner);
        parsed.entry(key).or_insert_with(|| self.read_macros(source.options, source.files)).clone()
    }

    fn read_macros(&self, options: &ReadOptions, files: &dyn Files) -> Parsed {
        if options.macros.is_empty() {
            let usual = self.usual.clone();
            return usual.map(|(name, text)| parse_file(name, &text)).transpose();
        }
        let found = options.macros.iter().map(|name| find(name, options, files));
        let found = found.collect::<Result<Vec<_>, _>>()?;
        let names = found.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ");
        let text = found.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>().join("\n");
        parse_file(names, &text).map(Some)
    }
}

/// A file that the call names: as it is, or in one of its folders.
fn find(name: &str, options: &ReadOptions, files: &dyn Files) -> Result<(String, String), CheckError> {
    let mut places = std::iter::once(name.to_owned()).chain(options.include.iter().map(|at| join_path(at, name)));
    let path = places.find(|path| files.is_file(path)).unwrap_or_else(|| name.to_owned());
    let text = files.read(&path).map_err(|why| CheckError::usage(format!("{path}: {why}")))?;
    Ok((path, text))
}

fn parse_file(name: String, text: &str) -> Result<Arc<MacroFile>, CheckError> {
    let mut sources = SourceMap::new();
    sources.add("", "");
    let text: Arc<str> = text.into();
    let file = sources.add(name.as_str(), Arc::clone(&text));
    match parse_macros(file, &text) {
        Ok(macros) => Ok(Arc::new(MacroFile { name, text, macros: Arc::new(macros) })),
        Err(diagnostics) => Err(CheckError::input(diagnostics, Arc::new(sources))),
    }
}

impl FrontEnd for LitmusFrontEnd {
    fn info(&self) -> &FrontEndInfo {
        &INFO
    }

    fn read(&self, source: &Source<'_>) -> Result<Subject, CheckError> {
        let mut sources = SourceMap::new();
        let file = sources.add(source.path, source.text);
        let is_c = source.text.split_whitespace().next() == Some(Dialect::C);
        // Parsing macros takes time: only tests in C may use them.
        let macros = if is_c { self.macros(source)? } else { None };
        if let Some(macros) = &macros {
            sources.add(macros.name.as_str(), Arc::clone(&macros.text));
        }
        let options = Options {
            macros: macros.map(|m| Arc::clone(&m.macros)),
            kernel: source.options.kernel,
            weak_cas: source.options.weak_cas,
        };
        let parsed = parse(file, source.text, &options);
        let sources = Arc::new(sources);
        let litmus = parsed.map_err(|diagnostics| CheckError::input(diagnostics, Arc::clone(&sources)))?;
        let Some(question) = litmus.question else { return Err(CheckError::usage("the test asks nothing")) };
        let (program, question) = (Arc::new(litmus.program), Arc::new(question));
        Ok(Subject::Test(Test { program, question, sources, info: litmus.info }))
    }
}
