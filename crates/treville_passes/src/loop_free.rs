//! Programs without calls and loops: each function that a thread begins with, by itself.

use crate::constants::propagate_constants;
use crate::drop_write_only::atomic_objects;
use crate::flatten::flatten;
use crate::unroll::{Facts, Unrolling, unroll};
use crate::{Boundary, Options, promote, simplify};
use std::collections::{BTreeMap, BTreeSet};
use treville_base::{Cancel, Diagnostic};
use treville_ir::{Block, Callee, FuncId, Op, Program, Terminator};

/// The tags that tell the read and the write of an update from others.
const UPDATES: [&str; 2] = ["X", "RMW"];

/// How often promotion is repeated: a variable that holds the address of another must go first.
const ROUNDS: u32 = 6;

/// The program with each function that a thread may begin with made free of calls and loops; all others are empty.
///
/// # Errors
/// What cannot be made so, and where; or that the run was cancelled.
pub fn loop_free(program: &Program, how: Unrolling, options: &Options) -> Result<Program, Diagnostic> {
    go_on(&options.cancel)?;
    let mut out = program.clone();
    let mut todo: Vec<FuncId> = program.roots.iter().map(|root| root.func).collect();
    let mut done = BTreeSet::new();
    go_on(&options.cancel)?;
    let mut source = program.clone();
    let atomic = atomic_objects(program);
    while let Some(func) = todo.pop() {
        if !done.insert(func) {
            continue;
        }
        let flat = flatten(&mut source, func, how.bound, &options.cancel)?;
        out.tags.clone_from(&source.tags);
        let halves = UPDATES.iter().filter_map(|name| source.tags.iter_enumerated().find(|(_, tag)| *tag == name));
        let halves = halves.map(|(id, _)| id).collect();
        let facts = Facts { observed: &BTreeSet::new(), atomic: &atomic, halves: &halves };
        out.funcs[func] = unroll(&flat, how, facts, &options.cancel)?;
        let boundary = Boundary::new(&out, func, options);
        let entry: BTreeMap<_, _> = boundary.entry.iter().map(|r| (*r, None)).collect();
        for _ in 0..ROUNDS {
            propagate_constants(&mut out.funcs[func], &entry, &options.cancel);
            go_on(&options.cancel)?;
            simplify(&mut out.funcs[func], &boundary, options.algebraic);
            go_on(&options.cancel)?;
            if !promote(&mut out, func, &boundary) {
                break;
            }
        }
        for inst in out.funcs[func].blocks.iter().flat_map(|block| &block.insts) {
            if let Op::Spawn { callee: Callee::Func(started), .. } = &inst.op {
                todo.push(*started);
            }
        }
    }
    for id in program.funcs.ids().filter(|id| !done.contains(id)) {
        let empty = Block { insts: Vec::new(), end: Terminator::Return(None) };
        out.funcs[id].blocks = std::iter::once(empty).collect();
    }
    Ok(out)
}

/// An error once the run was cancelled; callers know why.
pub(crate) fn go_on(cancel: &Cancel) -> Result<(), Diagnostic> {
    if cancel.is_stopped() { Err(stopped()) } else { Ok(()) }
}

pub(crate) fn stopped() -> Diagnostic {
    Diagnostic::error(None, "stopped")
}
