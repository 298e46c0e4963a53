//! Whether a run that somebody else has found is one of remote memory: its steps are done again, one by one, by the rules of
//! the semantics alone. The run does not say when an operation has read its source; that is tried in every way.

use std::collections::{BTreeMap, BTreeSet};
use treville_base::{BitSet, Idx};
use treville_rma::{
    Action, Atom, Cond, Failure, Init, NodeId, Number, Op, ProcId, Program, PropKind, Remote, RemoteId, RemoteKind,
    Trace, VarId,
};

/// A step of a run to be done again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Event {
    /// A process executes a node and goes on at another; it stays at an assertion that is false.
    Step { proc: ProcId, node: NodeId, next: NodeId },
    /// An operation lands; or an atomic one is taken.
    Fire(RemoteId),
    /// What an atomic operation has found lands.
    Land(RemoteId),
}

/// A run to be done again.
#[derive(Clone, Copy, Debug)]
pub struct Replay<'a> {
    pub program: &'a Program,
    pub placement: &'a BitSet,
    pub events: &'a [Event],
    /// What is false at its end; else an assertion, at its last step.
    pub property: Option<usize>,
    /// Remote statements are done where they are issued.
    pub at_once: bool,
    pub values: &'a Values,
}

/// Numbers for what a program leaves open. What is not here is guessed.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Values {
    /// Of variables at the start.
    pub start: BTreeMap<VarId, Number>,
    /// Of assignments of any number, in the order of the run.
    pub havocs: Vec<Number>,
}

/// So many steps are tried.
const MAX_STEPS: usize = 200_000;
/// Of a variable that can have any value.
const MAX_VALUES: usize = 8;

#[derive(Clone, Debug)]
struct Pending {
    remote: RemoteId,
    operands: Vec<Number>,
    /// The values of its source since it was issued, and after how many steps of the run each was there.
    seen: Vec<(Number, usize)>,
    /// What an atomic operation has found.
    found: Option<Number>,
}

#[derive(Clone, Debug)]
struct World {
    places: Vec<NodeId>,
    values: Vec<Number>,
    /// How often any number was assigned.
    n_havocs: usize,
    pending: Vec<Pending>,
    log: Vec<Action>,
    /// Readings of plain operations, to be told after so many steps of the log.
    reads: Vec<(usize, Action)>,
}

