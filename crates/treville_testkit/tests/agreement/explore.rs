//! The engine `explore` beside `enumerate`: the same verdicts, states with their counts of executions, flags, and witnesses
//! that hold, on every case and on random programs in every dialect.

use crate::limited;
use treville_base::Cancel;
use treville_enumerate::Enumerate;
use treville_explore::Explore;
use treville_task::{Engine, Silent};
use treville_testkit::campaign::{Plan, run};
use treville_testkit::differ::compare;
use treville_testkit::{Lab, cases_folder, golden};

#[test]
#[expect(clippy::print_stdout, reason = "the counts are part of what the test shows")]
fn explore_agrees_with_enumerate_on_every_small_case() {
    let lab = Lab::new();
    let fast = Enumerate::fast();
    let (mut compared, mut executions) = (0, 0);
    let mut wrong = Vec::new();
    for case in golden::load(&cases_folder()).expect("readable cases") {
        for expectation in &case.expectations {
            let (litmus, linked) = lab.load(&case.text, &expectation.model).expect("a test under its model");
            let task = lab.task(&litmus, &linked, Cancel::new());
            let few = limited(&task);
            if fast.run(&few, &Silent).stopped.is_some() {
                continue;
            }
            assert!(Explore.supports(&task).is_ok(), "{}", case.name);
            match compare(&Explore, &fast, &task, &task, &linked) {
                Ok(findings) => executions += findings.executions.unwrap_or(0),
                Err(why) => wrong.push(format!("{} under {}: {why}", case.name, expectation.model)),
            }
            compared += 1;
        }
    }
    println!("{compared} pairs of a case and a model, {executions} executions");
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    assert!(compared > 400, "{compared}");
}

#[test]
#[expect(clippy::print_stdout, reason = "the counts are part of what the test shows")]
fn explore_agrees_with_the_definition_on_random_programs() {
    let engine = || -> Box<dyn Engine> { Box::new(Explore) };
    let plan = Plan { seed: 3, n_programs: 5_000, n_threads: 2, max_candidates: 400.0, engine, dialect: None };
    let (tally, failures) = run(&Lab::new(), &plan);
    println!("seed {}: {tally}", plan.seed);
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
    assert_eq!(tally.programs, plan.n_programs);
    for share in [tally.weak, tally.updates, tally.fences, tally.dependencies] {
        assert!(4 * share >= tally.programs, "less than a quarter");
    }
}
