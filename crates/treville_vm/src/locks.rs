//! Locks: ordinary reads and writes of the values 0 and 1, or events that the model relates itself.

use crate::registers::Operand;
use crate::thread::{Waiting, place, written};
use crate::{Action, Domain, Link, ThreadVm};
use treville_event::{Kind, LockShape};
use treville_ir::{LockOp, Program, Reg};
use treville_term::{BinOp, Bv};

/// What follows once the value of a lock's cell is known.
#[derive(Clone, Copy, Debug)]
pub(crate) enum AfterRead {
    /// It must be free; take it, and tell the register that it was taken.
    Take(Option<Reg>),
    /// It must be held, or free.
    See(bool),
}

/// Bytes of a lock's cell.
const SIZE: u8 = 4;

impl<V: Clone> ThreadVm<V> {
    pub(crate) fn lock<D: Domain<V = V>>(&mut self, program: &Program, d: &mut D, op: LockOp, addr: Operand<V>) {
        match op {
            LockOp::Acquire => self.lock_take(program, d, addr, None),
            LockOp::Release => {
                let kind = self.lock_kind(Kind::Write);
                self.lock_event(d, kind, &["UL"], &addr, Some(0), Link::None);
            }
            LockOp::Try { .. } | LockOp::IsHeld { .. } => {
                self.waiting = Waiting::LockChoice { op, addr };
                self.queue.push_back(Action::Choose);
            }
        }
    }

    pub(crate) fn lock_choice<D: Domain<V = V>>(
        &mut self,
        program: &Program,
        d: &mut D,
        op: LockOp,
        addr: Operand<V>,
        yes: bool,
    ) {
        match op {
            LockOp::Try { dst } if yes => self.lock_take(program, d, addr, Some(dst)),
            LockOp::Try { dst } => self.lock_see(program, d, addr, dst, true, &["LF"], false),
            LockOp::IsHeld { dst } => {
                self.lock_see(program, d, addr, dst, yes, if yes { &["RL"] } else { &["RU"] }, yes);
            }
            LockOp::Acquire | LockOp::Release => {}
        }
    }

    fn lock_take<D: Domain<V = V>>(&mut self, program: &Program, d: &mut D, addr: Operand<V>, dst: Option<Reg>) {
        let kind = self.lock_kind(Kind::Read);
        let index = self.lock_event(d, kind, &["LKR"], &addr, None, Link::None);
        self.lock_after(program, d, index, addr, AfterRead::Take(dst));
    }

    /// Sees the lock held (or free), and gives the register `result`.
    #[expect(clippy::too_many_arguments, reason = "a private helper that only forwards")]
    fn lock_see<D: Domain<V = V>>(
        &mut self,
        program: &Program,
        d: &mut D,
        addr: Operand<V>,
        dst: Reg,
        held: bool,
        tags: &'static [&'static str],
        result: bool,
    ) {
        let kind = self.lock_kind(Kind::Read);
        let index = self.lock_event(d, kind, tags, &addr, None, Link::None);
        let value = d.constant(Bv::new(u128::from(result), self.width(program, dst)));
        self.assign(program, dst, Operand::from_event(value, index));
        self.lock_after(program, d, index, addr, AfterRead::See(held));
    }

    fn lock_after<D: Domain<V = V>>(
        &mut self,
        program: &Program,
        d: &mut D,
        index: u32,
        addr: Operand<V>,
        then: AfterRead,
    ) {
        match self.shape.locks {
            LockShape::ValueRmw => self.waiting = Waiting::LockRead { index, addr, then },
            LockShape::Opaque => self.lock_done(program, d, index, &addr, then),
        }
    }

    /// The value of the cell is known: it must be what the operation saw.
    pub(crate) fn lock_read<D: Domain<V = V>>(
        &mut self,
        program: &Program,
        d: &mut D,
        index: u32,
        addr: Operand<V>,
        then: AfterRead,
        value: V,
    ) {
        let expected = matches!(then, AfterRead::See(true));
        let expected = d.constant(Bv::new(u128::from(expected), 8 * SIZE));
        let seen = d.bin(BinOp::Eq, &value, &expected);
        self.queue.push_back(Action::Constrain(seen));
        self.lock_done(program, d, index, &addr, then);
    }

    fn lock_done<D: Domain<V = V>>(
        &mut self,
        program: &Program,
        d: &mut D,
        index: u32,
        addr: &Operand<V>,
        then: AfterRead,
    ) {
        let AfterRead::Take(dst) = then else { return };
        let kind = self.lock_kind(Kind::Write);
        self.lock_event(d, kind, &["LKW"], addr, Some(1), Link::Amo(index));
        if let Some(dst) = dst {
            let one = d.constant(Bv::new(1, self.width(program, dst)));
            self.assign(program, dst, Operand::independent(one));
        }
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
        addr: &Operand<V>,
        value: Option<u128>,
        link: Link,
    ) -> u32 {
        let mut event = self.event(kind);
        event.extra = tags;
        place(&mut event, addr, SIZE);
        if let (Some(value), LockShape::ValueRmw) = (value, self.shape.locks) {
            let value = d.constant(Bv::new(value, 8 * SIZE));
            written(&mut event, Operand::independent(value));
        }
        event.link = link;
        let index = event.index;
        self.emit(event);
        index
    }
}
