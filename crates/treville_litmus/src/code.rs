//! Builds the code of one thread: registers, labels, blocks, and the operations of each instruction.
//!
//! A dialect calls it instruction by instruction; the builder keeps the control flow, and at the end tells the memory
//! which locations are accessed with which size, as far as that can be seen without running the program.

use crate::addresses::destination;
use crate::memory::Memory;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use treville_base::{Diagnostic, Idx, IndexVec, Name, Span};
use treville_ir::{
    Block, BlockId, Expr, Func, Inst, InstrId, ObjectId, Op, Reg, RegInfo, TagId, Tags, Terminator, UpdateTags,
};
use treville_term::{BinOp, Bv, Cast};

/// A register as a dialect names it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct RegName {
    /// Its place among the registers of the machine; it also identifies the register.
    pub(crate) order: u32,
    pub(crate) name: Cow<'static, str>,
    /// In bits.
    pub(crate) width: u8,
}

impl RegName {
    pub(crate) fn new(order: u32, name: impl Into<Cow<'static, str>>, width: u8) -> Self {
        RegName { order, name: name.into(), width }
    }
}

/// What is shared by the threads of one program while it is being read.
#[derive(Debug)]
pub(crate) struct Shared<'a> {
    pub(crate) memory: Memory<'a>,
    pub(crate) tags: IndexVec<TagId, Name>,
    tag_ids: BTreeMap<Name, TagId>,
    /// Instructions so far, in all threads.
    n_instrs: u32,
}

impl<'a> Shared<'a> {
    pub(crate) fn new(memory: Memory<'a>) -> Self {
        Shared { memory, tags: IndexVec::new(), tag_ids: BTreeMap::new(), n_instrs: 0 }
    }

    fn tag(&mut self, name: &str) -> TagId {
        if let Some(&id) = self.tag_ids.get(name) {
            return id;
        }
        let name = Name::new(name);
        let id = self.tags.push(name.clone());
        self.tag_ids.insert(name, id);
        id
    }
}

#[derive(Debug)]
pub(crate) struct Code<'s, 'a> {
    pub(crate) shared: &'s mut Shared<'a>,
    regs: IndexVec<Reg, RegInfo>,
    names: RegNames<'a>,
    /// The name of registers that the source does not show.
    hidden: Name,
    blocks: IndexVec<BlockId, Block>,
    current: BlockId,
    /// The blocks in the order of the text.
    order: Vec<BlockId>,
    labels: BTreeMap<&'a str, Label>,
    instr: InstrId,
    span: Span,
}

#[derive(Debug)]
struct Label {
    block: BlockId,
    /// Where it is first mentioned.
    span: Span,
    defined: bool,
}

/// A finished thread, before its initial register values are known.
#[derive(Debug)]
pub(crate) struct Thread<'a> {
    pub(crate) func: Func,
    names: RegNames<'a>,
}

/// The registers of a thread that have names: those of the machine by their order, symbolic ones by name.
#[derive(Debug, Default)]
struct RegNames<'a> {
    machine: BTreeMap<u32, Reg>,
    symbolic: BTreeMap<&'a str, Reg>,
}

impl RegNames<'_> {
    fn register(&mut self, regs: &mut IndexVec<Reg, RegInfo>, r: &RegName) -> Reg {
        let new = || regs.push(RegInfo { name: Name::new(&r.name), width: r.width });
        *self.machine.entry(r.order).or_insert_with(new)
    }

    fn find(&mut self, regs: &mut IndexVec<Reg, RegInfo>, written: &str, machine: Option<&RegName>) -> Option<Reg> {
        match machine {
            Some(r) => Some(self.register(regs, r)),
            None => self.symbolic.get(written).copied(),
        }
    }
}

impl<'s, 'a> Code<'s, 'a> {
    pub(crate) fn new(shared: &'s mut Shared<'a>, span: Span) -> Self {
        let mut blocks = IndexVec::new();
        let current = blocks.push(empty_block());
        Code {
            shared,
            regs: IndexVec::new(),
            names: RegNames::default(),
            hidden: Name::new("%"),
            blocks,
            current,
            order: vec![current],
            labels: BTreeMap::new(),
            instr: InstrId(0),
            span,
        }
    }

    /// Begins an instruction: operations that follow belong to it.
    pub(crate) fn begin(&mut self, span: Span) {
        self.instr = InstrId(self.shared.n_instrs);
        self.shared.n_instrs += 1;
        self.span = span;
    }

    /// What follows of the current instruction counts as another one, so that program order relates the two parts.
    pub(crate) fn split_instruction(&mut self) {
        self.begin(self.span);
    }

    pub(crate) fn register(&mut self, r: &RegName) -> Reg {
        self.names.register(&mut self.regs, r)
    }