impl Replay<'_> {
    /// The run with values, if there is one.
    pub fn run(&self) -> Option<(Failure, Trace)> {
        let mut work: Vec<(World, usize)> = self.starts().into_iter().map(|world| (world, 0)).collect();
        for _ in 0..MAX_STEPS {
            let (world, at) = work.pop()?;
            let Some(event) = self.events.get(at) else {
                match self.fails(&world) {
                    Some(failure) => return Some((failure, trace(world))),
                    None => continue,
                }
            };
            work.extend(self.after(world, *event).into_iter().map(|world| (world, at + 1)));
        }
        None
    }

    fn starts(&self) -> Vec<World> {
        let mut all: Vec<Vec<Number>> = vec![Vec::new()];
        for (id, var) in self.program.vars.iter_enumerated() {
            let known = self.values.start.get(&id).filter(|value| may_begin_with(&var.init, **value));
            let values = match (known, &var.init) {
                (Some(value), _) => vec![*value],
                (None, Init::Value(value)) => vec![Number::from(*value)],
                (None, Init::Among(values)) => values.iter().copied().map(Number::from).collect(),
                (None, Init::Within(first, last)) => (*first..=*last).take(MAX_VALUES).map(Number::from).collect(),
                (None, Init::Any) => likely_values(self.program),
            };
            let with = |value: &Number| {
                all.iter().map(|v: &Vec<Number>| [v.as_slice(), &[*value]].concat()).collect::<Vec<_>>()
            };
            all = values.iter().flat_map(with).take(MAX_STEPS / 100).collect();
        }
        let places: Vec<NodeId> = self.program.procs.iter().map(|proc| proc.entry).collect();
        let world = |values| World {
            places: places.clone(),
            values,
            n_havocs: 0,
            pending: Vec::new(),
            log: Vec::new(),
            reads: Vec::new(),
        };
        all.into_iter().map(world).collect()
    }

    fn fails(&self, world: &World) -> Option<Failure> {
        let Some(property) = self.property else {
            let Some(Event::Step { proc, node, next }) = self.events.last() else { return None };
            return (node == next).then_some(Failure::Assertion(*proc, *node));
        };
        let of = &self.program.properties[property];
        let over = || {
            let ended = |(proc, node): (ProcId, &NodeId)| matches!(self.program.procs[proc].nodes[*node].op, Op::End);
            self.program.procs.ids().zip(&world.places).all(ended)
        };
        let applies = match of.kind {
            PropKind::Always => true,
            PropKind::Final => over(),
            PropKind::Quiescent => over() && world.pending.is_empty(),
        };
        (applies && world.holds(&of.cond) == Some(false)).then_some(Failure::Property(property))
    }

    /// The ways in which the world can be after an event; none if the event cannot happen.
    fn after(&self, world: World, event: Event) -> Vec<World> {
        match event {
            Event::Step { proc, node, next } => self.stepped(world, proc, node, next),
            Event::Fire(id) if self.program.remotes[id].is_rmw() => self.each(&world, id, false, |world, i| {
                let value = self.taken(world, i)?;
                world.log.push(Action::Reads { remote: id, value });
                world.pending[i].found = Some(value);
                Some(())
            }),
            Event::Fire(id) => self.landed(&world, id),
            Event::Land(id) => self.each(&world, id, true, |world, i| {
                let value = world.pending.remove(i).found?;
                self.written(world, Action::Writes { remote: id, value }, self.program.remotes[id].dst, value);
                Some(())
            }),
        }
    }

    /// The world after something has been done to one of the operations of a statement, atomic ones that have found something
    /// already, or not.
    fn each(
        &self,
        world: &World,
        id: RemoteId,
        found: bool,
        does: impl Fn(&mut World, usize) -> Option<()>,
    ) -> Vec<World> {
        let of = |i: &usize| world.pending[*i].remote == id && world.pending[*i].found.is_some() == found;
        let mut all = Vec::new();
        for i in (0..world.pending.len()).filter(of) {
            let mut world = world.clone();
            if does(&mut world, i).is_some() {
                all.push(world);
            }
        }
        all
    }

    /// A put or get of this statement writes what it has read at some time.
    fn landed(&self, world: &World, id: RemoteId) -> Vec<World> {
        let most = world.pending.iter().map(|p| p.seen.len()).max().unwrap_or(0);
        let read = |at: usize| {
            self.each(world, id, false, |world, i| {
                let (value, when) = *world.pending[i].seen.get(at)?;
                world.pending.remove(i);
                world.reads.push((when, Action::Reads { remote: id, value }));
                self.written(world, Action::Writes { remote: id, value }, self.program.remotes[id].dst, value);
                Some(())
            })
        };
        (0..most).flat_map(read).collect()
    }

    /// What an atomic operation finds when it is taken now.
    fn taken(&self, world: &mut World, i: usize) -> Option<Number> {
        let of: &Remote = &self.program.remotes[world.pending[i].remote];
        let old = world.values[of.src.index()];
        let RemoteKind::Rmw(rmw, _) = &of.kind else { return None };
        let new = rmw.apply(old, &world.pending[i].operands)?;
        self.noticed(world, of.src, new);
        Some(old)
    }

    fn written(&self, world: &mut World, action: Action, var: VarId, value: Number) {
        world.log.push(action);
        self.noticed(world, var, value);
    }

    /// A variable has a new value, which pending operations may read.
    fn noticed(&self, world: &mut World, var: VarId, value: Number) {
        world.values[var.index()] = value;
        let now = world.log.len();
        for pending in world.pending.iter_mut().filter(|p| self.program.remotes[p.remote].src == var) {
            pending.seen.push((value, now));
        }
    }

    fn stepped(&self, mut world: World, proc: ProcId, node: NodeId, next: NodeId) -> Vec<World> {
        if world.places[proc.index()] != node || self.is_inside(&world, proc) {
            return Vec::new();
        }
        world.places[proc.index()] = next;
        let op = &self.program.procs[proc].nodes[node].op;
        if let Op::Havoc { var, .. } = op {
            let known = self.values.havocs.get(world.n_havocs);
            let with = |value| {
                let mut world = world.clone();
                world.values[var.index()] = value;
                world.n_havocs += 1;
                world
            };
            let values = known.map_or_else(|| likely_values(self.program), |value| vec![*value]);
            return values.into_iter().map(with).collect();
        }
        let action = |value| Action::Process { proc, node, value };
        let done = match op {
            Op::Assign { var, value, .. } => world.eval(value).map(|value| world.values[var.index()] = value),
            Op::Load { local, shared, .. } => {
                let value = world.values[shared.index()];
                world.values[local.index()] = value;
                world.log.push(action(Some(value)));
                Some(())
            }
            Op::Store { shared, value, .. } => {
                world.eval(value).map(|value| self.written(&mut world, action(Some(value)), *shared, value))
            }
            Op::Issue { remote, .. } => self.issued(&mut world, *remote, action(None)),
            Op::Flush { target, slot, .. } => {
                let there = slot.is_none_or(|slot| self.placement.contains(slot.index()));
                if there && !self.at_once {
                    world.log.push(action(None));
                }
                let of = |p: &Pending| &self.program.remotes[p.remote];
                let waits = world.pending.iter().any(|p| of(p).proc == proc && of(p).target == *target);
                (!there || !waits).then_some(())
            }
            Op::Assume { cond, .. } => world.holds(cond).filter(|holds| *holds).map(drop),
            Op::Assert { cond, .. } => world.holds(cond).filter(|holds| *holds == (next != node)).map(drop),
            Op::Branch { cond, then, els } => {
                world.holds(cond).filter(|holds| then == els || *holds == (next == *then)).map(drop)
            }
            Op::Skip(_) | Op::Choose(_) | Op::Havoc { .. } => Some(()),
            Op::End => None,
        };
        done.map(|()| vec![world]).unwrap_or_default()
    }

    /// Whether another process is in a block that is not interrupted.
    fn is_inside(&self, world: &World, proc: ProcId) -> bool {
        let others = world.places.iter().enumerate().filter(|(other, _)| *other != proc.index());
        others.into_iter().any(|(other, node)| self.program.procs[ProcId::from_usize(other)].nodes[*node].atomic)
    }

    fn issued(&self, world: &mut World, remote: RemoteId, action: Action) -> Option<()> {
        let of = &self.program.remotes[remote];
        let operands = match &of.kind {
            RemoteKind::Rmw(_, operands) => operands.iter().map(|o| world.eval(o)).collect::<Option<Vec<_>>>()?,
            RemoteKind::Put | RemoteKind::Get => Vec::new(),
        };
        world.log.push(action);
        let seen = vec![(world.values[of.src.index()], world.log.len())];
        world.pending.push(Pending { remote, operands, seen, found: None });
        if self.at_once {
            let last = world.pending.len() - 1;
            let value = if of.is_rmw() { self.taken(world, last)? } else { world.values[of.src.index()] };
            world.pending.pop();
            world.log.push(Action::Reads { remote, value });
            self.written(world, Action::Writes { remote, value }, of.dst, value);
        }
        Some(())
    }
}

