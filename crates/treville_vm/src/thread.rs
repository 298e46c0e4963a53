//! The interpreter of one thread: control flow, plain instructions, and the bookkeeping of events.

use crate::locks::Lock;
use crate::registers::Operand;
use crate::update::UpdateStep;
use crate::{Action, Deps, Domain, EventAction, Link, Picks, Shape};
use std::collections::{BTreeMap, VecDeque};
use treville_base::{IndexVec, Span};
use treville_event::Kind;
use treville_ir::{BlockId, FuncId, Inst, InstrId, LockOp, Mark, Op, Program, Reg, Terminator, ThreadId, Wait};
use treville_term::Bv;

mod join;
pub use join::Joiner;

/// A register: its value, what it depends on, and how it is wired for register events.
#[derive(Clone, Debug)]
pub(crate) struct Slot<V> {
    pub(crate) value: V,
    pub(crate) deps: Deps,
    /// Reads that decided whether the register was assigned at all; they matter to later branches only.
    pub(crate) implicit: Deps,
    /// The event that wrote it last (register events only).
    pub(crate) writer: Option<u32>,
    /// For a temporary: the events of the instruction that its value comes from.
    pub(crate) iico: Deps,
    /// For a temporary: the events of the instruction that chose its value.
    pub(crate) chosen: Deps,
}

/// An open control dependency.
#[derive(Clone, Debug)]
pub(crate) struct Scope {
    pub(crate) deps: Deps,
    /// Reads that chose the values in the condition.
    picks: Deps,
    /// Where it ends, if it does.
    join: Option<BlockId>,
    /// The event of a choice inside an instruction.
    event: Option<u32>,
}

/// More jumps that depend on nothing than this are taken for a loop without end.
const MAX_FREE_JUMPS: u32 = 1000;

/// The answer that the thread waits for.
#[derive(Clone, Debug)]
pub(crate) enum Waiting<V> {
    Nothing,
    /// The value of a read.
    Load {
        index: u32,
        dst: Reg,
    },
    /// The value of an update's read.
    Update {
        index: u32,
        step: Box<UpdateStep<V>>,
    },
    /// Whether the guard of an update holds.
    Guard {
        index: u32,
        step: Box<UpdateStep<V>>,
    },
    /// The value of a lock's read.
    LockRead {
        index: u32,
        lock: Lock<V>,
        then: crate::locks::AfterRead,
    },
    /// Whether a lock is taken, or seen as held.
    LockChoice {
        op: LockOp,
        lock: Lock<V>,
    },
    /// Whether a store-conditional stores.
    Conditional {
        step: Box<crate::update::ConditionalStep<V>>,
    },
    /// Whether an update will write.
    Foreseen {
        step: Box<UpdateStep<V>>,
    },
    /// What a compare-and-swap does that has compared.
    Compared {
        index: u32,
        step: Box<UpdateStep<V>>,
        equal: bool,
    },
    Branch {
        then: BlockId,
        els: BlockId,
        scope: Scope,
    },
    /// A bit that nothing determines.
    Bit {
        dst: Reg,
    },
    /// A value that nothing determines.
    Any {
        dst: Reg,
    },
    /// A value that nobody else has.
    Fresh {
        index: u32,
        dst: Reg,
    },
}

#[derive(Clone, Debug)]
pub struct ThreadVm<V> {
    pub(crate) shape: Shape,
    thread: ThreadId,
    func: FuncId,
    pub(crate) slots: IndexVec<Reg, Slot<V>>,
    block: BlockId,
    at: usize,
    pub(crate) waiting: Waiting<V>,
    pub(crate) queue: VecDeque<Action<V>>,
    scopes: Vec<Scope>,
    jumps: BTreeMap<BlockId, u32>,
    /// The answer that is given was known without asking.
    known: bool,
    /// The engine has chosen something since the last jump backwards.
    chosen: bool,
    /// Jumps backwards that the bound does not count.
    free_jumps: u32,
    /// The last load-linked that no store-conditional has used: event, address, size.
    pub(crate) reservation: Option<(u32, V, u8)>,
    n_events: u32,
    pub(crate) serial: u32,
    instance: u32,
    instr: Option<InstrId>,
    span: Span,
    /// The events of the current instruction, each with those before it.
    local: Vec<(u32, Deps)>,
    sequenced: bool,
    done: bool,
}

