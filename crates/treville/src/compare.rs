//! Outcomes that one model allows and the other does not.

use crate::executions::unknown;
use crate::{Options, Session, verify};
use std::collections::BTreeSet;
use treville_report::{Checked, Comparison, Difference, Failure, show_state};
use treville_task::Silent;

impl Session<'_> {
    /// Compares the final states of a file under two models.
    ///
    /// # Errors
    /// If one of the two has no complete answer.
    pub fn compare(&self, path: &str, models: &[String; 2], options: &Options) -> Result<Comparison, Failure> {
        let [a, b] = [&models[0], &models[1]].map(|model| self.all_states(path, model, options));
        let (a, b) = (a?, b?);
        let only = |these: &Checked, those: &Checked| Difference {
            states: difference(&states(these), &states(those)),
            flags: difference(&flags(these), &flags(those)),
        };
        Ok(Comparison {
            file: path.to_owned(),
            test: a.program.name.to_string(),
            models: models.clone(),
            differences: [only(&a, &b), only(&b, &a)],
        })
    }

    fn all_states(&self, path: &str, model: &str, options: &Options) -> Result<Checked, Failure> {
        let mut options = options.clone();
        options.model.name = Some(model.to_owned());
        options.run.states = true;
        options.run.accept_bounded = true;
        let (checked, _) = verify::check(&self.prepare(path, &options)?, &options, &Silent)?;
        match checked.outcome.stopped.as_ref() {
            None => Ok(checked),
            Some(why) => {
                let reason = format!("under {model}, {why}");
                Err(unknown(reason))
            }
        }
    }
}

fn states(checked: &Checked) -> BTreeSet<String> {
    let states = checked.outcome.states.iter().flatten();
    states.map(|s| show_state(&checked.program, &checked.question, &s.values)).collect()
}

fn flags(checked: &Checked) -> BTreeSet<String> {
    let undefined = checked.outcome.undefined.then(|| "undefined".to_owned());
    checked.outcome.flags.keys().map(ToString::to_string).chain(undefined).collect()
}

fn difference(a: &BTreeSet<String>, b: &BTreeSet<String>) -> Vec<String> {
    a.difference(b).cloned().collect()
}
