//! The engine `bmc` beside `enumerate` and the definition: the same verdicts, states, flags, and witnesses that hold, on every
//! case and on random programs in every dialect, whatever its analyses are told to leave out.

use crate::limited;
use treville_base::Cancel;
use treville_bmc::{Addresses, Alias, Bmc, Encoding, Fixpoint, Level, Options};
use treville_enumerate::Enumerate;
use treville_task::{Engine, FinalValue, Outcome, Reductions, Silent, Task};
use treville_testkit::campaign::{Plan, run};
use treville_testkit::differ::compare;
use treville_testkit::{Lab, cases_folder, golden};

#[test]
fn bmc_agrees_with_enumerate_on_every_small_case() {
    agree_on_small_cases(Options::default());
}

/// No case depends on where its locations lie.
#[test]
fn bmc_agrees_whatever_layout_it_chooses() {
    agree_on_small_cases(Options { addresses: Addresses::Solver, ..Options::default() });
}

#[expect(clippy::print_stdout, reason = "the counts are part of what the test shows")]
fn agree_on_small_cases(options: Options) {
    let lab = Lab::new();
    let (fast, bmc) = (Enumerate::fast(), Bmc::new(options));
    let mut compared = 0;
    let mut wrong = Vec::new();
    for case in golden::load(&cases_folder()).expect("readable cases") {
        for expectation in &case.expectations {
            let (litmus, linked) = lab.load(&case.text, &expectation.model).expect("a test under its model");
            let mut task = lab.task(&litmus, &linked, Cancel::new());
            // Both at the same bound, iteration by iteration: bmc goes on without one, and sees where loops only wait.
            task.bounds.given = Some(task.bounds.unroll);
            task.reductions = task.reductions.minus(Reductions::of_loops());
            let few = limited(&task);
            if fast.run(&few, &Silent).stopped.is_some() {
                continue;
            }
            assert!(bmc.supports(&task).is_ok(), "{}", case.name);
            if let Err(why) = compare(&bmc, &fast, &task, &task, &linked) {
                wrong.push(format!("{} under {}: {why}", case.name, expectation.model));
            }
            compared += 1;
        }
    }
    println!("{compared} pairs of a case and a model");
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    assert!(compared > 400, "{compared}");
}

/// A flag that depends on what clauses do not say: the first solution need not raise it, another one may.
#[test]
fn flags_are_found_where_clauses_say_less_than_the_model() {
    let mut lab = Lab::new();
    let cat = "\"seen\"\n\
        let rec each S = match S with || {} -> 0 || e ++ es -> [{e}] | each es end\n\
        acyclic po | rf as order\n\
        flag ~empty (each (W \\ IW)); rf as seen\n\
        flag ~empty (each (W \\ IW)); rf; po; rf^-1 as again\n";
    lab.add_model("seen", cat, None);
    let text = "X86 two\n{ }\n P0         | P1          ;\n MOV [x],$1 | MOV EAX,[x] ;\n            | MOV EBX,[x] ;\n\
        exists (1:EAX=2)\n";
    let litmus = lab.parse(text, None).expect("a correct test");
    let linked = lab.link_for("seen", &litmus.program).expect("a correct model");
    // Where states are listed, each of them is judged, and shows what it shows.
    let task = Task { states: false, ..lab.task(&litmus, &linked, Cancel::new()) };
    let names = |engine: &dyn Engine| engine.run(&task, &Silent).flags.into_keys().collect::<Vec<_>>();
    assert_eq!(names(&Bmc::new(Options::default())), names(&Enumerate::plain()));
    assert!(!names(&Enumerate::plain()).is_empty());
}

type Make = fn() -> Box<dyn Engine>;

/// Where loops only wait, more is known than the bound says: states are the same, and nothing is cut.
#[test]
fn loops_that_wait_are_decided() {
    let lab = Lab::new();
    let (fast, bmc) = (Enumerate::fast(), Bmc::new(Options::default()));
    let mut decided = 0;
    for case in golden::load(&cases_folder()).expect("readable cases") {
        for expectation in &case.expectations {
            let (litmus, linked) = lab.load(&case.text, &expectation.model).expect("a test under its model");
            let task = lab.task(&litmus, &linked, Cancel::new());
            let few = limited(&task);
            let expected = fast.run(&few, &Silent);
            if !expected.cut || expected.stopped.is_some() {
                continue;
            }
            let found = bmc.run(&task, &Silent);
            let values = |outcome: &Outcome| -> Vec<Vec<FinalValue>> {
                outcome.states.iter().flatten().map(|state| state.values.clone()).collect()
            };
            // It may go on where enumerate stops, and then sees more.
            let (all, some) = (values(&found), values(&expected));
            assert!(some.iter().all(|state| all.contains(state)), "{} under {}", case.name, expectation.model);
            decided += usize::from(!found.cut);
        }
    }
    assert!(decided >= 2, "{decided}");
}

/// A campaign whose programs have enough of what is difficult.
#[expect(clippy::print_stdout, reason = "the counts are part of what the test shows")]
fn campaign(seed: u64, n_programs: usize, engine: Make) {
    let plan = Plan { seed, n_programs, n_threads: 2, max_candidates: 400.0, engine, dialect: None };
    let (tally, failures) = run(&Lab::new(), &plan);
    println!("seed {seed}: {tally}");
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
    assert_eq!(tally.programs, plan.n_programs);
    for share in [tally.weak, tally.updates, tally.fences, tally.dependencies] {
        assert!(4 * share >= tally.programs, "less than a quarter");
    }
}

#[test]
fn bmc_agrees_with_the_definition_on_random_programs() {
    campaign(5, 5_000, || Box::new(Bmc::new(Options::default())));
}

/// Each analysis left out in turn.
#[test]
fn whatever_is_left_out_answers_are_the_same() {
    let variants: [(u64, Make); 10] = [
        (11, || Box::new(Bmc::new(Options { level: Level::None, active: false, ..Options::default() }))),
        (12, || Box::new(Bmc::new(Options { level: Level::May, ..Options::default() }))),
        (13, || Box::new(Bmc::new(Options { level: Level::Must, local: false, ..Options::default() }))),
        (14, || Box::new(Bmc::new(Options { active: false, ..Options::default() }))),
        (15, || Box::new(Bmc::new(Options { encoding: Encoding::Eager, ..Options::default() }))),
        (16, || Box::new(Bmc::new(Options { fixpoint: Fixpoint::Kleene, ..Options::default() }))),
        (17, || Box::new(Bmc::new(Options { alias: Alias::None, local: false, ..Options::default() }))),
        (18, || Box::new(Bmc::new(Options { alias: Alias::Andersen, ..Options::default() }))),
        (19, || Box::new(Bmc::new(Options { addresses: Addresses::Solver, ..Options::default() }))),
        (20, || {
            let options = Options { addresses: Addresses::Solver, alias: Alias::None, ..Options::default() };
            Box::new(Bmc::new(options))
        }),
    ];
    for (seed, engine) in variants {
        campaign(seed, 200, engine);
    }
}
