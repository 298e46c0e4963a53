//! Draws programs. A profile concentrates on a few idioms, so that these meet often in programs that stay small.

mod accesses;
mod locks;
mod loops;
mod objects;
mod profiles;

pub use profiles::{PROFILES, Profile};

use super::ast::{Argument, Bin, Expr, Fetch, Mutex, Order, Place, Program, Stmt};
use super::morph::strengthen;
use crate::Rng;
use profiles::Idiom::{self, *};

/// Idioms inside of idioms.
const MOST_DEPTH: usize = 2;

/// A program, without what is claimed of its end.
pub fn draw(rng: &mut Rng, profile: Profile) -> Program {
    let mut program = Draw { rng, profile, n_threads: 0, n_variables: 0, depth: 0, next: 0 }.program();
    match profile {
        Profile::Sequential => make_sequential(&mut program, rng),
        Profile::Compiled => {
            exchange_instead(&mut program, rng);
            if rng.percent(40) {
                make_sequential(&mut program, rng);
            }
        }
        _ => {}
    }
    program
}

/// The strongest orders and, mostly, no fences beside them.
fn make_sequential(program: &mut Program, rng: &mut Rng) {
    program.visit_mut(&mut strengthen);
    if rng.percent(80) {
        program.blocks_mut().for_each(without_fences);
    }
}

fn without_fences(block: &mut Vec<Stmt>) {
    block.retain(|stmt| !matches!(stmt, Stmt::Fence(_)));
    block.iter_mut().flat_map(Stmt::blocks_mut).for_each(without_fences);
}

/// Some stores that release are made by updates, which acquire as well.
fn exchange_instead(program: &mut Program, rng: &mut Rng) {
    program.visit_mut(&mut |stmt| {
        if let Stmt::Store(place @ Place::Atomic(_), value, order @ (Order::Release | Order::SeqCst)) = stmt
            && rng.percent(25)
        {
            let order = if *order == Order::SeqCst { Order::SeqCst } else { Order::Both };
            *stmt = Stmt::Fetch(super::print::REGISTERS - 1, Fetch::Exchange, place.clone(), value.clone(), order);
        }
    });
}

struct Draw<'a> {
    rng: &'a mut Rng,
    profile: Profile,
    n_threads: u8,
    n_variables: usize,
    depth: usize,
    /// The next register to use.
    next: u8,
}

