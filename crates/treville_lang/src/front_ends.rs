//! The front ends of these languages.

use crate::{pts, rar, rma};
use std::sync::Arc;
use treville_base::{Diagnostic, SourceMap};
use treville_task::{Annotated, CheckError, Code, FrontEnd, FrontEndInfo, Remote, Source, Subject, SubjectKind, Test};

/// A language that is nothing but a function from a text to a subject.
pub struct Language {
    info: FrontEndInfo,
    read: fn(source: &Source<'_>) -> Result<Subject, CheckError>,
}

impl FrontEnd for Language {
    fn info(&self) -> &FrontEndInfo {
        &self.info
    }

    fn read(&self, source: &Source<'_>) -> Result<Subject, CheckError> {
        (self.read)(source)
    }
}

pub const PTS: Language = Language {
    info: FrontEndInfo {
        name: "pts",
        about: "the C11-like language of the first Dartagnan",
        endings: &[".pts"],
        kind: SubjectKind::Test,
    },
    read: |source| {
        let (program, question, sources) = parsed(source, |file| pts::parse(file, source.name(".pts"), source.text))?;
        Ok(Subject::Test(Test { program: Arc::new(program), question: Arc::new(question), sources, info: Vec::new() }))
    },
};

pub const RAR: Language = Language {
    info: FrontEndInfo {
        name: "rar",
        about: "release-acquire C11 with invariants over program counters and observable writes",
        endings: &[".rar"],
        kind: SubjectKind::Claims,
    },
    read: |source| {
        let (program, claims, sources) = parsed(source, |file| rar::parse(file, source.name(".rar"), source.text))?;
        let (program, claims) = (Arc::new(program), Arc::new(claims));
        Ok(Subject::Claims(Annotated { program, claims, sources, assumes: Vec::new() }))
    },
};

pub const RMA: Language = Language {
    info: FrontEndInfo {
        name: "rma",
        about: "programs with put, get and flush on remote memory",
        endings: &[".rma"],
        kind: SubjectKind::Remote,
    },
    read: |source| {
        let (program, warnings, sources) = parsed(source, |file| rma::parse(file, source.name(".rma"), source.text))?;
        if !program.has_property() {
            let whole = program.procs.iter().next().map(|proc| proc.span);
            let error = Diagnostic::error(whole, "the program claims nothing")
                .help("`assert always P;`, `assert final P;` or `assert(e);` says what must hold");
            return Err(CheckError::input(vec![error], sources));
        }
        Ok(Subject::Remote(Remote { program: Arc::new(program), sources, text: source.text.into(), warnings }))
    },
};

pub const IR: Language = Language {
    info: FrontEndInfo {
        name: "ir",
        about: "programs in the text form of the intermediate representation",
        endings: &[".ir"],
        kind: SubjectKind::Program,
    },
    read: |source| {
        let parse = |file| treville_ir::text::parse(file, source.text).map(|p| (p, ())).map_err(|error| vec![error]);
        let (program, (), sources) = parsed(source, parse)?;
        Ok(Subject::Program(Code { program: Arc::new(program), sources }))
    },
};

/// What a parser gives, with the sources that it points into.
fn parsed<P, Q>(
    source: &Source<'_>,
    parse: impl FnOnce(treville_base::FileId) -> Result<(P, Q), Vec<Diagnostic>>,
) -> Result<(P, Q, Arc<SourceMap>), CheckError> {
    let mut sources = SourceMap::new();
    let file = sources.add(source.path, source.text);
    let parsed = parse(file);
    let sources = Arc::new(sources);
    match parsed {
        Ok((program, asked)) => Ok((program, asked, sources)),
        Err(diagnostics) => Err(CheckError::input(diagnostics, sources)),
    }
}
