//! Constants, copies and small expressions take the place of registers that hold them.

use crate::Boundary;
use crate::cfg::{Cfg, Liveness};
use crate::fold::{Folder, n_nodes};
use crate::ops;
use std::collections::{BTreeMap, BTreeSet};
use treville_base::IndexVec;
use treville_ir::{BlockId, Expr, Func, Op, Reg, Terminator};

/// How large an expression may become.
const NODES: usize = 24;

/// What registers are known to hold at some point of a block: constants, addresses, copies of other registers.
type Known = BTreeMap<Reg, Expr>;

/// Propagates and folds; says whether anything changed.
pub(super) fn propagate(func: &mut Func, boundary: &Boundary, algebraic: bool) -> bool {
    let cfg = Cfg::new(func);
    let Some(facts) = Facts::new(func, &cfg, boundary) else { return false };
    let regs = func.regs.clone();
    let mut walk = Walk { facts, fixed: BTreeMap::new(), folder: Folder { regs: &regs, algebraic } };
    let mut at_end: IndexVec<BlockId, Option<Known>> = func.blocks.iter().map(|_| None).collect();
    let mut changed = false;
    for &id in &cfg.order {
        if boundary.cancel.is_stopped() {
            return changed;
        }
        // What one predecessor alone knows holds here too; only it can have come before.
        let mut known = match cfg.preds[id][..] {
            [pred] if id != BlockId(0) => at_end[pred].clone().unwrap_or_default(),
            _ => Known::new(),
        };
        for inst in &mut func.blocks[id].insts {
            changed |= walk.op(&mut inst.op, &mut known);
        }
        if let Some(e) = ops::end_expr_mut(&mut func.blocks[id].end) {
            changed |= walk.rewrite(e, &known, None);
        }
        at_end[id] = Some(known);
    }
    changed |= thread_branches(func, &cfg, &at_end, &walk.folder);
    changed
}

/// How registers are used in a function.
struct Facts {
    /// Assigned once, and that before every use.
    single: IndexVec<Reg, bool>,
    /// Holds one value all the time.
    constant: IndexVec<Reg, bool>,
    n_uses: IndexVec<Reg, u32>,
}

impl Facts {
    /// `None` if cancelled.
    fn new(func: &Func, cfg: &Cfg, boundary: &Boundary) -> Option<Facts> {
        let live = Liveness::unless(&boundary.cancel, func, cfg, &boundary.exit)?;
        let mut n_defs: IndexVec<Reg, u32> = func.regs.iter().map(|_| 0).collect();
        let mut n_uses = n_defs.clone();
        for &id in &cfg.order {
            for inst in &func.blocks[id].insts {
                ops::exprs(&inst.op).iter().for_each(|e| e.visit_regs(&mut |r| n_uses[r] += 1));
                if let Some(dst) = ops::def(&inst.op) {
                    n_defs[dst] += 1;
                }
            }
            if let Some(e) = ops::end_expr(&func.blocks[id].end) {
                e.visit_regs(&mut |r| n_uses[r] += 1);
            }
        }
        boundary.entry.iter().for_each(|r| n_defs[*r] += 1);
        let entered = |r: Reg| boundary.entry.contains(&r);
        let at_entry: BTreeSet<Reg> = live.live_in(BlockId(0)).iter().copied().collect();
        let single = func.regs.ids().map(|r| n_defs[r] == 1 && !entered(r) && !at_entry.contains(&r)).collect();
        let constant = func.regs.ids().map(|r| n_defs[r] == u32::from(entered(r))).collect();
        Some(Facts { single, constant, n_uses })
    }

    /// Whether the value of an expression, once its registers are assigned, is the same at every use of a register that
    /// holds it: they are assigned once, so on the way from the last assignment of one of them to the use the holder is
    /// assigned too.
    fn is_stable(&self, e: &Expr) -> bool {
        let mut stable = true;
        e.visit_regs(&mut |r| stable &= self.single[r] || self.constant[r]);
        stable
    }
}

