//! Whole programs: they ask nothing of their own, and the question is whether they can fail.

use crate::engines::{BMC, ENUMERATE, EXPLORE};
use crate::litmus::{wants_opinion, with_cancel};
use crate::{Options, RunOptions, Session, audited, warnings};
use std::sync::Arc;
use treville_base::{Cancel, Diagnostic, Name};
use treville_bounded::{Bounded, compiled};
use treville_ir::{Dialect, Program};
use treville_model::{Family, ModelFacts};
use treville_models::ModelOptions;
use treville_passes::target;
use treville_strategy::{Agreement, Attempt, Check, EFFORT, Job, State, Strategy, Texts, state_of_stop};
use treville_task::{
    About, Bounds, CheckError, Code, Engine, Finding, Limits, Monitor, Needs, Outcome, Reduction, Reference, Semantics,
    Silent, StopReason, Task, Verdict,
};

/// The engine where the call names none, the one beside it, and both for programs of the Linux kernel.
const FIRST: &str = EXPLORE;
const OTHER: &str = BMC;
const FIRST_FOR_KERNEL: &str = BMC;
const OTHER_FOR_KERNEL: &str = ENUMERATE;

const TEXTS: Texts = Texts {
    first: "a program is explored",
    no_other: "a program is explored",
    beyond_bound: None,
    parallel: Ok("the first engine has not ended soon, and this one was first"),
};

/// The fence of x86, as its model calls it.
const X86_FENCE: &str = "MFENCE";

/// Larger programs are not prepared for another engine in a moment.
const FEW_INSTRUCTIONS: usize = 2_000;

/// A program under a model, with the engines that run on it.
pub(crate) struct PreparedProgram<'s> {
    pub(crate) job: ProgramJob<'s>,
    pub(crate) strategy: Strategy,
    pub(crate) check: Check,
}

pub(crate) struct ProgramJob<'s> {
    session: &'s Session<'s>,
    options: &'s Options,
    pub(crate) code: Code,
    pub(crate) model: String,
    pub(crate) task: Task,
    /// The program before it was compiled for an architecture.
    in_c: Arc<Program>,
    /// No model that is used looks at dependencies.
    algebraic: bool,
    audited: Option<audited::Audited>,
}

