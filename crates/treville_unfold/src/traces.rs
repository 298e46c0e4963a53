//! Every path of every thread, run with symbolic values: what a read returns is a variable.

use crate::symbolic_layout::SymbolicLayout;
use std::collections::BTreeMap;
use treville_base::{Cancel, IndexVec};
use treville_event::Kind;
use treville_ir::{Program, Tags, ThreadId};
use treville_term::{Bv, TermId, UnOp, VarId};
use treville_vm::{Action, Deps, EventAction, Shape, Symbolic, ThreadVm};

/// An event of a path: what the interpreter said, with the variable that stands for the value read.
#[derive(Clone, Debug)]
pub struct TraceEvent {
    pub action: EventAction<TermId>,
    pub read: Option<VarId>,
}

/// What decided, at some point of a path, how it goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Turn {
    /// The condition holds.
    If(TermId),
    /// One of two free choices.
    Choice(bool),
}

/// One way through a thread.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    pub events: Vec<TraceEvent>,
    /// Conditions (width 1) under which the thread goes this way.
    pub constraints: Vec<TermId>,
    /// The same and the free choices, in order, each with the number of events before it.
    pub turns: Vec<(u32, Turn)>,
    /// Final values of the thread's registers.
    pub registers: Vec<TermId>,
    /// How many registers, locations and memory cells the thread reads.
    pub n_reads: u32,
}

#[derive(Debug, Default)]
pub struct Traces {
    pub domain: Symbolic,
    pub threads: IndexVec<ThreadId, Vec<Trace>>,
    pub n_vars: u32,
    /// The beginnings of paths that were cut at the bound.
    pub cut: Vec<Trace>,
    /// Each thread has one trace with the events of all its paths.
    pub joined: bool,
    /// Objects that have no fixed addresses.
    pub floating: Option<SymbolicLayout>,
}

/// Too many paths to be worth starting on.
const MAX_TRACES: usize = 1 << 20;

impl Trace {
    fn turn(&mut self, turn: Turn) {
        self.turns.push((self.events.len() as u32, turn));
        if let Turn::If(condition) = turn {
            self.constraints.push(condition);
        }
    }

    fn amend(&mut self, index: u32, tags: Tags, written: Option<(TermId, Deps)>) {
        self.events[index as usize].amend(tags, written);
    }

    fn end(&mut self, program: &Program, thread: ThreadId, vm: &ThreadVm<TermId>) {
        let func = &program.funcs[program.roots[thread].func];
        self.registers = func.regs.ids().map(|r| *vm.register(r)).collect();
        self.n_reads = vm.n_reads();
    }
}

impl TraceEvent {
    /// Makes of a read what it is in an update that writes.
    pub(crate) fn amend(&mut self, tags: Tags, written: Option<(TermId, Deps)>) {
        self.action.tags = tags;
        if let Some((value, data)) = written {
            self.action.kind = Kind::Update;
            self.action.value = Some(value);
            self.action.data.extend(&data);
        }
    }
}

/// Says what one way through a thread is.
pub trait Oracle {
    /// The value that the read at this position among the thread's events returns.
    fn read(&mut self, event: usize) -> Option<Bv>;
    /// The next free choice.
    fn choose(&mut self) -> Option<bool>;
    /// The next value that nothing determines.
    fn any(&mut self) -> Option<Bv>;
}

impl Traces {
    /// Runs every thread; `None` if that was cancelled or gave too many paths.
    pub fn of(program: &Program, shape: Shape, cancel: &Cancel) -> Option<Traces> {
        let mut traces = Traces::default();
        for thread in program.roots.ids() {
            let paths = traces.run_thread(program, thread, shape, cancel)?;
            traces.threads.push(paths);
        }
        Some(traces)
    }

    /// From now on, objects have no fixed addresses. `None` if there is not room for all of them.
    pub(crate) fn float(&mut self, program: &Program) -> Option<()> {
        let floating = SymbolicLayout::new(program, || self.fresh_var())?;
        self.domain.bases = floating.bases().iter().map(|base| base.var).collect();
        self.floating = Some(floating);
        Some(())
    }

    /// Where an access of so many bytes lies, if that is known without anything that is read: object and offset, as an address
    /// of the layout that engines share.
    pub fn place(&self, address: TermId, size: u8) -> Option<u64> {
        let store = &self.domain.store;
        match &self.floating {
            None => store.as_const(address).map(|address| address.unsigned() as u64),
            Some(floating) => floating.place(floating.fixed(store, address)?, size),
        }
    }

    pub fn fresh_var(&mut self) -> VarId {
        self.n_vars += 1;
        VarId(self.n_vars - 1)
    }

