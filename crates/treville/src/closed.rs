//! Programs for engines that take tests: what threads start and how they fail becomes a question about final states.

use crate::engines::Engines;
use crate::executions::unknown;
use crate::programs::model_for_programs;
use crate::{Options, Session};
use std::collections::BTreeSet;
use std::sync::Arc;
use treville_base::Name;
use treville_ir::{Dialect, Expr, Failure as Failing, Op, Program};
use treville_passes::close::{Closed, close, told};
use treville_passes::target;
use treville_report::Failure;
use treville_task::{Bounds, Counts, Engine, Monitor, Outcome, Semantics, Task, Violation};

/// What engines for tests do not look for, where there is something to find.
const MEMORY: &[Failing] = &[Failing::InvalidAccess, Failing::Uninitialized];

/// The check that says so of an execution with a race.
const RACE: &str = "data-race";

/// Whether the engine takes tests only.
pub(crate) fn is_for_tests(engine: &dyn Engine) -> bool {
    engine.info().name != Engines::FOR_PROGRAMS
}

impl Session<'_> {
    /// Runs an engine for tests on the program of a task, whatever other engine the task was made for.
    pub(crate) fn run_closed(
        &self,
        engine: &dyn Engine,
        task: &Task,
        model: &str,
        options: &Options,
        monitor: &dyn Monitor,
    ) -> Result<Outcome, Failure> {
        let name = engine.info().name;
        if model != "sc" && target::dialect_for(model).is_some() {
            return Err(unknown(format!("programs on machines are not for the engine {name}")));
        }
        let source = Program { dialect: Arc::new(Dialect::c11("rc11")), ..Program::clone(&task.program) };
        let mut closed = close(&source).map_err(|why| unknown(why.message))?;
        simplify(&mut closed);
        let looks_at_memory = task.properties.iter().any(|property| MEMORY.contains(property));
        if looks_at_memory && has_computed_addresses(&closed.program) {
            let why = format!(
                "whether computed addresses are right is not seen by the engine {name} (--property leaves it out)"
            );
            return Err(unknown(why));
        }
        if let Some((failure, ..)) = closed.failures.iter().find(|(failure, ..)| !task.properties.contains(failure)) {
            // What comes after a failure that nobody looks for is not enumerated.
            return Err(unknown(format!(
                "{} is not looked for, and how the program goes on not seen by {name}",
                failure.name()
            )));
        }
        let linked = self.library.linked(&model_for_programs(&options.model, model), &closed.program)?;
        let judges_races = linked.model.checks.iter().any(|check| check.name == RACE);
        if task.properties.contains(&Failing::Race) && !judges_races && has_plain_accesses(&task.program) {
            return Err(unknown(format!(
                "{model} says nothing of races, which are to be found (--property leaves them out)"
            )));
        }
        let inner = Task {
            program: Arc::new(closed.program.clone()),
            semantics: Semantics::Axioms(Arc::clone(&linked.model), Arc::clone(&linked.vocabulary)),
            bundled: linked.bundled.clone(),
            queries: Task::litmus_queries(&closed.question),
            question: Some(Arc::new(closed.question.clone())),
            bounds: Bounds { unroll: options.run.bound.unwrap_or(Bounds::default().unroll), given: options.run.bound },
            states: true,
            reference: None,
            stories: 0,
            ..task.clone()
        };
        engine.supports(&inner).map_err(|why| unknown(why.first().map_or_else(String::new, |why| why.what.clone())))?;
        Ok(outcome(&closed, &task.properties, engine.run(&inner, monitor)))
    }
}

/// Handles of threads become the addresses that they are.
fn simplify(closed: &mut Closed) {
    let observed = closed.question.observed.iter().filter_map(|o| match &o.place {
        treville_ir::Place::Reg(thread, reg) => Some((*thread, *reg)),
        _ => None,
    });
    let options = treville_passes::Options { observed: observed.collect(), ..treville_passes::Options::default() };
    closed.program = treville_passes::run(&closed.program, &options);
}

fn has_plain_accesses(program: &Program) -> bool {
    let insts = program.funcs.iter().flat_map(|func| func.blocks.iter()).flat_map(|block| &block.insts);
    let plain = |tags: &treville_ir::Tags| tags.iter().any(|tag| program.tags[*tag] == "NA");
    insts.into_iter().any(|inst| matches!(&inst.op, Op::Load { tags, .. } | Op::Store { tags, .. } if plain(tags)))
}

