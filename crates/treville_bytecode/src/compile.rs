//! From functions of a program to bytecode: expressions become three-address code, and every instruction that the engine
//! sees gets a site with the slots that are live across it.

mod access;
mod wide;

pub use access::{Access, Parts};

use super::code::{Changes, Code, Image, Ins, LoopInfo, NOWHERE, Site, SiteId, SiteKind, Slot};
use super::symbols::is_term;
use super::{flow, retry};
use access::Source;
use std::collections::BTreeMap;
use std::sync::Arc;
use treville_base::{Idx, IndexVec, Span};
use treville_ir::{
    BlockId, Callee, DialectKind, Expr, Func, FuncId, Inst, InstrId, LockOp, Mark, Op, Program, Reg, TagId, Tags,
    Terminator, UpdateTags, Wait,
};
use treville_term::{BinOp, Bv, Cast, UnOp};

/// What the bytecode cannot express.
#[derive(Clone, PartialEq, Debug)]
pub struct NotCompiled {
    pub what: String,
    pub span: Option<Span>,
}

/// Compiles every function of a program. The values of `observed` registers are kept to the end of their function.
pub fn compile(program: &Program, observed: &[(FuncId, Reg)], parts: &Parts) -> Result<Image, NotCompiled> {
    let mut sites = IndexVec::new();
    let kept = |id: FuncId| observed.iter().filter(|(func, _)| *func == id).map(|(_, reg)| slot(*reg)).collect();
    let funcs = program.funcs.iter_enumerated();
    let mut codes: Vec<Code> = funcs
        .map(|(id, func)| Compiler::function(program, func, parts, kept(id), &mut sites))
        .collect::<Result<_, _>>()?;
    let ops = program.funcs.iter().flat_map(|f| &f.blocks).flat_map(|b| &b.insts).map(|inst| &inst.op);
    let releases = ops.into_iter().any(|op| matches!(op, Op::Lock { op: LockOp::Try { .. }, .. }));
    let symbols = sites.iter().any(Site::is_unknown).then(Arc::default);
    let marked = |code: &Code| code.constants.iter().any(|(_, value)| is_term(*value));
    if symbols.is_some() && codes.iter().any(marked) {
        let what = "a number that looks like the name of a value that is not determined".to_owned();
        return Err(NotCompiled { what, span: None });
    }
    for (n, info) in codes.iter_mut().flat_map(|code| &mut code.loops).enumerate() {
        info.bit = 1 << (n % 64);
    }
    let has_hazards = sites.iter().any(|site| site.protects);
    let roots = program.roots.iter().zip(0..).filter(|(root, _)| root.ends_process);
    Ok(Image {
        codes,
        sites,
        ending: roots.map(|(_, thread)| thread).collect(),
        changes: Changes { releases, hazards: false },
        symbols,
        has_hazards,
        notes: Arc::default(),
        keeps: None,
    })
}

struct Compiler<'a> {
    program: &'a Program,
    func: &'a Func,
    parts: &'a Parts,
    sites: &'a mut IndexVec<SiteId, Site>,
    observed: Vec<Slot>,
    ins: Vec<Ins>,
    args: Vec<Vec<Slot>>,
    /// Constants are collected with slots counted from 0 and moved behind the temporaries at the end.
    constants: BTreeMap<u64, Slot>,
    temporaries: Slot,
    starts: Vec<u32>,
    /// Where rounds of loops begin, if not at the head.
    rounds: BTreeMap<u16, usize>,
    /// The slots of the upper words of registers of 128 bits.
    upper: BTreeMap<Reg, Slot>,
    /// The register that the block at hand branches on.
    branches_on: Option<Reg>,
    instr: InstrId,
    /// Loads and stores of the current instruction so far.
    accesses: u16,
    span: Span,
}

/// Constants have this bit until the number of temporaries is known.
const CONSTANT: Slot = 0x8000;

