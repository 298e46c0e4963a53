//! The solver: one front for all backends, used incrementally. Clauses, variables and what the theory observes may grow between
//! searches; the model and the failed assumptions of a search stay readable until the next one.

use crate::bridge::Bridge;
use crate::{ClauseSink, Lit, NoTheory, Theory, Var};
use rustc_hash::FxHashSet;
use std::cell::{Ref, RefCell, RefMut};
use std::rc::Rc;
use treville_base::Cancel;

/// Who searches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Backend {
    #[cfg(feature = "cadical")]
    Cadical,
    #[cfg(feature = "batsat")]
    Batsat,
}

impl Backend {
    /// All that this build has, the preferred one first.
    pub const ALL: &[Backend] = &[
        #[cfg(feature = "cadical")]
        Backend::Cadical,
        #[cfg(feature = "batsat")]
        Backend::Batsat,
    ];

    fn start(self, bridge: Rc<RefCell<Bridge>>) -> Box<dyn Core> {
        match self {
            #[cfg(feature = "cadical")]
            Backend::Cadical => Box::new(crate::cadical::Cadical::new(bridge, None)),
            #[cfg(feature = "batsat")]
            Backend::Batsat => Box::new(crate::batsat::Batsat::new(bridge)),
        }
    }
}

impl Default for Backend {
    fn default() -> Self {
        Backend::ALL[0]
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    Sat,
    Unsat,
    /// Cancelled, or given up at the limit.
    Unknown,
}

#[derive(Clone, Copy, Default, Debug)]
pub struct Stats {
    pub variables: u64,
    /// Clauses that were added, those of the theory aside.
    pub clauses: u64,
    pub conflicts: u64,
    pub decisions: u64,
    pub propagations: u64,
    /// Clauses that the theory has objected with.
    pub theory_conflicts: u64,
    pub theory_propagations: u64,
}

/// What a backend counts.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct SearchStats {
    pub(crate) conflicts: u64,
    pub(crate) decisions: u64,
    pub(crate) propagations: u64,
}

/// What a backend must be able to do.
pub(crate) trait Core {
    fn add_clause(&mut self, clause: &[Lit]);
    /// Adds a clause that the theory has told.
    fn add_lemma(&mut self, clause: &[Lit]) {
        self.add_clause(clause);
    }
    fn observe(&mut self, var: Var);
    /// Guesses `lit` rather than its negation; may be ignored.
    fn prefer(&mut self, _lit: Lit) {}
    /// The next search gives up after so many conflicts; may be ignored.
    fn limit(&mut self, _conflicts: u32) {}
    /// Ends soon after [`Bridge::is_over`].
    fn solve(&mut self, assumptions: &[Lit]) -> Verdict;
    /// After [`Verdict::Sat`], until anything changes.
    fn value(&mut self, lit: Lit) -> bool;
    /// After [`Verdict::Unsat`], until anything changes; `lit` was assumed.
    fn failed(&mut self, lit: Lit) -> bool;
    fn stats(&self) -> SearchStats;
}

pub struct Solver<T = NoTheory> {
    core: Box<dyn Core>,
    bridge: Rc<RefCell<Bridge>>,
    theory: Rc<RefCell<T>>,
    n_vars: i32,
    n_clauses: u64,
    /// Variables up to here were there in a search, and may have been eliminated.
    n_searched: i32,
    observed: FxHashSet<Var>,
    model: Vec<bool>,
    core_lits: FxHashSet<Lit>,
}

impl Solver {
    pub fn new(backend: Backend) -> Self {
        Solver::with_theory(backend, NoTheory)
    }
}

