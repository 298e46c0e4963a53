//! Operands: local values, constants and constant expressions.

use super::{Halt, Key, Parse, Parser, Slot};
use crate::constant::{ConstExpr, ConstId, ConstKind};
use crate::inst::{BinaryOp, CastOp, IntPredicate, Operand};
use crate::lexer::{Kind, Token, unescape, unescape_bytes};
use crate::module::GlobalId;
use crate::types::{FloatKind, Type, TypeId, Types};
use treville_base::{Idx, Name, Span};

impl<'a> Parser<'a> {
    /// A type and an operand of it.
    pub(super) fn typed_operand(&mut self) -> Parse<(TypeId, Operand)> {
        let ty = self.value_type()?;
        Ok((ty, self.operand(ty)?))
    }

    /// A type and an operand, which must be a pointer.
    pub(super) fn pointer_operand(&mut self, what: &str) -> Parse<Operand> {
        let start = self.here();
        let (ty, operand) = self.typed_operand()?;
        if ty != Types::PTR {
            return Err(self.mismatch(start, what, "a pointer", ty));
        }
        Ok(operand)
    }

    pub(super) fn operand(&mut self, ty: TypeId) -> Parse<Operand> {
        match self.token.kind {
            Kind::LocalName | Kind::LocalNumber => {
                let token = self.bump();
                let key = self.key(token)?;
                self.use_value(key, ty, self.span_of(token)).map(Operand::Local)
            }
            _ => self.constant_of(ty).map(Operand::Const),
        }
    }

    pub(super) fn typed_constant(&mut self) -> Parse<(TypeId, ConstId)> {
        let ty = self.value_type()?;
        Ok((ty, self.constant_of(ty)?))
    }

    pub(super) fn constant_of(&mut self, ty: TypeId) -> Parse<ConstId> {
        let start = self.here();
        let kind = match self.token.kind {
            Kind::Int => self.integer(ty)?,
            Kind::Float => self.float(ty)?,
            Kind::Word => return self.word_constant(ty),
            Kind::GlobalName | Kind::GlobalNumber => {
                let global = self.global_ref()?;
                self.must_be_pointer(start, ty)?;
                ConstKind::Global(global)
            }
            Kind::Bytes => self.byte_string(ty)?,
            Kind::OpenBracket | Kind::OpenBrace | Kind::OpenAngle => return self.nested(|p| p.aggregate(ty)),
            _ => return Err(self.expected("a value")),
        };
        Ok(self.constant(ty, kind))
    }

    fn must_be_pointer(&mut self, span: Span, ty: TypeId) -> Parse<()> {
        if ty == Types::PTR { Ok(()) } else { Err(self.mismatch(span, "the type of an address", "a pointer", ty)) }
    }

    fn integer(&mut self, ty: TypeId) -> Parse<ConstKind> {
        let token = self.bump();
        let span = self.span_of(token);
        let Some(bits) = self.types.int_bits(ty) else {
            return Err(self.mismatch(span, "the type of this number", "an integer", ty));
        };
        let value = int_value(token.text, bits);
        value
            .map(ConstKind::Int)
            .ok_or_else(|| self.error_at(span, format!("`{}` does not fit in an integer of {bits} bits", token.text)))
    }

    fn float(&mut self, ty: TypeId) -> Parse<ConstKind> {
        let token = self.bump();
        let span = self.span_of(token);
        let &Type::Float(kind) = self.types.get(ty) else {
            return Err(self.mismatch(span, "the type of this number", "a floating-point type", ty));
        };
        let bits = float_bits(token.text, kind);
        bits.map(ConstKind::Float)
            .ok_or_else(|| self.error_at(span, format!("`{}` is no number of type `{}`", token.text, kind.as_str())))
    }

    fn byte_string(&mut self, ty: TypeId) -> Parse<ConstKind> {
        let token = self.bump();
        let bytes = unescape_bytes(token.text);
        match self.types.get(ty) {
            &Type::Array { element: Types::I8, length } if length == bytes.len() as u64 => {
                Ok(ConstKind::Bytes(bytes.into()))
            }
            _ => {
                let needed = format!("`[{} x i8]`", bytes.len());
                Err(self.mismatch(self.span_of(token), "the type of this string", &needed, ty))
            }
        }
    }

