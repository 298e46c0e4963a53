//! A portfolio of proof configurations. Each proves the program under SC once, and reuses what it learns at one placement of flushes
//! for the next. All run with a small budget first, then with a larger one: which proof is short depends on the program.

use crate::boolean::Sharing;
use crate::checker::{Checked, Counterexample, Elements};
use crate::prover::{Abstraction, Options, Prover, Sequential, sequential};
use crate::z3::Solver;
use treville_base::{BitSet, Cancel};
use treville_rma::Program;
use treville_rma_machine::Reduction;

/// What the ways have in common.
#[derive(Clone, Debug)]
pub struct PortfolioOptions {
    /// Only by this reduction.
    pub reduction: Option<Reduction>,
    pub abstraction: Abstraction,
    /// Whether predicates that the program gives may be used.
    pub given: bool,
    pub solver: Solver,
    pub cancel: Cancel,
}

impl Default for PortfolioOptions {
    fn default() -> Self {
        PortfolioOptions {
            reduction: None,
            abstraction: Abstraction::Extrapolated,
            given: true,
            solver: Solver::Omega,
            cancel: Cancel::new(),
        }
    }
}

enum Way<'p> {
    Untried,
    Prover(Box<Prover<'p>>),
    Fails(Counterexample),
    Without(String),
}

pub struct Portfolio<'p> {
    program: &'p Program,
    ways: Vec<(Options, Way<'p>)>,
    /// The way that found the last answer.
    last: Option<usize>,
}

/// Figures about the way that found the last answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Figures {
    pub predicates: usize,
    pub extrapolated: usize,
    /// Lines of the boolean program under SC, and of that of the reduction.
    pub lines: [usize; 2],
    /// How often predicates were added.
    pub rounds: usize,
    /// Questions to the solver for the last boolean program.
    pub queries: usize,
    /// States of the last check.
    pub states: usize,
    /// Whether predicates that the program gives were used.
    pub given: bool,
    pub reduction: Reduction,
}

/// How long a proof is looked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Budget {
    /// Each way once, with few states.
    Small,
    Large,
}

/// How many states a way may look at, one time after the other.
const STATES: [usize; 3] = [50_000, 200_000, 600_000];

/// All ways, in this order. Most programs are proved by the first.
fn ways(wanted: &PortfolioOptions) -> Vec<Options> {
    let base = Options {
        max_states: STATES[0],
        max_rounds: 12,
        given: false,
        abstraction: wanted.abstraction,
        solver: wanted.solver.clone(),
        cancel: wanted.cancel.clone(),
        ..Options::new()
    };
    let given = Options { given: true, ..base.clone() };
    let printed = Options {
        reduction: Reduction::Table2,
        sharing: Sharing::Variable,
        elements: Elements::Together,
        ..base.clone()
    };
    let apart = Options { elements: Elements::Apart(2), ..printed.clone() };
    let together = Options { elements: Elements::Together, ..base.clone() };
    let all = [base, given, together, printed, apart];
    let fits = |way: &Options| {
        wanted.reduction.is_none_or(|reduction| way.reduction == reduction) && (wanted.given || !way.given)
    };
    all.into_iter().filter(fits).collect()
}

/// Lines of declarations and statements: laws follow from what predicates say.
fn n_lines(text: String) -> usize {
    text.lines().filter(|line| !line.starts_with("law ")).count()
}

impl<'p> Portfolio<'p> {
    pub fn new(program: &'p Program, wanted: &PortfolioOptions) -> Self {
        let useful = |way: &Options| !way.given || !program.predicates.is_empty();
        let ways = ways(wanted).into_iter().filter(useful).map(|options| (options, Way::Untried)).collect();
        Portfolio { program, ways, last: None }
    }

    /// Whether the program holds on remote memory with these flushes.
    pub fn check(&mut self, placement: &BitSet, budget: Budget) -> Checked {
        let mut best = Checked::Open("there is no way to prove it".to_owned());
        self.last = None;
        let mut left: Vec<usize> = (0..self.ways.len()).collect();
        let rungs = match budget {
            Budget::Small => &STATES[..1],
            Budget::Large => &STATES,
        };
        for &states in rungs {
            for i in std::mem::take(&mut left) {
                let answer = match self.made(i) {
                    Way::Prover(prover) => prover.check(placement, states),
                    Way::Fails(path) => return Checked::MayFail(path.clone()),
                    Way::Without(why) => Checked::Open(why.clone()),
                    Way::Untried => continue,
                };
                match answer {
                    Checked::Holds => {
                        self.last = Some(i);
                        return answer;
                    }
                    Checked::MayFail(_) => best = answer,
                    Checked::Open(_) => {
                        left.push(i);
                        best = if let Checked::MayFail(_) = best { best } else { answer };
                    }
                }
            }
        }
        best
    }

    /// The proof under SC by the first way that finds one.
    ///
    /// # Errors
    /// Why there is none.
    pub fn first(&mut self) -> Result<&Prover<'p>, String> {
        let mut why = String::new();
        let mut found = None;
        for i in 0..self.ways.len() {
            match self.made(i) {
                Way::Prover(_) => {
                    found = Some(i);
                    break;
                }
                Way::Fails(_) => return Err("the program fails under SC, which a run shows".to_owned()),
                Way::Without(reason) => why.clone_from(reason),
                Way::Untried => {}
            }
        }
        match found.map(|i| &self.ways[i].1) {
            Some(Way::Prover(prover)) => Ok(prover),
            _ => Err(format!("there is no proof under SC: {why}")),
        }
    }

    fn made(&mut self, i: usize) -> &mut Way<'p> {
        let (options, way) = &mut self.ways[i];
        if let Way::Untried = way {
            *way = match sequential(self.program, options) {
                Sequential::Proved(prover) => Way::Prover(prover),
                Sequential::Fails(path) => Way::Fails(path),
                Sequential::Open(why) => Way::Without(why),
            };
        }
        way
    }

    /// Of the way that proved the last placement; of the first that proved anything otherwise.
    pub fn figures(&self) -> Option<Figures> {
        let proved = |i: &usize| matches!(self.ways[*i].1, Way::Prover(_));
        let i = self.last.or_else(|| (0..self.ways.len()).find(proved))?;
        let (options, Way::Prover(prover)) = &self.ways[i] else { return None };
        Some(Figures {
            predicates: prover.predicates().len(),
            extrapolated: prover.extrapolated.n_predicates(),
            lines: [prover.sequential.to_string(), prover.shown(&BitSet::full(self.program.slots.len()))].map(n_lines),
            rounds: prover.rounds,
            queries: prover.extrapolated.queries,
            states: prover.states,
            given: options.given,
            reduction: options.reduction,
        })
    }
}
