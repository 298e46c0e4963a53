//! The engines, one line each.

use crate::RunOptions;
use treville_task::Engine;

pub struct EngineEntry {
    pub name: &'static str,
    /// One line for people.
    pub about: &'static str,
    make: fn() -> Box<dyn Engine>,
}

const ENGINES: &[EngineEntry] = &[
    EngineEntry {
        name: "enumerate",
        about: "every execution of a finite program, pruned while it is built (the default)",
        make: || Box::new(treville_enumerate::Enumerate { plain: false }),
    },
    EngineEntry {
        name: "plain",
        about: "the same without any pruning: slow, and the definition (`--engine enumerate --plain`)",
        make: || Box::new(treville_enumerate::Enumerate { plain: true }),
    },
];

/// Engines of the design that do not exist yet.
const NOT_BUILT: &[&str] = &["bmc", "explore", "machine", "abstract"];

pub fn engines() -> &'static [EngineEntry] {
    ENGINES
}

/// The engine that the options ask for.
pub(crate) fn choose(options: &RunOptions) -> Result<Box<dyn Engine>, String> {
    let name = options.engine.as_deref().filter(|name| *name != "auto").unwrap_or("enumerate");
    match (name, options.plain) {
        ("enumerate", true) => named("plain"),
        (name, false) => named(name),
        (name, true) => Err(format!("--plain belongs to the engine enumerate, not to {name}")),
    }
}

pub(crate) fn named(name: &str) -> Result<Box<dyn Engine>, String> {
    if let Some(entry) = ENGINES.iter().find(|e| e.name == name) {
        return Ok((entry.make)());
    }
    if NOT_BUILT.contains(&name) {
        return Err(format!("the engine {name} is not built yet"));
    }
    let known = ENGINES.iter().map(|e| e.name).collect::<Vec<_>>().join(", ");
    Err(format!("there is no engine {name} (there are: auto, {known})"))
}
