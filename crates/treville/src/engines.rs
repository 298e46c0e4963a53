//! The engines, one line each.

use crate::RunOptions;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use treville_task::Engine;

pub struct EngineEntry {
    pub name: &'static str,
    /// One line for people.
    pub about: &'static str,
    make: fn() -> Arc<dyn Engine>,
}

const ENGINES: &[EngineEntry] = &[
    EngineEntry {
        name: "enumerate",
        about: "every execution of a finite program, pruned while it is built (the default)",
        make: || Arc::new(treville_enumerate::Enumerate::fast()),
    },
    EngineEntry {
        name: "plain",
        about: "the same without any pruning: slow, and the definition (`--engine enumerate --plain`)",
        make: || Arc::new(treville_enumerate::Enumerate::plain()),
    },
];

/// Engines of the design that do not exist yet.
const NOT_BUILT: &[&str] = &["bmc", "explore", "machine", "abstract"];

pub fn engines() -> &'static [EngineEntry] {
    ENGINES
}

/// Engines that were made so far. They keep what they compute about a model, so a session makes each once.
#[derive(Default)]
pub(crate) struct Pool {
    made: Mutex<BTreeMap<&'static str, Arc<dyn Engine>>>,
}

impl Pool {
    /// The engine that the options ask for.
    pub(crate) fn choose(&self, options: &RunOptions) -> Result<Arc<dyn Engine>, String> {
        let name = options.engine.as_deref().filter(|name| *name != "auto").unwrap_or("enumerate");
        match (name, options.plain) {
            ("enumerate", true) => self.named("plain"),
            (name, false) => self.named(name),
            (name, true) => Err(format!("--plain belongs to the engine enumerate, not to {name}")),
        }
    }

    pub(crate) fn named(&self, name: &str) -> Result<Arc<dyn Engine>, String> {
        if let Some(entry) = ENGINES.iter().find(|e| e.name == name) {
            let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
            return Ok(Arc::clone(made.entry(entry.name).or_insert_with(entry.make)));
        }
        if NOT_BUILT.contains(&name) {
            return Err(format!("the engine {name} is not built yet"));
        }
        let known = ENGINES.iter().map(|e| e.name).collect::<Vec<_>>().join(", ");
        Err(format!("there is no engine {name} (there are: auto, {known})"))
    }
}