    fn word_constant(&mut self, ty: TypeId) -> Parse<ConstId> {
        let start = self.here();
        let scalar = |p: &Self| p.types.int_bits(ty).is_some();
        let kind = match self.token.text {
            word @ ("true" | "false") => {
                if ty != Types::I1 {
                    return Err(self.mismatch(start, &format!("the type of `{word}`"), "`i1`", ty));
                }
                ConstKind::Int(u128::from(word == "true"))
            }
            "null" => {
                self.must_be_pointer(start, ty)?;
                ConstKind::Null
            }
            "undef" => ConstKind::Undef,
            "poison" => ConstKind::Poison,
            "zeroinitializer" if scalar(self) => ConstKind::Int(0),
            "zeroinitializer" if ty == Types::PTR => ConstKind::Null,
            "zeroinitializer" => ConstKind::Zero,
            "none" if ty == Types::TOKEN => ConstKind::None,
            "splat" => return self.splat(ty),
            "dso_local_equivalent" | "no_cfi" => {
                self.bump();
                return self.constant_of(ty);
            }
            _ => return self.nested(|p| p.constant_expr(ty)),
        };
        self.bump();
        Ok(self.constant(ty, kind))
    }

    fn splat(&mut self, ty: TypeId) -> Parse<ConstId> {
        let start = self.here();
        self.bump();
        self.expect(Kind::OpenParen, "`(`")?;
        let (element, value) = self.typed_constant()?;
        self.expect(Kind::CloseParen, "`)`")?;
        if self.types.lanes(ty).is_none() || self.types.scalar(ty) != element {
            return Err(self.mismatch(start, "the type of `splat`", "a vector of these lanes", ty));
        }
        Ok(self.constant(ty, ConstKind::Splat(value)))
    }

    /// `[…]`, `{…}`, `<…>` or `<{…}>`
    fn aggregate(&mut self, ty: TypeId) -> Parse<ConstId> {
        let start = self.here();
        let mut closing = vec![closing(self.bump().kind)];
        if closing[0] == Kind::CloseAngle && self.eat(Kind::OpenBrace) {
            closing.push(Kind::CloseBrace);
        }
        let (mut types, mut members) = (Vec::new(), Vec::new());
        if !self.at(closing[closing.len() - 1]) {
            loop {
                let (ty, member) = self.typed_constant()?;
                types.push(ty);
                members.push(member);
                if !self.eat(Kind::Comma) {
                    break;
                }
            }
        }
        for &close in closing.iter().rev() {
            if !self.eat(close) {
                return Err(self.unclosed(start));
            }
        }
        if !self.is_made_of(ty, &closing, &types) {
            let message = format!("these members do not make a value of type `{}`", self.types.display(ty));
            return Err(self.error_at(start, message));
        }
        Ok(self.constant(ty, ConstKind::Aggregate(members.into())))
    }

    /// Whether members in such brackets make a value of a type.
    fn is_made_of(&self, ty: TypeId, closing: &[Kind], members: &[TypeId]) -> bool {
        let same = |element: &TypeId| members.iter().all(|m| m == element);
        match self.types.get(ty) {
            Type::Array { element, length } => {
                closing == [Kind::CloseBracket] && *length == members.len() as u64 && same(element)
            }
            Type::Vector { element, length } => {
                closing == [Kind::CloseAngle] && *length as usize == members.len() && same(element)
            }
            Type::Struct(body) => {
                let packed: &[Kind] =
                    if body.packed { &[Kind::CloseAngle, Kind::CloseBrace] } else { &[Kind::CloseBrace] };
                closing == packed && body.fields.as_deref() == Some(members)
            }
            _ => false,
        }
    }

    /// The global that is mentioned here.
    pub(super) fn global_ref(&mut self) -> Parse<GlobalId> {
        let token = self.bump();
        let key = self.key(token)?;
        Ok(self.global_id(key, token))
    }

    pub(super) fn global_id(&mut self, key: Key<'a>, token: Token<'a>) -> GlobalId {
        if let Some(&id) = self.global_ids.get(&key) {
            return id;
        }
        let id = GlobalId::from_usize(self.globals.len());
        let name = Name::new(&unescape(token.text));
        self.globals.push(Slot { name, first_use: self.span_of(token), global: None });
        self.global_ids.insert(key, id);
        id
    }

    // Constant expressions

