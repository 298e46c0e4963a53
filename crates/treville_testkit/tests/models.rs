//! Random models on random programs: the staged evaluator with its shortcuts beside the definition, with checks left out,
//! exceptions, recursive definitions and chosen orders.

use treville_base::Cancel;
use treville_enumerate::Enumerate;
use treville_task::{Engine, Silent};
use treville_testkit::differ::Findings;
use treville_testkit::random::{RandomModel, SYNTAXES, Sketch, generate, generate_mixed, model};
use treville_testkit::{Lab, Rng, seeds};

const PROGRAMS_OF_A_MODEL: usize = 4;

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
    let seeds = seeds(40);
    println!("seeds {seeds:?}");
    for seed in seeds {
        let mut rng = Rng::new(seed);
        let drawn = model(&mut rng);
        let mut lab = Lab::new();
        lab.add_model("random", &drawn.text, None);
        for _ in 0..PROGRAMS_OF_A_MODEL {
            let skipped: Vec<String> = drawn.checks.iter().filter(|_| rng.percent(25)).cloned().collect();
            let found = difference(&lab, &drawn, &skipped, &program(&mut rng));
            assert!(found.is_none(), "seed {seed}\n{}", found.unwrap_or_default());
        }
    }
}