impl<'s> Session<'s> {
    /// A program under a model; if it is not to fail, so many of its complete executions are wanted.
    pub(crate) fn prepare_program(
        &'s self,
        code: &Code,
        options: &'s Options,
        traces: usize,
        cancel: Cancel,
    ) -> Result<PreparedProgram<'s>, CheckError> {
        let sources = &code.sources;
        let wrong = |why: Diagnostic| CheckError::input(vec![why], Arc::clone(sources));
        let run = &options.run;
        let kernel = treville_bounded::is_for_kernel(&code.program);
        let usual =
            if kernel { code.program.dialect.default_model.to_string() } else { Dialect::MODEL_OF_PROGRAMS.to_owned() };
        let model = options.model.name.clone().unwrap_or(usual);
        if kernel && self.library.catalogue.is_bundled(&options.model, &model) {
            self.library.catalogue.check_fits(&model, &code.program.dialect)?;
        }
        let facts = self.library.catalogue.facts(&options.model, &model);
        let built_in = facts.and_then(ModelFacts::built_in);
        // Models that are not built in may look at dependencies.
        let passes = treville_passes::Options {
            algebraic: built_in.is_some(),
            renumber: true,
            cancel: cancel.clone(),
            ..Default::default()
        };
        let in_c = Arc::new(treville_passes::run(&code.program, &passes));
        if let Some(limit) = StopReason::of(&cancel) {
            return Err(CheckError::unknown(format!("{limit} while the program was simplified")));
        }
        target::check_assembly(&in_c, &model).map_err(wrong)?;
        let mut program = Arc::clone(&in_c);
        let named = self.library.catalogue.for_programs(&options.model, &model);
        let (semantics, reference) = match built_in {
            Some(known) => (Semantics::BuiltIn(known), self.reference(named, &program)?),
            None => {
                program = Arc::new(self.as_model_sees_it(&in_c, &model, kernel).map_err(|why| why.located(sources))?);
                let linked = self.library.linked(&named, &program)?;
                let fence = target::full_fence(&model).map(Name::new);
                let (model, vocabulary) = (Arc::clone(&linked.model), Arc::clone(&linked.vocabulary));
                let semantics = Semantics::Axioms(Arc::clone(&model), Arc::clone(&vocabulary));
                (semantics, Reference { model, vocabulary, fence })
            }
        };
        let task = Task {
            bundled: facts.filter(|_| built_in.is_none()),
            bounds: Bounds { given: run.bound, events: run.max_events, ..Bounds::default() },
            limits: Limits { cancel, memory_mb: run.memory_mb, threads: run.threads, states: None },
            // Engines that check each other count everything.
            reductions: match run.named_check() {
                Some(_) => run.reductions.without(Reduction::Symmetry),
                None => run.reductions,
            },
            properties: run.properties.failures(),
            reference: Some(reference),
            traces,
            ..Task::new(Arc::clone(&program), semantics)
        };
        let strategy = self.engines_for_program(run, kernel, traces)?;
        let named = strategy.first().info().name;
        let audited = run.audit.map(|samples| audited::Audited::new(samples, named)).transpose()?;
        let task = match &audited {
            Some(audited) => audited.watching(task),
            None => task,
        };
        let check = self.check_of_program(run, &in_c, kernel, traces)?;
        let code = Code { program, sources: Arc::clone(sources) };
        let algebraic = built_in.is_some();
        let job = ProgramJob { session: self, options, code, model, task, in_c, algebraic, audited };
        Ok(PreparedProgram { job, strategy, check })
    }

    /// A program under a model that is not built in: compiled for its architecture, or in all the words that a model of C may know.
    fn as_model_sees_it(&self, in_c: &Program, model: &str, kernel: bool) -> Result<Program, Refusal> {
        if self.library.catalogue.family(model) == Some(Family::SequentialConsistency) {
            let reason = "programs are checked under sc as it is only, without variants or checks left out";
            return Err(Refusal::Unknown(reason));
        }
        if let Some(architecture) = target::dialect_for(model) {
            return compiled(in_c, model, architecture).map_err(Refusal::At);
        }
        let mut program = in_c.clone();
        if !kernel {
            // All that a model of C may name, whatever the program's text says of its dialect.
            program.dialect = Arc::new(Dialect::c11(Dialect::MODEL_OF_PROGRAMS));
        }
        Ok(program)
    }

    fn engines_for_program(&self, run: &RunOptions, kernel: bool, traces: usize) -> Result<Strategy, CheckError> {
        let (first, other) = if kernel { (FIRST_FOR_KERNEL, OTHER_FOR_KERNEL) } else { (FIRST, OTHER) };
        if kernel && run.engine.as_deref() == Some(FIRST) {
            return Err(CheckError::usage(format!("programs for the Linux kernel are for {first} and {other}")));
        }
        Ok(match self.engines.named(run)? {
            Some(engine) => Strategy::Single(engine),
            // Complete executions are shown, and audited, by the one that lists them.
            None if traces > 0 || run.audit.is_some() => Strategy::Single(self.engines.get(first, run)?),
            None => Strategy::Fallback {
                first: self.engines.get(first, run)?,
                others: self.engines.all(&[other], run)?,
                texts: &TEXTS,
            },
        })
    }

    fn check_of_program(
        &self,
        run: &RunOptions,
        in_c: &Program,
        kernel: bool,
        traces: usize,
    ) -> Result<Check, CheckError> {
        if let Some(name) = run.named_check() {
            return Ok(Check::Named(name.clone(), self.engines.get(name, run)?));
        }
        let blocks = in_c.funcs.iter().flat_map(|func| func.blocks.iter());
        let few = blocks.map(|block| block.insts.len()).sum::<usize>() <= FEW_INSTRUCTIONS;
        if traces > 0 || run.audit.is_some() || !few || !wants_opinion(run) {
            return Ok(Check::Nobody);
        }
        let partners = [FIRST, BMC, ENUMERATE].map(|name| self.engines.get(name, run));
        let [Ok(explore), Ok(bmc), Ok(enumerate)] = partners else { return Ok(Check::Nobody) };
        Ok(Check::Opinion(Box::new(move |engine, outcome| {
            let second = match (engine, kernel) {
                (BMC, true) => &enumerate,
                (BMC, false) => &explore,
                _ => &bmc,
            };
            finds_nothing(outcome).then(|| Arc::clone(second))
        })))
    }
}

