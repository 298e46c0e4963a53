//! The search of `explore` for whole programs beside `enumerate`, on random tests that are run as programs: the same number of
//! executions under every model, those with cycles of program order and reads-from included.

use std::collections::BTreeMap;
use std::sync::Arc;
use treville_base::{Cancel, Name};
use treville_enumerate::Enumerate;
use treville_explore::Explore;
use treville_ir::{Dialect, Program, Terminator};
use treville_litmus::Litmus;
use treville_passes::target::{self, Exclusives};
use treville_task::{Engine, Limits, Outcome, Reference, Silent, Task};
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
    compare(lab, litmus, model, compiled.clone(), compiled, None)
}

/// The same for a test in C after the mapping of its atomics to a machine.
fn both_on(lab: &Lab, litmus: &Litmus, model: &str, dialects: &[Arc<Dialect>]) -> Option<Result<u64, String>> {
    let dialect = dialects.iter().find(|d| target::dialect_for(model) == Some(&d.name))?;
    let [test, program] = [Exclusives::Apart, Exclusives::Together]
        .map(|exclusives| target::compile_with(&litmus.program, model, dialect, exclusives).ok());
    compare(lab, litmus, model, test?, program?, target::full_fence(model))
}

/// Enumerates the executions of one program and explores those of the other.
fn compare(
    lab: &Lab,
    litmus: &Litmus,
    model: &str,
    compiled: Program,
    program: Program,
    fence: Option<&str>,
) -> Option<Result<u64, String>> {
    let linked = lab.link(model, &compiled.dialect).ok()?;
    let consumes = compiled.tags.iter().any(|tag| *tag == "CON");
    if model == "rc11" && consumes {
        // For what happens before what, consume is acquire, but not in this model.
        return None;
    }
    let mut test = lab.task(litmus, &linked, Cancel::new());
    test.program = Arc::new(compiled);
    let reference = fence.map(|fence| Reference {
        model: Arc::clone(&linked.model),
        vocabulary: Arc::clone(&linked.vocabulary),
        fence: Some(Name::new(fence)),
    });
    let program = Task { program: Arc::new(program), question: None, queries: Vec::new(), reference, ..test.clone() };
    if Explore.supports(&program).is_err() {
        return None;
    }
    let explored = [1, 2].map(|threads| {
        let limits = Limits { threads: Some(threads), ..program.limits.clone() };
        Explore.run(&Task { limits, ..program.clone() }, &Silent)
    });
    if explored.iter().any(|outcome| outcome.violation.is_some() || outcome.stopped.is_some()) {
        // Accesses of different sizes, or what the search cannot do under the model.
        return None;
    }
    let enumerated = Enumerate::fast().run(&test, &Silent);
    if enumerated.stopped.is_some() {
        return None;
    }
    let executions = |outcome: Outcome| outcome.counts.map_or(0, |counts| counts.executions);
    let ([one, two], n) = (explored.map(executions), executions(enumerated));
    Some(if one == n && two == n { Ok(n) } else { Err(format!("{one} executions, {two} by two, not {n}")) })
}

/// The dialects of the machines, as their smallest tests have them.
fn dialects(lab: &Lab) -> Vec<Arc<Dialect>> {
    let machines = ["X86_64", "AArch64", "ARM", "PPC", "RISCV"];
    let smallest = machines.map(|arch| format!("{arch} smallest\n{{}}\n P0 ;\nforall (true)\n"));
    let found = smallest.iter().filter_map(|text| Some(lab.parse(text, None).ok()?.program.dialect));
    // In programs a compare-and-swap writes if and only if it succeeds, and its result comes from memory.
    found.map(|dialect| Arc::new(Dialect { loose_compare: false, ..Dialect::clone(&dialect) })).collect()
}

#[test]
#[expect(clippy::print_stdout, reason = "the counts are part of what the test shows")]
fn random_tests_in_c_have_as_many_executions_on_machines() {
    let engine = || -> Box<dyn Engine> { Box::new(Explore) };
    let plan = Plan { seed: 5, n_programs: 400, n_threads: 1, max_candidates: 400.0, engine, dialect: Some("C") };
    let lab = Lab::new();
    let dialects = dialects(&lab);
    let mut wrong = Vec::new();
    for model in ["pso", "arm", "aarch64", "power", "riscv"] {
        let (mut programs, mut executions) = (0, 0);
        for number in 0..plan.n_programs {
            // Locks of programs have fences, those of tests have none.
            let Some(text) = sketch(&plan, number).text().filter(|text| !text.contains("mtx_t")) else { continue };
            let Ok(litmus) = lab.parse(&text, Some(false)) else { continue };
            match both_on(&lab, &litmus, model, &dialects) {
                None => {}
                Some(Ok(n)) => (programs, executions) = (programs + 1, executions + n),
                Some(Err(why)) => wrong.push(format!("program {number} under {model}: {why}\n{text}")),
            }
        }
        println!("{model:<12} {programs:>6} programs, {executions} executions");
        assert!(programs > 100, "only {programs} programs under {model}");
    }
    assert!(wrong.is_empty(), "{} differ\n{}", wrong.len(), wrong[..wrong.len().min(6)].join("\n\n"));
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

/// IMM has rules of its own in the search, for C of today; seq_cst fences and plain writes are where they are not RC11's.
#[test]
#[expect(clippy::print_stdout, reason = "the counts are part of what the test shows")]
fn random_tests_in_c_have_as_many_executions_by_the_rules_of_imm() {
    let engine = || -> Box<dyn Engine> { Box::new(Explore) };
    let plan = Plan { seed: 29, n_programs: 1_500, n_threads: 1, max_candidates: 2_000.0, engine, dialect: Some("C") };
    let lab = Lab::new().with_variant("cxx20");
    let (mut programs, mut executions, mut wrong) = (0, 0, Vec::new());
    for number in 0..plan.n_programs {
        let Some(text) = sketch(&plan, number).text() else { continue };
        let Ok(litmus) = lab.parse(&text, Some(false)) else { continue };
        match both(&lab, &litmus, "imm") {
            None => {}
            Some(Ok(n)) => (programs, executions) = (programs + 1, executions + n),
            Some(Err(why)) => wrong.push(format!("program {number}: {why}\n{text}")),
        }
    }
    println!("{programs} programs, {executions} executions");
    assert!(wrong.is_empty(), "{} differ\n{}", wrong.len(), wrong[..wrong.len().min(6)].join("\n\n"));
    assert!(programs > 500, "only {programs} programs");
}

/// The cycle of the last execution leads through an update, which reads from one thread what another reads from it.
const THROUGH_UPDATE: &str = "C through-update
{ x=0; z=0; }
P0(atomic_int* x, atomic_int* z) {
  int r0 = atomic_load_explicit(x, memory_order_relaxed);
  atomic_store_explicit(z, 1, memory_order_release);
}
P1(atomic_int* z) {
  int r0 = atomic_fetch_add_explicit(z, 1, memory_order_relaxed);
}
P2(atomic_int* x, atomic_int* z) {
  int r0 = atomic_load_explicit(z, memory_order_relaxed);
  atomic_store_explicit(x, 1, memory_order_relaxed);
}
exists (0:r0=1 /\\ 2:r0=2)
";

#[test]
fn an_update_passes_on_what_was_promised() {
    let lab = Lab::new();
    let litmus = lab.parse(THROUGH_UPDATE, Some(false)).expect("a correct test");
    assert_eq!(both(&lab, &litmus, "imm"), Some(Ok(12)));
}
