//! Memory accesses and calls: the atomics of C11, the primitives that kernel macros are made of, and macros.

use super::ast::{AtomicOp, Binary, Expr, ExprKind};
use super::linux::{self, Primitive};
use super::lower::{Lowered, Lowering};
use super::scope::{Frame, Scope};
use super::{Style, c11};
use crate::macros::{Macro, MacroBody};
use treville_ir::{Expr as Value, MemoryOrder, Op, Tags};
use treville_term::{BinOp, UnOp};

/// What a call gives.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Call {
    Value(Value),
    Nothing,
}

/// A function that the dialect knows by itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Builtin {
    C11(c11::Function),
    Linux(Primitive),
}

fn builtin(name: &str) -> Option<Builtin> {
    let linux = || linux::primitive(name).map(Builtin::Linux);
    c11::function(name).map(Builtin::C11).or_else(linux)
}

impl Lowering<'_> {
    /// A call. Macros come first in kernel code, where `atomic_fetch_add` is not that of C11, and last in other code.
    pub(super) fn call(&mut self, e: &Expr, scope: Scope<'_>) -> Lowered<Call> {
        let ExprKind::Call { name, annotations, args } = &e.kind else {
            return self.value(e, scope).map(Call::Value);
        };
        let context = self.context;
        let known = builtin(name);
        let defined = context.macros.and_then(|m| m.get(name));
        match (known, defined) {
            (Some(_), Some(defined)) if context.style == Style::Linux => self.macro_call(defined, e, args, scope),
            (None, Some(defined)) => self.macro_call(defined, e, args, scope),
            (Some(Builtin::C11(f)), _) if context.style == Style::Linux && f.is_atomic() => {
                let foreign = scope.error(
                    e.span,
                    format!("`{name}` is a function of C11, which the model of the Linux kernel does not know"),
                );
                Err(foreign.help("the models of C11 are c11 and rc11 (option `model`)"))
            }
            (Some(Builtin::C11(f)), _) => {
                arity(f.arity()..=f.arity(), e, name, args, scope)?;
                self.c11(f, e, args, scope)
            }
            (Some(Builtin::Linux(p)), _) => {
                arity(p.arity(), e, name, args, scope)?;
                self.linux(p, annotations, e, args, scope)
            }
            (None, None) => {
                let unknown = scope.error(e.span, format!("unknown function `{name}`"));
                Err(match context.macros {
                    Some(_) => unknown,
                    None => unknown.help("functions of the kernel are defined by a macro file"),
                })
            }
        }
    }

    fn macro_call(&mut self, defined: &Macro, e: &Expr, args: &[Expr], scope: Scope<'_>) -> Lowered<Call> {
        arity(defined.params.len()..=defined.params.len(), e, &defined.name, args, scope)
            .map_err(|error| error.label(defined.span, "the macro is defined here"))?;
        let frame = Frame { params: &defined.params, args, call: e.span, outer: scope };
        let inside = Scope(Some(&frame));
        match &defined.body {
            MacroBody::Expr(body) => match inside.resolve(body) {
                (body @ Expr { kind: ExprKind::Call { .. }, .. }, scope) => {
                    self.enter(body.span, scope)?;
                    let result = self.call(body, scope)?;
                    self.leave();
                    Ok(result)
                }
                (body, scope) => self.value(body, scope).map(Call::Value),
            },
            MacroBody::Stmts(body) => {
                self.statements(body, inside)?;
                Ok(Call::Nothing)
            }
        }
    }

    /// The address that `*p` or `a[i]` stands for.
    pub(super) fn place(&mut self, e: &Expr, scope: Scope<'_>) -> Lowered<Value> {
        self.enter(e.span, scope)?;
        let (e, scope) = scope.resolve(e);
        let addr = match &e.kind {
            ExprKind::Deref(pointer) => self.address(pointer, scope)?,
            ExprKind::Index(base, index) => {
                let (base, index) = (self.value(base, scope)?, self.value(index, scope)?);
                let element = self.offset(BinOp::Add, base, index);
                self.address_of(element)
            }
            ExprKind::PointerCast(_, e) | ExprKind::Cast(_, e) => self.place(e, scope)?,
            ExprKind::Name(name) => {
                let error = scope.error(e.span, format!("`{name}` is not a place in memory"));
                return Err(if self.is_pointer(e, scope) { error.help(format!("write `*{name}`")) } else { error });
            }
            _ => return Err(scope.error(e.span, "expected a place in memory such as `*x`")),
        };
        self.leave();
        Ok(addr)
    }

    /// The address that a pointer holds. What is added to it counts elements, whatever its type.
    pub(super) fn address(&mut self, pointer: &Expr, scope: Scope<'_>) -> Lowered<Value> {
        let (pointer, scope) = scope.resolve(pointer);
        let value = match &pointer.kind {
            // An integer type in between does not change an address.
            ExprKind::Cast(_, inner) => return self.address(inner, scope),
            ExprKind::Binary(op @ (Binary::Add | Binary::Sub), a, b) if !self.is_pointer(pointer, scope) => {
                let operator = if *op == Binary::Add { BinOp::Add } else { BinOp::Sub };
                let (a, b) = (self.value(a, scope)?, self.value(b, scope)?);
                self.offset(operator, a, b)
            }
            _ => self.value(pointer, scope)?,
        };
        Ok(self.address_of(value))
    }

    /// The tags of an access that is not atomic.
    pub(super) fn plain_tags(&mut self) -> Tags {
        match self.context.style {
            Style::C11 => self.tags(["NA"]),
            Style::Linux => Tags::new(),
        }
    }

    /// Loads a word; the result is a register of its own.
    pub(super) fn load(&mut self, addr: Value, tags: Tags) -> Value {
        let dst = self.temporary(self.width());
        self.emit(Op::Load { dst, addr, size: self.context.word, tags });
        Value::Reg(dst)
    }

    /// An argument that must be a memory order.
    pub(super) fn order(&mut self, e: &Expr, scope: Scope<'_>) -> Lowered<MemoryOrder> {
        let (e, scope) = scope.resolve(e);
        let order = match &e.kind {
            ExprKind::Name(name) => MemoryOrder::named(name),
            _ => None,
        };
        order.ok_or_else(|| scope.error(e.span, "expected a memory order").help("for example `memory_order_acquire`"))
    }

    /// An argument that must be an operator.
    pub(super) fn operator(&mut self, e: &Expr, scope: Scope<'_>) -> Lowered<AtomicOp> {
        match scope.resolve(e) {
            (Expr { kind: ExprKind::Operator(op), .. }, _) => Ok(*op),
            (e, scope) => Err(scope.error(e.span, "expected an operator: `+`, `-`, `&`, `|`, `^` or `&~`")),
        }
    }
}

/// The new value of an atomic update.
pub(super) fn updated(op: AtomicOp, old: Value, operand: Value) -> Value {
    let (op, operand) = match op {
        AtomicOp::Add => (BinOp::Add, operand),
        AtomicOp::Sub => (BinOp::Sub, operand),
        AtomicOp::And => (BinOp::And, operand),
        AtomicOp::Or => (BinOp::Or, operand),
        AtomicOp::Xor => (BinOp::Xor, operand),
        AtomicOp::AndNot => (BinOp::And, Value::un(UnOp::Not, operand)),
    };
    Value::bin(op, old, operand)
}

fn arity(
    expected: std::ops::RangeInclusive<usize>,
    e: &Expr,
    name: &str,
    args: &[Expr],
    scope: Scope<'_>,
) -> Lowered<()> {
    if expected.contains(&args.len()) {
        return Ok(());
    }
    let plural = |n: usize| if n == 1 { "1 argument".to_owned() } else { format!("{n} arguments") };
    Err(scope.error(e.span, format!("`{name}` takes {}, not {}", plural(*expected.start()), args.len())))
}
