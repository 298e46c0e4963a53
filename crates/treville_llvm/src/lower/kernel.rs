//! Functions with the memory orders of the Linux kernel, of which its own (`READ_ONCE`, `smp_mb`, `atomic_add_return`, …) are made:
//! `__LKMM_load(address, size, order)` and the like. Sizes, orders and operators are constants of the program.
//!
//! The annotation of an update is on both of its events, as linux-kernel.cat expects it.

use super::code::Code;
use super::{Lowered, fold, unsupported};
use crate::inst::{Call, Operand};
use crate::module::{Module, ValueId};
use treville_ir::{Expr, LockOp, Op, Tags, UpdateTags};
use treville_term::BinOp;

/// How the names of these functions begin.
const PREFIX: &str = "__LKMM_";

/// The orders, as the header numbers them.
const ORDERS: &[&str] = &[
    "ONCE",
    "ACQUIRE",
    "RELEASE",
    "MB",
    "Wmb",
    "Rmb",
    "Rcu-lock",
    "Rcu-unlock",
    "Sync-rcu",
    "Before-atomic",
    "After-atomic",
    "After-spinlock",
    "Barrier",
    "After-unlock-lock",
];

/// Those that accesses may have.
const OF_ACCESSES: &[&str] = &["ONCE", "ACQUIRE", "RELEASE", "MB"];

/// Of an update that gives no value.
const NO_RETURN: &str = "NORETURN";

/// The operators, as the header numbers them.
const OPERATORS: &[BinOp] = &[BinOp::Add, BinOp::Sub, BinOp::And, BinOp::Or, BinOp::Xor];

/// The bytes of a spin lock that are used.
const LOCK_SIZE: u8 = 4;

/// Whether a module is written for the kernel.
pub(super) fn is_for_kernel(module: &Module) -> bool {
    module.globals.iter().any(|global| global.name.starts_with(PREFIX))
}

/// What an update gives back.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Gives {
    Nothing,
    Old,
    New,
}

impl Code<'_, '_> {
    /// A call of one of these functions, if it is one.
    pub(super) fn kernel(&mut self, result: Option<ValueId>, name: &str, call: &Call) -> Option<Lowered<()>> {
        let name = name.strip_prefix(PREFIX)?;
        let args: Vec<Operand> = call.args.iter().map(|arg| arg.value).collect();
        Some(match (name, args.as_slice()) {
            ("load", &[at, size, order]) => self.kernel_load(result, at, size, order),
            ("store", &[at, size, value, order]) => self.kernel_store(at, size, value, order),
            ("fence", &[order]) => self.kernel_fence(order),
            ("xchg", &[at, size, value, order]) => {
                self.kernel_update(result, (at, size, value), Some(order), None, Gives::Old)
            }
            ("cmpxchg", &[at, size, old, new, order, _]) => self.kernel_exchange(result, (at, size), old, new, order),
            ("atomic_op", &[at, size, value, op]) => {
                self.kernel_update(result, (at, size, value), None, Some(op), Gives::Nothing)
            }
            ("atomic_op_return", &[at, size, value, order, op]) => {
                self.kernel_update(result, (at, size, value), Some(order), Some(op), Gives::New)
            }
            ("atomic_fetch_op", &[at, size, value, order, op]) => {
                self.kernel_update(result, (at, size, value), Some(order), Some(op), Gives::Old)
            }
            ("SPIN_LOCK", &[at]) => self.kernel_lock(result, LockOp::Acquire, at),
            ("SPIN_UNLOCK", &[at]) => self.kernel_lock(result, LockOp::Release, at),
            ("SPIN_TRYLOCK", &[at]) => {
                let dst = self.out.temporary(32);
                self.kernel_lock(None, LockOp::Try { dst }, at)
                    .and_then(|()| self.take(result, vec![(Expr::Reg(dst), 32)]))
            }
            _ => unsupported(format!("the kernel's function `{name}` with {} arguments", args.len())),
        })
    }

    fn kernel_load(&mut self, result: Option<ValueId>, at: Operand, size: Operand, order: Operand) -> Lowered<()> {
        let (addr, size) = (self.scalar(at)?, self.kernel_size(size)?);
        let tags = self.kernel_tags(order)?;
        let dst = self.out.temporary(8 * size);
        self.out.emit(Op::Load { dst, addr, size, tags });
        self.take(result, vec![(Expr::Reg(dst), 8 * size)])
    }

