//! Whole programs: they ask nothing of their own, and the question is whether they can fail.

use crate::auto::{self, Choice};
use crate::executions::unknown;
use crate::{
    Files, ModelOptions, Options, Session, audited, closed, failure, front_ends, library, opinion, refusal, unreadable,
    warnings,
};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;
use treville_base::{Cancel, Diagnostic, FileId, Name, SourceMap};
use treville_ir::{Dialect, Program};
use treville_llvm::{Clang, CompileOptions, LowerOptions};
use treville_passes::target::{self, Exclusives};
use treville_report::{Chosen, Failure, ProgramChecked};
use treville_task::{
    Bounds, Engine, Limits, Monitor, Outcome, Reduction, Reference, Scope, Semantics, Silent, StopReason, Task, Verdict,
};

/// A language of programs.
pub(crate) struct Language {
    endings: &'static [&'static str],
    read: fn(path: &str, text: &str, options: &Options, files: &dyn Files, cancel: &Cancel) -> Read,
}

/// A program with the texts that its spans point into.
pub(crate) type Read = Result<(Program, SourceMap), Failure>;

const LANGUAGES: &[Language] = &[
    Language { endings: &[".c", ".cc", ".cpp", ".cxx"], read: read_c },
    Language { endings: &[".ll"], read: read_llvm },
    Language { endings: &[".ir"], read: read_ir },
];

/// Models that the engine for programs has built in.
const BUILT_IN: &[&str] = &["sc", "tso", "ra", "rc11"];

/// The fence of x86, as its model calls it.
const X86_FENCE: &str = "MFENCE";

/// Bundled models that tell today's C from that of C11.
const TODAYS_C: &[&str] = &["rc11", "ra", "imm"];

/// Bundled models whose axioms allow without some location whatever they allow with it: they forbid cycles and pairs, and the more there is
/// the more is forbidden. Not so c11, where what is read must be visible, which other accesses may be the reason for.
const FORGIVING: &[&str] = &["sc", "tso", "arm", "aarch64", "power", "riscv", "ra", "rc11", "imm"];

/// Where a program begins.
const ENTRY: &str = "main";

/// The model when none is named.
const DEFAULT_MODEL: &str = "rc11";

/// The language of a file, if it is one of programs.
pub(crate) fn language(path: &str) -> Option<&'static Language> {
    LANGUAGES.iter().find(|language| language.endings.iter().any(|ending| path.ends_with(ending)))
}

/// How the names of programs end.
pub(crate) fn endings() -> impl Iterator<Item = &'static &'static str> {
    LANGUAGES.iter().flat_map(|language| language.endings)
}

/// Compiles a file and reads what the compiler wrote.
fn read_c(path: &str, text: &str, options: &Options, files: &dyn Files, cancel: &Cancel) -> Read {
    let mut sources = SourceMap::new();
    sources.add(path, text);
    let compile = CompileOptions { include: &[], flags: &options.run.cflags, cancel: cancel.clone() };
    let find = |name: &str| files.read(name).ok();
    let compiled = Clang::find()
        .map_err(|missing| vec![missing])
        .and_then(|clang| clang.compile(Path::new(path), &compile, &mut sources, &find));
    match compiled {
        Ok(compiled) => from_llvm(path, &compiled.ir, options, sources, files, cancel),
        Err(diagnostics) => Err(match StopReason::of(cancel) {
            Some(limit) => unknown(format!("{limit} while {path} was compiled")),
            None => failure(diagnostics, Arc::new(sources)),
        }),
    }
}

fn read_llvm(path: &str, text: &str, options: &Options, files: &dyn Files, cancel: &Cancel) -> Read {
    from_llvm(path, text, options, SourceMap::new(), files, cancel)
}

fn from_llvm(
    path: &str,
    ir: &str,
    options: &Options,
    mut sources: SourceMap,
    files: &dyn Files,
    cancel: &Cancel,
) -> Read {
    let options = LowerOptions { name: path, entry: ENTRY, weak_cas: options.run.weak_cas, cancel };
    let file = sources.add(if path.ends_with(".ll") { path.to_owned() } else { format!("{path}.ll") }, ir);
    let lowered = treville_llvm::parse_unless(cancel, file, ir)
        .and_then(|module| treville_llvm::lower(&module, &options, &mut sources, &mut |name| files.read(name).ok()));
    match lowered {
        Ok(program) => Ok((program, sources)),
        Err(diagnostics) => Err(match StopReason::of(cancel) {
            Some(limit) => unknown(format!("{limit} while {path} was read")),
            None => failure(diagnostics, Arc::new(sources)),
        }),
    }
}

