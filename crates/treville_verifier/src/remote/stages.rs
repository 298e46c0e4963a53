//! The stages of a proof as texts, so that it can be followed by hand.

use super::{Reduction, memory, placement};
use crate::{Options, Session, applies};
use treville_abstract::Portfolio;
use treville_task::{CheckError, Subject};

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
    pub fn stage(&self, path: &str, options: &Options, stage: Stage) -> Result<String, CheckError> {
        let cancel = self.cancel_for(&options.run);
        let subject = self.read(path, options, &cancel)?;
        applies::check(&subject, options)?;
        let Subject::Remote(remote) = subject else {
            return Err(CheckError::usage("option `emit` is about programs on remote memory (.rma)"));
        };
        memory(options)?;
        let rma = &options.run.rma;
        let placement = placement(&rma.flushes, &remote.program, "flush")?;
        if stage == Stage::Reduced {
            let reduction = rma.reduction.unwrap_or(Reduction::Counted);
            return Ok(treville_abstract::show_reduced(&remote.program, &placement, reduction));
        }
        let proofs = rma.proofs().map_err(CheckError::usage)?;
        let mut portfolio = Portfolio::new(&remote.program, &proofs.portfolio(&cancel));
        let prover = portfolio.first().map_err(CheckError::unknown)?;
        Ok(match stage {
            Stage::Boolean | Stage::Reduced => prover.sequential.to_string(),
            Stage::Extrapolated => prover.shown(&placement),
        })
    }
}
