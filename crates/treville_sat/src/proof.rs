//! What CaDiCaL has derived, and from what, so that somebody else can check it.
//!
//! A proof is written as texts, which [`crate::certificate`] reads: all clauses that were given, in the DIMACS format, and the derivation, in the LRAT format (L.
//! Cruz-Filipe et al., CADE 2017). Clauses of the theory count as given; they come last, after a comment, and their justification
//! is a text of its own ([`Proof::reasons`]). The clause derived last is the answer: empty, or of negated assumptions.

use crate::{Lemma, Lit, Orders};
use cadical_sys::ProofTracer;
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt::Write as _;
use std::io::{self, Write};
use treville_base::Idx;

type ClauseId = i64;

#[derive(Clone, Debug)]
enum Step {
    /// A clause that was given, by the theory if `is_lemma`.
    Given {
        id: ClauseId,
        clause: Vec<i32>,
        is_lemma: bool,
    },
    /// A clause that follows from the clauses `hints`, by unit propagation in their order.
    Derived {
        id: ClauseId,
        clause: Vec<i32>,
        hints: Vec<ClauseId>,
    },
    Deleted {
        id: ClauseId,
    },
}

#[derive(Clone, Default, Debug)]
pub struct Proof {
    steps: Vec<Step>,
    /// Clauses that were put aside, and may be used again.
    aside: FxHashSet<ClauseId>,
    /// Clauses that are given now are the theory's.
    pub(crate) is_theory: bool,
}

impl Proof {
    /// The clauses of the theory, in the order in which it told them.
    pub fn lemmas(&self) -> impl Iterator<Item = Vec<Lit>> + '_ {
        self.steps.iter().filter_map(|step| match step {
            Step::Given { clause, is_lemma: true, .. } => Some(clause.iter().map(|lit| Lit::new(*lit)).collect()),
            _ => None,
        })
    }

    /// How many clauses were given so far, those of the theory aside.
    pub fn n_inputs(&self) -> usize {
        self.given(false).len()
    }

    /// Why clauses of [`Proof::write_dimacs`] hold, as [`crate::certificate`] reads it: nothing is said of the first `n_encoded`,
    /// other inputs were judged, and those of the theory each have a cycle. None if `orders`, which must have kept its log, does
    /// not know one of them.
    pub fn reasons(&self, n_encoded: usize, orders: &Orders) -> Option<String> {
        let told: FxHashMap<&[Lit], &Lemma> =
            orders.log().iter().map(|lemma| (lemma.clause.as_slice(), lemma)).collect();
        let n_inputs = self.n_inputs();
        let mut text = format!("p lemmas {n_encoded}\n");
        for judged in n_encoded + 1..=n_inputs {
            let _ = writeln!(text, "j {judged}");
        }
        for (mut clause, number) in self.lemmas().zip(n_inputs + 1..) {
            clause.sort_unstable();
            clause.dedup();
            let cycle = &told.get(clause.as_slice())?.cycle;
            let order = orders.edge(*cycle.first()?).order.index() + 1;
            let path: Vec<String> = cycle.iter().map(|edge| format!("{} ->", orders.edge(*edge).from)).collect();
            let _ = writeln!(text, "c order {order}: {} {}", path.join(" "), orders.edge(cycle[0]).from);
            let _ = write!(text, "l {number}");
            for edge in cycle {
                let _ = write!(text, " {}", edge.index() + 1);
            }
            text.push_str(" 0\n");
        }
        Some(text)
    }

    /// All clauses that were given.
    pub fn write_dimacs(&self, out: &mut impl Write) -> io::Result<()> {
        let (inputs, lemmas) = (self.given(false), self.given(true));
        let clauses = || inputs.iter().chain(&lemmas).map(|(_, clause)| *clause);
        let n_vars = clauses().flatten().map(|lit| lit.unsigned_abs()).max().unwrap_or(0);
        writeln!(out, "p cnf {n_vars} {}", inputs.len() + lemmas.len())?;
        for (at, clause) in clauses().enumerate() {
            if at == inputs.len() {
                writeln!(out, "c clauses of the theory")?;
            }
            write_list(out, clause)?;
            writeln!(out)?;
        }
        Ok(())
    }

    /// The derivation from the clauses of [`Proof::write_dimacs`], which have the numbers from 1 on.
    pub fn write_lrat(&self, out: &mut impl Write) -> io::Result<()> {
        let given = self.given(false).into_iter().chain(self.given(true)).map(|(id, _)| id);
        let mut numbers: FxHashMap<ClauseId, usize> = given.zip(1..).collect();
        let mut last = numbers.len();
        for step in &self.steps {
            match step {
                Step::Given { .. } => {}
                Step::Derived { id, clause, hints } => {
                    last += 1;
                    numbers.insert(*id, last);
                    let hints: Vec<usize> = hints.iter().filter_map(|hint| numbers.get(hint)).copied().collect();
                    write!(out, "{last} ")?;
                    write_list(out, clause)?;
                    write!(out, " ")?;
                    write_list(out, &hints)?;
                    writeln!(out)?;
                }
                Step::Deleted { id } => {
                    if let Some(number) = numbers.get(id) {
                        writeln!(out, "{last} d {number} 0")?;
                    }
                }
            }
        }
        Ok(())
    }

    fn given(&self, lemmas: bool) -> Vec<(ClauseId, &Vec<i32>)> {
        let given = self.steps.iter().filter_map(|step| match step {
            Step::Given { id, clause, is_lemma } if *is_lemma == lemmas => Some((*id, clause)),
            _ => None,
        });
        given.collect()
    }

    fn clause(&self, wanted: ClauseId) -> Option<&Vec<i32>> {
        self.steps.iter().rev().find_map(|step| match step {
            Step::Given { id, clause, .. } | Step::Derived { id, clause, .. } if *id == wanted => Some(clause),
            _ => None,
        })
    }
}

