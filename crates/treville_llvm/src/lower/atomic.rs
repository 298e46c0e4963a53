//! Atomic accesses: their tags, fences, compare-exchange and read-modify-write.

use super::code::Code;
use super::{Lowered, fold, shape, unsupported, wide};
use crate::inst::{Access, BinaryOp, CmpXchg, IntPredicate, Operand, Ordering, RmwOp, Scope};
use crate::module::ValueId;
use treville_ir::{BlockId, Expr, MemoryOrder, Op, Reg, Tags, Terminator, UpdateTags, Wait};
use treville_term::BinOp;

/// The memory order of C that LLVM's ordering comes from.
fn order(ordering: Ordering) -> Lowered<MemoryOrder> {
    Ok(match ordering {
        Ordering::Unordered => return unsupported("an access with the order `unordered`"),
        Ordering::Monotonic => MemoryOrder::Relaxed,
        Ordering::Acquire => MemoryOrder::Acquire,
        Ordering::Release => MemoryOrder::Release,
        Ordering::AcqRel => MemoryOrder::AcquireRelease,
        Ordering::SeqCst => MemoryOrder::SeqCst,
    })
}

impl Code<'_, '_> {
    pub(super) fn access_tags(&mut self, access: &Access) -> Lowered<Tags> {
        match access.ordering {
            None => Ok(self.out.unit.plain()),
            Some(ordering) => self.order_tags(ordering),
        }
    }

    /// The tags of an atomic load or store.
    pub(super) fn order_tags(&mut self, ordering: Ordering) -> Lowered<Tags> {
        let order = order(ordering)?;
        Ok(self.out.unit.tags(["A", order.tag()]))
    }

    fn update_tags(&mut self, order: MemoryOrder, failure: MemoryOrder) -> UpdateTags {
        let (read, write) = order.split();
        self.out.unit.update_tags([read, write, order, failure].map(MemoryOrder::tag))
    }

    /// A fence for one thread only is one for the compiler.
    pub(super) fn fence(&mut self, ordering: Ordering, scope: Scope) -> Lowered<()> {
        if scope == Scope::System {
            let order = order(ordering)?;
            let tags = self.out.unit.tags([order.tag()]);
            self.out.emit(Op::Fence { tags });
        }
        Ok(())
    }

    pub(super) fn compare_exchange(&mut self, result: Option<ValueId>, exchange: &CmpXchg) -> Lowered<()> {
        let addr = self.scalar(exchange.address)?;
        let bits = self.atomic_width(exchange.expected)?;
        let (expected, new) = (self.operand(exchange.expected)?, self.operand(exchange.new)?);
        let success = order(exchange.access.ordering.unwrap_or(Ordering::SeqCst))?;
        let mut tags = self.update_tags(success, order(exchange.failure)?);
        self.note_last(&mut tags.write);
        // What it leaves of the value that it expected is not meant.
        self.last_writes = false;
        let given: Vec<Reg> = result.map(|r| self.registers(r).to_vec()).unwrap_or_default();
        let (old, done) = match given[..] {
            [old, done] => (old, Some(done)),
            [.., done] => (self.out.temporary(bits), Some(done)),
            [] => (self.out.temporary(bits), None),
        };
        let equal = wide::equal(&wide::parts(Expr::Reg(old), bits), &expected);
        let after = (exchange.weak && self.out.unit.weak_cas).then(|| {
            let (addr, tags) = (addr.clone(), tags.fail.clone());
            self.fail_for_no_reason(Op::Load { dst: old, addr, size: bits / 8, tags }, &equal, done)
        });
        let new = wide::whole(&new);
        self.out.emit(Op::Update { old, addr, size: bits / 8, guard: Some(equal.clone()), new, tags });
        if let Some(done) = done {
            self.out.assign(done, equal);
        }
        if let Some(after) = after {
            self.out.end(Terminator::Goto(after));
            self.out.begin(after);
        }
        self.take_apart(old, bits, &given);
        Ok(())
    }

    /// Gives the words of a number of 128 bits to their registers.
    pub(super) fn take_apart(&mut self, number: Reg, bits: u8, registers: &[Reg]) {
        if bits > 64 {
            for (reg, word) in registers.iter().zip(wide::parts(Expr::Reg(number), bits)) {
                self.out.assign(*reg, word);
            }
        }
    }

    /// A compare-exchange of values in registers: what was there, and whether it was what was expected.
    pub(super) fn exchange_if_equal(
        &mut self,
        addr: Expr,
        bits: u8,
        (expected, new): (&[Expr], &[Expr]),
        (ordering, failure): (Ordering, Ordering),
    ) -> Lowered<(Vec<Expr>, Expr)> {
        let tags = self.update_tags(order(ordering)?, order(failure)?);
        let old = self.out.temporary(bits);
        let parts = wide::parts(Expr::Reg(old), bits);
        let guard = wide::equal(&parts, expected);
        let new = wide::whole(new);
        self.out.emit(Op::Update { old, addr, size: bits / 8, guard: Some(guard.clone()), new, tags });
        Ok((parts, guard))
    }

    /// A read-modify-write of a value in registers: what was there.
    pub(super) fn update(
        &mut self,
        op: RmwOp,
        addr: Expr,
        bits: u8,
        value: &[Expr],
        ordering: Ordering,
        old: Reg,
    ) -> Lowered<Vec<Expr>> {
        let order = order(ordering)?;
        let tags = self.update_tags(order, order.split().0);
        let parts = wide::parts(Expr::Reg(old), bits);
        let new = match value {
            [value] => updated(op, Expr::Reg(old), value.clone(), bits)?,
            _ => wide::whole(&updated_wide(op, &parts, value)?),
        };
        self.out.emit(Op::Update { old, addr, size: bits / 8, guard: None, new, tags });
        Ok(parts)
    }

