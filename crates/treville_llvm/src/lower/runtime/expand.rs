//! Copies of templates at the places of calls.

use super::LIBRARY;
use crate::lower::emitter::Emitter;
use crate::lower::fold;
use std::collections::BTreeMap;
use treville_ir::{Block, BlockId, Callee, Expr, Func, LockOp, Op, Reg, Tags, Terminator, UpdateTags};

impl Emitter<'_, '_> {
    /// Copies a template here; gives its result with its width, if it has one.
    pub(in crate::lower) fn expand(&mut self, template: &'static Func, args: Vec<(Expr, u8)>) -> Option<(Expr, u8)> {
        let mut copy = Copying::new(self, template, args);
        match template.blocks.as_slice() {
            [only] => copy.block(only),
            _ => copy.blocks(),
        }
        copy.result
    }
}

/// A template on its way into a function.
struct Copying<'c, 'u, 'a> {
    out: &'c mut Emitter<'u, 'a>,
    template: &'static Func,
    /// What its registers are here. Parameters, which no template changes, are the arguments themselves.
    regs: Vec<Expr>,
    blocks: BTreeMap<BlockId, BlockId>,
    todo: Vec<BlockId>,
    result: Option<(Expr, u8)>,
    /// Where the code after the call is, if the template has several blocks and comes back.
    after: Option<BlockId>,
}

impl<'c, 'u, 'a> Copying<'c, 'u, 'a> {
    fn new(out: &'c mut Emitter<'u, 'a>, template: &'static Func, args: Vec<(Expr, u8)>) -> Self {
        let mut args = args.into_iter();
        let mut regs = Vec::new();
        for (reg, info) in template.regs.iter_enumerated() {
            let value = if template.params.contains(&reg) {
                let (value, bits) = args.next().unwrap_or((fold::zero(64), 64));
                out.keep(fold::zext(value, bits, info.width), info.width)
            } else {
                Expr::Reg(out.register(&format!("%{}", info.name), info.width))
            };
            regs.push(value);
        }
        Copying { out, template, regs, blocks: BTreeMap::new(), todo: Vec::new(), result: None, after: None }
    }

    /// Copies what can be reached.
    fn blocks(&mut self) {
        let entry = self.target(BlockId(0));
        self.out.end(Terminator::Goto(entry));
        let after = self.out.block();
        self.after = Some(after);
        let mut comes_back = false;
        while let Some(id) = self.todo.pop() {
            self.out.begin(self.blocks[&id]);
            let block = &self.template.blocks[id];
            comes_back |= matches!(block.end, Terminator::Return(_));
            self.block(block);
        }
        if comes_back {
            self.out.begin(after);
        }
    }

    fn reg(&self, reg: Reg) -> Reg {
        match self.regs[reg.0 as usize] {
            Expr::Reg(reg) => reg,
            _ => unreachable!("no template changes its parameters"),
        }
    }

    fn target(&mut self, block: BlockId) -> BlockId {
        *self.blocks.entry(block).or_insert_with(|| {
            self.todo.push(block);
            self.out.block()
        })
    }

    fn block(&mut self, block: &'static Block) {
        for inst in &block.insts {
            self.out.next_instr();
            self.op(&inst.op);
        }
        self.out.next_instr();
        match &block.end {
            Terminator::Goto(to) => {
                let to = self.target(*to);
                self.out.end(Terminator::Goto(to));
            }
            Terminator::Branch { cond, then, els, .. } => {
                let cond = self.expr(cond);
                match cond {
                    Expr::Const(known) => {
                        let to = self.target(if known.is_zero() { *els } else { *then });
                        self.out.end(Terminator::Goto(to));
                    }
                    _ => {
                        let (then, els) = (self.target(*then), self.target(*els));
                        self.out.branch(cond, then, els);
                    }
                }
            }
            Terminator::End => self.out.end(Terminator::End),
            Terminator::ExitProcess => self.out.end(Terminator::ExitProcess),
            Terminator::Exit(value) => {
                let value = self.expr(value);
                self.out.end(Terminator::Exit(value));
            }
            Terminator::Return(value) => self.give_back(value.as_ref()),
        }
    }

    fn give_back(&mut self, value: Option<&Expr>) {
        let value = value.map(|v| (self.expr(v), self.width(v)));
        let Some(after) = self.after else {
            self.result = value;
            return;
        };
        if let Some((value, bits)) = value {
            let result = match self.result {
                Some((Expr::Reg(result), _)) => result,
                _ => self.out.temporary(bits),
            };
            self.out.assign(result, value);
            self.result = Some((Expr::Reg(result), bits));
        }
        self.out.end(Terminator::Goto(after));
    }

    /// The width of an expression of the template.
    fn width(&self, e: &Expr) -> u8 {
        match e {
            Expr::Const(v) => v.width(),
            Expr::Reg(r) => self.template.regs[*r].width,
            Expr::Addr(..) => 64,
            Expr::Un(_, a) | Expr::Ite(_, a, _) => self.width(a),
            Expr::Bin(op, a, _) => op.result_width(self.width(a)),
            Expr::Cast(_, width, _) => *width,
        }
    }

    fn expr(&mut self, e: &Expr) -> Expr {
        match e {
            Expr::Const(v) => Expr::Const(*v),
            Expr::Reg(r) => self.regs[r.0 as usize].clone(),
            Expr::Addr(object, offset) => Expr::Addr(self.out.unit.library_object(*object), *offset),
            Expr::Un(op, a) => Expr::un(*op, self.expr(a)),
            Expr::Bin(op, a, b) => fold::bin(*op, self.expr(a), self.expr(b)),
            Expr::Cast(cast, width, a) => fold::cast(*cast, self.expr(a), self.width(a), *width),
            Expr::Ite(c, a, b) => fold::ite(self.expr(c), self.expr(a), self.expr(b)),
        }
    }