impl<'a> Compiler<'a> {
    fn function(
        program: &'a Program,
        func: &'a Func,
        parts: &'a Parts,
        observed: Vec<Slot>,
        sites: &'a mut IndexVec<SiteId, Site>,
    ) -> Result<Code, NotCompiled> {
        let first_site = sites.len();
        let mut c = Compiler {
            program,
            func,
            parts,
            sites,
            observed,
            ins: Vec::new(),
            args: Vec::new(),
            constants: BTreeMap::new(),
            temporaries: 0,
            starts: Vec::new(),
            rounds: BTreeMap::new(),
            upper: BTreeMap::new(),
            branches_on: None,
            instr: InstrId(0),
            accesses: 0,
            span: Span::new(treville_base::FileId(0), 0, 0),
        };
        c.make_wide_registers()?;
        if func.regs.len() > 0x6000 {
            return Err(c.refuse("a function with so many registers"));
        }
        let successors: Vec<Vec<usize>> = func.blocks.iter().map(|b| successors(&b.end)).collect();
        let loops = flow::loops(&successors);
        let is_test = |block: usize| {
            let insts = &func.blocks[BlockId::from_usize(block)].insts;
            insts.iter().all(|inst| matches!(inst.op, Op::Assign { .. } | Op::Mark(_)))
        };
        let rounds: Vec<usize> = loops.iter().map(|l| l.round(&successors, &is_test)).collect();
        for (id, block) in func.blocks.iter_enumerated() {
            c.starts.push(c.ins.len() as u32);
            for l in (0..loops.len()).filter(|l| rounds[*l] == id.index() && loops[*l].head != id.index()) {
                c.rounds.insert(l as u16, c.ins.len());
                c.ins.push(Ins::Round(l as u16));
            }
            if let Some(l) = loops.iter().position(|l| l.head == id.index()) {
                c.ins.push(Ins::Loop(l as u16));
            }
            c.branches_on = match &block.end {
                Terminator::Branch { cond: Expr::Reg(reg), .. } => Some(*reg),
                _ => None,
            };
            for inst in &block.insts {
                (c.instr, c.span, c.accesses) = (inst.instr, inst.span, 0);
                c.inst(inst)?;
            }
            c.end(&block.end)?;
        }
        Ok(c.finish(first_site, &loops))
    }

    /// Patches jumps and constants, and finds what is live.
    fn finish(mut self, first_site: usize, loops: &[flow::Loop]) -> Code {
        let constants_from = self.func.regs.len() as Slot + self.temporaries;
        let constant = |slot: &mut Slot| {
            if *slot != NOWHERE && *slot & CONSTANT != 0 {
                *slot = constants_from + (*slot & !CONSTANT);
            }
        };
        self.args.iter_mut().flatten().for_each(constant);
        for ins in &mut self.ins {
            operands(ins).into_iter().for_each(constant);
            match ins {
                Ins::Goto(to) => *to = self.starts[*to as usize],
                Ins::If { then, els, .. } => {
                    for to in [then, els] {
                        // Jumps inside an instruction are already places, marked by the highest bit.
                        *to = if *to & INSIDE != 0 { *to & !INSIDE } else { self.starts[*to as usize] };
                    }
                }
                _ => {}
            }
        }
        let constants: Vec<(Slot, u64)> =
            self.constants.iter().map(|(v, s)| (constants_from + (s & !CONSTANT), *v)).collect();
        let slots = constants_from + constants.len() as Slot;
        let facts: Vec<flow::Facts> = self
            .ins
            .iter()
            .enumerate()
            .map(|(at, ins)| flow::facts(ins, at as u32, &self.args, &self.observed))
            .collect();
        let live = flow::liveness(&facts, usize::from(slots));
        let from = usize::from(constants_from);
        let mut after_call = Vec::new();
        for (at, (ins, fact)) in self.ins.iter().zip(&facts).enumerate() {
            let mut needed = live[at + 1].clone();
            if let Some(def) = fact.def {
                needed.remove(usize::from(def));
            }
            if let Some(site) = ins.site() {
                // Between the parts of an access a thread still asks for the rest of them.
                if !self.sites[site].parts.is_empty() {
                    for slot in &fact.uses {
                        needed.insert(usize::from(*slot));
                    }
                }
                self.sites[site].live = flow::slots(&needed, from);
            }
            if matches!(ins, Ins::Call { .. } | Ins::CallPointer { .. }) {
                after_call.push((at as u32, flow::slots(&needed, from)));
            }
        }
        debug_assert!(first_site <= self.sites.len());
        let shape = retry::Shape { ins: &self.ins, facts: &facts, starts: &self.starts, loops };
        let handles: Vec<SiteId> =
            shape.stores().filter(|(_, value)| shape.is_handle(*value, 0)).map(|(s, _)| s).collect();
        handles.into_iter().for_each(|site| self.sites[site].keeps_handle = true);
        for (site, id) in shape.first_stores() {
            self.sites[site].first_in = Some(id);
        }
        for (site, id) in shape.stores_in_loops() {
            if self.sites[site].kind == SiteKind::Unlock {
                self.sites[site].first_in = Some(id);
            }
        }
        let seeds: Vec<_> = (0..loops.len()).map(|id| shape.seed(id)).collect();
        let parents = flow::parents(loops);
        let infos = loops.iter().zip(parents).zip(seeds).map(|((l, parent), seed)| {
            let live = flow::slots(&live[self.starts[l.head] as usize], from);
            let updates = shape.updates(l);
            LoopInfo { parent, bit: 0, updates, live, seed, round: Vec::new() }
        });
        let mut loops: Vec<LoopInfo> = infos.collect();
        for (id, at) in &self.rounds {
            loops[usize::from(*id)].round = flow::slots(&live[*at], from);
        }
        // A thread that is there from the start has its first values as arguments.
        let root = self.program.roots.iter().find(|r| std::ptr::eq(&self.program.funcs[r.func], self.func));
        let given = root.iter().flat_map(|r| r.init.iter().map(|(reg, _)| *reg));
        let params = self.func.params.iter().copied().chain(given).map(slot).collect();
        Code { ins: self.ins, slots, params, constants, args: self.args, loops, after_call }
    }

