//! batsat: a solver in Rust alone, for machines without a C++ compiler, and as a second opinion.

use crate::bridge::Bridge;
use crate::solver::{Core, SearchStats};
use crate::{Lit, Var, Verdict};
use batsat::{BasicSolver, SolverInterface, TheoryArg, lbool};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

pub(crate) struct Batsat {
    solver: BasicSolver,
    connection: Connection,
    is_stopped: Rc<Cell<bool>>,
}

impl Batsat {
    pub(crate) fn new(bridge: Rc<RefCell<Bridge>>) -> Self {
        let mut solver = BasicSolver::default();
        let is_stopped = Rc::new(Cell::new(false));
        let (polled, stopped, calls) = (Rc::clone(&bridge), Rc::clone(&is_stopped), Cell::new(0u32));
        solver.cb_mut().set_stop(move || {
            // Looks at the clock every so often only.
            calls.set(calls.get().wrapping_add(1));
            if calls.get().is_multiple_of(64) && polled.try_borrow().is_ok_and(|bridge| bridge.is_over()) {
                stopped.set(true);
            }
            stopped.get()
        });
        let connection = Connection { bridge, observed: Vec::new(), n_told: 0, levels: Vec::new(), reason: Vec::new() };
        Batsat { solver, connection, is_stopped }
    }

    /// As [`outgoing`], and sees to it that the solver has the variable.
    fn known(&mut self, lit: Lit) -> batsat::Lit {
        self.solver.var_of_int(lit.var().index() as u32 - 1);
        outgoing(lit)
    }
}

/// Variables are numbered from 0 there.
fn outgoing(lit: Lit) -> batsat::Lit {
    batsat::Lit::new(batsat::Var::unsafe_from_idx(lit.var().index() as u32 - 1), !lit.is_negated())
}

fn incoming(lit: batsat::Lit) -> Lit {
    Lit::new(lit.var().idx() as i32 + 1).negated_if(!lit.sign())
}

impl Core for Batsat {
    fn add_clause(&mut self, clause: &[Lit]) {
        let mut clause: Vec<batsat::Lit> = clause.iter().map(|lit| self.known(*lit)).collect();
        self.solver.add_clause_reuse(&mut clause);
    }

    fn observe(&mut self, var: Var) {
        let index = var.index();
        self.known(var.lit());
        self.connection.observed.resize(self.connection.observed.len().max(index + 1), false);
        self.connection.observed[index] = true;
    }

    fn solve(&mut self, assumptions: &[Lit]) -> Verdict {
        let assumptions: Vec<batsat::Lit> = assumptions.iter().map(|lit| self.known(*lit)).collect();
        self.is_stopped.set(false);
        // What is newly observed may have been true for long.
        self.connection.n_told = 0;
        let result = self.solver.solve_limited_th(&mut self.connection, &assumptions);
        if result == lbool::TRUE {
            Verdict::Sat
        } else if result == lbool::FALSE {
            Verdict::Unsat
        } else {
            Verdict::Unknown
        }
    }

    fn value(&mut self, lit: Lit) -> bool {
        self.solver.value_lit(outgoing(lit)) == lbool::TRUE
    }

    fn failed(&mut self, lit: Lit) -> bool {
        // It keeps the clause that follows, which has the assumptions negated.
        self.solver.unsat_core_contains_lit(!outgoing(lit))
    }

    fn stats(&self) -> SearchStats {
        SearchStats {
            conflicts: self.solver.num_conflicts(),
            decisions: self.solver.num_decisions(),
            propagations: self.solver.num_propagations(),
        }
    }
}

struct Connection {
    bridge: Rc<RefCell<Bridge>>,
    /// By variable.
    observed: Vec<bool>,
    /// How much of the trail the theory has been told, and how much at the start of each level.
    n_told: usize,
    levels: Vec<usize>,
    reason: Vec<batsat::Lit>,
}

impl Connection {
    /// Tells the theory what is new.
    fn tell(&mut self, solver: &TheoryArg) {
        let mut bridge = self.bridge.borrow_mut();
        for lit in solver.model()[self.n_told..].iter().map(|lit| incoming(*lit)) {
            if self.observed.get(lit.var().index()).is_some_and(|observed| *observed) {
                bridge.assigned(lit);
            }
        }
        self.n_told = solver.model().len();
    }

    /// Tells the solver what the theory says.
    fn ask(&self, solver: &mut TheoryArg) {
        let mut bridge = self.bridge.borrow_mut();
        while let Some(lit) = bridge.propagate() {
            if !solver.propagate(outgoing(lit)) {
                return;
            }
        }
        while let Some(clause) = bridge.lemma() {
            let clause: Vec<batsat::Lit> = clause.into_iter().map(outgoing).collect();
            // One clause is all that this solver takes of a conflict; others are of interest if they are violated, too.
            if clause.iter().all(|lit| solver.value(lit.var()) == lbool::new(!lit.sign())) {
                solver.raise_conflict(&clause, false);
                return;
            }
        }
    }
}

impl batsat::Theory for Connection {
    fn final_check(&mut self, solver: &mut TheoryArg) {
        self.tell(solver);
        if !self.bridge.borrow_mut().final_check() {
            self.ask(solver);
        }
    }

    fn partial_check(&mut self, solver: &mut TheoryArg) {
        self.tell(solver);
        self.ask(solver);
    }

    fn create_level(&mut self) {
        self.levels.push(self.n_told);
        self.bridge.borrow_mut().new_level();
    }

    fn pop_levels(&mut self, n: usize) {
        let level = self.levels.len().saturating_sub(n);
        if let Some(n_told) = self.levels.get(level) {
            self.n_told = *n_told;
        }
        self.levels.truncate(level);
        self.bridge.borrow_mut().backtrack(level);
    }

    fn n_levels(&self) -> usize {
        self.levels.len()
    }

    fn explain_propagation(&mut self, lit: batsat::Lit) -> &[batsat::Lit] {
        let clause = self.bridge.borrow_mut().reason(incoming(lit));
        self.reason.clear();
        self.reason.extend(clause.into_iter().map(outgoing).filter(|other| *other != lit).map(|other| !other));
        &self.reason
    }
}
