//! Types. What a pointer points to is read and forgotten.

use super::{Key, Parse, Parser};
use crate::lexer::{Kind, unescape};
use crate::types::{FloatKind, Struct, Type, TypeId, Types};
use treville_base::Name;

/// The widest integer.
const MAX_BITS: u32 = 128;

impl<'a> Parser<'a> {
    /// Whether the next token begins a type.
    pub(super) fn at_type(&self) -> bool {
        match self.token.kind {
            Kind::Word => is_type_word(self.token.text),
            Kind::LocalName | Kind::LocalNumber | Kind::OpenBracket | Kind::OpenBrace | Kind::OpenAngle => true,
            _ => false,
        }
    }

    /// A type that a value can have.
    pub(super) fn value_type(&mut self) -> Parse<TypeId> {
        let start = self.here();
        let ty = self.ty()?;
        if matches!(self.types.get(ty), Type::Void | Type::Function { .. }) {
            return Err(self.mismatch(start.to(self.since(start.start)), "the type of a value", "of some size", ty));
        }
        Ok(ty)
    }

    pub(super) fn ty(&mut self) -> Parse<TypeId> {
        let base = self.base_type()?;
        self.type_suffixes(base)
    }

    fn type_suffixes(&mut self, mut ty: TypeId) -> Parse<TypeId> {
        loop {
            match self.token.kind {
                Kind::Star => {
                    self.bump();
                    ty = Types::PTR;
                }
                Kind::Word if self.token.text == "addrspace" => {
                    self.addrspace()?;
                    if ty != Types::PTR || self.at(Kind::Star) {
                        self.expect(Kind::Star, "`*`")?;
                    }
                    ty = Types::PTR;
                }
                Kind::OpenParen => ty = self.nested(|p| p.function_type(ty))?,
                _ => return Ok(ty),
            }
        }
    }

    fn base_type(&mut self) -> Parse<TypeId> {
        match self.token.kind {
            Kind::Word => self.word_type(),
            Kind::LocalName | Kind::LocalNumber => self.named_type(),
            Kind::OpenBracket => self.nested(Self::array_type),
            Kind::OpenBrace => {
                let fields = self.nested(Self::struct_fields)?;
                Ok(self.types.intern(Type::Struct(Struct { name: None, fields: Some(fields), packed: false })))
            }
            Kind::OpenAngle => self.nested(Self::angle_type),
            _ => Err(self.expected("a type")),
        }
    }

    fn word_type(&mut self) -> Parse<TypeId> {
        let text = self.token.text;
        let float = match text {
            "ptr" => {
                self.bump();
                return Ok(Types::PTR);
            }
            "void" => {
                self.bump();
                return Ok(Types::VOID);
            }
            "metadata" => {
                self.bump();
                return Ok(Types::METADATA);
            }
            "label" => {
                self.bump();
                return Ok(Types::LABEL);
            }
            "token" => {
                self.bump();
                return Ok(Types::TOKEN);
            }
            "half" => FloatKind::Half,
            "bfloat" => FloatKind::BFloat,
            "float" => FloatKind::Float,
            "double" => FloatKind::Double,
            "x86_fp80" => FloatKind::X86Fp80,
            "fp128" => FloatKind::Fp128,
            "ppc_fp128" => FloatKind::PpcFp128,
            "x86_mmx" | "x86_amx" | "target" => return Err(self.unsupported(&format!("the type `{text}`"))),
            _ => return self.int_type(),
        };
        self.bump();
        Ok(self.types.intern(Type::Float(float)))
    }

    fn int_type(&mut self) -> Parse<TypeId> {
        let text = self.token.text;
        let Some(bits) = int_width(text) else { return Err(self.expected("a type")) };
        let ty = match bits {
            1 => Types::I1,
            8 => Types::I8,
            16 => Types::I16,
            32 => Types::I32,
            64 => Types::I64,
            bits if (1..=MAX_BITS).contains(&bits) => self.types.intern(Type::Int(bits)),
            _ => {
                return Err(
                    self.error(format!("the type `{text}` is not supported: integers have 1 to {MAX_BITS} bits"))
                );
            }
        };
        self.bump();
        Ok(ty)
    }

    fn named_type(&mut self) -> Parse<TypeId> {
        let token = self.bump();
        let key = self.key(token)?;
        Ok(self.type_named(key, token.text, token.start))
    }

