//! The search of `explore` for whole programs beside `enumerate`, on random tests that are run as programs: the same number of
//! executions under every model, those with cycles of program order and reads-from included.

use std::collections::BTreeMap;
use std::sync::Arc;
use treville_base::Cancel;
use treville_enumerate::Enumerate;
use treville_explore::Explore;
use treville_ir::{Dialect, Program, Terminator};
use treville_litmus::Litmus;
use treville_task::{Engine, Silent, Task};
use treville_testkit::Lab;
use treville_testkit::campaign::{Plan, sketch};

/// The program as if compiled: control dependencies never end.
fn compiled(mut program: Program) -> Program {
    program.dialect = Arc::new(Dialect { branch_events: true, ..Dialect::clone(&program.dialect) });
    for block in program.funcs.iter_mut().flat_map(|func| func.blocks.iter_mut()) {
        if let Terminator::Branch { join, .. } = &mut block.end {
            *join = None;
        }
    }
    program
}

/// What both searches say of a test under a model, if both take it.
fn both(lab: &Lab, litmus: &Litmus, model: &str) -> Option<Result<u64, String>> {
    let compiled = compiled(litmus.program.clone());
    let linked = lab.link(model, &compiled.dialect).ok()?;
    let consumes = compiled.tags.iter().any(|tag| *tag == "CON");
    if model == "rc11" && consumes {
        // For what happens before what, consume is acquire, but not in this model.
        return None;
    }
    let mut test = lab.task(litmus, &linked, Cancel::new());
    test.program = Arc::new(compiled);
    let program = Task { question: None, queries: Vec::new(), ..test.clone() };
    if Explore.supports(&program).is_err() {
        return None;
    }
    let explored = Explore.run(&program, &Silent);
    if explored.violation.is_some() || explored.stopped.is_some() {
        // Accesses of different sizes, or what the search cannot do under the model.
        return None;
    }
    let enumerated = Enumerate::fast().run(&test, &Silent);
    if enumerated.stopped.is_some() {
        return None;
    }
    let (n, expected) = (explored.counts.executions, enumerated.counts.executions);
    Some(if n == expected { Ok(n) } else { Err(format!("{n} executions, not {expected}")) })
}

#[test]
#[expect(clippy::print_stdout, reason = "the counts are part of what the test shows")]
fn random_tests_have_as_many_executions_as_programs() {
    let engine = || -> Box<dyn Engine> { Box::new(Explore) };
    let plan = Plan { seed: 11, n_programs: 3_000, n_threads: 1, max_candidates: 400.0, engine, dialect: None };
    let lab = Lab::new();
    let mut counts: BTreeMap<(&str, &str), (usize, u64)> = BTreeMap::new();
    let mut wrong = Vec::new();
    for number in 0..plan.n_programs {
        let sketch = sketch(&plan, number);
        let Some(text) = sketch.text() else { continue };
        let Ok(litmus) = lab.parse(&text, Some(sketch.syntax.is_kernel())) else { continue };
        for model in sketch.syntax.models() {
            // Elsewhere there are updates that are not atomic, or that the model does not know as such.
            if sketch.has_updates() && sketch.syntax.name() != "C" {
                continue;
            }
            match both(&lab, &litmus, model) {
                None => {}
                Some(Ok(n)) => {
                    let count = counts.entry((sketch.syntax.name(), model)).or_default();
                    *count = (count.0 + 1, count.1 + n);
                }
                Some(Err(why)) => wrong.push(format!("program {number} under {model}: {why}\n{text}")),
            }
        }
    }
    for ((dialect, model), (programs, executions)) in &counts {
        println!("{dialect:<8} {model:<12} {programs:>6} programs, {executions} executions");
    }
    assert!(wrong.is_empty(), "{} differ\n{}", wrong.len(), wrong[..wrong.len().min(6)].join("\n\n"));
    assert!(counts.len() > 10, "only {} pairs of a dialect and a model", counts.len());
}
