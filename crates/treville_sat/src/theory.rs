//! What a theory inside the search is: it hears of the literals that it observes as they become true, says which others
//! follow, and objects to assignments that it cannot accept. It knows nothing of the solver, nor the solver of it.
//!
//! The solver promises: literals are told in the order of its trail; [`Theory::backtrack`] forgets everything that was told
//! at higher levels, several at once if need be, and what stays true out of order is told again.

use crate::{Lit, Var};

/// What a theory wants done before the search starts.
#[derive(Default, Debug)]
pub struct Preparation {
    /// Variables that it wants to hear of from now on, and may speak of.
    pub observe: Vec<Var>,
    /// Clauses that hold already.
    pub clauses: Vec<Vec<Lit>>,
}

pub trait Theory {
    /// Called before each search, at level 0: everything above it is forgotten.
    fn prepare(&mut self) -> Preparation;

    /// An observed literal has become true.
    fn assigned(&mut self, lit: Lit);

    fn new_level(&mut self);

    /// Forgets what was told at levels above `level`.
    fn backtrack(&mut self, level: usize);

    /// The next clause of the theory that the assignment violates, or that is worth knowing; several may be waiting. Clauses
    /// speak of observed variables only, and hold always, so that backtracking does not make them false.
    fn lemma(&mut self) -> Option<Vec<Lit>>;

    /// The next literal that follows from the assignment.
    fn propagate(&mut self) -> Option<Lit>;

    /// The clause that made `lit` follow: `lit` and literals that were false when [`Theory::propagate`] gave it. Asked for at
    /// any time before `lit` is forgotten, or never.
    fn reason(&mut self, lit: Lit) -> Vec<Lit>;

    /// Everything is assigned: whether the theory accepts. If not, [`Theory::lemma`] says why.
    fn final_check(&mut self) -> bool;
}

/// The theory that accepts everything.
#[derive(Clone, Copy, Default, Debug)]
pub struct NoTheory;

impl Theory for NoTheory {
    fn prepare(&mut self) -> Preparation {
        Preparation::default()
    }

    fn assigned(&mut self, _: Lit) {}

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
