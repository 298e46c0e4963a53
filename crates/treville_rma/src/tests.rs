//! Normal forms of comparisons, and how they are printed.

use crate::*;
use treville_base::{FileId, IndexVec, Name, Span};

fn program() -> Program {
    let span = Span::new(FileId(0), 0, 0);
    let var = |name: &str| Variable {
        name: Name::new(name),
        kind: VarKind::Shared,
        proc: ProcId(0),
        init: Init::Value(0),
        span,
    };
    Program {
        name: Name::new("test"),
        procs: IndexVec::new(),
        vars: ["x", "y", "z"].map(var).into_iter().collect(),
        remotes: IndexVec::new(),
        slots: IndexVec::new(),
        domain: None,
        properties: Vec::new(),
        predicates: Vec::new(),
    }
}

/// `a x + b y + c`
fn linear(a: i64, b: i64, c: i64) -> Linear {
    let sum = Linear::constant(c).plus(a, &Linear::var(VarId(0))).and_then(|l| l.plus(b, &Linear::var(VarId(1))));
    sum.expect("small numbers")
}

fn shown(a: i64, b: i64, c: i64, rel: Rel) -> String {
    let cond = Cond::compare(linear(a, b, c), rel).expect("small numbers");
    Shown(&program(), &cond).to_string()
}

#[test]
fn comparisons_are_printed_as_people_write_them() {
    assert_eq!(shown(1, 0, -3, Rel::Eq), "x == 3");
    assert_eq!(shown(-1, 0, 3, Rel::Ne), "x != 3");
    assert_eq!(shown(1, 0, 3, Rel::Eq), "x == -3");
    assert_eq!(shown(1, -1, 1, Rel::Le), "x < y");
    assert_eq!(shown(1, -1, 0, Rel::Le), "x <= y");
    assert_eq!(shown(-1, 0, 3, Rel::Le), "x > 2");
    assert_eq!(shown(-1, 0, 0, Rel::Le), "x >= 0");
    assert_eq!(shown(-1, 0, -3, Rel::Le), "x + 3 >= 0");
    assert_eq!(shown(2, -4, 6, Rel::Eq), "x + 3 == 2 * y");
    assert_eq!(shown(2, 0, -3, Rel::Eq), "false");
    assert_eq!(shown(2, 0, -3, Rel::Le), "x <= 1");
    assert_eq!(Shown(&program(), &linear(-1, 0, 1)).to_string(), "1 - x");
    assert_eq!(Shown(&program(), &linear(-1, -1, 0)).to_string(), "-(x + y)");
}

#[test]
fn negation_is_the_other_values() {
    for (a, b, c) in [(1, 0, -2), (2, -3, 1), (-1, 0, 4), (4, 2, -2), (3, 3, 1)] {
        for rel in [Rel::Eq, Rel::Ne, Rel::Le] {
            let cond = Cond::compare(linear(a, b, c), rel).expect("small numbers");
            let negated = cond.negated().expect("small numbers");
            for x in -6..6 {
                for y in -6..6 {
                    let value = |v: VarId| i128::from(if v == VarId(0) { x } else { y });
                    let sum = a * x + b * y + c;
                    let expected = match rel {
                        Rel::Eq => sum == 0,
                        Rel::Ne => sum != 0,
                        Rel::Le => sum <= 0,
                    };
                    let nowhere = |_| NodeId(0);
                    assert_eq!(cond.eval(&value, &nowhere), Some(expected));
                    assert_eq!(negated.eval(&value, &nowhere), Some(!expected));
                }
            }
        }
    }
}

#[test]
fn numbers_that_are_too_large_are_not_wrapped() {
    let large = Linear::constant(i64::MAX);
    assert_eq!(large.plus(1, &Linear::constant(1)), None);
    assert_eq!(Linear::var(VarId(0)).times(i64::MAX).and_then(|l| l.eval(&|_| i128::MAX / 2)), None);
    assert_eq!(Rmw::Faa.apply(i128::MAX, &[1]), None);
}
