//! Tasks about programs on remote memory: whether some run fails.

use crate::Limits;
use std::sync::Arc;
use treville_base::{BitSet, Cancel};
use treville_rma::Program;

#[derive(Clone, Debug)]
pub struct RemoteTask {
    pub program: Arc<Program>,
    pub memory: RemoteMemory,
    /// The slots with a flush, beside the flushes of the text.
    pub placement: BitSet,
    pub limits: Limits,
    pub effort: Effort,
}

/// What remote statements do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RemoteMemory {
    /// They are on their way for as long as they like.
    Remote,
    /// They are done at once.
    Sequential,
}

impl RemoteMemory {
    /// As the option `model` names them.
    pub const ALL: [RemoteMemory; 2] = [RemoteMemory::Remote, RemoteMemory::Sequential];

    pub fn name(self) -> &'static str {
        match self {
            RemoteMemory::Remote => "rma",
            RemoteMemory::Sequential => "sc",
        }
    }

    pub fn named(name: &str) -> Option<RemoteMemory> {
        Self::ALL.into_iter().find(|memory| memory.name() == name)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effort {
    /// A short look, before another engine is asked.
    Brief,
    Full,
}

impl RemoteTask {
    pub fn cancel(&self) -> &Cancel {
        &self.limits.cancel
    }
}
