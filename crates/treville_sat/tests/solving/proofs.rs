//! Answers that nothing satisfies the clauses come with a derivation that our own checker accepts.

use crate::problem::{Problem, Random};
use treville_base::{BitMatrix, Cancel};
use treville_sat::{Lit, Orders, Proof, Solver, Verdict, lrat};

fn texts(proof: &Proof) -> (String, String) {
    let (mut cnf, mut lrat) = (Vec::new(), Vec::new());
    proof.write_dimacs(&mut cnf).expect("memory takes everything");
    proof.write_lrat(&mut lrat).expect("memory takes everything");
    (String::from_utf8_lossy(&cnf).into_owned(), String::from_utf8_lossy(&lrat).into_owned())
}

/// The clause that the proof ends with is right, and says that the assumptions cannot all hold.
fn check(proof: &Proof, assumptions: &[Lit]) {
    let (cnf, lrat) = texts(proof);
    let clause = lrat::check(&cnf, &lrat).unwrap_or_else(|fault| panic!("{fault:?}\n{cnf}\n{lrat}"));
    assert!(clause.iter().all(|lit| assumptions.contains(&!Lit::new(*lit))), "{clause:?} {assumptions:?}");
}

/// Each clause of the theory forbids a cycle.
fn check_lemmas(solver: &Solver<Orders>, proof: &Proof, problem: &Problem) {
    let orders = solver.theory();
    for lemma in orders.log() {
        let edges: Vec<_> = lemma.cycle.iter().map(|edge| orders.edge(*edge)).collect();
        let ends = edges.iter().map(|edge| (edge.from, edge.to));
        assert!(edges.iter().all(|edge| edge.order == edges[0].order));
        assert!(!BitMatrix::from_pairs(problem.n_nodes, ends).is_acyclic());
        for lit in edges.iter().map(|edge| edge.lit).filter(|lit| *lit != Lit::TRUE) {
            assert!(lemma.clause.contains(&!lit), "{lemma:?}");
        }
    }
    for mut clause in proof.lemmas() {
        clause.sort_unstable();
        assert!(orders.log().iter().any(|lemma| lemma.clause == clause), "{clause:?} was not logged");
    }
}

#[test]
fn proofs_with_a_theory_are_accepted() {
    let mut random = Random::new(5);
    let (mut n_proofs, mut n_lemmas) = (0, 0);
    for _ in 0..400 {
        let problem = Problem::random(&mut random);
        let (mut solver, proof) = Solver::with_proof(Orders::new());
        solver.theory_mut().keep_log();
        problem.give(&mut solver);
        problem.give_edges(&mut solver.theory_mut());
        for _ in 0..3 {
            let lit = |random: &mut Random| Lit::new(2 + random.below(problem.n_vars) as i32);
            let assumptions: Vec<Lit> =
                (0..random.below(3)).map(|_| lit(&mut random).negated_if(random.below(2) == 0)).collect();
            if solver.solve(&assumptions, &Cancel::new()) == Verdict::Unsat {
                check(&proof.borrow(), &assumptions);
                n_proofs += 1;
            }
        }
        n_lemmas += proof.borrow().lemmas().count();
        check_lemmas(&solver, &proof.borrow(), &problem);
    }
    assert!(n_proofs > 200 && n_lemmas > 100, "too easy: {n_proofs} {n_lemmas}");
}

/// Enough work for everything that the solver does between conflicts, with clauses added again and again.
#[test]
fn long_proofs_are_accepted() {
    let mut random = Random::new(9);
    let (mut solver, proof) = Solver::with_proof(treville_sat::NoTheory);
    let vars: Vec<Lit> = (0..140).map(|_| solver.new_var()).collect();
    let mut verdict = Verdict::Sat;
    while verdict == Verdict::Sat {
        for _ in 0..50 {
            let clause: Vec<Lit> =
                (0..3).map(|_| vars[random.below(vars.len())].negated_if(random.below(2) == 0)).collect();
            solver.add_clause(&clause);
        }
        verdict = solver.solve(&[], &Cancel::new());
    }
    assert_eq!(verdict, Verdict::Unsat);
    check(&proof.borrow(), &[]);
    assert!(solver.stats().conflicts > 500, "too easy: {:?}", solver.stats());
}