struct Walk<'a> {
    facts: Facts,
    /// What registers that are assigned once stand for.
    fixed: Known,
    folder: Folder<'a>,
}

impl Walk<'_> {
    fn op(&mut self, op: &mut Op, known: &mut Known) -> bool {
        let own = if let Op::Update { old, .. } = op { Some(*old) } else { None };
        let mut changed = false;
        for (i, e) in ops::exprs_mut(op).into_iter().enumerate() {
            // After the address, an update's expressions see the new value of `old`.
            changed |= self.rewrite(e, known, own.filter(|_| i > 0));
        }
        if let Some(dst) = ops::def(op) {
            drop_write_only(known, dst);
        }
        if let Op::Assign { dst, value } = op {
            let simple = matches!(value, Expr::Const(_) | Expr::Addr(..) | Expr::Reg(_));
            let once = self.facts.n_uses[*dst] == 1;
            if self.facts.single[*dst] && self.facts.is_stable(value) && (simple || once) {
                self.fixed.insert(*dst, value.clone());
            } else if simple && *value != Expr::Reg(*dst) {
                known.insert(*dst, value.clone());
            }
        }
        changed
    }

    /// Replaces what is known, except `own` and what mentions it, and folds.
    fn rewrite(&self, e: &mut Expr, known: &Known, own: Option<Reg>) -> bool {
        let before = e.clone();
        let mut room = NODES.saturating_sub(n_nodes(e));
        substitute(e, &mut |r| {
            let value = self.fixed.get(&r).or_else(|| known.get(&r)).filter(|_| own != Some(r))?;
            let mut mentions = false;
            value.visit_regs(&mut |v| mentions |= own == Some(v));
            let cost = n_nodes(value) - 1;
            if mentions || cost > room {
                return None;
            }
            room -= cost;
            Some(value.clone())
        });
        self.folder.fold_in_place(e);
        *e != before
    }
}

fn drop_write_only(known: &mut Known, dst: Reg) {
    known.remove(&dst);
    known.retain(|_, value| *value != Expr::Reg(dst));
}

fn substitute(e: &mut Expr, value: &mut impl FnMut(Reg) -> Option<Expr>) {
    match e {
        Expr::Const(_) | Expr::Addr(..) => {}
        Expr::Reg(r) => {
            if let Some(new) = value(*r) {
                *e = new;
            }
        }
        Expr::Un(_, a) | Expr::Cast(_, _, a) => substitute(a, value),
        Expr::Bin(_, a, b) => {
            substitute(a, value);
            substitute(b, value);
        }
        Expr::Ite(c, a, b) => {
            substitute(c, value);
            substitute(a, value);
            substitute(b, value);
        }
    }
}

/// A block that only goes to another, whose branch is decided by what the first knows, goes where the branch goes. Not
/// past the end of a control dependency, unless dependencies do not matter.
fn thread_branches(func: &mut Func, cfg: &Cfg, at_end: &IndexVec<BlockId, Option<Known>>, folder: &Folder<'_>) -> bool {
    let joins: BTreeSet<BlockId> = func.blocks.iter().filter_map(|b| ops::join_of(&b.end)).collect();
    let mut changed = false;
    for &id in &cfg.order {
        let Terminator::Goto(via) = func.blocks[id].end else { continue };
        let block = &func.blocks[via];
        let Terminator::Branch { cond, then, els, .. } = &block.end else { continue };
        if via == id || !block.insts.is_empty() || (joins.contains(&via) && !folder.algebraic) {
            continue;
        }
        let Some(known) = &at_end[id] else { continue };
        let mut cond = cond.clone();
        substitute(&mut cond, &mut |r| known.get(&r).cloned());
        if let Expr::Const(v) = folder.fold(cond) {
            let target = if v.is_zero() { *els } else { *then };
            func.blocks[id].end = Terminator::Goto(target);
            changed = true;
        }
    }
    changed
}
