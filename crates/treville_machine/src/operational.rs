//! The operational models: the one table of their names, and what differs between them beside their memories.

use crate::code::{Code, Fence, Step};
use crate::memory::{Buffers, Graph, Memory, Sequential, Views};
use treville_ir::{Dialect, DialectKind};

/// An operational model: what memory does between the steps of threads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operational {
    Sc,
    Tso,
    Pso,
    Ra,
    Rar,
    RarGraph,
}

/// A row of the table.
pub struct OperationalInfo {
    pub model: Operational,
    pub name: &'static str,
    /// One line for people.
    pub about: &'static str,
}

use Operational::{Pso, Ra, Rar, RarGraph, Sc, Tso};

pub const OPERATIONAL: &[OperationalInfo] = &[
    OperationalInfo { model: Sc, name: "sc", about: "one value for each variable" },
    OperationalInfo { model: Tso, name: "tso", about: "a buffer of writes for each thread" },
    OperationalInfo { model: Pso, name: "pso", about: "a buffer of writes for each thread and variable" },
    OperationalInfo { model: Ra, name: "ra", about: "rar with every access a release or acquire, whatever is written" },
    OperationalInfo { model: Rar, name: "rar", about: "release-acquire-relaxed C11, by views" },
    OperationalInfo {
        model: RarGraph,
        name: "rar-graph",
        about: "the same by graphs, as published: slow, and the reference",
    },
];

/// Something that can be done on any memory.
pub(crate) trait OnMemory {
    type Answer;

    fn on<M: Memory>(self, memory: M) -> Self::Answer;
}

impl Operational {
    /// The model for programs that name none.
    pub const DEFAULT: Operational = Rar;

    pub fn named(name: &str) -> Option<Operational> {
        OPERATIONAL.iter().find(|info| info.name == name).map(|info| info.model)
    }

    pub fn name(self) -> &'static str {
        OPERATIONAL.iter().find(|info| info.model == self).map_or("", |info| info.name)
    }

    /// The names of all, for messages.
    pub fn names() -> String {
        OPERATIONAL.iter().map(|info| info.name).collect::<Vec<_>>().join(", ")
    }

    /// The model that programs of a dialect are run on if they name none.
    pub fn usual_for(dialect: &Dialect) -> Option<Operational> {
        match dialect.kind() {
            DialectKind::C => Some(Operational::DEFAULT),
            // Where the axiomatic model is sequential consistency for lack of a better one, it has to be named.
            _ => Operational::named(&dialect.default_model).filter(|model| *model != Sc),
        }
    }

    /// Whether it has the memory orders of C11.
    pub fn is_c11(self) -> bool {
        matches!(self, Ra | Rar | RarGraph)
    }

    /// Whether every access releases or acquires, whatever its order.
    pub fn strengthens_accesses(self) -> bool {
        self == Ra
    }

    /// Whether it knows which writes a thread has encountered.
    pub(crate) fn has_encountered_writes(self) -> bool {
        self.is_c11()
    }

    /// Whether steps can be taken from any state, reachable or not.
    pub(crate) fn has_induction(self) -> bool {
        matches!(self, Sc | Ra | Rar)
    }

    /// Whether it never forgets an access.
    pub(crate) fn remembers_accesses(self) -> bool {
        self == RarGraph
    }

    /// Whether threads may see different writes of one variable.
    pub(crate) fn has_old_writes(self) -> bool {
        self != Sc
    }

    /// Whether programs in these words mean something: memory orders are those of C11, buffers those of x86.
    pub(crate) fn takes(self, dialect: &Dialect) -> bool {
        let is_x86 = || *dialect.default_model == *Tso.name();
        match (self, dialect.kind()) {
            (Sc, kind) => matches!(kind, DialectKind::C | DialectKind::Assembly),
            (_, DialectKind::C) => true,
            (Tso | Pso, DialectKind::Assembly) => is_x86(),
            _ => false,
        }
    }

    /// Whether it does not say what a step does.
    pub(crate) fn is_unknown(self, step: &Step) -> bool {
        match (step, self) {
            (Step::Fence { kind, .. }, Tso | Pso) => *kind == Fence::Other,
            (Step::Fence { .. }, _) => self != Sc,
            _ => false,
        }
    }

    /// Does something on its memory. Views keep every write of the variables that `keep` says.
    pub(crate) fn run<J: OnMemory>(self, code: &Code, keep: Vec<bool>, job: J) -> J::Answer {
        let init: Vec<u64> = code.vars.iter().map(|var| var.init).collect();
        let n_threads = code.threads.len();
        match self {
            Sc => job.on(Sequential { init }),
            Tso => job.on(Buffers { init, n_threads, by_variable: false }),
            Pso => job.on(Buffers { init, n_threads, by_variable: true }),
            Ra => job.on(Views { init, n_threads, always: true, keep }),
            Rar => job.on(Views { init, n_threads, always: false, keep }),
            RarGraph => job.on(Graph { init }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_model_has_one_row() {
        for model in [Sc, Tso, Pso, Ra, Rar, RarGraph] {
            assert_eq!(OPERATIONAL.iter().filter(|info| info.model == model).count(), 1);
            assert_eq!(Operational::named(model.name()), Some(model));
        }
        assert_eq!(Operational::named("arm"), None);
    }
}
