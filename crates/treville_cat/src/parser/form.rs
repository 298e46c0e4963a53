//! Expressions that open with a word, and their parts: definitions, patterns, conditions, cases. Each function starts
//! at the word that opens it.

use super::{Parse, Parser};
use crate::token::{Kind, Sign, Word};
use std::sync::Arc;
use treville_base::Name;
use treville_model::syntax::{Binding, Cond, Exp, ExpKind, Pattern, Split, VariantCond};

/// How many variants one condition may test.
const MAX_VARIANTS: usize = 100;

impl Parser<'_> {
    pub(super) fn let_in(&mut self) -> Parse<ExpKind> {
        self.bump();
        let recursive = self.eat(Word::Rec);
        let bindings = self.bindings()?;
        let height = self.height;
        self.expect(Word::In, "`in` after the definitions of a `let` inside an expression")?;
        let body = Box::new(self.exp("an expression after `in`")?);
        self.grown(height.max(self.height) + 1)?;
        Ok(if recursive { ExpKind::LetRec(bindings, body) } else { ExpKind::Let(bindings, body) })
    }

    /// Definitions joined by `and`.
    pub(super) fn bindings(&mut self) -> Parse<Vec<Binding>> {
        let mut bindings = Vec::new();
        let mut height = 0;
        loop {
            bindings.push(self.binding()?);
            height = height.max(self.height);
            if !self.eat(Word::And) {
                self.height = height;
                return Ok(bindings);
            }
        }
    }

    fn binding(&mut self) -> Parse<Binding> {
        let first = self.at;
        let (pattern, params) = match self.kind() {
            Kind::Sign(Sign::OpenParen) => (self.formals()?, None),
            Kind::Name => {
                let name = self.formal()?;
                if self.is(Sign::Comma) {
                    (self.more_formals(name)?, None)
                } else {
                    (Pattern::Var(name), self.params()?)
                }
            }
            Kind::Sign(Sign::Underscore) => {
                let name = self.formal()?;
                (self.more_formals(name)?, None)
            }
            _ => return Err(self.expected("a name to define")),
        };
        if params.is_some() && (self.is(Kind::Name) || self.is(Sign::Underscore)) {
            let help = "a function of several arguments takes a tuple: `let f(x, y) = …`";
            return Err(self.expected_with("`=`", help));
        }
        self.expect(Sign::Equal, "`=`")?;
        let body = Arc::new(self.exp("an expression after `=`")?);
        Ok(Binding { pattern, params, body, span: self.span_from(first) })
    }

    /// Parameters, if any stand here: `(a, b)`, or one without parentheses.
    pub(super) fn params(&mut self) -> Parse<Option<Pattern>> {
        match self.kind() {
            Kind::Sign(Sign::OpenParen) => self.formals().map(Some),
            Kind::Name | Kind::Sign(Sign::Underscore) => Ok(Some(Pattern::Var(self.formal()?))),
            _ => Ok(None),
        }
    }

    /// A name, or `_`.
    fn formal(&mut self) -> Parse<Option<Name>> {
        if self.eat(Sign::Underscore) { Ok(None) } else { self.name("a name or `_`").map(Some) }
    }

    /// `(a, b, …)`. One name in parentheses is that name.
    fn formals(&mut self) -> Parse<Pattern> {
        let open = self.at;
        self.bump();
        let pattern = if self.is(Sign::CloseParen) {
            Pattern::Tuple(Vec::new())
        } else {
            let first = self.formal()?;
            self.more_formals(first)?
        };
        self.close(open, Sign::CloseParen)?;
        Ok(pattern)
    }

    fn more_formals(&mut self, first: Option<Name>) -> Parse<Pattern> {
        if !self.is(Sign::Comma) {
            return Ok(Pattern::Var(first));
        }
        let mut names = vec![first];
        while self.eat(Sign::Comma) {
            names.push(self.formal()?);
        }
        Ok(Pattern::Tuple(names))
    }

    pub(super) fn fun(&mut self) -> Parse<ExpKind> {
        self.bump();
        let Some(params) = self.params()? else { return Err(self.expected("a parameter after `fun`")) };
        self.expect(Sign::Arrow, "`->`")?;
        let body = Arc::new(self.exp("an expression after `->`")?);
        self.grown(self.height + 1)?;
        Ok(ExpKind::Fun(params, body))
    }

    pub(super) fn try_with(&mut self) -> Parse<ExpKind> {
        self.bump();
        let attempt = Box::new(self.exp("an expression after `try`")?);
        let height = self.height;
        self.expect(Word::With, "`with` and what to use instead")?;
        let instead = Box::new(self.exp("an expression after `with`")?);
        self.grown(height.max(self.height) + 1)?;
        Ok(ExpKind::Try(attempt, instead))
    }

    pub(super) fn if_exp(&mut self) -> Parse<ExpKind> {
        self.bump();
        let cond = self.cond()?;
        let mut height = self.height;
        self.expect(Word::Then, "`then`")?;
        let then = Box::new(self.exp("an expression after `then`")?);
        height = height.max(self.height);
        if !self.eat(Word::Else) {
            return Err(self.expected_with("`else`", "an `if` inside an expression has a value, so it needs an `else`"));
        }
        let els = Box::new(self.exp("an expression after `else`")?);
        self.grown(height.max(self.height) + 1)?;
        Ok(ExpKind::If(cond, then, els))
    }

    fn cond(&mut self) -> Parse<Cond> {
        if self.starts_variant() {
            self.height = 1;
            return Ok(Cond::Variant(self.variant()?));
        }
        let left = Box::new(self.exp("a condition")?);
        let height = self.height;
        let build = match self.kind() {
            Kind::Sign(Sign::Equal) => Cond::Eq,
            Kind::Word(Word::Subset) => Cond::Subset,
            Kind::Word(Word::In) => Cond::In,
            _ => {
                let help = "a condition is `a = b`, `a subset b`, `a in b` or a variant in quotes";
                return Err(self.expected_with("`=`, `subset` or `in`", help));
            }
        };
        self.bump();
        let right = Box::new(self.exp("an expression")?);
        self.height = height.max(self.height);
        Ok(build(left, right))
    }

    /// Whether a condition on variants starts here: behind parentheses and `not` comes a string.
    pub(super) fn starts_variant(&self) -> bool {
        let opens = |kind| matches!(kind, Kind::Sign(Sign::OpenParen) | Kind::Word(Word::Not));
        let first = self.tokens[self.at..].iter().map(|t| t.kind).find(|&kind| !opens(kind));
        matches!(first, Some(Kind::Text | Kind::Word(Word::Variant)))
    }

    /// `||` binds less tightly than `&&`, and that less than `not`.
    pub(super) fn variant(&mut self) -> Parse<VariantCond> {
        self.variant_or(&mut { MAX_VARIANTS })
    }

    fn variant_or(&mut self, left: &mut usize) -> Parse<VariantCond> {
        let mut cond = self.variant_and(left)?;
        while self.eat(Sign::BarBar) {
            cond = VariantCond::Or(Box::new(cond), Box::new(self.variant_and(left)?));
        }
        Ok(cond)
    }

    fn variant_and(&mut self, left: &mut usize) -> Parse<VariantCond> {
        let mut cond = self.nested(|p| p.variant_not(left))?;
        while self.eat(Sign::AmpAmp) {
            cond = VariantCond::And(Box::new(cond), Box::new(self.nested(|p| p.variant_not(left))?));
        }
        Ok(cond)
    }

    fn variant_not(&mut self, left: &mut usize) -> Parse<VariantCond> {
        let open = self.at;
        if self.eat(Word::Not) {
            return Ok(VariantCond::Not(Box::new(self.nested(|p| p.variant_not(left))?)));
        }
        if self.eat(Sign::OpenParen) {
            let cond = self.variant_or(left)?;
            self.close(open, Sign::CloseParen)?;
            return Ok(cond);
        }
        self.eat(Word::Variant);
        if !self.is(Kind::Text) {
            return Err(self.expected("the name of a variant as a string"));
        }
        if *left == 0 {
            return Err(self.too_deep());
        }
        *left -= 1;
        Ok(VariantCond::Is(self.bump_string()))
    }

    /// Cases on tags, or on a set being empty or not.
    pub(super) fn match_exp(&mut self) -> Parse<ExpKind> {
        let open = self.at;
        self.bump();
        let subject = Box::new(self.exp("an expression after `match`")?);
        let height = self.height;
        self.expect(Word::With, "`with` and the cases")?;
        self.eat(Sign::BarBar);
        let on_tags = matches!((self.kind(), self.kind_ahead(1)), (Kind::Tag, _) | (_, Kind::Sign(Sign::Arrow)));
        let (kind, inner) = if on_tags { self.tag_cases(subject)? } else { self.set_cases(subject)? };
        self.close(open, Word::End)?;
        self.grown(height.max(inner) + 1)?;
        Ok(kind)
    }

    /// `'a -> e || … || _ -> e`, and the height of what is in it.
    fn tag_cases(&mut self, subject: Box<Exp>) -> Parse<(ExpKind, usize)> {
        let mut clauses = Vec::new();
        let mut default = None;
        let mut height = 0;
        loop {
            match self.kind() {
                Kind::Tag => {
                    let tag = self.bump_name(1);
                    clauses.push((tag, self.case_body()?));
                }
                Kind::Sign(Sign::Underscore) => {
                    self.bump();
                    default = Some(Box::new(self.case_body()?));
                }
                _ => return Err(self.expected("a tag or `_` for a case")),
            }
            height = height.max(self.height);
            if default.is_some() || !self.eat(Sign::BarBar) {
                return Ok((ExpKind::MatchTag { subject, clauses, default }, height));
            }
        }
    }

    fn case_body(&mut self) -> Parse<Exp> {
        self.expect(Sign::Arrow, "`->` after the case")?;
        self.exp("an expression after `->`")
    }

    /// `{} -> e || x ++ xs -> e`, in either order, and the height of what is in it.
    fn set_cases(&mut self, subject: Box<Exp>) -> Parse<(ExpKind, usize)> {
        const BOTH: &str = "a `match` on a set has two cases: `{} -> …` and `x ++ rest -> …`";
        let mut empty = None;
        let mut nonempty = None;
        let mut height = 0;
        loop {
            if self.is(Sign::OpenBrace) && empty.is_none() {
                let open = self.at;
                self.bump();
                self.close(open, Sign::CloseBrace)?;
                empty = Some(Box::new(self.case_body()?));
            } else if !self.is(Sign::OpenBrace) && nonempty.is_none() {
                let split = self.split()?;
                nonempty = Some((split, Box::new(self.case_body()?)));
            } else {
                return Err(self.expected_with("the other case", BOTH));
            }
            height = height.max(self.height);
            match (empty, nonempty) {
                (Some(empty), Some((split, nonempty))) => {
                    return Ok((ExpKind::MatchSet { subject, empty, split, nonempty }, height));
                }
                rest if self.eat(Sign::BarBar) => (empty, nonempty) = rest,
                _ => return Err(self.expected_with("`||` and the other case", BOTH)),
            }
        }
    }

    /// `x ++ rest` or `before | x ++ rest`; `_` is kept as a name of its own.
    fn split(&mut self) -> Parse<Split> {
        let unnamed = |name: Option<Name>| name.unwrap_or_else(|| Name::new("_"));
        if !self.is(Kind::Name) && !self.is(Sign::Underscore) {
            return Err(self.expected("a case: a tag, `_`, `{}` or `x ++ rest`"));
        }
        let mut before = None;
        let mut element = unnamed(self.formal()?);
        if self.eat(Sign::Bar) {
            before = Some(std::mem::replace(&mut element, unnamed(self.formal()?)));
        }
        self.expect(Sign::PlusPlus, "`++` and a name for the other elements")?;
        Ok(Split { before, element, after: unnamed(self.formal()?) })
    }
}
