//! Draws programs. A profile concentrates on a few features, so that these meet often in programs that stay small.

use super::ast::{
    Argument, Bin, Coding, Copying, Expr, Fetch, Lock, Mutex, Order, Place, Program, Stmt, Target, Whole,
};
use crate::Rng;

/// What a program is mostly about.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Profile {
    Locks,
    Waiting,
    Loops,
    Retry,
    Heap,
    Hazard,
    Symmetry,
    Data,
    Unknown,
    Deadlock,
    Everything,
}

pub const PROFILES: &[(&str, Profile)] = &[
    ("locks", Profile::Locks),
    ("waiting", Profile::Waiting),
    ("loops", Profile::Loops),
    ("retry", Profile::Retry),
    ("heap", Profile::Heap),
    ("hazard", Profile::Hazard),
    ("symmetry", Profile::Symmetry),
    ("data", Profile::Data),
    ("unknown", Profile::Unknown),
    ("deadlock", Profile::Deadlock),
    ("everything", Profile::Everything),
];

impl Profile {
    pub fn name(self) -> &'static str {
        PROFILES.iter().find(|(_, profile)| *profile == self).map_or("", |(name, _)| name)
    }

    pub fn named(name: &str) -> Option<Profile> {
        PROFILES.iter().find(|(known, _)| *known == name).map(|(_, profile)| *profile)
    }
}

/// A few statements that belong together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Idiom {
    Read,
    Write,
    Update,
    CompareExchange,
    Fence,
    Plain,
    Guard,
    GuardedPlain,
    Region,
    TryRegion,
    TimedRegion,
    HalfLocked,
    Await,
    AwaitUndo,
    Retry,
    RetryNode,
    RetryWriting,
    Publish,
    Consume,
    FreeNode,
    Encoded,
    Decoded,
    Addresses,
    Bytes,
    Copied,
    Union,
    Halves,
    Element,
    LocalArray,
    Semaphore,
    Wait,
    Signal,
    Barrier,
    Once,
    Call,
    Assume,
    Assert,
    Return,
    HazardRead,
    HazardWrite,
    JoinOther,
    Small,
    Argument,
    StackNode,
    Times,
    Nested,
}

use Idiom::*;

