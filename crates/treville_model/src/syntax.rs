//! The syntax of CAT as a tree: what a parser produces and the linker reads. Every node has its place in the text.

use std::collections::BTreeSet;
use std::sync::Arc;
use treville_base::{Name, Span};

/// A parsed model: the file's instructions with includes already attached.
#[derive(Clone, PartialEq, Debug)]
pub struct Unit {
    /// The title: the string or name that opens the file, if there is one.
    pub title: Option<Name>,
    /// Words before the title or first instruction that set options (`catdep`, `withco`, …).
    pub options: Vec<Name>,
    pub body: Vec<Ins>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Ins {
    pub kind: InsKind,
    pub span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub enum InsKind {
    Let(Vec<Binding>),
    /// `let rec … and … [when test]`.
    LetRec(Vec<Binding>, Option<Check>),
    Check(CheckMode, Check),
    /// `show a, b`.
    Show(Vec<Name>),
    Unshow(Vec<Name>),
    ShowAs(Exp, Name),
    /// `unit` is `None` if the file was not found: an error only if the instruction is reached.
    Include {
        file: Name,
        unit: Option<Arc<Unit>>,
    },
    Procedure {
        name: Name,
        params: Pattern,
        body: Arc<Vec<Ins>>,
        recursive: bool,
    },
    Call {
        procedure: Name,
        argument: Exp,
        name: Option<Name>,
    },
    /// `enum scopes = 'a || 'b`.
    Enum {
        name: Name,
        tags: Vec<Name>,
    },
    /// `forall x in S do … end`.
    Forall {
        var: Name,
        set: Exp,
        body: Vec<Ins>,
    },
    WithFrom {
        var: Name,
        set: Exp,
    },
    /// `instructions R[{'a,'b}, …]`, `default …`.
    Instructions {
        name: Name,
        arguments: Vec<Exp>,
        default: bool,
    },
    If {
        cond: Cond,
        then: Vec<Ins>,
        els: Vec<Ins>,
    },
    /// `match tag with || 'a -> … || _ -> … end` on the level of instructions.
    Match {
        subject: Exp,
        clauses: Vec<(Name, Vec<Ins>)>,
        default: Option<Vec<Ins>>,
    },
    Debug(Exp),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CheckMode {
    /// Executions that fail it are not executions of the model.
    Require,
    Flag,
    UndefinedUnless,
    Assert,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Check {
    pub kind: CheckKind,
    /// `~acyclic`, `~empty`, …
    pub negated: bool,
    pub exp: Exp,
    pub name: Option<Name>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum CheckKind {
    Acyclic,
    Irreflexive,
    Empty,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Binding {
    pub pattern: Pattern,
    /// `let f(x, y) = …` and `let f x = …`; the pattern is then a variable.
    pub params: Option<Pattern>,
    pub body: Arc<Exp>,
    pub span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Pattern {
    /// `None` is `_`.
    Var(Option<Name>),
    Tuple(Vec<Option<Name>>),
}

#[derive(Clone, PartialEq, Debug)]
pub struct Exp {
    pub kind: ExpKind,
    pub span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub enum ExpKind {
    Var(Name),
    Tag(Name),
    /// `0`.
    EmptyRelation,
    /// `_`.
    Universe,
    /// `{}`, `{a, b}`.
    ExplicitSet(Vec<Exp>),
    Un(Unary, Box<Exp>),
    /// Operands of `|`, `;`, … in textual order; at least two.
    Nary(Nary, Vec<Exp>),
    Tuple(Vec<Exp>),
    App(Box<Exp>, Box<Exp>),
    Fun(Pattern, Arc<Exp>),
    Let(Vec<Binding>, Box<Exp>),
    LetRec(Vec<Binding>, Box<Exp>),
    /// `match e with || 'a -> e1 || _ -> e2 end`.
    MatchTag {
        subject: Box<Exp>,
        clauses: Vec<(Name, Exp)>,
        default: Option<Box<Exp>>,
    },
    /// `match e with || {} -> e1 || x ++ xs -> e2 end`, or with three parts, `pre | x ++ post`.
    MatchSet {
        subject: Box<Exp>,
        empty: Box<Exp>,
        split: Split,
        nonempty: Box<Exp>,
    },
    Try(Box<Exp>, Box<Exp>),
    If(Cond, Box<Exp>, Box<Exp>),
}

#[derive(Clone, PartialEq, Debug)]
pub struct Split {
    /// `Some` for the three-part form.
    pub before: Option<Name>,
    pub element: Name,
    pub after: Name,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unary {
    Plus,
    Star,
    Opt,
    Inverse,
    Complement,
    /// `[S]`.
    ToId,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Nary {
    Union,
    Inter,
    Diff,
    Seq,
    /// `A * B`.
    Product,
    /// `e ++ S`.
    Add,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Cond {
    Variant(VariantCond),
    Eq(Box<Exp>, Box<Exp>),
    Subset(Box<Exp>, Box<Exp>),
    In(Box<Exp>, Box<Exp>),
}

#[derive(Clone, PartialEq, Debug)]
pub enum VariantCond {
    Is(Name),
    Not(Box<VariantCond>),
    And(Box<VariantCond>, Box<VariantCond>),
    Or(Box<VariantCond>, Box<VariantCond>),
}

impl VariantCond {
    /// Whether it holds when these variants are on.
    pub fn holds(&self, on: &BTreeSet<Name>) -> bool {
        match self {
            VariantCond::Is(name) => on.contains(name),
            VariantCond::Not(c) => !c.holds(on),
            VariantCond::And(a, b) => a.holds(on) && b.holds(on),
            VariantCond::Or(a, b) => a.holds(on) || b.holds(on),
        }
    }
}
