//! The atomics and mutexes of C11. A function without `_explicit` is sequentially consistent.

use super::ast::{AtomicOp, Expr};
use super::call::{Call, updated};
use super::lower::{Lowered, Lowering};
use super::scope::Scope;
use treville_base::Diagnostic;
use treville_ir::{Expr as Value, LockOp, MemoryOrder, Op, UpdateTags, Wait};
use treville_term::BinOp;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Function {
    kind: Kind,
    /// Whether memory orders are arguments.
    explicit: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Load,
    Store,
    Exchange,
    Fetch(AtomicOp),
    CompareExchange { weak: bool },
    Fence,
    Lock,
    Unlock,
}

pub(super) fn function(name: &str) -> Option<Function> {
    let kind = match name {
        "lock" | "mtx_lock" => Kind::Lock,
        "unlock" | "mtx_unlock" => Kind::Unlock,
        "atomic_thread_fence" => Kind::Fence,
        "SCAS" => Kind::CompareExchange { weak: false },
        "WCAS" => Kind::CompareExchange { weak: true },
        _ => {
            let atomic = name.strip_prefix("atomic_")?;
            match atomic.strip_suffix("_explicit").unwrap_or(atomic) {
                "load" => Kind::Load,
                "store" => Kind::Store,
                "exchange" => Kind::Exchange,
                "fetch_add" => Kind::Fetch(AtomicOp::Add),
                "fetch_sub" => Kind::Fetch(AtomicOp::Sub),
                "fetch_or" => Kind::Fetch(AtomicOp::Or),
                "fetch_xor" => Kind::Fetch(AtomicOp::Xor),
                "fetch_and" => Kind::Fetch(AtomicOp::And),
                "compare_exchange_strong" => Kind::CompareExchange { weak: false },
                "compare_exchange_weak" => Kind::CompareExchange { weak: true },
                _ => return None,
            }
        }
    };
    let explicit = kind == Kind::Fence || name.ends_with("_explicit");
    Some(Function { kind, explicit })
}

impl Function {
    /// Whether it has a memory order.
    pub(super) fn is_atomic(self) -> bool {
        !matches!(self.kind, Kind::Lock | Kind::Unlock)
    }

    pub(super) fn arity(self) -> usize {
        let (operands, orders) = match self.kind {
            Kind::Load => (1, 1),
            Kind::Store | Kind::Exchange | Kind::Fetch(_) => (2, 1),
            Kind::CompareExchange { .. } => (3, 2),
            Kind::Fence => (0, 1),
            Kind::Lock | Kind::Unlock => (1, 0),
        };
        operands + if self.explicit { orders } else { 0 }
    }
}

fn wrong_order(what: &str, order: MemoryOrder, at: &Expr, scope: Scope<'_>) -> Diagnostic {
    let name = order.name();
    scope.error(at.span, format!("a {what} cannot be `memory_order_{name}`")).help("C11 does not allow this order here")
}

/// An update that cannot fail.
pub(super) const UNGUARDED: Option<fn(Value) -> Value> = None;

