//! Calls of known functions become the functions' code.
//!
//! A call stays a call if it goes through a pointer, if the function may call itself, if it is too large, if an argument
//! has another width than its parameter, or if the function has objects on its stack that others may reach: these must die
//! when it returns, so that using them later is seen as wrong. Since functions are promoted before they are inlined, only
//! those stay whose address really is given away. Objects of inlined functions are therefore all private and need no end:
//! nobody can have their address after the function.

use crate::cfg::{Cfg, Liveness};
use crate::ops;
use crate::simplify::size;
use std::collections::{BTreeMap, BTreeSet};
use treville_base::{Cancel, Idx, Name};
use treville_ir::{
    Block, BlockId, Callee, Expr, Func, FuncId, Inst, InstrId, Op, Program, Reg, RegInfo, Storage, Terminator,
};

/// How much code inlining may make, in operations and blocks.
#[derive(Clone, Copy, Debug)]
pub struct InlineLimits {
    /// The largest function that is inlined.
    pub callee: usize,
    /// The largest function that others are inlined into.
    pub caller: usize,
}

impl Default for InlineLimits {
    fn default() -> Self {
        InlineLimits { callee: 1000, caller: 20_000 }
    }
}

/// Inlines into a function what can be inlined, until it is cancelled; says whether it did.
pub fn inline(
    program: &mut Program,
    func: FuncId,
    recursive: &BTreeSet<FuncId>,
    limits: InlineLimits,
    cancel: &Cancel,
) -> bool {
    // Most functions have no call that is left; a copy of a long one takes seconds.
    if !program.funcs[func].blocks.iter().any(|block| next_call(block, 0).is_some()) {
        return false;
    }
    let mut caller = program.funcs[func].clone();
    let mut next_instr = first_free_instr(program);
    let mut callees: BTreeMap<FuncId, Option<Inlinable<'_>>> = BTreeMap::new();
    let mut changed = false;
    let mut total = size(&caller);
    // New blocks come at the end; the calls in them were left there when their function was treated itself.
    for id in 0..caller.blocks.len() {
        let (mut at, mut from) = (BlockId::from_usize(id), 0);
        while let Some(i) = next_call(&caller.blocks[at], from).filter(|_| !cancel.is_stopped()) {
            from = i + 1;
            let Op::Call { dst, callee: Callee::Func(g), args } = &caller.blocks[at].insts[i].op else { continue };
            let callee = callees.entry(*g).or_insert_with(|| {
                let known = program.funcs.get(*g).filter(|_| *g != func && !recursive.contains(g))?;
                Inlinable::new(known, limits)
            });
            let Some(callee) = callee else { continue };
            if total + callee.size > limits.caller || !callee.fits(&caller, *dst, args) {
                continue;
            }
            total += callee.size;
            changed = true;
            // What follows the call goes on in a block of its own.
            at = callee.inline_at(&mut caller, at, i, &mut next_instr);
            from = 0;
        }
    }
    if changed {
        program.funcs[func] = caller;
    }
    changed
}

/// Calls and threads of functions whose address is known by now name them; says whether there were any.
pub(crate) fn resolve_pointers(program: &mut Program, func: FuncId) -> bool {
    let mut found = Vec::new();
    for (b, block) in program.funcs[func].blocks.iter_enumerated() {
        for (i, inst) in block.insts.iter().enumerate() {
            let (Op::Call { callee, .. } | Op::Spawn { callee, .. }) = &inst.op else { continue };
            if let Callee::Pointer(Expr::Const(address)) = callee
                && let Some(known) = u64::try_from(address.unsigned()).ok().and_then(|a| program.func_at(a))
            {
                found.push((b, i, known));
            }
        }
    }
    for (b, i, known) in &found {
        if let Op::Call { callee, .. } | Op::Spawn { callee, .. } = &mut program.funcs[func].blocks[*b].insts[*i].op {
            *callee = Callee::Func(*known);
        }
    }
    !found.is_empty()
}

fn next_call(block: &Block, from: usize) -> Option<usize> {
    let rest = block.insts.iter().enumerate().skip(from);
    rest.filter(|(_, inst)| matches!(inst.op, Op::Call { callee: Callee::Func(_), .. })).map(|(i, _)| i).next()
}

fn first_free_instr(program: &Program) -> u32 {
    let blocks = program.funcs.iter().flat_map(|f| f.blocks.iter());
    let last = blocks.flat_map(|b| {
        let end = if let Terminator::Branch { instr, .. } = &b.end { Some(instr.0) } else { None };
        b.insts.iter().map(|i| i.instr.0).chain(end)
    });
    last.max().map_or(0, |n| n.saturating_add(1))
}

/// A function that may be inlined.
struct Inlinable<'p> {
    func: &'p Func,
    size: usize,
    /// Registers that are read before they are assigned, so that they are 0.
    zero: Vec<Reg>,
}

