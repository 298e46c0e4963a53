//! Random programs: putting off steps of the network changes no answer, and what the reductions find safe is.

use crate::common::{Random, read};
use treville_base::BitSet;
use treville_rma::Program;
use treville_rma_machine::{Config, Outcome, Pending, Reduction, Semantics, Verdict, check};

fn run(program: &Program, semantics: Semantics, placement: &BitSet, reduce: bool) -> Outcome {
    check(program, &Config { reduce, max_states: 700, ..Config::new(semantics, placement.clone()) })
}

fn fails(outcome: &Outcome) -> bool {
    matches!(outcome.verdict, Verdict::Fails(..))
}

#[test]
fn reductions_are_sound() {
    let (mut failing, mut proved, mut imprecise, mut compared) = (0, 0, 0, 0);
    for seed in 0..2000 {
        let mut random = Random::new(seed);
        let text = random.program();
        let program = read(&text);
        let placement = random.placement(&program);
        let exact = run(&program, Semantics::Remote(Pending::Bounded(2)), &placement, true);
        let said = |what: &str| format!("seed {seed}: {what} with {:?}\n{text}", placement);
        if seed % 4 == 0 {
            let whole = Config {
                reduce: false,
                forget: false,
                max_states: 700,
                ..Config::new(Semantics::Remote(Pending::Bounded(2)), placement.clone())
            };
            let whole = check(&program, &whole);
            if !matches!(whole.verdict, Verdict::Open(_)) && !matches!(exact.verdict, Verdict::Open(_)) {
                assert_eq!(fails(&whole), fails(&exact), "{}", said("all steps"));
                compared += 1;
            }
        }
        let counted = run(&program, Semantics::Reduced(Reduction::Counted), &placement, true);
        let printed = run(&program, Semantics::Reduced(Reduction::Table2), &placement, true);
        let sticky = run(&program, Semantics::Remote(Pending::Sticky(1)), &placement, true);
        for (name, over) in [("counted", &counted), ("table2", &printed), ("sticky", &sticky)] {
            if over.verdict == Verdict::Safe && !over.capped {
                assert!(!fails(&exact), "{}", said(name));
            }
        }
        if printed.verdict == Verdict::Safe && !printed.capped {
            assert!(!fails(&counted), "{}", said("table2 against counted"));
        }
        let sequential = run(&program, Semantics::Sequential, &placement, true);
        if exact.verdict == Verdict::Safe && !exact.capped {
            assert!(!fails(&sequential), "{}", said("SC"));
            imprecise += usize::from(fails(&counted));
        }
        failing += usize::from(fails(&exact));
        proved += usize::from(counted.verdict == Verdict::Safe);
    }
    // Otherwise this says little.
    assert!(failing > 200 && proved > 200 && compared > 300, "{failing} {proved} {compared} {imprecise}");
}

#[test]
fn more_flushes_break_nothing() {
    for seed in 5000..5400 {
        let mut random = Random::new(seed);
        let text = random.program();
        let program = read(&text);
        let less = random.placement(&program);
        let more = less.union(&random.placement(&program));
        let [less, more] = [less, more].map(|p| run(&program, Semantics::Remote(Pending::Bounded(2)), &p, true));
        if less.verdict == Verdict::Safe && !less.capped {
            assert!(!fails(&more), "seed {seed}: {text}");
        }
    }
}
