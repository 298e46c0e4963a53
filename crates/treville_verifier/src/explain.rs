//! Why an outcome is allowed or forbidden.

use crate::litmus::linked;
use crate::{Options, Session, States};
use std::sync::Arc;
use treville_explain::{asked, decided, explain};
use treville_report::Explanation;
use treville_task::{CheckError, Silent};

impl Session<'_> {
    /// Explains the outcome that a test asks about, or the one given as a litmus condition. With `deep`, each step is
    /// derived down to what the program and the choice of reads-from and coherence determine.
    ///
    /// # Errors
    /// If the file, the model or the condition is wrong, or not every candidate could be looked at.
    pub fn explain(
        &self,
        path: &str,
        outcome: Option<&str>,
        deep: bool,
        options: &Options,
    ) -> Result<Explanation, CheckError> {
        let cancel = self.cancel_for(&options.run);
        let mut test = self.read_asking(path, outcome, options, &cancel)?;
        test.question = Arc::new(asked(&test.question));
        let mut options = options.clone();
        options.run.states = States::Listed;
        let prepared = self.prepare_test(test, &options, cancel)?;
        let (outcome, _) = prepared.run(&Silent)?;
        decided(&outcome)?;
        explain(linked(&prepared.job), prepared.engine(), &outcome, deep, options.run.accept_bounded)
    }
}