    fn refuse(&self, what: &str) -> NotCompiled {
        NotCompiled { what: what.to_owned(), span: Some(self.span) }
    }

    fn site(&mut self, kind: SiteKind, size: u8) -> SiteId {
        let order = match &kind {
            SiteKind::Load(tags) => self.order(tags),
            SiteKind::Update(tags) => self.order(&tags.fail),
            _ => 0,
        };
        let protects = matches!(&kind, SiteKind::Store(tags) if tags.iter().any(|t| self.program.tags[*t] == "HAZARD"));
        let (live, parts, first_in, access) = (Vec::new(), Vec::new(), None, None);
        let (instr, span) = (self.instr, self.span);
        self.sites.push(Site {
            kind,
            size,
            instr,
            span,
            access,
            parts,
            live,
            order,
            first_in,
            protects,
            keeps_handle: false,
        })
    }

    /// What a read orders: bits, of which a stronger one has more. What the words of machines mean is not known here: each has a
    /// bit of its own, but for those that are too many.
    fn order(&self, tags: &Tags) -> u64 {
        let is_c = self.program.dialect.kind() == DialectKind::C;
        let strength = |tag: TagId| match self.program.tags[tag].as_str() {
            _ if !is_c => 1 << tag.index().min(63),
            "CON" => 1,
            "ACQ" | "ACQ_REL" => 3,
            "SC" => 7,
            _ => 0,
        };
        tags.iter().map(|tag| strength(*tag)).fold(0, |a, b| a | b)
    }

    fn temporary(&mut self) -> Slot {
        self.temporaries += 1;
        self.func.regs.len() as Slot + self.temporaries - 1
    }

    fn constant(&mut self, value: u64) -> Slot {
        let next = CONSTANT | self.constants.len() as Slot;
        *self.constants.entry(value).or_insert(next)
    }

    fn width(&self, e: &Expr) -> u8 {
        match e {
            Expr::Const(v) => v.width(),
            Expr::Reg(r) => self.func.regs[*r].width,
            Expr::Addr(..) => 64,
            Expr::Un(_, a) => self.width(a),
            Expr::Bin(op, a, _) => op.result_width(self.width(a)),
            Expr::Cast(_, width, _) => *width,
            Expr::Ite(_, a, _) => self.width(a),
        }
    }

