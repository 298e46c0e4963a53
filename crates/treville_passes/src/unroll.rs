//! A function without loops: each natural loop is copied as often as a bound says, and whatever would go round more often ends
//! in [`Mark::Cut`].
//!
//! Loops that run a known number of times run as often, whatever the bound ([`counted`]).
//!
//! A copy of a block is named by the block and the iterations of the loops around it. Iterations that change nothing are not
//! repeated: with [`Unrolling::idle`], a thread waits for ever at the end of an iteration in which nothing happened that others,
//! or the next iteration, could see ([`idle`]). If one wants to know whether it really would wait for ever
//! ([`Unrolling::latest`]), it goes round once or twice more before, and reads what is written last.

mod counted;
mod idle;

use crate::cfg::Cfg;
use crate::loop_free::{go_on, stopped};
use crate::nest::Nest;
use crate::ops;
use idle::Idle;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use treville_base::{Cancel, Diagnostic, IndexVec, Span};
use treville_ir::{
    Again, Block, BlockId, Expr, Func, Inst, InstrId, Mark, ObjectId, Op, Reg, TagId, Tags, Terminator, UpdateTags,
    Wait,
};
use treville_term::BinOp;

/// How loops are unrolled.
#[derive(Clone, Copy, Debug)]
pub struct Unrolling {
    /// How often a loop may be repeated after its first iteration, unless the program says so itself.
    pub bound: u32,
    /// Iterations that change nothing wait.
    pub idle: bool,
    /// The tag of reads that see the last write of their location, if threads that wait are to look once more.
    pub latest: Option<TagId>,
}

/// More operations than this are not made.
const MAX_SIZE: usize = 200_000;

/// What is known of a program when a function of it is unrolled.
#[derive(Clone, Copy)]
pub struct Facts<'a> {
    /// Registers that are looked at when the function has ended.
    pub observed: &'a BTreeSet<Reg>,
    /// Objects that are accessed atomically, at known places, by all threads.
    pub atomic: &'a BTreeSet<ObjectId>,
    /// Tags that only the halves of an update have.
    pub halves: &'a BTreeSet<TagId>,
}

/// The function without loops.
///
/// # Errors
/// A loop with several entries, with its place; or that there would be too much code.
pub fn unroll(func: &Func, how: Unrolling, facts: Facts<'_>, cancel: &Cancel) -> Result<Func, Diagnostic> {
    let cfg = Cfg::new(func);
    refuse_irreducible(func, &cfg)?;
    let nest = Nest::new(&cfg);
    let loops = cfg.loops();
    let usual: BTreeMap<BlockId, u32> = loops.keys().map(|header| (*header, how.bound)).collect();
    let annotated = annotated(func, &nest);
    let mut exact = usual.clone();
    exact.extend(counted::repetitions(func, &cfg, &loops, cancel));
    go_on(cancel)?;
    exact.extend(&annotated);
    let result = unroll_by(func, (&cfg, &nest, &loops), how, exact, facts, cancel);
    // If that is too much, the bound is for all that the program says nothing of.
    result.or_else(|_| {
        let bounds = usual.into_iter().chain(annotated).collect();
        unroll_by(func, (&cfg, &nest, &loops), how, bounds, facts, cancel)
    })
}

type Loops = BTreeMap<BlockId, BTreeSet<BlockId>>;

fn unroll_by(
    func: &Func,
    (cfg, nest, loops): (&Cfg, &Nest, &Loops),
    how: Unrolling,
    bounds: BTreeMap<BlockId, u32>,
    facts: Facts<'_>,
    cancel: &Cancel,
) -> Result<Func, Diagnostic> {
    let mut out = Func { blocks: IndexVec::new(), ..func.clone() };
    let idle =
        how.idle.then(|| Idle::new(func, cfg, loops, facts, &mut out, cancel).ok_or_else(stopped)).transpose()?;
    let mut unroller = Unroller {
        func,
        nest,
        bounds,
        idle: idle.unwrap_or_default(),
        spins: has_spin_marks(func),
        waits: how.idle,
        latest: how.latest,
        halves: facts.halves,
        out,
        copies: BTreeMap::new(),
        todo: VecDeque::new(),
        next_instr: 0,
        size: 0,
    };
    unroller.all(cancel)?;
    Ok(unroller.out)
}

