//! Searches that do not run to their end: cancelled ones, and those whose theory panics.

use std::panic::{AssertUnwindSafe, catch_unwind};
use treville_base::Cancel;
use treville_sat::{Backend, Gates, Lit, Preparation, Solver, Theory, Var, Verdict};

/// More pigeons than holes: no search will end this soon.
fn crowd(solver: &mut impl treville_sat::ClauseSink, n: usize) {
    let mut gates = Gates::new(solver);
    let places: Vec<Vec<Lit>> = (0..=n).map(|_| (0..n).map(|_| gates.fresh()).collect()).collect();
    for pigeon in &places {
        gates.clause(pigeon);
    }
    for hole in 0..n {
        for (i, a) in places.iter().enumerate() {
            for b in &places[i + 1..] {
                gates.clause(&[!a[hole], !b[hole]]);
            }
        }
    }
}

/// Cancels when it has heard enough, or panics.
struct Impatient {
    watched: Vec<Var>,
    n_heard: usize,
    cancel: Cancel,
    panics: bool,
}

impl Theory for Impatient {
    fn prepare(&mut self) -> Preparation {
        Preparation { observe: std::mem::take(&mut self.watched), clauses: Vec::new() }
    }

    fn assigned(&mut self, _: Lit) {
        self.n_heard += 1;
        if self.n_heard == 2000 {
            assert!(!self.panics, "heard enough");
            self.cancel.cancel();
        }
    }

    fn new_level(&mut self) {}

    fn backtrack(&mut self, _: usize) {}

    fn lemma(&mut self) -> Option<Vec<Lit>> {
        None
    }

    fn propagate(&mut self) -> Option<Lit> {
        None
    }

    fn reason(&mut self, lit: Lit) -> Vec<Lit> {
        vec![lit]
    }

    fn final_check(&mut self) -> bool {
        true
    }
}

fn impatient(backend: Backend, cancel: &Cancel, panics: bool) -> Solver<Impatient> {
    let watched = (2..100).map(|number| Lit::new(number).var()).collect();
    let theory = Impatient { watched, n_heard: 0, cancel: cancel.clone(), panics };
    let mut solver = Solver::with_theory(backend, theory);
    crowd(&mut solver, 12);
    solver
}

#[test]
fn cancelled_searches_end_and_can_go_on() {
    for backend in Backend::ALL {
        let cancel = Cancel::new();
        let mut solver = impatient(*backend, &cancel, false);
        assert_eq!(solver.solve(&[], &cancel), Verdict::Unknown);
        assert_eq!(solver.solve(&[], &cancel), Verdict::Unknown, "it stays cancelled");
        let wrong = solver.new_var();
        solver.add_clause(&[wrong]);
        solver.add_clause(&[!wrong]);
        assert_eq!(solver.solve(&[], &Cancel::new()), Verdict::Unsat);
    }
}

#[test]
fn panics_of_theories_arrive_after_the_search() {
    for backend in Backend::ALL {
        let cancel = Cancel::new();
        let mut solver = impatient(*backend, &cancel, true);
        let result = catch_unwind(AssertUnwindSafe(|| solver.solve(&[], &cancel)));
        let panic = result.expect_err("the theory panics");
        assert_eq!(panic.downcast_ref::<&str>(), Some(&"heard enough"));
    }
}