    /// The slot with an expression's value.
    fn value(&mut self, e: &Expr) -> Result<Slot, NotCompiled> {
        match e {
            Expr::Reg(r) => Ok(slot(*r)),
            Expr::Const(v) => self.bits(*v),
            Expr::Addr(object, offset) if !self.program.objects[*object].thread_local => {
                let address = self.program.objects[*object].address.wrapping_add_signed(*offset);
                Ok(self.constant(address))
            }
            _ => {
                let dst = self.temporary();
                self.value_into(dst, e)?;
                Ok(dst)
            }
        }
    }

    fn bits(&mut self, value: Bv) -> Result<Slot, NotCompiled> {
        match u64::try_from(value.unsigned()) {
            Ok(bits) if value.width() <= 64 => Ok(self.constant(bits)),
            _ => Err(self.refuse(&format!("a constant of {} bits", value.width()))),
        }
    }

    fn value_into(&mut self, dst: Slot, e: &Expr) -> Result<(), NotCompiled> {
        let ins = match e {
            Expr::Reg(_) | Expr::Const(_) => Ins::Move { dst, src: self.value(e)? },
            Expr::Addr(object, offset) => {
                let object = &self.program.objects[*object];
                let src = self.constant(object.address.wrapping_add_signed(*offset));
                if object.thread_local { Ins::Local { dst, src } } else { Ins::Move { dst, src } }
            }
            Expr::Un(op, a) => {
                let (width, src) = (self.width(a), self.value(a)?);
                match op {
                    UnOp::Not => Ins::Not { width, dst, src },
                    UnOp::Neg => Ins::Neg { width, dst, src },
                }
            }
            Expr::Bin(op @ (BinOp::Eq | BinOp::Ne), a, b) if self.width(a) > 64 => {
                return self.compare_wide(dst, *op == BinOp::Eq, a, b);
            }
            Expr::Bin(op, a, b) => {
                let width = self.width(a);
                if width > 64 {
                    return Err(self.refuse(&format!("arithmetic on {width} bits")));
                }
                Ins::Bin { op: *op, width, dst, a: self.value(a)?, b: self.value(b)? }
            }
            Expr::Cast(_, to, a) if *to <= 64 && self.width(a) > 64 => {
                let [src, _] = self.words(a)?;
                if *to == 64 { Ins::Move { dst, src } } else { Ins::Low { width: *to, dst, src } }
            }
            Expr::Cast(cast, to, a) => {
                let (from, src) = (self.width(a), self.value(a)?);
                match cast {
                    _ if *to > 64 || from > 64 => return Err(self.refuse("a value of more than 64 bits")),
                    Cast::Sign if *to > from => Ins::Sign { from, to: *to, dst, src },
                    Cast::Zero | Cast::Sign if *to < from => Ins::Low { width: *to, dst, src },
                    Cast::Zero | Cast::Sign => Ins::Move { dst, src },
                }
            }
            Expr::Ite(c, a, b) => Ins::Select { dst, cond: self.value(c)?, yes: self.value(a)?, no: self.value(b)? },
        };
        self.ins.push(ins);
        Ok(())
    }

    fn list(&mut self, exprs: &[Expr]) -> Result<u32, NotCompiled> {
        let slots = exprs.iter().map(|e| self.value(e)).collect::<Result<Vec<Slot>, _>>()?;
        self.args.push(slots);
        Ok(self.args.len() as u32 - 1)
    }

