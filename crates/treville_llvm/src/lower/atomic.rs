//! Atomic accesses: their tags, fences, compare-exchange and read-modify-write.

use super::code::Code;
use super::{Lowered, fold, shape, unsupported, wide};
use crate::inst::{Access, CmpXchg, Operand, Ordering, RmwOp, Scope};
use crate::module::ValueId;
use treville_ir::{BlockId, Expr, Op, Reg, Tags, Terminator, UpdateTags, Wait};
use treville_term::BinOp;

/// The tag of an order.
fn tag(ordering: Ordering) -> Lowered<&'static str> {
    Ok(match ordering {
        Ordering::Unordered => return unsupported("an access with the order `unordered`"),
        Ordering::Monotonic => "RLX",
        Ordering::Acquire => "ACQ",
        Ordering::Release => "REL",
        Ordering::AcqRel => "ACQ_REL",
        Ordering::SeqCst => "SC",
    })
}

/// The orders of the read and of the write of an update.
fn split(ordering: Ordering) -> (Ordering, Ordering) {
    match ordering {
        Ordering::Unordered | Ordering::Monotonic | Ordering::SeqCst => (ordering, ordering),
        Ordering::Acquire => (Ordering::Acquire, Ordering::Monotonic),
        Ordering::Release => (Ordering::Monotonic, Ordering::Release),
        Ordering::AcqRel => (Ordering::Acquire, Ordering::Release),
    }
}

impl Code<'_, '_> {
    pub(super) fn access_tags(&mut self, access: &Access) -> Lowered<Tags> {
        match access.ordering {
            None => Ok(self.out.unit.plain()),
            Some(ordering) => {
                let order = tag(ordering)?;
                Ok(self.out.unit.tags(["A", order]))
            }
        }
    }

    fn update_tags(&mut self, ordering: Ordering, failure: Ordering) -> Lowered<UpdateTags> {
        let (read, write) = split(ordering);
        Ok(self.out.unit.update_tags([tag(read)?, tag(write)?, tag(ordering)?, tag(failure)?]))
    }

    /// A fence for one thread only is one for the compiler.
    pub(super) fn fence(&mut self, ordering: Ordering, scope: Scope) -> Lowered<()> {
        if scope == Scope::System {
            let order = tag(ordering)?;
            let tags = self.out.unit.tags([order]);
            self.out.emit(Op::Fence { tags });
        }
        Ok(())
    }

    pub(super) fn compare_exchange(&mut self, result: Option<ValueId>, exchange: &CmpXchg) -> Lowered<()> {
        let addr = self.scalar(exchange.address)?;
        let bits = self.atomic_width(exchange.expected)?;
        let (expected, new) = (self.scalar(exchange.expected)?, self.scalar(exchange.new)?);
        let mut tags = self.update_tags(exchange.access.ordering.unwrap_or(Ordering::SeqCst), exchange.failure)?;
        self.note_last(&mut tags.write);
        // What it leaves of the value that it expected is not meant.
        self.last_writes = false;
        let (old, done) = match result.map(|r| self.registers(r)) {
            Some([old, done]) => (*old, Some(*done)),
            _ => (self.out.temporary(bits), None),
        };
        let equal = Expr::bin(BinOp::Eq, Expr::Reg(old), expected);
        let after = (exchange.weak && self.out.unit.weak_cas).then(|| {
            let (addr, tags) = (addr.clone(), tags.fail.clone());
            self.fail_for_no_reason(Op::Load { dst: old, addr, size: bits / 8, tags }, &equal, done)
        });
        self.out.emit(Op::Update { old, addr, size: bits / 8, guard: Some(equal.clone()), new, tags });
        if let Some(done) = done {
            self.out.assign(done, equal);
        }
        if let Some(after) = after {
            self.out.end(Terminator::Goto(after));
            self.out.begin(after);
        }
        Ok(())
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
        let value = self.scalar(value)?;
        let ordering = access.ordering.unwrap_or(Ordering::SeqCst);
        let tags = self.update_tags(ordering, split(ordering).0)?;
        let old = match self.register(result) {
            Ok(reg) => reg,
            Err(_) => self.out.temporary(bits),
        };
        let new = updated(op, Expr::Reg(old), value, bits)?;
        self.out.emit(Op::Update { old, addr, size: bits / 8, guard: None, new, tags });
        Ok(())
    }

    /// The width of a value in an update, which is a number of bytes.
    fn atomic_width(&self, value: Operand) -> Lowered<u8> {
        let ty = self.type_of(value);
        if wide::is_wide(self.module(), ty) {
            return unsupported(format!("an atomic access of type `{}`", self.module().types.display(ty)));
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
