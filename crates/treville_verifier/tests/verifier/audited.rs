//! Answers that are audited: random executions of small programs, a search that forgets one class, a failure that is not visited.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use treville_audit::{Visits, audit};
use treville_explore::Explore;
use treville_ir::Failure as Failing;
use treville_jobs::reference;
use treville_model::KnownModel;
use treville_models::Library;
use treville_verifier::base::{Cancel, FileId, SourceMap};
use treville_verifier::task::{Audit, Child, Class, Engine, Observer, Reductions, Semantics, Silent, Task};
use treville_verifier::{MemoryFiles, ModelOptions, Options, Session};

/// A program whose main thread starts threads with these bodies.
fn program(bodies: &[&str]) -> String {
    let objects = ["x", "y", "z"].map(|name| format!("object {name} size 4 type i32\n")).concat();
    let mut text = format!("program \"p\"\ndialect C rc11\ntags [A RLX ACQ REL SC]\n{objects}");
    let mut spawns = String::new();
    for (i, body) in bodies.iter().enumerate() {
        text += &format!("func f{i} (u) regs [u:64 r:32 s:32] {{\nb0:\n{body}  return 0:64\n}}\n");
        spawns += &format!("  h{i} = spawn f{i} (0:64)\n");
    }
    let joins: String = (0..bodies.len()).map(|i| format!("  s = join h{i}\n")).collect();
    let handles: String = (0..bodies.len()).map(|i| format!("h{i}:64 ")).collect();
    text + &format!("func main () regs [{handles}s:64] {{\nb0:\n{spawns}{joins}  return _\n}}\nthread main main []\n")
}

fn store_buffering() -> String {
    let thread = |own: &str, other: &str| format!("  store &{own} 1:32 4 [A RLX]\n  r = load &{other} 4 [A RLX]\n");
    program(&[&thread("x", "y"), &thread("y", "x")])
}

fn load_buffering() -> String {
    let thread = |own: &str, other: &str| format!("  r = load &{other} 4 [A RLX]\n  store &{own} 1:32 4 [A RLX]\n");
    program(&[&thread("x", "y"), &thread("y", "x")])
}

fn independent_reads() -> String {
    let writer = |own: &str| format!("  store &{own} 1:32 4 [A RLX]\n");
    let reader = |one: &str, two: &str| format!("  r = load &{one} 4 [A ACQ]\n  s = load &{two} 4 [A ACQ]\n");
    program(&[&writer("x"), &writer("y"), &reader("x", "y"), &reader("y", "x")])
}

fn updates() -> String {
    let add = "  r = update &x 4 (add r 1:32) [A RLX] [A RLX] [A RLX] [A RLX]\n";
    let swap = "  r = update &x 4 5:32 if (eq r 1:32) [A ACQ] [A RLX] [A ACQ] [A RLX]\n";
    program(&[add, swap, &format!("{add}  store &x 7:32 4 [A RLX]\n")])
}

/// What an audit says of a program, with its number of executions.
fn audited(text: &str, model: &str, reductions: Reductions) -> (u64, Audit) {
    let files = MemoryFiles([("p.ir".to_owned(), text.to_owned())].into());
    let mut options = Options::default();
    options.model.name = Some(model.to_owned());
    (options.run.audit, options.run.reductions) = (Some(3000), reductions);
    let report = Session::new(&files, Cancel::new()).verify("p.ir", &options, &Silent);
    match report.result {
        Ok(found) => {
            let executions = found.outcome.counts.map_or(0, |counts| counts.executions);
            (executions, found.audit.unwrap_or_else(|| panic!("{model}: no audit")))
        }
        Err(failure) => panic!("{model}: {}\n{text}", failure.reason),
    }
}

#[test]
fn a_small_program_is_sampled_completely() {
    let weak = [(store_buffering(), "tso"), (load_buffering(), "imm"), (independent_reads(), "rc11")];
    for text in [store_buffering(), load_buffering(), independent_reads(), updates()] {
        for model in ["sc", "tso", "ra", "rc11", "imm", "aarch64", "power", "riscv"] {
            let (executions, audit) = audited(&text, model, Reductions::NONE);
            assert_eq!((audit.compared, audit.samples, audit.skipped.clone()), ("graphs", 3000, None), "{model}");
            assert_eq!((audit.classes, audit.visited), (executions, executions), "{model}\n{text}");
            assert!(model != "sc" || audit.beyond_sc == 0);
            let is_weak = weak.contains(&(text.clone(), model));
            assert!(!is_weak || audit.beyond_sc > 0, "{model}\n{text}");
        }
    }
}

