//! Which steps of the network a step of a process depends on: only these are tried before it.

use crate::network::Semantics;
use std::collections::{BTreeMap, BTreeSet};
use treville_rma::{ProcId, Program, Remote, RemoteId, VarId};

/// What a process is about to do.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum About {
    Load(VarId),
    Store(VarId),
    Flush(ProcId, ProcId),
}

#[derive(Debug)]
pub(crate) struct Dependencies<'p> {
    program: &'p Program,
    semantics: Semantics,
    known: BTreeMap<About, std::rc::Rc<[bool]>>,
}

impl<'p> Dependencies<'p> {
    pub(crate) fn new(program: &'p Program, semantics: Semantics) -> Self {
        Dependencies { program, semantics, known: BTreeMap::new() }
    }

    /// For each remote statement, whether the step depends on it.
    pub(crate) fn of(&mut self, about: About) -> std::rc::Rc<[bool]> {
        let (program, semantics) = (self.program, self.semantics);
        let make = || match semantics {
            Semantics::Reduced(_) => closure(program, about),
            Semantics::Sequential | Semantics::Remote(_) => conflicts(program, about),
        };
        std::rc::Rc::clone(self.known.entry(about).or_insert_with(|| make().into()))
    }
}

fn seeds(program: &Program, about: About, is_seed: impl Fn(&Remote) -> bool) -> Vec<bool> {
    match about {
        About::Flush(proc, target) => {
            let of: BTreeSet<RemoteId> = program.remote(proc, target).collect();
            program.remotes.ids().map(|id| of.contains(&id)).collect()
        }
        About::Load(_) | About::Store(_) => program.remotes.iter().map(is_seed).collect(),
    }
}

/// Grows a set of statements by those that `joins` says belong to one that is in it.
fn close(program: &Program, mut set: Vec<bool>, joins: impl Fn(&Remote, &Remote) -> bool) -> Vec<bool> {
    loop {
        let more: Vec<usize> = (0..set.len())
            .filter(|&i| !set[i])
            .filter(|&i| (0..set.len()).any(|j| set[j] && joins(at(program, i), at(program, j))))
            .collect();
        if more.is_empty() {
            return set;
        }
        more.into_iter().for_each(|i| set[i] = true);
    }
}

fn at(program: &Program, i: usize) -> &Remote {
    &program.remotes[RemoteId(i as u32)]
}

fn touches(remote: &Remote, var: VarId) -> bool {
    remote.src == var || remote.dst == var
}

/// Those that share a variable that one of them writes, over any number of steps.
fn conflicts(program: &Program, about: About) -> Vec<bool> {
    let seeds = seeds(program, about, |remote| match about {
        About::Load(var) => remote.writes().any(|w| w == var),
        About::Store(var) => touches(remote, var),
        About::Flush(..) => false,
    });
    close(program, seeds, |a, b| a.writes().any(|w| touches(b, w)) || b.writes().any(|w| touches(a, w)))
}

/// For each remote statement, whether the reduction to SC must let it land before this: those that write what is looked at, and
/// those whose landing these may take up. Earlier values stay in the sets, so only writers matter.
pub fn closure(program: &Program, about: About) -> Vec<bool> {
    let seeds = seeds(program, about, |remote| match about {
        About::Load(var) | About::Store(var) => remote.writes().any(|w| w == var),
        About::Flush(..) => false,
    });
    close(program, seeds, |a, b| a.writes().any(|w| touches(b, w)))
}
