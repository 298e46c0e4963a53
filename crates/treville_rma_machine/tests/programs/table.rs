//! The case studies: how many states they have under SC and with a flush in every slot, how long the shortest run to a
//! failure is without any, and which values the example of the paper can end with.

use crate::common::{case_study, slots};
use std::collections::BTreeSet;
use treville_base::BitSet;
use treville_rma::{Program, VarId};
use treville_rma_machine::{Config, Order, Pending, Reduction, Semantics, Verdict, check, final_states};

const TWO: Semantics = Semantics::Remote(Pending::Bounded(2));

/// States under SC, states with every flush, steps to a failure without any.
const TABLE: [(&str, usize, usize, Option<usize>); 15] = [
    ("fig2", 5, 7, Some(8)),
    ("dekker", 1054, 3658, Some(6)),
    ("peterson", 1501, 4135, Some(11)),
    ("abp", 168, 362, Some(19)),
    ("pc1", 256, 618, Some(9)),
    ("pgsql", 46, 80, Some(10)),
    ("qw", 256, 647, Some(14)),
    ("sober", 131, 634, None),
    ("kessel", 3568, 10476, Some(16)),
    ("loop2_tlm", 138, 299, Some(17)),
    ("szymanski", 1627, 4832, Some(16)),
    ("queue", 143, 274, Some(11)),
    ("ticket", 2015, 3282, Some(11)),
    ("bakery", 3605, 9662, Some(18)),
    ("rmalock", 1108, 6717, Some(8)),
];

#[test]
fn states_and_shortest_failures() {
    for (name, sequential, flushed, failure) in TABLE {
        let program = case_study(name);
        let n = program.slots.len();
        let (none, all) = (BitSet::new(n), BitSet::full(n));
        let sc = check(&program, &Config { forget: false, ..Config::new(Semantics::Sequential, none.clone()) });
        assert_eq!((sc.verdict, sc.states), (Verdict::Safe, sequential), "{name} under SC");
        let full = check(&program, &Config { forget: false, ..Config::new(TWO, all) });
        assert_eq!((full.verdict, full.states), (Verdict::Safe, flushed), "{name} with every flush");
        let Some(steps) = failure else { continue };
        let broken = check(&program, &Config { reduce: false, ..Config::new(TWO, none) });
        let Verdict::Fails(_, trace) = broken.verdict else { panic!("{name} without a flush: {:?}", broken.verdict) };
        assert_eq!(trace.steps.len(), steps, "{name} without a flush");
    }
}

fn finals(program: &Program, placement: &BitSet, literal_flush: bool) -> BTreeSet<i128> {
    let config = Config { reduce: false, forget: false, literal_flush, ..Config::new(TWO, placement.clone()) };
    let r = program.vars.ids().find(|v: &VarId| &*program.vars[*v].name == "r").expect("a variable r");
    let program = Program { properties: Vec::new(), ..program.clone() };
    let outcome = final_states(&program, &config);
    assert_eq!(outcome.verdict, Verdict::Safe);
    outcome.finals.iter().map(|values| values[r.0 as usize]).collect()
}

#[test]
fn the_values_of_the_example() {
    let program = case_study("fig2");
    for (flushes, expected) in [(&[][..], &[0, 1, 2, 3][..]), (&[1], &[0, 2]), (&[2], &[1, 2, 3]), (&[1, 2], &[2])] {
        let found = finals(&program, &slots(&program, flushes), false);
        assert_eq!(found, expected.iter().copied().collect(), "flushes {flushes:?}");
    }
    // A flush that does not wait for what the get writes here leaves the old value.
    assert_eq!(finals(&program, &slots(&program, &[1, 2]), true), [0, 2].into());
}

#[test]
fn the_run_that_breaks_the_example() {
    let program = case_study("fig2");
    let config = Config { reduce: false, ..Config::new(TWO, slots(&program, &[2])) };
    let Verdict::Fails(_, trace) = check(&program, &config).verdict else { panic!("it holds") };
    let shown = |step: &treville_rma::Action| {
        format!("{}: {}: {}", step.who(&program), step.statement(&program), step.effect(&program))
    };
    let shown: Vec<String> = trace.steps.iter().map(shown).collect();
    let expected = [
        "process 2: put(Y, 1, X): is issued",
        "process 2: store X = 3: writes X = 3",
        "process 2: R = get(Y, 1): is issued",
        "network: put(Y, 1, X): reads X = 3",
        "network: put(Y, 1, X): writes Y = 3",
        "network: R = get(Y, 1): reads Y = 3",
        "network: R = get(Y, 1): writes R = 3",
        "process 2: flush(1): nothing is on its way",
        "process 2: load r = R: reads R = 3",
    ];
    assert_eq!(shown, expected);
    assert_eq!(trace.blocking, Some(slots(&program, &[1])));
}

/// Placements that are known to be enough, by which reduction, and that one flush less is not.
#[test]
fn smallest_placements() {
    let counted = Semantics::Reduced(Reduction::Counted);
    let table: &[(&str, &[usize], Semantics)] = &[
        ("fig2", &[1], counted),
        ("peterson", &[1, 2, 3, 4, 5], counted),
        ("abp", &[1], counted),
        ("abp", &[2], counted),
        ("pc1", &[1, 2, 4, 5, 7], counted),
        ("pc1", &[1, 2, 5, 6, 7], counted),
        ("pgsql", &[1, 3], counted),
        ("qw", &[1, 2, 4], counted),
        ("sober", &[], Semantics::Reduced(Reduction::Table2)),
        ("kessel", &[1, 2, 3, 5, 6, 7, 8, 10], counted),
        ("loop2_tlm", &[1, 2, 3, 4], counted),
        ("szymanski", &[1, 2, 6, 7, 8, 9, 10, 12], counted),
        ("queue", &[2], counted),
        ("ticket", &[1, 2], counted),
        ("bakery", &[1, 2, 4, 5, 6, 7, 9, 10], counted),
    ];
    for (name, flushes, semantics) in table {
        let program = case_study(name);
        let placement = slots(&program, flushes);
        let outcome = check(&program, &Config::new(*semantics, placement.clone()));
        assert_eq!((outcome.verdict, outcome.capped), (Verdict::Safe, false), "{name} with {flushes:?}");
        for slot in placement.iter() {
            let mut less = placement.clone();
            less.remove(slot);
            let one = Config { order: Order::Depth, ..Config::new(Semantics::Remote(Pending::Bounded(1)), less) };
            let mut outcome = check(&program, &one);
            if outcome.verdict == Verdict::Safe {
                outcome = check(&program, &Config { semantics: TWO, ..one });
            }
            assert!(matches!(outcome.verdict, Verdict::Fails(..)), "{name} without slot {}", slot + 1);
        }
    }
}

/// The reduction as it was published does not prove these with a flush in every slot.
#[test]
fn what_a_flag_cannot_tell() {
    for name in ["pgsql", "queue", "loop2_tlm", "rmalock"] {
        let program = case_study(name);
        let all = BitSet::full(program.slots.len());
        let depth = |semantics| Config { order: Order::Depth, ..Config::new(semantics, all.clone()) };
        let printed = check(&program, &depth(Semantics::Reduced(Reduction::Table2)));
        assert!(matches!(printed.verdict, Verdict::Fails(..)), "{name}");
        let counted = check(&program, &depth(Semantics::Reduced(Reduction::Counted)));
        assert_eq!(counted.verdict, Verdict::Safe, "{name}");
    }
}
