//! The declarations of a bell file, taken out of its tree.
//!
//! Only what concerns tags is evaluated: `enum`, `instructions`, `default`, and names that stand for sets of tags. The
//! rest of a bell file is part of the model and is left to the linker.

use std::collections::{BTreeMap, BTreeSet};
use treville_base::{Diagnostic, Name, Span};
use treville_model::bell::{Bell, KINDS};
use treville_model::syntax::{Binding, Cond, Exp, ExpKind, Ins, InsKind, Nary, Pattern, Unit, VariantCond};

/// What a bell file declares, given the variants that are on.
///
/// # Errors
/// Declarations that are not about sets of tags, or about kinds of events that do not exist.
pub fn bell(unit: &Unit, variant: &dyn Fn(&str) -> bool) -> Result<Bell, Vec<Diagnostic>> {
    let mut extractor = Extractor { variant, bell: Bell::default(), names: BTreeMap::new(), diagnostics: Vec::new() };
    extractor.body(&unit.body);
    if extractor.diagnostics.is_empty() { Ok(extractor.bell) } else { Err(extractor.diagnostics) }
}

type Tags = BTreeSet<Name>;

struct Extractor<'a> {
    variant: &'a dyn Fn(&str) -> bool,
    bell: Bell,
    /// Names that stand for sets of tags.
    names: BTreeMap<Name, Tags>,
    diagnostics: Vec<Diagnostic>,
}

impl Extractor<'_> {
    fn error(&mut self, span: Span, message: impl Into<String>) {
        self.diagnostics.push(Diagnostic::error(span, message));
    }

    fn body(&mut self, body: &[Ins]) {
        for ins in body {
            match &ins.kind {
                InsKind::Enum { name, tags } => {
                    self.names.insert(name.clone(), tags.iter().cloned().collect());
                    self.bell.enums.insert(name.clone(), tags.clone());
                }
                InsKind::Let(bindings) => bindings.iter().for_each(|binding| self.define(binding)),
                InsKind::Instructions { name, arguments, default } => {
                    self.instructions(name, arguments, *default, ins.span);
                }
                InsKind::Include { unit: Some(unit), .. } => self.body(&unit.body),
                InsKind::If { cond: Cond::Variant(cond), then, els } => {
                    let branch = if self.holds(cond) { then } else { els };
                    self.body(branch);
                }
                _ => {}
            }
        }
    }

    fn holds(&self, cond: &VariantCond) -> bool {
        match cond {
            VariantCond::Is(name) => (self.variant)(name),
            VariantCond::Not(cond) => !self.holds(cond),
            VariantCond::And(a, b) => self.holds(a) && self.holds(b),
            VariantCond::Or(a, b) => self.holds(a) || self.holds(b),
        }
    }

    /// A name for a set of tags; other definitions only hide it.
    fn define(&mut self, binding: &Binding) {
        let Pattern::Var(Some(name)) = &binding.pattern else { return };
        let tags = if binding.params.is_none() { self.tags(&binding.body).ok() } else { None };
        match tags {
            Some(tags) => self.names.insert(name.clone(), tags),
            None => self.names.remove(name),
        };
    }

    fn instructions(&mut self, name: &Name, arguments: &[Exp], default: bool, span: Span) {
        // Calls were once a kind of their own; they are fences.
        let kind = if name == "CALL" { Name::new("F") } else { name.clone() };
        if !KINDS.contains(&kind.as_str()) {
            return self.error(span, format!("`{name}` is no kind of event; the kinds are {}", KINDS.join(", ")));
        }
        let mut places = Vec::new();
        for argument in arguments {
            match self.tags(argument) {
                Ok(tags) => places.push(tags),
                Err(diagnostic) => self.diagnostics.push(diagnostic),
            }
        }
        if places.len() < arguments.len() {
            return;
        }
        if default {
            let single = |tags: &Tags| if tags.len() == 1 { tags.first().cloned() } else { None };
            let Some(tags) = places.iter().map(single).collect::<Option<Vec<Name>>>() else {
                return self.error(span, "a default names exactly one tag for each place");
            };
            if self.bell.defaults.insert(kind.clone(), tags).is_some() {
                self.error(span, format!("`{name}` has a default already"));
            }
        }
        self.bell.instructions.entry(kind).or_default().push(places);
    }

    fn tags(&self, exp: &Exp) -> Result<Tags, Diagnostic> {
        match &exp.kind {
            ExpKind::Var(name) => self
                .names
                .get(name)
                .cloned()
                .ok_or_else(|| Diagnostic::error(exp.span, format!("`{name}` is not the name of a set of tags"))),
            ExpKind::Tag(tag) if self.bell.enums.values().flatten().any(|known| known == tag) => {
                Ok(Tags::from([tag.clone()]))
            }
            ExpKind::Tag(tag) => Err(Diagnostic::error(exp.span, format!("no `enum` declares the tag `'{tag}`"))),
            ExpKind::ExplicitSet(elements) => {
                let sets = elements.iter().map(|e| self.tags(e)).collect::<Result<Vec<Tags>, _>>()?;
                Ok(sets.into_iter().flatten().collect())
            }
            ExpKind::Nary(op @ (Nary::Union | Nary::Inter | Nary::Diff), operands) => {
                let sets = operands.iter().map(|e| self.tags(e)).collect::<Result<Vec<Tags>, _>>()?;
                Ok(sets.into_iter().reduce(|a, b| combine(*op, &a, &b)).unwrap_or_default())
            }
            _ => Err(Diagnostic::error(exp.span, "expected a set of tags")),
        }
    }
}

