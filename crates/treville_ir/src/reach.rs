//! What a function may run: its own code, what it calls, and the threads that it starts.

use crate::{Callee, FuncId, Op, Program};
use treville_base::IndexVec;

/// The functions that may run an operation of some kind. Whoever calls what is not known may run anything.
pub fn may_run(program: &Program, is_one: impl Fn(&Op) -> bool) -> IndexVec<FuncId, bool> {
    let ops = |func: FuncId| program.funcs[func].blocks.iter().flat_map(|block| &block.insts).map(|inst| &inst.op);
    let mut may: IndexVec<FuncId, bool> = program.funcs.iter().map(|_| false).collect();
    loop {
        let runs = |op: &Op| match op {
            Op::Call { callee: Callee::Func(func), .. } | Op::Spawn { callee: Callee::Func(func), .. } => may[*func],
            Op::Call { .. } | Op::Spawn { .. } => true,
            op => is_one(op),
        };
        let more: Vec<FuncId> = may.ids().filter(|func| !may[*func] && ops(*func).any(runs)).collect();
        if more.is_empty() {
            return may;
        }
        more.into_iter().for_each(|func| may[func] = true);
    }
}
