//! Expressions of operators.
//!
//! Precedence, from loose to tight: `|`, `++`, `;`, `\`, `&`, then `A * B`, postfix `* + ?` and prefix `~`, then `^-1`,
//! then application. `\` groups to the left, `++` to the right; `|`, `;` and `&` become one node with all operands.
//! The operators of the level of `*` do not combine with each other except as postfix after postfix: `~r*` and `A * B+`
//! could be read in two ways and are refused. `*` is a product if an operand follows.
//!
//! The span of an expression in parentheses includes them.

use super::{Halt, MAX_DEPTH, Parse, Parser};
use crate::token::{Kind, Sign, Word};
use treville_base::Diagnostic;
use treville_model::syntax::{Exp, ExpKind, Nary, Unary};

/// An infix operator, how tightly it binds, and what must follow it.
fn infix(kind: Kind) -> Option<(Nary, u8, &'static str)> {
    match kind {
        Kind::Sign(Sign::Bar) => Some((Nary::Union, 1, "an operand after `|`")),
        Kind::Sign(Sign::PlusPlus) => Some((Nary::Add, 2, "an operand after `++`")),
        Kind::Sign(Sign::Semi) => Some((Nary::Seq, 3, "an operand after `;`")),
        Kind::Sign(Sign::Backslash) => Some((Nary::Diff, 4, "an operand after `\\`")),
        Kind::Sign(Sign::Amp) => Some((Nary::Inter, 5, "an operand after `&`")),
        _ => None,
    }
}

/// Whether an operand can start with it.
fn starts_operand(kind: Kind) -> bool {
    use Sign::{OpenBrace, OpenBracket, OpenParen, Tilde, Underscore, Zero};
    matches!(
        kind,
        Kind::Name
            | Kind::Tag
            | Kind::Word(Word::Begin)
            | Kind::Sign(OpenParen | OpenBrace | OpenBracket | Underscore | Zero | Tilde)
    )
}