fn combine(op: Nary, a: &Tags, b: &Tags) -> Tags {
    match op {
        Nary::Inter => a & b,
        Nary::Diff => a - b,
        _ => a | b,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Loaded, parse_unit};
    use treville_base::SourceMap;

    fn read(text: &str) -> Result<Bell, Vec<String>> {
        let load = |_: &str, _: &str| None::<Loaded>;
        let unit = parse_unit("t.bell", text, &mut SourceMap::new(), &load).expect("a correct text");
        bell(&unit, &|name| name == "new").map_err(|ds| ds.into_iter().map(|d| d.message).collect())
    }

    #[test]
    fn declarations_are_evaluated() {
        let bell = read(
            "enum Accesses = 'once || 'acquire || 'release\n\
             let strong = Accesses \\ {'once}\n\
             instructions R[{'once, 'acquire}]\n\
             if \"new\" instructions W[strong & {'release}] else instructions W[Accesses] end\n\
             enum Calls = 'sync\n instructions CALL['sync] default R['once]",
        )
        .expect("correct declarations");
        let allows = |kind: &str, tag: &str| bell.allows(kind, &[Name::new(tag)]);
        assert!(allows("R", "once") && allows("R", "acquire") && !allows("R", "release"));
        assert!(allows("W", "release") && !allows("W", "once"));
        assert!(allows("F", "sync") && !bell.allows("F", &[]));
        assert_eq!(bell.defaults["R"], ["once"]);
        assert!(bell.sets().contains("Acquire"));
    }

    #[test]
    fn mistakes_are_reported() {
        let errors = read(
            "enum A = 'a || 'b\ninstructions Q[A]\ninstructions R[B]\ninstructions W['c]\ndefault F[A]\n\
             default R['a] default R['b] instructions F[a ; b]",
        );
        let expected = [
            "`Q` is no kind of event; the kinds are B, F, R, RMW, SRCU, W",
            "`B` is not the name of a set of tags",
            "no `enum` declares the tag `'c`",
            "a default names exactly one tag for each place",
            "`R` has a default already",
            "expected a set of tags",
        ];
        assert_eq!(errors, Err(expected.map(str::to_string).to_vec()));
    }
}
