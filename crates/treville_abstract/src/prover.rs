//! The proof under SC, by predicates that are given or found; and from it, proofs on remote memory for placements of flushes.

use crate::boolean::{BoolProgram, Refused, Sharing, abstracted};
use crate::checker::{Checked, Checker, Counterexample, Elements, Settings};
use crate::direct::direct;
use crate::refine::{Lesson, learn};
use crate::show::How;
use crate::z3::Solver;
use std::collections::BTreeSet;
use treville_base::{BitSet, Cancel};
use treville_rma::{Atom, Cond, Op, Program, Rel};
use treville_rma_machine::Reduction;

/// How the boolean program of the reduction is made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Abstraction {
    /// With a solver, from the statements of the reduction.
    Direct,
    /// From the boolean program under SC.
    Extrapolated,
}

#[derive(Clone, Debug)]
pub struct Options {
    pub abstraction: Abstraction,
    pub reduction: Reduction,
    pub sharing: Sharing,
    /// Begin with the predicates that the program gives.
    pub given: bool,
    pub elements: Elements,
    /// The longest cube.
    pub longest: usize,
    /// Of new predicates, in one proof.
    pub max_rounds: usize,
    pub max_states: usize,
    pub solver: Solver,
    pub cancel: Cancel,
}

impl Options {
    pub fn new() -> Self {
        Options {
            abstraction: Abstraction::Extrapolated,
            reduction: Reduction::Counted,
            sharing: Sharing::Statement,
            given: true,
            elements: Elements::Apart(8),
            longest: 2,
            max_rounds: 40,
            max_states: 2_000_000,
            solver: Solver::Omega,
            cancel: Cancel::new(),
        }
    }
}

impl Default for Options {
    fn default() -> Self {
        Self::new()
    }
}

/// So many paths are learnt from before the order of numbers is.
const ORDER_AFTER: usize = 6;

/// The longest cubes that are tried where shorter ones are not enough.
const LONGEST: usize = 3;

/// What came of a proof under SC.
#[derive(Debug)]
pub enum Sequential<'p> {
    Proved(Box<Prover<'p>>),
    /// It fails, by this path, which has been run.
    Fails(Counterexample),
    Open(String),
}

/// A program that is proved under SC.
#[derive(Debug)]
pub struct Prover<'p> {
    program: &'p Program,
    options: Options,
    predicates: Vec<Atom>,
    pub sequential: BoolProgram<'p>,
    pub extrapolated: BoolProgram<'p>,
    /// How often predicates were added.
    pub rounds: usize,
    /// States of the last check.
    pub states: usize,
}

fn starting(program: &Program, given: bool) -> Vec<Atom> {
    let mut atoms = Vec::new();
    if given {
        program.predicates.iter().for_each(|atom| add(&mut atoms, atom.clone()));
    }
    if atoms.is_empty() {
        for node in program.procs.iter().flat_map(|p| p.nodes.iter()) {
            if let Op::Assume { cond, .. } | Op::Assert { cond, .. } | Op::Branch { cond, .. } = &node.op {
                cond.atoms().into_iter().for_each(|atom| add(&mut atoms, atom));
            }
        }
    }
    for property in &program.properties {
        property.cond.atoms().into_iter().for_each(|atom| add(&mut atoms, atom));
    }
    atoms
}

/// Adds a predicate, unless it or its opposite is there.
fn add(predicates: &mut Vec<Atom>, atom: Atom) {
    let same = |p: &Atom| *p == atom || p.negated().as_ref() == Some(&atom);
    if !predicates.iter().any(same) {
        predicates.push(atom);
    }
}

/// For variables that are computed, adds predicates about their order where there are some about equality.
fn order(program: &Program, predicates: &mut Vec<Atom>) {
    let mut computed = BTreeSet::new();
    for node in program.procs.iter().flat_map(|p| p.nodes.iter()) {
        if let Op::Assign { var, value, .. } = &node.op
            && value.offset() != 0
            && !value.terms().is_empty()
        {
            computed.insert(*var);
        }
    }
    for atom in predicates.clone() {
        let [(var, 1)] = atom.linear().terms() else { continue };
        if atom.rel() != Rel::Le && computed.contains(var) {
            let below = Cond::compare(atom.linear().clone(), Rel::Le);
            if let Some(Cond::Atom(below)) = below {
                add(predicates, below);
            }
        }
    }
}

/// The boolean program of the reduction.
fn reduced<'p>(sequential: &BoolProgram<'p>, options: &Options) -> Result<BoolProgram<'p>, Refused> {
    match options.abstraction {
        Abstraction::Extrapolated => sequential.extrapolated(options.sharing),
        Abstraction::Direct => direct(sequential, options.sharing, &options.solver, options.longest, &options.cancel),
    }
}

/// Looks for a proof under SC.
pub fn sequential<'p>(program: &'p Program, options: &Options) -> Sequential<'p> {
    match prove_sequential(program, options) {
        Ok(done) => done,
        Err(why) => Sequential::Open(why),
    }
}