fn read_ir(path: &str, text: &str, _: &Options, _: &dyn Files, _: &Cancel) -> Read {
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
    pub(crate) choice: Choice,
    pub(crate) checked: ProgramChecked,
    /// The program before it was compiled for a machine.
    in_c: Program,
}

impl Run {
    /// The program without what it never looks at, if it is open whether it can fail, and a loop that writes such things may be why.
    fn without_unread(&self, options: &Options) -> Option<Program> {
        let Verdict::Unknown(StopReason::Refused(_) | StopReason::RefusedAt(..)) = self.checked.verdict else {
            return None;
        };
        let forgiving = options.model.is_bundled(&self.model) && FORGIVING.contains(&self.model.as_str());
        let may_forget = forgiving && options.run.reductions.has(Reduction::UnreadObjects);
        treville_passes::forget(&self.in_c).filter(|_| may_forget)
    }
}

/// How a program is checked.
struct Call<'a> {
    sources: Arc<SourceMap>,
    options: &'a Options,
    /// Complete executions that are wanted.
    stories: usize,
    cancel: Cancel,
}

impl Session<'_> {
    pub(crate) fn read_program(&self, path: &str, language: &Language, options: &Options) -> Read {
        let text = self.files.read(path).map_err(|why| unreadable(format!("{path}: {why}")))?;
        (language.read)(path, &text, options, self.files, &self.cancel_for(&options.run))
    }

    pub(crate) fn check_program(
        &self,
        path: &str,
        language: &Language,
        options: &Options,
        stories: usize,
        monitor: &dyn Monitor,
    ) -> Result<Run, Failure> {
        // The time of the compiler counts.
        let cancel = self.cancel_for(&options.run);
        let (program, sources) = self.read_program(path, language, options)?;
        self.check_read(&program, sources, options, stories, cancel, monitor)
    }

    /// Checks a program that its front end has read already.
    ///
    /// # Errors
    /// As for a file: what the model or the engine refuses.
    pub fn check_lowered(
        &self,
        program: &Program,
        sources: SourceMap,
        options: &Options,
    ) -> Result<ProgramChecked, Failure> {
        let cancel = self.cancel_for(&options.run);
        self.check_read(program, sources, options, 0, cancel, &Silent).map(|run| run.checked)
    }

    fn check_read(
        &self,
        program: &Program,
        sources: SourceMap,
        options: &Options,
        stories: usize,
        cancel: Cancel,
        monitor: &dyn Monitor,
    ) -> Result<Run, Failure> {
        let call = Call { sources: Arc::new(sources), options, stories, cancel };
        let run = self.run_program(program, &call, monitor)?;
        match run.without_unread(options) {
            Some(smaller) if stories == 0 => Ok(self.proved(&smaller, &call, run)),
            _ => Ok(run),
        }
    }

    /// The answer for a program without what it never looks at, if it is that nothing can fail; otherwise the one there was,
    /// which time that is over may have kept open.
    fn proved(&self, program: &Program, call: &Call<'_>, mut open: Run) -> Run {
        let Ok(mut run) = self.run_program(program, call, &Silent) else { return open };
        match run.checked.verdict {
            Verdict::Yes if run.checked.scope.complete => {
                let why = "what no thread looks at was left out, so that loops which write it only wait".to_owned();
                run.choice.chosen = Some(Chosen { why, first: false });
                return run;
            }
            Verdict::Unknown(StopReason::Timeout) => open.checked.verdict = run.checked.verdict,
            _ => {}
        }
        open
    }

    fn run_program(&self, program: &Program, call: &Call<'_>, monitor: &dyn Monitor) -> Result<Run, Failure> {
        let Call { sources, options, stories, cancel } = call;
        let kernel = closed::is_for_kernel(program);
        let usual = if kernel { program.dialect.default_model.to_string() } else { DEFAULT_MODEL.to_owned() };
        let model = options.model.name.clone().unwrap_or(usual);
        if kernel && options.model.is_bundled(&model) {
            library::fits(&model, &program.dialect)?;
        }
        let built_in = options.model.is_bundled(&model) && BUILT_IN.contains(&model.as_str());
        // Models that are not built in may look at dependencies.
        let simpler = treville_passes::Options {
            algebraic: built_in,
            renumber: true,
            cancel: cancel.clone(),
            ..Default::default()
        };
        let mut program = treville_passes::run(program, &simpler);
        let in_c = program.clone();
        let named = model_for_programs(&options.model, &model);
        let (reference, bundled) = if built_in {
            (self.reference(named, &program)?, None)
        } else {
            let bundled = options.model.is_bundled(&model).then(|| Name::new(&model));
            if model == "sc" {
                let reason = "programs are checked under sc as it is only, without variants or checks left out";
                return Err(unknown(reason.to_owned()));
            }
            if let Some(machine) = target::dialect_for(&model) {
                program = compiled(&program, &model, machine).map_err(|why| failure(vec![why], Arc::clone(sources)))?;
            } else if !kernel {
                // All that a model of C may name, whatever the program's text says of its dialect.
                program.dialect = Arc::new(Dialect::c11(DEFAULT_MODEL));
            }
            let linked = self.library.linked(&named, &program)?;
            let fence = target::full_fence(&model).map(Name::new);
            let (model, vocabulary) = (Arc::clone(&linked.model), Arc::clone(&linked.vocabulary));
            (Reference { model, vocabulary, fence }, bundled)
        };
        let semantics = if built_in {
            Semantics::Bundled(Name::new(&model))
        } else {
            Semantics::Axioms(Arc::clone(&reference.model), Arc::clone(&reference.vocabulary))
        };
        let engine = self.engines.for_programs(&options.run, kernel).map_err(unreadable)?;
        let limits = Limits {
            cancel: cancel.clone(),
            memory_mb: options.run.memory_mb,
            threads: options.run.threads,
            states: None,
        };
        let task = Task {
            program: Arc::new(program),
            semantics,
            bundled,
            question: None,
            queries: Vec::new(),
            bounds: Bounds { given: options.run.bound, events: options.run.max_events, ..Bounds::default() },
            limits,
            states: false,
            // Engines that check each other count everything.
            reductions: match options.run.named_check() {
                Some(_) => options.run.reductions.without(Reduction::Symmetry),
                None => options.run.reductions,
            },
            properties: options.run.properties.failures(),
            reference: Some(reference),
            symmetries: Vec::new(),
            stories: *stories,
            retry: None,
            observer: None,
        };
        let audited =
            options.run.audit.map(|samples| audited::Audited::new(samples, engine.info().name)).transpose()?;
        let task = match &audited {
            Some(audited) => audited.watching(task),
            None => task,
        };
        let run = |engine: &dyn Engine, task: &Task, monitor: &dyn Monitor| {
            if closed::is_for_tests(engine) {
                let source = closed::Source { program: &in_c, sources, model: &model, algebraic: built_in };
                return self.run_closed(engine, task, &source, options, monitor);
            }
            engine.supports(task).map_err(|why| refusal(engine.info().name, &why, sources))?;
            Ok(engine.run(task, monitor))
        };
        // Complete executions are shown by the one that lists them.
        let begun = Instant::now();
        let beside = self.engines.beside(&options.run, kernel).filter(|_| *stories == 0 && audited.is_none());
        let (outcome, choice) = match &beside {
            Some(beside) => auto::race([&*engine, &**beside], &task, &run, monitor)?,
            None => (run(&*engine, &task, monitor)?, Choice::named(&*engine)),
        };
        if let Some(second) = options.run.named_check() {
            let second_engine = self.engines.named(second).map_err(unreadable)?;
            let other = run(&*second_engine, &task, monitor)?;
            if let Some(why) = &other.stopped {
                let reason = format!("the answer could not be checked by {second}: {why}");
                return Err(unknown(reason));
            }
            if let Some(what) = closed::disagreement(&outcome, &other) {
                return Err(opinion::disagree(choice.engine, second, &what, [&outcome, &other]));
            }
        } else if *stories == 0
            && audited.is_none()
            && opinion::finds_nothing(&outcome)
            && opinion::is_wanted(&options.run, begun)
        {
            let second = opinion::engine_beside(&choice, &in_c, kernel);
            let engine = second.and_then(|name| self.engines.named(name).ok());
            // Who has no complete answer in a moment has none.
            let other = engine.and_then(|engine| run(&*engine, &opinion::in_a_moment(&task), &Silent).ok());
            if let (Some(second), Some(other)) = (second, other.filter(opinion::is_answer))
                && let Some(what) = opinion::disagreement(&outcome, &other)
            {
                return Err(opinion::disagree(choice.engine, second, &what, [&outcome, &other]));
            }
        }
        let audit = audited.map(|audited| audited.check(&*engine, &task, &outcome, sources)).transpose()?;
        let (verdict, scope) = judge(&outcome, options);
        let program = Arc::clone(&task.program);
        let warnings = warnings::of_program(&in_c, &outcome, sources);
        let sources = Arc::clone(sources);
        let checked = ProgramChecked { program, sources, outcome, verdict, scope, warnings, audit };
        Ok(Run { model, choice, in_c, checked })
    }
}

