//! New predicates from counterexamples that are not real. The path is followed backwards from a condition on it that cannot be
//! met: the comparisons on the way are what the abstraction did not know.

use crate::boolean::{Effect, effect_of, remote_effect, without_places};
use crate::checker::Counterexample;
use crate::lia::{Answer, Lia, cases, model};
use std::collections::BTreeMap;
use treville_base::Idx;
use treville_rma::{Atom, Cond, Init, Linear, NodeId, Op, ProcId, Program, Rel, VarId};
use treville_rma_machine::{Event, Values};

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
    /// A statement gives the variable any number.
    Picks(VarId),
    Needs(Cond),
}

/// More comparisons than this are not of much use.
const MAX_ATOMS: usize = 24;

/// Learns from a path. With `sequential`, remote statements happen where they are issued; else where they land, with what their
/// source has then.
pub(crate) fn learn<L: Lia>(program: &Program, path: &Counterexample, sequential: bool, solver: &L) -> Lesson {
    let along = along(program, path, sequential);
    for together in [false, true] {
        let needs = along.iter().enumerate().filter(|(_, step)| matches!(step, Along::Needs(_)));
        for (i, _) in needs {
            let Back { mut atoms, start, .. } = backwards(&along[..=i], program, together);
            let Some(start) = start.filter(|start| never(start, program, solver)) else { continue };
            if together {
                initial_atoms(&start, program, &mut atoms);
            }
            return Lesson::Spurious(atoms);
        }
    }
    Lesson::Feasible
}

/// Values for what a path leaves open, with which all that it needs is met, if they are found.
pub(crate) fn solution<L: Lia>(
    program: &Program,
    path: &Counterexample,
    sequential: bool,
    solver: &L,
) -> Option<Values> {
    let along = along(program, path, sequential);
    let last = along.iter().rposition(|step| matches!(step, Along::Needs(_)))?;
    let Back { start, havocs, .. } = backwards(&along[..=last], program, true);
    let cases = cases(&at_start(&start?, program)?)?;
    let found = cases.iter().find_map(|case| model(case, solver))?;
    let value = |var: &VarId| found.get(var).copied().unwrap_or(0);
    let open = |(id, _): &(VarId, &treville_rma::Variable)| found.contains_key(id);
    Some(Values {
        start: program.vars.iter_enumerated().filter(open).map(|(id, _)| (id, value(&id))).collect(),
        havocs: havocs.iter().map(value).collect(),
    })
}

/// What is known of variables at the start that a condition mentions, as comparisons.
fn initial_atoms(start: &Cond, program: &Program, atoms: &mut Vec<Atom>) {
    for (id, var) in program.vars.iter_enumerated() {
        if let Init::Value(value) = var.init
            && start.mentions(id)
            && let Some(Cond::Atom(atom)) =
                Linear::var(id).plus(-1, &Linear::constant(value)).and_then(|d| Cond::compare(d, Rel::Eq))
            && !atoms.contains(&atom)
        {
            atoms.push(atom);
        }
    }
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
        Op::Havoc { var, .. } => along.push(Along::Picks(*var)),
        Op::Assign { .. } | Op::Load { .. } | Op::Store { .. } => along.extend(effect_of(op).map(Along::Does)),
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

/// A path, followed backwards from its last condition.
struct Back {
    /// The comparisons that the condition needs before each step.
    atoms: Vec<Atom>,
    /// What it needs at the start; nothing if that could not be said.
    start: Option<Cond>,
    /// The unknowns of assignments of any number, in the order of the path.
    havocs: Vec<VarId>,
}

/// What the last condition of a path needs; or, `together`, all conditions on it.
fn backwards(along: &[Along], program: &Program, together: bool) -> Back {
    let mut back = Back { atoms: Vec::new(), start: None, havocs: Vec::new() };
    let Some((Along::Needs(last), before)) = along.split_last() else { return back };
    let mut cond = last.clone();
    let mut fresh = VarId::from_usize(program.vars.len());
    note(&cond, program, &mut back.atoms);
    for step in before.iter().rev() {
        let earlier = match step {
            Along::Needs(also) if together => Some(Cond::and([cond.clone(), also.clone()])),
            Along::Needs(_) => continue,
            Along::Does(effect) => previous(&cond, effect, &mut fresh),
            Along::Picks(var) => {
                back.havocs.insert(0, fresh);
                previous(&cond, &Effect::Havoc(vec![*var]), &mut fresh)
            }
        };
        let Some(earlier) = earlier else { return back };
        if earlier != cond {
            cond = earlier;
            note(&cond, program, &mut back.atoms);
        }
    }
    back.start = Some(cond);
    back
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
    let all = at_start(cond, program).and_then(|all| cases(&all));
    all.is_some_and(|cases| cases.iter().all(|case| solver.satisfiable(case) == Answer::Unsat))
}

/// A condition with what is known of variables at the start.
fn at_start(cond: &Cond, program: &Program) -> Option<Cond> {
    let mut cond = cond.clone();
    let mut bounds = Vec::new();
    for (id, var) in program.vars.iter_enumerated() {
        match &var.init {
            Init::Value(value) => cond = cond.substitute(id, &Linear::constant(*value))?,
            Init::Among(values) => {
                let is =
                    |v: &i64| Linear::var(id).plus(-1, &Linear::constant(*v)).and_then(|d| Cond::compare(d, Rel::Eq));
                bounds.extend(values.iter().map(is).collect::<Option<Vec<_>>>().map(Cond::or));
            }
            Init::Within(first, last) => {
                let below = Linear::var(id).plus(-1, &Linear::constant(*last));
                let above = Linear::constant(*first).plus(-1, &Linear::var(id));
                bounds.extend([below, above].into_iter().flatten().filter_map(|d| Cond::compare(d, Rel::Le)));
            }
            Init::Any => {}
        }
    }
    Some(Cond::and(std::iter::once(cond).chain(bounds)))
}