impl Parser<'_> {
    /// Checks and records the height of a tree that is being built.
    pub(super) fn grown(&mut self, height: usize) -> Parse<usize> {
        if height > MAX_DEPTH {
            return Err(self.too_deep());
        }
        self.height = height;
        Ok(height)
    }

    /// Any expression. `what` says what is missing if there is none.
    pub(super) fn exp(&mut self, what: &str) -> Parse<Exp> {
        self.nested(|parser| {
            let first = parser.at;
            let kind = match parser.kind() {
                Kind::Word(Word::Let) => parser.let_in()?,
                Kind::Word(Word::Fun) => parser.fun()?,
                Kind::Word(Word::Try) => parser.try_with()?,
                Kind::Word(Word::If) => parser.if_exp()?,
                Kind::Word(Word::Match) => parser.match_exp()?,
                _ => return parser.base_or_tuple(what),
            };
            Ok(Exp { kind, span: parser.span_from(first) })
        })
    }

    fn base_or_tuple(&mut self, what: &str) -> Parse<Exp> {
        let first = self.at;
        let exp = self.base(what)?;
        if !self.is(Sign::Comma) {
            return Ok(exp);
        }
        let mut height = self.height;
        let mut parts = vec![exp];
        while self.eat(Sign::Comma) {
            parts.push(self.base("an expression after `,`")?);
            height = height.max(self.height);
        }
        self.grown(height + 1)?;
        Ok(Exp { kind: ExpKind::Tuple(parts), span: self.span_from(first) })
    }

    /// An expression of operators, without tuples.
    pub(super) fn base(&mut self, what: &str) -> Parse<Exp> {
        self.nested(|parser| parser.infix(what, 1))
    }

    /// Operands joined by operators that bind at least as tightly as `level`.
    fn infix(&mut self, what: &str, level: u8) -> Parse<Exp> {
        let first = self.at;
        let mut left = self.unary(what)?;
        while let Some((op, bound, what)) = infix(self.kind()).filter(|&(_, bound, _)| bound >= level) {
            let mut height = self.height;
            let mut operands = vec![left];
            let sign = self.kind();
            while self.is(sign) {
                self.bump();
                let right = match op {
                    Nary::Add => self.nested(|parser| parser.infix(what, bound))?,
                    _ => self.infix(what, bound + 1)?,
                };
                operands.push(right);
                height = height.max(self.height);
                if op == Nary::Diff {
                    break;
                }
            }
            self.grown(height + 1)?;
            left = Exp { kind: ExpKind::Nary(op, operands), span: self.span_from(first) };
        }
        Ok(left)
    }

    /// `~e`, `A * B`, or an operand with postfix operators.
    fn unary(&mut self, what: &str) -> Parse<Exp> {
        let first = self.at;
        if self.is(Sign::Tilde) {
            let exp = self.complement()?;
            self.refuse_mixed(first)?;
            return Ok(exp);
        }
        let mut exp = self.primary(what)?;
        loop {
            if self.is(Sign::Star) && starts_operand(self.kind_ahead(1)) && !self.negated_test_follows_star() {
                return self.product(first, exp);
            }
            let Some(op) = self.postfix()? else { return Ok(exp) };
            exp = self.apply_unary(op, exp, first)?;
        }
    }

    /// Whether `* ~acyclic …` stands here: the end of an instruction and the start of another.
    fn negated_test_follows_star(&self) -> bool {
        self.kind_ahead(1) == Kind::Sign(Sign::Tilde) && matches!(self.kind_ahead(2), Kind::Word(w) if w.is_test())
    }

    fn product(&mut self, first: usize, left: Exp) -> Parse<Exp> {
        let height = self.height;
        self.bump();
        let right = if self.is(Sign::Tilde) { self.complement()? } else { self.inverted()? };
        self.refuse_mixed(first)?;
        self.grown(height.max(self.height) + 1)?;
        let kind = ExpKind::Nary(Nary::Product, vec![left, right]);
        Ok(Exp { kind, span: self.span_from(first) })
    }

    fn complement(&mut self) -> Parse<Exp> {
        let first = self.at;
        self.bump();
        let exp = self.nested(|p| if p.is(Sign::Tilde) { p.complement() } else { p.inverted() })?;
        self.apply_unary(Unary::Complement, exp, first)
    }

    /// An operand with nothing after it but inverses.
    fn inverted(&mut self) -> Parse<Exp> {
        let first = self.at;
        let mut exp = self.primary("an operand")?;
        while self.is(Sign::MinusOne) || self.is(Sign::Hat) && self.kind_ahead(1) == Kind::Sign(Sign::MinusOne) {
            self.eat(Sign::Hat);
            self.bump();
            exp = self.apply_unary(Unary::Inverse, exp, first)?;
        }
        Ok(exp)
    }

    fn apply_unary(&mut self, op: Unary, exp: Exp, first: usize) -> Parse<Exp> {
        self.grown(self.height + 1)?;
        Ok(Exp { kind: ExpKind::Un(op, Box::new(exp)), span: self.span_from(first) })
    }

    /// Refuses `~r*`, `A * B+` and `A * B * C` instead of guessing.
    fn refuse_mixed(&mut self, first: usize) -> Parse<()> {
        let star = self.is(Sign::Star) && !self.negated_test_follows_star();
        if !star && !self.is(Sign::Plus) && !self.is(Sign::Question) && !self.is(Sign::Hat) {
            return Ok(());
        }
        let sign = self.text_of(self.token());
        let message = format!("`{sign}` after `~` or `*` could apply to the operand or to the whole");
        let diagnostic = Diagnostic::error(self.token_span(self.at), message).label(self.span_from(first), "the whole");
        Err(self.report(diagnostic.help("use parentheses, as in `~(r+)` or `(A * B) & r`")))
    }

    /// Consumes a postfix operator: `* + ? ^-1`, and `^* ^+ -1`, which other tools accept.
    fn postfix(&mut self) -> Parse<Option<Unary>> {
        let hat = self.eat(Sign::Hat);
        let op = match self.kind() {
            Kind::Sign(Sign::Star) => Unary::Star,
            Kind::Sign(Sign::Plus) => Unary::Plus,
            Kind::Sign(Sign::MinusOne) => Unary::Inverse,
            Kind::Sign(Sign::Question) if !hat => Unary::Opt,
            _ if hat => return Err(self.expected("`-1` after `^`")),
            _ => return Ok(None),
        };
        self.bump();
        Ok(Some(op))
    }

    /// A name with its arguments, or a simple expression.
    fn primary(&mut self, what: &str) -> Parse<Exp> {
        if !self.is(Kind::Name) {
            return self.simple(what);
        }
        let first = self.at;
        let mut exp = self.variable();
        let mut height = self.height;
        loop {
            let argument = match self.kind() {
                Kind::Name => {
                    self.note_misread();
                    self.variable()
                }
                Kind::Sign(Sign::Tilde) => return Ok(exp),
                kind if starts_operand(kind) => self.simple("an argument")?,
                _ => return Ok(exp),
            };
            height = self.grown(height.max(self.height) + 1)?;
            let kind = ExpKind::App(Box::new(exp), Box::new(argument));
            exp = Exp { kind, span: self.span_from(first) };
        }
    }

    /// Remembers the next token, a name read as an argument, if it looks like the start of an instruction.
    fn note_misread(&mut self) {
        if self.misread.is_none() && self.opens_line(self.at) && self.column(self.at) <= self.column(self.start) {
            self.misread = Some(self.at);
        }
    }

    fn variable(&mut self) -> Exp {
        let span = self.token_span(self.at);
        self.height = 1;
        Exp { kind: ExpKind::Var(self.bump_name(0)), span }
    }

    /// What can be an argument without further parentheses, except a name.
    pub(super) fn simple(&mut self, what: &str) -> Parse<Exp> {
        let first = self.at;
        self.height = 1;
        let kind = match self.kind() {
            Kind::Sign(Sign::Zero) => self.constant(ExpKind::EmptyRelation),
            Kind::Sign(Sign::Underscore) => self.constant(ExpKind::Universe),
            Kind::Tag => ExpKind::Tag(self.bump_name(1)),
            Kind::Sign(Sign::OpenBrace) => {
                self.bump();
                let elements = self.base_list(Sign::CloseBrace)?;
                self.close(first, Sign::CloseBrace)?;
                ExpKind::ExplicitSet(elements)
            }
            Kind::Sign(Sign::OpenBracket) => {
                self.bump();
                let set = self.exp("a set after `[`")?;
                self.close(first, Sign::CloseBracket)?;
                return self.apply_unary(Unary::ToId, set, first);
            }
            Kind::Sign(Sign::OpenParen) if self.kind_ahead(1) == Kind::Sign(Sign::CloseParen) => {
                self.bump();
                self.constant(ExpKind::Tuple(Vec::new()))
            }
            Kind::Sign(Sign::OpenParen) => return self.enclosed(Sign::CloseParen.into()),
            Kind::Word(Word::Begin) => return self.enclosed(Word::End.into()),
            _ => return Err(self.no_operand(what)),
        };
        Ok(Exp { kind, span: self.span_from(first) })
    }

    fn constant(&mut self, kind: ExpKind) -> ExpKind {
        self.bump();
        kind
    }

    fn enclosed(&mut self, close: Kind) -> Parse<Exp> {
        let first = self.at;
        self.bump();
        let exp = self.exp("an expression")?;
        self.close(first, close)?;
        Ok(Exp { kind: exp.kind, span: self.span_from(first) })
    }

    fn no_operand(&mut self, what: &str) -> Halt {
        match self.kind() {
            Kind::Word(word @ (Word::Let | Word::Fun | Word::Try | Word::If | Word::Match)) if !self.is_below() => {
                let help = format!("an expression that starts with `{word}` must be in parentheses here");
                self.expected_with(what, &help)
            }
            Kind::Sign(Sign::MinusOne) => self.expected_with(what, "the inverse of `r` is written `r^-1`"),
            _ => self.expected(what),
        }
    }

    /// Expressions separated by commas, up to `close`, which is left.
    pub(super) fn base_list(&mut self, close: Sign) -> Parse<Vec<Exp>> {
        let mut elements = Vec::new();
        let mut height = 0;
        if !self.is(close) {
            loop {
                elements.push(self.base("an expression")?);
                height = height.max(self.height);
                if !self.eat(Sign::Comma) {
                    break;
                }
            }
        }
        self.grown(height + 1)?;
        Ok(elements)
    }
}
