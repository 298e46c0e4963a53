//! Instructions: definitions, checks, and what bell files add. Each function starts at the word that opens it.

use super::{Parse, Parser};
use crate::token::{Kind, Sign, Word};
use std::sync::Arc;
use treville_base::{Diagnostic, Name};
use treville_model::syntax::{Check, CheckKind, CheckMode, Cond, Exp, ExpKind, Ins, InsKind};

impl Parser<'_> {
    /// Reads one instruction. A `show` of several parts gives several.
    pub(super) fn instruction(&mut self, out: &mut Vec<Ins>, inner: bool) -> Parse<()> {
        let first = self.at;
        let kind = match self.kind() {
            Kind::Word(Word::Show) => return self.show(out),
            Kind::Word(Word::Enum) if inner => {
                let message = "`enum` can only stand at the top level of a file";
                return Err(self.report(Diagnostic::error(self.token_span(first), message)));
            }
            Kind::Word(word) => self.instruction_of(word)?,
            Kind::Sign(Sign::Tilde) if self.negates_test() => InsKind::Check(CheckMode::Require, self.check()?),
            _ => return Err(self.no_instruction()),
        };
        out.push(Ins { kind, span: self.span_from(first) });
        Ok(())
    }

    fn instruction_of(&mut self, word: Word) -> Parse<InsKind> {
        match word {
            Word::Let => self.definition(),
            Word::Acyclic | Word::Irreflexive | Word::Empty => Ok(InsKind::Check(CheckMode::Require, self.check()?)),
            Word::Flag => self.check_with(CheckMode::Flag),
            Word::UndefinedUnless => self.check_with(CheckMode::UndefinedUnless),
            Word::Assert => self.check_with(CheckMode::Assert),
            Word::Unshow => self.unshow(),
            Word::Include => self.include(),
            Word::Procedure => self.procedure(),
            Word::Call => self.call(),
            Word::Forall => self.forall(),
            Word::With => self.with_from(),
            Word::If => self.if_instruction(),
            Word::Match => self.match_instruction(),
            Word::Debug => {
                self.bump();
                Ok(InsKind::Debug(self.exp("an expression after `debug`")?))
            }
            Word::Enum => self.enumeration(),
            Word::Instructions => self.bell_instructions(false),
            Word::Default => self.bell_instructions(true),
            _ => Err(self.no_instruction()),
        }
    }

    fn definition(&mut self) -> Parse<InsKind> {
        self.bump();
        if !self.eat(Word::Rec) {
            let bindings = self.bindings()?;
            self.eat(Word::In);
            return Ok(InsKind::Let(bindings));
        }
        let bindings = self.bindings()?;
        let when = if self.eat(Word::When) { Some(self.check()?) } else { None };
        self.eat(Word::In);
        Ok(InsKind::LetRec(bindings, when))
    }

    /// Whether a `~` here is that of a test, not of an expression.
    pub(super) fn negates_test(&self) -> bool {
        matches!(self.kind_ahead(1), Kind::Word(word) if word.is_test())
    }

    fn check_with(&mut self, mode: CheckMode) -> Parse<InsKind> {
        self.bump();
        Ok(InsKind::Check(mode, self.check()?))
    }

    /// `[~] (acyclic | irreflexive | empty) e [as name]`.
    fn check(&mut self) -> Parse<Check> {
        let negated = self.eat(Sign::Tilde);
        let kind = match self.kind() {
            Kind::Word(Word::Acyclic) => CheckKind::Acyclic,
            Kind::Word(Word::Irreflexive) => CheckKind::Irreflexive,
            Kind::Word(Word::Empty) => CheckKind::Empty,
            _ => return Err(self.expected("`acyclic`, `irreflexive` or `empty`")),
        };
        let what = format!("an expression after `{}`", self.text_of(self.token()));
        self.bump();
        let exp = self.exp(&what)?;
        Ok(Check { kind, negated, exp, name: self.as_name()? })
    }

    fn as_name(&mut self) -> Parse<Option<Name>> {
        if self.eat(Word::As) { self.name("a name after `as`").map(Some) } else { Ok(None) }
    }

    /// Names without `as` that stand together make one [`InsKind::Show`], each `e as name` an [`InsKind::ShowAs`].
    fn show(&mut self, out: &mut Vec<Ins>) -> Parse<()> {
        let show = self.at;
        self.bump();
        loop {
            let first = self.at;
            let exp = self.base("a name or an expression to show")?;
            let span = self.token_span(show).to(self.span_from(first));
            match (self.as_name()?, exp) {
                (Some(name), exp) => out.push(Ins { kind: InsKind::ShowAs(exp, name), span: self.span_from(show) }),
                (None, Exp { kind: ExpKind::Var(name), .. }) => match out.last_mut() {
                    Some(Ins { kind: InsKind::Show(names), span: before }) if before.start == span.start => {
                        names.push(name);
                        *before = span;
                    }
                    _ => out.push(Ins { kind: InsKind::Show(vec![name]), span }),
                },
                (None, _) => return Err(self.expected("`as` and the name under which to show this")),
            }
            if !self.eat(Sign::Comma) {
                return Ok(());
            }
        }
    }

    fn unshow(&mut self) -> Parse<InsKind> {
        let mut names = Vec::new();
        loop {
            self.bump();
            names.push(self.name("the name of a relation")?);
            if !self.is(Sign::Comma) {
                return Ok(InsKind::Unshow(names));
            }
        }
    }

    fn include(&mut self) -> Parse<InsKind> {
        self.bump();
        if !self.is(Kind::Text) {
            return Err(
                self.expected_with("the name of a file", "the name is written in quotes: `include \"cos.cat\"`")
            );
        }
        Ok(InsKind::Include { file: self.bump_string(), unit: None })
    }

    fn procedure(&mut self) -> Parse<InsKind> {
        let open = self.at;
        self.bump();
        let recursive = self.eat(Word::Rec);
        let name = self.name("the name of the procedure")?;
        let Some(params) = self.params()? else {
            return Err(self.expected_with("the parameters", "without parameters, write `()`"));
        };
        self.expect(Sign::Equal, "`=` before the body of the procedure")?;
        let body = Arc::new(self.inner_block(open)?);
        self.close(open, Word::End)?;
        Ok(InsKind::Procedure { name, params, body, recursive })
    }

    fn call(&mut self) -> Parse<InsKind> {
        self.bump();
        let procedure = self.name("the name of a procedure")?;
        if self.is(Kind::Name) {
            return Err(self.expected_with("the argument in parentheses", "write `call p(x)`"));
        }
        let argument = self.simple("the argument of the procedure")?;
        Ok(InsKind::Call { procedure, argument, name: self.as_name()? })
    }

    fn forall(&mut self) -> Parse<InsKind> {
        let open = self.at;
        self.bump();
        let var = self.name("a name for the element")?;
        self.expect(Word::In, "`in` and a set")?;
        let set = self.exp("a set after `in`")?;
        self.expect(Word::Do, "`do` before the body of `forall`")?;
        let body = self.inner_block(open)?;
        self.close(open, Word::End)?;
        Ok(InsKind::Forall { var, set, body })
    }

    fn with_from(&mut self) -> Parse<InsKind> {
        self.bump();
        let var = self.name("a name after `with`")?;
        self.expect(Word::From, "`from` and a set to choose from")?;
        Ok(InsKind::WithFrom { var, set: self.exp("a set to choose from")? })
    }

    /// `if variant … [else …] end`; there is no `then` between instructions.
    fn if_instruction(&mut self) -> Parse<InsKind> {
        let open = self.at;
        self.bump();
        if !self.starts_variant() {
            let help = "between instructions only a variant can be tested: `if \"mixed\" … end`";
            return Err(self.expected_with("the name of a variant as a string", help));
        }
        let cond = Cond::Variant(self.variant()?);
        if self.is(Word::Then) {
            let help = "between instructions, `if \"variant\" … else … end` has no `then`";
            return Err(self.expected_with("an instruction", help));
        }
        let then = self.inner_block(open)?;
        let els = if self.eat(Word::Else) { self.inner_block(open)? } else { Vec::new() };
        self.close(open, Word::End)?;
        Ok(InsKind::If { cond, then, els })
    }

    fn match_instruction(&mut self) -> Parse<InsKind> {
        let open = self.at;
        self.bump();
        let subject = self.exp("an expression after `match`")?;
        self.expect(Word::With, "`with` and the cases")?;
        self.eat(Sign::BarBar);
        let mut clauses = Vec::new();
        let mut default = None;
        while default.is_none() {
            let tag = match self.kind() {
                Kind::Tag => Some(self.bump_name(1)),
                Kind::Sign(Sign::Underscore) => {
                    self.bump();
                    None
                }
                _ => return Err(self.expected("a tag or `_` for a case")),
            };
            self.expect(Sign::Arrow, "`->` after the case")?;
            let body = self.inner_block(open)?;
            match tag {
                Some(tag) => clauses.push((tag, body)),
                None => default = Some(body),
            }
            if !self.eat(Sign::BarBar) {
                break;
            }
        }
        self.close(open, Word::End)?;
        Ok(InsKind::Match { subject, clauses, default })
    }

    /// The instructions of the block that the token `open` opened.
    fn inner_block(&mut self, open: usize) -> Parse<Vec<Ins>> {
        let body = self.nested(|parser| {
            let mut body = Vec::new();
            parser.block(&mut body, true);
            Ok(body)
        });
        self.start = open;
        self.gave_up |= body.is_err();
        body
    }

    fn enumeration(&mut self) -> Parse<InsKind> {
        self.bump();
        let name = self.name("a name after `enum`")?;
        self.expect(Sign::Equal, "`=` and the tags")?;
        self.eat(Sign::BarBar);
        let mut tags = Vec::new();
        loop {
            if !self.is(Kind::Tag) {
                return Err(self
                    .expected_with("a tag", "a tag is a name after a quote, tags are separated by `||`: `'a || 'b`"));
            }
            tags.push(self.bump_name(1));
            if !self.eat(Sign::BarBar) {
                break;
            }
        }
        if self.is(Kind::Tag) || self.is(Sign::Bar) || self.is(Sign::Comma) {
            return Err(self.expected("`||` between tags"));
        }
        Ok(InsKind::Enum { name, tags })
    }

    /// `instructions R[e, …]`, `default R[e, …]`.
    fn bell_instructions(&mut self, default: bool) -> Parse<InsKind> {
        self.bump();
        let name = self.name("a kind of event such as `R`")?;
        let open = self.at;
        self.expect(Sign::OpenBracket, "`[` and sets of tags")?;
        let arguments = self.base_list(Sign::CloseBracket)?;
        self.close(open, Sign::CloseBracket)?;
        Ok(InsKind::Instructions { name, arguments, default })
    }
}
