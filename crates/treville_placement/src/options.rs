//! What a person may choose for programs on remote memory: where flushes are, and how proofs are found.

use std::sync::Arc;
use treville_abstract::{Abstraction, ProofOptions, Solver, Z3};
use treville_base::BitSet;
use treville_machine::RemoteOptions;
use treville_rma::Program;
use treville_rma_machine::Reduction;
use treville_task::CheckError;

/// What a person may choose for these programs.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RmaOptions {
    /// Where there are flushes beside those of the text.
    pub flushes: Flushes,
    /// Only by this reduction to SC.
    pub reduction: Option<Reduction>,
    pub abstraction: Option<Abstraction>,
    pub solver: IntegerSolver,
    /// So many operations of a statement can be on their way.
    pub max_pending: Option<u8>,
}

impl RmaOptions {
    pub fn machine(&self) -> RemoteOptions {
        RemoteOptions { reduction: self.reduction, max_pending: self.max_pending }
    }

    /// # Errors
    /// If the solver cannot be started.
    pub fn proofs(&self) -> Result<ProofOptions, String> {
        Ok(ProofOptions { reduction: self.reduction, abstraction: self.abstraction, solver: self.solver.start()? })
    }
}

/// Who answers questions about numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum IntegerSolver {
    #[default]
    Omega,
    /// A program of its own, which must be installed.
    Z3,
}

impl IntegerSolver {
    fn start(self) -> Result<Solver, String> {
        match self {
            IntegerSolver::Omega => Ok(Solver::Omega),
            IntegerSolver::Z3 => match Z3::start() {
                Ok(z3) => Ok(Solver::Z3(Arc::new(z3))),
                Err(why) => {
                    Err(format!("option `solver` z3: the program z3 cannot be started ({why}); is it installed?"))
                }
            },
        }
    }
}

/// Slots, as people count them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Flushes {
    #[default]
    None,
    All,
    At(Vec<usize>),
}

impl std::str::FromStr for Flushes {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "none" => return Ok(Flushes::None),
            "all" => return Ok(Flushes::All),
            _ => {}
        }
        let number = |part: &str| part.trim().parse().map_err(|_| format!("`{part}` is not the number of a slot"));
        text.split(',').map(number).collect::<Result<Vec<usize>, String>>().map(Flushes::At)
    }
}

impl Flushes {
    /// # Errors
    /// A slot that the program does not have.
    fn of(&self, program: &Program) -> Result<BitSet, String> {
        let n = program.slots.len();
        match self {
            Flushes::None => Ok(BitSet::new(n)),
            Flushes::All => Ok(BitSet::full(n)),
            Flushes::At(slots) => match slots.iter().find(|slot| !(1..=n).contains(*slot)) {
                Some(slot) => Err(format!("there is no slot {slot}: the program has {n}, from 1 on")),
                None => Ok(BitSet::from_members(n, slots.iter().map(|slot| slot - 1))),
            },
        }
    }
}

/// The slots of a placement as people count them.
pub(crate) fn numbers(placement: &BitSet) -> Vec<usize> {
    placement.iter().map(|slot| slot + 1).collect()
}

/// The slots that an option means.
///
/// # Errors
/// One that the program does not have.
pub fn placement(flushes: &Flushes, program: &Program, option: &str) -> Result<BitSet, CheckError> {
    flushes.of(program).map_err(|why| CheckError::usage(format!("option `{option}`: {why}")))
}
