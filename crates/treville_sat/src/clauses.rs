//! Where clauses go: a solver, or a list of them.

use crate::Lit;

/// Makes variables and takes clauses. Variable 1 is the constant [`Lit::TRUE`].
pub trait ClauseSink {
    /// The positive literal of a variable that nobody has seen.
    fn new_var(&mut self) -> Lit;
    /// At least one of `clause` holds; none of them is a contradiction.
    fn add_clause(&mut self, clause: &[Lit]);
}

impl<S: ClauseSink> ClauseSink for &mut S {
    fn new_var(&mut self) -> Lit {
        (**self).new_var()
    }

    fn add_clause(&mut self, clause: &[Lit]) {
        (**self).add_clause(clause);
    }
}

/// Clauses as data.
#[derive(Clone, Debug)]
pub struct Cnf {
    pub n_vars: usize,
    pub clauses: Vec<Vec<Lit>>,
}

impl Cnf {
    pub fn new() -> Self {
        Cnf { n_vars: 1, clauses: vec![vec![Lit::TRUE]] }
    }
}

impl Default for Cnf {
    fn default() -> Self {
        Self::new()
    }
}

impl ClauseSink for Cnf {
    fn new_var(&mut self) -> Lit {
        self.n_vars += 1;
        Lit::new(i32::try_from(self.n_vars).expect("more than 2^31 variables"))
    }

    fn add_clause(&mut self, clause: &[Lit]) {
        self.clauses.push(clause.to_vec());
    }
}