impl Session<'_> {
    /// A model that the engine has built in, as axioms for this program, with which the evaluator judges what is found.
    pub(crate) fn reference(&self, named: ModelOptions, program: &Program) -> Result<Reference, Failure> {
        let on_x86 = named.name.as_deref() == Some("tso");
        // On x86 an update is one event, and locked; stores and fences that are seq_cst bring a fence.
        let more: Vec<Name> = program.dialect.sets.iter().cloned().chain([Name::new(X86_FENCE)]).collect();
        let linked = self.library.linked_for(&named, &Dialect::c("C", DEFAULT_MODEL, true, &more))?;
        let (model, vocabulary) = (Arc::clone(&linked.model), Arc::clone(&linked.vocabulary));
        Ok(Reference { model, vocabulary, fence: on_x86.then(|| Name::new(X86_FENCE)) })
    }
}

/// The model as programs have it: they are in today's C, tests in that of their time.
pub(crate) fn model_for_programs(options: &ModelOptions, model: &str) -> ModelOptions {
    let mut named = ModelOptions { name: Some(model.to_owned()), ..options.clone() };
    if options.is_bundled(model) && TODAYS_C.contains(&model) {
        named.variants.push("cxx20".to_owned());
    }
    named
}

/// The program after the compilation of its atomics to the machine with this dialect.
pub(crate) fn compiled(program: &Program, model: &str, machine: &str) -> Result<Program, Diagnostic> {
    target::compile_with(program, model, &*front_ends::dialect(machine)?, Exclusives::Together)
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
            let why = why.to_owned();
            let reason = match outcome.cut_at {
                Some(place) => StopReason::RefusedAt(why, place),
                None => StopReason::Refused(why),
            };
            return (Verdict::Unknown(reason), scope);
        }
    }
    let why = "every execution blocks (--property liveness looks for loops that wait for what no thread will do)";
    // Who accepts a bound accepts executions that go up to it.
    let completes = if outcome.cut { Some(true) } else { outcome.completes };
    (Verdict::Yes.resting_on(completes, why), scope)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MemoryFiles;
    use crate::engines::Engines;
    use treville_ir::Failure as Failing;

    const STORE_BUFFERING: &str = r#"