    fn inst(&mut self, inst: &Inst) -> Result<(), NotCompiled> {
        match &inst.op {
            Op::Assign { dst, value } if self.upper.contains_key(dst) => self.assign_wide(*dst, value),
            Op::Assign { dst, value } => self.value_into(slot(*dst), value),
            Op::Load { dst, addr, tags, .. } if self.upper.contains_key(dst) => self.load_wide(*dst, addr, tags),
            Op::Load { dst, addr, size, tags } => {
                let addr = self.value(addr)?;
                self.load(slot(*dst), addr, *size, tags)
            }
            Op::Store { addr, value, size: 16, tags } => self.store_wide(addr, value, tags),
            Op::Store { addr, value, size, tags } => {
                let (addr, value) = (self.value(addr)?, self.value(value)?);
                self.store(addr, value, *size, tags)
            }
            Op::Update { old, addr, size, guard, new, tags } => {
                self.update(*old, addr, *size, guard.as_ref(), new, tags)
            }
            Op::Fence { tags } => {
                let site = self.site(SiteKind::Fence(tags.clone()), 0);
                self.push(Ins::Fence { site })
            }
            Op::Lock { op, addr, size } => self.lock(*op, addr, *size),
            Op::Wait { cond, kind } => {
                let cond = self.value(cond)?;
                let site = self.site(SiteKind::Wait(*kind), 0);
                self.push(Ins::Wait { cond, site })
            }
            Op::Call { dst, callee, args } => self.call(*dst, callee, args),
            Op::Spawn { dst, callee, args } => {
                let func = match callee {
                    Callee::Func(f) => self.constant(Program::func_address(*f)),
                    Callee::Pointer(p) => self.value(p)?,
                };
                let args = self.list(args)?;
                let site = self.site(SiteKind::Spawn, 0);
                self.push(Ins::Spawn { dst: slot(*dst), func, args, site })
            }
            Op::Join { dst, thread } => {
                let thread = self.value(thread)?;
                let site = self.site(SiteKind::Join, 0);
                self.push(Ins::Join { dst: dst.map_or(NOWHERE, slot), thread, site })
            }
            Op::Alloc { dst, size, storage, zeroed } => {
                let size = self.value(size)?;
                let site = self.site(SiteKind::Alloc { storage: *storage, zeroed: *zeroed }, 0);
                self.push(Ins::Alloc { dst: slot(*dst), size, site })
            }
            Op::Free { addr, retired } => {
                let addr = self.value(addr)?;
                let site = self.site(SiteKind::Free { retired: *retired }, 0);
                self.push(Ins::Free { addr, site })
            }
            Op::Copy { to, from, len, tags } => self.copy(to, Source::Memory(from), len, tags),
            Op::Fill { to, byte, len, tags } => self.copy(to, Source::Byte(byte), len, tags),
            Op::Fail { failure, message } => {
                let site = self.site(SiteKind::Fail(*failure, message.clone()), 0);
                self.push(Ins::Fail { site })
            }
            Op::Current { dst, number } => {
                self.push(Ins::Holder { dst: slot(*dst) })?;
                // Handles are numbers from 1.
                let less = Expr::bin(BinOp::Sub, Expr::Reg(*dst), Expr::int(1, 64));
                if *number { self.value_into(slot(*dst), &less) } else { Ok(()) }
            }
            Op::Nondet { dst } => {
                // A decision of its own would only be in the way.
                let width = self.func.regs[*dst].width;
                let at_once = width == 1 && self.branches_on == Some(*dst);
                let site = self.site(SiteKind::Nondet { width, at_once }, 0);
                self.push(Ins::Nondet { dst: slot(*dst), site })
            }
            Op::Handle { dst, op, arg } => {
                let src = self.value(arg)?;
                let site = self.site(SiteKind::Handle, 0);
                self.push(Ins::Handle { op: *op, dst: slot(*dst), src, site })
            }
            Op::Mark(Mark::SpinStart) => self.push(Ins::SpinStart),
            Op::Mark(Mark::SpinEnd) => {
                let site = self.site(SiteKind::SpinEnd, 0);
                self.push(Ins::SpinEnd { site })
            }
            Op::Mark(
                Mark::LoopBound(_)
                | Mark::Cut
                | Mark::LooksAgain(_)
                | Mark::At(_)
                | Mark::Gives
                | Mark::Step
                | Mark::Assembly(_),
            ) => Ok(()),
            Op::StoreConditional { .. } => Err(self.refuse("a store-conditional")),
            Op::Opaque { .. } => Err(self.refuse("an event that is neither read, write nor fence")),
        }
    }

