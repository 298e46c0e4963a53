//! Loops that run a known number of times: those whose end depends on nothing but what is known before them. They are followed
//! with the values that are known, as far as branches on them go.

use super::Loops;
use crate::cfg::Cfg;
use crate::ops;
use std::collections::{BTreeMap, BTreeSet};
use treville_base::Cancel;
use treville_ir::{BlockId, Expr, Func, Op, Reg, Terminator};
use treville_term::Bv;

/// More operations than this are not followed.
const MAX_STEPS: usize = 20_000;

/// How often loops are repeated after their first iteration at most, as far as that is known. Less is known if it is cancelled.
pub(super) fn repetitions(func: &Func, cfg: &Cfg, loops: &Loops, cancel: &Cancel) -> BTreeMap<BlockId, u32> {
    let mut all = BTreeMap::new();
    for header in loops.keys().take_while(|_| !cancel.is_stopped()) {
        for (inner, n) in followed(func, cfg, loops, *header).into_iter().flatten() {
            let most = all.entry(inner).or_insert(n);
            *most = n.max(*most);
        }
    }
    all
}

/// Follows a loop to its end; of it and of those inside, how often they are repeated.
fn followed(func: &Func, cfg: &Cfg, loops: &Loops, header: BlockId) -> Option<BTreeMap<BlockId, u32>> {
    let blocks = &loops[&header];
    let mut walk = Walk { func, known: before(func, cfg, header, blocks)?, steps: 0 };
    let mut most = BTreeMap::from([(header, 0)]);
    let mut now: BTreeMap<BlockId, u32> = most.clone();
    let mut at = header;
    while walk.steps <= MAX_STEPS {
        walk.block(at);
        let to = walk.next(at, blocks)?;
        if !blocks.contains(&to) {
            return Some(most);
        }
        if let Some(of) = loops.get(&to) {
            let repeated = if of.contains(&at) { now.get(&to).map_or(0, |n| n + 1) } else { 0 };
            now.insert(to, repeated);
            let so_far = most.entry(to).or_insert(0);
            *so_far = repeated.max(*so_far);
        }
        at = to;
    }
    None
}

/// The values that registers have whenever the loop begins: what the blocks that lead to it, and to nothing else, say.
fn before(func: &Func, cfg: &Cfg, header: BlockId, blocks: &BTreeSet<BlockId>) -> Option<BTreeMap<Reg, Bv>> {
    let mut entries = cfg.preds[header].iter().filter(|p| !blocks.contains(p));
    let mut way = vec![*entries.next().filter(|_| entries.next().is_none())?];
    while let Some([pred]) = way.last().map(|b| &cfg.preds[*b][..])
        && !way.contains(pred)
    {
        way.push(*pred);
    }
    let mut walk = Walk { func, known: BTreeMap::new(), steps: 0 };
    way.iter().rev().for_each(|b| walk.block(*b));
    Some(walk.known)
}

struct Walk<'a> {
    func: &'a Func,
    known: BTreeMap<Reg, Bv>,
    steps: usize,
}

impl Walk<'_> {
    fn block(&mut self, block: BlockId) {
        let insts = &self.func.blocks[block].insts;
        self.steps += insts.len() + 1;
        for inst in insts {
            let value = match &inst.op {
                Op::Assign { value, .. } => self.value(value),
                _ => None,
            };
            let Some(dst) = ops::def(&inst.op) else { continue };
            match value {
                Some(value) => self.known.insert(dst, value),
                None => self.known.remove(&dst),
            };
        }
    }

    /// Where it goes on. A branch on what is not known must have one way only that stays in the loop: whoever takes the other
    /// one leaves it earlier.
    fn next(&self, block: BlockId, blocks: &BTreeSet<BlockId>) -> Option<BlockId> {
        match &self.func.blocks[block].end {
            Terminator::Goto(to) => Some(*to),
            Terminator::Branch { cond, then, els, .. } => match self.value(cond) {
                Some(yes) => Some(if yes.is_zero() { *els } else { *then }),
                None => match (blocks.contains(then), blocks.contains(els)) {
                    (true, false) => Some(*then),
                    (false, true) => Some(*els),
                    _ => None,
                },
            },
            Terminator::End | Terminator::Exit(_) | Terminator::Return(_) | Terminator::ExitProcess => None,
        }
    }

    fn value(&self, e: &Expr) -> Option<Bv> {
        Some(match e {
            Expr::Const(v) => *v,
            Expr::Reg(r) => *self.known.get(r)?,
            Expr::Addr(..) => return None,
            Expr::Un(op, a) => op.eval(self.value(a)?),
            Expr::Bin(op, a, b) => op.eval(self.value(a)?, self.value(b)?),
            Expr::Cast(cast, width, a) => cast.eval(self.value(a)?, *width),
            Expr::Ite(c, a, b) => {
                let (a, b) = (self.value(a), self.value(b));
                if self.value(c)?.is_zero() { b? } else { a? }
            }
        })
    }
}
