//! The engine `bmc`: one formula for all executions of an unrolled program, given to a SAT solver with a theory of orders.
//!
//! All paths of all threads are unfolded at once ([`treville_unfold::Guarded`]); what is certain of the model's relations on
//! their events is found out beforehand ([`treville_relations`]), and only what is left is encoded ([`encode`]). A solution is
//! run again and judged by the reference evaluator before anybody sees it ([`replay`]);
//! an answer that there is none can come with a proof ([`prove`]).

mod alike;
mod differ;
mod encode;
mod events;
mod layout;
mod prove;
mod replay;
mod solve;
mod unrolled;

pub use differ::{Compared, OnlyAllowed, difference};
pub use encode::Encoding;
pub use treville_relations::Level;

use treville_task::{Engine, EngineInfo, Monitor, Outcome, Semantics, Task, Unsupported};

/// The engine.
#[derive(Clone, Copy, Debug)]
pub struct Bmc {
    pub options: Options,
}

/// Choices that change how it answers, but (addresses aside) never what: they are there to be compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// How much is found out of relations before anything is encoded.
    pub level: Level,
    /// Only pairs that can make a difference to the model's checks are encoded.
    pub active: bool,
    /// What threads by themselves must see is used where the model says that each location is coherent.
    pub local: bool,
    pub encoding: Encoding,
    pub fixpoint: Fixpoint,
    pub alias: Alias,
    pub addresses: Addresses,
    /// Answers that there is no such execution come with a proof ([`prove`]).
    pub proofs: bool,
}

/// Which solutions of recursive definitions count, where any above the least one gives the same answers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fixpoint {
    /// Any that is closed under the definition.
    KnasterTarski,
    /// The least one only.
    Kleene,
}

/// How much is found out of computed addresses before anything is encoded.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Alias {
    /// An access may touch any cell of its size.
    None,
    /// Any cell of the objects whose addresses may flow to it.
    Andersen,
    /// The cells whose addresses may flow to it.
    Field,
}

/// Where objects lie. This is the one choice that may change answers: those of programs that look at addresses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Addresses {
    /// Where they lie for all engines.
    Shared,
    /// Anywhere: the solver chooses.
    Solver,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            level: Level::Extended,
            active: true,
            local: true,
            encoding: Encoding::Lazy,
            fixpoint: Fixpoint::KnasterTarski,
            alias: Alias::Field,
            addresses: Addresses::Shared,
            proofs: false,
        }
    }
}

impl Bmc {
    pub fn new(options: Options) -> Self {
        Bmc { options }
    }
}

const INFO: EngineInfo = EngineInfo {
    name: "bmc",
    about: "all executions of an unrolled program at once, by a SAT solver with an ordering theory",
};

impl Engine for Bmc {
    fn info(&self) -> &EngineInfo {
        &INFO
    }

    fn supports(&self, task: &Task) -> Result<(), Vec<Unsupported>> {
        match task.program.dynamic_feature() {
            None if !matches!(task.semantics, Semantics::Axioms(..)) => {
                Err(vec![Unsupported { what: "the model is not linked for this program".into(), span: None }])
            }
            None => Ok(()),
            Some((what, span)) => Err(vec![Unsupported { what: format!("{what} is not for bmc"), span: Some(span) }]),
        }
    }

    fn run(&self, task: &Task, _: &dyn Monitor) -> Outcome {
        solve::run(task, &self.options)
    }
}
