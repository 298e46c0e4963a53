//! Programs with put, get and flush on remote memory as jobs: whether they hold with flushes in these slots.

use treville_base::Cancel;
use treville_strategy::{Agreement, Attempt, Job, State};
use treville_task::{
    About, CheckError, Effort, Engine, Finding, Monitor, Needs, Outcome, Remote, RemoteMemory, RemoteQuery, RemoteTask,
    Verdict,
};

/// A program on remote memory with flushes in some slots.
pub struct RemoteJob {
    pub remote: Remote,
    pub task: RemoteTask,
    pub accept_bounded: bool,
}

impl RemoteJob {
    pub fn memory(&self) -> RemoteMemory {
        self.task.memory
    }

    pub fn finding(self, outcome: Outcome) -> Finding {
        // People count slots from 1.
        let flushes = self.task.placement.iter().map(|slot| slot + 1).collect();
        let query = RemoteQuery { remote: self.remote, flushes };
        Finding::new(About::Remote(query), outcome, self.accept_bounded, Needs::Answer)
    }
}

impl Job for RemoteJob {
    fn run(&self, engine: &dyn Engine, attempt: &Attempt, monitor: &dyn Monitor) -> Result<Outcome, CheckError> {
        let effort = if let Attempt::Brief = attempt { Effort::Brief } else { Effort::Full };
        let task = RemoteTask { effort, ..self.task.clone() };
        let ready = engine.prepare_remote(&task);
        let sources = &self.remote.sources;
        let ready = ready.map_err(|why| CheckError::unsupported(engine.info().name, &why, sources))?;
        Ok(ready(monitor))
    }

    fn cancel(&self) -> &Cancel {
        &self.task.limits.cancel
    }

    fn state(&self, outcome: &Outcome) -> State {
        match Verdict::on_remote_memory(outcome, self.accept_bounded) {
            Verdict::Unknown(_) if self.cancel().is_due() => State::Over,
            Verdict::Unknown(_) => State::Spent,
            Verdict::Yes | Verdict::No | Verdict::Undefined => State::Decided,
        }
    }

    fn disagreement(&self, _: &Outcome, _: &Outcome, _: Agreement) -> Option<String> {
        None
    }
}
