//! What a session can work with: front ends, engines, models and formats, one line each. Users of the library may add their own.

use crate::RunOptions;
use std::sync::Arc;
use treville_inv::SpecFile;
use treville_lang::{IR, PTS, RAR, RMA};
use treville_litmus::LitmusFrontEnd;
use treville_llvm::{CFrontEnd, IrFrontEnd};
use treville_models::Catalogue;
use treville_report::{FORMATS, Format};
use treville_task::{CheckError, Engine, EngineInfo, FrontEnd};

/// Macro definitions of the Linux kernel for litmus tests in C, which come with the tool.
const KERNEL_MACROS: &str = "linux-kernel.def";

/// Endings of languages that are planned, so that the answer is better than a syntax error.
const NOT_BUILT: &[&str] = &[".rs"];

/// An engine, and how one is made that works as a call says.
pub struct EngineEntry {
    pub info: EngineInfo,
    pub make: fn(options: &RunOptions) -> Result<Arc<dyn Engine>, String>,
}

#[derive(Clone)]
pub struct Registry {
    pub front_ends: Vec<Arc<dyn FrontEnd>>,
    pub engines: Vec<Arc<EngineEntry>>,
    /// With what is known of each beside its text.
    pub models: Catalogue,
    pub formats: Vec<Format>,
}

impl Default for Registry {
    fn default() -> Self {
        let macros = treville_cat::bundled(KERNEL_MACROS).map(|file| (file.display_name(), file.text.to_owned()));
        let front_ends: Vec<Arc<dyn FrontEnd>> = vec![
            Arc::new(LitmusFrontEnd::new(macros)),
            Arc::new(PTS),
            Arc::new(CFrontEnd),
            Arc::new(IrFrontEnd),
            Arc::new(IR),
            Arc::new(RAR),
            Arc::new(SpecFile),
            Arc::new(RMA),
        ];
        let engines = [
            EngineEntry {
                info: treville_enumerate::INFO,
                make: |_| Ok(Arc::new(treville_enumerate::Enumerate::fast())),
            },
            EngineEntry {
                info: treville_enumerate::PLAIN,
                make: |_| Ok(Arc::new(treville_enumerate::Enumerate::plain())),
            },
            EngineEntry { info: treville_explore::INFO, make: |_| Ok(Arc::new(treville_explore::Explore)) },
            EngineEntry { info: treville_bmc::INFO, make: |options| Ok(Arc::new(treville_bmc::Bmc::new(options.bmc))) },
            EngineEntry {
                info: treville_machine::INFO,
                make: |options| Ok(Arc::new(treville_machine::Machine::new(options.rma.machine()))),
            },
            EngineEntry {
                info: treville_abstract::INFO,
                make: |options| Ok(Arc::new(treville_abstract::Abstract::new(options.rma.proofs()?))),
            },
        ];
        let engines = engines.into_iter().map(Arc::new).collect();
        Registry { front_ends, engines, models: Catalogue::default(), formats: FORMATS.to_vec() }
    }
}

impl Registry {
    /// The front end for a file. One with an ending that is not known is taken for a litmus test, the first front end.
    pub(crate) fn front_end(&self, path: &str) -> Result<&Arc<dyn FrontEnd>, CheckError> {
        if let Some(ending) = NOT_BUILT.iter().find(|ending| path.ends_with(*ending)) {
            return Err(CheckError::usage(format!("programs in {ending} are not built yet")));
        }
        let none = || CheckError::usage("there is no front end");
        self.by_ending(path).or_else(|| self.front_ends.first()).ok_or_else(none)
    }

    /// The front end whose files end so.
    pub fn by_ending(&self, path: &str) -> Option<&Arc<dyn FrontEnd>> {
        let fits =
            |front_end: &&Arc<dyn FrontEnd>| front_end.info().endings.iter().any(|ending| path.ends_with(ending));
        self.front_ends.iter().find(fits)
    }

    /// How the names of files end that can be read.
    pub fn endings(&self) -> Vec<&'static str> {
        self.front_ends.iter().flat_map(|front_end| front_end.info().endings).copied().collect()
    }
}
