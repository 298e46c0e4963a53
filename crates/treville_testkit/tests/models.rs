//! Random models on random programs: the staged evaluator with its shortcuts beside the definition, with checks left out,
//! exceptions, recursive definitions and chosen orders.
//!
//! `TREVILLE_MODELS` is how many models, `TREVILLE_SEED` which.

use treville_base::Cancel;
use treville_enumerate::Enumerate;
use treville_task::{Engine, Silent};
use treville_testkit::differ::Findings;
use treville_testkit::random::{RandomModel, SYNTAXES, Sketch, generate, generate_mixed, model};
use treville_testkit::{Lab, Rng};

const PROGRAMS_OF_A_MODEL: usize = 4;

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|n| n.parse().ok()).unwrap_or(default)
}

/// A program in any dialect, half of the time with accesses of different sizes where the dialect has them.
fn program(rng: &mut Rng) -> Sketch {
    let syntax = rng.pick(SYNTAXES);
    if rng.percent(50) { generate_mixed(rng, syntax, 120.0) } else { generate(rng, syntax, 120.0) }
}

/// The difference between the two, if there is one. A model that does not link for a dialect says nothing.
fn difference(lab: &Lab, drawn: &RandomModel, skipped: &[String], sketch: &Sketch) -> Option<String> {
    let text = sketch.text()?;
    let litmus = lab.parse(&text, Some(sketch.syntax.is_kernel())).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let linked = lab.link_skipping("random", &litmus.program.dialect, skipped).ok()?;
    let task = lab.task(&litmus, &linked, Cancel::new());
    let question = task.question.clone()?;
    let run = |engine: &dyn Engine| Findings::of(&question, &engine.run(&task, &Silent));
    let (fast, plain) = (run(&Enumerate::fast()), run(&Enumerate::plain()));
    (fast != plain).then(|| {
        let show = |findings: &Findings| findings.show(&task.program, &question);
        format!(
            "skipped {skipped:?}\n{}\n{text}\nstaged says:\n{}plain says:\n{}",
            drawn.text,
            show(&fast),
            show(&plain)
        )
    })
}

#[test]
#[expect(clippy::print_stdout, reason = "the seed is part of what the test shows")]
fn the_staged_evaluator_agrees_with_the_definition_on_random_models() {
    let (seed, n) = (number("TREVILLE_SEED", 1), number("TREVILLE_MODELS", 40));
    println!("seed {seed}, {n} models");
    for i in 0..n {
        let mut rng = Rng::new(seed.wrapping_mul(0x0100_0000_01b3) ^ i);
        let drawn = model(&mut rng);
        let mut lab = Lab::new();
        lab.add_model("random", &drawn.text, None);
        for _ in 0..PROGRAMS_OF_A_MODEL {
            let skipped: Vec<String> = drawn.checks.iter().filter(|_| rng.percent(25)).cloned().collect();
            let found = difference(&lab, &drawn, &skipped, &program(&mut rng));
            assert!(found.is_none(), "seed {seed}, model {i}\n{}", found.unwrap_or_default());
        }
    }
}
