//! Constants as expressions.

use super::arith::{binary, compare};
use super::unit::Unit;
use super::{Lowered, fold, shape, unsupported, wide};
use crate::constant::{ConstExpr, ConstId, ConstKind};
use crate::inst::{CastOp, Operand};
use crate::module::Module;
use crate::types::Type;
use treville_base::Idx;
use treville_ir::Expr;
use treville_term::{BinOp, Bv, Cast};

/// How deep constants may nest.
const DEPTH: u32 = 200;

impl Unit<'_> {
    /// The scalars of a constant.
    pub(super) fn constant(&mut self, id: ConstId) -> Lowered<Vec<Expr>> {
        if self.depth > DEPTH {
            return unsupported("a constant that nests so deeply");
        }
        self.depth += 1;
        let value = self.nested_constant(id);
        self.depth -= 1;
        value
    }

    fn nested_constant(&mut self, id: ConstId) -> Lowered<Vec<Expr>> {
        let module = self.module;
        let constant = module.constant(id);
        let bits = || shape::width(module, constant.ty);
        Ok(match &constant.kind {
            ConstKind::Int(value) if wide::is_wide(module, constant.ty) => {
                [*value, *value >> 64].map(|word| Expr::Const(Bv::new(word & u128::from(u64::MAX), 64))).to_vec()
            }
            ConstKind::Int(value) | ConstKind::Float(value) => vec![Expr::Const(Bv::new(*value, bits()?))],
            ConstKind::Null | ConstKind::Undef | ConstKind::Poison | ConstKind::Zero => {
                shape::shape(module, constant.ty)?.iter().map(|leaf| fold::zero(leaf.bits)).collect()
            }
            ConstKind::None | ConstKind::Metadata => Vec::new(),
            ConstKind::Bytes(bytes) => bytes.iter().map(|b| fold::number((*b).into(), 8)).collect(),
            ConstKind::Aggregate(members) => {
                let mut all = Vec::new();
                for member in members.iter() {
                    all.extend(self.constant(*member)?);
                }
                all
            }
            ConstKind::Splat(lane) => {
                let lanes = module.types.lanes(constant.ty).unwrap_or(1);
                let lane = self.scalar_constant(*lane)?;
                vec![lane; lanes as usize]
            }
            ConstKind::Global(global) => vec![self.address(*global)?],
            ConstKind::Expr(expr) => return self.const_expr(id, expr),
        })
    }

    pub(super) fn scalar_constant(&mut self, id: ConstId) -> Lowered<Expr> {
        match self.constant(id)?.as_slice() {
            [value] => Ok(value.clone()),
            _ => unsupported("an array, a struct or a vector here"),
        }
    }

    fn const_expr(&mut self, id: ConstId, expr: &ConstExpr) -> Lowered<Vec<Expr>> {
        let module = self.module;
        let ty = module.constant(id).ty;
        Ok(match expr {
            ConstExpr::Gep { element, base, indices } => {
                let base = self.scalar_constant(*base)?;
                let Some(offset) = module.layout.gep(&module.types, *element, indices, |id| index(module, id)) else {
                    return unsupported("an address that leads nowhere");
                };
                let mut address = fold::add(base, Expr::int(offset.constant, 64));
                for (by, size) in offset.scaled {
                    let bits = shape::width(module, module.constant(by).ty)?;
                    let by = fold::cast(Cast::Sign, self.scalar_constant(by)?, bits, 64);
                    address = fold::add(address, fold::bin(BinOp::Mul, by, fold::number(size, 64)));
                }
                vec![address]
            }
            ConstExpr::Cast { op, value } => {
                let from = shape::width(module, module.constant(*value).ty)?;
                let to = shape::width(module, ty)?;
                let value = self.scalar_constant(*value)?;
                match op {
                    CastOp::SExt => vec![fold::cast(Cast::Sign, value, from, to)],
                    CastOp::FpTrunc
                    | CastOp::FpExt
                    | CastOp::FpToUi
                    | CastOp::FpToSi
                    | CastOp::UiToFp
                    | CastOp::SiToFp => return unsupported("arithmetic on floating-point numbers"),
                    CastOp::Trunc
                    | CastOp::ZExt
                    | CastOp::BitCast
                    | CastOp::PtrToInt
                    | CastOp::IntToPtr
                    | CastOp::PtrToAddr
                    | CastOp::AddrSpaceCast => vec![fold::zext(value, from, to)],
                }
            }
            ConstExpr::Binary { lhs, .. } | ConstExpr::ICmp { lhs, .. }
                if wide::is_wide(module, module.constant(*lhs).ty) =>
            {
                return unsupported("a constant that is computed with 128 bits");
            }
            ConstExpr::Binary { op, lhs, rhs } => {
                let (lhs, rhs) = (self.constant(*lhs)?, self.constant(*rhs)?);
                lhs.into_iter().zip(rhs).map(|(a, b)| binary(*op, a, b)).collect::<Lowered<_>>()?
            }
            ConstExpr::ICmp { predicate, lhs, rhs } => {
                let (lhs, rhs) = (self.constant(*lhs)?, self.constant(*rhs)?);
                lhs.into_iter().zip(rhs).map(|(a, b)| compare(*predicate, a, b)).collect()
            }
            ConstExpr::Select { condition, then, otherwise } => {
                let condition = self.scalar_constant(*condition)?;
                let (then, otherwise) = (self.constant(*then)?, self.constant(*otherwise)?);
                then.into_iter().zip(otherwise).map(|(a, b)| fold::ite(condition.clone(), a, b)).collect()
            }
        })
    }

    /// The text that an address of a constant string points to.
    pub(super) fn string(&self, operand: Operand) -> Option<String> {
        let Operand::Const(mut at) = operand else { return None };
        let module = self.module;
        for _ in 0..8 {
            match &module.constant(at).kind {
                ConstKind::Global(global) => {
                    let bytes = match &module.constant(module.globals[*global].variable()?.init?).kind {
                        ConstKind::Bytes(bytes) => bytes.as_ref(),
                        ConstKind::Zero => &[],
                        _ => return None,
                    };
                    let end = bytes.iter().position(|b| *b == 0).unwrap_or(bytes.len());
                    return Some(String::from_utf8_lossy(&bytes[..end]).into_owned());
                }
                ConstKind::Expr(ConstExpr::Gep { base, indices, .. })
                    if indices.iter().all(|i| module.int(*i) == Some(0)) =>
                {
                    at = *base;
                }
                ConstKind::Expr(ConstExpr::Cast { value, .. }) => at = *value,
                _ => return None,
            }
        }
        None
    }
}

/// The value of a constant index.
pub(super) fn index(module: &Module, id: ConstId) -> Option<i64> {
    let Type::Int(bits) = module.types.get(module.constant(id).ty) else { return None };
    let value = module.int(id)?;
    debug_assert!(id.index() < module.constants.len());
    let shift = 128u32.checked_sub(*bits)?;
    i64::try_from(((value << shift) as i128) >> shift).ok()
}
