//! The engines, one line each.

use crate::RunOptions;
use std::sync::{Arc, OnceLock};
use treville_bmc::Addresses;
use treville_task::Engine;

pub struct EngineEntry {
    pub name: &'static str,
    /// One line for people.
    pub about: &'static str,
    /// None: it takes programs of a language of its own, not tasks.
    make: Option<fn() -> Arc<dyn Engine>>,
}

const ENGINES: &[EngineEntry] = &[
    EngineEntry {
        name: "enumerate",
        about: "every execution of a finite program, pruned while it is built (the default)",
        make: Some(|| Arc::new(treville_enumerate::Enumerate::fast())),
    },
    EngineEntry {
        name: "plain",
        about: "the same without any pruning: slow, and the definition (`--engine enumerate --plain`)",
        make: Some(|| Arc::new(treville_enumerate::Enumerate::plain())),
    },
    EngineEntry {
        name: "explore",
        about: "every execution of a program or test, each once, by extending graphs event by event (the default for programs)",
        make: Some(|| Arc::new(treville_explore::Explore)),
    },
    EngineEntry {
        name: "bmc",
        about: "all executions of an unrolled test at once, by a SAT solver with an ordering theory",
        make: Some(|| Arc::new(treville_bmc::Bmc::new(treville_bmc::Options::default()))),
    },
    EngineEntry {
        name: "machine",
        about: "every state of a program on an operational machine, step by step (the default for .rar, .inv and .rma)",
        make: Some(|| Arc::new(treville_machine::Machine)),
    },
    EngineEntry {
        name: "abstract",
        about: "proofs of programs in .rma for all numbers: predicates under SC, extrapolated to remote memory",
        make: None,
    },
];

/// Those that are asked of a test that the first engine has no answer to, in this order.
const SPARES: &[&str] = &["bmc", "explore"];

pub fn engines() -> &'static [EngineEntry] {
    ENGINES
}

/// The engines of a session, each made when it is first asked for and then shared: they keep what they know of a model.
#[derive(Default)]
pub(crate) struct Engines {
    made: [OnceLock<Arc<dyn Engine>>; ENGINES.len()],
}

impl Engines {
    /// The one that takes programs as they are.
    pub(crate) const FOR_PROGRAMS: &str = "explore";

    /// The one for programs that the other does not take.
    const FOR_KERNEL: &str = "bmc";

    /// The engine that the options ask for.
    pub(crate) fn choose(&self, options: &RunOptions) -> Result<Arc<dyn Engine>, String> {
        let name = options.engine.as_deref().filter(|name| *name != "auto").unwrap_or("enumerate");
        refuse_foreign(name, options)?;
        match (name, options.plain) {
            ("enumerate", true) => self.named("plain"),
            (name, false) => self.with_options(name, options),
            (name, true) => Err(format!("--plain belongs to the engine enumerate, not to {name}")),
        }
    }

    /// The engines to ask if the first one has no answer, unless the call names its own.
    pub(crate) fn spares(&self, options: &RunOptions) -> Option<Vec<Arc<dyn Engine>>> {
        let auto = is_auto(options) && !options.plain;
        auto.then(|| SPARES.iter().filter_map(|name| self.with_options(name, options).ok()).collect())
    }

    /// The engine that is asked of programs beside the first one, unless the call names its own.
    pub(crate) fn beside(&self, options: &RunOptions, kernel: bool) -> Option<Arc<dyn Engine>> {
        let name = if kernel { "enumerate" } else { "bmc" };
        if is_auto(options) { self.with_options(name, options).ok() } else { None }
    }

    /// An engine as the options say that it works, whoever has chosen it.
    fn with_options(&self, name: &str, options: &RunOptions) -> Result<Arc<dyn Engine>, String> {
        if name == "bmc" && options.bmc != treville_bmc::Options::default() {
            return Ok(Arc::new(treville_bmc::Bmc::new(options.bmc)));
        }
        self.named(name)
    }

    /// The same for a program that asks nothing of its own; those for the Linux kernel are for engines that take tests.
    pub(crate) fn for_programs(&self, options: &RunOptions, kernel: bool) -> Result<Arc<dyn Engine>, String> {
        match options.engine.as_deref() {
            Some(Self::FOR_PROGRAMS) if kernel => {
                Err(format!("programs for the Linux kernel are for {} and enumerate", Self::FOR_KERNEL))
            }
            None | Some("auto") if kernel => {
                self.choose(&RunOptions { engine: Some(Self::FOR_KERNEL.to_owned()), ..options.clone() })
            }
            None | Some("auto") => {
                refuse_foreign(Self::FOR_PROGRAMS, options)?;
                self.named(Self::FOR_PROGRAMS)
            }
            Some(_) => self.choose(options),
        }
    }

    pub(crate) fn named(&self, name: &str) -> Result<Arc<dyn Engine>, String> {
        if let Some(i) = ENGINES.iter().position(|e| e.name == name) {
            let Some(make) = ENGINES[i].make else {
                return Err(format!("the engine {name} takes programs in .rma only"));
            };
            return Ok(Arc::clone(self.made[i].get_or_init(make)));
        }
        let known = ENGINES.iter().map(|e| e.name).collect::<Vec<_>>().join(", ");
        Err(format!("there is no engine {name} (there are: auto, {known})"))
    }
}

/// Whether the tool is to choose.
fn is_auto(options: &RunOptions) -> bool {
    options.engine.as_deref().is_none_or(|name| name == "auto")
}

/// Only one engine makes proofs, and looks at more than one layout of memory.
fn refuse_foreign(name: &str, options: &RunOptions) -> Result<(), String> {
    let foreign = match &options.bmc {
        _ if name == "bmc" => return Ok(()),
        bmc if bmc.proofs => "--proof",
        bmc if bmc.addresses == Addresses::Solver => "--addresses solver",
        _ => return Ok(()),
    };
    Err(format!("{foreign} belongs to the engine bmc, not to {name}"))
}
