//! Whole programs: they ask nothing of their own, and the question is whether they can fail.

use crate::engines::{BMC, ENUMERATE, EXPLORE};
use crate::litmus::wants_opinion;
use crate::{Options, RunOptions, Session};
use std::sync::Arc;
use treville_audit::Audited;
use treville_base::Cancel;
use treville_bounded::Bounded;
use treville_ir::Program;
use treville_jobs::{ProgramJob, ProgramUnderModel, finds_nothing};
use treville_strategy::{Check, Prepared, Strategy, Texts};
use treville_task::{Bounds, CheckError, Code, Finding, Limits, Reduction, Silent, Task};

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

/// Larger programs are not prepared for another engine in a moment.
const FEW_INSTRUCTIONS: usize = 2_000;

impl Session<'_> {
    /// A program under a model; if it is not to fail, so many of its complete executions are wanted.
    pub(crate) fn prepare_program<'s>(
        &'s self,
        code: &Code,
        options: &'s Options,
        traces: usize,
        cancel: Cancel,
    ) -> Result<Prepared<ProgramJob<'s>>, CheckError> {
        let run = &options.run;
        let mut program = ProgramUnderModel::new(code, &options.model, &self.library, &cancel)?;
        let task = Task {
            bounds: Bounds { given: run.bound, events: run.max_events, ..Bounds::default() },
            limits: Limits { cancel, memory_mb: run.memory_mb, threads: run.threads, states: None },
            // Engines that check each other count everything.
            reductions: match run.named_check() {
                Some(_) => run.reductions.without(Reduction::Symmetry),
                None => run.reductions,
            },
            properties: run.properties.failures(),
            traces,
            ..program.task
        };
        let kernel = treville_bounded::is_for_kernel(&code.program);
        let strategy = self.engines_for_program(run, kernel, traces)?;
        let audited = audited(run, strategy.first().info().name)?;
        program.task = match &audited {
            Some(audited) => audited.watching(task),
            None => task,
        };
        let check = self.check_of_program(run, &program.in_c, kernel, traces)?;
        let job = ProgramJob {
            program,
            sources: Arc::clone(&code.sources),
            bounded: self.bounded(options),
            explorer: EXPLORE,
            audited,
            accept_bounded: run.accept_bounded,
        };
        Ok(Prepared { job, strategy, check })
    }

    /// How bounded engines run on programs.
    pub(crate) fn bounded<'a>(&'a self, options: &'a Options) -> Bounded<'a> {
        Bounded { library: &self.library, model: &options.model, bound: options.run.bound }
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

/// How the answer of an engine is audited, if the call wants that.
fn audited(run: &RunOptions, engine: &str) -> Result<Option<Audited>, CheckError> {
    match run.audit {
        Some(_) if engine != EXPLORE => {
            Err(CheckError::usage(format!("option `audit` is about the engine {EXPLORE}, not {engine}")))
        }
        samples => Ok(samples.map(Audited::new)),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MemoryFiles;
    use treville_base::FileId;
    use treville_ir::Failure as Failing;
    use treville_model::{KnownModel, ModelFacts};
    use treville_models::ModelOptions;
    use treville_task::{Outcome, Semantics, VerdictKind};

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
        let reference =
            treville_jobs::reference(&session.library, &named, &program).unwrap_or_else(|e| panic!("{}", e.reason));
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