    /// The register that the code calls `%name`; it is made if it is new.
    pub(crate) fn symbolic(&mut self, name: &'a str, width: u8) -> Reg {
        let regs = &mut self.regs;
        let new = || regs.push(RegInfo { name: Name::new(name), width });
        *self.names.symbolic.entry(name).or_insert_with(new)
    }

    /// A register of the machine, or else a symbolic one that the code uses.
    pub(crate) fn find_register(&mut self, written: &str, machine: Option<&RegName>) -> Option<Reg> {
        self.names.find(&mut self.regs, written, machine)
    }

    /// A register that the source does not show.
    pub(crate) fn temp(&mut self, width: u8) -> Reg {
        self.regs.push(RegInfo { name: self.hidden.clone(), width })
    }

    /// In bits.
    pub(crate) fn width(&self, reg: Reg) -> u8 {
        self.regs[reg].width
    }

    pub(crate) fn tags(&mut self, names: &[&str]) -> Tags {
        let mut tags: Tags = names.iter().map(|name| self.shared.tag(name)).collect();
        tags.sort_unstable();
        tags.dedup();
        tags
    }

    /// The tags of an update, for the read, the write, the one event, and the read of a failing one.
    pub(crate) fn update_tags(&mut self, read: &[&str], write: &[&str], fused: &[&str], fail: &[&str]) -> UpdateTags {
        UpdateTags {
            read: self.tags(read),
            write: self.tags(write),
            fused: self.tags(fused),
            fail: self.tags(fail),
            fences: None,
        }
    }

    pub(crate) fn op(&mut self, op: Op) {
        self.push(op, true);
    }

    /// An operation that is not ordered after the earlier ones of its instruction, unless it uses their results.
    pub(crate) fn op_unordered(&mut self, op: Op) {
        self.push(op, false);
    }

    fn push(&mut self, op: Op, sequenced: bool) {
        let inst = Inst { op, instr: self.instr, sequenced, span: self.span };
        self.blocks[self.current].insts.push(inst);
    }

    pub(crate) fn assign(&mut self, dst: Reg, value: Expr) {
        self.op(Op::Assign { dst, value });
    }

    /// Loads `size` bytes into a register of the machine, extended to its width.
    pub(crate) fn load(&mut self, dst: Option<Reg>, addr: Expr, size: u8, extend: Cast, tags: &[&str]) {
        let tags = self.tags(tags);
        self.load_tagged(dst, addr, size, extend, tags, true);
    }

    pub(crate) fn load_tagged(
        &mut self,
        dst: Option<Reg>,
        addr: Expr,
        size: u8,
        extend: Cast,
        tags: Tags,
        sequenced: bool,
    ) {
        match dst {
            Some(dst) if self.width(dst) == 8 * size => self.push(Op::Load { dst, addr, size, tags }, sequenced),
            _ => {
                let loaded = self.temp(8 * size);
                self.push(Op::Load { dst: loaded, addr, size, tags }, sequenced);
                if let Some(dst) = dst {
                    let value = Expr::Cast(extend, self.width(dst), Box::new(Expr::Reg(loaded)));
                    self.push(Op::Assign { dst, value }, sequenced);
                }
            }
        }
    }

    pub(crate) fn store(&mut self, addr: Expr, value: Expr, size: u8, tags: &[&str]) {
        let tags = self.tags(tags);
        self.op(Op::Store { addr, value, size, tags });
    }

    pub(crate) fn fence(&mut self, tag: &str) {
        let tags = self.tags(&[tag]);
        self.op(Op::Fence { tags });
    }

    /// A store-conditional; returns whether it succeeded, as an expression of width 1.
    pub(crate) fn store_conditional(&mut self, addr: Expr, value: Expr, size: u8, tags: &[&str]) -> Expr {
        let status = self.temp(1);
        let tags = self.tags(tags);
        self.op(Op::StoreConditional { status, addr, value, size, tags });
        Expr::Reg(status)
    }

    /// The block that a label names, at a use of it.
    pub(crate) fn target(&mut self, label: &'a str, span: Span) -> BlockId {
        if let Some(l) = self.labels.get(label) {
            return l.block;
        }
        let block = self.blocks.push(empty_block());
        self.labels.insert(label, Label { block, span, defined: false });
        block
    }

    /// A label stands here.
    pub(crate) fn define(&mut self, label: &'a str, span: Span) -> Result<(), Diagnostic> {
        let block = self.target(label, span);
        match self.labels.get_mut(label) {
            Some(l) if l.defined => {
                let twice = Diagnostic::error(span, format!("the label `{label}` is defined twice in this thread"));
                return Err(twice.label(l.span, "first here"));
            }
            Some(l) => (l.defined, l.span) = (true, span),
            None => {}
        }
        self.enter(block);
        Ok(())
    }

