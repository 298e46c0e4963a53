//! The final part of a test as it is written: `locations […] filter … exists …`. Names are not resolved here.

use crate::init::{Value, proc_number, register_name, thread_number, value};
use crate::lexer::{Cursor, Style, Tok, lex};
use std::ops::Range;
use treville_base::{Diagnostic, FileId, Span};
use treville_ir::{Comparison, Quantifier};

/// What the test asks and lists.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Final<'a> {
    pub(crate) locations: Vec<Loc<'a>>,
    pub(crate) filter: Option<Prop<'a>>,
    pub(crate) quantifier: Quantifier,
    pub(crate) condition: Prop<'a>,
    /// Of the quantifier and its formula; nothing if there is none.
    pub(crate) span: Option<Span>,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Loc<'a> {
    pub(crate) kind: LocKind<'a>,
    pub(crate) span: Span,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LocKind<'a> {
    Reg {
        thread: u32,
        name: &'a str,
    },
    /// A location, or one element of an array.
    Mem {
        name: &'a str,
        index: Option<u32>,
    },
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Prop<'a> {
    True,
    False,
    Atom(Equation<'a>),
    Not(Box<Prop<'a>>),
    And(Vec<Prop<'a>>),
    Or(Vec<Prop<'a>>),
    Implies(Box<Prop<'a>>, Box<Prop<'a>>),
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Equation<'a> {
    pub(crate) left: Loc<'a>,
    pub(crate) op: Comparison,
    pub(crate) right: Right<'a>,
    pub(crate) right_span: Span,
}

/// A plain name is the address of a location; `[x]`, `*x` and registers are what they hold.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Right<'a> {
    Value(Value<'a>),
    Place(Loc<'a>),
}

impl<'a> Final<'a> {
    /// Calls `visit` for each location of memory, those whose address is meant included.
    pub(crate) fn visit_memory(&self, visit: &mut impl FnMut(&'a str, Option<u32>, Span)) {
        for loc in &self.locations {
            visit_loc(loc, visit);
        }
        self.condition.visit_memory(visit);
        if let Some(filter) = &self.filter {
            filter.visit_memory(visit);
        }
    }
}

fn visit_loc<'a>(loc: &Loc<'a>, visit: &mut impl FnMut(&'a str, Option<u32>, Span)) {
    if let LocKind::Mem { name, index } = loc.kind {
        visit(name, index, loc.span);
    }
}

fn visit_value<'a>(value: &Value<'a>, visit: &mut impl FnMut(&'a str, Option<u32>, Span)) {
    match value {
        Value::Address { name, span, .. } => visit(name, None, *span),
        Value::List(list) => list.iter().for_each(|v| visit_value(v, visit)),
        Value::Int(_) | Value::Label { .. } => {}
    }
}

impl<'a> Prop<'a> {
    fn visit_memory(&self, visit: &mut impl FnMut(&'a str, Option<u32>, Span)) {
        match self {
            Prop::True | Prop::False => {}
            Prop::Not(a) => a.visit_memory(visit),
            Prop::And(many) | Prop::Or(many) => many.iter().for_each(|a| a.visit_memory(visit)),
            Prop::Implies(a, b) => {
                a.visit_memory(visit);
                b.visit_memory(visit);
            }
            Prop::Atom(atom) => {
                visit_loc(&atom.left, visit);
                match &atom.right {
                    Right::Value(value) => visit_value(value, visit),
                    Right::Place(loc) => visit_loc(loc, visit),
                }
            }
        }
    }
}

/// Parses the section. An empty one asks `forall true`.
pub(crate) fn parse<'a>(file: FileId, text: &'a str, range: Range<usize>) -> Result<Final<'a>, Diagnostic> {
    let end = range.end;
    let tokens = lex(file, text, range, Style::State)?;
    let mut parser = Parser { c: Cursor::new(file, &tokens, end), depth: 0 };
    let locations = if parser.word("locations") { parser.locations()? } else { Vec::new() };
    let filter = if parser.word("filter") { Some(parser.prop()?) } else { None };
    let start = parser.c.span();
    let asked = !parser.c.done();
    let (quantifier, condition) = parser.constraint()?;
    let span = asked.then(|| start.to(parser.c.last_span()));
    parser.c.eat(";");
    if parser.word("with") {
        // Expected answers for models: `with tso: exists; sc: ~exists;`.
        while !parser.c.done() {
            parser.c.next();
        }
    }
    if !parser.c.done() {
        return Err(parser.c.expected("the end of the condition"));
    }
    Ok(Final { locations, filter, quantifier, condition, span })
}

/// Deeper nesting than any test has; keeps the stack in bounds.
const MAX_DEPTH: usize = 200;

struct Parser<'t, 'a> {
    c: Cursor<'t, 'a>,
    depth: usize,
}

impl<'a> Parser<'_, 'a> {
    fn word(&mut self, word: &str) -> bool {
        let found = self.c.peek() == Tok::Name(word);
        if found {
            self.c.next();
        }
        found
    }

    fn locations(&mut self) -> Result<Vec<Loc<'a>>, Diagnostic> {
        self.c.expect("[")?;
        let mut locations = Vec::new();
        while !self.c.eat("]") {
            if self.c.eat(";") {
                continue;
            }
            locations.push(self.loc()?);
            // A type may follow, which only matters to tools that run tests.
            while matches!(self.c.peek(), Tok::Name(_) | Tok::Punct("*")) {
                self.c.next();
            }
            if !self.c.is("]") {
                self.c.expect(";")?;
            }
        }
        Ok(locations)
    }

    fn constraint(&mut self) -> Result<(Quantifier, Prop<'a>), Diagnostic> {
        if self.c.done() || self.c.is(";") {
            return Ok((Quantifier::Forall, Prop::True));
        }
        if self.word("forall") {
            return Ok((Quantifier::Forall, self.prop()?));
        }
        if self.word("exists") || self.word("final") {
            return Ok((Quantifier::Exists, self.prop()?));
        }
        if self.word("observed") || self.word("Observed") {
            return Ok((Quantifier::Exists, self.observed()?));
        }
        if (self.c.is("~") || self.c.peek() == Tok::Name("not")) && self.c.peek_at(1) == Tok::Name("exists") {
            self.c.next();
            self.c.next();
            return Ok((Quantifier::NotExists, self.prop()?));
        }
        if self.c.is("(") {
            return Ok((Quantifier::Exists, self.prop()?));
        }
        Err(self.c.expected("`exists`, `~exists` or `forall`"))
    }

    /// `observed a; b; and c; d;`: one of the listed states.
    fn observed(&mut self) -> Result<Prop<'a>, Diagnostic> {
        let mut states = Vec::new();
        loop {
            let mut atoms = Vec::new();
            while !self.c.done() && self.c.peek() != Tok::Name("and") {
                atoms.push(Prop::Atom(self.equation()?));
                if !self.c.done() {
                    self.c.expect(";")?;
                }
            }
            states.push(Prop::And(atoms));
            if !self.word("and") {
                return Ok(Prop::Or(states));
            }
        }
    }

    fn prop(&mut self) -> Result<Prop<'a>, Diagnostic> {
        self.nested(|p| p.list("\\/", Prop::Or, |p| p.list("/\\", Prop::And, Self::implication)))
    }

    fn nested<T>(&mut self, inner: impl FnOnce(&mut Self) -> Result<T, Diagnostic>) -> Result<T, Diagnostic> {
        if self.depth >= MAX_DEPTH {
            return Err(Diagnostic::error(self.c.span(), "this condition is nested too deeply"));
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    /// One or more items between operators; one alone stays as it is.
    fn list(
        &mut self,
        operator: &str,
        join: fn(Vec<Prop<'a>>) -> Prop<'a>,
        mut item: impl FnMut(&mut Self) -> Result<Prop<'a>, Diagnostic>,
    ) -> Result<Prop<'a>, Diagnostic> {
        let first = item(self)?;
        if !self.c.is(operator) {
            return Ok(first);
        }
        let mut all = vec![first];
        while self.c.eat(operator) {
            all.push(item(self)?);
        }
        Ok(join(all))
    }

    /// Binds tighter than `/\`, and to the right.
    fn implication(&mut self) -> Result<Prop<'a>, Diagnostic> {
        let left = self.negation()?;
        if !self.c.eat("=>") {
            return Ok(left);
        }
        let right = self.nested(Self::implication)?;
        Ok(Prop::Implies(Box::new(left), Box::new(right)))
    }

    fn negation(&mut self) -> Result<Prop<'a>, Diagnostic> {
        if self.c.eat("~") || self.word("not") {
            return Ok(Prop::Not(Box::new(self.nested(Self::negation)?)));
        }
        if self.word("true") {
            return Ok(Prop::True);
        }
        if self.word("false") {
            return Ok(Prop::False);
        }
        if self.c.eat("(") {
            let inner = self.prop()?;
            self.c.expect(")")?;
            return Ok(inner);
        }
        Ok(Prop::Atom(self.equation()?))
    }

    fn equation(&mut self) -> Result<Equation<'a>, Diagnostic> {
        let left = self.loc()?;
        let op = self.comparison()?;
        let start = self.c.span();
        let right = self.right()?;
        Ok(Equation { left, op, right, right_span: start.to(self.c.last_span()) })
    }

    fn comparison(&mut self) -> Result<Comparison, Diagnostic> {
        let (plain, or_equal) = match self.c.peek() {
            Tok::Punct("=" | "==") => (Comparison::Eq, None),
            Tok::Punct("!=" | "<>") => (Comparison::Ne, None),
            Tok::Punct("<") => (Comparison::Lt, Some(Comparison::Le)),
            Tok::Punct(">") => (Comparison::Gt, Some(Comparison::Ge)),
            _ => return Err(self.c.expected("`=` or another comparison")),
        };
        self.c.next();
        // `<=` and `>=` are two words each.
        Ok(or_equal.filter(|_| self.c.eat("=")).unwrap_or(plain))
    }

    fn right(&mut self) -> Result<Right<'a>, Diagnostic> {
        let register = match (self.c.peek(), self.c.peek_at(1)) {
            (Tok::Num(_), Tok::Punct(":")) => true,
            (Tok::Name(word), Tok::Punct(":")) => proc_number(word).is_some(),
            _ => false,
        };
        if register || self.c.is("[") {
            return Ok(Right::Place(self.loc()?));
        }
        if self.c.eat("*") {
            return Ok(Right::Place(self.loc()?));
        }
        if self.c.eat("{") {
            let mut list = vec![value(&mut self.c)?];
            while self.c.eat(",") {
                list.push(value(&mut self.c)?);
            }
            self.c.expect("}")?;
            return Ok(Right::Value(Value::List(list)));
        }
        Ok(Right::Value(value(&mut self.c)?))
    }

    /// `0:r1`, `P0:r1`, `x`, `[x]`, `*x`, `x[1]`.
    fn loc(&mut self) -> Result<Loc<'a>, Diagnostic> {
        let start = self.c.span();
        let kind = match (self.c.peek(), self.c.peek_at(1)) {
            (Tok::Num(_), _) => {
                let thread = thread_number(&mut self.c)?;
                self.c.expect(":")?;
                LocKind::Reg { thread, name: register_name(&mut self.c)?.0 }
            }
            (Tok::Name(word), Tok::Punct(":")) if proc_number(word).is_some() => {
                self.c.next();
                self.c.next();
                LocKind::Reg { thread: proc_number(word).unwrap_or(0), name: register_name(&mut self.c)?.0 }
            }
            (Tok::Name("fault" | "Fault"), Tok::Punct("(")) => {
                return Err(Diagnostic::error(start, "conditions on faults are not supported"));
            }
            (Tok::Punct("*"), _) => {
                self.c.next();
                LocKind::Mem { name: self.c.name("a location")?, index: None }
            }
            (Tok::Punct("["), _) => {
                self.c.next();
                let name = self.c.name("a location")?;
                let index = if self.c.is("[") { Some(self.index()?) } else { None };
                self.c.expect("]")?;
                LocKind::Mem { name, index }
            }
            (Tok::Name(name), _) => {
                self.c.next();
                let index = if self.c.is("[") { Some(self.index()?) } else { None };
                LocKind::Mem { name, index }
            }
            _ => return Err(self.c.expected("a register such as `0:r1` or a location")),
        };
        Ok(Loc { kind, span: start.to(self.c.last_span()) })
    }

    fn index(&mut self) -> Result<u32, Diagnostic> {
        self.c.expect("[")?;
        let span = self.c.span();
        let n = self.c.number("an index")?;
        self.c.expect("]")?;
        u32::try_from(n).map_err(|_| Diagnostic::error(span, format!("`{n}` is not an index")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Final<'_> {
        parse(FileId(0), text, 0..text.len()).unwrap()
    }

    #[test]
    fn quantifiers() {
        for (text, quantifier) in [
            ("exists (x=1)", Quantifier::Exists),
            ("~exists (x=1)", Quantifier::NotExists),
            ("forall x=1 \\/ x=2", Quantifier::Forall),
            ("final (P0:EAX=1); with tso: ~exists;", Quantifier::Exists),
            ("observed 0:EAX=1; and 0:EAX=0;", Quantifier::Exists),
            ("locations [x; 0:r1; p*; a[1]; y int*]", Quantifier::Forall),
            ("", Quantifier::Forall),
        ] {
            assert_eq!(parsed(text).quantifier, quantifier, "{text}");
        }
        assert_eq!(parsed("locations [x; 0:r1; p*; a[1]; y int*]").locations.len(), 5);
    }

    #[test]
    fn precedence() {
        let Prop::Or(or) = parsed("exists x=1 /\\ y=1 => z=1 \\/ not true").condition else { panic!() };
        let Prop::And(and) = &or[0] else { panic!() };
        assert!(matches!(and[1], Prop::Implies(..)));
        assert!(matches!(or[1], Prop::Not(_)));
    }

    #[test]
    fn comparisons() {
        for (text, op) in [
            ("x==1", Comparison::Eq),
            ("x<>1", Comparison::Ne),
            ("x<1", Comparison::Lt),
            ("x <= -1", Comparison::Le),
            ("x>1", Comparison::Gt),
            ("0:r1>=1:r2", Comparison::Ge),
        ] {
            let text = format!("exists {text}");
            let Prop::Atom(e) = parsed(&text).condition else { panic!() };
            assert_eq!(e.op, op, "{text}");
        }
    }

    #[test]
    fn right_hand_sides() {
        for (text, place) in
            [("0:r1=x", false), ("0:r1=*x", true), ("[x]=[y]", true), ("x=1:r0", true), ("p=&x", false)]
        {
            let text = format!("exists {text}");
            let Prop::Atom(e) = parsed(&text).condition else { panic!() };
            assert_eq!(matches!(e.right, Right::Place(_)), place, "{text}");
        }
    }

    #[test]
    fn depth_is_bounded() {
        for text in ["(".repeat(100_000), "~".repeat(100_000), "x=1 => ".repeat(100_000)] {
            let text = format!("exists {text}");
            assert!(parse(FileId(0), &text, 0..text.len()).is_err());
        }
    }
}
