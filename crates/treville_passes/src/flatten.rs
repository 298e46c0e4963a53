//! A function with everything that it calls put in the place of the calls: what [`crate::inline`] leaves as calls, too.
//!
//! A recursion is followed up to a bound, and ends in [`Mark::Cut`] beyond. A call through a pointer becomes a choice among the
//! functions whose address somebody takes and that have as many parameters. Objects on the stack of a function die when it
//! returns: an event that is neither read nor write, with the tag [`FREE`], says so.

use crate::cfg::{Cfg, Liveness};
use crate::loop_free::{go_on, stopped};
use crate::ops;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use treville_base::{Cancel, Diagnostic, IndexVec, Name, Span};
use treville_ir::{
    Block, BlockId, Callee, Expr, Failure, Func, FuncId, Inst, InstrId, Mark, Op, Program, Reg, RegInfo, Storage, Tags,
    Terminator,
};
use treville_term::BinOp;

/// The tag of the end of an object.
pub const FREE: &str = "FREE";

/// More operations than this are not made.
const MAX_SIZE: usize = 100_000;

/// Calls inside calls, more than this, are not followed.
const MAX_LEVEL: u32 = 200;

/// The function without calls; threads are started by their functions' names.
///
/// # Errors
/// What has no meaning without calls, and where; or that the run was cancelled.
pub fn flatten(program: &mut Program, func: FuncId, bound: u32, cancel: &Cancel) -> Result<Func, Diagnostic> {
    let mut free: Tags = vec![program.tag(FREE)];
    free.sort();
    let program = &*program;
    let mut flat = Flat {
        program,
        bound,
        cancel,
        free,
        addressed: addressed(program),
        out: empty(program, func),
        next_instr: 0,
        size: 0,
    };
    let frame = Rc::new(Frame { func, depth: 1, level: 0, caller: None, objects: flat.objects(func, 0)? });
    let entry = flat.copy(func, &frame, 0, None)?;
    debug_assert_eq!(entry, BlockId(0), "the function's own blocks come first");
    Ok(flat.out)
}

/// Functions whose address is a value somewhere.
fn addressed(program: &Program) -> BTreeSet<FuncId> {
    let mut found = BTreeSet::new();
    let mut see = |e: &Expr| constants(e, &mut |address| found.extend(program.func_at(address)));
    for object in &program.objects {
        object.init.iter().for_each(|cell| see(&cell.value));
    }
    for root in &program.roots {
        root.init.iter().for_each(|(_, value)| see(value));
    }
    for block in program.funcs.iter().flat_map(|func| func.blocks.iter()) {
        for inst in &block.insts {
            ops::exprs(&inst.op).into_iter().for_each(&mut see);
        }
        ops::end_expr(&block.end).into_iter().for_each(&mut see);
    }
    found
}

fn constants(e: &Expr, visit: &mut impl FnMut(u64)) {
    match e {
        Expr::Const(v) => u64::try_from(v.unsigned()).into_iter().for_each(visit),
        Expr::Reg(_) | Expr::Addr(..) => {}
        Expr::Un(_, a) | Expr::Cast(_, _, a) => constants(a, visit),
        Expr::Bin(_, a, b) => {
            constants(a, visit);
            constants(b, visit);
        }
        Expr::Ite(c, a, b) => {
            constants(c, visit);
            constants(a, visit);
            constants(b, visit);
        }
    }
}

fn empty(program: &Program, func: FuncId) -> Func {
    let of = &program.funcs[func];
    Func { name: of.name.clone(), params: of.params.clone(), regs: IndexVec::new(), blocks: IndexVec::new() }
}

/// A call that is being put in place.
struct Frame {
    func: FuncId,
    /// How often the function is among the callers, itself included.
    depth: u32,
    /// How many callers there are.
    level: u32,
    caller: Option<Rc<Frame>>,
    /// The registers with the addresses of its objects.
    objects: Vec<Reg>,
}