    /// The current block continues with `block`, which becomes the current one.
    pub(crate) fn enter(&mut self, block: BlockId) {
        self.blocks[self.current].end = Terminator::Goto(block);
        self.resume(block);
    }

    fn resume(&mut self, block: BlockId) {
        self.current = block;
        self.order.push(block);
    }

    pub(crate) fn new_block(&mut self) -> BlockId {
        self.blocks.push(empty_block())
    }

    pub(crate) fn goto(&mut self, target: BlockId) {
        self.blocks[self.current].end = Terminator::Goto(target);
        let next = self.new_block();
        self.resume(next);
    }

    /// The thread ends here; what follows is reached by jumps only.
    pub(crate) fn end(&mut self) {
        self.blocks[self.current].end = Terminator::End;
        let next = self.new_block();
        self.resume(next);
    }

    /// Jumps to `target` if `cond` (width 1) holds.
    pub(crate) fn branch(&mut self, cond: Expr, target: BlockId) {
        let els = self.new_block();
        self.blocks[self.current].end =
            Terminator::Branch { cond, then: target, els, join: None, instr: self.instr, span: self.span };
        self.resume(els);
    }

    /// Runs `body` only if `cond` holds, as a predicated instruction does: the dependency ends after it.
    pub(crate) fn guarded<T>(
        &mut self,
        cond: Expr,
        body: impl FnOnce(&mut Self) -> Result<T, Diagnostic>,
    ) -> Result<T, Diagnostic> {
        let (then, join) = (self.new_block(), self.new_block());
        let (instr, span) = (self.instr, self.span);
        self.blocks[self.current].end = Terminator::Branch { cond, then, els: join, join: Some(join), instr, span };
        self.resume(then);
        let result = body(self);
        self.enter(join);
        result
    }

    /// Does one of two things inside one instruction; the dependency on the choice ends after it.
    pub(crate) fn choose(&mut self, cond: Expr, yes: impl FnOnce(&mut Self), no: impl FnOnce(&mut Self)) {
        let (then, els, join) = (self.new_block(), self.new_block(), self.new_block());
        let (instr, span) = (self.instr, self.span);
        self.blocks[self.current].end = Terminator::Branch { cond, then, els, join: Some(join), instr, span };
        self.resume(then);
        yes(self);
        self.blocks[self.current].end = Terminator::Goto(join);
        self.resume(els);
        no(self);
        self.enter(join);
    }

    /// Checks the labels, and tells the memory which accesses there are. `start` gives what registers hold at the
    /// beginning.
    pub(crate) fn finish(self, name: Name, start: &BTreeMap<Reg, Held>) -> Result<Thread<'a>, Vec<Diagnostic>> {
        let undefined = self.labels.iter().filter(|(_, l)| !l.defined);
        let errors: Vec<Diagnostic> = undefined
            .map(|(name, l)| Diagnostic::error(l.span, format!("there is no label `{name}` in this thread")))
            .collect();
        if !errors.is_empty() {
            return Err(errors);
        }
        let func = Func { name, params: Vec::new(), regs: self.regs, blocks: in_order(self.blocks, &self.order) };
        let memory = &mut self.shared.memory;
        each_access(&func, start, &mut |access, location| match location {
            Some((object, offset)) => {
                memory.check_access(object, offset, &access);
                memory.access(object, offset, access.size);
            }
            None => memory.access_computed(access.size),
        });
        Ok(Thread { func, names: self.names })
    }
}

impl Thread<'_> {
    /// The names of the machine's registers that some instruction sets.
    pub(crate) fn set_registers(&self) -> Vec<String> {
        let insts = self.func.blocks.iter().flat_map(|block| &block.insts);
        let set: BTreeSet<Reg> = insts.filter_map(|inst| destination(&inst.op)).collect();
        let named = self.names.machine.values().filter(|reg| set.contains(reg));
        named.map(|reg| self.func.regs[*reg].name.to_string()).collect()
    }

    /// As [`Code::find_register`], after the code was read.
    pub(crate) fn find_register(&mut self, written: &str, machine: Option<&RegName>) -> Option<Reg> {
        self.names.find(&mut self.func.regs, written, machine)
    }
}

/// Renumbers the blocks in the order of the text, so that a jump to a smaller number is a jump backwards.
fn in_order(mut blocks: IndexVec<BlockId, Block>, order: &[BlockId]) -> IndexVec<BlockId, Block> {
    let mut new = vec![BlockId(0); blocks.len()];
    for (i, old) in order.iter().enumerate() {
        new[old.index()] = BlockId::from_usize(i);
    }
    let place = |b: &mut BlockId| *b = new[b.index()];
    let take = |old: &BlockId| {
        let mut block = std::mem::replace(&mut blocks[*old], empty_block());
        match &mut block.end {
            Terminator::Goto(target) => place(target),
            Terminator::Branch { then, els, join, .. } => {
                place(then);
                place(els);
                join.iter_mut().for_each(place);
            }
            Terminator::End | Terminator::Exit(_) | Terminator::Return(_) | Terminator::ExitProcess => {}
        }
        block
    };
    order.iter().map(take).collect()
}