impl Draw<'_> {
    fn program(&mut self) -> Program {
        let alone = self.profile == Profile::Unknown && self.rng.percent(30);
        self.n_threads = match self.rng.below(10) {
            _ if alone => 0,
            0..5 if !matches!(self.profile, Profile::Locks | Profile::Failing | Profile::Signals | Profile::Beside) => {
                2
            }
            0..9 => 3,
            _ => 1,
        };
        self.n_variables = 2 + self.rng.below(2);
        let equal = self.rng.percent(self.profile.equal_threads());
        let n_functions = if equal { 1 } else { self.n_threads };
        let helpers: Vec<Vec<Stmt>> = (0..1).map(|_| self.helper()).collect();
        let size = match self.profile {
            Profile::Passing | Profile::Frees | Profile::Codings => 1,
            Profile::Twins | Profile::Owners | Profile::Signals | Profile::Beside => 1,
            Profile::Orders | Profile::Compiled | Profile::Sequential => 2,
            _ if self.n_threads > 2 => 2,
            _ => 3,
        };
        let threads = (0..n_functions).map(|t| self.thread(t, size, equal)).collect();
        let kinds: &[Mutex] = match self.profile {
            Profile::Owners => &[Mutex::Recursive, Mutex::Recursive, Mutex::Checked],
            _ => &[Mutex::Normal, Mutex::Normal, Mutex::Normal, Mutex::Plain, Mutex::Recursive, Mutex::Checked],
        };
        let mut program = Program {
            mutexes: [self.rng.pick(kinds), Mutex::Normal],
            semaphores: [self.rng.below(2) as u8, self.rng.below(2) as u8],
            barrier: self.n_threads.max(1),
            threads,
            helpers,
            main: Vec::new(),
            shared_handles: false,
            claim: None,
        };
        program.shared_handles = program.threads.iter().any(|body| joins(body)) || self.rng.percent(20);
        program.main = self.main(equal);
        program
    }

    fn helper(&mut self) -> Vec<Stmt> {
        self.next = 1;
        let mut out = Vec::new();
        let idiom = self.rng.pick(&[Write, Read, Guard, Update]);
        // Nothing but simple statements inside: a helper that calls itself has no end.
        self.depth = MOST_DEPTH;
        self.idiom(idiom, &mut out);
        self.depth = 0;
        out
    }

    fn thread(&mut self, t: u8, size: usize, equal: bool) -> Vec<Stmt> {
        self.next = 0;
        let mut out = Vec::new();
        for _ in 0..1 + self.rng.below(size) {
            self.any(&mut out);
        }
        if !equal {
            for r in self.loaded(&out) {
                out.push(Stmt::Store(Place::Left(t, r), Expr::Reg(r), Order::Plain));
            }
        }
        out
    }

    /// The registers that say something about what other threads did, three at most.
    fn loaded(&self, block: &[Stmt]) -> Vec<u8> {
        fn walk(block: &[Stmt], out: &mut Vec<u8>) {
            for stmt in block {
                match stmt {
                    Stmt::Load(r, ..)
                    | Stmt::Fetch(r, ..)
                    | Stmt::Set(r, Expr::IsZero(_))
                    | Stmt::TryLock(r, _)
                    | Stmt::SemTry(r, _)
                    | Stmt::Cas { ok: r, .. } => out.push(*r),
                    _ => {}
                }
                stmt.blocks().into_iter().for_each(|inner| walk(inner, out));
            }
        }
        let mut all = Vec::new();
        walk(block, &mut all);
        all.sort_unstable();
        all.dedup();
        all.truncate(3);
        all
    }

    fn main(&mut self, equal: bool) -> Vec<Stmt> {
        self.next = 0;
        let mut out = Vec::new();
        if matches!(self.profile, Profile::Heap | Profile::Hazard | Profile::Frees) || self.rng.percent(15) {
            self.new_node(0, &mut out);
            out.push(Stmt::StoreNode(0, 0, Order::Release));
        }
        let argument =
            if equal { self.rng.pick(&[Argument::Own, Argument::Own, Argument::Null]) } else { Argument::Null };
        for t in 0..self.n_threads {
            let argument = match argument {
                Argument::Null if self.rng.percent(10) => Argument::Number(t),
                other => other,
            };
            out.push(Stmt::Create(t, if equal { 0 } else { t }, argument));
            if self.rng.percent(if matches!(self.profile, Profile::Symmetry | Profile::Twins) { 50 } else { 8 }) {
                let value = Expr::Const(self.rng.below(4) as i32);
                let place = if self.rng.percent(70) { Place::Own(self.rng.percent(50)) } else { self.atomic() };
                let order = if matches!(place, Place::Own(_)) { Order::Plain } else { self.store_order() };
                out.push(Stmt::Store(place, value, order));
            }
        }
        let tells = matches!(self.profile, Profile::Deadlock | Profile::Rounds | Profile::Circles);
        if tells && self.rng.percent(if self.profile == Profile::Circles { 90 } else { 60 }) {
            out.push(Stmt::Store(Place::Atomic(0), Expr::Const(1), Order::Release));
        }
        if self.rng.percent(25) || self.n_threads == 0 {
            for _ in 0..if self.n_threads == 0 { 3 } else { 1 } {
                self.any(&mut out);
            }
        }
        let mut order: Vec<u8> = (0..self.n_threads).collect();
        if self.rng.percent(30) {
            order.reverse();
        }
        for t in order {
            match self.rng.below(20) {
                0 => {}
                1 => out.push(Stmt::Detach(t)),
                _ => out.push(Stmt::Join(t)),
            }
        }
        out
    }

    fn any(&mut self, out: &mut Vec<Stmt>) {
        let all = self.profile.idioms();
        let total: usize = all.iter().map(|(_, weight)| weight).sum();
        let mut at = self.rng.below(total);
        for (idiom, weight) in all {
            if at < *weight {
                return self.idiom(*idiom, out);
            }
            at -= weight;
        }
    }

    /// What may stand inside of a region or a branch.
    fn inner(&mut self, out: &mut Vec<Stmt>) {
        if self.depth >= MOST_DEPTH || self.rng.percent(60) {
            let small = [Read, Write, Read, Write, Update, Small];
            let idiom = self.rng.pick(&small);
            return self.idiom(idiom, out);
        }
        self.depth += 1;
        self.any(out);
        self.depth -= 1;
    }

    fn block(&mut self, most: usize) -> Vec<Stmt> {
        let mut out = Vec::new();
        for _ in 0..1 + self.rng.below(most) {
            self.inner(&mut out);
        }
        out
    }

    fn reg(&mut self) -> u8 {
        self.next = (self.next + 1) % super::print::REGISTERS;
        (self.next + super::print::REGISTERS - 1) % super::print::REGISTERS
    }

    fn atomic(&mut self) -> Place {
        Place::Atomic(self.rng.below(self.n_variables) as u8)
    }

    fn load_order(&mut self) -> Order {
        self.rng.pick(&[Order::Relaxed, Order::Relaxed, Order::Acquire, Order::SeqCst])
    }

    fn store_order(&mut self) -> Order {
        self.rng.pick(&[Order::Relaxed, Order::Relaxed, Order::Release, Order::SeqCst])
    }

    fn update_order(&mut self) -> Order {
        self.rng.pick(&[Order::Relaxed, Order::Acquire, Order::Release, Order::Both, Order::SeqCst])
    }

    fn value(&mut self) -> Expr {
        match self.rng.below(12) {
            0 => Expr::Bin(Bin::Add, Box::new(Expr::Reg(self.last())), Box::new(Expr::Const(1))),
            1 => Expr::Reg(self.last()),
            // Negative, or negative if only some of the bits count.
            2 => Expr::Const(-1),
            3 => Expr::Narrow(Box::new(Expr::Bin(
                Bin::Add,
                Box::new(Expr::Reg(self.last())),
                Box::new(Expr::Const(127)),
            ))),
            _ => Expr::Const(1 + self.rng.below(3) as i32),
        }
    }

    /// The register that was set last.
    fn last(&self) -> u8 {
        (self.next + super::print::REGISTERS - 1) % super::print::REGISTERS
    }

    fn load(&mut self, out: &mut Vec<Stmt>) -> u8 {
        let (r, place, order) = (self.reg(), self.atomic(), self.load_order());
        out.push(Stmt::Load(r, place, order));
        r
    }

    fn store(&mut self, out: &mut Vec<Stmt>) {
        let (place, value, order) = (self.atomic(), self.value(), self.store_order());
        out.push(Stmt::Store(place, value, order));
    }

    /// A condition on a number that was read.
    fn test(&mut self, r: u8) -> Expr {
        let c = self.rng.below(3) as i32;
        let op = self.rng.pick(&[Bin::Ne, Bin::Ne, Bin::Eq, Bin::Lt]);
        let c = if op == Bin::Ne { 0 } else { c + 1 };
        Expr::Bin(op, Box::new(Expr::Reg(r)), Box::new(Expr::Const(c)))
    }

    /// Appends the statements of an idiom.
    fn idiom(&mut self, idiom: Idiom, out: &mut Vec<Stmt>) {
        match idiom {
            Read => self.read(out),
            Write => self.store(out),
            Update => self.update(out),
            CompareExchange => self.compare_exchange(out),
            Fence => self.fence(out),
            Plain => self.plain_access(out),
            Guard => self.guard(out),
            GuardedPlain => self.guarded_plain(out),
            Region => self.region(out),
            TryRegion | TimedRegion => self.try_region(idiom, out),
            HalfLocked => self.half_locked(out),
            Await => self.await_loop(out),
            AwaitUndo => self.await_undo(out),
            Retry => self.retry_loop(out),
            RetryWriting => self.retry_writing(out),
            RetryNode => self.retry_node(out),
            Publish => self.publish(out),
            Consume => self.consume(out),
            FreeNode => self.free_node(out),
            Encoded => self.encoded(out),
            Decoded => self.decoded(out),
            Addresses => self.addresses(out),
            Bytes => self.bytes(out),
            Copied => self.copied(out),
            Union => self.union_parts(out),
            Halves => self.halves(out),
            Element => self.element(out),
            LocalArray => self.local_array(out),
            Semaphore => self.semaphore(out),
            Wait => self.wait_for_signal(out),
            Signal => self.signal(out),
            Barrier => out.push(Stmt::Barrier),
            Once => self.once(out),
            Call => self.call_helper(out),
            Assume => self.assume(out),
            Assert => self.assertion(out),
            Return => self.early_return(out),
            HazardRead => self.hazard_read(out),
            HazardWrite => self.hazard_write(out),
            JoinOther => self.join_other(out),
            Small => self.small_number(out),
            Argument => self.argument(out),
            Nested => self.nested(out),
            Times => self.repeat(out),
            StackNode => self.stack_node(out),
            Initialise => self.initialise(out),
            AwaitSame => self.await_same(out),
            AwaitTell => self.await_tell(out),
            Told => self.told(out),
            RetryTell => self.retry_tell(out),
            ToldFree => self.told_free(out),
            StoreLoad => self.store_load(out),
            Message => self.message(out),
            Received => self.received(out),
            Compute => self.compute(out),
            Judged => self.judged(out),
            Pass => self.pass(out),
            Passed => self.passed(out),
            RetryPassed => self.retry_passed(out),
            Again => self.lock_again(out),
            WaitOnce => self.wait_once(out),
            SignalTwice => self.signal_twice(out),
            Elected => self.elected(out),
            Decided => self.decided(out),
            NestedTell => self.nested_tell(out),
        }
    }
}

/// Whether a thread joins another.
pub(super) fn joins(block: &[Stmt]) -> bool {
    block.iter().any(|stmt| matches!(stmt, Stmt::Join(_)) || stmt.blocks().into_iter().any(|inner| joins(inner)))
}