fn has_spin_marks(func: &Func) -> bool {
    func.blocks.iter().flat_map(|b| &b.insts).any(|inst| matches!(inst.op, Op::Mark(Mark::SpinStart)))
}

/// Whether this is an iteration of a thread that looks once more.
fn is_last(iterations: &[u32]) -> bool {
    iterations.iter().any(|n| LAST.contains(n))
}

/// How often loops may be repeated of which the program says so.
fn annotated(func: &Func, nest: &Nest) -> BTreeMap<BlockId, u32> {
    let mut bounds = BTreeMap::new();
    for (id, block) in func.blocks.iter_enumerated() {
        let around = nest.around(id).last();
        for (i, inst) in block.insts.iter().enumerate() {
            if let Op::Mark(Mark::LoopBound(n)) = inst.op {
                let meant = follows(func, nest, id, i).or(around.copied());
                if let Some(header) = meant {
                    bounds.insert(header, n);
                }
            }
        }
    }
    bounds
}

/// The loop that begins after operation `i` of a block, if nothing happens before it.
fn follows(func: &Func, nest: &Nest, block: BlockId, i: usize) -> Option<BlockId> {
    let silent = |inst: &Inst| matches!(inst.op, Op::Assign { .. } | Op::Mark(_));
    let (mut at, mut rest) = (block, &func.blocks[block].insts[i..]);
    for _ in func.blocks.ids() {
        let Terminator::Goto(next) = func.blocks[at].end else { return None };
        if !rest.iter().all(silent) || nest.around(block).contains(&next) {
            return None;
        }
        if nest.around(next).last() == Some(&next) {
            return Some(next);
        }
        (at, rest) = (next, &func.blocks[next].insts);
    }
    None
}

/// A jump backwards to what does not dominate it belongs to a loop with several entries.
fn refuse_irreducible(func: &Func, cfg: &Cfg) -> Result<(), Diagnostic> {
    let mut seen = BTreeSet::new();
    for &id in &cfg.order {
        seen.insert(id);
        for to in ops::successors(&func.blocks[id].end) {
            if seen.contains(&to) && !cfg.dominates(to, id) {
                return Err(Diagnostic::error(place(&func.blocks[to]), "a loop with several entries is not unrolled"));
            }
        }
    }
    Ok(())
}

fn place(block: &Block) -> Option<Span> {
    block.insts.first().map(|inst| inst.span).or(match &block.end {
        Terminator::Branch { span, .. } => Some(*span),
        _ => None,
    })
}

/// The iterations of a thread that looks once more, and then again if it has seen something new.
const LAST: [u32; 2] = [u32::MAX - 1, u32::MAX];

/// The iterations of the loops around a block, outermost first.
type Iterations = Vec<u32>;

struct Unroller<'a> {
    func: &'a Func,
    nest: &'a Nest,
    bounds: BTreeMap<BlockId, u32>,
    idle: Idle,
    /// The program says itself where iterations begin and end.
    spins: bool,
    waits: bool,
    latest: Option<TagId>,
    halves: &'a BTreeSet<TagId>,
    out: Func,
    copies: BTreeMap<(BlockId, Iterations), BlockId>,
    todo: VecDeque<(BlockId, Iterations)>,
    next_instr: u32,
    size: usize,
}

