//! Local states of processes: a place and the values of local variables. Statements that nobody else can see run with the
//! statement before them, so that a process rests only where it looks at memory or where a property looks at it.

use crate::dead::Dead;
use crate::network::{Memory, Semantics, few_ways};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::rc::Rc;
use treville_base::{BitSet, Idx};
use treville_rma::{Node, NodeId, Number, Op, ProcId, Process, Program, PropKind, RemoteKind, VarId, VarKind};

/// The number of a local state of its process.
pub(crate) type LocalId = u32;

/// More than this without a look at memory is taken for a loop without end.
const MAX_SILENT: usize = 100_000;

/// Places between looks at the clock.
const BETWEEN_LOOKS: usize = 4096;

/// More ways for one step to go are too many.
const MAX_WAYS: usize = 1_000_000;

/// Where a process is after a step.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Target {
    At(LocalId),
    /// An assertion is false.
    Fails(NodeId),
}

/// What a process does next.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Move {
    /// It is at its end, or waits for ever.
    Rest,
    /// A step that looks at no memory.
    Silent(Vec<Target>),
    /// Where it goes depends on what is read.
    Load {
        shared: VarId,
    },
    Store {
        shared: VarId,
        value: u32,
        then: Vec<Target>,
    },
    Issue {
        remote: u32,
        operands: u32,
        then: Vec<Target>,
    },
    Flush {
        target: ProcId,
        then: Vec<Target>,
    },
}

type Values = Box<[Number]>;

#[derive(Debug, Default)]
struct OfProcess {
    ids: FxHashMap<(NodeId, Values), LocalId>,
    states: Vec<(NodeId, Values)>,
    moves: Vec<Option<Rc<Move>>>,
    /// After a load: by what is read.
    loaded: FxHashMap<(LocalId, u32), Rc<Vec<Target>>>,
}

/// A reason to give up.
pub(crate) type Stop = String;

#[derive(Debug)]
pub(crate) struct Locals<'p> {
    program: &'p Program,
    /// The slots where there is a flush; none under SC.
    flushes: BitSet,
    sequential: bool,
    /// Where properties look.
    places: BTreeSet<(ProcId, NodeId)>,
    watched: BTreeSet<VarId>,
    /// Of each local variable, its position among those of its process.
    position: Vec<usize>,
    procs: Vec<OfProcess>,
    dead: Dead,
    /// Processes whose text has no way to an end.
    endless: Vec<bool>,
    /// Of each process, the places from which it may run on for ever.
    runs_on: Vec<BTreeSet<NodeId>>,
}

impl<'p> Locals<'p> {
    pub(crate) fn new(program: &'p Program, placement: &BitSet, semantics: Semantics, dead: Dead) -> Self {
        let mut counts = vec![0; program.procs.len()];
        let mut position = vec![0; program.vars.len()];
        for (id, var) in program.vars.iter_enumerated().filter(|(_, v)| v.kind == VarKind::Local) {
            position[id.index()] = counts[var.proc.index()];
            counts[var.proc.index()] += 1;
        }
        let always = program.properties.iter().filter(|p| p.kind == PropKind::Always);
        let atoms = always.flat_map(|p| p.cond.atoms());
        Locals {
            program,
            flushes: placement.clone(),
            sequential: semantics == Semantics::Sequential,
            places: program.watched_places(),
            watched: atoms.flat_map(|a| a.linear().vars().collect::<Vec<_>>()).collect(),
            position,
            procs: program.procs.iter().map(|_| OfProcess::default()).collect(),
            dead,
            endless: program.procs.ids().map(|proc| !program.can_end(proc)).collect(),
            runs_on: program.procs.iter().map(Process::runs_on).collect(),
        }
    }

    pub(crate) fn node_of(&self, proc: ProcId, id: LocalId) -> NodeId {
        self.procs[proc.index()].states[id as usize].0
    }

    pub(crate) fn is_atomic(&self, proc: ProcId, id: LocalId) -> bool {
        self.node(proc, self.node_of(proc, id)).atomic
    }

    pub(crate) fn is_end(&self, proc: ProcId, id: LocalId) -> bool {
        matches!(self.node(proc, self.node_of(proc, id)).op, Op::End)
    }

    /// Whether a process has done what it is for: it is at its end, has none in its text, or waits for ever at an assumption.
    pub(crate) fn is_over(&self, proc: ProcId, id: LocalId) -> bool {
        let (node, values) = &self.procs[proc.index()].states[id as usize];
        let value = |var: VarId| values[self.position[var.index()]];
        match &self.node(proc, *node).op {
            Op::End => true,
            Op::Assume { cond, .. } if cond.eval(&value, &|_| NodeId(u32::MAX)) == Some(false) => true,
            _ => self.endless[proc.index()],
        }
    }

