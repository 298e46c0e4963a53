//! New predicates from counterexamples that are not real. The path is followed backwards from a condition on it that cannot be
//! met: the comparisons on the way are what the abstraction did not know.

use crate::boolean::{Effect, effect_of, remote_effect, without_places};
use crate::checker::Counterexample;
use crate::lia::{Answer, Lia, cases};
use std::collections::BTreeMap;
use treville_base::Idx;
use treville_rma::{Atom, Cond, Init, Linear, NodeId, Op, ProcId, Program, VarId};
use treville_rma_machine::Event;

/// What a counterexample teaches.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Lesson {
    /// Nothing on the path speaks against it.
    Feasible,
    /// It cannot happen; these comparisons tell why.
    Spurious(Vec<Atom>),
}

/// A step of a path.
enum Along {
    Does(Effect),
    Needs(Cond),
}

/// More comparisons than this are not of much use.
const MAX_ATOMS: usize = 24;

/// Learns from a path. With `sequential`, remote statements happen where they are issued; else where they land, with what their
/// source has then.
pub(crate) fn learn<L: Lia>(program: &Program, path: &Counterexample, sequential: bool, solver: &L) -> Lesson {
    let along = along(program, path, sequential);
    let needs = along.iter().enumerate().filter(|(_, step)| matches!(step, Along::Needs(_)));
    for (i, _) in needs {
        let (atoms, start) = backwards(&along[..=i], program);
        if start.is_some_and(|start| never(&start, program, solver)) {
            return Lesson::Spurious(atoms);
        }
    }
    Lesson::Feasible
}

fn along(program: &Program, path: &Counterexample, sequential: bool) -> Vec<Along> {
    let mut along = Vec::new();
    let mut places: BTreeMap<ProcId, NodeId> =
        program.procs.iter_enumerated().map(|(p, proc)| (p, proc.entry)).collect();
    for event in &path.events {
        match *event {
            Event::Step { proc, node, next } => {
                places.insert(proc, next);
                step(program, proc, node, next, sequential, &mut along);
            }
            Event::Fire(id) => along.push(Along::Does(remote_effect(program, id, !program.remotes[id].is_rmw()))),
            Event::Land(id) => {
                let remote = &program.remotes[id];
                along.push(Along::Does(Effect::Havoc(vec![remote.dst])));
            }
        }
    }
    if let Some(property) = path.property {
        let here = |(proc, node): &(ProcId, NodeId)| places.get(proc) == Some(node);
        let cond = without_places(&program.properties[property].cond, &here);
        along.extend(cond.negated().map(Along::Needs));
    }
    along
}

fn step(program: &Program, proc: ProcId, node: NodeId, next: NodeId, sequential: bool, along: &mut Vec<Along>) {
    let op = &program.procs[proc].nodes[node].op;
    match op {
        Op::Assign { .. } | Op::Havoc { .. } | Op::Load { .. } | Op::Store { .. } => {
            along.extend(effect_of(op).map(Along::Does));
        }
        Op::Issue { remote, .. } if sequential => along.push(Along::Does(remote_effect(program, *remote, true))),
        Op::Assume { cond, .. } => along.push(Along::Needs(cond.clone())),
        // The last event of a path to an assertion stays at it.
        Op::Assert { cond, .. } if next == node => along.extend(cond.negated().map(Along::Needs)),
        Op::Branch { cond, then, els } if then != els => {
            let taken = if next == *then { Some(cond.clone()) } else { cond.negated() };
            along.extend(taken.map(Along::Needs));
        }
        _ => {}
    }
}

/// The comparisons that the last condition of a path needs before each step, and what it needs at the start.
fn backwards(along: &[Along], program: &Program) -> (Vec<Atom>, Option<Cond>) {
    let Some((Along::Needs(last), before)) = along.split_last() else { return (Vec::new(), None) };
    let mut cond = last.clone();
    let mut atoms: Vec<Atom> = Vec::new();
    let mut fresh = VarId::from_usize(program.vars.len());
    note(&cond, program, &mut atoms);
    for step in before.iter().rev() {
        let Along::Does(effect) = step else { continue };
        let Some(earlier) = previous(&cond, effect, &mut fresh) else { return (atoms, None) };
        if earlier != cond {
            cond = earlier;
            note(&cond, program, &mut atoms);
        }
    }
    (atoms, Some(cond))
}

fn note(cond: &Cond, program: &Program, atoms: &mut Vec<Atom>) {
    for atom in cond.atoms() {
        let known = atom.linear().vars().all(|v| v.index() < program.vars.len());
        if known && atoms.len() < MAX_ATOMS && !atoms.contains(&atom) {
            atoms.push(atom);
        }
    }
}

/// What must hold before a step so that the condition can hold after it.
fn previous(cond: &Cond, effect: &Effect, fresh: &mut VarId) -> Option<Cond> {
    if let Effect::Havoc(vars) = effect {
        let mut cond = cond.clone();
        for var in vars {
            cond = cond.substitute(*var, &Linear::var(*fresh))?;
            *fresh = VarId(fresh.0 + 1);
        }
        return Some(cond);
    }
    match cond {
        Cond::Const(_) | Cond::At { .. } => Some(cond.clone()),
        Cond::Atom(atom) => effect.before(atom),
        Cond::And(many) => many.iter().map(|c| previous(c, effect, fresh)).collect::<Option<Vec<_>>>().map(Cond::and),
        Cond::Or(many) => many.iter().map(|c| previous(c, effect, fresh)).collect::<Option<Vec<_>>>().map(Cond::or),
    }
}

/// Whether no way to begin meets the condition.
fn never<L: Lia>(cond: &Cond, program: &Program, solver: &L) -> bool {
    let mut cond = cond.clone();
    let mut bounds = Vec::new();
    for (id, var) in program.vars.iter_enumerated() {
        match &var.init {
            Init::Value(value) => match cond.substitute(id, &Linear::constant(*value)) {
                Some(replaced) => cond = replaced,
                None => return false,
            },
            Init::Among(values) => {
                let is = |v: &i64| {
                    Linear::var(id)
                        .plus(-1, &Linear::constant(*v))
                        .and_then(|d| Cond::compare(d, treville_rma::Rel::Eq))
                };
                bounds.extend(values.iter().map(is).collect::<Option<Vec<_>>>().map(Cond::or));
            }
            Init::Within(..) | Init::Any => {}
        }
    }
    let all = Cond::and(std::iter::once(cond).chain(bounds));
    cases(&all).is_some_and(|cases| cases.iter().all(|case| solver.satisfiable(case) == Answer::Unsat))
}
