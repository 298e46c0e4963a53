//! A solver that grows between searches answers as one that was given everything at once.

use crate::problem::{Problem, Random};
use treville_base::Cancel;
use treville_sat::{Backend, Lit, Orders, Solver, Verdict};

type Check = fn(&mut Solver<Orders>, &Problem, &[Lit]);

/// Gives a problem in parts, clauses and edges, with searches under assumptions after each part.
fn in_parts(backend: Backend, problem: &Problem, random: &mut Random, check: Check) {
    let mut solver = Solver::with_theory(backend, Orders::new());
    let orders: Vec<_> = (0..problem.n_orders).map(|_| solver.theory_mut().add_order()).collect();
    for _ in 0..problem.n_vars {
        solver.new_var();
    }
    let mut given = Problem { edges: Vec::new(), clauses: Vec::new(), ..problem.clone() };
    let n_parts = 4;
    for part in 0..n_parts {
        for clause in problem.clauses.iter().skip(part).step_by(n_parts) {
            solver.add_clause(clause);
            given.clauses.push(clause.clone());
        }
        for edge in problem.edges.iter().skip(part).step_by(n_parts) {
            solver.theory_mut().add_edge(orders[edge.0], edge.1, edge.2, edge.3);
            given.edges.push(*edge);
        }
        for _ in 0..2 {
            let lit = |random: &mut Random| Lit::new(2 + random.below(problem.n_vars) as i32);
            let assumptions: Vec<Lit> =
                (0..random.below(4)).map(|_| lit(random).negated_if(random.below(2) == 0)).collect();
            solver.prefer(lit(random).negated_if(random.below(2) == 0));
            check(&mut solver, &given, &assumptions);
        }
    }
}

/// Compares with trying everything.
fn check_small(solver: &mut Solver<Orders>, given: &Problem, assumptions: &[Lit]) {
    match solver.solve(assumptions, &Cancel::new()) {
        Verdict::Sat => {
            assert!(given.is_model(|lit| solver.value(lit)), "{given:?}");
            assert!(assumptions.iter().all(|lit| solver.value(*lit)));
        }
        Verdict::Unsat => {
            // Those that failed are enough.
            let failed: Vec<Lit> = assumptions.iter().copied().filter(|lit| solver.failed(*lit)).collect();
            let mut clauses = given.clauses.clone();
            clauses.extend(failed.iter().map(|lit| vec![*lit]));
            let assumed = Problem { clauses, ..given.clone() };
            assert!(!assumed.try_everything(), "{failed:?} of {assumptions:?} {given:?}");
        }
        Verdict::Unknown => panic!("nobody has cancelled"),
    }
}

#[test]
fn problems_in_parts() {
    for backend in Backend::ALL {
        let mut random = Random::new(3);
        for _ in 0..300 {
            let problem = Problem::random(&mut random);
            in_parts(*backend, &problem, &mut random, check_small);
        }
    }
}

/// Compares with a new solver and clauses in place of the theory.
fn check_large(solver: &mut Solver<Orders>, given: &Problem, assumptions: &[Lit]) {
    let mut other = Solver::new(Backend::default());
    given.give(&mut other);
    given.give_acyclic(&mut other);
    let verdict = solver.solve(assumptions, &Cancel::new());
    assert_eq!(verdict, other.solve(assumptions, &Cancel::new()), "{assumptions:?} {given:?}");
    if verdict == Verdict::Sat {
        assert!(given.is_model(|lit| solver.value(lit)), "{given:?}");
    }
}

#[test]
fn large_problems_in_parts() {
    for backend in Backend::ALL {
        let mut random = Random::new(6);
        for _ in 0..40 {
            let problem = Problem::sized(&mut random, 120, 2, 40);
            in_parts(*backend, &problem, &mut random, check_large);
        }
    }
}

/// Variables that a search has eliminated can still become edges.
#[test]
fn old_variables_become_edges() {
    for backend in Backend::ALL {
        let mut solver = Solver::with_theory(*backend, Orders::new());
        let lits: Vec<Lit> = (0..40).map(|_| solver.new_var()).collect();
        for pair in lits.windows(2) {
            solver.add_clause(&[!pair[0], pair[1]]);
        }
        assert_eq!(solver.solve(&[lits[0]], &Cancel::new()), Verdict::Sat);
        let order = solver.theory_mut().add_order();
        for (at, lit) in lits.iter().enumerate() {
            solver.theory_mut().add_edge(order, at, (at + 1) % lits.len(), *lit);
        }
        assert_eq!(solver.solve(&[lits[0]], &Cancel::new()), Verdict::Unsat);
        assert!(solver.failed(lits[0]));
        assert_eq!(solver.solve(&[lits[1]], &Cancel::new()), Verdict::Sat);
        assert!(lits[1..].iter().all(|lit| solver.value(*lit)) && !solver.value(lits[0]));
    }
}