    fn exprs(&mut self, all: &[Expr]) -> Vec<Expr> {
        all.iter().map(|e| self.expr(e)).collect()
    }

    fn tags(&mut self, tags: &Tags) -> Tags {
        let mut all: Tags = tags.iter().map(|t| self.out.unit.program.tag(&LIBRARY.tags[*t])).collect();
        all.sort();
        all
    }

    fn update_tags(&mut self, tags: &UpdateTags) -> UpdateTags {
        UpdateTags {
            read: self.tags(&tags.read),
            write: self.tags(&tags.write),
            fused: self.tags(&tags.fused),
            fail: self.tags(&tags.fail),
            fences: None,
        }
    }

    /// What a template calls by address, or starts as a thread.
    fn callee(&mut self, callee: &Callee) -> Callee {
        match callee {
            Callee::Pointer(address) => Callee::Pointer(self.expr(address)),
            Callee::Func(id) => {
                let name = &LIBRARY.funcs[*id].name;
                Callee::Func(self.out.unit.library_function(name))
            }
        }
    }

    /// A call of another template: its code comes here too, in the form that this program needs.
    fn call(&mut self, dst: Option<Reg>, called: &'static Func, args: &[Expr]) {
        let called = self.out.unit.runtime.template(&called.name).unwrap_or(called);
        let widths: Vec<u8> = args.iter().map(|a| self.width(a)).collect();
        let args = self.exprs(args).into_iter().zip(widths).collect();
        let result = self.out.expand(called, args);
        if let (Some(dst), Some((value, bits))) = (dst, result) {
            let dst = self.reg(dst);
            let value = fold::zext(value, bits, self.out.width(dst));
            self.out.assign(dst, value);
        }
    }

    fn op(&mut self, op: &'static Op) {
        let copy = match op {
            Op::Call { dst, callee: Callee::Func(id), args } => return self.call(*dst, &LIBRARY.funcs[*id], args),
            Op::Call { dst, callee, args } => {
                Op::Call { dst: dst.map(|r| self.reg(r)), callee: self.callee(callee), args: self.exprs(args) }
            }
            Op::Spawn { dst, callee, args } => {
                Op::Spawn { dst: self.reg(*dst), callee: self.callee(callee), args: self.exprs(args) }
            }
            Op::Assign { dst, value } => Op::Assign { dst: self.reg(*dst), value: self.expr(value) },
            Op::Load { dst, addr, size, tags } => {
                Op::Load { dst: self.reg(*dst), addr: self.expr(addr), size: *size, tags: self.tags(tags) }
            }
            Op::Store { addr, value, size, tags } => {
                Op::Store { addr: self.expr(addr), value: self.expr(value), size: *size, tags: self.tags(tags) }
            }
            Op::Update { old, addr, size, guard, new, tags } => Op::Update {
                old: self.reg(*old),
                addr: self.expr(addr),
                size: *size,
                guard: guard.as_ref().map(|g| self.expr(g)),
                new: self.expr(new),
                tags: self.update_tags(tags),
            },
            Op::StoreConditional { status, addr, value, size, tags } => Op::StoreConditional {
                status: self.reg(*status),
                addr: self.expr(addr),
                value: self.expr(value),
                size: *size,
                tags: self.tags(tags),
            },
            Op::Fence { tags } => Op::Fence { tags: self.tags(tags) },
            Op::Lock { op, addr, size } => {
                let op = match op {
                    LockOp::Acquire | LockOp::Release => *op,
                    LockOp::Try { dst } => LockOp::Try { dst: self.reg(*dst) },
                    LockOp::IsHeld { dst } => LockOp::IsHeld { dst: self.reg(*dst) },
                };
                Op::Lock { op, addr: self.expr(addr), size: *size }
            }
            Op::Opaque { addr, value, dst, tags } => Op::Opaque {
                addr: addr.as_ref().map(|e| self.expr(e)),
                value: value.as_ref().map(|e| self.expr(e)),
                dst: dst.map(|r| self.reg(r)),
                tags: self.tags(tags),
            },
            Op::Wait { cond, kind } => Op::Wait { cond: self.expr(cond), kind: *kind },
            Op::Join { dst, thread } => Op::Join { dst: dst.map(|r| self.reg(r)), thread: self.expr(thread) },
            Op::Current { dst, number } => Op::Current { dst: self.reg(*dst), number: *number },
            Op::Alloc { dst, size, storage, zeroed } => {
                Op::Alloc { dst: self.reg(*dst), size: self.expr(size), storage: *storage, zeroed: *zeroed }
            }
            Op::Free { addr, retired } => Op::Free { addr: self.expr(addr), retired: *retired },
            Op::Copy { to, from, len, tags } => {
                Op::Copy { to: self.expr(to), from: self.expr(from), len: self.expr(len), tags: self.tags(tags) }
            }
            Op::Fill { to, byte, len, tags } => {
                Op::Fill { to: self.expr(to), byte: self.expr(byte), len: self.expr(len), tags: self.tags(tags) }
            }
            Op::Fail { failure, message } => Op::Fail { failure: *failure, message: message.clone() },
            Op::Nondet { dst } => Op::Nondet { dst: self.reg(*dst) },
            Op::Handle { dst, op, arg } => Op::Handle { dst: self.reg(*dst), op: *op, arg: self.expr(arg) },
            Op::Mark(mark) => Op::Mark(mark.clone()),
        };
        self.out.emit(copy);
    }
}
