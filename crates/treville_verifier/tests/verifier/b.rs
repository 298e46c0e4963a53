//! A small reader of the B that we write: formulas, what they mean, and machines that can be run. It knows nothing of
//! programs or memories, and so is a second opinion on what the exported text says.

pub(crate) mod camille;
pub(crate) mod machine;
pub(crate) mod value;

use std::collections::BTreeSet;

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Token {
    Name(String),
    Int(i64),
    Sign(&'static str),
    /// `/* @label */`
    Label(String),
}

const SIGNS: &[&str] = &[
    ">->>", "-->", "<->", "|->", "..", ":=", "=>", "==", "<=", ">=", "<:", "/:", "/=", "\\/", "/\\", "|>", "||", "{",
    "}", "(", ")", "[", "]", ":", "&", "~", "-", "+", "*", "!", "#", ".", ",", ";", "=", "<", ">",
];

pub(crate) fn tokens(text: &str) -> Vec<Token> {
    let (mut out, mut rest) = (Vec::new(), text.trim_start());
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let length = if let Some(comment) = rest.strip_prefix("/*") {
            let end = comment.find("*/").expect("a comment ends");
            if let Some(label) = comment[..end].trim().strip_prefix('@') {
                out.push(Token::Label(label.to_owned()));
            }
            end + 4
        } else if is_word(first) {
            let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
            let word = &rest[..end];
            out.push(word.parse().map_or_else(|_| Token::Name(word.to_owned()), Token::Int));
            end
        } else {
            let sign =
                SIGNS.iter().find(|sign| rest.starts_with(**sign)).unwrap_or_else(|| panic!("a sign at {rest:.40}"));
            out.push(Token::Sign(sign));
            sign.len()
        };
        rest = rest[length..].trim_start();
    }
    out
}

