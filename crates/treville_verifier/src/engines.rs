//! Which engine a call means, and which ones the tool chooses where it names none.

use crate::registry::{EngineEntry, Registry};
use crate::{RmaOptions, RunOptions};
use std::sync::{Arc, Mutex, PoisonError};
use treville_task::{CheckError, Engine};

/// The word for the choice of the tool.
pub(crate) const AUTO: &str = "auto";

pub(crate) const ABSTRACT: &str = treville_abstract::INFO.name;
pub(crate) const BMC: &str = treville_bmc::INFO.name;
pub(crate) const ENUMERATE: &str = treville_enumerate::INFO.name;
pub(crate) const EXPLORE: &str = treville_explore::INFO.name;
pub(crate) const MACHINE: &str = treville_machine::INFO.name;
pub(crate) const PLAIN: &str = treville_enumerate::PLAIN.name;

/// The engines of a session, each made when it is first needed and then shared: they keep what they know of a model.
pub(crate) struct Engines {
    entries: Vec<Arc<EngineEntry>>,
    made: Mutex<Vec<Made>>,
}

/// An engine, with the options that say how it works.
struct Made {
    name: &'static str,
    bmc: treville_bmc::Options,
    rma: RmaOptions,
    engine: Arc<dyn Engine>,
}

impl Engines {
    pub(crate) fn new(registry: &Registry) -> Self {
        Engines { entries: registry.engines.clone(), made: Mutex::default() }
    }

    /// The engine of this name, as the options say that it works.
    pub(crate) fn get(&self, name: &str, options: &RunOptions) -> Result<Arc<dyn Engine>, CheckError> {
        let Some(entry) = self.entries.iter().find(|entry| entry.info.name == name) else {
            let known = self.entries.iter().map(|entry| entry.info.name).collect::<Vec<_>>().join(", ");
            let why = format!("there is no engine {name} (there are: {AUTO}, {known})");
            return Err(CheckError::usage(why));
        };
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        let same = |m: &&Made| m.name == entry.info.name && m.bmc == options.bmc && m.rma == options.rma;
        if let Some(made) = made.iter().find(same) {
            return Ok(Arc::clone(&made.engine));
        }
        let engine = (entry.make)(options).map_err(CheckError::usage)?;
        let (bmc, rma) = (options.bmc, options.rma.clone());
        made.push(Made { name: entry.info.name, bmc, rma, engine: Arc::clone(&engine) });
        Ok(engine)
    }

    /// The engine that the call names, if it names one.
    pub(crate) fn named(&self, options: &RunOptions) -> Result<Option<Arc<dyn Engine>>, CheckError> {
        let name = options.engine.as_deref().filter(|name| *name != AUTO);
        match (name, options.plain) {
            (None, false) => Ok(None),
            (None | Some(ENUMERATE), true) => self.get(PLAIN, options).map(Some),
            (Some(name), true) => {
                Err(CheckError::usage(format!("option `plain` belongs to the engine {ENUMERATE}, not to {name}")))
            }
            (Some(name), false) => self.get(name, options).map(Some),
        }
    }

    /// Those of these names.
    pub(crate) fn all(&self, names: &[&str], options: &RunOptions) -> Result<Vec<Arc<dyn Engine>>, CheckError> {
        names.iter().map(|name| self.get(name, options)).collect()
    }
}

/// Whether the tool is to choose.
pub(crate) fn is_auto(options: &RunOptions) -> bool {
    !options.plain && options.engine.as_deref().is_none_or(|name| name == AUTO)
}
