//! Registers that nothing mentions are dropped, so that the state of a thread is small.

use crate::ops;
use std::collections::BTreeSet;
use treville_base::IndexVec;
use treville_ir::{Func, FuncId, Program, Reg};

/// Numbers the registers of a function anew.
pub(crate) fn compact(program: &mut Program, func: FuncId) {
    let mut used: BTreeSet<Reg> = program.funcs[func].params.iter().copied().collect();
    let roots = || program.roots.iter().filter(|root| root.func == func);
    for (reg, value) in roots().flat_map(|root| &root.init) {
        used.insert(*reg);
        value.visit_regs(&mut |r| used.extend([r]));
    }
    for block in &program.funcs[func].blocks {
        for inst in &block.insts {
            used.extend(ops::def(&inst.op));
            ops::exprs(&inst.op).into_iter().for_each(|e| e.visit_regs(&mut |r| used.extend([r])));
        }
        if let Some(e) = ops::end_expr(&block.end) {
            e.visit_regs(&mut |r| used.extend([r]));
        }
    }
    let mut n = 0;
    let new: IndexVec<Reg, Reg> = program.funcs[func]
        .regs
        .ids()
        .map(|r| {
            n += u32::from(used.contains(&r));
            Reg(n.saturating_sub(1))
        })
        .collect();
    rename(&mut program.funcs[func], &used, &|r| new[r]);
    for (reg, value) in program.roots.iter_mut().filter(|root| root.func == func).flat_map(|root| &mut root.init) {
        *reg = new[*reg];
        ops::rename_regs(value, &|r| new[r]);
    }
}

fn rename(func: &mut Func, used: &BTreeSet<Reg>, new: &impl Fn(Reg) -> Reg) {
    func.regs = used.iter().map(|r| func.regs[*r].clone()).collect();
    func.params.iter_mut().for_each(|r| *r = new(*r));
    for block in func.blocks.iter_mut() {
        for inst in &mut block.insts {
            if let Some(dst) = ops::def_mut(&mut inst.op) {
                *dst = new(*dst);
            }
            ops::exprs_mut(&mut inst.op).into_iter().for_each(|e| ops::rename_regs(e, new));
        }
        if let Some(e) = ops::end_expr_mut(&mut block.end) {
            ops::rename_regs(e, new);
        }
    }
}
