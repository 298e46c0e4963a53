//! The engine against the definition on random programs in every dialect. A failure prints the program, shrunk, and both
//! answers; `cargo run -p treville_testkit --example campaign` runs more of them, with other seeds.

use treville_enumerate::Enumerate;
use treville_task::Engine;
use treville_testkit::Lab;
use treville_testkit::campaign::{Plan, run};

#[test]
#[expect(clippy::print_stdout, reason = "the counts are part of what the test shows")]
fn the_engine_agrees_with_the_definition() {
    let engine = || -> Box<dyn Engine> { Box::new(Enumerate::fast()) };
    let plan = Plan { seed: 1, n_programs: 5_200, n_threads: 2, max_candidates: 400.0, engine, dialect: None };
    let (tally, failures) = run(&Lab::new(), &plan);
    println!("seed {}: {tally}", plan.seed);
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
    assert!(tally.runs >= 10_000);
    for share in [tally.weak, tally.updates, tally.fences, tally.dependencies] {
        assert!(4 * share >= tally.programs, "less than a quarter");
    }
}
