//! Models with facts: no read sees a write of the program.

use treville_verifier::{Bundled, Family, ModelFacts, Role};

const FACTS: ModelFacts = ModelFacts { family: Family::Hardware, known: None, cxx20: false, monotone: true };

const TEXT: &str = "\"Nothing is read\"\nacyclic po | fr\nempty rf \\ (IW * R)\n";

pub(crate) static NOTHING_IS_READ: Bundled =
    Bundled { name: "nothing-is-read.cat", role: Role::Model(FACTS), text: TEXT };

pub(crate) static IN_C: Bundled = Bundled {
    name: "nothing-is-read-in-c.cat",
    role: Role::Model(ModelFacts { family: Family::C11, ..FACTS }),
    text: TEXT,
};
