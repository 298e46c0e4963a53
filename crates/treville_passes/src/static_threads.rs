//! Makes the threads of a program static: a program whose first thread creates the others becomes one whose threads all exist from
//! the start. For the operational engine, which runs loops as they are and needs all threads and variables in advance.
//!
//! A created thread waits until it reads that it was created, a joining thread until it reads that the other has ended, by accesses that
//! release and acquire. Each thread has a copy of its function with the arguments in place of the parameters. Parts of objects that
//! are accessed separately become separate variables.

mod variables;

use crate::cfg::Cfg;
use crate::constants::propagate_constants;
use crate::lower_to_test::SyncTags;
use crate::unroll::Facts;
use crate::{Boundary, Unrolling, ops, promote, simplify, unroll};
use std::collections::{BTreeMap, BTreeSet};
use treville_base::{Cancel, Diagnostic, IndexVec, Name, Span};
use treville_ir::{
    Block, BlockId, Callee, Expr, Func, FuncId, InitCell, Inst, InstrId, Object, ObjectId, Op, Program, Reg, RegInfo,
    Root, Tags, Terminator, Type,
};
use treville_term::BinOp;

/// More threads than this are not made.
const MAX_THREADS: usize = 32;

/// How often a loop is repeated that starts threads.
const MAX_STARTS: u32 = 16;

/// How often promotion is repeated: a variable that holds the address of another must go first.
const ROUNDS: u32 = 6;

/// The program with threads from the start, each with its own function.
///
/// # Errors
/// What cannot be known before the run, and where; anything, if it was cancelled.
pub fn static_threads(program: &Program, words: &SyncTags, cancel: &Cancel) -> Result<Program, Diagnostic> {
    let [main] = program.roots.as_slice() else {
        return Err(Diagnostic::error(None, "a program with several threads from the start"));
    };
    let mut out = Program { roots: IndexVec::new(), ..program.clone() };
    let mut tags = |names: &[&str]| {
        let mut tags: Tags = names.iter().map(|name| out.tag(name)).collect();
        tags.sort();
        tags
    };
    let (acquire, release) = (tags(&words.acquire), tags(&words.release));
    let init = main.init.iter().map(|(reg, value)| (*reg, value.clone())).collect();
    let todo = vec![Start { func: main.func, name: main.name.clone(), init, told: None }];
    let first_ends_process = main.ends_process;
    let mut making = Making { out, acquire, release, todo, cancel, first_ends_process };
    let mut at = 0;
    while let Some(start) = making.todo.get(at).cloned() {
        making.thread(&start)?;
        at += 1;
    }
    variables::split(making.out)
}

/// A thread to be made.
#[derive(Clone)]
struct Start {
    func: FuncId,
    name: Name,
    init: BTreeMap<Reg, Expr>,
    /// Where it is told that it was started, and that it has ended; the first thread needs nobody to say so.
    told: Option<(ObjectId, ObjectId)>,
}

struct Making<'c> {
    cancel: &'c Cancel,
    /// When the function of the first thread returns, the process ends.
    first_ends_process: bool,
    out: Program,
    acquire: Tags,
    release: Tags,
    todo: Vec<Start>,
}