    fn constant_expr(&mut self, ty: TypeId) -> Parse<ConstId> {
        let start = self.here();
        let word = self.token.text;
        let (found, expr) = if word == "getelementptr" {
            self.bump();
            self.constant_gep()?
        } else if let Some(op) = cast_op(word) {
            self.bump();
            match self.constant_cast(op)? {
                // Pointers have no pointees that could be cast.
                (to, ConstExpr::Cast { op: CastOp::BitCast, value }) if to == ty && self.constants[value].ty == to => {
                    return Ok(value);
                }
                cast => cast,
            }
        } else if let Some(op) = binary_op(word) {
            self.bump();
            self.skip_words();
            let (ty, [lhs, rhs]) = self.constant_pair(start)?;
            (ty, ConstExpr::Binary { op, lhs, rhs })
        } else if word == "icmp" {
            self.bump();
            let predicate = self.int_predicate()?;
            let (operands, [lhs, rhs]) = self.constant_pair(start)?;
            let ty = self.types.with_lanes_of(Types::I1, operands);
            (ty, ConstExpr::ICmp { predicate, lhs, rhs })
        } else if word == "select" {
            self.bump();
            self.constant_select()?
        } else {
            return Err(self.no_constant(word));
        };
        if found != ty {
            let found = self.types.display(found).to_string();
            return Err(self.mismatch(start, "the type of this expression", &format!("`{found}`"), ty));
        }
        let (is_gep, before) = (matches!(expr, ConstExpr::Gep { .. }), self.constants.len());
        let id = self.constant(ty, ConstKind::Expr(expr));
        if is_gep && id.index() == before {
            self.geps.push((id, start));
        }
        Ok(id)
    }

    fn no_constant(&mut self, word: &str) -> Halt {
        match word {
            "blockaddress" => self.unsupported("the address of a block"),
            "extractelement" | "insertelement" | "shufflevector" | "extractvalue" | "insertvalue" | "fneg" | "fcmp"
            | "ptrauth" => self.unsupported(&format!("`{word}` in a constant")),
            _ => self.expected("a value"),
        }
    }

    fn constant_gep(&mut self) -> Parse<(TypeId, ConstExpr)> {
        self.flags()?;
        self.expect(Kind::OpenParen, "`(`")?;
        let element = self.ty()?;
        self.comma()?;
        let start = self.here();
        let (ty, base) = self.typed_constant()?;
        if ty != Types::PTR {
            return Err(self.mismatch(start, "the base of `getelementptr`", "a pointer", ty));
        }
        let mut indices = Vec::new();
        while self.eat(Kind::Comma) {
            self.eat_word("inrange");
            let start = self.here();
            let (ty, index) = self.typed_constant()?;
            if self.types.int_bits(ty).is_none() {
                return Err(self.mismatch(start, "an index", "an integer", ty));
            }
            indices.push(index);
        }
        self.expect(Kind::CloseParen, "`,` or `)`")?;
        Ok((Types::PTR, ConstExpr::Gep { element, base, indices: indices.into() }))
    }

    fn constant_cast(&mut self, op: CastOp) -> Parse<(TypeId, ConstExpr)> {
        self.skip_words();
        self.expect(Kind::OpenParen, "`(`")?;
        let start = self.here();
        let (from, value) = self.typed_constant()?;
        self.expect_word("to")?;
        let to = self.value_type()?;
        self.expect(Kind::CloseParen, "`)`")?;
        self.check_cast(op, from, to, start)?;
        Ok((to, ConstExpr::Cast { op, value }))
    }

    fn constant_pair(&mut self, start: Span) -> Parse<(TypeId, [ConstId; 2])> {
        self.expect(Kind::OpenParen, "`(`")?;
        let (ty, lhs) = self.typed_constant()?;
        self.comma()?;
        let (other, rhs) = self.typed_constant()?;
        self.expect(Kind::CloseParen, "`)`")?;
        if ty != other {
            return Err(self.error_at(start, "the operands are of different types"));
        }
        Ok((ty, [lhs, rhs]))
    }

    fn constant_select(&mut self) -> Parse<(TypeId, ConstExpr)> {
        self.expect(Kind::OpenParen, "`(`")?;
        let start = self.here();
        let (ty, condition) = self.typed_constant()?;
        if ty != Types::I1 {
            return Err(self.mismatch(start, "the condition", "`i1`", ty));
        }
        self.comma()?;
        let (ty, then) = self.typed_constant()?;
        self.comma()?;
        let start = self.here();
        let (other, otherwise) = self.typed_constant()?;
        if ty != other {
            return Err(self.error_at(start, "the operands are of different types"));
        }
        self.expect(Kind::CloseParen, "`)`")?;
        Ok((ty, ConstExpr::Select { condition, then, otherwise }))
    }

    /// Flags such as `nsw`, which stand before the parenthesis.
    fn skip_words(&mut self) {
        while self.at(Kind::Word) {
            self.bump();
        }
    }
}

/// The bracket that closes another.
fn closing(open: Kind) -> Kind {
    match open {
        Kind::OpenBracket => Kind::CloseBracket,
        Kind::OpenBrace => Kind::CloseBrace,
        _ => Kind::CloseAngle,
    }
}

