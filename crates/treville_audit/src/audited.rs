//! An answer that is audited: random executions must be among those that the engine has visited.

use crate::{Report, Visits, audit};
use std::collections::BTreeSet;
use std::sync::Arc;
use treville_base::SourceMap;
use treville_task::{Audit, CheckError, Engine, Outcome, Silent, Task};

/// How many samples are wanted, and what the engine has visited.
pub struct Audited {
    samples: u64,
    visits: Arc<Visits>,
}

impl Audited {
    pub fn new(samples: u64) -> Audited {
        Audited { samples, visits: Arc::default() }
    }

    /// The task, with its executions noted.
    pub fn watching(&self, task: Task) -> Task {
        let visits: Arc<Visits> = Arc::clone(&self.visits);
        Task { observer: Some(visits), ..task }
    }

    /// Compares an outcome with random executions.
    ///
    /// # Errors
    /// If one of them was not visited, or the program cannot be audited.
    pub fn check(
        &self,
        engine: &dyn Engine,
        task: &Task,
        outcome: &Outcome,
        sources: &SourceMap,
    ) -> Result<Audit, CheckError> {
        if outcome.violation.is_some() {
            // The engine has stopped there: for the audit it visits everything, and passes over what fails.
            let all = Task { properties: BTreeSet::new(), ..task.clone() };
            return self.compare(&all, &engine.run(&all, &Silent), sources);
        }
        self.compare(task, outcome, sources)
    }

    fn compare(&self, task: &Task, outcome: &Outcome, sources: &SourceMap) -> Result<Audit, CheckError> {
        if let Some(why) = &outcome.stopped {
            let why = format!("the engine has not visited everything: {why}");
            return Ok(Audit { skipped: Some(why), ..nothing() });
        }
        let Report { figures, missing } = audit(task, &self.visits, self.samples, sources).map_err(|not| {
            let place = not.place.map(|span| format!(" (line {})", sources.start(span).line)).unwrap_or_default();
            CheckError::unknown(format!("the answer could not be audited: {}{place}", not.why))
        })?;
        let audit = Audit {
            compared: figures.comparison.name(),
            samples: figures.samples,
            tried: figures.judged + figures.abandoned,
            beyond_sc: figures.beyond_sc,
            cyclic: figures.cyclic,
            classes: figures.classes,
            visited: figures.visited,
            skipped: None,
        };
        match missing {
            None => Ok(audit),
            Some(missing) => {
                let after = format!("sample {} of {}", audit.samples, audit.tried);
                let reason = format!("internal error, please report it: {} ({after})", missing.what);
                Err(CheckError::internal(reason, missing.text))
            }
        }
    }
}

fn nothing() -> Audit {
    Audit { compared: "", samples: 0, tried: 0, beyond_sc: 0, cyclic: 0, classes: 0, visited: 0, skipped: None }
}