fn empty_block() -> Block {
    Block { insts: Vec::new(), end: Terminator::End }
}

/// What a register is known to hold.
#[derive(Clone, Copy)]
pub(crate) enum Held {
    Address(ObjectId, i64),
    Number(Bv),
}

/// An access to memory.
pub(crate) struct Access {
    pub(crate) size: u8,
    pub(crate) reads: bool,
    pub(crate) span: Span,
}

/// Calls `visit` for every access, with its location if that is known: its base is an address that is in the code, or in a
/// register that holds it whatever the thread reads. The others may go anywhere.
pub(crate) fn each_access(
    func: &Func,
    start: &BTreeMap<Reg, Held>,
    visit: &mut impl FnMut(Access, Option<(ObjectId, i64)>),
) {
    let mut known = start.clone();
    let (first, others) = func.blocks.as_slice().split_at(1.min(func.blocks.len()));
    // Nothing jumps to the first block: there, only what stands before counts.
    for inst in first.iter().flat_map(|b| &b.insts) {
        if let Some((addr, access)) = access(inst) {
            visit(access, base(addr, &known));
        }
        let held = match &inst.op {
            Op::Assign { value, .. } => held(value, &known),
            _ => None,
        };
        if let Some(dst) = destination(&inst.op) {
            known.remove(&dst);
            known.extend(held.map(|held| (dst, held)));
        }
    }
    for dst in others.iter().flat_map(|b| &b.insts).filter_map(|inst| destination(&inst.op)) {
        known.remove(&dst);
    }
    for (addr, access) in others.iter().flat_map(|b| &b.insts).filter_map(access) {
        visit(access, base(addr, &known));
    }
}

fn access(inst: &Inst) -> Option<(&Expr, Access)> {
    let (Op::Load { addr, size, .. }
    | Op::Store { addr, size, .. }
    | Op::Update { addr, size, .. }
    | Op::StoreConditional { addr, size, .. }) = &inst.op
    else {
        return None;
    };
    let reads = matches!(inst.op, Op::Load { .. } | Op::Update { .. });
    Some((addr, Access { size: *size, reads, span: inst.span }))
}

/// What an expression is, if nothing in it depends on what is read.
pub(crate) fn held(e: &Expr, known: &BTreeMap<Reg, Held>) -> Option<Held> {
    Some(match e {
        Expr::Addr(object, offset) => Held::Address(*object, *offset),
        Expr::Const(value) => Held::Number(*value),
        Expr::Reg(reg) => *known.get(reg)?,
        Expr::Cast(cast, width, inner) => match held(inner, known)? {
            Held::Number(value) => Held::Number(cast.eval(value, *width)),
            address @ Held::Address(..) => address,
        },
        Expr::Un(op, inner) => match held(inner, known)? {
            Held::Number(value) => Held::Number(op.eval(value)),
            Held::Address(..) => return None,
        },
        Expr::Bin(op, a, b) => match (op, held(a, known)?, held(b, known)?) {
            (BinOp::Add, Held::Address(object, offset), Held::Number(n))
            | (BinOp::Add, Held::Number(n), Held::Address(object, offset)) => {
                Held::Address(object, offset.wrapping_add(n.signed() as i64))
            }
            (BinOp::Sub, Held::Address(object, offset), Held::Number(n)) => {
                Held::Address(object, offset.wrapping_sub(n.signed() as i64))
            }
            (op, Held::Number(a), Held::Number(b)) if a.width() == b.width() => Held::Number(op.eval(a, b)),
            _ => return None,
        },
        Expr::Ite(..) => return None,
    })
}

/// The object that an address is in. An index that depends on what is read counts as 0: it is nearly always a dependency and
/// nothing else.
fn base(addr: &Expr, known: &BTreeMap<Reg, Held>) -> Option<(ObjectId, i64)> {
    if let Some(Held::Address(object, offset)) = held(addr, known) {
        return Some((object, offset));
    }
    match addr {
        Expr::Cast(_, _, inner) => base(inner, known),
        Expr::Bin(BinOp::Add, a, b) => match (base(a, known), base(b, known)) {
            (Some((object, offset)), None) => Some((object, offset.wrapping_add(number(b, known)))),
            (None, Some((object, offset))) => Some((object, offset.wrapping_add(number(a, known)))),
            _ => None,
        },
        _ => None,
    }
}

/// The value of an index, or 0.
fn number(e: &Expr, known: &BTreeMap<Reg, Held>) -> i64 {
    match held(e, known) {
        Some(Held::Number(n)) => n.signed() as i64,
        _ => 0,
    }
}