    /// The type with a name; opaque if it is not defined yet.
    pub(super) fn type_named(&mut self, key: Key<'a>, text: &str, start: u32) -> TypeId {
        if let Some(&ty) = self.named_types.get(&key) {
            return ty;
        }
        let span = self.since(start);
        let ty = self.types.named(Name::new(&unescape(text)), span);
        self.named_types.insert(key, ty);
        ty
    }

    fn array_type(&mut self) -> Parse<TypeId> {
        self.bump();
        let length = self.number("the length of an array")?;
        self.expect_word("x")?;
        let element = self.value_type()?;
        self.expect(Kind::CloseBracket, "`]`")?;
        Ok(self.types.intern(Type::Array { element, length }))
    }

    /// A vector, or a packed struct.
    fn angle_type(&mut self) -> Parse<TypeId> {
        self.bump();
        if self.at(Kind::OpenBrace) {
            let fields = self.struct_fields()?;
            self.expect(Kind::CloseAngle, "`>`")?;
            return Ok(self.types.intern(Type::Struct(Struct { name: None, fields: Some(fields), packed: true })));
        }
        if self.at_word("vscale") {
            return Err(self.unsupported("a vector of unknown length"));
        }
        let length = self.number("the length of a vector")?;
        self.expect_word("x")?;
        let start = self.here();
        let element = self.value_type()?;
        if length == 0 {
            return Err(self.error_at(start, "a vector has at least one lane"));
        }
        if !matches!(self.types.get(element), Type::Int(_) | Type::Float(_) | Type::Ptr) {
            return Err(self.mismatch(start, "a lane of a vector", "a number or a pointer", element));
        }
        self.expect(Kind::CloseAngle, "`>`")?;
        Ok(self.types.intern(Type::Vector { element, length }))
    }

    /// `{ … }`
    pub(super) fn struct_fields(&mut self) -> Parse<Vec<TypeId>> {
        self.expect(Kind::OpenBrace, "`{`")?;
        let mut fields = Vec::new();
        if self.eat(Kind::CloseBrace) {
            return Ok(fields);
        }
        loop {
            fields.push(self.value_type()?);
            if !self.eat(Kind::Comma) {
                break;
            }
        }
        self.expect(Kind::CloseBrace, "`,` or `}`")?;
        Ok(fields)
    }

    /// The parameters of a function type, behind its result.
    fn function_type(&mut self, result: TypeId) -> Parse<TypeId> {
        self.bump();
        let (mut params, mut variadic) = (Vec::new(), false);
        while !self.at(Kind::CloseParen) {
            if self.eat(Kind::Dots) {
                variadic = true;
                break;
            }
            params.push(self.value_type()?);
            if !self.eat(Kind::Comma) {
                break;
            }
        }
        self.expect(Kind::CloseParen, "`,` or `)`")?;
        Ok(self.types.intern(Type::Function { result, params, variadic }))
    }

    /// `addrspace(n)`: accepted where pointers look as everywhere else.
    pub(super) fn addrspace(&mut self) -> Parse<()> {
        self.expect_word("addrspace")?;
        self.expect(Kind::OpenParen, "`(`")?;
        let start = self.here();
        if self.at(Kind::Str) {
            self.bump();
        } else {
            let space: u32 = self.number("the number of an address space")?;
            if self.rules.odd_spaces.contains(&space) {
                return Err(self.error_at(start, "pointers of several sizes are not supported"));
            }
        }
        self.expect(Kind::CloseParen, "`)`").map(|_| ())
    }
}

/// The width that a type such as `i32` says.
fn int_width(text: &str) -> Option<u32> {
    let digits = text.strip_prefix('i')?;
    if digits.is_empty() || !digits.bytes().all(|c| c.is_ascii_digit()) {
        return None;
    }
    Some(digits.parse().unwrap_or(u32::MAX))
}

fn is_type_word(text: &str) -> bool {
    match text {
        "ptr" | "void" | "metadata" | "label" | "token" | "half" | "bfloat" | "float" | "double" | "x86_fp80"
        | "fp128" | "ppc_fp128" | "x86_mmx" | "x86_amx" | "target" => true,
        _ => int_width(text).is_some(),
    }
}
