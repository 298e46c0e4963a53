//! The candidates that reach an outcome, found by the search that is made for them, against all candidates.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use treville_base::Cancel;
use treville_enumerate::Enumerate;
use treville_eval::judge;
use treville_event::Graph;
use treville_task::{Candidate, Candidates, Engine, Reached, Task};
use treville_testkit::{Lab, cases_folder, golden};

/// Tests with more candidates than this are left to others.
const FEW: usize = 2_000;

/// Candidates with how often each came: the alternatives of a compare-and-swap may differ in nothing.
type Counted = BTreeMap<String, usize>;

/// What tells a candidate from others: its events, how they depend on each other, and who reads from whom, in which order.
fn key(graph: &Graph) -> String {
    let skeleton = &graph.skeleton;
    format!("{:?} {:?} {:?} {:?} {:?}", skeleton.events, skeleton.rels, graph.rf, graph.co, graph.finals)
}

fn reached(list: &dyn Candidates, task: &Task, which: Reached) -> Counted {
    let mut found = Counted::new();
    let complete = list.reaching(task, which, u64::MAX, &mut |candidate| {
        assert!(candidate.holds);
        *found.entry(key(candidate.graph)).or_default() += 1;
        ControlFlow::Continue(())
    });
    assert!(complete);
    found
}

#[test]
fn every_candidate_that_reaches_an_outcome_is_found_and_those_left_out_are_rejected() {
    let lab = Lab::new();
    let engine = Enumerate::fast();
    let list = engine.candidates().expect("a list of candidates");
    let (mut compared, mut left_out) = (0, 0);
    for case in golden::load(&cases_folder()).expect("readable cases") {
        let Some(expectation) = case.expectations.first() else { continue };
        let (litmus, linked) = lab.load(&case.text, &expectation.model).expect("a test under its model");
        let task = lab.task(&litmus, &linked, Cancel::new());
        let (mut n, mut holding) = (0, Counted::new());
        let mut rejected = BTreeSet::new();
        list.visit(&task, &mut |candidate: Candidate<'_>| {
            n += 1;
            if candidate.holds {
                *holding.entry(key(candidate.graph)).or_default() += 1;
                let judgements = judge(&linked.model, candidate.graph, &Cancel::new()).expect("a judgement");
                if judgements.iter().all(|j| !j.accepted) {
                    rejected.insert(key(candidate.graph));
                }
            }
            if n > FEW { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        if n > FEW {
            continue;
        }
        compared += 1;
        assert_eq!(reached(list, &task, Reached::Every), holding, "{}", case.name);
        let coherent = reached(list, &task, Reached::Coherent);
        assert!(coherent.iter().all(|(found, n)| holding.get(found) == Some(n)), "{}", case.name);
        let mut left = holding.keys().filter(|candidate| !coherent.contains_key(*candidate));
        assert!(left.all(|candidate| rejected.contains(candidate)), "{}", case.name);
        left_out += holding.len() - coherent.len();
    }
    assert!(compared > 200 && left_out > 100, "{compared} tests, {left_out} candidates left out");
}
