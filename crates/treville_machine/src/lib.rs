//! The engine `machine`: explicit-state model checking of operational models. Every reachable state is visited once, breadth first.
//!
//! An operational model is a memory ([`memory`]) under the code of the program ([`code`]). [`OPERATIONAL`] lists them: `sc`, store buffers
//! (`tso`, `pso`), and release-acquire C11 by views (`ra`, `rar`). `rar-graph` is the semantics of Doherty, Dongol, Wehrheim, Derrick ("Verifying
//! C11 Programs Operationally", PPoPP 2019) as it was published. It is the reference for `rar`: every run on `rar` that is reported was
//! repeated on it. Invariants over program counters and observable writes follow Dalvandi, Dongol, "Towards Deductive Verification of C11
//! Programs with Event-B and ProB", FTfJP 2019.
//!
//! Where it differs: views in place of graphs, local steps run with the step before them, symmetry reduction by declared automorphisms. Numbers
//! of states are exact. A counterexample is a shortest run; [`Machine::step_through`] lets somebody choose each step.

mod code;
mod engine;
mod events;
mod induction;
mod least;
mod memory;
mod operational;
mod props;
mod remote;
mod replay;
mod search;
mod stepping;
mod store;
mod symmetry;
mod system;

pub use engine::{INFO, Machine};
pub use events::guarded;
pub use least::{LeastActions, least_actions};
pub use operational::{OPERATIONAL, Operational, OperationalInfo};
pub use remote::RemoteOptions;
pub use symmetry::check_symmetries;
