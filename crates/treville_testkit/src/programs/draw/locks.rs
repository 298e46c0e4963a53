//! Locks, semaphores, condition variables, and joins.

use super::super::ast::{Expr, Lock, Order, Place, Stmt};
use super::Draw;
use super::profiles::{Idiom, Profile};

impl Draw<'_> {
    /// A region between lock and unlock; seldom the unlock is missing.
    pub(super) fn region(&mut self, out: &mut Vec<Stmt>) {
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

    /// A region that is entered only if the lock is free.
    pub(super) fn try_region(&mut self, idiom: Idiom, out: &mut Vec<Stmt>) {
        let (lock, r) = (self.lock(), self.reg());
        out.push(if idiom == Idiom::TryRegion { Stmt::TryLock(r, lock) } else { Stmt::TimedLock(r, lock) });
        let mut then = self.block(2);
        then.push(Stmt::Unlock(lock));
        out.push(Stmt::If(Expr::Reg(r), then, Vec::new()));
    }

    /// A lock that is taken on one path only.
    pub(super) fn half_locked(&mut self, out: &mut Vec<Stmt>) {
        let lock = self.lock();
        let r = self.load(out);
        let cond = self.test(r);
        out.push(Stmt::If(cond.clone(), vec![Stmt::Lock(lock)], Vec::new()));
        out.extend(self.block(1));
        if self.rng.percent(80) {
            out.push(Stmt::If(cond, vec![Stmt::Unlock(lock)], Vec::new()));
        }
    }

    /// A region inside of a region with the same lock, which its kind may allow.
    pub(super) fn lock_again(&mut self, out: &mut Vec<Stmt>) {
        let lock = Lock::Mutex(0);
        out.push(Stmt::Lock(lock));
        if self.rng.percent(50) {
            out.push(Stmt::Lock(lock));
            self.store(out);
            out.push(Stmt::Unlock(lock));
        } else {
            let r = self.reg();
            out.push(Stmt::TryLock(r, lock));
            let mut then = Vec::new();
            self.store(&mut then);
            then.push(Stmt::Unlock(lock));
            out.push(Stmt::If(Expr::Reg(r), then, Vec::new()));
        }
        self.load(out);
        out.push(Stmt::Unlock(lock));
    }

    /// A wait for a condition variable if a flag is not set yet: no thread is woken but by a signal.
    pub(super) fn wait_once(&mut self, out: &mut Vec<Stmt>) {
        out.push(Stmt::Lock(Lock::Mutex(0)));
        let (r, order) = (self.reg(), self.load_order());
        out.push(Stmt::Load(r, Place::Atomic(0), order));
        out.push(Stmt::If(Expr::Not(Box::new(Expr::Reg(r))), vec![Stmt::CondWait(0)], Vec::new()));
        out.push(Stmt::Unlock(Lock::Mutex(0)));
    }

    /// Sets the flag of [`Self::wait_once`], with a signal or two, or one for all.
    pub(super) fn signal_twice(&mut self, out: &mut Vec<Stmt>) {
        out.push(Stmt::Lock(Lock::Mutex(0)));
        let order = self.store_order();
        out.push(Stmt::Store(Place::Atomic(0), Expr::Const(1), order));
        match self.rng.below(4) {
            0 => out.push(Stmt::CondBroadcast),
            1 => out.push(Stmt::CondSignal),
            _ => out.extend([Stmt::CondSignal, Stmt::CondSignal]),
        }
        out.push(Stmt::Unlock(Lock::Mutex(0)));
    }

    /// An operation on a semaphore.
    pub(super) fn semaphore(&mut self, out: &mut Vec<Stmt>) {
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

    /// A wait for a condition variable.
    pub(super) fn wait_for_signal(&mut self, out: &mut Vec<Stmt>) {
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

    /// A write, and a signal that it was made.
    pub(super) fn signal(&mut self, out: &mut Vec<Stmt>) {
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

    /// An initialisation that happens once, and a read of what it wrote.
    pub(super) fn once(&mut self, out: &mut Vec<Stmt>) {
        let i = self.rng.below(2) as u8;
        out.push(Stmt::Once(i));
        if self.rng.percent(60) {
            let r = self.reg();
            out.push(Stmt::Load(r, Place::Plain(i), Order::Plain));
        }
    }

    /// A join of another thread, once its handle is there.
    pub(super) fn join_other(&mut self, out: &mut Vec<Stmt>) {
        let mut body = vec![];
        let r = self.reg();
        let go = Place::Atomic(0);
        body.push(Stmt::Load(r, go, Order::Acquire));
        body.push(Stmt::BreakIf(Expr::Reg(r)));
        out.push(Stmt::Loop(body));
        let other = self.rng.below(usize::from(self.n_threads.max(1))) as u8;
        out.push(Stmt::Join(other));
    }

    /// Two locks, one inside the other.
    pub(super) fn nested(&mut self, out: &mut Vec<Stmt>) {
        let i = self.rng.below(2) as u8;
        let (outer, inner) = (Lock::Mutex(i), Lock::Mutex(1 - i));
        out.extend([Stmt::Lock(outer), Stmt::Lock(inner)]);
        if self.rng.percent(30) {
            self.store(out);
        }
        out.extend([Stmt::Unlock(inner), Stmt::Unlock(outer)]);
    }

    /// The same, and what tells others that it is done.
    pub(super) fn nested_tell(&mut self, out: &mut Vec<Stmt>) {
        self.nested(out);
        self.tell(0, out);
    }

    pub(super) fn lock(&mut self) -> Lock {
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
}
