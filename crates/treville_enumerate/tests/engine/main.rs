//! How many executions small programs have, from the mathematics: the search finds as many as the definition, and both as many
//! as there are.

mod programs;

use programs::{increment, known, load, program, states, store, task};
use treville_base::Cancel;
use treville_enumerate::Enumerate;
use treville_ir::{Formula, Program};
use treville_task::{Engine, Limits, Outcome, Silent, Task};

/// The outcome of the search, which counts as the definition does.
fn outcome(program: &Program, model: &str) -> Outcome {
    let task = task(program, model, Formula::True);
    let [fast, plain] = [Enumerate::fast(), Enumerate::plain()].map(|engine| engine.run(&task, &Silent));
    assert!(fast.stopped.is_none() && !fast.cut, "{:?}", fast.stopped);
    assert_eq!(fast.counts.map(|c| c.executions), plain.counts.map(|c| c.executions));
    assert_eq!(fast.states, plain.states);
    fast
}

fn executions(program: &Program, model: &str) -> u64 {
    outcome(program, model).counts.map_or(0, |counts| counts.executions)
}

/// Each read has as many sources as there are writes, and of these choices the models forbid those with a cycle.
#[test]
fn known_programs_have_as_many_executions_as_their_models_allow() {
    for (name, sc, tso) in [("SB", 3, 4), ("MP", 3, 3), ("LB", 3, 3), ("IRIW", 15, 15), ("2+2W", 3, 3), ("CoRR", 3, 3)]
    {
        let program = known(name);
        assert_eq!((executions(&program, "sc"), executions(&program, "tso")), (sc, tso), "{name}");
    }
}

#[test]
fn the_definition_looks_at_every_candidate() {
    for (name, candidates) in [("SB", 4), ("MP", 4), ("LB", 4), ("IRIW", 16), ("2+2W", 4), ("CoRR", 4)] {
        let task = task(&known(name), "sc", Formula::True);
        let outcome = Enumerate::plain().run(&task, &Silent);
        assert_eq!(outcome.stats.get("candidates"), Some(&candidates), "{name}");
    }
}

/// Threads that write one location, or add to it: every order of them is an execution.
#[test]
fn writes_of_one_location_have_every_order() {
    for (n, factorial) in [(1, 1), (2, 2), (3, 6)] {
        let writes: Vec<String> = (1..=n).map(|value| store("x", value)).collect();
        assert_eq!(executions(&program(&writes), "sc"), factorial);
        let increments = vec![increment("x"); n as usize];
        let outcome = outcome(&program(&increments), "tso");
        assert_eq!(outcome.counts.map(|counts| counts.executions), Some(factorial));
        assert!(states(&outcome).iter().all(|state| state[2 * n as usize] == u64::from(n)), "{n} have added");
    }
}

/// Two threads that read a location again and again while a third one writes it see it change at any point, or never.
#[test]
fn reads_of_one_location_see_it_change_once() {
    for n in 1..=3 {
        let reads = load("r", "x").repeat(n);
        let bodies = [store("x", 1), reads.clone(), reads];
        assert_eq!(executions(&program(&bodies), "tso"), (n as u64 + 1).pow(2), "{n} reads");
    }
}

#[test]
fn states_are_those_of_the_executions() {
    let seen = |model| {
        let states = states(&outcome(&known("SB"), model));
        states.into_iter().map(|state| (state[0], state[2])).collect::<Vec<_>>()
    };
    assert_eq!(seen("sc"), [(0, 1), (1, 0), (1, 1)]);
    assert_eq!(seen("tso"), [(0, 0), (0, 1), (1, 0), (1, 1)]);
}

#[test]
fn a_limit_is_an_answer_that_stays_open() {
    let many = program(&vec![store("x", 1) + &load("r", "x"); 5]);
    let task = task(&many, "sc", Formula::True);
    let limits = Limits { cancel: Cancel::new().with_effort(1), ..task.limits.clone() };
    let outcome = Enumerate::plain().run(&Task { limits, ..task }, &Silent);
    assert!(outcome.stopped.is_some(), "all was seen in one look");
}