impl<V: Clone> ThreadVm<V> {
    pub fn new<D: Domain<V = V>>(program: &Program, thread: ThreadId, shape: Shape, d: &mut D) -> Self {
        let root = &program.roots[thread];
        let func = &program.funcs[root.func];
        let mut zero = |width| Slot {
            value: d.constant(Bv::zero(width)),
            deps: Deps::new(),
            implicit: Deps::new(),
            writer: None,
            iico: Deps::new(),
            chosen: Deps::new(),
        };
        let slots = func.regs.iter().map(|r| zero(r.width)).collect();
        let mut vm = ThreadVm {
            shape,
            thread,
            func: root.func,
            slots,
            block: BlockId(0),
            at: 0,
            waiting: Waiting::Nothing,
            queue: VecDeque::new(),
            scopes: Vec::new(),
            jumps: BTreeMap::new(),
            known: false,
            chosen: false,
            free_jumps: 0,
            reservation: None,
            n_events: 0,
            serial: 0,
            instance: 0,
            instr: None,
            span: Span::new(treville_base::FileId(0), 0, 0),
            local: Vec::new(),
            sequenced: true,
            done: false,
        };
        for (reg, value) in &root.init {
            vm.slots[*reg].value = vm.eval(program, d, value);
        }
        vm
    }

    pub fn thread(&self) -> ThreadId {
        self.thread
    }

    /// The value of a register: the final one, once the thread has ended.
    pub fn register(&self, reg: Reg) -> &V {
        &self.slots[reg].value
    }

    /// How many registers, locations and memory cells it has read.
    pub fn n_reads(&self) -> u32 {
        self.serial
    }

    pub(crate) fn width(&self, program: &Program, reg: Reg) -> u8 {
        program.funcs[self.func].regs[reg].width
    }

    /// Runs up to the next action. After an action that asks for an answer, answer before running on.
    pub fn run<D: Domain<V = V>>(&mut self, program: &Program, d: &mut D) -> Action<V> {
        loop {
            if let Some(action) = self.queue.pop_front() {
                return action;
            }
            debug_assert!(matches!(self.waiting, Waiting::Nothing), "an answer is missing");
            if self.done {
                return Action::End;
            }
            let block = &program.funcs[self.func].blocks[self.block];
            match block.insts.get(self.at) {
                Some(inst) => {
                    self.at += 1;
                    self.enter(inst.instr, inst.span, inst.sequenced);
                    self.step(program, d, inst);
                }
                None => self.terminate(program, d, &block.end),
            }
        }
    }

    /// Answers a read, [`Action::Any`] or [`Action::Fresh`].
    pub fn give<D: Domain<V = V>>(&mut self, program: &Program, d: &mut D, value: V) {
        match std::mem::replace(&mut self.waiting, Waiting::Nothing) {
            Waiting::Load { index, dst } | Waiting::Fresh { index, dst } => {
                self.assign(program, dst, Operand::from_event(value, index));
            }
            Waiting::Any { dst } => self.assign(program, dst, Operand::independent(value)),
            Waiting::Update { index, step } => self.update_read(program, d, index, step, value),
            Waiting::LockRead { index, lock, then } => self.lock_read(program, d, index, lock, then, value),
            other => self.waiting = other,
        }
    }

    /// Answers a branch or a choice.
    pub fn take<D: Domain<V = V>>(&mut self, program: &Program, d: &mut D, yes: bool) {
        self.chosen |= !self.known;
        match std::mem::replace(&mut self.waiting, Waiting::Nothing) {
            Waiting::Branch { then, els, scope } => {
                let free = self.known && scope.join.is_none();
                if scope.join.is_some() || self.shape.control {
                    self.scopes.push(scope);
                }
                self.jump(if yes { then } else { els }, free);
            }
            Waiting::Guard { index, step } => self.update_compared(program, d, index, step, yes),
            Waiting::Foreseen { step } => self.update_foreseen(step, yes),
            Waiting::Compared { index, step, equal } => self.compare_choice(program, d, index, &step, equal, yes),
            Waiting::Bit { dst } => {
                let bit = d.constant(Bv::new(u128::from(yes), self.width(program, dst)));
                self.assign(program, dst, Operand::independent(bit));
            }
            Waiting::LockChoice { op, lock } => self.lock_choice(program, d, op, lock, yes),
            Waiting::Conditional { step } => self.conditional_store(program, d, *step, yes),
            other => self.waiting = other,
        }
    }