program "sb"
dialect C rc11
tags [A RLX]
object x size 4 type i32
object y size 4 type i32
func other (u) regs [u:64 r:32] {
b0:
  store &y 1:32 4 [A RLX]
  r = load &x 4 [A RLX]
  return (zext 64 r)
}
func main () regs [h:64 r:32 s:64] {
b0:
  h = spawn other (0:64)
  store &x 1:32 4 [A RLX]
  r = load &y 4 [A RLX]
  s = join h
  branch (and (eq r 0:32) (eq s 0:64)) b1 b2
b1:
  fail assertion "both are 0"
  end
b2:
  return _
}
thread main main []
"#;

    /// What the engine answers for the built-in model `explored` if the evaluator judges by `judged`.
    fn answer(explored: &str, judged: &str) -> Outcome {
        let files = MemoryFiles::default();
        let session = Session::new(&files, Cancel::new());
        let program = treville_ir::text::parse(FileId(0), STORE_BUFFERING).unwrap_or_else(|e| panic!("{e:?}"));
        let named = model_for_programs(&ModelOptions::default(), judged);
        let reference = session.reference(named, &program).unwrap_or_else(|e| panic!("{}", e.reason));
        let task = Task {
            properties: Failing::USUAL.iter().copied().collect(),
            reference: Some(reference),
            ..Task::new(Arc::new(program), Semantics::Bundled(Name::new(explored)))
        };
        let engine = session.engines.named("explore").unwrap_or_else(|e| panic!("{e}"));
        engine.run(&task, &Silent)
    }

    #[test]
    fn a_violation_is_judged_again_before_it_is_told() {
        for model in ["tso", "ra", "rc11"] {
            let outcome = answer(model, model);
            assert_eq!(outcome.violation.map(|v| v.failure), Some(Failing::Assertion), "{model}");
            assert_eq!(outcome.stats.get("replayed"), Some(&1), "{model}");
        }
        assert_eq!(answer("sc", "sc").violation, None);
        // As if the engine took weak executions for those of sc.
        let wrong = answer("rc11", "sc");
        assert_eq!(wrong.violation, None);
        let reason = wrong.stopped.map(|s| s.to_string()).unwrap_or_default();
        assert!(reason.contains("internal disagreement") && reason.contains("by sc"), "{reason}");
    }

    /// A thread that counts how often it waits, for nobody.
    const COUNTED_WAIT: &str = r#"
