//! Variables, aliases and functions.

use super::body::FunctionState;
use super::{Halt, Key, Parse, Parser};
use crate::debug::VariableId;
use crate::inst::Passing;
use crate::lexer::{Kind, Token};
use crate::module::{Attributes, Function, Global, GlobalKind, Linkage, Param, Variable};
use crate::types::{Type, TypeId};
use treville_base::{Diagnostic, Idx, Span};

/// A parameter with its name, if it has one.
struct NamedParam<'a> {
    param: Param,
    key: Option<Key<'a>>,
    span: Span,
}

impl<'a> Parser<'a> {
    fn define_global(&mut self, key: Key<'a>, name: Token<'a>, linkage: Linkage, kind: GlobalKind) -> Parse<()> {
        let id = self.global_id(key, name);
        let span = self.span_of(name);
        let slot = &mut self.globals[id.index()];
        if let Some(before) = &slot.global {
            let message = format!("`@{}` is defined twice", slot.name);
            let diagnostic = Diagnostic::error(span, message).label(before.span, "it is defined here");
            return Err(self.report(diagnostic));
        }
        slot.global = Some(Global { name: slot.name.clone(), linkage, kind, span });
        Ok(())
    }

    pub(super) fn report_undefined_globals(&mut self) {
        if !self.diagnostics.is_empty() {
            return; // It may be what could not be read.
        }
        let missing = self.globals.iter().filter(|slot| slot.global.is_none());
        let missing: Vec<_> =
            missing.map(|slot| (slot.first_use, format!("`@{}` is not defined", slot.name))).collect();
        for (span, message) in missing {
            self.error_at(span, message);
        }
    }

    // Variables and aliases

    /// `@name = …`
    pub(super) fn global(&mut self) -> Parse<()> {
        let name = self.bump();
        let key = self.key(name)?;
        self.expect(Kind::Equal, "`=`")?;
        let (mut linkage, mut external, mut thread_local) = (Linkage::External, false, false);
        loop {
            match (self.token.kind, self.token.text) {
                (Kind::Word, "global" | "constant") => break,
                (Kind::Word, "alias") => return self.alias(key, name, linkage),
                (Kind::Word, "ifunc") => return Err(self.unsupported("a function chosen while linking")),
                (Kind::Word, "addrspace") => self.addrspace()?,
                (Kind::Word, word) => {
                    external |= matches!(word, "external" | "extern_weak");
                    thread_local |= word == "thread_local";
                    linkage = linkage_named(word).unwrap_or(linkage);
                    self.flag_word()?;
                }
                _ => return Err(self.expected("`global`, `constant` or `alias`")),
            }
        }
        let constant = self.bump().text == "constant";
        let ty = self.value_type()?;
        let init = if external { None } else { Some(self.constant_of(ty)?) };
        let (align, sources) = self.variable_tail()?;
        let variable = Variable { ty, init, constant, thread_local, align, sources };
        self.define_global(key, name, linkage, GlobalKind::Variable(variable))
    }

    /// `, section "x", align 4, !dbg !1` and the like.
    fn variable_tail(&mut self) -> Parse<(Option<u32>, Vec<VariableId>)> {
        let (mut align, mut sources) = (None, Vec::new());
        loop {
            if self.at(Kind::AttributeGroup) {
                self.bump();
                continue;
            }
            if !self.eat(Kind::Comma) {
                return Ok((align, sources));
            }
            match (self.token.kind, self.token.text) {
                (Kind::MetaName, _) => {
                    let (name, number, span) = self.attachment()?;
                    if name == "dbg" {
                        sources.push(self.sources.variable(number, span));
                    }
                }
                (Kind::Word, "align") => align = Some(self.align()?),
                (Kind::Word, "section" | "partition" | "code_model") => {
                    self.bump();
                    self.expect(Kind::Str, "a string")?;
                }
                (Kind::Word, _) => self.flag_word()?,
                _ => return Err(self.expected("`align`, `section` or metadata")),
            }
        }
    }

    fn alias(&mut self, key: Key<'a>, name: Token<'a>, linkage: Linkage) -> Parse<()> {
        self.bump();
        let ty = self.ty()?;
        self.comma()?;
        let start = self.here();
        let (target_type, target) = self.typed_constant()?;
        if target_type != crate::types::Types::PTR {
            return Err(self.mismatch(start, "the target of an alias", "a pointer", target_type));
        }
        self.variable_tail()?;
        self.define_global(key, name, linkage, GlobalKind::Alias { ty, target })
    }

    // Functions

