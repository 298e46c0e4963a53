//! Smaller expressions with the same value.
//!
//! Every register of the expression stays, so that nothing that depended on a read becomes independent of it: `x ^ x` is
//! left alone. With `algebraic` it becomes 0.

use crate::ops;
use treville_base::IndexVec;
use treville_ir::{Expr, Reg, RegInfo};
use treville_term::{BinOp, Bv, Cast, UnOp};

pub(crate) struct Folder<'a> {
    pub(crate) regs: &'a IndexVec<Reg, RegInfo>,
    pub(crate) algebraic: bool,
}

/// Whether an expression mentions a register.
pub(crate) fn has_regs(e: &Expr) -> bool {
    let mut found = false;
    e.visit_regs(&mut |_| found = true);
    found
}

pub(crate) fn n_nodes(e: &Expr) -> usize {
    match e {
        Expr::Const(_) | Expr::Reg(_) | Expr::Addr(..) => 1,
        Expr::Un(_, a) | Expr::Cast(_, _, a) => 1 + n_nodes(a),
        Expr::Bin(_, a, b) => 1 + n_nodes(a) + n_nodes(b),
        Expr::Ite(c, a, b) => 1 + n_nodes(c) + n_nodes(a) + n_nodes(b),
    }
}

impl Folder<'_> {
    pub(crate) fn fold_in_place(&self, e: &mut Expr) {
        let old = std::mem::replace(e, Expr::int(0, 1));
        *e = self.fold(old);
    }

    pub(crate) fn fold(&self, e: Expr) -> Expr {
        match e {
            Expr::Const(_) | Expr::Reg(_) | Expr::Addr(..) => e,
            Expr::Un(op, a) => self.un(op, self.fold(*a)),
            Expr::Cast(kind, width, a) => self.cast(kind, width, self.fold(*a)),
            Expr::Bin(op, a, b) => self.bin(op, self.fold(*a), self.fold(*b)),
            Expr::Ite(c, a, b) => self.ite(self.fold(*c), self.fold(*a), self.fold(*b)),
        }
    }

    /// Whether this may vanish from an expression.
    fn may_drop(&self, e: &Expr) -> bool {
        self.algebraic || !has_regs(e)
    }

    fn width(&self, e: &Expr) -> Option<u8> {
        ops::width(e, self.regs)
    }

    fn un(&self, op: UnOp, a: Expr) -> Expr {
        match (op, a) {
            (_, Expr::Const(v)) if !v.is_thin_air() => Expr::Const(op.eval(v)),
            (_, Expr::Un(inner, b)) if inner == op => *b,
            (UnOp::Not, Expr::Bin(compare, x, y)) => match negated(compare) {
                Some((opposite, false)) => Expr::Bin(opposite, x, y),
                Some((opposite, true)) => Expr::Bin(opposite, y, x),
                None => Expr::un(op, Expr::Bin(compare, x, y)),
            },
            (_, a) => Expr::un(op, a),
        }
    }

    fn cast(&self, kind: Cast, width: u8, a: Expr) -> Expr {
        if self.width(&a) == Some(width) {
            return a;
        }
        match a {
            Expr::Const(v) if !v.is_thin_air() => Expr::Const(kind.eval(v, width)),
            Expr::Cast(inner, middle, b) => {
                match self.width(&b).and_then(|from| Cast::fuse(from, inner, middle, kind, width)) {
                    Some(kind) => self.cast(kind, width, *b),
                    None => Expr::Cast(kind, width, Box::new(Expr::Cast(inner, middle, b))),
                }
            }
            a => Expr::Cast(kind, width, Box::new(a)),
        }
    }

    fn ite(&self, c: Expr, a: Expr, b: Expr) -> Expr {
        match &c {
            Expr::Const(v) if v.is_zero() && self.may_drop(&a) => return b,
            Expr::Const(v) if !v.is_zero() && self.may_drop(&b) => return a,
            _ => {}
        }
        let bit = |e: &Expr, bits: u128| *e == Expr::Const(Bv::new(bits, 1));
        if a == b && self.may_drop(&c) {
            a
        } else if bit(&a, 1) && bit(&b, 0) {
            c
        } else {
            Expr::ite(c, a, b)
        }
    }

    fn bin(&self, op: BinOp, mut a: Expr, mut b: Expr) -> Expr {
        if let (Expr::Const(x), Expr::Const(y)) = (&a, &b)
            && x.width() == y.width()
            && !x.is_thin_air()
        {
            return Expr::Const(op.eval(*x, *y));
        }
        if op.is_commutative() && matches!(a, Expr::Const(_)) {
            std::mem::swap(&mut a, &mut b);
        }
        let Some(width) = self.width(&a) else { return Expr::bin(op, a, b) };
        if width == 0 {
            return Expr::bin(op, a, b);
        }
        if a == b && self.may_drop(&a) {
            match op {
                BinOp::Xor | BinOp::Sub | BinOp::Ne | BinOp::ULt | BinOp::SLt => {
                    return Expr::Const(Bv::zero(op.result_width(width)));
                }
                BinOp::Eq | BinOp::ULe | BinOp::SLe => return Expr::Const(Bv::bool(true)),
                BinOp::And | BinOp::Or => return a,
                _ => {}
            }
        }
        match b {
            Expr::Const(c) if c.width() == width => self.with_constant(op, a, c),
            b => Expr::bin(op, a, b),
        }
    }

    /// `a op c`.
    fn with_constant(&self, op: BinOp, a: Expr, c: Bv) -> Expr {
        let width = c.width();
        let ones = c == UnOp::Not.eval(Bv::zero(width));
        let one = c == Bv::new(1, width);
        match (op, a) {
            (BinOp::And | BinOp::Mul, a) if c.is_zero() && self.may_drop(&a) => Expr::Const(c),
            (BinOp::Or, a) if ones && self.may_drop(&a) => Expr::Const(c),
            (BinOp::Add | BinOp::Sub | BinOp::Or | BinOp::Xor | BinOp::Shl | BinOp::LShr | BinOp::AShr, a)
                if c.is_zero() =>
            {
                a
            }
            (BinOp::And, a) if ones => a,
            (BinOp::Mul | BinOp::UDiv, a) if one => a,
            (BinOp::Sub, a) => self.with_constant(BinOp::Add, a, UnOp::Neg.eval(c)),
            (BinOp::Add, Expr::Addr(object, offset)) => Expr::Addr(object, offset.wrapping_add(c.signed() as i64)),
            (BinOp::Add, Expr::Bin(BinOp::Add, x, d)) => match *d {
                Expr::Const(d) if d.width() == width => self.with_constant(BinOp::Add, *x, BinOp::Add.eval(c, d)),
                d => Expr::bin(BinOp::Add, Expr::Bin(BinOp::Add, x, Box::new(d)), Expr::Const(c)),
            },
            // A condition against a constant is the condition, or its negation.
            (BinOp::Ne | BinOp::Eq | BinOp::Xor, a) if width == 1 => {
                let as_is = (op == BinOp::Eq) == one;
                if as_is { a } else { self.un(UnOp::Not, a) }
            }
            (BinOp::Ne | BinOp::Eq, Expr::Cast(Cast::Zero, to, x)) if c.is_zero() && self.width(&x) == Some(1) => {
                debug_assert_eq!(to, width);
                if op == BinOp::Ne { *x } else { self.un(UnOp::Not, *x) }
            }
            (op, a) => Expr::bin(op, a, Expr::Const(c)),
        }
    }
}

/// The opposite of a comparison, and whether its operands change places.
fn negated(op: BinOp) -> Option<(BinOp, bool)> {
    Some(match op {
        BinOp::Eq => (BinOp::Ne, false),
        BinOp::Ne => (BinOp::Eq, false),
        BinOp::ULt => (BinOp::ULe, true),
        BinOp::ULe => (BinOp::ULt, true),
        BinOp::SLt => (BinOp::SLe, true),
        BinOp::SLe => (BinOp::SLt, true),
        _ => return None,
    })
}
