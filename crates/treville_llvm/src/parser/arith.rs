//! Instructions that compute: arithmetic, comparisons, casts, choices, and the parts of vectors.

use super::body::Step;
use super::constants::{binary_op, cast_op, int_predicate};
use super::globals::starts_item;
use super::{Parse, Parser};
use crate::constant::{ConstId, ConstKind};
use crate::inst::{BinaryOp, CastOp, Flags, FloatPredicate, InstKind, IntPredicate, Operand};
use crate::lexer::Kind;
use crate::types::{Type, TypeId, Types};
use treville_base::Span;

impl Parser<'_> {
    /// An instruction named by its operator.
    pub(super) fn operation(&mut self) -> Parse<Step> {
        let word = self.token.text;
        if let Some(op) = binary_op(word) {
            self.binary(op)
        } else if let Some(op) = cast_op(word) {
            self.cast(op)
        } else if starts_item(word) {
            Err(self.expected("an instruction or `}`"))
        } else {
            Err(self.expected("an instruction"))
        }
    }

    /// Words between an operator and its first type.
    pub(super) fn flags(&mut self) -> Parse<Flags> {
        let mut flags = Flags::default();
        while self.at(Kind::Word) {
            match self.token.text {
                "nuw" => flags.nuw = true,
                "nsw" => flags.nsw = true,
                "exact" => flags.exact = true,
                "disjoint" => flags.disjoint = true,
                "nneg" => flags.nneg = true,
                "inbounds" => flags.inbounds = true,
                // What is promised about floating-point numbers and signs.
                "nnan" | "ninf" | "nsz" | "arcp" | "contract" | "afn" | "reassoc" | "fast" | "samesign" | "nusw" => {}
                "inrange" => {
                    self.flag_word()?;
                    continue;
                }
                _ => break,
            }
            self.bump();
        }
        Ok(flags)
    }

    /// `type a, b`
    fn pair(&mut self) -> Parse<(TypeId, Operand, Operand)> {
        let (ty, lhs) = self.typed_operand()?;
        self.comma()?;
        let rhs = self.operand(ty)?;
        Ok((ty, lhs, rhs))
    }

    fn is_int(&self, ty: TypeId) -> bool {
        matches!(self.types.get(self.types.scalar(ty)), Type::Int(_))
    }

    fn is_float(&self, ty: TypeId) -> bool {
        matches!(self.types.get(self.types.scalar(ty)), Type::Float(_))
    }

    fn binary(&mut self, op: BinaryOp) -> Parse<Step> {
        self.bump();
        let flags = self.flags()?;
        let start = self.here();
        let (ty, lhs, rhs) = self.pair()?;
        let (fits, needed) =
            if op.is_float() { (self.is_float(ty), "of a floating-point type") } else { (self.is_int(ty), "integers") };
        if !fits {
            return Err(self.mismatch(start, "the operands", needed, ty));
        }
        Ok(Step::Inst(InstKind::Binary { op, lhs, rhs, flags }, ty))
    }

    pub(super) fn fneg(&mut self) -> Parse<Step> {
        self.bump();
        self.flags()?;
        let start = self.here();
        let (ty, value) = self.typed_operand()?;
        if !self.is_float(ty) {
            return Err(self.mismatch(start, "the operand", "of a floating-point type", ty));
        }
        Ok(Step::Inst(InstKind::FNeg(value), ty))
    }

    pub(super) fn int_predicate(&mut self) -> Parse<IntPredicate> {
        match int_predicate(self.token.text).filter(|_| self.at(Kind::Word)) {
            Some(predicate) => {
                self.bump();
                Ok(predicate)
            }
            None => Err(self.expected("a comparison such as `eq` or `slt`")),
        }
    }

    pub(super) fn icmp(&mut self) -> Parse<Step> {
        self.bump();
        self.flags()?;
        let predicate = self.int_predicate()?;
        let start = self.here();
        let (ty, lhs, rhs) = self.pair()?;
        if !self.is_int(ty) && self.types.scalar(ty) != Types::PTR {
            return Err(self.mismatch(start, "the operands", "integers or pointers", ty));
        }
        let result = self.types.with_lanes_of(Types::I1, ty);
        Ok(Step::Inst(InstKind::ICmp { predicate, lhs, rhs }, result))
    }

    pub(super) fn fcmp(&mut self) -> Parse<Step> {
        self.bump();
        self.flags()?;
        let Some(predicate) = float_predicate(self.token.text).filter(|_| self.at(Kind::Word)) else {
            return Err(self.expected("a comparison such as `oeq` or `ult`"));
        };
        self.bump();
        let start = self.here();
        let (ty, lhs, rhs) = self.pair()?;
        if !self.is_float(ty) {
            return Err(self.mismatch(start, "the operands", "of a floating-point type", ty));
        }
        let result = self.types.with_lanes_of(Types::I1, ty);
        Ok(Step::Inst(InstKind::FCmp { predicate, lhs, rhs }, result))
    }

    fn cast(&mut self, op: CastOp) -> Parse<Step> {
        self.bump();
        let flags = self.flags()?;
        let start = self.here();
        let (from, value) = self.typed_operand()?;
        self.expect_word("to")?;
        let to = self.value_type()?;
        self.check_cast(op, from, to, start)?;
        Ok(Step::Inst(InstKind::Cast { op, value, to, flags }, to))
    }

    pub(super) fn check_cast(&mut self, op: CastOp, from: TypeId, to: TypeId, start: Span) -> Parse<()> {
        if self.casts(op, from, to) {
            return Ok(());
        }
        let (from, to) = (self.types.display(from), self.types.display(to));
        let message = format!("this cast does not take `{from}` to `{to}`");
        Err(self.error_at(start, message))
    }

    fn casts(&self, op: CastOp, from: TypeId, to: TypeId) -> bool {
        let bits = |ty| match self.types.get(self.types.scalar(ty)) {
            Type::Int(bits) => *bits,
            Type::Float(kind) => kind.bits(),
            _ => 0,
        };
        let (int, float) = (|ty| self.is_int(ty), |ty| self.is_float(ty));
        let pointer = |ty| self.types.scalar(ty) == Types::PTR;
        if op == CastOp::BitCast {
            return self.bitcasts(from, to);
        }
        self.types.lanes(from) == self.types.lanes(to)
            && match op {
                CastOp::Trunc => int(from) && int(to) && bits(from) > bits(to),
                CastOp::ZExt | CastOp::SExt => int(from) && int(to) && bits(from) < bits(to),
                CastOp::PtrToInt | CastOp::PtrToAddr => pointer(from) && int(to),
                CastOp::IntToPtr => int(from) && pointer(to),
                CastOp::AddrSpaceCast => pointer(from) && pointer(to),
                CastOp::FpTrunc => float(from) && float(to) && bits(from) > bits(to),
                CastOp::FpExt => float(from) && float(to) && bits(from) < bits(to),
                CastOp::FpToUi | CastOp::FpToSi => float(from) && int(to),
                CastOp::UiToFp | CastOp::SiToFp => int(from) && float(to),
                CastOp::BitCast => true,
            }
    }

    /// Same number of bits; pointers stay pointers.
    fn bitcasts(&self, from: TypeId, to: TypeId) -> bool {
        let bits = |ty| {
            let lane = match self.types.get(self.types.scalar(ty)) {
                Type::Int(bits) => *bits,
                Type::Float(kind) => kind.bits(),
                _ => return None,
            };
            Some(u64::from(lane) * u64::from(self.types.lanes(ty).unwrap_or(1)))
        };
        from == to || bits(from).is_some_and(|n| bits(to) == Some(n))
    }

    pub(super) fn select(&mut self) -> Parse<Step> {
        self.bump();
        self.flags()?;
        let start = self.here();
        let (condition_type, condition) = self.typed_operand()?;
        self.comma()?;
        let (ty, then) = self.typed_operand()?;
        self.comma()?;
        let other = self.here();
        let (other_type, otherwise) = self.typed_operand()?;
        if other_type != ty {
            let needed = format!("`{}`, as that of the other value", self.types.display(ty));
            return Err(self.mismatch(other, "the type of this value", &needed, other_type));
        }
        let lanes = self.types.lanes(condition_type);
        if self.types.scalar(condition_type) != Types::I1 || (lanes.is_some() && lanes != self.types.lanes(ty)) {
            return Err(self.mismatch(start, "the condition", "`i1`", condition_type));
        }
        Ok(Step::Inst(InstKind::Select { condition, then, otherwise }, ty))
    }

    pub(super) fn freeze(&mut self) -> Parse<Step> {
        self.bump();
        let (ty, value) = self.typed_operand()?;
        Ok(Step::Inst(InstKind::Freeze(value), ty))
    }

    // Vectors

    fn vector_operand(&mut self) -> Parse<(TypeId, Operand)> {
        let start = self.here();
        let (ty, operand) = self.typed_operand()?;
        if self.types.lanes(ty).is_none() {
            return Err(self.mismatch(start, "the operand", "a vector", ty));
        }
        Ok((ty, operand))
    }

    fn lane_index(&mut self) -> Parse<Operand> {
        let start = self.here();
        let (ty, index) = self.typed_operand()?;
        if self.types.int_bits(ty).is_none() {
            return Err(self.mismatch(start, "an index", "an integer", ty));
        }
        Ok(index)
    }

    pub(super) fn extract_element(&mut self) -> Parse<Step> {
        self.bump();
        let (ty, vector) = self.vector_operand()?;
        self.comma()?;
        let index = self.lane_index()?;
        Ok(Step::Inst(InstKind::ExtractElement { vector, index }, self.types.scalar(ty)))
    }

    pub(super) fn insert_element(&mut self) -> Parse<Step> {
        self.bump();
        let (ty, vector) = self.vector_operand()?;
        self.comma()?;
        let start = self.here();
        let (lane, value) = self.typed_operand()?;
        if lane != self.types.scalar(ty) {
            return Err(self.mismatch(start, "the new value", "of the type of the lanes", lane));
        }
        self.comma()?;
        let index = self.lane_index()?;
        Ok(Step::Inst(InstKind::InsertElement { vector, value, index }, ty))
    }

    pub(super) fn shuffle_vector(&mut self) -> Parse<Step> {
        self.bump();
        let (ty, first) = self.vector_operand()?;
        self.comma()?;
        let start = self.here();
        let (other, second) = self.vector_operand()?;
        if other != ty {
            return Err(self.mismatch(start, "the second vector", "of the type of the first", other));
        }
        self.comma()?;
        let start = self.here();
        let (mask_type, mask) = self.typed_constant()?;
        let Some(mask) = self.shuffle_mask(mask_type, mask) else {
            return Err(self.mismatch(start, "the mask", "a constant vector of lane numbers", mask_type));
        };
        let (element, length) = (self.types.scalar(ty), mask.len() as u32);
        let result = self.types.intern(Type::Vector { element, length });
        Ok(Step::Inst(InstKind::ShuffleVector { first, second, mask }, result))
    }

    fn shuffle_mask(&self, ty: TypeId, mask: ConstId) -> Option<Vec<Option<u32>>> {
        // No machine has longer vectors, and no memory is wasted on wrong ones.
        let length = self.types.lanes(ty).filter(|&n| n <= 1 << 16)? as usize;
        let lane = |id: ConstId| match self.constants[id].kind {
            ConstKind::Int(lane) => Some(Some(u32::try_from(lane).ok()?)),
            ConstKind::Undef | ConstKind::Poison => Some(None),
            _ => None,
        };
        match &self.constants[mask].kind {
            ConstKind::Zero => Some(vec![Some(0); length]),
            ConstKind::Undef | ConstKind::Poison => Some(vec![None; length]),
            ConstKind::Splat(value) => Some(vec![lane(*value)?; length]),
            ConstKind::Aggregate(members) => members.iter().map(|&m| lane(m)).collect(),
            _ => None,
        }
    }
}

impl BinaryOp {
    pub fn is_float(self) -> bool {
        matches!(self, BinaryOp::FAdd | BinaryOp::FSub | BinaryOp::FMul | BinaryOp::FDiv | BinaryOp::FRem)
    }
}

fn float_predicate(word: &str) -> Option<FloatPredicate> {
    Some(match word {
        "false" => FloatPredicate::False,
        "oeq" => FloatPredicate::Oeq,
        "ogt" => FloatPredicate::Ogt,
        "oge" => FloatPredicate::Oge,
        "olt" => FloatPredicate::Olt,
        "ole" => FloatPredicate::Ole,
        "one" => FloatPredicate::One,
        "ord" => FloatPredicate::Ord,
        "ueq" => FloatPredicate::Ueq,
        "ugt" => FloatPredicate::Ugt,
        "uge" => FloatPredicate::Uge,
        "ult" => FloatPredicate::Ult,
        "ule" => FloatPredicate::Ule,
        "une" => FloatPredicate::Une,
        "uno" => FloatPredicate::Uno,
        "true" => FloatPredicate::True,
        _ => return None,
    })
}
