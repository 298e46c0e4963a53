//! The primitives that macro files define the kernel's functions with: `__load{once}(*x)`, `__cmpxchg{mb}(x,a,b)`, …
//!
//! An annotation is a tag with a capital first letter (`once` is `Once`, `before-atomic` is `Before-atomic`). Two
//! conventions exist for updates, told apart by how the annotation is written:
//! - in capitals (`ONCE`, `ACQUIRE`, `MB`), both events of an update carry it as it stands, those of a failed one too, and
//!   the model sorts out which of them it orders;
//! - in small letters (`once`, `acquire`, `mb`), an acquire is one of the read and a release one of the write, the other
//!   event is `once`, and `mb` means a full fence before and after an update that succeeds.

use super::ast::{AtomicOp, Expr};
use super::c11::UNGUARDED;
use super::call::{Call, updated};
use super::lower::{Lowered, Lowering};
use super::scope::Scope;
use std::ops::RangeInclusive;
use treville_base::Name;
use treville_ir::{Expr as Value, LockOp, Op, Tags, UpdateTags};
use treville_term::BinOp;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Primitive {
    Load,
    Store,
    Fence,
    Xchg,
    Cmpxchg,
    AtomicOp,
    AtomicOpReturn,
    AtomicFetchOp,
    AtomicAddUnless,
    Lock,
    Unlock,
    TryLock,
    IsLocked,
    Srcu,
}

pub(super) fn primitive(name: &str) -> Option<Primitive> {
    Some(match name.strip_prefix("__")? {
        "load" => Primitive::Load,
        "store" => Primitive::Store,
        "fence" => Primitive::Fence,
        "xchg" => Primitive::Xchg,
        "cmpxchg" => Primitive::Cmpxchg,
        "atomic_op" => Primitive::AtomicOp,
        "atomic_op_return" => Primitive::AtomicOpReturn,
        "atomic_fetch_op" => Primitive::AtomicFetchOp,
        "atomic_add_unless" => Primitive::AtomicAddUnless,
        "lock" => Primitive::Lock,
        "unlock" => Primitive::Unlock,
        "trylock" => Primitive::TryLock,
        "islocked" => Primitive::IsLocked,
        "srcu" => Primitive::Srcu,
        _ => return None,
    })
}

impl Primitive {
    pub(super) fn arity(self) -> RangeInclusive<usize> {
        let n = match self {
            Primitive::Fence => 0,
            Primitive::Load | Primitive::Lock | Primitive::Unlock | Primitive::TryLock | Primitive::IsLocked => 1,
            Primitive::Store | Primitive::Xchg => 2,
            Primitive::Cmpxchg
            | Primitive::AtomicOp
            | Primitive::AtomicOpReturn
            | Primitive::AtomicFetchOp
            | Primitive::AtomicAddUnless => 3,
            Primitive::Srcu => return 1..=2,
        };
        n..=n
    }

    /// Whether it must say how it orders.
    fn needs_annotation(self) -> bool {
        !matches!(
            self,
            Primitive::AtomicOp | Primitive::Lock | Primitive::Unlock | Primitive::TryLock | Primitive::IsLocked
        )
    }
}

/// The tag of an annotation.
pub(crate) fn tag_of(annotation: &str) -> String {
    let mut letters = annotation.chars();
    letters.next().map_or(String::new(), |first| first.to_ascii_uppercase().to_string() + letters.as_str())
}

