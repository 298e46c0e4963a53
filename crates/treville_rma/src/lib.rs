//! Programs with put, get and flush on remote memory: processes that own shared variables, statements as graphs, remote
//! operations with the slots where a flush may be put, and what is claimed of the runs.
//!
//! Numbers are mathematical integers and expressions are linear. This crate is data: no parser, no engine, no memory model
//! (what a remote operation does and when is for engines to say).

mod cond;
mod linear;
mod program;
mod run;
mod show;

pub use cond::{Atom, Cond, Rel};
pub use linear::{Linear, Number};
pub use program::{
    Init, LocalUse, Node, NodeId, Op, ProcId, Process, Program, PropKind, Property, Remote, RemoteId, RemoteKind, Rmw,
    Slot, SlotId, VarId, VarKind, Variable,
};
pub use run::{Action, FailingRun, Failure, NO_RUN_COMPLETES, Trace};
pub use show::{Shown, show_op};

#[cfg(test)]
mod tests;