    fn step<D: Domain<V = V>>(&mut self, program: &Program, d: &mut D, inst: &Inst) {
        match &inst.op {
            Op::Assign { dst, value } => {
                let operand = self.operand(program, d, value, &[]);
                self.assign(program, *dst, operand);
            }
            Op::Load { dst, addr, size, tags } => {
                let addr = self.operand(program, d, addr, &["ADDR"]);
                let mut event = self.event(Kind::Read);
                event.tags.clone_from(tags);
                place(&mut event, &addr, *size);
                let index = event.index;
                let exclusive = program.dialect.exclusive.as_ref();
                if exclusive.is_some_and(|x| tags.iter().any(|t| program.tags[*t] == *x)) {
                    self.reservation = Some((index, addr.value, *size));
                }
                self.emit(event);
                self.waiting = Waiting::Load { index, dst: *dst };
            }
            Op::Store { addr, value, size, tags } => {
                let addr = self.operand(program, d, addr, &["ADDR"]);
                let value = self.operand(program, d, value, &["DATA"]);
                let mut event = self.event(Kind::Write);
                event.tags.clone_from(tags);
                place(&mut event, &addr, *size);
                written(&mut event, value);
                self.emit(event);
            }
            Op::Update { .. } => self.update(program, d, &inst.op),
            Op::StoreConditional { .. } => self.store_conditional(program, d, &inst.op),
            Op::Fence { tags } => {
                let mut event = self.event(Kind::Fence);
                event.tags.clone_from(tags);
                self.emit(event);
            }
            Op::Lock { op, addr, size } => {
                let addr = self.operand(program, d, addr, &["ADDR"]);
                self.lock(program, d, *op, Lock { addr, size: *size });
            }
            Op::Opaque { addr, value, dst, tags } => {
                let addr = addr.as_ref().map(|a| self.operand(program, d, a, &["ADDR"]));
                let value = value.as_ref().map(|v| self.operand(program, d, v, &[]));
                let mut event = self.event(Kind::Opaque);
                event.tags.clone_from(tags);
                if let Some(addr) = &addr {
                    place(&mut event, addr, 0);
                }
                if let Some(value) = value {
                    written(&mut event, value);
                }
                let index = event.index;
                self.emit(event);
                if let Some(dst) = dst {
                    self.queue.push_back(Action::Fresh(self.width(program, *dst)));
                    self.waiting = Waiting::Fresh { index, dst: *dst };
                }
            }
            Op::Wait { cond, kind } => {
                let cond = self.operand(program, d, cond, &[]).value;
                self.queue.push_back(if *kind == Wait::Assume { Action::Constrain(cond) } else { Action::Await(cond) });
            }
            Op::Mark(Mark::Cut | Mark::LooksAgain(_)) => {
                self.queue.push_back(Action::Cut);
                self.done = true;
            }
            Op::Mark(_) => {}
            Op::Nondet { dst } => {
                let width = self.width(program, *dst);
                (self.waiting, self.queue) = match width {
                    1 => (Waiting::Bit { dst: *dst }, [Action::Choose].into()),
                    _ => (Waiting::Any { dst: *dst }, [Action::Any(width)].into()),
                };
            }
            Op::Call { .. }
            | Op::Spawn { .. }
            | Op::Join { .. }
            | Op::Alloc { .. }
            | Op::Free { .. }
            | Op::Copy { .. }
            | Op::Fill { .. }
            | Op::Fail { .. }
            | Op::Handle { .. }
            | Op::Current { .. } => {
                debug_assert!(false, "engines on this interpreter refuse such programs");
                self.queue.push_back(Action::Cut);
                self.done = true;
            }
        }
    }

    fn terminate<D: Domain<V = V>>(&mut self, program: &Program, d: &mut D, end: &Terminator) {
        match end {
            Terminator::End | Terminator::Exit(_) | Terminator::Return(_) | Terminator::ExitProcess => self.done = true,
            Terminator::Goto(target) => self.jump(*target, false),
            Terminator::Branch { cond, then, els, join, instr, span } => {
                self.enter(*instr, *span, true);
                let cond = self.operand(program, d, cond, &[]);
                let event = match join {
                    None => self.shape.branches.then(|| self.branch_event(&cond, &["B", "BCC"])),
                    Some(_) => self.shape.predicates.then(|| self.branch_event(&cond, &["B", "PRED"])),
                };
                let (deps, picks) = match join {
                    None => (cond.deps, cond.implicit),
                    Some(_) => (cond.deps.with(&cond.implicit), Deps::new()),
                };
                let scope = Scope { deps, picks, join: *join, event: event.filter(|_| join.is_some()) };
                self.waiting = Waiting::Branch { then: *then, els: *els, scope };
                self.decide(program, d, cond.value);
            }
        }
    }

