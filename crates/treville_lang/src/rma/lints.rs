//! What is allowed in a program, and yet hardly meant.

use std::collections::BTreeSet;
use treville_base::{Diagnostic, Idx, IndexVec};
use treville_rma::{Atom, Init, NodeId, Op, ProcId, Process, Program, VarId, VarKind};

/// Warnings, in the order of the text. `without_init` are the variables that were declared without a value.
pub(super) fn lints(program: &Program, without_init: &BTreeSet<VarId>) -> Vec<Diagnostic> {
    let mut warnings = Vec::new();
    unused(program, &mut warnings);
    for (id, proc) in program.procs.iter_enumerated() {
        never_wait(program, id, proc, &mut warnings);
        uninitialised(program, proc, without_init, &mut warnings);
    }
    for (id, var) in program.vars.iter_enumerated() {
        if var.kind == VarKind::Shared && without_init.contains(&id) {
            let message = format!("the shared variable `{}` has no initial value: it begins with 0", var.name);
            warnings.push(Diagnostic::warning(var.span, message));
        }
        if var.init == Init::Any && program.domain.is_none() {
            let message = format!("`{}` begins with any number: only the engine abstract can check that", var.name);
            warnings.push(Diagnostic::warning(var.span, message).help("`domain 0..3;` says what the others may try"));
        }
    }
    warnings.sort_by_key(|w| w.span);
    warnings.dedup();
    warnings
}

fn unused(program: &Program, warnings: &mut Vec<Diagnostic>) {
    let mut used = BTreeSet::new();
    for proc in &program.procs {
        for node in &proc.nodes {
            let locals = program.locals_used(&node.op);
            used.extend(locals.reads);
            used.extend(locals.writes);
            if let Op::Load { shared, .. } | Op::Store { shared, .. } = &node.op {
                used.insert(*shared);
            }
        }
    }
    used.extend(program.remotes.iter().flat_map(|r| [r.src, r.dst]));
    let claimed = program.properties.iter().flat_map(|p| p.cond.atoms());
    used.extend(claimed.flat_map(|atom: Atom| atom.linear().vars().collect::<Vec<_>>()));
    for (id, var) in program.vars.iter_enumerated() {
        if !used.contains(&id) {
            warnings.push(Diagnostic::warning(var.span, format!("`{}` is never used", var.name)));
        }
    }
}

/// The least fixed point of a forward analysis by sets: what may hold before each node that can be reached.
fn forward<T: Ord + Clone>(
    proc: &Process,
    start: BTreeSet<T>,
    step: impl Fn(&Op, &mut BTreeSet<T>),
) -> IndexVec<NodeId, Option<BTreeSet<T>>> {
    let mut before: IndexVec<NodeId, Option<BTreeSet<T>>> = proc.nodes.iter().map(|_| None).collect();
    before[proc.entry] = Some(start);
    let mut work = vec![proc.entry];
    while let Some(node) = work.pop() {
        let Some(mut after) = before[node].clone() else { continue };
        step(&proc.nodes[node].op, &mut after);
        for next in proc.nodes[node].op.successors() {
            let Some(known) = &mut before[next] else {
                before[next] = Some(after.clone());
                work.push(next);
                continue;
            };
            let n = known.len();
            known.extend(after.iter().cloned());
            if known.len() > n {
                work.push(next);
            }
        }
    }
    before
}

/// Flushes of the program that nothing can be on its way for.
fn never_wait(program: &Program, id: ProcId, proc: &Process, warnings: &mut Vec<Diagnostic>) {
    let pending = forward(proc, BTreeSet::new(), |op, pending| match op {
        Op::Issue { remote, .. } => {
            pending.insert(program.remotes[*remote].target);
        }
        Op::Flush { target, slot: None, .. } => {
            pending.remove(target);
        }
        _ => {}
    });
    for (node, pending) in pending.iter_enumerated() {
        let (Op::Flush { target, slot: None, .. }, Some(pending)) = (&proc.nodes[node].op, pending) else { continue };
        if pending.contains(target) {
            continue;
        }
        let name = &program.procs[*target].name;
        let warning = Diagnostic::warning(proc.nodes[node].span, "this flush never waits");
        warnings.push(if program.remote(id, *target).next().is_some() {
            warning.help(format!("nothing to process {name} can be on its way here"))
        } else if *target == id {
            warning.help("it flushes operations of the process to itself, and there are none")
        } else {
            warning.help(format!("process {} has no operation to process {name}", proc.name))
        });
    }
}

/// Local variables that may be read before anything is written to them.
fn uninitialised(program: &Program, proc: &Process, without_init: &BTreeSet<VarId>, warnings: &mut Vec<Diagnostic>) {
    let local = |v: &&VarId| program.vars[**v].kind == VarKind::Local;
    let start = without_init.iter().filter(local).copied().collect();
    let unwritten = forward(proc, start, |op, unwritten| {
        if let Some(var) = program.locals_used(op).writes {
            unwritten.remove(&var);
        }
    });
    let mut said = BTreeSet::new();
    for (node, unwritten) in unwritten.iter_enumerated().rev() {
        let Some(unwritten) = unwritten else { continue };
        for var in program.locals_used(&proc.nodes[node].op).reads.intersection(unwritten) {
            if said.insert(var.index()) {
                let name = &program.vars[*var].name;
                let message = format!("`{name}` may be read before it is written: it begins with 0");
                warnings.push(Diagnostic::warning(proc.nodes[node].span, message));
            }
        }
    }
}