impl Making<'_> {
    fn thread(&mut self, start: &Start) -> Result<(), Diagnostic> {
        let mut func = self.out.funcs[start.func].clone();
        func.params.clear();
        func.name = start.name.clone();
        let id = self.out.funcs.push(func);
        self.known(id, start)?;
        self.start_others(id)?;
        // What stands for a thread is a number now.
        self.settle(id, start);
        self.wait_for_others(id)?;
        if let Some(told) = start.told {
            self.refuse_exit(id)?;
            self.tell(id, told);
        }
        let ends_process = start.told.is_none() && self.ends_process(id)?;
        let init = start.init.iter().map(|(reg, value)| (*reg, value.clone())).collect();
        self.out.roots.push(Root { name: start.name.clone(), func: id, init, scopes: Vec::new(), ends_process });
        Ok(())
    }

    /// Puts constants where they are known, and follows loops that start threads.
    fn known(&mut self, id: FuncId, start: &Start) -> Result<(), Diagnostic> {
        self.settle(id, start);
        let func = &self.out.funcs[id];
        let loops = Cfg::new(func).loops();
        let in_loop = |block: &BlockId| loops.values().any(|body| body.contains(block));
        let starts =
            |block: &Block| block.insts.iter().any(|inst| matches!(inst.op, Op::Spawn { .. } | Op::Join { .. }));
        if func.blocks.iter_enumerated().any(|(block, facts)| in_loop(&block) && starts(facts)) {
            let how = Unrolling { bound: MAX_STARTS, idle: false, latest: None };
            let facts = Facts { observed: &BTreeSet::new(), atomic: &BTreeSet::new(), halves: &BTreeSet::new() };
            self.out.funcs[id] = unroll(func, how, facts, self.cancel)?;
            self.settle(id, start);
        }
        Ok(())
    }

    fn settle(&mut self, id: FuncId, start: &Start) {
        let entry: BTreeMap<Reg, Option<Expr>> =
            start.init.iter().map(|(reg, value)| (*reg, Some(value.clone()))).collect();
        let boundary = Boundary {
            entry: start.init.keys().copied().collect(),
            cancel: self.cancel.clone(),
            ..Boundary::default()
        };
        for _ in 0..ROUNDS {
            propagate_constants(&mut self.out.funcs[id], &entry, &boundary.cancel);
            simplify(&mut self.out.funcs[id], &boundary, true);
            if !promote(&mut self.out, id, &boundary) {
                break;
            }
        }
    }

    /// Each start of a thread: it is told, and its handle is its number.
    fn start_others(&mut self, id: FuncId) -> Result<(), Diagnostic> {
        let loops = Cfg::new(&self.out.funcs[id]).loops();
        let blocks: Vec<BlockId> = self.out.funcs[id].blocks.ids().collect();
        for block in blocks {
            let insts = std::mem::take(&mut self.out.funcs[id].blocks[block].insts);
            let mut new = Vec::new();
            for inst in insts {
                let Op::Spawn { dst, callee, args } = &inst.op else {
                    new.push(inst);
                    continue;
                };
                if loops.values().any(|body| body.contains(&block)) {
                    return Err(Diagnostic::error(inst.span, "a thread that is started in a loop"));
                }
                let told = self.start(callee, args, inst.span)?;
                let handle = Op::Assign { dst: *dst, value: Expr::int(self.todo.len() as i64 - 1, 64) };
                let store = self.say(told);
                new.extend([handle, store].map(|op| Inst { op, ..inst.clone() }));
            }
            self.out.funcs[id].blocks[block].insts = new;
        }
        Ok(())
    }

    /// A new thread to be made; where it is told that it was started.
    fn start(&mut self, callee: &Callee, args: &[Expr], span: Span) -> Result<ObjectId, Diagnostic> {
        let known = match callee {
            Callee::Func(func) => self.out.funcs.get(*func).map(|facts| (*func, facts)),
            Callee::Pointer(Expr::Const(address)) => {
                let address = u64::try_from(address.unsigned()).unwrap_or(0);
                self.out.func_at(address).map(|func| (func, &self.out.funcs[func]))
            }
            Callee::Pointer(_) => None,
        };
        let Some((func, facts)) = known else {
            return Err(Diagnostic::error(span, "a thread whose function is not known before the run"));
        };
        if !args.iter().all(|arg| matches!(arg, Expr::Const(_) | Expr::Addr(..))) {
            return Err(Diagnostic::error(span, "a thread whose argument is not known before the run"));
        }
        if self.todo.len() == MAX_THREADS {
            return Err(Diagnostic::error(span, format!("more than {MAX_THREADS} threads")));
        }
        let init = facts.params.iter().copied().zip(args.iter().cloned()).collect();
        let name = Name::from(format!("{}_{}", facts.name, self.todo.len()));
        let told = (self.object(&format!("{name}.started"), span), self.object(&format!("{name}.ended"), span));
        self.todo.push(Start { func, name, init, told: Some(told) });
        Ok(told.0)
    }

    fn object(&mut self, name: &str, span: Span) -> ObjectId {
        let address = self.out.next_address();
        self.out.objects.push(Object {
            name: Name::new(name),
            address,
            size: 4,
            ty: Type::Int { bytes: 4, signed: true },
            array: false,
            thread_local: false,
            members: Vec::new(),
            init: vec![InitCell { offset: 0, size: 4, value: Expr::int(0, 32) }],
            uninitialized: false,
            span,
        })
    }

    fn say(&self, told: ObjectId) -> Op {
        Op::Store { addr: Expr::Addr(told, 0), value: Expr::int(1, 32), size: 4, tags: self.release.clone() }
    }

    /// Each wait for the end of a thread is a loop that looks whether it has come.
    fn wait_for_others(&mut self, id: FuncId) -> Result<(), Diagnostic> {
        let mut block = BlockId(0);
        while self.out.funcs[id].blocks.get(block).is_some() {
            let func = &self.out.funcs[id];
            let Some(at) = func.blocks[block].insts.iter().position(|inst| matches!(inst.op, Op::Join { .. })) else {
                block = BlockId(block.0 + 1);
                continue;
            };
            let inst = func.blocks[block].insts[at].clone();
            let Op::Join { dst, thread } = &inst.op else { continue };
            if dst.is_some_and(|dst| is_used(func, dst)) {
                return Err(Diagnostic::error(inst.span, "what a thread returns"));
            }
            let told = match thread {
                Expr::Const(number) => self.todo.get(number.unsigned() as usize).and_then(|start| start.told),
                _ => None,
            };
            let Some((_, ended)) = told else {
                return Err(Diagnostic::error(inst.span, "a wait for a thread that is not known before the run"));
            };
            let func = &mut self.out.funcs[id];
            let rest = func.blocks[block].insts.split_off(at + 1);
            func.blocks[block].insts.pop();
            let end = std::mem::replace(&mut func.blocks[block].end, Terminator::End);
            let after = func.blocks.push(Block { insts: rest, end });
            let waiting = waits(func, ended, &self.acquire, after, inst.span);
            func.blocks[block].end = Terminator::Goto(waiting);
        }
        Ok(())
    }

    /// Whether the process ends where the first thread does: it returns, and does not only leave itself.
    fn ends_process(&self, id: FuncId) -> Result<bool, Diagnostic> {
        let blocks = &self.out.funcs[id].blocks;
        let leaves = blocks.iter().find(|block| matches!(block.end, Terminator::End | Terminator::Exit(_)));
        let ends = |block: &Block| match block.end {
            Terminator::Return(_) => self.first_ends_process,
            ref end => *end == Terminator::ExitProcess,
        };
        match (leaves, blocks.iter().any(ends)) {
            (Some(block), true) => {
                let span = block.insts.last().map(|inst| inst.span);
                Err(Diagnostic::error(span, "a first thread that ends the process on some of its ways, and not here"))
            }
            (_, ends) => Ok(ends),
        }
    }

    /// Only the end of the first thread is the end of all here.
    fn refuse_exit(&self, id: FuncId) -> Result<(), Diagnostic> {
        let exit = self.out.funcs[id].blocks.iter().find(|block| block.end == Terminator::ExitProcess);
        let span = |block: &Block| block.insts.last().map(|inst| inst.span);
        exit.map_or(Ok(()), |block| Err(Diagnostic::error(span(block), "a thread that ends the process")))
    }

    /// A thread that is started begins when it sees that, and says at its end that it has come there.
    fn tell(&mut self, id: FuncId, (started, ended): (ObjectId, ObjectId)) {
        let say = self.say(ended);
        let func = &mut self.out.funcs[id];
        // All this is where the thread is started.
        let span = self.out.objects[started].span;
        let instr = InstrId(next_instr(func));
        for block in func.blocks.iter_mut() {
            if let Terminator::End | Terminator::Return(_) | Terminator::Exit(_) = block.end {
                block.insts.push(Inst { op: say.clone(), instr, sequenced: true, span });
                block.end = Terminator::End;
            }
        }
        // The first block has to be the one that waits.
        let first = std::mem::replace(&mut func.blocks[BlockId(0)], Block { insts: Vec::new(), end: Terminator::End });
        let moved = func.blocks.push(first);
        for block in func.blocks.iter_mut() {
            ops::rename_blocks(&mut block.end, &|to| if to == BlockId(0) { moved } else { to });
        }
        let waiting = waits(func, started, &self.acquire, moved, span);
        func.blocks[BlockId(0)].end = Terminator::Goto(waiting);
    }
}