/// Why a model does not see a program.
enum Refusal {
    Unknown(&'static str),
    At(Diagnostic),
}

impl Refusal {
    fn located(self, sources: &Arc<treville_base::SourceMap>) -> CheckError {
        match self {
            Refusal::Unknown(why) => CheckError::unknown(why),
            Refusal::At(why) => CheckError::input(vec![why], Arc::clone(sources)),
        }
    }
}

impl ProgramJob<'_> {
    /// The finding about an outcome that this engine has found first.
    pub(crate) fn finding(self, engine: &dyn Engine, mut outcome: Outcome) -> Result<Finding, CheckError> {
        let ProgramJob { code, task, in_c, audited, options, .. } = self;
        let audit = audited.map(|audited| audited.check(engine, &task, &outcome, &code.sources)).transpose()?;
        let warnings = warnings::of_program(&in_c, &outcome, &code.sources);
        outcome.bound = options.run.bound;
        let finding = Finding::new(About::Program(code), outcome, options.run.accept_bounded, Needs::Answer);
        Ok(Finding { warnings, audit, ..finding })
    }

    /// The program without what it never looks at, if it is open whether it can fail, and a loop that writes such things may be why.
    pub(crate) fn without_unread(&self, verdict: &Verdict) -> Option<Code> {
        let Verdict::Unknown(StopReason::Refused(_) | StopReason::RefusedAt(..)) = verdict else { return None };
        let monotone =
            self.session.library.catalogue.facts(&self.options.model, &self.model).is_some_and(|facts| facts.monotone);
        let may_drop = monotone && self.options.run.reductions.has(Reduction::UnreadObjects);
        let program = treville_passes::drop_write_only(&self.in_c).filter(|_| may_drop)?;
        Some(Code { program: Arc::new(program), sources: Arc::clone(&self.code.sources) })
    }
}

impl Job for ProgramJob<'_> {
    fn run(&self, engine: &dyn Engine, attempt: &Attempt, monitor: &dyn Monitor) -> Result<Outcome, CheckError> {
        let cancel = &self.task.limits.cancel;
        let task = match attempt {
            Attempt::Brief => with_cancel(&self.task, cancel.with_effort(EFFORT)),
            Attempt::Parallel(cancel) => with_cancel(&self.task, cancel.clone()),
            Attempt::Moment(end) => with_cancel(&self.task, cancel.with_deadline(*end)),
            Attempt::Full | Attempt::AfterRefusal | Attempt::BeyondBound | Attempt::Check => self.task.clone(),
        };
        if engine.info().name != FIRST {
            let source = treville_bounded::Source {
                program: &self.in_c,
                sources: &self.code.sources,
                model: &self.model,
                algebraic: self.algebraic,
            };
            return self.session.bounded(self.options).run(engine, &task, &source, monitor);
        }
        let ready = engine.prepare(&task);
        let ready = ready.map_err(|why| CheckError::unsupported(engine.info().name, &why, &self.code.sources))?;
        Ok(ready(monitor))
    }

    fn cancel(&self) -> &Cancel {
        &self.task.limits.cancel
    }

    fn state(&self, outcome: &Outcome) -> State {
        match &outcome.stopped {
            _ if outcome.violation.is_some() => State::Decided,
            Some(why) => state_of_stop(why),
            None if outcome.cut => State::Bounded,
            None => State::Decided,
        }
    }

    fn disagreement(&self, first: &Outcome, second: &Outcome, how: Agreement) -> Option<String> {
        match how {
            Agreement::Required => treville_bounded::disagreement(first, second),
            Agreement::Opinion if is_answer(second) => whether_it_fails(first, second),
            Agreement::Opinion => None,
        }
    }
}

/// Whether an outcome is a complete answer: a violation, or that nothing fails in some execution that completes.
fn is_answer(outcome: &Outcome) -> bool {
    let ended = outcome.stopped.is_none() && !outcome.cut;
    outcome.violation.is_some() || ended && outcome.completes == Some(true)
}

