//! Claims about runs of programs in other languages, in a file beside them: `FILE.inv` says what holds of the runs of `FILE`, a
//! litmus test or a program in C. Program counters are lines of its source.

use crate::claims::Stated;
use crate::executions::unknown;
use crate::{ModelOptions, Options, Session, failure, programs, refusal, unreadable};
use std::collections::BTreeSet;
use std::sync::Arc;
use treville_base::{Cancel, Diagnostic, Name, SourceMap, Span};
use treville_ir::{Block, Inst, Mark, Op, Program, TagId, Terminator};
use treville_passes::close::Words;
use treville_passes::target;
use treville_report::Failure;
use treville_task::{StopReason, Unsupported};

/// How the names of these files end, after the name of the program.
pub(crate) const ENDING: &str = ".inv";

impl Session<'_> {
    /// The program that a file of claims is beside of, and the claims, for a machine.
    pub(crate) fn load_beside(&self, path: &str, machine: Option<&str>, options: &Options) -> Result<Stated, Failure> {
        let of = path.strip_suffix(ENDING).unwrap_or(path);
        let text = self.files.read(path).map_err(|why| unreadable(format!("{path}: {why}")))?;
        if !self.files.is_file(of) {
            return Err(unreadable(format!("{path}: the program {of} is not beside it")));
        }
        let (program, mut sources) = match programs::language(of) {
            Some(language) => self.standing_program(of, language, machine, options)?,
            None => self.test(of, machine, options)?,
        };
        let program = with_lines(&program, &sources, of);
        let file = sources.add(path, text.as_str());
        let sources = Arc::new(sources);
        match treville_lang::rar::parse_claims(file, &text, &program) {
            Ok(claims) => Ok(Stated { program: Arc::new(program), claims, sources, assumes: Vec::new() }),
            Err(diagnostics) => Err(failure(diagnostics, sources)),
        }
    }

    /// A litmus test, as it is on the machine.
    fn test(&self, path: &str, machine: Option<&str>, options: &Options) -> Result<(Program, SourceMap), Failure> {
        let model = ModelOptions { name: machine.map(str::to_owned), ..options.model.clone() };
        let loaded = self.load(path, &Options { model, ..options.clone() })?;
        let cancel = self.cancel_for(&options.run);
        let program = treville_passes::with_known_addresses(&loaded.program, &cancel);
        in_time(&cancel, path)?;
        Ok((program, SourceMap::clone(&loaded.sources)))
    }

    /// A program in C, with all its threads from the start.
    fn standing_program(
        &self,
        path: &str,
        language: &programs::Language,
        machine: Option<&str>,
        options: &Options,
    ) -> Result<(Program, SourceMap), Failure> {
        let (program, sources) = self.read_program(path, language, options)?;
        let cancel = self.cancel_for(&options.run);
        let passes =
            treville_passes::Options { algebraic: true, cancel: cancel.clone(), ..treville_passes::Options::default() };
        let program = treville_passes::run(&program, &passes);
        let refused = |why: Diagnostic| {
            let why = Unsupported { what: format!("{} is not run on machines", why.message), span: why.span };
            refusal(crate::claims::ENGINE, &[why], &sources)
        };
        let standing = treville_passes::standing(&program, &Words::of_c(), &cancel);
        in_time(&cancel, path)?;
        let program = standing.map_err(refused)?;
        let compiled = match machine.filter(|machine| *machine != "sc").and_then(|m| Some((m, target::dialect_for(m)?)))
        {
            Some((model, dialect)) => programs::compiled(&program, model, dialect)
                .map_err(|why| failure(vec![why], Arc::new(sources.clone())))?,
            None => program,
        };
        Ok((compiled, sources))
    }
}

/// Unless a limit was reached while a program was made ready for a machine: then it may be half done.
fn in_time(cancel: &Cancel, path: &str) -> Result<(), Failure> {
    match StopReason::of(cancel) {
        Some(limit) => Err(unknown(format!("{limit} while {path} was prepared"))),
        None => Ok(()),
    }
}

/// What a machine takes for granted of a program in C that was not written for it.
pub(crate) fn assumed(program: &Program, machine: &str) -> Vec<String> {
    let insts = program.roots.iter().flat_map(|root| program.funcs[root.func].blocks.iter()).flat_map(|b| &b.insts);
    let used: BTreeSet<TagId> = insts.flat_map(|inst| tags(&inst.op)).copied().collect();
    let has = |names: &[&str]| used.iter().any(|tag| names.iter().any(|name| program.tags[*tag] == *name));
    let is_c11 = matches!(machine, "ra" | "rar" | "rar-graph");
    let mut assumed = Vec::new();
    if machine == "ra" && has(&["RLX", "NA"]) {
        assumed.push("on ra every access releases or acquires".to_owned());
    }
    if is_c11 && has(&["SC"]) {
        assumed.push(format!("on {machine} seq_cst counts as acquire and release"));
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
