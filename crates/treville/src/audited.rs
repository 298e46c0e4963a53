//! An answer that is audited: random executions must be among those that the engine has visited.

use crate::engines::Engines;
use crate::executions::unknown;
use crate::{internal, unreadable};
use std::sync::Arc;
use treville_audit::{Report, Visits, audit};
use treville_base::SourceMap;
use treville_report::{Audit, Failure};
use treville_task::{Outcome, Task};

/// How many samples are wanted, and what the engine has visited.
pub(crate) struct Audited {
    samples: u64,
    visits: Arc<Visits>,
}

impl Audited {
    /// # Errors
    /// If the engine is not one whose executions can be watched.
    pub(crate) fn new(samples: u64, engine: &str) -> Result<Audited, Failure> {
        match engine == Engines::FOR_PROGRAMS {
            true => Ok(Audited { samples, visits: Arc::default() }),
            false => Err(unreadable(format!("--audit is about the engine {}, not {engine}", Engines::FOR_PROGRAMS))),
        }
    }

    /// The task, with its executions noted.
    pub(crate) fn watching(&self, task: Task) -> Task {
        let visits: Arc<Visits> = Arc::clone(&self.visits);
        Task { observer: Some(visits), ..task }
    }

    /// Compares an outcome with random executions.
    ///
    /// # Errors
    /// If one of them was not visited, or the program cannot be audited.
    pub(crate) fn check(&self, task: &Task, outcome: &Outcome, sources: &SourceMap) -> Result<Audit, Failure> {
        let skipped = match outcome {
            Outcome { violation: Some(_), .. } => Some("the engine stopped at the first violation"),
            Outcome { stopped: Some(_), .. } => Some("the engine has not visited everything"),
            _ => None,
        };
        if let Some(why) = skipped {
            return Ok(Audit { skipped: Some(why.to_owned()), ..nothing() });
        }
        let Report { figures, missing } = audit(task, &self.visits, self.samples, sources).map_err(|not| {
            let place = not.place.map(|span| format!(" (line {})", sources.start(span).line)).unwrap_or_default();
            unknown(format!("the answer could not be audited: {}{place}", not.why))
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
                Err(internal(reason, missing.text))
            }
        }
    }
}

fn nothing() -> Audit {
    Audit { compared: "", samples: 0, tried: 0, beyond_sc: 0, cyclic: 0, classes: 0, visited: 0, skipped: None }
}
