//! Verdicts and observations, for every pair of answers that an engine may give; reductions as sets.

use treville_ir::Quantifier;
use treville_task::{Answer, Observation, Outcome, Reduction, Reductions, Scope, StopReason, Verdict, VerdictKind};

fn found() -> Answer {
    Answer::Reached(Box::default())
}

fn absent() -> Answer {
    Answer::Absent(Scope { complete: true, relative_to: Vec::new() })
}

fn open() -> Answer {
    Answer::Open(StopReason::Timeout)
}

fn outcome(holds: Answer, fails: Answer) -> Outcome {
    Outcome { answers: vec![holds, fails], ..Outcome::default() }
}

/// What is answered if some execution satisfies the condition, or its negation: rows are for the first, columns for the second
/// of found, absent, open.
#[test]
fn verdicts_follow_from_answers() {
    use VerdictKind::{No, Unknown, Yes};
    let tables = [
        (Quantifier::Exists, [[Yes, Yes, Yes], [No, No, No], [Unknown, Unknown, Unknown]]),
        // Without an execution a yes says nothing, and while it is open whether there is one, it is not known.
        (Quantifier::NotExists, [[No, No, No], [Yes, Unknown, Unknown], [Unknown, Unknown, Unknown]]),
        (Quantifier::Forall, [[No, Yes, Unknown], [No, Unknown, Unknown], [No, Unknown, Unknown]]),
    ];
    for (quantifier, table) in tables {
        for (holds, row) in [found(), absent(), open()].iter().zip(table) {
            for (fails, wanted) in [found(), absent(), open()].iter().zip(row) {
                let verdict = Verdict::of(quantifier, &outcome(holds.clone(), fails.clone()));
                assert_eq!(verdict.kind(), wanted, "{quantifier:?} {holds:?} {fails:?}: {verdict:?}");
                assert_eq!(verdict.reason().is_some(), wanted == Unknown);
            }
        }
    }
}

#[test]
fn an_undefined_program_has_no_other_verdict() {
    let outcome = Outcome { undefined: true, ..outcome(found(), found()) };
    for quantifier in [Quantifier::Exists, Quantifier::NotExists, Quantifier::Forall] {
        assert_eq!(Verdict::of(quantifier, &outcome), Verdict::Undefined);
    }
    assert_eq!(Verdict::of(Quantifier::Exists, &Outcome::default()).kind(), VerdictKind::Unknown);
}

#[test]
fn observations_need_both_answers() {
    let of = |holds, fails| Observation::of(&outcome(holds, fails));
    assert_eq!(of(found(), found()), Some(Observation::Sometimes));
    assert_eq!(of(found(), absent()), Some(Observation::Always));
    assert_eq!(of(absent(), found()), Some(Observation::Never));
    assert_eq!((of(found(), open()), of(open(), found()), of(absent(), open())), (None, None, None));
}

#[test]
fn reductions_are_sets() {
    let all = Reductions::all();
    for reduction in Reduction::all() {
        assert!(all.has(reduction) && !all.without(reduction).has(reduction));
        assert_eq!(all.without(reduction).with(reduction), all);
        assert_eq!(reduction.name().parse(), Ok(Reductions::NONE.with(reduction)));
        assert_eq!(Reduction::named(reduction.name()), Some(reduction));
        assert!(!reduction.about().is_empty());
        // Whoever counts executions may not merge those that differ in names.
        assert_eq!(all.minus(Reductions::counted()).has(reduction), !Reductions::counted().has(reduction));
    }
    let [symmetry, lock] = [Reduction::Symmetry, Reduction::LockWaits];
    let both: Reductions = "lock-waits, symmetry".parse().unwrap_or_default();
    assert_eq!(both, Reductions::NONE.with(symmetry).with(lock));
    assert_eq!(both.to_string(), "lock-waits,symmetry");
    assert!("".parse::<Reductions>().is_err() && "all,none".parse::<Reductions>().is_err());
}
