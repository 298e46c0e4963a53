//! What programs on remote memory do, as slow as it is defined: every statement is a step, every step of the network is tried in
//! every state, nothing is put off, forgotten or bounded. For tests: it shares only the program with the engines.

use std::collections::BTreeSet;
use treville_base::{BitSet, Idx};
use treville_rma::{Cond, Init, Linear, NodeId, Number, Op, ProcId, Program, PropKind, RemoteId, RemoteKind, VarId};

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct State {
    places: Vec<NodeId>,
    values: Vec<Number>,
    /// Sorted: which of several is done next makes no difference to what the others do.
    pending: Vec<Pending>,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Pending {
    remote: RemoteId,
    operands: Vec<Number>,
    /// What was read.
    found: Option<Number>,
}

/// What becomes of a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Slow {
    Fails,
    /// With whether some run completes.
    Holds {
        completes: bool,
    },
    /// Too many states, or a number that does not fit.
    Unknown,
}

pub(crate) struct Definition<'p> {
    pub(crate) program: &'p Program,
    pub(crate) placement: &'p BitSet,
    /// Remote statements are done at once.
    pub(crate) sequential: bool,
    pub(crate) most_states: usize,
}

/// A number gets too large.
struct TooLarge;

type Computed<T> = Result<T, TooLarge>;