/// Formulas and expressions alike.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Formula {
    Int(i64),
    Name(String),
    Set(Vec<Formula>),
    Un(&'static str, Box<Formula>),
    Bin(&'static str, Box<Formula>, Box<Formula>),
    /// A function, or a word such as `card`, at arguments.
    Call(Box<Formula>, Vec<Formula>),
    Image(Box<Formula>, Box<Formula>),
    /// For all, or exists.
    Quantified(bool, Vec<String>, Box<Formula>),
}

pub(crate) struct Reader {
    pub(crate) tokens: Vec<Token>,
    pub(crate) at: usize,
}

/// Operators of two sides, by how tightly they bind; those of one row bind to the left.
const LEVELS: &[&[&str]] = &[
    &["=>"],
    &["&", "or"],
    &["=", "/=", ":", "/:", "<:", "<", "<=", ">", ">="],
    &["-->", "<->", ">->>"],
    &["|->", "\\/", "/\\", "|>"],
    &[".."],
    &["+", "-"],
    &["*"],
];

impl Reader {
    pub(crate) fn new(text: &str) -> Self {
        Reader { tokens: tokens(text), at: 0 }
    }

    /// All of a text.
    pub(crate) fn whole(text: &str) -> Formula {
        let mut reader = Reader::new(text);
        let formula = reader.formula();
        assert_eq!(reader.at, reader.tokens.len(), "something is left of {text}");
        formula
    }

    pub(crate) fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at)
    }

    pub(crate) fn takes(&mut self, wanted: &str) -> bool {
        let there = match self.peek() {
            Some(Token::Sign(sign)) => *sign == wanted,
            Some(Token::Name(name)) => name == wanted,
            _ => false,
        };
        self.at += usize::from(there);
        there
    }

    pub(crate) fn needs(&mut self, wanted: &str) {
        assert!(self.takes(wanted), "{wanted} before {:?}", &self.tokens[self.at..self.tokens.len().min(self.at + 8)]);
    }

    pub(crate) fn name(&mut self) -> String {
        let Some(Token::Name(name)) = self.peek().cloned() else { panic!("a name before {:?}", self.peek()) };
        self.at += 1;
        name
    }

    pub(crate) fn names(&mut self) -> Vec<String> {
        let mut names = vec![self.name()];
        while self.takes(",") {
            names.push(self.name());
        }
        names
    }

    pub(crate) fn formula(&mut self) -> Formula {
        self.level(0)
    }

    fn level(&mut self, level: usize) -> Formula {
        let Some(signs) = LEVELS.get(level) else { return self.postfix() };
        let mut left = self.level(level + 1);
        while let Some(sign) = signs.iter().find(|sign| self.takes(sign)) {
            let right = self.level(level + 1);
            left = Formula::Bin(sign, Box::new(left), Box::new(right));
        }
        left
    }

    fn postfix(&mut self) -> Formula {
        let mut formula = self.primary();
        loop {
            formula = if self.takes("~") {
                Formula::Un("~", Box::new(formula))
            } else if self.takes("[") {
                let set = self.formula();
                self.needs("]");
                Formula::Image(Box::new(formula), Box::new(set))
            } else if self.takes("(") {
                let arguments = self.list(")");
                Formula::Call(Box::new(formula), arguments)
            } else {
                return formula;
            };
        }
    }

    fn list(&mut self, end: &str) -> Vec<Formula> {
        let mut parts = Vec::new();
        if self.takes(end) {
            return parts;
        }
        loop {
            parts.push(self.formula());
            if !self.takes(",") {
                self.needs(end);
                return parts;
            }
        }
    }

    fn primary(&mut self) -> Formula {
        if let Some(Token::Int(value)) = self.peek() {
            let value = *value;
            self.at += 1;
            return Formula::Int(value);
        }
        if self.takes("(") {
            let mut inner = self.formula();
            while self.takes(";") {
                inner = Formula::Bin(";", Box::new(inner), Box::new(self.formula()));
            }
            self.needs(")");
            return inner;
        }
        if self.takes("{") {
            return Formula::Set(self.list("}"));
        }
        if self.takes("-") {
            return Formula::Un("-", Box::new(self.postfix()));
        }
        for (sign, all) in [("!", true), ("#", false)] {
            if self.takes(sign) {
                let several = self.takes("(");
                let names = self.names();
                if several {
                    self.needs(")");
                }
                self.needs(".");
                self.needs("(");
                let body = self.formula();
                self.needs(")");
                return Formula::Quantified(all, names, Box::new(body));
            }
        }
        Formula::Name(self.name())
    }
}

/// Words of the language.
const WORDS: &[&str] =
    &["TRUE", "FALSE", "INTEGER", "NATURAL", "bool", "card", "dom", "closure1", "not", "or", "partition", "finite"];

impl Formula {
    /// Names that it does not bind itself.
    pub(crate) fn free(&self) -> BTreeSet<String> {
        match self {
            Formula::Int(_) => BTreeSet::new(),
            Formula::Name(name) if WORDS.contains(&name.as_str()) => BTreeSet::new(),
            Formula::Name(name) => BTreeSet::from([name.clone()]),
            Formula::Set(parts) => parts.iter().flat_map(Formula::free).collect(),
            Formula::Un(_, a) => a.free(),
            Formula::Bin(_, a, b) | Formula::Image(a, b) => a.free().into_iter().chain(b.free()).collect(),
            Formula::Call(f, arguments) => {
                f.free().into_iter().chain(arguments.iter().flat_map(Formula::free)).collect()
            }
            Formula::Quantified(_, names, body) => {
                body.free().into_iter().filter(|name| !names.contains(name)).collect()
            }
        }
    }

    /// What is connected by `&`.
    pub(crate) fn conjuncts(&self) -> Vec<&Formula> {
        match self {
            Formula::Bin("&", a, b) => [a.conjuncts(), b.conjuncts()].concat(),
            other => vec![other],
        }
    }
}