program "wait"
dialect C rc11
tags [A RLX]
object go size 4 type i32
object count size 4 type i32
func other (u) regs [u:64] {
b0:
  store &go 1:32 4 [A RLX]
  return _
}
func main () regs [h:64 r:32] {
b0:
  h = spawn other (0:64)
  goto b1
b1:
  r = load &go 4 [A RLX]
  branch (eq r 0:32) b2 b3
b2:
  store &count 1:32 4 [A RLX]
  goto b1
b3:
  return _
}
thread main main []
"#;

    #[test]
    fn what_nobody_looks_at_is_left_out_where_models_only_forbid() {
        let mut files = MemoryFiles::default();
        files.0.insert("wait.ir".to_owned(), COUNTED_WAIT.to_owned());
        let session = Session::new(&files, Cancel::new());
        for (model, proved) in [("rc11", true), ("power", true), ("c11", false)] {
            let mut options = Options::default();
            options.model.name = Some(model.to_owned());
            options.run.engine = Some("bmc".to_owned());
            options.run.bound = Some(2);
            let language = language("wait.ir").unwrap_or_else(|| panic!("no language"));
            let run = session.check_program("wait.ir", language, &options, 0, &Silent);
            let run = run.unwrap_or_else(|e| panic!("{}", e.reason));
            assert_eq!(run.checked.verdict == Verdict::Yes, proved, "{model}");
            assert_eq!(run.choice.chosen.is_some(), proved, "{model}");
        }
    }

    /// Each thread reads what the other writes afterwards; with a dependency in one of them, or in both.
    fn load_buffering(first: &str, second: &str) -> String {
        format!(
            r#"
program "lb"
dialect C rc11
tags [A RLX]
object x size 4 type i32
object y size 4 type i32
func other (u) regs [u:64 r:32] {{
b0:
  r = load &y 4 [A RLX]
  store &x {second} 4 [A RLX]
  return (zext 64 r)
}}
func main () regs [h:64 r:32 s:64] {{
b0:
  h = spawn other (0:64)
  r = load &x 4 [A RLX]
  store &y {first} 4 [A RLX]
  s = join h
  return _
}}
thread main main []
"#
        )
    }

    /// How many executions a program has under a model.
    fn executions(text: &str, model: &str, more: &[(&str, &str)]) -> Result<u64, String> {
        let all = std::iter::once(("lb.ir", text)).chain(more.iter().copied());
        let files = MemoryFiles(all.map(|(name, text)| (name.to_owned(), text.to_owned())).collect());
        let session = Session::new(&files, Cancel::new());
        let mut options = Options::default();
        options.model.name = Some(model.to_owned());
        options.run.engine = Some(Engines::FOR_PROGRAMS.to_owned());
        let Some(language) = language("lb.ir") else { return Err("no language".into()) };
        match session.check_program("lb.ir", language, &options, 0, &Silent) {
            Ok(run) => match run.checked.outcome.stopped {
                None => Ok(run.checked.outcome.counts.map_or(0, |counts| counts.executions)),
                Some(why) => Err(why.to_string()),
            },
            Err(failure) => Err(failure.reason),
        }
    }

    #[test]
    fn loads_are_buffered_where_the_model_lets_them() {
        let (free, one, both) = (
            load_buffering("1:32", "1:32"),
            load_buffering("(add r 1:32)", "1:32"),
            load_buffering("(add r 1:32)", "(add r 1:32)"),
        );
        for model in ["sc", "tso", "pso", "ra", "rc11"] {
            assert_eq!(executions(&free, model, &[]), Ok(3), "{model}");
        }
        for model in ["imm", "arm", "aarch64", "power", "riscv"] {
            assert_eq!(executions(&free, model, &[]), Ok(4), "{model}");
            assert_eq!(executions(&one, model, &[]), Ok(4), "{model}");
            assert_eq!(executions(&both, model, &[]), Ok(3), "{model}");
        }
    }

    /// Two equal threads read what another one writes afterwards, and that one reads what they write, in whichever order.
    const EQUAL_BUFFERING: &str = r#"