impl Profile {
    fn idioms(self) -> &'static [(Idiom, usize)] {
        match self {
            Profile::Locks => &[
                (Region, 10),
                (TryRegion, 3),
                (TimedRegion, 1),
                (HalfLocked, 1),
                (Read, 7),
                (Write, 7),
                (Guard, 5),
                (Update, 2),
                (GuardedPlain, 2),
                (FreeNode, 1),
                (Consume, 1),
                (Assume, 1),
                (Return, 1),
            ],
            Profile::Waiting => &[
                (Semaphore, 6),
                (Wait, 4),
                (Signal, 4),
                (Barrier, 4),
                (Once, 3),
                (Read, 4),
                (Write, 4),
                (Guard, 3),
                (Region, 2),
                (Plain, 1),
                (Return, 1),
            ],
            Profile::Loops => &[
                (Await, 9),
                (AwaitUndo, 2),
                (Read, 3),
                (Write, 6),
                (Guard, 4),
                (GuardedPlain, 6),
                (Times, 2),
                (Update, 2),
                (CompareExchange, 1),
                (Fence, 1),
                (Return, 1),
                (Assume, 1),
            ],
            Profile::Retry => &[
                (Retry, 7),
                (RetryWriting, 4),
                (RetryNode, 2),
                (AwaitUndo, 1),
                (Encoded, 4),
                (Decoded, 4),
                (Read, 4),
                (Write, 5),
                (Guard, 3),
                (Update, 2),
            ],
            Profile::Heap => &[
                (RetryNode, 6),
                (Publish, 5),
                (Consume, 5),
                (FreeNode, 6),
                (Guard, 3),
                (Write, 4),
                (Read, 2),
                (Copied, 1),
                (StackNode, 1),
                (Region, 1),
            ],
            Profile::Hazard => &[(HazardRead, 6), (HazardWrite, 5), (Write, 2), (Guard, 1), (Read, 1)],
            Profile::Symmetry => &[
                (Addresses, 3),
                (Argument, 5),
                (Update, 4),
                (Read, 3),
                (Write, 3),
                (Guard, 4),
                (CompareExchange, 2),
                (Region, 2),
                (StackNode, 1),
                (Await, 1),
                (Small, 1),
            ],
            Profile::Data => &[
                (Copied, 8),
                (Union, 4),
                (Halves, 3),
                (Element, 3),
                (Bytes, 2),
                (Publish, 3),
                (Consume, 4),
                (Read, 3),
                (Write, 4),
                (Guard, 3),
                (Call, 2),
            ],
            Profile::Unknown => &[
                (Element, 6),
                (LocalArray, 6),
                (Copied, 3),
                (Read, 3),
                (Write, 3),
                (Publish, 1),
                (Consume, 2),
                (Guard, 2),
                (Assume, 1),
                (Assert, 3),
                (Call, 1),
            ],
            Profile::Deadlock => &[
                (HalfLocked, 2),
                (Region, 4),
                (Nested, 9),
                (Await, 4),
                (JoinOther, 4),
                (Semaphore, 3),
                (Wait, 2),
                (Signal, 2),
                (Write, 5),
                (Read, 2),
                (Guard, 2),
                (Barrier, 1),
            ],
            Profile::Everything => &[
                (Read, 4),
                (Write, 4),
                (Update, 2),
                (CompareExchange, 1),
                (Fence, 1),
                (Plain, 1),
                (Guard, 3),
                (GuardedPlain, 2),
                (Region, 2),
                (TryRegion, 1),
                (TimedRegion, 1),
                (HalfLocked, 1),
                (Await, 2),
                (AwaitUndo, 1),
                (Retry, 1),
                (RetryNode, 1),
                (RetryWriting, 1),
                (Publish, 1),
                (Consume, 1),
                (FreeNode, 1),
                (Encoded, 1),
                (Decoded, 1),
                (Addresses, 1),
                (Bytes, 1),
                (Copied, 1),
                (Union, 1),
                (Halves, 1),
                (Element, 1),
                (LocalArray, 1),
                (Semaphore, 1),
                (Wait, 1),
                (Signal, 1),
                (Barrier, 1),
                (Once, 1),
                (Call, 1),
                (Assume, 1),
                (Assert, 1),
                (Return, 1),
                (StackNode, 1),
                (JoinOther, 1),
                (Times, 2),
            ],
        }
    }

    /// Whether threads tend to run the same function.
    fn equal_threads(self) -> u64 {
        match self {
            Profile::Symmetry => 85,
            Profile::Everything => 20,
            _ => 10,
        }
    }
}

