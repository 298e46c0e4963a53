//! What one model allows and the other does not: outcomes, as far as they can all be listed, or an execution.

use crate::LinkedTest;
use crate::explain::why_rejected;
use std::collections::BTreeSet;
use treville_ir::{Program, Question};
use treville_report::{Difference, OnlyExecution, show_state};
use treville_task::{CheckError, FinalValue, Outcome};

/// An execution that one allows and the other forbids, for each of the two, and whether there are longer ones.
///
/// # Errors
/// If the search is limited, or the engine does not support the test.
pub fn only_executions(
    [a, b]: [LinkedTest<'_>; 2],
    options: &treville_bmc::Options,
    tell: &dyn Fn(&[FinalValue]) -> String,
) -> Result<([Difference; 2], bool), CheckError> {
    let mut bounded = false;
    let mut only = |allowing: LinkedTest<'_>, forbidding: LinkedTest<'_>| -> Result<Difference, CheckError> {
        let compared = treville_bmc::difference(allowing.task, forbidding.task, options);
        let compared = compared.map_err(|why| {
            CheckError::unknown(format!(
                "whether {} allows more than {}: {why}",
                allowing.model.name, forbidding.model.name
            ))
        })?;
        bounded |= compared.cut;
        let execution = compared.found.map(|found| OnlyExecution {
            state: tell(&found.state),
            own_state: found.own_state,
            reason: why_rejected(forbidding, &found.forbidden, &found.state),
        });
        Ok(Difference { execution, ..Difference::default() })
    };
    let differences = [only(a, b)?, only(b, a)?];
    Ok((differences, bounded))
}

/// All outcomes of a test under one model.
pub struct AllOutcomes {
    states: BTreeSet<String>,
    flags: BTreeSet<String>,
}

impl AllOutcomes {
    /// Those of a complete outcome.
    pub fn of(outcome: &Outcome, program: &Program, question: &Question) -> Self {
        let states = outcome.states.iter().flatten().map(|s| show_state(program, question, &s.values)).collect();
        let undefined = outcome.undefined.then(|| "undefined".to_owned());
        let flags = outcome.flags.keys().map(ToString::to_string).chain(undefined).collect();
        AllOutcomes { states, flags }
    }

    /// What is among these and not among those.
    pub fn without(&self, those: &AllOutcomes) -> Difference {
        let only = |a: &BTreeSet<String>, b: &BTreeSet<String>| a.difference(b).cloned().collect();
        let (states, flags) = (only(&self.states, &those.states), only(&self.flags, &those.flags));
        Difference { states, flags, execution: None }
    }
}