impl Lowering<'_> {
    /// A call of a C11 function with the right number of arguments.
    #[inline(never)]
    pub(super) fn c11(&mut self, f: Function, e: &Expr, args: &[Expr], scope: Scope<'_>) -> Lowered<Call> {
        let order = match args.last() {
            Some(last) if f.explicit && !matches!(f.kind, Kind::CompareExchange { .. }) => self.order(last, scope)?,
            _ => MemoryOrder::SeqCst,
        };
        let fits = match f.kind {
            Kind::Load => order.is_of_reads(),
            Kind::Store => order.is_of_writes(),
            _ => true,
        };
        if let (false, Some(last)) = (fits, args.last()) {
            let what = if f.kind == Kind::Load { "load" } else { "store" };
            return Err(wrong_order(what, order, last, scope));
        }
        match (f.kind, args) {
            (Kind::Load, [p, ..]) => {
                let addr = self.address(p, scope)?;
                let tags = self.tags(["A", order.tag()]);
                Ok(Call::Value(self.load(addr, tags)))
            }
            (Kind::Store, [p, v, ..]) => {
                let (addr, ty) = (self.address(p, scope)?, self.pointee(p, scope));
                let value = self.value_as(ty, v, scope)?;
                let tags = self.tags(["A", order.tag()]);
                self.emit(Op::Store { addr, value, size: self.context.word, tags });
                Ok(Call::Nothing)
            }
            (Kind::Exchange, [p, v, ..]) => {
                let ty = self.pointee(p, scope);
                let (new, addr) = (self.value_as(ty, v, scope)?, self.address(p, scope)?);
                let tags = self.update_tags(order, order);
                Ok(Call::Value(self.update(addr, UNGUARDED, |_| new, tags)))
            }
            (Kind::Fetch(op), [p, v, ..]) => {
                let (operand, addr) = (self.value(v, scope)?, self.address(p, scope)?);
                let tags = self.update_tags(order, order);
                let ty = self.pointee(p, scope);
                let new = |l: &Self, old| l.wrapped(updated(op, old, operand), ty);
                Ok(Call::Value(self.update_with(addr, UNGUARDED, new, tags)))
            }
            (Kind::CompareExchange { weak }, [object, expected, desired, orders @ ..]) => {
                let (success, failure) = match orders {
                    [success, failure, ..] => (self.order(success, scope)?, self.order(failure, scope)?),
                    _ => (MemoryOrder::SeqCst, MemoryOrder::SeqCst),
                };
                if let (false, Some(last)) = (failure.is_of_reads(), orders.last()) {
                    return Err(wrong_order("compare-exchange that fails", failure, last, scope));
                }
                self.compare_exchange((object, expected, desired), weak, (success, failure), scope)
            }
            (Kind::Fence, _) => {
                let tags = self.tags([order.tag()]);
                self.emit(Op::Fence { tags });
                Ok(Call::Nothing)
            }
            (Kind::Lock, [p, ..]) => self.lock(LockOp::Acquire, p, scope),
            (Kind::Unlock, [p, ..]) => self.lock(LockOp::Release, p, scope),
            _ => Err(scope.error(e.span, "too few arguments")),
        }
    }

    /// Reads `*expected`; then either changes `*object` from that value to `desired`, or puts what `*object` holds into
    /// `*expected`. A weak one may do the latter for no reason, if the options say so.
    fn compare_exchange(
        &mut self,
        (object, expected, desired): (&Expr, &Expr, &Expr),
        weak: bool,
        (success, failure): (MemoryOrder, MemoryOrder),
        scope: Scope<'_>,
    ) -> Lowered<Call> {
        let ty = self.pointee(object, scope);
        let (expected, object) = (self.address(expected, scope)?, self.address(object, scope)?);
        let desired = self.value_as(ty, desired, scope)?;
        let plain = self.plain_tags();
        let wanted = self.load(expected.clone(), plain.clone());
        let tags = self.update_tags(success, failure);
        let old = self.temporary(self.width());
        let equal = Value::bin(BinOp::Eq, Value::Reg(old), wanted);
        let luck = (weak && self.context.weak_cas).then(|| self.temporary(1));
        luck.into_iter().for_each(|dst| self.emit(Op::Nondet { dst }));
        let succeeds =
            luck.map_or_else(|| equal.clone(), |luck| Value::bin(BinOp::And, equal.clone(), Value::Reg(luck)));
        let (guard, size) = (Some(succeeds.clone()), self.context.word);
        self.after(|l| l.emit(Op::Update { old, addr: object, size, guard, new: desired, tags }));
        let done = self.temporary(1);
        if let Some(luck) = luck {
            // Bad luck is one way to fail only where there is no other.
            let cond = Value::bin(BinOp::Or, equal, Value::Reg(luck));
            self.emit(Op::Wait { cond, kind: Wait::Assume });
        }
        self.emit(Op::Assign { dst: done, value: succeeds });
        self.only_if(Value::Reg(done), false, |l| {
            l.emit(Op::Store { addr: expected, value: Value::Reg(old), size, tags: plain });
            Ok(())
        })?;
        Ok(Call::Value(Value::Reg(done).zext(self.width())))
    }

    fn update_tags(&mut self, order: MemoryOrder, failure: MemoryOrder) -> UpdateTags {
        let (read, write) = order.split();
        UpdateTags {
            read: self.tags(["A", "X", "RMW", read.tag()]),
            write: self.tags(["A", "X", "RMW", write.tag()]),
            fused: self.tags(["A", "X", "RMW", order.tag()]),
            fail: self.tags(["A", failure.tag()]),
            fences: None,
        }
    }

    /// An update whose result is the old value.
    pub(super) fn update(
        &mut self,
        addr: Value,
        guard: Option<impl FnOnce(Value) -> Value>,
        new: impl FnOnce(Value) -> Value,
        tags: UpdateTags,
    ) -> Value {
        self.update_with(addr, guard, |_, old| new(old), tags)
    }

    /// The same; the new value may need conversions.
    pub(super) fn update_with(
        &mut self,
        addr: Value,
        guard: Option<impl FnOnce(Value) -> Value>,
        new: impl FnOnce(&Self, Value) -> Value,
        tags: UpdateTags,
    ) -> Value {
        let old = self.temporary(self.width());
        let guard = guard.map(|g| g(Value::Reg(old)));
        let new = new(self, Value::Reg(old));
        self.emit(Op::Update { old, addr, size: self.context.word, guard, new, tags });
        Value::Reg(old)
    }

    pub(super) fn lock(&mut self, op: LockOp, p: &Expr, scope: Scope<'_>) -> Lowered<Call> {
        let addr = self.address(p, scope)?;
        self.emit(Op::Lock { op, addr, size: self.context.word });
        Ok(Call::Nothing)
    }
}
