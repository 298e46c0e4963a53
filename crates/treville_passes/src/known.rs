//! Addresses that are known before a thread runs, in the place of the registers that hold them.

use crate::constants::propagate_constants;
use std::collections::BTreeMap;
use treville_base::Cancel;
use treville_ir::{Expr, Program, Reg};

/// The program with constants in the place of registers that hold them: for engines that follow no dependency, and want to
/// know which variable an access is to. Not all of them, if cancelled.
#[must_use]
pub fn with_known_addresses(program: &Program, cancel: &Cancel) -> Program {
    let mut out = program.clone();
    for func in program.funcs.ids() {
        let mut entry: BTreeMap<Reg, Option<Expr>> =
            program.funcs[func].params.iter().map(|reg| (*reg, None)).collect();
        let roots: Vec<_> = program.roots.iter().filter(|root| root.func == func).collect();
        for (reg, value) in roots.iter().flat_map(|root| &root.init) {
            // Threads of one function may begin with different values.
            let known = if roots.len() == 1 { Some(value.clone()) } else { None };
            entry.insert(*reg, known);
        }
        propagate_constants(&mut out.funcs[func], &entry, cancel);
    }
    out
}
