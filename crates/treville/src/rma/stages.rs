//! The stages of a proof as texts, so that it can be followed by hand.

use super::{Asked, Remote, model, refuse_options};
use crate::executions::unknown;
use crate::{Options, Session, unreadable};
use treville_abstract::Portfolio;
use treville_report::Failure;
use treville_rma_machine::Reduction;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stage {
    /// The program that has the behaviour of remote memory under SC.
    Reduced,
    /// The boolean program of the proof under SC.
    Boolean,
    /// The boolean program of the reduced one.
    Extrapolated,
}

impl Session<'_> {
    /// A stage of the proof of one file.
    ///
    /// # Errors
    /// If the file or the call is wrong, or there is no proof under SC.
    pub fn stage(&self, path: &str, options: &Options, stage: Stage) -> Result<String, Failure> {
        if !path.ends_with(super::ENDING) {
            return Err(unreadable(format!("--emit is about programs that end in {}", super::ENDING)));
        }
        refuse_options(options)?;
        model(options)?;
        let Remote { program, .. } = self.load_rma(path)?;
        let placement = options.run.rma.flushes.of(&program).map_err(|why| unreadable(format!("--flush: {why}")))?;
        if stage == Stage::Reduced {
            let reduction = options.run.rma.reduction.unwrap_or(Reduction::Counted);
            return Ok(treville_abstract::show_reduced(&program, &placement, reduction));
        }
        let cancel = self.cancel_for(&options.run);
        let solver = options.run.rma.solver.start()?;
        let asked = Asked { program: &program, placement: &placement, run: &options.run, solver, cancel };
        let mut portfolio = Portfolio::new(&program, &asked.wanted());
        let prover = portfolio.first().map_err(unknown)?;
        Ok(match stage {
            Stage::Boolean | Stage::Reduced => prover.sequential.to_string(),
            Stage::Extrapolated => prover.shown(&placement),
        })
    }
}
