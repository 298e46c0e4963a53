//! The stages of a proof as texts, so that it can be followed by hand.

use crate::options::{RmaOptions, placement};
use treville_abstract::Portfolio;
use treville_base::Cancel;
use treville_rma::Program;
use treville_rma_machine::Reduction;
use treville_task::CheckError;

/// What a proof consists of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Stage {
    /// The program that has the behaviour of remote memory under SC.
    Reduced,
    /// The boolean program of the proof under SC.
    Boolean,
    /// The boolean program of the reduced one.
    Extrapolated,
}

/// A stage of the proof of a program.
///
/// # Errors
/// If a slot is named that the program does not have, the solver cannot be started, or there is no proof under SC.
pub fn stage_of(program: &Program, stage: Stage, rma: &RmaOptions, cancel: &Cancel) -> Result<String, CheckError> {
    let placement = placement(&rma.flushes, program, "flush")?;
    if stage == Stage::Reduced {
        let reduction = rma.reduction.unwrap_or(Reduction::Counted);
        return Ok(treville_abstract::show_reduced(program, &placement, reduction));
    }
    let proofs = rma.proofs().map_err(CheckError::usage)?;
    let mut portfolio = Portfolio::new(program, &proofs.portfolio(cancel));
    let prover = portfolio.first().map_err(CheckError::unknown)?;
    Ok(match stage {
        Stage::Boolean | Stage::Reduced => prover.sequential.to_string(),
        Stage::Extrapolated => prover.shown(&placement),
    })
}
