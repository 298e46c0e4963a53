//! Instructions that decide where to go on, and those that depend on where one came from.

use super::body::Step;
use super::{Parse, Parser};
use crate::inst::{Clause, InstKind, TerminatorKind};
use crate::lexer::Kind;
use crate::types::Types;
use rustc_hash::FxHashSet;

impl Parser<'_> {
    fn end(kind: TerminatorKind) -> Parse<Step> {
        Ok(Step::End(kind, Types::VOID))
    }

    pub(super) fn ret(&mut self) -> Parse<Step> {
        self.bump();
        let start = self.here();
        let result = self.function.result.unwrap_or(Types::VOID);
        let ty = self.ty()?;
        if ty != result {
            let needed = format!("`{}`, as the function says", self.types.display(result));
            return Err(self.mismatch(start, "the type of the result", &needed, ty));
        }
        let value = if ty == Types::VOID { None } else { Some(self.operand(ty)?) };
        Self::end(TerminatorKind::Return(value))
    }

    pub(super) fn branch(&mut self) -> Parse<Step> {
        self.bump();
        if self.at_word("label") {
            let to = self.block_label()?;
            return Self::end(TerminatorKind::Jump(to));
        }
        let start = self.here();
        let (ty, condition) = self.typed_operand()?;
        if ty != Types::I1 {
            return Err(self.mismatch(start, "the condition", "`i1`", ty));
        }
        self.comma()?;
        let then = self.block_label()?;
        self.comma()?;
        let otherwise = self.block_label()?;
        Self::end(TerminatorKind::Branch { condition, then, otherwise })
    }

    pub(super) fn switch(&mut self) -> Parse<Step> {
        self.bump();
        let start = self.here();
        let (ty, value) = self.typed_operand()?;
        if self.types.int_bits(ty).is_none() {
            return Err(self.mismatch(start, "the value of `switch`", "an integer", ty));
        }
        self.comma()?;
        let default = self.block_label()?;
        let open = self.here();
        self.expect(Kind::OpenBracket, "`[`")?;
        let (mut cases, mut seen) = (Vec::new(), FxHashSet::default());
        while !self.eat(Kind::CloseBracket) {
            if self.at(Kind::End) {
                return Err(self.unclosed(open));
            }
            let start = self.here();
            let (case_type, case) = self.typed_constant()?;
            if case_type != ty {
                return Err(self.mismatch(start, "a case", "of the type of the value", case_type));
            }
            // Equal numbers are equal constants here.
            if !seen.insert(case) {
                return Err(self.error_at(start, "this case occurs twice"));
            }
            self.comma()?;
            cases.push((case, self.block_label()?));
        }
        Self::end(TerminatorKind::Switch { value, default, cases })
    }

    pub(super) fn unreachable(&mut self) -> Parse<Step> {
        self.bump();
        Self::end(TerminatorKind::Unreachable)
    }

    pub(super) fn resume(&mut self) -> Parse<Step> {
        self.bump();
        let (_, value) = self.typed_operand()?;
        Self::end(TerminatorKind::Resume(value))
    }

    pub(super) fn phi(&mut self) -> Parse<Step> {
        self.bump();
        self.flags()?;
        let ty = self.value_type()?;
        let mut incoming = Vec::new();
        loop {
            self.expect(Kind::OpenBracket, "`[`")?;
            let value = self.operand(ty)?;
            self.comma()?;
            let from = self.block_name()?;
            self.expect(Kind::CloseBracket, "`]`")?;
            incoming.push((value, from));
            if !self.comma_more()? {
                break;
            }
        }
        Ok(Step::Inst(InstKind::Phi(incoming), ty))
    }

    pub(super) fn landing_pad(&mut self) -> Parse<Step> {
        self.bump();
        let ty = self.value_type()?;
        let cleanup = self.eat_word("cleanup");
        let mut clauses = Vec::new();
        loop {
            if self.eat_word("catch") {
                clauses.push(Clause::Catch(self.typed_operand()?.1));
            } else if self.eat_word("filter") {
                clauses.push(Clause::Filter(self.typed_operand()?.1));
            } else {
                return Ok(Step::Inst(InstKind::LandingPad { cleanup, clauses }, ty));
            }
        }
    }
}
