//! CaDiCaL: the theory through its interface for external propagators, cancellation through its terminator.

use crate::bridge::Bridge;
use crate::solver::{Core, SearchStats};
use crate::{Lit, Proof, Var, Verdict};
use cadical_sys::{CaDiCal, ExternalPropagator, Status, Terminator};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

pub(crate) struct Cadical {
    solver: CaDiCal,
    bridge: Rc<RefCell<Bridge>>,
    /// A theory that observes nothing is not connected, and costs nothing.
    is_connected: bool,
    proof: Option<Rc<RefCell<Proof>>>,
}

impl Cadical {
    /// Writes into `proof` what it does, if there is one.
    pub(crate) fn new(bridge: Rc<RefCell<Bridge>>, proof: Option<Rc<RefCell<Proof>>>) -> Self {
        let mut solver = CaDiCal::new();
        // Most literals are only implied by what they stand for: false is the better guess.
        solver.set("phase", 0);
        if let Some(proof) = &proof {
            solver.connect_proof_tracer1(Rc::clone(proof), true, false);
        }
        solver.connect_terminator(Polled { bridge: Rc::clone(&bridge), calls: 0 });
        Cadical { solver, bridge, is_connected: false, proof }
    }

    /// Whether clauses that are given from now on are the theory's.
    fn set_theory(&self, is_theory: bool) {
        if let Some(proof) = &self.proof {
            proof.borrow_mut().is_theory = is_theory;
        }
    }
}

impl Core for Cadical {
    fn add_clause(&mut self, clause: &[Lit]) {
        for lit in clause {
            self.solver.add(lit.number());
        }
        self.solver.add(0);
    }

    fn add_lemma(&mut self, clause: &[Lit]) {
        self.set_theory(true);
        self.add_clause(clause);
        self.set_theory(false);
    }

    fn observe(&mut self, var: Var) {
        if !self.is_connected {
            let bridge = Rc::clone(&self.bridge);
            self.solver.connect_external_propagator(Connection { bridge, clause: Outgoing::default(), reason: None });
            self.is_connected = true;
        }
        self.solver.add_observed_var(var.lit().number());
    }

    fn prefer(&mut self, lit: Lit) {
        self.solver.phase(lit.number());
    }

    fn limit(&mut self, conflicts: u32) {
        self.solver.limit("conflicts", i32::try_from(conflicts).unwrap_or(i32::MAX));
    }

    fn solve(&mut self, assumptions: &[Lit]) -> Verdict {
        for lit in assumptions {
            self.solver.assume(lit.number());
        }
        self.set_theory(true);
        let status = self.solver.solve();
        self.set_theory(false);
        if self.proof.is_some() {
            self.solver.conclude();
        }
        match status {
            Status::SATISFIABLE => Verdict::Sat,
            Status::UNSATISFIABLE => Verdict::Unsat,
            Status::UNKNOWN => Verdict::Unknown,
        }
    }

    fn value(&mut self, lit: Lit) -> bool {
        self.solver.val(lit.number()) == lit.number()
    }

    fn failed(&mut self, lit: Lit) -> bool {
        self.solver.failed(lit.number())
    }

    fn stats(&self) -> SearchStats {
        let of = |name| u64::try_from(self.solver.get_statistic_value(name)).unwrap_or(0);
        SearchStats { conflicts: of("conflicts"), decisions: of("decisions"), propagations: of("propagations") }
    }
}

/// Looks at the clock every so often only.
struct Polled {
    bridge: Rc<RefCell<Bridge>>,
    calls: u32,
}

impl Terminator for Polled {
    fn terminated(&mut self) -> bool {
        self.calls = self.calls.wrapping_add(1);
        self.calls.is_multiple_of(16) && self.bridge.try_borrow().is_ok_and(|bridge| bridge.is_over())
    }
}

/// A clause that is handed over literal by literal, with a 0 at its end.
#[derive(Default)]
struct Outgoing {
    lits: Vec<Lit>,
    next: Cell<usize>,
}

impl Outgoing {
    fn new(lits: Vec<Lit>) -> Self {
        Outgoing { lits, next: Cell::new(0) }
    }

    fn next(&self) -> i32 {
        let at = self.next.get();
        self.next.set(at + 1);
        self.lits.get(at).map_or(0, |lit| lit.number())
    }
}

struct Connection {
    bridge: Rc<RefCell<Bridge>>,
    clause: Outgoing,
    reason: Option<Outgoing>,
}

impl ExternalPropagator for Connection {
    fn are_reasons_forgettable(&mut self) -> bool {
        true
    }

    fn notify_assignment(&mut self, lits: &[i32]) {
        let mut bridge = self.bridge.borrow_mut();
        for lit in lits {
            bridge.assigned(Lit::new(*lit));
        }
    }

    fn notify_new_decision_level(&mut self) {
        self.bridge.borrow_mut().new_level();
    }

    fn notify_backtrack(&mut self, level: usize) {
        self.bridge.borrow_mut().backtrack(level);
    }

    fn cb_check_found_model(&mut self, _: &[i32]) -> bool {
        self.bridge.borrow_mut().final_check()
    }

    fn cb_propagate(&mut self) -> i32 {
        self.bridge.borrow_mut().propagate().map_or(0, Lit::number)
    }

    fn cb_add_reason_clause_lit(&mut self, propagated: i32) -> i32 {
        let reason =
            self.reason.get_or_insert_with(|| Outgoing::new(self.bridge.borrow_mut().reason(Lit::new(propagated))));
        let lit = reason.next();
        if lit == 0 {
            self.reason = None;
        }
        lit
    }

    fn cb_has_external_clause(&mut self, is_forgettable: &mut bool) -> bool {
        *is_forgettable = true;
        let lemma = self.bridge.borrow_mut().lemma();
        let is_some = lemma.is_some();
        self.clause = Outgoing::new(lemma.unwrap_or_default());
        is_some
    }

    fn cb_add_external_clause_lit(&mut self) -> i32 {
        self.clause.next()
    }
}