impl<'p> Inlinable<'p> {
    fn new(func: &'p Func, limits: InlineLimits) -> Option<Inlinable<'p>> {
        let size = size(func);
        let insts = || func.blocks.iter().flat_map(|b| &b.insts);
        let reachable_stack = insts().any(|i| matches!(i.op, Op::Alloc { storage: Storage::Stack, .. }));
        if size > limits.callee || reachable_stack {
            return None;
        }
        let live = Liveness::new(func, &Cfg::new(func), &BTreeSet::new());
        let at_entry = live.live_in(BlockId(0));
        let zero = at_entry.iter().copied().filter(|r| !func.params.contains(r)).collect();
        Some(Inlinable { func, size, zero })
    }

    /// Whether arguments and result have the widths that the function gives them.
    fn fits(&self, caller: &Func, dst: Option<Reg>, args: &[Expr]) -> bool {
        let params = self.func.params.iter().map(|p| Some(self.func.regs[*p].width));
        let mut pairs = args.iter().zip(params);
        let args_fit = pairs.all(|(arg, width)| ops::width(arg, &caller.regs) == width);
        let results = self.func.blocks.iter().filter_map(|b| match &b.end {
            Terminator::Return(Some(e)) => Some(ops::width(e, &self.func.regs)),
            _ => None,
        });
        let wanted = dst.map(|d| Some(caller.regs[d].width));
        args_fit && wanted.is_none_or(|w| results.into_iter().all(|r| r == w))
    }

    /// Puts the function in the place of the call `i` of block `at`; returns the block where the caller goes on.
    fn inline_at(&self, caller: &mut Func, at: BlockId, i: usize, next_instr: &mut u32) -> BlockId {
        let rest = caller.blocks[at].insts.split_off(i + 1);
        let Some(call) = caller.blocks[at].insts.pop() else { return at };
        let Inst { op: Op::Call { dst, args, .. }, instr, sequenced, span } = call else { return at };
        let first_reg = caller.regs.len() as u32;
        for reg in &self.func.regs {
            let name = format!("{}.{}", self.func.name, reg.name);
            // A made-up register stays recognisable as one.
            let name = if reg.is_temporary() { format!("%{name}") } else { name };
            caller.regs.push(RegInfo { name: Name::from(name), width: reg.width });
        }
        let renamed = Renaming { reg: first_reg, block: caller.blocks.len() as u32 + 1 };

        let end = std::mem::replace(&mut caller.blocks[at].end, Terminator::Goto(renamed.block(BlockId(0))));
        let after = caller.blocks.push(Block { insts: rest, end });
        let assign = |dst, value| Inst { op: Op::Assign { dst, value }, instr, sequenced, span };
        let zero = |r: &Reg| Expr::int(0, self.func.regs[*r].width);
        let entry = &mut caller.blocks[at].insts;
        for (p, arg) in self.func.params.iter().zip(args.into_iter().map(Some).chain(std::iter::repeat(None))) {
            entry.push(assign(renamed.reg(*p), arg.unwrap_or_else(|| zero(p))));
        }
        entry.extend(self.zero.iter().map(|r| assign(renamed.reg(*r), zero(r))));

        let mut instrs: BTreeMap<InstrId, InstrId> = BTreeMap::new();
        let mut fresh = |old: InstrId| {
            *instrs.entry(old).or_insert_with(|| {
                *next_instr = next_instr.saturating_add(1);
                InstrId(*next_instr - 1)
            })
        };
        for block in &self.func.blocks {
            let mut block = block.clone();
            for inst in &mut block.insts {
                inst.instr = fresh(inst.instr);
                renamed.op(&mut inst.op);
            }
            renamed.end(&mut block.end);
            if let Terminator::Branch { instr, .. } = &mut block.end {
                *instr = fresh(*instr);
            }
            if let Terminator::Return(value) = &block.end {
                if let Some(dst) = dst {
                    let width = caller.regs[dst].width;
                    let value = value.clone().unwrap_or_else(|| Expr::int(0, width));
                    block.insts.push(assign(dst, value));
                }
                block.end = Terminator::Goto(after);
            }
            caller.blocks.push(block);
        }
        after
    }
}

/// How the callee's registers and blocks are called in the caller.
struct Renaming {
    reg: u32,
    block: u32,
}

impl Renaming {
    fn reg(&self, r: Reg) -> Reg {
        Reg(self.reg + r.0)
    }

    fn block(&self, b: BlockId) -> BlockId {
        BlockId(self.block + b.0)
    }

    fn expr(&self, e: &mut Expr) {
        ops::rename_regs(e, &|r| self.reg(r));
    }

    fn op(&self, op: &mut Op) {
        ops::exprs_mut(op).into_iter().for_each(|e| self.expr(e));
        if let Some(dst) = ops::def_mut(op) {
            *dst = self.reg(*dst);
        }
    }

    fn end(&self, end: &mut Terminator) {
        ops::rename_blocks(end, &|b| self.block(b));
        if let Some(e) = ops::end_expr_mut(end) {
            self.expr(e);
        }
    }
}