fn prove_sequential<'p>(program: &'p Program, options: &Options) -> Result<Sequential<'p>, Refused> {
    let mut options = options.clone();
    let mut predicates = starting(program, options.given);
    let (elements, max_states, cancel) = (options.elements, options.max_states, options.cancel.clone());
    let placement = BitSet::new(program.slots.len());
    let settings = |split| {
        let (placement, cancel) = (placement.clone(), cancel.clone());
        Settings { reduction: None, placement, split, elements, max_states, cancel }
    };
    let (mut rounds, mut ordered) = (0, false);
    loop {
        if options.cancel.is_due() {
            return Err("the time is over".to_owned());
        }
        let sequential = abstracted(program, &predicates, &options.solver, options.longest, &options.cancel)?;
        let (unsplit, split) = (settings(false), settings(true));
        let mut checked = Checker::new(&sequential, &unsplit).run();
        if let Checked::MayFail(path) = &checked {
            let mut news = lesson(program, path, true, &options, &mut predicates);
            if news == Some(false) {
                checked = Checker::new(&sequential, &split).run();
                if let Checked::MayFail(path) = &checked {
                    news = lesson(program, path, true, &options, &mut predicates);
                }
            }
            // Paths that differ only in how often a loop runs teach one number after the other: try their order.
            if news.is_some() && !ordered && (news == Some(false) || rounds == ORDER_AFTER) {
                ordered = true;
                let n = predicates.len();
                order(program, &mut predicates);
                news = news.map(|new| new || predicates.len() > n);
            }
            match (news, checked) {
                (None, Checked::MayFail(path)) => {
                    if path.replayed(program, &placement, &options.solver, &cancel).is_some() {
                        return Ok(Sequential::Fails(path));
                    }
                    return Err("neither a proof nor values for a path that may fail were found".to_owned());
                }
                (Some(false), Checked::MayFail(_)) if options.longest < LONGEST => {
                    options.longest += 1;
                    continue;
                }
                (Some(false), Checked::MayFail(_)) => {
                    return Err("no predicate tells why a path cannot happen".to_owned());
                }
                (Some(true), Checked::MayFail(_)) if rounds < options.max_rounds => {
                    rounds += 1;
                    continue;
                }
                (_, Checked::MayFail(_)) => return Err(format!("no proof with predicates from {rounds} paths")),
                (_, other) => checked = other,
            }
        }
        if let Checked::Open(why) = checked {
            return Err(why);
        }
        let extrapolated = reduced(&sequential, &options)?;
        let prover = Prover { program, options, predicates, sequential, extrapolated, rounds, states: 0 };
        return Ok(Sequential::Proved(Box::new(prover)));
    }
}

/// Nothing if the path may be real; else whether predicates were added.
fn lesson(
    program: &Program,
    path: &Counterexample,
    sequential: bool,
    options: &Options,
    predicates: &mut Vec<Atom>,
) -> Option<bool> {
    match learn(program, path, sequential, &options.solver, &options.cancel) {
        Lesson::Feasible => None,
        Lesson::Spurious(atoms) => {
            let n = predicates.len();
            atoms.into_iter().for_each(|atom| add(predicates, atom));
            Some(predicates.len() > n)
        }
    }
}

impl Prover<'_> {
    pub fn predicates(&self) -> &[Atom] {
        &self.predicates
    }

    /// Whether the program holds on remote memory with these flushes. Predicates are added as long as paths that cannot
    /// happen teach some; each time so many states are looked at.
    pub fn check(&mut self, placement: &BitSet, max_states: usize) -> Checked {
        self.options.max_states = max_states;
        let mut left = self.options.max_rounds;
        loop {
            let mut result = self.check_once(placement, false);
            if let Checked::MayFail(path) = &result {
                let mut news = lesson(self.program, path, false, &self.options, &mut self.predicates);
                if news != Some(true) {
                    result = self.check_once(placement, true);
                    if let Checked::MayFail(path) = &result {
                        news = lesson(self.program, path, false, &self.options, &mut self.predicates);
                    }
                }
                if news == Some(true) && matches!(result, Checked::MayFail(_)) && left > 0 {
                    left -= 1;
                    self.rounds += 1;
                    match self.rebuilt() {
                        Ok(()) => continue,
                        Err(why) => return Checked::Open(why),
                    }
                }
            }
            return result;
        }
    }

    /// The boolean programs for the predicates as they are now.
    fn rebuilt(&mut self) -> Result<(), Refused> {
        let Options { solver, longest, cancel, .. } = &self.options;
        self.sequential = abstracted(self.program, &self.predicates, solver, *longest, cancel)?;
        self.extrapolated = reduced(&self.sequential, &self.options)?;
        Ok(())
    }

    fn check_once(&mut self, placement: &BitSet, split: bool) -> Checked {
        let settings = Settings {
            reduction: Some(self.options.reduction),
            placement: placement.clone(),
            split,
            elements: self.options.elements,
            max_states: self.options.max_states,
            cancel: self.options.cancel.clone(),
        };
        let mut checker = Checker::new(&self.extrapolated, &settings);
        let result = checker.run();
        self.states = checker.n_states();
        result
    }

    /// The boolean program of the reduction as it is checked with these flushes.
    pub fn shown(&self, placement: &BitSet) -> String {
        let Options { reduction, elements, .. } = self.options;
        self.extrapolated.shown(How { placement, reduction, elements })
    }

    pub fn program(&self) -> &Program {
        self.program
    }
}