/// A program, without what is claimed of its end.
pub fn draw(rng: &mut Rng, profile: Profile) -> Program {
    Draw { rng, profile, n_threads: 0, n_variables: 0, depth: 0, next: 0 }.program()
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
            0..5 if self.profile != Profile::Locks => 2,
            0..9 => 3,
            _ => 1,
        };
        self.n_variables = 2 + self.rng.below(2);
        let equal = self.rng.percent(self.profile.equal_threads());
        let n_functions = if equal { 1 } else { self.n_threads };
        let helpers: Vec<Vec<Stmt>> = (0..1).map(|_| self.helper()).collect();
        let size = if self.n_threads > 2 { 2 } else { 3 };
        let threads = (0..n_functions).map(|t| self.thread(t, size, equal)).collect();
        let kinds = [Mutex::Normal, Mutex::Normal, Mutex::Normal, Mutex::Plain, Mutex::Recursive, Mutex::Checked];
        let mut program = Program {
            mutexes: [self.rng.pick(&kinds), Mutex::Normal],
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
        self.idiom(idiom, &mut out);
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
                    Stmt::Load(r, ..) | Stmt::Fetch(r, ..) | Stmt::TryLock(r, _) | Stmt::Cas { ok: r, .. } => {
                        out.push(*r)
                    }
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
        if matches!(self.profile, Profile::Heap | Profile::Hazard) || self.rng.percent(15) {
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
            if self.rng.percent(if self.profile == Profile::Symmetry { 50 } else { 8 }) {
                let value = Expr::Const(self.rng.below(4) as i32);
                let place = if self.rng.percent(70) { Place::Own(self.rng.percent(50)) } else { self.atomic() };
                let order = if matches!(place, Place::Own(_)) { Order::Plain } else { self.store_order() };
                out.push(Stmt::Store(place, value, order));
            }
        }
        if self.profile == Profile::Deadlock && self.rng.percent(60) {
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
        if self.depth >= 2 || self.rng.percent(60) {
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
        match self.rng.below(8) {
            0 => Expr::Bin(Bin::Add, Box::new(Expr::Reg(self.last())), Box::new(Expr::Const(1))),
            1 => Expr::Reg(self.last()),
            _ => Expr::Const(1 + self.rng.below(3) as i32),
        }
    }

    /// The register that was set last.
    fn last(&self) -> u8 {
        (self.next + super::print::REGISTERS - 1) % super::print::REGISTERS
    }

    fn lock(&mut self) -> Lock {
        // Threads that take the same lock are what matters.
        let i = u8::from(self.rng.percent(match self.profile {
            Profile::Deadlock => 50,
            Profile::Locks => 10,
            _ => 25,
        }));
        match self.rng.below(10) {
            0..7 => Lock::Mutex(i),
            7 => Lock::Spin(i),
            8 => Lock::Read(i),
            _ => Lock::Write(i),
        }
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

    fn plain(&mut self) -> Place {
        Place::Plain(self.rng.below(2) as u8)
    }

    fn plain_access(&mut self, out: &mut Vec<Stmt>) {
        let place = self.plain();
        if self.rng.percent(50) {
            let r = self.reg();
            out.push(Stmt::Load(r, place, Order::Plain));
        } else {
            let value = self.value();
            out.push(Stmt::Store(place, value, Order::Plain));
        }
    }

    /// A condition on a number that was read.
    fn test(&mut self, r: u8) -> Expr {
        let c = self.rng.below(3) as i32;
        let op = self.rng.pick(&[Bin::Ne, Bin::Ne, Bin::Eq, Bin::Lt]);
        let c = if op == Bin::Ne { 0 } else { c + 1 };
        Expr::Bin(op, Box::new(Expr::Reg(r)), Box::new(Expr::Const(c)))
    }

    fn new_node(&mut self, n: u8, out: &mut Vec<Stmt>) {
        // What is allocated again must be written everywhere, also where it has no fields.
        let again = self.rng.percent(5);
        out.push(if again || self.rng.percent(5) { Stmt::Calloc(n) } else { Stmt::Malloc(n) });
        for place in [Place::NodeField(n, false), Place::NodeField(n, true), Place::NodeNumber(n)] {
            if self.rng.percent(92) {
                let order = if matches!(place, Place::NodeNumber(_)) { Order::Relaxed } else { Order::Plain };
                let value = Expr::Const(1 + self.rng.below(3) as i32);
                out.push(Stmt::Store(place, value, order));
            }
        }
        if again {
            out.push(Stmt::Realloc(n));
        }
    }

    fn use_node(&mut self, n: u8, out: &mut Vec<Stmt>) {
        let r = self.reg();
        match self.rng.below(8) {
            0..3 => out.push(Stmt::Load(r, Place::NodeField(n, self.rng.percent(50)), Order::Plain)),
            3..5 => {
                let order = self.load_order();
                out.push(Stmt::Load(r, Place::NodeNumber(n), order));
            }
            5 => {
                let (value, order) = (self.value(), self.store_order());
                out.push(Stmt::Store(Place::NodeNumber(n), value, order));
            }
            _ => {
                let how = self.copying();
                out.push(Stmt::Copy(Whole::Local(0), Whole::InNode(n), how));
                out.push(Stmt::Load(r, Place::Local(0, self.rng.percent(50)), Order::Plain));
            }
        }
    }

    fn copying(&mut self) -> Copying {
        self.rng.pick(&[Copying::Assign, Copying::Assign, Copying::Memcpy, Copying::Fields, Copying::Call])
    }

    fn coding(&mut self) -> Coding {
        self.rng.pick(&[Coding::Same, Coding::Complement, Coding::Tagged, Coding::Shifted])
    }

    fn index(&mut self, most: i32, out: &mut Vec<Stmt>) -> Box<Expr> {
        let r = match self.rng.below(4) {
            0 => return Box::new(Expr::Const(self.rng.below(most as usize + 1) as i32)),
            1 | 2 if matches!(self.profile, Profile::Unknown | Profile::Everything) => {
                let r = self.reg();
                // A mask that allows too much goes beyond the array.
                let mask = if self.rng.percent(25) { 2 * most + 1 } else { most };
                out.push(Stmt::Unknown(r, mask));
                return Box::new(Expr::Reg(r));
            }
            _ => self.load(out),
        };
        if self.rng.percent(85) {
            return Box::new(Expr::Bin(Bin::And, Box::new(Expr::Reg(r)), Box::new(Expr::Const(most))));
        }
        Box::new(Expr::Reg(r))
    }

    #[expect(clippy::too_many_lines, reason = "one arm for each idiom")]
    fn idiom(&mut self, idiom: Idiom, out: &mut Vec<Stmt>) {
        match idiom {
            Read => {
                self.load(out);
            }
            Write => self.store(out),
            Update => {
                let op = self.rng.pick(&[Fetch::Add, Fetch::Add, Fetch::Sub, Fetch::Or, Fetch::Xor, Fetch::Exchange]);
                let (r, place, order) = (self.reg(), self.atomic(), self.update_order());
                let value = Expr::Const(1 + self.rng.below(2) as i32);
                out.push(Stmt::Fetch(r, op, place, value, order));
                if self.rng.percent(40) {
                    let (cond, then) = (self.test(r), self.block(1));
                    out.push(Stmt::If(cond, then, Vec::new()));
                }
            }
            CompareExchange => {
                let (ok, expected) = (self.reg(), self.reg());
                let (place, new, order, fail) = (self.atomic(), self.value(), self.update_order(), self.fail_order());
                out.push(Stmt::Cas { ok, place, expected, new, order, fail });
            }
            Fence => {
                let order = self.rng.pick(&[Order::Acquire, Order::Release, Order::Both, Order::SeqCst]);
                out.push(Stmt::Fence(order));
            }
            Plain => self.plain_access(out),
            Guard => {
                let r = self.load(out);
                let (cond, then) = (self.test(r), self.block(2));
                let otherwise = if self.rng.percent(15) { self.block(1) } else { Vec::new() };
                out.push(Stmt::If(cond, then, otherwise));
            }
            GuardedPlain => {
                let r = self.load(out);
                let cond = self.test(r);
                let mut then = Vec::new();
                self.plain_access(&mut then);
                out.push(Stmt::If(cond, then, Vec::new()));
            }
            Region => {
                let lock = self.lock();
                out.push(Stmt::Lock(lock));
                let most = if self.profile == Profile::Deadlock { 1 } else { 2 };
                if self.rng.percent(85) {
                    out.extend(self.block(most));
                }
                if self.rng.percent(97) {
                    out.push(Stmt::Unlock(lock));
                }
            }
            TryRegion | TimedRegion => {
                let (lock, r) = (self.lock(), self.reg());
                out.push(if idiom == TryRegion { Stmt::TryLock(r, lock) } else { Stmt::TimedLock(r, lock) });
                let mut then = self.block(2);
                then.push(Stmt::Unlock(lock));
                out.push(Stmt::If(Expr::Reg(r), then, Vec::new()));
            }
            HalfLocked => {
                let lock = self.lock();
                let r = self.load(out);
                let cond = self.test(r);
                out.push(Stmt::If(cond.clone(), vec![Stmt::Lock(lock)], Vec::new()));
                out.extend(self.block(1));
                if self.rng.percent(80) {
                    out.push(Stmt::If(cond, vec![Stmt::Unlock(lock)], Vec::new()));
                }
            }
            Await => {
                let mut body = Vec::new();
                let r = self.load(&mut body);
                let done = Stmt::BreakIf(self.test(r));
                if self.rng.percent(60) {
                    body.push(done);
                    self.waiting(&mut body);
                } else {
                    self.waiting(&mut body);
                    body.push(done);
                }
                out.push(Stmt::Loop(body));
            }
            AwaitUndo => {
                let (r, place, order) = (self.reg(), self.atomic(), self.update_order());
                let mut body = vec![Stmt::Fetch(r, Fetch::Add, place.clone(), Expr::Const(1), order)];
                body.push(Stmt::BreakIf(self.test(r)));
                let (s, order) = (self.reg(), self.update_order());
                self.waiting(&mut body);
                body.push(Stmt::Fetch(s, Fetch::Sub, place, Expr::Const(1), order));
                out.push(Stmt::Loop(body));
            }
            Retry => {
                let (place, order) = (self.atomic(), self.load_order());
                self.retry(place, order, out, |draw, body| {
                    if draw.rng.percent(40) {
                        draw.waiting(body);
                    }
                });
            }
            RetryWriting => {
                let (place, order) = (self.atomic(), self.load_order());
                if self.rng.percent(40) {
                    self.idiom(Encoded, out);
                }
                self.retry(place, order, out, |draw, body| {
                    let order = draw.store_order();
                    let seen = Expr::Reg(draw.last());
                    let write = Stmt::Store(Place::NodeNumber(0), seen, order);
                    body.push(Stmt::If(Expr::Not(Box::new(Expr::IsNull(0))), vec![write], Vec::new()));
                });
            }
            RetryNode => {
                let order = self.load_order();
                out.push(Stmt::LoadNode(0, 0, order));
                let mut body = vec![Stmt::If(Expr::IsNull(0), vec![Stmt::Return], Vec::new())];
                if self.rng.percent(85) {
                    self.use_node(0, &mut body);
                }
                let (ok, order, fail) = (self.reg(), self.update_order(), self.fail_order());
                body.push(Stmt::CasNode { ok, at: 0, expected: 0, new: 1, order, fail });
                body.push(Stmt::BreakIf(Expr::Reg(ok)));
                out.push(Stmt::Loop(body));
                if self.rng.percent(25) {
                    out.push(Stmt::Free(0));
                }
            }
            Publish => {
                self.new_node(1, out);
                let (q, order) = (self.rng.below(2) as u8, self.store_order());
                out.push(Stmt::StoreNode(q, 1, order));
            }
            Consume => {
                let (q, order) = (self.rng.below(2) as u8, self.load_order());
                out.push(Stmt::LoadNode(2, q, order));
                let mut then = Vec::new();
                self.use_node(2, &mut then);
                if self.rng.percent(95) {
                    out.push(Stmt::If(Expr::Not(Box::new(Expr::IsNull(2))), then, Vec::new()));
                } else {
                    out.append(&mut then);
                }
            }
            FreeNode => {
                let order = self.update_order();
                if self.rng.percent(50) {
                    self.new_node(1, out);
                }
                out.push(Stmt::SwapNode(2, 0, 1, order));
                let cond = Expr::Not(Box::new(Expr::IsNull(2)));
                let cond = if self.rng.percent(70) {
                    let r = self.load(out);
                    Expr::Bin(Bin::LogicalAnd, Box::new(cond), Box::new(self.test(r)))
                } else {
                    cond
                };
                out.push(Stmt::If(cond, vec![Stmt::Free(2)], Vec::new()));
            }
            Encoded => {
                self.new_node(0, out);
                let (coding, order) = (self.coding(), self.store_order());
                out.push(Stmt::Encode(0, 0, coding));
                out.push(Stmt::StoreWord(0, 0, order));
            }
            Decoded => {
                let (coding, order) = (self.coding(), self.load_order());
                out.push(Stmt::LoadWord(1, 0, order));
                let mut then = vec![Stmt::Decode(1, 1, coding)];
                self.use_node(1, &mut then);
                if self.rng.percent(60) {
                    then.extend(self.block(1));
                }
                out.push(Stmt::If(Expr::Not(Box::new(Expr::IsZero(1))), then, Vec::new()));
            }
            Addresses => {
                match self.rng.below(4) {
                    0 => out.push(Stmt::Point(0, Target::Stack)),
                    _ => self.new_node(0, out),
                }
                let coding = self.rng.pick(&[Coding::Same, Coding::Same, Coding::Complement]);
                out.push(Stmt::Encode(0, 0, coding));
                let order = self.update_order();
                out.push(Stmt::SwapWord(1, 0, 0, order));
                let less = Expr::LessWord(1, 0);
                let then = match self.rng.below(3) {
                    0 => vec![Stmt::If(less, self.block(1), Vec::new())],
                    1 => vec![Stmt::Assert(less)],
                    _ => vec![Stmt::Set(self.reg(), less)],
                };
                out.push(Stmt::If(Expr::Not(Box::new(Expr::IsZero(1))), then, Vec::new()));
            }
            Bytes => {
                if self.rng.percent(50) {
                    self.new_node(0, out);
                    out.push(Stmt::Encode(0, 0, Coding::Same));
                    out.push(Stmt::Scatter(0));
                    out.push(Stmt::Store(Place::Atomic(0), Expr::Const(1), Order::Release));
                } else {
                    let r = self.reg();
                    out.push(Stmt::Load(r, Place::Atomic(0), Order::Acquire));
                    let mut then = vec![Stmt::Gather(1), Stmt::Decode(1, 1, Coding::Same)];
                    let mut inner = Vec::new();
                    self.use_node(1, &mut inner);
                    then.push(Stmt::If(Expr::Not(Box::new(Expr::IsNull(1))), inner, Vec::new()));
                    out.push(Stmt::If(Expr::Reg(r), then, Vec::new()));
                }
            }
            Copied => {
                let (index, how) = (self.index(1, out), self.copying());
                if self.rng.percent(40) {
                    let field = Place::Field(index.clone(), self.rng.percent(50));
                    let value = self.value();
                    out.push(Stmt::Store(field, value, Order::Plain));
                }
                if self.rng.percent(75) {
                    out.push(Stmt::Copy(Whole::Local(0), Whole::Global(index), how));
                } else {
                    let value = self.value();
                    out.push(Stmt::Store(Place::Local(0, true), value, Order::Plain));
                    out.push(Stmt::Copy(Whole::Global(index), Whole::Local(0), how));
                }
                let r = self.reg();
                out.push(Stmt::Load(r, Place::Local(0, self.rng.percent(50)), Order::Plain));
            }
            Union => {
                let index = self.index(1, out);
                let place = |draw: &mut Self, index: Box<Expr>| match draw.rng.below(2) {
                    0 => Place::Half(index, draw.rng.below(2) as u8),
                    _ => Place::Byte(index, draw.rng.below(8) as u8),
                };
                let value = self.value();
                let at = place(self, index.clone());
                out.push(Stmt::Store(at, value, Order::Plain));
                let (r, at) = (self.reg(), place(self, index));
                out.push(Stmt::Load(r, at, Order::Plain));
            }
            Halves => {
                let half = Place::AtomicHalf(self.rng.below(2) as u8);
                match self.rng.below(4) {
                    0 => {
                        let (value, order) = (self.value(), self.store_order());
                        out.push(Stmt::Store(half, value, order));
                    }
                    1 => {
                        let (r, order) = (self.reg(), self.load_order());
                        out.push(Stmt::Load(r, half, order));
                    }
                    2 => {
                        let order = self.load_order();
                        out.push(Stmt::LoadWord(2, 2, order));
                        out.push(Stmt::Set(self.reg(), Expr::IsZero(2)));
                    }
                    _ => {
                        let order = self.store_order();
                        out.push(Stmt::StoreWord(2, 2, order));
                    }
                }
            }
            Element => {
                let index = self.index(3, out);
                let atomic = self.rng.percent(60);
                let place = if atomic { Place::AtomicElem(index) } else { Place::PlainElem(index) };
                if self.rng.percent(60) {
                    let (r, order) = (self.reg(), if atomic { self.load_order() } else { Order::Plain });
                    out.push(Stmt::Load(r, place, order));
                } else {
                    let (value, order) = (self.value(), if atomic { self.store_order() } else { Order::Plain });
                    out.push(Stmt::Store(place, value, order));
                }
            }
            LocalArray => {
                let index = self.index(3, out);
                if self.rng.percent(40) {
                    let value = self.value();
                    let at = if self.rng.percent(50) { index.clone() } else { Box::new(Expr::Const(1)) };
                    out.push(Stmt::Store(Place::LocalElem(at), value, Order::Plain));
                }
                let r = self.reg();
                out.push(Stmt::Load(r, Place::LocalElem(index), Order::Plain));
            }
            Semaphore => {
                let i = self.rng.below(2) as u8;
                match self.rng.below(4) {
                    0 => out.push(Stmt::SemWait(i)),
                    1 | 2 => out.push(Stmt::SemPost(i)),
                    _ => {
                        let r = self.reg();
                        out.push(Stmt::SemTry(r, i));
                    }
                }
            }
            Wait => {
                out.push(Stmt::Lock(Lock::Mutex(0)));
                let mut body = Vec::new();
                let r = self.load(&mut body);
                body.push(Stmt::BreakIf(self.test(r)));
                body.push(Stmt::CondWait(0));
                if self.rng.percent(85) {
                    out.push(Stmt::Loop(body));
                } else {
                    out.push(Stmt::CondWait(0));
                }
                out.push(Stmt::Unlock(Lock::Mutex(0)));
            }
            Signal => {
                let locked = self.rng.percent(75);
                if locked {
                    out.push(Stmt::Lock(Lock::Mutex(0)));
                }
                self.store(out);
                out.push(if self.rng.percent(60) { Stmt::CondSignal } else { Stmt::CondBroadcast });
                if locked {
                    out.push(Stmt::Unlock(Lock::Mutex(0)));
                }
            }
            Barrier => out.push(Stmt::Barrier),
            Once => {
                let i = self.rng.below(2) as u8;
                out.push(Stmt::Once(i));
                if self.rng.percent(60) {
                    let r = self.reg();
                    out.push(Stmt::Load(r, Place::Plain(i), Order::Plain));
                }
            }
            Call => {
                let (argument, by_pointer) = (self.value(), self.rng.percent(40));
                out.push(Stmt::Call { helper: 0, argument, by_pointer });
            }
            Assume => {
                let r = self.load(out);
                out.push(Stmt::Assume(self.test(r)));
            }
            Assert => {
                let r = self.last();
                let c = Expr::Const(self.rng.below(4) as i32);
                out.push(Stmt::Assert(Expr::Bin(Bin::Ne, Box::new(Expr::Reg(r)), Box::new(c))));
            }
            Return => {
                let r = self.load(out);
                let cond = self.test(r);
                out.push(Stmt::If(cond, vec![Stmt::Return], Vec::new()));
            }
            HazardRead => {
                let order = self.load_order();
                let load = Stmt::LoadNode(0, 0, order);
                if self.rng.percent(50) {
                    let again = Stmt::LoadNode(1, 0, self.load_order());
                    let same = Stmt::BreakIf(Expr::SameNode(0, 1));
                    out.push(Stmt::Loop(vec![load, Stmt::Protect(0), again, same]));
                } else {
                    out.extend([load, Stmt::Protect(0)]);
                }
                let mut then = Vec::new();
                self.use_node(0, &mut then);
                out.push(Stmt::If(Expr::Not(Box::new(Expr::IsNull(0))), then, Vec::new()));
                if self.rng.percent(70) {
                    out.push(Stmt::Clear);
                }
            }
            HazardWrite => {
                if self.rng.percent(60) {
                    self.new_node(1, out);
                }
                let order = self.update_order();
                out.push(Stmt::SwapNode(2, 0, 1, order));
                out.push(Stmt::If(Expr::Not(Box::new(Expr::IsNull(2))), vec![Stmt::Retire(2)], Vec::new()));
            }
            JoinOther => {
                let mut body = vec![];
                let r = self.reg();
                let go = Place::Atomic(0);
                body.push(Stmt::Load(r, go, Order::Acquire));
                body.push(Stmt::BreakIf(Expr::Reg(r)));
                out.push(Stmt::Loop(body));
                let other = self.rng.below(usize::from(self.n_threads.max(1))) as u8;
                out.push(Stmt::Join(other));
            }
            Small => {
                let value = Expr::Const(self.rng.below(4) as i32);
                out.push(Stmt::Store(Place::Local(0, false), value, Order::Plain));
            }
            Argument => {
                let r = self.reg();
                if self.rng.percent(85) {
                    out.push(Stmt::Load(r, Place::ArgumentField(self.rng.percent(30)), Order::Plain));
                } else {
                    out.push(Stmt::Set(r, Expr::Argument));
                }
            }
            Nested => {
                let i = self.rng.below(2) as u8;
                let (outer, inner) = (Lock::Mutex(i), Lock::Mutex(1 - i));
                out.extend([Stmt::Lock(outer), Stmt::Lock(inner)]);
                if self.rng.percent(30) {
                    self.store(out);
                }
                out.extend([Stmt::Unlock(inner), Stmt::Unlock(outer)]);
            }
            Times => {
                let body = self.block(1);
                out.push(Stmt::Repeat(2, body));
            }
            StackNode => {
                out.push(Stmt::Point(1, Target::Stack));
                let order = self.store_order();
                out.push(Stmt::StoreNode(1, 1, order));
            }
        }
    }

    fn fail_order(&mut self) -> Order {
        self.rng.pick(&[Order::Relaxed, Order::Relaxed, Order::Acquire, Order::SeqCst])
    }

    /// What a round of a loop does beside waiting.
    fn waiting(&mut self, body: &mut Vec<Stmt>) {
        match self.rng.below(8) {
            0..3 => {
                let (r, place) = (self.reg(), self.plain());
                body.push(Stmt::Load(r, place, Order::Plain));
            }
            3 => {
                self.load(body);
            }
            4 => {
                let r = self.load(body);
                let cond = self.test(r);
                let (s, place) = (self.reg(), self.plain());
                body.push(Stmt::If(cond, vec![Stmt::Load(s, place, Order::Plain)], Vec::new()));
            }
            5 => {
                let r = self.load(body);
                let cond = self.test(r);
                body.push(Stmt::If(cond, vec![Stmt::Return], Vec::new()));
            }
            _ => {}
        }
    }

    /// Load, then compare and exchange until that succeeds.
    fn retry(&mut self, place: Place, order: Order, out: &mut Vec<Stmt>, round: impl Fn(&mut Self, &mut Vec<Stmt>)) {
        let r = self.reg();
        out.push(Stmt::Load(r, place.clone(), order));
        let mut body = Vec::new();
        round(self, &mut body);
        let (ok, order, fail) = (self.reg(), self.update_order(), self.fail_order());
        let add = Expr::Const([1, 1, 10][self.rng.below(3)]);
        let new = if self.rng.percent(70) {
            Expr::Bin(Bin::Add, Box::new(Expr::Reg(r)), Box::new(add))
        } else {
            self.value()
        };
        body.push(Stmt::Cas { ok, place, expected: r, new, order, fail });
        body.push(Stmt::BreakIf(Expr::Reg(ok)));
        out.push(Stmt::Loop(body));
    }
}

/// Whether a thread joins another.
pub(super) fn joins(block: &[Stmt]) -> bool {
    block.iter().any(|stmt| matches!(stmt, Stmt::Join(_)) || stmt.blocks().into_iter().any(|inner| joins(inner)))
}
