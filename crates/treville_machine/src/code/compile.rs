//! From a program to the code of its threads.

use super::live::{break_silent_loops, filled, live};
use super::{Code, Fence, Node, Step, Thread, UpdateOrder, Var, Word};
use std::collections::{BTreeMap, BTreeSet};
use treville_base::{BitSet, Idx, Name, Span};
use treville_ir::{
    Block, BlockId, Expr, Failure, Func, Inst, Mark, MemoryOrder, ObjectId, Op, Program, Root, TagId, Tags, Terminator,
    Type, Wait,
};
use treville_task::Unsupported;
use treville_term::Bv;

/// Tags of fences after which nothing waits in a buffer.
const FULL_FENCE: &[&str] = &["MFENCE", "SC"];

/// Those that keep writes in order.
const WRITE_FENCE: &[&str] = &["SFENCE"];

/// Node numbers must fit in what states keep of them.
const MAX_NODES: usize = 60_000;

/// Nothing in a thread comes after this.
const DONE: usize = 0;
pub(crate) const STUCK: usize = 1;

type Compiled<T> = Result<T, Unsupported>;

/// The code of a program. `watched` says whose program counters somebody looks at.
pub(crate) fn compile(program: &Program, watched: &BTreeSet<usize>) -> Compiled<Code> {
    let mut vars = Vec::new();
    for (object, facts) in program.objects.iter_enumerated() {
        let [cell] = facts.init.as_slice() else {
            return Err(refuse("a variable with parts", facts.span));
        };
        let Some(init) = constant(&cell.value) else {
            return Err(refuse("an initial value that is an address", facts.span));
        };
        if cell.size > 8 {
            return Err(refuse("a variable of more than 8 bytes", facts.span));
        }
        let is_signed = !matches!(facts.ty, Type::Int { signed: false, .. });
        vars.push(Var { object, init: init.unsigned() as u64, width: 8 * cell.size, is_signed, in_loop: false });
    }
    let mut code = Code { threads: Vec::new(), vars, n_regs: 0, has_small_nodes: true };
    for (id, root) in program.roots.iter_enumerated() {
        let func = &program.funcs[root.func];
        let compiler = Compiler {
            program,
            func,
            vars: &code.vars,
            nodes: Vec::new(),
            labels: BTreeSet::new(),
            watched: watched.contains(&id.index()),
        };
        let thread = compiler.thread(root, code.n_regs)?;
        code.n_regs += thread.regs.len();
        code.has_small_nodes &= thread.nodes.len() as u64 <= crate::memory::SMALL;
        let looping = thread.looping();
        for at in looping.iter() {
            if let Step::Write { var, .. } | Step::Update { var, .. } = &thread.nodes[at].step {
                code.vars[*var].in_loop = true;
            }
        }
        code.threads.push(thread);
    }
    Ok(code)
}

fn refuse(what: impl Into<String>, span: Span) -> Unsupported {
    Unsupported { what: format!("{} is not run on machines", what.into()), span: Some(span) }
}

fn constant(expr: &Expr) -> Option<Bv> {
    match expr {
        Expr::Const(value) => Some(*value),
        _ => None,
    }
}

struct Compiler<'p> {
    program: &'p Program,
    func: &'p Func,
    vars: &'p [Var],
    nodes: Vec<Node>,
    labels: BTreeSet<Name>,
    watched: bool,
}

