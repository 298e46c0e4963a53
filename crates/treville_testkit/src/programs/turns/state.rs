//! A state: memory, what is locked, and where each thread is.

use super::super::ast::{Argument, Bin, Coding, Expr, Fetch, Lock, Mutex, Place, Stmt, Target, Whole};
use super::Fault;
use super::code::{Code, SHIFT, Step};
use super::memory::Memory;

/// What came of a thread's turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Moved {
    On,
    Waits,
    /// An assumption does not hold: the run does not count.
    Discarded,
    Fails(Fault),
    /// It does what has no meaning here.
    Meaningless,
}

/// A store that was not made yet.
#[derive(Clone, Debug)]
pub(super) struct Write {
    pub(super) address: u64,
    size: u32,
    value: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Status {
    Runs,
    /// Between the two parts of an operation that waits: at a condition variable, woken from it, at the barrier, past it.
    Sleeps,
    Woken,
    AtBarrier,
    /// In a loop that does nothing and has no end.
    Spins,
    Done,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Thread {
    function: usize,
    at: usize,
    status: Status,
    regs: [i32; 2 * SHIFT as usize],
    nodes: [u64; 4],
    words: [u64; 4],
    counters: [u8; 4],
    argument: u64,
    hazard: u64,
    /// Two structs, an array and a node of its own.
    locals: [u64; 4],
}

impl Thread {
    /// Whether it is inside of an operation that waits, at whose statement it stays.
    fn is_between(&self) -> bool {
        matches!(self.status, Status::Sleeps | Status::AtBarrier)
    }
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct State {
    memory: Memory,
    threads: Vec<Thread>,
    handles: [Option<u8>; 4],
    /// Owners, with how often.
    mutexes: [(Option<u8>, u8); 2],
    spins: [Option<u8>; 2],
    /// Readers as bits, and the writer.
    rws: [(u8, Option<u8>); 2],
    semaphores: [u8; 2],
    arrived: u8,
    once: [bool; 2],
}

/// Objects that every program has, in this order.
const GLOBALS: [u32; 12] = [16, 16, 16, 16, 16, 16, 96, 8, 24, 24, 16, 16];
const X: u64 = 1;
const P: u64 = 2;
const A: u64 = 3;
const B: u64 = 4;
const S: u64 = 5;
const U: u64 = 6;
const LEFT: u64 = 7;
const K: u64 = 8;
const G: u64 = 9;
const Q: u64 = 11;
const W: u64 = 12;
const OWN: u64 = 13;
const NODE_SIZE: u32 = 24;

fn object(id: u64, offset: i64) -> u64 {
    (id << 20).wrapping_add_signed(offset)
}

impl State {
    pub(super) fn new(code: &Code) -> State {
        let mut state = State {
            memory: Memory::default(),
            threads: Vec::new(),
            handles: [None; 4],
            mutexes: [(None, 0); 2],
            spins: [None; 2],
            rws: [(0, None); 2],
            semaphores: code.semaphores,
            arrived: 0,
            once: [false; 2],
        };
        for size in GLOBALS {
            state.memory.global(size);
        }
        state.memory.stack(8);
        state.start(code.functions.len() - 1, 0);
        state
    }

    fn start(&mut self, function: usize, argument: u64) {
        let id = self.threads.len();
        let locals = [8, 8, 16, NODE_SIZE].map(|size| self.memory.stack(size));
        for (offset, value) in [(0, 1), (4, 2), (8, 1)] {
            let _ = self.memory.write(id, locals[3] + offset, 4, value);
        }
        self.threads.push(Thread {
            function,
            at: 0,
            status: Status::Runs,
            regs: [0; 2 * SHIFT as usize],
            nodes: [0; 4],
            words: [0; 4],
            counters: [0; 4],
            argument,
            hazard: 0,
            locals,
        });
    }

    pub(super) fn n_threads(&self) -> usize {
        self.threads.len()
    }

    pub(super) fn is_done(&self) -> bool {
        self.threads.iter().all(|thread| thread.status == Status::Done)
    }

    /// Whether the process has ended.
    pub(super) fn is_over(&self) -> bool {
        self.threads[0].status == Status::Done
    }

    /// In how many ways a thread may go on.
    pub(super) fn n_choices(&self, code: &Code, thread: usize) -> usize {
        match self.next(code, thread) {
            Some(Stmt::Unknown(_, mask)) => *mask as usize + 1,
            Some(Stmt::TimedLock(_, Lock::Mutex(_))) => 2,
            Some(Stmt::CondSignal) => self.threads.iter().filter(|t| t.status == Status::Sleeps).count().max(1),
            _ => 1,
        }
    }

    fn next<'a>(&self, code: &'a Code, thread: usize) -> Option<&'a Stmt> {
        let thread = &self.threads[thread];
        match code.functions[thread.function].get(thread.at)? {
            Step::Do(stmt) if !matches!(thread.status, Status::Spins | Status::Done) => Some(stmt),
            _ => None,
        }
    }

    /// One access or operation of a thread, with everything around it that other threads do not see.
    pub(super) fn step(&mut self, code: &Code, thread: usize, choice: usize) -> Moved {
        if matches!(self.threads[thread].status, Status::Spins | Status::Done) {
            return Moved::Waits;
        }
        let before = self.threads[thread].at;
        let stmt = self.next(code, thread);
        if let Some(stmt) = stmt {
            match self.execute(code, thread, stmt, choice) {
                Ok(true) if self.threads[thread].is_between() => return Moved::On,
                Ok(true) => self.threads[thread].at += 1,
                Ok(false) => return Moved::Waits,
                Err(moved) => return moved,
            }
        }
        if let Err(moved) = self.settle(code, thread) {
            return moved;
        }
        // `main` returns in a step of its own, so that it may do so as late as it likes.
        if stmt.is_none() && before == self.threads[thread].at {
            self.threads[thread].status = Status::Done;
            if thread == 0 {
                // The locals of `main` end with it, although other threads may still have their address.
                let locals = self.threads[thread].locals;
                self.memory.leave(&[object(OWN, 0)]);
                self.memory.leave(&locals);
            }
        }
        Moved::On
    }

    /// The store to an atomic variable that comes next.
    pub(super) fn delayable(&self, code: &Code, thread: usize) -> Option<Write> {
        let Some(Stmt::Store(place @ Place::Atomic(_), e, _)) = self.next(code, thread) else { return None };
        let (address, size) = self.place(thread, place);
        Some(Write { address, size, value: self.eval(thread, e) as u32 as u64 })
    }

    /// Goes on beyond the next statement without doing it.
    pub(super) fn pass(&mut self, code: &Code, thread: usize) -> Moved {
        self.threads[thread].at += 1;
        self.settle(code, thread).err().unwrap_or(Moved::On)
    }

    pub(super) fn make(&mut self, thread: usize, write: &Write) {
        // Atomic variables are always there.
        let _ = self.memory.write(thread, write.address, write.size, write.value);
    }

    /// Where the load of an atomic variable that comes next reads.
    pub(super) fn load_address(&self, code: &Code, thread: usize) -> Option<u64> {
        match self.next(code, thread) {
            Some(Stmt::Load(_, place @ Place::Atomic(_), _)) => Some(self.place(thread, place).0),
            _ => None,
        }
    }

    pub(super) fn next_joins(&self, code: &Code, thread: usize) -> bool {
        matches!(self.next(code, thread), Some(Stmt::Join(_)))
    }

    pub(super) fn has_ended(&self, thread: usize) -> bool {
        self.threads[thread].status == Status::Done
    }

    /// Whether nobody sees what comes next before the thread has ended.
    pub(super) fn is_private(&self, code: &Code, thread: usize) -> bool {
        matches!(self.next(code, thread), Some(Stmt::Store(Place::Left(..) | Place::Local(..), ..) | Stmt::Fence(_)))
    }

    /// Goes on over jumps and what is about registers only, up to the next access or operation.
    fn settle(&mut self, code: &Code, id: usize) -> Result<(), Moved> {
        for _ in 0..1000 {
            let function = self.threads[id].function;
            match &code.functions[function][self.threads[id].at] {
                Step::Jump(to) => self.threads[id].at = *to,
                Step::Unless(cond, to) => {
                    let holds = self.eval(id, cond) != 0;
                    self.threads[id].at = if holds { self.threads[id].at + 1 } else { *to };
                }
                Step::Begin(counter) => {
                    self.threads[id].counters[usize::from(*counter) % 4] = 0;
                    self.threads[id].at += 1;
                }
                Step::Round(counter, n, to) => {
                    let count = &mut self.threads[id].counters[usize::from(*counter) % 4];
                    if *count < *n {
                        *count += 1;
                        self.threads[id].at += 1;
                    } else {
                        self.threads[id].at = *to;
                    }
                }
                Step::End => {
                    let is_main = function == code.functions.len() - 1;
                    if !is_main {
                        self.threads[id].status = Status::Done;
                        // What it leaves behind must not tell states apart.
                        self.threads[id].regs = [0; 2 * SHIFT as usize];
                        let locals = self.threads[id].locals;
                        self.memory.leave(&locals);
                    }
                    return Ok(());
                }
                Step::Do(
                    stmt @ (Stmt::Set(..) | Stmt::Encode(..) | Stmt::Decode(..) | Stmt::Assert(_) | Stmt::Assume(_)),
                ) => {
                    self.execute(code, id, stmt, 0)?;
                    self.threads[id].at += 1;
                }
                Step::Do(_) => return Ok(()),
            }
        }
        self.threads[id].status = Status::Spins;
        Ok(())
    }

    fn eval(&self, id: usize, e: &Expr) -> i32 {
        let thread = &self.threads[id];
        match e {
            Expr::Const(c) => *c,
            Expr::Reg(r) => thread.regs[usize::from(*r)],
            Expr::Argument => thread.argument as i32,
            Expr::Not(a) => i32::from(self.eval(id, a) == 0),
            Expr::Narrow(a) => i32::from(self.eval(id, a) as i8),
            Expr::IsNull(n) => i32::from(thread.nodes[usize::from(*n)] == 0),
            Expr::SameNode(n, m) => i32::from(thread.nodes[usize::from(*n)] == thread.nodes[usize::from(*m)]),
            Expr::IsZero(d) => i32::from(thread.words[usize::from(*d)] == 0),
            Expr::LessWord(d, e) => i32::from(thread.words[usize::from(*d)] < thread.words[usize::from(*e)]),
            Expr::Bin(op, a, b) => {
                let (a, b) = (self.eval(id, a), self.eval(id, b));
                match op {
                    Bin::Add => a.wrapping_add(b),
                    Bin::Sub => a.wrapping_sub(b),
                    Bin::And => a & b,
                    Bin::Or => a | b,
                    Bin::Xor => a ^ b,
                    Bin::Eq => i32::from(a == b),
                    Bin::Ne => i32::from(a != b),
                    Bin::Lt => i32::from(a < b),
                    Bin::LogicalAnd => i32::from(a != 0 && b != 0),
                    Bin::LogicalOr => i32::from(a != 0 || b != 0),
                }
            }
        }
    }

    /// The address and the size of a place, for a thread.
    fn place(&self, id: usize, place: &Place) -> (u64, u32) {
        let thread = &self.threads[id];
        let field = |b: &bool| if *b { 4 } else { 0 };
        let at = |e: &Expr, size: i64| i64::from(self.eval(id, e)) * size;
        let address = match place {
            Place::Atomic(i) => object(X, 4 * i64::from(*i)),
            Place::Plain(i) => object(P, 4 * i64::from(*i)),
            Place::AtomicElem(e) => object(A, at(e, 4)),
            Place::PlainElem(e) => object(B, at(e, 4)),
            Place::Field(e, b) => object(S, at(e, 8) + field(b)),
            Place::Half(e, i) => object(U, at(e, 8) + 4 * i64::from(*i)),
            Place::Byte(e, i) => return (object(U, at(e, 8) + i64::from(*i)), 1),
            Place::AtomicHalf(i) => object(K, 4 * i64::from(*i)),
            Place::NodeNumber(n) => thread.nodes[usize::from(*n)].wrapping_add(8),
            Place::NodeField(n, b) => thread.nodes[usize::from(*n)].wrapping_add_signed(field(b)),
            Place::ArgumentField(b) if id != 0 => thread.argument.wrapping_add_signed(field(b)),
            Place::Own(b) if id == 0 => object(OWN, field(b)),
            Place::ArgumentField(b) | Place::Own(b) => thread.locals[0].wrapping_add_signed(field(b)),
            Place::Local(i, b) => thread.locals[usize::from(*i) % 2].wrapping_add_signed(field(b)),
            Place::LocalElem(e) => thread.locals[2].wrapping_add_signed(at(e, 4)),
            Place::Left(t, r) => object(LEFT, 24 * i64::from(*t) + 4 * i64::from(*r)),
        };
        (address, 4)
    }

    fn whole(&self, id: usize, whole: &Whole) -> u64 {
        match whole {
            Whole::Local(i) => self.threads[id].locals[usize::from(*i) % 2],
            Whole::Global(e) => object(S, 8 * i64::from(self.eval(id, e))),
            Whole::InNode(n) => self.threads[id].nodes[usize::from(*n)],
        }
    }

    fn read(&self, id: usize, place: &Place) -> Result<i32, Moved> {
        let (address, size) = self.place(id, place);
        self.memory.read(id, address, size).map(|v| v as i32).map_err(Moved::Fails)
    }

    fn write(&mut self, id: usize, place: &Place, value: i32) -> Result<(), Moved> {
        let (address, size) = self.place(id, place);
        self.memory.write(id, address, size, value as u32 as u64).map_err(Moved::Fails)
    }

    fn read_at(&self, id: usize, address: u64, size: u32) -> Result<u64, Moved> {
        self.memory.read(id, address, size).map_err(Moved::Fails)
    }

    fn write_at(&mut self, id: usize, address: u64, size: u32, value: u64) -> Result<(), Moved> {
        self.memory.write(id, address, size, value).map_err(Moved::Fails)
    }

    fn set(&mut self, id: usize, r: u8, value: i32) {
        self.threads[id].regs[usize::from(r)] = value;
    }

    /// Does a statement; false if the thread must wait before it.
    #[expect(clippy::too_many_lines, reason = "one arm for each statement")]
    fn execute(&mut self, code: &Code, id: usize, stmt: &Stmt, choice: usize) -> Result<bool, Moved> {
        let me = id as u8;
        match stmt {
            Stmt::If(..) | Stmt::Repeat(..) | Stmt::Loop(_) | Stmt::BreakIf(_) | Stmt::Return | Stmt::Call { .. } => {}
            Stmt::Set(r, e) => {
                let value = self.eval(id, e);
                self.set(id, *r, value);
            }
            Stmt::Load(r, place, _) => {
                let value = self.read(id, place)?;
                self.set(id, *r, value);
            }
            Stmt::Store(place, e, _) => {
                let value = self.eval(id, e);
                self.write(id, place, value)?;
            }
            Stmt::Fetch(r, op, place, e, _) => {
                let (old, operand) = (self.read(id, place)?, self.eval(id, e));
                let new = match op {
                    Fetch::Add => old.wrapping_add(operand),
                    Fetch::Sub => old.wrapping_sub(operand),
                    Fetch::Or => old | operand,
                    Fetch::Xor => old ^ operand,
                    Fetch::Exchange => operand,
                };
                self.write(id, place, new)?;
                self.set(id, *r, old);
            }
            Stmt::Cas { ok, place, expected, new, .. } => {
                let (old, new) = (self.read(id, place)?, self.eval(id, new));
                let succeeds = old == self.threads[id].regs[usize::from(*expected)];
                if succeeds {
                    self.write(id, place, new)?;
                } else {
                    self.set(id, *expected, old);
                }
                self.set(id, *ok, i32::from(succeeds));
            }
            Stmt::Fence(_) => {}
            Stmt::Unknown(r, _) => self.set(id, *r, choice as i32),
            Stmt::Assume(e) => {
                if self.eval(id, e) == 0 {
                    return Err(Moved::Discarded);
                }
            }
            Stmt::Assert(e) => {
                if self.eval(id, e) == 0 {
                    return Err(Moved::Fails(Fault::Assertion));
                }
            }
            Stmt::Lock(lock) => return self.lock(code, id, *lock),
            Stmt::Unlock(lock) => return self.unlock(code, id, *lock),
            Stmt::TryLock(r, lock) => {
                let taken = self.try_lock(code, id, *lock)?;
                self.set(id, *r, i32::from(taken));
            }
            Stmt::TimedLock(r, lock @ Lock::Mutex(_)) => {
                // Whether it gives up is decided when it comes, as in the runtime.
                if choice == 0 {
                    let went = self.lock(code, id, *lock)?;
                    self.set(id, *r, 1);
                    return Ok(went);
                }
                self.set(id, *r, 0);
            }
            Stmt::TimedLock(r, lock) => {
                let taken = self.try_lock(code, id, *lock)?;
                self.set(id, *r, i32::from(taken));
            }
            Stmt::SemWait(i) | Stmt::SemTry(_, i) => {
                let free = &mut self.semaphores[usize::from(*i)];
                let taken = *free > 0;
                *free -= u8::from(taken);
                match stmt {
                    Stmt::SemTry(r, _) => self.set(id, *r, i32::from(taken)),
                    _ => return Ok(taken),
                }
            }
            Stmt::SemPost(i) => self.semaphores[usize::from(*i)] += 1,
            Stmt::CondWait(m) => return self.cond_wait(code, id, *m),
            Stmt::CondSignal => {
                let sleeping = self.threads.iter_mut().filter(|t| t.status == Status::Sleeps);
                if let Some(thread) = sleeping.into_iter().nth(choice) {
                    thread.status = Status::Woken;
                }
            }
            Stmt::CondBroadcast => {
                self.threads.iter_mut().filter(|t| t.status == Status::Sleeps).for_each(|t| t.status = Status::Woken);
            }
            Stmt::Barrier => return Ok(self.barrier(code, id)),
            Stmt::Once(i) => {
                if !self.once[usize::from(*i)] {
                    self.once[usize::from(*i)] = true;
                    self.write(id, &Place::Plain(*i), i32::from(*i) + 1)?;
                }
            }
            Stmt::Create(handle, function, argument) => {
                if usize::from(*function) + 1 >= code.functions.len() {
                    return Err(Moved::Meaningless);
                }
                let argument = match argument {
                    Argument::Own if id == 0 => object(OWN, 0),
                    Argument::Null | Argument::Own => 0,
                    Argument::Number(n) => u64::from(*n),
                };
                self.handles[usize::from(*handle) % 4] = Some(self.threads.len() as u8);
                self.start(usize::from(*function), argument);
                let new = self.threads.len() - 1;
                self.settle(code, new)?;
            }
            Stmt::Join(handle) => {
                let Some(other) = self.handles[usize::from(*handle) % 4] else { return Err(Moved::Meaningless) };
                if other == me {
                    return Err(Moved::Fails(Fault::Misuse));
                }
                return Ok(self.threads[usize::from(other)].status == Status::Done);
            }
            Stmt::Detach(_) => {}
            Stmt::Point(n, target) => {
                let address = match target {
                    Target::Null => 0,
                    Target::Static(i) => object(G + u64::from(*i), 0),
                    Target::Stack => self.threads[id].locals[3],
                    Target::Copy(m) => self.threads[id].nodes[usize::from(*m)],
                    Target::Next(m) => self.read_at(id, self.threads[id].nodes[usize::from(*m)].wrapping_add(16), 8)?,
                };
                self.threads[id].nodes[usize::from(*n)] = address;
            }
            Stmt::SetNext(n, m) => {
                let (at, value) = (self.threads[id].nodes[usize::from(*n)], self.threads[id].nodes[usize::from(*m)]);
                self.write_at(id, at.wrapping_add(16), 8, value)?;
            }
            Stmt::Malloc(n) => self.threads[id].nodes[usize::from(*n)] = self.memory.allocate(NODE_SIZE),
            Stmt::Calloc(n) => {
                let address = self.memory.allocate(NODE_SIZE);
                for offset in (0..u64::from(NODE_SIZE)).step_by(8) {
                    self.write_at(id, address + offset, 8, 0)?;
                }
                self.threads[id].nodes[usize::from(*n)] = address;
            }
            Stmt::Realloc(n) => self.realloc(id, *n)?,
            Stmt::Free(n) => {
                let address = self.threads[id].nodes[usize::from(*n)];
                self.memory.end(address, None).map_err(Moved::Fails)?;
            }
            Stmt::LoadNode(n, q, _) => {
                self.threads[id].nodes[usize::from(*n)] = self.read_at(id, object(Q, 8 * i64::from(*q)), 8)?;
            }
            Stmt::StoreNode(q, n, _) => {
                self.write_at(id, object(Q, 8 * i64::from(*q)), 8, self.threads[id].nodes[usize::from(*n)])?;
            }
            Stmt::SwapNode(n, q, m, _) => {
                let old = self.read_at(id, object(Q, 8 * i64::from(*q)), 8)?;
                self.write_at(id, object(Q, 8 * i64::from(*q)), 8, self.threads[id].nodes[usize::from(*m)])?;
                self.threads[id].nodes[usize::from(*n)] = old;
            }
            Stmt::CasNode { ok, at, expected, new, .. } => {
                let old = self.read_at(id, object(Q, 8 * i64::from(*at)), 8)?;
                let succeeds = old == self.threads[id].nodes[usize::from(*expected)];
                if succeeds {
                    self.write_at(id, object(Q, 8 * i64::from(*at)), 8, self.threads[id].nodes[usize::from(*new)])?;
                } else {
                    self.threads[id].nodes[usize::from(*expected)] = old;
                }
                self.set(id, *ok, i32::from(succeeds));
            }
            Stmt::Encode(d, n, coding) => {
                let address = self.threads[id].nodes[usize::from(*n)];
                self.threads[id].words[usize::from(*d)] = match coding {
                    Coding::Same => address,
                    Coding::Complement => !address,
                    Coding::Tagged => address | 1,
                    Coding::Shifted => address << 8 | 3,
                };
            }
            Stmt::Decode(n, d, coding) => {
                let word = self.threads[id].words[usize::from(*d)];
                self.threads[id].nodes[usize::from(*n)] = match coding {
                    Coding::Same => word,
                    Coding::Complement => !word,
                    Coding::Tagged => word & !1,
                    Coding::Shifted => word >> 8,
                };
            }
            Stmt::LoadWord(d, w, _) => self.threads[id].words[usize::from(*d)] = self.read_at(id, word(*w), 8)?,
            Stmt::StoreWord(w, d, _) => self.write_at(id, word(*w), 8, self.threads[id].words[usize::from(*d)])?,
            Stmt::SwapWord(d, w, s, _) => {
                let old = self.read_at(id, word(*w), 8)?;
                self.write_at(id, word(*w), 8, self.threads[id].words[usize::from(*s)])?;
                self.threads[id].words[usize::from(*d)] = old;
            }
            Stmt::Scatter(d) => self.write_at(id, object(U, 0), 8, self.threads[id].words[usize::from(*d)])?,
            Stmt::Gather(d) => self.threads[id].words[usize::from(*d)] = self.read_at(id, object(U, 0), 8)?,
            Stmt::Copy(to, from, _) => {
                let value = self.read_at(id, self.whole(id, from), 8)?;
                self.write_at(id, self.whole(id, to), 8, value)?;
            }
            Stmt::Protect(n) => {
                let object = self.threads[id].nodes[usize::from(*n)];
                // To say again what it says already changes nothing.
                if self.threads[id].hazard != object {
                    self.memory.unprotect(id);
                }
                self.threads[id].hazard = object;
            }
            Stmt::Clear => {
                self.memory.unprotect(id);
                self.threads[id].hazard = 0;
            }
            Stmt::Retire(n) => {
                let address = self.threads[id].nodes[usize::from(*n)];
                let protects = |(i, t): (usize, &Thread)| u8::from(t.hazard == address) << i;
                let protectors = self.threads.iter().enumerate().map(protects).sum();
                self.memory.end(address, Some(protectors)).map_err(Moved::Fails)?;
            }
        }
        Ok(true)
    }

    fn realloc(&mut self, id: usize, n: u8) -> Result<(), Moved> {
        let old = self.threads[id].nodes[usize::from(n)];
        let new = self.memory.allocate(NODE_SIZE);
        for offset in (0..u64::from(NODE_SIZE)).step_by(4) {
            // What was not written stays so.
            if let Ok(value) = self.memory.read(id, old.wrapping_add(offset), 4) {
                self.write_at(id, new + offset, 4, value)?;
            }
        }
        self.memory.end(old, None).map_err(Moved::Fails)?;
        self.threads[id].nodes[usize::from(n)] = new;
        Ok(())
    }

    fn lock(&mut self, code: &Code, id: usize, lock: Lock) -> Result<bool, Moved> {
        let me = id as u8;
        if let Lock::Mutex(i) = lock {
            let i = usize::from(i) % 2;
            let (owner, count) = self.mutexes[i];
            match (owner, code.mutexes[i]) {
                (Some(owner), Mutex::Recursive) if owner == me => {
                    self.mutexes[i].1 = count + 1;
                    return Ok(true);
                }
                // It says that the thread has it already.
                (Some(owner), Mutex::Checked) if owner == me => return Ok(true),
                _ => {}
            }
        }
        self.try_lock(code, id, lock)
    }

    fn try_lock(&mut self, code: &Code, id: usize, lock: Lock) -> Result<bool, Moved> {
        let me = id as u8;
        Ok(match lock {
            Lock::Mutex(i) => {
                let i = usize::from(i) % 2;
                match self.mutexes[i] {
                    (None, _) => {
                        self.mutexes[i] = (Some(me), 1);
                        true
                    }
                    (Some(owner), count) if owner == me && code.mutexes[i] == Mutex::Recursive => {
                        self.mutexes[i] = (Some(me), count + 1);
                        true
                    }
                    _ => false,
                }
            }
            Lock::Spin(i) => {
                let spin = &mut self.spins[usize::from(i) % 2];
                let free = spin.is_none();
                spin.get_or_insert(me);
                free
            }
            Lock::Read(i) => {
                let (readers, writer) = &mut self.rws[usize::from(i) % 2];
                if *readers & 1 << me != 0 {
                    // How often one thread reads is not counted here.
                    return Err(Moved::Meaningless);
                }
                if writer.is_none() {
                    *readers |= 1 << me;
                }
                writer.is_none()
            }
            Lock::Write(i) => {
                let (readers, writer) = &mut self.rws[usize::from(i) % 2];
                let free = *readers == 0 && writer.is_none();
                if free {
                    *writer = Some(me);
                }
                free
            }
        })
    }

    fn unlock(&mut self, code: &Code, id: usize, lock: Lock) -> Result<bool, Moved> {
        let me = id as u8;
        let misuse = Err(Moved::Fails(Fault::Misuse));
        match lock {
            Lock::Mutex(i) => {
                let i = usize::from(i) % 2;
                match self.mutexes[i] {
                    (Some(owner), count) if owner == me => {
                        self.mutexes[i] = if count > 1 { (Some(me), count - 1) } else { (None, 0) };
                    }
                    // It says so, and does nothing.
                    _ if code.mutexes[i] == Mutex::Checked => {}
                    (None, _) => return misuse,
                    _ => return Err(Moved::Meaningless),
                }
            }
            Lock::Spin(i) => match self.spins[usize::from(i) % 2] {
                Some(owner) if owner == me => self.spins[usize::from(i) % 2] = None,
                None => return misuse,
                _ => return Err(Moved::Meaningless),
            },
            Lock::Read(i) | Lock::Write(i) => {
                let (readers, writer) = &mut self.rws[usize::from(i) % 2];
                if *writer == Some(me) {
                    *writer = None;
                } else if *readers & 1 << me != 0 {
                    *readers &= !(1 << me);
                } else if *readers == 0 && writer.is_none() {
                    return misuse;
                } else {
                    return Err(Moved::Meaningless);
                }
            }
        }
        Ok(true)
    }

    fn cond_wait(&mut self, code: &Code, id: usize, m: u8) -> Result<bool, Moved> {
        match self.threads[id].status {
            Status::Runs => {
                if self.mutexes[usize::from(m) % 2] != (Some(id as u8), 1) {
                    return Err(Moved::Meaningless);
                }
                self.unlock(code, id, Lock::Mutex(m))?;
                self.threads[id].status = Status::Sleeps;
                Ok(true)
            }
            Status::Woken => {
                let went = self.try_lock(code, id, Lock::Mutex(m))?;
                if went {
                    self.threads[id].status = Status::Runs;
                }
                Ok(went)
            }
            Status::Sleeps | Status::AtBarrier | Status::Spins | Status::Done => Ok(false),
        }
    }

    fn barrier(&mut self, code: &Code, id: usize) -> bool {
        if self.threads[id].status == Status::AtBarrier {
            return false;
        }
        self.arrived += 1;
        if self.arrived < code.barrier {
            self.threads[id].status = Status::AtBarrier;
            return true;
        }
        self.arrived = 0;
        for thread in self.threads.iter_mut().filter(|t| t.status == Status::AtBarrier) {
            thread.status = Status::Runs;
            thread.at += 1;
        }
        true
    }

    /// Whether threads wait for what only they themselves could do. Those that run could do anything that their code does; `ends` says
    /// whether the process may still end, which ends every wait for what any thread could do.
    pub(super) fn is_deadlock(&self, code: &Code, ends: bool) -> bool {
        if self.is_over() {
            // The end of `main` is the end of all: what counts is how it was before.
            return false;
        }
        let mut stuck: Vec<bool> = (0..self.threads.len()).map(|id| self.waits(code, id)).collect();
        loop {
            let freed = (0..stuck.len()).find(|id| stuck[*id] && self.may_be_freed(code, *id, &stuck, ends));
            match freed {
                Some(id) => stuck[id] = false,
                None => return stuck.contains(&true),
            }
        }
    }

    /// Whether a thread waits for a resource or another thread.
    fn waits(&self, code: &Code, id: usize) -> bool {
        let waits = matches!(
            self.next(code, id),
            Some(
                Stmt::Lock(_)
                    | Stmt::SemWait(_)
                    | Stmt::CondWait(_)
                    | Stmt::Barrier
                    | Stmt::Join(_)
                    | Stmt::TimedLock(_, Lock::Mutex(_))
            )
        );
        let timed = matches!(self.next(code, id), Some(Stmt::TimedLock(..)));
        waits && !timed && self.clone().step(code, id, 0) == Moved::Waits
    }

    /// Whether a thread that is not stuck could end the wait of one that is.
    fn may_be_freed(&self, code: &Code, id: usize, stuck: &[bool], ends: bool) -> bool {
        let goes_on = |other: u8| {
            let other = usize::from(other);
            !stuck[other] && self.threads[other].status != Status::Done
        };
        let gives = |other: u8| code.gives[self.threads[usize::from(other)].function];
        let some_giver = || (0..self.threads.len() as u8).any(|other| goes_on(other) && gives(other));
        match self.next(code, id) {
            Some(Stmt::Lock(Lock::Mutex(i))) => self.mutexes[usize::from(*i) % 2].0.is_some_and(goes_on),
            Some(Stmt::Lock(Lock::Spin(i))) => self.spins[usize::from(*i) % 2].is_some_and(goes_on),
            Some(Stmt::Lock(Lock::Read(i) | Lock::Write(i))) => {
                let (readers, writer) = self.rws[usize::from(*i) % 2];
                let held = |t: u8| readers & 1 << t != 0 || writer == Some(t);
                let holders: Vec<u8> = (0..self.threads.len() as u8).filter(|t| held(*t)).collect();
                // Engines do not know who holds it, so that it counts only where the process cannot end.
                holders.into_iter().all(goes_on) || ends
            }
            Some(Stmt::Join(handle)) => self.handles[usize::from(*handle) % 4].is_some_and(goes_on),
            Some(Stmt::CondWait(m)) if self.threads[id].status == Status::Woken => {
                self.mutexes[usize::from(*m) % 2].0.is_some_and(goes_on)
            }
            _ => some_giver() || ends,
        }
    }

    pub(super) fn values(&self, places: &[Place]) -> Option<Vec<i32>> {
        places.iter().map(|place| self.read(0, place).ok()).collect()
    }
}

fn word(w: u8) -> u64 {
    if w < 2 { object(W, 8 * i64::from(w)) } else { object(K, 0) }
}
