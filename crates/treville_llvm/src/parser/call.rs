//! Calls: of functions, of addresses, of inline assembly. Calls that only describe variables become records.

use super::body::Step;
use super::{Parse, Parser};
use crate::constant::ConstKind;
use crate::debug::DebugRecord;
use crate::inst::{Arg, Call, Callee, InlineAsm, InstKind, Operand, Passing, TerminatorKind};
use crate::lexer::{Kind, unescape};
use crate::types::{Type, TypeId, Types};
use treville_base::Span;

/// A call, with the type of its result, or what it says about a variable.
enum Called {
    Call(Box<Call>, TypeId),
    Record(Option<DebugRecord>),
}

impl Parser<'_> {
    pub(super) fn call(&mut self) -> Parse<Step> {
        if !self.at_word("call") {
            self.bump();
        }
        self.expect_word("call")?;
        Ok(match self.called()? {
            Called::Call(call, ty) => Step::Inst(InstKind::Call(call), ty),
            Called::Record(record) => Step::Record(record),
        })
    }

    pub(super) fn invoke(&mut self) -> Parse<Step> {
        let start = self.here();
        self.bump();
        let Called::Call(call, ty) = self.called()? else {
            return Err(self.error_at(start, "this function cannot be invoked"));
        };
        self.expect_word("to")?;
        let normal = self.block_label()?;
        self.expect_word("unwind")?;
        let unwind = self.block_label()?;
        Ok(Step::End(TerminatorKind::Invoke { call, normal, unwind }, ty))
    }

    /// Conventions and attributes before the type of a result.
    pub(super) fn result_attributes(&mut self) -> Parse<()> {
        while !self.at_type() {
            match (self.token.kind, self.token.text) {
                (Kind::Word, "cc") => {
                    self.bump();
                    self.number::<u32>("the number of a calling convention")?;
                }
                (Kind::Word, "align") => {
                    self.align()?;
                }
                (Kind::Word, _) => self.flag_word()?,
                (Kind::Str, _) => {
                    self.bump();
                }
                _ => return Err(self.expected("a type")),
            }
        }
        Ok(())
    }

    fn called(&mut self) -> Parse<Called> {
        self.result_attributes()?;
        let start = self.here();
        let said = self.ty()?;
        let name = self.token;
        if name.kind == Kind::GlobalName && name.text.starts_with("llvm.dbg.") {
            self.bump();
            let record = self.debug_call(name.text)?;
            self.call_attributes(&mut Vec::new())?;
            return Ok(Called::Record(record));
        }
        let callee = self.callee()?;
        let (types, args) = self.arguments()?;
        let (ty, result) = self.call_type(said, types, start)?;
        let mut groups = Vec::new();
        let attributes = self.call_attributes(&mut groups)?;
        if self.at(Kind::OpenBracket) {
            // Operand bundles: hints for the optimiser.
            self.skip_group()?;
        }
        let call = Call { callee, ty, args, noreturn: attributes.noreturn, groups };
        Ok(Called::Call(Box::new(call), result))
    }

    fn callee(&mut self) -> Parse<Callee> {
        if !self.eat_word("asm") {
            return self.operand(Types::PTR).map(Callee::Value);
        }
        let mut side_effect = false;
        while self.at(Kind::Word) {
            side_effect |= self.token.text == "sideeffect";
            self.bump();
        }
        let text = unescape(self.expect(Kind::Str, "the text of the assembly")?.text).into_owned();
        self.comma()?;
        let constraints = unescape(self.expect(Kind::Str, "the constraints of the assembly")?.text).into_owned();
        Ok(Callee::Asm(Box::new(InlineAsm { text, constraints, side_effect })))
    }

    fn arguments(&mut self) -> Parse<(Vec<TypeId>, Vec<Arg>)> {
        let open = self.here();
        self.expect(Kind::OpenParen, "`(`")?;
        let (mut types, mut args) = (Vec::new(), Vec::new());
        while !self.at(Kind::CloseParen) {
            // `musttail` calls of variadic functions pass the rest on.
            if self.at(Kind::Dots) {
                return Err(self.unsupported("passing on variadic arguments"));
            }
            let ty = self.value_type()?;
            let arg = if ty == Types::METADATA { self.metadata_argument()? } else { self.argument(ty)? };
            types.push(ty);
            args.push(arg);
            if !self.eat(Kind::Comma) {
                break;
            }
        }
        if !self.eat(Kind::CloseParen) {
            return Err(self.unclosed(open));
        }
        Ok((types, args))
    }

    fn argument(&mut self, ty: TypeId) -> Parse<Arg> {
        let passing = self.param_attributes()?;
        let value = self.operand(ty)?;
        Ok(Arg { value, passing })
    }

    fn metadata_argument(&mut self) -> Parse<Arg> {
        if matches!(self.token.kind, Kind::MetaNumber | Kind::MetaName | Kind::Bang) {
            self.skip_metadata()?;
        } else {
            self.typed_operand()?;
        }
        let value = Operand::Const(self.constant(Types::METADATA, ConstKind::Metadata));
        Ok(Arg { value, passing: Passing::Plain })
    }

    /// The function type of a call, and the type of its result. The text gives the whole type or the result only.
    fn call_type(&mut self, said: TypeId, args: Vec<TypeId>, start: Span) -> Parse<(TypeId, TypeId)> {
        let Type::Function { result, params, variadic } = self.types.get(said) else {
            let ty = self.types.intern(Type::Function { result: said, params: args, variadic: false });
            return Ok((ty, said));
        };
        let result = *result;
        let enough = args.len() == params.len() || (*variadic && args.len() > params.len());
        if !enough {
            let (needed, found) = (params.len(), args.len());
            let message = format!("the number of arguments must be {needed}, as the type says, not {found}");
            return Err(self.error_at(start, message));
        }
        if let Some((&param, &arg)) = params.iter().zip(&args).find(|(param, arg)| param != arg) {
            let needed = format!("`{}`", self.types.display(param));
            return Err(self.mismatch(start, "an argument", &needed, arg));
        }
        Ok((said, result))
    }
}
