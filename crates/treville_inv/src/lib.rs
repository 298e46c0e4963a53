//! The front end for `.inv`: claims about runs of programs in other languages, in a file beside them. `FILE.inv` says what holds of
//! the runs of `FILE`, a litmus test or a program in C. Program counters are lines of its source.
//!
//! A program in C has all its threads from the start, and is compiled for the architecture of a hardware model. The claims
//! themselves are read by `treville_lang`.

use std::collections::BTreeSet;
use std::sync::Arc;
use treville_base::{Cancel, Diagnostic, Name, SourceMap, Span};
use treville_bounded::compiled;
use treville_ir::{Block, Inst, Mark, Op, Program, TagId, Terminator};
use treville_machine::{INFO, Operational};
use treville_passes::lower_to_test::SyncTags;
use treville_passes::target;
use treville_task::{
    Annotated, CheckError, Code, FrontEnd, FrontEndInfo, Source, StopReason, Subject, SubjectKind, Unsupported,
};

/// How the names of these files end, after the name of the program.
const ENDING: &str = ".inv";

/// The front end.
pub struct SpecFile;

impl FrontEnd for SpecFile {
    fn info(&self) -> &FrontEndInfo {
        &FrontEndInfo {
            name: "inv",
            about: "claims about the runs of the litmus test or the program in C beside them",
            endings: &[ENDING],
            kind: SubjectKind::Claims,
        }
    }

    fn read(&self, source: &Source<'_>) -> Result<Subject, CheckError> {
        let path = source.path;
        let of = path.strip_suffix(ENDING).unwrap_or(path);
        if !source.files.is_file(of) {
            return Err(CheckError::usage(format!("{path}: the program {of} is not beside it")));
        }
        let machine = source.options.model.as_deref().and_then(Operational::named);
        let (program, sources) = match (source.others)(of)? {
            Subject::Program(code) => (static_program(&code, of, machine, source.cancel)?, code.sources),
            Subject::Test(test) => {
                let program = treville_passes::with_known_addresses(&test.program, source.cancel);
                in_time(source.cancel, of)?;
                (program, test.sources)
            }
            Subject::Claims(_) | Subject::Remote(_) => {
                return Err(CheckError::usage(format!("{of} says itself what holds of its runs")));
            }
        };
        let mut sources = SourceMap::clone(&sources);
        let program = with_lines(&program, &sources, of);
        let file = sources.add(path, source.text);
        let sources = Arc::new(sources);
        let claims = match treville_lang::rar::parse_claims(file, source.text, &program) {
            Ok(claims) => Arc::new(claims),
            Err(diagnostics) => return Err(CheckError::input(diagnostics, sources)),
        };
        let machine = machine.or_else(|| Operational::usual_for(&program.dialect));
        let assumes = machine.map_or_else(Vec::new, |machine| assumed(&program, machine));
        Ok(Subject::Claims(Annotated { program: Arc::new(program), claims, sources, assumes }))
    }
}

/// A program in C, with all its threads from the start.
fn static_program(
    code: &Code,
    path: &str,
    machine: Option<Operational>,
    cancel: &Cancel,
) -> Result<Program, CheckError> {
    let passes =
        treville_passes::Options { algebraic: true, cancel: cancel.clone(), ..treville_passes::Options::default() };
    let program = treville_passes::run(&code.program, &passes);
    in_time(cancel, path)?;
    let refused = |why: Diagnostic| {
        let why = Unsupported { what: format!("{} is not run on machines", why.message), span: why.span };
        CheckError::unsupported(INFO.name, &[why], &code.sources)
    };
    let static_threads = treville_passes::static_threads(&program, &SyncTags::of_c(), cancel);
    in_time(cancel, path)?;
    let program = static_threads.map_err(refused)?;
    let model = machine.map(Operational::name);
    match model.and_then(|model| Some((model, target::hardware_dialect_for(model)?))) {
        Some((model, dialect)) => {
            compiled(&program, model, dialect).map_err(|why| CheckError::input(vec![why], Arc::clone(&code.sources)))
        }
        None => Ok(program),
    }
}

