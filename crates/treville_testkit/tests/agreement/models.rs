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

/// How much the definition may explore: some models choose among very many orders.
const EFFORT: u64 = 20_000;

/// Compares the two, and says what differs. None if the model does not link for the dialect, or there is too much to explore.
fn compare(lab: &Lab, drawn: &RandomModel, skipped: &[String], sketch: &Sketch) -> Option<Result<(), String>> {
    let text = sketch.text()?;
    let litmus = lab.parse(&text, Some(sketch.syntax.is_kernel())).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let linked = lab.link_skipping("random", &litmus.program.dialect, skipped).ok()?;
    let task = lab.task(&litmus, &linked, Cancel::new());
    let limited = lab.task(&litmus, &linked, Cancel::new().with_effort(EFFORT));
    let question = task.question.clone()?;
    let plain = Enumerate::plain().run(&limited, &Silent);
    if plain.stopped.is_some() {
        return None;
    }
    let fast = Findings::of(&question, &Enumerate::fast().run(&task, &Silent));
    let plain = Findings::of(&question, &plain);
    if fast == plain {
        return Some(Ok(()));
    }
    let show = |findings: &Findings| findings.show(&task.program, &question);
    let model = &drawn.text;
    Some(Err(format!(
        "skipped {skipped:?}\n{model}\n{text}\nstaged says:\n{}plain says:\n{}",
        show(&fast),
        show(&plain)
    )))
}

#[test]
#[expect(clippy::print_stdout, reason = "the seed is part of what the test shows")]
fn the_staged_evaluator_agrees_with_the_definition_on_random_models() {
    let seeds = seeds(400);
    let mut compared = 0;
    for seed in seeds.clone() {
        let mut rng = Rng::new(seed);
        let drawn = model(&mut rng);
        let mut lab = Lab::new();
        lab.add_model("random", &drawn.text, None);
        for _ in 0..PROGRAMS_OF_A_MODEL {
            let skipped: Vec<String> = drawn.checks.iter().filter(|_| rng.percent(25)).cloned().collect();
            match compare(&lab, &drawn, &skipped, &program(&mut rng)) {
                Some(Err(why)) => panic!("seed {seed}\n{why}"),
                Some(Ok(())) => compared += 1,
                None => {}
            }
        }
    }
    println!("seeds {seeds:?}, {compared} comparisons");
    assert!(compared > seeds.end - seeds.start, "{compared}");
}
