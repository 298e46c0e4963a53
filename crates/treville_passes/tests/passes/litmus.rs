//! Litmus tests have the same executions after the passes, and compiled C allows nothing that C does not allow.

use crate::text_form::litmus_files;
use std::sync::Arc;
use treville_base::Cancel;
use treville_enumerate::Enumerate;
use treville_ir::{Dialect, Place, Program, Question, Reg, ThreadId};
use treville_litmus::Litmus;
use treville_passes::{Options, target};
use treville_task::{Engine, Silent};
use treville_testkit::differ::Findings;
use treville_testkit::{Lab, cases_folder};

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

#[test]
fn executions_stay() {
    let lab = Lab::new();
    let mut n = 0;
    for (name, test) in tests(&lab, "") {
        let Some(question) = &test.question else { continue };
        let model = test.program.dialect.default_model.to_string();
        let Ok(before) = findings(&lab, &test, &model, test.program.clone()) else { continue };
        let options = Options { observed: observed(question), ..Options::default() };
        let passed = treville_passes::run(&test.program, &options);
        let after = findings(&lab, &test, &model, passed.clone());
        assert_eq!(after, Ok(before), "{name}\n{}", treville_ir::text::print(&passed));
        n += 1;
    }
    assert!(n > 100, "only {n} tests were run");
}

#[test]
fn compiled_programs_allow_no_more() {
    let lab = Lab::new();
    let sources = tests(&lab, "corpus/c11");
    let machines =
        ["c11", "x86_64", "aarch64", "arm", "power", "riscv"].map(|folder| tests(&lab, &format!("corpus/{folder}")));
    let dialects: Vec<Arc<Dialect>> = machines.iter().flatten().map(|(_, t)| Arc::clone(&t.program.dialect)).collect();
    let mut n = 0;
    for model in ["sc", "tso", "aarch64", "arm", "power", "riscv"] {
        let dialect = dialects.iter().find(|d| target::dialect_for(model) == Some(&d.name));
        let dialect = dialect.unwrap_or_else(|| panic!("no test for {model}"));
        for (name, test) in &sources {
            // RC11 forbids load buffering, which these mappings do not prevent.
            let allowed = findings(&lab, test, "c11", test.program.clone());
            let allowed = allowed.unwrap_or_else(|e| panic!("{name}: {e}"));
            let compiled = target::compile(&test.program, model, dialect).unwrap_or_else(|e| panic!("{name}: {e:?}"));
            let printed = treville_ir::text::print(&compiled);
            let found = findings(&lab, test, model, compiled).unwrap_or_else(|e| panic!("{name}: {e}"));
            let seen = |f: &Findings| f.states.iter().map(|s| s.values.clone()).collect::<Vec<_>>();
            let (allowed_states, found_states) = (seen(&allowed), seen(&found));
            assert!(!found_states.is_empty(), "{name} has no execution under {model}\n{printed}");
            // Whatever happens is right if the program has undefined behaviour.
            if !allowed.undefined {
                let more: Vec<_> = found_states.iter().filter(|s| !allowed_states.contains(s)).collect();
                assert!(more.is_empty(), "{name} under {model}: {more:?}\n{printed}");
            }
            n += 1;
        }
    }
    assert!(n >= 90, "only {n} programs were compiled");
}