    fn node(&self, proc: ProcId, node: NodeId) -> &'p Node {
        &self.program.procs[proc].nodes[node]
    }

    pub(crate) fn value(&self, id: LocalId, var: VarId) -> Number {
        self.procs[self.program.vars[var].proc.index()].states[id as usize].1[self.position[var.index()]]
    }

    /// Where a process may rest at first, for each way to begin.
    pub(crate) fn initial(&mut self, proc: ProcId, memory: &mut Memory<'_>) -> Result<Vec<Target>, Stop> {
        let mut all: Vec<Vec<Number>> = vec![Vec::new()];
        for (_, var) in self.program.vars.iter_enumerated() {
            if var.kind == VarKind::Local && var.proc == proc {
                let values = memory.initial_values(var)?;
                few_ways(all.len(), values.len())?;
                let with = |before: &Vec<Number>| {
                    let before = before.clone();
                    values.clone().into_iter().map(move |v| before.iter().copied().chain([v]).collect())
                };
                all = all.iter().flat_map(with).collect();
            }
        }
        let mut targets = Vec::new();
        for values in all {
            targets.extend(self.settle(proc, self.program.procs[proc].entry, values.into(), memory)?);
        }
        targets.dedup();
        Ok(targets)
    }

    fn intern(&mut self, proc: ProcId, node: NodeId, mut values: Values) -> LocalId {
        for &var in self.dead.at(proc, node) {
            if self.program.vars[var].kind == VarKind::Local {
                values[self.position[var.index()]] = 0;
            }
        }
        let of = &mut self.procs[proc.index()];
        let next = of.states.len() as LocalId;
        match of.ids.entry((node, values)) {
            std::collections::hash_map::Entry::Occupied(known) => *known.get(),
            std::collections::hash_map::Entry::Vacant(new) => {
                of.states.push(new.key().clone());
                of.moves.push(None);
                *new.insert(next)
            }
        }
    }

    /// Whether a flush is there.
    fn flushes(&self, op: &Op) -> bool {
        match op {
            Op::Flush { slot, .. } => !self.sequential && slot.is_none_or(|slot| self.flushes.contains(slot.index())),
            _ => false,
        }
    }

    /// Whether a process stays before this node until it is its turn.
    fn rests(&self, proc: ProcId, node: NodeId) -> bool {
        let at = self.node(proc, node);
        self.places.contains(&(proc, node))
            || match &at.op {
                Op::Load { .. } | Op::Store { .. } | Op::Issue { .. } | Op::End => true,
                Op::Flush { .. } => self.flushes(&at.op),
                Op::Assign { var, .. } | Op::Havoc { var, .. } => self.watched.contains(var),
                // Others may go on before it enters a block that is not interrupted.
                Op::Skip(next) => !at.atomic && self.node(proc, *next).atomic,
                Op::Assume { .. } | Op::Assert { .. } | Op::Branch { .. } | Op::Choose(_) => false,
            }
    }

    /// Runs on to where the process may rest.
    fn settle(
        &mut self,
        proc: ProcId,
        node: NodeId,
        values: Values,
        memory: &mut Memory<'_>,
    ) -> Result<Vec<Target>, Stop> {
        let (mut targets, mut seen) = (Vec::new(), FxHashSet::default());
        let mut work = vec![(node, values)];
        while let Some((node, values)) = work.pop() {
            if (targets.len() + seen.len()) % BETWEEN_LOOKS == BETWEEN_LOOKS - 1 {
                memory.in_time()?;
            }
            if self.rests(proc, node) {
                targets.push(Target::At(self.intern(proc, node, values)));
                continue;
            }
            if !seen.insert((node, values.clone())) {
                // Where it runs in a circle, the others go on all the same.
                if self.runs_on[proc.index()].contains(&node) {
                    targets.push(Target::At(self.intern(proc, node, values)));
                }
                continue;
            }
            if seen.len() > MAX_SILENT {
                return Err(format!("process {} may compute for ever", self.program.procs[proc].name));
            }
            if targets.len().max(work.len()) > MAX_WAYS {
                return Err(format!("a step of process {} can go too many ways", self.program.procs[proc].name));
            }
            self.silent(proc, node, values, memory, &mut work, &mut targets)?;
        }
        targets.sort_unstable_by_key(|t| match t {
            Target::At(id) => (0, *id),
            Target::Fails(node) => (1, node.0),
        });
        targets.dedup();
        Ok(targets)
    }

    /// One statement that looks at no memory.
    fn silent(
        &mut self,
        proc: ProcId,
        node: NodeId,
        values: Values,
        memory: &mut Memory<'_>,
        work: &mut Vec<(NodeId, Values)>,
        targets: &mut Vec<Target>,
    ) -> Result<(), Stop> {
        let value = |var: VarId| values[self.position[var.index()]];
        let nowhere = |_| NodeId(u32::MAX);
        match &self.node(proc, node).op {
            Op::Skip(next) | Op::Flush { next, .. } => work.push((*next, values)),
            Op::Assign { var, value: sum, next } => {
                if let Some(result) = memory.kept(sum.eval(&value)) {
                    let mut values = values;
                    values[self.position[var.index()]] = result;
                    work.push((*next, values));
                }
            }
            Op::Havoc { var, next } => {
                for result in memory.any(&self.program.vars[*var])? {
                    let mut values = values.clone();
                    values[self.position[var.index()]] = result;
                    work.push((*next, values));
                }
            }
            Op::Assume { cond, next } => match cond.eval(&value, &nowhere) {
                Some(true) => work.push((*next, values)),
                // It waits for ever, and the others go on.
                Some(false) => targets.push(Target::At(self.intern(proc, node, values))),
                None => memory.overflow(),
            },
            Op::Assert { cond, next } => match cond.eval(&value, &nowhere) {
                Some(true) => work.push((*next, values)),
                Some(false) => targets.push(Target::Fails(node)),
                None => memory.overflow(),
            },
            Op::Branch { cond, then, els } => match cond.eval(&value, &nowhere) {
                Some(holds) => work.push((if holds { *then } else { *els }, values)),
                None => memory.overflow(),
            },
            Op::Choose(many) => work.extend(many.iter().map(|next| (*next, values.clone()))),
            Op::Load { .. } | Op::Store { .. } | Op::Issue { .. } | Op::End => {}
        }
        Ok(())
    }

    pub(crate) fn next(&mut self, proc: ProcId, id: LocalId, memory: &mut Memory<'_>) -> Result<Rc<Move>, Stop> {
        if let Some(known) = &self.procs[proc.index()].moves[id as usize] {
            return Ok(Rc::clone(known));
        }
        let made = Rc::new(self.make_move(proc, id, memory)?);
        self.procs[proc.index()].moves[id as usize] = Some(Rc::clone(&made));
        Ok(made)
    }

    fn make_move(&mut self, proc: ProcId, id: LocalId, memory: &mut Memory<'_>) -> Result<Move, Stop> {
        let (node, values) = self.procs[proc.index()].states[id as usize].clone();
        let value = |var: VarId| values[self.position[var.index()]];
        let op = &self.node(proc, node).op;
        Ok(match op {
            Op::End => Move::Rest,
            Op::Load { shared, .. } => Move::Load { shared: *shared },
            Op::Store { shared, value: sum, next } => match memory.kept(sum.eval(&value)) {
                Some(result) => Move::Store {
                    shared: *shared,
                    value: memory.intern(result)?,
                    then: self.settle(proc, *next, values, memory)?,
                },
                None => Move::Rest,
            },
            Op::Issue { remote, next } => {
                let operands = match &self.program.remotes[*remote].kind {
                    RemoteKind::Rmw(_, sums) => sums.iter().map(|sum| memory.kept(sum.eval(&value))).collect(),
                    RemoteKind::Put | RemoteKind::Get => Some(Vec::new()),
                };
                match operands {
                    Some(operands) => Move::Issue {
                        remote: remote.0,
                        operands: memory.operands(operands)?,
                        then: self.settle(proc, *next, values, memory)?,
                    },
                    None => Move::Rest,
                }
            }
            Op::Flush { target, next, .. } if self.flushes(op) => {
                Move::Flush { target: *target, then: self.settle(proc, *next, values, memory)? }
            }
            _ => {
                let (mut work, mut targets) = (Vec::new(), Vec::new());
                self.silent(proc, node, values, memory, &mut work, &mut targets)?;
                for (node, values) in work {
                    targets.extend(self.settle(proc, node, values, memory)?);
                }
                targets.retain(|target| *target != Target::At(id) || !matches!(op, Op::Assume { .. }));
                if targets.is_empty() { Move::Rest } else { Move::Silent(targets) }
            }
        })
    }

    /// Where a process is after its load has found a value.
    pub(crate) fn loaded(
        &mut self,
        proc: ProcId,
        id: LocalId,
        found: u32,
        memory: &mut Memory<'_>,
    ) -> Result<Rc<Vec<Target>>, Stop> {
        if let Some(known) = self.procs[proc.index()].loaded.get(&(id, found)) {
            return Ok(Rc::clone(known));
        }
        let (node, mut values) = self.procs[proc.index()].states[id as usize].clone();
        let Op::Load { local, next, .. } = &self.node(proc, node).op else { return Ok(Rc::default()) };
        values[self.position[local.index()]] = memory.value(found);
        let targets = Rc::new(self.settle(proc, *next, values, memory)?);
        self.procs[proc.index()].loaded.insert((id, found), Rc::clone(&targets));
        Ok(targets)
    }
}
