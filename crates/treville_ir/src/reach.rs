//! What a function may run: its own code, what it calls, and the threads that it starts.

use crate::{Block, Callee, FuncId, Op, Program, Terminator};
use treville_base::IndexVec;

/// The functions that may run an operation of some kind. Whoever calls what is not known may run anything.
pub fn may_run(program: &Program, is_one: impl Fn(&Op) -> bool) -> IndexVec<FuncId, bool> {
    with_callers(program, in_some_block(program, |block| block.insts.iter().any(|inst| is_one(&inst.op))))
}

/// The functions that may end the process, or start a thread that may.
pub fn may_exit_process(program: &Program) -> IndexVec<FuncId, bool> {
    let mut may = in_some_block(program, |block| block.end == Terminator::ExitProcess);
    program.roots.iter().filter(|root| root.ends_process).for_each(|root| may[root.func] = true);
    with_callers(program, may)
}

fn in_some_block(program: &Program, is_one: impl Fn(&Block) -> bool) -> IndexVec<FuncId, bool> {
    program.funcs.iter().map(|func| func.blocks.iter().any(&is_one)).collect()
}

fn with_callers(program: &Program, mut may: IndexVec<FuncId, bool>) -> IndexVec<FuncId, bool> {
    loop {
        let runs = |op: &Op| match op {
            Op::Call { callee: Callee::Func(func), .. } | Op::Spawn { callee: Callee::Func(func), .. } => may[*func],
            Op::Call { .. } | Op::Spawn { .. } => true,
            _ => false,
        };
        let ops = |func: FuncId| program.funcs[func].blocks.iter().flat_map(|block| &block.insts).map(|inst| &inst.op);
        let more: Vec<FuncId> = may.ids().filter(|func| !may[*func] && ops(*func).any(runs)).collect();
        if more.is_empty() {
            return may;
        }
        more.into_iter().for_each(|func| may[func] = true);
    }
}
