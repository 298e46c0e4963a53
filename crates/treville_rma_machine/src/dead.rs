//! Variables whose value no longer matters where a process is: nothing reads them before they are written again. States that
//! differ in these alone are one.

use std::collections::BTreeSet;
use treville_base::{BitSet, Idx, IndexVec};
use treville_rma::{NodeId, Op, ProcId, Process, Program, VarId, VarKind};

/// For each process and each place of it, the variables of the process that are dead there.
#[derive(Clone, Debug)]
pub struct Dead {
    at: Vec<IndexVec<NodeId, Vec<VarId>>>,
}

impl Dead {
    /// With flushes in these slots; or, if `sequential`, with remote statements that are done at once.
    pub fn new(program: &Program, placement: &BitSet, sequential: bool) -> Self {
        let claimed = program.properties.iter().flat_map(|p| p.cond.atoms());
        let mut watched: BTreeSet<VarId> = claimed.flat_map(|a| a.linear().vars().collect::<Vec<_>>()).collect();
        // What the network may read at any time is never dead.
        watched.extend(program.remotes.iter().map(|remote| remote.src));
        let of = |(id, proc): (ProcId, &Process)| {
            let own: Vec<VarId> =
                program.vars.iter_enumerated().filter(|(_, v)| v.proc == id).map(|(v, _)| v).collect();
            let live = live(program, proc, &own, &|op| overwrites(program, proc, op, placement, sequential));
            let dead = |live: &BTreeSet<VarId>| {
                own.iter().filter(|v| !live.contains(v) && !watched.contains(v)).copied().collect()
            };
            live.iter().map(dead).collect()
        };
        Dead { at: program.procs.iter_enumerated().map(of).collect() }
    }

    /// None are dead.
    pub fn none(program: &Program) -> Self {
        Dead { at: program.procs.iter().map(|proc| proc.nodes.iter().map(|_| Vec::new()).collect()).collect() }
    }

    pub fn at(&self, proc: ProcId, node: NodeId) -> &[VarId] {
        &self.at[proc.index()][node]
    }
}

/// The variable that has a new value once the statement, and the flush behind it, are over.
fn overwrites(program: &Program, proc: &Process, op: &Op, placement: &BitSet, sequential: bool) -> Option<VarId> {
    match op {
        Op::Assign { var, .. } | Op::Havoc { var, .. } => Some(*var),
        Op::Load { local, .. } => Some(*local),
        Op::Store { shared, .. } => Some(*shared),
        Op::Issue { remote, next } => {
            let waits = match &proc.nodes[*next].op {
                Op::Flush { slot: Some(slot), .. } => placement.contains(slot.index()),
                _ => false,
            };
            (sequential || waits).then_some(program.remotes[*remote].dst)
        }
        _ => None,
    }
}

/// What may be read before it is written, at each node.
fn live(
    program: &Program,
    proc: &Process,
    own: &[VarId],
    overwrites: &dyn Fn(&Op) -> Option<VarId>,
) -> IndexVec<NodeId, BTreeSet<VarId>> {
    let mut live: IndexVec<NodeId, BTreeSet<VarId>> = proc.nodes.iter().map(|_| BTreeSet::new()).collect();
    let shared = |v: &VarId| program.vars[*v].kind == VarKind::Shared;
    loop {
        let mut changed = false;
        for (id, node) in proc.nodes.iter_enumerated() {
            let mut before: BTreeSet<VarId> =
                node.op.successors().iter().flat_map(|next| live[*next].iter().copied()).collect();
            if let Some(var) = overwrites(&node.op) {
                before.remove(&var);
            }
            before.extend(program.locals_used(&node.op).reads);
            if let Op::Load { shared, .. } = &node.op {
                before.insert(*shared);
            }
            // At its end a process reads nothing, but others may still ask for what it has.
            if let Op::End = node.op {
                before.extend(own.iter().filter(|v| shared(v)));
            }
            if before.len() > live[id].len() {
                live[id] = before;
                changed = true;
            }
        }
        if !changed {
            return live;
        }
    }
}