    /// `define …` or `declare …`
    pub(super) fn function(&mut self) -> Parse<()> {
        let has_body = self.bump().text == "define";
        let mut source = None;
        let linkage = self.function_linkage(&mut source)?;
        let result = self.ty()?;
        if !matches!(self.token.kind, Kind::GlobalName | Kind::GlobalNumber) {
            return Err(self.expected("the name of a function"));
        }
        let name = self.bump();
        let key = self.key(name)?;
        let (params, variadic) = self.params()?;
        let (mut attributes, mut groups) = (Attributes::default(), Vec::new());
        self.function_tail(has_body, &mut attributes, &mut groups, &mut source)?;
        let body = if has_body {
            self.function = FunctionState::default();
            self.function.result = Some(result);
            for param in &params {
                self.define_value(param.key, param.param.ty, param.span)?;
            }
            Some(self.body()?)
        } else {
            None
        };
        let params: Vec<Param> = params.into_iter().map(|p| p.param).collect();
        let types = params.iter().map(|p| p.ty).collect();
        let ty = self.types.intern(Type::Function { result, params: types, variadic });
        let source = source.map(|(number, span)| self.sources.scope(number, span));
        let function = Function { ty, result, params, variadic, attributes, body, source, groups };
        self.define_global(key, name, linkage, GlobalKind::Function(Box::new(function)))
    }

    /// Linkage, conventions and attributes before the type of the result.
    fn function_linkage(&mut self, source: &mut Option<(u32, Span)>) -> Parse<Linkage> {
        let mut linkage = Linkage::External;
        loop {
            if self.at(Kind::MetaName) {
                self.function_attachment(source)?;
            } else if let Some(found) = linkage_named(self.token.text).filter(|_| self.at(Kind::Word)) {
                linkage = found;
                self.bump();
            } else {
                self.result_attributes()?;
                return Ok(linkage);
            }
        }
    }

    fn function_attachment(&mut self, source: &mut Option<(u32, Span)>) -> Parse<()> {
        let (name, number, span) = self.attachment()?;
        if name == "dbg" {
            *source = Some((number, span));
        }
        Ok(())
    }

    fn params(&mut self) -> Parse<(Vec<NamedParam<'a>>, bool)> {
        let open = self.here();
        self.expect(Kind::OpenParen, "`(`")?;
        let (mut params, mut variadic) = (Vec::new(), false);
        while !self.at(Kind::CloseParen) {
            if self.eat(Kind::Dots) {
                variadic = true;
                break;
            }
            let ty = self.value_type()?;
            let passing = self.param_attributes()?;
            params.push(self.named_param(ty, passing)?);
            if !self.eat(Kind::Comma) {
                break;
            }
        }
        if !self.eat(Kind::CloseParen) {
            return Err(self.unclosed(open));
        }
        Ok((params, variadic))
    }

    fn named_param(&mut self, ty: TypeId, passing: Passing) -> Parse<NamedParam<'a>> {
        let span = self.here();
        let key = match self.token.kind {
            Kind::LocalName | Kind::LocalNumber => {
                let token = self.bump();
                Some(self.key(token)?)
            }
            _ => None,
        };
        Ok(NamedParam { param: Param { ty, passing }, key, span })
    }

    /// What stands behind the parameters.
    fn function_tail(
        &mut self,
        has_body: bool,
        attributes: &mut Attributes,
        groups: &mut Vec<u32>,
        source: &mut Option<(u32, Span)>,
    ) -> Parse<()> {
        loop {
            match (self.token.kind, self.token.text) {
                (Kind::AttributeGroup, _) => {
                    let token = self.bump();
                    groups.push(self.index(token)?);
                }
                (Kind::Word, "section" | "partition" | "gc") => {
                    self.bump();
                    self.expect(Kind::Str, "a string")?;
                }
                // Data around the code, and the function that unwinds: nothing that a program can see.
                (Kind::Word, "prefix" | "prologue" | "personality") => {
                    self.bump();
                    self.typed_constant()?;
                }
                (Kind::Word, word) if starts_item(word) => return Ok(()),
                (Kind::Word, _) => self.function_attribute(attributes)?,
                (Kind::Str, _) => {
                    self.bump();
                    if self.eat(Kind::Equal) {
                        self.expect(Kind::Str, "a string")?;
                    }
                }
                (Kind::MetaName, _) if has_body => self.function_attachment(source)?,
                (Kind::OpenBrace, _) if !has_body => return Err(self.declared_with_body()),
                _ => return Ok(()),
            }
        }
    }

    fn declared_with_body(&mut self) -> Halt {
        self.error("a function with a body begins with `define`")
    }
}

fn linkage_named(word: &str) -> Option<Linkage> {
    Some(match word {
        "external" => Linkage::External,
        "private" | "internal" => Linkage::Internal,
        "weak" | "weak_odr" | "linkonce" | "linkonce_odr" | "common" => Linkage::Weak,
        "extern_weak" => Linkage::ExternWeak,
        "available_externally" => Linkage::AvailableExternally,
        "appending" => Linkage::Appending,
        _ => return None,
    })
}

/// Words that begin something new in a file.
pub(super) fn starts_item(word: &str) -> bool {
    matches!(
        word,
        "define"
            | "declare"
            | "attributes"
            | "target"
            | "source_filename"
            | "module"
            | "uselistorder"
            | "uselistorder_bb"
    )
}
