//! An answer that is audited: random executions must be among those that the engine has visited.

use crate::engines::EXPLORE;

use std::collections::BTreeSet;
use std::sync::Arc;
use treville_audit::{Report, Visits, audit};
use treville_base::SourceMap;
use treville_task::{Audit, CheckError, Engine, Outcome, Silent, Task};

/// How many samples are wanted, and what the engine has visited.
pub(crate) struct Audited {
    samples: u64,
    visits: Arc<Visits>,
}

impl Audited {
    /// # Errors
    /// If the engine is not one whose executions can be watched.
    pub(crate) fn new(samples: u64, engine: &str) -> Result<Audited, CheckError> {
        match engine == EXPLORE {
            true => Ok(Audited { samples, visits: Arc::default() }),
            false => Err(CheckError::usage(format!("option `audit` is about the engine {}, not {engine}", EXPLORE))),
        }
    }

    /// The task, with its executions noted.
    pub(crate) fn watching(&self, task: Task) -> Task {
        let visits: Arc<Visits> = Arc::clone(&self.visits);
        Task { observer: Some(visits), ..task }
    }

    /// Compares an outcome with random executions.
    ///
    /// # Errors
    /// If one of them was not visited, or the program cannot be audited.
    pub(crate) fn check(
        &self,
        engine: &dyn Engine,
        task: &Task,
        outcome: &Outcome,
        sources: &SourceMap,
    ) -> Result<Audit, CheckError> {
        if outcome.violation.is_some() {
            // The engine has stopped there: for the audit it visits everything, and passes over what fails.
            let all = Task { properties: BTreeSet::new(), ..task.clone() };
            return self.compare(&all, &engine.run(&all, &Silent), sources);
        }
        self.compare(task, outcome, sources)
    }

    fn compare(&self, task: &Task, outcome: &Outcome, sources: &SourceMap) -> Result<Audit, CheckError> {
        if let Some(why) = &outcome.stopped {
            let why = format!("the engine has not visited everything: {why}");
            return Ok(Audit { skipped: Some(why), ..nothing() });
        }
        let Report { figures, missing } = audit(task, &self.visits, self.samples, sources).map_err(|not| {
            let place = not.place.map(|span| format!(" (line {})", sources.start(span).line)).unwrap_or_default();
            CheckError::unknown(format!("the answer could not be audited: {}{place}", not.why))
        })?;
        let audit = Audit {
            compared: figures.comparison.name(),
            samples: figures.samples,
            tried: figures.judged + figures.abandoned,
            beyond_sc: figures.beyond_sc,
            cyclic: figures.cyclic,
            classes: figures.classes,
            visited: figures.visited,
            skipped: None,
        };
        match missing {
            None => Ok(audit),
            Some(missing) => {
                let after = format!("sample {} of {}", audit.samples, audit.tried);
                let reason = format!("internal error, please report it: {} ({after})", missing.what);
                Err(CheckError::internal(reason, missing.text))
            }
        }
    }
}

fn nothing() -> Audit {
    Audit { compared: "", samples: 0, tried: 0, beyond_sc: 0, cyclic: 0, classes: 0, visited: 0, skipped: None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Options, RunOptions, Session};
    use std::sync::Mutex;
    use treville_base::{Cancel, FileId, MemoryFiles};
    use treville_ir::Failure as Failing;
    use treville_model::KnownModel;
    use treville_models::ModelOptions;
    use treville_task::{Child, Class, Observer, Reductions, Semantics};

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
        text + &format!(
            "func main () regs [{handles}s:64] {{\nb0:\n{spawns}{joins}  return _\n}}\nthread main main []\n"
        )
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

    fn task(session: &Session<'_>, text: &str, observer: Arc<dyn Observer>) -> Task {
        let program = treville_ir::text::parse(FileId(0), text).unwrap_or_else(|e| panic!("{e:?}"));
        let named = session.library.catalogue.for_programs(&ModelOptions::default(), "rc11");
        let reference = session.reference(named, &program).unwrap_or_else(|e| panic!("{}", e.reason));
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
        let files = MemoryFiles::default();
        let session = Session::new(&files, Cancel::new());
        let engine = session.engines.get(EXPLORE, &RunOptions::default()).unwrap_or_else(|e| panic!("{e}"));
        for text in [store_buffering(), load_buffering(), updates()] {
            let mut executions = 1;
            let mut forgets = 0;
            while forgets < executions {
                let observer = Arc::new(Forgetful { forgets, ..Forgetful::default() });
                let task = task(&session, &text, Arc::clone(&observer) as Arc<dyn Observer>);
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
        let files = MemoryFiles::default();
        let session = Session::new(&files, Cancel::new());
        let engine = session.engines.get(EXPLORE, &RunOptions::default()).unwrap_or_else(|e| panic!("{e}"));
        let fails =
            "  r = load &x 4 [A RLX]\n  branch (eq r 1:32) b1 b2\nb1:\n  fail assertion \"x is 0\"\n  end\nb2:\n";
        let text = program(&[fails, "  store &x 1:32 4 [A RLX]\n"]);
        let visits = Arc::new(Visits::default());
        let mut task = task(&session, &text, Arc::clone(&visits) as Arc<dyn Observer>);
        // As if the engine overlooked it.
        assert_eq!(engine.run(&task, &Silent).violation, None);
        task.properties.insert(Failing::Assertion);
        let report = audit(&task, &visits, 1000, &sources(&text));
        let what = report.ok().and_then(|report| report.missing).map(|missing| missing.what).unwrap_or_default();
        assert!(what.contains("assertion: x is 0"), "{what}");
    }

    #[test]
    fn other_engines_are_not_audited() {
        assert!(Audited::new(1, "bmc").is_err_and(|why| why.reason.contains("explore")));
    }
}