    /// One way through a thread: where reads return the values, and free choices are made, that `oracle` says. `None` if it
    /// does not come to its end.
    pub fn follow(
        &mut self,
        program: &Program,
        thread: ThreadId,
        shape: Shape,
        oracle: &mut dyn Oracle,
    ) -> Option<Trace> {
        let mut vm = ThreadVm::new(program, thread, shape, &mut self.domain);
        let mut trace = Trace::default();
        let mut values: BTreeMap<VarId, Bv> = BTreeMap::new();
        loop {
            match vm.run(program, &mut self.domain) {
                Action::Event(event) => {
                    let mut event = TraceEvent { action: *event, read: None };
                    if let (Kind::Read, Some((_, size))) = (event.action.kind, &event.action.place) {
                        let var = self.fresh_var();
                        values.insert(var, oracle.read(trace.events.len())?);
                        event.read = Some(var);
                        let value = self.domain.store.var(var, 8 * size);
                        vm.give(program, &mut self.domain, value);
                    }
                    trace.events.push(event);
                }
                Action::Amend { index, tags, written } => trace.amend(index, tags, written),
                Action::Branch(cond) => {
                    let yes = !self.domain.store.eval(cond, &|v| values.get(&v).copied())?.is_zero();
                    let taken = if yes { cond } else { self.domain.store.un(UnOp::Not, cond) };
                    vm.take(program, &mut self.domain, yes);
                    trace.turn(Turn::If(taken));
                }
                Action::Choose => {
                    let yes = oracle.choose()?;
                    vm.take(program, &mut self.domain, yes);
                    trace.turn(Turn::Choice(yes));
                }
                Action::Any(_) => {
                    let value = self.domain.store.constant(oracle.any()?);
                    vm.give(program, &mut self.domain, value);
                }
                Action::Constrain(cond) | Action::Await(cond) => trace.turn(Turn::If(cond)),
                Action::Fresh(width) => {
                    let value = self.unlike_others(width);
                    vm.give(program, &mut self.domain, value);
                }
                Action::Arrive(_) => {}
                Action::Cut => return None,
                Action::End => {
                    trace.end(program, thread, &vm);
                    return Some(trace);
                }
            }
        }
    }

    /// A value that programs hardly ever write themselves.
    pub(crate) fn unlike_others(&mut self, width: u8) -> TermId {
        let value = 0x5e00 + u128::from(self.fresh_var().0);
        self.domain.store.constant(Bv::new(value, width))
    }

    fn run_thread(&mut self, program: &Program, thread: ThreadId, shape: Shape, cancel: &Cancel) -> Option<Vec<Trace>> {
        let start = ThreadVm::new(program, thread, shape, &mut self.domain);
        let mut open = vec![(start, Trace::default())];
        let mut done = Vec::new();
        while let Some((mut vm, mut trace)) = open.pop() {
            if done.len() + open.len() > MAX_TRACES {
                return None;
            }
            loop {
                if cancel.is_due() {
                    return None;
                }
                match vm.run(program, &mut self.domain) {
                    Action::Event(event) => {
                        let mut event = TraceEvent { action: *event, read: None };
                        if let (Kind::Read, Some((_, size))) = (event.action.kind, &event.action.place) {
                            let width = 8 * size;
                            let var = self.fresh_var();
                            event.read = Some(var);
                            let value = self.domain.store.var(var, width);
                            vm.give(program, &mut self.domain, value);
                        }
                        trace.events.push(event);
                    }
                    Action::Amend { index, tags, written } => trace.amend(index, tags, written),
                    Action::Branch(cond) => {
                        let negation = self.domain.store.un(UnOp::Not, cond);
                        let known = |c| trace.constraints.contains(&c);
                        if known(cond) || known(negation) {
                            vm.take(program, &mut self.domain, known(cond));
                            continue;
                        }
                        let mut other = (vm.clone(), trace.clone());
                        other.0.take(program, &mut self.domain, false);
                        other.1.turn(Turn::If(negation));
                        open.push(other);
                        vm.take(program, &mut self.domain, true);
                        trace.turn(Turn::If(cond));
                    }
                    Action::Choose => {
                        let mut other = (vm.clone(), trace.clone());
                        other.0.take(program, &mut self.domain, false);
                        other.1.turn(Turn::Choice(false));
                        open.push(other);
                        vm.take(program, &mut self.domain, true);
                        trace.turn(Turn::Choice(true));
                    }
                    // Too many to try: those who list paths refuse such programs.
                    Action::Any(_) => return None,
                    Action::Constrain(cond) | Action::Await(cond) => match self.domain.store.as_const(cond) {
                        Some(v) if v.is_zero() => break,
                        Some(_) => {}
                        None => trace.turn(Turn::If(cond)),
                    },
                    Action::Fresh(width) => {
                        let value = self.unlike_others(width);
                        vm.give(program, &mut self.domain, value);
                    }
                    Action::Arrive(_) => {}
                    Action::Cut => {
                        self.cut.push(trace);
                        break;
                    }
                    Action::End => {
                        trace.end(program, thread, &vm);
                        done.push(trace);
                        break;
                    }
                }
            }
        }
        Some(done)
    }
}
