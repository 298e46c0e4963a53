//! A model as text, close to CAT: definitions of what has a name or is used more than once, then the steps.

use crate::model::{CheckKind, Model, PickSource, RecOrder, Shape, Step, Term, TermId};
use crate::syntax::CheckMode;
use crate::terms::children;
use std::fmt::{self, Display, Formatter};
use treville_base::Idx;

impl Display for Model {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let printer = Printer::new(self);
        if let Some(name) = &self.name {
            writeln!(f, "\"{name}\"")?;
        }
        for group in self.recs.iter().filter(|g| !g.bodies.is_empty()) {
            let how = if group.order == RecOrder::Least { "" } else { "(* in order *) " };
            for (i, (name, &body)) in group.names.iter().zip(&group.bodies).enumerate() {
                let start = if i == 0 { "let rec" } else { "and" };
                writeln!(f, "{start} {how}{name} = {}", printer.alone(body))?;
            }
        }
        for t in self.terms.ids().filter(|&t| printer.is_defined(t)) {
            let info = &self.terms[t];
            let monotone = if info.monotone { "" } else { ", not monotone" };
            writeln!(f, "let {} = {} (* {:?}{monotone} *)", printer.label(t), printer.body(t), info.stage)?;
        }
        self.steps.iter().try_for_each(|step| self.fmt_step(*step, &printer, f))
    }
}

impl Model {
    fn fmt_step(&self, step: Step, printer: &Printer<'_>, f: &mut Formatter<'_>) -> fmt::Result {
        match step {
            Step::Pick(pick) => {
                let pick = &self.picks[pick];
                write!(f, "with {} from ", pick.name)?;
                match pick.source {
                    PickSource::Orders(o) => {
                        let [on, classes, extends] = [o.on, o.classes, o.extends].map(|t| printer.inside(t));
                        writeln!(f, "orders on {on} by {classes} extending {extends}")
                    }
                    PickSource::AnyOf(general, shape) => writeln!(f, "general {general:?} of {shape:?}"),
                }
            }
            Step::Check(check) => {
                let check = &self.checks[check];
                let mode = match check.mode {
                    CheckMode::Require => "",
                    CheckMode::Flag => "flag ",
                    CheckMode::UndefinedUnless => "undefined_unless ",
                    CheckMode::Assert => "assert ",
                };
                let kind = match check.test.kind {
                    CheckKind::Acyclic => "acyclic",
                    CheckKind::Irreflexive => "irreflexive",
                    CheckKind::Empty => "empty",
                };
                let not = if check.test.negated { "~" } else { "" };
                let monotone = if check.monotone { " (* monotone *)" } else { "" };
                writeln!(f, "{mode}{not}{kind} {} as {}{monotone}", printer.alone(check.test.term), check.name)
            }
        }
    }
}

struct Printer<'m> {
    model: &'m Model,
    /// How often checks, picks and needed terms use each term; 0 for what they do not need.
    uses: Vec<u32>,
}

impl<'m> Printer<'m> {
    fn new(model: &'m Model) -> Self {
        let mut uses = vec![0; model.terms.len()];
        let needed = model.needed();
        for (t, info) in model.terms.iter_enumerated().filter(|(t, _)| needed[t.index()]) {
            uses[t.index()] += 1;
            children(&info.term).for_each(|c| uses[c.index()] += 1);
        }
        Printer { model, uses }
    }

    /// Whether the term has a line of its own; others are written where they are used.
    fn is_defined(&self, t: TermId) -> bool {
        let info = &self.model.terms[t];
        let leaf = children(&info.term).next().is_none();
        let uses = self.uses[t.index()];
        !leaf && uses > 0 && (info.name.is_some() || uses > 2)
    }

    /// What the term is called where it is used.
    fn label(&self, t: TermId) -> String {
        let info = &self.model.terms[t];
        // Two terms may have had the same name at different times; the number tells them apart.
        match &info.name {
            Some(name) if self.model.terms.iter().filter(|i| i.name.as_ref() == Some(name)).count() == 1 => {
                name.to_string()
            }
            Some(name) => format!("{name}@{}", t.0),
            None => format!("{t:?}"),
        }
    }

    /// The term as a part of another.
    fn inside(&self, t: TermId) -> String {
        if self.is_defined(t) {
            return self.label(t);
        }
        let text = self.body(t);
        match self.model.term(t) {
            Term::Union(..) | Term::Inter(..) | Term::Diff(..) | Term::Seq(..) | Term::Product(..) => {
                format!("({text})")
            }
            _ => text,
        }
    }

    /// The term where nothing around it could be mistaken for a part of it.
    fn alone(&self, t: TermId) -> String {
        if self.is_defined(t) { self.label(t) } else { self.body(t) }
    }

    /// The term by its operator.
    fn body(&self, t: TermId) -> String {
        let model = self.model;
        match *model.term(t) {
            Term::BaseSet(ref name) => name.to_string(),
            Term::BaseRel(rel) => rel.name().to_owned(),
            Term::Empty => if model.shape(t) == Shape::Set { "{}" } else { "0" }.to_owned(),
            Term::Universe => if model.shape(t) == Shape::Set { "_" } else { "(_ * _)" }.to_owned(),
            Term::Union(..) => self.chain(t, " | ", |t| match *t {
                Term::Union(a, b) => Some((a, b)),
                _ => None,
            }),
            Term::Inter(..) => self.chain(t, " & ", |t| match *t {
                Term::Inter(a, b) => Some((a, b)),
                _ => None,
            }),
            Term::Seq(..) => self.chain(t, " ; ", |t| match *t {
                Term::Seq(a, b) => Some((a, b)),
                _ => None,
            }),
            Term::Diff(a, b) => format!("{} \\ {}", self.inside(a), self.inside(b)),
            Term::Product(a, b) => format!("{} * {}", self.inside(a), self.inside(b)),
            Term::Complement(a) => format!("~{}", self.inside(a)),
            Term::Inverse(a) => format!("{}^-1", self.inside(a)),
            Term::Plus(a) => format!("{}+", self.inside(a)),
            Term::Star(a) => format!("{}*", self.inside(a)),
            Term::Opt(a) => format!("{}?", self.inside(a)),
            Term::ToId(a) => format!("[{}]", self.alone(a)),
            Term::Domain(a) => format!("domain({})", self.alone(a)),
            Term::Range(a) => format!("range({})", self.alone(a)),
            Term::Rec(rec, i) => model.recs[rec].names.get(i as usize).map_or_else(String::new, ToString::to_string),
            Term::Pick(pick) => model.picks[pick].name.to_string(),
            Term::General(general) => format!("{general:?}"),
        }
    }

    /// Operands of an operator that leans to the left, without its parentheses.
    fn chain(&self, t: TermId, operator: &str, split: impl Fn(&Term) -> Option<(TermId, TermId)>) -> String {
        let mut operands = Vec::new();
        let mut at = t;
        while let Some((a, b)) = split(self.model.term(at)).filter(|_| at == t || !self.is_defined(at)) {
            operands.push(self.inside(b));
            at = a;
        }
        operands.push(self.inside(at));
        operands.reverse();
        operands.join(operator)
    }
}
