//! The engine `bmc`: bounded model checking with the memory model as an input. One formula for all executions of an unrolled program is
//! given to a SAT solver with a theory of orders.
//!
//! It follows Dartagnan (Gavrilenko, Ponce de León, Furbach, Heljanko, Meyer, "BMC for Weak Memory Models: Relation Analysis for Compact
//! SMT Encodings", CAV 2019; Ponce de León, Furbach, Heljanko, Meyer, "Dartagnan: Bounded Model Checking for Weak Memory Models", TACAS
//! 2020). All paths of all threads are unfolded at once ([`treville_unfold::Guarded`]); relation analysis ([`treville_relations`]) finds may
//! and must sets and the active pairs; only what is left is encoded ([`encode`]).
//!
//! Where it differs: acyclicity is a theory inside the solver instead of integer clocks; recursive definitions are encoded as least fixpoints or
//! refined lazily; a solution is run again and judged by the reference evaluator before it is reported ([`replay`]); an answer that there is none
//! can come with a proof ([`prove`]).

mod differ;
mod encode;
mod events;
mod layout;
#[cfg(feature = "cadical")]
mod prove;
mod replay;
mod solve;
mod symmetry;
mod unrolled;

pub use differ::{Compared, OnlyAllowed, difference};
pub use encode::Encoding;
pub use treville_relations::Level;

use treville_task::{Engine, EngineInfo, Ready, Semantics, Task, Unsupported};

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
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Fixpoint {
    /// Any that is closed under the definition.
    KnasterTarski,
    /// The least one only.
    Kleene,
}

/// How much is found out of computed addresses before anything is encoded.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
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
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
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

pub const INFO: EngineInfo = EngineInfo {
    name: "bmc",
    about: "all executions of an unrolled test at once, by a SAT solver with an ordering theory",
};

impl Engine for Bmc {
    fn info(&self) -> &EngineInfo {
        &INFO
    }

    fn prepare<'t>(&'t self, task: &'t Task) -> Result<Ready<'t>, Vec<Unsupported>> {
        if self.options.proofs && cfg!(not(feature = "cadical")) {
            let what = "proofs, which need the solver CaDiCaL that this build does not have,".to_owned();
            return Err(vec![Unsupported { what, span: None }]);
        }
        match task.program.dynamic_feature() {
            None if !matches!(task.semantics, Semantics::Axioms(..)) => {
                Err(vec![Unsupported { what: "the model is not linked for this program".into(), span: None }])
            }
            None => Ok(Box::new(|_| solve::run(task, &self.options))),
            Some((what, span)) => Err(vec![Unsupported { what: format!("{what} is not for bmc"), span: Some(span) }]),
        }
    }
}