/// Unless a limit was reached while a program was made ready for a machine: then it may be half done.
fn in_time(cancel: &Cancel, path: &str) -> Result<(), CheckError> {
    match StopReason::of(cancel) {
        Some(limit) => Err(CheckError::unknown(format!("{limit} while {path} was prepared"))),
        None => Ok(()),
    }
}

/// What a machine takes for granted of a program in C that was not written for it.
fn assumed(program: &Program, machine: Operational) -> Vec<String> {
    let insts = program.roots.iter().flat_map(|root| program.funcs[root.func].blocks.iter()).flat_map(|b| &b.insts);
    let used: BTreeSet<TagId> = insts.flat_map(|inst| tags(&inst.op)).copied().collect();
    let has = |names: &[&str]| used.iter().any(|tag| names.iter().any(|name| program.tags[*tag] == *name));
    let mut assumed = Vec::new();
    let name = machine.name();
    if machine.strengthens_accesses() && has(&["RLX", "NA"]) {
        assumed.push(format!("on {name} every access releases or acquires"));
    }
    if machine.is_c11() && has(&["SC"]) {
        assumed.push(format!("on {name} seq_cst counts as acquire and release"));
    }
    if has(&["NA"]) {
        assumed.push("accesses that are not atomic do not race, which is not looked at".to_owned());
    }
    assumed
}

/// The program with the lines of its source as labels. A line without an access is a step by itself, so that somebody can be
/// seen there.
fn with_lines(program: &Program, sources: &SourceMap, path: &str) -> Program {
    let mut out = program.clone();
    let line = |span: Span| (sources.file(span.file).name == path).then(|| sources.start(span).line);
    let funcs: BTreeSet<_> = program.roots.iter().map(|root| root.func).collect();
    for func in funcs {
        out.funcs[func].blocks.iter_mut().for_each(|block| mark_lines(block, &line));
    }
    out
}

fn mark_lines(block: &mut Block, line: &impl Fn(Span) -> Option<usize>) {
    let insts = std::mem::take(&mut block.insts);
    for same in insts.chunk_by(|a, b| line(a.span) == line(b.span)) {
        let first = &same[0];
        // Where an assertion is false there is nothing to come to.
        if same.iter().all(|inst| matches!(inst.op, Op::Fail { .. })) {
            block.insts.extend_from_slice(same);
            continue;
        }
        let at = |op| Inst { op: Op::Mark(op), ..first.clone() };
        block.insts.push(at(Mark::At(line(first.span).map(|line| Name::from(line.to_string())))));
        if line(first.span).is_some() && !same.iter().any(|inst| is_access(&inst.op)) {
            block.insts.push(at(Mark::Step));
        }
        block.insts.extend_from_slice(same);
    }
    if let (Terminator::End | Terminator::Return(_) | Terminator::Exit(_) | Terminator::ExitProcess, Some(last)) =
        (&block.end, block.insts.last())
    {
        let end = Op::Mark(Mark::At(Some(Name::new(treville_ir::Prop::END))));
        let end = Inst { op: end, ..last.clone() };
        block.insts.push(end);
    }
}

/// The tags of an access.
fn tags(op: &Op) -> Vec<&TagId> {
    match op {
        Op::Load { tags, .. } | Op::Store { tags, .. } => tags.iter().collect(),
        Op::Update { tags, .. } => tags.read.iter().chain(&tags.write).chain(&tags.fail).collect(),
        _ => Vec::new(),
    }
}

fn is_access(op: &Op) -> bool {
    matches!(op, Op::Load { .. } | Op::Store { .. } | Op::Update { .. } | Op::Fence { .. } | Op::Fail { .. })
}