/// Whether an outcome says, completely, that nothing fails. A failure needs no second opinion: the reference evaluator has judged its
/// execution, and it may be one that only the addresses make that one engine has chosen.
fn finds_nothing(outcome: &Outcome) -> bool {
    is_answer(outcome) && outcome.violation.is_none()
}

/// What two complete answers about a program differ in: whether it fails. How it does may differ.
fn whether_it_fails(first: &Outcome, second: &Outcome) -> Option<String> {
    match (&first.violation, &second.violation) {
        (Some(violation), None) => Some(format!("only the first finds: {}", violation.message)),
        (None, Some(violation)) => Some(format!("only the second finds: {}", violation.message)),
        _ => None,
    }
}

impl Session<'_> {
    /// Checks a program that its front end has read already.
    ///
    /// # Errors
    /// As for a file: what the model or the engine refuses.
    pub fn check_lowered(&self, code: &Code, options: &Options) -> Result<Finding, CheckError> {
        let cancel = self.cancel_for(&options.run);
        let mut head = crate::verify::Head::default();
        self.check_program(code, options, 0, cancel, &Silent, &mut head)
    }
}

impl Session<'_> {
    /// How bounded engines run on programs.
    pub(crate) fn bounded<'a>(&'a self, options: &'a Options) -> Bounded<'a> {
        Bounded { library: &self.library, model: &options.model, bound: options.run.bound }
    }

    /// A model that the engine has built in, as axioms for this program, with which the evaluator judges what is found.
    pub(crate) fn reference(&self, named: ModelOptions, program: &Program) -> Result<Reference, CheckError> {
        let on_x86 =
            named.name.as_deref().and_then(|name| self.library.catalogue.family(name)) == Some(Family::Hardware);
        // On x86 an update is one event, and locked; stores and fences that are seq_cst bring a fence.
        let more: Vec<Name> = program.dialect.sets.iter().cloned().chain([Name::new(X86_FENCE)]).collect();
        let linked =
            self.library.linked_for(&named, &Dialect::c(Dialect::C, Dialect::MODEL_OF_PROGRAMS, true, &more))?;
        let (model, vocabulary) = (Arc::clone(&linked.model), Arc::clone(&linked.vocabulary));
        Ok(Reference { model, vocabulary, fence: on_x86.then(|| Name::new(X86_FENCE)) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MemoryFiles;
    use treville_base::FileId;
    use treville_ir::Failure as Failing;
    use treville_model::KnownModel;
    use treville_task::VerdictKind;

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

    fn known(model: &str) -> KnownModel {
        treville_cat::model_facts(model).and_then(ModelFacts::built_in).unwrap_or_else(|| panic!("{model}"))
    }

    /// What the engine answers for the built-in model `explored` if the evaluator judges by `judged`.
    fn answer(explored: &str, judged: &str) -> Outcome {
        let files = MemoryFiles::default();
        let session = Session::new(&files, Cancel::new());
        let program = treville_ir::text::parse(FileId(0), STORE_BUFFERING).unwrap_or_else(|e| panic!("{e:?}"));
        let named = session.library.catalogue.for_programs(&ModelOptions::default(), judged);
        let reference = session.reference(named, &program).unwrap_or_else(|e| panic!("{}", e.reason));
        let task = Task {
            properties: Failing::USUAL.iter().copied().collect(),
            reference: Some(reference),
            ..Task::new(Arc::new(program), Semantics::BuiltIn(known(explored)))
        };
        let engine = session.engines.get(EXPLORE, &RunOptions::default()).unwrap_or_else(|e| panic!("{e}"));
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
            let report = session.verify("wait.ir", &options, &Silent);
            assert_eq!(report.verdict() == VerdictKind::Yes, proved, "{model}");
            assert_eq!(report.chosen.is_some(), proved, "{model}");
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
        options.run.engine = Some(EXPLORE.to_owned());
        let found = session.verify("lb.ir", &options, &Silent).result.map_err(|failure| failure.reason)?;
        match &found.outcome.stopped {
            None => Ok(found.outcome.counts.map_or(0, |counts| counts.executions)),
            Some(why) => Err(why.to_string()),
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