impl<T: Theory + 'static> Solver<T> {
    pub fn with_theory(backend: Backend, theory: T) -> Self {
        Self::start(theory, |bridge| backend.start(bridge))
    }

    /// CaDiCaL, with a record of what it derives, which costs time and memory.
    #[cfg(feature = "cadical")]
    pub fn with_proof(theory: T) -> (Self, Rc<RefCell<crate::Proof>>) {
        let proof = Rc::default();
        let solver =
            Self::start(theory, |bridge| Box::new(crate::cadical::Cadical::new(bridge, Some(Rc::clone(&proof)))));
        (solver, proof)
    }

    fn start(theory: T, core: impl FnOnce(Rc<RefCell<Bridge>>) -> Box<dyn Core>) -> Self {
        let theory = Rc::new(RefCell::new(theory));
        let bridge = Rc::new(RefCell::new(Bridge::new(Rc::clone(&theory) as Rc<RefCell<dyn Theory>>)));
        let mut solver = Solver {
            core: core(Rc::clone(&bridge)),
            bridge,
            theory,
            n_vars: 1,
            n_clauses: 0,
            n_searched: 1,
            observed: FxHashSet::default(),
            model: Vec::new(),
            core_lits: FxHashSet::default(),
        };
        solver.add_clause(&[Lit::TRUE]);
        solver
    }

    pub fn theory(&self) -> Ref<'_, T> {
        self.theory.borrow()
    }

    /// To be given back before the next search.
    pub fn theory_mut(&mut self) -> RefMut<'_, T> {
        self.theory.borrow_mut()
    }

    /// A positive literal of a new variable.
    pub fn new_var(&mut self) -> Lit {
        self.n_vars = self.n_vars.checked_add(1).expect("more than 2^31 variables");
        Lit::new(self.n_vars)
    }

    pub fn add_clause(&mut self, clause: &[Lit]) {
        self.n_clauses += 1;
        self.core.add_clause(clause);
    }

    /// Where the variable of `lit` has to be guessed, `lit` is: a hint, which batsat ignores. Literals that mean something only if they
    /// are true, such as edges that clauses never ask for, are better guessed false.
    pub fn prefer(&mut self, lit: Lit) {
        self.core.prefer(lit);
    }

    /// The next search gives up after so many conflicts, if the backend can count them beforehand; batsat cannot.
    pub fn limit(&mut self, conflicts: u32) {
        self.core.limit(conflicts);
    }

    /// Whether there is a model of the clauses that the theory accepts and in which all `assumptions` hold.
    pub fn solve(&mut self, assumptions: &[Lit], cancel: &Cancel) -> Verdict {
        if cancel.is_due() {
            return Verdict::Unknown;
        }
        self.prepare();
        self.bridge.borrow_mut().start(cancel);
        self.n_searched = self.n_vars;
        let verdict = self.core.solve(assumptions);
        if let Some(panic) = self.bridge.borrow_mut().take_panic() {
            std::panic::resume_unwind(panic);
        }
        match verdict {
            Verdict::Sat => self.model = (1..=self.n_vars).map(|v| self.core.value(Lit::new(v))).collect(),
            Verdict::Unsat => {
                self.core_lits = assumptions.iter().copied().filter(|lit| self.core.failed(*lit)).collect();
            }
            Verdict::Unknown => {}
        }
        verdict
    }

    fn prepare(&mut self) {
        let preparation = self.theory.borrow_mut().prepare();
        for var in preparation.observe {
            self.observe(var);
        }
        for clause in preparation.clauses {
            self.n_clauses += 1;
            self.core.add_lemma(&clause);
        }
    }

    fn observe(&mut self, var: Var) {
        if !self.observed.insert(var) {
            return;
        }
        let is_clean = var.lit().number() > self.n_searched;
        let observed = if is_clean { var } else { self.proxy(var) };
        self.core.observe(observed);
    }

    /// A new variable that equals `var`.
    fn proxy(&mut self, var: Var) -> Var {
        let proxy = self.new_var();
        self.bridge.borrow_mut().add_proxy(var, proxy.var());
        self.add_clause(&[!proxy, var.lit()]);
        self.add_clause(&[proxy, !var.lit()]);
        proxy.var()
    }

    /// The value of `lit` in the last model; what is not in it is false.
    pub fn value(&self, lit: Lit) -> bool {
        let positive = self.model.get(lit.var().index() - 1).is_some_and(|value| *value);
        positive != lit.is_negated()
    }

    /// Whether `lit`, an assumption of the last search, is one of those that cannot hold together.
    pub fn failed(&self, lit: Lit) -> bool {
        self.core_lits.contains(&lit)
    }

    pub fn stats(&self) -> Stats {
        let search = self.core.stats();
        let bridge = self.bridge.borrow();
        Stats {
            variables: self.n_vars.unsigned_abs().into(),
            clauses: self.n_clauses,
            conflicts: search.conflicts,
            decisions: search.decisions,
            propagations: search.propagations,
            theory_conflicts: bridge.n_lemmas,
            theory_propagations: bridge.n_propagations,
        }
    }
}

impl<T: Theory + 'static> ClauseSink for Solver<T> {
    fn new_var(&mut self) -> Lit {
        Solver::new_var(self)
    }

    fn add_clause(&mut self, clause: &[Lit]) {
        Solver::add_clause(self, clause);
    }
}
