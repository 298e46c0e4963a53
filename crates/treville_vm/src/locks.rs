//! Locks: ordinary reads and writes of the values 0 and 1, or events that the model relates itself.
//!
//! Where an update is one event, so is taking a lock. As accesses, the locks of such a dialect (C11) are atomic: taking one
//! acquires, releasing it releases.

use crate::registers::Operand;
use crate::thread::{Waiting, place, written};
use crate::{Action, Deps, Domain, Link, ThreadVm};
use treville_event::{Kind, LockShape, RmwShape};
use treville_ir::{LockOp, Program, Reg, Tags};
use treville_term::{BinOp, Bv};

/// What follows once the value of a lock's cell is known.
#[derive(Clone, Copy, Debug)]
pub(crate) enum AfterRead {
    /// It must be free; take it, and tell the register that it was taken.
    Take(Option<Reg>),
    /// It must be held, or free.
    See(bool),
}

/// The place of a lock.
#[derive(Clone, Debug)]
pub(crate) struct Lock<V> {
    pub(crate) addr: Operand<V>,
    pub(crate) size: u8,
}

impl<V: Clone> ThreadVm<V> {
    pub(crate) fn lock<D: Domain<V = V>>(&mut self, program: &Program, d: &mut D, op: LockOp, lock: Lock<V>) {
        match op {
            LockOp::Acquire => self.lock_take(program, d, lock, None),
            LockOp::Release => {
                let kind = self.lock_kind(Kind::Write);
                let tags: &[&str] = if self.atomic_locks() { &["UL", "A", "REL"] } else { &["UL"] };
                self.lock_event(d, kind, tags, &lock, Some(0), Link::None);
            }
            LockOp::Try { .. } | LockOp::IsHeld { .. } => {
                self.waiting = Waiting::LockChoice { op, lock };
                self.queue.push_back(Action::Choose);
            }
        }
    }

    pub(crate) fn lock_choice<D: Domain<V = V>>(
        &mut self,
        program: &Program,
        d: &mut D,
        op: LockOp,
        lock: Lock<V>,
        yes: bool,
    ) {
        match op {
            LockOp::Try { dst } if yes => self.lock_take(program, d, lock, Some(dst)),
            LockOp::Try { dst } => self.lock_see(program, d, lock, dst, true, &["LF"], false),
            LockOp::IsHeld { dst } => {
                self.lock_see(program, d, lock, dst, yes, if yes { &["RL"] } else { &["RU"] }, yes);
            }
            LockOp::Acquire | LockOp::Release => {}
        }
    }

    fn lock_take<D: Domain<V = V>>(&mut self, program: &Program, d: &mut D, lock: Lock<V>, dst: Option<Reg>) {
        let kind = self.lock_kind(Kind::Read);
        let tags: &[&str] = match (self.shape.fused_locks, self.shape.locks) {
            (false, _) => &["LKR"],
            (true, LockShape::ValueRmw) => &["LK", "A", "ACQ", "RMW", "X"],
            (true, LockShape::Opaque) => &["LK", "LF"],
        };
        let index = self.lock_event(d, kind, tags, &lock, None, Link::None);
        self.lock_after(program, d, index, lock, AfterRead::Take(dst));
    }

    /// Sees the lock held (or free), and gives the register `result`.
    #[expect(clippy::too_many_arguments, reason = "a private helper that only forwards")]
    fn lock_see<D: Domain<V = V>>(
        &mut self,
        program: &Program,
        d: &mut D,
        lock: Lock<V>,
        dst: Reg,
        held: bool,
        tags: &'static [&'static str],
        result: bool,
    ) {
        let kind = self.lock_kind(Kind::Read);
        let index = self.lock_event(d, kind, tags, &lock, None, Link::None);
        let value = d.constant(Bv::new(u128::from(result), self.width(program, dst)));
        self.assign(program, dst, Operand::from_event(value, index));
        self.lock_after(program, d, index, lock, AfterRead::See(held));
    }

    fn lock_after<D: Domain<V = V>>(
        &mut self,
        program: &Program,
        d: &mut D,
        index: u32,
        lock: Lock<V>,
        then: AfterRead,
    ) {
        match self.shape.locks {
            LockShape::ValueRmw => self.waiting = Waiting::LockRead { index, lock, then },
            LockShape::Opaque => self.lock_done(program, d, index, &lock, then),
        }
    }

    /// The value of the cell is known: it must be what the operation saw.
    pub(crate) fn lock_read<D: Domain<V = V>>(
        &mut self,
        program: &Program,
        d: &mut D,
        index: u32,
        lock: Lock<V>,
        then: AfterRead,
        value: V,
    ) {
        let expected = matches!(then, AfterRead::See(true));
        let expected = d.constant(Bv::new(u128::from(expected), 8 * lock.size));
        let seen = d.bin(BinOp::Eq, &value, &expected);
        self.queue.push_back(Action::Constrain(seen));
        self.lock_done(program, d, index, &lock, then);
    }

    fn lock_done<D: Domain<V = V>>(
        &mut self,
        program: &Program,
        d: &mut D,
        index: u32,
        lock: &Lock<V>,
        then: AfterRead,
    ) {
        let AfterRead::Take(dst) = then else { return };
        self.lock_write(d, index, lock);
        if let Some(dst) = dst {
            let one = d.constant(Bv::new(1, self.width(program, dst)));
            self.assign(program, dst, Operand::independent(one));
        }
    }

    /// The write that takes a lock, after its read `index` or as a part of it.
    fn lock_write<D: Domain<V = V>>(&mut self, d: &mut D, index: u32, lock: &Lock<V>) {
        match (self.shape.fused_locks, self.shape.locks, self.shape.rmw) {
            (true, LockShape::Opaque, _) => {}
            (true, LockShape::ValueRmw, RmwShape::Fused) => {
                let taken = d.constant(Bv::new(1, 8 * lock.size));
                self.queue.push_back(Action::Amend { index, tags: Tags::new(), written: Some((taken, Deps::new())) });
            }
            (fused, _, _) => {
                let tags: &[&str] = if fused { &["A", "RLX", "RMW", "X"] } else { &["LKW"] };
                let kind = self.lock_kind(Kind::Write);
                self.lock_event(d, kind, tags, lock, Some(1), Link::Amo(index));
            }
        }
    }

    fn atomic_locks(&self) -> bool {
        self.shape.fused_locks && self.shape.locks == LockShape::ValueRmw
    }

    fn lock_kind(&self, kind: Kind) -> Kind {
        match self.shape.locks {
            LockShape::ValueRmw => kind,
            LockShape::Opaque => Kind::Opaque,
        }
    }

    fn lock_event<D: Domain<V = V>>(
        &mut self,
        d: &mut D,
        kind: Kind,
        tags: &'static [&'static str],
        lock: &Lock<V>,
        value: Option<u128>,
        link: Link,
    ) -> u32 {
        let mut event = self.event(kind);
        event.extra = tags;
        place(&mut event, &lock.addr, lock.size);
        if let (Some(value), LockShape::ValueRmw) = (value, self.shape.locks) {
            let value = d.constant(Bv::new(value, 8 * lock.size));
            written(&mut event, Operand::independent(value));
        }
        event.link = link;
        let index = event.index;
        self.emit(event);
        index
    }
}
