//! Waiting for other threads: locks and other resources, and the ends of threads.

use super::body::Read;
use super::{Body, Closer, ENDED, End, FIRST, RESULT, is_one};
use crate::flatten::resized;
use crate::ops;
use treville_base::Name;
use treville_ir::{Expr, Failure, LockOp, ObjectId, Op, Reg, Terminator};
use treville_term::{BinOp, UnOp};

/// The tag of reads that see the last write of their location.
pub const LATEST: &str = "LATEST";

impl Closer<'_> {
    /// The thread waits for ever unless the condition holds, and would also do so if it looked again at the end of all. If it waits
    /// for an owner, what it reads is who that is.
    pub(super) fn wait_for_good(&mut self, body: &mut Body, cond: &Expr, end: End, owner: bool) {
        let latest = self.out.tag(LATEST);
        let mut mentioned = Vec::new();
        cond.visit_regs(&mut |r| mentioned.push(r));
        let Some((old, Read { addr, size, at, .. })) = body.last_read(&mentioned) else {
            return body.go_on_if(cond.clone(), if end == End::Spin { End::MaySpin } else { End::Unclear });
        };
        // Said for every wait: an owner that an earlier one has waited for must not stay.
        let awaited = |read: Reg| if owner { resized(Expr::Reg(read), 8 * size, 32) } else { Expr::int(0, 32) };
        if body.is_just_before(at)
            && let Op::Update { guard: Some(guard), tags, .. } = body.op_mut(at)
            && guard == cond
        {
            // It has looked in vain, and need not look again. Were there another way from there than to this wait, as for the
            // owner of a recursive mutex, the read would not have to be of the last write.
            tags.fail.push(latest);
            tags.fail.sort();
            tags.fail.dedup();
            body.awaits(awaited(old));
            return body.go_on_if(cond.clone(), end);
        }
        let again = body.new_block();
        body.go_on_or(cond.clone(), again, true);
        let next = body.current();
        body.go_to(again);
        let value = body.temporary(8 * size);
        body.emit(Op::Load { dst: value, addr, size, tags: self.tags.latest.clone() });
        body.awaits(awaited(value));
        let mut now = cond.clone();
        ops::rename_regs(&mut now, &|r| if r == old { value } else { r });
        let (goes_on, stuck) = (body.stuck(End::Impatient), body.stuck(end));
        body.branch(now, goes_on, stuck, None);
        body.go_to(next);
    }

    pub(super) fn lock(&mut self, body: &mut Body, op: LockOp, addr: &Expr, size: u8) {
        let width = 8 * size;
        let free = |old: Reg| Expr::bin(BinOp::Eq, Expr::Reg(old), Expr::int(0, width));
        match op {
            LockOp::Acquire => {
                let addr = body.held(addr.clone());
                let old = self.take(body, &addr, size);
                body.awaits(resized(Expr::Reg(old), width, 32));
                body.go_on_if(free(old), End::Resource);
                self.fence(body);
                Self::hold(body, &addr, Expr::int(1, 1));
            }
            LockOp::Try { dst } => {
                let addr = body.held(addr.clone());
                let old = self.take(body, &addr, size);
                // Whoever only tries may see what is out of date.
                let fails = self.tags.tried.clone();
                if let Some((_, read)) = body.last_read(&[old])
                    && let Op::Update { tags, .. } = body.op_mut(read.at)
                {
                    tags.fail = fails;
                }
                self.fence(body);
                let dst_width = body.regs[dst].width;
                body.emit(Op::Assign { dst, value: resized(free(old), 1, dst_width) });
                Self::hold(body, &addr, free(old));
            }
            LockOp::IsHeld { dst } => {
                let old = body.temporary(width);
                body.emit(Op::Load { dst: old, addr: addr.clone(), size, tags: self.tags.acquire.clone() });
                let held = Expr::un(UnOp::Not, free(old));
                let dst_width = body.regs[dst].width;
                body.emit(Op::Assign { dst, value: resized(held, 1, dst_width) });
            }
            LockOp::Release => {
                let addr = body.held(addr.clone());
                self.release(body, &addr);
                self.fence(body);
                let value = Expr::int(0, width);
                body.emit(Op::Store { addr, value, size, tags: self.tags.unlock.clone() });
            }
        }
    }

    /// Takes a lock if it is free; returns what it was: the number of its holder.
    fn take(&self, body: &mut Body, addr: &Expr, size: u8) -> Reg {
        let width = 8 * size;
        let old = body.temporary(width);
        let guard = Some(Expr::bin(BinOp::Eq, Expr::Reg(old), Expr::int(0, width)));
        let (addr, new, tags) = (addr.clone(), Expr::int(body.number, width), self.tags.lock.clone());
        body.emit(Op::Update { old, addr, size, guard, new, tags });
        old
    }

    /// Remembers that the thread holds a lock, if it has taken it.
    fn hold(body: &mut Body, addr: &Expr, taken: Expr) {
        let (held, place) = (body.temporary(1), body.temporary(64));
        body.emit(Op::Assign { dst: held, value: taken });
        body.emit(Op::Assign { dst: place, value: addr.clone() });
        body.locks.push((held, place));
    }

    /// The thread must hold the lock, and then does so no longer.
    fn release(&mut self, body: &mut Body, addr: &Expr) {
        let mut found = Expr::int(0, 1);
        for (held, place) in body.locks.clone().into_iter().rev() {
            let here = Expr::bin(BinOp::And, Expr::Reg(held), Expr::bin(BinOp::Eq, Expr::Reg(place), addr.clone()));
            let this = body.held(Expr::bin(BinOp::And, here, Expr::un(UnOp::Not, found.clone())));
            let rest = Expr::bin(BinOp::And, Expr::Reg(held), Expr::un(UnOp::Not, this.clone()));
            body.emit(Op::Assign { dst: held, value: rest });
            found = body.held(Expr::bin(BinOp::Or, found, this));
        }
        self.misuse_unless(body, found, "a lock is released that the thread does not hold");
    }

    fn misuse_unless(&mut self, body: &mut Body, right: Expr, what: &str) {
        let wrong = body.new_block();
        body.go_on_or(right, wrong, false);
        let next = body.current();
        body.go_to(wrong);
        self.fail(body, Failure::ApiMisuse, Name::new(what));
        body.go_to(next);
    }

    /// What those that wait for it call the thread with this handle.
    fn number_of(&self, thread: &Expr) -> Expr {
        self.threads.iter().zip(2..).fold(Expr::int(0, 32), |rest, (object, number)| {
            let is = Expr::bin(BinOp::Eq, thread.clone(), Expr::Addr(*object, 0));
            Expr::ite(is, Expr::int(number, 32), rest)
        })
    }

    /// Waits for the end of a thread, which its handle must be that of.
    pub(super) fn join(&mut self, body: &mut Body, dst: Option<Reg>, thread: &Expr, own: Option<ObjectId>) {
        let is = |object: &ObjectId| Expr::bin(BinOp::Eq, thread.clone(), Expr::Addr(*object, 0));
        let known = match thread {
            Expr::Addr(object, 0) => self.threads.contains(object).then_some(object),
            _ => None,
        };
        if known.is_none() {
            if self.names_first {
                // It has no object of its own, so whether it ends is not seen.
                let first = Expr::bin(BinOp::Ne, thread.clone(), Expr::int(FIRST, 64));
                body.go_on_if(first, End::Unclear);
            }
            let some = self.threads.iter().map(is).reduce(|a, b| Expr::bin(BinOp::Or, a, b));
            self.misuse_unless(body, some.unwrap_or(Expr::int(0, 1)), "joins a thread that does not exist");
        }
        if let Some(own) = own.filter(|own| known.is_none_or(|known| known == own)) {
            let other = if known.is_some() { Expr::int(0, 1) } else { Expr::un(UnOp::Not, is(&own)) };
            self.misuse_unless(body, other, "joins itself");
        }
        let at = |offset: i64| match thread {
            Expr::Addr(object, 0) => Expr::Addr(*object, offset),
            _ => Expr::bin(BinOp::Add, thread.clone(), Expr::int(offset, 64)),
        };
        let seen = body.temporary(64);
        body.emit(Op::Load { dst: seen, addr: at(ENDED), size: 8, tags: self.tags.seen.clone() });
        body.awaits(self.number_of(thread));
        body.joins = true;
        body.go_on_if(is_one(seen), End::Join);
        body.awaits(Expr::int(0, 32));
        self.fence(body);
        if let Some(dst) = dst.filter(|_| self.joins.results) {
            let value = body.temporary(64);
            body.emit(Op::Load { dst: value, addr: at(RESULT), size: 8, tags: self.tags.plain.clone() });
            let value = resized(Expr::Reg(value), 64, body.regs[dst].width);
            body.emit(Op::Assign { dst, value });
        }
    }
}

impl Body {
    /// The value of an expression, kept: what it mentions may change.
    pub(super) fn held(&mut self, value: Expr) -> Expr {
        if matches!(value, Expr::Const(_) | Expr::Addr(..)) {
            return value;
        }
        let width = self.width(&value);
        let dst = self.temporary(width);
        self.emit(Op::Assign { dst, value });
        Expr::Reg(dst)
    }

    pub(super) fn branch(
        &mut self,
        cond: Expr,
        then: treville_ir::BlockId,
        els: treville_ir::BlockId,
        join: Option<treville_ir::BlockId>,
    ) {
        let (instr, span) = (self.next_instr(), self.span());
        self.end(Terminator::Branch { cond, then, els, join, instr, span });
    }
}