fn has_computed_addresses(program: &Program) -> bool {
    let insts = program.funcs.iter().flat_map(|func| func.blocks.iter()).flat_map(|block| &block.insts);
    let mut addresses = insts.filter_map(|inst| match &inst.op {
        Op::Load { addr, .. } | Op::Store { addr, .. } | Op::Update { addr, .. } => Some(addr),
        _ => None,
    });
    addresses.any(|addr| !matches!(addr, Expr::Addr(..)))
}

/// What final states say of the program.
fn outcome(closed: &Closed, properties: &BTreeSet<Failing>, inner: Outcome) -> Outcome {
    let candidates = inner.counts.map_or(0, |counts| counts.candidates);
    let mut counts = Counts { candidates, ..Counts::default() };
    let mut violation = None;
    for state in inner.states.iter().flatten() {
        match told(&state.values) {
            (Some((thread, n)), _) => {
                violation = violation.or_else(|| {
                    let (failure, message, span) = closed.failures.get(n)?;
                    let (name, message) = (Some(message.clone()), message.to_string());
                    Some(Violation { thread: thread.0, span: Some(*span), ..found(*failure, name, message) })
                });
            }
            (None, true) => counts.executions += state.executions,
            (None, false) => counts.blocked += state.executions,
        }
    }
    let races = inner.undefined || inner.flags.keys().any(|flag| *flag == RACE);
    if races && properties.contains(&Failing::Race) {
        violation = violation.or_else(|| Some(found(Failing::Race, None, "two accesses race".to_owned())));
    }
    if let Some(flag) = inner.flags.keys().find(|flag| **flag != RACE && properties.contains(&Failing::Flag)) {
        let message = format!("the model flags {flag}");
        violation = violation.or_else(|| Some(found(Failing::Flag, Some(flag.clone()), message)));
    }
    Outcome {
        answers: Vec::new(),
        states: None,
        counts: inner.counts.map(|_| counts),
        violation,
        cut_at: None,
        ..inner
    }
}

/// A violation of which no more is known.
fn found(failure: Failing, name: Option<Name>, message: String) -> Violation {
    Violation { failure, name, message, thread: 0, span: None, other: None, story: None }
}