#[test]
fn loads_are_buffered_in_samples() {
    for (model, buffers) in [("rc11", false), ("imm", true), ("aarch64", true), ("power", true)] {
        assert_eq!(audited(&load_buffering(), model, Reductions::NONE).1.cyclic > 0, buffers, "{model}");
    }
}

#[test]
fn with_reductions_final_states_are_compared() {
    let (_, audit) = audited(&updates(), "rc11", Reductions::all());
    assert_eq!((audit.compared, audit.classes), ("states", audit.visited));
    assert!(audit.visited > 1);
}

/// Forgets one class of all that it is told of.
#[derive(Debug, Default)]
struct Forgetful {
    visits: Visits,
    seen: Mutex<BTreeSet<Class>>,
    forgets: usize,
}

impl Observer for Forgetful {
    fn begin(&self) {
        self.visits.begin();
    }

    fn visit(&self, class: Class) {
        let mut seen = self.seen.lock().unwrap_or_else(|e| panic!("{e}"));
        if seen.insert(class) && seen.len() - 1 == self.forgets {
            return;
        }
        self.visits.visit(class);
    }

    fn end(&self, threads: Vec<(Child, u16)>) {
        self.visits.end(threads);
    }
}

fn task(text: &str, observer: Arc<dyn Observer>) -> Task {
    let program = treville_ir::text::parse(FileId(0), text).unwrap_or_else(|e| panic!("{e:?}"));
    let library = Library::new(MemoryFiles::default());
    let named = library.catalogue.for_programs(&ModelOptions::default(), "rc11");
    let reference = reference(&library, &named, &program).unwrap_or_else(|e| panic!("{}", e.reason));
    Task {
        reference: Some(reference),
        reductions: Reductions::NONE,
        observer: Some(observer),
        ..Task::new(Arc::new(program), Semantics::BuiltIn(KnownModel::Rc11))
    }
}

fn sources(text: &str) -> SourceMap {
    let mut sources = SourceMap::new();
    sources.add("p.ir", text);
    sources
}

#[test]
fn whichever_execution_is_lost_is_missed() {
    let engine = Explore;
    for text in [store_buffering(), load_buffering(), updates()] {
        let mut executions = 1;
        let mut forgets = 0;
        while forgets < executions {
            let observer = Arc::new(Forgetful { forgets, ..Forgetful::default() });
            let task = task(&text, Arc::clone(&observer) as Arc<dyn Observer>);
            executions = engine.run(&task, &Silent).counts.map_or(0, |counts| counts.executions as usize);
            let report = audit(&task, &observer.visits, 2000, &sources(&text));
            let missing = report.ok().and_then(|report| report.missing);
            let missing = missing.unwrap_or_else(|| panic!("{forgets} of {executions} is not missed\n{text}"));
            assert_eq!(missing.what, "an execution was not visited");
            assert!(missing.text.contains("coherence:"), "{}", missing.text);
            forgets += 1;
        }
    }
}

#[test]
fn a_failure_that_was_not_visited_is_missed() {
    let engine = Explore;
    let fails = "  r = load &x 4 [A RLX]\n  branch (eq r 1:32) b1 b2\nb1:\n  fail assertion \"x is 0\"\n  end\nb2:\n";
    let text = program(&[fails, "  store &x 1:32 4 [A RLX]\n"]);
    let visits = Arc::new(Visits::default());
    let mut task = task(&text, Arc::clone(&visits) as Arc<dyn Observer>);
    // As if the engine overlooked it.
    assert_eq!(engine.run(&task, &Silent).violation, None);
    task.properties.insert(Failing::Assertion);
    let report = audit(&task, &visits, 1000, &sources(&text));
    let what = report.ok().and_then(|report| report.missing).map(|missing| missing.what).unwrap_or_default();
    assert!(what.contains("assertion: x is 0"), "{what}");
}

#[test]
fn other_engines_are_not_audited() {
    let files = MemoryFiles([("p.ir".to_owned(), store_buffering())].into());
    let mut options = Options::default();
    (options.run.audit, options.run.engine) = (Some(1), Some("bmc".to_owned()));
    let report = Session::new(&files, Cancel::new()).verify("p.ir", &options, &Silent);
    assert!(report.result.is_err_and(|why| why.reason.contains("explore")));
}
