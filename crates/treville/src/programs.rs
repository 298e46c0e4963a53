//! Whole programs: they ask nothing of their own, and the question is whether they can fail.

use crate::{Files, ModelOptions, Options, Session, failure, refusal, unreadable};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;
use treville_base::{FileId, Name, SourceMap};
use treville_ir::Program;
use treville_llvm::{Clang, CompileOptions};
use treville_report::{Failure, ProgramChecked, VerdictWord};
use treville_task::{Bounds, Limits, Monitor, Outcome, Scope, Semantics, StopReason, Task, Verdict};

/// A language of programs.
pub(crate) struct Language {
    endings: &'static [&'static str],
    read: fn(path: &str, text: &str, options: &Options, files: &dyn Files) -> Read,
}

/// A program with the texts that its spans point into.
type Read = Result<(Program, SourceMap), Failure>;

const LANGUAGES: &[Language] = &[
    Language { endings: &[".c", ".cc", ".cpp", ".cxx"], read: read_c },
    Language { endings: &[".ll"], read: read_llvm },
    Language { endings: &[".ir"], read: read_ir },
];

/// Models that the engine for programs has built in.
const BUILT_IN: &[&str] = &["sc", "tso", "ra", "rc11"];

/// The model when none is named.
const DEFAULT_MODEL: &str = "rc11";

/// The language of a file, if it is one of programs.
pub(crate) fn language(path: &str) -> Option<&'static Language> {
    LANGUAGES.iter().find(|language| language.endings.iter().any(|ending| path.ends_with(ending)))
}

/// Compiles a file and reads what the compiler wrote.
fn read_c(path: &str, text: &str, options: &Options, files: &dyn Files) -> Read {
    let mut sources = SourceMap::new();
    sources.add(path, text);
    let compile = CompileOptions { include: &[], flags: &options.run.cflags };
    let find = |name: &str| files.read(name).ok();
    let compiled = Clang::find()
        .map_err(|missing| vec![missing])
        .and_then(|clang| clang.compile(Path::new(path), &compile, &mut sources, &find));
    match compiled {
        Ok(compiled) => from_llvm(path, &compiled.ir, sources, files),
        Err(diagnostics) => Err(failure(diagnostics, Arc::new(sources))),
    }
}

fn read_llvm(path: &str, text: &str, _: &Options, files: &dyn Files) -> Read {
    from_llvm(path, text, SourceMap::new(), files)
}

fn from_llvm(path: &str, ir: &str, mut sources: SourceMap, files: &dyn Files) -> Read {
    let file = sources.add(if path.ends_with(".ll") { path.to_owned() } else { format!("{path}.ll") }, ir);
    let lowered = treville_llvm::parse(file, ir)
        .and_then(|module| treville_llvm::lower(&module, path, &mut sources, &mut |name| files.read(name).ok()));
    match lowered {
        Ok(program) => Ok((program, sources)),
        Err(diagnostics) => Err(failure(diagnostics, Arc::new(sources))),
    }
}

fn read_ir(path: &str, text: &str, _: &Options, _: &dyn Files) -> Read {
    let mut sources = SourceMap::new();
    let file: FileId = sources.add(path, text);
    match treville_ir::text::parse(file, text) {
        Ok(program) => Ok((program, sources)),
        Err(diagnostic) => Err(failure(vec![diagnostic], Arc::new(sources))),
    }
}

/// What a program was checked with, and what came out.
pub(crate) struct Run {
    pub(crate) model: String,
    pub(crate) engine: &'static str,
    pub(crate) checked: ProgramChecked,
}

impl Session<'_> {
    pub(crate) fn check_program(
        &self,
        path: &str,
        language: &Language,
        options: &Options,
        monitor: &dyn Monitor,
    ) -> Result<Run, Failure> {
        let text = self.files.read(path).map_err(|why| unreadable(format!("{path}: {why}")))?;
        let (program, sources) = (language.read)(path, &text, options, self.files)?;
        let model = options.model.name.clone().unwrap_or_else(|| DEFAULT_MODEL.to_owned());
        let built_in = options.model.is_bundled(&model) && BUILT_IN.contains(&model.as_str());
        // Models that are not built in may look at dependencies.
        let simpler =
            treville_passes::Options { algebraic: built_in, renumber: true, ..treville_passes::Options::default() };
        let program = treville_passes::run(&program, &simpler);
        let (semantics, bundled) = if built_in {
            (Semantics::Bundled(Name::new(&model)), None)
        } else {
            let mut named = ModelOptions { name: Some(model.clone()), ..options.model.clone() };
            if options.model.is_bundled(&model) {
                // Programs are in today's C, tests in that of their time.
                named.variants.push("cxx20".to_owned());
            }
            let linked = self.library.linked(&named, &program)?;
            let bundled = options.model.is_bundled(&model).then(|| Name::new(&model));
            (Semantics::Axioms(Arc::clone(&linked.model), Arc::clone(&linked.vocabulary)), bundled)
        };
        if let Some(second) = &options.run.cross_check {
            let reason = format!("no second engine takes programs yet, so that {second} cannot check the answer");
            return Err(Failure { word: VerdictWord::Unknown, ..unreadable(reason) });
        }
        let engine = self.engines.for_programs(&options.run).map_err(unreadable)?;
        let deadline = options.run.timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        let cancel = deadline.map_or_else(|| self.cancel.clone(), |deadline| self.cancel.with_deadline(deadline));
        let task = Task {
            program: Arc::new(program),
            semantics,
            bundled,
            question: None,
            queries: Vec::new(),
            bounds: Bounds { given: options.run.bound, ..Bounds::default() },
            limits: Limits { cancel, memory_mb: options.run.memory_mb },
            states: false,
            reductions: options.run.reductions,
        };
        let name = engine.info().name;
        engine.supports(&task).map_err(|why| refusal(name, &why, &sources))?;
        let outcome = engine.run(&task, monitor);
        let (verdict, scope) = judge(&outcome, options);
        let program = Arc::clone(&task.program);
        let checked = ProgramChecked { program, sources: Arc::new(sources), outcome, verdict, scope };
        Ok(Run { model, engine: name, checked })
    }
}

/// What was only looked for up to a bound is unknown, unless the caller accepts that.
fn judge(outcome: &Outcome, options: &Options) -> (Verdict, Scope) {
    let mut scope = Scope { complete: true, relative_to: Vec::new() };
    if outcome.violation.is_some() {
        return (Verdict::No, scope);
    }
    if let Some(why) = &outcome.stopped {
        return (Verdict::Unknown(why.clone()), scope);
    }
    if outcome.cut {
        scope.complete = false;
        scope.relative_to.extend(options.run.bound.map(|bound| format!("loops run at most {bound} times")));
        if !options.run.accept_bounded {
            let why = "no execution fails up to the loop bound (--bound raises it, --accept-bounded accepts it)";
            return (Verdict::Unknown(StopReason::Refused(why.into())), scope);
        }
    }
    (Verdict::Yes, scope)
}