    /// Before a weak compare-exchange: the way on which it finds what it expects and fails all the same. Returns the block
    /// where both ways meet.
    fn fail_for_no_reason(&mut self, read: Op, equal: &Expr, done: Option<Reg>) -> BlockId {
        let [fails, goes_on, after] = std::array::from_fn(|_| self.out.block());
        let chance = self.out.temporary(1);
        self.out.emit(Op::Nondet { dst: chance });
        self.out.branch(Expr::Reg(chance), fails, goes_on);
        self.out.begin(fails);
        self.out.emit(read);
        self.out.emit(Op::Wait { cond: equal.clone(), kind: Wait::Assume });
        if let Some(done) = done {
            self.out.assign(done, fold::zero(1));
        }
        self.out.end(Terminator::Goto(after));
        self.out.begin(goes_on);
        after
    }

    pub(super) fn atomic_rmw(
        &mut self,
        result: Option<ValueId>,
        op: RmwOp,
        address: Operand,
        value: Operand,
        access: &Access,
    ) -> Lowered<()> {
        let addr = self.scalar(address)?;
        let bits = self.atomic_width(value)?;
        let value = self.operand(value)?;
        let ordering = access.ordering.unwrap_or(Ordering::SeqCst);
        let given: Vec<Reg> = result.map(|r| self.registers(r).to_vec()).unwrap_or_default();
        let old = match given[..] {
            [reg] => reg,
            _ => self.out.temporary(bits),
        };
        self.update(op, addr, bits, &value, ordering, old)?;
        self.take_apart(old, bits, &given);
        Ok(())
    }

    /// The width of a value in an update, which is a number of bytes.
    fn atomic_width(&self, value: Operand) -> Lowered<u8> {
        let ty = self.type_of(value);
        if wide::is_wide(self.module(), ty) {
            return Ok(128);
        }
        match shape::width(self.module(), ty)? {
            bits if bits % 8 == 0 => Ok(bits),
            _ => unsupported(format!("an atomic update of type `{}`", self.module().types.display(ty))),
        }
    }
}

/// What an update writes.
fn updated(op: RmwOp, old: Expr, value: Expr, bits: u8) -> Lowered<Expr> {
    let bin = fold::bin;
    let choose = |less: Expr, old: Expr, value: Expr| fold::ite(less, old, value);
    let one = || fold::number(1, bits);
    let (o, v) = (old.clone(), value.clone());
    Ok(match op {
        RmwOp::Xchg => value,
        RmwOp::Add => bin(BinOp::Add, old, value),
        RmwOp::Sub => bin(BinOp::Sub, old, value),
        RmwOp::And => bin(BinOp::And, old, value),
        RmwOp::Nand => fold::not(bin(BinOp::And, old, value)),
        RmwOp::Or => bin(BinOp::Or, old, value),
        RmwOp::Xor => bin(BinOp::Xor, old, value),
        RmwOp::Max => choose(bin(BinOp::SLt, v, o), old, value),
        RmwOp::Min => choose(bin(BinOp::SLt, o, v), old, value),
        RmwOp::UMax => choose(bin(BinOp::ULt, v, o), old, value),
        RmwOp::UMin => choose(bin(BinOp::ULt, o, v), old, value),
        RmwOp::UIncWrap => choose(bin(BinOp::ULe, v, o), fold::zero(bits), bin(BinOp::Add, old, one())),
        RmwOp::UDecWrap => {
            let wraps = bin(BinOp::Or, bin(BinOp::Eq, o.clone(), fold::zero(bits)), bin(BinOp::ULt, v, o));
            choose(wraps, value, bin(BinOp::Sub, old, one()))
        }
        RmwOp::USubCond => choose(bin(BinOp::ULe, v.clone(), o.clone()), bin(BinOp::Sub, o, v), old),
        RmwOp::USubSat => choose(bin(BinOp::ULe, v.clone(), o.clone()), bin(BinOp::Sub, o, v), fold::zero(bits)),
        RmwOp::FAdd | RmwOp::FSub | RmwOp::FMax | RmwOp::FMin => {
            return unsupported("arithmetic on floating-point numbers");
        }
    })
}

/// What an update of two words writes.
fn updated_wide(op: RmwOp, old: &[Expr], value: &[Expr]) -> Lowered<Vec<Expr>> {
    let (o, v) = (old.to_vec(), value.to_vec());
    let binary = |op: BinaryOp| wide::binary(op, o.clone(), v.clone());
    let keep_if = |predicate: IntPredicate| {
        let keep = wide::compared(predicate, o.clone(), v.clone())?;
        Ok(o.iter().zip(&v).map(|(o, v)| fold::ite(keep.clone(), o.clone(), v.clone())).collect())
    };
    match op {
        RmwOp::Xchg => Ok(v),
        RmwOp::Add => binary(BinaryOp::Add),
        RmwOp::Sub => binary(BinaryOp::Sub),
        RmwOp::And => binary(BinaryOp::And),
        RmwOp::Nand => Ok(binary(BinaryOp::And)?.into_iter().map(fold::not).collect()),
        RmwOp::Or => binary(BinaryOp::Or),
        RmwOp::Xor => binary(BinaryOp::Xor),
        RmwOp::Max => keep_if(IntPredicate::Sgt),
        RmwOp::Min => keep_if(IntPredicate::Slt),
        RmwOp::UMax => keep_if(IntPredicate::Ugt),
        RmwOp::UMin => keep_if(IntPredicate::Ult),
        _ => unsupported("such an update of 128 bits"),
    }
}
