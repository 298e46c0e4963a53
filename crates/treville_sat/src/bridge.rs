//! Between a solver and a theory: translates literals, counts, and stops panics, which must not reach the C++ frames of a solver.
//!
//! A variable that a solver has searched with may have been eliminated, and can then no longer be observed. The theory hears of
//! it through a *proxy*, a new variable that equals it.

use crate::{Lit, Theory, Var};
use rustc_hash::FxHashMap;
use std::any::Any;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use treville_base::Cancel;

pub(crate) struct Bridge {
    theory: Rc<RefCell<dyn Theory>>,
    /// From variables of the theory to variables of the solver, and back.
    proxies: FxHashMap<Var, Var>,
    originals: FxHashMap<Var, Var>,
    panic: Option<Box<dyn Any + Send>>,
    cancel: Cancel,
    pub(crate) n_lemmas: u64,
    pub(crate) n_propagations: u64,
}

impl Bridge {
    pub(crate) fn new(theory: Rc<RefCell<dyn Theory>>) -> Self {
        Bridge {
            theory,
            proxies: FxHashMap::default(),
            originals: FxHashMap::default(),
            panic: None,
            cancel: Cancel::new(),
            n_lemmas: 0,
            n_propagations: 0,
        }
    }

    pub(crate) fn add_proxy(&mut self, original: Var, proxy: Var) {
        self.proxies.insert(original, proxy);
        self.originals.insert(proxy, original);
    }

    pub(crate) fn start(&mut self, cancel: &Cancel) {
        self.cancel = cancel.clone();
    }

    /// Whether the search should end.
    pub(crate) fn is_over(&self) -> bool {
        self.panic.is_some() || self.cancel.is_due()
    }

    /// What a callback has panicked with, to be thrown again where no foreign frame is in the way.
    pub(crate) fn take_panic(&mut self) -> Option<Box<dyn Any + Send>> {
        self.panic.take()
    }

    /// Calls the theory; after a panic it is left alone, and `otherwise` is the answer until the search has ended.
    fn call<R>(&mut self, otherwise: R, f: impl FnOnce(&mut dyn Theory) -> R) -> R {
        if self.panic.is_some() {
            return otherwise;
        }
        match catch_unwind(AssertUnwindSafe(|| f(&mut *self.theory.borrow_mut()))) {
            Ok(result) => result,
            Err(panic) => {
                self.panic = Some(panic);
                otherwise
            }
        }
    }

    pub(crate) fn assigned(&mut self, lit: Lit) {
        let lit = translate(&self.originals, lit);
        self.call((), |theory| theory.assigned(lit));
    }

    pub(crate) fn new_level(&mut self) {
        self.call((), |theory| theory.new_level());
    }

    pub(crate) fn backtrack(&mut self, level: usize) {
        self.call((), |theory| theory.backtrack(level));
    }

    pub(crate) fn lemma(&mut self) -> Option<Vec<Lit>> {
        let mut clause = self.call(None, |theory| theory.lemma())?;
        self.n_lemmas += 1;
        self.proxied(&mut clause);
        Some(clause)
    }

    pub(crate) fn propagate(&mut self) -> Option<Lit> {
        let lit = self.call(None, |theory| theory.propagate())?;
        self.n_propagations += 1;
        Some(translate(&self.proxies, lit))
    }

    /// A clause with `lit`, whatever the theory says.
    pub(crate) fn reason(&mut self, lit: Lit) -> Vec<Lit> {
        let original = translate(&self.originals, lit);
        let mut clause = self.call(vec![original], |theory| theory.reason(original));
        if !clause.contains(&original) {
            clause.push(original);
        }
        self.proxied(&mut clause);
        clause
    }

    pub(crate) fn final_check(&mut self) -> bool {
        self.call(true, |theory| theory.final_check())
    }

    fn proxied(&self, clause: &mut [Lit]) {
        for lit in clause {
            *lit = translate(&self.proxies, *lit);
        }
    }
}

fn translate(table: &FxHashMap<Var, Var>, lit: Lit) -> Lit {
    if table.is_empty() {
        return lit;
    }
    table.get(&lit.var()).map_or(lit, |var| var.lit().negated_if(lit.is_negated()))
}
