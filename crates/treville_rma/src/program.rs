//! Programs, processes, statements, remote operations and properties.

use crate::{Atom, Cond, Linear, Number};
use std::collections::{BTreeMap, BTreeSet};
use treville_base::{Idx, IndexVec, Name, Span};

treville_base::ids! {
    /// A process of a program.
    ProcId "P";
    /// A shared or local variable.
    VarId "v";
    /// A place in the graph of a process.
    NodeId "n";
    /// A remote statement on two variables; one statement of the text on elements of arrays is several.
    RemoteId "s";
    /// The place right behind a remote statement of the text, where a flush may be; people count from 1.
    SlotId "slot";
}

#[derive(Clone, PartialEq, Debug)]
pub struct Program {
    pub name: Name,
    pub procs: IndexVec<ProcId, Process>,
    pub vars: IndexVec<VarId, Variable>,
    pub remotes: IndexVec<RemoteId, Remote>,
    pub slots: IndexVec<SlotId, Slot>,
    /// The values that an explicit engine may stay within.
    pub domain: Option<(i64, i64)>,
    pub properties: Vec<Property>,
    /// What the proof under SC may use.
    pub predicates: Vec<Atom>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Process {
    pub name: Name,
    pub entry: NodeId,
    pub nodes: IndexVec<NodeId, Node>,
    pub labels: BTreeMap<Name, NodeId>,
    /// Assertions that the text does not have: an index is that of no element.
    pub out_of_bounds: BTreeSet<NodeId>,
    pub span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Variable {
    pub name: Name,
    pub kind: VarKind,
    /// The process that declares it.
    pub proc: ProcId,
    pub init: Init,
    pub span: Span,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum VarKind {
    Shared,
    Local,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Init {
    Value(i64),
    /// One of these.
    Among(Vec<i64>),
    /// One of the numbers from the first to the last.
    Within(i64, i64),
    Any,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Node {
    pub op: Op,
    pub span: Span,
    /// No other process goes on while one is here.
    pub atomic: bool,
}

/// What happens at a node, and where it goes on.
#[derive(Clone, PartialEq, Debug)]
pub enum Op {
    Skip(NodeId),
    Assign {
        var: VarId,
        value: Linear,
        next: NodeId,
    },
    Havoc {
        var: VarId,
        next: NodeId,
    },
    Load {
        local: VarId,
        shared: VarId,
        next: NodeId,
    },
    Store {
        shared: VarId,
        value: Linear,
        next: NodeId,
    },
    Issue {
        remote: RemoteId,
        next: NodeId,
    },
    /// Without a slot it is written in the program and always there.
    Flush {
        target: ProcId,
        slot: Option<SlotId>,
        next: NodeId,
    },
    Assume {
        cond: Cond,
        next: NodeId,
    },
    Assert {
        cond: Cond,
        next: NodeId,
    },
    Branch {
        cond: Cond,
        then: NodeId,
        els: NodeId,
    },
    Choose(Vec<NodeId>),
    End,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Remote {
    pub proc: ProcId,
    pub kind: RemoteKind,
    /// What is read, and what is written in the end; an atomic operation also writes the source.
    pub src: VarId,
    pub dst: VarId,
    /// The process that the statement names.
    pub target: ProcId,
    pub slot: SlotId,
    pub span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub enum RemoteKind {
    Put,
    Get,
    Rmw(Rmw, Vec<Linear>),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rmw {
    Faa,
    Swap,
    Cas,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Slot {
    pub proc: ProcId,
    pub target: ProcId,
    /// Of the remote statement before it.
    pub span: Span,
    /// The statement before it with its label, where that is all of the body of another one, without braces.
    pub body: Option<Span>,
    /// How many loops are around it.
    pub depth: u32,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Property {
    pub name: Name,
    pub kind: PropKind,
    pub cond: Cond,
    pub span: Span,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PropKind {
    /// In every state.
    Always,
    /// When every process is at its end; remote operations may still be on their way.
    Final,
    /// When every process is at its end and nothing is on its way.
    Quiescent,
}

/// How a node uses local variables.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LocalUse {
    pub reads: BTreeSet<VarId>,
    pub writes: Option<VarId>,
}

impl Rmw {
    pub fn name(self) -> &'static str {
        match self {
            Rmw::Faa => "faa",
            Rmw::Swap => "swap",
            Rmw::Cas => "cas",
        }
    }

    /// How many values it takes.
    pub fn arity(self) -> usize {
        if self == Rmw::Cas { 2 } else { 1 }
    }

    /// What is written when `old` is found. `None` if the number gets too large.
    pub fn apply(self, old: Number, operands: &[Number]) -> Option<Number> {
        match (self, operands) {
            (Rmw::Faa, [add]) => old.checked_add(*add),
            (Rmw::Swap, [new]) => Some(*new),
            (Rmw::Cas, [expected, new]) => Some(if old == *expected { *new } else { old }),
            _ => None,
        }
    }
}

impl Remote {
    pub fn is_rmw(&self) -> bool {
        matches!(self.kind, RemoteKind::Rmw(..))
    }

    /// The variables that it writes.
    pub fn writes(&self) -> impl Iterator<Item = VarId> + use<> {
        [Some(self.dst), self.is_rmw().then_some(self.src)].into_iter().flatten()
    }
}

impl Process {
    /// Places from which it may run on for ever without a look at memory, and nobody notices.
    pub fn runs_on(&self) -> BTreeSet<NodeId> {
        let looks = |op: &Op| matches!(op, Op::Load { .. } | Op::Store { .. } | Op::Issue { .. } | Op::End);
        let silent = self.nodes.iter_enumerated().filter(|(_, node)| !looks(&node.op));
        let mut all: BTreeSet<NodeId> = silent.map(|(id, _)| id).collect();
        loop {
            let before = all.len();
            // Most statements come after those that they lead to: one round is enough for these.
            for (id, node) in self.nodes.iter_enumerated() {
                if !node.op.successors().iter().any(|next| all.contains(next)) {
                    all.remove(&id);
                }
            }
            if all.len() == before {
                return all;
            }
        }
    }
}

impl Op {
    pub fn successors(&self) -> Vec<NodeId> {
        match self {
            Op::Skip(next)
            | Op::Assign { next, .. }
            | Op::Havoc { next, .. }
            | Op::Load { next, .. }
            | Op::Store { next, .. }
            | Op::Issue { next, .. }
            | Op::Flush { next, .. }
            | Op::Assume { next, .. }
            | Op::Assert { next, .. } => vec![*next],
            Op::Branch { then, els, .. } => vec![*then, *els],
            Op::Choose(many) => many.clone(),
            Op::End => Vec::new(),
        }
    }
}

impl Program {
    pub fn shared(&self) -> impl Iterator<Item = VarId> + '_ {
        self.vars.iter_enumerated().filter(|(_, v)| v.kind == VarKind::Shared).map(|(id, _)| id)
    }

    /// The remote statements of a process that name `target`.
    pub fn remote(&self, proc: ProcId, target: ProcId) -> impl Iterator<Item = RemoteId> + '_ {
        let of = move |(_, r): &(RemoteId, &Remote)| r.proc == proc && r.target == target;
        self.remotes.iter_enumerated().filter(of).map(|(id, _)| id)
    }

    pub fn locals_used(&self, op: &Op) -> LocalUse {
        let mut used = LocalUse::default();
        let mut linear = |linear: &Linear| used.reads.extend(linear.vars());
        match op {
            Op::Assign { value, .. } | Op::Store { value, .. } => linear(value),
            Op::Issue { remote, .. } => {
                if let RemoteKind::Rmw(_, operands) = &self.remotes[*remote].kind {
                    operands.iter().for_each(linear);
                }
            }
            Op::Assume { cond, .. } | Op::Assert { cond, .. } | Op::Branch { cond, .. } => {
                cond.atoms().iter().for_each(|atom| linear(atom.linear()));
            }
            Op::Skip(_) | Op::Havoc { .. } | Op::Load { .. } | Op::Flush { .. } | Op::Choose(_) | Op::End => {}
        }
        used.writes = match op {
            Op::Assign { var, .. } | Op::Havoc { var, .. } => Some(*var),
            Op::Load { local, .. } => Some(*local),
            _ => None,
        };
        used
    }

    /// Whether a property looks at memory, not only at places and local variables.
    pub fn properties_see_memory(&self) -> bool {
        let shared = |atom: &Atom| atom.linear().vars().any(|v| self.vars[v].kind == VarKind::Shared);
        let sees = |p: &Property| p.kind == PropKind::Quiescent || p.cond.atoms().iter().any(shared);
        self.properties.iter().any(sees)
    }

    /// The places that properties mention.
    pub fn watched_places(&self) -> BTreeSet<(ProcId, NodeId)> {
        let mut places = BTreeSet::new();
        for property in &self.properties {
            property.cond.visit(&mut |part| {
                if let Cond::At { proc, node, .. } = part {
                    places.insert((*proc, *node));
                }
            });
        }
        places
    }

    /// Whether the program asks anything at all.
    pub fn has_property(&self) -> bool {
        let asserts = |p: &Process| p.nodes.iter().any(|n| matches!(n.op, Op::Assert { .. }));
        !self.properties.is_empty() || self.procs.iter().any(asserts)
    }

    /// Whether the text of a process has a way to its end: a loop without a condition may have none.
    pub fn can_end(&self, proc: ProcId) -> bool {
        let of = &self.procs[proc];
        let mut seen = BTreeSet::new();
        let mut open = vec![of.entry];
        while let Some(node) = open.pop() {
            if seen.insert(node) {
                open.extend(match &of.nodes[node].op {
                    Op::Branch { cond: Cond::Const(true), then, .. } => vec![*then],
                    Op::Branch { cond: Cond::Const(false), els, .. } => vec![*els],
                    op => op.successors(),
                });
            }
        }
        seen.into_iter().any(|node| matches!(of.nodes[node].op, Op::End))
    }

    /// The number by which people know a slot.
    pub fn slot_number(slot: SlotId) -> usize {
        slot.index() + 1
    }
}