/// A block that reads until it finds a 1, and then goes on.
fn waits(func: &mut Func, object: ObjectId, acquire: &Tags, then: BlockId, span: Span) -> BlockId {
    let seen = func.regs.push(RegInfo { name: Name::new("%seen"), width: 32 });
    let instr = InstrId(next_instr(func));
    let load = Op::Load { dst: seen, addr: Expr::Addr(object, 0), size: 4, tags: acquire.clone() };
    let own = func.blocks.push(Block { insts: Vec::new(), end: Terminator::End });
    let cond = Expr::Bin(BinOp::Eq, Box::new(Expr::Reg(seen)), Box::new(Expr::int(1, 32)));
    func.blocks[own] = Block {
        insts: vec![Inst { op: load, instr, sequenced: true, span }],
        end: Terminator::Branch { cond, then, els: own, join: Some(then), instr: InstrId(instr.0 + 1), span },
    };
    own
}

fn next_instr(func: &Func) -> u32 {
    let instrs = func.blocks.iter().flat_map(|block| {
        let end = if let Terminator::Branch { instr, .. } = &block.end { Some(instr.0) } else { None };
        block.insts.iter().map(|inst| inst.instr.0).chain(end)
    });
    instrs.max().map_or(0, |n| n + 1)
}

fn is_used(func: &Func, reg: Reg) -> bool {
    let mut used = false;
    for block in &func.blocks {
        block.insts.iter().for_each(|inst| ops::visit_uses(&inst.op, &mut |r| used |= r == reg));
        ops::end_expr(&block.end).into_iter().for_each(|e| e.visit_regs(&mut |r| used |= r == reg));
    }
    used
}
