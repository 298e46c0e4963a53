//! Small programs: the solver finds the states that there are by hand and what the definition says, whatever is left out.

#[path = "../../treville_enumerate/tests/engine/programs.rs"]
mod programs;

use programs::{increment, known, program, states, store, task};
use treville_bmc::{Alias, Bmc, Encoding, Fixpoint, Level, Options};
use treville_enumerate::Enumerate;
use treville_ir::{Atom, Comparison, Formula, Operand, Place, Program, Reg, ThreadId};
use treville_task::{Answer, Engine, Outcome, Silent};
use treville_term::Bv;

fn variants() -> [Options; 4] {
    let all = Options::default();
    [
        all,
        Options { encoding: Encoding::Eager, ..all },
        Options { level: Level::None, active: false, local: false, ..all },
        Options { fixpoint: Fixpoint::Kleene, alias: Alias::None, ..all },
    ]
}

/// These registers of threads have these values: `(thread, register, value)`.
fn all(values: &[(u32, u32, u128)]) -> Formula {
    let atom = |&(thread, reg, value): &(u32, u32, u128)| {
        let (left, right) = (Place::Reg(ThreadId(thread), Reg(reg)), Operand::Value(Bv::new(value, 32)));
        Formula::Atom(Atom { left, op: Comparison::Eq, right })
    };
    Formula::And(values.iter().map(atom).collect())
}

/// Each variant says of the condition and of its negation whether they can be, and lists the same states as the definition.
fn check(program: &Program, model: &str, condition: &Formula, can_be: [bool; 2]) -> Outcome {
    let task = task(program, model, condition.clone());
    let defined = Enumerate::plain().run(&task, &Silent);
    for options in variants() {
        let found = Bmc::new(options).run(&task, &Silent);
        let is_found = |answer: &Answer| matches!(answer, Answer::Found(_));
        assert_eq!(found.stopped, None, "{options:?}");
        assert_eq!(found.answers.iter().map(is_found).collect::<Vec<_>>(), can_be, "{model}, {options:?}");
        assert_eq!(states(&found), states(&defined), "{model}, {options:?}");
    }
    defined
}

/// Of a thread, a register and its value.
type Values = &'static [(u32, u32, u128)];

/// The outcome that sequential consistency forbids, and whether stores in buffers allow it.
#[test]
fn weak_outcomes_of_known_programs() {
    let outcomes: [(&str, Values, bool); 5] = [
        ("SB", &[(0, 0, 0), (1, 0, 0)], true),
        ("MP", &[(1, 0, 1), (1, 1, 0)], false),
        ("LB", &[(0, 0, 1), (1, 0, 1)], false),
        ("IRIW", &[(2, 0, 1), (2, 1, 0), (3, 0, 1), (3, 1, 0)], false),
        ("CoRR", &[(1, 0, 1), (1, 1, 0)], false),
    ];
    for (name, outcome, on_tso) in outcomes {
        let (program, condition) = (known(name), all(outcome));
        check(&program, "sc", &condition, [false, true]);
        check(&program, "tso", &condition, [on_tso, true]);
    }
}

#[test]
fn coherence_orders_are_chosen() {
    let seen = |model| {
        let outcome = check(&known("2+2W"), model, &Formula::True, [true, false]);
        states(&outcome).into_iter().map(|state| (state[4], state[5])).collect::<Vec<_>>()
    };
    // Both first writes last would be a cycle.
    assert_eq!(seen("sc"), [(1, 2), (2, 1), (2, 2)]);
    assert_eq!(seen("tso"), [(1, 2), (2, 1), (2, 2)]);
}

#[test]
fn no_addition_is_lost() {
    let outcome = check(&program(&vec![increment("x"); 3]), "tso", &all(&[(0, 0, 0), (1, 0, 0)]), [false, true]);
    assert!(states(&outcome).iter().all(|state| state[6] == 3));
}

#[test]
fn every_location_that_an_address_may_be_is_tried() {
    let either = "r = load &x 4 []\n\
        s = load (ite (eq r 1:32) &y &x) 4 []\n"
        .to_owned();
    let outcome =
        check(&program(&[store("y", 2) + &store("x", 1), either]), "sc", &all(&[(1, 0, 1), (1, 1, 2)]), [true, true]);
    // `x` is 0 and may be 1 in the second load; if it was 1, `y` is 2 already.
    let seen: Vec<(u64, u64)> = states(&outcome).into_iter().map(|state| (state[2], state[3])).collect();
    assert_eq!(seen, [(0, 0), (0, 1), (1, 2)]);
}
