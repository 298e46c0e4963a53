//! Tests whose loops are unrolled beforehand, so that iterations that only wait can end there, and so that what comes after a
//! loop is there once, however often that was repeated.

use std::collections::{BTreeMap, BTreeSet};
use treville_ir::{Func, FuncId, Place, Program, Reg, Terminator};
use treville_model::syntax::CheckMode;
use treville_passes::atomic_objects;
use treville_passes::cfg::Cfg;
use treville_passes::unroll::{Facts, Unrolling, unroll};
use treville_task::{Reduction, Semantics, Task};

/// The program of a task, its loops unrolled. Where that cannot be done, they are followed up to the bound while threads are run;
/// also where that knows better how often they run.
pub(crate) fn unrolled(task: &Task, bound: u32) -> Program {
    let mut program = Program::clone(&task.program);
    let mut observed: BTreeMap<FuncId, BTreeSet<Reg>> = BTreeMap::new();
    let mut add = |place: &Place| {
        if let Place::Reg(thread, reg) = place {
            observed.entry(task.program.roots[*thread].func).or_default().insert(*reg);
        }
    };
    if let Some(question) = &task.question {
        question.observed.iter().for_each(|o| add(&o.place));
        question.filter.iter().chain([&question.condition]).for_each(|f| f.visit_places(&mut add));
    }
    let how = Unrolling { bound, idle: task.reductions.has(Reduction::AwaitLoops), latest: None };
    let funcs: BTreeSet<FuncId> = program.roots.iter().map(|root| root.func).collect();
    // An iteration that waits may show a flag, or leave the program undefined: then one of those with accesses that race is kept.
    let atomic = if notes(task) { atomic_objects(&program) } else { program.objects.ids().collect() };
    let loops = |func: &Func| !Cfg::new(func).loops().is_empty() && (how.idle || !jumps_back(func));
    for func in funcs.into_iter().filter(|func| loops(&task.program.funcs[*func])) {
        let none = BTreeSet::new();
        let none_of_updates = BTreeSet::new();
        let facts = Facts { observed: observed.get(&func).unwrap_or(&none), atomic: &atomic, halves: &none_of_updates };
        if let Ok(unrolled) = unroll(&program.funcs[func], how, facts, &task.limits.cancel) {
            program.funcs[func] = unrolled;
        }
    }
    program
}

/// Whether the model says more of an execution than whether it is one.
fn notes(task: &Task) -> bool {
    let Semantics::Axioms(model, _) = &task.semantics else { return false };
    model.made_checks().any(|(_, check)| matches!(check.mode, CheckMode::Flag | CheckMode::UndefinedUnless))
}

/// Whether there is a machine's branch backwards: bounds do not count it if the answer is known when it is run.
fn jumps_back(func: &Func) -> bool {
    func.blocks.iter_enumerated().any(|(from, block)| match &block.end {
        Terminator::Branch { then, els, join: None, .. } => *then <= from || *els <= from,
        _ => false,
    })
}
