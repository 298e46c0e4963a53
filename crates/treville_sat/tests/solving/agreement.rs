//! On small random problems, clauses over edges that must form orders: all ways of solving agree with trying everything, and
//! every model is checked.

use crate::problem::{Problem, Random};
use treville_base::Cancel;
use treville_sat::{Backend, Orders, Solver, Verdict};

/// Whether there is a model, and how often the theory has spoken.
fn by_theory(backend: Backend, orders: Orders, problem: &Problem) -> (bool, u64) {
    let mut solver = Solver::with_theory(backend, orders);
    problem.give(&mut solver);
    problem.give_edges(&mut solver.theory_mut());
    let verdict = solver.solve(&[], &Cancel::new());
    if verdict == Verdict::Sat {
        assert!(problem.is_model(|lit| solver.value(lit)), "{problem:?}");
    }
    assert_ne!(verdict, Verdict::Unknown);
    let stats = solver.stats();
    (verdict == Verdict::Sat, stats.theory_conflicts + stats.theory_propagations)
}

/// With and without propagation, and with images of cycles, too: one of edges that exist is one whatever exchange has led to it.
fn ways(random: &mut Random, n_nodes: usize) -> [Orders; 3] {
    let mut with_images = Orders::new().without_propagation();
    let mut exchange = || {
        let pairs: Vec<_> = (0..3).map(|_| (random.below(n_nodes), random.below(n_nodes))).collect();
        pairs.into_iter().flat_map(|(a, b)| [(a, b), (b, a)]).collect()
    };
    with_images.set_exchanges(vec![exchange(), exchange()]);
    [Orders::new(), Orders::new().without_propagation(), with_images]
}

fn by_clauses(backend: Backend, problem: &Problem) -> bool {
    let mut solver = Solver::new(backend);
    problem.give(&mut solver);
    problem.give_acyclic(&mut solver);
    let verdict = solver.solve(&[], &Cancel::new());
    if verdict == Verdict::Sat {
        assert!(problem.is_model(|lit| solver.value(lit)), "{problem:?}");
    }
    assert_ne!(verdict, Verdict::Unknown);
    verdict == Verdict::Sat
}

#[test]
fn all_agree_with_trying_everything() {
    let mut random = Random::new(1);
    let (mut n_sat, mut n_spoken) = (0, 0);
    for _ in 0..600 {
        let problem = Problem::random(&mut random);
        let expected = problem.try_everything();
        n_sat += u32::from(expected);
        for backend in Backend::ALL {
            for orders in ways(&mut random, problem.n_nodes) {
                let (is_sat, spoken) = by_theory(*backend, orders, &problem);
                assert_eq!(is_sat, expected, "{backend:?} {problem:?}");
                n_spoken += spoken;
            }
            assert_eq!(by_clauses(*backend, &problem), expected, "{backend:?} {problem:?}");
        }
    }
    assert!((100..500).contains(&n_sat) && n_spoken > 1000, "too easy: {n_sat} {n_spoken}");
}

/// Larger ones, on which all must say the same.
#[test]
fn all_agree_with_each_other() {
    let mut random = Random::new(2);
    let (mut n_sat, mut n_spoken) = (0, 0);
    for _ in 0..60 {
        let problem = Problem::sized(&mut random, 120, 2, 40);
        let expected = by_clauses(Backend::default(), &problem);
        n_sat += u32::from(expected);
        for backend in Backend::ALL {
            for orders in ways(&mut random, problem.n_nodes) {
                let (is_sat, spoken) = by_theory(*backend, orders, &problem);
                assert_eq!(is_sat, expected, "{backend:?} {problem:?}");
                n_spoken += spoken;
            }
        }
    }
    assert!((10..50).contains(&n_sat) && n_spoken > 1000, "too easy: {n_sat} {n_spoken}");
}