/// A number in two's complement, if it fits as a signed or an unsigned one.
fn int_value(text: &str, bits: u32) -> Option<u128> {
    let mask = u128::MAX >> (128 - bits);
    if let Some(hex) = text.strip_prefix("u0x").or_else(|| text.strip_prefix("s0x")) {
        return u128::from_str_radix(hex, 16).ok().filter(|&n| n <= mask);
    }
    match text.strip_prefix('-') {
        Some(digits) => {
            let magnitude: u128 = digits.parse().ok()?;
            let fits = magnitude <= 1 << (bits - 1);
            fits.then(|| magnitude.wrapping_neg() & mask)
        }
        None => text.trim_start_matches('+').parse().ok().filter(|&n| n <= mask),
    }
}

/// The bits of a number in a format. Hexadecimal numbers of `float` and `double` are those of a `double`.
fn float_bits(text: &str, kind: FloatKind) -> Option<u128> {
    let hex = |digits: &str| u128::from_str_radix(digits, 16).ok();
    let fit = |bits: u128| (kind.bits() == 128 || bits >> kind.bits() == 0).then_some(bits);
    if let Some(digits) = text.strip_prefix("f0x") {
        return hex(digits).and_then(fit);
    }
    let value = match text.strip_prefix("0x") {
        Some(digits) if digits.starts_with(|c: char| "KLMHR".contains(c)) => return hex(&digits[1..]).and_then(fit),
        Some(digits) => f64::from_bits(u64::try_from(hex(digits)?).ok()?),
        None => text.parse().ok()?,
    };
    match kind {
        FloatKind::Float => Some(u128::from((value as f32).to_bits())),
        FloatKind::Double => Some(u128::from(value.to_bits())),
        _ => None,
    }
}

pub(super) fn binary_op(word: &str) -> Option<BinaryOp> {
    Some(match word {
        "add" => BinaryOp::Add,
        "sub" => BinaryOp::Sub,
        "mul" => BinaryOp::Mul,
        "udiv" => BinaryOp::UDiv,
        "sdiv" => BinaryOp::SDiv,
        "urem" => BinaryOp::URem,
        "srem" => BinaryOp::SRem,
        "shl" => BinaryOp::Shl,
        "lshr" => BinaryOp::LShr,
        "ashr" => BinaryOp::AShr,
        "and" => BinaryOp::And,
        "or" => BinaryOp::Or,
        "xor" => BinaryOp::Xor,
        "fadd" => BinaryOp::FAdd,
        "fsub" => BinaryOp::FSub,
        "fmul" => BinaryOp::FMul,
        "fdiv" => BinaryOp::FDiv,
        "frem" => BinaryOp::FRem,
        _ => return None,
    })
}

pub(super) fn cast_op(word: &str) -> Option<CastOp> {
    Some(match word {
        "trunc" => CastOp::Trunc,
        "zext" => CastOp::ZExt,
        "sext" => CastOp::SExt,
        "bitcast" => CastOp::BitCast,
        "ptrtoint" => CastOp::PtrToInt,
        "inttoptr" => CastOp::IntToPtr,
        "ptrtoaddr" => CastOp::PtrToAddr,
        "addrspacecast" => CastOp::AddrSpaceCast,
        "fptrunc" => CastOp::FpTrunc,
        "fpext" => CastOp::FpExt,
        "fptoui" => CastOp::FpToUi,
        "fptosi" => CastOp::FpToSi,
        "uitofp" => CastOp::UiToFp,
        "sitofp" => CastOp::SiToFp,
        _ => return None,
    })
}

pub(super) fn int_predicate(word: &str) -> Option<IntPredicate> {
    Some(match word {
        "eq" => IntPredicate::Eq,
        "ne" => IntPredicate::Ne,
        "ugt" => IntPredicate::Ugt,
        "uge" => IntPredicate::Uge,
        "ult" => IntPredicate::Ult,
        "ule" => IntPredicate::Ule,
        "sgt" => IntPredicate::Sgt,
        "sge" => IntPredicate::Sge,
        "slt" => IntPredicate::Slt,
        "sle" => IntPredicate::Sle,
        _ => return None,
    })
}

/// Words that begin a constant; other words before a value are attributes.
pub(super) fn is_constant_word(word: &str) -> bool {
    matches!(
        word,
        "true"
            | "false"
            | "null"
            | "undef"
            | "poison"
            | "zeroinitializer"
            | "none"
            | "splat"
            | "getelementptr"
            | "icmp"
            | "select"
            | "blockaddress"
            | "dso_local_equivalent"
            | "no_cfi"
            | "extractelement"
            | "insertelement"
            | "shufflevector"
            | "extractvalue"
            | "insertvalue"
            | "fneg"
            | "fcmp"
            | "ptrauth"
            | "asm"
    ) || cast_op(word).is_some()
        || binary_op(word).is_some()
}