impl Frame {
    fn depth_of(&self, func: FuncId) -> u32 {
        let own = if self.func == func { Some(self.depth) } else { None };
        own.or_else(|| self.caller.as_ref().map(|caller| caller.depth_of(func))).unwrap_or(0)
    }

    /// All objects that die if the thread ends here.
    fn all_objects(&self) -> Vec<Reg> {
        let above = self.caller.as_ref().map_or_else(Vec::new, |caller| caller.all_objects());
        self.objects.iter().copied().chain(above).collect()
    }
}

/// Where a call goes on, and where its result goes.
#[derive(Clone, Copy)]
struct Return {
    to: BlockId,
    dst: Option<Reg>,
}

struct Flat<'p> {
    program: &'p Program,
    bound: u32,
    cancel: &'p Cancel,
    free: Tags,
    addressed: BTreeSet<FuncId>,
    out: Func,
    next_instr: u32,
    size: usize,
}

impl Flat<'_> {
    /// The registers with the addresses of a function's objects on the stack, as they are called here.
    fn objects(&self, func: FuncId, first_reg: u32) -> Result<Vec<Reg>, Diagnostic> {
        let mut found = Vec::new();
        for (id, block) in self.program.funcs[func].blocks.iter_enumerated() {
            for inst in &block.insts {
                match &inst.op {
                    Op::Alloc { dst, storage: Storage::Stack, .. } if id == BlockId(0) => {
                        found.push(Reg(first_reg + dst.0));
                    }
                    Op::Alloc { storage: Storage::Stack, .. } => {
                        return Err(Diagnostic::error(
                            inst.span,
                            "a local object that is not made at the start is not for this engine",
                        ));
                    }
                    _ => {}
                }
            }
        }
        Ok(found)
    }

    /// Copies a function; returns its entry. Its registers come after those there are; block by block, calls are followed.
    fn copy(
        &mut self,
        func: FuncId,
        frame: &Rc<Frame>,
        first_reg: u32,
        back: Option<Return>,
    ) -> Result<BlockId, Diagnostic> {
        let of = &self.program.funcs[func];
        for reg in &of.regs {
            let name = match back {
                None => reg.name.clone(),
                Some(_) if reg.is_temporary() => Name::from(format!("%{}.{}", of.name, reg.name)),
                Some(_) => Name::from(format!("{}.{}", of.name, reg.name)),
            };
            self.out.regs.push(RegInfo { name, width: reg.width });
        }
        let first_block = self.out.blocks.len() as u32;
        for _ in &of.blocks {
            self.out.blocks.push(Block { insts: Vec::new(), end: Terminator::End });
        }
        let mut instrs = BTreeMap::new();
        for (id, block) in of.blocks.iter_enumerated() {
            let mut copy =
                Copying { frame, first_reg, first_block, back, instrs: &mut instrs, at: BlockId(first_block + id.0) };
            for inst in &block.insts {
                self.inst(&mut copy, inst)?;
            }
            self.end(&mut copy, &block.end);
        }
        Ok(BlockId(first_block))
    }

    fn push(&mut self, at: BlockId, op: Op, instr: InstrId, sequenced: bool, span: Span) {
        self.size += 1;
        self.out.blocks[at].insts.push(Inst { op, instr, sequenced, span });
    }

    fn instr(&mut self, copy: &mut Copying<'_>, old: InstrId) -> InstrId {
        *copy.instrs.entry(old).or_insert_with(|| {
            self.next_instr += 1;
            InstrId(self.next_instr - 1)
        })
    }

    fn inst(&mut self, copy: &mut Copying<'_>, inst: &Inst) -> Result<(), Diagnostic> {
        go_on(self.cancel)?;
        let mut op = inst.op.clone();
        copy.rename(&mut op);
        let instr = self.instr(copy, inst.instr);
        let (span, sequenced) = (inst.span, inst.sequenced);
        if self.size > MAX_SIZE {
            return Err(Diagnostic::error(span, "the program without calls is too large"));
        }
        match op {
            Op::Call { dst, callee: Callee::Func(func), args } => self.call(copy, func, dst, &args, instr, span),
            Op::Call { dst, callee: Callee::Pointer(address), args } => {
                let known = self.candidates(args.len());
                self.choose(copy, &address, &known, instr, span, &mut |flat, copy, func| {
                    flat.call(copy, func, dst, &args, instr, span)
                })
            }
            Op::Spawn { dst, callee: Callee::Pointer(address), args } if !matches!(address, Expr::Const(_)) => {
                let known = self.candidates(args.len());
                self.choose(copy, &address, &known, instr, span, &mut |flat, copy, func| {
                    let op = Op::Spawn { dst, callee: Callee::Func(func), args: args.clone() };
                    flat.push(copy.at, op, instr, sequenced, span);
                    Ok(())
                })
            }
            Op::Spawn { dst, callee: Callee::Pointer(Expr::Const(address)), args } => {
                let func = u64::try_from(address.unsigned()).ok().and_then(|a| self.program.func_at(a));
                match func {
                    Some(func) => {
                        let op = Op::Spawn { dst, callee: Callee::Func(func), args };
                        self.push(copy.at, op, instr, sequenced, span);
                    }
                    None => self.no_function(copy, instr, span),
                }
                Ok(())
            }
            op => {
                self.push(copy.at, op, instr, sequenced, span);
                Ok(())
            }
        }
    }

    /// Functions that a pointer may lead to. One that takes fewer arguments does not look at the rest, as a handler of `atexit`
    /// that is called with the argument of another kind of handler.
    fn candidates(&self, args: usize) -> Vec<FuncId> {
        let fits = |func: &&FuncId| self.program.funcs[**func].params.len() <= args;
        self.addressed.iter().filter(fits).copied().collect()
    }

    fn no_function(&mut self, copy: &mut Copying<'_>, instr: InstrId, span: Span) {
        let message = Name::new("there is no function at this address");
        self.push(copy.at, Op::Fail { failure: Failure::InvalidAccess, message }, instr, true, span);
        copy.at = self.block();
    }

    fn block(&mut self) -> BlockId {
        self.size += 1;
        self.out.blocks.push(Block { insts: Vec::new(), end: Terminator::End })
    }

    /// Goes on with one function or the other, depending on an address.
    fn choose(
        &mut self,
        copy: &mut Copying<'_>,
        address: &Expr,
        known: &[FuncId],
        instr: InstrId,
        span: Span,
        with: &mut dyn FnMut(&mut Self, &mut Copying<'_>, FuncId) -> Result<(), Diagnostic>,
    ) -> Result<(), Diagnostic> {
        let after = self.block();
        for func in known {
            let (then, els) = (self.block(), self.block());
            let cond = Expr::bin(BinOp::Eq, address.clone(), Expr::int(Program::func_address(*func) as i64, 64));
            // As other branches of compiled code, it has no join.
            self.out.blocks[copy.at].end = Terminator::Branch { cond, then, els, join: None, instr, span };
            copy.at = then;
            with(self, copy, *func)?;
            self.out.blocks[copy.at].end = Terminator::Goto(after);
            copy.at = els;
        }
        self.no_function(copy, instr, span);
        copy.at = after;
        Ok(())
    }

    fn call(
        &mut self,
        copy: &mut Copying<'_>,
        func: FuncId,
        dst: Option<Reg>,
        args: &[Expr],
        instr: InstrId,
        span: Span,
    ) -> Result<(), Diagnostic> {
        let Some(callee) = self.program.funcs.get(func) else {
            self.no_function(copy, instr, span);
            return Ok(());
        };
        let (depth, level) = (copy.frame.depth_of(func) + 1, copy.frame.level + 1);
        if level > MAX_LEVEL {
            return Err(Diagnostic::error(span, "calls are nested too deeply"));
        }
        if depth > self.bound.saturating_add(1) {
            self.push(copy.at, Op::Mark(Mark::Cut), instr, true, span);
            copy.at = self.block();
            return Ok(());
        }
        let first_reg = self.out.regs.len() as u32;
        let own = |r: &Reg| Reg(first_reg + r.0);
        // Parameters, and what is read before it is assigned, which is 0.
        let width = |r: &Reg| callee.regs[*r].width;
        for (i, param) in callee.params.iter().enumerate() {
            let value = args.get(i).map_or(Expr::int(0, width(param)), |arg| {
                resized(arg.clone(), ops::width(arg, &self.out.regs).unwrap_or(64), width(param))
            });
            self.push(copy.at, Op::Assign { dst: own(param), value }, instr, true, span);
        }
        let live = Liveness::unless(self.cancel, callee, &Cfg::new(callee), &BTreeSet::new()).ok_or_else(stopped)?;
        for reg in live.live_in(BlockId(0)).iter().copied().filter(|r| !callee.params.contains(r)) {
            self.push(copy.at, Op::Assign { dst: own(&reg), value: Expr::int(0, width(&reg)) }, instr, true, span);
        }
        let frame =
            Frame { func, depth, level, caller: Some(Rc::clone(copy.frame)), objects: self.objects(func, first_reg)? };
        let after = self.block();
        let entry = self.copy(func, &Rc::new(frame), first_reg, Some(Return { to: after, dst }))?;
        self.out.blocks[copy.at].end = Terminator::Goto(entry);
        copy.at = after;
        Ok(())
    }

    fn end(&mut self, copy: &mut Copying<'_>, end: &Terminator) {
        let mut end = end.clone();
        if let Terminator::Branch { instr, .. } = &mut end {
            *instr = self.instr(copy, *instr);
        }
        copy.rename_end(&mut end);
        let dying = match &end {
            Terminator::Return(_) => copy.frame.objects.clone(),
            Terminator::Exit(_) => copy.frame.all_objects(),
            Terminator::Goto(_) | Terminator::Branch { .. } | Terminator::End | Terminator::ExitProcess => Vec::new(),
        };
        let nowhere = Span::new(treville_base::FileId(0), 0, 0);
        for object in dying {
            let span = self.out.blocks[copy.at].insts.last().map_or(nowhere, |inst| inst.span);
            self.next_instr += 1;
            let instr = InstrId(self.next_instr - 1);
            let op = Op::Opaque { addr: Some(Expr::Reg(object)), value: None, dst: None, tags: self.free.clone() };
            self.push(copy.at, op, instr, true, span);
        }
        if let (Terminator::Return(value), Some(back)) = (&end, copy.back) {
            if let Some(dst) = back.dst {
                let width = self.out.regs[dst].width;
                let value = value.clone().map_or(Expr::int(0, width), |value| {
                    let from = ops::width(&value, &self.out.regs).unwrap_or(width);
                    resized(value, from, width)
                });
                self.next_instr += 1;
                let instr = InstrId(self.next_instr - 1);
                self.push(copy.at, Op::Assign { dst, value }, instr, true, nowhere);
            }
            end = Terminator::Goto(back.to);
        }
        self.out.blocks[copy.at].end = end;
    }
}

/// A function that is being copied.
struct Copying<'c> {
    frame: &'c Rc<Frame>,
    first_reg: u32,
    first_block: u32,
    back: Option<Return>,
    instrs: &'c mut BTreeMap<InstrId, InstrId>,
    /// The block that is being written.
    at: BlockId,
}

impl Copying<'_> {
    fn rename(&self, op: &mut Op) {
        let new = |r: Reg| Reg(self.first_reg + r.0);
        ops::exprs_mut(op).into_iter().for_each(|e| ops::rename_regs(e, &new));
        if let Some(dst) = ops::def_mut(op) {
            *dst = new(*dst);
        }
    }

    fn rename_end(&self, end: &mut Terminator) {
        ops::rename_blocks(end, &|b| BlockId(self.first_block + b.0));
        if let Some(e) = ops::end_expr_mut(end) {
            ops::rename_regs(e, &|r| Reg(self.first_reg + r.0));
        }
    }
}

/// A value of another width: with zeros above, or without what is above.
pub(crate) fn resized(value: Expr, from: u8, to: u8) -> Expr {
    if from == to { value } else { value.zext(to) }
}
