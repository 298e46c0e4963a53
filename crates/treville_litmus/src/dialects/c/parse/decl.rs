//! Threads, macro definitions and types.

use super::super::ast::{CType, Function, Param};
use super::super::token::Tok;
use super::super::types;
use super::{MacroBody, MacroDef, Parsed, Parser};
use treville_base::Diagnostic;

impl Parser<'_, '_> {
    /// `scopes: …` and `regions: …` may follow the code; they do not concern C.
    pub(super) fn is_bell_section(&self) -> bool {
        matches!(self.peek(), Tok::Name("scopes" | "regions" | "levels")) && self.is_at(1, ":")
    }

    pub(super) fn function(&mut self, number: usize) -> Parsed<Function> {
        while let Tok::Name("void" | "static" | "noinline") = self.peek() {
            self.advance();
            self.eat("*");
        }
        let span = self.span();
        let name = self.name("a thread such as `P0(int *x) { … }`")?;
        let written = name.strip_prefix('P').and_then(|n| n.parse::<u32>().ok());
        if written.map(|n| n as usize) != Some(number) {
            let message = format!("expected thread `P{number}`, found `{name}`");
            return Err(Diagnostic::error(span, message).help("threads are numbered P0, P1, … in order"));
        }
        self.expect("(")?;
        if self.peek() == Tok::Name("void") && self.is_at(1, ")") {
            self.advance();
        }
        let params = self.list(")", Self::param)?;
        self.expect("{")?;
        let body = self.statements()?;
        Ok(Function { number: number as u32, span, params, body })
    }

    fn param(&mut self) -> Parsed<Param> {
        let start = self.span();
        let mut ty = self.ty()?;
        let name = self.name("the name of a parameter")?;
        let span = self.since(start);
        if self.eat("[") {
            if let Tok::Int(_) = self.peek() {
                self.advance();
            }
            self.expect("]")?;
            ty.pointers += 1;
        }
        if ty.pointers == 0 {
            let error = Diagnostic::error(span, format!("parameter `{name}` is not a pointer"));
            return Err(error.help("parameters are the addresses of shared variables"));
        }
        ty.pointers -= 1;
        Ok(Param { name, ty, span })
    }

    pub(super) fn macro_def(&mut self) -> Parsed<MacroDef> {
        let span = self.span();
        let name = self.name("the name of a macro")?;
        self.expect("(")?;
        let params = self.list(")", |p| p.name("a parameter of the macro"))?;
        let body = if self.eat("{") { MacroBody::Stmts(self.statements()?) } else { MacroBody::Expr(self.expr()?) };
        Ok(MacroDef { name, span, params, body })
    }

    pub(super) fn at_type(&self) -> bool {
        matches!(self.peek(), Tok::Name(word) if types::begins_type(word))
    }

    /// A type with its pointers; qualifiers may stand anywhere.
    pub(super) fn ty(&mut self) -> Parsed<CType> {
        self.nested(|p| {
            let mut ty: Option<CType> = None;
            let mut parts = Vec::new();
            loop {
                match p.peek() {
                    Tok::Name(word) if types::is_qualifier(word) => {}
                    Tok::Name(word) if ty.is_none() && types::is_part(word) => parts.push(word),
                    Tok::Name("void") if ty.is_none() && parts.is_empty() => ty = Some(types::combined(&[])),
                    Tok::Name("struct") if ty.is_none() && parts.is_empty() => {
                        p.advance();
                        p.name("the name of a struct")?;
                        ty = Some(types::combined(&[]));
                        continue;
                    }
                    Tok::Name("atomic") if ty.is_none() && parts.is_empty() => {
                        p.advance();
                        p.expect("<")?;
                        ty = Some(p.ty()?);
                        p.expect(">")?;
                        continue;
                    }
                    Tok::Name(word) if ty.is_none() && parts.is_empty() && types::named(word).is_some() => {
                        ty = types::named(word);
                    }
                    // `_Atomic(int)`, `volatile (int)`.
                    Tok::Punct("(") if ty.is_none() && parts.is_empty() => {
                        p.advance();
                        ty = Some(p.ty()?);
                        p.expect(")")?;
                        continue;
                    }
                    Tok::Punct("*") => {
                        let base = ty.or_else(|| (!parts.is_empty()).then(|| types::combined(&parts)));
                        let Some(base) = base else { break };
                        ty = Some(CType { pointers: base.pointers.saturating_add(1), ..base });
                    }
                    _ => break,
                }
                p.advance();
            }
            let ty = ty.or_else(|| (!parts.is_empty()).then(|| types::combined(&parts)));
            let ty = ty.ok_or_else(|| p.expected("a type"))?;
            p.widest = p.widest.max(ty.bytes);
            Ok(ty)
        })
    }
}