impl Unroller<'_> {
    fn all(&mut self, cancel: &Cancel) -> Result<(), Diagnostic> {
        let start = self.nest.around(BlockId(0)).iter().map(|_| 0).collect();
        self.block_of(BlockId(0), start);
        while let Some((block, iterations)) = self.todo.pop_front() {
            if self.size > MAX_SIZE {
                return Err(Diagnostic::error(
                    place(&self.func.blocks[block]),
                    "the program without loops is too large",
                ));
            }
            go_on(cancel)?;
            self.copy(block, &iterations);
        }
        Ok(())
    }

    fn new_block(&mut self) -> BlockId {
        self.size += 1;
        self.out.blocks.push(Block { insts: Vec::new(), end: Terminator::End })
    }

    /// The copy of a block, to be filled if it is new.
    fn block_of(&mut self, block: BlockId, iterations: Iterations) -> BlockId {
        if let Some(copy) = self.copies.get(&(block, iterations.clone())) {
            return *copy;
        }
        let copy = self.new_block();
        self.copies.insert((block, iterations.clone()), copy);
        self.todo.push_back((block, iterations));
        copy
    }

    fn instr(&mut self) -> InstrId {
        self.next_instr += 1;
        InstrId(self.next_instr - 1)
    }

    fn push(&mut self, at: BlockId, op: Op, span: Span) {
        let instr = self.instr();
        self.out.blocks[at].insts.push(Inst { op, instr, sequenced: true, span });
        self.size += 1;
    }

    fn copy(&mut self, block: BlockId, iterations: &Iterations) {
        let at = self.copies[&(block, iterations.clone())];
        let around = self.nest.around(block).to_vec();
        let old = &self.func.blocks[block];
        let nowhere = Span::new(treville_base::FileId(0), 0, 0);
        if block == BlockId(0)
            && iterations.iter().all(|n| *n == 0)
            && let Some(op) = self.idle.start()
        {
            self.push(at, op, place(old).unwrap_or(nowhere));
        }
        if around.last() == Some(&block) {
            for op in self.idle.begin(block, None) {
                self.push(at, op, place(old).unwrap_or(nowhere));
            }
        }
        let mut at = at;
        let mut instrs: BTreeMap<InstrId, InstrId> = BTreeMap::new();
        for inst in &old.insts {
            let instr = *instrs.entry(inst.instr).or_insert_with(|| self.instr());
            match inst.op {
                Op::Mark(Mark::LoopBound(_)) => continue,
                Op::Mark(Mark::SpinStart) if self.waits => {
                    for op in self.idle.spin_start() {
                        self.push(at, op, inst.span);
                    }
                }
                Op::Mark(Mark::SpinEnd) if self.waits => {
                    // Whether it would go on waiting is not looked at here.
                    let waits = match self.latest {
                        Some(_) => self.looks_again(Again::Unclear, inst.span),
                        None => self.spins(inst.span),
                    };
                    let idle = self.idle.spin_is_idle();
                    at = match self.idle.keeps_spin().filter(|_| !is_last(iterations)) {
                        Some(kept) => self.wait_if_kept((at, waits), idle, kept, &around, inst.span),
                        None => self.go_to_if(at, idle, waits, inst.span),
                    };
                }
                Op::Mark(Mark::SpinStart | Mark::SpinEnd) => continue,
                Op::Mark(Mark::Cut) => {
                    self.out.blocks[at].insts.push(Inst { instr, ..inst.clone() });
                    return;
                }
                _ if is_last(iterations) => match self.look_again(at, inst, instr) {
                    Some(next) => at = next,
                    None => return,
                },
                _ => {
                    self.out.blocks[at].insts.push(Inst { instr, ..inst.clone() });
                    self.size += 1;
                    for op in self.idle.after(&inst.op, &around, self.spins) {
                        self.push(at, op, inst.span);
                    }
                }
            }
        }
        let mut end = old.end.clone();
        let from = (block, iterations.clone());
        match &mut end {
            Terminator::Goto(to) => *to = self.edge(&from, *to),
            Terminator::Branch { then, els, join, instr, .. } => {
                *instr = self.instr();
                *then = self.edge(&from, *then);
                *els = self.edge(&from, *els);
                *join = join.and_then(|join| self.join(&from, join));
            }
            Terminator::End | Terminator::Exit(_) | Terminator::Return(_) | Terminator::ExitProcess
                if is_last(iterations) =>
            {
                end = Terminator::Goto(self.looks_again(Again::GoesOn, place(old).unwrap_or(nowhere)));
            }
            Terminator::End | Terminator::Exit(_) | Terminator::Return(_) | Terminator::ExitProcess => {}
        }
        self.out.blocks[at].end = end;
    }

    /// An operation of a thread that looks once more: it reads what is written last, and where it would do something it does
    /// not wait. Returns where it goes on, if it does.
    fn look_again(&mut self, mut at: BlockId, inst: &Inst, instr: InstrId) -> Option<BlockId> {
        let latest = |tags: &Tags| {
            let mut tags: Tags = tags.iter().copied().chain(self.latest).collect();
            tags.sort();
            tags
        };
        let op = match &inst.op {
            Op::Load { dst, addr, size, tags } => {
                Op::Load { dst: *dst, addr: addr.clone(), size: *size, tags: latest(tags) }
            }
            // If it succeeds and changes nothing, it reads as one that writes: what failures of it order is less.
            Op::Update { old, addr, size, tags, .. } => {
                let read = if tags.read.is_empty() { &tags.fail } else { &tags.read };
                Op::Load { dst: *old, addr: addr.clone(), size: *size, tags: latest(&self.without_update(read)) }
            }
            // It may be another value each time.
            Op::Nondet { .. } | Op::Handle { .. } => {
                self.push(at, Op::Mark(Mark::LooksAgain(Again::Unclear)), inst.span);
                return None;
            }
            op => op.clone(),
        };
        let goes_on = idle::effect(&inst.op);
        if let idle::Effect::Always = goes_on {
            self.push(at, Op::Mark(Mark::LooksAgain(Again::GoesOn)), inst.span);
            return None;
        }
        self.out.blocks[at].insts.push(Inst { op, instr, ..inst.clone() });
        self.size += 1;
        if let Op::Update { tags: UpdateTags { fences: Some(tags), .. }, .. } = &inst.op {
            self.push(at, Op::Fence { tags: tags.clone() }, inst.span);
        }
        if let idle::Effect::If(cond) = goes_on {
            let stop = self.looks_again(Again::GoesOn, inst.span);
            at = self.go_to_if(at, cond, stop, inst.span);
        }
        Some(at)
    }

    /// The tags of a read without those that only the halves of an update have.
    fn without_update(&self, tags: &Tags) -> Tags {
        tags.iter().copied().filter(|tag| !self.halves.contains(tag)).collect()
    }

    /// A block where a thread ends that waits in a loop.
    fn spins(&mut self, span: Span) -> BlockId {
        let block = self.new_block();
        self.push(block, Op::Wait { cond: Expr::int(0, 1), kind: Wait::Spin }, span);
        block
    }

    /// A block where a thread ends that has looked again.
    fn looks_again(&mut self, found: Again, span: Span) -> BlockId {
        let block = self.new_block();
        self.push(block, Op::Mark(Mark::LooksAgain(found)), span);
        block
    }

    /// The thread goes elsewhere if the condition holds; returns where it goes on otherwise.
    fn go_to_if(&mut self, at: BlockId, cond: Expr, to: BlockId, span: Span) -> BlockId {
        let next = self.new_block();
        let instr = self.instr();
        self.out.blocks[at].end = match cond {
            Expr::Const(v) if !v.is_zero() => Terminator::Goto(to),
            cond => Terminator::Branch { cond, then: to, els: next, join: Some(next), instr, span },
        };
        next
    }

    /// Where a thread goes whose iteration has changed nothing, and which one that was.
    fn waits(&mut self, header: BlockId, iterations: &Iterations, span: Span) -> BlockId {
        if self.latest.is_none() {
            return self.spins(span);
        }
        if is_last(iterations) {
            return self.looks_again(Again::Waits, span);
        }
        let around = iterations.len().saturating_sub(1);
        let again = iterations[..around].iter().copied().chain([LAST[0]]).collect();
        self.block_of(header, again)
    }

    /// The iterations with which a block comes after another, and whether a loop is repeated for that.
    fn step(&self, (block, iterations): &(BlockId, Iterations), to: BlockId) -> (Iterations, bool) {
        let (from, around) = (self.nest.around(*block), self.nest.around(to));
        let shared = from.iter().zip(around).take_while(|(a, b)| a == b).count();
        let mut next: Iterations = iterations[..shared].to_vec();
        let repeats = shared == around.len() && around.last() == Some(&to);
        if let (true, Some(last)) = (repeats, next.last_mut()) {
            *last = last.saturating_add(1);
        }
        next.resize(around.len(), 0);
        (next, repeats)
    }

    /// Where a jump leads.
    fn edge(&mut self, from: &(BlockId, Iterations), to: BlockId) -> BlockId {
        let (iterations, repeats) = self.step(from, to);
        let span = place(&self.func.blocks[to]).or_else(|| place(&self.func.blocks[from.0]));
        let span = span.unwrap_or(Span::new(treville_base::FileId(0), 0, 0));
        if is_last(&from.1) && !is_last(&iterations) {
            // It has seen what it waited for.
            return self.looks_again(Again::GoesOn, span);
        }
        if !repeats {
            let next = self.block_of(to, iterations);
            return self.enter(from.0, to, next, span);
        }
        let end = self.new_block();
        let mut at = end;
        if let Some(idle) = self.idle.is_idle(to) {
            let always = matches!(idle, Expr::Const(_));
            let so_far = from.1[..iterations.len()].to_vec();
            let waits = self.waits(to, &so_far, span);
            if let Some(kept) = self.idle.keeps(to).filter(|_| !is_last(&from.1)) {
                let around = self.nest.around(to).split_last().map_or(Vec::new(), |(_, outer)| outer.to_vec());
                at = self.wait_if_kept((at, waits), idle, kept, &around, span);
            } else {
                at = self.go_to_if(at, idle, waits, span);
                if always {
                    return end;
                }
            }
        }
        let count = iterations.last().copied().unwrap_or(0);
        let again = from.1[iterations.len() - 1] != LAST[1] && LAST.contains(&count);
        if !again && count > self.bounds.get(&to).copied().unwrap_or(0) {
            self.push(at, Op::Mark(Mark::Cut), span);
            return end;
        }
        let next = self.block_of(to, iterations);
        self.out.blocks[at].end = Terminator::Goto(next);
        end
    }

    /// After an iteration that, if it is idle, waits only if another one was kept before; returns where it goes on otherwise.
    fn wait_if_kept(
        &mut self,
        (at, waits): (BlockId, BlockId),
        idle: Expr,
        kept: Reg,
        around: &[BlockId],
        span: Span,
    ) -> BlockId {
        let next = self.go_to_if(at, Expr::bin(BinOp::And, idle.clone(), Expr::Reg(kept)), waits, span);
        for op in self.idle.keep(around, &idle) {
            self.push(next, op, span);
        }
        next
    }

    /// The way from a block to the copy of another one, with what an iteration that begins there begins with.
    fn enter(&mut self, from: BlockId, to: BlockId, copy: BlockId, span: Span) -> BlockId {
        let begin = self.idle.begin(from, Some(to));
        if begin.is_empty() {
            return copy;
        }
        let block = self.new_block();
        for op in begin {
            self.push(block, op, span);
        }
        self.out.blocks[block].end = Terminator::Goto(copy);
        block
    }

    /// Where a control dependency ends, if that is still there.
    fn join(&mut self, from: &(BlockId, Iterations), join: BlockId) -> Option<BlockId> {
        let (iterations, repeats) = self.step(from, join);
        if !repeats {
            return Some(self.block_of(join, iterations));
        }
        let count = iterations.last().copied().unwrap_or(0);
        let fits = count <= self.bounds.get(&join).copied().unwrap_or(0);
        fits.then(|| self.block_of(join, iterations))
    }
}