program "lb"
dialect C rc11
tags [A RLX ACQ REL]
object x size 4 type i32
object y size 4 type i32
func equal (u) regs [u:64 r:32] {
b0:
  r = load &x 4 [A RLX]
  store &y 1:32 4 [A RLX]
  return 0:64
}
func main () regs [h:64 i:64 r:32 s:64] {
b0:
  h = spawn equal (0:64)
  i = spawn equal (0:64)
  r = load &y 4 [A RLX]
  store &x 1:32 4 [A RLX]
  s = join h
  s = join i
  return _
}
thread main main []
"#;

    #[test]
    fn equal_threads_are_one_unless_promises_tell_them_apart() {
        // Two orders of the writes of y, two values for each equal thread, three sources for the last; without cycles 16, and 8
        // up to names.
        assert_eq!(executions(EQUAL_BUFFERING, "rc11", &[]), Ok(8));
        for model in ["imm", "aarch64", "power"] {
            assert_eq!(executions(EQUAL_BUFFERING, model, &[]), Ok(24), "{model}");
        }
        let ordered = EQUAL_BUFFERING.replace("4 [A RLX]\n  store", "4 [A ACQ]\n  store");
        assert_eq!(executions(&ordered, "imm", &[]), Ok(8));
        // Nor does the last read one write of y if the other, which comes before it, is by a thread that has read x from the last.
        assert_eq!(executions(&ordered, "aarch64", &[]), Ok(7));
    }

    #[test]
    fn programs_are_checked_under_models_of_the_user() {
        let free = load_buffering("1:32", "1:32");
        let coherent = "acyclic po-loc | rf | co | fr\n";
        let buffers = format!("{coherent}acyclic addr | data | ctrl | rfe\nacyclic [ACQ]; po | po; [REL] | rfe\n");
        assert_eq!(executions(&free, "my.cat", &[("my.cat", &buffers)]), Ok(4));
        let ordered = format!("{coherent}acyclic po | rf\n");
        assert_eq!(executions(&free, "my.cat", &[("my.cat", &ordered)]), Ok(3));
        let out_of_nowhere = executions(&free, "my.cat", &[("my.cat", coherent)]);
        assert!(out_of_nowhere.is_err_and(|why| why.contains("out of nowhere")));
        // Another engine takes it.
        let files = [("lb.ir", free.as_str()), ("my.cat", coherent)];
        let files = MemoryFiles(files.map(|(name, text)| (name.to_owned(), text.to_owned())).into());
        let mut options = Options::default();
        options.model.name = Some("my.cat".to_owned());
        let report = Session::new(&files, Cancel::new()).verify("lb.ir", &options, &Silent);
        assert_eq!(report.engine, "bmc");
        assert!(report.chosen.is_some_and(|chosen| chosen.why.contains("out of nowhere")));
        // Nobody may see what another thread has written, even if it is the latest.
        let stale = format!("{ordered}empty [RLX]; (rf & ext)\n");
        let stale = executions(&free, "my.cat", &[("my.cat", &stale)]);
        assert!(stale.as_ref().is_err_and(|why| why.contains("latest writes")), "{stale:?}");
    }
}