impl Lowering<'_> {
    /// A call of a primitive with the right number of arguments. Never a part of its caller, which recurses.
    #[inline(never)]
    pub(super) fn linux(
        &mut self,
        p: Primitive,
        annotations: &[Name],
        e: &Expr,
        args: &[Expr],
        scope: Scope<'_>,
    ) -> Lowered<Call> {
        if annotations.is_empty() && p.needs_annotation() {
            return Err(scope.error(e.span, "an annotation is missing").help("for example `__load{once}(*x)`"));
        }
        let before = self.n_insts();
        let call = self.primitive(p, annotations, e, args, scope)?;
        // The old convention would put the first fence before what the arguments access, and only if the update succeeds.
        let is_update = !matches!(p, Primitive::Fence | Primitive::Load | Primitive::Store);
        if is_update && annotations.iter().any(|a| a == "mb") && self.n_insts() > before + 1 {
            let error = scope.error(e.span, "the arguments of an update with `mb` must not access memory");
            return Err(error.help("load the value into a register first"));
        }
        Ok(call)
    }

    fn primitive(
        &mut self,
        p: Primitive,
        annotations: &[Name],
        e: &Expr,
        args: &[Expr],
        scope: Scope<'_>,
    ) -> Lowered<Call> {
        match (p, args) {
            (Primitive::Load, [at]) => self.linux_load(annotations, at, scope),
            (Primitive::Store, [at, v]) => {
                let (addr, ty) = (self.place(at, scope)?, self.type_of(at, scope));
                let value = self.value_as(ty, v, scope)?;
                let tags = self.annotated(annotations);
                self.emit(Op::Store { addr, value, size: self.context.word, tags });
                Ok(Call::Nothing)
            }
            (Primitive::Fence, _) => {
                let tags = self.annotated(annotations);
                self.emit(Op::Fence { tags });
                Ok(Call::Nothing)
            }
            (Primitive::Xchg, [p, v]) => {
                let (addr, ty) = (self.address(p, scope)?, self.pointee(p, scope));
                let new = self.value_as(ty, v, scope)?;
                let tags = self.ordering(annotations);
                Ok(Call::Value(self.fenced_update(addr, UNGUARDED, |_: &Self, _| new, tags)))
            }
            (Primitive::Cmpxchg, [p, old, new]) => {
                let (addr, ty) = (self.address(p, scope)?, self.pointee(p, scope));
                let (wanted, new) = (self.value_as(ty, old, scope)?, self.value_as(ty, new, scope)?);
                let tags = self.ordering(annotations);
                let guard = |old| Value::bin(BinOp::Eq, old, wanted);
                Ok(Call::Value(self.fenced_update(addr, Some(guard), |_: &Self, _| new, tags)))
            }
            (Primitive::AtomicOp, [p, op, v]) => {
                let tags = self.unordered(annotations);
                self.atomic_op((p, op, v), tags, scope).map(|_| Call::Nothing)
            }
            (Primitive::AtomicOpReturn, [p, op, v]) => {
                let tags = self.ordering(annotations);
                let (op, old, operand) = self.atomic_op((p, op, v), tags, scope)?;
                let ty = self.pointee(p, scope);
                Ok(Call::Value(self.wrapped(updated(op, old, operand), ty)))
            }
            (Primitive::AtomicFetchOp, [p, op, v]) => {
                let tags = self.ordering(annotations);
                let (_, old, operand) = self.atomic_op((p, op, v), tags, scope)?;
                Ok(Call::Value(depending(old, operand)))
            }
            (Primitive::AtomicAddUnless, [p, v, unless]) => {
                let tags = self.ordering(annotations);
                self.add_unless(tags, (p, v, unless), scope).map(Call::Value)
            }
            (Primitive::Lock, [p]) => self.lock(LockOp::Acquire, p, scope),
            (Primitive::Unlock, [p]) => self.lock(LockOp::Release, p, scope),
            (Primitive::TryLock, [p]) => self.lock_test(|dst| LockOp::Try { dst }, p, scope),
            (Primitive::IsLocked, [p]) => self.lock_test(|dst| LockOp::IsHeld { dst }, p, scope),
            (Primitive::Srcu, [p, rest @ ..]) => self.srcu(annotations, p, rest.first(), scope),
            _ => Err(scope.error(e.span, "too few arguments")),
        }
    }

    /// Tags for annotations as they stand.
    fn annotated(&mut self, annotations: &[Name]) -> Tags {
        let names: Vec<String> = annotations.iter().map(|a| tag_of(a)).collect();
        self.tags(names.iter().map(String::as_str))
    }

    /// A load. The old macro files have two kinds of dereference, each a `once` load and a fence for dependencies.
    fn linux_load(&mut self, annotations: &[Name], at: &Expr, scope: Scope<'_>) -> Lowered<Call> {
        let addr = self.place(at, scope)?;
        if let [only] = annotations
            && matches!(only.as_str(), "deref" | "lderef")
        {
            let (once, fence) = (self.tags(["Once"]), self.tags(["Rb_dep"]));
            let value = self.load(addr, once);
            self.after(|l| l.emit(Op::Fence { tags: fence }));
            return Ok(Call::Value(value));
        }
        let tags = self.annotated(annotations);
        Ok(Call::Value(self.load(addr, tags)))
    }

    fn update_tags_of(&mut self, read: &[String], write: &[String], fail: &[String]) -> UpdateTags {
        let mut tags = |names: &[String]| self.tags(names.iter().map(String::as_str).chain(["X", "RMW"]));
        let mut both = read.to_vec();
        both.extend_from_slice(write);
        UpdateTags { read: tags(read), write: tags(write), fused: tags(&both), fail: tags(fail), fences: None }
    }

    /// What an annotation asks of an update that gives a value.
    fn ordering(&mut self, annotations: &[Name]) -> UpdateTags {
        if in_capitals(annotations) {
            let names: Vec<String> = annotations.iter().map(|a| tag_of(a)).collect();
            return self.update_tags_of(&names, &names, &names);
        }
        let is = |word: &str| annotations.iter().any(|a| a == word);
        let half = |word: &str| vec![if is(word) { tag_of(word) } else { "Once".to_owned() }];
        let once = vec!["Once".to_owned()];
        let tags = self.update_tags_of(&half("acquire"), &half("release"), &once);
        UpdateTags { fences: is("mb").then(|| self.tags(["Mb"])), ..tags }
    }

    /// What an annotation asks of an update that gives no value.
    fn unordered(&mut self, annotations: &[Name]) -> UpdateTags {
        if in_capitals(annotations) {
            return self.ordering(annotations);
        }
        let once = vec!["Once".to_owned()];
        self.update_tags_of(&["Noreturn".to_owned()], &once, &once)
    }

    /// An update that, if it has fences, comes after everything before them; the result is the old value.
    fn fenced_update(
        &mut self,
        addr: Value,
        guard: Option<impl FnOnce(Value) -> Value>,
        new: impl FnOnce(&Self, Value) -> Value,
        tags: UpdateTags,
    ) -> Value {
        if tags.fences.is_none() {
            return self.update_with(addr, guard, new, tags);
        }
        self.after(|l| l.update_with(addr, guard, new, tags))
    }

    /// An atomic operation on `*p`; gives the operator, the old value and the operand.
    fn atomic_op(
        &mut self,
        (p, op, v): (&Expr, &Expr, &Expr),
        tags: UpdateTags,
        scope: Scope<'_>,
    ) -> Lowered<(AtomicOp, Value, Value)> {
        let op = self.operator(op, scope)?;
        let (operand, addr) = (self.value(v, scope)?, self.address(p, scope)?);
        let ty = self.pointee(p, scope);
        let new = |l: &Self, old| l.wrapped(updated(op, old, operand.clone()), ty);
        let old = self.fenced_update(addr, UNGUARDED, new, tags);
        Ok((op, old, operand))
    }

    /// Adds `v` to `*p` unless that is `unless`; gives whether it did.
    fn add_unless(
        &mut self,
        tags: UpdateTags,
        (p, v, unless): (&Expr, &Expr, &Expr),
        scope: Scope<'_>,
    ) -> Lowered<Value> {
        let (addr, v) = (self.address(p, scope)?, self.value(v, scope)?);
        let unless = self.value(unless, scope)?;
        let differs = |old| Value::bin(BinOp::Ne, old, unless.clone());
        let ty = self.pointee(p, scope);
        let sum = |l: &Self, old| l.wrapped(Value::bin(BinOp::Add, old, v), ty);
        let old = self.fenced_update(addr, Some(differs), sum, tags);
        Ok(differs(old).zext(self.width()))
    }

    fn lock_test(&mut self, op: fn(treville_ir::Reg) -> LockOp, p: &Expr, scope: Scope<'_>) -> Lowered<Call> {
        let addr = self.address(p, scope)?;
        let dst = self.temporary(self.width());
        self.emit(Op::Lock { op: op(dst), addr, size: self.context.word });
        Ok(Call::Value(Value::Reg(dst)))
    }

    /// An SRCU operation; beginning a critical section gives a value that ends it.
    fn srcu(&mut self, annotations: &[Name], p: &Expr, v: Option<&Expr>, scope: Scope<'_>) -> Lowered<Call> {
        let addr = Some(self.address(p, scope)?);
        let value = v.map(|v| self.value(v, scope)).transpose()?;
        let tags = self.annotated(annotations);
        let dst = annotations.iter().any(|a| a == "srcu-lock").then(|| self.temporary(self.width()));
        self.emit(Op::Opaque { addr, value, dst, tags });
        Ok(dst.map_or(Call::Nothing, |dst| Call::Value(Value::Reg(dst))))
    }
}

/// `value`, which shall depend on `operand` too: in the reference tool what a fetching operation gives does.
fn depending(value: Value, operand: Value) -> Value {
    let mut depends = false;
    operand.visit_regs(&mut |_| depends = true);
    if !depends {
        return value;
    }
    let nothing = Value::bin(BinOp::Xor, operand.clone(), operand);
    Value::bin(BinOp::Add, value, nothing)
}

fn in_capitals(annotations: &[Name]) -> bool {
    annotations.iter().any(|a| a.bytes().any(|b| b.is_ascii_uppercase()))
}