impl Compiler<'_> {
    fn thread(mut self, root: &Root, first_reg: usize) -> Compiled<Thread> {
        let nowhere =
            self.program.objects.iter().next().map_or_else(|| Span::new(treville_base::FileId(0), 0, 0), |o| o.span);
        for step in [Step::Done, Step::Stuck] {
            self.push(step, None, nowhere);
        }
        let func = self.func;
        let starts = self.starts()?;
        let at_start = self.labels_at_starts();
        for (block, facts) in func.blocks.iter_enumerated() {
            self.block(facts, &starts, at_start[block.index()].clone())?;
        }
        let end = Some(Name::new(treville_ir::Prop::END));
        self.nodes[DONE].label.clone_from(&end);
        self.labels.extend(end);
        let widths: Vec<u8> = func.regs.iter().map(|reg| reg.width).collect();
        let mut regs = vec![0; widths.len()];
        for (reg, value) in &root.init {
            regs[reg.index()] = match self.value(value, nowhere)? {
                Word::Const(value) => value,
                _ => return Err(refuse("a register whose first value is computed", nowhere)),
            };
        }
        self.settle_visibility();
        let entry = self.past_gotos(starts[0]);
        let can_end = self.can_end(entry);
        let ends_process = root.ends_process;
        Ok(Thread { nodes: self.nodes, entry, first_reg, regs, widths, labels: self.labels, can_end, ends_process })
    }

    /// Whether the end can be reached from a node through the text.
    fn can_end(&self, entry: usize) -> bool {
        let mut seen = BitSet::new(self.nodes.len());
        let mut open = vec![entry];
        while let Some(at) = open.pop() {
            if seen.insert(at) {
                open.extend(self.nodes[at].step.possible_nexts());
            }
        }
        seen.contains(DONE)
    }

    /// The first node of each block.
    fn starts(&self) -> Compiled<Vec<usize>> {
        let mut next = self.nodes.len();
        let mut starts = Vec::new();
        for block in self.func.blocks.iter() {
            starts.push(next);
            next += block.insts.iter().filter(|inst| makes_node(inst)).count() + 1;
        }
        let span = self.func.blocks.iter().flat_map(|b| &b.insts).next().map(|inst| inst.span);
        match span.filter(|_| next > MAX_NODES) {
            Some(span) => Err(refuse("a thread of that many instructions", span)),
            None => Ok(starts),
        }
    }

    /// The label at the beginning of each block: that at the end of one before it. Front ends see to it that all agree.
    fn labels_at_starts(&self) -> Vec<Option<Name>> {
        let blocks = &self.func.blocks;
        let mut labels: Vec<Option<Name>> = vec![None; blocks.len()];
        let mut seen = BitSet::new(blocks.len());
        let mut open = vec![BlockId::from_usize(0)];
        seen.insert(0);
        while let Some(block) = open.pop() {
            let mut label = labels[block.index()].clone();
            for inst in &blocks[block].insts {
                if let Op::Mark(Mark::At(at)) = &inst.op {
                    label.clone_from(at);
                }
            }
            let nexts: Vec<BlockId> = match &blocks[block].end {
                Terminator::Goto(next) => vec![*next],
                Terminator::Branch { then, els, .. } => vec![*then, *els],
                Terminator::End | Terminator::Exit(_) | Terminator::Return(_) | Terminator::ExitProcess => Vec::new(),
            };
            for next in nexts {
                if seen.insert(next.index()) {
                    labels[next.index()].clone_from(&label);
                    open.push(next);
                }
            }
        }
        labels
    }

    fn push(&mut self, step: Step, label: Option<Name>, span: Span) {
        let visible = match &step {
            Step::Pause { .. } => self.watched,
            step => !step.is_silent(),
        };
        self.labels.extend(label.clone());
        self.nodes.push(Node {
            step,
            label,
            span,
            visible,
            kept: Vec::new(),
            dropped: Vec::new(),
            cleared: Vec::new(),
        });
    }

    fn block(&mut self, block: &Block, starts: &[usize], mut label: Option<Name>) -> Compiled<()> {
        let mut last = None;
        for inst in &block.insts {
            if let Op::Mark(Mark::At(at)) = &inst.op {
                label.clone_from(at);
            }
            if makes_node(inst) {
                let step = self.inst(inst, self.nodes.len() + 1)?;
                self.push(step, label.clone(), inst.span);
            }
            last = Some(inst.span);
        }
        let nowhere = self.nodes[DONE].span;
        let (step, span) = match &block.end {
            Terminator::Goto(next) => (Step::Goto { next: starts[next.index()] }, last.unwrap_or(nowhere)),
            Terminator::Branch { cond, then, els, span, .. } => {
                let cond = self.word(cond, *span)?.0;
                (Step::Branch { cond, then: starts[then.index()], els: starts[els.index()] }, *span)
            }
            Terminator::End | Terminator::Exit(_) | Terminator::Return(_) | Terminator::ExitProcess => {
                (Step::Goto { next: DONE }, last.unwrap_or(nowhere))
            }
        };
        self.push(step, label, span);
        Ok(())
    }

    fn inst(&self, inst: &Inst, next: usize) -> Compiled<Step> {
        let word = |expr: &Expr| self.word(expr, inst.span).map(|(word, _)| word);
        Ok(match &inst.op {
            Op::Assign { dst, value } => Step::Set { dst: dst.index(), value: self.value(value, inst.span)?, next },
            Op::Load { dst, addr, size, tags } => {
                let var = self.var(addr, *size, inst.span)?;
                Step::Read { var, acquire: self.orders(tags, MemoryOrder::acquires), dst: dst.index(), next }
            }
            Op::Store { addr, value, size, tags } => {
                let var = self.var(addr, *size, inst.span)?;
                Step::Write {
                    var,
                    release: self.orders(tags, MemoryOrder::releases),
                    value: self.value(value, inst.span)?,
                    next,
                }
            }
            Op::Update { old, addr, size, guard, new, tags } => {
                if tags.fences.is_some() {
                    return Err(refuse("an update between fences", inst.span));
                }
                let var = self.var(addr, *size, inst.span)?;
                let order = UpdateOrder {
                    order: MemoryOrder::of(
                        self.orders(&tags.read, MemoryOrder::acquires),
                        self.orders(&tags.write, MemoryOrder::releases),
                    ),
                    fail_acquire: self.orders(&tags.fail, MemoryOrder::acquires),
                };
                let guard = guard.as_ref().map(word).transpose()?;
                Step::Update { var, order, old: old.index(), guard, new: word(new)?, next }
            }
            Op::Wait { cond, kind: Wait::Assume } => Step::Assume { cond: word(cond)?, next },
            Op::Fail { failure: Failure::Assertion, .. } => Step::Fail,
            Op::Mark(Mark::Step) => Step::Pause { next },
            Op::Mark(Mark::Cut | Mark::LooksAgain(_)) => {
                return Err(refuse("a program that was cut at a bound", inst.span));
            }
            Op::Mark(_) => Step::Goto { next },
            Op::Fence { tags } if self.has(tags, FULL_FENCE) => Step::Fence { kind: Fence::All, next },
            Op::Fence { tags } if self.has(tags, WRITE_FENCE) => Step::Fence { kind: Fence::Writes, next },
            Op::Fence { .. } => Step::Fence { kind: Fence::Other, next },
            Op::Lock { .. } => return Err(refuse("a lock", inst.span)),
            Op::Fail { .. }
            | Op::Wait { .. }
            | Op::StoreConditional { .. }
            | Op::Opaque { .. }
            | Op::Nondet { .. }
            | Op::Handle { .. }
            | Op::Call { .. }
            | Op::Spawn { .. }
            | Op::Join { .. }
            | Op::Current { .. }
            | Op::Alloc { .. }
            | Op::Free { .. }
            | Op::Copy { .. }
            | Op::Fill { .. } => return Err(refuse("this operation", inst.span)),
        })
    }

    /// Whether tags say a memory order that does something.
    fn orders(&self, tags: &Tags, does: impl Fn(MemoryOrder) -> bool) -> bool {
        tags.iter().filter_map(|tag| MemoryOrder::of_tag(&self.program.tags[*tag])).any(does)
    }

    fn has(&self, tags: &Tags, names: &[&str]) -> bool {
        let named = |tag: &TagId| names.iter().any(|name| self.program.tags[*tag] == *name);
        tags.iter().any(named)
    }

    fn var(&self, addr: &Expr, size: u8, span: Span) -> Compiled<usize> {
        let Expr::Addr(object, 0) = addr else { return Err(refuse("an address that is computed", span)) };
        let found = self.vars.iter().position(|var| var.object == *object && var.width == 8 * size);
        found.ok_or_else(|| refuse("an access to a part of a variable", span))
    }

    /// What is kept of an expression: it may be an address, which is a number like others as long as nothing is computed with it.
    fn value(&self, expr: &Expr, span: Span) -> Compiled<Word> {
        match expr {
            Expr::Addr(object, offset) if !self.program.objects[*object].thread_local => {
                let base = self.program.objects[*object].address;
                Ok(Word::Const(base.wrapping_add_signed(*offset)))
            }
            other => self.word(other, span).map(|(word, _)| word),
        }
    }

    /// An expression with its width.
    fn word(&self, expr: &Expr, span: Span) -> Compiled<(Word, u8)> {
        Ok(match expr {
            Expr::Const(value) if value.width() <= 64 => (Word::Const(value.unsigned() as u64), value.width()),
            Expr::Reg(reg) if self.func.regs[*reg].width <= 64 => (Word::Reg(reg.index()), self.func.regs[*reg].width),
            Expr::Const(_) | Expr::Reg(_) => return Err(refuse("a value of more than 64 bits", span)),
            Expr::Addr(..) => return Err(refuse("something that is computed with an address", span)),
            Expr::Un(op, a) => {
                let (a, width) = self.word(a, span)?;
                (Word::Un(*op, width, Box::new(a)), width)
            }
            Expr::Bin(op, a, b) => {
                let ((a, width), (b, _)) = (self.word(a, span)?, self.word(b, span)?);
                (Word::Bin(*op, width, Box::new(a), Box::new(b)), op.result_width(width))
            }
            Expr::Cast(cast, to, a) => {
                let (a, from) = self.word(a, span)?;
                if *to > 64 {
                    return Err(refuse("a value of more than 64 bits", span));
                }
                (Word::Cast(*cast, from, *to, Box::new(a)), *to)
            }
            Expr::Ite(c, a, b) => {
                let (c, (a, width), (b, _)) = (self.word(c, span)?.0, self.word(a, span)?, self.word(b, span)?);
                (Word::Ite(Box::new(c), Box::new(a), Box::new(b)), width)
            }
        })
    }

    /// Shortens ways, and says which registers are kept where.
    fn settle_visibility(&mut self) {
        for at in 0..self.nodes.len() {
            let targets: BTreeMap<usize, usize> =
                self.nodes[at].step.nexts().map(|next| (next, self.past_gotos(next))).collect();
            let to = |next: &mut usize| *next = targets[next];
            match &mut self.nodes[at].step {
                Step::Read { next, .. }
                | Step::Write { next, .. }
                | Step::Update { next, .. }
                | Step::Pause { next }
                | Step::Fence { next, .. }
                | Step::Set { next, .. }
                | Step::Goto { next }
                | Step::Assume { next, .. } => to(next),
                Step::Branch { then, els, .. } => {
                    to(then);
                    to(els);
                }
                Step::Done | Step::Stuck | Step::Fail => {}
            }
        }
        break_silent_loops(&mut self.nodes);
        let live = live(&self.nodes, self.func.regs.len());
        let filled = filled(&self.nodes, &live, self.func.regs.len());
        for ((node, live), filled) in self.nodes.iter_mut().zip(live).zip(filled) {
            for (i, reg) in self.func.regs.iter().enumerate() {
                let i16 = u16::try_from(i).unwrap_or(u16::MAX);
                let is_dropped = reg.is_temporary() && !live.contains(i);
                if is_dropped { &mut node.dropped } else { &mut node.kept }.push(i16);
                if is_dropped && filled.contains(i) {
                    node.cleared.push(i16);
                }
            }
        }
    }

    /// Where the next node is that does something; a loop of nothing but jumps ends anywhere in it.
    fn past_gotos(&self, mut at: usize) -> usize {
        for _ in 0..self.nodes.len() {
            match self.nodes[at].step {
                Step::Goto { next } => at = next,
                _ => break,
            }
        }
        at
    }
}

/// Everything but what says where we are.
fn makes_node(inst: &Inst) -> bool {
    !matches!(inst.op, Op::Mark(Mark::At(_)))
}

/// Objects by the variables of the code.
impl Code {
    pub(crate) fn var_of(&self, object: ObjectId) -> Option<usize> {
        self.vars.iter().position(|var| var.object == object)
    }
}