    /// The event of a decision on `cond`.
    pub(crate) fn branch_event(&mut self, cond: &Operand<V>, tags: &'static [&'static str]) -> u32 {
        let mut event = self.event(Kind::Branch);
        event.data.extend(&cond.deps);
        event.iico_data.extend(&cond.iico);
        event.extra = tags;
        let index = event.index;
        self.emit(event);
        index
    }

    /// Asks for the truth of a condition unless it is known.
    pub(crate) fn decide<D: Domain<V = V>>(&mut self, program: &Program, d: &mut D, cond: V) {
        match d.decide(&cond) {
            Some(yes) => {
                self.known = true;
                self.take(program, d, yes);
                self.known = false;
            }
            None => self.queue.push_back(Action::Branch(cond)),
        }
    }

    /// Goes to a block; backwards only as often as the bound says, unless that is `free`.
    fn jump(&mut self, target: BlockId, free: bool) {
        if target <= self.block {
            if !self.may_repeat(target, free) {
                self.queue.push_back(Action::Cut);
                self.done = true;
                return;
            }
            // The next occurrence of an instruction is another one, even if it is the same instruction.
            self.instr = None;
        } else if !self.shape.control {
            // A loop of structured code that is entered anew starts counting anew.
            self.jumps.remove(&target);
        }
        while self.scopes.last().is_some_and(|scope| scope.join == Some(target)) {
            self.scopes.pop();
        }
        self.block = target;
        self.at = 0;
        if self.shape.arrivals {
            self.queue.push_back(Action::Arrive(target));
        }
    }

    /// Counts a jump backwards, and says whether it may happen. A machine's branch on what is known is free: its loop ends by
    /// itself, or surely never does.
    fn may_repeat(&mut self, target: BlockId, free: bool) -> bool {
        // What is known may come from a choice, as the status of a store-conditional does: then another iteration may choose again.
        if !std::mem::replace(&mut self.chosen, false) && free {
            self.free_jumps += 1;
            return self.free_jumps <= MAX_FREE_JUMPS;
        }
        let jumps = self.jumps.entry(target).or_default();
        *jumps += 1;
        *jumps <= self.shape.unroll
    }

    fn enter(&mut self, instr: InstrId, span: Span, sequenced: bool) {
        if self.instr != Some(instr) {
            self.next_instance();
            self.instr = Some(instr);
        }
        self.span = span;
        self.sequenced = sequenced;
    }

    /// What comes next belongs to another occurrence of an instruction.
    pub(crate) fn next_instance(&mut self) {
        self.instance += 1;
        self.local.clear();
    }

    /// The reads that decide whether the current instruction runs.
    fn control(&self) -> Deps {
        let mut deps = Deps::new();
        self.scopes.iter().for_each(|scope| deps.extend(&scope.deps));
        deps
    }

    /// The structured conditionals that the current instruction is in.
    pub(crate) fn structures(&self) -> impl Iterator<Item = &Scope> {
        self.scopes.iter().filter(|scope| scope.join.is_some())
    }

    /// A new event of the current instruction, to be completed and given to [`Self::emit`] before the next one.
    pub(crate) fn event(&self, kind: Kind) -> EventAction<V> {
        let mut picks = Picks::default();
        self.scopes.iter().for_each(|scope| picks.ctrl.extend(&scope.picks));
        let mut iico_ctrl = Deps::new();
        self.scopes.iter().filter_map(|scope| scope.event).for_each(|choice| iico_ctrl.insert(choice));
        EventAction {
            index: self.n_events,
            kind,
            tags: Vec::new(),
            extra: &[],
            place: None,
            value: None,
            addr: Deps::new(),
            data: Deps::new(),
            ctrl: self.control(),
            picks,
            after: Deps::new(),
            link: Link::None,
            iico_data: Deps::new(),
            iico_ctrl,
            rf_reg: None,
            register: None,
            serial: self.serial + u32::from(kind == Kind::Read),
            instance: self.instance,
            instr: self.instr.unwrap_or(InstrId(0)),
            span: self.span,
        }
    }

    pub(crate) fn emit(&mut self, mut event: EventAction<V>) {
        for (earlier, before) in &self.local {
            let used = event.addr.contains(*earlier) || event.data.contains(*earlier) || event.linked(*earlier);
            if self.sequenced || used {
                event.after.insert(*earlier);
                event.after.extend(before);
            }
        }
        self.local.push((event.index, event.after.clone()));
        self.n_events += 1;
        self.serial = event.serial;
        self.queue.push_back(Action::Event(Box::new(event)));
    }
}

/// Gives the event its address and what that depends on.
pub(crate) fn place<V: Clone>(event: &mut EventAction<V>, addr: &Operand<V>, size: u8) {
    event.place = Some((addr.value.clone(), size));
    event.addr.extend(&addr.deps);
    event.picks.addr.extend(&addr.implicit);
    event.iico_data.extend(&addr.iico);
}

/// Gives the event the value it writes and what that depends on.
pub(crate) fn written<V>(event: &mut EventAction<V>, value: Operand<V>) {
    event.data.extend(&value.deps);
    event.picks.data.extend(&value.implicit);
    event.iico_data.extend(&value.iico);
    event.value = Some(value.value);
}
