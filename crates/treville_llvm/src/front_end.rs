//! The front ends for C and C++, through clang, and for LLVM IR.

use crate::{Clang, CompileOptions, LowerOptions, lower, parse_unless};
use std::path::Path;
use std::sync::Arc;
use treville_base::SourceMap;
use treville_task::{CheckError, Code, FrontEnd, FrontEndInfo, Source, Subject, SubjectKind};

/// Where a program begins.
const ENTRY: &str = "main";

/// C and C++.
pub struct CFrontEnd;

/// LLVM IR as text.
pub struct IrFrontEnd;

impl FrontEnd for CFrontEnd {
    fn info(&self) -> &FrontEndInfo {
        &FrontEndInfo {
            name: "c",
            about: "programs in C and C++, compiled with clang",
            endings: &[".c", ".cc", ".cpp", ".cxx"],
            kind: SubjectKind::Program,
        }
    }

    /// Compiles the file and reads what the compiler wrote.
    fn read(&self, source: &Source<'_>) -> Result<Subject, CheckError> {
        let mut sources = SourceMap::new();
        sources.add(source.path, source.text);
        let compile = CompileOptions { include: &[], flags: &source.options.cflags, cancel: source.cancel.clone() };
        let find = |name: &str| source.files.read(name).ok();
        let compiled = Clang::find()
            .map_err(|missing| vec![missing])
            .and_then(|clang| clang.compile(Path::new(source.path), &compile, &mut sources, &find));
        match compiled {
            Ok(compiled) => program(source, &compiled.ir, sources),
            Err(diagnostics) => {
                let input = || CheckError::input(diagnostics, Arc::new(sources));
                Err(source.stopped("compiled").unwrap_or_else(input))
            }
        }
    }
}

impl FrontEnd for IrFrontEnd {
    fn info(&self) -> &FrontEndInfo {
        &FrontEndInfo {
            name: "llvm",
            about: "programs in LLVM IR, as text",
            endings: &[".ll"],
            kind: SubjectKind::Program,
        }
    }

    fn read(&self, source: &Source<'_>) -> Result<Subject, CheckError> {
        program(source, source.text, SourceMap::new())
    }
}

fn program(source: &Source<'_>, ir: &str, mut sources: SourceMap) -> Result<Subject, CheckError> {
    let path = source.path;
    let options = LowerOptions { name: path, entry: ENTRY, weak_cas: source.options.weak_cas, cancel: source.cancel };
    let file = sources.add(if path.ends_with(".ll") { path.to_owned() } else { format!("{path}.ll") }, ir);
    let find = &mut |name: &str| source.files.read(name).ok();
    let lowered = parse_unless(source.cancel, file, ir).and_then(|module| lower(&module, &options, &mut sources, find));
    let sources = Arc::new(sources);
    match lowered {
        Ok(program) => Ok(Subject::Program(Code { program: Arc::new(program), sources })),
        Err(diagnostics) => Err(source.stopped("read").unwrap_or_else(|| CheckError::input(diagnostics, sources))),
    }
}