impl Definition<'_> {
    pub(crate) fn run(&self) -> Slow {
        self.explore().unwrap_or(Slow::Unknown)
    }

    fn explore(&self) -> Computed<Slow> {
        let mut open = self.starts().ok_or(TooLarge)?;
        let mut seen: BTreeSet<State> = open.iter().cloned().collect();
        let mut completes = false;
        while let Some(state) = open.pop() {
            if self.is_wrong(&state)? {
                return Ok(Slow::Fails);
            }
            completes |= self.is_complete(&state)?;
            for next in self.nexts(&state)? {
                if seen.insert(next.clone()) {
                    open.push(next);
                }
            }
            if seen.len() > self.most_states {
                return Err(TooLarge);
            }
        }
        Ok(Slow::Holds { completes })
    }

    fn starts(&self) -> Option<Vec<State>> {
        let mut all: Vec<Vec<Number>> = vec![Vec::new()];
        for var in &self.program.vars {
            let values: Vec<Number> = match &var.init {
                Init::Value(value) => vec![Number::from(*value)],
                Init::Among(values) => values.iter().copied().map(Number::from).collect(),
                Init::Within(first, last) => (Number::from(*first)..=Number::from(*last)).collect(),
                Init::Any => return None,
            };
            all = all.iter().flat_map(|v| values.iter().map(|n| [v.as_slice(), &[*n]].concat())).collect();
        }
        let places: Vec<NodeId> = self.program.procs.iter().map(|proc| proc.entry).collect();
        Some(all.into_iter().map(|values| State { places: places.clone(), values, pending: Vec::new() }).collect())
    }

    fn is_wrong(&self, state: &State) -> Computed<bool> {
        for (proc, node) in self.at(state) {
            if let Op::Assert { cond, .. } = &self.program.procs[proc].nodes[node].op
                && !state.holds(cond)?
            {
                return Ok(true);
            }
        }
        let ended = self.at(state).all(|(p, n)| matches!(self.program.procs[p].nodes[n].op, Op::End));
        for property in &self.program.properties {
            let applies = match property.kind {
                PropKind::Always => true,
                PropKind::Final => ended,
                PropKind::Quiescent => ended && state.pending.is_empty(),
            };
            if applies && !state.holds(&property.cond)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn is_complete(&self, state: &State) -> Computed<bool> {
        for (proc, node) in self.at(state) {
            let over = match &self.program.procs[proc].nodes[node].op {
                Op::End => true,
                Op::Assume { cond, .. } => !state.holds(cond)?,
                _ => !self.program.can_end(proc),
            };
            if !over {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn at<'s>(&self, state: &'s State) -> impl Iterator<Item = (ProcId, NodeId)> + 's {
        state.places.iter().enumerate().map(|(p, node)| (ProcId::from_usize(p), *node))
    }

    fn nexts(&self, state: &State) -> Computed<Vec<State>> {
        let mut nexts = Vec::new();
        let inside = self.at(state).find(|(p, n)| self.program.procs[*p].nodes[*n].atomic).map(|(p, _)| p);
        for (proc, node) in self.at(state).filter(|(p, _)| inside.is_none_or(|inside| inside == *p)) {
            self.step(state, proc, node, &mut nexts)?;
        }
        for i in 0..state.pending.len() {
            let mut next = state.clone();
            let Pending { remote: id, operands, found } = next.pending.remove(i);
            let remote = &self.program.remotes[id];
            match found {
                Some(value) => next.values[remote.dst.index()] = value,
                None => {
                    let value = next.values[remote.src.index()];
                    if let RemoteKind::Rmw(rmw, _) = &remote.kind {
                        next.values[remote.src.index()] = rmw.apply(value, &operands).ok_or(TooLarge)?;
                    }
                    next.pending.push(Pending { remote: id, operands, found: Some(value) });
                }
            }
            next.pending.sort();
            nexts.push(next);
        }
        Ok(nexts)
    }

    fn step(&self, state: &State, proc: ProcId, node: NodeId, nexts: &mut Vec<State>) -> Computed<()> {
        let op = &self.program.procs[proc].nodes[node].op;
        let mut next = state.clone();
        match op {
            Op::Skip(_) | Op::Assert { .. } => {}
            Op::Assign { var, value, .. } | Op::Store { shared: var, value, .. } => {
                next.values[var.index()] = state.eval(value)?;
            }
            Op::Load { local, shared, .. } => next.values[local.index()] = state.values[shared.index()],
            Op::Issue { remote, .. } => self.issue(*remote, &mut next)?,
            Op::Flush { target, slot, .. } => {
                let there = !self.sequential && slot.is_none_or(|slot| self.placement.contains(slot.index()));
                let of = |p: &Pending| &self.program.remotes[p.remote];
                if there && state.pending.iter().any(|p| of(p).proc == proc && of(p).target == *target) {
                    return Ok(());
                }
            }
            Op::Assume { cond, .. } => {
                if !state.holds(cond)? {
                    return Ok(());
                }
            }
            Op::Branch { cond, then, els } => {
                next.places[proc.index()] = if state.holds(cond)? { *then } else { *els };
                nexts.push(next);
                return Ok(());
            }
            Op::Havoc { .. } => return Err(TooLarge),
            Op::Choose(_) | Op::End => {}
        }
        for to in op.successors() {
            let mut next = next.clone();
            next.places[proc.index()] = to;
            nexts.push(next);
        }
        Ok(())
    }

    fn issue(&self, id: RemoteId, state: &mut State) -> Computed<()> {
        let remote = &self.program.remotes[id];
        let operands = match &remote.kind {
            RemoteKind::Rmw(_, operands) => operands.iter().map(|o| state.eval(o)).collect::<Computed<Vec<_>>>()?,
            RemoteKind::Put | RemoteKind::Get => Vec::new(),
        };
        if !self.sequential {
            state.pending.push(Pending { remote: id, operands, found: None });
            state.pending.sort();
            return Ok(());
        }
        let value = state.values[remote.src.index()];
        if let RemoteKind::Rmw(rmw, _) = &remote.kind {
            state.values[remote.src.index()] = rmw.apply(value, &operands).ok_or(TooLarge)?;
        }
        state.values[remote.dst.index()] = value;
        Ok(())
    }
}

impl State {
    fn eval(&self, linear: &Linear) -> Computed<Number> {
        linear.eval(&|var: VarId| self.values[var.index()]).ok_or(TooLarge)
    }

    fn holds(&self, cond: &Cond) -> Computed<bool> {
        cond.eval(&|var: VarId| self.values[var.index()], &|proc: ProcId| self.places[proc.index()]).ok_or(TooLarge)
    }
}
