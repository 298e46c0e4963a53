//! Random models with chosen orders beside the definition: the solver gives the same answers, states and flags, whatever its analyses
//! leave out.

use treville_base::Cancel;
use treville_bmc::{Bmc, Fixpoint, Level, Options};
use treville_enumerate::Enumerate;
use treville_task::{Engine, Silent};
use treville_testkit::differ::compare;
use treville_testkit::{Lab, Rng, seeds};

const UPDATES: &str = "C updates
{}
P0(atomic_int* x, atomic_int* y) {
  int r0 = atomic_load_explicit(x, memory_order_acquire);
  if (r0 == 1) { atomic_store_explicit(y, 1, memory_order_release); }
  int r1 = atomic_fetch_add_explicit(x, 1, memory_order_relaxed);
}
P1(atomic_int* x, atomic_int* y) {
  atomic_store_explicit(x, 1, memory_order_relaxed);
  int r0 = atomic_load_explicit(y, memory_order_relaxed);
}
exists (0:r0=1 /\\ 1:r0=1)
";

const BUFFERING: &str = "C buffering
{}
P0(atomic_int* x, atomic_int* y) {
  atomic_store_explicit(x, 1, memory_order_relaxed);
  int r0 = atomic_load_explicit(y, memory_order_relaxed);
}
P1(atomic_int* x, atomic_int* y) {
  atomic_store_explicit(y, 1, memory_order_relaxed);
  int r0 = atomic_load_explicit(x, memory_order_relaxed);
}
exists (0:r0=0 /\\ 1:r0=0)
";

/// How often the definition may look whether it is to stop.
const MANY: u64 = 20_000;

/// A relation, as text; `chosen` are names of orders that the model has chosen.
fn relation(rng: &mut Rng, depth: usize, chosen: &[&str]) -> String {
    const BASE: &[&str] = &["po", "rf", "co", "fr", "rfe", "fre", "coe", "loc", "int", "rmw", "ctrl", "0"];
    if depth == 0 {
        let all: Vec<&str> = BASE.iter().chain(chosen).chain(chosen).chain(chosen).copied().collect();
        return rng.pick(&all).to_owned();
    }
    let below = |rng: &mut Rng| relation(rng, depth - 1, chosen);
    match rng.below(8) {
        0 => format!("({} | {})", below(rng), below(rng)),
        1 => format!("({} & {})", below(rng), below(rng)),
        2 => format!("({} \\ {})", below(rng), below(rng)),
        3 | 4 => format!("({} ; {})", below(rng), below(rng)),
        5 => format!("({}^-1)", below(rng)),
        6 => format!("({}+)", below(rng)),
        _ => format!("([{}] ; {})", set(rng), below(rng)),
    }
}

fn set(rng: &mut Rng) -> String {
    match rng.below(5) {
        0 => format!("range({})", relation(rng, 0, &[])),
        1 => format!("domain({})", relation(rng, 0, &[])),
        n => ["R", "W", "M"][n - 2].to_owned(),
    }
}

fn model(rng: &mut Rng) -> String {
    let mut text = "\"random\"\n".to_owned();
    let mut chosen = Vec::new();
    for name in ["s"].into_iter().take(rng.below(2)) {
        let (on, extends) = (set(rng), relation(rng, 1, &chosen));
        text += &format!("with {name} from linearisations({on}, {extends})\n");
        chosen.push(name);
    }
    for check in 0..1 + rng.below(2) {
        let kind = rng.pick(&["acyclic", "irreflexive", "empty", "~empty", "flag ~empty", "flag acyclic"]);
        text += &format!("{kind} {} as c{check}\n", relation(rng, 2, &chosen));
    }
    text
}

#[test]
#[expect(clippy::print_stdout, reason = "the counts are part of what the test shows")]
fn chosen_orders_are_total_whatever_is_known_of_them() {
    let seeds = seeds(30);
    let options = [
        Options::default(),
        Options { level: Level::None, ..Options::default() },
        Options { level: Level::Must, active: false, local: false, fixpoint: Fixpoint::Kleene, ..Options::default() },
    ];
    let (mut compared, mut wrong) = (0, Vec::new());
    for seed in seeds.clone() {
        let text = model(&mut Rng::new(seed));
        let mut lab = Lab::new();
        lab.add_model("random", &text, None);
        for test in [UPDATES, BUFFERING] {
            let litmus = lab.parse(test, None).expect("a correct test");
            let Ok(linked) = lab.link_for("random", &litmus.program) else { continue };
            let task = lab.task(&litmus, &linked, Cancel::new());
            let plain = Enumerate::plain();
            // Where there are too many orders to list, another model says as much.
            let few = lab.task(&litmus, &linked, Cancel::new().with_effort(MANY));
            if plain.run(&few, &Silent).stopped.is_some() {
                continue;
            }
            for options in options {
                let bmc = Bmc::new(options);
                if bmc.run(&task, &Silent).stopped.is_some() {
                    continue;
                }
                compared += 1;
                if let Err(why) = compare(&bmc, &plain, &task, &task, &linked) {
                    wrong.push(format!("seed {seed} with {options:?}:\n{text}{test}{why}"));
                }
            }
        }
    }
    println!("seeds {seeds:?}, {compared} comparisons");
    assert!(wrong.is_empty(), "{} differ\n{}", wrong.len(), wrong[..wrong.len().min(3)].join("\n\n"));
    assert!(compared as u64 > (seeds.end - seeds.start) / 2, "{compared}");
}