/// Numbers with a 0 at the end.
fn write_list(out: &mut impl Write, numbers: &[impl std::fmt::Display]) -> io::Result<()> {
    for number in numbers {
        write!(out, "{number} ")?;
    }
    write!(out, "0")
}

impl ProofTracer for Proof {
    fn add_original_clause(&mut self, id: i64, _redundant: bool, clause: &[i32], restored: bool) {
        if !restored {
            self.steps.push(Step::Given { id, clause: clause.to_vec(), is_lemma: self.is_theory });
        }
    }

    fn add_derived_clause(&mut self, id: i64, _redundant: bool, _witness: i32, clause: &[i32], hints: &[i64]) {
        self.steps.push(Step::Derived { id, clause: clause.to_vec(), hints: hints.to_vec() });
    }

    fn delete_clause(&mut self, id: i64, _redundant: bool, _clause: &[i32]) {
        if !self.aside.contains(&id) {
            self.steps.push(Step::Deleted { id });
        }
    }

    fn weaken_minus(&mut self, id: i64, _clause: &[i32]) {
        self.aside.insert(id);
    }

    fn add_assumption_clause(&mut self, id: i64, clause: &[i32], hints: &[i64]) {
        self.add_derived_clause(id, true, 0, clause, hints);
    }

    /// Sees to it that the clause that the answer rests on is the last one.
    fn conclude_unsat(&mut self, _type: i32, ids: &[i64]) {
        let Some(concluding) = ids.last() else { return };
        let is_last = matches!(self.steps.last(), Some(Step::Derived { id, .. }) if id == concluding);
        if let Some(clause) = self.clause(*concluding).filter(|_| !is_last).cloned() {
            // A number of its own, which CaDiCaL does not use.
            let id = -1 - self.steps.len() as i64;
            self.steps.push(Step::Derived { id, clause, hints: vec![*concluding] });
        }
    }

    fn strengthen(&mut self, _id: i64) {}

    fn finalize_clause(&mut self, _id: i64, _clause: &[i32]) {}

    fn add_assumption(&mut self, _lit: i32) {}

    fn add_constraint(&mut self, _clause: &[i32]) {}

    fn reset_assumptions(&mut self) {}

    fn conclude_sat(&mut self, _type: i32, _model: &[i32]) {}

    fn conclude_unknown(&mut self, _trail: &[i32]) {}
}
