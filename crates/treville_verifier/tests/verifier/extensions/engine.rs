//! An engine: it decides nothing.

use std::sync::Arc;
use treville_verifier::EngineEntry;
use treville_verifier::task::{Answer, Engine, EngineInfo, Outcome, Ready, StopReason, Task, Unsupported};

pub(crate) const ENTRY: EngineEntry = EngineEntry { info: INFO, make: |_| Ok(Arc::new(Coin)) };

const INFO: EngineInfo = EngineInfo { name: "coin", about: "tosses a coin" };

struct Coin;

impl Engine for Coin {
    fn info(&self) -> &EngineInfo {
        &INFO
    }

    fn prepare<'t>(&'t self, task: &'t Task) -> Result<Ready<'t>, Vec<Unsupported>> {
        Ok(Box::new(move |_| {
            let why = StopReason::Refused("the coin fell on its edge".to_owned());
            let answers = task.queries.iter().map(|_| Answer::Open(why.clone())).collect();
            Outcome { answers, stopped: Some(why), ..Outcome::default() }
        }))
    }
}
