//! The state of an interactive run: where it is, what may come next, and what the person chooses.

use crate::{Observed, RunStep};
use treville_base::Name;
use treville_ir::{ObjectId, Reg, ThreadId};

/// A state on the way, as a person sees it.
#[derive(Clone, PartialEq, Debug)]
pub struct Moment {
    /// How the run came here.
    pub taken: Vec<RunStep>,
    pub threads: Vec<Placed>,
    /// What each thread knows of each variable.
    pub known: Vec<Known>,
    /// What may come next.
    pub steps: Vec<RunStep>,
    /// More could come next, but no more writes of a variable are kept than there are.
    pub cut: bool,
    /// Invariants that do not hold here, by number.
    pub broken: Vec<usize>,
}

/// Where a thread is, and what its named registers hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Placed {
    pub thread: ThreadId,
    pub label: Option<Name>,
    pub registers: Vec<(Reg, i64)>,
}

/// What a thread knows of a variable: writes in their order, oldest first.
#[derive(Clone, PartialEq, Debug)]
pub struct Known {
    pub thread: ThreadId,
    pub object: ObjectId,
    /// None if the memory does not say.
    pub encountered: Option<Vec<Observed>>,
    pub observable: Vec<Observed>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Command {
    /// One of the steps that may come next, counted from 0.
    Take(usize),
    Back,
    Quit,
}