    fn push(&mut self, ins: Ins) -> Result<(), NotCompiled> {
        self.ins.push(ins);
        Ok(())
    }

    fn update(
        &mut self,
        old: Reg,
        addr: &Expr,
        size: u8,
        guard: Option<&Expr>,
        new: &Expr,
        tags: &UpdateTags,
    ) -> Result<(), NotCompiled> {
        // The address may mention `old`, which the read overwrites.
        let place = self.temporary();
        self.value_into(place, addr)?;
        let site = self.atomic(SiteKind::Update(tags.clone()), size)?;
        self.ins.push(Ins::UpdateRead { dst: slot(old), addr: place, site });
        self.take_upper(old);
        let skip = match guard {
            Some(guard) => {
                let cond = self.value(guard)?;
                let at = self.ins.len();
                self.ins.push(Ins::If { cond, then: INSIDE | (at as u32 + 1), els: 0 });
                Some(at)
            }
            None => None,
        };
        let value = self.written(new, size)?;
        let site = self.atomic_again(site);
        self.ins.push(Ins::UpdateWrite { addr: place, value, site });
        if let Some(at) = skip {
            self.leave_at(at);
        }
        Ok(())
    }

    /// Lets the branch at `at` go here when its condition is false.
    fn leave_at(&mut self, at: usize) {
        let here = INSIDE | self.ins.len() as u32;
        if let Ins::If { els, .. } = &mut self.ins[at] {
            *els = here;
        }
    }

    fn lock(&mut self, op: LockOp, addr: &Expr, size: u8) -> Result<(), NotCompiled> {
        let place = self.temporary();
        self.value_into(place, addr)?;
        let zero = self.constant(0);
        match op {
            LockOp::Acquire | LockOp::Try { .. } => {
                let (old, free, holder) = (self.temporary(), self.temporary(), self.temporary());
                let site = self.site(SiteKind::Lock, size);
                self.ins.push(Ins::UpdateRead { dst: old, addr: place, site });
                self.ins.push(Ins::Bin { op: BinOp::Eq, width: 8 * size, dst: free, a: old, b: zero });
                let skip = if let LockOp::Try { dst } = op {
                    let width = self.func.regs[dst].width;
                    self.ins.push(Ins::Low { width, dst: slot(dst), src: free });
                    self.ins.push(Ins::If { cond: free, then: INSIDE | (self.ins.len() as u32 + 1), els: 0 });
                    Some(self.ins.len() - 1)
                } else {
                    let site = self.site(SiteKind::Wait(Wait::Resource), 0);
                    self.ins.push(Ins::Wait { cond: free, site });
                    None
                };
                self.ins.push(Ins::Holder { dst: holder });
                let site = self.site(SiteKind::Lock, size);
                self.ins.push(Ins::UpdateWrite { addr: place, value: holder, site });
                self.ins.push(Ins::Hold { addr: place });
                if let Some(at) = skip {
                    self.leave_at(at);
                }
                Ok(())
            }
            LockOp::Release => {
                let site = self.site(SiteKind::Unlock, size);
                self.ins.push(Ins::Release { addr: place, site });
                let site = self.site(SiteKind::Unlock, size);
                self.push(Ins::Store { addr: place, value: zero, site })
            }
            LockOp::IsHeld { .. } => Err(self.refuse("a question whether a lock is held")),
        }
    }

    fn call(&mut self, dst: Option<Reg>, callee: &Callee, args: &[Expr]) -> Result<(), NotCompiled> {
        let args = self.list(args)?;
        let dst = dst.map_or(NOWHERE, slot);
        match callee {
            Callee::Func(f) => self.push(Ins::Call { dst, func: f.0, args }),
            Callee::Pointer(p) => {
                let callee = self.value(p)?;
                let site = self.site(SiteKind::Call, 0);
                self.push(Ins::CallPointer { dst, callee, args, site })
            }
        }
    }

    fn bin(&mut self, op: BinOp, dst: Slot, a: Slot, b: Slot) {
        self.ins.push(Ins::Bin { op, width: 64, dst, a, b });
    }

