//! Litmus tests have the same executions after the passes, and compiled C allows nothing that C does not allow.

use crate::text_form::litmus_files;
use std::sync::Arc;
use treville_base::Cancel;
use treville_enumerate::Enumerate;
use treville_ir::{Dialect, Place, Program, Question, Reg, ThreadId};
use treville_litmus::Litmus;
use treville_passes::{Options, target};
use treville_task::{Engine, FinalState, Silent};
use treville_testkit::differ::Findings;
use treville_testkit::random::{self, Syntax};
use treville_testkit::{Lab, Rng, cases_folder};

fn findings(lab: &Lab, test: &Litmus, model: &str, program: Program) -> Result<Findings, String> {
    let test = Litmus { program, ..test.clone() };
    let linked = lab.link(model, &test.program.dialect)?;
    let task = lab.task(&test, &linked, Cancel::new());
    let question = test.question.as_ref().ok_or("no question")?;
    Ok(Findings::of(question, &Enumerate::fast().run(&task, &Silent)))
}

fn observed(question: &Question) -> Vec<(ThreadId, Reg)> {
    let mut found = Vec::new();
    let mut visit = |place: &Place| {
        if let Place::Reg(thread, reg) = place {
            found.push((*thread, *reg));
        }
    };
    question.observed.iter().for_each(|o| visit(&o.place));
    question.condition.visit_places(&mut visit);
    question.filter.iter().for_each(|f| f.visit_places(&mut visit));
    found
}

fn tests(lab: &Lab, folder: &str) -> Vec<(String, Litmus)> {
    let mut files = Vec::new();
    litmus_files(&cases_folder().join(folder), &mut files);
    files.sort();
    let read = |path: &std::path::PathBuf| {
        let text = std::fs::read_to_string(path).ok()?;
        Some((path.display().to_string(), lab.parse(&text, None).ok()?))
    };
    files.iter().filter_map(read).collect()
}

/// Random tests of a dialect.
fn random_tests(lab: &Lab, syntax: &'static dyn Syntax, n: u64) -> Vec<(String, Litmus)> {
    let test = |seed| {
        let text = random::generate(&mut Rng::new(seed), syntax, 3000.0).text()?;
        let test = lab.parse(&text, Some(syntax.is_kernel())).ok()?;
        Some((text, test))
    };
    (0..n).filter_map(test).collect()
}

/// Compares a test's executions before and after the passes; says whether it could be run.
fn executions_stay(lab: &Lab, name: &str, test: &Litmus, model: &str) -> bool {
    let Some(question) = &test.question else { return false };
    let Ok(before) = findings(lab, test, model, test.program.clone()) else { return false };
    // Passes may make loops need fewer iterations, so that less is cut at the bound.
    if before.cut {
        return false;
    }
    let options = Options { observed: observed(question), ..Options::default() };
    let passed = treville_passes::run(&test.program, &options);
    let after = findings(lab, test, model, passed.clone());
    assert_eq!(after, Ok(before), "{name}\n{}", treville_ir::text::print(&passed));
    true
}

#[test]
fn executions_of_cases_stay() {
    let lab = Lab::new();
    let tests = tests(&lab, "");
    let run = |(name, test): &&(String, Litmus)| executions_stay(&lab, name, test, &test.program.dialect.default_model);
    let n = tests.iter().filter(run).count();
    assert!(n > 100, "only {n} tests were run");
}

#[test]
fn executions_of_random_tests_stay() {
    let lab = Lab::new();
    for &syntax in random::SYNTAXES {
        let Some(model) = syntax.models().first() else { continue };
        let tests = random_tests(&lab, syntax, 150);
        let n = tests.iter().filter(|(text, test)| executions_stay(&lab, text, test, model)).count();
        assert!(n > 100, "only {n} tests of {} were run", syntax.name());
    }
}

/// The dialects of the machines, as their tests have them.
fn dialects(lab: &Lab) -> Vec<Arc<Dialect>> {
    let folders = ["c11", "x86_64", "aarch64", "arm", "power", "riscv"];
    let of = |folder: &&str| tests(lab, &format!("corpus/{folder}")).into_iter().map(|(_, t)| t.program.dialect);
    folders.iter().flat_map(of).collect()
}

#[test]
fn compiled_programs_allow_no_more() {
    let lab = Lab::new();
    let mut sources = tests(&lab, "corpus/c11");
    let c11 = random::SYNTAXES.iter().copied().find(|s| s.name() == "C");
    sources.extend(c11.map(|c11| random_tests(&lab, c11, 200)).unwrap_or_default());
    let dialects = dialects(&lab);
    let mut n = 0;
    for (name, test) in &sources {
        // RC11 forbids load buffering, which these mappings do not prevent.
        let allowed = findings(&lab, test, "c11", test.program.clone()).unwrap_or_else(|e| panic!("{name}: {e}"));
        // Whatever happens is right if the program has undefined behaviour.
        if allowed.undefined {
            continue;
        }
        for model in ["sc", "tso", "aarch64", "arm", "power", "riscv"] {
            let dialect = dialects.iter().find(|d| target::dialect_for(model) == Some(&d.name));
            let dialect = dialect.unwrap_or_else(|| panic!("no test for {model}"));
            let compiled = target::compile(&test.program, model, dialect).unwrap_or_else(|e| panic!("{name}: {e:?}"));
            let printed = treville_ir::text::print(&compiled);
            let found = findings(&lab, test, model, compiled).unwrap_or_else(|e| panic!("{name}: {e}"));
            let known = |s: &&FinalState| !allowed.states.iter().any(|a| a.values == s.values);
            let more: Vec<_> = found.states.iter().filter(known).collect();
            assert!(more.is_empty(), "{name} under {model}: {more:?}\n{printed}");
            assert!(!found.states.is_empty(), "{name} has no execution under {model}\n{printed}");
            n += 1;
        }
    }
    assert!(n > 500, "only {n} programs were compiled");
}