impl World {
    fn eval(&self, linear: &treville_rma::Linear) -> Option<Number> {
        linear.eval(&|var: VarId| self.values[var.index()])
    }

    fn holds(&self, cond: &Cond) -> Option<bool> {
        cond.eval(&|var: VarId| self.values[var.index()], &|proc: ProcId| self.places[proc.index()])
    }
}

/// Whether a variable may have this value at the start.
fn may_begin_with(init: &Init, value: Number) -> bool {
    match init {
        Init::Value(only) => Number::from(*only) == value,
        Init::Among(values) => values.iter().any(|v| Number::from(*v) == value),
        Init::Within(first, last) => (Number::from(*first)..=Number::from(*last)).contains(&value),
        Init::Any => true,
    }
}

/// Numbers that make a difference to conditions: where a comparison with one variable turns, and next to that.
pub(crate) fn likely_values(program: &Program) -> Vec<Number> {
    let mut atoms: Vec<Atom> = program.properties.iter().flat_map(|p| p.cond.atoms()).collect();
    for node in program.procs.iter().flat_map(|p| p.nodes.iter()) {
        if let Op::Assume { cond, .. } | Op::Assert { cond, .. } | Op::Branch { cond, .. } = &node.op {
            atoms.extend(cond.atoms());
        }
    }
    let mut values: BTreeSet<Number> = BTreeSet::from([0]);
    for atom in &atoms {
        let factor = match atom.linear().terms() {
            [(_, factor)] => Number::from(*factor),
            _ => 1,
        };
        let turns = (-Number::from(atom.linear().offset())).div_euclid(factor);
        values.extend([turns - 1, turns, turns + 1]);
    }
    let mut values: Vec<Number> = values.into_iter().collect();
    values.sort_by_key(|n| n.unsigned_abs());
    values.truncate(MAX_VALUES);
    values
}

/// The steps in order, with each reading where its value was there.
fn trace(mut world: World) -> Trace {
    world.reads.sort_by_key(|(at, _)| *at);
    let mut steps = Vec::new();
    let mut reads = world.reads.into_iter().peekable();
    for (i, action) in world.log.into_iter().enumerate() {
        while let Some((_, read)) = reads.next_if(|(at, _)| *at <= i) {
            steps.push(read);
        }
        steps.push(action);
    }
    steps.extend(reads.map(|(_, read)| read));
    Trace { steps, blocking: None }
}