    fn end(&mut self, end: &Terminator) -> Result<(), NotCompiled> {
        let ins = match end {
            Terminator::Goto(to) => Ins::Goto(to.0),
            Terminator::Branch { cond, then, els, .. } => Ins::If { cond: self.value(cond)?, then: then.0, els: els.0 },
            Terminator::End => Ins::End { value: NOWHERE },
            Terminator::ExitProcess => Ins::ExitProcess,
            Terminator::Exit(value) => Ins::End { value: self.value(value)? },
            Terminator::Return(value) => Ins::Return { value: value.as_ref().map_or(Ok(NOWHERE), |v| self.value(v))? },
        };
        self.push(ins)
    }
}

/// Marks a target inside the code, where others are blocks.
const INSIDE: u32 = 0x8000_0000;

fn slot(reg: Reg) -> Slot {
    reg.0 as Slot
}

fn successors(end: &Terminator) -> Vec<usize> {
    let index = |b: &BlockId| b.index();
    match end {
        Terminator::Goto(to) => vec![index(to)],
        Terminator::Branch { then, els, .. } => vec![index(then), index(els)],
        Terminator::End | Terminator::Exit(_) | Terminator::Return(_) | Terminator::ExitProcess => Vec::new(),
    }
}

/// Every slot that an instruction mentions.
fn operands(ins: &mut Ins) -> Vec<&mut Slot> {
    match ins {
        Ins::Move { dst, src }
        | Ins::Not { dst, src, .. }
        | Ins::Neg { dst, src, .. }
        | Ins::Low { dst, src, .. }
        | Ins::Sign { dst, src, .. }
        | Ins::Handle { dst, src, .. }
        | Ins::Local { dst, src } => vec![dst, src],
        Ins::High { dst, low } => vec![dst, low],
        Ins::Upper { src } => vec![src],
        Ins::Bin { dst, a, b, .. } => vec![dst, a, b],
        Ins::Select { dst, cond, yes, no } => vec![dst, cond, yes, no],
        Ins::If { cond, .. } | Ins::Wait { cond, .. } => vec![cond],
        Ins::Load { dst, addr, .. } | Ins::UpdateRead { dst, addr, .. } => vec![dst, addr],
        Ins::Store { addr, value, .. } | Ins::UpdateWrite { addr, value, .. } => vec![addr, value],
        Ins::Hold { addr } | Ins::Release { addr, .. } | Ins::Free { addr, .. } => vec![addr],
        Ins::Holder { dst } | Ins::Nondet { dst, .. } | Ins::Call { dst, .. } => vec![dst],
        Ins::CallPointer { dst, callee, .. } => vec![dst, callee],
        Ins::Spawn { dst, func, .. } => vec![dst, func],
        Ins::Join { dst, thread, .. } => vec![dst, thread],
        Ins::Alloc { dst, size, .. } => vec![dst, size],
        Ins::Return { value } | Ins::End { value } => vec![value],
        Ins::Goto(_)
        | Ins::Loop(_)
        | Ins::Round(_)
        | Ins::Fail { .. }
        | Ins::Fence { .. }
        | Ins::SpinStart
        | Ins::SpinEnd { .. }
        | Ins::ExitProcess => Vec::new(),
    }
}

impl Ins {
    fn site(&self) -> Option<SiteId> {
        match *self {
            Ins::Load { site, .. }
            | Ins::Store { site, .. }
            | Ins::UpdateRead { site, .. }
            | Ins::UpdateWrite { site, .. }
            | Ins::Fence { site }
            | Ins::Release { site, .. }
            | Ins::Wait { site, .. }
            | Ins::CallPointer { site, .. }
            | Ins::Spawn { site, .. }
            | Ins::Join { site, .. }
            | Ins::Alloc { site, .. }
            | Ins::Free { site, .. }
            | Ins::Fail { site }
            | Ins::Nondet { site, .. }
            | Ins::Handle { site, .. }
            | Ins::SpinEnd { site } => Some(site),
            _ => None,
        }
    }
}
