//! The types of expressions, and what C does with them: promotion to `int`, the usual conversions of operands, conversion on
//! assignment. Values are words ([`super::word`]); one of a narrower type is kept extended to the word, by its sign or with zeros.

use super::ast::{Binary, CType, Expr, ExprKind, Unary};
use super::lower::Lowering;
use super::scope::{Frame, Scope};
use crate::macros::MacroBody;
use treville_ir::Expr as Value;
use treville_term::BinOp;

/// What a variable is that was not declared, and what narrow operands become.
pub(super) const INT: CType = CType { bytes: 4, signed: true, pointers: 0 };

const LONG: CType = CType { bytes: 8, ..INT };

/// A type that says nothing, because it is not known.
const UNKNOWN: CType = CType { bytes: 0, signed: true, pointers: 0 };

impl CType {
    fn promoted(self) -> CType {
        if self.pointers == 0 && (1..4).contains(&self.bytes) { INT } else { self }
    }

    /// What `*e` has if `e` has this type.
    fn pointee(self) -> CType {
        CType { pointers: self.pointers.saturating_sub(1), ..self }
    }

    fn pointer(self) -> CType {
        CType { pointers: self.pointers.saturating_add(1), ..self }
    }
}

/// The type in which two operands are computed with.
pub(super) fn common(a: CType, b: CType) -> CType {
    let (a, b) = (a.promoted(), b.promoted());
    match () {
        () if a.pointers > 0 => a,
        () if b.pointers > 0 => b,
        () if a.bytes == b.bytes => CType { signed: a.signed && b.signed, ..a },
        () if a.bytes > b.bytes => a,
        () => b,
    }
}

impl Lowering<'_> {
    /// The type of an expression, as far as declarations tell.
    pub(super) fn type_of(&mut self, e: &Expr, scope: Scope<'_>) -> CType {
        let (e, scope) = scope.resolve(e);
        if !self.deeper() {
            return UNKNOWN;
        }
        let ty = match &e.kind {
            ExprKind::Int(n) if i32::try_from(*n).is_ok() => INT,
            ExprKind::Int(_) => LONG,
            ExprKind::Name(name) => self.types.get(name).copied().unwrap_or(INT),
            ExprKind::Deref(a) | ExprKind::Index(a, _) => self.type_of(a, scope).pointee(),
            ExprKind::AddressOf(a) => self.type_of(a, scope).pointer(),
            ExprKind::PointerCast(ty, _) | ExprKind::Cast(ty, _) => *ty,
            ExprKind::Unary(Unary::Not, _) => INT,
            ExprKind::Unary(Unary::Negate | Unary::Complement, a) => self.type_of(a, scope).promoted(),
            ExprKind::Binary(op, a, b) => match op {
                Binary::Or | Binary::And | Binary::Eq | Binary::Ne => INT,
                Binary::Lt | Binary::Gt | Binary::Le | Binary::Ge => INT,
                Binary::Shl | Binary::Shr => self.type_of(a, scope).promoted(),
                _ => common(self.type_of(a, scope), self.type_of(b, scope)),
            },
            ExprKind::Conditional(_, a, b) => common(self.type_of(a, scope), self.type_of(b, scope)),
            ExprKind::Call { name, args, .. } => self.type_of_call(e, name, args, scope),
            ExprKind::Operator(_) => UNKNOWN,
        };
        self.leave();
        ty
    }

    /// A macro has the type of its body; what accesses memory has the type of what it accesses.
    fn type_of_call(&mut self, e: &Expr, name: &str, args: &[Expr], scope: Scope<'_>) -> CType {
        let defined = self.context.macros.and_then(|m| m.get(name)).filter(|m| m.params.len() == args.len());
        if let Some(MacroBody::Expr(body)) = defined.map(|m| &m.body) {
            let params = defined.map_or(&[][..], |m| &m.params);
            let frame = Frame { params, args, call: e.span, outer: scope };
            return self.type_of(body, Scope(Some(&frame)));
        }
        let Some(first) = args.first() else { return INT };
        let yields_bit = name.contains("compare_exchange") || matches!(name, "SCAS" | "WCAS");
        match name {
            _ if yields_bit => INT,
            "__atomic_add_unless" | "__trylock" | "__islocked" | "__srcu" => INT,
            // A place, and not its address.
            "__load" | "__store" => self.type_of(first, scope),
            _ => self.type_of(first, scope).pointee(),
        }
    }

    /// A value as one of type `to`: what does not fit is cut off.
    pub(super) fn converted(&self, value: Value, from: CType, to: CType) -> Value {
        let bits = 8 * u32::from(to.bytes);
        let fits = from == to || from.pointers > 0 || to.pointers > 0 || bits == 0 || bits >= u32::from(self.width());
        let wider = to.bytes > from.bytes && from.bytes > 0 && (to.signed || !from.signed);
        if fits || wider || is_within(&value, to) { value } else { self.cut(value, to) }
    }

    /// The lowest bits, extended to a word.
    fn cut(&self, value: Value, to: CType) -> Value {
        let bits = 8 * u32::from(to.bytes);
        if !to.signed {
            return Value::bin(BinOp::And, value, self.constant((1_i128 << bits) - 1));
        }
        let by = self.constant(i128::from(u32::from(self.width()) - bits));
        Value::bin(BinOp::AShr, Value::bin(BinOp::Shl, value, by.clone()), by)
    }

    /// The result of arithmetic in a type narrower than a word.
    pub(super) fn wrapped(&self, value: Value, ty: CType) -> Value {
        self.converted(value, UNKNOWN, ty)
    }
}

/// Whether a number is one of the type.
fn is_within(value: &Value, ty: CType) -> bool {
    let Value::Const(n) = value else { return false };
    let bits = 8 * u32::from(ty.bytes);
    let n = n.signed();
    if ty.signed { n >= -(1_i128 << (bits - 1)) && n < 1_i128 << (bits - 1) } else { (0..1_i128 << bits).contains(&n) }
}