/// What two engines say differently of a program, as far as both have seen everything.
pub(crate) fn disagreement(first: &Outcome, second: &Outcome) -> Option<String> {
    match (&first.violation, &second.violation) {
        (Some(violation), None) if second.stopped.is_none() && !second.cut => {
            Some(format!("only the first finds: {}", violation.message))
        }
        (None, Some(violation)) if first.stopped.is_none() && !first.cut => {
            Some(format!("only the second finds: {}", violation.message))
        }
        (None, None) if [first, second].iter().all(|o| o.stopped.is_none() && !o.cut) => {
            let (a, b) = (first.counts?.executions, second.counts?.executions);
            (a != b).then(|| format!("{a} and {b} complete executions"))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::{MemoryFiles, ModelOptions, Options, Properties, RunOptions, Session};
    use treville_base::Cancel;
    use treville_report::{Content, FileReport, VerdictWord};
    use treville_task::Silent;

    /// Two threads that one starts; what fails, if anything, is put in.
    fn program(first: &str, fails: &str) -> String {
        format!(
            r#"
program "p"
dialect C rc11
tags [A RLX NA REL ACQ]
object x size 4 type i32 init [0 4 0:32]
object y size 4 type i32 init [0 4 0:32]
func other (u) regs [u:64 r:32] {{
b0:
  {first}
  r = load &x 4 [A RLX]
  return (zext 64 r)
}}
func main () regs [h:64 r:32 s:64] {{
b0:
  h = spawn other (0:64)
  store &x 1:32 4 [A RLX]
  r = load &y 4 [A RLX]
  s = join h
  branch {fails} b1 b2
b1:
  fail assertion "both are 0"
  end
b2:
  return _
}}
thread main main []
"#
        )
    }

    fn verify(text: &str, model: &str, run: RunOptions) -> FileReport {
        let mut files = MemoryFiles::default();
        files.0.insert("p.ir".into(), text.into());
        let model = ModelOptions { name: Some(model.to_owned()), ..ModelOptions::default() };
        Session::new(&files, Cancel::new()).verify("p.ir", &Options { model, run }, &Silent)
    }

    fn by(engine: &str) -> RunOptions {
        RunOptions { engine: Some(engine.to_owned()), ..RunOptions::default() }
    }

    const ATOMIC: &str = "store &y 1:32 4 [A RLX]";
    const BOTH: &str = "(and (eq r 0:32) (eq s 0:64))";

    #[test]
    fn engines_for_tests_take_programs() {
        for engine in ["enumerate", "plain", "explore"] {
            for (model, verdict) in [("sc", VerdictWord::Yes), ("ra", VerdictWord::No), ("rc11", VerdictWord::No)] {
                let report = verify(&program(ATOMIC, BOTH), model, by(engine));
                assert_eq!(report.verdict(), verdict, "{engine} {model} {:?}", report.reason());
            }
            let report = verify(&program(ATOMIC, "0:1"), "rc11", by(engine));
            let Content::Program(checked) = &report.content else { panic!("{engine}: {:?}", report.reason()) };
            assert_eq!(
                (report.verdict(), checked.outcome.counts.map(|c| c.executions)),
                (VerdictWord::Yes, Some(4)),
                "{engine}"
            );
            // One thread writes what the other reads atomically.
            let racy = verify(&program("store &y 1:32 4 [NA]", "0:1"), "rc11", by(engine));
            assert_eq!(racy.verdict(), VerdictWord::No, "{engine} {:?}", racy.reason());
        }
    }

    #[test]
    fn engines_check_each_other_on_programs() {
        let run = RunOptions { cross_check: Some("enumerate".to_owned()), ..RunOptions::default() };
        for model in ["sc", "ra", "rc11", "imm"] {
            let report = verify(&program(ATOMIC, "0:1"), model, run.clone());
            assert_eq!(report.verdict(), VerdictWord::Yes, "{model} {:?}", report.reason());
        }
    }

    #[test]
    fn what_an_engine_does_not_see_is_not_said_to_be_absent() {
        let racy = program("store &y 1:32 4 [NA]", "0:1");
        let report = verify(&racy, "sc", by("enumerate"));
        assert_eq!(report.verdict(), VerdictWord::Unknown);
        assert!(report.reason().is_some_and(|why| why.contains("says nothing of races")), "{:?}", report.reason());
        let narrowed = Properties::of(&["assertion"]).unwrap_or_default();
        let report = verify(&racy, "sc", RunOptions { properties: narrowed, ..by("enumerate") });
        assert_eq!(report.verdict(), VerdictWord::Yes, "{:?}", report.reason());
        let report = verify(&program(ATOMIC, BOTH), "tso", by("enumerate"));
        assert_eq!(report.verdict(), VerdictWord::Unknown);
        // How the program goes on after the assertion is not known.
        let races = Properties::of(&["race"]).unwrap_or_default();
        let report = verify(&program(ATOMIC, BOTH), "rc11", RunOptions { properties: races, ..by("enumerate") });
        assert_eq!(report.verdict(), VerdictWord::Unknown);
        assert!(
            report.reason().is_some_and(|why| why.contains("assertion is not looked for")),
            "{:?}",
            report.reason()
        );
    }

    #[test]
    fn flags_of_the_model_are_violations() {
        let mut files = MemoryFiles::default();
        files.0.insert("p.ir".into(), program(ATOMIC, "0:1"));
        files.0.insert("my.cat".into(), "acyclic po | rf | co | fr\nflag ~empty rf & ext as seen\n".into());
        let model = ModelOptions { name: Some("my.cat".to_owned()), ..ModelOptions::default() };
        for engine in ["enumerate", "explore"] {
            let options = Options { model: model.clone(), run: by(engine) };
            let report = Session::new(&files, Cancel::new()).verify("p.ir", &options, &Silent);
            let Content::Program(checked) = &report.content else { panic!("{engine}: {:?}", report.reason()) };
            let violation = checked.outcome.violation.as_ref();
            assert_eq!(violation.map(|v| v.message.as_str()), Some("the model flags seen"), "{engine}");
        }
    }
}