    fn kernel_store(&mut self, at: Operand, size: Operand, value: Operand, order: Operand) -> Lowered<()> {
        let (addr, size) = (self.scalar(at)?, self.kernel_size(size)?);
        let tags = self.kernel_tags(order)?;
        let value = self.kernel_value(value, size)?;
        self.out.emit(Op::Store { addr, value, size, tags });
        Ok(())
    }

    fn kernel_fence(&mut self, order: Operand) -> Lowered<()> {
        let tags = self.out.unit.tags([self.named(order, ORDERS)?]);
        self.out.emit(Op::Fence { tags });
        Ok(())
    }

    fn kernel_update(
        &mut self,
        result: Option<ValueId>,
        (at, size, value): (Operand, Operand, Operand),
        order: Option<Operand>,
        op: Option<Operand>,
        gives: Gives,
    ) -> Lowered<()> {
        let (addr, size) = (self.scalar(at)?, self.kernel_size(size)?);
        let tags = self.kernel_update_tags(order)?;
        let value = self.kernel_value(value, size)?;
        let old = self.out.temporary(8 * size);
        let new = match op {
            Some(op) => fold::bin(self.named(op, OPERATORS)?, Expr::Reg(old), value),
            None => value,
        };
        self.out.emit(Op::Update { old, addr, size, guard: None, new: new.clone(), tags });
        match gives {
            Gives::Nothing => Ok(()),
            Gives::Old => self.take(result, vec![(Expr::Reg(old), 8 * size)]),
            Gives::New => self.take(result, vec![(new, 8 * size)]),
        }
    }

    /// A compare-exchange. If it fails it orders nothing, whatever it says of that.
    fn kernel_exchange(
        &mut self,
        result: Option<ValueId>,
        (at, size): (Operand, Operand),
        expected: Operand,
        new: Operand,
        order: Operand,
    ) -> Lowered<()> {
        let (addr, size) = (self.scalar(at)?, self.kernel_size(size)?);
        let tags = self.kernel_update_tags(Some(order))?;
        let (expected, new) = (self.kernel_value(expected, size)?, self.kernel_value(new, size)?);
        let old = self.out.temporary(8 * size);
        let guard = Some(Expr::bin(BinOp::Eq, Expr::Reg(old), expected));
        self.out.emit(Op::Update { old, addr, size, guard, new, tags });
        self.take(result, vec![(Expr::Reg(old), 8 * size)])
    }

    fn kernel_lock(&mut self, result: Option<ValueId>, op: LockOp, at: Operand) -> Lowered<()> {
        let addr = self.scalar(at)?;
        self.out.emit(Op::Lock { op, addr, size: LOCK_SIZE });
        self.take(result, Vec::new())
    }

    /// An argument as a value of so many bytes.
    fn kernel_value(&mut self, value: Operand, size: u8) -> Lowered<Expr> {
        let (bits, value) = (self.width(value)?, self.scalar(value)?);
        let value = fold::zext(value, bits, 8 * size);
        Ok(self.out.keep(value, 8 * size))
    }

    fn kernel_size(&self, size: Operand) -> Lowered<u8> {
        match self.known(size) {
            Some(size @ (1 | 2 | 4 | 8)) => Ok(size as u8),
            _ => unsupported("an access whose size is not 1, 2, 4 or 8 bytes"),
        }
    }

    /// The entry of a list that a constant of the program numbers.
    fn named<T: Copy>(&self, number: Operand, list: &[T]) -> Lowered<T> {
        let known = self.known(number).and_then(|n| list.get(usize::try_from(n).ok()?));
        known.map_or_else(|| unsupported("an order or an operator of the kernel that is not known here"), |t| Ok(*t))
    }

    fn kernel_order(&self, order: Operand) -> Lowered<&'static str> {
        let order = self.named(order, ORDERS)?;
        if OF_ACCESSES.contains(&order) { Ok(order) } else { unsupported("an access with the order of a fence") }
    }

    fn kernel_tags(&mut self, order: Operand) -> Lowered<Tags> {
        let order = self.kernel_order(order)?;
        Ok(self.out.unit.tags([order]))
    }

    fn kernel_update_tags(&mut self, order: Option<Operand>) -> Lowered<UpdateTags> {
        let order = order.map_or(Ok(NO_RETURN), |order| self.kernel_order(order))?;
        let tags = self.out.unit.tags(["X", "RMW", order]);
        let (read, write, fused) = (tags.clone(), tags.clone(), tags.clone());
        Ok(UpdateTags { read, write, fused, fail: tags, fences: None })
    }
}
